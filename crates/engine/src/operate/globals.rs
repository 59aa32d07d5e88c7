//! `workflow.*` names.
//! Source: Argo `workflow/controller/operator.go`, `setGlobalParameters`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use unwind_model::params::{Outputs, Parameter};
use unwind_model::spec::WorkflowSpec;
use unwind_model::{NodePhase, ObjectMeta};

use crate::lang::go::{json::encode, quote};
use crate::library::Library;

use super::pass::Pass;
use super::templates::config_value;
use super::times::rfc3339;

/// All names that do not depend on how far the workflow is, kept from one pass to the next.
#[derive(Clone, Debug)]
pub(crate) struct KnownGlobals {
    /// What they were made of.
    metadata: ObjectMeta,
    spec: Arc<WorkflowSpec>,
    outputs: Option<Outputs>,
    names: BTreeMap<String, String>,
}

impl Pass<'_> {
    /// All names that do not depend on how far the workflow is.
    pub(crate) fn make_globals(&mut self) -> Result<(), String> {
        if let Some(known) = &mut self.run.globals
            && Arc::ptr_eq(&known.spec, &self.spec)
            && known.outputs == self.run.state.outputs
            && known.metadata == self.run.workflow.metadata
        {
            self.globals = std::mem::take(&mut known.names);
            return Ok(());
        }
        self.run.globals = None;
        self.make_new_globals()?;
        // What comes from a document may change with it.
        if self.spec.arguments.parameters.iter().all(|parameter| parameter.value.is_some()) {
            self.run.globals = Some(KnownGlobals {
                metadata: self.run.workflow.metadata.clone(),
                spec: Arc::clone(&self.spec),
                outputs: self.run.state.outputs.clone(),
                names: BTreeMap::new(),
            });
        }
        Ok(())
    }

    /// Gives the names back for the next pass.
    pub(crate) fn keep_globals(&mut self) {
        let Some(known) = &mut self.run.globals else { return };
        for name in ["status", "duration", "failures"] {
            self.globals.remove(&format!("workflow.{name}"));
        }
        known.names = std::mem::take(&mut self.globals);
    }

    fn make_new_globals(&mut self) -> Result<(), String> {
        let metadata = self.run.workflow.metadata.clone();
        let mut put = |name: &str, value: String| {
            self.globals.insert(format!("workflow.{name}"), value);
        };
        put("name", metadata.name.clone());
        put("namespace", metadata.namespace.clone());
        put("mainEntrypoint", self.spec.entrypoint.clone());
        put("uid", metadata.uid.clone());
        let account = self.spec.other.get("serviceAccountName").and_then(Value::as_str);
        put("serviceAccountName", account.unwrap_or_default().to_owned());
        if let Ok(priority) = self.spec.priority()
            && self.spec.other.contains_key("priority")
        {
            put("priority", priority.to_string());
        }
        if let Some(created) = metadata.creation_timestamp {
            put("creationTimestamp", rfc3339(created));
            put("creationTimestamp.RFC3339", rfc3339(created));
            put("creationTimestamp.s", (created.millis() / 1000).to_string());
        }
        if let Some(time) = metadata.annotations.get("workflows.argoproj.io/scheduled-time") {
            put("cronScheduleTime", time.clone());
        }
        for parameter in &self.spec.arguments.parameters {
            put(&format!("parameters.{}", parameter.name), global_value(parameter, &self.run.library)?);
        }
        let list = parameters_json(&self.spec.arguments.parameters);
        put("parameters.json", list.clone());
        put("parameters", list);
        let as_json = |map: &BTreeMap<String, String>| encode(&serde_json::json!(map));
        for name in ["labels", "labels.json"] {
            put(name, as_json(&metadata.labels));
        }
        for name in ["annotations", "annotations.json"] {
            put(name, as_json(&metadata.annotations));
        }
        for (name, value) in &metadata.labels {
            put(&format!("labels.{name}"), value.clone());
        }
        for (name, value) in &metadata.annotations {
            put(&format!("annotations.{name}"), value.clone());
        }
        for parameter in self.run.state.outputs.iter().flat_map(|outputs| &outputs.parameters) {
            if let Some(value) = &parameter.value {
                put(&format!("outputs.parameters.{}", parameter.name), value.clone());
            }
        }
        Ok(())
    }

    /// Seconds since the workflow began, with six decimals.
    pub(crate) fn duration(&self) -> String {
        let ms = self.run.state.started_at.map_or(0, |began| self.now - began);
        format!("{}.{:03}000", ms / 1000, ms % 1000)
    }

    /// All nodes that failed, as quoted JSON; `"null"` when there are none.
    /// Source: Argo `operator.go`, `operate`, `failedNodeStatus`.
    pub(crate) fn failures(&self) -> String {
        let failed = |phase| matches!(phase, NodePhase::Failed | NodePhase::Error);
        let mut failures: Vec<String> = self
            .run
            .table
            .iter()
            .filter(|(_, node)| failed(node.phase))
            .map(|(_, node)| {
                let finished = node.finished_at.map_or(Value::Null, |at| rfc3339(at).into());
                let fields = [
                    ("displayName", serde_json::json!(node.display_name())),
                    ("message", serde_json::json!(node.message)),
                    ("templateName", serde_json::json!(&*node.template_name)),
                    ("phase", serde_json::json!(node.phase)),
                    ("podName", serde_json::json!(self.pod_name(node.name.as_str(), &node.template_name))),
                    ("finishedAt", finished),
                ];
                let fields = fields.map(|(name, value)| format!("\"{name}\":{}", encode(&value)));
                format!("{{{}}}", fields.join(","))
            })
            .collect();
        failures.sort();
        let list = if failures.is_empty() { "null".to_owned() } else { format!("[{}]", failures.join(",")) };
        quote(&list)
    }

    pub(crate) fn pod_name(&self, node: &str, template: &str) -> String {
        let metadata = &self.run.workflow.metadata;
        let format = metadata.annotations.get("workflows.argoproj.io/pod-name-format").map(String::as_str);
        let node = unwind_model::NodeName(node.to_owned());
        crate::podname::PodNames::of(format).name(&metadata.name, &node, template)
    }
}

/// The value of an argument of the workflow.
fn global_value(parameter: &Parameter, library: &Library) -> Result<String, String> {
    if let Some(value) = &parameter.value {
        return Ok(value.clone());
    }
    let name = &parameter.name;
    let from = parameter.value_from.as_ref();
    let Some(key) = from.and_then(|from| from.get("configMapKeyRef")).filter(|key| !key.is_null()) else {
        // What has a default only got past validation is given that.
        return parameter.default.clone().ok_or_else(|| {
            format!("either value or valueFrom must be specified in order to set global parameter {name}")
        });
    };
    let text = |field: &str| key.get(field).and_then(Value::as_str).unwrap_or_default();
    let default = from.and_then(|from| from.get("default"));
    config_value(text("name"), text("key"), default, library).map_err(|error| {
        format!(
            "failed to set global parameter {name} from configmap with name {} and key {}: {error}",
            text("name"),
            text("key")
        )
    })
}

/// Parameters as Go marshals them: fields in the order of the type, empty ones left out; no list is `null`.
/// Source: Argo `workflow_types.go`, `Parameter`.
pub(crate) fn parameters_json(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "null".to_owned();
    }
    let one = |parameter: &Parameter| {
        let Ok(Value::Object(fields)) = serde_json::to_value(parameter) else { return "{}".to_owned() };
        let order = ["name", "default", "value", "valueFrom", "globalName", "enum", "description"];
        let shown = order.iter().filter_map(|name| {
            let value = fields.get(*name).filter(|value| !value.is_null())?;
            Some(format!("\"{name}\":{}", encode(value)))
        });
        format!("{{{}}}", shown.collect::<Vec<_>>().join(","))
    };
    format!("[{}]", parameters.iter().map(one).collect::<Vec<_>>().join(","))
}
