//! One reconcile, in the controller's order.
//! Source: Argo `workflow/controller/operator.go`, `operate`, `persistUpdates`.

use std::collections::BTreeMap;
use std::sync::Arc;

use unwind_model::features::Synchronization;
use unwind_model::hooks::EXIT;
use unwind_model::params::Arguments;
use unwind_model::spec::WorkflowSpec;
use unwind_model::{NodePhase, Shutdown, Timestamp, WorkflowPhase};

use crate::behaviour::{AgentUnderShutdown, HooksUnderTerminate, Passes, ShutdownWhileSuspended};

use super::Run;
use super::cluster::PodAct;
use super::table::{At, Node};
use super::template::{Around, Call};
use super::templates::{Holder, Reference};
use super::workflow::Refused;

/// Deepest nesting of templates. Source: Argo `workflow/controller/controller.go`, `maxAllowedStackDepth`.
pub(crate) const DEPTH_LIMIT: u32 = 100;

/// Why a walk does not go on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Halt {
    /// As many run as may.
    Parallelism,
    /// A template's `timeout` struck a Pending node.
    Timeout,
    /// Templates are nested too deeply.
    Depth,
    /// Anything else, in words.
    Error(String),
}

impl Halt {
    /// Argo's words.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Parallelism => "Max parallelism reached".to_owned(),
            Self::Timeout => "timeout".to_owned(),
            Self::Depth => "Maximum recursion depth exceeded. See https://argo-workflows.readthedocs.io/en/latest/scaling/#maximum-recursion-depth".to_owned(),
            Self::Error(text) => text.clone(),
        }
    }
}

pub(crate) type Walk<T = ()> = Result<T, Halt>;

/// How the workflow's own exit hook stands.
enum Handler {
    /// There is none, or it must not begin.
    None,
    /// It goes on, or could not be made.
    UnderWay,
    /// It is over.
    Over(At),
}

/// The root as it was walked: a controller does not look again before the pass is over.
pub(crate) struct RootSeen {
    is_over: bool,
    pub(crate) is_failed: bool,
    pub(crate) message: String,
}

impl RootSeen {
    fn of(root: &Node) -> Self {
        Self { is_over: root.is_fulfilled(), is_failed: root.is_failed(), message: root.message.clone() }
    }
}

/// One reconcile under way.
pub(crate) struct Pass<'run> {
    pub(crate) run: &'run mut Run,
    pub(crate) now: Timestamp,
    pub(crate) spec: Arc<WorkflowSpec>,
    pub(crate) acts: Vec<PodAct>,
    /// `workflow.*` names.
    pub(crate) globals: BTreeMap<String, String>,
    pub(crate) depth: u32,
    pub(crate) deadline: Option<Timestamp>,
    pub(crate) active_pods: i64,
    /// Whether anything moved that makes the controller store the status.
    pub(crate) updated: bool,
    /// Nodes whose result bit moved without that, and what it was.
    pub(crate) unstored: Vec<(At, Option<bool>)>,
    /// Locks that were got for a node that is to be made.
    pub(crate) acquired: Option<Box<Synchronization>>,
    /// Whether the last thing that was to begin had no room.
    pub(crate) has_no_room: bool,
}

/// One reconcile. Nothing happens to a workflow that carries the completed label.
pub(crate) fn pass(run: &mut Run, now: Timestamp) -> Vec<PodAct> {
    if run.state.completed {
        return Vec::new();
    }
    let (spec, is_stored_anew) = match run.exec_spec() {
        Ok(found) => found,
        Err(Refused::Now(phase, text)) => {
            run.refuse(now, phase, text);
            return Vec::new();
        }
        Err(Refused::Each) => return Vec::new(),
    };
    let updated = is_stored_anew && run.behaviour.passes == Passes::OnePerReconcile;
    let mut pass = Pass {
        run,
        now,
        spec,
        acts: Vec::new(),
        globals: BTreeMap::new(),
        depth: 0,
        deadline: None,
        active_pods: 0,
        updated,
        unstored: Vec::new(),
        acquired: None,
        has_no_room: false,
    };
    pass.delete_doomed();
    if pass.walks_touched() {
        pass.operate_touched();
    } else {
        pass.run.todo.forget_wakes();
        if pass.begin() {
            pass.operate();
        }
        pass.store();
        pass.note_pass();
    }
    pass.keep_globals();
    pass.acts
}

impl Pass<'_> {
    pub(crate) fn shutdown(&self) -> Option<Shutdown> {
        self.spec.shutdown
    }

    /// Argo's `ShutdownStrategy.ShouldExecute`.
    pub(crate) fn may_execute(&self, on_exit: bool) -> bool {
        match self.shutdown() {
            None => true,
            Some(Shutdown::Stop) => on_exit,
            Some(Shutdown::Terminate) => false,
        }
    }

    /// Whether the workflow's deadline has passed.
    pub(crate) fn is_past_deadline(&self) -> bool {
        self.deadline.is_some_and(|deadline| self.has_passed(deadline))
    }

    /// Whether an instant has passed. A controller is never there at the very instant, a driver is.
    /// Source: Go `time.Time.After`.
    pub(crate) fn has_passed(&self, instant: Timestamp) -> bool {
        match self.run.behaviour.passes {
            Passes::OnePerReconcile => self.now > instant,
            Passes::UntilQuiet => self.now >= instant,
        }
    }

    /// Names and the spec they are filled into. `false`: nothing more happens in this pass.
    /// Source: Argo `operator.go`, `setExecWorkflow`.
    pub(crate) fn begin(&mut self) -> bool {
        if let Err(text) = self.make_globals() {
            self.mark_workflow(WorkflowPhase::Failed, &format!("failed to set global parameters: {text}"));
            return false;
        }
        if self.fill_spec().is_err() {
            return false;
        }
        if self.run.state.phase == WorkflowPhase::Unset
            && let Err(text) = self.take_metadata()
        {
            self.mark_workflow(WorkflowPhase::Error, &text);
            return false;
        }
        self.globals.insert("workflow.status".to_owned(), self.run.state.phase.as_str().to_owned());
        true
    }

    fn operate(&mut self) {
        self.take_results();
        if !self.lock_workflow() {
            return;
        }
        self.globals.insert("workflow.duration".to_owned(), self.duration());
        if self.run.state.phase == WorkflowPhase::Unset {
            self.mark_workflow(WorkflowPhase::Running, "");
            self.deadline = self.workflow_deadline();
        } else {
            self.deadline = self.workflow_deadline();
            let looked_at_all = self.look_at_pods();
            self.fail_without_pods();
            if !looked_at_all {
                return;
            }
        }
        if self.spec.suspend == Some(true) && !self.shutdown_resumes() {
            return;
        }
        if self.run.state.phase == WorkflowPhase::Pending {
            self.mark_workflow(WorkflowPhase::Running, "");
        }
        self.active_pods = self.count_active_pods(None);
        let node = match self.execute_entrypoint() {
            Ok(node) => node,
            Err(Halt::Parallelism) => return,
            Err(halt) => {
                self.refuse_entrypoint(&halt);
                return;
            }
        };
        if let Some(node) = node {
            self.after_root(node);
        }
    }

    /// Hooks of the workflow, its handler and its end, as far as they are due.
    pub(crate) fn after_root(&mut self, node: At) {
        let phase = self.set_outcome(node);
        let mut root = RootSeen::of(self.node(node));
        let hooks_done = match self.workflow_hooks(node) {
            Ok(done) => done,
            // The controller takes them for done.
            Err(halt) => {
                self.mark_error(node, &halt.text());
                true
            }
        };
        if !self.walks_touched() && (self.shutdown().is_none() || self.asks_agent_under_shutdown()) {
            self.dispatch_tasks();
        }
        if self.walks_touched() {
            root = RootSeen::of(self.node(node));
        }
        if !hooks_done || !root.is_over {
            return;
        }
        match self.workflow_handler() {
            Handler::UnderWay => {}
            Handler::None => self.end_workflow(&root, phase, None),
            Handler::Over(handler) => self.end_workflow(&root, phase, Some(handler)),
        }
    }

    /// What the root shows becomes a name that hooks and the handler can ask for.
    pub(crate) fn set_outcome(&mut self, root: At) -> WorkflowPhase {
        let mut phase = phase_of(self.node(root).phase);
        if phase == WorkflowPhase::Succeeded && self.is_cut_short() {
            phase = WorkflowPhase::Failed;
        }
        self.globals.insert("workflow.status".to_owned(), phase.as_str().to_owned());
        if self.may_ask_for_failures(root) {
            self.globals.insert("workflow.failures".to_owned(), self.failures());
        }
        phase
    }

    /// Whether a hook of the workflow may look now: the handler does so only once the root is over.
    fn may_ask_for_failures(&self, root: At) -> bool {
        let mut named = self.spec.hooks.iter().filter(|(name, _)| *name != EXIT);
        named.next().is_some()
            || (!self.spec.hooks.is_empty() || !self.spec.on_exit.is_empty())
                && (self.walks_touched() || self.node(root).is_fulfilled())
    }

    pub(crate) fn execute_entrypoint(&mut self) -> Walk<Option<At>> {
        let root = self.run.workflow.metadata.name.clone();
        let reference = Reference { template: self.spec.entrypoint.clone(), ..Reference::default() };
        let arguments = self.spec.arguments.clone();
        self.execute_root(&root, &reference, &arguments, Around::default())
    }

    pub(crate) fn refuse_entrypoint(&mut self, halt: &Halt) {
        let text = halt.text();
        self.mark_workflow(WorkflowPhase::Error, &format!("error in entry template execution: {text}"));
    }

    /// Calls a template from the workflow itself.
    fn execute_root(
        &mut self,
        name: &str,
        reference: &Reference,
        arguments: &Arguments,
        around: Around,
    ) -> Walk<Option<At>> {
        self.execute_template(&Call { name, reference, holder: &Holder::Workflow, arguments, around })
    }

    /// Begins or follows the workflow's own exit hook.
    fn workflow_handler(&mut self) -> Handler {
        let Some(hook) = self.workflow_exit_hook() else { return Handler::None };
        let name = format!("{}.onExit", self.run.workflow.metadata.name);
        let begun = self.run.table.named(&name).is_some() && self.handler_is_followed();
        if !begun && !self.may_execute(true) {
            return Handler::None;
        }
        let around = Around::hook(None, None, true);
        match self.execute_root(&name, &hook.reference, &hook.arguments, around) {
            Ok(Some(handler)) => {
                let is_over = self.node(handler).is_fulfilled();
                if !self.walks_touched() && self.waits_for_agent(handler) {
                    self.dispatch_tasks();
                }
                if is_over { Handler::Over(handler) } else { Handler::UnderWay }
            }
            Ok(None) | Err(Halt::Parallelism) => Handler::UnderWay,
            Err(halt) => {
                let text = halt.text();
                self.mark_workflow(
                    WorkflowPhase::Error,
                    &format!("error in exit template execution : {text}"),
                );
                Handler::UnderWay
            }
        }
    }

    pub(crate) fn shutdown_resumes(&self) -> bool {
        match self.run.behaviour.shutdown_while_suspended {
            ShutdownWhileSuspended::Waits => false,
            ShutdownWhileSuspended::Resumes => self.shutdown().is_some() || self.is_past_deadline(),
        }
    }

    pub(crate) fn asks_agent_under_shutdown(&self) -> bool {
        match self.run.behaviour.agent_under_shutdown {
            AgentUnderShutdown::IsNotAsked => false,
            AgentUnderShutdown::IsAsked => true,
        }
    }

    /// On Terminate a handler under way is found in the object's own spec holder only; with
    /// `workflowTemplateRef` that holder has no status. Source: `argo-semantics` 4.2.
    fn handler_is_followed(&self) -> bool {
        match self.run.behaviour.hooks_under_terminate {
            HooksUnderTerminate::AreFollowed => true,
            HooksUnderTerminate::AreLeftBehind => !self.run.has_template_ref(),
        }
    }

    /// Releases pods and takes back what is not stored when nothing moved.
    fn store(&mut self) {
        if !self.updated {
            for (at, synced) in std::mem::take(&mut self.unstored) {
                self.run.table.get_mut(at).synced = synced;
            }
            return;
        }
        self.run.moves += 1;
        self.count_progress();
        if self.run.state.phase.is_final() {
            self.release_locks();
        }
        self.clean_up_pods();
    }
}

/// Source: Argo `workflow/controller/operator.go`, `operate`.
fn phase_of(phase: NodePhase) -> WorkflowPhase {
    match phase {
        NodePhase::Pending => WorkflowPhase::Pending,
        NodePhase::Running => WorkflowPhase::Running,
        NodePhase::Succeeded | NodePhase::Skipped | NodePhase::Omitted => WorkflowPhase::Succeeded,
        NodePhase::Failed => WorkflowPhase::Failed,
        NodePhase::Error => WorkflowPhase::Error,
    }
}
