//! What simulated leaves give: made up from how the documents use it.
//!
//! An output that a condition compares with a word is that word; one that a loop goes over is a list, with the
//! fields that the loop takes from its items; every other one is a number that counts up, so that loops which
//! wait for a number come to their end.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use unwind_model::spec::{Task, WorkflowSpec};
use unwind_model::{NodeStatus, Workflow};

use crate::library::Library;

/// The outputs of a loop's leaves together: a list of objects with a field for each parameter.
const ALL_PARAMETERS: &str = "parameters";

/// Makes up outputs.
#[derive(Clone, Debug)]
pub struct Answers {
    /// How an output of a task is used, by the task's name and the output's (`result` or a parameter's).
    uses: BTreeMap<(String, String), Use>,
    /// Whether any text refers to the result of a leaf.
    gives_results: bool,
    given: usize,
}

/// How an output is used.
#[derive(Clone, Debug, Default)]
struct Use {
    /// Compared with this word.
    word: Option<String>,
    /// A loop goes over it and takes these fields from an item, each with the word it is compared with.
    items: Option<BTreeMap<String, Option<String>>>,
    /// The task that gives it is itself a loop, so that the list is made of what its leaves give.
    is_of_loop: bool,
}

impl Answers {
    /// Looks through the documents for the uses of outputs.
    pub fn new(workflow: &Workflow, library: &Library) -> Self {
        let mut uses: BTreeMap<(String, String), Use> = BTreeMap::new();
        let mut gives_results = false;
        for spec in specs(workflow, library) {
            gives_results |= serde_json::to_string(spec).is_ok_and(|text| text.contains(".outputs.result"));
            for task in tasks_of(spec) {
                note_loop(&mut uses, task);
                note_words(&mut uses, &task.when);
            }
            for task in tasks_of(spec) {
                let is_given = |key: &str| task.other.get(key).is_some_and(|value| !value.is_null());
                let is_loop = ["withItems", "withParam", "withSequence"].into_iter().any(is_given);
                let of_task = uses.range_mut((task.name.clone(), String::new())..);
                for (_, found) in of_task.take_while(|(key, _)| key.0 == task.name) {
                    found.is_of_loop = is_loop;
                }
            }
        }
        Self { uses, gives_results, given: 0 }
    }

    /// Whether leaves give results.
    pub(crate) fn gives_results(&self) -> bool {
        self.gives_results
    }

    /// Counts a leaf that gives nothing.
    pub(crate) fn give_nothing(&mut self) {
        self.given += 1;
    }

    /// Outputs for a leaf: all its template declares, and a result where one is referred to.
    pub fn outputs(&mut self, display_name: &str, template: Option<&Value>) -> Value {
        self.given += 1;
        let mut outputs = Map::new();
        let declares = |template: &&Value| self.gives_results || !template["outputs"].is_null();
        let Some(template) = template.filter(declares) else { return json!({}) };
        let task = task_name(display_name);
        let mut parameters = Vec::new();
        for parameter in template["outputs"]["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let mut given = parameter.clone();
            given["value"] = json!(self.value(task, name));
            parameters.push(given);
        }
        if !parameters.is_empty() {
            outputs.insert("parameters".to_owned(), Value::Array(parameters));
        }
        // An executor tells where it has put them.
        let mut artifacts: Vec<Value> =
            template["outputs"]["artifacts"].as_array().cloned().unwrap_or_default();
        for artifact in &mut artifacts {
            let key = artifact["name"].as_str().unwrap_or_default().to_owned();
            artifact["s3"] = json!({"key": key});
        }
        if !artifacts.is_empty() {
            outputs.insert("artifacts".to_owned(), Value::Array(artifacts));
        }
        let has_result = ["container", "script", "containerSet", "data", "http", "plugin"]
            .iter()
            .any(|key| !template[*key].is_null());
        if has_result && self.gives_results {
            outputs.insert("result".to_owned(), json!(self.value(task, "result")));
        }
        Value::Object(outputs)
    }

    /// Values for what a suspended node waits for.
    pub fn supplied(&mut self, node: &NodeStatus) -> Vec<Value> {
        let task = task_name(&node.display_name);
        let open = node.outputs.parameters.iter().filter(|parameter| parameter.value.is_none());
        let names: Vec<Value> = open.filter_map(|parameter| serde_json::to_value(parameter).ok()).collect();
        names
            .into_iter()
            .map(|mut parameter| {
                let name = parameter["name"].as_str().unwrap_or_default().to_owned();
                let chosen = parameter["enum"].get(0).map(text_of);
                parameter["value"] = json!(chosen.unwrap_or_else(|| self.value(task, &name)));
                // What was given is no longer awaited. Source: Argo `workflow/util/util.go`, `updateSuspendedNode`.
                if let Some(parameter) = parameter.as_object_mut() {
                    parameter.remove("valueFrom");
                }
                parameter
            })
            .collect()
    }

    fn value(&self, task: &str, output: &str) -> String {
        let number = self.given.to_string();
        let Some(found) = self.uses.get(&(task.to_owned(), output.to_owned())) else {
            return number;
        };
        if let Some(word) = &found.word {
            return word.clone();
        }
        let Some(fields) = &found.items else { return number };
        let item = if fields.is_empty() {
            json!(number)
        } else {
            let field = |(key, word): (&String, &Option<String>)| {
                (key.clone(), json!(word.clone().unwrap_or_else(|| number.clone())))
            };
            Value::Object(fields.iter().map(field).collect())
        };
        if found.is_of_loop && fields.is_empty() {
            number
        } else if found.is_of_loop {
            item.to_string()
        } else {
            json!([item, item]).to_string()
        }
    }
}

/// `task(0:a)` is of the task `task`.
fn task_name(display_name: &str) -> &str {
    display_name.split('(').next().unwrap_or_default()
}

/// The spec of a workflow and those of all documents that it refers to.
fn specs<'a>(workflow: &'a Workflow, library: &'a Library) -> Vec<&'a WorkflowSpec> {
    let mut found = vec![&workflow.spec];
    if library.has_templates() {
        let spec = serde_json::to_value(&workflow.spec).unwrap_or_default();
        let others = referred(&spec, library).into_iter();
        found.extend(others.filter_map(|(name, is_cluster)| library.workflow_template(&name, is_cluster)));
    }
    found
}

/// All tasks and steps of a spec.
fn tasks_of(spec: &WorkflowSpec) -> impl Iterator<Item = &Task> {
    spec.templates.iter().flat_map(|template| {
        let steps = template.steps.iter().flatten().flat_map(|group| &group.0);
        steps.chain(template.dag.iter().flat_map(|dag| &dag.tasks))
    })
}

/// Notes over which output a task loops, and what it takes from an item.
fn note_loop(uses: &mut BTreeMap<(String, String), Use>, task: &Task) {
    let over = task.other.get("withParam").and_then(Value::as_str);
    let Some((name, output)) = over.and_then(output_in) else { return };
    let text = serde_json::to_string(task).unwrap_or_default();
    let when = task.when.as_str();
    let fields = text.match_indices("{{item.").filter_map(|(at, start)| {
        let key = text[at + start.len()..].split("}}").next()?;
        let compared = when.split_once(&format!("{{{{item.{key}}}}}")).map(|(_, rest)| rest);
        Some((key.to_owned(), compared.and_then(compared_word)))
    });
    let fields: BTreeMap<String, Option<String>> = fields.collect();
    if output == ALL_PARAMETERS {
        // Its items hold one output each of what the leaves give.
        for (key, word) in fields {
            uses.entry((name.clone(), key)).or_default().word = word;
        }
    } else {
        uses.entry((name, output)).or_default().items = Some(fields);
    }
}

/// Notes with which word each output in a condition is compared first.
fn note_words(uses: &mut BTreeMap<(String, String), Use>, when: &str) {
    for (at, _) in when.match_indices("{{") {
        let Some((reference, rest)) = when[at..].split_once("}}") else {
            continue;
        };
        if let Some(key) = output_in(reference)
            && let Some(word) = compared_word(rest)
        {
            uses.entry(key).or_default().word.get_or_insert(word);
        }
    }
}

/// Task and output in `{{tasks.name.outputs.result}}` or `{{steps.name.outputs.parameters.p}}`.
fn output_in(text: &str) -> Option<(String, String)> {
    let inside = text.trim().trim_start_matches("{{").trim_end_matches("}}");
    let rest = inside.strip_prefix("tasks.").or_else(|| inside.strip_prefix("steps."))?;
    let (task, output) = rest.split_once(".outputs.")?;
    let output = output.strip_prefix("parameters.").unwrap_or(output);
    Some((task.to_owned(), output.to_owned()))
}

/// The word after `==`, without quotes; a reference is no word.
fn compared_word(rest: &str) -> Option<String> {
    let after = rest.trim_start().trim_start_matches(['"', '\'']).trim_start().strip_prefix("==")?;
    let word = after.split_whitespace().next()?.trim_matches(['"', '\'', ')', '(']);
    (!word.is_empty() && !word.starts_with("{{")).then(|| word.to_owned())
}

/// A value as text, as parameters hold it.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The specs of all documents that a spec refers to, also over others.
pub fn references(spec: &Value, library: &Library) -> Vec<(String, Value)> {
    let found = referred(spec, library).into_iter().filter_map(|(name, is_cluster)| {
        let other = library.workflow_template(&name, is_cluster)?;
        Some((name, serde_json::to_value(other).unwrap_or_default()))
    });
    found.collect()
}

/// The names of those documents, each with whether it is one of the cluster.
fn referred(spec: &Value, library: &Library) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    let mut waiting = names_of(spec);
    while let Some((name, is_cluster)) = waiting.pop() {
        if found.iter().any(|(known, _)| *known == name) {
            continue;
        }
        if let Some(other) = library.workflow_template(&name, is_cluster) {
            waiting.extend(names_of(&serde_json::to_value(other).unwrap_or_default()));
            found.push((name, is_cluster));
        }
    }
    found
}

/// Names in `templateRef` and `workflowTemplateRef`, with their scope.
fn names_of(spec: &Value) -> Vec<(String, bool)> {
    let mut names = Vec::new();
    let mut waiting = vec![spec];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => {
                for (key, inner) in fields {
                    if matches!(key.as_str(), "templateRef" | "workflowTemplateRef")
                        && let Some(name) = inner["name"].as_str()
                    {
                        names.push((name.to_owned(), inner["clusterScope"] == true));
                    }
                    waiting.push(inner);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use unwind_model::Workflow;

    use super::Answers;
    use crate::library::Library;

    /// What the first leaf of the task `a` gives, when `b` uses it like this.
    fn check(a: Value, b: Value, expected: &str) {
        let spec = json!({"templates": [{"name": "main", "steps": [[with(json!({"name": "a"}), a)], [with(json!({"name": "b"}), b)]]}]});
        let workflow: Workflow =
            serde_json::from_value(json!({"metadata": {"name": "w"}, "spec": spec})).expect("a workflow");
        let mut answers = Answers::new(&workflow, &Library::default());
        let template =
            json!({"script": {}, "outputs": {"parameters": [{"name": "p", "valueFrom": {"path": "/p"}}]}});
        let given = answers.outputs("a(0:x)", Some(&template));
        let text = format!(
            "{} {}",
            given["result"].as_str().unwrap_or("-"),
            given["parameters"][0]["value"].as_str().unwrap_or("-")
        );
        assert_eq!(text, expected);
    }

    fn with(mut task: Value, more: Value) -> Value {
        if let (Some(task), Value::Object(more)) = (task.as_object_mut(), more) {
            task.extend(more);
        }
        task
    }

    #[test]
    fn outputs_fit_their_use() {
        check(json!({}), json!({}), "- 1");
        check(json!({}), json!({"when": "{{steps.a.outputs.result}} == heads"}), "heads 1");
        check(json!({}), json!({"when": "\"{{steps.a.outputs.parameters.p}}\" == \"yes\" && true"}), "- yes");
        check(json!({}), json!({"withParam": "{{steps.a.outputs.result}}"}), r#"["1","1"] 1"#);
        check(json!({"withItems": [1]}), json!({"withParam": "{{steps.a.outputs.result}}"}), "1 1");
        check(
            json!({"withItems": [1]}),
            json!({"withParam": "{{steps.a.outputs.result}}", "when": "{{item.kind}} == even"}),
            r#"{"kind":"even"} 1"#,
        );
        check(
            json!({"withItems": [1]}),
            json!({"withParam": "{{steps.a.outputs.parameters}}", "when": "{{item.p}} == even"}),
            "- even",
        );
    }
}
