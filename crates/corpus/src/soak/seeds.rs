//! Good inputs to begin from: files of the repository, and the corpus beside it where it is there.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use unwind_model::yaml::{Limits, load};

/// Folders of the repository with documents, and of the corpus beside it.
const FOLDERS: [&str; 10] = [
    "public/samples",
    "tests/fixtures",
    "crates/cli/tests/program",
    "crates/engine/tests/fixtures",
    "crates/present/tests/fixtures",
    "crates/corpus/tests/fixtures",
    "../shared/corpus/argo-examples",
    "../shared/corpus/cases",
    "../shared/corpus/kfp-compiled",
    "../shared/corpus/traces",
];

/// Files with an expression in each line.
const EXPRESSIONS: [&str; 3] = [
    "crates/engine/src/lang/expr/tests/vectors.jsonl",
    "crates/engine/src/lang/when/answers.jsonl",
    "crates/engine/src/lang/kube/vectors.jsonl",
];

/// Longer files are no better seeds.
const LONGEST: u64 = 64 << 10;

/// Of the recordings one in so many is taken: they are alike.
const RECORDINGS: usize = 8;

/// What inputs are made from.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    /// Texts of documents.
    pub texts: Vec<String>,
    /// Documents.
    pub documents: Vec<Value>,
    /// Inputs of recordings: a workflow, and what it needs.
    pub inputs: Vec<Value>,
    /// Expressions of all languages.
    pub expressions: Vec<String>,
}

impl Seeds {
    /// Reads them; what is not there is left out.
    pub fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut seeds = Self::default();
        let mut recordings = 0;
        for folder in FOLDERS {
            for file in files(&root.join(folder)) {
                let Ok(text) = fs::read_to_string(&file) else { continue };
                if file.extension().is_some_and(|end| end == "jsonl") {
                    recordings += 1;
                    if !folder.ends_with("traces") || recordings % RECORDINGS == 0 {
                        seeds.recording(&text);
                    }
                } else {
                    seeds.document(text);
                }
            }
        }
        for file in EXPRESSIONS {
            let text = fs::read_to_string(root.join(file)).unwrap_or_default();
            let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            seeds.expressions.extend(lines.filter_map(|line| Some(line.get(0)?.as_str()?.to_owned())));
        }
        seeds
    }

    fn recording(&mut self, text: &str) {
        let Some(first) = text.lines().next() else { return };
        let Ok(mut input) = serde_json::from_str::<Value>(first) else { return };
        if input["workflow"].is_object() {
            self.documents.push(input["workflow"].clone());
            let needs = input["needs"].take();
            self.inputs.push(serde_json::json!({"workflow": input["workflow"], "needs": needs}));
        }
    }

    fn document(&mut self, text: String) {
        let documents = load(&text, &Limits::default()).unwrap_or_default();
        for (value, _) in documents.into_iter().filter(|(value, _)| value.is_object()) {
            if value["kind"] == "Workflow" && value["status"].is_null() {
                self.inputs.push(serde_json::json!({"workflow": value, "needs": []}));
            }
            self.documents.push(value);
        }
        self.texts.push(text);
    }
}

/// Documents below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
            if path.is_dir() {
                waiting.push(path);
            } else if matches!(end, "yaml" | "yml" | "json" | "jsonl")
                && entry.metadata().is_ok_and(|data| data.len() <= LONGEST)
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
