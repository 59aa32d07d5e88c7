//! The supervisor of one workflow: the only writer of its run.
//!
//! In: news of leaves, fired timers, requests. For each batch of them: journal, `Run::handle`,
//! changes to the hub, actions to the workers, in this order. It must never act on an event that is
//! not on disk, and never decide anything itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Mutex, Notify, Semaphore, mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};
use unwind_engine::again::NodeValues;
use unwind_engine::event::LeafStart;
use unwind_engine::{Action, Event};
use unwind_model::{NodeId, NodePhase, Timestamp, Workflow, WorkflowPhase};

use super::caches::{self, Maps};
use super::outputs::Wanted;
use super::pod::PodPlan;
use super::process::{LeafNews, LeafTask};
use super::recover::{Course, nodes_of};
use super::request;
use super::sharing::{Applicant, Sharing};
use super::workspace::{self, Gear, RunFolder};
use crate::backend::ShimProgram;
use crate::backend::documents::Documents;
use crate::clock;
use crate::hub::Hub;
use crate::store::{Store, StoreError, Write};

/// Most commands that are journalled and applied together.
const BATCH: usize = 256;
/// Pause before a write that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// What all supervisors share.
#[derive(Debug)]
pub struct Surroundings {
    /// Where events are journalled.
    pub store: Store,
    /// Where changes go.
    pub hub: Arc<Hub>,
    /// Locks, and how many workflows run. Held by a run that may ask for locks from what it is told of
    /// the others until what it has then is noted down.
    pub sharing: Mutex<Sharing>,
    /// What workflows refer to.
    pub documents: Documents,
    /// Held while one of the documents is changed.
    pub writing: Mutex<()>,
    /// Tells that documents were changed.
    pub documents_moved: Notify,
    /// The data folder.
    pub data: PathBuf,
    /// Program that starts leaves.
    pub shim: ShimProgram,
    /// Time between TERM and KILL.
    pub grace: Duration,
    /// How many programs may run at once.
    pub places: Arc<Semaphore>,
}

/// What can be asked of a running workflow.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// End what runs, let exit hooks run.
    Stop,
    /// End what runs, exit hooks too.
    Terminate,
    /// Begin nothing more for now.
    Suspend,
    /// Go on, suspend nodes too.
    Resume,
    /// Change suspended nodes.
    Set {
        /// Which: a node field selector.
        selector: String,
        /// What they become.
        values: NodeValues,
    },
}

impl Request {
    fn event(self) -> Event {
        match self {
            Self::Stop => Event::StopRequested,
            Self::Terminate => Event::TerminateRequested,
            Self::Suspend => Event::SuspendRequested,
            Self::Resume => Event::ResumeRequested,
            Self::Set { selector, values } => Event::NodesSet { selector, values },
        }
    }
}

/// Why a request was not done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RequestError {
    /// It could not be journalled.
    #[error("cannot journal the request: {0}")]
    Store(#[from] StoreError),
    /// It does not fit the state of the workflow.
    #[error("{0}")]
    Refused(String),
}

/// Where the object as it is after a request goes. Dropped when the workflow was over before.
pub type Reply = oneshot::Sender<Result<Arc<Workflow>, RequestError>>;

/// What comes into a supervisor's inbox.
#[derive(Debug)]
pub enum Command {
    /// Begin a new run.
    Begin,
    /// Something became of a leaf.
    Leaf(NodeId, LeafNews),
    /// The timer has fired.
    Timer,
    /// A request was answered.
    Task(NodeId, Value),
    /// Locks of other runs have moved.
    LocksMoved,
    /// Somebody asks for something, and hears of it once it is applied.
    Ask(Request, Reply),
    /// Terminate, and tell when the run is over.
    Remove(oneshot::Sender<()>),
}

/// The way into a supervisor. Closed once its run is over.
pub type Inbox = mpsc::UnboundedSender<Command>;

/// Events with their times, and who is to hear of which of them.
type Batch = (Vec<(Timestamp, Event)>, Vec<(usize, Reply)>);

/// The supervisor of one workflow.
#[derive(Debug)]
pub struct Supervisor {
    around: Arc<Surroundings>,
    course: Course,
    inbox: mpsc::UnboundedReceiver<Command>,
    /// For the workers.
    sender: Inbox,
    /// Leaves under way: sending true asks one to end.
    leaves: BTreeMap<NodeId, watch::Sender<bool>>,
    /// Nodes whose request is under way.
    tasks: BTreeSet<NodeId>,
    /// Workers of leaves, requests and timers; they end with the supervisor.
    workers: JoinSet<()>,
    /// Worker of the timer.
    timer: Option<AbortHandle>,
    /// What it keeps for other runs, as far as that is written down.
    published: Maps,
    /// Who waits for the end of the run.
    removers: Vec<oneshot::Sender<()>>,
}

impl Supervisor {
    /// A supervisor and the way into it.
    pub fn new(around: Arc<Surroundings>, course: Course) -> (Self, Inbox) {
        let (sender, inbox) = mpsc::unbounded_channel();
        let supervisor = Self {
            around,
            course,
            inbox,
            sender: sender.clone(),
            leaves: BTreeMap::new(),
            tasks: BTreeSet::new(),
            workers: JoinSet::new(),
            timer: None,
            published: Maps::new(),
            removers: Vec::new(),
        };
        (supervisor, sender)
    }

    /// Takes up what is under way and goes on until the run is over or the back end closes.
    pub async fn run(mut self, mut closing: watch::Receiver<bool>) {
        let around = Arc::clone(&self.around);
        around.sharing.lock().await.join(self.course.run_name(), self.sender.clone());
        self.take_up();
        let mut commands = Vec::new();
        while !self.course.over {
            tokio::select! {
                biased;
                // The sender lives as long as the back end; without it everything closes too.
                _ = closing.wait_for(|closing| *closing) => return,
                _ = self.inbox.recv_many(&mut commands, BATCH) => {}
            }
            self.take(&mut commands, &mut closing).await;
            while self.workers.try_join_next().is_some() {}
        }
        self.finish().await;
    }

    /// Goes on with the leaves and timers of a recovered run.
    fn take_up(&mut self) {
        if self.course.over {
            return;
        }
        let ending: BTreeSet<NodeId> = self.course.run.ending_leaves().into_iter().collect();
        for start in self.course.run.open_leaves() {
            let ending = ending.contains(&start.node);
            self.start(start, ending);
        }
        if let Some(at) = self.course.run.open_timer() {
            self.set_timer(at);
        }
        self.published.clone_from(self.course.run.caches());
        self.make_requests();
        // The inbox is this supervisor's own.
        let _ = self.sender.send(if self.is_begun() { Command::LocksMoved } else { Command::Begin });
    }

    fn is_begun(&self) -> bool {
        self.course.run.phase() != WorkflowPhase::Unset
    }

    /// Whether the workflow may begin now.
    fn may_begin(&self, sharing: &mut Sharing) -> bool {
        let workflow = self.course.projection.workflow();
        let priority = workflow.spec.priority().unwrap_or_default();
        let applicant = Applicant {
            priority: Reverse(i32::try_from(priority).unwrap_or_default()),
            created: workflow.metadata.creation_timestamp.unwrap_or(Timestamp(0)),
            run: self.course.run_name(),
        };
        sharing.may_begin(&workflow.metadata.namespace, applicant)
    }

    /// Journals, applies, publishes and acts, in this order.
    async fn take(&mut self, commands: &mut Vec<Command>, closing: &mut watch::Receiver<bool>) {
        let around = Arc::clone(&self.around);
        let mut sharing = if self.course.asks_for_locks || !self.is_begun() {
            Some(around.sharing.lock().await)
        } else {
            None
        };
        let (events, mut replies) = self.events_of(commands, sharing.as_deref_mut());
        sharing = sharing.filter(|_| self.course.asks_for_locks);
        if events.is_empty() {
            return;
        }
        let Some(operations) = self.journal_all(&events, &mut replies, closing).await else { return };
        let (over_before, mut refused) = self.apply(operations, &events);
        self.publish_caches().await;
        if let Some(sharing) = &mut sharing {
            sharing.update(&self.course.run_name(), self.course.run.lock_uses());
        }
        for (at, reply) in replies {
            // A request that came after the end is not answered, see `Reply`.
            if over_before.is_none_or(|over| at < over) {
                let _ = reply.send(match refused.remove(&at) {
                    Some(message) => Err(RequestError::Refused(message)),
                    None => Ok(Arc::clone(self.course.projection.workflow())),
                });
            }
        }
    }

    /// Writes down what memoized templates gave.
    async fn publish_caches(&mut self) {
        if !self.course.memoizes || *self.course.run.caches() == self.published {
            return;
        }
        self.published.clone_from(self.course.run.caches());
        let around = Arc::clone(&self.around);
        let namespace = self.course.projection.workflow().metadata.namespace.clone();
        if let Err(error) = caches::publish(&around, &namespace, &self.course.run).await {
            // Later runs do the work again.
            tracing::warn!(%error, "cannot keep the outputs of memoized templates");
        }
    }

    /// The events that commands come to, and who is to hear of which of them.
    fn events_of(&mut self, commands: &mut Vec<Command>, mut sharing: Option<&mut Sharing>) -> Batch {
        let mut events = Vec::new();
        let mut replies = Vec::new();
        if let Some(sharing) = sharing.as_deref().filter(|_| self.course.asks_for_locks) {
            let others = sharing.others(&self.course.run_name());
            if others != self.course.others {
                events.push((self.stamp(None), Event::LocksSeen { others }));
            }
        }
        let mut begins = false;
        let mut ends = false;
        for command in commands.drain(..) {
            let (at, event) = match command {
                Command::LocksMoved => continue,
                Command::Task(node, answer) => {
                    self.tasks.remove(&node);
                    (None, Event::TaskAnswered { node, answer })
                }
                Command::Begin if begins || self.is_begun() => continue,
                Command::Begin => {
                    let may = sharing.as_deref_mut().is_none_or(|sharing| self.may_begin(sharing));
                    if !may {
                        continue;
                    }
                    begins = true;
                    (None, Event::Begun)
                }
                Command::Leaf(node, LeafNews::Started) => (None, Event::LeafStarted { node }),
                Command::Leaf(node, LeafNews::Ended { end, at }) => {
                    self.leaves.remove(&node);
                    (at, Event::LeafEnded { node, end })
                }
                Command::Leaf(node, LeafNews::ContainerEnded { name, code }) => {
                    (None, Event::ContainerEnded { node, container: name, code })
                }
                Command::Timer => (None, Event::TimerFired { node: None }),
                Command::Ask(request, reply) => {
                    replies.push((events.len(), reply));
                    (None, request.event())
                }
                Command::Remove(remover) => {
                    self.removers.push(remover);
                    (None, Event::TerminateRequested)
                }
            };
            ends |= matches!(event, Event::StopRequested | Event::TerminateRequested);
            events.push((self.stamp(at), event));
        }
        if ends && !begins && !self.is_begun() {
            // What waits for its turn ends at once.
            if let Some(sharing) = sharing {
                let namespace = &self.course.projection.workflow().metadata.namespace;
                sharing.begins(namespace, &self.course.run_name());
            }
            events.push((self.stamp(None), Event::Begun));
        }
        (events, replies)
    }

    /// Journals until that is done. `None`: the server closes.
    async fn journal_all(
        &self,
        events: &[(Timestamp, Event)],
        replies: &mut Vec<(usize, Reply)>,
        closing: &mut watch::Receiver<bool>,
    ) -> Option<std::ops::Range<u64>> {
        loop {
            match self.journal(events).await {
                Ok(operations) => return Some(operations),
                Err(error) => {
                    tracing::error!(%error, "cannot journal; trying again");
                    for (_, reply) in replies.drain(..) {
                        // Whoever asked has gone.
                        let _ = reply.send(Err(error.clone().into()));
                    }
                    tokio::select! {
                        _ = closing.wait_for(|closing| *closing) => return None,
                        () = tokio::time::sleep(RETRY) => {}
                    }
                }
            }
        }
    }

    /// The time of an event: when it came, or when the shim saw it, if that fits between the last
    /// event and now.
    fn stamp(&mut self, seen: Option<Timestamp>) -> Timestamp {
        let now = clock::now();
        self.course.stamp.give(seen.map_or(now, |seen| seen.min(now)))
    }

    async fn journal(&self, events: &[(Timestamp, Event)]) -> Result<std::ops::Range<u64>, StoreError> {
        let uid = &self.course.projection.workflow().metadata.uid;
        let writes = (self.course.sequence..)
            .zip(events)
            .map(|(sequence, (at, event))| Write::Event {
                uid: uid.clone(),
                sequence,
                at: *at,
                event: event.clone(),
            })
            .collect();
        self.around.store.commit(writes).await
    }

    /// Gives the place of the first event that found the run over, and the events that were refused.
    fn apply(
        &mut self,
        operations: std::ops::Range<u64>,
        events: &[(Timestamp, Event)],
    ) -> (Option<usize>, BTreeMap<usize, String>) {
        let ticket = self.around.hub.ticket(operations);
        let mut changed = BTreeSet::new();
        let mut actions = Vec::new();
        let mut over_before = None;
        let mut refused = BTreeMap::new();
        for (place, (at, event)) in events.iter().enumerate() {
            if self.course.over {
                over_before = over_before.or(Some(place));
            }
            match self.course.apply(*at, event) {
                Ok(step) => {
                    changed.extend(nodes_of(&step));
                    actions.extend(step.actions);
                }
                Err(message) => {
                    refused.insert(place, message);
                }
            }
        }
        let event = self.course.show(&changed, ticket.version());
        ticket.settle(event);
        for action in actions {
            self.act(action);
        }
        self.make_requests();
        (over_before, refused)
    }

    /// Begins the requests that nodes wait for.
    fn make_requests(&mut self) {
        for node in self.course.run.open_tasks() {
            let template = self.course.run.filled_template(&node).cloned();
            let Some(template) = template.filter(|_| self.tasks.insert(node.clone())) else { continue };
            let inbox = self.sender.clone();
            self.workers.spawn(async move {
                let answer = request::answer(template).await;
                // A closed inbox means that the run is over or the server closes.
                let _ = inbox.send(Command::Task(node, answer));
            });
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Start(start) => self.start(*start, false),
            Action::End { node } => {
                if let Some(end) = self.leaves.get(&node) {
                    end.send_replace(true);
                }
            }
            Action::SetTimer { at } => self.set_timer(at),
            Action::Finished => {}
        }
    }

    fn start(&mut self, mut start: LeafStart, ending: bool) {
        if let Some(template) = self.course.run.filled_template(&start.node) {
            start.env.extend(workspace::env_from_maps(template, self.course.run.library()));
        }
        let phase = self.course.run.node(&start.node).map(|(_, phase)| phase);
        let told_started = phase != Some(NodePhase::Pending);
        let workflow = Arc::clone(self.course.projection.workflow());
        let folder = RunFolder::of(&self.around.data, &workflow.metadata.uid).leaf(&start.node);
        let (end, asked) = watch::channel(ending);
        let node = start.node.clone();
        let gear = self.gear(&start.node);
        let task = LeafTask {
            folder,
            start,
            gear,
            places: Arc::clone(&self.around.places),
            told_started,
            end: asked,
        };
        self.leaves.insert(node.clone(), end);
        let inbox = self.sender.clone();
        self.workers.spawn(async move {
            let tell = |news| {
                // A closed inbox means that the run is over or the server closes.
                let _ = inbox.send(Command::Leaf(node.clone(), news));
            };
            task.drive(&workflow, tell).await;
        });
    }

    /// What a leaf is beside its program.
    fn gear(&self, node: &NodeId) -> Gear {
        let (shim, grace) = (self.around.shim.clone(), self.around.grace);
        let template = self.course.run.filled_template(node);
        let shown = self.course.run.node_status(node);
        let (Some(template), Some(shown)) = (template, shown) else {
            return Gear { wanted: Wanted::default(), pod: None, shim, grace };
        };
        let wanted = Wanted::of(template, &shown.display_name, &self.course.result_text);
        Gear { wanted, pod: PodPlan::of(template), shim, grace }
    }

    /// Sets the timer anew; one that was set before no longer counts.
    fn set_timer(&mut self, at: Timestamp) {
        let inbox = self.sender.clone();
        let pause = Duration::from_millis(u64::try_from(at - clock::now()).unwrap_or_default());
        let timer = self.workers.spawn(async move {
            tokio::time::sleep(pause).await;
            let _ = inbox.send(Command::Timer);
        });
        if let Some(before) = self.timer.replace(timer) {
            before.abort();
        }
    }

    /// The run is over: keeps how it looks, and tells who waited.
    async fn finish(self) {
        let workflow = Arc::clone(self.course.projection.workflow());
        let namespace = &workflow.metadata.namespace;
        self.around.sharing.lock().await.leave(namespace, &self.course.run_name());
        if let Err(error) = self.around.store.commit(vec![Write::Over { workflow }]).await {
            // Only a shortcut: the journal gives the same.
            tracing::warn!(%error, "cannot keep how the workflow ended");
        }
        for remover in self.removers {
            let _ = remover.send(());
        }
    }
}
