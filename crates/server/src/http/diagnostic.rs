//! What is wrong with a submitted workflow, in the one line that an error of the API has.
//!
//! The page and the command make better sentences of the same diagnostics; this is for clients that
//! print the message of an error, and follows Argo's wording where Argo has one
//! (`workflow/validate/validate.go`).

use unwind_engine::{Code, Diagnostic, Severity};

/// All errors in one line; warnings and notes do not keep a workflow from running.
pub fn sentence(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let said: Vec<String> =
        errors
            .map(|one| {
                if one.path.is_empty() {
                    said(&one.code)
                } else {
                    format!("{}: {}", one.path, said(&one.code))
                }
            })
            .collect();
    said.join("; ")
}

fn said(code: &Code) -> String {
    match code {
        Code::Unsupported { field } => {
            format!("`{field}` is not supported by this server: remove it, or run this on a cluster")
        }
        Code::UnknownTemplate { template } => format!("template name '{template}' undefined"),
        Code::UnknownTask { task } => format!("dependency '{task}' not defined"),
        Code::BadDepends { expected } => format!("`depends` cannot be read: expected {expected}"),
        Code::DependencyCycle { tasks } => {
            format!("dependency cycle detected: {}", tasks.join("->"))
        }
        Code::DuplicateName { name } => format!("name '{name}' is not unique"),
        Code::Missing { field } => format!("{field} is required"),
        Code::Unresolved { placeholder } => format!("failed to resolve {{{{{placeholder}}}}}"),
        Code::NoCommand { image } => format!(
            "no command: the image `{image}` would give it, and no image is pulled here; write `command`"
        ),
        Code::BadValue { expected } => format!("the value does not fit: expected {expected}"),
        Code::Invalid { message } => message.clone(),
        Code::NotHere { what, next } => format!("`{what}` cannot be had on this machine: {next}"),
        Code::PresetShutdown { strategy } => {
            format!("the manifest asks for its own {strategy}: remove `spec.shutdown`")
        }
        Code::NoEffect { document, field, .. } => match document.as_str() {
            "" => format!("{field} has no effect here"),
            document => format!("{field} of {document} has no effect here"),
        },
        Code::NoNodes => "the nodes are not in the object".to_owned(),
        Code::NearestRelease { asked, taken } => {
            format!("release {asked} is not known: taken as {taken}")
        }
    }
}
