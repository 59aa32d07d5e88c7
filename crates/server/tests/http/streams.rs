//! Streams: events of whole objects, our deltas, keep-alive, ends.

use axum::http::header;
use serde_json::{Value, json};
use unwind_api::unwind::Preview;
use unwind_api::unwind::{RunKey, Subscriptions};
use unwind_api::watch::{Input, ListWatch, Output, Source};
use unwind_engine::library::Library;
use unwind_engine::{Behaviour, Prediction, Run, Way, predict};
use unwind_model::delta::{DeltaChange, apply};
use unwind_model::{Timestamp, Workflow};

use crate::argo::recorded;
use crate::harness::Site;

const EVENTS: &str = "/api/v1/workflow-events/default";

#[tokio::test]
async fn a_quiet_stream_is_kept_open_by_two_bytes() {
    let site = Site::new().await;
    let mut stream = site.ask("GET", EVENTS).events().open().await;
    tokio::time::pause();
    let begin = tokio::time::Instant::now();
    assert_eq!(stream.bytes().await.as_deref(), Some(":\n"));
    assert_eq!(begin.elapsed().as_secs(), 15);
}

#[tokio::test]
async fn streams_end_when_the_server_closes() {
    let site = Site::new().await;
    let mut events = site.ask("GET", EVENTS).events().open().await;
    let mut deltas = site.ask("GET", "/unwind/v1/stream?list=default").open().await;
    assert_eq!(deltas.event().await.expect("an event")["type"], "synced");
    site.app.close();
    let end = "data: {\"error\":{\"grpc_code\":8,\"http_code\":429,\"message\":\"EOF\",\"http_status\":\"Too Many Requests\"}} \n\n";
    assert_eq!(events.bytes().await.as_deref(), Some(end));
    assert_eq!(events.bytes().await, None);
    assert_eq!(deltas.bytes().await, None);
}

#[tokio::test]
async fn any_other_accept_gets_lines() {
    let site = Site::new().await;
    site.submit("brief", "true").await;
    let mut stream = site.ask("GET", EVENTS).header(header::ACCEPT, "*/*").open().await;
    assert_eq!(stream.headers[header::CONTENT_TYPE], "application/json");
    let line = stream.bytes().await.expect("a line");
    assert!(line.starts_with("{\"result\":{\"type\":\"ADDED\"") && line.ends_with("}\n"), "{line}");
}

#[tokio::test]
async fn a_watch_ends_after_its_timeout() {
    let site = Site::new().await;
    let answer = site.ask("GET", &format!("{EVENTS}?listOptions.timeoutSeconds=1")).events().send().await;
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains("\"message\":\"EOF\""), "{}", answer.body);
}

#[tokio::test]
async fn a_watch_goes_on_from_a_version_and_refuses_one_that_is_gone() {
    let site = Site::new().await;
    site.submit("first", "true").await;
    site.until_over("first").await;
    let list = site.get("/api/v1/workflows/default").await.json();
    let version = list["metadata"]["resourceVersion"].as_str().expect("a version").to_owned();
    site.submit("second", "true").await;
    let since = format!("{EVENTS}?listOptions.resourceVersion={version}");
    let mut stream = site.ask("GET", &since).events().open().await;
    let event = stream.event().await.expect("an event");
    assert_eq!(event["result"]["object"]["metadata"]["name"], "second");

    let gone = site.ask("GET", &format!("{EVENTS}?listOptions.resourceVersion=999999")).events().send().await;
    assert_eq!((gone.status, gone.json()["code"].as_i64()), (400, Some(3)));
    assert!(gone.body.contains("too old resource version: 999999"), "{}", gone.body);
    let gone = site.get("/unwind/v1/stream?list=default&since=999999").await;
    assert_eq!(gone.status, 410);
}

/// A list page that shows what is not completed learns of the end by `DELETED`.
#[tokio::test]
async fn leaving_the_selection_is_told_as_deleted() {
    let site = Site::new().await;
    let query = "listOptions.labelSelector=workflows.argoproj.io/completed!%3Dtrue&fields=result.type,result.object.metadata.labels";
    let mut stream = site.ask("GET", &format!("{EVENTS}?{query}")).events().open().await;
    site.submit("brief", "true").await;
    let mut kinds = Vec::new();
    loop {
        let event = stream.event().await.expect("an event");
        assert!(event["result"]["object"].get("status").is_none());
        kinds.push(event["result"]["type"].as_str().expect("a type").to_owned());
        if kinds.last().is_some_and(|kind| kind == "DELETED") {
            let labels = &event["result"]["object"]["metadata"]["labels"];
            assert_ne!(labels["workflows.argoproj.io/completed"], "true");
            break;
        }
    }
    assert_eq!(kinds[0], "ADDED");
}

#[tokio::test]
async fn one_stream_tells_rows_without_nodes_and_followed_runs_with_them() {
    let site = Site::new().await;
    site.submit("row", "sleep 0.3").await;
    site.submit("run", "sleep 0.3").await;
    site.until_running("run", "run").await;
    let mut stream = site.ask("GET", "/unwind/v1/stream?list=default&run=default/run").open().await;
    assert_eq!(stream.headers[header::CONTENT_TYPE], "text/event-stream");
    let mut is_synced = false;
    let mut over = std::collections::BTreeSet::new();
    while over.len() < 2 {
        let message = stream.event().await.expect("a message");
        if message["type"] == "synced" {
            is_synced = true;
            continue;
        }
        let (row, delta) = (message["row"] == true, &message["delta"]);
        let name = delta["name"].as_str().expect("a name");
        assert_eq!(row, name == "row");
        let workflow = &delta["change"]["workflow"];
        if !is_synced {
            assert_eq!(delta["change"]["type"], "whole");
            assert_eq!(workflow["spec"].get("templates").is_some(), !row);
            assert_eq!(workflow["status"].get("nodes").is_some(), !row);
        } else if row {
            assert_eq!(delta["change"]["nodes"], json!([]));
        }
        if delta["change"]["fields"]["status"]["finishedAt"].is_string() {
            over.insert(name.to_owned());
        }
    }
}

/// The page's list-watch against the real stream, cut again and again: the same object comes out.
#[tokio::test]
async fn a_page_that_is_cut_again_and_again_ends_with_the_same_object() {
    let site = Site::new().await;
    let submit = recorded("argo submit");
    site.ask("POST", "/api/v1/workflows/default").body(&submit.body()).send().await;
    site.until_running("orchard", "orchard.press.bottle.cap").await;

    let key = RunKey { namespace: "default".to_owned(), name: "orchard".to_owned() };
    let mut watch = ListWatch::new(Source::Unwind(Subscriptions { list: None, runs: vec![key] }));
    let now = Timestamp(0);
    let mut object: Option<Workflow> = None;
    let mut outputs = watch.start(now);
    let mut cuts = 0;
    let mut is_stopped = false;
    'lives: loop {
        let Some(Output::Open(connection, url)) =
            outputs.iter().find(|output| matches!(output, Output::Open(..))).cloned()
        else {
            panic!("nothing to open in {outputs:?}");
        };
        let mut stream = site.ask("GET", &format!("/{url}")).open().await;
        watch.handle(now, Input::Opened(connection));
        if !is_stopped {
            site.ask("PUT", "/api/v1/workflows/default/orchard/stop").send().await;
            is_stopped = true;
        }
        // Cut in the middle of the third piece, or of the second on later connections.
        for piece in 0.. {
            let bytes = stream.bytes().await.expect("bytes").into_bytes();
            let is_cut = piece > 1 && cuts < 5;
            let kept = if is_cut { bytes.len() / 2 } else { bytes.len() };
            for output in watch.handle(now, Input::Bytes(connection, bytes[..kept].to_vec())) {
                let Output::Apply(delta) = output else { continue };
                match &delta.change {
                    DeltaChange::Whole { workflow } => object = Some((**workflow).clone()),
                    DeltaChange::Changed { .. } => {
                        apply(object.as_mut().expect("an object"), &delta).expect("a delta that fits");
                    }
                    DeltaChange::Deleted => panic!("nothing was deleted"),
                }
            }
            if object.as_ref().is_some_and(|object| object.status.phase.is_final()) {
                break 'lives;
            }
            if is_cut {
                cuts += 1;
                outputs = watch.handle(now, Input::Closed(connection));
                let timer = outputs.iter().find_map(|output| match output {
                    Output::StartTimer(timer, _) => Some(*timer),
                    _ => None,
                });
                outputs = watch.handle(now, Input::TimerFired(timer.expect("a timer")));
                continue 'lives;
            }
        }
    }
    assert!(cuts >= 2, "{cuts}");
    let expected = site.backend.get("default", "orchard").expect("there");
    assert_eq!(object.as_ref(), Some(&*expected));
}

#[tokio::test]
async fn a_preview_is_what_the_page_works_out_from_the_streams_object() {
    let site = Site::new().await;
    let submit = recorded("argo submit");
    site.ask("POST", "/api/v1/workflows/default").body(&submit.body()).send().await;
    site.until_running("orchard", "orchard.press.bottle.cap").await;
    let answer = site.get("/unwind/v1/preview/default/orchard").await;
    let preview: Preview<Prediction> = serde_json::from_str(&answer.body).expect("a preview");

    let mut stream = site.ask("GET", "/unwind/v1/stream?run=default/orchard").open().await;
    let message: Value = stream.event().await.expect("a message");
    let workflow = message["delta"]["change"]["workflow"].clone();
    let workflow: Workflow = serde_json::from_value(workflow).expect("a workflow");
    let (run, _) = Run::from_status(&workflow, Library::default(), Behaviour::UNWIND);
    assert_eq!(preview.resource_version, workflow.metadata.resource_version);
    assert_eq!(preview.predictions, [predict(&run, Way::Stop), predict(&run, Way::Terminate)]);
    let hooks = preview.predictions[0].outcomes[0].hooks.iter().map(|hook| hook.node.as_str());
    let expected = ["orchard.press.bottle.cap.onExit", "orchard.press.bottle.onExit", "orchard.press.onExit"];
    assert_eq!(hooks.collect::<Vec<_>>(), expected);
    site.ask("PUT", "/api/v1/workflows/default/orchard/terminate").send().await;
    site.until_over("orchard").await;
}

#[tokio::test]
async fn logs_of_one_node_by_pod_name_and_tail() {
    let site = Site::new().await;
    site.submit("lines", "echo one; echo; echo '<b>&amp; three</b>'").await;
    site.until_over("lines").await;
    let log = "/api/v1/workflows/default/lines/log?logOptions.container=main";
    let all = site.get(log).await.body;
    let last = r#"{"result":{"content":"\u003cb\u003e\u0026amp; three\u003c/b\u003e","podName":"lines"}}"#;
    let expected = format!(
        "{}\n{}\n{last}\n",
        r#"{"result":{"content":"one","podName":"lines"}}"#, r#"{"result":{"podName":"lines"}}"#
    );
    assert_eq!(all, expected);
    assert_eq!(
        site.get(&format!("{log}&logOptions.tailLines=1&podName=lines")).await.body,
        format!("{last}\n")
    );
    assert_eq!(site.get("/api/v1/workflows/default/lines/lines/log").await.body, expected);
    for nothing in ["podName=no-such", "logOptions.tailLines=0"] {
        let answer = site.get(&format!("{log}&{nothing}")).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, ""), "{nothing}");
    }
    let answer = site.get("/api/v1/workflows/default/lines/log?logOptions.container=wait").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    assert_eq!(site.ask("GET", "/api/v1/workflows/default/none/log").events().send().await.status, 404);
}
