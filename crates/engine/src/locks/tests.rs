//! Scripts of applicants, held against what the controller does.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use serde_json::{Map, Value, json};

use super::*;

/// Workflows of a script are created in the order of their names; a `!` after the name is a priority of 5.
struct Scene {
    locks: Locks,
    library: Library,
    limits: BTreeMap<String, Map<String, Value>>,
    statuses: BTreeMap<String, Option<LockStatus>>,
    said: String,
}

fn synchronization(text: &str) -> Synchronization {
    let mut lists = json!({"mutexes": [], "semaphores": []});
    for lock in text.split(',') {
        let (list, entry) = match lock.split_once('/') {
            None => ("mutexes", json!({"name": lock})),
            Some(("db", name)) => ("mutexes", json!({"name": name, "database": true})),
            Some((map, key)) => ("semaphores", json!({"configMapKeyRef": {"name": map, "key": key}})),
        };
        lists[list].as_array_mut().expect("a list").push(entry);
    }
    serde_json::from_value(lists).expect("a synchronization")
}

impl Scene {
    /// `wf:node + locks` asks, `wf:node - locks` gives back, `wf --` gives back all, `map/key = n` sets a
    /// limit, `? wf` shows the status. No node: the workflow itself.
    fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [who, "+", locks] => self.ask(who, locks),
            [who, "-", locks] => self.give_back(who, locks),
            [workflow, "--"] => self.give_all_back(workflow),
            [limit, "=", number] => self.limit(limit, number),
            ["?", workflow] => {
                let status = serde_json::to_string(&self.statuses[workflow]).expect("a status");
                writeln!(self.said, "{line}: {status}").expect("text");
            }
            _ => panic!("no line of a script: {line}"),
        }
        let woken = self.locks.take_woken();
        if !woken.is_empty() {
            writeln!(self.said, "    wakes {}", woken.join(" ")).expect("text");
        }
    }

    fn limit(&mut self, limit: &str, number: &str) {
        let (map, key) = limit.split_once('/').expect("map/key");
        let data = self.limits.entry(map.to_owned()).or_default();
        data.insert(key.to_owned(), json!(number));
        let document = json!({"kind": "ConfigMap", "metadata": {"name": map}, "data": data});
        self.library.add(&document).expect("a config map");
    }

    fn with(
        &mut self,
        who: &str,
        act: impl FnOnce(&mut Locks, Applicant, &Library, &mut Option<LockStatus>) -> String,
    ) {
        let (name, node) = who.split_once(':').map_or((who, None), |(name, node)| (name, Some(node)));
        let workflow = name.trim_end_matches('!');
        let node = node.map(NodeId::from);
        let applicant = Applicant {
            namespace: "default",
            workflow,
            node: node.as_ref(),
            priority: if name.ends_with('!') { 5 } else { 0 },
            created: Timestamp(workflow.bytes().map(i64::from).sum()),
        };
        let status = self.statuses.entry(workflow.to_owned()).or_default();
        let said = act(&mut self.locks, applicant, &self.library, status);
        writeln!(self.said, "{who}: {said}").expect("text");
    }

    fn ask(&mut self, who: &str, locks: &str) {
        let synchronization = synchronization(locks);
        self.with(who, |locks, applicant, library, status| {
            match locks.acquire(applicant, &synchronization, library, status) {
                Acquire::Acquired { is_changed } => {
                    format!("acquired{}", if is_changed { "" } else { " again" })
                }
                Acquire::Waiting { message, lock, is_changed } => {
                    format!("{message} ({lock}){}", if is_changed { "" } else { " again" })
                }
                Acquire::Failed { message } => format!("failed: {message}"),
            }
        });
    }

    fn give_back(&mut self, who: &str, locks: &str) {
        let synchronization = synchronization(locks);
        self.with(who, |locks, applicant, library, status| {
            locks.release(applicant, &synchronization, library, status);
            "gives back".to_owned()
        });
    }

    fn give_all_back(&mut self, workflow: &str) {
        self.with(workflow, |locks, applicant, library, status| {
            locks.release_all(applicant, &[], library, status);
            "gives all back".to_owned()
        });
    }
}

fn check(script: &str, expected: &Expect) {
    let mut scene = Scene {
        locks: Locks::new(LockForms::ListsOnly),
        library: Library::default(),
        limits: BTreeMap::new(),
        statuses: BTreeMap::new(),
        said: String::new(),
    };
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        scene.line(line);
    }
    expected.assert_eq(&scene.said);
}

/// As in the recorded runs `limits/mutex-D` and `limits/mutex-D--stop-02`.
#[test]
fn the_second_task_waits_for_the_first() {
    check(
        "
        lim:a + door
        lim:b + door
        lim:a + door
        lim:b + door
        ? lim
        lim:a - door
        lim:b + door
        ? lim
        lim --
        ? lim
        ",
        &expect![[r#"
            lim:a: acquired
            lim:b: Waiting for default/Mutex/door lock. Lock status: 0/1 (default/Mutex/door)
            lim:a: acquired again
            lim:b: Waiting for default/Mutex/door lock. Lock status: 0/1 (default/Mutex/door) again
            ? lim: {"mutex":{"holding":[{"mutex":"default/Mutex/door","holder":"default/lim/a"}],"waiting":[{"mutex":"default/Mutex/door","holder":"default/lim/a"}]}}
            lim:a: gives back
                wakes default/lim
            lim:b: acquired
            ? lim: {"mutex":{"holding":[{"mutex":"default/Mutex/door","holder":"default/lim/b"}],"waiting":[{"mutex":"default/Mutex/door","holder":"default/lim/a"}]}}
            lim: gives all back
            ? lim: null
        "#]],
    );
}

/// As in the recorded run `limits/sem`.
#[test]
fn as_many_hold_a_semaphore_as_its_config_map_says() {
    check(
        "
        sem/n = 2
        lim:a + sem/n
        lim:b + sem/n
        lim:c + sem/n
        ? lim
        lim:a - sem/n
        lim:b - sem/n
        lim:c + sem/n
        ? lim
        ",
        &expect![[r#"
            lim:a: acquired
            lim:b: acquired
            lim:c: Waiting for default/ConfigMap/sem/n lock. Lock status: 0/2 (default/ConfigMap/sem/n)
            ? lim: {"semaphore":{"holding":[{"semaphore":"default/ConfigMap/sem/n","holders":["default/lim/a","default/lim/b"]}],"waiting":[{"semaphore":"default/ConfigMap/sem/n","holders":["default/lim/a","default/lim/b"]}]}}
            lim:a: gives back
                wakes default/lim
            lim:b: gives back
                wakes default/lim
            lim:c: acquired
            ? lim: {"semaphore":{"holding":[{"semaphore":"default/ConfigMap/sem/n","holders":["default/lim/c"]}],"waiting":[{"semaphore":"default/ConfigMap/sem/n","holders":["default/lim/a","default/lim/b"]}]}}
        "#]],
    );
}

/// As in the recorded run `limits/sem-missing`.
#[test]
fn a_limit_that_cannot_be_read_is_an_error() {
    check(
        "
        lim:a + sem/n
        sem/n = many
        lim:a + sem/n
        sem/n = 0
        lim:a + sem/n
        lim:a + db/ledger
        lim:a + door,door
        ",
        &expect![[r#"
            lim:a: failed: failed to initialize semaphore default/ConfigMap/sem/n with limit
            lim:a: failed: failed to initialize semaphore default/ConfigMap/sem/n with limit
            lim:a: failed: failed to initialize semaphore default/ConfigMap/sem/n with limit
            lim:a: failed: database session is not available for mutex default/Database/ledger
            lim:a: failed: requested configuration is invalid: duplicate synchronization item found
        "#]],
    );
}

#[test]
fn several_locks_are_got_at_once_or_not_at_all() {
    check(
        "
        sem/n = 2
        one:a + door
        two:a + gate,door,sem/n
        three:a + gate
        one:a - door
        two:a + gate,door,sem/n
        three:a + gate
        two:a - gate,door,sem/n
        three:a + gate
        ",
        &expect![[r#"
            one:a: acquired
            two:a: Waiting for default/Mutex/door lock. Lock status: 0/1 (default/Mutex/door)
            three:a: Waiting for default/Mutex/gate lock. Lock status: 1/1 (default/Mutex/gate) again
                wakes default/two
            one:a: gives back
                wakes default/two
            two:a: acquired
            three:a: Waiting for default/Mutex/gate lock. Lock status: 0/1 (default/Mutex/gate)
            two:a: gives back
                wakes default/three
            three:a: acquired
        "#]],
    );
}

#[test]
fn the_queue_goes_by_priority_then_age() {
    check(
        "
        b:x + door
        d:x + door
        c:x + door
        e!:x + door
        b:x - door
        c:x + door
        e!:x + door
        e!:x - door
        d:x + door
        c:x + door
        ",
        &expect![[r#"
            b:x: acquired
            d:x: Waiting for default/Mutex/door lock. Lock status: 0/1 (default/Mutex/door)
            c:x: Waiting for default/Mutex/door lock. Lock status: 0/1 (default/Mutex/door)
            e!:x: Waiting for default/Mutex/door lock. Lock status: 0/1 (default/Mutex/door)
            b:x: gives back
                wakes default/e
            c:x: Waiting for default/Mutex/door lock. Lock status: 1/1 (default/Mutex/door) again
                wakes default/e
            e!:x: acquired
            e!:x: gives back
                wakes default/c
            d:x: Waiting for default/Mutex/door lock. Lock status: 1/1 (default/Mutex/door) again
                wakes default/c
            c:x: acquired
        "#]],
    );
}

#[test]
fn workflows_wait_as_wholes_too() {
    check(
        "
        a + door
        b + door
        ? b
        b --
        a --
        b + door
        ",
        &expect![[r#"
            a: acquired
            b: Waiting for default/Mutex/door lock. Lock status: 0/1 (default/Mutex/door)
            ? b: {"mutex":{"waiting":[{"mutex":"default/Mutex/door","holder":"default/a"}]}}
            b: gives all back
            a: gives all back
            b: acquired
        "#]],
    );
}

#[test]
fn a_lowered_limit_takes_nothing_away() {
    check(
        "
        sem/n = 2
        a:x + sem/n
        b:x + sem/n
        sem/n = 1
        c:x + sem/n
        a:x - sem/n
        c:x + sem/n
        sem/n = 3
        c:x + sem/n
        sem/n = gone
        d:x + sem/n
        ",
        &expect![[r#"
            a:x: acquired
            b:x: acquired
            c:x: Waiting for default/ConfigMap/sem/n lock. Lock status: -1/1 (default/ConfigMap/sem/n)
            a:x: gives back
            c:x: Waiting for default/ConfigMap/sem/n lock. Lock status: 0/1 (default/ConfigMap/sem/n)
            c:x: acquired
            d:x: Failed to get semaphore limit for default/ConfigMap/sem/n (default/ConfigMap/sem/n)
        "#]],
    );
}

#[test]
fn what_was_held_is_held_after_a_restart_and_forgotten_with_the_workflow() {
    let library = Library::default();
    let status = json!({"mutex": {"holding": [{"mutex": "default/Mutex/door", "holder": "default/a/a-1"}]}});
    let status: LockStatus = serde_json::from_value(status).expect("a status");
    let mut locks = Locks::default();
    locks.take_up(&status, &library);
    assert_eq!(locks.holders("default/Mutex/door"), ["default/a/a-1"]);
    let other =
        Applicant { namespace: "default", workflow: "b", node: None, priority: 0, created: Timestamp(1) };
    let door: Synchronization = serde_json::from_value(json!({"mutex": {"name": "door"}})).expect("locks");
    let mut waiting = None;
    let asked = locks.acquire(other, &door, &library, &mut waiting);
    assert!(matches!(asked, Acquire::Waiting { .. }), "{asked:?}");
    locks.forget("default", "a", &library);
    assert_eq!(locks.take_woken(), ["default/b"]);
    let asked = locks.acquire(other, &door, &library, &mut waiting);
    assert_eq!(asked, Acquire::Acquired { is_changed: true });
    assert_eq!(locks.holders("default/Mutex/door"), ["default/b"]);
}
