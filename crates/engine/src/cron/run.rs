//! A `CronWorkflow` as a state machine.
//!
//! In: the object when it changes, the time when something is due, the workflows it made, and what became
//! of a submit. Out: workflows to be submitted, terminated and deleted, and when to store the object. It
//! must never read a clock; expressions and validation are the caller's.
//! Source: Argo `workflow/cron/operator.go`, `workflow/cron/controller.go`, `cron_facade.go`; robfig/cron v3
//! `cron.go`, `Cron.run`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Value, json};
use unwind_model::cron::{
    Condition, CronPhase, CronWorkflow, CronWorkflowSpec, ObjectReference, set_condition,
};
use unwind_model::{Timestamp, Workflow, WorkflowPhase, ordered};

use super::made::{name_at, workflow_at, workflow_now};
use super::{Schedule, Zones, zone_error};

/// Annotation with the schedules for which something was due last.
const LAST_USED: &str = "cronworkflows.argoproj.io/last-used-schedule";
/// Label of an object that its stop strategy has ended.
const COMPLETED: &str = "cronworkflows.argoproj.io/completed";
const CRON_WORKFLOW: &str = "workflows.argoproj.io/cron-workflow";
const SPEC_ERROR: &str = "SpecError";
const SUBMISSION_ERROR: &str = "SubmissionError";
/// With `-` and ten digits behind it, a name just fits into a label.
const NAME_MAX: usize = 52;

/// What the state machine asks others.
pub struct World<'a> {
    /// Time zones.
    pub zones: &'a dyn Zones,
    /// Expressions and validation.
    pub judge: &'a dyn Judge,
}

/// Judges expressions and workflows.
pub trait Judge {
    /// Whether a `stopStrategy.expression` holds. `names` is the object `{"cronworkflow": {…}}`.
    fn stops(&self, expression: &str, names: &Value) -> Result<bool, String>;
    /// Whether a `when` holds, its tags filled in from `names`.
    fn holds(&self, when: &str, names: &Value) -> Result<bool, String>;
    /// Whether a workflow may be submitted, or why not.
    fn validate(&self, workflow: &Workflow) -> Result<(), String>;
}

/// What the caller must do, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum CronAction {
    /// Terminate the workflow of this name, if it has not ended or gone.
    Terminate(String),
    /// Submit this workflow; the answer goes to [`CronRun::submitted`].
    Submit(Box<Workflow>),
    /// Delete the workflow of this name, if it has not gone.
    Delete(String),
    /// Store status, labels and annotations of the object.
    Store,
    /// Tell the operator.
    Complain(String),
}

/// Why a workflow was not submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubmitError {
    /// There is one of that name: it was made for the same time.
    Exists,
    /// Anything else.
    Failed(String),
}

/// A workflow that the object made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Child {
    /// How the object points at it.
    pub reference: ObjectReference,
    /// Its phase.
    pub phase: WorkflowPhase,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// The `CronWorkflow` that its label names.
    pub made_by: String,
}

impl Child {
    /// What is to be known of a workflow.
    pub fn of(workflow: &Workflow) -> Self {
        let meta = &workflow.metadata;
        let reference = ObjectReference {
            kind: workflow.kind.clone(),
            namespace: meta.namespace.clone(),
            name: meta.name.clone(),
            uid: meta.uid.clone(),
            api_version: workflow.api_version.clone(),
            resource_version: meta.resource_version.clone(),
            ..ObjectReference::default()
        };
        Self {
            reference,
            phase: workflow.status.phase,
            finished_at: workflow.status.finished_at,
            made_by: meta.labels.get(CRON_WORKFLOW).cloned().unwrap_or_default(),
        }
    }
}

/// A `CronWorkflow` under way.
#[derive(Clone, Debug, PartialEq)]
pub struct CronRun {
    object: CronWorkflow,
    /// The schedules as texts, for which `entries` were made.
    schedules: Vec<String>,
    entries: Vec<Entry>,
    /// For which time each workflow without an answer was submitted, by its name.
    submitted: BTreeMap<String, Timestamp>,
}

/// One schedule.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    schedule: Schedule,
    last: Option<Timestamp>,
    next: Option<Timestamp>,
}

impl CronRun {
    /// Begins with an object; what was missed is made up for.
    pub fn new(object: CronWorkflow, now: Timestamp, world: &World) -> (Self, Vec<CronAction>) {
        let mut run = Self { object, schedules: Vec::new(), entries: Vec::new(), submitted: BTreeMap::new() };
        let actions = run.changed(run.object.clone(), now, world);
        (run, actions)
    }

    /// The object as it is to be stored.
    pub fn object(&self) -> &CronWorkflow {
        &self.object
    }

    /// When [`CronRun::tick`] is to be called next.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.entries.iter().filter_map(|entry| entry.next).min()
    }

    /// The object is another one now (also one that was stored after an action). Of the times missed the
    /// last one is made up for, if it is no longer ago than the starting deadline allows and the
    /// schedules are those for which something was due before.
    pub fn changed(&mut self, object: CronWorkflow, now: Timestamp, world: &World) -> Vec<CronAction> {
        self.object = object;
        let schedules = match check(&self.object, world) {
            Ok(schedules) => schedules,
            Err(error) => {
                self.condition(SPEC_ERROR, error.clone());
                return vec![CronAction::Complain(format!("invalid cron workflow: {error}"))];
            }
        };
        self.forget_condition(SPEC_ERROR);
        let texts = self.object.spec.zoned_schedules();
        let missed = self.missed(&schedules, now, world);
        if texts != self.schedules || missed.is_some() {
            self.schedules = texts;
            self.entries = Vec::new();
            for schedule in schedules {
                let next = schedule.next(now, world.zones);
                self.entries.push(Entry { schedule, last: None, next });
            }
        }
        missed.map(|missed| self.run(missed, world)).unwrap_or_default()
    }

    /// Time has gone on. Several times that have come since the last call count as one: the latest.
    pub fn tick(&mut self, now: Timestamp, world: &World) -> Vec<CronAction> {
        let mut is_due = false;
        for entry in &mut self.entries {
            if let Some(due) = entry.next.filter(|next| *next <= now) {
                is_due = true;
                entry.last = Some(due);
                entry.next = entry.schedule.next(now, world.zones);
            }
        }
        let last = self.entries.iter().filter_map(|entry| entry.last).max();
        last.filter(|_| is_due).map(|due| self.run(due, world)).unwrap_or_default()
    }

    /// What became of a submit.
    pub fn submitted(&mut self, name: &str, answer: Result<ObjectReference, SubmitError>) -> Vec<CronAction> {
        let Some(scheduled) = self.submitted.remove(name) else { return Vec::new() };
        match answer {
            Ok(reference) => {
                self.object.status.active.push(reference);
                self.object.status.phase = CronPhase::Active;
                self.object.status.last_scheduled_time = Some(scheduled);
                self.forget_condition(SUBMISSION_ERROR);
            }
            Err(SubmitError::Exists) => {}
            Err(SubmitError::Failed(error)) => {
                self.submission_error(format!("Failed to submit Workflow: {error}"));
            }
        }
        vec![CronAction::Store]
    }

    /// Looks at all workflows that the object owns: old ones are deleted, ended ones counted. To be
    /// called now and then (Argo does it every ten seconds).
    pub fn sync(&mut self, children: &[Child], world: &World) -> Vec<CronAction> {
        let mut actions = self.outdated(children);
        let before = self.object.status.clone();
        match self.count(children, world) {
            Ok(true) => actions.push(CronAction::Store),
            Ok(false) => {}
            Err(error) => {
                self.object.status = before;
                actions.push(CronAction::Complain(error));
            }
        }
        actions
    }

    /// Source: Argo `workflow/cron/operator.go`, `shouldOutstandingWorkflowsBeRun`.
    fn missed(&self, schedules: &[Schedule], now: Timestamp, world: &World) -> Option<Timestamp> {
        let used = self.object.metadata.annotations.get(LAST_USED)?;
        let since = self.object.status.last_scheduled_time?;
        let deadline = self.object.spec.starting_deadline_seconds?.checked_mul(1000)?;
        if *used != self.object.spec.zoned_schedules().join(",") {
            return None;
        }
        let last = |schedule: &Schedule| schedule.last(since, now, world.zones);
        schedules.iter().filter_map(last).find(|missed| now - *missed < deadline)
    }

    /// Source: Argo `workflow/cron/operator.go`, `run`.
    fn run(&mut self, scheduled: Timestamp, world: &World) -> Vec<CronAction> {
        let used = self.object.spec.zoned_schedules().join(",");
        self.object.metadata.annotations.insert(LAST_USED.into(), used);
        let mut actions = Vec::new();
        if let Err(error) = check(&self.object, world) {
            self.condition(SPEC_ERROR, error);
            return vec![CronAction::Store];
        }
        self.forget_condition(SPEC_ERROR);
        match self.is_over(world) {
            Ok(false) => {}
            Ok(true) => {
                self.object.status.phase = CronPhase::Stopped;
                self.object.metadata.labels.insert(COMPLETED.into(), "true".into());
            }
            Err(error) => {
                self.condition(SPEC_ERROR, error);
                return vec![CronAction::Store];
            }
        }
        match self.may_run(scheduled, world) {
            Ok(true) => {
                if self.object.spec.concurrency_policy == "Replace" {
                    let active = self.object.status.active.iter();
                    actions.extend(active.map(|each| CronAction::Terminate(each.name.clone())));
                }
                let workflow = workflow_at(&self.object, scheduled);
                self.submitted.insert(workflow.metadata.name.clone(), scheduled);
                actions.push(CronAction::Submit(Box::new(workflow)));
            }
            Ok(false) => actions.push(CronAction::Store),
            Err(error) => {
                self.submission_error(format!("run policy error: {error}"));
                actions.push(CronAction::Store);
            }
        }
        actions
    }

    /// Source: Argo `workflow/cron/operator.go`, `enforceRuntimePolicy`, `evalWhen`.
    fn may_run(&self, scheduled: Timestamp, world: &World) -> Result<bool, String> {
        let (spec, status) = (&self.object.spec, &self.object.status);
        if spec.suspend || status.phase == CronPhase::Stopped {
            return Ok(false);
        }
        if !spec.when.is_empty() && !world.judge.holds(&spec.when, &self.names())? {
            return Ok(false);
        }
        // Made already: another submit would come to nothing, but `Replace` would terminate it first.
        let name = name_at(&self.object, scheduled);
        let is_made =
            status.active.iter().any(|each| each.name == name) || self.submitted.contains_key(&name);
        let must_wait = spec.concurrency_policy == "Forbid" && !status.active.is_empty();
        Ok(!is_made && !must_wait)
    }

    /// Source: Argo `workflow/cron/operator.go`, `checkStopingCondition`.
    fn is_over(&self, world: &World) -> Result<bool, String> {
        let Some(strategy) = &self.object.spec.stop_strategy else { return Ok(false) };
        world.judge.stops(&strategy.expression, &self.names()).map_err(|error| {
            let name = &self.object.metadata.name;
            format!(
                "failed to check CronWorkflow '{name}' stopping condition: failed to evaluate stop expression: {error}"
            )
        })
    }

    /// What expressions may name. `annotations` are the labels: so it is in Argo.
    /// Source: Argo `workflow/cron/operator.go`, `expressionEnv`.
    fn names(&self) -> Value {
        let (meta, status) = (&self.object.metadata, &self.object.status);
        let (labels, annotations) = (json!(meta.labels), json!(meta.annotations));
        let (labels_text, annotations_text) = (labels.to_string(), annotations.to_string());
        json!({"cronworkflow": {
            "name": meta.name, "namespace": meta.namespace, "labels": labels, "annotations": labels,
            "labels.json": labels_text, "annotations.json": annotations_text,
            "failed": status.failed, "succeeded": status.succeeded,
            "lastScheduledTime": status.last_scheduled_time,
        }})
    }

    /// Source: Argo `workflow/cron/operator.go`, `enforceHistoryLimit`, `deleteOldestWorkflows`.
    fn outdated(&self, children: &[Child]) -> Vec<CronAction> {
        let spec = &self.object.spec;
        let mine = |child: &&Child| child.made_by == self.object.metadata.name && child.phase.is_final();
        let (good, bad): (Vec<&Child>, Vec<&Child>) =
            children.iter().filter(mine).partition(|child| child.phase == WorkflowPhase::Succeeded);
        let mut actions = Vec::new();
        for (mut ended, limit, default) in
            [(good, spec.successful_jobs_history_limit, 3), (bad, spec.failed_jobs_history_limit, 1)]
        {
            ordered::sort_by_key(&mut ended, |child| Reverse(child.finished_at));
            let keep = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(default);
            for child in ended.into_iter().skip(keep) {
                actions.push(CronAction::Delete(child.reference.name.clone()));
            }
        }
        actions
    }

    /// Says whether the status is another one. Source: Argo `workflow/cron/operator.go`, `reconcileActiveWfs`.
    fn count(&mut self, children: &[Child], world: &World) -> Result<bool, String> {
        let mut is_changed = false;
        for child in children.iter().filter(|child| !child.phase.is_final()) {
            let is_known = self.object.status.active.iter().any(|each| each.uid == child.reference.uid);
            if !is_known {
                self.object.status.active.push(child.reference.clone());
                is_changed = true;
            }
        }
        for reference in self.object.status.active.clone() {
            let child = children.iter().rfind(|child| child.reference.uid == reference.uid);
            if child.is_some_and(|child| !child.phase.is_final()) {
                continue;
            }
            is_changed = true;
            self.object.status.active.retain(|each| each.uid != reference.uid);
            let Some(child) = child else { continue };
            match child.phase {
                WorkflowPhase::Succeeded => self.object.status.succeeded += 1,
                WorkflowPhase::Failed | WorkflowPhase::Error => self.object.status.failed += 1,
                WorkflowPhase::Unset | WorkflowPhase::Pending | WorkflowPhase::Running => {}
            }
            if self.is_over(world)? {
                self.object.status.phase = CronPhase::Stopped;
            }
        }
        Ok(is_changed)
    }

    fn submission_error(&mut self, message: String) {
        self.object.status.failed += 1;
        self.condition(SUBMISSION_ERROR, message);
    }

    fn condition(&mut self, kind: &str, message: String) {
        let condition = Condition { kind: kind.to_owned(), status: "True".to_owned(), message };
        set_condition(&mut self.object.status.conditions, condition);
    }

    fn forget_condition(&mut self, kind: &str) {
        self.object.status.conditions.retain(|condition| condition.kind != kind);
    }
}

/// The schedules of a valid object, or what is wrong with it.
/// Source: Argo `workflow/validate/validate.go`, `CronWorkflow`.
fn check(object: &CronWorkflow, world: &World) -> Result<Vec<Schedule>, String> {
    let (name, spec) = (&object.metadata.name, &object.spec);
    if name.len() > NAME_MAX {
        let text = "must not be more than 52 characters long";
        return Err(format!("cron workflow name {name:?} {text} (currently {})", name.len()));
    }
    check_times(spec, world)?;
    if !matches!(spec.concurrency_policy.as_str(), "" | "Allow" | "Forbid" | "Replace") {
        return Err(format!("'{}' is not a valid concurrencyPolicy", spec.concurrency_policy));
    }
    if spec.starting_deadline_seconds.is_some_and(|seconds| seconds < 0) {
        return Err("startingDeadlineSeconds must be positive".into());
    }
    let workflow = workflow_now(object, Timestamp::default());
    world.judge.validate(&workflow).map_err(|error| format!("cannot validate Workflow: {error}"))?;
    // With `timezone`, a schedule must not have a zone of its own. (Argo logs this only, and never runs it.)
    let mut schedules = Vec::new();
    for text in spec.zoned_schedules() {
        schedules.push(Schedule::parse(&text, world.zones).map_err(|error| error.to_string())?);
    }
    Ok(schedules)
}

fn check_times(spec: &CronWorkflowSpec, world: &World) -> Result<(), String> {
    if spec.schedules.is_empty() {
        return Err("cron workflow must have at least one schedule".into());
    }
    for text in &spec.schedules {
        Schedule::parse(text, world.zones)
            .map_err(|error| format!("cron schedule {text} is malformed: {error}"))?;
    }
    match zone_error(world.zones, &spec.timezone) {
        Some(error) => Err(format!("invalid timezone {:?}: {error}", spec.timezone)),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
