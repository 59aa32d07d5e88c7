//! HTTP and plug-in nodes: handed to the agent, answered by it.
//! Source: Argo `workflow/controller/taskset.go`, `agent.go`, `http_template.go`, `plugin_template.go`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use unwind_model::params::Outputs;
use unwind_model::{NodeName, NodePhase, NodeType};

use crate::podname;

use super::cluster::{Agent, PodAct};
use super::pass::Pass;
use super::table::At;
use super::template::Call;
use super::templates::{Kind, Prepared};

impl Pass<'_> {
    pub(crate) fn execute_task(&mut self, call: &Call<'_>, template: &Arc<Prepared>) {
        let kind = if template.kind == Kind::Plugin { NodeType::Plugin } else { NodeType::HTTP };
        let at = match self.named(call.name) {
            Some(at) => at,
            None => self.add_executable(call, kind, NodePhase::Pending, template, ""),
        };
        if !self.node(at).is_fulfilled() {
            self.run.todo.asks_agent = true;
            let name = self.node(at).name.clone();
            if self.walks_touched() {
                self.run.cluster.asked.entry(name.clone()).or_insert_with(|| Arc::clone(template));
            }
            self.run.cluster.tasks.get_or_insert(name, || None);
        }
    }

    /// Whether a node or anything inside it waits for the agent.
    /// Source: Argo `operator.go`, `nodeRequiresTaskSetReconciliation`.
    pub(crate) fn waits_for_agent(&self, at: At) -> bool {
        let waits = |at: At| is_task(self.node(at).kind) && !self.node(at).is_fulfilled();
        waits(at) || self.breadth_first(at).into_iter().any(waits)
    }

    /// Takes in the agent's answers and sees to it that there is an agent.
    /// Source: Argo `taskset.go`, `taskSetReconciliation`.
    pub(crate) fn dispatch_tasks(&mut self) {
        self.take_answers();
        if self.run.table.iter().any(|(_, node)| is_task(node.kind) && !node.is_fulfilled()) {
            self.ask_agent();
        }
    }

    /// Sees to it that there is an agent.
    pub(crate) fn ask_agent(&mut self) {
        if self.run.cluster.agent.is_none() {
            let name = podname::agent(&self.run.workflow.metadata.name);
            self.run.cluster.agent = Some(Agent { name: name.clone() });
            self.acts.push(PodAct::CreatedAgent { name });
        }
    }

    fn take_answers(&mut self) {
        let answers: Vec<_> = self
            .run
            .cluster
            .tasks
            .sorted()
            .into_iter()
            .filter_map(|(node, answer)| Some((node.clone(), answer.clone()?)))
            .collect();
        for (name, answer) in answers {
            if let Some(at) = self.named(name.as_str()).filter(|at| !self.node(*at).is_fulfilled()) {
                self.take_answer(at, &answer);
            }
        }
    }

    /// Takes in the agent's answer for one node, if there is one.
    pub(crate) fn take_answer_of(&mut self, name: &NodeName) {
        let answer = self.run.cluster.tasks.get(name).cloned().flatten();
        let at = self.named(name.as_str()).filter(|at| !self.node(*at).is_fulfilled());
        if let (Some(at), Some(answer)) = (at, answer) {
            self.take_answer(at, &answer);
        }
    }

    fn take_answer(&mut self, at: At, answer: &Value) {
        let text = |field: &str| answer.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let phase = answer.get("phase").and_then(|phase| NodePhase::deserialize(phase).ok());
        let outputs = answer.get("outputs").and_then(|outputs| Outputs::deserialize(outputs).ok());
        if let Some(outputs) = outputs {
            self.outputs_to_globals(Some(&outputs));
            self.run.table.get_mut(at).outputs = Some(Arc::new(outputs));
        }
        if let Some(progress) = answer.get("progress").and_then(Value::as_str) {
            progress.clone_into(&mut self.run.table.get_mut(at).rare_mut().progress);
        }
        if let Some(phase) = phase {
            self.mark_message(at, phase, &text("message"));
            if phase == NodePhase::Succeeded {
                // The controller only logs an error.
                self.save_to_cache(at).ok();
            }
        }
        let name = &self.run.table.get(at).name;
        self.run.cluster.asked.remove(name);
        // Whatever the answer is, it is taken for the end.
        self.run.table.get_mut(at).finished_at = Some(self.now);
        self.updated = true;
    }
}

fn is_task(kind: NodeType) -> bool {
    matches!(kind, NodeType::HTTP | NodeType::Plugin)
}
