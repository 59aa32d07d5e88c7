//! Parameters and artifacts: where they come from and what is missed.

use serde_json::{Value, json};

use super::{Scene, leaf};

/// Tells its input.
fn tell() -> Value {
    json!({"name": "tell", "inputs": {"parameters": [{"name": "in"}]},
        "container": {"image": "x", "args": ["{{inputs.parameters.in}}"]}})
}

fn config_map(labelled: bool) -> Value {
    let labels =
        if labelled { json!({"workflows.argoproj.io/configmap-type": "Parameter"}) } else { json!({}) };
    json!({"kind": "ConfigMap", "metadata": {"name": "cfg-v", "labels": labels}, "data": {"key-v": "kept"}})
}

fn taker(artifact: &Value) -> Value {
    json!([
        {"name": "main", "dag": {"tasks": [{"name": "a", "template": "give"},
            {"name": "b", "template": "take", "dependencies": ["a"], "arguments": {"artifacts": [artifact]}}]}},
        {"name": "give", "container": {"image": "x"}, "outputs": {"artifacts": [{"name": "out", "path": "/o"}]}},
        {"name": "take", "container": {"image": "x"}, "inputs": {"artifacts": [{"name": "in", "path": "/i"}]}},
    ])
}

#[test]
fn artifacts_are_taken_over_with_the_end_of_their_key() {
    let given = json!({"artifacts": [{"name": "out", "s3": {"key": "k"}}]});
    for (artifact, key) in [
        (json!({"name": "in", "from": "{{tasks.a.outputs.artifacts.out}}"}), "k"),
        (
            json!({"name": "in", "from": "{{tasks.a.outputs.artifacts.out}}", "subPath": "sub/{{workflow.name}}"}),
            "k/sub/w",
        ),
    ] {
        let mut scene = Scene::new(&taker(&artifact));
        scene.pass().gave("w.a", &given).pass();
        let status = scene.run.status();
        let node = status
            .nodes
            .values()
            .find(|node| node.display_name == "b")
            .unwrap_or_else(|| panic!("{}", scene.workflow()));
        let expected = json!([{"name": "in", "path": "/i", "s3": {"key": key}}]);
        assert_eq!(node.inputs.other["artifacts"], expected);
    }
}

#[test]
fn an_artifact_that_lies_nowhere_is_an_error() {
    let artifact = json!({"name": "in", "from": "{{tasks.a.outputs.artifacts.out}}"});
    let mut scene = Scene::new(&taker(&artifact));
    scene.pass().gave("w.a", &json!({"artifacts": [{"name": "out"}]})).pass();
    assert_eq!(
        scene.node("w.b"),
        "Error task 'w.b' errored: inputs.artifacts.in missing location information"
    );
}

#[test]
fn inputs_of_a_box_are_known_inside_it() {
    let mut box_ =
        json!({"name": "box", "inputs": {"parameters": [{"name": "p"}], "artifacts": [{"name": "x"}]}});
    box_["dag"] = json!({"tasks": [{"name": "b", "template": "take",
        "arguments": {"artifacts": [{"name": "in", "from": "{{inputs.artifacts.x}}"}]},
        "hooks": {"run": {"template": "leaf", "expression": "inputs.parameters.p == 'v'"}}}]});
    let take = json!({"name": "take", "container": {"image": "x"},
        "inputs": {"artifacts": [{"name": "in", "path": "/i"}]}});
    let call = json!([[{"name": "a", "template": "box", "arguments": {
        "parameters": [{"name": "p", "value": "{{workflow.parameters.p}}"}],
        "artifacts": [{"name": "x", "raw": {"data": "d"}}]}}]]);
    let mut scene = Scene::new(&json!([{"name": "main", "steps": call}, box_, take, leaf("")]));
    scene.pass();
    assert_eq!(scene.node("w[0].a.b"), "Pending");
    assert_eq!(scene.node("w[0].a.b.hooks.run"), "Pending");
}

#[test]
fn a_step_that_misses_an_artifact_says_so_in_the_words_of_the_release() {
    let take = json!({"name": "take", "container": {"image": "x"},
        "inputs": {"artifacts": [{"name": "in", "path": "/i"}]}});
    let from = json!([{"name": "in", "from": "{{steps.a.outputs.artifacts.out}}"}]);
    let give = json!({"name": "give", "container": {"image": "x"},
        "outputs": {"artifacts": [{"name": "out", "path": "/o", "optional": true}]}});
    let steps = json!([[{"name": "a", "template": "give"}],
        [{"name": "b", "template": "take", "arguments": {"artifacts": from}}]]);
    let templates = json!([{"name": "main", "steps": steps}, give, take]);
    for (release, word) in [("3.7.18", "Failed"), ("4.1.2", "failed")] {
        let mut scene = Scene::of(release, &json!({"templates": templates}), &[]);
        scene.pass().ended("w[0].a", true).pass();
        let text = "unable to resolve references: Unable to resolve: \"steps.a.outputs.artifacts.out\"";
        assert_eq!(scene.node("w[1]"), format!("Error {word} to resolve references: {text}"));
    }
}

#[test]
fn an_output_of_what_did_not_run_is_an_error_within_a_text() {
    let give = json!({"name": "give", "container": {"image": "x"},
        "outputs": {"parameters": [{"name": "o", "valueFrom": {"path": "/o"}}]}});
    let call = |text: &str| {
        json!({"name": "b", "template": "tell", "dependencies": ["a"], "arguments": {"parameters":
            [{"name": "in", "value": text}]}})
    };
    let absent = "is an absent optional (skipped/omitted node with no default)";
    for (text, expected) in [
        (
            "x{{tasks.a.outputs.parameters.o}}",
            format!("Error unable to substitute {{{{tasks.a.outputs.parameters.o}}}}: output {absent}"),
        ),
        (
            "{{tasks.a.outputs.parameters.o}}",
            "Error inputs.parameters.in: argument references an absent optional (skipped/omitted node output \
             with no default)"
                .to_owned(),
        ),
    ] {
        let tasks = json!([{"name": "a", "template": "give", "when": "false"}, call(text)]);
        let mut scene = Scene::new(&json!([{"name": "main", "dag": {"tasks": tasks}}, give, tell()]));
        scene.pass();
        let node = scene.node("w.b");
        assert_eq!(node.replace("task 'w.b' errored: ", ""), expected);
    }
}

#[test]
fn config_maps_give_workflow_parameters_and_their_names_have_tags() {
    let by = |name: &str, key: &str| json!({"configMapKeyRef": {"name": name, "key": key}});
    let parameters = json!([{"name": "v", "value": "v"}, {"name": "c", "valueFrom": by("cfg-v", "key-v")}]);
    let mut told = tell();
    told["inputs"]["parameters"] = json!([{"name": "in",
        "valueFrom": by("cfg-{{workflow.parameters.v}}", "key-{{workflow.parameters.v}}")}]);
    told["container"]["args"] = json!(["{{inputs.parameters.in}} {{workflow.parameters.c}}"]);
    let main = json!({"name": "main", "dag": {"tasks": [{"name": "a", "template": "tell"}]}});
    let spec = json!({"templates": [main, told], "arguments": {"parameters": parameters}});
    let mut scene = Scene::of("4.1.2", &spec, &[config_map(true)]);
    assert_eq!(scene.pass().args(), ["kept kept"]);
    let mut scene = Scene::of("4.1.2", &spec, &[config_map(false)]);
    scene.pass();
    assert_eq!(
        scene.workflow(),
        "Failed failed to set global parameters: failed to set global parameter c from configmap with name cfg-v \
         and key key-v: ConfigMap 'cfg-v' does not exist. Please make sure it has the label \
         workflows.argoproj.io/configmap-type: Parameter to be detectable by the controller"
    );
}

#[test]
fn the_spec_has_tags_too_and_what_is_filled_in_has_more() {
    let parameters =
        json!([{"name": "v", "value": "{{workflow.name}}"}, {"name": "in", "value": "{{workflow.uid}}!"}]);
    let mut main = tell();
    main["name"] = "main".into();
    main["container"]["args"] =
        json!(["{{inputs.parameters.in}} {{workflow.parameters.v}} {{workflow.status}}"]);
    let spec = json!({"templates": [main], "arguments": {"parameters": parameters}});
    assert_eq!(Scene::of("4.1.2", &spec, &[]).pass().args(), ["! w "]);
}

#[test]
fn inputs_of_a_wait_offer_choices() {
    let wait = json!({"name": "wait", "suspend": {}, "inputs": {"parameters": [{"name": "q"}]}});
    let arguments = json!({"parameters": [{"name": "q", "value": r#"{"enum": ["yes", "no"]}"#}]});
    let mut scene = Scene::new(&json!([{"name": "main", "dag": {"tasks": [
        {"name": "a", "template": "wait", "arguments": arguments}]}}, wait]));
    scene.pass();
    let status = scene.run.status();
    let node = status.nodes.values().find(|node| node.display_name == "a").expect("a");
    assert_eq!(node.inputs.parameters[0].default.as_deref(), Some("yes"));
    assert_eq!(node.inputs.parameters[0].other["enum"], json!(["yes", "no"]));
}

#[test]
fn a_leaf_owes_outputs_of_every_kind_it_declares() {
    let outputs = json!({"parameters": [{"name": "o", "valueFrom": {"path": "/o"}}],
        "artifacts": [{"name": "x", "path": "/x", "optional": true}]});
    let give = json!({"name": "give", "container": {"image": "x"}, "outputs": outputs});
    let main = json!({"name": "main", "dag": {"tasks": [{"name": "a", "template": "give"}]}});
    let mut scene = Scene::new(&json!([main, give]));
    scene.pass().gave("w.a", &json!({"result": "r"})).pass();
    assert_eq!(scene.node("w.a"), "Pending");
    scene.gave("w.a", &json!({"parameters": [{"name": "o", "value": "1"}]})).pass();
    assert_eq!(scene.node("w.a"), "Succeeded");
}

#[test]
fn artifacts_of_a_step_that_did_not_run_lie_nowhere() {
    let give = json!({"name": "give", "container": {"image": "x"},
        "outputs": {"artifacts": [{"name": "out", "path": "/o"}]}});
    let take = json!({"name": "take", "container": {"image": "x"},
        "inputs": {"artifacts": [{"name": "in", "path": "/i"}]}});
    let from = json!([{"name": "in", "from": "{{steps.a.outputs.artifacts.out}}"}]);
    let steps = json!([[{"name": "a", "template": "give", "when": "false"}],
        [{"name": "b", "template": "take", "arguments": {"artifacts": from}}]]);
    let mut scene = Scene::new(&json!([{"name": "main", "steps": steps}, give, take]));
    scene.pass();
    let text = "inputs.artifacts.in missing location information";
    assert_eq!(
        scene.node("w[1]"),
        format!("Error step group deemed errored due to child w[1].b error: {text}")
    );
}

/// Source: Argo `operator.go`, `processAggregateNodeOutputs`: marks tell hooks from items, names do not.
#[test]
fn outputs_of_a_loop_are_gathered_whatever_it_is_called() {
    let give = json!({"name": "give", "container": {"image": "x"},
        "outputs": {"parameters": [{"name": "o", "valueFrom": {"path": "/o"}}]}});
    let tasks = json!([{"name": "webhooks", "template": "give", "withItems": [1, 2]},
        {"name": "b", "template": "tell", "dependencies": ["webhooks"], "arguments": {"parameters":
            [{"name": "in", "value": "{{tasks.webhooks.outputs.parameters.o}}"}]}}]);
    let mut scene = Scene::new(&json!([{"name": "main", "dag": {"tasks": tasks}}, give, tell()]));
    let outputs = |value: &str| json!({"parameters": [{"name": "o", "value": value}]});
    scene.pass().gave("w.webhooks(0:1)", &outputs("x")).gave("w.webhooks(1:2)", &outputs("y")).pass();
    assert_eq!(scene.args(), [r#"["x","y"]"#]);
}
