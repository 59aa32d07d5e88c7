//! `workflow.*` names.
//! Source: Argo `workflow/controller/operator.go`, `setGlobalParameters`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use unwind_model::params::{Outputs, Parameter};
use unwind_model::spec::WorkflowSpec;
use unwind_model::{NodePhase, ObjectMeta, WorkflowPhase};

use crate::lang::go::{json::encode, quote};
use crate::library::Library;

use super::pass::Pass;
use super::templates::config_value;
use super::times::{in_layout, rfc3339};

/// Annotation of a workflow that a schedule made.
/// Source: Argo `workflow/common/common.go`, `AnnotationKeyCronWfScheduledTime`.
const SCHEDULED_TIME: &str = "workflows.argoproj.io/scheduled-time";

/// Annotation with the way in which pods are named.
/// Source: Argo `workflow/common/common.go`, `AnnotationKeyPodNameVersion`.
const POD_NAMES: &str = "workflows.argoproj.io/pod-name-format";

/// Letters after `creationTimestamp.`, and how Go writes a part of a time.
/// Source: argoproj `pkg` `strftime/strftime.go`, `FormatChars`.
const TIME_LAYOUTS: [(char, &str); 16] = [
    ('A', "Monday"),
    ('B', "January"),
    ('H', "15"),
    ('I', "03"),
    ('L', ".000"),
    ('M', "04"),
    ('S', "05"),
    ('Y', "2006"),
    ('Z', "MST"),
    ('a', "Mon"),
    ('b', "Jan"),
    ('d', "02"),
    ('m', "01"),
    ('p', "PM"),
    ('y', "06"),
    ('z', "-0700"),
];

/// All names that do not depend on how far the workflow is, kept from one pass to the next.
#[derive(Clone, Debug)]
pub(crate) struct KnownGlobals {
    /// What they were made of.
    metadata: ObjectMeta,
    phase: WorkflowPhase,
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
            && known.phase == self.run.state.phase
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
                phase: self.run.state.phase,
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
        let phase = self.run.state.phase;
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
            for (letter, layout) in TIME_LAYOUTS {
                put(&format!("creationTimestamp.{letter}"), in_layout(created, layout));
            }
        }
        if let Some(time) = metadata.annotations.get(SCHEDULED_TIME) {
            put("scheduledTime", time.clone());
        }
        for parameter in &self.spec.arguments.parameters {
            put(&format!("parameters.{}", parameter.name), global_value(parameter, &self.run.library)?);
        }
        let list = parameters_json(&self.spec.arguments.parameters);
        put("parameters.json", list.clone());
        put("parameters", list);
        let (labels, annotations) = marked(metadata, phase);
        for (kind, map) in [("labels", &labels), ("annotations", &annotations)] {
            let json = if map.is_empty() { "null".to_owned() } else { encode(&serde_json::json!(map)) };
            put(&format!("{kind}.json"), json.clone());
            put(kind, json);
            for (name, value) in map {
                put(&format!("{kind}.{name}"), value.clone());
            }
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
                // Source: Argo `workflow/util/util.go`, `GetTemplateFromNode`.
                let referred = node.rare().template_ref.as_ref().and_then(|by| by.get("template")?.as_str());
                let template = referred.unwrap_or(&node.template_name);
                let fields = [
                    ("displayName", serde_json::json!(node.display_name())),
                    ("message", serde_json::json!(node.message)),
                    ("templateName", serde_json::json!(template)),
                    ("phase", serde_json::json!(node.phase)),
                    ("podName", serde_json::json!(self.pod_name(node.name.as_str(), template))),
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
        let format = metadata.annotations.get(POD_NAMES).map(String::as_str);
        let node = unwind_model::NodeName(node.to_owned());
        crate::podname::PodNames::of(format).name(&metadata.name, &node, template)
    }
}

/// Labels and annotations with what the controller itself has put there since its first pass.
/// Source: Argo `operator.go`, `markWorkflowPhase`, `setWfPodNamesAnnotation`.
fn marked(
    metadata: ObjectMeta,
    phase: WorkflowPhase,
) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let ObjectMeta { mut labels, mut annotations, .. } = metadata;
    if phase != WorkflowPhase::Unset {
        labels.insert("workflows.argoproj.io/phase".to_owned(), phase.as_str().to_owned());
        labels.insert("workflows.argoproj.io/completed".to_owned(), "false".to_owned());
    }
    if !matches!(phase, WorkflowPhase::Unset | WorkflowPhase::Pending) {
        annotations.entry(POD_NAMES.to_owned()).or_insert_with(|| "v2".to_owned());
    }
    (labels, annotations)
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
    let default = from.and_then(|from| from.get("default")).filter(|default| !default.is_null());
    let found = config_value(text("name"), text("key"), default, library);
    if let (Err(_), Some(default)) = (&found, default) {
        return Ok(default.as_str().map_or_else(|| default.to_string(), str::to_owned));
    }
    found.map_err(|error| {
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
