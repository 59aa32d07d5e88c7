//! Our own engine judged at every moment, with a stop or terminate at every moment.

use unwind_engine::rehearse::{Rehearsal, Simulation};
use unwind_engine::verdict::{Holds, Judgement, phases};
use unwind_engine::{Behaviour, Trace, judge, lower};
use unwind_model::{Shutdown, Timestamp};

use crate::notation::{Written, read};
use crate::told::judgement_text;

const SHAPES: [&str; 8] = [
    "wf![ l1![ l2![ leaf!@100 ] ] ]",
    "wf!{ l1!{ l2!{ leaf!@100 ; next! } } }",
    "wf![ l1!{ l2![ leaf!@100 other!@20 ] } ]",
    "wf![ a!>b!>c! d!@200 ]",
    "wf{ a! b!=1 ; c! }",
    "wf[ box!s[ a!d b!s ] ]",
    "wf![ a!=1>b! c?! d!^=2>e! ]",
    "wf!",
];

fn simulation(written: &Written, grace_ms: i64) -> Simulation {
    let rehearsal = Rehearsal { begin: Timestamp(0), leaf_ms: 50, grace_ms, leaves: written.leaves.clone() };
    Simulation::new(&written.workflow, rehearsal, Behaviour::UNWIND)
}

/// The state of a simulation, judged as a stream would show it.
fn judged(simulation: &Simulation, stopped_at: Option<Timestamp>) -> Judgement {
    let workflow = simulation.workflow();
    let (plan, _) = lower(&workflow);
    let mut trace = Trace::from_workflow(&plan, &workflow);
    if let Some(at) = stopped_at {
        trace = trace.with_shutdown_at(at);
    }
    judge(&plan, &trace)
}

/// What our own engine reports is what follows from the nodes, at every moment.
fn in_phase(simulation: &Simulation, place: &str) {
    let workflow = simulation.workflow();
    let (plan, _) = lower(&workflow);
    let phases = phases(&plan, &Trace::from_workflow(&plan, &workflow));
    let differs: Vec<_> = phases.groups.iter().filter(|group| group.differs()).collect();
    assert!(!phases.differ() && differs.is_empty(), "{place}: {:?} {differs:?}", phases.worked_out);
}

/// Runs to the end with a shutdown after `steps` events; judges after every event.
fn check(shape: &str, steps: usize, shutdown: Shutdown, grace_ms: i64) {
    let written = read(shape);
    let mut simulation = simulation(&written, grace_ms);
    for _ in 0..steps {
        simulation.advance();
    }
    match shutdown {
        Shutdown::Stop => simulation.stop(),
        Shutdown::Terminate => simulation.terminate(),
    };
    let asked = Some(simulation.now());
    let place = format!("{shape} {shutdown:?} after {steps} events, grace {grace_ms}");
    loop {
        for at in [asked, None] {
            let judgement = judged(&simulation, at);
            let told = judgement_text(&judgement);
            assert!(judgement.holds < Some(Holds::CannotTell), "{place}\n{told}");
            assert!(judgement.findings.is_empty(), "{place}\n{told}");
        }
        in_phase(&simulation, &place);
        if simulation.advance().is_none() {
            break;
        }
    }
    let workflow = simulation.workflow();
    assert!(workflow.status.phase.is_final(), "{place}");
    let is_terminated = workflow.spec.shutdown == Some(Shutdown::Terminate);
    for row in judged(&simulation, asked).rows {
        assert_eq!(row.holds, Some(Holds::Kept), "{place}: {}", row.node);
        let is_due = row.expected_turn.is_some();
        assert_eq!(is_due, row.actual_turn.is_some() && !is_terminated, "{place}: {}", row.node);
    }
}

fn events(shape: &str) -> usize {
    let mut simulation = simulation(&read(shape), 0);
    std::iter::from_fn(|| simulation.advance()).count()
}

#[test]
fn own_engine_keeps_every_rule_whenever_it_is_stopped() {
    for shape in SHAPES {
        for steps in 0..=events(shape) {
            for grace_ms in [0, 30] {
                check(shape, steps, Shutdown::Stop, grace_ms);
            }
        }
    }
}

#[test]
fn own_engine_keeps_every_rule_whenever_it_is_terminated() {
    for shape in SHAPES {
        for steps in 0..=events(shape) {
            check(shape, steps, Shutdown::Terminate, 30);
        }
    }
}

#[test]
fn numbers_follow_the_inside_of_owners() {
    let written = read("wf![ l1![ l2![ leaf!@100 ] side! ] ]");
    let mut simulation = simulation(&written, 30);
    simulation.advance_to(Timestamp(20));
    simulation.stop();
    let asked = simulation.now();
    while simulation.advance().is_some() {}
    let turns: Vec<(String, Option<u32>, Option<u32>)> = judged(&simulation, Some(asked))
        .rows
        .into_iter()
        .filter(|row| row.expected_turn.is_some())
        .map(|row| (row.node.0, row.expected_turn, row.actual_turn))
        .collect();
    let expected = [
        ("wf.l1.l2.leaf.onExit", 1, 1),
        ("wf.l1.l2.onExit", 2, 3),
        ("wf.l1.side.onExit", 1, 1),
        ("wf.l1.onExit", 3, 4),
        ("wf.onExit", 4, 5),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, turn, actual)| ((*name).to_owned(), Some(*turn), Some(*actual)))
        .collect();
    assert_eq!(turns, expected);
}
