//! Suspend nodes: waiting, resumed, over.
//! Source: Argo `workflow/controller/operator.go`, `executeSuspend`; `workflow/util/util.go`,
//! `ResumeWorkflow`, `updateSuspendedNode`.

use std::sync::Arc;

use serde_json::Value;
use unwind_model::params::{Inputs, Outputs, Parameter};
use unwind_model::{NodePhase, NodeType};

use crate::again::take_defaults;
use crate::lang::go;

use super::pass::{Halt, Pass, Walk};
use super::template::Call;
use super::templates::Prepared;

impl Pass<'_> {
    pub(crate) fn execute_suspend(&mut self, call: &Call<'_>, template: &Arc<Prepared>) -> Walk {
        let at = if let Some(at) = self.named(call.name) {
            at
        } else {
            let at = self.add_executable(call, NodeType::Suspend, NodePhase::Pending, template, "");
            let node = self.run.table.get_mut(at);
            node.outputs = declared(template).map(Arc::new);
            if let Some(inputs) = &mut node.inputs {
                offered(inputs);
            }
            at
        };
        let duration =
            template.template.suspend_duration().map_err(|error| Halt::Error(error.to_string()))?;
        if let Some(duration) = duration.filter(|text| !text.is_empty()) {
            let wait = go::parse_string_to_duration(&duration).map_err(Halt::Error)? / 1_000_000;
            let began = self.node(at).started_at.unwrap_or(self.now);
            if self.has_passed(began + wait) {
                if let Some(outputs) = &mut self.run.table.get_mut(at).outputs {
                    take_defaults(Arc::make_mut(outputs))
                        .map_err(|refused| Halt::Error(refused.to_string()))?;
                }
                self.mark(at, NodePhase::Succeeded);
                return Ok(());
            }
            self.look_again_at(began + wait, at);
        }
        self.mark(at, NodePhase::Running);
        Ok(())
    }
}

/// Inputs whose value is itself a parameter with an `enum` offer its choices.
/// Source: Argo `operator.go`, `resolveInputFieldsForSuspendNode`.
fn offered(inputs: &mut Inputs) {
    for parameter in &mut inputs.parameters {
        let Some(value) = &parameter.value else { continue };
        let Ok(described) = serde_json::from_str::<Parameter>(value) else { continue };
        let Some(Value::Array(choices)) = described.other.get("enum").filter(|choices| !choices.is_null())
        else {
            continue;
        };
        let Some(first) = choices.first() else { continue };
        if parameter.default.is_none() {
            parameter.default = Some(first.as_str().map_or_else(|| first.to_string(), str::to_owned));
        }
        parameter.other.insert("enum".to_owned(), Value::Array(choices.clone()));
    }
}

/// Output parameters that whoever resumes it gives; an input of the same name lends its default.
/// Source: Argo `operator.go`, `addRawOutputFields`.
fn declared(template: &Prepared) -> Option<Outputs> {
    let outputs = &template.template.outputs;
    let is_supplied = |parameter: &Parameter| {
        parameter.value_from.as_ref().is_some_and(|from| from.get("supplied").is_some())
    };
    let mut parameters: Vec<Parameter> =
        outputs.parameters.iter().filter(|parameter| is_supplied(parameter)).cloned().collect();
    for parameter in &mut parameters {
        let input = template.template.inputs.parameters.iter().find(|input| input.name == parameter.name);
        if let Some(default) = input.and_then(|input| input.default.clone())
            && let Some(Value::Object(from)) = &mut parameter.value_from
            && from.get("default").is_none_or(Value::is_null)
        {
            from.insert("default".to_owned(), default.into());
        }
    }
    (!parameters.is_empty()).then(|| Outputs { parameters, ..Outputs::default() })
}
