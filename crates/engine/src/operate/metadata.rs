//! Labels and annotations that `workflowMetadata` gives to the workflow itself.
//! Source: Argo `workflow/controller/operator.go`, `updateWorkflowMetadata`.

use serde_json::{Map, Value};

use crate::lang::expr::{self, ExprError};
use crate::lang::go::quote;

use super::pass::Pass;

/// Longest value of a label. Source: Kubernetes `util/validation/validation.go`, `LabelValueMaxLength`.
const MAX_LABEL: usize = 63;

impl Pass<'_> {
    /// Takes them over into the object before anything runs, and fills in what names them.
    pub(crate) fn take_metadata(&mut self) -> Result<(), String> {
        let Some(given) = self.spec.other.get("workflowMetadata").and_then(Value::as_object).cloned() else {
            return Ok(());
        };
        for (name, value) in texts(&given, "labels") {
            check_label(value).map_err(|why| {
                format!("invalid label value {} for label {}: {why}", quote(value), quote(name))
            })?;
            self.label(name, value);
        }
        for (name, value) in texts(&given, "annotations") {
            self.globals.insert(format!("workflow.annotations.{name}"), value.to_owned());
            self.run.workflow.metadata.annotations.insert(name.to_owned(), value.to_owned());
        }
        let from = given.get("labelsFrom").and_then(Value::as_object);
        for (name, by) in from.into_iter().flatten() {
            let expression = by.get("expression").and_then(Value::as_str).unwrap_or_default();
            let value = self.label_from(name, expression)?;
            check_label(&value).map_err(|why| {
                let (value, name, expression) = (quote(&value), quote(name), quote(expression));
                format!("invalid label value {value} for label {name} and expression {expression}: {why}")
            })?;
            self.label(name, &value);
        }
        self.updated = true;
        self.fill_spec()
    }

    fn label(&mut self, name: &str, value: &str) {
        self.globals.insert(format!("workflow.labels.{name}"), value.to_owned());
        self.run.workflow.metadata.labels.insert(name.to_owned(), value.to_owned());
    }

    fn label_from(&self, name: &str, expression: &str) -> Result<String, String> {
        let environment = expr::environment_for(expression, &self.globals, &[]);
        let value = expr::evaluate(expression, &environment).map_err(|error| match error {
            ExprError::Compile(text) => {
                format!("failed to compile function for expression {}: {text}", quote(expression))
            }
            ExprError::Run(text) | ExprError::Result(text) => {
                format!("failed to evaluate label {} expression {}: {text}", quote(name), quote(expression))
            }
        })?;
        match value {
            expr::Value::Text(text) => Ok(text.to_string()),
            other => Err(format!(
                "failed to evaluate label {} expression {} evaluted to {} but must be a string",
                quote(name),
                quote(expression),
                other.type_name()
            )),
        }
    }
}

fn texts<'v>(given: &'v Map<String, Value>, field: &str) -> impl Iterator<Item = (&'v str, &'v str)> {
    let map = given.get(field).and_then(Value::as_object);
    map.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

/// What is wrong with the value of a label.
/// Source: Kubernetes `util/validation/validation.go`, `IsValidLabelValue`.
fn check_label(value: &str) -> Result<(), String> {
    const SHAPE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
         and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
         used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let ends = [value.bytes().next(), value.bytes().next_back()];
    let is_shaped = value.bytes().all(is_inner) && ends.iter().flatten().all(u8::is_ascii_alphanumeric);
    let mut wrong = Vec::new();
    if value.len() > MAX_LABEL {
        wrong.push(format!("must be no more than {MAX_LABEL} bytes"));
    }
    if !is_shaped {
        wrong.push(SHAPE.to_owned());
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join(";")) }
}
