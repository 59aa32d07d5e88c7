//! Hooks of tasks and steps, and what they run.

use serde_json::{Value, json};

use super::{Maker, Place};

/// Which exit hook a task has; the end of its name says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    None,
    /// It is always due.
    Plain,
    /// It has a condition.
    Conditional,
}

impl Exit {
    /// End of the name of a task that has it.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Plain => "-x",
            Self::Conditional => "-e",
        }
    }
}

impl Maker {
    pub(super) fn exit(&mut self) -> Exit {
        match self.numbers.below(8) {
            0..4 => Exit::Plain,
            4 => Exit::Conditional,
            _ => Exit::None,
        }
    }

    /// Hooks of a task or step; `word` is what names of its kind begin with. Gives how many nodes they make.
    pub(super) fn hooks(&mut self, task: &mut Value, exit: Exit, word: &str, place: Place) -> usize {
        let name = task["name"].as_str().unwrap_or_default().to_owned();
        let status = |phase: &str| format!("{word}[\"{name}\"].status == \"{phase}\"");
        let mut nodes = 0;
        if exit != Exit::None {
            let (template, made) = self.hook_of(place.hook(), 5);
            nodes += made;
            if exit == Exit::Plain && self.one_in(3) {
                task["onExit"] = json!(template);
            } else {
                task["hooks"]["exit"] = json!({"template": template});
                if exit == Exit::Conditional {
                    let phase = self.pick(&["Succeeded", "Failed"]);
                    task["hooks"]["exit"]["expression"] = json!(status(phase));
                }
                if self.one_in(4) {
                    let own = format!("{{{{{word}.{name}.status}}}}");
                    let value = self.pick(&["{{workflow.status}}", "{{workflow.name}}"]);
                    let value = if self.rarely(3) { own.as_str() } else { value };
                    task["hooks"]["exit"]["arguments"] =
                        json!({"parameters": [{"name": "in", "value": value}]});
                }
            }
        }
        // Steps know their items by other names, so that a condition would name nothing.
        let is_loop = ["withItems", "withParam", "withSequence"].iter().any(|key| !task[*key].is_null());
        if self.one_in(6) && !(is_loop && word == "steps") {
            for phase in ["Running", "Succeeded", "Failed"] {
                if self.one_in(2) {
                    let (template, made) = self.hook_of(place.hook(), 1);
                    nodes += made;
                    let hook = json!({"template": template, "expression": status(phase)});
                    task["hooks"][phase.to_lowercase()] = hook;
                }
            }
        }
        nodes
    }

    /// A template for a hook of about `nodes` nodes.
    pub(super) fn hook_template(&mut self, place: Place, nodes: usize) -> String {
        self.hook_of(place.hook(), nodes).0
    }

    fn hook_of(&mut self, place: Place, nodes: usize) -> (String, usize) {
        if nodes >= 3 && place.depth < super::DEEPEST && self.one_in(4) {
            let nodes = 2 + self.numbers.below(nodes);
            let (body, nodes) = self.boxed(nodes, place);
            return (self.keep("hookbox", body), nodes);
        }
        let mut leaf = self.leaf(place);
        leaf.body["inputs"] = json!({"parameters": [{"name": "in", "default": "nothing"}]});
        (self.keep("hook", leaf.body), leaf.nodes)
    }
}
