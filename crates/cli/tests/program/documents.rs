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

/// A library, and a workflow that calls a template of it.
const LIBRARY: &str = "kind: WorkflowTemplate
metadata: {name: lib}
spec:
  onExit: sweep
  templates:
  - name: sweep
    container: {image: busybox, command: [sweep]}
";
const CALLER: &str = "kind: Workflow
metadata: {name: caller}
spec:
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: one, templateRef: {name: lib, template: sweep}}
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
    assert!(
        said.out.contains("note: Argo 4.2.0 (announced, not released when this was made, nearest to 9.1.0)"),
        "{}",
        said.out
    );
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
    let library = place.file("lib.yaml", LIBRARY);
    let caller = place.file("caller.yaml", CALLER);
    let said = place.run(&["check", text(&library), text(&caller)]);
    assert!(said.out.contains("lib.yaml: lib: nothing wrong"), "{}", said.out);
    assert!(said.out.contains("spec.onExit of lib has no effect here"), "{}", said.out);
}

#[test]
fn what_is_not_among_the_files_is_said() {
    let place = Place::new();
    let caller = place.file("caller.yaml", CALLER);
    let said = place.run(&["check", text(&caller)]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(
        said.out.contains("note: templates of lib were not checked: name their files too"),
        "{}",
        said.out
    );
}

#[test]
fn what_argo_refuses_is_an_error_with_its_place() {
    let place = Place::new();
    let file =
        place.file("loop.yaml", &LOOP.replace("withItems: [a, b]", "arguments: {parameters: [{name: x}]}"));
    let said = place.run(&["check", text(&file)]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(said.out.contains("loop.yaml:11:9: error: templates.main.tasks.visit"), "{}", said.out);
}

#[test]
fn a_folder_stands_for_the_files_in_it() {
    let place = Place::new();
    std::fs::create_dir(place.folder().join("inner")).expect("a folder");
    std::fs::create_dir(place.folder().join("empty")).expect("a folder");
    place.file("inner/b.yml", LOOP);
    place.file("inner/a.yaml", &seed("true"));
    place.file("inner/.hidden.yaml", "nothing");
    place.file("inner/notes.txt", "nothing");
    let folder = place.folder().join("inner");
    let said = place.run(&["check", text(&folder)]);
    let files: Vec<&str> = said.out.lines().filter_map(|line| line.rsplit('/').next()).collect();
    assert_eq!(files, ["a.yaml: orchard: nothing wrong", "b.yml: loop: nothing wrong"], "{}", said.err);
    let empty = place.folder().join("empty");
    let said = place.run(&["check", text(&empty)]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("there is no YAML or JSON file in the folder"), "{}", said.err);
}

#[test]
fn what_is_no_workflow_is_told_and_a_slip_of_the_pen_is_an_error() {
    let place = Place::new();
    let said = place.run_with(&["check", "-"], "hello");
    assert_eq!(said.code, Some(2), "{}", said.out);
    assert!(
        said.err.contains("expected an Argo Workflow, as YAML or JSON, found the text `hello`"),
        "{}",
        said.err
    );
    let other = "apiVersion: apps/v1\nkind: Deployment\n";
    let said = place.run_with(&["check", "-"], other);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "-: note: `kind: Deployment` is not a workflow, so it was not checked\n")
    );
    let said = place.run_with(&["check", "-"], &LOOP.replace("argoproj.io/v1alpha1", "v1"));
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(said.out.contains("-:2:1: error: `kind: Workflow` with `apiVersion: v1`"), "{}", said.out);
    let said = place.run_with(&["check", "-"], &LOOP.replace("kind: Workflow", "kind: Workfow"));
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(said.out.contains("-:3:1: error: `kind: Workfow`"), "{}", said.out);
}

#[test]
fn a_cron_workflow_is_checked_where_its_spec_stands() {
    let place = Place::new();
    let spec: Vec<String> =
        LOOP.lines().skip_while(|line| *line != "spec:").skip(1).map(|line| format!("  {line}")).collect();
    let spec = spec.join("\n");
    let cron = format!(
        "kind: CronWorkflow\nmetadata: {{name: nightly}}\nspec:\n  schedules: [\"0 3 * * *\"]\n  workflowSpec:\n{spec}"
    );
    let file = place.file("cron.yaml", &cron);
    let said = place.run(&["check", text(&file)]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    let said = place.run(&["check", "--as", "4.1.2", text(&file)]);
    assert!(
        said.out.contains("cron.yaml:14:19: error: On Argo 4.1.2 nightly.visit(1:b).onExit never runs"),
        "{}",
        said.out
    );
    let file = place.file("cron.yaml", &cron.replace("template: work\n", "template: nope\n"));
    let said = place.run(&["check", text(&file)]);
    assert!(said.out.contains("There is no template nope"), "{}", said.out);
    assert!(said.out.contains("(spec.workflowSpec.templates[0]"), "{}", said.out);
    let file = place.file("cron.yaml", &cron.replace("0 3 * * *", "often"));
    let said = place.run(&["check", text(&file)]);
    assert_eq!(said.code, Some(1), "{}", said.out);
}

#[test]
fn a_graph_is_a_tree_or_a_picture() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["graph", text(&file)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("└─ · press.onExit, exit hook of press, turn 3 of 4, Planned"), "{}", said.out);
    let template = place.file("template.yaml", &LOOP.replace("kind: Workflow", "kind: WorkflowTemplate"));
    let said = place.run(&["graph", text(&template)]);
    assert!(said.out.starts_with("· loop, DAG, Planned"), "{}{}", said.out, said.err);
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
    for line in [
        "Argo 4.1.2 (observed on the real controller): Stop when orchard.press.bottle.cap runs\n",
        "Outcome 1 of 2, if what runs still runs when the controller looks\n",
        "never run, though they are due: ",
        "never over: orchard.press\n",
        "  ├─ ● press, Running, never over\n",
        "Ways to end it there, the best first\n  Stop in order, recommended: ",
    ] {
        assert!(said.out.contains(line), "{line} in {}", said.out);
    }
    let said = place.run(&["rehearse", text(&file), "--in-order-at", "cap", "--as", "argo-4.1.2"]);
    let order = "1  orchard.press.bottle.cap.onExit  after orchard.press.bottle.cap and everything in it\n   \
                 2  orchard.press.bottle.onExit";
    assert!(said.out.contains(order), "{}", said.out);
    assert!(!said.out.split("Ways to end").next().unwrap_or_default().contains("never over"), "{}", said.out);
    let said = place.run(&["rehearse", text(&file), "--stop-at", "cap", "--as", "argo-4.1.2", "--json"]);
    let data: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(data["release"]["basis"], "observed");
    assert_eq!(data["asked"]["forecast"]["way"], "stop");
    assert_eq!(data["ways"]["isFirstRecommended"], true, "{data}");
}

#[test]
fn programs_end_as_they_are_told_to() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["rehearse", text(&file), "--leaf", "cap=fail:3"]);
    assert!(said.out.contains("cap failed first, exit code 3"), "{}", said.out);
    let said = place.run(&["rehearse", text(&file), "--leaf", "cap=perhaps"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("write NODE=fail:3 or NODE=ok"), "{}", said.err);
    let file = place.file("loop.yaml", LOOP);
    let said = place.run(&["rehearse", text(&file), "--leaf", "visit=fail:3"]);
    assert!(said.out.contains("✖ visit(0:a), Failed"), "{}", said.out);
    let said = place.run(&["rehearse", text(&file), "--terminate-at", "loop.visit(1:b)"]);
    assert!(said.out.contains("Terminate loop"), "{}", said.out);
    assert!(!said.out.contains("onExit, Succeeded"), "{}", said.out);
}

#[test]
fn what_is_rehearsed_may_be_in_several_files_or_come_by_a_pipe() {
    let place = Place::new();
    let library = place.file("lib.yaml", LIBRARY);
    let caller = place.file("caller.yaml", CALLER);
    let said = place.run(&["rehearse", text(&library), text(&caller)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("✔ one"), "{}", said.out);
    let said = place.run(&["rehearse", text(&library)]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.err.contains("there is no workflow with an entrypoint, only `kind: WorkflowTemplate`"),
        "{}",
        said.err
    );
    let said = place.run_with(&["rehearse", "-"], LOOP);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!said.out.contains('\u{1b}'), "{}", said.out);
    let said = place.run_with(&["check", "-"], LOOP);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "-: loop: nothing wrong\n"));
}

#[test]
fn a_node_that_is_not_there_is_told_with_those_that_are() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["rehearse", text(&file), "--stop-at", "nope"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("`orchard.press.bottle.cap`"), "{}", said.err);
}
