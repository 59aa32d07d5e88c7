//! Which fields of a document are run, which have no effect here, and which are not supported.
//!
//! A field that is neither read by the lowering nor by the walk nor listed here is unknown: a warning. Nothing is
//! left out without a word, except the fields listed as having no effect on a local run.

use serde_json::{Map, Value};

use crate::diagnostic::{Code, Severity};

use super::lower::Diagnostics;

/// An object of the document whose fields are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `spec`
    Spec,
    /// `spec.templates[i]` or an inline template
    Template,
    /// A task or step
    Task,
    /// `container` or `script`
    Container,
    /// `dag`
    Dag,
    /// A lifecycle hook
    Hook,
    /// `outputs` of a template
    Outputs,
    /// One parameter
    Parameter,
}

/// Fields that place, label or keep pods and objects: without effect on what runs here.
const WITHOUT_EFFECT: [(Place, &[&str]); 6] = [
    (
        Place::Spec,
        &[
            "affinity",
            "archiveLogs",
            "artifactGC",
            "artifactRepositoryRef",
            "automountServiceAccountToken",
            "dnsConfig",
            "dnsPolicy",
            "executor",
            "hostAliases",
            "hostNetwork",
            "imagePullSecrets",
            "metrics",
            "nodeSelector",
            "podDisruptionBudget",
            "podGC",
            "podMetadata",
            "podPriority",
            "podPriorityClassName",
            "priority",
            "schedulerName",
            "securityContext",
            "serviceAccountName",
            "tolerations",
            "ttlStrategy",
            "volumeClaimGC",
            "workflowMetadata",
        ],
    ),
    (
        Place::Template,
        &[
            "affinity",
            "annotations",
            "archiveLocation",
            "automountServiceAccountToken",
            "executor",
            "hostAliases",
            "metadata",
            "metrics",
            "nodeSelector",
            "priority",
            "priorityClassName",
            "schedulerName",
            "securityContext",
            "serviceAccountName",
            "tolerations",
        ],
    ),
    (
        Place::Container,
        &[
            "imagePullPolicy",
            "lifecycle",
            "livenessProbe",
            "name",
            "ports",
            "readinessProbe",
            "resources",
            "securityContext",
            "startupProbe",
            "stdin",
            "stdinOnce",
            "terminationMessagePath",
            "terminationMessagePolicy",
            "tty",
        ],
    ),
    (Place::Parameter, &["description", "enum"]),
    (Place::Dag, &[]),
    (Place::Hook, &[]),
];

/// Fields that change what is run, when, or with what, and are not served: the workflow is refused.
const REFUSED: [(Place, &[&str]); 6] = [
    (Place::Spec, &["podSpecPatch", "volumeClaimTemplates", "workflowTemplateRef"]),
    (Place::Template, &[]),
    (Place::Task, &["templateRef"]),
    (Place::Container, &["envFrom"]),
    (Place::Hook, &["templateRef"]),
    (Place::Parameter, &[]),
];

/// Fields that the walk, or who runs the programs, reads from the document itself.
const WALKED: [(Place, &[&str]); 4] = [
    (Place::Spec, &["parallelism", "retryStrategy", "synchronization", "templateDefaults"]),
    (
        Place::Template,
        &[
            "activeDeadlineSeconds",
            "daemon",
            "failFast",
            "initContainers",
            "memoize",
            "parallelism",
            "pendingTimeout",
            "podSpecPatch",
            "retryStrategy",
            "sidecars",
            "synchronization",
            "timeout",
        ],
    ),
    (Place::Task, &["withItems", "withParam", "withSequence"]),
    (Place::Parameter, &["globalName"]),
];

/// Says what of `other`, the fields that the lowering does not read, is not supported.
pub(super) fn check(place: Place, other: &Map<String, Value>, path: &str, diagnostics: &mut Diagnostics) {
    for (field, value) in other {
        let is_fine = is_listed(&WITHOUT_EFFECT, place, field) || is_listed(&WALKED, place, field);
        if is_fine || is_empty(value) {
            continue;
        }
        let is_refused = is_listed(&REFUSED, place, field);
        let severity = if is_refused { Severity::Error } else { Severity::Warning };
        let code = Code::Unsupported { field: field.clone() };
        diagnostics.add(severity, code, format!("{path}.{field}"));
    }
}

/// The field of a template type that this engine does not run, with the type of its node.
pub(super) fn foreign_type(other: &Map<String, Value>) -> Option<&'static str> {
    ["http", "plugin", "resource", "data", "containerSet"]
        .into_iter()
        .find(|field| other.get(*field).is_some_and(|value| !value.is_null()))
}

fn is_listed(table: &[(Place, &[&str])], place: Place, field: &str) -> bool {
    table.iter().any(|(of, fields)| *of == place && fields.contains(&field))
}

/// True for a value that Go reads as not given.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(_) | Value::Bool(true) | Value::Number(_) => false,
    }
}
