//! What a leaf's program gives: its standard output and the files that its template names.
//!
//! In: the filled-in template, the leaf's folder after the program ended. Out: outputs, or why they
//! cannot be had. Source: Argo `workflow/executor/executor.go`, `CaptureScriptResult`, `SaveParameters`;
//! `workflow/controller/scope.go`, `hasOutputResultRef`.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use serde_json::Value;
use unwind_model::Template;
use unwind_model::params::Outputs;

use super::folder::{LeafFolder, Order};

/// Most bytes of a result that are kept, the last ones. Source: `executor.go`, `maxAnnotationSize`.
pub const RESULT_LIMIT: usize = 256 * 1024;
/// Longest file of a parameter.
const PARAMETER_LIMIT: u64 = 1 << 20;
/// The folder that every program may have for itself.
const TMP: &str = "/tmp/";

/// What is to be gathered when a program has ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Whether anybody reads its result.
    pub result: bool,
    /// Outputs as its template declares them, references filled in.
    pub declared: Outputs,
}

impl Wanted {
    /// What a leaf is to give. `text`: the workflow and its documents as JSON, to see whether anybody reads the result;
    /// `display_name`: the leaf's.
    pub fn of(template: &Template, display_name: &str, text: &str) -> Self {
        let task = display_name.split('(').next().unwrap_or_default();
        let forms = [".outputs.result", "'].outputs.result", "\\\"].outputs.result"];
        let result = forms.iter().any(|form| text.contains(&format!("{task}{form}")));
        let is_program = template.container.is_some()
            || template.script.is_some()
            || template.other.contains_key("containerSet");
        Self { result: result && is_program, declared: template.outputs.clone() }
    }

    /// Whether a file below `/tmp` is named, so that the program needs a `/tmp` of its own.
    pub fn needs_tmp(&self) -> bool {
        self.files().any(|(_, path)| path.starts_with(TMP))
    }

    fn files(&self) -> impl Iterator<Item = (usize, &str)> {
        let parameters = self.declared.parameters.iter().enumerate();
        parameters.filter_map(|(at, parameter)| {
            let path = parameter.value_from.as_ref()?.get("path")?.as_str()?;
            (!path.is_empty()).then_some((at, path))
        })
    }

    /// Gathers everything. What a program that failed did not write is left out; of one that ended
    /// well it is an error, a sentence for the node.
    pub fn gather(&self, folder: &LeafFolder, code: i32) -> Result<Option<Outputs>, String> {
        let mut outputs = self.declared.clone();
        let order = folder.order().map_err(|error| unreadable(folder, &error))?;
        let mut missing = Vec::new();
        for (at, path) in self.files() {
            let parameter = &mut outputs.parameters[at];
            match read_text(&place_of(folder, order.as_ref(), path)) {
                Ok(text) => parameter.value = Some(text),
                Err(error) => match default_of(parameter.value_from.as_ref()) {
                    Some(default) if error.kind() == io::ErrorKind::NotFound => {
                        parameter.value = Some(default);
                    }
                    Some(_) | None if code == 0 => return Err(sentence(&parameter.name, path, &error)),
                    Some(_) | None => missing.push(at),
                },
            }
        }
        for at in missing.into_iter().rev() {
            outputs.parameters.remove(at);
        }
        if self.result {
            let bytes = folder.result().map_err(|error| unreadable(folder, &error))?;
            outputs.result = Some(result_text(&bytes));
        }
        outputs.other.shift_remove("artifacts");
        Ok(Some(outputs).filter(|outputs| *outputs != Outputs::default()))
    }
}

/// Where a file of a parameter is on this machine.
fn place_of(folder: &LeafFolder, order: Option<&Order>, path: &str) -> PathBuf {
    match path.strip_prefix(TMP) {
        Some(rest) => folder.tmp().join(rest.trim_start_matches('/')),
        None => order.map_or_else(|| folder.work(), |order| order.working_dir.clone()).join(path),
    }
}

fn read_text(path: &PathBuf) -> io::Result<String> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.take(PARAMETER_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > PARAMETER_LIMIT {
        return Err(io::Error::other(format!("it is longer than {PARAMETER_LIMIT} bytes")));
    }
    Ok(trimmed(&bytes))
}

/// Without one newline at the end.
fn trimmed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.strip_suffix(b"\n").unwrap_or(bytes)).into_owned()
}

/// The last part of the output without one newline at its end.
fn result_text(bytes: &[u8]) -> String {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let from = bytes.len().saturating_sub(RESULT_LIMIT);
    String::from_utf8_lossy(&bytes[from..]).into_owned()
}

fn default_of(from: Option<&Value>) -> Option<String> {
    match from?.get("default")? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn sentence(name: &str, path: &str, error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        _ => error.to_string(),
    };
    format!(
        "cannot read output parameter `{name}` from `{path}`: {why}; write the file, or give `valueFrom.default`"
    )
}

fn unreadable(folder: &LeafFolder, error: &io::Error) -> String {
    format!("cannot read the folder `{}`: {error}", folder.path().display())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(outputs: &Value) -> Template {
        serde_json::from_value(json!({"name": "t", "script": {"command": ["sh"]}, "outputs": outputs}))
            .expect("a template")
    }

    #[test]
    fn only_a_result_that_somebody_reads_is_wanted() {
        let of = |name: &str, text: &str| Wanted::of(&template(&json!({})), name, text).result;
        assert!(of("coin(0:heads)(1)", "{{steps.coin.outputs.result}}"));
        assert!(of("coin", "tasks['coin'].outputs.result == 'heads'"));
        assert!(!of("other", "{{steps.coin.outputs.result}}"));
    }

    #[test]
    fn files_become_values_and_what_is_missing_takes_its_default() {
        let temp = tempfile::tempdir().expect("a folder");
        let folder = LeafFolder::at(temp.path().join("leaf"));
        std::fs::create_dir_all(folder.work()).expect("writable");
        std::fs::write(folder.work().join("x"), "one\ntwo\n\n").expect("writable");
        let file = |name: &str, path: &str| json!({"name": name, "valueFrom": {"path": path}});
        let mut other = file("b", "no-such");
        other["valueFrom"]["default"] = json!(7);
        let wanted = Wanted::of(&template(&json!({"parameters": [file("a", "x"), other]})), "t", "");
        let outputs = wanted.gather(&folder, 0).expect("readable").expect("some");
        let values: Vec<_> = outputs.parameters.iter().map(|one| one.value.clone()).collect();
        assert_eq!(values, [Some("one\ntwo\n".to_owned()), Some("7".to_owned())]);

        let wanted = Wanted::of(&template(&json!({"parameters": [file("c", "/tmp/c")]})), "t", "");
        assert!(wanted.needs_tmp());
        assert_eq!(
            wanted.gather(&folder, 0).expect_err("not there"),
            "cannot read output parameter `c` from `/tmp/c`: it is not there; write the file, or give \
             `valueFrom.default`"
        );
        assert_eq!(wanted.gather(&folder, 1), Ok(None));
    }
}
