//! Task results taken into nodes.
//! Source: Argo `workflow/controller/taskresult.go`, `taskResultReconciliation`.

use std::sync::Arc;

use unwind_model::NodeName;

use crate::behaviour::OpenResults;

use super::cluster::TaskResult;
use super::pass::Pass;
use super::table::At;

/// A node that has ended this long ago owes no result any more.
/// Source: Argo `taskresult.go`, `recentlyCompleted`.
const COMPLETED_MS: i64 = 600_000;

/// The same up to v3.7.0 when its pod is gone. Source: Argo `taskresult.go`, `recentlyDeleted`.
const ABSENT_MS: i64 = 120_000;

impl Pass<'_> {
    pub(crate) fn take_results(&mut self) {
        let all = self.run.cluster.results.iter();
        let known = all.filter_map(|(name, result)| Some((name, self.named(name.as_str())?, result)));
        let new = known.filter(|(_, at, result)| !self.is_taken(*at, result));
        let mut new: Vec<(NodeName, At, TaskResult)> =
            new.map(|(name, at, result)| (name.clone(), at, result.clone())).collect();
        new.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        for (_, at, result) in new {
            self.take_result(at, &result);
        }
    }

    /// Whether a result has been taken in already, so that nothing comes of it any more.
    fn is_taken(&self, at: At, result: &TaskResult) -> bool {
        let node = self.node(at);
        result.complete == Some(true)
            && node.synced != Some(false)
            && result.outputs.is_none()
            && result.progress.as_ref().is_none_or(|progress| node.rare().progress == *progress)
    }

    /// Takes in the result of one node, if there is one.
    pub(crate) fn take_result_of(&mut self, name: &NodeName) {
        // What comes later is taken for itself.
        if let Some(at) = self.named(name.as_str())
            && let Some(result) = self.run.cluster.results.remove(name)
        {
            self.take_result(at, &result);
        }
    }

    fn take_result(&mut self, at: At, result: &TaskResult) {
        // What has come to its end owes nothing any more.
        let is_settled = self.moves_only_forward() && self.node(at).is_completed();
        if let Some(complete) = result.complete.filter(|_| !is_settled) {
            self.set_synced(at, complete);
        }
        if result.complete == Some(false) {
            if self.gives_up_on(at) {
                self.set_synced(at, true);
            } else if self.waits_for_result(at) {
                return;
            }
        }
        let node = self.run.table.get_mut(at);
        let mut moved = false;
        if let Some(given) = &result.outputs {
            let mut outputs = given.clone();
            if outputs.exit_code.is_none() {
                outputs.exit_code = node.outputs.as_ref().and_then(|known| known.exit_code.clone());
            }
            if node.outputs.as_deref() != Some(&outputs) {
                node.outputs = Some(Arc::new(outputs));
                moved = true;
            }
        }
        if let Some(progress) = &result.progress
            && node.rare().progress != *progress
        {
            node.rare_mut().progress.clone_from(progress);
            moved = true;
        }
        if moved {
            self.updated = true;
        }
        if let Some(outputs) = &result.outputs {
            let given = outputs.clone();
            self.outputs_to_globals(Some(&given));
        }
    }

    /// Moves the result bit; that alone does not make the controller store the status.
    pub(crate) fn set_synced(&mut self, at: At, complete: bool) {
        if !self.results_hold_nodes() {
            return;
        }
        let node = self.run.table.get_mut(at);
        if node.synced != Some(complete) && node.synced.is_some() {
            self.unstored.push((at, node.synced));
            node.synced = Some(complete);
        }
    }

    /// Whether an open result is taken for complete, since its node has ended long ago.
    fn gives_up_on(&self, at: At) -> bool {
        let node = self.node(at);
        let most = match self.run.behaviour.open_results {
            OpenResults::HoldTheNode => return false,
            OpenResults::HoldTheWorkflow if !self.run.cluster.pods.has(&node.name) => ABSENT_MS,
            OpenResults::HoldTheWorkflow | OpenResults::HoldTheNodeTillItHasAFinalPhase => COMPLETED_MS,
        };
        node.phase.is_completed() && node.finished_at.is_none_or(|ended| self.now - ended > most)
    }

    /// Whether nothing is taken from the open result of a node, since that has ended lately.
    fn waits_for_result(&self, at: At) -> bool {
        match self.run.behaviour.open_results {
            OpenResults::HoldTheNode => false,
            OpenResults::HoldTheWorkflow | OpenResults::HoldTheNodeTillItHasAFinalPhase => {
                self.node(at).phase.is_completed()
            }
        }
    }

    /// Whether a result is open that keeps the workflow from ending.
    pub(crate) fn has_open_results(&self) -> bool {
        if self.results_hold_nodes() {
            return self.run.table.iter().any(|(_, node)| node.synced == Some(false));
        }
        self.run.table.iter().any(|(at, _)| self.owes_result(at))
    }

    /// Whether the result of a node is open, where results are kept beside the nodes.
    pub(crate) fn owes_result(&self, at: At) -> bool {
        let result = self.run.cluster.results.get(&self.node(at).name);
        result.is_some_and(|result| result.complete == Some(false)) && !self.gives_up_on(at)
    }
}
