//! The seed workflow in one of its states, from a short table of nodes.

use unwind_model::{
    NodeId, NodeName, NodePhase, NodeStatus, NodeType, Shutdown, Timestamp, Workflow, WorkflowPhase,
};
use unwind_present::format::Zone;
use unwind_present::study::Study;

/// The zone of all tests: two hours east.
pub const ZONE: Zone = Zone { offset_minutes: 120 };

/// 02:11:04 in that zone.
const BEGIN: &str = "2026-11-30T00:11:04Z";

/// The begin of the seed plus some seconds.
pub fn at(seconds: f64) -> Timestamp {
    let begin = Timestamp::parse(BEGIN).expect("a time");
    begin + (seconds * 1000.0) as i64
}

/// How a run stands besides its nodes.
pub struct State {
    pub phase: WorkflowPhase,
    pub ended: Option<f64>,
    pub shutdown: Option<Shutdown>,
}

pub const RUNNING: State = State { phase: WorkflowPhase::Running, ended: None, shutdown: None };

/// The manifest `text` with the nodes of `table`: a line is name (without the workflow's), type,
/// phase, begin and end in seconds (`-` for none), message.
pub fn workflow(text: &str, table: &str, state: &State) -> Workflow {
    let (mut workflow, _) = unwind_model::document::parse_workflow(text.as_bytes()).expect("a workflow");
    let root = workflow.metadata.name.clone();
    workflow.spec.shutdown = state.shutdown;
    workflow.status.phase = state.phase;
    if !table.trim().is_empty() {
        workflow.status.started_at = Some(at(0.0));
    }
    workflow.status.finished_at = state.ended.map(at);
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let node = node(&root, line);
        workflow.status.nodes.insert(node.id.clone(), node);
    }
    link(&mut workflow);
    workflow
}

/// A study of the seed.
pub fn seed(table: &str, state: &State) -> Study {
    Study::of(workflow(include_str!("../fixtures/seed.yaml"), table, state))
}

fn node(root: &str, line: &str) -> NodeStatus {
    let mut words = line.splitn(6, ' ').filter(|word| !word.is_empty());
    let mut word = || words.next().unwrap_or("-").to_owned();
    let (short, node_type, phase, begun, ended, message) = (word(), word(), word(), word(), word(), word());
    let name = if short == "." { root.to_owned() } else { format!("{root}.{short}") };
    let name = NodeName::from(name);
    let time = |text: &str| text.parse().ok().map(at);
    let is_hook = short.ends_with("onExit") || short.contains("hooks.");
    let display = display_name(root, &short);
    NodeStatus {
        id: NodeId::of(root, &name),
        display_name: display,
        node_type: node_type_of(&node_type),
        template_name: if is_hook { "sweep".to_owned() } else { String::new() },
        phase: phase_of(&phase),
        message: if message == "-" { String::new() } else { message },
        started_at: time(&begun),
        finished_at: time(&ended),
        node_flag: is_hook.then_some(unwind_model::status::NodeFlag { hooked: true, retried: false }),
        name,
        ..NodeStatus::default()
    }
}

fn display_name(root: &str, short: &str) -> String {
    match short {
        "." => root.to_owned(),
        "onExit" => format!("{root}.onExit"),
        _ => {
            let owner = short.strip_suffix(".onExit").unwrap_or(short);
            let last = owner.rsplit('.').next().unwrap_or(owner);
            let suffix = if owner == short { "" } else { ".onExit" };
            format!("{last}{suffix}")
        }
    }
}

/// Boundaries and children, by the names.
fn link(workflow: &mut Workflow) {
    let root = workflow.metadata.name.clone();
    let names: Vec<NodeName> = workflow.status.nodes.values().map(|node| node.name.clone()).collect();
    for name in &names {
        let owner = name.as_str().strip_suffix(".onExit").unwrap_or(name.as_str());
        let Some((outer, _)) = owner.rsplit_once('.') else { continue };
        let outer_id = NodeId::of(&root, &NodeName::from(outer));
        let id = NodeId::of(&root, name);
        if let Some(node) = workflow.status.nodes.get_mut(&id) {
            node.boundary_id = outer_id.clone();
        }
        if owner == name.as_str()
            && let Some(node) = workflow.status.nodes.get_mut(&outer_id)
        {
            node.children.push(id);
        }
    }
}

fn phase_of(word: &str) -> NodePhase {
    [
        NodePhase::Pending,
        NodePhase::Running,
        NodePhase::Succeeded,
        NodePhase::Skipped,
        NodePhase::Failed,
        NodePhase::Error,
        NodePhase::Omitted,
    ]
    .into_iter()
    .find(|phase| phase.as_str() == word)
    .expect("a phase")
}

fn node_type_of(word: &str) -> NodeType {
    [
        NodeType::Pod,
        NodeType::Steps,
        NodeType::StepGroup,
        NodeType::DAG,
        NodeType::TaskGroup,
        NodeType::Retry,
        NodeType::Suspend,
        NodeType::Skipped,
    ]
    .into_iter()
    .find(|node_type| node_type.as_str() == word)
    .expect("a type")
}

/// The seed while its leaf runs.
pub const TABLE_RUNNING: &str = "
    . DAG Running 0 -
    level1 DAG Running 0 -
    level1.level2 DAG Running 1 -
    level1.level2.stopped-job Pod Running 2 -";

/// The seed in its second turn, in milliseconds.
pub const TABLE_UNWINDING: &str = "
    . DAG Running 0 -
    level1 DAG Running 0 -
    level1.level2 DAG Failed 1 222 child failed
    level1.level2.stopped-job Pod Failed 2 209.25 workflow shutdown with strategy:  Stop
    level1.level2.stopped-job.onExit Pod Succeeded 209.25 221.5
    level1.level2.onExit Pod Running 222 -";

/// The seed after a stop that kept the order, in milliseconds.
pub const TABLE_RIGHT: &str = "
    . DAG Failed 0 246.25
    level1 DAG Failed 0 234.25
    level1.level2 DAG Failed 1 222
    level1.level2.stopped-job Pod Failed 2 209.25 workflow shutdown with strategy:  Stop
    level1.level2.stopped-job.onExit Pod Succeeded 209.25 221.5
    level1.level2.onExit Pod Succeeded 222 234
    level1.onExit Pod Succeeded 234.25 246
    onExit Pod Succeeded 246.25 260.25";

/// The seed as Argo leaves it (argoproj/argo-workflows#15088), in whole seconds.
pub const TABLE_15088: &str = "
    . DAG Failed 0 228
    level1 DAG Failed 0 212
    level1.level2 DAG Running 1 -
    level1.level2.stopped-job Pod Failed 2 210 workflow shutdown with strategy:  Stop
    level1.level2.stopped-job.onExit Pod Succeeded 212 228
    level1.onExit Pod Succeeded 212 223
    onExit Pod Succeeded 228 242";

pub const STOPPING: State =
    State { phase: WorkflowPhase::Running, ended: None, shutdown: Some(Shutdown::Stop) };

pub fn stopped(ended: f64) -> State {
    State { phase: WorkflowPhase::Failed, ended: Some(ended), shutdown: Some(Shutdown::Stop) }
}
