//! `unwind check`, `unwind graph` and `unwind rehearse`.

use crate::process::{Place, seed, text};

/// A loop in a DAG whose items have an exit hook each.
const LOOP: &str = "
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: loop}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - name: visit
        template: work
        withItems: [a, b]
        hooks: {exit: {template: sweep}}
  - name: work
    container: {image: busybox, command: [work]}
  - name: sweep
    container: {image: busybox, command: [sweep]}
";

#[test]
fn a_good_manifest_is_said_to_be_good() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["check", text(&file)]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(said.out.ends_with("seed.yaml: orchard: nothing wrong\n"), "{}", said.out);
}

#[test]
fn what_is_wrong_has_file_line_and_column() {
    let place = Place::new();
    let file = place.file("bad.yaml", &seed("true").replace("template: bottle\n", "template: nope\n"));
    let said = place.run(&["check", text(&file)]);
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("bad.yaml:21:9: error: There is no template nope"), "{}", said.out);
    let file = place.file("worse.yaml", "kind: Workflow\nspec: [");
    let said = place.run(&["check", text(&file)]);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(said.err.contains("worse.yaml: line 2, column"), "{}", said.err);
}

#[test]
fn a_file_that_cannot_be_read_is_told_beside_the_others() {
    let place = Place::new();
    let good = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["check", "no-such-file.yaml", text(&good)]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("cannot read `no-such-file.yaml`"), "{}", said.err);
    assert!(said.out.contains("orchard: nothing wrong"), "{}", said.out);
    let said = place.run(&["graph", "no-such-file.yaml"]);
    assert_eq!(said.code, Some(2));
}

#[test]
fn a_release_that_loses_hooks_is_told_before_anything_runs() {
    let place = Place::new();
    let file = place.file("loop.yaml", LOOP);
    let said = place.run(&["check", text(&file)]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let said = place.run(&["check", "--as", "argo-4.1.2", text(&file)]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.out.contains("note: Argo 4.1.2 (observed on the real controller)"), "{}", said.out);
    assert!(said.out.contains("error: On Argo 4.1.2 "), "{}", said.out);
    let said = place.run(&["check", "--as", "argo-9.1.0", text(&file)]);
    assert!(said.out.contains("Argo 9.1.0 is not known here, so the rules of 4.2.0"), "{}", said.out);
    let said = place.run(&["check", "--as", "latest", text(&file)]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("write `argo-4.1.2`"), "{}", said.err);
}

#[test]
fn what_is_checked_is_there_as_data_annotations_and_sarif() {
    let place = Place::new();
    let file = place.file("bad.yaml", &seed("true").replace("template: bottle\n", "template: nope\n"));
    let said = place.run(&["check", "--json", text(&file), "no-such-file.yaml"]);
    let data: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((said.code, &data["exit"]), (Some(2), &serde_json::json!(2)));
    let first = &data["files"][0]["documents"][0]["diagnostics"][0];
    assert_eq!(first["code"]["code"], "unknown-template", "{data}");
    assert_eq!(first["position"], serde_json::json!({"line": 21, "column": 9}));
    assert!(data["files"][1]["error"].is_object());
    let said = place.run(&["check", "--format", "github", text(&file)]);
    assert_eq!(said.code, Some(1));
    assert!(said.out.starts_with("::error file="), "{}", said.out);
    assert!(said.out.contains(",line=21,col=9,title=unknown-template::"), "{}", said.out);
    let said = place.run(&["check", "--format", "sarif", text(&file)]);
    let log: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    let region = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 21, "{log}");
}

#[test]
fn a_library_is_checked_and_found_by_what_calls_it() {
    let place = Place::new();
    let library = "kind: WorkflowTemplate\nmetadata: {name: lib}\nspec:\n  onExit: sweep\n  templates:\n  - name: sweep\n    container: {image: busybox, command: [sweep]}\n";
    let library = place.file("lib.yaml", library);
    let caller = "kind: Workflow\nmetadata: {name: caller}\nspec:\n  entrypoint: main\n  templates:\n  - name: main\n    steps:\n    - - {name: one, templateRef: {name: lib, template: sweep}}\n";
    let caller = place.file("caller.yaml", caller);
    let said = place.run(&["check", text(&library), text(&caller)]);
    assert!(said.out.contains("lib.yaml: lib: nothing wrong"), "{}", said.out);
    assert!(said.out.contains("spec.onExit of lib has no effect here"), "{}", said.out);
}

#[test]
fn a_graph_is_a_tree_or_a_picture() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["graph", text(&file)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("└─ · press.onExit, exit hook of press, turn 3 of 4, Planned"), "{}", said.out);
    let said = place.run(&["graph", "--svg", text(&file)]);
    assert!(said.out.starts_with("<svg"), "{}", said.out);
    assert!(said.out.contains("bottle.onExit"));
}

#[test]
fn shells_can_complete() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let said = place.run(&["completion", shell]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.out.contains("rehearse"), "{shell}");
    }
}

#[test]
fn a_rehearsed_stop_tells_the_order_in_words_and_as_data() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["rehearse", text(&file), "--stop-at", "cap"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    for line in ["1  cap.onExit", "2  bottle.onExit", "3  press.onExit", "4  orchard.onExit"] {
        assert!(said.out.contains(line), "{line} in {}", said.out);
    }
    let said = place.run(&["rehearse", text(&file), "--stop-at", "orchard.press.bottle.cap", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(report["phase"], "Failed");
    assert_eq!(report["prediction"]["outcomes"][0]["hooks"].as_array().map(Vec::len), Some(4));
    assert!(report["judgement"]["findings"].as_array().is_some_and(Vec::is_empty), "{report}");
}

#[test]
fn a_release_is_rehearsed_with_all_that_may_come() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["rehearse", text(&file), "--stop-at", "cap", "--as", "argo-4.1.2"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    for line in
        ["Argo 4.1.2 (observed on the real controller): Stop when", "Outcome 1 of 2, if", "never over: "]
    {
        assert!(said.out.contains(line), "{line} in {}", said.out);
    }
    let said = place.run(&["rehearse", text(&file), "--in-order-at", "cap", "--as", "argo-4.1.2"]);
    assert!(
        said.out.contains("1  orchard.press.bottle.cap.onExit\n  2  orchard.press.bottle.onExit"),
        "{}",
        said.out
    );
    assert!(!said.out.contains("never over"), "{}", said.out);
    let said = place.run(&["rehearse", text(&file), "--leaf", "cap=fail:3"]);
    assert!(said.out.contains("the workflow ends Failed"), "{}", said.out);
    let said = place.run(&["rehearse", text(&file), "--leaf", "cap=perhaps"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("write NODE=fail:3 or NODE=ok"), "{}", said.err);
}

#[test]
fn a_node_that_is_not_there_is_told_with_those_that_are() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["rehearse", text(&file), "--stop-at", "nope"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("`orchard.press.bottle.cap`"), "{}", said.err);
}
