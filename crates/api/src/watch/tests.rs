#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes expected texts with hashes")]

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use unwind_model::delta::{DeltaChange, apply};
use unwind_model::{Workflow, WorkflowPhase};

use super::*;
use crate::sse;
use crate::unwind::{RunKey, Subscriptions};

const CUT: &[u8] = include_bytes!("../../tests/fixtures/live-stream/stream-1-cut-in-the-middle.sse");
const TOO_OLD: &[u8] = include_bytes!("../../tests/fixtures/live-stream/stream-2-too-old.sse");
const AFTER: &[u8] = include_bytes!("../../tests/fixtures/live-stream/stream-3-after-relist.sse");

fn run(name: &str) -> RunKey {
    RunKey { namespace: "demo".to_owned(), name: name.to_owned() }
}

/// A list-watch with a log of what it gave, and the object as a page would keep it.
struct Bench {
    watch: ListWatch,
    now: Timestamp,
    log: Vec<String>,
    objects: BTreeMap<String, Workflow>,
}

impl Bench {
    fn new(source: Source) -> Self {
        let mut bench = Self {
            watch: ListWatch::new(source),
            now: Timestamp(1_000_000),
            log: Vec::new(),
            objects: BTreeMap::new(),
        };
        let outputs = bench.watch.start(bench.now);
        bench.take(outputs);
        bench
    }

    fn put(&mut self, input: Input) {
        let outputs = self.watch.handle(self.now, input);
        self.take(outputs);
    }

    fn take(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            let line = match output {
                Output::Open(connection, url) => format!("open {} {url}", connection.0),
                Output::Fetch(connection, url) => format!("fetch {} {url}", connection.0),
                Output::Abort(connection) => format!("abort {}", connection.0),
                Output::Report(link) => format!("link {link:?}"),
                Output::StartTimer(Timer::Quiet(_), QUIET_MS) => continue,
                Output::StartTimer(timer, ms) => format!("{timer:?} in {ms} ms"),
                Output::Apply(delta) => {
                    let line = self.applied(&delta);
                    format!("apply {}@{} {line}", delta.name, delta.resource_version)
                }
            };
            self.log.push(line);
        }
    }

    fn applied(&mut self, delta: &WorkflowDelta) -> String {
        match &delta.change {
            DeltaChange::Whole { workflow } => {
                let object = (**workflow).clone();
                self.objects.insert(delta.name.clone(), object);
                format!("whole, {} nodes", workflow.status.nodes.len())
            }
            DeltaChange::Changed { nodes, .. } => {
                let object = self.objects.get_mut(&delta.name);
                let object = object.expect("an object to change");
                apply(object, delta).expect("a delta that fits");
                format!("changed, {} nodes", nodes.len())
            }
            DeltaChange::Deleted => "deleted".to_owned(),
        }
    }

    fn connection(&self) -> Connection {
        self.watch.connection
    }

    fn stream(&mut self, bytes: &[u8]) {
        self.put(Input::Opened(self.connection()));
        for piece in bytes.chunks(700) {
            self.put(Input::Bytes(self.connection(), piece.to_vec()));
        }
    }

    fn back_off(&mut self) {
        self.put(Input::TimerFired(Timer::BackOff(self.connection())));
    }

    fn check(&mut self, expected: &Expect) {
        let mut text = std::mem::take(&mut self.log).join("\n");
        text.push('\n');
        expected.assert_eq(&text);
    }
}

/// The first object of a recorded stream.
fn first_object(bytes: &[u8]) -> String {
    let items = Decoder::default().push(bytes);
    let Some(Item::Event(event)) = items.into_iter().next() else {
        panic!("a stream that begins with a message");
    };
    let message: serde_json::Value = serde_json::from_str(&event.data).expect("JSON");
    message["result"]["object"].to_string()
}

#[test]
fn a_stream_cut_by_a_proxy_is_taken_up_with_nothing_lost_or_doubled() {
    let mut bench = Bench::new(Source::ArgoRun(run("clock-tower")));
    bench.put(Input::Answered(bench.connection(), first_object(CUT)));
    bench.stream(CUT);
    bench.put(Input::Closed(bench.connection()));
    bench.back_off();
    bench.stream(TOO_OLD);
    bench.put(Input::Closed(bench.connection()));
    bench.back_off();
    bench.put(Input::Answered(bench.connection(), first_object(AFTER)));
    bench.stream(AFTER);
    bench.check(&expect![[r#"
        link Connecting
        fetch 1 api/v1/workflows/demo/clock-tower
        apply clock-tower@5000 whole, 3 nodes
        open 2 api/v1/workflow-events/demo?listOptions.fieldSelector=metadata.namespace%3Ddemo%2Cmetadata.name%3Dclock-tower
        link Live
        apply clock-tower@5010 changed, 2 nodes
        apply clock-tower@5020 changed, 3 nodes
        link Reconnecting
        BackOff(Connection(2)) in 500 ms
        open 3 api/v1/workflow-events/demo?listOptions.fieldSelector=metadata.namespace%3Ddemo%2Cmetadata.name%3Dclock-tower&listOptions.resourceVersion=5020
        link Live
        abort 3
        link Reconnecting
        BackOff(Connection(3)) in 1000 ms
        fetch 4 api/v1/workflows/demo/clock-tower
        apply clock-tower@5030 changed, 2 nodes
        open 5 api/v1/workflow-events/demo?listOptions.fieldSelector=metadata.namespace%3Ddemo%2Cmetadata.name%3Dclock-tower
        link Live
        apply clock-tower@5040 changed, 2 nodes
        apply clock-tower@5050 changed, 1 nodes
    "#]]);
    let object = &bench.objects["clock-tower"];
    assert_eq!(object.status.phase, WorkflowPhase::Succeeded);
    assert!(object.status.nodes.values().all(|node| node.phase.is_final()));
    assert!(object.status.nodes.len() >= 4);
}

fn row(name: &str, version: u64) -> Workflow {
    let mut workflow = Workflow::default();
    workflow.metadata.namespace = "demo".to_owned();
    workflow.metadata.name = name.to_owned();
    workflow.metadata.uid = format!("uid-{name}");
    workflow.metadata.resource_version = version.to_string();
    workflow
}

fn whole(name: &str, version: u64) -> String {
    let delta = WorkflowDelta::whole(&row(name, version));
    told(&crate::unwind::StreamMessage::Delta { row: name == "b", delta })
}

fn changed(name: &str, version: u64) -> String {
    let delta = diff_of(&row(name, version - 1), &row(name, version));
    told(&crate::unwind::StreamMessage::Delta { row: name == "b", delta })
}

fn diff_of(old: &Workflow, new: &Workflow) -> WorkflowDelta {
    unwind_model::delta::diff(old, new)
}

fn synced(version: u64) -> String {
    told(&crate::unwind::StreamMessage::Synced { resource_version: version.to_string() })
}

fn told(message: &crate::unwind::StreamMessage) -> String {
    sse::event_frame(None, &serde_json::to_string(message).expect("JSON"))
}

fn ours() -> Source {
    Source::Unwind(Subscriptions { list: Some("demo".to_owned()), runs: vec![run("a")] })
}

#[test]
fn our_stream_is_resumed_by_version_and_told_anew_when_too_old() {
    let mut bench = Bench::new(ours());
    bench.stream([whole("a", 3), whole("b", 4), synced(5), changed("a", 6)].concat().as_bytes());
    bench.put(Input::Closed(bench.connection()));
    bench.back_off();
    // The server tells a change again that was told before the cut.
    bench.stream([changed("a", 6), changed("a", 7)].concat().as_bytes());
    bench.put(Input::Closed(bench.connection()));
    bench.back_off();
    let gone = ApiError::too_old(7, 900);
    bench.put(Input::Refused(bench.connection(), 410, gone.body()));
    bench.back_off();
    // `a` is as it was, `b` is gone.
    bench.stream([whole("a", 7), synced(900)].concat().as_bytes());
    bench.check(&expect![[r#"
        link Connecting
        open 1 unwind/v1/stream?list=demo&run=demo%2Fa
        link Live
        apply a@3 whole, 0 nodes
        apply b@4 whole, 0 nodes
        apply a@6 changed, 0 nodes
        link Reconnecting
        BackOff(Connection(1)) in 500 ms
        open 2 unwind/v1/stream?list=demo&run=demo%2Fa&since=6
        link Live
        apply a@7 changed, 0 nodes
        link Reconnecting
        BackOff(Connection(2)) in 500 ms
        open 3 unwind/v1/stream?list=demo&run=demo%2Fa&since=7
        abort 3
        BackOff(Connection(3)) in 1000 ms
        open 4 unwind/v1/stream?list=demo&run=demo%2Fa
        link Live
        apply b@4 deleted
    "#]]);
}

#[test]
fn a_change_of_something_unknown_is_a_gap() {
    let mut bench = Bench::new(ours());
    bench.stream([whole("a", 3), synced(5), changed("c", 6)].concat().as_bytes());
    bench.back_off();
    bench.check(&expect![[r#"
        link Connecting
        open 1 unwind/v1/stream?list=demo&run=demo%2Fa
        link Live
        apply a@3 whole, 0 nodes
        abort 1
        link Reconnecting
        BackOff(Connection(1)) in 500 ms
        open 2 unwind/v1/stream?list=demo&run=demo%2Fa
    "#]]);
}

#[test]
fn a_cut_while_everything_is_told_begins_anew() {
    let mut bench = Bench::new(ours());
    bench.stream(whole("a", 3).as_bytes());
    bench.put(Input::Closed(bench.connection()));
    bench.back_off();
    assert!(!bench.log.last().expect("a line").contains("since"));
}

#[test]
fn the_wait_grows_with_every_failure_and_ends_with_the_first_message() {
    let mut bench = Bench::new(ours());
    for _ in 0..8 {
        bench.put(Input::Closed(bench.connection()));
        bench.back_off();
    }
    bench.stream(sse::KEEP_ALIVE.as_bytes());
    bench.put(Input::Closed(bench.connection()));
    bench.log.retain(|line| line.contains("BackOff"));
    bench.check(&expect![[r#"
        BackOff(Connection(1)) in 500 ms
        BackOff(Connection(2)) in 1000 ms
        BackOff(Connection(3)) in 2000 ms
        BackOff(Connection(4)) in 4000 ms
        BackOff(Connection(5)) in 8000 ms
        BackOff(Connection(6)) in 16000 ms
        BackOff(Connection(7)) in 30000 ms
        BackOff(Connection(8)) in 30000 ms
        BackOff(Connection(9)) in 500 ms
    "#]]);
}

#[test]
fn a_silent_connection_is_given_up() {
    let mut bench = Bench::new(ours());
    bench.stream(synced(1).as_bytes());
    let quiet = Timer::Quiet(bench.connection());
    bench.now = bench.now + (QUIET_MS - 1);
    bench.put(Input::TimerFired(quiet));
    bench.now = bench.now + 1;
    bench.put(Input::TimerFired(quiet));
    // What comes late from it is not listened to.
    bench.stream(whole("late", 9).as_bytes());
    bench.check(&expect![[r#"
        link Connecting
        open 1 unwind/v1/stream?list=demo&run=demo%2Fa
        link Live
        Quiet(Connection(1)) in 1 ms
        abort 1
        link Reconnecting
        BackOff(Connection(1)) in 500 ms
    "#]]);
}

#[test]
fn a_refused_token_is_told_and_not_tried_again() {
    let mut bench = Bench::new(ours());
    let refused = ApiError::new(crate::Code::Unauthenticated, "token not valid");
    bench.put(Input::Refused(bench.connection(), 401, refused.body()));
    bench.back_off();
    bench.check(&expect![[r#"
        link Connecting
        open 1 unwind/v1/stream?list=demo&run=demo%2Fa
        abort 1
        link Refused(ApiError { code: Unauthenticated, message: "token not valid", status: 401 })
    "#]]);
}

#[test]
fn an_argo_list_is_got_then_watched() {
    let mut bench = Bench::new(Source::ArgoList { namespace: "demo".to_owned() });
    let list = |items: &[Workflow]| {
        serde_json::json!({"metadata": {"resourceVersion": "9"}, "items": items}).to_string()
    };
    bench.put(Input::Answered(bench.connection(), list(&[row("a", 3), row("b", 4)])));
    let event = serde_json::json!({"result": {"type": "DELETED", "object": row("a", 10)}});
    bench.stream(sse::argo_frame(&event.to_string()).as_bytes());
    let end = ApiError::new(crate::Code::ResourceExhausted, "EOF");
    bench.stream(sse::argo_last_frame(&end.frame()).as_bytes());
    bench.back_off();
    bench.check(&expect![[r#"
        link Connecting
        fetch 1 api/v1/workflows/demo?fields=-items.metadata.managedFields%2Citems.spec.templates%2Citems.status.nodes%2Citems.status.compressedNodes%2Citems.status.storedTemplates%2Citems.status.storedWorkflowTemplateSpec
        apply a@3 whole, 0 nodes
        apply b@4 whole, 0 nodes
        open 2 api/v1/workflow-events/demo?listOptions.resourceVersion=9&fields=-result.object.metadata.managedFields%2Cresult.object.spec.templates%2Cresult.object.status.nodes%2Cresult.object.status.compressedNodes%2Cresult.object.status.storedTemplates%2Cresult.object.status.storedWorkflowTemplateSpec
        link Live
        apply a@10 deleted
        abort 2
        link Reconnecting
        BackOff(Connection(2)) in 500 ms
        open 3 api/v1/workflow-events/demo?listOptions.resourceVersion=10&fields=-result.object.metadata.managedFields%2Cresult.object.spec.templates%2Cresult.object.status.nodes%2Cresult.object.status.compressedNodes%2Cresult.object.status.storedTemplates%2Cresult.object.status.storedWorkflowTemplateSpec
    "#]]);
}

#[test]
fn a_run_that_is_gone_is_told_as_gone() {
    let mut bench = Bench::new(Source::ArgoRun(run("a")));
    let object = serde_json::to_string(&row("a", 3)).expect("JSON");
    bench.put(Input::Answered(bench.connection(), object));
    bench.put(Input::Closed(bench.connection()));
    bench.back_off();
    let missing = ApiError::no_workflow("a");
    bench.put(Input::Refused(bench.connection(), 404, missing.body()));
    bench.check(&expect![[r#"
        link Connecting
        fetch 1 api/v1/workflows/demo/a
        apply a@3 whole, 0 nodes
        open 2 api/v1/workflow-events/demo?listOptions.fieldSelector=metadata.namespace%3Ddemo%2Cmetadata.name%3Da
        link Reconnecting
        BackOff(Connection(2)) in 500 ms
        fetch 3 api/v1/workflows/demo/a
        abort 3
        apply a@3 deleted
        link Refused(ApiError { code: NotFound, message: "workflows.argoproj.io \"a\" not found", status: 404 })
    "#]]);
}

#[test]
fn following_another_run_tells_everything_anew() {
    let mut bench = Bench::new(ours());
    bench.stream([whole("a", 3), whole("b", 4), synced(5)].concat().as_bytes());
    let outputs =
        bench.watch.follow(bench.now, Source::Unwind(Subscriptions { list: None, runs: vec![run("b")] }));
    bench.take(outputs);
    bench.stream([whole("b", 4), synced(5)].concat().as_bytes());
    bench.check(&expect![[r#"
        link Connecting
        open 1 unwind/v1/stream?list=demo&run=demo%2Fa
        link Live
        apply a@3 whole, 0 nodes
        apply b@4 whole, 0 nodes
        abort 1
        link Connecting
        open 2 unwind/v1/stream?run=demo%2Fb
        link Live
    "#]]);
}
