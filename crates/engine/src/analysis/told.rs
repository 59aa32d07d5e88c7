//! What hooks and handlers were told of how things went, beside how they went.
//!
//! In: the values that nodes of exit work were given, and the tags that their arguments are written with. Out:
//! one entry for each value that tells an outcome. Source: Argo `workflow/controller/operator.go`
//! (`workflow.status`, `workflow.failures`), `workflow/controller/scope.go` (`tasks.X.status`).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unwind_model::{NodeName, NodePhase, NodeStatus, NodeType, Workflow, ordered};

use crate::plan::{Call, HookPlan, Plan, Role};
use crate::trace::Trace;
use crate::trace::known::{Known, match_all};
use crate::trace::tree::Tree;
use crate::verdict::Phases;

/// What stands in the name of every node of exit work.
const EXIT_HOOK: &str = ".onExit";

/// One value that a node of exit work was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Told {
    /// Who was told.
    pub node: NodeName,
    /// Name of the parameter.
    pub parameter: String,
    /// What it was asked with, for example `workflow.status`.
    pub tag: String,
    /// What it was told.
    pub told: String,
    /// How it was.
    pub fact: String,
    /// Whether that is the same.
    pub is_right: bool,
}

/// Every outcome that was told, in bracket order.
pub fn told(workflow: &Workflow, plan: &Plan, trace: &Trace, phases: &Phases) -> Vec<Told> {
    let is_given =
        |node: &NodeStatus| !node.inputs.parameters.is_empty() && node.name.as_str().contains(EXIT_HOOK);
    if !workflow.status.nodes.values().any(is_given) {
        return Vec::new();
    }
    let tree = Tree::build(&trace.spans);
    let known = match_all(plan, &trace.spans, &tree);
    let teller = Teller { workflow, plan, trace, phases, tree: &tree, known: &known };
    let mut found = Vec::new();
    let mut in_exit = vec![false; trace.spans.len()];
    let mut in_handler = vec![false; trace.spans.len()];
    for &at in &tree.downward {
        let parent = tree.parent[at];
        let role = trace.spans[at].role;
        in_handler[at] = role == Role::Handler || parent.is_some_and(|parent| in_handler[parent]);
        in_exit[at] =
            in_handler[at] || role == Role::ExitHook || parent.is_some_and(|parent| in_exit[parent]);
    }
    let by_name = ordered::map(workflow.status.nodes.values().map(|node| (&node.name, node)));
    for at in (0..trace.spans.len()).filter(|at| in_exit[*at]) {
        let Some(node) = by_name.get(&trace.spans[at].node) else { continue };
        let Some(call) = teller.call(at) else { continue };
        for parameter in &node.inputs.parameters {
            let written = call.arguments.iter().find(|argument| argument.name == parameter.name);
            let Some((before, tag, after)) = written.and_then(|one| tagged(one.value.as_deref()?)) else {
                continue;
            };
            let value = parameter.value.as_deref().unwrap_or_default();
            let Some(value) = value.strip_prefix(before).and_then(|value| value.strip_suffix(after)) else {
                continue;
            };
            // Of an inner hook the workflow still runs, whatever came of its owner.
            let fact = match tag {
                "workflow.status" if in_handler[at] => Some(teller.whole(value)),
                "workflow.failures" if in_handler[at] => Some(teller.failures(value)),
                _ => teller.sibling(at, tag).map(|phase| (phase.to_owned(), phase == value)),
            };
            if let Some((fact, is_right)) = fact {
                found.push(Told {
                    node: node.name.clone(),
                    parameter: parameter.name.clone(),
                    tag: tag.to_owned(),
                    told: value.to_owned(),
                    fact,
                    is_right,
                });
            }
        }
    }
    found
}

/// What stands before a tag, the tag, and what stands after it; `None` where there is not exactly one.
fn tagged(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (tag, after) = rest.split_once("}}")?;
    (!after.contains("{{")).then_some((before, tag.trim(), after))
}

struct Teller<'a> {
    workflow: &'a Workflow,
    plan: &'a Plan,
    trace: &'a Trace,
    phases: &'a Phases,
    tree: &'a Tree,
    known: &'a [Known<'a>],
}

impl<'a> Teller<'a> {
    /// How a node was called.
    fn call(&self, at: usize) -> Option<&'a Call> {
        let exit = |hook: Option<&'a HookPlan>| hook.map(|hook| &hook.call);
        match self.trace.spans[at].role {
            Role::Handler => exit(self.plan.handler.as_ref()),
            Role::ExitHook => exit(self.known[self.tree.owner[at]?].exit),
            Role::Work => self.known[at].task.map(|task| &task.call),
            Role::Root | Role::NamedHook => None,
        }
    }

    /// How the main work ended, beside what was told. A handler is told the phase that the workflow had before
    /// it ran.
    fn whole(&self, told: &str) -> (String, bool) {
        let root = self.trace.spans.iter().find(|span| span.role == Role::Root);
        let group = root.and_then(|root| self.phases.groups.iter().find(|group| group.node == root.node));
        let phase = group.map(|group| group.worked_out).or(root.map(|root| root.phase));
        // A shutdown fails the workflow whatever its root came to.
        let is_shut =
            self.trace.shutdown.is_some() && phase == Some(NodePhase::Succeeded) && told == "Failed";
        let phase = phase.map_or("", |phase| phase.as_str());
        (phase.to_owned(), phase == told || is_shut)
    }

    /// The programs of main work that failed, beside those that were told of.
    fn failures(&self, told: &str) -> (String, bool) {
        let listed: Vec<String> = listed(told);
        let mut failed: Vec<&str> = Vec::new();
        let mut in_hook = vec![false; self.trace.spans.len()];
        for &at in &self.tree.downward {
            let span = &self.trace.spans[at];
            in_hook[at] = match span.role {
                Role::ExitHook | Role::NamedHook | Role::Handler => true,
                Role::Root | Role::Work => self.tree.parent[at].is_some_and(|parent| in_hook[parent]),
            };
            let is_bad = matches!(span.phase, NodePhase::Failed | NodePhase::Error);
            if is_bad && !in_hook[at] && span.node_type == NodeType::Pod {
                failed.push(&span.display_name);
            }
        }
        let is_right = failed.iter().all(|name| listed.iter().any(|told| told == name));
        (failed.join(", "), is_right)
    }

    /// The phase of a sibling that `tasks.X.status` or `steps.X.status` names.
    fn sibling(&self, at: usize, tag: &str) -> Option<&'static str> {
        let name =
            tag.strip_prefix("tasks.").or_else(|| tag.strip_prefix("steps."))?.strip_suffix(".status")?;
        let parent = self.tree.parent[at]?;
        // Steps see those of earlier groups.
        let around = match self.trace.spans[parent].node_type {
            NodeType::StepGroup => self.tree.parent[parent].unwrap_or(parent),
            NodeType::Pod
            | NodeType::Container
            | NodeType::Steps
            | NodeType::DAG
            | NodeType::TaskGroup
            | NodeType::Retry
            | NodeType::Skipped
            | NodeType::Suspend
            | NodeType::HTTP
            | NodeType::Plugin => parent,
        };
        let groups = self.tree.insides[around].iter().flat_map(|group| &self.tree.insides[*group]);
        let all = self.tree.insides[around].iter().chain(groups);
        let of_name = |at: &&usize| self.known[**at].task.is_some_and(|task| task.name == name);
        let mut found = all.filter(of_name).filter(|at| self.trace.spans[**at].display_name == name);
        let (first, second) = (found.next()?, found.next());
        let phase = self.trace.spans[*first].phase;
        let is_known = self.workflow.status.nodes.contains_key(&self.trace.spans[*first].id);
        (second.is_none() && phase.is_final() && is_known).then(|| phase.as_str())
    }
}

/// Names in the list of failures, which Argo gives as JSON inside a JSON text.
fn listed(told: &str) -> Vec<String> {
    let mut value: Value = serde_json::from_str(told).unwrap_or_default();
    if let Value::String(text) = &value {
        value = serde_json::from_str(text).unwrap_or_default();
    }
    let names = value.as_array().into_iter().flatten().filter_map(|one| one.get("displayName")?.as_str());
    names.map(str::to_owned).collect()
}
