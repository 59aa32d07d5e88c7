//! The conditions of hooks, as far as the final phase of the owner decides them.
//!
//! Read: comparisons of `tasks.<name>.status`, `steps["<name>"].status` or `workflow.status` with a
//! text, joined by `&&` and `||`. Everything else, and everything about Running, stays open: a
//! controller may never see a node Running, which is no fault of anybody.

use unwind_model::NodePhase;

use super::scene::Scene;
use crate::plan::Role;

/// What a condition is asked with.
pub(super) struct Told<'a> {
    /// Name of the owner's task or step; `None` for the workflow.
    pub(super) task: Option<&'a str>,
    /// Its final phase; `None` while there is none.
    pub(super) phase: Option<NodePhase>,
}

impl<'a> Told<'a> {
    pub(super) fn of(scene: &Scene<'a>, owner: usize) -> Self {
        let span = &scene.spans[owner];
        let phase = Some(span.phase).filter(|phase| phase.is_completed());
        let task = match span.role {
            Role::Root => None,
            Role::Work | Role::ExitHook | Role::NamedHook | Role::Handler => {
                scene.known[owner].task.map(|task| task.name.as_str()).or(Some(span.display_name.as_str()))
            }
        };
        Self { task, phase }
    }
}

/// Whether the condition holds; `None` when that is open.
pub(super) fn holds(text: &str, told: &Told<'_>) -> Option<bool> {
    let choices = text
        .split("||")
        .map(|choice| choice.split("&&").map(|part| comparison(part.trim(), told)).reduce(both).flatten());
    choices.reduce(either).flatten()
}

/// And of three values: false decides, then what is open.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (None, _) | (_, None) => None,
        (Some(true), Some(true)) => Some(true),
    }
}

/// Or of three values: true decides, then what is open.
fn either(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    both(a.map(|a| !a), b.map(|b| !b)).map(|neither| !neither)
}

fn comparison(text: &str, told: &Told<'_>) -> Option<bool> {
    let phase = told.phase?;
    let (left, right, equal) = if let Some((left, right)) = text.split_once("==") {
        (left, right, true)
    } else {
        let (left, right) = text.split_once("!=")?;
        (left, right, false)
    };
    let value = quoted(right.trim())?;
    if matches!(value, "Running" | "Pending") || !asks_for(left.trim(), told.task) {
        return None;
    }
    Some((phase.as_str() == value) == equal)
}

/// True when `left` is the status of the owner.
fn asks_for(left: &str, task: Option<&str>) -> bool {
    let Some(path) = left.strip_suffix(".status") else {
        return false;
    };
    let Some(task) = task else {
        return path == "workflow";
    };
    let rest = path.strip_prefix("tasks").or_else(|| path.strip_prefix("steps"));
    let Some(rest) = rest else {
        return false;
    };
    let name = match rest.strip_prefix('.') {
        Some(name) => Some(name),
        None => rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).and_then(quoted),
    };
    name == Some(task)
}

fn quoted(text: &str) -> Option<&str> {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, phase: NodePhase) -> Option<bool> {
        let told = Told { task: Some("fill-up"), phase: Some(phase) };
        holds(text, &told)
    }

    #[test]
    fn comparisons_with_the_final_phase_are_decided() {
        let failed = NodePhase::Failed;
        assert_eq!(check(r#"tasks.fill-up.status == "Failed""#, failed), Some(true));
        assert_eq!(check("steps['fill-up'].status != 'Failed'", failed), Some(false));
        assert_eq!(
            check(r#"tasks["fill-up"].status == "Error" || tasks["fill-up"].status == "Failed""#, failed),
            Some(true)
        );
    }

    #[test]
    fn everything_else_stays_open() {
        for text in [
            r#"tasks.fill-up.status == "Running""#,
            r#"tasks.other.status == "Failed""#,
            r#"workflow.status == "Failed""#,
            "true",
            "",
        ] {
            assert_eq!(check(text, NodePhase::Failed), None, "{text}");
        }
    }
}
