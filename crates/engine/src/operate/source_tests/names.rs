//! What the workflow itself is called and made of: its labels, the time it was made, the controller's defaults, the
//! document it refers to.

use serde_json::{Value, json};
use unwind_model::Timestamp;

use super::{PodPhase, PodReport, Scene, Seen, leaf};

/// A workflow of one leaf that tells `text`, with more in its spec.
fn telling(text: &str, more: &Value) -> Value {
    let mut spec = json!({"templates": [{"name": "main", "container": {"image": "x", "args": [text]}}]});
    for (field, value) in more.as_object().into_iter().flatten() {
        spec[field] = value.clone();
    }
    spec
}

/// What the leaf is told in the first pass, or what became of the workflow.
fn told(scene: &mut Scene) -> String {
    scene.pass();
    scene.args().first().cloned().unwrap_or_else(|| scene.workflow())
}

#[test]
fn parts_of_the_time_it_was_made_have_names() {
    // 2026-03-02T09:05:00Z, a Monday.
    let made = Timestamp(1_772_442_300_000);
    for (names, expected) in [
        (
            "{{workflow.creationTimestamp}} {{workflow.creationTimestamp.RFC3339}}",
            "2026-03-02T09:05:00Z 2026-03-02T09:05:00Z",
        ),
        (
            "{{workflow.creationTimestamp.Y}}-{{workflow.creationTimestamp.m}}-{{workflow.creationTimestamp.d}}",
            "2026-03-02",
        ),
        (
            "{{workflow.creationTimestamp.A}} {{workflow.creationTimestamp.b}} {{workflow.creationTimestamp.y}}",
            "Monday Mar 26",
        ),
        (
            "{{workflow.creationTimestamp.H}}:{{workflow.creationTimestamp.M}}{{workflow.creationTimestamp.p}}",
            "09:05AM",
        ),
        (
            "{{workflow.creationTimestamp.s}} {{workflow.creationTimestamp.Z}} {{workflow.creationTimestamp.z}}",
            "1772442300 UTC +0000",
        ),
    ] {
        let mut scene = Scene::of("4.1.2", &telling(names, &json!({})), &[]);
        scene.run.workflow.metadata.creation_timestamp = Some(made);
        assert_eq!(told(&mut scene), expected, "{names}");
    }
}

#[test]
fn a_scheduled_workflow_knows_for_when() {
    let mut scene = Scene::of("4.1.2", &telling("{{workflow.scheduledTime}}", &json!({})), &[]);
    let annotations = &mut scene.run.workflow.metadata.annotations;
    annotations.insert("workflows.argoproj.io/scheduled-time".to_owned(), "2026-03-02T09:00:00Z".to_owned());
    assert_eq!(told(&mut scene), "2026-03-02T09:00:00Z");
}

/// Source: Argo `operator.go`, `updateWorkflowMetadata`.
#[test]
fn the_spec_gives_the_workflow_labels() {
    let metadata = |labels: Value| json!({"workflowMetadata": labels, "arguments": {"parameters": [{"name": "p", "value": "v"}]}});
    for (given, text, expected) in [
        (json!({"labels": {"a": "{{workflow.parameters.p}}-1"}}), "{{workflow.labels.a}}", "v-1"),
        (json!({"annotations": {"a": "b c"}}), "{{workflow.annotations.a}}", "b c"),
        (
            json!({"labelsFrom": {"a": {"expression": "workflow.parameters.p + '2'"}}}),
            "{{workflow.labels.a}}",
            "v2",
        ),
        (
            json!({"labelsFrom": {"a": {"expression": "1 + 1"}}}),
            "{{workflow.labels.a}}",
            "Error failed to evaluate label \"a\" expression \"1 + 1\" evaluted to int but must be a string",
        ),
    ] {
        let mut scene = Scene::of("4.1.2", &telling(text, &metadata(given)), &[]);
        assert_eq!(told(&mut scene), expected, "{text}");
    }
    let mut scene = Scene::of("4.1.2", &telling("", &metadata(json!({"labels": {"a": "b c"}}))), &[]);
    assert!(
        told(&mut scene)
            .starts_with("Error invalid label value \"b c\" for label \"a\": a valid label must be")
    );
}

#[test]
fn labels_are_those_that_the_controller_put_there_too() {
    let tell = json!({"name": "tell", "container": {"image": "x", "args": ["{{workflow.labels}} {{workflow.annotations.json}}"]}});
    let steps = json!([[{"name": "a", "template": "tell"}], [{"name": "b", "template": "tell"}]]);
    let mut scene = Scene::new(&json!([{"name": "main", "steps": steps}, tell]));
    assert_eq!(scene.pass().args(), ["null null"]);
    let labels = r#"{"workflows.argoproj.io/completed":"false","workflows.argoproj.io/phase":"Running"}"#;
    let annotations = r#"{"workflows.argoproj.io/pod-name-format":"v2"}"#;
    assert_eq!(scene.ended("w[0].a", true).pass().args(), [format!("{labels} {annotations}")]);
}

/// Source: Argo `controller.go`, `setWorkflowDefaults`; `workflow/util/merge.go`.
#[test]
fn what_the_controller_gives_to_all_stands_below_what_is_written() {
    let defaults = "metadata: {labels: {team: blue}}\n\
        spec: {arguments: {parameters: [{name: p, value: theirs}, {name: q, value: theirs}]}}\n";
    let settings = json!({"kind": "ConfigMap", "metadata": {"name": "workflow-controller-configmap"},
        "data": {"workflowDefaults": defaults}});
    let arguments = json!({"parameters": [{"name": "p", "value": "mine"}]});
    let tags = "{{workflow.parameters.p}} {{workflow.parameters.q}} {{workflow.labels.team}}";
    let spec = telling(tags, &json!({"arguments": arguments}));
    assert_eq!(told(&mut Scene::of("4.1.2", &spec, std::slice::from_ref(&settings))), "mine theirs blue");
    // Validation of one that refers to a document does not know of their arguments.
    let templates = telling("{{workflow.parameters.p}} {{workflow.labels.team}}", &json!({}));
    let library = json!({"kind": "WorkflowTemplate", "metadata": {"name": "lib"}, "spec": {
        "entrypoint": "main", "templates": templates["templates"], "arguments": arguments}});
    let spec = json!({"workflowTemplateRef": {"name": "lib"}});
    assert_eq!(told(&mut Scene::of("4.1.2", &spec, &[settings, library])), "mine blue");
}

/// Source: Argo `workflow/util/merge.go`, `JoinWorkflowSpec`.
#[test]
fn an_argument_is_the_one_of_who_gives_it_a_value_first() {
    let theirs = json!({"parameters": [{"name": "p", "value": "theirs", "enum": ["theirs"]}, {"name": "q", "value": "1"}]});
    let templates = telling("{{workflow.parameters}}", &json!({}));
    let library = json!({"kind": "WorkflowTemplate", "metadata": {"name": "lib"}, "spec": {
        "entrypoint": "main", "templates": templates["templates"], "arguments": theirs}});
    let spec = json!({"workflowTemplateRef": {"name": "lib"},
        "arguments": {"parameters": [{"name": "p", "value": "mine"}]}});
    let expected = r#"[{"name":"p","value":"mine"},{"name":"q","value":"1"}]"#;
    assert_eq!(told(&mut Scene::of("4.1.2", &spec, &[library])), expected);
}

/// Source: Argo `workflow/util/merge.go`, `JoinWorkflowSpec`.
#[test]
fn a_document_does_not_suspend_what_refers_to_it() {
    let library = json!({"kind": "WorkflowTemplate", "metadata": {"name": "lib"}, "spec": {
        "entrypoint": "main", "suspend": true, "templates": [leaf("goes"), {"name": "main", "steps": [[
            {"name": "a", "template": "leaf"}]]}]}});
    let mut scene = Scene::of("4.1.2", &json!({"workflowTemplateRef": {"name": "lib"}}), &[library]);
    assert_eq!(scene.pass().args(), ["goes"]);
}

#[test]
fn a_document_that_is_not_there_is_told_by_its_kind() {
    for (reference, kind) in [
        (json!({"name": "lib"}), "workflowtemplate"),
        (json!({"name": "lib", "clusterScope": true}), "clusterworkflowtemplate"),
    ] {
        let mut scene = Scene::of("4.1.2", &json!({"workflowTemplateRef": reference}), &[]);
        assert_eq!(told(&mut scene), format!("Error {kind}.argoproj.io \"lib\" not found"));
    }
}

/// Source: Argo `workflow/util/util.go`, `GetTemplateFromNode`.
#[test]
fn failures_tell_templates_of_other_documents() {
    let library =
        json!({"kind": "WorkflowTemplate", "metadata": {"name": "lib"}, "spec": {"templates": [leaf("")]}});
    let tasks = json!([{"name": "a", "templateRef": {"name": "lib", "template": "leaf"}}]);
    let bye = json!({"name": "bye", "container": {"image": "x", "args": ["{{workflow.failures}}"]}});
    let spec = json!({"templates": [{"name": "main", "dag": {"tasks": tasks}}, bye], "onExit": "bye"});
    let mut scene = Scene::of("4.1.2", &spec, &[library]);
    scene.pass();
    let report = PodReport { phase: PodPhase::Failed, exit: Some(1), ..PodReport::pending(scene.now) };
    scene.run.see(scene.now, Seen::Pod { node: "w.a".into(), report });
    scene.pass();
    let failures = scene.args().concat();
    assert!(failures.contains(r#"\"templateName\":\"leaf\""#), "{failures}");
    assert!(failures.contains(r#"\"podName\":\"w-leaf-"#), "{failures}");
}
