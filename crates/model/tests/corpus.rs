//! Every file of the corpora that is a document at all is read; it runs where the corpora are.

use std::path::{Path, PathBuf};

use unwind_model::document::{Document, parse};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "yaml" || ending == "json") {
            found.push(path);
        }
    }
}

#[test]
fn every_manifest_and_status_of_the_corpora_is_read() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let mut paths = Vec::new();
    for folder in ["argo-examples", "cases", "kfp-compiled"] {
        files(&corpora.join(folder), &mut paths);
    }
    let mut workflows = 0;
    let mut faults = Vec::new();
    for path in &paths {
        match parse(&std::fs::read(path).expect("a file")) {
            Err(error) => faults.push(format!("{}: {error}", path.display())),
            Ok(documents) => {
                workflows +=
                    documents.iter().filter(|one| matches!(one.document, Document::Workflow(_))).count();
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    println!("{} files, {workflows} workflows", paths.len());
    assert_eq!(workflows == 0, paths.is_empty());
}
