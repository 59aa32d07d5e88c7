//! The phase of a DAG, told from the nodes below it.
//! Source: Argo `workflow/controller/dag.go`, `assessDAGPhase`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use unwind_model::{NodePhase, NodeType};

use crate::behaviour::LoopEnd;

use super::dag::{Dag, goes_on};
use super::pass::Pass;
use super::table::At;

impl Pass<'_> {
    /// Running while anything below the DAG is not over; then what its targets say.
    pub(crate) fn dag_phase(&mut self, dag: &Dag, targets: &[usize], shutdown: bool, cut: bool) -> NodePhase {
        if shutdown {
            return NodePhase::Failed;
        }
        let nodes: Vec<Option<At>> =
            targets.iter().map(|task| self.named(&dag.task_node_name(&dag.tasks()[*task].name))).collect();
        let mut reached: BTreeMap<At, Option<NodePhase>> =
            nodes.iter().flatten().map(|node| (*node, None)).collect();
        if !self.walk_branches(dag.at, &mut reached, cut) {
            return NodePhase::Running;
        }
        let mut result = NodePhase::Succeeded;
        for (target, node) in targets.iter().zip(nodes) {
            let phase = node.and_then(|node| reached.get(&node).copied().flatten());
            match phase {
                // What was not begun in time does not come any more.
                None if cut => result = NodePhase::Failed,
                None => {
                    result = NodePhase::Running;
                    if !dag.fail_fast {
                        break;
                    }
                }
                Some(phase @ (NodePhase::Failed | NodePhase::Error)) => {
                    if goes_on(&dag.tasks()[*target], phase) {
                        continue;
                    }
                    result = phase;
                    if dag.fail_fast {
                        break;
                    }
                }
                Some(
                    NodePhase::Pending
                    | NodePhase::Running
                    | NodePhase::Succeeded
                    | NodePhase::Skipped
                    | NodePhase::Omitted,
                ) => {}
            }
        }
        result
    }

    /// Breadth first through everything below; `false` when something is not over. Each target gets the
    /// phase of the last node that ran on the way to it.
    fn walk_branches(&mut self, dag: At, reached: &mut BTreeMap<At, Option<NodePhase>>, cut: bool) -> bool {
        let mut seen = BTreeSet::new();
        let mut queue = VecDeque::new();
        let mut add = |queue: &mut VecDeque<(At, NodePhase)>, nodes: &[At], phase: NodePhase| {
            for node in nodes {
                if seen.insert((*node, phase)) {
                    queue.push_back((*node, phase));
                }
            }
        };
        // The hooks of the DAG itself come after it.
        let is_own = |child: &At| self.node(*child).is_hooked() && self.node(*child).boundary != Some(dag);
        let mut children = self.node(dag).children.clone();
        children.retain(|child| !self.moves_only_forward() || !is_own(child));
        add(&mut queue, &children, NodePhase::Succeeded);
        while let Some((at, mut branch)) = queue.pop_front() {
            if cut && !self.node(at).exists {
                continue;
            }
            if !self.node(at).is_fulfilled() && !self.complete_group(at) {
                return false;
            }
            let node = self.node(at);
            // A hook says nothing about its owner, nor does what is inside a task about it.
            let counts = !self.moves_only_forward() || node.boundary == Some(dag) && !node.is_hooked();
            if node.is_completed() && counts {
                branch = node.phase;
            }
            if let Some(known) = reached.get_mut(&at) {
                let failed = matches!(known, Some(NodePhase::Failed | NodePhase::Error));
                if !failed {
                    *known = Some(branch);
                }
            }
            if node.kind == NodeType::Retry {
                // A Retry shows the phase of its last attempt; only what hangs below attempts, and hooks, matter.
                let attempts = self.attempts(at);
                for child in node.children.clone() {
                    // What depends on a hook that is retried hangs below it, beside its attempts.
                    let is_beside = self.moves_only_forward() && !attempts.contains(&child);
                    let is_hook =
                        self.node(child).is_hooked() && !self.node(child).name.as_str().ends_with(')');
                    if is_beside || is_hook {
                        add(&mut queue, &[child], branch);
                    } else {
                        add(&mut queue, &self.node(child).children, branch);
                    }
                }
            } else {
                add(&mut queue, &node.children, branch);
            }
        }
        true
    }

    /// A Running group of items that are all over is completed on the spot, hooks or not.
    fn complete_group(&mut self, at: At) -> bool {
        match self.run.behaviour.loop_end {
            LoopEnd::AfterItemHooks => return false,
            LoopEnd::InTheAssessment => {}
        }
        let node = self.node(at);
        if node.kind != NodeType::TaskGroup || node.phase != NodePhase::Running {
            return false;
        }
        let mut phase = NodePhase::Succeeded;
        for child in &node.children {
            let child = self.node(*child);
            if !child.is_fulfilled() {
                return false;
            }
            if child.is_failed() && !child.is_hooked() {
                phase = child.phase;
            }
        }
        self.mark(at, phase);
        true
    }
}
