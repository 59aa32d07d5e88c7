//! The seed workflow in all shapes: an exit hook at every level, a stop or terminate at any time.

use std::fmt::Write;

use expect_test::{Expect, expect};

use crate::kit::hook_line;

/// Levels as letters, outermost first (D a DAG, S steps), around one leaf that takes 1000 ms.
fn nested(levels: &str) -> String {
    let mut text = "leaf!@1000".to_owned();
    for (at, kind) in levels.chars().enumerate().collect::<Vec<_>>().into_iter().rev() {
        let name = if at == 0 { "main".to_owned() } else { format!("l{at}") };
        text = match kind {
            'D' => format!("{name}![ {text} ]"),
            _ => format!("{name}!{{ {text} }}"),
        };
    }
    text
}

const SHAPES: [&str; 13] =
    ["D", "DD", "DDD", "S", "SS", "SSS", "SD", "DS", "SDD", "DSD", "SDS", "DDS", "DSDSDS"];

fn check_shapes(script: &str, expected: &Expect) {
    expected.assert_eq(&shape_lines(script));
}

/// One line a shape with the given script.
fn shape_lines(script: &str) -> String {
    let mut lines = String::new();
    for shape in SHAPES {
        let line = hook_line(&format!("{} {script}", nested(shape)));
        // Group numbers apart, steps and DAGs must give the same.
        let _ = writeln!(lines, "{shape:<6} {}", line.replace("[0]", ""));
    }
    lines
}

#[test]
fn without_a_stop_hooks_run_innermost_first() {
    check_shapes(
        "",
        &expect![[r#"
        D      leaf.onExit 1000-1050, onExit 1050-1100, Succeeded
        DD     l1.leaf.onExit 1000-1050, l1.onExit 1050-1100, onExit 1100-1150, Succeeded
        DDD    l1.l2.leaf.onExit 1000-1050, l1.l2.onExit 1050-1100, l1.onExit 1100-1150, onExit 1150-1200, Succeeded
        S      .leaf.onExit 1000-1050, onExit 1050-1100, Succeeded
        SS     .l1.leaf.onExit 1000-1050, .l1.onExit 1050-1100, onExit 1100-1150, Succeeded
        SSS    .l1.l2.leaf.onExit 1000-1050, .l1.l2.onExit 1050-1100, .l1.onExit 1100-1150, onExit 1150-1200, Succeeded
        SD     .l1.leaf.onExit 1000-1050, .l1.onExit 1050-1100, onExit 1100-1150, Succeeded
        DS     l1.leaf.onExit 1000-1050, l1.onExit 1050-1100, onExit 1100-1150, Succeeded
        SDD    .l1.l2.leaf.onExit 1000-1050, .l1.l2.onExit 1050-1100, .l1.onExit 1100-1150, onExit 1150-1200, Succeeded
        DSD    l1.l2.leaf.onExit 1000-1050, l1.l2.onExit 1050-1100, l1.onExit 1100-1150, onExit 1150-1200, Succeeded
        SDS    .l1.l2.leaf.onExit 1000-1050, .l1.l2.onExit 1050-1100, .l1.onExit 1100-1150, onExit 1150-1200, Succeeded
        DDS    l1.l2.leaf.onExit 1000-1050, l1.l2.onExit 1050-1100, l1.onExit 1100-1150, onExit 1150-1200, Succeeded
        DSDSDS l1.l2.l3.l4.l5.leaf.onExit 1000-1050, l1.l2.l3.l4.l5.onExit 1050-1100, l1.l2.l3.l4.onExit 1100-1150, l1.l2.l3.onExit 1150-1200, l1.l2.onExit 1200-1250, l1.onExit 1250-1300, onExit 1300-1350, Succeeded
    "#]],
    );
}

#[test]
fn stop_runs_every_hook_innermost_first_in_every_shape() {
    check_shapes(
        "stop@500",
        &expect![[r#"
        D      leaf.onExit 530-580, onExit 580-630, Failed Stopped with strategy 'Stop'
        DD     l1.leaf.onExit 530-580, l1.onExit 580-630, onExit 630-680, Failed Stopped with strategy 'Stop'
        DDD    l1.l2.leaf.onExit 530-580, l1.l2.onExit 580-630, l1.onExit 630-680, onExit 680-730, Failed Stopped with strategy 'Stop'
        S      .leaf.onExit 530-580, onExit 580-630, Failed Stopped with strategy 'Stop'
        SS     .l1.leaf.onExit 530-580, .l1.onExit 580-630, onExit 630-680, Failed Stopped with strategy 'Stop'
        SSS    .l1.l2.leaf.onExit 530-580, .l1.l2.onExit 580-630, .l1.onExit 630-680, onExit 680-730, Failed Stopped with strategy 'Stop'
        SD     .l1.leaf.onExit 530-580, .l1.onExit 580-630, onExit 630-680, Failed Stopped with strategy 'Stop'
        DS     l1.leaf.onExit 530-580, l1.onExit 580-630, onExit 630-680, Failed Stopped with strategy 'Stop'
        SDD    .l1.l2.leaf.onExit 530-580, .l1.l2.onExit 580-630, .l1.onExit 630-680, onExit 680-730, Failed Stopped with strategy 'Stop'
        DSD    l1.l2.leaf.onExit 530-580, l1.l2.onExit 580-630, l1.onExit 630-680, onExit 680-730, Failed Stopped with strategy 'Stop'
        SDS    .l1.l2.leaf.onExit 530-580, .l1.l2.onExit 580-630, .l1.onExit 630-680, onExit 680-730, Failed Stopped with strategy 'Stop'
        DDS    l1.l2.leaf.onExit 530-580, l1.l2.onExit 580-630, l1.onExit 630-680, onExit 680-730, Failed Stopped with strategy 'Stop'
        DSDSDS l1.l2.l3.l4.l5.leaf.onExit 530-580, l1.l2.l3.l4.l5.onExit 580-630, l1.l2.l3.l4.onExit 630-680, l1.l2.l3.onExit 680-730, l1.l2.onExit 730-780, l1.onExit 780-830, onExit 830-880, Failed Stopped with strategy 'Stop'
    "#]],
    );
}

#[test]
fn terminate_runs_no_hook_in_any_shape() {
    check_shapes(
        "terminate@500",
        &expect![[r#"
        D      Failed Stopped with strategy 'Terminate'
        DD     Failed Stopped with strategy 'Terminate'
        DDD    Failed Stopped with strategy 'Terminate'
        S      Failed Stopped with strategy 'Terminate'
        SS     Failed Stopped with strategy 'Terminate'
        SSS    Failed Stopped with strategy 'Terminate'
        SD     Failed Stopped with strategy 'Terminate'
        DS     Failed Stopped with strategy 'Terminate'
        SDD    Failed Stopped with strategy 'Terminate'
        DSD    Failed Stopped with strategy 'Terminate'
        SDS    Failed Stopped with strategy 'Terminate'
        DDS    Failed Stopped with strategy 'Terminate'
        DSDSDS Failed Stopped with strategy 'Terminate'
    "#]],
    );
}

#[test]
fn a_second_stop_changes_nothing() {
    assert_eq!(shape_lines("stop@500 stop@510 stop@560"), shape_lines("stop@500"));
}

#[test]
fn terminate_after_stop_ends_the_hook_that_runs() {
    check_shapes(
        "stop@500 terminate@560",
        &expect![[r#"
            D      leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            DD     l1.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            DDD    l1.l2.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            S      .leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            SS     .l1.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            SSS    .l1.l2.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            SD     .l1.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            DS     l1.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            SDD    .l1.l2.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            DSD    l1.l2.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            SDS    .l1.l2.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            DDS    l1.l2.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
            DSDSDS l1.l2.l3.l4.l5.leaf.onExit 530-580Failed, Failed Stopped with strategy 'Terminate'
        "#]],
    );
}

#[test]
fn stop_after_terminate_changes_nothing() {
    assert_eq!(shape_lines("terminate@500 stop@510"), shape_lines("terminate@500"));
}

#[test]
fn stop_while_a_hook_runs_lets_it_and_the_outer_ones_run() {
    // The main work had succeeded before the stop, so the run still does.
    assert_eq!(shape_lines("stop@1020"), shape_lines(""));
}

#[test]
fn terminate_while_a_hook_runs_ends_it() {
    check_shapes(
        "terminate@1020",
        &expect![[r#"
        D      leaf.onExit 1000-1050Failed, Succeeded
        DD     l1.leaf.onExit 1000-1050Failed, Succeeded
        DDD    l1.l2.leaf.onExit 1000-1050Failed, Succeeded
        S      .leaf.onExit 1000-1050Failed, Succeeded
        SS     .l1.leaf.onExit 1000-1050Failed, Succeeded
        SSS    .l1.l2.leaf.onExit 1000-1050Failed, Succeeded
        SD     .l1.leaf.onExit 1000-1050Failed, Succeeded
        DS     l1.leaf.onExit 1000-1050Failed, Succeeded
        SDD    .l1.l2.leaf.onExit 1000-1050Failed, Succeeded
        DSD    l1.l2.leaf.onExit 1000-1050Failed, Succeeded
        SDS    .l1.l2.leaf.onExit 1000-1050Failed, Succeeded
        DDS    l1.l2.leaf.onExit 1000-1050Failed, Succeeded
        DSDSDS l1.l2.l3.l4.l5.leaf.onExit 1000-1050Failed, Succeeded
    "#]],
    );
}

#[test]
fn stop_of_a_run_that_is_over_changes_nothing() {
    assert_eq!(shape_lines("stop@5000"), shape_lines(""));
    assert_eq!(shape_lines("terminate@5000"), shape_lines(""));
}

#[test]
fn hooks_side_by_side_overlap_and_a_task_that_never_ran_has_none() {
    let mut lines = String::new();
    for text in [
        "main![ a!@1000 b!@1000 ] stop@500",
        "main![ a!@1000 > b! ] stop@500",
        "main![ a!@1000 > b! ] stop@1020",
        "main![ a!@10 > b! ] stop@20",
        "main{ a!@1000 ; b! } stop@500",
        "main{ a!@1000 b!@100 ; c! } stop@120",
        "main![ a!d@1000 ] stop@500",
        "main![ a!s@1000 ] stop@500 terminate@640",
        "main![ box![ x!@1000 y!@40 ] other!@300 ] stop@70",
    ] {
        let _ = writeln!(lines, "{text}\n    {}", hook_line(text));
    }
    expect![[r#"
        main![ a!@1000 b!@1000 ] stop@500
            a.onExit 530-580, b.onExit 530-580, onExit 580-630, Failed Stopped with strategy 'Stop'
        main![ a!@1000 > b! ] stop@500
            a.onExit 530-580, onExit 580-630, Failed Stopped with strategy 'Stop'
        main![ a!@1000 > b! ] stop@1020
            a.onExit 1000-1050, onExit 1050-1100, Failed Stopped with strategy 'Stop'
        main![ a!@10 > b! ] stop@20
            a.onExit 10-60, onExit 60-110, Failed Stopped with strategy 'Stop'
        main{ a!@1000 ; b! } stop@500
            [0].a.onExit 530-580, Failed Stopped with strategy 'Stop'
        main{ a!@1000 b!@100 ; c! } stop@120
            [0].b.onExit 100-150, [0].a.onExit 150-200, Failed Stopped with strategy 'Stop'
        main![ a!d@1000 ] stop@500
            a.onExit 530-680, a.onExit.h1.onExit 580-630, onExit 680-730, Failed Stopped with strategy 'Stop'
        main![ a!s@1000 ] stop@500 terminate@640
            a.onExit 530-670Failed, a.onExit[0].h1.onExit 580-630, Failed Stopped with strategy 'Terminate'
        main![ box![ x!@1000 y!@40 ] other!@300 ] stop@70
            box.y.onExit 40-90, box.x.onExit 100-150, other.onExit 100-150, box.onExit 150-200, onExit 200-250, Failed Stopped with strategy 'Stop'
    "#]].assert_eq(&lines);
}
