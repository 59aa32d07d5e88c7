//! What the controller did in the window of a prediction.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use unwind_engine::forecast::{End, Outcome};

use super::{Window, order_text};

/// What came.
pub(super) struct Came {
    /// Hooks that began, together in one pass, in order.
    order: Vec<Vec<String>>,
    /// Final phase of every node.
    phases: BTreeMap<String, String>,
    phase: String,
    /// `None`: something else was asked before it ended.
    end: Option<End>,
}

impl Came {
    pub(super) fn of(window: &Window<'_>) -> Self {
        let passes = &window.recorded.passes;
        let last = window.next.unwrap_or(passes.len());
        let mut known: BTreeSet<&String> = BTreeSet::new();
        let mut phases: BTreeMap<String, String> = BTreeMap::new();
        let mut order = Vec::new();
        for (index, pass) in passes[..last].iter().enumerate() {
            let mut begun = Vec::new();
            for (name, node) in &pass.nodes {
                if node.is_null() {
                    phases.remove(name);
                    continue;
                }
                let phase = node["phase"].as_str().unwrap_or_default();
                phases.insert(name.clone(), phase.to_owned());
                if is_hook(node) && known.insert(name) && index >= window.first {
                    begun.push(name.clone());
                }
            }
            begun.sort();
            if !begun.is_empty() {
                order.push(begun);
            }
        }
        let phase = passes[last - 1].wf.get("phase").and_then(Value::as_str).unwrap_or_default().to_owned();
        let end = match window.next {
            Some(_) if matches!(phase.as_str(), "Succeeded" | "Failed" | "Error") => Some(End::Completed),
            Some(_) => None,
            None if window.recorded.end.end == "completed" => Some(End::Completed),
            None => Some(End::Stuck),
        };
        Self { order, phases, phase, end }
    }

    /// Where an outcome differs.
    pub(super) fn differences(&self, outcome: &Outcome) -> Vec<String> {
        let mut differences = Vec::new();
        let came: Vec<String> = self.order.iter().map(|hooks| hooks.join("+")).collect();
        let (came, told) = (came.join(" "), order_text(outcome));
        if came != told {
            differences.push(format!("hooks [{told}], came [{came}]"));
        }
        let told: BTreeMap<&str, &str> =
            outcome.nodes.iter().map(|(name, phase)| (name.as_str(), phase.as_str())).collect();
        let names: BTreeSet<&str> =
            told.keys().copied().chain(self.phases.keys().map(String::as_str)).collect();
        for name in names {
            let (told, came) = (told.get(name).copied(), self.phases.get(name).map(String::as_str));
            if told != came {
                let word = |phase: Option<&str>| phase.unwrap_or("absent").to_owned();
                differences.push(format!("{name} {}, came {}", word(told), word(came)));
            }
        }
        if outcome.phase.as_str() != self.phase {
            differences.push(format!("workflow {}, came {}", outcome.phase.as_str(), self.phase));
        }
        let is_same_end = match self.end {
            Some(end) => outcome.end == end,
            None => outcome.end != End::Completed,
        };
        if !is_same_end {
            differences.push(format!("end {:?}, came {:?}", outcome.end, self.end));
        }
        differences
    }
}

fn is_hook(node: &Value) -> bool {
    node["nodeFlag"]["hooked"] == true && node["nodeFlag"]["retried"] != true
}
