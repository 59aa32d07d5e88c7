//! Made-up workflows of everything at once: boxes inside boxes, loops, retries, locks, hooks with hooks.
//!
//! In: about how many nodes a run has, a seed. Out: a manifest and the documents it refers to. What a leaf does
//! stands in its arguments, one word each, for whoever simulates it: `exit=2`, `fails=1` (so many attempts),
//! `result=…`, `out.p=…`, `daemon`. The name of a task says which exit hook it has: `…-x` one that is always due,
//! `…-e` one with a condition.

mod boxes;
mod hooks;
mod leaves;

use serde_json::{Map, Value, json};

use crate::numbers::Numbers;

/// A manifest and what it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixed {
    /// The workflow.
    pub workflow: Value,
    /// `WorkflowTemplates` and `ConfigMaps`.
    pub needs: Vec<Value>,
}

/// Deepest nesting of made-up templates.
const DEEPEST: usize = 6;

/// Document of shared templates.
const SHARED: &str = "shared";

/// What is being made.
struct Maker {
    numbers: Numbers,
    templates: Vec<Value>,
    /// Templates of the document that is referred to.
    shared: Vec<Value>,
    /// Names given so far.
    made: usize,
    /// Whether what is made now stands in the document that is referred to.
    is_far: bool,
    /// Whether that document is one of the whole cluster.
    is_cluster: bool,
    /// Whether it may have what few workflows have, too.
    is_wide: bool,
}

/// Where something is made.
#[derive(Clone, Copy, Debug)]
struct Place {
    depth: usize,
    /// Whether it is a hook or inside one.
    is_hook: bool,
}

impl Place {
    fn inner(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    fn hook(self) -> Self {
        Self { depth: self.depth + 1, is_hook: true }
    }
}

/// What a task, step or hook calls, and about how many nodes that makes.
struct Called {
    /// `template`, `templateRef` or `inline`.
    fields: Map<String, Value>,
    nodes: usize,
    /// Whether its result is a list.
    gives_list: bool,
    /// Whether it has the output parameter `p`.
    gives_p: bool,
}

/// A workflow whose run has about `nodes` nodes. Those of odd seeds have only what most workflows have.
pub fn mixed(nodes: usize, seed: u64) -> Mixed {
    let mut numbers = Numbers::new(seed);
    let is_wide = seed.is_multiple_of(2);
    let is_cluster = is_wide && numbers.one_in(3);
    let (templates, shared) = (Vec::new(), Vec::new());
    Maker { numbers, templates, shared, made: 0, is_far: false, is_cluster, is_wide }.workflow(nodes, seed)
}

impl Maker {
    fn one_in(&mut self, chances: usize) -> bool {
        self.numbers.below(chances) == 0
    }

    /// Once in `chances` where there may be what few workflows have.
    fn rarely(&mut self, chances: usize) -> bool {
        self.is_wide && self.one_in(chances)
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.numbers.below(words.len())]
    }

    fn name(&mut self, kind: &str) -> String {
        self.made += 1;
        format!("{kind}{}", self.made)
    }

    fn workflow(&mut self, nodes: usize, seed: u64) -> Mixed {
        let top = Place { depth: 0, is_hook: false };
        let (body, _) = self.boxed(nodes, top);
        let main = self.keep("main", body);
        let mut spec = json!({
            "entrypoint": main,
            "arguments": {"parameters": [{"name": "go", "value": self.pick(&["yes", "no"])}]},
        });
        if !self.one_in(3) {
            let handler = self.hook_template(top, 5);
            if self.one_in(2) {
                spec["onExit"] = json!(handler);
            } else {
                spec["hooks"]["exit"] = json!({"template": handler});
            }
        }
        for name in ["seen", "told"] {
            if name == "seen" && self.one_in(5) || name == "told" && self.rarely(4) {
                let phase = self.pick(&["Running", "Succeeded", "Failed"]);
                let template = self.hook_template(top, if name == "seen" { 1 } else { 3 });
                let expression = format!("workflow.status == \"{phase}\"");
                spec["hooks"][name] = json!({"template": template, "expression": expression});
            }
        }
        self.settings(&mut spec);
        spec["templates"] = json!(self.templates);
        let mut needs = vec![json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "limits"},
                "data": {"leaf": "2", "workflow": "1"}})];
        let has_reference = self.one_in(15);
        if has_reference {
            needs.push(document("WorkflowTemplate", "whole", &spec));
            spec = json!({"workflowTemplateRef": {"name": "whole"}});
        }
        if !self.shared.is_empty() {
            let kind = if self.is_cluster { "ClusterWorkflowTemplate" } else { "WorkflowTemplate" };
            needs.push(document(kind, SHARED, &json!({"templates": self.shared})));
        }
        let workflow = json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Workflow",
            "metadata": {"name": format!("mixed{seed}"), "namespace": "default"},
            "spec": spec,
        });
        Mixed { workflow, needs }
    }

    /// Settings of the workflow as a whole.
    fn settings(&mut self, spec: &mut Value) {
        if self.one_in(6) {
            spec["parallelism"] = json!(4 + self.numbers.below(4));
        }
        if self.one_in(12) {
            spec["activeDeadlineSeconds"] = json!(20 + self.numbers.below(600));
        }
        if self.one_in(6) {
            spec["podGC"] =
                json!({"strategy": self.pick(&["OnPodCompletion", "OnPodSuccess", "OnWorkflowCompletion"])});
        }
        if self.one_in(20) {
            spec["retryStrategy"] = json!({"limit": "1"});
        }
        if self.one_in(15) {
            let mutex = json!({"mutexes": [{"name": "workflow"}]});
            spec["synchronization"] = if self.is_wide { self.locks("workflow") } else { mutex };
        }
        if self.one_in(20) {
            spec["suspend"] = json!(true);
        }
        if self.one_in(12) {
            spec["templateDefaults"] = json!({"retryStrategy": {"limit": "1"}});
        }
    }

    /// A mutex of this name, a semaphore, or both.
    fn locks(&mut self, name: &str) -> Value {
        let mutexes = json!([{"name": name}]);
        let semaphores = json!([{"configMapKeyRef": {"name": "limits", "key": name}}]);
        match self.numbers.below(3) {
            0 => json!({"mutexes": mutexes}),
            1 => json!({"semaphores": semaphores}),
            _ => json!({"mutexes": mutexes, "semaphores": semaphores}),
        }
    }

    /// Puts a template among those of the document in hand and gives its name.
    fn keep(&mut self, kind: &str, mut body: Value) -> String {
        let name = self.name(kind);
        body["name"] = json!(name);
        let list = if self.is_far { &mut self.shared } else { &mut self.templates };
        list.push(body);
        name
    }

    /// A reference to a template of the other document.
    fn far(&self, name: &str) -> Value {
        let mut reference = json!({"name": SHARED, "template": name});
        if self.is_cluster {
            reference["clusterScope"] = json!(true);
        }
        json!({"templateRef": reference})
    }

    /// Something to call: a box when there are nodes enough for one.
    fn called(&mut self, nodes: usize, place: Place) -> Called {
        if nodes >= 4 && place.depth < DEEPEST && !self.one_in(4) {
            let goes_far = !self.is_far && self.rarely(8);
            self.is_far |= goes_far;
            let (body, nodes) = self.boxed(nodes, place);
            let gives_p = !body["outputs"].is_null();
            let fields = if goes_far {
                let name = self.keep("farbox", body);
                self.is_far = false;
                self.far(&name)
            } else if !names_members(&body) && self.one_in(8) {
                json!({"inline": body})
            } else {
                json!({"template": self.keep("box", body)})
            };
            return Called { fields: object(fields), nodes, gives_list: false, gives_p };
        }
        let leaf = self.leaf(place);
        let fields = match self.numbers.below(8) {
            0 => json!({"inline": leaf.body}),
            1 => {
                let was_far = std::mem::replace(&mut self.is_far, true);
                let name = self.keep("far", leaf.body);
                self.is_far = was_far;
                self.far(&name)
            }
            _ => json!({"template": self.keep("leaf", leaf.body)}),
        };
        Called {
            fields: object(fields),
            nodes: leaf.nodes,
            gives_list: leaf.gives_list,
            gives_p: leaf.gives_p,
        }
    }
}

fn document(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

/// Whether a box tells of its tasks or steps. What stands inside another template is filled in with that one, which
/// does not know them: Argo refuses it (`validate.go`, `resolveAllVariables` over the whole task).
fn names_members(body: &Value) -> bool {
    let text = body.to_string();
    text.contains("{{tasks.") || text.contains("{{steps.")
}

#[cfg(test)]
mod tests {
    use super::mixed;

    #[test]
    fn same_seed_gives_the_same_document() {
        assert_eq!(mixed(60, 5), mixed(60, 5));
        assert_ne!(mixed(60, 5).workflow["spec"], mixed(60, 6).workflow["spec"]);
    }
}
