//! Whether a recorded run kept the order rule, from what its lines say.
//!
//! It knows names, phases, what happened to pods and which tasks declare an exit hook; it shares no code with the
//! engine. Source of the rule: `cases/README.md`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::traces::recorded::{Event, Pass, PodEvent, Recorded};

/// End of the name of an exit hook's node.
const EXIT: &str = ".onExit";

/// What a run left, lost and broke.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// Whether it never ended.
    pub(super) hangs: bool,
    /// Nodes that never became final.
    pub(super) unfinished: BTreeSet<String>,
    /// Exit hooks that were due and did not run whole.
    pub(super) lost: BTreeSet<String>,
    /// Exit hooks that began before what is inside their owner was over.
    pub(super) too_early: BTreeSet<String>,
}

impl Kept {
    /// Judges a whole run: `is_let_go_on` when nothing was asked of it, so that a pod that never came up is its own
    /// affair and its hook is due. Hooks that began before the pass at `first` are taken as they are.
    pub(super) fn of(recorded: &Recorded, first: usize, is_let_go_on: bool) -> Self {
        let scene = Scene::of(&recorded.passes, first);
        let mut kept = Self { hangs: recorded.end.end != "completed", ..Self::default() };
        for (name, node) in &scene.nodes {
            if node.over.is_none() {
                kept.unfinished.insert(name.clone());
            }
            if name.ends_with(EXIT) && node.begun >= first && scene.is_early(name, node.begun) {
                kept.too_early.insert(name.clone());
            }
            let hook = format!("{name}{EXIT}");
            if scene.has_run(name, node, is_let_go_on)
                && !scene.was_closed(node, first)
                && declares_hook(recorded, &scene, node)
                && !scene.nodes.contains_key(&hook)
            {
                kept.lost.insert(hook);
            }
        }
        kept.lost.extend(scene.cut);
        kept
    }

    /// Whether nothing was left, lost or broken.
    pub(super) fn is_right(&self) -> bool {
        !self.hangs && self.unfinished.is_empty() && self.lost.is_empty() && self.too_early.is_empty()
    }
}

/// A node as it was stored last.
struct Node {
    stored: Value,
    /// Index of the pass that made it.
    begun: usize,
    /// Index of the pass from which on it is over.
    over: Option<usize>,
    /// Whether it was ever seen to run.
    ran: bool,
    /// Whether it ever was a daemon.
    daemoned: bool,
}

/// A pod.
#[derive(Default)]
struct Pod {
    made: bool,
    ran: bool,
    /// Index of the pass that sees it run.
    up: Option<usize>,
    killed: Option<usize>,
    /// Index of the pass that sees it over.
    over: Option<usize>,
}

#[derive(Default)]
struct Scene {
    nodes: BTreeMap<String, Node>,
    pods: BTreeMap<String, Pod>,
    /// Exit hooks that were told to end.
    cut: BTreeSet<String>,
}

impl Scene {
    fn of(passes: &[Pass], first: usize) -> Self {
        let mut scene = Self::default();
        for (index, pass) in passes.iter().enumerate() {
            scene.take_pods(pass, index, first);
            for (name, stored) in &pass.nodes {
                scene.take_node(name, stored, index);
            }
        }
        scene
    }

    fn take_pods(&mut self, pass: &Pass, index: usize, first: usize) {
        for event in &pass.events {
            if let Event::Pod(event) = event {
                self.pods.entry(event.pod.clone()).or_default().take(event, index);
            }
        }
        for node in &pass.pods.kill {
            self.pods.entry(node.clone()).or_default().killed.get_or_insert(index);
        }
        for node in pass.pods.kill.iter().chain(&pass.pods.deleted) {
            let is_over = self.pods.get(node).is_some_and(|pod| pod.over.is_some());
            // What belongs to an exit hook: the innermost one.
            if index >= first
                && !is_over
                && let Some(at) = node.rfind(EXIT)
            {
                self.cut.insert(node[..at + EXIT.len()].to_owned());
            }
        }
        for node in pass.pods.deleted.iter().chain(&pass.pods.released) {
            let pod = self.pods.entry(node.clone()).or_default();
            if pod.over.is_none() {
                // Out of sight; told to end, it ends one pass later.
                let is_dying = pod.up.is_some() && pod.killed.is_some();
                pod.over = Some(if is_dying { index + 1 } else { index });
            }
        }
        for node in pass.pods.created.iter().filter_map(|created| created["node"].as_str()) {
            self.pods.insert(node.to_owned(), Pod { made: true, ..Pod::default() });
        }
    }

    fn take_node(&mut self, name: &str, stored: &Value, index: usize) {
        if stored.is_null() {
            self.nodes.remove(name);
            return;
        }
        let phase = stored["phase"].as_str().unwrap_or_default();
        let is_final = !matches!(phase, "" | "Pending" | "Running");
        let is_over = is_final && stored["taskResultSynced"] != false || stored["daemoned"] == true;
        let node = self.nodes.entry(name.to_owned()).or_insert_with(|| Node {
            stored: Value::Null,
            begun: index,
            over: None,
            ran: false,
            daemoned: false,
        });
        node.daemoned |= stored["daemoned"] == true;
        node.ran |= phase == "Running";
        node.over = if is_over { node.over.or(Some(index)) } else { None };
        node.stored = stored.clone();
    }

    /// Whether a node that is over began: what has a pod when that came up, others when they ran.
    fn has_run(&self, name: &str, node: &Node, is_let_go_on: bool) -> bool {
        let phase = node.stored["phase"].as_str().unwrap_or_default();
        let kind = node.stored["type"].as_str().unwrap_or_default();
        let is_attempt = node.stored["nodeFlag"]["retried"] == true;
        if matches!(phase, "Skipped" | "Omitted")
            || matches!(kind, "TaskGroup" | "StepGroup" | "Container" | "Skipped")
            || is_attempt
        {
            return false;
        }
        match kind {
            "Suspend" | "HTTP" | "Plugin" => node.ran,
            _ => self.pods.iter().any(|(pod, it)| {
                (it.ran || is_let_go_on && it.made)
                    && (pod == name || is_inside(pod, name) && !is_hook_of(pod, name))
            }),
        }
    }

    /// Whether the box around a node was over before the pass at `first`: what is lost in it was lost before.
    fn was_closed(&self, node: &Node, first: usize) -> bool {
        let boundary = &node.stored["boundaryID"];
        let around = self.nodes.values().find(|around| around.stored["id"] == *boundary);
        around.is_some_and(|around| around.over.is_some_and(|over| over < first))
    }

    /// Whether something inside the owner of an exit hook was not over in the pass that made it.
    fn is_early(&self, hook: &str, begun: usize) -> bool {
        let owner = &hook[..hook.len() - EXIT.len()];
        let counts = |name: &str| (name == owner || is_inside(name, owner)) && !name.starts_with(hook);
        let is_late = |over: Option<usize>| over.is_none_or(|over| over > begun);
        let nodes = self.nodes.iter().filter(|(name, node)| counts(name) && node.begun <= begun);
        let pods = self.pods.iter().filter(|(name, pod)| {
            counts(name) && pod.up.is_some_and(|up| up <= begun) && !self.is_daemon(name)
        });
        nodes.map(|(_, node)| node.over).chain(pods.map(|(_, pod)| pod.over)).any(is_late)
    }

    fn is_daemon(&self, node: &str) -> bool {
        self.nodes.get(node).is_some_and(|node| node.daemoned)
    }
}

impl Pod {
    fn take(&mut self, event: &PodEvent, index: usize) {
        match event.phase.as_deref() {
            Some("Running") => {
                self.ran = true;
                self.up.get_or_insert(index);
            }
            Some("Succeeded" | "Failed") => {
                self.ran = true;
                self.over.get_or_insert(index);
            }
            Some(_) | None => {}
        }
        if event.deleted {
            self.over.get_or_insert(index);
        }
    }
}

fn is_inside(name: &str, owner: &str) -> bool {
    name.strip_prefix(owner).is_some_and(|rest| rest.starts_with(['.', '[', '(']))
}

/// Whether a node is a hook of the owner, or inside one.
fn is_hook_of(name: &str, owner: &str) -> bool {
    name.strip_prefix(owner).is_some_and(|rest| rest.starts_with(EXIT) || rest.starts_with(".hooks."))
}

/// Whether the task of a node declares an exit hook without a condition. The workflow's own handler counts.
fn declares_hook(recorded: &Recorded, scene: &Scene, node: &Node) -> bool {
    let Some(boundary) = node.stored["boundaryID"].as_str() else {
        let is_hook = node.stored["nodeFlag"]["hooked"] == true;
        return !is_hook && declares(&spec_of(recorded));
    };
    if node.stored["nodeFlag"]["hooked"] == true {
        return false;
    }
    let around = scene.nodes.values().find(|around| around.stored["id"] == boundary);
    let Some(template) = around.and_then(|around| template_of(recorded, &around.stored)) else {
        return false;
    };
    let display = node.stored["displayName"].as_str().unwrap_or_default();
    let own = display.split('(').next().unwrap_or_default();
    let steps = template["steps"].as_array().into_iter().flatten().filter_map(Value::as_array).flatten();
    let tasks = template["dag"]["tasks"].as_array().into_iter().flatten();
    tasks.chain(steps).any(|task| task["name"] == own && declares(task))
}

fn declares(holder: &Value) -> bool {
    let exit = &holder["hooks"]["exit"];
    let is_plain = exit["template"].is_string() || exit["templateRef"].is_object();
    let is_conditional = exit["expression"].as_str().is_some_and(|text| !text.is_empty());
    is_plain && !is_conditional || holder["onExit"].as_str().is_some_and(|text| !text.is_empty())
}

/// The spec of the workflow, or of what it refers to with its own handlers.
fn spec_of(recorded: &Recorded) -> Value {
    let spec = &recorded.input.workflow["spec"];
    let Some(name) = spec["workflowTemplateRef"]["name"].as_str() else { return spec.clone() };
    let is_cluster = spec["workflowTemplateRef"]["clusterScope"] == true;
    let mut whole = needed(recorded, name, is_cluster).map_or(Value::Null, |need| need["spec"].clone());
    for field in ["onExit", "hooks"] {
        if !spec[field].is_null() {
            whole[field] = spec[field].clone();
        }
    }
    whole
}

fn needed<'a>(recorded: &'a Recorded, name: &str, is_cluster: bool) -> Option<&'a Value> {
    let kind = if is_cluster { "ClusterWorkflowTemplate" } else { "WorkflowTemplate" };
    recorded.input.needs.iter().find(|need| need["kind"] == kind && need["metadata"]["name"] == name)
}

/// The template of a box.
fn template_of(recorded: &Recorded, node: &Value) -> Option<Value> {
    let of = |spec: &Value, name: &Value| {
        spec["templates"].as_array()?.iter().find(|template| template["name"] == *name).cloned()
    };
    let reference = &node["templateRef"];
    if let Some(document) = reference["name"].as_str() {
        let needed = needed(recorded, document, reference["clusterScope"] == true)?;
        return of(&needed["spec"], &reference["template"]);
    }
    let name = &node["templateName"];
    let (kind, document) = node["templateScope"].as_str()?.split_once('/')?;
    match kind {
        "local" => of(&spec_of(recorded), name),
        kind => of(&needed(recorded, document, kind == "cluster")?["spec"], name),
    }
}
