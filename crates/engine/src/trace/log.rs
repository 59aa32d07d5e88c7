//! Lines of a controller's log as what they tell of nodes.
//!
//! In: lines of one workflow in their order. Out: for each node what became of it, by id or by name. Sources:
//! Argo `workflow/controller/operator.go` (`initializeNode`, `markNodePhase`, `createWorkflowPod`,
//! `assessNodeStatus`), v3 in texts, v4 in keys.

use std::collections::BTreeMap;

use unwind_model::document::log::LogLine;
use unwind_model::{NodePhase, NodeType, Shutdown, Timestamp, WorkflowPhase};

/// What a line tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// A pass over the workflow begins.
    Pass,
    /// A node was made; its type where that is said.
    Made { id: String, phase: NodePhase, kind: Option<NodeType>, message: String },
    /// A node came to be in a phase, by the controller's own doing or as it saw its pod.
    Phase { id: String, phase: NodePhase },
    /// The message of a node.
    Message { id: String, message: String },
    /// The pod of a node was made.
    Pod { id: String, name: String },
    /// An event about a node, written once the pass was over.
    Event { name: String, phase: NodePhase },
    /// A name that stands in a line.
    Name(String),
    /// The workflow came to be in a phase.
    Workflow(WorkflowPhase),
    /// The message of the workflow.
    WorkflowMessage(String),
    /// The workflow is over and will not be looked at again.
    Completed,
    /// A shutdown is acted on.
    Shutdown(Shutdown),
}

/// The workflow that a line is about: namespace and name.
pub(super) fn subject(line: &LogLine) -> Option<(&str, &str)> {
    let (namespace, name) = match line.key("workflow") {
        "" if line.key("object.kind") == "Workflow" || line.key("kind") == "Workflow" => object_name(line),
        "" => return None,
        name => (line.key("namespace"), name),
    };
    match name.split_once('/') {
        Some((namespace, name)) => Some((namespace, name)),
        None if name.is_empty() => None,
        None => Some((namespace, name)),
    }
}

fn object_name(line: &LogLine) -> (&str, &str) {
    match line.key("object.name") {
        "" => (line.key("namespace"), line.key("object")),
        name => (line.key("object.namespace"), name),
    }
}

/// What a line tells; nothing for most.
pub(super) fn told(line: &LogLine) -> Option<Told> {
    keyed(line).or_else(|| texted(line.message.as_str(), line))
}

/// Lines whose text is the same for every node: v4, and some of v3.
fn keyed(line: &LogLine) -> Option<Told> {
    let key = |name: &str| line.key(name).to_owned();
    Some(match line.message.as_str() {
        "Processing workflow" => Told::Pass,
        "Marking workflow completed" => Told::Completed,
        "node initialized" => Told::Made {
            id: key("node"),
            phase: phase(line.key("phase"))?,
            kind: node_type(line.key("type")),
            message: bare_message(line.key("message")).to_owned(),
        },
        "node phase changed" => Told::Phase { id: key("node"), phase: phase(line.key("toPhase"))? },
        "node message changed" => Told::Message { id: key("node"), message: key("message") },
        "node changed" => {
            let phases = [line.key("updated.phase"), line.key("new.phase"), line.key("newPhase")];
            let ids = ["nodeID", "nodeId", "node"].map(|name| line.key(name));
            let id = ids.into_iter().find(|id| !id.is_empty())?;
            Told::Phase { id: id.to_owned(), phase: phases.into_iter().find_map(phase)? }
        }
        "Created pod" => Told::Pod { id: key("nodeID"), name: key("nodeName") },
        "updated phase" => Told::Workflow(workflow_phase(line.key("toPhase"))?),
        "updated message" => Told::WorkflowMessage(key("toMessage")),
        "Event occurred" => event(line.key("reason"), line.key("message"))?,
        "Terminating pod as part of workflow shutdown" => {
            let strategy = line.key("shutdownStrategy");
            Told::Shutdown(
                [Shutdown::Stop, Shutdown::Terminate].into_iter().find(|one| one.as_str() == strategy)?,
            )
        }
        _ => {
            let name = ["nodeName", "childNodeName"]
                .into_iter()
                .map(|key| line.key(key))
                .find(|name| !name.is_empty());
            return name.map(|name| Told::Name(name.to_owned()));
        }
    })
}

/// Lines with ids and phases in their text: v3.
fn texted(text: &str, line: &LogLine) -> Option<Told> {
    if let Some(rest) = text.strip_prefix("Updated phase ") {
        return Some(Told::Workflow(workflow_phase(rest.rsplit("-> ").next()?)?));
    }
    if let Some((_, message)) = text.strip_prefix("Updated message ").and_then(|rest| rest.split_once("-> "))
    {
        return Some(Told::WorkflowMessage(message.to_owned()));
    }
    if let Some(rest) = text.strip_prefix("Created pod: ") {
        let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
        return Some(Told::Pod { id: line.key("nodeID").to_owned(), name: name.to_owned() });
    }
    if text.starts_with("Event(v1.ObjectReference") {
        let reason = text.split("reason: '").nth(1)?.split('\'').next()?;
        return event(reason, text.split_once("' ")?.1);
    }
    if let Some((kind, rest)) = text.split_once(" node ")
        && let Some((id, rest)) = rest.split_once(" initialized ")
    {
        let (word, message) = rest.split_once(' ').unwrap_or((rest, ""));
        let message = bare_message(message).to_owned();
        return Some(Told::Made { id: id.to_owned(), phase: phase(word)?, kind: node_type(kind), message });
    }
    let rest = text.strip_prefix("node ")?;
    if let Some((id, rest)) = rest.split_once(" phase ") {
        return Some(Told::Phase { id: id.to_owned(), phase: phase(rest.rsplit("-> ").next()?)? });
    }
    let (id, message) = rest.split_once(" message: ")?;
    Some(Told::Message { id: id.to_owned(), message: message.to_owned() })
}

/// `(message: text)` as `text`.
fn bare_message(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("(message: ").and_then(|text| text.strip_suffix(')')).unwrap_or(text)
}

/// `WorkflowNodeFailed`, `Failed node orchard.press: message`.
/// Source: Argo `workflow/controller/operator.go`, `onNodeComplete`, `recordNodePhaseEvent`.
fn event(reason: &str, message: &str) -> Option<Told> {
    let phase = phase(reason.strip_prefix("WorkflowNode")?)?;
    let (_, name) = message.split_once(" node ")?;
    let name = name.split_once(": ").map_or(name, |(name, _)| name).trim_end();
    Some(Told::Event { name: name.to_owned(), phase })
}

fn phase(word: &str) -> Option<NodePhase> {
    use NodePhase as P;
    [P::Pending, P::Running, P::Succeeded, P::Skipped, P::Failed, P::Error, P::Omitted]
        .into_iter()
        .find(|phase| phase.as_str() == word)
}

fn workflow_phase(word: &str) -> Option<WorkflowPhase> {
    use WorkflowPhase as P;
    [P::Pending, P::Running, P::Succeeded, P::Failed, P::Error]
        .into_iter()
        .find(|phase| phase.as_str() == word)
}

fn node_type(word: &str) -> Option<NodeType> {
    use NodeType as T;
    [
        T::Pod,
        T::Container,
        T::Steps,
        T::StepGroup,
        T::DAG,
        T::TaskGroup,
        T::Retry,
        T::Skipped,
        T::Suspend,
        T::HTTP,
        T::Plugin,
    ]
    .into_iter()
    .find(|kind| kind.as_str() == word)
}

/// What a log tells of one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Logged {
    pub(super) kind: Option<NodeType>,
    pub(super) begun: Option<Timestamp>,
    /// Whether a line said that it was made, and not only its pod.
    pub(super) is_made: bool,
    pub(super) phase: NodePhase,
    /// Up to when it had ended; exact for what the controller itself ends.
    pub(super) ended: Option<Timestamp>,
    /// Whether a line of its own noted the end, and no event after the pass.
    pub(super) is_noted: bool,
    pub(super) message: String,
}

impl Logged {
    /// Its pod was made, and so was the node, where no line says that before.
    fn made(&mut self, at: Timestamp) {
        self.begun.get_or_insert(at);
        self.kind.get_or_insert(NodeType::Pod);
    }
}

/// What a log tells of one workflow.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    /// Nodes by id.
    pub(super) nodes: BTreeMap<String, Logged>,
    /// Names that stand in lines.
    pub(super) names: Vec<String>,
    /// What events say of nodes: phase, and the begin of the pass that saw it.
    pub(super) events: Vec<(String, NodePhase, Timestamp)>,
    /// Names of nodes whose pods were made, where no line says their ids.
    pods: Vec<(String, Timestamp)>,
    pub(super) begun: Option<Timestamp>,
    pub(super) phase: Option<WorkflowPhase>,
    pub(super) over: Option<Timestamp>,
    pub(super) message: Option<String>,
    pub(super) shutdown: Option<(Shutdown, Timestamp)>,
    pub(super) last: Option<Timestamp>,
    pass: Option<Timestamp>,
}

impl Story {
    /// Takes in the next line.
    pub(super) fn hear(&mut self, line: &LogLine) {
        let at = line.at;
        self.last = self.last.max(Some(at));
        let Some(told) = told(line) else { return };
        match told {
            Told::Pass => self.pass = Some(at),
            Told::Made { id, phase, kind, message } => {
                let ended = phase.is_final().then_some(at);
                let is_noted = ended.is_some();
                let begun = Some(at);
                self.nodes.insert(id, Logged { kind, begun, is_made: true, phase, ended, is_noted, message });
            }
            Told::Phase { id, phase } => {
                let node = self.nodes.entry(id).or_default();
                node.ended = if phase.is_final() { node.ended.or(Some(at)) } else { None };
                node.is_noted = node.ended.is_some();
                node.phase = phase;
            }
            Told::Message { id, message } => self.nodes.entry(id).or_default().message = message,
            Told::Pod { id, name } => {
                if id.is_empty() {
                    self.pods.push((name.clone(), at));
                } else {
                    self.nodes.entry(id).or_default().made(at);
                }
                self.names.push(name);
            }
            Told::Event { name, phase } => {
                self.events.push((name.clone(), phase, self.pass.unwrap_or(at)));
                self.names.push(name);
            }
            Told::Name(name) => self.names.push(name),
            Told::Workflow(phase) => {
                self.begun = self.begun.or_else(|| (phase == WorkflowPhase::Running).then_some(at));
                self.over = phase.is_final().then_some(at);
                self.phase = Some(phase);
            }
            Told::WorkflowMessage(message) => self.message = Some(message),
            Told::Completed => self.over = self.over.or(Some(at)),
            Told::Shutdown(strategy) => {
                self.shutdown = self.shutdown.or(Some((strategy, at)));
            }
        }
    }

    /// Puts what events say to the nodes, whose ids `id_of` knows. An event comes after the pass that saw the
    /// node so; what the log says of it otherwise counts more.
    pub(super) fn settle(&mut self, id_of: &dyn Fn(&str) -> String) {
        for (name, at) in std::mem::take(&mut self.pods) {
            self.nodes.entry(id_of(&name)).or_default().made(at);
        }
        for (name, phase, at) in std::mem::take(&mut self.events) {
            let node = self.nodes.entry(id_of(&name)).or_default();
            if phase.is_final() && node.ended.is_none() {
                // A node is not over before it was made.
                node.ended = Some(node.begun.map_or(at, |begun| begun.max(at)));
                node.phase = phase;
            } else if !node.phase.is_final() && phase == NodePhase::Running {
                node.phase = phase;
            }
        }
    }
}
