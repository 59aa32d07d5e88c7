//! Who waits for a lock, the next one first.
//! Source: Argo `workflow/sync/multi_throttler.go`, `priorityQueue`, over Go's `container/heap`.
//!
//! Applicants of equal priority and time have no order of their own: which one is first follows from
//! how Go's heap moves its items, so it is the same heap here.

use unwind_model::Timestamp;

use super::shared::Waiter;

/// One who waits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    key: String,
    priority: i32,
    created: Timestamp,
}

/// Those who wait: higher priority first, then the older workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    items: Vec<Item>,
    /// Whether it is one of several copies, in which equals have to be in the same order.
    is_shared: bool,
}

impl Queue {
    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The keys in the order of the heap; the first one is next.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|item| item.key.as_str())
    }

    pub(super) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Everybody in it, in the order of the heap.
    pub(super) fn waiters(&self) -> impl Iterator<Item = Waiter> {
        self.items.iter().map(|item| Waiter {
            key: item.key.clone(),
            priority: item.priority,
            created: item.created,
        })
    }

    /// From now on it is a copy; only some stay in it.
    pub(super) fn share(&mut self, stays: impl Fn(&str) -> bool) {
        self.is_shared = true;
        for item in std::mem::take(&mut self.items) {
            if stays(&item.key) {
                self.add(&item.key, item.priority, item.created);
            }
        }
    }

    /// Puts a key in, or gives it another priority.
    pub(super) fn add(&mut self, key: &str, priority: i32, created: Timestamp) {
        if let Some(at) = self.find(key) {
            if self.items[at].priority != priority {
                self.items[at].priority = priority;
                self.settle(at, self.items.len());
            }
            return;
        }
        self.items.push(Item { key: key.to_owned(), priority, created });
        self.up(self.items.len() - 1);
    }

    /// Takes the first one out, whoever it is.
    pub(super) fn pop(&mut self) {
        if !self.items.is_empty() {
            self.remove_at(0);
        }
    }

    /// Takes a key out.
    pub(super) fn remove(&mut self, key: &str) {
        if let Some(at) = self.find(key) {
            self.remove_at(at);
        }
    }

    fn find(&self, key: &str) -> Option<usize> {
        self.items.iter().position(|item| item.key == key)
    }

    fn remove_at(&mut self, at: usize) {
        let last = self.items.len() - 1;
        if at != last {
            self.items.swap(at, last);
            self.settle(at, last);
        }
        self.items.pop();
    }

    fn settle(&mut self, at: usize, len: usize) {
        if !self.down(at, len) {
            self.up(at);
        }
    }

    fn is_before(&self, left: usize, right: usize) -> bool {
        let (left, right) = (&self.items[left], &self.items[right]);
        if left.priority == right.priority {
            left.created < right.created
                || self.is_shared && left.created == right.created && left.key < right.key
        } else {
            left.priority > right.priority
        }
    }

    fn up(&mut self, mut at: usize) {
        while at > 0 {
            let above = (at - 1) / 2;
            if !self.is_before(at, above) {
                break;
            }
            self.items.swap(at, above);
            at = above;
        }
    }

    /// True when the item moved.
    fn down(&mut self, from: usize, len: usize) -> bool {
        let mut at = from;
        loop {
            let left = 2 * at + 1;
            if left >= len {
                break;
            }
            let right = left + 1;
            let below = if right < len && self.is_before(right, left) { right } else { left };
            if !self.is_before(below, at) {
                break;
            }
            self.items.swap(at, below);
            at = below;
        }
        at > from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(items: &[(&str, i32, i64)], expected: &str) {
        let mut queue = Queue::default();
        for (key, priority, created) in items {
            queue.add(key, *priority, Timestamp(*created));
        }
        let mut order = Vec::new();
        while queue.len() > 0 {
            order.extend(queue.keys().next().map(str::to_owned));
            queue.pop();
        }
        assert_eq!(order.join(" "), expected);
    }

    #[test]
    fn priority_goes_before_age() {
        check(&[("new", 0, 9), ("old", 0, 1), ("urgent", 5, 20), ("idle", -1, 0)], "urgent old new idle");
        check(&[("a", 0, 1), ("b", 0, 2), ("a", 3, 1), ("b", 7, 2)], "b a");
    }

    #[test]
    fn equals_come_out_as_gos_heap_gives_them() {
        check(&[("a", 0, 1), ("b", 0, 1), ("c", 0, 1), ("d", 0, 1)], "a d c b");
    }

    #[test]
    fn whoever_is_removed_the_rest_stays_in_order() {
        for gone in 0..7_i64 {
            let mut queue = Queue::default();
            for at in [3_i64, 6, 0, 5, 1, 4, 2] {
                queue.add(&at.to_string(), 0, Timestamp(at));
            }
            queue.remove(&gone.to_string());
            let mut order = Vec::new();
            while queue.len() > 0 {
                order.extend(queue.keys().next().map(|key| key.parse::<i64>().expect("a number")));
                queue.pop();
            }
            assert_eq!(order, (0..7).filter(|at| *at != gone).collect::<Vec<_>>());
        }
    }
}
