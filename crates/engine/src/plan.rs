//! A workflow lowered to what the interpreter walks: templates, tasks, dependencies, hooks.
//!
//! In: a workflow object. Out: an arena of templates with all names resolved to indices, and
//! diagnostics. Lowering never fails: what cannot be run is an opaque template and a diagnostic.

mod fields;
mod lower;
mod outline;
mod references;
mod template;
mod unfold;

use unwind_model::{NodeName, NodeType, Shutdown};

use crate::depends::Depends;

pub use lower::lower;

/// Index of a template in `Plan::templates`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateIndex(pub u32);

/// Index of a task in its DAG, or of a step in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskIndex(pub u32);

impl TaskIndex {
    /// As an index of `Vec`.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// The lowered spec.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The workflow's name, which is the root node's too. Where the object has none yet, the
    /// start of it (`generateName`).
    pub workflow: String,
    /// All templates: those of the document in its order, then inline ones, then one for each name
    /// that could not be found.
    pub templates: Vec<TemplatePlan>,
    /// What the root runs.
    pub root: Call,
    /// The workflow's own exit hook.
    pub handler: Option<HookPlan>,
    /// Its other hooks, in document order.
    pub hooks: Vec<HookPlan>,
    /// The workflow's arguments, in document order.
    pub arguments: Vec<Argument>,
    /// `spec.shutdown` of the document.
    pub preset_shutdown: Option<Shutdown>,
    /// `spec.suspend` of the document.
    pub suspended: bool,
}

/// A template with its arguments, as a task, step or hook calls it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Which template.
    pub template: TemplateIndex,
    /// Arguments in document order, references not filled in.
    pub arguments: Vec<Argument>,
    /// The template's name, as the node shows it; empty for an inline template.
    pub name: String,
}

/// A parameter with its text, references not filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Name.
    pub name: String,
    /// Value, or default; `None` when neither is given.
    pub value: Option<String>,
}

/// One template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplatePlan {
    /// Name; empty for an inline template.
    pub name: String,
    /// What it takes, with defaults.
    pub inputs: Vec<Argument>,
    /// What it is.
    pub kind: TemplateKind,
    /// Whether it is a daemon: what comes after it begins while it runs.
    pub is_daemon: bool,
    /// JSON path of it in the document; empty for one that is not there.
    pub path: String,
}

/// What a template is.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateKind {
    /// Tasks with dependencies.
    Dag(DagPlan),
    /// Groups of steps, one after the other.
    Steps(StepsPlan),
    /// A program.
    Leaf(Box<LeafPlan>),
    /// A wait.
    Suspend(SuspendPlan),
    /// Something that this engine cannot run; its node ends Error at once.
    Opaque(OpaquePlan),
}

/// A DAG.
#[derive(Clone, Debug, PartialEq)]
pub struct DagPlan {
    /// Tasks in document order.
    pub tasks: Vec<TaskPlan>,
    /// The tasks to reach. Those named by `target` in that order, else all that nobody depends
    /// on, sorted by name. Source: Argo `workflow/controller/dag.go`, `executeDAG`.
    pub targets: Vec<TaskIndex>,
    /// Tasks that a target needs, dependencies first, in the order they are looked at.
    pub order: Vec<TaskIndex>,
}

/// Steps.
#[derive(Clone, Debug, PartialEq)]
pub struct StepsPlan {
    /// `groups[i]`: steps of group `i` in document order.
    pub groups: Vec<Vec<TaskPlan>>,
}

/// A task of a DAG or a step of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskPlan {
    /// Name.
    pub name: String,
    /// What it runs.
    pub call: Call,
    /// Tasks named by `dependencies` or `depends`, in the order of naming, each once.
    pub needs: Vec<TaskIndex>,
    /// Tasks that need this one, in document order.
    pub dependants: Vec<TaskIndex>,
    /// What must hold before it begins; `None`: nothing.
    pub depends: Option<Depends>,
    /// Condition, references not filled in.
    pub when: Option<String>,
    /// Whether others go on as if it had succeeded when it failed.
    pub continue_on: ContinueOn,
    /// Its exit hook.
    pub exit_hook: Option<HookPlan>,
    /// Its other hooks, in document order.
    pub hooks: Vec<HookPlan>,
    /// JSON path of it in the document.
    pub path: String,
}

/// `continueOn` of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContinueOn {
    /// After Failed.
    pub failed: bool,
    /// After Error.
    pub error: bool,
}

/// A lifecycle hook.
#[derive(Clone, Debug, PartialEq)]
pub struct HookPlan {
    /// Name in its map; `exit` for an exit hook.
    pub name: String,
    /// What it runs.
    pub call: Call,
    /// Condition of a named hook.
    pub condition: Option<String>,
    /// JSON path of it in the document.
    pub path: String,
}

/// A program, references not filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeafPlan {
    /// Image.
    pub image: String,
    /// Program and first arguments.
    pub command: Vec<String>,
    /// Further arguments.
    pub args: Vec<String>,
    /// Script text.
    pub source: Option<String>,
    /// Environment: names and values.
    pub env: Vec<(String, String)>,
    /// Working directory.
    pub working_dir: Option<String>,
}

/// A wait for a resume.
#[derive(Clone, Debug, PartialEq)]
pub struct SuspendPlan {
    /// After this many milliseconds it goes on by itself; `None`: only when resumed.
    pub duration_ms: Option<i64>,
}

/// A template that cannot be run.
#[derive(Clone, Debug, PartialEq)]
pub struct OpaquePlan {
    /// Type its node would have.
    pub node_type: NodeType,
    /// Message of the node that ends Error instead.
    pub message: String,
}

impl Plan {
    /// A template of this plan.
    pub fn template(&self, index: TemplateIndex) -> &TemplatePlan {
        &self.templates[index.0 as usize]
    }
}

impl TemplateKind {
    /// Type of a node that runs it.
    pub fn node_type(&self) -> NodeType {
        match self {
            Self::Dag(_) => NodeType::DAG,
            Self::Steps(_) => NodeType::Steps,
            Self::Leaf(_) => NodeType::Pod,
            Self::Suspend(_) => NodeType::Suspend,
            Self::Opaque(opaque) => opaque.node_type,
        }
    }
}

/// What a node is to the one it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Role {
    /// The workflow's root.
    Root,
    /// A task, step, item, group: part of the main work of its boundary.
    Work,
    /// The exit hook of its owner.
    ExitHook,
    /// Another lifecycle hook of its owner.
    NamedHook,
    /// The workflow's own exit hook.
    Handler,
}

/// One node that the plan foresees.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedNode {
    /// Full name the node will have.
    pub name: NodeName,
    /// Name without its boundary's.
    pub display_name: String,
    /// What it will be (`Pod` for any leaf that runs a program).
    pub node_type: NodeType,
    /// Template it runs; empty for step groups.
    pub template: String,
    /// What it is to the one it belongs to.
    pub role: Role,
    /// The DAG, Steps or `StepGroup` that encloses it (`None` for the root and the handler). A hook
    /// is enclosed by what encloses its owner.
    pub boundary: Option<NodeName>,
    /// The node whose hook it is (for the handler: the root).
    pub owner: Option<NodeName>,
    /// Siblings it waits for, by full name.
    pub depends_on: Vec<NodeName>,
    /// Condition of a named hook, or `when`.
    pub condition: Option<String>,
    /// Path of its task, step or hook in the document, for positions.
    pub path: String,
}
