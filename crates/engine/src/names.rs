//! Full names and display names of nodes.
//! Source: Argo `workflow/controller/operator.go`, `initializeNode`; `workflow/common/util.go`,
//! `GenerateOnExitNodeName`; `workflow/controller/hooks.go`, `generateLifeHookNodeName`.

use unwind_model::NodeName;

/// A task of a DAG or a step of a group.
pub(crate) fn task(boundary: &NodeName, task: &str) -> NodeName {
    NodeName(format!("{boundary}.{task}"))
}

/// Group `at` of steps.
pub(crate) fn group(steps: &NodeName, at: usize) -> NodeName {
    NodeName(format!("{steps}[{at}]"))
}

/// An exit hook.
pub(crate) fn exit_hook(owner: &NodeName) -> NodeName {
    NodeName(format!("{owner}.onExit"))
}

/// Any other lifecycle hook.
pub(crate) fn named_hook(owner: &NodeName, hook: &str) -> NodeName {
    NodeName(format!("{owner}.hooks.{hook}"))
}

/// The full name without the boundary's, then without a leading `.` or `[i].`. A group of steps
/// keeps its `[i]`. `boundary` is the enclosing DAG or Steps, as in `boundaryID`.
pub(crate) fn display(name: &NodeName, boundary: Option<&NodeName>) -> String {
    let Some(rest) = boundary.and_then(|outer| name.as_str().strip_prefix(outer.as_str())) else {
        return name.0.clone();
    };
    if let Some(rest) = rest.strip_prefix('.') {
        return rest.to_owned();
    }
    match rest.split_once("].") {
        Some((group, rest)) if group.starts_with('[') => rest.to_owned(),
        Some(_) | None => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_leave_out_the_boundary() {
        let wf = NodeName::from("wf");
        assert_eq!(display(&"wf.a.onExit".into(), Some(&wf)), "a.onExit");
        assert_eq!(display(&"wf[0]".into(), Some(&wf)), "[0]");
        assert_eq!(display(&"wf[12].step".into(), Some(&wf)), "step");
        assert_eq!(display(&"wf.onExit".into(), None), "wf.onExit");
    }
}
