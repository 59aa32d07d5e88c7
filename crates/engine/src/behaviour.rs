//! The table of behaviours: one named field per thing on which the right order and a release differ.
//!
//! It is the only place that knows versions. Each field names the Argo file, function and version
//! range it stands for. The interpreter asks these fields by `match`, so that a new row stops the
//! compiler wherever it must be thought of.

mod release;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use release::Version;

pub use release::{Basis, Release, UnknownRelease};

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behaviour {
    /// Name of the row: `unwind`, or the class of Argo releases.
    pub name: Cow<'static, str>,
    /// How far one event carries.
    pub passes: Passes,
    /// What a second shutdown request does.
    pub repeated_shutdown: RepeatedShutdown,
    /// When a leaf that is told to end has ended.
    pub stopped_leaf: StoppedLeaf,
    /// When a DAG ends under a shutdown.
    pub dag_under_shutdown: BoxUnderShutdown,
    /// When Steps end under a shutdown.
    pub steps_under_shutdown: BoxUnderShutdown,
    /// What becomes of main work that has not begun when a shutdown is asked.
    pub work_not_begun: WorkNotBegun,
    /// What an exit hook that ends Error does to the box around its owner.
    pub hook_error: HookError,
    /// What a shutdown does while the whole workflow is suspended.
    pub shutdown_while_suspended: ShutdownWhileSuspended,
    /// What a task result that is open keeps from ending.
    pub open_results: OpenResults,
    /// When the group of a DAG's loop ends.
    pub loop_end: LoopEnd,
    /// What a stop does to a DAG inside an exit handler.
    pub exit_dag_under_stop: ExitDagUnderStop,
    /// How a DAG looks at the exit hooks of its targets.
    pub target_hooks: TargetHooks,
    /// What a shutdown does to a Retry node between two attempts.
    pub retry_under_shutdown: RetryUnderShutdown,
    /// What a shutdown does to nodes that wait for a lock.
    pub lock_waiters: LockWaiters,
    /// What the outputs of a node that did not run are to others.
    pub skipped_outputs: SkippedOutputs,
    /// Which fields of a `synchronization` are read.
    pub lock_forms: LockForms,
    /// Whether named hooks of a node that did not run are looked at.
    pub hooks_of_skipped: HooksOfSkipped,
    /// What a terminate does to an exit hook that is a box and under way.
    pub hooks_under_terminate: HooksUnderTerminate,
    /// Whether the group of a loop runs the exit hook that its items have run.
    pub group_hook: GroupHook,
    /// How the exit hooks of a DAG loop's items begin.
    pub item_hooks: ItemHooks,
    /// Whose the named hooks of a DAG's loop are.
    pub loop_hooks: LoopHooks,
    /// Whether hooks count against parallelism.
    pub hook_room: HookRoom,
    /// Whether the exit hook waits for the named hooks of its owner.
    pub named_hooks_first: NamedHooksFirst,
    /// Whether HTTP and plug-in hooks are handed to the agent after a shutdown.
    pub agent_under_shutdown: AgentUnderShutdown,
    /// What becomes of a leaf that ended well without the outputs it declares.
    pub missing_output: MissingOutput,
    /// The phase of a box that waited for a lock and has got it.
    pub locked_box: LockedBox,
    /// When `failFast` of a template ends its box.
    pub fail_fast: FailFast,
    /// How a daemon ends with its box.
    pub daemon_end: DaemonEnd,
    /// How a workflow ends that is told to end while it waits for a lock of its own.
    pub locked_workflow: LockedWorkflow,
    /// How a group of steps tells that a member cannot be resolved.
    pub reference_text: ReferenceText,
    /// The phase of a workflow that is retried by hand, until the next pass.
    pub retried_phase: RetriedPhase,
    /// Whether a hook that is retried is taken for an attempt of the retried node it belongs to.
    pub retried_hooks: RetriedHooks,
    /// What the deadline of the workflow does to exit hooks.
    pub hooks_past_deadline: HooksPastDeadline,
    /// What the tags of an item are in the arguments of its exit hook.
    pub item_arguments: ItemArguments,
    /// Which handlers of the workflow may use `workflow.failures`.
    pub handler_failures: HandlerFailures,
}

/// How far one event carries.
///
/// Argo makes one walk of the tree per reconcile and decides everything in it at once
/// (`workflow/controller/operator.go`, `operate`; all versions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Passes {
    /// Until there is nothing more to decide.
    UntilQuiet,
    /// One walk; what it decides has no order among itself.
    OnePerReconcile,
}

/// What a second shutdown request does.
///
/// Argo patches `spec.shutdown`, so the last request counts, also a weaker one
/// (`workflow/util/util.go`, `patchShutdownStrategy`; all versions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RepeatedShutdown {
    /// The strongest request counts; a weaker one after it changes nothing.
    OnlyUp,
    /// The last request counts.
    LastCounts,
}

/// When a leaf that is told to end has ended.
///
/// Argo marks it Failed in the reconcile that tells it to end (`workflow/controller/exec_control.go`,
/// `applyExecutionControl`); up to v3.7.0 that is final, from v3.7.1 on only when its task result
/// is no longer open (`pkg/apis/workflow/v1alpha1/workflow_types.go`, `NodeStatus.Fulfilled`), and
/// a program that then exits 0 makes it Succeeded again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StoppedLeaf {
    /// When its process has ended; it is Failed then, whatever its exit code.
    WhenItsProcessEnds,
    /// In the pass that tells it to end, as far as its result is not open.
    AtOnce,
}

/// When a box ends under a shutdown.
///
/// Argo fails a DAG at once unless the direct exit hook of one of its completed targets is still
/// open (`workflow/controller/dag.go`, `executeDAG` and `assessDAGPhase`; up to v3.4.10 it waits, v3.4.11 to
/// v3.4.16 and v3.5.0 to v3.5.2 without the exception, from v3.4.17 and v3.5.3 with it). Steps wait
/// (`workflow/controller/steps.go`, `executeStepGroup`; all versions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoxUnderShutdown {
    /// When everything inside it, exit hooks included, has ended.
    WaitsForItsInsides,
    /// At once, unless the exit hook of one of its completed targets is open.
    FailsAtOnce,
    /// At once, whatever is open (v3.4.11 to v3.4.16, v3.5.0 to v3.5.2).
    FailsWhateverIsOpen,
}

/// What becomes of main work that has not begun when a shutdown is asked.
///
/// Argo still creates DAG, Steps and waiting nodes, and creates pods as Failed nodes
/// (`workflow/controller/workflowpod.go`, `createWorkflowPod`; all versions); the exit hooks of
/// those run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkNotBegun {
    /// It gets no node. A leaf that has a node but no process yet ends Failed and runs no hook.
    NeverBegins,
    /// Boxes and waits begin as ever; a leaf gets a node that fails at once, and its exit hook runs.
    BeginsToFail,
}

/// What an exit hook that ends Error does to the box around its owner.
///
/// In Argo an error on creating a hook makes a group of steps Error and has no effect in a DAG
/// (`workflow/controller/steps.go`, `executeStepGroup`; `dag.go`, `executeDAGTask`; before v4.2, as announced).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HookError {
    /// The box becomes Error after its remaining hooks have run.
    MakesTheBoxError,
    /// A group of steps is Error and with it the workflow; a DAG does not notice.
    EndsStepsOnly,
}

/// What a shutdown does while the whole workflow is suspended.
///
/// In Argo the tree is not walked while `spec.suspend` is set, so hooks do not begin and the
/// workflow does not end (`workflow/controller/operator.go`, `operate`; #17041, all versions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShutdownWhileSuspended {
    /// It ends the suspension.
    Resumes,
    /// It stays suspended.
    Waits,
}

/// What a task result that is open keeps from ending.
///
/// Source: Argo `pkg/apis/workflow/v1alpha1/workflow_types.go`, `NodeStatus.Fulfilled`;
/// `workflow/controller/taskresult.go`, `taskResultReconciliation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpenResults {
    /// Only the workflow (up to v3.7.0).
    HoldTheWorkflow,
    /// Its node, until a pass finds that in a final phase (v3.7.1 to v3.7.18).
    HoldTheNodeTillItHasAFinalPhase,
    /// Its node, for ever (v4.0.0 and later).
    HoldTheNode,
}

/// When the group of a DAG's loop ends.
///
/// Source: Argo `workflow/controller/dag.go`, `assessDAGPhase` (#16454).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoopEnd {
    /// When all items and their exit hooks are over (before v3.7.17 and v4.0.8).
    AfterItemHooks,
    /// As soon as the assessment of the DAG finds all items over, hooks or not (since then).
    InTheAssessment,
}

/// What a stop does to a DAG inside an exit handler.
///
/// Source: Argo `workflow/controller/dag.go`, `executeDAG` (#16488).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExitDagUnderStop {
    /// It fails at once (before v3.7.17 and v4.0.8).
    Fails,
    /// It goes on (since then).
    GoesOn,
}

/// How a DAG looks at the exit hooks of its targets.
///
/// Source: Argo `workflow/controller/dag.go`, `executeDAG` (#16088).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TargetHooks {
    /// It executes them a second time (before v3.7.15 and v4.0.6).
    RunAgain,
    /// It looks whether they are over (since then).
    LookedAt,
}

/// What a shutdown does to a Retry node between two attempts.
///
/// Source: Argo `workflow/controller/operator.go`,
/// `failNodesWithoutCreatedPodsAfterDeadlineOrShutdown` (#15740).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RetryUnderShutdown {
    /// It goes by its last attempt (before v4.1.0).
    FollowsItsAttempt,
    /// It fails once all leaves below it are over (v4.1.0 and later).
    FailsOnceLeavesAreOver,
}

/// What a shutdown does to nodes that wait for a lock.
///
/// Source: Argo `workflow/controller/operator.go`,
/// `failNodesWithoutCreatedPodsAfterDeadlineOrShutdown` (#16777).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockWaiters {
    /// They wait on (before v4.0.10 and v4.1.2).
    Wait,
    /// They fail (since then).
    Fail,
}

/// What the outputs of a node that did not run are to others.
///
/// Source: Argo `workflow/controller/scope.go`, `addSkippedNodeOutputsToScope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SkippedOutputs {
    /// Unknown names, so that tags stay as they are (before v3.7.16 and v4.0.7).
    StayLiteral,
    /// Absent: a default stands in for them, else it is an error (since then).
    AreAbsent,
}

/// Which fields of a `synchronization` are read.
///
/// Source: Argo `workflow/sync/syncitems.go`, `allSyncItems`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockForms {
    /// The single `semaphore` and `mutex`, then the lists (up to v3.7).
    #[default]
    SinglesAndLists,
    /// The lists alone (v4.0.0 and later); the single ones are unknown fields there.
    ListsOnly,
}

/// What a terminate does to an exit hook that is a box and under way.
///
/// Source: Argo `workflow/controller/exit_handler.go`, `runOnExitNode` (trace hooks/exit-dag-D--terminate-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HooksUnderTerminate {
    /// It is walked on until everything in it has ended.
    AreFollowed,
    /// It is not walked any more and stays Running.
    AreLeftBehind,
}

/// Whether the group of a loop runs the exit hook that its items have run.
///
/// Source: Argo `workflow/controller/dag.go`, `executeDAGTask` (trace siblings/loopone-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupHook {
    /// Only items run it.
    NeverRuns,
    /// It runs once more for the group, as soon as that has ended.
    Runs,
}

/// How the exit hooks of a DAG loop's items begin.
///
/// Source: Argo `workflow/controller/dag.go`, `executeDAGTask` (trace siblings/looporder-same-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ItemHooks {
    /// Each when its item is over.
    Together,
    /// One that is open keeps later items waiting in that pass.
    OneByOne,
}

/// Whether hooks count against parallelism.
///
/// Source: Argo `workflow/controller/operator.go`, `checkParallelism` (trace limits/wfpar-1-S).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HookRoom {
    /// A hook that is due begins.
    AlwaysThere,
    /// A hook waits for a free place; in steps that makes the workflow Error.
    Counts,
}

/// Whether the exit hook waits for the named hooks of its owner.
///
/// Source: Argo `workflow/controller/dag.go`, `executeDAGTask` (traces hooks/two-exits-nest-D, lost-named-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NamedHooksFirst {
    /// Always, and none is begun after a shutdown.
    Always,
    /// Only where the walk meets the owner as over from the start.
    WhenSeen,
}

/// Whether HTTP and plug-in hooks are handed to the agent after a shutdown.
///
/// Source: Argo `workflow/controller/operator.go`, `operate` (trace types/http-exit-stop3-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AgentUnderShutdown {
    /// They are, like all exit hooks.
    IsAsked,
    /// They wait for ever, unless the workflow has an HTTP handler.
    IsNotAsked,
}

/// What becomes of a leaf that ended well without the outputs it declares.
///
/// Source: Argo `workflow/controller/operator.go`, `assessNodeStatus` (trace params/out-missing-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MissingOutput {
    /// It is Error.
    IsAnError,
    /// It stays Running for ever.
    KeepsItRunning,
}

/// The phase of a box that waited for a lock and has got it.
///
/// Source: Argo `workflow/controller/operator.go`, `executeTemplate` (trace limits/mutex-dag).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockedBox {
    /// Running.
    Runs,
    /// Pending, so that a deadline fails it at once.
    StaysPending,
}

/// When `failFast` of a template ends its box.
///
/// Source: Argo `workflow/controller/operator.go`, `checkParallelism` (trace conf/c35).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailFast {
    /// When everything in it that began, exit hooks included, is over.
    WhenItsInsidesAreOver,
    /// As soon as no pod directly inside it is active.
    WhenNoPodIsActive,
}

/// How a daemon ends with its box.
///
/// Source: Argo `workflow/controller/exec_control.go`, `killDaemonedChildren` (trace depends/daemon-hook-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DaemonEnd {
    /// It is told to end, its exit hook runs, then the box ends.
    BeforeItsBox,
    /// It is told to end and is Succeeded at once; its exit hook never runs.
    AfterItsBox,
}

/// Whether named hooks of a node that did not run are looked at.
///
/// Source: Argo `workflow/controller/dag.go`, `executeDAG` (#15192; before v4.2, as announced; trace
/// hooks/omit-hooks-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HooksOfSkipped {
    /// A hook is for a node that ran.
    NeverRun,
    /// One whose expression holds runs, in a DAG.
    Run,
}

/// How a workflow ends that is told to end while it waits for a lock of its own.
///
/// Source: Argo `workflow/controller/operator.go`, `releaseLocksForPendingShuttingdownWfs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockedWorkflow {
    /// Failed, by a stop as by a terminate.
    FailsByAny,
    /// Failed by a terminate; a stop changes nothing.
    Fails,
    /// Succeeded, and it is walked once more (before v4.0.10 and v4.1.2).
    Succeeds,
}

/// How a group of steps tells that a member cannot be resolved.
///
/// Source: Argo `workflow/controller/steps.go`, `resolveReferences`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReferenceText {
    /// With a small letter (v4.0.0 and later).
    Small,
    /// With a capital letter (up to v3.7).
    Capital,
}

impl ReferenceText {
    /// What stands before the reason.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Small => "failed to resolve references: ",
            Self::Capital => "Failed to resolve references: ",
        }
    }
}

/// The phase of a workflow that is retried by hand, until the next pass.
///
/// Source: Argo `workflow/util/util.go`, `FormulateRetryWorkflow`, `createNewRetryWorkflow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RetriedPhase {
    /// None, so that the next pass begins as the first did (v4.1.0 and later).
    Unset,
    /// Running.
    Running,
}

/// Whether a hook that is retried is taken for an attempt of the retried node it belongs to.
///
/// Source: Argo `workflow/controller/operator.go`, `getChildNodeIdsRetried` (all versions): it bears the mark
/// of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RetriedHooks {
    /// It is a hook.
    AreNoAttempts,
    /// It counts, and while it is open the node's own template is executed in its place.
    CountAsAttempts,
}

/// What the deadline of the workflow does to exit hooks.
///
/// Source: Argo `workflow/controller/exec_control.go`, `applyExecutionControl` (#13016).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HooksPastDeadline {
    /// They run to their end.
    GoOn,
    /// They are told to end like main work (before v3.5.11).
    AreCut,
}

/// What the tags of an item are in the arguments of its exit hook, in a DAG.
///
/// Source: Argo `workflow/controller/dag.go`, `executeDAGTask` (trace hooks/args-item-D; all versions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ItemArguments {
    /// Its values.
    AreFilled,
    /// Unknown names, which stay as they are.
    StayLiteral,
}

/// Whose the named hooks of a DAG's loop are.
///
/// Source: Argo `workflow/controller/dag.go`, `executeDAGTask` (#12281; before v4.2, as announced; steps have run
/// them for each item ever since). The right order does as releases did when this was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoopHooks {
    /// They run once, for the group; the tags of an item stay as they are written.
    OfTheGroup,
    /// They run for each item, with its values.
    OfEachItem,
}

/// Which handlers of the workflow may use `workflow.failures`.
///
/// Source: Argo `workflow/validate/validate.go`, `ValidateWorkflow` (#13245; all versions since v3.4.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HandlerFailures {
    /// That of `onExit` and that of `hooks.exit`.
    OfEveryHandler,
    /// That of `onExit`; a manifest that uses it below `hooks.exit` is refused.
    OfOnExit,
}

impl Behaviour {
    /// The right order: after a shutdown no exit hook begins while anything inside its owner still
    /// runs; every owner that began and ended runs its exit hook once; every node reaches a final
    /// phase.
    pub const UNWIND: Self = Self {
        name: Cow::Borrowed("unwind"),
        passes: Passes::UntilQuiet,
        repeated_shutdown: RepeatedShutdown::OnlyUp,
        stopped_leaf: StoppedLeaf::WhenItsProcessEnds,
        dag_under_shutdown: BoxUnderShutdown::WaitsForItsInsides,
        steps_under_shutdown: BoxUnderShutdown::WaitsForItsInsides,
        work_not_begun: WorkNotBegun::NeverBegins,
        hook_error: HookError::MakesTheBoxError,
        shutdown_while_suspended: ShutdownWhileSuspended::Resumes,
        open_results: OpenResults::HoldTheNode,
        loop_end: LoopEnd::AfterItemHooks,
        exit_dag_under_stop: ExitDagUnderStop::GoesOn,
        target_hooks: TargetHooks::LookedAt,
        retry_under_shutdown: RetryUnderShutdown::FollowsItsAttempt,
        lock_waiters: LockWaiters::Fail,
        skipped_outputs: SkippedOutputs::AreAbsent,
        lock_forms: LockForms::SinglesAndLists,
        hooks_of_skipped: HooksOfSkipped::NeverRun,
        hooks_under_terminate: HooksUnderTerminate::AreFollowed,
        group_hook: GroupHook::NeverRuns,
        item_hooks: ItemHooks::Together,
        loop_hooks: LoopHooks::OfTheGroup,
        hook_room: HookRoom::AlwaysThere,
        named_hooks_first: NamedHooksFirst::Always,
        agent_under_shutdown: AgentUnderShutdown::IsAsked,
        missing_output: MissingOutput::IsAnError,
        locked_box: LockedBox::Runs,
        fail_fast: FailFast::WhenItsInsidesAreOver,
        daemon_end: DaemonEnd::BeforeItsBox,
        locked_workflow: LockedWorkflow::FailsByAny,
        reference_text: ReferenceText::Small,
        retried_phase: RetriedPhase::Unset,
        retried_hooks: RetriedHooks::AreNoAttempts,
        hooks_past_deadline: HooksPastDeadline::GoOn,
        item_arguments: ItemArguments::AreFilled,
        handler_failures: HandlerFailures::OfEveryHandler,
    };

    /// What a release of Argo does, faults included. `version` is a full one such as `v4.1.2` or
    /// `3.7.0`; a part that is missing counts as the highest.
    pub fn argo(version: &str) -> Self {
        let at = Version::parse(version);
        let since = |v3: Version, v4: Version| if at.major >= 4 { at >= v4 } else { at >= v3 };
        let v = Version::of;
        // What is said of v4.2 beforehand.
        let is_announced = at >= v(4, 2, 0);
        Self {
            name: Cow::Owned(format!("argo {at}")),
            open_results: if at >= v(4, 0, 0) {
                OpenResults::HoldTheNode
            } else if at >= v(3, 7, 1) {
                OpenResults::HoldTheNodeTillItHasAFinalPhase
            } else {
                OpenResults::HoldTheWorkflow
            },
            loop_end: if since(v(3, 7, 17), v(4, 0, 8)) {
                LoopEnd::InTheAssessment
            } else {
                LoopEnd::AfterItemHooks
            },
            exit_dag_under_stop: if since(v(3, 7, 17), v(4, 0, 8)) {
                ExitDagUnderStop::GoesOn
            } else {
                ExitDagUnderStop::Fails
            },
            target_hooks: if since(v(3, 7, 15), v(4, 0, 6)) {
                TargetHooks::LookedAt
            } else {
                TargetHooks::RunAgain
            },
            retry_under_shutdown: if at >= v(4, 1, 0) {
                RetryUnderShutdown::FailsOnceLeavesAreOver
            } else {
                RetryUnderShutdown::FollowsItsAttempt
            },
            lock_waiters: if at >= v(4, 1, 2) || at.minor == 0 && at >= v(4, 0, 10) {
                LockWaiters::Fail
            } else {
                LockWaiters::Wait
            },
            skipped_outputs: if since(v(3, 7, 16), v(4, 0, 7)) {
                SkippedOutputs::AreAbsent
            } else {
                SkippedOutputs::StayLiteral
            },
            lock_forms: if at >= v(4, 0, 0) { LockForms::ListsOnly } else { LockForms::SinglesAndLists },
            hooks_of_skipped: if is_announced { HooksOfSkipped::NeverRun } else { HooksOfSkipped::Run },
            passes: Passes::OnePerReconcile,
            repeated_shutdown: RepeatedShutdown::LastCounts,
            stopped_leaf: StoppedLeaf::AtOnce,
            dag_under_shutdown: dag_under_shutdown(at),
            steps_under_shutdown: BoxUnderShutdown::WaitsForItsInsides,
            work_not_begun: WorkNotBegun::BeginsToFail,
            hook_error: if is_announced { HookError::MakesTheBoxError } else { HookError::EndsStepsOnly },
            shutdown_while_suspended: ShutdownWhileSuspended::Waits,
            hooks_under_terminate: HooksUnderTerminate::AreLeftBehind,
            group_hook: GroupHook::Runs,
            item_hooks: ItemHooks::OneByOne,
            loop_hooks: if is_announced { LoopHooks::OfEachItem } else { LoopHooks::OfTheGroup },
            hook_room: HookRoom::Counts,
            named_hooks_first: NamedHooksFirst::WhenSeen,
            agent_under_shutdown: AgentUnderShutdown::IsNotAsked,
            missing_output: MissingOutput::KeepsItRunning,
            locked_box: LockedBox::StaysPending,
            fail_fast: FailFast::WhenNoPodIsActive,
            daemon_end: DaemonEnd::AfterItsBox,
            locked_workflow: if at >= v(4, 1, 2) || at.minor == 0 && at >= v(4, 0, 10) {
                LockedWorkflow::Fails
            } else {
                LockedWorkflow::Succeeds
            },
            reference_text: if at >= v(4, 0, 0) { ReferenceText::Small } else { ReferenceText::Capital },
            retried_phase: if at >= v(4, 1, 0) { RetriedPhase::Unset } else { RetriedPhase::Running },
            retried_hooks: RetriedHooks::CountAsAttempts,
            item_arguments: ItemArguments::StayLiteral,
            handler_failures: HandlerFailures::OfOnExit,
            hooks_past_deadline: if at >= v(3, 5, 11) {
                HooksPastDeadline::GoOn
            } else {
                HooksPastDeadline::AreCut
            },
        }
    }
}

/// Source: `Behaviour::dag_under_shutdown`.
fn dag_under_shutdown(at: Version) -> BoxUnderShutdown {
    let v = Version::of;
    if at <= v(3, 4, 10) {
        BoxUnderShutdown::WaitsForItsInsides
    } else if at <= v(3, 4, 16) || at >= v(3, 5, 0) && at <= v(3, 5, 2) {
        BoxUnderShutdown::FailsWhateverIsOpen
    } else {
        BoxUnderShutdown::FailsAtOnce
    }
}
