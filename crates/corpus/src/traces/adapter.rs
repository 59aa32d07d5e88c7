//! The engine as the traces see it: their events go in, stored state and acts on pods come out.
//!
//! It is the only file of the replay that knows the engine's types.

use serde_json::{Map, Value, json};
use unwind_engine::Behaviour;
use unwind_engine::library::Library;
use unwind_engine::operate::{ContainerState, PodAct, PodCreated, PodPhase, PodReport, Run, Seen, Settings};
use unwind_model::{NodeName, Timestamp, Workflow, WorkflowStatus};

use super::recorded::{Asked, Event, Input, PodEvent, Pods};

/// The workflow of an input as the server stores it at `created`, and the documents beside it.
pub fn prepare(input: &Input, created: Timestamp) -> Result<(Workflow, Library), serde_json::Error> {
    let mut workflow: Workflow = serde_json::from_value(input.workflow.clone())?;
    if workflow.metadata.namespace.is_empty() {
        "default".clone_into(&mut workflow.metadata.namespace);
    }
    if workflow.metadata.uid.is_empty() {
        workflow.metadata.uid = format!("uid-{}", workflow.metadata.name);
    }
    workflow.metadata.creation_timestamp.get_or_insert(created);
    let mut library = Library::default();
    for document in &input.needs {
        library.add(document)?;
    }
    Ok((workflow, library))
}

/// Makes the run of an input, to be driven from `created` on.
pub fn start(input: &Input, created: Timestamp) -> Result<Run, serde_json::Error> {
    let (workflow, library) = prepare(input, created)?;
    let must_not_change = input
        .controller
        .as_ref()
        .is_some_and(|controller| controller.template_referencing.as_deref() == Some("Secure"));
    let run = Run::new(workflow, library, Behaviour::argo(&input.argo));
    Ok(run.with_settings(Settings { must_not_change }))
}

/// Tells the run of an event of a trace, which happened at `at`.
pub fn tell(run: &mut Run, at: Timestamp, event: &Event) {
    match event {
        Event::Asked(asked) => run.see(at, seen_of(asked)),
        Event::Pod(pod) => {
            let node = NodeName(pod.pod.clone());
            if pod.deleted {
                run.see(at, Seen::PodGone { node: node.clone() });
            }
            if let Some(phase) = pod.phase.as_deref().and_then(pod_phase) {
                run.see(at, Seen::Pod { node: node.clone(), report: report(pod, phase, at) });
            }
            if pod.result.is_some() || pod.outputs.is_some() || pod.progress.is_some() {
                run.see(at, result(node, pod));
            }
        }
    }
}

/// What was asked, in the engine's words.
pub fn seen_of(asked: &Asked) -> Seen {
    match asked {
        Asked::Stop => Seen::Stop,
        Asked::Terminate => Seen::Terminate,
        Asked::Suspend => Seen::Suspend,
        Asked::Resume { selector } => Seen::Resume { selector: selector.clone() },
        Asked::StopNode { selector, message } => {
            Seen::StopNode { selector: selector.clone(), message: message.clone() }
        }
        Asked::Task { node, task } => Seen::Task { node: NodeName(node.clone()), task: task.clone() },
        Asked::Deadline0 => Seen::Patch(json!({"spec": {"activeDeadlineSeconds": 0}})),
        Asked::Patch { patch } => Seen::Patch(patch.clone()),
        Asked::Retry => Seen::Retry,
    }
}

/// A phase of a pod by its word.
pub fn pod_phase(word: &str) -> Option<PodPhase> {
    match word {
        "Pending" => Some(PodPhase::Pending),
        "Running" => Some(PodPhase::Running),
        "Succeeded" => Some(PodPhase::Succeeded),
        "Failed" => Some(PodPhase::Failed),
        _ => None,
    }
}

/// The state of a pod that an event tells.
pub fn report(pod: &PodEvent, phase: PodPhase, at: Timestamp) -> PodReport {
    let containers = pod.containers.iter().map(|(name, state)| (name.clone(), container_state(state)));
    PodReport {
        phase,
        exit: pod.exit,
        reason: pod.reason.clone(),
        message: pod.message.clone(),
        aux: pod.aux,
        pod_message: pod.pod_message.clone(),
        containers: containers.collect(),
        main_ended: pod.main_ended,
        ready: pod.ready,
        ip: None,
        host: None,
        at,
    }
}

fn container_state(state: &Value) -> ContainerState {
    match state.as_i64() {
        Some(code) => ContainerState::Ended(code as i32),
        None if state == "running" => ContainerState::Running,
        None => ContainerState::Waiting,
    }
}

fn result(node: NodeName, pod: &PodEvent) -> Seen {
    Seen::Result {
        node,
        complete: pod.result.as_ref().map(|state| state == "done"),
        outputs: pod.outputs.clone().and_then(|outputs| serde_json::from_value(outputs).ok()),
        progress: pod.progress.clone(),
    }
}

/// Acts on pods in the words of a trace.
pub fn pods(acts: Vec<PodAct>) -> Pods {
    let mut pods = Pods::default();
    for act in acts {
        match act {
            PodAct::Created(created) => pods.created.push(created_value(&created)),
            PodAct::CreatedAgent { name } => pods.created.push(json!({"agent": name})),
            PodAct::Killed { node } => pods.kill.push(node.0),
            PodAct::Deleted { node } => pods.deleted.push(node.0),
            PodAct::DeletedAgent => pods.deleted.push("agent".to_owned()),
            PodAct::Released { node } => pods.released.push(node.0),
        }
    }
    pods
}

fn created_value(created: &PodCreated) -> Value {
    let mut fields = Map::new();
    fields.insert("node".to_owned(), json!(created.node));
    fields.insert("pod".to_owned(), json!(created.pod));
    if created.on_exit {
        fields.insert("onExit".to_owned(), Value::Bool(true));
    }
    for (key, list) in [("command", &created.command), ("args", &created.args)] {
        if !list.is_empty() {
            fields.insert(key.to_owned(), json!(list));
        }
    }
    for (key, text) in [("source", &created.source), ("manifest", &created.manifest)] {
        if let Some(text) = text {
            fields.insert(key.to_owned(), json!(text));
        }
    }
    if let Some(seconds) = created.active_deadline_seconds {
        fields.insert("activeDeadlineSeconds".to_owned(), json!(seconds));
    }
    let env: Map<String, Value> =
        created.env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    if !env.is_empty() {
        fields.insert("env".to_owned(), Value::Object(env));
    }
    Value::Object(fields)
}

/// The workflow's own part of the status, as a line of a trace has it.
pub fn workflow_part(status: &WorkflowStatus) -> Map<String, Value> {
    let mut fields = Map::new();
    for (key, text) in
        [("phase", status.phase.as_str()), ("message", &status.message), ("progress", &status.progress)]
    {
        if !text.is_empty() {
            fields.insert(key.to_owned(), json!(text));
        }
    }
    if let Some(outputs) = status.other.get("outputs") {
        fields.insert("outputs".to_owned(), outputs.clone());
    }
    fields
}
