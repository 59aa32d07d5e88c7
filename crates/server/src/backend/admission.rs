//! What a submitted workflow is given before it is kept: name, uid, time, the usual members.
//!
//! In: a workflow as it was sent. Out: the same, ready to be kept, or why it is refused.

use unwind_engine::library::Library;
use unwind_engine::validate::{ValidateOptions, validate};
use unwind_engine::{Code, Diagnostic, Severity};
use unwind_model::workflow::API_VERSION;
use unwind_model::{Workflow, WorkflowStatus};

use super::{BackendError, limits};
use crate::clock;
use crate::runner::projection::{LABEL_COMPLETED, LABEL_PHASE};

/// How often another name is tried when a generated one is taken.
pub(super) const NAME_TRIES: usize = 8;

const DEFAULT_NAMESPACE: &str = "default";
/// Longest name. Source: Argo `workflow/validate/validate.go`, `maxCharsInObjectName`.
const NAME_LIMIT: usize = 63;
/// Letters that a generated name ends in, and how many of them.
/// Source: Kubernetes `apimachinery/pkg/util/rand`, `apiserver/pkg/storage/names`.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
const GENERATED: usize = 5;
/// Which form pod names have. Source: Argo `workflow/common/common.go`.
const POD_NAME_FORMAT: (&str, &str) = ("workflows.argoproj.io/pod-name-format", "v2");

/// Everything but the generated name, which needs to know what names are taken.
pub(super) fn admit(mut workflow: Workflow) -> Result<Workflow, BackendError> {
    let meta = &mut workflow.metadata;
    if meta.namespace.is_empty() {
        DEFAULT_NAMESPACE.clone_into(&mut meta.namespace);
    }
    if meta.name.is_empty() && meta.generate_name.is_empty() {
        return Err(refused(&meta.name, "metadata.name", "name or generateName is required"));
    }
    check_name(&meta.name, "metadata.namespace", &meta.namespace)?;
    if !meta.name.is_empty() {
        check_name(&meta.name, "metadata.name", &meta.name)?;
    }
    meta.uid = new_uid()?;
    meta.creation_timestamp = Some(clock::now());
    meta.resource_version.clear();
    for label in [LABEL_PHASE, LABEL_COMPLETED] {
        meta.labels.remove(label);
    }
    let (annotation, format) = POD_NAME_FORMAT;
    meta.annotations.insert(annotation.to_owned(), format.to_owned());
    API_VERSION.clone_into(&mut workflow.api_version);
    "Workflow".clone_into(&mut workflow.kind);
    workflow.status = WorkflowStatus::default();
    Ok(workflow)
}

/// What is wrong with a workflow: what the controller's validation finds, and what programs on this
/// machine cannot be given.
pub fn examine(workflow: &Workflow, library: &Library) -> Vec<Diagnostic> {
    let options = ValidateOptions { own_engine: true, ..ValidateOptions::default() };
    let invalid = validate(workflow, library, options).err().map(|invalid| Diagnostic {
        code: Code::Invalid { message: invalid.message },
        severity: Severity::Error,
        path: invalid.path,
        position: None,
    });
    let mut found: Vec<Diagnostic> = invalid.into_iter().collect();
    found.extend(limits::check(workflow, library));
    found
}

/// What a generated name ends in.
pub(super) fn random_suffix() -> Result<String, BackendError> {
    let mut random = [0_u8; GENERATED];
    fill(&mut random)?;
    Ok(random.iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])).collect())
}

/// A name with this start.
pub(super) fn generate_name(start: &str) -> Result<String, BackendError> {
    let kept: String = start.chars().take(NAME_LIMIT - GENERATED).collect();
    let name = format!("{kept}{}", random_suffix()?);
    check_name(start, "metadata.generateName", &name)?;
    Ok(name)
}

/// A name as Kubernetes wants it (RFC 1123 subdomain); it becomes part of file names.
fn check_name(workflow: &str, field: &'static str, name: &str) -> Result<(), BackendError> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(allowed) && !label.starts_with('-') && !label.ends_with('-')
    };
    if name.len() > NAME_LIMIT {
        let expected = format!(
            "Invalid value: \"{name}\": must not be more than {NAME_LIMIT} characters long (currently {})",
            name.len()
        );
        return Err(refused(workflow, field, &expected));
    }
    if !name.split('.').all(is_label) {
        let expected = format!(
            "Invalid value: \"{name}\": must consist of lower case letters, digits, `-` and `.`, and \
             begin and end with a letter or digit"
        );
        return Err(refused(workflow, field, &expected));
    }
    Ok(())
}

fn refused(name: &str, field: &'static str, expected: &str) -> BackendError {
    BackendError::BadMetadata { name: name.to_owned(), field, expected: expected.to_owned() }
}

/// A random UUID (RFC 9562, version 4).
pub(super) fn new_uid() -> Result<String, BackendError> {
    let mut bytes = [0_u8; 16];
    fill(&mut bytes)?;
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let digits = format!("{:032x}", u128::from_be_bytes(bytes));
    let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(groups.join("-"))
}

fn fill(bytes: &mut [u8]) -> Result<(), BackendError> {
    getrandom::fill(bytes)
        .map_err(|error| BackendError::Internal { message: format!("no random numbers: {error}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Workflow {
        let mut workflow = Workflow::default();
        name.clone_into(&mut workflow.metadata.name);
        workflow
    }

    #[test]
    fn a_workflow_gets_what_it_lacks_and_loses_what_it_had_run() {
        let mut sent = named("orchard");
        sent.metadata.labels.insert(LABEL_PHASE.to_owned(), "Failed".to_owned());
        sent.status.message = "ended long ago".to_owned();
        let workflow = admit(sent).expect("a good name");
        assert_eq!(workflow.metadata.namespace, "default");
        assert_eq!(workflow.metadata.uid.len(), 36);
        assert!(workflow.metadata.labels.is_empty());
        assert!(workflow.metadata.creation_timestamp.is_some());
        assert_eq!(workflow.status, WorkflowStatus::default());
        assert_eq!((workflow.kind.as_str(), workflow.api_version.as_str()), ("Workflow", API_VERSION));
    }

    #[test]
    fn names_that_could_leave_the_folder_or_the_cluster_are_refused() {
        for name in ["../x", "Upper", "a/b", "-a", "a-", "a..b", "ä", &"a".repeat(64)] {
            let refused = admit(named(name)).expect_err(name).to_string();
            assert!(refused.contains("metadata.name: Invalid value"), "{refused}");
        }
        let refused = admit(named("")).expect_err("no name").to_string();
        assert_eq!(
            refused,
            "Workflow.argoproj.io \"\" is invalid: metadata.name: name or generateName is required"
        );
    }

    #[test]
    fn generated_names_keep_their_start_and_fit() {
        let name = generate_name("orchard-").expect("random numbers");
        assert!(name.starts_with("orchard-") && name.len() == 13, "{name}");
        let long = generate_name(&"a".repeat(300)).expect("random numbers");
        assert_eq!(long.len(), NAME_LIMIT);
        assert!(generate_name("Bad-").is_err());
    }
}
