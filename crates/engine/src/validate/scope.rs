//! The names that a text may use, and the first one it uses without right.
//! Source: Argo `workflow/validate/validate.go`, `resolveAllVariables`, `checkValidWorkflowVariablePrefix`;
//! `workflow/common/common.go`, `GlobalVarValidWorkflowVariablePrefix`.

use std::collections::{BTreeMap, BTreeSet};

use crate::lang::tags::tags;

/// Names that are known everywhere in a workflow, with their text where there is one.
pub(super) type Globals = BTreeMap<String, String>;

/// Stands for a value that is known only when the workflow runs.
pub(super) const PLACEHOLDER: &str = "__argo__internal__placeholder-0";

/// Any key of an item may be used.
pub(super) const ANY_ITEM: &str = "item.*";
/// Any global output parameter may be used.
pub(super) const ANY_PARAMETER: &str = "workflow.outputs.parameters.*";
/// Any global output artifact may be used.
pub(super) const ANY_ARTIFACT: &str = "workflow.outputs.artifacts.*";

/// Only tags that begin so are looked at; all others pass.
const CHECKED: [&str; 7] = ["item.", "steps.", "inputs.", "outputs.", "pod.", "workflow.", "tasks."];

/// Tags that begin so pass without being known.
const FREE: [&str; 7] = [
    "outputs.",
    "workflow.creationTimestamp",
    "workflow.scheduledTime",
    "workflow.duration",
    "tasks.name",
    "steps.name",
    "node.name",
];

/// True for a value that is known only when the workflow runs. Expressions count as such: what Argo makes
/// of them here has placeholders in it.
pub(super) fn is_placeholder(text: &str) -> bool {
    text.starts_with("__argo__internal__placeholder-") || text.starts_with("{{=")
}

/// The names known in a template or at one task of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'o> {
    outer: Option<&'o Scope<'o>>,
    names: BTreeSet<String>,
}

impl<'o> Scope<'o> {
    /// A scope that knows what `outer` knows and may come to know more.
    pub(super) fn inside(outer: &'o Scope<'o>) -> Self {
        Self { outer: Some(outer), names: BTreeSet::new() }
    }

    pub(super) fn add(&mut self, name: impl Into<String>) {
        self.names.insert(name.into());
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.contains(name) || self.outer.is_some_and(|outer| outer.knows(name))
    }
}

/// What a text may use.
pub(super) struct Known<'s> {
    pub(super) scope: &'s Scope<'s>,
    pub(super) globals: &'s Globals,
    /// A `WorkflowTemplate` alone: workflow parameters may come from the workflow that uses it.
    pub(super) workflow_template: bool,
    /// Whether a task of the same DAG is surely over, so that its status may be used.
    pub(super) has_ended: &'s dyn Fn(&str) -> bool,
}

impl Known<'_> {
    /// Argo's text about the first tag that cannot be resolved.
    pub(super) fn check(&self, text: &str) -> Result<(), String> {
        for tag in tags(text).map_err(|error| error.to_string())? {
            let tag = &text[tag];
            // Expressions are not looked at.
            if !tag.starts_with('=') && !self.passes(tag.trim()) {
                return Err(format!("failed to resolve {{{{{tag}}}}}"));
            }
        }
        Ok(())
    }

    fn passes(&self, name: &str) -> bool {
        let knows = |name: &str| self.scope.knows(name) || self.globals.contains_key(name);
        !CHECKED.iter().any(|prefix| name.starts_with(prefix))
            || knows(name)
            || FREE.iter().any(|prefix| name.starts_with(prefix))
            || (name.starts_with("item.") && knows(ANY_ITEM))
            || (name.starts_with("workflow.outputs.parameters.") && knows(ANY_PARAMETER))
            || (name.starts_with("workflow.outputs.artifacts.") && knows(ANY_ARTIFACT))
            || (name.starts_with("workflow.parameters") && self.workflow_template)
            || name
                .strip_prefix("tasks.")
                .and_then(|rest| rest.strip_suffix(".status"))
                .is_some_and(|task| (self.has_ended)(task))
    }
}

#[cfg(test)]
mod tests {
    use super::{ANY_ITEM, Globals, Known, Scope};

    fn check(names: &[&str], text: &str) -> String {
        let mut outer = Scope::default();
        for name in names {
            outer.add(*name);
        }
        let scope = Scope::inside(&outer);
        let globals = Globals::from([("workflow.name".to_owned(), "w".to_owned())]);
        let has_ended = |task: &str| task == "before";
        Known { scope: &scope, globals: &globals, workflow_template: false, has_ended: &has_ended }
            .check(text)
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn known_and_foreign_names_pass() {
        let text =
            "{{inputs.parameters.a}} {{ workflow.name }} {{custom}} {{item}} {{=tasks.z}} {{outputs.x}}";
        assert_eq!(check(&["inputs.parameters.a"], text), "");
        assert_eq!(check(&[ANY_ITEM], "{{item.k}} {{tasks.before.status}}"), "");
    }

    #[test]
    fn the_first_unknown_name_is_told_as_written() {
        assert_eq!(
            check(&[], "{{workflow.name}}{{ tasks.a.ip }}{{item.k}}"),
            "failed to resolve {{ tasks.a.ip }}"
        );
        assert_eq!(check(&[], "{{tasks.after.status}}"), "failed to resolve {{tasks.after.status}}");
        assert_eq!(check(&["item"], "{{item.k}}"), "failed to resolve {{item.k}}");
        assert_eq!(
            check(&[], "{{workflow.outputs.parameters.x}}"),
            "failed to resolve {{workflow.outputs.parameters.x}}"
        );
    }
}
