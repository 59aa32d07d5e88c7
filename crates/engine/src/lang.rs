//! The small languages inside a workflow: `{{…}}` tags, `{{=…}}` and hook expressions, `when`.
//!
//! In: texts and what names mean at their place. Out: texts and values, or Argo's own error text.

pub mod expr;
pub mod go;
pub mod kube;
pub mod tags;
pub mod when;

use std::borrow::Cow;

/// Stands for the output of a node that did not run: a text in tags, nil in expressions.
pub(crate) const ABSENT: &str = "\u{e000}absent\u{e000}";

/// What names mean at some place of a workflow: flat names as Argo writes them
/// (`inputs.parameters.x`, `tasks.a.outputs.result`, `workflow.status`) and their text.
/// Source: Argo `workflow/controller/scope.go`, `wfScope.getParameters`.
pub trait Names {
    /// The text of one name.
    fn value(&self, name: &str) -> Option<Cow<'_, str>>;
    /// Shows every name with its text, in no promised order. Expressions ask for it, since they see all
    /// names as nested maps.
    fn each(&self, see: &mut dyn FnMut(&str, &str));
}

impl Names for std::collections::BTreeMap<String, String> {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get(name).map(|text| Cow::Borrowed(text.as_str()))
    }

    fn each(&self, see: &mut dyn FnMut(&str, &str)) {
        for (name, text) in self {
            see(name, text);
        }
    }
}
