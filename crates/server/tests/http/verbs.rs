//! What is done to a workflow by `PUT`, with Argo's bodies and answers.

use serde_json::{Value, json};

use crate::harness::Site;

async fn put(site: &Site, path: &str, body: Value) -> (u16, Value) {
    let path = format!("/api/v1/workflows/default/{path}");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = site.ask("PUT", &path).body(&body).send().await;
    (answer.status, answer.json())
}

/// Two waits, one after the other; the second wants an output.
async fn submit_waits(site: &Site, name: &str) {
    let wait = json!({"name": "wait", "suspend": {}, "outputs": {"parameters": [
        {"name": "go", "valueFrom": {"supplied": {}}},
    ]}});
    let groups = json!([
        [{"name": "first", "template": "pause"}],
        [{"name": "second", "template": "wait"}],
    ]);
    let body = json!({"workflow": {"metadata": {"name": name}, "spec": {"entrypoint": "main", "templates": [
        {"name": "main", "steps": groups}, {"name": "pause", "suspend": {}}, wait,
    ]}}});
    let answer = site.ask("POST", "/api/v1/workflows/default").body(&body.to_string()).send().await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    site.until_running(name, &format!("{name}[0].first")).await;
}

#[tokio::test]
async fn waits_are_resumed_set_and_stopped_by_their_selector() {
    let site = Site::new().await;
    submit_waits(&site, "waits").await;
    let (status, object) = put(&site, "waits/suspend", Value::Null).await;
    assert_eq!((status, &object["spec"]["suspend"]), (200, &json!(true)));
    let (status, object) =
        put(&site, "waits/resume", json!({"nodeFieldSelector": "displayName=first"})).await;
    assert_eq!((status, &object["spec"]["suspend"]), (200, &json!(true)));
    let (status, object) = put(&site, "waits/resume", json!({})).await;
    assert_eq!((status, object["spec"].get("suspend")), (200, None));
    site.until_running("waits", "waits[1].second").await;

    let refused = [
        (
            json!({"phase": "Succeeded"}),
            500,
            13,
            "'set' currently only targets suspend nodes, use a node field selector to target them",
        ),
        (
            json!({"nodeFieldSelector": "displayName=second", "phase": "Weird"}),
            400,
            3,
            "Weird is an invalid phase to set to",
        ),
        (
            json!({"nodeFieldSelector": "displayName=third", "message": "x"}),
            500,
            13,
            "currently, set only targets suspend nodes: no suspend nodes matching nodeFieldSelector: displayName=third",
        ),
    ];
    for (body, status, code, message) in refused {
        let (found, error) = put(&site, "waits/set", body).await;
        assert_eq!((found, error), (status, json!({"code": code, "message": message})));
    }
    let (_, error) =
        put(&site, "waits/set", json!({"nodeFieldSelector": "displayName=second", "outputParameters": "{"}))
            .await;
    let message = error["message"].as_str().expect("a message");
    assert!(message.starts_with("unable to parse output parameter set request: "), "{message}");

    let set = json!({
        "nodeFieldSelector": "displayName=second", "message": "as agreed",
        "outputParameters": "{\"go\":\"yes\"}",
    });
    assert_eq!(put(&site, "waits/set", set).await.0, 200);
    let stop = json!({"nodeFieldSelector": "displayName=second", "message": "no more"});
    let (status, object) = put(&site, "waits/stop", stop).await;
    assert_eq!((status, object["spec"].get("shutdown")), (200, None));
    let over = site.until_over("waits").await;
    assert_eq!(over["status"]["phase"], "Failed");
    let nodes = over["status"]["nodes"].as_object().expect("nodes");
    let second = nodes.values().find(|node| node["displayName"] == "second").expect("there");
    assert_eq!((&second["phase"], &second["message"]), (&json!("Failed"), &json!("no more")));
    assert_eq!(second["outputs"]["parameters"][0]["value"], "yes");
}

#[tokio::test]
async fn a_workflow_that_is_over_is_retried_and_resubmitted() {
    let site = Site::new().await;
    site.submit("short", "exit 1").await;
    let (status, error) = put(&site, "short/retry", json!({})).await;
    let message = error["message"].as_str().unwrap_or_default();
    assert!(status == 200 || message.starts_with("Cannot retry a workflow in phase "), "{error}");
    site.until_over("short").await;
    let (status, object) = put(&site, "short/retry", json!({"restartSuccessful": false})).await;
    assert_eq!((status, &object["status"]["phase"]), (200, &json!("Running")));
    assert_eq!(site.until_over("short").await["status"]["phase"], "Failed");
    let (status, object) = put(&site, "short/resubmit", json!({"memoized": false})).await;
    assert_eq!(status, 200);
    let name = object["metadata"]["name"].as_str().expect("a name");
    assert!(name.starts_with("short-"), "{name}");
    site.until_over(name).await;

    site.submit("well", "true").await;
    site.until_over("well").await;
    let (status, error) = put(&site, "well/resubmit", json!({"memoized": true})).await;
    let message = "workflow must be Failed/Error to resubmit in memoized mode";
    assert_eq!((status, error), (400, json!({"code": 3, "message": message})));
    let (status, error) = put(&site, "nobody/retry", json!({})).await;
    let message = "workflows.argoproj.io \"nobody\" not found";
    assert_eq!((status, error), (404, json!({"code": 5, "message": message})));
}
