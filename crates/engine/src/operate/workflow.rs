//! The spec that is run, from the object and what it refers to.
//! Source: Argo `workflow/controller/operator.go`, `setExecWorkflow`, `setStoredWfSpec`;
//! `workflow/util/merge.go`, `JoinWorkflowSpec`.

use std::sync::Arc;

use serde_json::Value;
use unwind_model::params::Parameter;
use unwind_model::spec::{Template, WorkflowSpec};
use unwind_model::{Timestamp, WorkflowPhase};

use crate::behaviour::HandlerFailures;
use crate::validate::{ValidateOptions, not_found, validate};

use crate::lang::tags::has_tags;

use super::Run;
use super::fill::fill_value;
use super::merge::put_over;
use super::pass::Pass;
use super::table::At;
use super::templates::Tagged;

/// Field of a status with the spec that is run, where it stands in another document.
/// Source: Argo `workflow_types.go`, `WorkflowStatus.StoredWorkflowSpec`.
pub(crate) const STORED_SPEC: &str = "storedWorkflowTemplateSpec";

/// Why a pass does not begin.
pub(crate) enum Refused {
    /// The workflow ends in this phase with this message.
    Now(WorkflowPhase, String),
    /// Every pass is refused; nothing moves.
    Each,
}

impl Run {
    pub(crate) fn has_template_ref(&self) -> bool {
        self.workflow.spec.workflow_template_ref().ok().flatten().is_some()
    }

    /// The place of a name in the table, kept when the node is not there yet.
    pub(crate) fn reserve(&mut self, name: &str) -> At {
        if let Some(at) = self.table.reserved(name) {
            return at;
        }
        self.table.reserve(&self.workflow.metadata.name, name)
    }

    /// The spec to run, and whether the controller stores a copy of it anew; the error is why it refuses the workflow.
    pub(crate) fn exec_spec(&mut self) -> Result<(Arc<WorkflowSpec>, bool), Refused> {
        if self.spec.is_none() {
            let error = |text| Refused::Now(WorkflowPhase::Error, text);
            let first = self.state.phase == WorkflowPhase::Unset;
            if first {
                self.take_defaults().map_err(error)?;
                let own_engine = match self.behaviour.handler_failures {
                    HandlerFailures::OfEveryHandler => true,
                    HandlerFailures::OfOnExit => false,
                };
                let options = ValidateOptions { own_engine, ..ValidateOptions::default() };
                validate(&self.workflow, &self.library, options).map_err(|invalid| {
                    let text = invalid.message;
                    let is_lookup =
                        text.contains("workflowtemplate.argoproj.io") && text.ends_with("not found");
                    if is_lookup && self.has_template_ref() && text.starts_with("workflowtemplate.") {
                        return Refused::Now(WorkflowPhase::Error, text);
                    }
                    Refused::Now(WorkflowPhase::Failed, format!("invalid spec: {text}"))
                })?;
            }
            self.spec = Some(Arc::new(self.joined_spec().map_err(error)?));
            self.templates.clear();
        }
        let stored = self.spec.clone().ok_or(Refused::Each)?;
        if self.has_template_ref() {
            let is_anew = self.copies_anew(&stored);
            return Ok((self.renewed(stored)?, is_anew));
        }
        Ok((stored, false))
    }

    /// With `workflowTemplateRef` the stored copy is renewed only when `suspend` or `shutdown` differ: the object's own
    /// fields once more over the copy.
    /// Source: Argo `operator.go`, `setStoredWfSpec`, `needsStoredWfSpecUpdate`.
    fn renewed(&mut self, stored: Arc<WorkflowSpec>) -> Result<Arc<WorkflowSpec>, Refused> {
        let error = |text| Refused::Now(WorkflowPhase::Error, text);
        if !self.copies_anew(&stored) {
            if !self.settings.must_not_change {
                return Ok(stored);
            }
            let joined = self.joined_spec().map_err(error)?;
            return if joined == *stored { Ok(stored) } else { Err(Refused::Each) };
        }
        let defaults = self.library.workflow_defaults().and_then(|defaults| defaults.get("spec"));
        let joined = join(&self.workflow.spec, &stored, defaults).map_err(error)?;
        if joined == *stored {
            return Ok(stored);
        }
        let renewed = Arc::new(joined);
        self.spec = Some(Arc::clone(&renewed));
        self.templates.clear();
        Ok(renewed)
    }

    /// Whether the stored copy is made anew. A `suspend` of its own always differs from the one in the copy: the
    /// controller compares where they lie.
    fn copies_anew(&self, stored: &WorkflowSpec) -> bool {
        let own = &self.workflow.spec;
        stored.shutdown != own.shutdown || stored.suspend.is_some() || own.suspend.is_some()
    }

    /// What the controller's settings give to every workflow, below its own fields.
    /// Source: Argo `controller.go`, `setWorkflowDefaults`; `workflow/util/merge.go`, `MergeTo`,
    /// `JoinWorkflowMetaData`.
    fn take_defaults(&mut self) -> Result<(), String> {
        let Some(defaults) = self.library.workflow_defaults() else { return Ok(()) };
        let shape = |error: serde_json::Error| error.to_string();
        let mut merged = serde_json::json!({});
        for map in ["labels", "annotations"] {
            if let Some(given) = defaults.pointer(&format!("/metadata/{map}")).filter(|map| map.is_object()) {
                merged["metadata"][map] = given.clone();
            }
        }
        if let Some(spec) = defaults.get("spec").filter(|_| !self.has_template_ref()) {
            merged["spec"] = spec.clone();
        }
        put_over(&mut merged, serde_json::to_value(&self.workflow).map_err(shape)?);
        self.workflow = serde_json::from_value(merged).map_err(shape)?;
        Ok(())
    }

    fn joined_spec(&self) -> Result<WorkflowSpec, String> {
        let own = &self.workflow.spec;
        match self.referred()? {
            Some(template) => {
                let defaults = self.library.workflow_defaults().and_then(|defaults| defaults.get("spec"));
                join(own, template, defaults)
            }
            // Its templates are those of the object.
            None => Ok(own.without_templates()),
        }
    }

    /// The spec that `workflowTemplateRef` means, if there is one.
    fn referred(&self) -> Result<Option<&WorkflowSpec>, String> {
        let by = self.workflow.spec.workflow_template_ref().map_err(|error| error.to_string())?;
        let Some(by) = by else { return Ok(None) };
        let found = self.library.workflow_template(&by.name, by.cluster_scope);
        found.map(Some).ok_or_else(|| not_found(&by.name, by.cluster_scope))
    }

    /// The object or what it refers to was changed from outside.
    pub(crate) fn spec_changed(&mut self) {
        if !self.has_template_ref() {
            self.spec = Some(Arc::new(self.workflow.spec.without_templates()));
            self.templates.clear();
        }
    }

    /// The templates of a spec that is run; those of the object where it has none of its own.
    pub(crate) fn templates_of<'a>(&'a self, spec: &'a WorkflowSpec) -> &'a [Template] {
        if spec.templates.is_empty() { &self.workflow.spec.templates } else { &spec.templates }
    }

    /// The workflow is refused as a whole.
    pub(crate) fn refuse(&mut self, now: Timestamp, phase: WorkflowPhase, text: String) {
        self.state.phase = phase;
        self.state.message = text;
        self.state.started_at.get_or_insert(now);
        self.state.finished_at = Some(now);
        self.state.completed = true;
        "0/0".clone_into(&mut self.state.progress);
    }
}

/// The object's own fields over those of the template it refers to, and both over the controller's defaults.
/// Whether it is suspended the object alone says, and an argument is that of the first that gives it a value.
/// Source: Argo `workflow/util/merge.go`, `JoinWorkflowSpec`.
fn join(
    own: &WorkflowSpec,
    template: &WorkflowSpec,
    defaults: Option<&Value>,
) -> Result<WorkflowSpec, String> {
    let shape = |error: serde_json::Error| error.to_string();
    let mut joined = defaults.cloned().unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    put_over(&mut joined, serde_json::to_value(template).map_err(shape)?);
    put_over(&mut joined, serde_json::to_value(own).map_err(shape)?);
    let mut joined: WorkflowSpec = serde_json::from_value(joined).map_err(shape)?;
    joined.suspend = own.suspend;
    let first = [own, template];
    for parameter in &mut joined.arguments.parameters {
        let mut given = first.iter().flat_map(|spec| &spec.arguments.parameters);
        if let Some(given) = given.find(|given| given.name == parameter.name && has_value(given)) {
            *parameter = given.clone();
        }
    }
    if let Some(Value::Array(artifacts)) = joined.arguments.other.get_mut("artifacts") {
        let given = first.iter().filter_map(|spec| spec.arguments.other.get("artifacts")?.as_array());
        let given: Vec<&Value> = given.flatten().collect();
        for artifact in artifacts {
            if let Some(given) = given.iter().find(|given| given.get("name") == artifact.get("name")) {
                *artifact = (*given).clone();
            }
        }
    }
    Ok(joined)
}

/// Source: Argo `workflow_types.go`, `Parameter.HasValue`.
fn has_value(parameter: &Parameter) -> bool {
    parameter.value.is_some() || parameter.default.is_some() || parameter.value_from.is_some()
}

impl Pass<'_> {
    /// Fills in the tags of the spec outside its templates.
    /// Source: Argo `operator.go`, `substituteGlobalVariables`.
    pub(crate) fn fill_spec(&mut self) -> Result<(), String> {
        let shape = |error: serde_json::Error| error.to_string();
        if self.run.templates.tagged == Tagged::Unseen {
            let bare = serde_json::to_value(self.spec.without_templates()).map_err(shape)?;
            self.run.templates.tagged = if has_tags(&bare) { Tagged::Tags(bare) } else { Tagged::Plain };
        }
        let mut filled = match &self.run.templates.tagged {
            Tagged::Tags(bare) => bare.clone(),
            Tagged::Unseen | Tagged::Plain => return Ok(()),
        };
        fill_value(&mut filled, &self.globals)?;
        if let Some((known, spec)) = &self.run.templates.filled
            && *known == filled
        {
            self.spec = Arc::clone(spec);
            return Ok(());
        }
        let mut spec: WorkflowSpec = serde_json::from_value(filled.clone()).map_err(shape)?;
        spec.templates.clone_from(&self.spec.templates);
        self.spec = Arc::new(spec);
        self.run.templates.filled = Some((filled, Arc::clone(&self.spec)));
        Ok(())
    }

    /// When the workflow's time is up. Zero is up at once.
    /// Source: Argo `operator.go`, `getWorkflowDeadline`.
    pub(crate) fn workflow_deadline(&self) -> Option<Timestamp> {
        let seconds = self.spec.active_deadline_seconds?;
        Some(self.run.state.started_at? + seconds.saturating_mul(1000))
    }
}
