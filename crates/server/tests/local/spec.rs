//! What the whole engine runs, with real programs: loops, retries, conditions, hooks, limits, daemons,
//! requests.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::{Value, json};
use unwind_model::{NodePhase, Workflow, WorkflowPhase};

use crate::bench::{Bench, NAMESPACE, shell, until};

fn workflow(name: &str, main: &Value, others: &[Value]) -> Value {
    let templates: Vec<&Value> = std::iter::once(main).chain(others).collect();
    json!({"metadata": {"name": name}, "spec": {"entrypoint": "main", "templates": templates}})
}

fn lines(bench: &Bench) -> Vec<String> {
    let mut lines: Vec<_> = bench.seen().into_iter().map(|line| line.what).collect();
    lines.sort();
    lines
}

fn shown(workflow: &Workflow, name: &str) -> (NodePhase, String) {
    let mut nodes = workflow.status.nodes.values();
    let node = nodes.find(|node| node.display_name == name).unwrap_or_else(|| panic!("a node `{name}`"));
    (node.phase, node.message.clone())
}

#[tokio::test]
async fn loops_retries_conditions_and_named_hooks_run() {
    let bench = Bench::new().await;
    let write = |line: &str| format!("echo \"{line} x 1\" >> '{}'", bench.journal().display());
    let mut item = shell("item", &write("item-{{inputs.parameters.n}}"));
    item["inputs"] = json!({"parameters": [{"name": "n"}]});
    let mut flaky = shell("flaky", &format!("{}; exit $((1 - {{{{retries}}}}))", write("try-{{retries}}")));
    flaky["retryStrategy"] = json!({"limit": "3", "backoff": {"duration": "100ms"}});
    let hooks = json!({"began": {
        "template": "hook", "expression": "tasks.flaky.status == \"Running\"",
    }});
    let main = json!({"name": "main", "dag": {"tasks": [
        {"name": "each", "template": "item", "withItems": [1, 2, 3], "when": "{{item}} != 2",
            "arguments": {"parameters": [{"name": "n", "value": "{{item}}"}]}},
        {"name": "flaky", "template": "flaky", "depends": "each.Succeeded", "hooks": hooks},
        {"name": "never", "template": "hook", "depends": "flaky.Failed"},
    ]}});
    let name = bench.submit(workflow("much", &main, &[item, flaky, shell("hook", &write("hook"))])).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded, "{:?}", over.status);
    assert_eq!(lines(&bench), ["hook", "item-1", "item-3", "try-0", "try-1"]);
    assert_eq!(shown(&over, "never").0, NodePhase::Omitted);
}

#[tokio::test]
async fn a_leaf_that_takes_too_long_is_ended() {
    let bench = Bench::new().await;
    let mut slow = shell("main", "sleep 600");
    slow["activeDeadlineSeconds"] = json!(1);
    let name = bench.submit(workflow("slow", &slow, &[])).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Failed);
    let message = "Pod was active on the node longer than the specified deadline";
    assert_eq!(over.status.nodes["slow"].message, message);
}

#[tokio::test]
async fn a_daemon_runs_beside_the_rest_and_ends_with_its_box() {
    let bench = Bench::new().await;
    let write = |line: &str| format!("echo '{line} x 1' >> '{}'", bench.journal().display());
    let script = format!("trap \"{}; exit 0\" TERM; while :; do sleep 0.02; done", write("ended"));
    let mut daemon = shell("daemon", &script);
    daemon["daemon"] = json!(true);
    let main = json!({"name": "main", "steps": [
        [{"name": "daemon", "template": "daemon"}], [{"name": "work", "template": "work"}],
    ]});
    let work = shell("work", &write("work"));
    let name = bench.submit(workflow("beside", &main, &[daemon, work])).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded, "{:?}", over.status);
    assert_eq!(lines(&bench), ["ended", "work"]);
}

/// Answers every request with what it was asked, after a header.
fn echo() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut buffer = [0; 4096];
            let count = stream.read(&mut buffer).expect("a request");
            let text = String::from_utf8_lossy(&buffer[..count]);
            let first = text.lines().next().unwrap_or_default().to_owned();
            let status = if first.contains("/missing") { "404 Not Found" } else { "200 OK" };
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{first}",
                first.len()
            );
            // Whoever asked may have gone.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}")
}

#[tokio::test]
async fn requests_are_made_and_judged() {
    let bench = Bench::new().await;
    let url = echo();
    let mut ask = json!({"name": "ask", "inputs": {"parameters": [{"name": "path"}]},
        "http": {"url": format!("{url}/{{{{inputs.parameters.path}}}}"), "method": "PUT", "body": "x"}});
    let mut say =
        shell("say", &format!("echo '{{{{inputs.parameters.it}}}}' > '{}'", bench.journal().display()));
    say["inputs"] = json!({"parameters": [{"name": "it"}]});
    let path = |path: &str| json!({"parameters": [{"name": "path", "value": path}]});
    let it = json!({"parameters": [{"name": "it", "value": "{{steps.ask.outputs.result}}"}]});
    let main = json!({"name": "main", "steps": [
        [{"name": "ask", "template": "ask", "arguments": path("here")}],
        [{"name": "say", "template": "say", "arguments": it},
            {"name": "lost", "template": "ask", "arguments": path("missing"), "continueOn": {"failed": true}}],
    ]});
    let name = bench.submit(workflow("asking", &main, &[ask.clone(), say])).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded, "{:?}", over.status);
    let said = std::fs::read_to_string(bench.journal()).expect("written");
    assert_eq!(said, "PUT /here HTTP/1.1\n");
    let lost = (NodePhase::Failed, "received non-2xx response code: 404".to_owned());
    assert_eq!(shown(&over, "lost"), lost);

    ask["http"]["successCondition"] = json!("response.statusCode == 404");
    let main = json!({"name": "main", "steps": [[{"name": "lost", "template": "ask", "arguments": path("missing")}]]});
    let name = bench.submit(workflow("wanting", &main, &[ask])).await;
    assert_eq!(bench.until_over(&name).await.status.phase, WorkflowPhase::Succeeded);
}

#[tokio::test]
async fn a_request_under_way_does_not_keep_a_stop_waiting() {
    let bench = Bench::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let main = json!({"name": "main", "http": {"url": url, "timeoutSeconds": 5}});
    let name = bench.submit(workflow("silent", &main, &[])).await;
    until("the request", || !bench.get(&name).status.nodes.is_empty()).await;
    let bench = bench.restart().await;
    bench.backend.stop(NAMESPACE, &name).await.expect("stopped");
    assert_eq!(bench.until_over(&name).await.status.phase, WorkflowPhase::Failed);
}

#[tokio::test]
async fn what_a_memoized_template_gave_serves_later_workflows() {
    let bench = Bench::new().await;
    let mut main =
        shell("main", &format!("echo 'worked x 1' >> '{}'; echo 5 > it", bench.journal().display()));
    main["memoize"] = json!({"key": "five", "cache": {"configMap": {"name": "results"}}});
    main["outputs"] = json!({"parameters": [{"name": "it", "valueFrom": {"path": "it"}}]});
    let bench = {
        let first = bench.submit(workflow("first", &main, &[])).await;
        bench.until_over(&first).await;
        bench.restart().await
    };
    let second = bench.submit(workflow("second", &main, &[])).await;
    let over = bench.until_over(&second).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded);
    assert_eq!(over.status.nodes["second"].outputs.parameters[0].value.as_deref(), Some("5"));
    assert_eq!(lines(&bench), ["worked"]);
}

#[tokio::test]
async fn a_variable_may_come_from_a_config_map() {
    let colours = json!({"kind": "ConfigMap", "metadata": {"name": "colours"}, "data": {"sky": "blue"}});
    let bench = Bench::with(|config| config.resources.push(colours)).await;
    let mut main = shell("main", "test \"$SKY\" = blue");
    let from = json!({"configMapKeyRef": {"name": "colours", "key": "sky"}});
    main["container"]["env"] = json!([{"name": "SKY", "valueFrom": from}]);
    let name = bench.submit(workflow("sky", &main, &[])).await;
    assert_eq!(bench.until_over(&name).await.status.phase, WorkflowPhase::Succeeded);
}
