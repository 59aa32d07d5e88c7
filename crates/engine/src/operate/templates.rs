//! Templates by name, and what arguments make of them.
//!
//! In: a reference from a task, step or hook, and where it stands. Out: the template it means, then the
//! same with inputs supplied and tags filled in.
//! Source: Argo `workflow/templateresolution/context.go`, `workflow/common/util.go` (`ProcessArgs`,
//! `SubstituteParams`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde_json::{Map, Value};
use unwind_model::features::{RetryStrategy, TemplateRef};
use unwind_model::params::{Arguments, Parameter};
use unwind_model::spec::{Task, Template, WorkflowSpec};

use crate::lang::Names;
use crate::lang::tags::has_tags;
use crate::library::Library;

use super::dag::Wiring;
use super::fill;
use super::mention::{Mentions, mentions};
use super::merge::put_over;

/// Where template names are looked up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holder {
    /// The workflow itself.
    Workflow,
    /// A `WorkflowTemplate`.
    Namespaced(String),
    /// A `ClusterWorkflowTemplate`.
    Cluster(String),
}

/// A template as it stands in its document.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Where names inside it are looked up.
    pub(crate) holder: Holder,
    pub(crate) template: Template,
    pub(crate) kind: Kind,
    pub(crate) is_daemon: bool,
    pub(crate) parallelism: Option<i64>,
    pub(crate) fail_fast: bool,
    /// Whether there is nothing to fill in: neither inputs nor tags.
    pub(crate) is_plain: bool,
    /// The same before its inputs were supplied; `None`: this is it.
    pub(crate) declared: Option<Arc<Prepared>>,
    /// What its tasks ask about, those that ask, once somebody wants to know.
    asked: OnceLock<BTreeMap<usize, Mentions>>,
    /// How its tasks hang together, once somebody wants to know.
    wiring: OnceLock<Arc<Wiring>>,
}

impl PartialEq for Prepared {
    /// All else follows from these.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || self.holder == other.holder
                && self.is_plain == other.is_plain
                && self.template == other.template
                && self.declared == other.declared
    }
}

/// What a template is. Source: Argo `workflow_types.go`, `Template.GetType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Container,
    ContainerSet,
    Steps,
    Script,
    Resource,
    Dag,
    Suspend,
    Data,
    Http,
    Plugin,
    /// None of them.
    Missing,
}

impl Kind {
    /// Whether it runs as a pod of its own. Source: Argo `workflow_types.go`, `Template.IsPodType`.
    pub(crate) fn is_pod(self) -> bool {
        match self {
            Self::Container | Self::ContainerSet | Self::Script | Self::Resource | Self::Data => true,
            Self::Steps | Self::Dag | Self::Suspend | Self::Http | Self::Plugin | Self::Missing => false,
        }
    }

    fn of(template: &Template) -> Self {
        let has = |field: &str| template.other.get(field).is_some_and(|value| !value.is_null());
        if template.container.is_some() {
            Self::Container
        } else if has("containerSet") {
            Self::ContainerSet
        } else if template.steps.is_some() {
            Self::Steps
        } else if template.dag.is_some() {
            Self::Dag
        } else if template.script.is_some() {
            Self::Script
        } else if has("resource") {
            Self::Resource
        } else if has("data") {
            Self::Data
        } else if template.suspend.is_some() {
            Self::Suspend
        } else if has("http") {
            Self::Http
        } else if has("plugin") {
            Self::Plugin
        } else {
            Self::Missing
        }
    }
}

/// What a task, step or hook calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reference {
    pub(crate) template: String,
    pub(crate) template_ref: Option<TemplateRef>,
    pub(crate) inline: Option<Box<Template>>,
    /// `tasks.name` or `steps.name`, and its value.
    pub(crate) caller: Option<(&'static str, String)>,
}

impl Prepared {
    pub(crate) fn of(template: Template, holder: Holder) -> Result<Self, String> {
        let shape = |error: serde_json::Error| error.to_string();
        Ok(Self {
            kind: Kind::of(&template),
            is_daemon: template.is_daemon().map_err(shape)?,
            parallelism: template.parallelism().unwrap_or(None).filter(|most| *most > 0),
            fail_fast: template.fail_fast().unwrap_or(false),
            is_plain: false,
            declared: None,
            asked: OnceLock::new(),
            wiring: OnceLock::new(),
            template,
            holder,
        })
    }

    /// Whether its nodes may be Pending only so long.
    pub(crate) fn has_timeout(&self) -> bool {
        ["timeout", "pendingTimeout"].iter().any(|field| self.template.other.contains_key(*field))
    }

    /// How the tasks of its DAG hang together.
    pub(crate) fn wiring(&self) -> &Arc<Wiring> {
        let tasks = self.template.dag.as_ref().map_or(&[][..], |dag| dag.tasks.as_slice());
        self.wiring.get_or_init(|| Arc::new(Wiring::of(tasks)))
    }

    /// What a task of its DAG asks about.
    pub(crate) fn asked_by(&self, task: usize) -> &Mentions {
        static NOTHING: Mentions = Mentions { names: Vec::new(), all: false };
        let tasks = self.template.dag.as_ref().map_or(&[][..], |dag| dag.tasks.as_slice());
        let of = |task: &Task| {
            let value = serde_json::to_value(task).ok();
            value.map_or(Mentions::ALL, |value| mentions(&value, "tasks"))
        };
        let asking = || tasks.iter().map(of).enumerate().filter(|(_, found)| *found != NOTHING).collect();
        self.asked.get_or_init(asking).get(&task).unwrap_or(&NOTHING)
    }

    /// What its steps ask about.
    pub(crate) fn asked_by_steps(&self) -> Mentions {
        let value = serde_json::to_value(&self.template).ok();
        value.map_or(Mentions::ALL, |value| mentions(&value, "steps"))
    }

    /// `retryStrategy`, if it has one.
    pub(crate) fn retry(&self) -> Result<Option<RetryStrategy>, String> {
        self.template.retry_strategy().map_err(|error| error.to_string())
    }
}

/// Templates that were looked up already.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Templates {
    known: BTreeMap<(Holder, String), Arc<Prepared>>,
    pub(crate) tagged: Tagged,
    /// The same with its tags filled in, and the spec made of it.
    pub(crate) filled: Option<(Value, Arc<WorkflowSpec>)>,
    /// Whether an output of any template has a `globalName`, once somebody wants to know.
    pub(crate) gives_globals: Option<bool>,
}

/// The spec without its templates.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Tagged {
    /// Nobody has looked yet.
    #[default]
    Unseen,
    /// It has no tags.
    Plain,
    /// It has tags.
    Tags(Value),
}

/// What templates are looked up in.
pub(crate) struct Sources<'run> {
    /// The workflow's own.
    pub(crate) templates: &'run [Template],
    /// What holds their defaults.
    pub(crate) spec: &'run WorkflowSpec,
    pub(crate) library: &'run Library,
}

impl Templates {
    /// Forgets everything: the spec has changed.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The template that a reference means, looked up from `holder`.
    pub(crate) fn resolve(
        &mut self,
        sources: &Sources<'_>,
        holder: &Holder,
        reference: &Reference,
    ) -> Result<Arc<Prepared>, String> {
        if let Some(inline) = &reference.inline {
            let template = with_defaults(sources.spec, inline)?;
            return Prepared::of(template, holder.clone()).map(Arc::new);
        }
        let (holder, name) = match &reference.template_ref {
            Some(by) if by.cluster_scope => (Holder::Cluster(by.name.clone()), &by.template),
            Some(by) => (Holder::Namespaced(by.name.clone()), &by.template),
            None => (holder.clone(), &reference.template),
        };
        let key = (holder, name.clone());
        if let Some(found) = self.known.get(&key) {
            return Ok(Arc::clone(found));
        }
        let template = look_up(sources, &key.0, name)?;
        let template = with_defaults(sources.spec, template)?;
        let mut prepared = Prepared::of(template, key.0.clone())?;
        let inputs = &prepared.template.inputs;
        prepared.is_plain = inputs.parameters.is_empty()
            && inputs.other.get("artifacts").is_none()
            && !has_tags(&serde_json::to_value(&prepared.template).map_err(|error| error.to_string())?);
        let prepared = Arc::new(prepared);
        self.known.insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }
}

fn look_up<'run>(sources: &Sources<'run>, holder: &Holder, name: &str) -> Result<&'run Template, String> {
    let in_list = |list: &'run [Template]| list.iter().find(|template| template.name == name);
    let in_spec = |spec: &'run WorkflowSpec| in_list(&spec.templates);
    match holder {
        Holder::Workflow => in_list(sources.templates).ok_or_else(|| format!("template {name} not found")),
        Holder::Namespaced(document) => {
            let spec = sources
                .library
                .workflow_template(document, false)
                .ok_or_else(|| format!("workflow template {document} not found"))?;
            in_spec(spec).ok_or_else(|| format!("template {name} not found in workflow template {document}"))
        }
        Holder::Cluster(document) => {
            let spec = sources
                .library
                .workflow_template(document, true)
                .ok_or_else(|| format!("cluster workflow template {document} not found"))?;
            in_spec(spec).ok_or_else(|| format!("template {name} not found in workflow template {document}"))
        }
    }
}

/// `templateDefaults` below a template's own fields.
/// Source: Argo `workflow/controller/operator.go`, `mergedTemplateDefaultsInto`.
fn with_defaults(spec: &WorkflowSpec, template: &Template) -> Result<Template, String> {
    let Some(defaults) = spec.other.get("templateDefaults").filter(|value| !value.is_null()) else {
        return Ok(template.clone());
    };
    let shape = |error: serde_json::Error| error.to_string();
    let mut merged = defaults.clone();
    put_over(&mut merged, serde_json::to_value(template).map_err(shape)?);
    let merged: Template = serde_json::from_value(merged).map_err(shape)?;
    if Kind::of(template) == Kind::of(&merged) {
        return Ok(merged);
    }
    // The defaults hold a kind of their own: only what is no kind is taken.
    let mut kept = defaults.clone();
    if let Value::Object(fields) = &mut kept {
        for kind in [
            "container",
            "script",
            "dag",
            "steps",
            "resource",
            "suspend",
            "data",
            "http",
            "plugin",
            "containerSet",
        ] {
            if template_lacks(template, kind) {
                fields.remove(kind);
            }
        }
    }
    put_over(&mut kept, serde_json::to_value(template).map_err(shape)?);
    serde_json::from_value(kept).map_err(shape)
}

fn template_lacks(template: &Template, kind: &str) -> bool {
    serde_json::to_value(template).ok().is_none_or(|value| value.get(kind).is_none())
}

/// Supplies a template's inputs and fills in its tags: `names` are the workflow's, `local` those of the node.
pub(crate) fn process(
    prepared: &Prepared,
    arguments: &Arguments,
    names: &dyn Names,
    local: &BTreeMap<String, String>,
    library: &Library,
) -> Result<Prepared, String> {
    let mut template = prepared.template.clone();
    for input in &mut template.inputs.parameters {
        supply(input, arguments, names, library)?;
    }
    supply_artifacts(&mut template.inputs.other, arguments)?;
    substitute(&template, &prepared.holder, &Over { over: local, under: names })
}

/// Source: Argo `workflow/common/util.go`, `overwriteWithArguments`, `substituteAndGetConfigMapValue`.
fn supply(
    input: &mut Parameter,
    arguments: &Arguments,
    names: &dyn Names,
    library: &Library,
) -> Result<(), String> {
    let given = arguments.parameters.iter().find(|argument| argument.name == input.name);
    if input.value.is_none() {
        input.value.clone_from(&input.default);
    }
    match given {
        Some(given) if fill::is_absent(given.value.as_deref()) => {
            let has_own = input.value.is_some() || input.value_from.is_some();
            has_own.then_some(()).ok_or_else(|| {
                format!(
                    "inputs.parameters.{}: argument references an absent optional \
                     (skipped/omitted node output with no default)",
                    input.name
                )
            })?;
        }
        Some(given) if given.value.is_some() => {
            input.value.clone_from(&given.value);
            input.value_from = None;
        }
        Some(given) => {
            input.value = None;
            input.value_from.clone_from(&given.value_from);
        }
        None => {}
    }
    let from = input.value_from.as_ref();
    let key = from.and_then(|from| from.get("configMapKeyRef")).filter(|key| !key.is_null());
    if let Some(key) = key {
        let tagged = |field: &str| {
            let text = key.get(field).and_then(Value::as_str).unwrap_or_default();
            fill::fill_all(text, names)
                .map_err(|text| format!("failed to substitute configMapKeyRef: {text}"))
        };
        let (name, key) = (tagged("name")?, tagged("key")?);
        let default = from.and_then(|from| from.get("default"));
        let value = config_value(&name, &key, default, library).map_err(|text| {
            format!("unable to retrieve inputs.parameters.{} from ConfigMap: {text}", input.name)
        })?;
        input.value = Some(value);
    } else if input.value.is_none() {
        return Err(format!("inputs.parameters.{} was not supplied", input.name));
    }
    Ok(())
}

const CONFIG_MAP_TYPE: &str = "workflows.argoproj.io/configmap-type";

/// Source: Argo `workflow/common/configmap.go`, `GetConfigMapValue`. What the controller cannot see has no
/// label of that name at all.
pub(crate) fn config_value(
    name: &str,
    key: &str,
    default: Option<&Value>,
    library: &Library,
) -> Result<String, String> {
    let label = library.config_map_label(name, CONFIG_MAP_TYPE);
    let default = default.filter(|value| !value.is_null());
    let default = || default.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    match library.config_map(name).filter(|_| label.is_some()) {
        Some(_) if label != Some("Parameter") => Err(format!(
            "ConfigMap '{name}' needs to have the label {CONFIG_MAP_TYPE}: Parameter to load parameters"
        )),
        Some(data) => data
            .get(key)
            .cloned()
            .or_else(default)
            .ok_or_else(|| format!("ConfigMap '{name}' does not have the key '{key}'")),
        None => default().ok_or_else(|| {
            format!(
                "ConfigMap '{name}' does not exist. Please make sure it has the label {CONFIG_MAP_TYPE}: \
                 Parameter to be detectable by the controller"
            )
        }),
    }
}

fn artifacts_of(other: &Map<String, Value>) -> Vec<&Value> {
    other.get("artifacts").and_then(Value::as_array).map(|list| list.iter().collect()).unwrap_or_default()
}

/// Whether it is said where an artifact lies, or at least its key.
/// Source: Argo `workflow_types.go`, `Artifact.HasLocationOrKey`.
fn has_location(artifact: &Value) -> bool {
    const LOCATIONS: [(&str, &[&str]); 10] = [
        ("s3", &["key"]),
        ("gcs", &["key"]),
        ("oss", &["key"]),
        ("azure", &["blob"]),
        ("hdfs", &["path", "addresses"]),
        ("git", &["repo"]),
        ("http", &["url"]),
        ("artifactory", &["url"]),
        ("plugin", &["key"]),
        ("raw", &[]),
    ];
    let is_given = |value: &Value| !value.is_null() && value.as_str() != Some("");
    LOCATIONS.iter().any(|(kind, needed)| {
        artifact.get(kind).filter(|place| !place.is_null()).is_some_and(|place| {
            needed.is_empty() || needed.iter().any(|field| place.get(field).is_some_and(is_given))
        })
    })
}

/// Source: Argo `workflow/common/util.go`, `ProcessArgs`.
fn supply_artifacts(inputs: &mut Map<String, Value>, arguments: &Arguments) -> Result<(), String> {
    let Some(Value::Array(wanted)) = inputs.get_mut("artifacts") else { return Ok(()) };
    let given = artifacts_of(&arguments.other);
    for input in wanted {
        let name = input.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let argument =
            given.iter().find(|artifact| artifact.get("name").and_then(Value::as_str) == Some(&name));
        let optional = input.get("optional").and_then(Value::as_bool).unwrap_or(false);
        if !optional && !has_location(input) {
            let argument = argument.ok_or_else(|| format!("inputs.artifacts.{name} was not supplied"))?;
            if !has_location(argument) {
                return Err(format!("inputs.artifacts.{name} missing location information"));
            }
        }
        let Some(argument) = argument else { continue };
        let mut taken = (*argument).clone();
        if let Value::Object(fields) = &mut taken {
            for own in ["path", "mode", "recurseMode"] {
                match input.get(own) {
                    Some(value) => fields.insert(own.to_owned(), value.clone()),
                    None => fields.remove(own),
                };
            }
        }
        *input = taken;
    }
    Ok(())
}

/// Names over others.
struct Over<'a> {
    over: &'a BTreeMap<String, String>,
    under: &'a dyn Names,
}

impl Names for Over<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        self.over.value(name).or_else(|| self.under.value(name))
    }

    fn each(&self, see: &mut dyn FnMut(&str, &str)) {
        self.under.each(see);
        self.over.each(see);
    }
}

/// Fills in the tags of a template whose inputs are supplied: first what `names` knows, then the same and
/// its own inputs. Unknown tags stay.
/// Source: Argo `workflow/common/util.go`, `SubstituteParams`.
pub(crate) fn substitute(
    template: &Template,
    holder: &Holder,
    names: &dyn Names,
) -> Result<Prepared, String> {
    let shape = |error: serde_json::Error| error.to_string();
    let mut value = serde_json::to_value(template).map_err(shape)?;
    fill::fill_value(&mut value, names)?;
    // What was filled in may have tags of its own.
    let own = own_names(&value);
    fill::fill_value(&mut value, &Over { over: &own, under: names })?;
    let template: Template = serde_json::from_value(value).map_err(shape)?;
    Prepared::of(template, holder.clone())
}

/// `inputs.parameters.*`, and the paths of artifacts and outputs, as names.
fn own_names(template: &Value) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let list = |side: &str, what: &str| -> Vec<&Value> {
        let list = template.get(side).and_then(|side| side.get(what)).and_then(Value::as_array);
        list.map(|list| list.iter().collect()).unwrap_or_default()
    };
    let name_of = |value: &Value| value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let parameters = list("inputs", "parameters");
    for parameter in &parameters {
        if let Some(value) = parameter.get("value").and_then(Value::as_str) {
            names.insert(format!("inputs.parameters.{}", name_of(parameter)), value.to_owned());
        }
    }
    let all: Vec<Parameter> =
        parameters.iter().filter_map(|parameter| Parameter::deserialize(*parameter).ok()).collect();
    names.insert("inputs.parameters".to_owned(), super::globals::parameters_json(&all));
    for side in ["inputs", "outputs"] {
        for artifact in list(side, "artifacts") {
            if let Some(path) = artifact.get("path").and_then(Value::as_str) {
                names.insert(format!("{side}.artifacts.{}.path", name_of(artifact)), path.to_owned());
            }
        }
    }
    for parameter in list("outputs", "parameters") {
        let path = parameter.get("valueFrom").and_then(|from| from.get("path")).and_then(Value::as_str);
        if let Some(path) = path {
            names.insert(format!("outputs.parameters.{}.path", name_of(parameter)), path.to_owned());
        }
    }
    names
}
