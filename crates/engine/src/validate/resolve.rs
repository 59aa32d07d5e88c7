//! Which template a task, a hook or a workflow means, and what all checks of a document share.
//! Source: Argo `workflow/templateresolution/context.go`; `workflow/validate/validate.go`,
//! `validateTemplateHolder`; `workflow_types.go`, `GetTemplateByName`, `SetStoredTemplate`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use unwind_model::features::TemplateRef;
use unwind_model::spec::Task;
use unwind_model::{Template, WorkflowSpec};

use super::Invalid;
use super::arguments::Given;
use super::scope::{Globals, PLACEHOLDER};
use crate::lang::tags::tags;
use crate::library::Library;

/// How far down from one template the checks follow its calls, so that they need little stack. Argo has
/// no such limit; what lies deeper is looked at as a template of its own.
const MAX_DEPTH: usize = 48;

/// The document in which a template's names are looked up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Base {
    /// The document that is validated.
    Document,
    /// A template document of the library.
    Library { name: String, cluster_scope: bool },
}

/// Where in the document a check stands.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) base: Base,
    /// Path in the document that is validated.
    pub(super) path: String,
    depth: usize,
}

impl Place {
    pub(super) fn document(path: &str) -> Self {
        Self { base: Base::Document, path: path.to_owned(), depth: 0 }
    }

    /// A part of this place. Parts of other documents are at the place that refers to them.
    fn part(&self, part: std::fmt::Arguments<'_>) -> String {
        match self.base {
            Base::Document => format!("{}{part}", self.path),
            Base::Library { .. } => self.path.clone(),
        }
    }

    /// This place at a part of it.
    pub(super) fn at_part(&self, part: std::fmt::Arguments<'_>) -> Self {
        Self { path: self.part(part), ..self.clone() }
    }

    fn inner(&self, base: Base, path: String) -> Self {
        Self { base, path, depth: self.depth + 1 }
    }
}

/// What names a template.
#[derive(Clone, Debug, Default)]
pub(super) struct Holder<'t> {
    pub(super) name: &'t str,
    pub(super) reference: Option<TemplateRef>,
    pub(super) inline: Option<&'t Template>,
}

impl<'t> Holder<'t> {
    pub(super) fn of_name(name: &'t str) -> Self {
        Self { name, ..Self::default() }
    }

    pub(super) fn of_reference(reference: TemplateRef) -> Self {
        Self { reference: Some(reference), ..Self::default() }
    }

    /// What a task or step names; the error is that of a `templateRef` of the wrong shape.
    pub(super) fn of_task(task: &'t Task) -> Result<Self, String> {
        let reference = task.template_ref().map_err(|error| format!("templateRef: {error}"))?;
        Ok(Self { name: &task.template, reference, inline: task.inline.as_deref() })
    }
}

/// What all checks of one document share.
pub(super) struct Checker<'a> {
    /// The spec of the document, and its path in it.
    pub(super) spec: &'a WorkflowSpec,
    pub(super) spec_path: &'a str,
    /// Where its templates are in it.
    indices: BTreeMap<&'a str, usize>,
    pub(super) library: &'a Library,
    /// A template document alone, see `Known`.
    pub(super) workflow_template: bool,
    pub(super) globals: Globals,
    /// Templates whose insides were looked at, by document and name. All without a name are one, as in
    /// Argo.
    pub(super) done: BTreeSet<(Base, String)>,
    /// Templates of the library by name, once they were looked up: from then on the document can name
    /// them as if they were its own.
    stored: BTreeMap<String, &'a Template>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        spec: &'a WorkflowSpec,
        spec_path: &'a str,
        library: &'a Library,
        workflow_template: bool,
    ) -> Self {
        let mut indices = BTreeMap::new();
        for (index, template) in spec.templates.iter().enumerate() {
            indices.entry(template.name.as_str()).or_insert(index);
        }
        Self {
            spec,
            spec_path,
            indices,
            library,
            workflow_template,
            globals: Globals::new(),
            done: BTreeSet::new(),
            stored: BTreeMap::new(),
        }
    }

    /// Checks the template that `holder` names and gives it; `None` when only a run can know which.
    pub(super) fn check_holder<'t>(
        &mut self,
        holder: &Holder<'t>,
        place: &Place,
        given: Given<'_>,
    ) -> Result<Option<Cow<'t, Template>>, Invalid>
    where
        'a: 't,
    {
        let fail = |message: String| Invalid::new(&place.path, message);
        if let Some(reference) = &holder.reference {
            check_reference(holder, reference).map_err(fail)?;
            if needs_run(reference) {
                return Ok(None);
            }
        } else if !holder.name.is_empty() && self.named(holder.name, place).is_none() {
            return Err(fail(format!("template name '{}' undefined", holder.name)));
        }
        let Some((inner, template)) = self.resolve(holder, place).map_err(fail)? else { return Ok(None) };
        let policy = retry_policy(&template).unwrap_or_default();
        if !matches!(policy, "" | "Always" | "OnError" | "OnFailure" | "OnTransientError") {
            return Err(fail(format!("{policy} is not a valid RetryPolicy")));
        }
        if inner.depth <= MAX_DEPTH {
            self.check_template(&template, &inner, given)?;
        }
        Ok(Some(template))
    }

    fn resolve<'t>(
        &mut self,
        holder: &Holder<'t>,
        place: &Place,
    ) -> Result<Option<(Place, Cow<'t, Template>)>, String>
    where
        'a: 't,
    {
        let (path, template) = if let Some(inline) = holder.inline {
            (place.part(format_args!(".inline")), Cow::Borrowed(inline))
        } else if let Some(reference) = &holder.reference {
            let Some(found) = self.referred(reference) else {
                return if reference.template.contains(PLACEHOLDER) {
                    Ok(None)
                } else {
                    Err(format!("template reference {}.{} not found", reference.name, reference.template))
                };
            };
            (place.path.clone(), found)
        } else {
            if let Base::Library { name, cluster_scope } = &place.base {
                self.store(name, *cluster_scope, holder.name);
            }
            self.named(holder.name, place).ok_or_else(|| "failed to get a template".to_owned())?
        };
        let base = match &holder.reference {
            None => place.base.clone(),
            Some(TemplateRef { name, cluster_scope, .. }) => {
                if self.library.workflow_template(name, *cluster_scope).is_none() {
                    return Err(not_found(name, *cluster_scope));
                }
                Base::Library { name: name.clone(), cluster_scope: *cluster_scope }
            }
        };
        if !has_type(&template) {
            return Err(format!("template '{}' type is unknown", template.name));
        }
        Ok(Some((place.inner(base, path), template)))
    }

    /// A template by name in the document where the name stands, with its path.
    fn named<'t>(&self, name: &str, place: &Place) -> Option<(String, Cow<'t, Template>)>
    where
        'a: 't,
    {
        if name.is_empty() {
            return None;
        }
        match &place.base {
            Base::Document => {
                if let Some(index) = self.indices.get(name).copied() {
                    let path = format!("{}.templates[{index}]", self.spec_path);
                    return Some((path, with_pod_metadata(&self.spec.templates[index], self.spec)));
                }
                self.stored.get(name).map(|template| (place.path.clone(), Cow::Borrowed(*template)))
            }
            Base::Library { name: document, cluster_scope } => {
                let spec = self.library.workflow_template(document, *cluster_scope)?;
                let template = self.library.template(document, *cluster_scope, name)?;
                Some((place.path.clone(), with_pod_metadata(template, spec)))
            }
        }
    }

    fn referred<'t>(&mut self, reference: &TemplateRef) -> Option<Cow<'t, Template>>
    where
        'a: 't,
    {
        let TemplateRef { name, template, cluster_scope } = reference;
        let spec = self.library.workflow_template(name, *cluster_scope)?;
        let found = self.library.template(name, *cluster_scope, template)?;
        self.store(name, *cluster_scope, template);
        Some(with_pod_metadata(found, spec))
    }

    fn store(&mut self, document: &str, cluster_scope: bool, name: &str) {
        if let Some(found) = self.library.template(document, cluster_scope, name) {
            self.stored.entry(name.to_owned()).or_insert(found);
        }
    }
}

fn check_reference(holder: &Holder<'_>, reference: &TemplateRef) -> Result<(), String> {
    Err(if !holder.name.is_empty() {
        "template name cannot be specified with templateRef"
    } else if reference.name.is_empty() {
        "resource name is required"
    } else if reference.template.is_empty() {
        "template name is required"
    } else {
        return Ok(());
    }
    .to_owned())
}

/// True when tags are left in a reference. Argo fills in expressions where it can, here they wait.
fn needs_run(reference: &TemplateRef) -> bool {
    let is_open = |text: &str| tags(text).map_or(true, |tags| !tags.is_empty());
    is_open(&reference.name) || is_open(&reference.template)
}

/// What the cluster says of a template document that is not there.
pub(crate) fn not_found(name: &str, cluster_scope: bool) -> String {
    let kind = if cluster_scope { "clusterworkflowtemplate" } else { "workflowtemplate" };
    format!("{kind}.argoproj.io \"{name}\" not found")
}

/// The policy of a template's own retries.
fn retry_policy(template: &Template) -> Option<&str> {
    template.other.get("retryStrategy")?.get("retryPolicy")?.as_str()
}

/// A template with the pod metadata of its spec, which Argo adds when it looks one up by name.
fn with_pod_metadata<'t>(template: &'t Template, spec: &WorkflowSpec) -> Cow<'t, Template> {
    let Some(Value::Object(pod)) = spec.other.get("podMetadata") else { return Cow::Borrowed(template) };
    let mut template = template.clone();
    let metadata = template.other.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(metadata) = metadata {
        for part in ["annotations", "labels"] {
            let Some(Value::Object(added)) = pod.get(part) else { continue };
            let own = metadata.entry(part).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(own) = own {
                own.extend(added.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
        }
    }
    Cow::Owned(template)
}

/// Whether it says of what type it is.
fn has_type(template: &Template) -> bool {
    super::template::Kind::of(template) != super::template::Kind::Unknown
}
