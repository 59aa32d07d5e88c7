//! Templates and cron workflows over HTTP, with the bodies and answers of a real server.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Site, in_time};

async fn ask(site: &Site, method: &str, path: &str, body: Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = site.ask(method, &format!("/api/v1/{path}")).body(&body).send().await;
    (answer.status, answer.json())
}

fn spec(script: &str) -> Value {
    let container = json!({"image": "busybox:1.37", "command": ["sh", "-c"], "args": [script]});
    json!({
        "entrypoint": "main",
        "arguments": {"parameters": [{"name": "a", "value": 1}]},
        "templates": [{"name": "main", "inputs": {"parameters": [{"name": "a"}]}, "container": container}],
    })
}

#[tokio::test]
async fn templates_are_kept_changed_and_removed() {
    let site = Site::new().await;
    for (path, plural) in [
        ("workflow-templates/default", "workflowtemplates.argoproj.io"),
        ("cluster-workflow-templates", "clusterworkflowtemplates.argoproj.io"),
    ] {
        let template = json!({"metadata": {"name": "one", "labels": {"k": "v"}}, "spec": spec("true")});
        let (status, kept) = ask(&site, "POST", path, json!({"template": template})).await;
        assert_eq!(status, 200, "{kept}");
        assert_eq!(kept["spec"]["arguments"]["parameters"][0]["value"], "1");
        assert!(kept["metadata"]["uid"].is_string() && kept.get("kind").is_none(), "{kept}");
        let (status, error) = ask(&site, "POST", path, json!({"template": template})).await;
        assert_eq!(
            (status, error),
            (409, json!({"code": 6, "message": format!("{plural} \"one\" already exists")}))
        );
        let (_, error) = ask(&site, "POST", path, json!({})).await;
        assert_eq!(error["code"], 3);
        let broken = json!({"template": {"metadata": {"name": "x"}, "spec": {"entrypoint": "q"}}});
        let (status, error) = ask(&site, "POST", &format!("{path}/lint"), broken).await;
        assert_eq!((status, error), (400, json!({"code": 3, "message": "template name 'q' undefined"})));

        let one = format!("{path}/one");
        assert_eq!(ask(&site, "GET", &one, Value::Null).await, (200, kept.clone()));
        let mut changed = kept.clone();
        changed["spec"]["entrypoint"] = json!("main");
        changed["metadata"]["labels"] = json!({"k": "w"});
        let (status, next) = ask(&site, "PUT", &one, json!({"template": changed})).await;
        assert_eq!((status, &next["metadata"]["generation"]), (200, &json!(2)), "{next}");
        let (status, error) = ask(&site, "PUT", &format!("{path}/"), json!({"template": changed})).await;
        assert_eq!((status, &error["code"]), (409, &json!(6)), "{error}");
        changed["metadata"].as_object_mut().expect("metadata").remove("resourceVersion");
        let (status, error) = ask(&site, "PUT", &one, json!({"template": changed})).await;
        let message = error["message"].as_str().expect("a message");
        assert!(
            status == 400 && message.ends_with("Invalid value: 0: must be specified for an update"),
            "{message}"
        );

        let (_, list) =
            ask(&site, "GET", &format!("{path}?listOptions.labelSelector=k%3Dw"), Value::Null).await;
        assert_eq!(list["items"], json!([next]));
        let (_, list) = ask(&site, "GET", &format!("{path}?namePattern=zz"), Value::Null).await;
        assert_eq!(list["items"], Value::Null);
        assert_eq!(ask(&site, "DELETE", &one, Value::Null).await, (200, json!({})));
        let (status, error) = ask(&site, "GET", &one, Value::Null).await;
        assert_eq!(
            (status, error),
            (404, json!({"code": 5, "message": format!("{plural} \"one\" not found")}))
        );
    }
}

#[tokio::test]
async fn workflows_are_made_from_templates() {
    let site = Site::new().await;
    let template = json!({"metadata": {"name": "one"}, "spec": spec("test '{{inputs.parameters.a}}' = 7")});
    ask(&site, "POST", "workflow-templates/default", json!({"template": template})).await;
    let submit = json!({"resourceKind": "WorkflowTemplate", "resourceName": "one",
        "submitOptions": {"parameters": ["a=7"], "labels": "x=y"}});
    let (status, made) = ask(&site, "POST", "workflows/default/submit", submit).await;
    assert_eq!(status, 200, "{made}");
    assert_eq!(made["metadata"]["labels"]["workflows.argoproj.io/workflow-template"], "one");
    assert_eq!(made["spec"]["workflowTemplateRef"], json!({"name": "one"}));
    let name = made["metadata"]["name"].as_str().expect("a name").to_owned();
    assert!(name.starts_with("one-"), "{name}");
    let over = site.until_over(&name).await;
    assert_eq!(over["status"]["phase"], "Succeeded", "{}", over["status"]);

    let read = json!([[{"name": "first", "template": "say"}], [{"name": "second", "template": "check",
        "arguments": {"parameters": [{"name": "a", "value": "{{steps.first.outputs.result}}"}]}}]]);
    let shell = |name: &str, script: &str| {
        json!({"name": name, "inputs": {"parameters": [{"name": "a", "value": ""}]},
        "script": {"image": "busybox:1.37", "command": ["sh"], "source": script}})
    };
    let reading = json!({"entrypoint": "read", "templates": [{"name": "read", "steps": read},
        shell("say", "echo 5"), shell("check", "test '{{inputs.parameters.a}}' = 5")]});
    let template = json!({"metadata": {"name": "reading"}, "spec": reading});
    let (status, kept) =
        ask(&site, "POST", "cluster-workflow-templates", json!({"template": template})).await;
    assert_eq!(status, 200, "{kept}");
    let submit =
        json!({"resourceKind": "cwftmpl", "resourceName": "reading", "submitOptions": {"name": "reads"}});
    let (status, made) = ask(&site, "POST", "workflows/default/submit", submit).await;
    assert_eq!(status, 200, "{made}");
    assert_eq!(site.until_over("reads").await["status"]["phase"], "Succeeded");

    let task = json!({"name": "it", "templateRef": {"name": "one", "template": "main"},
        "arguments": {"parameters": [{"name": "a", "value": "7"}]}});
    let main = json!({"name": "main", "dag": {"tasks": [task]}});
    let workflow =
        json!({"metadata": {"name": "calls"}, "spec": {"entrypoint": "main", "templates": [main]}});
    let (status, lint) = ask(&site, "POST", "workflows/default/lint", json!({"workflow": workflow})).await;
    assert_eq!(status, 200, "{lint}");
    let (status, made) = ask(&site, "POST", "workflows/default", json!({"workflow": workflow})).await;
    assert_eq!(status, 200, "{made}");
    assert_eq!(site.until_over("calls").await["status"]["phase"], "Succeeded");
    let gone = json!({"metadata": {"name": "x"}, "spec": {"workflowTemplateRef": {"name": "gone"}}});
    let (status, error) = ask(&site, "POST", "workflows/default/lint", json!({"workflow": gone})).await;
    assert_eq!((status, &error["code"]), (500, &json!(2)), "{error}");
    let strange = json!({"resourceKind": "Pod", "resourceName": "one"});
    let (_, error) = ask(&site, "POST", "workflows/default/submit", strange).await;
    assert_eq!(error["message"], "Resource kind 'Pod' is not supported for submitting");
}

#[tokio::test]
async fn cron_workflows_run_when_they_are_due_and_when_asked() {
    let site = Site::new().await;
    let mut object = json!({"metadata": {"name": "often"}, "spec": {
        "schedules": ["@every 1s"], "concurrencyPolicy": "Forbid", "workflowSpec": spec("true"),
    }});
    let path = "cron-workflows/default";
    let (status, kept) = ask(&site, "POST", path, json!({"cronWorkflow": object})).await;
    assert_eq!(status, 200, "{kept}");
    let made = in_time(async {
        loop {
            let list = site.get("/api/v1/workflows/default").await.json();
            let items = list["items"].as_array().cloned().unwrap_or_default();
            if let Some(one) = items.into_iter().find(|one| one["status"]["phase"] == "Succeeded") {
                return one;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_eq!(made["metadata"]["labels"]["workflows.argoproj.io/cron-workflow"], "often");
    let (status, suspended) = ask(&site, "PUT", &format!("{path}/often/suspend"), Value::Null).await;
    assert_eq!((status, &suspended["spec"]["suspend"]), (200, &json!(true)));
    assert!(suspended["status"]["lastScheduledTime"].is_string(), "{suspended}");
    let (_, resumed) = ask(&site, "PUT", &format!("{path}/often/resume"), json!({})).await;
    assert_eq!(resumed["spec"].get("suspend"), None);
    assert_eq!(ask(&site, "DELETE", &format!("{path}/often"), Value::Null).await, (200, json!({})));

    object["metadata"]["name"] = json!("rarely");
    object["spec"]["schedules"] = json!(["1 2 3 4 *"]);
    object["spec"]["timezone"] = json!("UTC");
    ask(&site, "POST", path, json!({"cronWorkflow": object})).await;
    let submit = json!({"resourceKind": "cronwf", "resourceName": "rarely"});
    let (status, made) = ask(&site, "POST", "workflows/default/submit", submit).await;
    assert_eq!(status, 200, "{made}");
    site.until_over(made["metadata"]["name"].as_str().expect("a name")).await;
    object["spec"]["schedules"] = json!(["x"]);
    let (status, error) = ask(&site, "POST", &format!("{path}/lint"), json!({"cronWorkflow": object})).await;
    let message = "cron schedule x is malformed: expected exactly 5 fields, found 1: [x]";
    assert_eq!((status, error), (400, json!({"code": 3, "message": message})));
}
