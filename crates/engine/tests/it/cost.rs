//! What an event costs, counted in nodes that are looked at.

use std::fmt::Write;

use unwind_engine::rehearse::{Rehearsal, Simulation};
use unwind_engine::{Behaviour, Way, predict};
use unwind_model::document::parse_workflow;

fn simulation(spec: &str) -> Simulation {
    let text = format!("metadata: {{name: wf}}\nspec:\n{spec}");
    let (workflow, _) = parse_workflow(text.as_bytes()).expect("the test's manifest is a workflow");
    Simulation::new(&workflow, Rehearsal::default(), Behaviour::UNWIND)
}

const LEAF: &str = "  - {name: leaf, container: {image: i, command: [work]}}\n";

/// Looks a node, over a whole run, and over the worst single event.
fn looks(simulation: &mut Simulation) -> (u64, u64, u64) {
    let mut worst = 0;
    let mut before = simulation.run().looked_at();
    while simulation.advance().is_some() {
        let now = simulation.run().looked_at();
        worst = worst.max(now - before);
        before = now;
    }
    assert!(simulation.run().phase().is_final());
    (simulation.run().node_count() as u64, before, worst)
}

#[test]
fn ten_thousand_tasks_with_hooks_between_two_joins_are_cheap() {
    let mut spec = String::from("  entrypoint: main\n  templates:\n  - name: main\n    dag:\n      tasks:\n");
    spec.push_str("      - {name: first, template: leaf}\n");
    let mut names = Vec::new();
    for at in 0..5_000 {
        let _ =
            writeln!(spec, "      - {{name: t{at}, template: leaf, dependencies: [first], onExit: leaf}}");
        names.push(format!("t{at}"));
    }
    let _ = writeln!(spec, "      - {{name: last, template: leaf, dependencies: [{}]}}", names.join(", "));
    spec.push_str(LEAF);
    let (nodes, all, _) = looks(&mut simulation(&spec));
    assert_eq!(nodes, 10_003);
    assert!(all < 6 * nodes, "{all} looks for {nodes} nodes");
}

#[test]
fn an_event_deep_inside_looks_at_its_boundary_and_ancestors_only() {
    let mut spec = String::from("  entrypoint: t0\n  templates:\n");
    for level in 0..5 {
        let next = if level == 4 { "leaf".to_owned() } else { format!("t{}", level + 1) };
        let _ = writeln!(spec, "  - name: t{level}\n    dag:\n      tasks:");
        for at in 0..6 {
            let after = if at == 0 { String::new() } else { format!(", dependencies: [a{}]", at - 1) };
            let _ = writeln!(spec, "      - {{name: a{at}, template: {next}, onExit: leaf{after}}}");
        }
    }
    spec.push_str(LEAF);
    let mut simulation = simulation(&spec);
    let (nodes, all, worst) = looks(&mut simulation);
    assert!(nodes > 18_000, "{nodes}");
    assert!(all < 6 * nodes, "{all} looks for {nodes} nodes");
    assert!(worst < 60, "{worst} looks for one event");
}

#[test]
fn a_stop_and_its_prediction_look_at_each_node_a_few_times() {
    let mut spec = String::from("  entrypoint: main\n  templates:\n  - name: main\n    dag:\n      tasks:\n");
    for at in 0..5_000 {
        let _ = writeln!(spec, "      - {{name: t{at}, template: leaf, onExit: leaf}}");
    }
    spec.push_str(LEAF);
    let mut simulation = simulation(&spec);
    simulation.advance_to(simulation.now());
    let prediction = predict(simulation.run(), Way::Stop);
    assert_eq!(prediction.outcomes[0].hooks.len(), 5_000);
    let before = simulation.run().looked_at();
    simulation.stop();
    let looked = simulation.run().looked_at() - before;
    assert!(looked < 5 * 5_001, "{looked} looks for one stop");
}
