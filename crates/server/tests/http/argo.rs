//! Create, get, list, delete, stop and errors, held against a real Argo Server's answers.

use axum::http::header;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::{HOST, Site};

/// An exchange with a real server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recorded {
    pub note: String,
    pub method: String,
    pub path: String,
    pub query: Option<String>,
    pub body: Option<String>,
    pub status: u16,
    pub content_type: String,
    #[serde(default)]
    pub answer: Option<String>,
    #[serde(default)]
    pub frames: Vec<String>,
}

/// The recorded stop of three nested DAGs; `note` says which exchange.
pub fn recorded(note: &str) -> Recorded {
    let all: Vec<Recorded> = serde_json::from_str(include_str!("recorded/stop.json")).expect("exchanges");
    all.into_iter().find(|one| one.note == note).expect("an exchange")
}

impl Recorded {
    pub fn uri(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The body, with shorter waits.
    pub fn body(&self) -> String {
        self.body.clone().unwrap_or_default().replace("sleep 2;", "sleep 0.1;")
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordedError {
    method: String,
    path: String,
    query: Option<String>,
    accept: Option<String>,
    body: Option<String>,
    status: u16,
    code: u16,
    message: String,
    same_words: bool,
}

#[tokio::test]
async fn errors_are_argos() {
    let site = Site::new().await;
    site.submit("dup-one", "true").await;
    site.until_over("dup-one").await;
    let all: Vec<RecordedError> = serde_json::from_str(include_str!("recorded/errors.json")).expect("errors");
    let mut wrong = Vec::new();
    for error in &all {
        let uri = match &error.query {
            Some(query) => format!("{}?{query}", error.path),
            None => error.path.clone(),
        };
        // The last recorded request is about a workflow that was deleted before.
        if error.method == "DELETE" && error.path.ends_with("dup-one") {
            assert_eq!(site.ask("DELETE", &uri).send().await.body, "{}");
        }
        let mut ask = site.ask(&error.method, &uri).body(error.body.as_deref().unwrap_or(""));
        if let Some(accept) = &error.accept {
            ask = ask.header(header::ACCEPT, accept);
        }
        let answer = ask.send().await;
        let said = answer.json();
        let is_same = answer.status == error.status
            && said["code"] == error.code
            && answer.header(header::CONTENT_TYPE) == "application/json"
            && said.as_object().is_some_and(|members| members.len() == 2)
            && (!error.same_words || said["message"] == error.message.as_str());
        if !is_same {
            let (method, status, code) = (&error.method, error.status, error.code);
            wrong.push(format!(
                "{method} {uri} {:?}\n  expected {status} {code} {}\n  found {} {}",
                error.body, error.message, answer.status, answer.body
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    assert!(all.len() > 40);
}

#[tokio::test]
async fn bad_json_is_told_with_its_place() {
    let site = Site::new().await;
    let answer = site.ask("POST", "/api/v1/workflows/default").body("{\"workflow\":\n  {bad").send().await;
    assert_eq!((answer.status, answer.json()["code"].as_i64()), (400, Some(3)));
    assert!(answer.body.contains("line 2 column 4"), "{}", answer.body);
}

#[tokio::test]
async fn a_workflow_that_cannot_run_is_refused_with_the_place() {
    let site = Site::new().await;
    let body = json!({"workflow": {
        "metadata": {"generateName": "e-"},
        "spec": {"entrypoint": "main", "templates": [
            {"name": "main", "dag": {"tasks": [{"name": "a", "template": "nope"}]}},
            {"name": "other", "resource": {"action": "get"}},
        ]},
    }});
    for query in ["", "?dry"] {
        let mut body = body.clone();
        body["serverDryRun"] = json!(!query.is_empty());
        let ask = site.ask("POST", "/api/v1/workflows/default").body(&body.to_string());
        let error = ask.send().await.json();
        assert_eq!(error["code"], 3);
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains("template name 'nope' undefined"), "{message}");
        assert!(message.contains("spec.templates[0].dag.tasks[0]"), "{message}");
        assert!(message.contains("spec.templates[1].resource: `resource` cannot be had"), "{message}");
    }
}

#[tokio::test]
async fn a_dry_run_leaves_nothing_behind() {
    let site = Site::new().await;
    let mut body: Value = serde_json::from_str(&recorded("argo submit").body()).expect("a body");
    body["createOptions"] = json!({"dryRun": ["All"]});
    let ask = site.ask("POST", "/api/v1/workflows/default").body(&body.to_string());
    let object = ask.send().await.json();
    assert_eq!(object["metadata"], json!({"name": "orchard", "namespace": "default"}));
    assert_eq!(site.get("/api/v1/workflows/default").await.json()["items"], json!([]));
}

/// What a real answer has and ours has not: marks of Kubernetes, and what only a cluster knows.
fn without_cluster(mut object: Value) -> Value {
    let metadata = object["metadata"].as_object_mut().expect("metadata");
    for volatile in ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"] {
        metadata.remove(volatile);
    }
    let mine = ["workflows.argoproj.io/completed", "workflows.argoproj.io/phase"];
    for (group, kept) in
        [("labels", mine.as_slice()), ("annotations", &["workflows.argoproj.io/pod-name-format"])]
    {
        if let Some(entries) = metadata.get_mut(group).and_then(Value::as_object_mut) {
            entries.retain(|name, _| kept.contains(&name.as_str()));
        }
    }
    metadata.retain(|_, value| *value != json!({}));
    let status = object["status"].as_object_mut().expect("a status");
    for of_cluster in ["conditions", "artifactRepositoryRef", "artifactGCStatus"] {
        status.remove(of_cluster);
    }
    if let Some(nodes) = status.get_mut("nodes").and_then(Value::as_object_mut) {
        for node in nodes.values_mut().filter_map(Value::as_object_mut) {
            node.remove("hostNodeName");
            node.remove("taskResultSynced");
        }
    }
    blank_times(&mut object);
    object
}

/// Times become a word, empty members of Go's structs go.
fn blank_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if name.ends_with("edAt") && member.is_string() {
                    *member = json!("a time");
                }
                blank_times(member);
            }
            members.retain(|name, member| !(*member == json!({}) || (name == "name" && *member == "")));
        }
        Value::Array(items) => items.iter_mut().for_each(blank_times),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn a_submit_is_answered_as_argo_answers_it() {
    let site = Site::new().await;
    let submit = recorded("argo submit");
    let answer = site.ask(&submit.method, &submit.uri()).body(&submit.body()).send().await;
    assert_eq!(
        (answer.status, answer.header(header::CONTENT_TYPE)),
        (submit.status, submit.content_type.as_str())
    );
    let expected = submit.answer.expect("an answer").replace("sleep 2;", "sleep 0.1;");
    let mut expected: Value = serde_json::from_str(&expected).expect("JSON");
    // A real one says so once its controller has seen the workflow.
    expected["metadata"]["annotations"] = json!({"workflows.argoproj.io/pod-name-format": "v2"});
    assert_eq!(without_cluster(answer.json()), without_cluster(expected));
}

#[tokio::test]
async fn watch_log_and_stop_say_what_argo_says() {
    let site = Site::new().await;
    let submit = recorded("argo submit");
    site.ask(&submit.method, &submit.uri()).body(&submit.body()).send().await;
    site.until_running("orchard", "orchard.press.bottle.cap").await;

    let watch = recorded("argo watch, its first message");
    let mut watching = site.ask("GET", &watch.uri()).events().open().await;
    assert_eq!(watching.headers[header::CONTENT_TYPE], watch.content_type.as_str());
    let frame = watching.bytes().await.expect("a message");
    let recorded_frame = watch.frames.concat().replace("sleep 2;", "sleep 0.1;");
    let (head, tail) = (&recorded_frame[..53], &recorded_frame[recorded_frame.len() - 4..]);
    assert_eq!((&frame[..53], &frame[frame.len() - 4..]), (head, tail));
    assert_eq!((head, tail), ("data: {\"result\":{\"type\":\"ADDED\",\"object\":{\"metadata\":", " \n\n\n"));
    let object = |frame: &str| {
        let json: Value = serde_json::from_str(frame.trim_start_matches("data: ").trim()).expect("JSON");
        without_cluster(json["result"]["object"].clone())
    };
    assert_eq!(object(&frame), object(&recorded_frame));

    let log = recorded("argo logs -f");
    let mut logging = site.ask("GET", &log.uri()).events().open().await;
    assert_eq!(logging.bytes().await, Some(log.frames[0].clone()));

    let stop = recorded("argo stop");
    let answer = site.ask("PUT", &stop.uri()).body(&stop.body()).send().await;
    assert_eq!(answer.status, stop.status);
    let object = answer.json();
    assert_eq!(
        (&object["spec"]["shutdown"], &object["status"]["phase"]),
        (&json!("Stop"), &json!("Running"))
    );

    let over = site.until_over("orchard").await;
    assert_eq!(over["status"]["message"], "Stopped with strategy 'Stop'");
    let mut lines = Vec::new();
    while let Some(text) = logging.bytes().await {
        lines.push(text);
    }
    // The recorded run lost two hooks; the one that ran there is said in the same bytes here.
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert!(log.frames[1..].iter().all(|frame| lines.contains(frame)), "{lines:?}");

    let refused = recorded("argo stop of a finished run");
    let answer = site.ask("PUT", &refused.uri()).body(&refused.body()).send().await;
    assert_eq!((answer.status, Some(answer.body)), (refused.status, refused.answer));
}

#[tokio::test]
async fn lists_are_paged_selected_and_cut() {
    let site = Site::new().await;
    for name in ["a-one", "a-two", "b-three"] {
        site.submit(name, "true").await;
        site.until_over(name).await;
    }
    let names = async |query: &str| {
        let list = site.get(&format!("/api/v1/workflows/default?{query}")).await.json();
        let items = list["items"].as_array().cloned().unwrap_or_default();
        let names = items.iter().map(|item| item["metadata"]["name"].as_str().unwrap_or("?").to_owned());
        (names.collect::<Vec<_>>().join(" "), list["metadata"].clone())
    };
    // The whole seconds of their ends may be equal, the list is by the milliseconds behind them.
    let (all, metadata) = names("").await;
    assert_eq!(all, "b-three a-two a-one");
    assert!(metadata.get("continue").is_none() && metadata["resourceVersion"].is_string());
    let (page, metadata) = names("listOptions.limit=2").await;
    assert_eq!((page.as_str(), &metadata["continue"]), ("b-three a-two", &json!("2")));
    let (page, metadata) = names("listOptions.limit=2&listOptions.continue=2").await;
    assert_eq!((page.as_str(), metadata.get("continue")), ("a-one", None));
    for (query, expected) in [
        ("listOptions.labelSelector=workflows.argoproj.io/phase%20in%20(Succeeded)", "b-three a-two a-one"),
        ("listOptions.labelSelector=workflows.argoproj.io/completed!=true", ""),
        ("nameFilter=Prefix&listOptions.fieldSelector=metadata.name=a-", "a-two a-one"),
        ("createdAfter=2099-01-01T00:00:00Z", ""),
        ("unknown=1&listOptions.fieldSelector=metadata.namespace=default,metadata.name=a-one", "a-one"),
    ] {
        assert_eq!(names(query).await.0, expected, "{query}");
    }
    let rows = site.get("/api/v1/workflows/?fields=items.metadata.name,items.status.phase").await.json();
    assert_eq!(rows["items"][0], json!({"metadata": {"name": "b-three"}, "status": {"phase": "Succeeded"}}));
    assert_eq!(site.get("/api/v1/workflows/elsewhere").await.json()["items"], json!([]));
}

#[tokio::test]
async fn objects_have_whole_seconds_and_no_kind() {
    let site = Site::new().await;
    site.submit("tick", "true").await;
    let object = site.until_over("tick").await;
    assert!(object.get("kind").is_none() && object.get("apiVersion").is_none());
    let at = object["status"]["finishedAt"].as_str().expect("a time");
    assert_eq!(at.len(), "2026-03-02T09:00:00Z".len(), "{at}");
    let latest = site.get("/api/v1/workflows/default/@latest?fields=metadata.name").await.json();
    assert_eq!(latest, json!({"metadata": {"name": "tick"}}));
}

#[tokio::test]
async fn a_delete_is_answered_with_an_empty_object() {
    let site = Site::new().await;
    site.submit("brief", "true").await;
    site.until_over("brief").await;
    let path = "/api/v1/workflows/default/brief";
    assert_eq!(site.ask("DELETE", path).send().await.body, "{}");
    assert_eq!(site.get(path).await.status, 404);
}

#[tokio::test]
async fn version_info_and_user_are_there() {
    let site = Site::new().await;
    let version = site.get("/api/v1/version").await.json();
    let names =
        ["version", "buildDate", "gitCommit", "gitTag", "gitTreeState", "goVersion", "compiler", "platform"];
    assert_eq!(
        version.as_object().map(|members| members.keys().map(String::as_str).collect::<Vec<_>>()),
        Some(names.to_vec())
    );
    assert_eq!(
        site.get("/api/v1/info").await.json(),
        json!({"modals": {"feedback": false, "firstTimeUser": false, "newVersion": false}})
    );
    assert_eq!(site.get("/api/v1/userinfo").await.body, "{}");
}

#[tokio::test]
async fn an_unknown_path_of_our_own_is_not_found() {
    let site = Site::new().await;
    let answer = site.get("/unwind/v1/nothing").await;
    assert_eq!((answer.status, answer.json()["code"].as_i64()), (404, Some(5)));
    let answer =
        site.ask("GET", "/unwind/v1/nothing").header(header::HOST, HOST).without(header::AUTHORIZATION);
    assert_eq!(answer.send().await.status, 401);
}
