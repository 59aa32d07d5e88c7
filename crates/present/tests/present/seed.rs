//! The seed workflow in its states: what the page says of it, as text.

use crate::kit::{self, RUNNING, STOPPING, State, ZONE, at, seed, stopped};
use expect_test::{Expect, expect};
use unwind_present::capability::Origin;
use unwind_present::estimate::Estimates;
use unwind_present::format::Zone;
use unwind_present::progress::Progress;
use unwind_present::report::timeline_text;
use unwind_present::study::Study;
use unwind_present::summary;
use unwind_present::timeline::{View, timeline};
use unwind_present::truth::truth_line;

/// Truth line and hook order at `now` (seconds after the begin).
fn check(table: &str, state: &State, now: f64, expected: &Expect) {
    let study = seed(table, state);
    let estimates = Estimates::of(&study).with("sweep", 12_000);
    let is_live = state.ended.is_none();
    let view = View { now: at(now), zone: ZONE, is_live, shows_all: false, estimates: &estimates };
    let truth = truth_line(&study, at(now), ZONE);
    let order = timeline_text(&study, &view);
    expected.assert_eq(&format!("[{}] {}\n\n{order}", truth.glyph.name(), truth.text.text()));
}

#[test]
fn running_is_held_up_by_its_leaf() {
    check(
        kit::TABLE_RUNNING,
        &RUNNING,
        207.0,
        &expect![[r#"
        [tie] Reported Running, worked out Running. Held up by stopped-job, running for 3:25.

        Hook order (Now)
        Expected  Actual  Owner and exit hook         Phase    Times                            Verdict  Why
                          seed-nested-dag             Running  from 02:11:04, Running for 3:27           Waits for level1
                            level1                    Running  from 02:11:04, Running for 3:27           Waits for level2
                              level2                  Running  from 02:11:05, Running for 3:26           Waits for stopped-job
                                stopped-job           Running  from 02:11:06, Running for 3:25           Running for 3:25
        1                       ↵ stopped-job.onExit  Planned  planned                                   Begins when stopped-job is over
        2                     ↵ level2.onExit         Planned  planned                                   Begins when stopped-job.onExit has ended
        3                   ↵ level1.onExit           Planned  planned                                   Begins when level2.onExit has ended
        4                 ↵ seed-nested-dag.onExit    Planned  planned                                   Begins when level1.onExit has ended
        4 exit hooks planned, none due yet
    "#]],
    );
}

#[test]
fn unwinding_says_which_hook_runs_and_what_comes() {
    check(
        kit::TABLE_UNWINDING,
        &STOPPING,
        227.5,
        &expect![[r#"
            [stop] Stop asked at about 02:14:33. level2.onExit is running, then level1.onExit, then the workflow’s handler.

            Hook order (Stop about 02:14:33, Now)
            Expected  Actual  Owner and exit hook         Phase      Times                            Verdict  Why
                              seed-nested-dag             Running    from 02:11:04, Running for 3:47           Waits for level1
                                level1                    Running    from 02:11:04, Running for 3:47           Waits for level2’s exit hook
                                  level2                  Failed     02:11:05 to 02:14:46, 3:41       Kept     Ended after stopped-job’s hook
                                    stopped-job           Failed     02:11:06 to 02:14:33, 3:27       Kept     Ended by the stop
            1         1             ↵ stopped-job.onExit  Succeeded  02:14:33 to 02:14:45, 12 s       Kept     Began after stopped-job had ended, ran once
            2         2           ↵ level2.onExit         Running    from 02:14:46, Running for 5 s            Running for 5 s, about 6 s to go
            3                   ↵ level1.onExit           Planned    planned                                   Begins when level2.onExit has ended
            4                 ↵ seed-nested-dag.onExit    Planned    planned                                   Begins when level1.onExit has ended
            Turn 2 of 4 (about 31 s to go)
        "#]],
    );
}

#[test]
fn a_right_unwind_is_kept_in_every_row() {
    check(
        kit::TABLE_RIGHT,
        &stopped(260.25),
        300.0,
        &expect![[r#"
        [kept] Stopped at about 02:14:33. All 4 exit hooks ran, innermost first, in 51 s. Reported Failed, worked out Failed.

        Hook order (Stop about 02:14:33, Over)
        Expected  Actual  Owner and exit hook         Phase      Times                       Verdict  Why
                          seed-nested-dag             Failed     02:11:04 to 02:15:10, 4:06  Kept     Ended after everything inside it
                            level1                    Failed     02:11:04 to 02:14:58, 3:54  Kept     Ended after level2’s hook
                              level2                  Failed     02:11:05 to 02:14:46, 3:41  Kept     Ended after stopped-job’s hook
                                stopped-job           Failed     02:11:06 to 02:14:33, 3:27  Kept     Ended by the stop
        1         1             ↵ stopped-job.onExit  Succeeded  02:14:33 to 02:14:45, 12 s  Kept     Began after stopped-job had ended, ran once
        2         2           ↵ level2.onExit         Succeeded  02:14:46 to 02:14:58, 12 s  Kept     Began after everything inside level2 had ended
        3         3         ↵ level1.onExit           Succeeded  02:14:58 to 02:15:10, 11 s  Kept     Began after everything inside level1 had ended
        4         4       ↵ seed-nested-dag.onExit    Succeeded  02:15:10 to 02:15:24, 14 s  Kept     The workflow’s own handler came last
        Kept: 8 rules kept, 0 broken
    "#]],
    );
}

#[test]
fn argo_15088_is_broken_where_it_is() {
    check(
        kit::TABLE_15088,
        &stopped(242.0),
        300.0,
        &expect![[r#"
            [broken] Reported Failed, worked out not over: level2 is still Running and 1 of 4 exit hooks never ran. Stopped at about 02:14:34.

            Hook order (Stop about 02:14:34, Over)
            Expected  Actual  Owner and exit hook         Phase      Times                                                    Verdict      Why
                              seed-nested-dag             Failed     02:11:04 to 02:14:52, 3:48                               Broken       Ended at 02:14:52 while level2 inside it had not
                                level1                    Failed     02:11:04 to 02:14:36, 3:32                               Broken       Ended at 02:14:36 while stopped-job.onExit inside it had not
                                  level2                  Running    from 02:11:05, left Running                              Broken       Left Running: the workflow is over, this will not move
                                    stopped-job           Failed     02:11:06 to 02:14:34, 3:28                               Kept         Ended by the stop
            1         1 =           ↵ stopped-job.onExit  Succeeded  02:14:36 to 02:14:52, 16 s                               Kept         Began after stopped-job had ended, ran once
            2         –           ↵ level2.onExit         Planned    never ran                                                Broken       level2 began, so it had to run once: no node exists
            3         1 =       ↵ level1.onExit           Succeeded  02:14:36 to 02:14:47, 11 s, overlaps stopped-job.onExit  Broken       Began 16 s before stopped-job.onExit had ended
            4         3       ↵ seed-nested-dag.onExit    Succeeded  02:14:52 to 02:15:06, 14 s                               Cannot tell  Began in the second in which stopped-job.onExit ended
            Broken: 5 broken, 2 kept, 1 cannot tell (whole seconds, from a saved status)
        "#]],
    );
}

/// A saved run of a real controller.
fn check_saved(json: &str, expected: &Expect) {
    let (workflow, _) = unwind_model::document::parse_workflow(json.as_bytes()).expect("a run");
    let study = Study::of(workflow);
    let last = study.trace.spans.iter().filter_map(|span| span.ended.max(span.begun)).max();
    let now = last.expect("nodes");
    let estimates = Estimates::of(&study);
    let view = View { now, zone: Zone::UTC, is_live: false, shows_all: false, estimates: &estimates };
    let truth = truth_line(&study, now, Zone::UTC);
    let order = timeline(&study, &view);
    let arrows: Vec<String> = order
        .arrows
        .iter()
        .map(|arrow| {
            format!("{} did not wait for {}", order.rows[arrow.from].title, order.rows[arrow.to].title)
        })
        .collect();
    let ties = order
        .ties
        .iter()
        .map(|tie| format!("{} = {}", order.rows[tie.rows.0].title, order.rows[tie.rows.1].title));
    let marks: Vec<String> = arrows.into_iter().chain(ties).collect();
    let text = timeline_text(&study, &view);
    let glyph = truth.glyph.name();
    expected.assert_eq(&format!("[{glyph}] {}\n\n{text}{}\n", truth.text.text(), marks.join("\n")));
}

#[test]
fn the_reported_run_of_15088_is_read() {
    check_saved(
        include_str!("../../../../tests/fixtures/seen-15088.json"),
        &expect![[r#"
            [stop] Stop asked at about 09:00:12. cap.onExit and press.onExit are running. Broken so far: bottle is left Running and 1 of 3 exit hooks never ran.

            Hook order (Stop about 09:00:12)
            Expected  Actual  Owner and exit hook  Phase    Times                                                Verdict  Why
                              orchard              Failed   09:00:00 to 09:00:12, 12 s                           Broken   Ended at 09:00:12 while cap.onExit inside it had not
                              press                Failed   09:00:00 to 09:00:12, 12 s                           Broken   Ended at 09:00:12 while cap.onExit inside it had not
                                bottle             Running  from 09:00:00, Running for 12 s                      Broken   Left Running: press around it has ended, this will not move
                                  cap              Failed   09:00:00 to 09:00:12, 12 s                           Kept     Ended by the stop
            1         1 =         ↵ cap.onExit     Running  from 09:00:12, Running for 0 s                                Running for 0 s
            2         –         ↵ bottle.onExit    Planned  never ran                                            Broken   bottle began, so it had to run once: no node exists
            3         1 =     ↵ press.onExit       Running  from 09:00:12, Running for 0 s, overlaps cap.onExit  Broken   Began in one pass with cap.onExit, further inside
            Broken: 5 broken, 1 kept (Turn 3 of 3)
            press.onExit did not wait for cap.onExit
        "#]],
    );
}

#[test]
fn a_recorded_run_that_ended_with_its_leaf_is_read() {
    check_saved(
        include_str!("../../../../tests/fixtures/recorded-ended.json"),
        &expect![[r#"
        [broken] Reported Failed, worked out not over: l2 is still Running and 1 of 3 exit hooks never ran. Stopped at about 09:00:20.

        Hook order (Stop about 09:00:20, Over)
        Expected  Actual  Owner and exit hook  Phase      Times                                             Verdict  Why
                          nest                 Failed     09:00:00 to 09:00:40, 40 s                        Broken   Ended at 09:00:40 while l2 inside it had not
                          l1                   Failed     09:00:00 to 09:00:20, 20 s                        Broken   Ended at 09:00:20 while leaf.onExit inside it had not
                            l2                 Running    from 09:00:00, left Running                       Broken   Left Running: the workflow is over, this will not move
                              leaf             Succeeded  09:00:00 to 09:00:17, 17 s                        Kept     Ended by itself
        1         1 =         ↵ leaf.onExit    Succeeded  09:00:20 to 09:00:37, 17 s                        Kept     Began after leaf had ended, ran once
        2         –         ↵ l2.onExit        Planned    never ran                                         Broken   l2 began, so it had to run once: no node exists
        3         1 =     ↵ l1.onExit          Succeeded  09:00:20 to 09:00:37, 17 s, overlaps leaf.onExit  Broken   Began 17 s before leaf.onExit had ended
        Broken: 5 broken, 2 kept (whole seconds, from a saved status)
        l1.onExit did not wait for leaf.onExit
    "#]],
    );
}

#[test]
fn a_recorded_run_whose_leaf_was_killed_is_read() {
    check_saved(
        include_str!("../../../../tests/fixtures/recorded-killed.json"),
        &expect![[r#"
            [broken] Reported Failed, worked out not over: l1 is still Running and 2 of 3 exit hooks never ran. Stopped at about 09:00:20.

            Hook order (Stop about 09:00:20, Over)
            Expected  Actual  Owner and exit hook  Phase      Times                                      Verdict  Why
                              nest                 Failed     09:00:00 to 09:00:20, 20 s                 Broken   Ended at 09:00:20 while l2.onExit inside it had not
                              l1                   Running    from 09:00:00, left Running                Broken   Left Running: the workflow is over, this will not move
                                l2                 Failed     09:00:00 to 09:00:20, 20 s                 Broken   Ended at 09:00:20 while leaf inside it had not
                                  leaf             Failed     09:00:00 to 09:00:27, 27 s                 Kept     Ended by the stop
            1         –           ↵ leaf.onExit    Planned    never ran                                  Broken   leaf began, so it had to run once: no node exists
            2         1         ↵ l2.onExit        Succeeded  09:00:20 to 09:00:37, 17 s, overlaps leaf  Broken   Began 7 s before leaf had ended
            3         –       ↵ l1.onExit          Planned    never ran                                  Broken   l1 began, so it had to run once: no node exists
            Broken: 6 broken, 1 kept (whole seconds, from a saved status)
            l2.onExit did not wait for leaf
        "#]],
    );
}

/// Header and row of the list: progress, exit hooks, stop button, announcement.
fn check_summary(table: &str, state: &State, origin: Origin, expected: &Expect) {
    let study = seed(table, state);
    let progress = Progress::of(&study);
    let parts: Vec<String> =
        progress.looks.iter().map(|(look, number)| format!("{number} {}", look.word())).collect();
    let hooks = summary::hooks_cell(&study);
    let brackets: Vec<&str> = hooks.brackets.iter().map(|state| state.attribute()).collect();
    let button = summary::stop_button(&study, origin, ZONE, false);
    expected.assert_eq(&format!(
        "{} ({})\n{} {}\n{} {:?}\n{}\n",
        progress.text,
        parts.join(", "),
        brackets.join(" "),
        hooks.text,
        button.label,
        button.state,
        summary::announcement(&study)
    ));
}

#[test]
fn header_and_row_tell_the_state() {
    check_summary(
        kit::TABLE_RUNNING,
        &RUNNING,
        Origin::Server,
        &expect![[r#"
            0/5 (1 Running, 4 Planned)
            planned planned planned planned 0 of 4
            Stop… Enabled

        "#]],
    );
    check_summary(
        kit::TABLE_UNWINDING,
        &STOPPING,
        Origin::Server,
        &expect![[r#"
            2/5 (1 Failed, 1 Succeeded, 1 Running, 2 Planned)
            kept active planned planned 1 of 4
            Stopping, turn 2 of 4 Stopping { done_percent: 25, may_terminate: true }
            Turn 2 of 4, level2.onExit is running
        "#]],
    );
    check_summary(
        kit::TABLE_RIGHT,
        &stopped(260.25),
        Origin::Server,
        &expect![[r#"
        5/5 (1 Failed, 4 Succeeded)
        kept kept kept kept Kept
        Stop… Disabled("Over since 02:15:24, nothing left to stop")
        The workflow is over: Failed, hook order kept
    "#]],
    );
    check_summary(
        kit::TABLE_15088,
        &stopped(242.0),
        Origin::File,
        &expect![[r#"
            4/5 (1 Failed, 3 Succeeded, 1 Planned)
            kept never-ran broken cannot-tell Broken
            Stop… Disabled("Over since 02:15:06, nothing left to stop")
            The workflow is over: Failed, hook order broken
        "#]],
    );
}

/// The bars in seconds after the begin, a row each.
fn check_bars(table: &str, state: &State, now: f64, expected: &Expect) {
    let study = seed(table, state);
    let estimates = Estimates::of(&study).with("sweep", 12_000);
    let is_live = state.ended.is_none();
    let view = View { now: at(now), zone: ZONE, is_live, shows_all: false, estimates: &estimates };
    let order = timeline(&study, &view);
    let seconds = |time: unwind_model::Timestamp| (time - at(0.0)) as f64 / 1000.0;
    let mut lines = Vec::new();
    for row in &order.rows {
        let pieces: Vec<String> = row
            .pieces
            .iter()
            .map(|piece| {
                let to = piece.to.map_or(String::new(), |to| seconds(to).to_string());
                format!("{:?} {}..{to}", piece.kind, seconds(piece.from))
            })
            .collect();
        let rail = if row.is_rail { "rail" } else { "bar" };
        lines.push(format!("{} {rail} [{}] {}", row.title, row.label, pieces.join(", ")));
    }
    for bracket in &order.brackets {
        lines.push(format!("{}-{} {}", bracket.opens, bracket.closes, bracket.state.attribute()));
    }
    for overlap in &order.overlaps {
        let extent = overlap.extent;
        lines.push(format!("overlap {:?} {}..{}", overlap.rows, seconds(extent.from), seconds(extent.to)));
    }
    lines.push(format!("opens on {}..{}", seconds(order.opening.from), seconds(order.opening.to)));
    lines.push(String::new());
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn what_will_come_has_a_slot_after_what_it_waits_for() {
    check_bars(
        kit::TABLE_UNWINDING,
        &STOPPING,
        227.5,
        &expect![[r#"
        seed-nested-dag rail [] Ran 0..
        level1 rail [] Ran 0..
        level2 rail [3:41] Ran 1..222
        stopped-job bar [stopped] Ran 2..209.25
        stopped-job.onExit bar [12 s] Ran 209.25..221.5
        level2.onExit bar [] Ran 222..227.5, Planned 227.5..234.25
        level1.onExit bar [about 12 s] Planned 234.25..246.5
        seed-nested-dag.onExit bar [about 12 s] Planned 246.5..258.75
        0-7 planned
        1-6 planned
        2-5 active
        3-4 kept
        opens on 204.3..263.7
    "#]],
    );
}

#[test]
fn what_never_ran_has_a_slot_where_it_belongs() {
    check_bars(
        kit::TABLE_15088,
        &stopped(242.0),
        300.0,
        &expect![[r#"
        seed-nested-dag rail [3:48] Ran 0..228
        level1 rail [3:32] Ran 0..212
        level2 rail [] Ran 1..242, LeftOpen 242..
        stopped-job bar [stopped] Ran 2..210
        stopped-job.onExit bar [16 s] Ran 212..228
        level2.onExit bar [never ran] NeverRan 228..241.666
        level1.onExit bar [11 s] Ran 212..223
        seed-nested-dag.onExit bar [14 s] Ran 228..242
        0-7 cannot-tell
        1-6 broken
        2-5 never-ran
        3-4 kept
        overlap (4, 6) 212..223
        opens on 206.8..245.2
    "#]],
    );
}
