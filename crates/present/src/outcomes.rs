//! What may come of a run under a release, as text: the order of the hooks, what is lost, and all nodes as a tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use unwind_engine::forecast::{End, HookBegun, Outcome, Ranked};
use unwind_model::{NodeName, NodePhase};

use crate::remarks::{decided_by, names};

/// All outcomes of a way, each with what decides for it.
pub fn text(ranked: &Ranked) -> String {
    let outcomes = &ranked.forecast.outcomes;
    let mut text = String::new();
    for (place, outcome) in outcomes.iter().enumerate() {
        let head = match (outcomes.len(), decided_by(outcome)) {
            (1, _) => "The only outcome".to_owned(),
            (count, None) => format!("Outcome {} of {count}", place + 1),
            (count, Some(why)) => format!("Outcome {} of {count}, {why}", place + 1),
        };
        let _ = writeln!(text, "\n{head}");
        let numbers = numbers(outcome);
        for line in order(outcome) {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
        for line in tree(outcome, &numbers) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// The hooks in the order of the passes they begin in, with what they do not wait for; then what is lost and stays;
/// then the end.
fn order(outcome: &Outcome) -> Vec<String> {
    let mut lines = Vec::new();
    let numbers = numbers(outcome);
    let mut before = 0;
    for hook in &outcome.hooks {
        let number = numbers.get(&hook.node).copied().unwrap_or_default();
        let mark = if number == before { "=".to_owned() } else { number.to_string() };
        before = number;
        lines.push(format!("{mark:>2}  {}{}", hook.node, reason(hook)));
    }
    if outcome.hooks.is_empty() {
        lines.push("no hook begins".to_owned());
    }
    let is_cut = |hook: &&NodeName| !outcome.cut.contains(*hook);
    let lost: Vec<NodeName> = outcome.lost.iter().filter(is_cut).cloned().collect();
    for (nodes, word) in [
        (&lost, "never run, though they are due"),
        (&outcome.cut, "told to end before they are over"),
        (&outcome.unfinished, "never over"),
    ] {
        if !nodes.is_empty() {
            lines.push(format!("{word}: {}", names(nodes)));
        }
    }
    let message =
        if outcome.message.is_empty() { String::new() } else { format!(", “{}”", outcome.message) };
    lines.push(match outcome.end {
        End::Completed => format!("the workflow ends {}{message}", outcome.phase.as_str()),
        End::Stuck => "nothing moves any more: the workflow hangs".to_owned(),
        End::GoesOn => "the workflow goes on".to_owned(),
    });
    lines
}

/// What a hook waited for, or did not.
fn reason(hook: &HookBegun) -> String {
    let owner = hook.node.as_str().strip_suffix(".onExit");
    match (hook.too_early_for.is_empty(), owner) {
        (false, _) => format!("  too early: {} not over", names(&hook.too_early_for)),
        (true, Some(owner)) => format!("  after {owner} and everything in it"),
        (true, None) => String::new(),
    }
}

/// The place of each hook; those that begin in one pass share one.
fn numbers(outcome: &Outcome) -> BTreeMap<NodeName, usize> {
    let order = outcome.order();
    let numbered =
        order.iter().zip(1..).flat_map(|(hooks, place)| hooks.iter().map(move |hook| (*hook, place)));
    numbered.map(|(hook, place)| (hook.clone(), place)).collect()
}

/// All nodes as they are at the end, nested by their names.
fn tree(outcome: &Outcome, numbers: &BTreeMap<NodeName, usize>) -> Vec<String> {
    let mut below: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for name in outcome.nodes.keys() {
        below.entry(around(outcome, name.as_str())).or_default().push(name.as_str());
    }
    for inside in below.values_mut() {
        // Hooks come after what they belong to is over, in their order.
        inside.sort_by_key(|name| numbers.get(&NodeName::from(*name)).copied().unwrap_or_default());
    }
    let unfinished: BTreeSet<&str> = outcome.unfinished.iter().map(NodeName::as_str).collect();
    let mut lines = Vec::new();
    // A name, what stands before its line, and before those below it.
    let mut waiting: Vec<(&str, String, String)> = Vec::new();
    let tops = below.get(&None).into_iter().flatten();
    waiting.extend(tops.rev().map(|name| (*name, String::new(), String::new())));
    while let Some((name, head, indent)) = waiting.pop() {
        let full = NodeName::from(name);
        let phase = outcome.nodes.get(&full).copied().unwrap_or_default();
        let label = around(outcome, name).map_or(name, |owner| name[owner.len()..].trim_start_matches('.'));
        let mut line = format!("{head}{} {label}", mark(phase));
        if let Some(number) = numbers.get(&full) {
            let _ = write!(line, ", hook {number}");
        }
        let _ = write!(line, ", {}", phase.as_str());
        if unfinished.contains(name) {
            line.push_str(", never over");
        }
        lines.push(line);
        let inside = below.get(&Some(name)).map(Vec::as_slice).unwrap_or_default();
        for (place, inner) in inside.iter().enumerate().rev() {
            let (head, next) =
                if place + 1 == inside.len() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            waiting.push((*inner, format!("{indent}{head}"), format!("{indent}{next}")));
        }
    }
    lines
}

/// The nearest node whose name a node's own goes on from.
fn around<'a>(outcome: &Outcome, name: &'a str) -> Option<&'a str> {
    let mut depth = 0_u32;
    for (at, letter) in name.char_indices().rev() {
        match letter {
            ')' => depth += 1,
            '(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_border = depth == 0 && matches!(letter, '.' | '[' | '(');
        if is_border && outcome.nodes.contains_key(&NodeName::from(&name[..at])) {
            return Some(&name[..at]);
        }
    }
    None
}

fn mark(phase: NodePhase) -> &'static str {
    match phase {
        NodePhase::Succeeded => "✔",
        NodePhase::Failed => "✖",
        NodePhase::Error => "⚠",
        NodePhase::Running => "●",
        NodePhase::Pending => "◷",
        NodePhase::Skipped | NodePhase::Omitted => "○",
    }
}
