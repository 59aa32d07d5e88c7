//! Random workflows under UNWIND, told to end at every event. More of them: `cargo xtask corpus unwinding --random`.

use unwind_corpus::sweep::{Amount, sweep};
use unwind_corpus::unwinding;

fn check(amount: &Amount) {
    let reports = sweep(amount).expect("workflows are made");
    let failed = reports.iter().filter(|report| !report.passed()).count();
    assert_eq!(failed, 0, "{}", unwinding::lines(&reports));
    assert!(reports.len() >= amount.workflows, "{} courses", reports.len());
}

#[test]
fn small_workflows_unwind_from_every_event() {
    check(&Amount { workflows: 24, nodes: 40, is_full: false, seed: 1, instants: 24, only: None });
}

#[test]
fn large_workflows_unwind_from_some_events() {
    check(&Amount { workflows: 2, nodes: 200, is_full: true, seed: 500, instants: 3, only: None });
}

/// Runs that went wrong once: an owner gave back again and again the lock that its own hook waited for; a
/// daemon that was not ready yet was failed beside its pod; a suspension by the template that the workflow refers
/// to was not ended by a resume; the hook of a daemon that had ended was not waited for by steps that were taken up;
/// containers of a set whose pod had not come up in time stayed Pending.
#[test]
fn what_went_wrong_once_is_tried_again() {
    let one = |seed, nodes, course: &str| Amount {
        workflows: 1,
        nodes,
        is_full: true,
        seed,
        instants: 24,
        only: Some(course.to_owned()),
    };
    check(&one(1031, 60, "to its end"));
    check(&one(1017, 12, "suspend-then-deadline at 0"));
    check(&one(1039, 12, "to its end"));
    check(&one(109, 6, "taken up at 12"));
    check(&one(32, 24, "to its end"));
}
