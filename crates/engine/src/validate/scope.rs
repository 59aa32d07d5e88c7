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
    /// What is known of tasks and steps, by `tasks.NAME` or `steps.NAME`: a bit for each of `PARTS`.
    parts: BTreeMap<String, u16>,
}

/// What a task or step may give under a name of its own. There are thousands of them, so that nobody writes
/// these names out.
const PARTS: [&str; 9] = [
    "id",
    "startedAt",
    "finishedAt",
    "hostNodeName",
    "ip",
    "outputs.result",
    "exitCode",
    "outputs.parameters",
    "status",
];

impl<'o> Scope<'o> {
    /// A scope that knows what `outer` knows and may come to know more.
    pub(super) fn inside(outer: &'o Scope<'o>) -> Self {
        Self { outer: Some(outer), ..Self::default() }
    }

    pub(super) fn add(&mut self, name: impl Into<String>) {
        self.names.insert(name.into());
    }

    /// Adds some of `PARTS` of a task or step; its name has no dot.
    pub(super) fn add_parts(&mut self, prefix: &str, parts: &[&str]) {
        let bits = parts.iter().fold(0, |bits, part| bits | bit(part));
        match self.parts.get_mut(prefix) {
            Some(known) => *known |= bits,
            None => {
                self.parts.insert(prefix.to_owned(), bits);
            }
        }
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.contains(name)
            || self.knows_part(name)
            || self.outer.is_some_and(|outer| outer.knows(name))
    }

    fn knows_part(&self, name: &str) -> bool {
        let dots = || name.match_indices('.').map(|(dot, _)| dot);
        let Some(dot) = dots().nth(1) else { return false };
        self.parts.get(&name[..dot]).is_some_and(|bits| bits & bit(&name[dot + 1..]) != 0)
    }
}

/// The bit of one of `PARTS`; none for anything else.
fn bit(part: &str) -> u16 {
    PARTS.iter().position(|known| *known == part).map_or(0, |at| 1 << at)
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
    fn parts_of_tasks_are_known_one_by_one() {
        let mut scope = Scope::default();
        scope.add_parts("tasks.a", &["id", "outputs.result"]);
        scope.add_parts("tasks.a", &["ip"]);
        let inner = Scope::inside(&scope);
        for (name, expected) in [
            ("tasks.a.id", true),
            ("tasks.a.ip", true),
            ("tasks.a.outputs.result", true),
            ("tasks.a.outputs", false),
            ("tasks.a.exitCode", false),
            ("tasks.a", false),
            ("tasks.b.id", false),
        ] {
            assert_eq!(inner.knows(name), expected, "{name}");
        }
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
