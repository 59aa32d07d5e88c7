//! The engine in the page as a source of runs: a simulation with a pace.
//!
//! In: a manifest, and how much time has passed outside. Out: the workflow as it is then. It is the
//! only mock there is: what it shows goes the same way as what a server sends.

use std::collections::BTreeMap;

use unwind_engine::event::LeafEnd;
use unwind_engine::plan::{PlannedNode, Role};
use unwind_engine::sketch::{Rehearsal, RehearsedLeaf, Simulation};
use unwind_engine::{Behaviour, Plan};
use unwind_model::{NodeName, NodeType, Timestamp, Workflow, ordered};

/// How long a leaf of the main work takes unless told, in ms.
pub const WORK_MS: i64 = 60_000;
/// How long a leaf of a hook takes unless told, in ms.
pub const HOOK_MS: i64 = 12_000;
/// How long a leaf takes to end once it is told to, in ms.
pub const GRACE_MS: i64 = 2_000;

/// How one leaf is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafPlan {
    /// Duration in ms.
    pub duration_ms: i64,
    /// Exit code.
    pub exit_code: i32,
}

/// A run of the engine in this page.
#[derive(Debug)]
pub struct Local {
    simulation: Simulation,
}

impl Local {
    /// Begins `workflow` at `begin`; leaves go as told, by full name.
    pub fn new(workflow: &Workflow, begin: Timestamp, leaves: &BTreeMap<NodeName, LeafPlan>) -> Self {
        let leaves = leaves.iter().map(|(name, leaf)| {
            let end = LeafEnd::Exited { code: leaf.exit_code, outputs: None };
            (name.clone(), RehearsedLeaf { duration_ms: leaf.duration_ms, end })
        });
        let rehearsal =
            Rehearsal { begin, leaf_ms: HOOK_MS, grace_ms: GRACE_MS, leaves: ordered::map(leaves) };
        Self { simulation: Simulation::new(workflow, rehearsal, Behaviour::UNWIND) }
    }

    /// The workflow as it is now, with milliseconds.
    pub fn workflow(&self) -> Workflow {
        self.simulation.workflow()
    }

    /// The simulation's own clock.
    pub fn now(&self) -> Timestamp {
        self.simulation.now()
    }

    /// When something will happen next by itself.
    pub fn next_at(&self) -> Option<Timestamp> {
        self.simulation.next_at()
    }

    /// Lets `ms` pass. True when anything moved.
    pub fn pass(&mut self, ms: i64) -> bool {
        let until = self.simulation.now() + ms;
        !self.simulation.advance_to(until).is_empty()
    }

    /// Lets the next event happen. False when nothing comes any more.
    pub fn step(&mut self) -> bool {
        self.simulation.advance().is_some()
    }

    /// Lets everything happen.
    pub fn run_to_end(&mut self) {
        while self.simulation.advance().is_some() {}
    }

    /// Asks for a stop.
    pub fn stop(&mut self) {
        self.simulation.stop();
    }

    /// Asks for a terminate.
    pub fn terminate(&mut self) {
        self.simulation.terminate();
    }
}

/// The leaves that a plan foresees, with the durations they get unless told: hooks are short.
pub fn default_leaves(plan: &Plan) -> BTreeMap<NodeName, LeafPlan> {
    let outline = plan.outline();
    let hooks: Vec<&PlannedNode> = outline.iter().filter(|node| is_hook(node.role)).collect();
    let leaves = outline.iter().filter(|node| node.node_type == NodeType::Pod);
    ordered::map(leaves.map(|node| {
        let is_in_hook = hooks.iter().any(|hook| is_at_or_below(&node.name, &hook.name));
        let duration_ms = if is_in_hook { HOOK_MS } else { WORK_MS };
        (node.name.clone(), LeafPlan { duration_ms, exit_code: 0 })
    }))
}

fn is_hook(role: Role) -> bool {
    match role {
        Role::ExitHook | Role::NamedHook | Role::Handler => true,
        Role::Root | Role::Work => false,
    }
}

/// Names of what lies inside a node begin with its name.
fn is_at_or_below(name: &NodeName, outer: &NodeName) -> bool {
    name.as_str()
        .strip_prefix(outer.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '(']))
}
