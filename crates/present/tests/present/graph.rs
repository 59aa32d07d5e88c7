//! The graph as data, as text: items with their lanes, as they look.

use crate::kit::{self, RUNNING, STOPPING, State, at, seed, stopped, workflow};
use expect_test::{Expect, expect};
use unwind_layout::{Direction, ItemIndex};
use unwind_model::{NodeName, WorkflowPhase};
use unwind_present::graph::{Folding, ItemKind, LanePaint, Marks, Picture, Structure, paint, structure};
use unwind_present::study::Study;
use unwind_present::tree::tree;

fn drawn(study: &Study, folding: &Folding, marks: Option<&Marks>) -> (Structure, Picture) {
    let structure = structure(&study.roster, &study.workflow, folding, Direction::TopDown);
    let picture = paint(&structure, study, marks);
    (structure, picture)
}

/// One line per item and lane: nesting, kind, phase glyph, title, second line, marks.
fn text(study: &Study, folding: &Folding, marks: Option<&Marks>) -> String {
    let (structure, picture) = drawn(study, folding, marks);
    let now = at(300.0);
    let mut lines = vec![picture.label.clone()];
    for (place, (item, paint)) in structure.items.iter().zip(&picture.items).enumerate() {
        let request = &structure.request.items[place];
        let depth = depth(&structure, place);
        let kind = match item.kind {
            ItemKind::Box => "box",
            ItemKind::Leaf => "leaf",
            ItemKind::Folded => "folded",
        };
        let row = request.row.map_or(String::new(), |row| format!(" [{row}]"));
        let right = paint.right.as_ref().map(|right| right.text.clone());
        let clock = paint.clock.map(|clock| clock.text(now));
        let counts: Vec<String> =
            paint.counts.iter().map(|(look, number)| format!("{number} {}", look.word())).collect();
        let tries: Vec<&str> = paint.tries.iter().map(|look| look.word()).collect();
        let badge = paint.badge.as_ref().map(|badge| format!("<{}>", badge.text));
        let parts = [
            Some(format!("{}{kind}{row} {} {}", "  ".repeat(depth), paint.look.word(), item.title)),
            Some(paint.second.clone()).filter(|text| !text.is_empty()),
            right.or(clock),
            Some(counts.join(" ")).filter(|text| !text.is_empty()),
            Some(tries.join(" ")).filter(|text| !text.is_empty()),
            badge,
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        lines.push(parts.join(" | "));
        for (lane, paint) in item.lanes.iter().zip(&paint.lanes) {
            let line = lane_text(paint, &lane.title, now);
            lines.push(format!("{}  - {} {line}", "  ".repeat(depth), lane.glyph.name()));
        }
    }
    let edges = structure.request.edges.iter().map(|edge| {
        let title = |index: ItemIndex| structure.items[index.place()].title.as_str();
        format!("{} > {}", title(edge.from), title(edge.to))
    });
    lines.extend(edges);
    lines.push(String::new());
    lines.join("\n")
}

fn lane_text(paint: &LanePaint, title: &str, now: unwind_model::Timestamp) -> String {
    let chip = paint.chip.as_ref().map_or_else(
        || "()".to_owned(),
        |chip| format!("({}{})", chip.text, if chip.is_tied { "=" } else { "" }),
    );
    let right = paint.right.as_ref().map(|right| right.text.clone());
    let right = right.or(paint.clock.map(|clock| clock.short_text(now)));
    let right = right.map_or_else(String::new, |right| format!(" | {right}"));
    format!("{chip} {} {} {title}{right}", paint.state.attribute(), paint.look.word())
}

fn depth(structure: &Structure, place: usize) -> usize {
    let mut depth = 0;
    let mut at = structure.request.items[place].parent;
    while let Some(parent) = at {
        depth += 1;
        at = structure.request.items[parent.place()].parent;
    }
    depth
}

fn check(table: &str, state: &State, expected: &Expect) {
    expected.assert_eq(&text(&seed(table, state), &Folding::default(), None));
}

const PLANNED: State = State { phase: WorkflowPhase::Unset, ended: None, shutdown: None };

#[test]
fn a_manifest_is_all_planned() {
    check(
        "",
        &PLANNED,
        &expect![[r#"
        seed-nested-dag, 9 nodes: 6 Planned
        box Planned seed-nested-dag | DAG · main
          - named () planned Planned tell-team | if Failed
          - handler (4) planned Planned seed-nested-dag.onExit
          box Planned level1 | DAG
            - exit (3) planned Planned level1.onExit
            box Planned level2 | DAG
              - exit (2) planned Planned level2.onExit
              leaf Planned stopped-job | pod · sleep 600
                - exit (1) planned Planned stopped-job.onExit
    "#]],
    );
}

#[test]
fn a_running_seed_has_its_hooks_planned() {
    check(
        kit::TABLE_RUNNING,
        &RUNNING,
        &expect![[r#"
        seed-nested-dag, 9 nodes: 1 Running, 5 Planned
        box Running seed-nested-dag | DAG · main | 5:00
          - named () planned Planned tell-team | if Failed
          - handler (4) planned Planned seed-nested-dag.onExit
          box Running level1 | DAG | 5:00
            - exit (3) planned Planned level1.onExit
            box Running level2 | DAG | 4:59
              - exit (2) planned Planned level2.onExit
              leaf Running stopped-job | pod · sleep 600 | 4:58
                - exit (1) planned Planned stopped-job.onExit
    "#]],
    );
}

#[test]
fn an_unwinding_seed_shows_its_turn() {
    check(
        kit::TABLE_UNWINDING,
        &STOPPING,
        &expect![[r#"
        seed-nested-dag, 9 nodes: 1 Failed, 1 Running, 1 Succeeded, 3 Planned
        box Running seed-nested-dag | DAG · main | 5:00
          - named () did-not-run Omitted tell-team | not after Stop
          - handler (4) planned Planned seed-nested-dag.onExit
          box Running level1 | DAG | 5:00
            - exit (3) planned Planned level1.onExit
            box Failed level2 | DAG | 3:41
              - exit (2) active Running level2.onExit | 1:18
              leaf Failed stopped-job | stopped | 3:27
                - exit (1) kept Succeeded stopped-job.onExit | 12 s
    "#]],
    );
}

#[test]
fn a_broken_seed_shows_where() {
    check(
        kit::TABLE_15088,
        &stopped(242.0),
        &expect![[r#"
        seed-nested-dag, 9 nodes: 1 Failed, 3 Succeeded, 2 Planned
        box Failed seed-nested-dag | DAG · main | 3:48
          - named () did-not-run Omitted tell-team | not after Stop
          - handler (3) cannot-tell Succeeded seed-nested-dag.onExit | 14 s
          box Failed level1 | DAG | 3:32
            - exit (1=) broken Succeeded level1.onExit | 11 s
            box Running level2 | DAG | left Running
              - exit (–) never-ran Planned level2.onExit | never ran
              leaf Failed stopped-job | stopped | 3:28
                - exit (1=) kept Succeeded stopped-job.onExit | 16 s
    "#]],
    );
}

#[test]
fn an_open_preview_marks_what_it_says() {
    let name = |short: &str| NodeName::from(format!("seed-nested-dag.{short}"));
    let hooks = ["level1.level2.stopped-job.onExit", "level1.level2.onExit", "level1.onExit", "onExit"];
    let marks = Marks {
        chosen: hooks.map(name).into_iter().zip(1..).collect(),
        will_not_run: [name("hooks.tell-team")].into(),
        will_end: [name("level1.level2.stopped-job")].into(),
        left_unfinished: [].into(),
    };
    let study = seed(kit::TABLE_RUNNING, &RUNNING);
    expect![[r#"
        seed-nested-dag, 9 nodes: 1 Running, 5 Planned
        box Running seed-nested-dag | DAG · main | 5:00
          - named () will-not-run Planned tell-team | will not run
          - handler (4) chosen Planned seed-nested-dag.onExit
          box Running level1 | DAG | 5:00
            - exit (3) chosen Planned level1.onExit
            box Running level2 | DAG | 4:59
              - exit (2) chosen Planned level2.onExit
              leaf Running stopped-job | pod · sleep 600 | 4:58 | <will end>
                - exit (1) chosen Planned stopped-job.onExit
    "#]]
    .assert_eq(&text(&study, &Folding::default(), Some(&marks)));
}

#[test]
fn a_folded_box_counts_what_it_hides() {
    let study = seed(kit::TABLE_UNWINDING, &STOPPING);
    let mut folding = Folding::default();
    folding.set(&NodeName::from("seed-nested-dag.level1"), true);
    expect![[r#"
        seed-nested-dag, 9 nodes: 1 Failed, 1 Running, 1 Succeeded, 3 Planned
        box Running seed-nested-dag | DAG · main | 5:00
          - named () did-not-run Omitted tell-team | not after Stop
          - handler (4) planned Planned seed-nested-dag.onExit
          folded Running level1 | DAG, folded | 5:00 | 1 Failed 1 Running 1 Succeeded
            - exit (3) planned Planned level1.onExit
    "#]]
    .assert_eq(&text(&study, &folding, None));
}

#[test]
fn no_phase_changes_the_layout() {
    let states = [
        ("", &PLANNED),
        (kit::TABLE_RUNNING, &RUNNING),
        (kit::TABLE_UNWINDING, &STOPPING),
        (kit::TABLE_RIGHT, &stopped(260.25)),
        (kit::TABLE_15088, &stopped(242.0)),
    ];
    let requests =
        states.map(|(table, state)| drawn(&seed(table, state), &Folding::default(), None).0.request);
    for request in &requests {
        assert_eq!(request, &requests[0]);
    }
}

const STEPS: &str = "
metadata: {name: trip}
spec:
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: pack, template: leaf}
    - - {name: drive, template: inner, onExit: note}
      - {name: sing, template: leaf, when: 'false'}
    - - {name: unpack, template: leaf}
  - name: inner
    dag:
      tasks:
      - {name: a, template: leaf}
      - {name: b, template: leaf, dependencies: [a], onExit: note}
  - name: leaf
    container: {image: busybox, command: [work]}
  - name: note
    container: {image: busybox, command: [note]}
";

#[test]
fn step_groups_are_rows_of_their_box() {
    let study = Study::of(workflow(STEPS, "", &PLANNED));
    expect![[r#"
        trip, 9 nodes: 7 Planned
        box Planned trip | Steps · main
          leaf [0] Planned pack | pod · work
          box [1] Planned drive | DAG
            - exit (2) planned Planned drive.onExit
            leaf Planned a | pod · work
            leaf Planned b | waits for a
              - exit (1) planned Planned b.onExit
          leaf [1] Planned sing | pod · work
          leaf [2] Planned unpack | pod · work
        a > b
    "#]]
    .assert_eq(&text(&study, &Folding::default(), None));
}

const RETRIED: &str = "
metadata: {name: job}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: flaky, template: leaf, onExit: note}
  - name: leaf
    retryStrategy: {limit: 2}
    container: {image: busybox, command: [work]}
  - name: note
    container: {image: busybox, command: [note]}
";

#[test]
fn a_retried_leaf_is_one_leaf_with_tries() {
    let mut run = workflow(
        RETRIED,
        "
        . DAG Running 0 -
        flaky Retry Running 0 -
        flaky(0) Pod Failed 0 5 main: Error (exit code 3)
        flaky(1) Pod Running 6 -",
        &RUNNING,
    );
    let ids: Vec<_> = run
        .status
        .nodes
        .values()
        .filter(|node| node.name.as_str().ends_with(')'))
        .map(|node| (node.name.clone(), node.id.clone()))
        .collect();
    let flaky = run.status.nodes.values_mut().find(|node| node.name.as_str() == "job.flaky");
    let mut tries: Vec<_> = ids;
    tries.sort();
    flaky.expect("the retry").children = tries.into_iter().map(|(_, id)| id).collect();
    let study = Study::of(run);
    expect![[r#"
        job, 3 nodes: 1 Running, 1 Planned
        box Running job | DAG · main | 5:00
          leaf Running flaky | pod · work | 5:00 | Failed Running
            - exit (1) planned Planned flaky.onExit
    "#]]
    .assert_eq(&text(&study, &Folding::default(), None));
}

#[test]
fn the_tree_says_what_the_canvas_shows() {
    let study = seed(kit::TABLE_UNWINDING, &STOPPING);
    let lines: Vec<String> = tree(&study, &Folding::default(), None, at(227.5))
        .iter()
        .map(|item| {
            let indent = "  ".repeat(item.level - 1);
            format!("{indent}{}/{} {}", item.position, item.set_size, item.label)
        })
        .collect();
    expect![[r#"
        1/1 seed-nested-dag, DAG, Running for 3:47
          1/3 level1, DAG, Running for 3:47
            1/2 level2, DAG, Failed after 3:41, kept
              1/2 stopped-job, Failed after 3:27, kept
                1/1 stopped-job.onExit, exit hook of stopped-job, turn 1 of 4, Succeeded after 12 s, kept
              2/2 level2.onExit, exit hook of level2, turn 2 of 4, Running for 5 s, kept so far
            2/2 level1.onExit, exit hook of level1, turn 3 of 4, Planned
          2/3 tell-team, hook of seed-nested-dag, Omitted
          3/3 seed-nested-dag.onExit, the workflow’s exit hook, turn 4 of 4, Planned"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn ids_in_messages_become_names() {
    let study = seed(kit::TABLE_RUNNING, &RUNNING);
    let level1 = unwind_model::NodeId::of("seed-nested-dag", &NodeName::from("seed-nested-dag.level1"));
    let cases = [
        (format!("child '{level1}' failed"), "child 'level1' failed"),
        ("seed-nested-dag failed".to_owned(), "seed-nested-dag failed"),
        ("child 'seed-nested-dag-1' failed".to_owned(), "child 'seed-nested-dag-1' failed"),
        ("pod deleted".to_owned(), "pod deleted"),
    ];
    for (message, expected) in cases {
        assert_eq!(study.roster.message(&message), expected);
    }
}

#[test]
fn a_node_that_nobody_names_stands_where_its_name_belongs() {
    let study = seed(
        ". DAG Running 0 -
        level1 DAG Running 0 -
        level1.level2 DAG Running 1 -
        level1.level2.stopped-job Pod Running 2 -
        level1.level2.stray Pod Failed 3 4 main: Error (exit code 7)",
        &RUNNING,
    );
    let text = text(&study, &Folding::default(), None);
    let stray = text.lines().find(|line| line.contains("stray")).expect("the stray node");
    expect!["      leaf Failed stray | exit code 7 | 0:01"].assert_eq(stray);
}
