//! Why a run is still running: a chain from the workflow to what holds it.

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, NodePhase, NodeType, Timestamp, Workflow, ordered};

use crate::plan::{Plan, Role};
use crate::trace::Trace;
use crate::trace::tree::Tree;
use crate::trace::{Words, shutdown_words};
use crate::verdict::{FindingKind, Judgement};

/// One link of the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    /// The node that is not over.
    pub node: NodeName,
    /// Its phase.
    pub phase: NodePhase,
    /// Since when it is there.
    pub since: Option<Timestamp>,
    /// Why it is not over.
    #[serde(flatten)]
    pub why: Why,
}

/// Why a node is not over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Why {
    /// It waits for the next link, which is inside it.
    Inside,
    /// It waits for the next link, which is its hook.
    Hook,
    /// Its program runs.
    Runs,
    /// It waits for a place to run.
    Waits {
        /// What it says of that.
        message: String,
    },
    /// It waits for a resume.
    Person,
    /// It waits for a lock.
    Lock {
        /// Name of the lock.
        lock: String,
        /// Who holds it, as the status has it: a node of this workflow or the key of another's.
        holder: Option<String>,
    },
    /// It has ended, and its result was not reported.
    Result,
    /// It has ended, and a hook that has to run is not there.
    HookMissing {
        /// The hook.
        hook: NodeName,
    },
    /// It has ended, and a hook of it was refused by the shutdown.
    HookRefused {
        /// The hook.
        hook: NodeName,
    },
    /// A shutdown is stored and not acted on.
    StopIgnored,
    /// The whole workflow is suspended.
    Suspended,
    /// Everything inside it has ended, itself it never did.
    LeftBehind,
    /// Nothing of it has begun.
    NotBegun,
}

/// The chain of a run that is not over; one link at least.
pub fn held_up(workflow: &Workflow, plan: &Plan, trace: &Trace, judgement: &Judgement) -> Vec<Held> {
    let found = |kind: FindingKind| judgement.findings.iter().find(|finding| finding.kind == kind);
    let tree = Tree::build(&trace.spans);
    let chain = Chain { workflow, plan, trace, judgement, tree: &tree };
    let Some(&root) = tree.roots.first().filter(|_| !trace.spans.is_empty()) else {
        let ignored = found(FindingKind::StopIgnored).is_some();
        let why = if ignored { Why::StopIgnored } else { chain.whole(Why::NotBegun) };
        return vec![Held {
            node: trace.workflow.clone(),
            phase: NodePhase::Pending,
            since: trace.begun,
            why: lock_of(workflow, &workflow.status.message).unwrap_or(why),
        }];
    };
    let ignored = found(FindingKind::StopIgnored).is_some_and(|finding| finding.node == trace.workflow);
    if ignored {
        return vec![chain.link(root, Why::StopIgnored)];
    }
    chain.down(root)
}

struct Chain<'a> {
    workflow: &'a Workflow,
    plan: &'a Plan,
    trace: &'a Trace,
    judgement: &'a Judgement,
    tree: &'a Tree,
}

impl Chain<'_> {
    fn link(&self, at: usize, why: Why) -> Held {
        let span = &self.trace.spans[at];
        Held { node: span.node.clone(), phase: span.phase, since: span.begun, why }
    }

    /// What holds the workflow as a whole.
    fn whole(&self, other: Why) -> Why {
        if self.trace.facts.suspended || self.plan.suspended && self.trace.spans.is_empty() {
            Why::Suspended
        } else {
            other
        }
    }

    /// Each link waits for the next one, which began later than it.
    fn down(&self, root: usize) -> Vec<Held> {
        let mut links = Vec::new();
        let mut open = vec![false; self.trace.spans.len()];
        // Whether a node, or something inside it or a hook of it, is not over.
        for &at in self.tree.downward.iter().rev() {
            open[at] |= !self.is_over(at);
            for around in [self.tree.parent[at], self.tree.owner[at]].into_iter().flatten() {
                open[around] |= open[at];
            }
        }
        let mut passed = vec![false; self.trace.spans.len()];
        let mut at = root;
        loop {
            passed[at] = true;
            let (next, why) = self.next(at, &open);
            let holder = self.holder_of(&why).filter(|holder| open[*holder] && !passed[*holder]);
            links.push(self.link(at, why));
            // Who waits for a lock waits for its holder, and for what that waits for.
            match next.or(holder) {
                Some(next) => at = next,
                None => return links,
            }
        }
    }

    /// The node of this workflow that holds a lock.
    fn holder_of(&self, why: &Why) -> Option<usize> {
        let Why::Lock { holder: Some(holder), .. } = why else { return None };
        self.trace.spans.iter().position(|span| span.node.as_str() == holder)
    }

    fn next(&self, at: usize, open: &[bool]) -> (Option<usize>, Why) {
        let is_open = |inner: &&usize| open[**inner];
        let inside = self.tree.insides[at].iter().filter(is_open);
        // What works comes before what waits.
        let inside = inside.min_by_key(|inner| (self.rank(**inner), **inner)).copied();
        if let Some(inner) = inside {
            return (Some(inner), Why::Inside);
        }
        let hooks = || self.tree.named[at].iter().chain(self.tree.exit[at].as_ref());
        if let Some(hook) = hooks().find(is_open) {
            return (Some(*hook), Why::Hook);
        }
        (None, self.last(at))
    }

    fn rank(&self, at: usize) -> u8 {
        match self.trace.spans[at].phase {
            NodePhase::Running => 0,
            NodePhase::Pending => 1,
            NodePhase::Succeeded
            | NodePhase::Skipped
            | NodePhase::Failed
            | NodePhase::Error
            | NodePhase::Omitted => 2,
        }
    }

    /// Why the last link is not over.
    fn last(&self, at: usize) -> Why {
        let span = &self.trace.spans[at];
        if let Some(hook) = self.missing_hook(at) {
            return Why::HookMissing { hook };
        }
        if let Some(hook) = self.refused_hook(at) {
            return Why::HookRefused { hook };
        }
        if span.phase.is_final() {
            let is_root = matches!(span.role, Role::Root);
            return if self.is_over(at) && is_root { self.whole(Why::LeftBehind) } else { Why::Result };
        }
        let message = self.message(at);
        if let Some(lock) = lock_of(self.workflow, &message) {
            return lock;
        }
        match (span.node_type, span.phase) {
            (NodeType::Suspend, _) => Why::Person,
            (_, NodePhase::Pending) => self.whole(Why::Waits { message }),
            (
                NodeType::Pod | NodeType::Container | NodeType::HTTP | NodeType::Plugin | NodeType::Skipped,
                _,
            ) => Why::Runs,
            (
                NodeType::DAG | NodeType::Steps | NodeType::StepGroup | NodeType::TaskGroup | NodeType::Retry,
                _,
            ) => self.whole(Why::LeftBehind),
        }
    }

    fn message(&self, at: usize) -> String {
        self.trace.spans[at].message.clone()
    }

    fn missing_hook(&self, at: usize) -> Option<NodeName> {
        let name = &self.trace.spans[at].node;
        let missing = self.judgement.findings.iter().filter(|found| found.kind == FindingKind::HookMissing);
        let mut hooks = missing.map(|found| &found.node);
        let is_own = |hook: &NodeName| {
            hook.as_str().strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(".onExit"))
        };
        hooks.find(|hook| is_own(hook)).cloned()
    }

    /// A hook of a node, or of what is inside it, whose pod the shutdown refused.
    fn refused_hook(&self, at: usize) -> Option<NodeName> {
        let hooks = |at: usize| self.tree.named[at].iter().chain(&self.tree.exit[at]);
        let inside = self.tree.insides[at].iter().flat_map(|inner| hooks(*inner));
        let is_refused = |hook: &&usize| {
            matches!(shutdown_words(&self.trace.spans[**hook].message), Some(Words::Refused(_)))
        };
        let hook = hooks(at).chain(inside).find(is_refused)?;
        Some(self.trace.spans[*hook].node.clone())
    }

    fn is_over(&self, at: usize) -> bool {
        let span = &self.trace.spans[at];
        let is_open = self.workflow.status.nodes.get(&span.id).and_then(|node| node.task_result_synced);
        span.phase.is_final() && is_open != Some(false)
    }
}

/// The lock that a message says is waited for, with who holds it.
/// Source: Argo `workflow/sync/semaphore.go`, `tryAcquire`.
fn lock_of(workflow: &Workflow, message: &str) -> Option<Why> {
    let lock = message.strip_prefix("Waiting for ")?.split(" lock").next()?;
    Some(Why::Lock { lock: lock.to_owned(), holder: holder(workflow, lock) })
}

fn holder(workflow: &Workflow, lock: &str) -> Option<String> {
    use crate::locks::LockStatus;
    let status = workflow.status.other.get("synchronization")?;
    let status: LockStatus = serde_json::from_value(status.clone()).ok()?;
    let mutexes = status.mutex.into_iter().flat_map(|mutex| {
        let kept = mutex.holding.into_iter().chain(mutex.waiting);
        kept.map(|one| (one.mutex, vec![one.holder])).collect::<Vec<_>>()
    });
    let semaphores = status.semaphore.into_iter().flat_map(|semaphore| {
        let kept = semaphore.holding.into_iter().chain(semaphore.waiting);
        kept.map(|one| (one.semaphore, one.holders)).collect::<Vec<_>>()
    });
    let (_, holders) = mutexes.chain(semaphores).find(|(name, _)| name == lock)?;
    let holder = holders.into_iter().next()?;
    let id = holder.rsplit('/').next().unwrap_or(&holder).to_owned();
    let names = ordered::map(workflow.status.nodes.values().map(|node| (node.id.as_str(), &node.name)));
    Some(names.get(id.as_str()).map_or(holder, |name| name.as_str().to_owned()))
}
