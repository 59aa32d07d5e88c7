//! A run taken up from a status that some controller wrote, with what that controller would find around it.
//!
//! In: a workflow with its status, whole or not. Out: the run as if it had got there by itself: pods of what is
//! under way, open results and tasks, locks, stored templates. What a status does not tell is taken for the
//! usual: a pod runs where its node does.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use unwind_model::params::Outputs;
use unwind_model::{NodeName, NodePhase, NodeType, Timestamp, Workflow, WorkflowStatus};

use crate::behaviour::{Behaviour, Passes};
use crate::library::Library;
use crate::locks::LockStatus;
use crate::podname;
use crate::trace::{Words, shutdown_words};

use super::Run;
use super::cluster::{Agent, Pod, PodPhase, PodReport, TaskResult};
use super::links::add_links;
use super::table::{At, Node};
use super::templates::{Holder, Kind, Prepared, Reference, Sources};
use super::todo::Todo;
use super::workflow::STORED_SPEC;

impl Run {
    /// A run in the state that the workflow's status tells.
    pub fn from_status(workflow: Workflow, library: Library, behaviour: Behaviour) -> Self {
        let mut workflow = workflow;
        add_links(&mut workflow);
        let mut run = Self::new(Workflow::default(), library, behaviour);
        run.add_stored(&workflow);
        let status = run.take_up(workflow);
        run.take_state(&status);
        for at in run.table.all() {
            run.take_surroundings(at);
        }
        if !run.cluster.tasks.is_empty() {
            let name = podname::agent(&run.workflow.metadata.name);
            run.cluster.agent = Some(Agent { name });
        }
        run
    }

    /// Goes on by another row from where it stands. What the walk of one row keeps in mind of the tree means nothing
    /// to that of another.
    pub(crate) fn go_on_as(&mut self, behaviour: Behaviour) {
        let news = self.todo.take_news();
        self.behaviour = behaviour;
        self.todo = Todo::default();
        for node in news {
            self.todo.hear(node);
        }
        let walks_touched = self.behaviour.passes == Passes::UntilQuiet;
        for at in self.table.all() {
            let node = self.table.get_mut(at);
            node.place = None;
            node.noted = super::table::Noted::default();
            if let Some(boundary) = node.boundary.filter(|_| walks_touched) {
                self.todo.taken_up.entry(boundary).or_default().push(at);
            }
        }
    }

    /// Templates that the status keeps stand for documents that are not there.
    /// Source: Argo `workflow/templateresolution/context.go`, `GetTemplateByRef`; `workflow_types.go`,
    /// `StoredTemplates`.
    fn add_stored(&mut self, workflow: &Workflow) {
        let stored = workflow.status.other.get("storedTemplates").and_then(Value::as_object);
        let mut documents: BTreeMap<(bool, String), Vec<Value>> = BTreeMap::new();
        for (key, template) in stored.into_iter().flatten() {
            let mut parts = key.splitn(3, '/');
            let (scope, document) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            if scope == "namespaced" || scope == "cluster" {
                documents
                    .entry((scope == "cluster", document.to_owned()))
                    .or_default()
                    .push(template.clone());
            }
        }
        for ((cluster_scope, name), templates) in documents {
            self.add_document(cluster_scope, &name, &json!({"templates": templates}));
        }
        let whole = workflow.status.other.get(STORED_SPEC);
        if let Some(whole) = whole
            && let Ok(Some(by)) = workflow.spec.workflow_template_ref()
        {
            self.add_document(by.cluster_scope, &by.name, whole);
        }
    }

    fn add_document(&mut self, cluster_scope: bool, name: &str, spec: &Value) {
        if self.library.workflow_template(name, cluster_scope).is_some() {
            return;
        }
        let kind = if cluster_scope { "ClusterWorkflowTemplate" } else { "WorkflowTemplate" };
        let document = json!({"kind": kind, "metadata": {"name": name}, "spec": spec});
        // What cannot be read is missed where it is looked up.
        self.library.add(&document).ok();
    }

    fn take_state(&mut self, status: &WorkflowStatus) {
        self.state.progress.clone_from(&status.progress);
        let of = |field: &str| status.other.get(field).cloned();
        self.state.outputs = of("outputs").and_then(|outputs| Outputs::deserialize(outputs).ok());
        self.state.locks = of("synchronization").and_then(|locks| LockStatus::deserialize(locks).ok());
        if let Some(locks) = &self.state.locks {
            self.locks.take_up(locks, &self.library);
        }
    }

    /// Pod, result and task of a node.
    fn take_surroundings(&mut self, at: At) {
        self.take_template(at);
        let on_exit = self.is_in_exit_hook(at);
        let node = self.table.get_mut(at);
        node.never_began = matches!(shutdown_words(&node.message), Some(Words::Refused(_)))
            && node.phase == NodePhase::Failed;
        let node = self.table.get(at);
        let name = node.name.clone();
        let is_open = !node.phase.is_final() || node.synced == Some(false);
        match node.kind {
            NodeType::HTTP | NodeType::Plugin if !node.phase.is_final() => {
                self.cluster.tasks.insert(name, None);
            }
            NodeType::Pod if is_open && node.rare().waits_for.is_none() => {
                let pod = pod_of(node, on_exit);
                if node.synced == Some(false) {
                    let result = TaskResult { complete: Some(false), ..TaskResult::default() };
                    self.cluster.results.insert(name.clone(), result);
                }
                self.cluster.pods.insert(name.clone(), Arc::new(pod));
                self.take_containers(at, &name);
            }
            NodeType::Pod
            | NodeType::Container
            | NodeType::Steps
            | NodeType::StepGroup
            | NodeType::DAG
            | NodeType::TaskGroup
            | NodeType::Retry
            | NodeType::Skipped
            | NodeType::Suspend
            | NodeType::HTTP
            | NodeType::Plugin => {}
        }
    }

    fn take_containers(&mut self, at: At, name: &NodeName) {
        let open: Vec<_> = self
            .table
            .containers(at)
            .into_iter()
            .map(|container| self.table.get(container))
            .filter(|node| !node.phase.is_final())
            .map(|node| {
                let is_running = node.phase == NodePhase::Running;
                let state =
                    if is_running { super::ContainerState::Running } else { super::ContainerState::Waiting };
                (node.display_name().to_owned(), state)
            })
            .collect();
        if let Some(pod) = self.cluster.pods.get_mut(name) {
            Arc::make_mut(pod).containers.extend(open);
        }
    }

    /// The template of a node, its tags not filled in: pods are looked at before the tree is walked, and members
    /// of a box count against its parallelism.
    fn take_template(&mut self, at: At) {
        let node = self.table.get(at);
        if node.template.is_some() {
            return;
        }
        if node.template_name.is_empty() && node.rare().template_ref.is_none() {
            let inline = self.inline_of(at);
            self.table.get_mut(at).template = inline;
            return;
        }
        let mut scope = node.template_scope.splitn(2, '/');
        let holder = match (scope.next(), scope.next()) {
            (Some("namespaced"), Some(name)) => Holder::Namespaced(name.to_owned()),
            (Some("cluster"), Some(name)) => Holder::Cluster(name.to_owned()),
            _ => Holder::Workflow,
        };
        let template_ref = node.rare().template_ref.clone().and_then(|by| Deserialize::deserialize(by).ok());
        let reference =
            Reference { template: node.template_name.to_string(), template_ref, ..Reference::default() };
        let spec = self.spec.as_deref().unwrap_or(&self.workflow.spec);
        let own = if spec.templates.is_empty() { &self.workflow.spec.templates } else { &spec.templates };
        let sources = Sources { templates: own, spec, library: &self.library };
        if let Ok(found) = self.templates.resolve(&sources, &holder, &reference) {
            self.table.get_mut(at).template = Some(found);
        }
    }

    /// The template that stands in the task or step of a node. What encloses it has got its own already: its name
    /// is a part of the node's, and shorter.
    fn inline_of(&self, at: At) -> Option<Arc<Prepared>> {
        let node = self.table.get(at);
        let outer = self.table.get(node.boundary.filter(|outer| *outer != at)?);
        let template = outer.template.as_ref()?;
        let rest = node.name.as_str().strip_prefix(outer.name.as_str())?;
        let member =
            if template.kind == Kind::Steps { rest.split_once("].")?.1 } else { rest.strip_prefix('.')? };
        let end = member.find(['(', '.']).unwrap_or(member.len());
        if !matches!(member.as_bytes()[end..].last(), None | Some(b')')) {
            return None;
        }
        let steps = template.template.steps.iter().flatten().flat_map(|group| &group.0);
        let mut tasks = template.template.dag.iter().flat_map(|dag| &dag.tasks).chain(steps);
        let inline = tasks.find(|task| task.name == member[..end])?.inline.as_deref()?;
        Prepared::of(inline.clone(), template.holder.clone()).ok().map(Arc::new)
    }

    /// Whether a node is an exit hook or inside one.
    fn is_in_exit_hook(&self, at: At) -> bool {
        let mut next = Some(at);
        while let Some(at) = next {
            let node = self.table.get(at);
            if node.is_hooked() && of_whole(node).ends_with(".onExit") {
                return true;
            }
            next = node.boundary.filter(|outer| *outer != at);
        }
        false
    }
}

/// The name of a node; of an attempt that of its Retry.
fn of_whole(node: &Node) -> &str {
    let name = node.name.as_str();
    let attempt = name.strip_suffix(')').filter(|_| node.is_retried());
    attempt.and_then(|rest| rest.rsplit_once('(')).map_or(name, |(whole, _)| whole)
}

fn pod_of(node: &Node, on_exit: bool) -> Pod {
    let began = node.started_at.unwrap_or(Timestamp(0));
    let is_pending = node.phase == NodePhase::Pending;
    let report = PodReport {
        phase: if is_pending { PodPhase::Pending } else { PodPhase::Running },
        // What a Pending node says is why its pod waits.
        reason: Some(node.message.clone()).filter(|text| is_pending && !text.is_empty()),
        ..PodReport::pending(began)
    };
    Pod { report, on_exit, containers: BTreeMap::new(), told: None, is_ending: false, lost: None }
}
