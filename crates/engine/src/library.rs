//! Documents a workflow may refer to: templates by name, config maps.
//!
//! In: documents as they are in the cluster. Out: the spec or the data of one of them by name. One
//! namespace is all there is: two documents of one kind and name are one, the later stands.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use unwind_model::spec::{Template, WorkflowSpec};
use unwind_model::yaml::{self, Limits};

/// The `WorkflowTemplates`, `ClusterWorkflowTemplates` and `ConfigMaps` that a workflow can see.
/// Source of what is looked up: Argo `workflow/templateresolution/context.go`, `workflow/controller/operator.go`
/// (`setStoredWfSpec`), `workflow/util/util.go` (`GetConfigMapValue`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    namespaced: BTreeMap<String, Stored>,
    cluster: BTreeMap<String, Stored>,
    config_maps: BTreeMap<String, ConfigMap>,
    /// `workflowDefaults` of the controller's settings.
    defaults: Option<Value>,
}

/// The `ConfigMap` with the settings of the controller.
/// Source: Argo `workflow/common/common.go`, `ConfigMapName`.
const CONTROLLER_SETTINGS: &str = "workflow-controller-configmap";

/// A config map: its data and its labels.
#[derive(Clone, Debug, Default, PartialEq)]
struct ConfigMap {
    data: BTreeMap<String, String>,
    labels: BTreeMap<String, String>,
}

/// A stored template document: as much of it as is looked up.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct Stored {
    #[serde(default)]
    spec: WorkflowSpec,
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    metadata: Name,
}

#[derive(Default, Deserialize)]
struct Name {
    #[serde(default)]
    name: String,
}

impl Library {
    /// Takes in one document. Kinds that no workflow looks up are passed over without an error.
    pub fn add(&mut self, document: &Value) -> Result<(), serde_json::Error> {
        let Head { kind, metadata: Name { name } } = Head::deserialize(document)?;
        match kind.as_str() {
            "WorkflowTemplate" => {
                self.namespaced.insert(name, Stored::deserialize(document)?);
            }
            "ClusterWorkflowTemplate" => {
                self.cluster.insert(name, Stored::deserialize(document)?);
            }
            "ConfigMap" => {
                let data = texts(document.get("data"));
                let labels = texts(document.pointer("/metadata/labels"));
                if name == CONTROLLER_SETTINGS {
                    self.defaults = defaults_in(&data);
                }
                self.config_maps.insert(name, ConfigMap { data, labels });
            }
            _ => {}
        }
        Ok(())
    }

    /// The spec of a `WorkflowTemplate`, or of a `ClusterWorkflowTemplate` with `cluster_scope`.
    pub fn workflow_template(&self, name: &str, cluster_scope: bool) -> Option<&WorkflowSpec> {
        let stored = if cluster_scope { &self.cluster } else { &self.namespaced };
        stored.get(name).map(|stored| &stored.spec)
    }

    /// A template by the name of its document and its own, as a `templateRef` gives them.
    pub fn template(&self, document: &str, cluster_scope: bool, name: &str) -> Option<&Template> {
        self.workflow_template(document, cluster_scope)?
            .templates
            .iter()
            .find(|template| template.name == name)
    }

    /// Whether there is any template document.
    pub fn has_templates(&self) -> bool {
        !self.namespaced.is_empty() || !self.cluster.is_empty()
    }

    /// What the controller gives to every workflow: a workflow with `metadata` and `spec`, from the `ConfigMap`
    /// with its settings.
    pub fn workflow_defaults(&self) -> Option<&Value> {
        self.defaults.as_ref()
    }

    /// The templates of all documents.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &Template> {
        self.namespaced.values().chain(self.cluster.values()).flat_map(|stored| &stored.spec.templates)
    }

    /// The data of a `ConfigMap`.
    pub fn config_map(&self, name: &str) -> Option<&BTreeMap<String, String>> {
        self.config_maps.get(name).map(|map| &map.data)
    }

    /// A label of a `ConfigMap`.
    pub fn config_map_label(&self, name: &str, label: &str) -> Option<&str> {
        self.config_maps.get(name)?.labels.get(label).map(String::as_str)
    }
}

/// `workflowDefaults` in the settings of a controller, which are keys of their own or all in one text.
/// Source: Argo `config/controller.go`, `parseConfigMap`.
fn defaults_in(data: &BTreeMap<String, String>) -> Option<Value> {
    let read = |text: &String| Some(yaml::load(text, &Limits::default()).ok()?.into_iter().next()?.0);
    let own = data.get("workflowDefaults").and_then(read);
    own.or_else(|| read(data.get("config")?)?.get("workflowDefaults").cloned()).filter(Value::is_object)
}

/// The texts of an object; what is no text is left out.
fn texts(object: Option<&Value>) -> BTreeMap<String, String> {
    let Some(Value::Object(object)) = object else { return BTreeMap::new() };
    object.iter().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Library;

    #[test]
    fn templates_are_found_by_scope_document_and_name() {
        let mut library = Library::default();
        let spec = json!({"entrypoint": "main", "templates": [{"name": "main", "suspend": {}}]});
        for (kind, name) in [("WorkflowTemplate", "here"), ("ClusterWorkflowTemplate", "everywhere")] {
            library.add(&json!({"kind": kind, "metadata": {"name": name}, "spec": spec})).expect("fits");
        }
        let entrypoint =
            |name, cluster| library.workflow_template(name, cluster).map(|spec| spec.entrypoint.as_str());
        assert_eq!(entrypoint("here", false), Some("main"));
        assert_eq!(entrypoint("here", true), None);
        assert_eq!(entrypoint("everywhere", true), Some("main"));
        assert!(library.template("here", false, "main").is_some());
        assert!(library.template("here", false, "other").is_none());
    }

    #[test]
    fn config_maps_are_found_and_other_kinds_passed_over() {
        let mut library = Library::default();
        library
            .add(&json!({"kind": "ConfigMap", "metadata": {"name": "settings", "labels": {"type": "limits"}},
                "data": {"a": "1", "b": 2}}))
            .expect("fits");
        library.add(&json!({"kind": "Secret", "metadata": {"name": "settings"}, "data": {}})).expect("fits");
        let data = library.config_map("settings").expect("it was added");
        assert_eq!(data.get("a").map(String::as_str), Some("1"));
        assert_eq!(data.get("b"), None);
        assert_eq!(library.config_map_label("settings", "type"), Some("limits"));
        assert_eq!(library.config_map_label("others", "type"), None);
        assert!(library.config_map("others").is_none());
    }

    #[test]
    fn defaults_stand_in_the_settings_of_the_controller() {
        for data in [
            json!({"workflowDefaults": "spec:\n  parallelism: 3\n"}),
            json!({"config": "parallelism: 9\nworkflowDefaults:\n  spec:\n    parallelism: 3\n"}),
        ] {
            let mut library = Library::default();
            let settings = json!({"kind": "ConfigMap", "metadata": {"name": "workflow-controller-configmap"},
                "data": data});
            library.add(&settings).expect("fits");
            assert_eq!(library.workflow_defaults(), Some(&json!({"spec": {"parallelism": 3}})));
        }
        assert_eq!(Library::default().workflow_defaults(), None);
    }

    #[test]
    fn a_document_that_does_not_fit_is_an_error() {
        let mut library = Library::default();
        let broken = json!({"kind": "WorkflowTemplate", "metadata": {"name": "x"}, "spec": {"templates": 1}});
        assert!(library.add(&broken).is_err());
        assert_eq!(library, Library::default());
    }
}
