//! What a walk of what was touched has still to do, and the boxes that are open.
//!
//! Only a row that knows no rhythm keeps this; a controller walks everything in every pass.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use unwind_model::{NodeName, NodePhase, Shutdown, Timestamp};

use crate::progress::Progress;

use super::opened::Opened;
use super::table::{At, Place};

/// Something to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Visit {
    /// The root, the workflow's hooks and its end.
    Root,
    /// A box: whether it is over, and what comes next in it.
    Box(At),
    /// A member of a box, with its hooks.
    Member(At, Place),
}

/// How far shutdown and deadline have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) shutdown: Option<Shutdown>,
    pub(crate) is_past_deadline: bool,
}

/// A queue in which everything stands once.
#[derive(Clone, Debug)]
pub(crate) struct Line<T> {
    queue: VecDeque<T>,
    queued: BTreeSet<T>,
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        Self { queue: VecDeque::new(), queued: BTreeSet::new() }
    }
}

impl<T: Copy + Ord> Line<T> {
    /// Puts something at the end, unless it is there.
    pub(crate) fn push(&mut self, next: T) {
        if self.queued.insert(next) {
            self.queue.push_back(next);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        const MANY: usize = 1_024;
        let next = self.queue.pop_front()?;
        self.queued.remove(&next);
        if self.queue.is_empty() && self.queue.capacity() > MANY {
            self.queue = VecDeque::new();
        }
        Some(next)
    }
}

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Todo {
    queue: Line<Visit>,
    /// What time alone moves.
    wakes: BTreeMap<Timestamp, BTreeSet<Visit>>,
    boxes: BTreeMap<At, Box<Opened>>,
    /// Nodes of whose pod, result or task something is new.
    news: BTreeSet<NodeName>,
    /// Wait for room in the workflow, in the order of asking.
    pub(crate) blocked: Line<Visit>,
    /// Members that wait for room in their box, in the order of asking.
    pub(crate) blocked_in: BTreeMap<At, Line<Place>>,
    /// Boxes in which there may be room again.
    pub(crate) room: BTreeSet<At>,
    /// Look at what any event may change: expressions over the workflow's own names, names without a value.
    pub(crate) watchers: BTreeSet<Visit>,
    /// Daemons that run.
    pub(crate) daemons: BTreeSet<At>,
    /// Nodes that are over and may have a pod.
    pub(crate) ended: Vec<At>,
    /// Nodes that moved since somebody asked, and their phase then; `None`: they were not there.
    pub(crate) moved: BTreeMap<At, Option<NodePhase>>,
    /// What was known when everything was looked at last; `None`: everything is to be looked at.
    pub(crate) swept: Option<Limits>,
    pub(crate) active_pods: i64,
    /// Progress of the workflow.
    pub(crate) leaves: Progress,
    /// Whether the agent has something new to do.
    pub(crate) asks_agent: bool,
    /// What is directly inside each box of a run that was taken up, until that is opened.
    pub(crate) taken_up: BTreeMap<At, Vec<At>>,
    /// How many visits there were. For tests of cost: time cannot be tested, this can.
    pub(crate) visits: u64,
}

impl Todo {
    pub(crate) fn push(&mut self, visit: Visit) {
        self.queue.push(visit);
    }

    pub(crate) fn pop(&mut self) -> Option<Visit> {
        let visit = self.queue.pop()?;
        self.visits += 1;
        Some(visit)
    }

    /// Visits something once a time has come.
    pub(crate) fn wake_at(&mut self, time: Timestamp, visit: Visit) {
        self.wakes.entry(time).or_default().insert(visit);
    }

    /// Forgets what was to be visited when: a walk of everything finds it out anew.
    pub(crate) fn forget_wakes(&mut self) {
        self.wakes.clear();
    }

    pub(crate) fn next_wake(&self) -> Option<Timestamp> {
        self.wakes.keys().next().copied()
    }

    /// Queues what time has come for.
    pub(crate) fn wake(&mut self, now: Timestamp) {
        while let Some(entry) = self.wakes.first_entry().filter(|entry| *entry.key() <= now) {
            for visit in entry.remove() {
                self.push(visit);
            }
        }
    }

    pub(crate) fn is_open(&self, at: At) -> bool {
        self.boxes.contains_key(&at)
    }

    /// Takes a box out while something in it is visited.
    pub(crate) fn take(&mut self, at: At) -> Option<Box<Opened>> {
        self.boxes.remove(&at)
    }

    pub(crate) fn put(&mut self, at: At, opened: Box<Opened>) {
        self.boxes.insert(at, opened);
    }

    pub(crate) fn open_boxes(&self) -> impl Iterator<Item = (At, &Opened)> {
        self.boxes.iter().map(|(at, opened)| (*at, opened.as_ref()))
    }

    pub(crate) fn hear(&mut self, node: NodeName) {
        self.news.insert(node);
    }

    pub(crate) fn take_news(&mut self) -> BTreeSet<NodeName> {
        std::mem::take(&mut self.news)
    }
}
