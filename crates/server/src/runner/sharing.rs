//! What the runs of one server share: locks, and how many workflows of a namespace run at once.
//!
//! In: what each run holds and waits for. Out: what one of them has to know of the others, and whom to
//! wake. Each run keeps what it was told as an event of its own, so all of this is made anew from the
//! runs after a restart.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use unwind_engine::locks::{LockUses, Waiter};
use unwind_model::Timestamp;

use super::supervisor::{Command, Inbox};

/// A run, by what locks call it: `namespace/name`.
pub type RunName = String;

/// A workflow that has not begun.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Applicant {
    /// Higher goes first.
    pub priority: Reverse<i32>,
    /// Then the older one.
    pub created: Timestamp,
    /// Which.
    pub run: RunName,
}

/// What is shared.
#[derive(Debug, Default)]
pub struct Sharing {
    uses: BTreeMap<RunName, LockUses>,
    inboxes: BTreeMap<RunName, Inbox>,
    /// Most workflows of one namespace that run at once.
    most: Option<usize>,
    running: BTreeMap<String, BTreeSet<RunName>>,
    waiting: BTreeMap<String, BTreeSet<Applicant>>,
}

impl Sharing {
    /// Nothing is held yet. `most`: workflows of one namespace that run at once.
    pub fn new(most: Option<usize>) -> Self {
        Self { most, ..Self::default() }
    }

    /// A run that was taken up and has begun, with what it holds.
    pub fn restore(&mut self, namespace: &str, run: RunName, uses: LockUses) {
        self.running.entry(namespace.to_owned()).or_default().insert(run.clone());
        self.uses.insert(run, uses);
    }

    /// How a run is woken.
    pub fn join(&mut self, run: RunName, inbox: Inbox) {
        self.inboxes.insert(run, inbox);
    }

    /// A run that is over, or gone: wakes who may go on now.
    pub fn leave(&mut self, namespace: &str, run: &str) {
        self.inboxes.remove(run);
        self.update(run, LockUses::new());
        if let Some(running) = self.running.get_mut(namespace) {
            running.remove(run);
        }
        if let Some(waiting) = self.waiting.get_mut(namespace) {
            waiting.retain(|one| one.run != run);
        }
        self.wake_waiting(namespace);
    }

    /// Whether a workflow may begin now; if not, it is woken when it may.
    pub fn may_begin(&mut self, namespace: &str, applicant: Applicant) -> bool {
        let running = self.running.entry(namespace.to_owned()).or_default();
        let waiting = self.waiting.entry(namespace.to_owned()).or_default();
        let has_room = self.most.is_none_or(|most| running.len() < most);
        waiting.insert(applicant.clone());
        let is_next = self.most.is_none() || waiting.first() == Some(&applicant);
        if running.contains(&applicant.run) || has_room && is_next {
            waiting.remove(&applicant);
            running.insert(applicant.run);
            self.wake_waiting(namespace);
            return true;
        }
        false
    }

    /// A workflow begins without waiting: it was told to end.
    pub fn begins(&mut self, namespace: &str, run: &str) {
        self.running.entry(namespace.to_owned()).or_default().insert(run.to_owned());
        if let Some(waiting) = self.waiting.get_mut(namespace) {
            waiting.retain(|one| one.run != run);
        }
    }

    fn wake_waiting(&self, namespace: &str) {
        let running = self.running.get(namespace).map_or(0, BTreeSet::len);
        let next = self.waiting.get(namespace).and_then(BTreeSet::first);
        if let Some(next) = next.filter(|_| self.most.is_none_or(|most| running < most)) {
            self.tell(&next.run, Command::Begin);
        }
    }

    /// What a run has to know of all others: who holds what, and who waits first.
    pub fn others(&self, run: &str) -> LockUses {
        let mut others = LockUses::new();
        for uses in self.uses.iter().filter(|(name, _)| *name != run).map(|(_, uses)| uses) {
            for (lock, one) in uses {
                let known = others.entry(lock.clone()).or_default();
                known.holders.extend(one.holders.iter().cloned());
                known.waiting.extend(one.waiting.iter().cloned());
            }
        }
        for one in others.values_mut() {
            one.holders.sort();
            one.waiting.sort_by(|a, b| rank(a).cmp(&rank(b)));
            one.waiting.truncate(1);
        }
        others
    }

    /// Notes down what a run holds and waits for now, and wakes who is next for what has changed.
    pub fn update(&mut self, run: &str, uses: LockUses) {
        let before = self.uses.insert(run.to_owned(), uses).unwrap_or_default();
        let now = self.uses.get(run).cloned().unwrap_or_default();
        let locks: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let mut woken = BTreeSet::new();
        for lock in locks.into_iter().filter(|lock| before.get(*lock) != now.get(*lock)) {
            let waiting = self.uses.values().filter_map(|uses| uses.get(lock)).flat_map(|one| &one.waiting);
            if let Some(first) = waiting.min_by(|a, b| rank(a).cmp(&rank(b))) {
                woken.insert(run_of(&first.key).to_owned());
            }
        }
        if now.is_empty() {
            self.uses.remove(run);
        }
        for name in woken.iter().filter(|name| *name != run) {
            self.tell(name, Command::LocksMoved);
        }
    }

    fn tell(&self, run: &str, command: Command) {
        if let Some(inbox) = self.inboxes.get(run) {
            // A closed inbox is a run that is over.
            let _ = inbox.send(command);
        }
    }
}

/// The order in which those who wait get a lock, as `engine::locks` has it for runs that share.
fn rank(one: &Waiter) -> (Reverse<i32>, Timestamp, &str) {
    (Reverse(one.priority), one.created, &one.key)
}

/// The run that a key belongs to: its first two parts.
fn run_of(key: &str) -> &str {
    key.match_indices('/').nth(1).map_or(key, |(at, _)| &key[..at])
}

#[cfg(test)]
mod tests {
    use unwind_engine::locks::LockUse;

    use super::*;

    fn uses(holders: &[&str], waiting: &[(&str, i64)]) -> LockUses {
        let waiter =
            |(key, at): &(&str, i64)| Waiter { key: (*key).to_owned(), priority: 0, created: Timestamp(*at) };
        let holders = holders.iter().map(|key| (*key).to_owned()).collect();
        let one = LockUse { holders, waiting: waiting.iter().map(waiter).collect() };
        LockUses::from([("ns/Mutex/m".to_owned(), one)])
    }

    #[test]
    fn a_run_is_told_who_holds_and_who_waits_first() {
        let mut sharing = Sharing::new(None);
        sharing.update("ns/a", uses(&["ns/a/1"], &[]));
        sharing.update("ns/b", uses(&[], &[("ns/b", 9)]));
        sharing.update("ns/c", uses(&[], &[("ns/c/1", 5), ("ns/c/0", 5)]));
        assert_eq!(sharing.others("ns/d"), uses(&["ns/a/1"], &[("ns/c/0", 5)]));
        assert_eq!(sharing.others("ns/c"), uses(&["ns/a/1"], &[("ns/b", 9)]));
    }

    #[test]
    fn who_is_next_is_woken_when_a_lock_is_given_back() {
        let mut sharing = Sharing::new(None);
        let (inbox, mut woken) = tokio::sync::mpsc::unbounded_channel();
        sharing.join("ns/c".to_owned(), inbox);
        sharing.update("ns/a", uses(&["ns/a/1"], &[]));
        sharing.update("ns/b", uses(&[], &[("ns/b", 9)]));
        assert!(woken.try_recv().is_err());
        sharing.update("ns/c", uses(&[], &[("ns/c/1", 5)]));
        sharing.leave("ns", "ns/a");
        assert!(matches!(woken.try_recv(), Ok(Command::LocksMoved)));
        assert!(woken.try_recv().is_err());
    }

    #[test]
    fn workflows_of_one_namespace_begin_in_turn() {
        let mut sharing = Sharing::new(Some(1));
        let apply = |name: &str, priority: i32, at: i64| Applicant {
            priority: Reverse(priority),
            created: Timestamp(at),
            run: format!("ns/{name}"),
        };
        let (inbox, mut woken) = tokio::sync::mpsc::unbounded_channel();
        sharing.join("ns/urgent".to_owned(), inbox);
        assert!(sharing.may_begin("ns", apply("first", 0, 1)));
        assert!(!sharing.may_begin("ns", apply("second", 0, 2)));
        assert!(!sharing.may_begin("ns", apply("urgent", 5, 3)));
        assert!(sharing.may_begin("other", apply("first", 0, 1)));
        sharing.leave("ns", "ns/first");
        assert!(matches!(woken.try_recv(), Ok(Command::Begin)));
        assert!(!sharing.may_begin("ns", apply("second", 0, 2)));
        assert!(sharing.may_begin("ns", apply("urgent", 5, 3)));
    }
}
