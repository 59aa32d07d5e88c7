//! The table of behaviours: one named field per thing on which the right order and a release differ.
//!
//! It is the only place that knows versions. Each field names the Argo file, function and version
//! range it stands for. The interpreter asks these fields by `match`, so that a new row stops the
//! compiler wherever it must be thought of.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

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
    /// What keeps the workflow from ending.
    pub end_of_workflow: EndOfWorkflow,
    /// What a shutdown does while the whole workflow is suspended.
    pub shutdown_while_suspended: ShutdownWhileSuspended,
}

/// How far one event carries.
///
/// Argo makes one walk of the tree per reconcile and decides everything in it at once
/// (`workflow/controller/operator.go`, `operate`; all versions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Passes {
    /// Until there is nothing more to decide.
    UntilQuiet,
}

/// What a second shutdown request does.
///
/// Argo patches `spec.shutdown`, so the last request counts, also a weaker one
/// (`workflow/util/util.go`, `patchShutdownStrategy`; all versions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RepeatedShutdown {
    /// The strongest request counts; a weaker one after it changes nothing.
    OnlyUp,
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
}

/// When a box ends under a shutdown.
///
/// Argo fails a DAG at once unless the direct exit hook of one of its completed targets is still
/// open (`workflow/controller/dag.go`, `executeDAG` and `assessDAGPhase`; v3.4.11 to v3.4.16 and
/// v3.5.0 to v3.5.2 without the exception, from v3.4.17 and v3.5.3 with it). Steps wait
/// (`workflow/controller/steps.go`, `executeStepGroup`; all versions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoxUnderShutdown {
    /// When everything inside it, exit hooks included, has ended.
    WaitsForItsInsides,
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
}

/// What an exit hook that ends Error does to the box around its owner.
///
/// In Argo an error on creating a hook makes a group of steps Error and has no effect in a DAG
/// (`workflow/controller/steps.go`, `executeStepGroup`; `dag.go`, `executeDAGTask`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HookError {
    /// The box becomes Error after its remaining hooks have run.
    MakesTheBoxError,
}

/// What keeps the workflow from ending.
///
/// Argo looks at the root node, the handler, open task results and daemons, and leaves other
/// unfinished nodes behind (`workflow/controller/operator.go`, `operate` and `markWorkflowPhase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndOfWorkflow {
    /// Every node is final first.
    AfterEveryNode,
}

/// What a shutdown does while the whole workflow is suspended.
///
/// In Argo the tree is not walked while `spec.suspend` is set, so hooks do not begin and the
/// workflow does not end (`workflow/controller/operator.go`, `operate`; #17041, all versions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShutdownWhileSuspended {
    /// It ends the suspension.
    Resumes,
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
        end_of_workflow: EndOfWorkflow::AfterEveryNode,
        shutdown_while_suspended: ShutdownWhileSuspended::Resumes,
    };
}
