//! The short notation for workflows: text to a Workflow object.
//!
//! `name[ … ]` is a DAG task, `name{ … }` a steps task, a bare `name` a leaf. After a name:
//! `!` it has an exit hook (a leaf); `!d`, `!s` the hook is a DAG or steps of `h1`, then `h2`, where
//! `h1` has a hook of its own; `=N` its leaf exits with code N, `=none` it cannot
//! be started, `=lost` it vanishes; `@N` its leaf takes N ms; `?` its
//! `when` is false; `^` it has `continueOn.failed`. Inside a DAG, `a>b` makes `b` depend on `a`
//! (chains go on, and a name may be said again to add an arrow: `a>c b>c`). Inside steps, `;`
//! begins the next group. The first name is the root, its `!` the workflow's own handler.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use unwind_engine::LeafEnd;
use unwind_engine::rehearse::RehearsedLeaf;
use unwind_model::{NodeName, Workflow};

/// A workflow with what its leaves do.
pub struct Written {
    pub workflow: Workflow,
    pub leaves: BTreeMap<NodeName, RehearsedLeaf>,
}

/// Reads the notation; panics with the place on what it cannot read, since it stands in tests.
pub fn read(text: &str) -> Written {
    let mut reader = Reader { text, at: 0, templates: Vec::new(), leaves: BTreeMap::new() };
    let root = reader.item("");
    reader.space();
    assert!(reader.at == text.len(), "what is this: {}", &text[reader.at..]);
    let mut spec = json!({"entrypoint": root.task["template"], "templates": reader.templates});
    if let Some(hook) = root.hook {
        spec["onExit"] = json!(hook);
    }
    reader.templates = Vec::new();
    let templates = spec["templates"].as_array_mut().expect("a list");
    templates.extend(hook_templates());
    let object = json!({"metadata": {"name": root.name}, "spec": spec});
    Written {
        workflow: serde_json::from_value(object).expect("the notation makes a workflow"),
        leaves: reader.leaves,
    }
}

fn exited(code: i32) -> LeafEnd {
    LeafEnd::Exited { code, outputs: None }
}

fn hook_templates() -> Vec<Value> {
    let h1 = json!({"name": "h1", "template": "hook", "onExit": "hook"});
    vec![
        json!({"name": "hook", "container": {"image": "busybox", "command": ["hook"]}}),
        json!({"name": "hook-d", "dag": {"tasks": [
            h1, {"name": "h2", "template": "hook", "dependencies": ["h1"]}]}}),
        json!({"name": "hook-s", "steps": [[h1], [{"name": "h2", "template": "hook"}]]}),
    ]
}

struct Item {
    name: String,
    task: Map<String, Value>,
    hook: Option<&'static str>,
}

struct Reader<'text> {
    text: &'text str,
    at: usize,
    templates: Vec<Value>,
    leaves: BTreeMap<NodeName, RehearsedLeaf>,
}

impl Reader<'_> {
    fn space(&mut self) {
        while self.text[self.at..].starts_with(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.text[self.at..].starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(rest.len());
        assert!(end > 0, "a name is missing before: {rest}");
        self.at += end;
        rest[..end].to_owned()
    }

    fn number(&mut self) -> i64 {
        self.word().parse().expect("a number")
    }

    fn end(&mut self) -> LeafEnd {
        let word = self.word();
        match word.as_str() {
            "none" => LeafEnd::NotStarted { message: "no such program".to_owned() },
            "lost" => LeafEnd::Lost { message: String::new() },
            code => exited(code.parse().expect("an exit code")),
        }
    }

    /// One name with its marks and insides. `prefix` is the full name of what it lies in.
    fn item(&mut self, prefix: &str) -> Item {
        self.space();
        let name = self.word();
        let full = format!("{prefix}{name}");
        let (mut hook, mut task) = (None, Map::new());
        let (mut end, mut duration_ms) = (exited(0), 50);
        loop {
            if self.take("!d") {
                hook = Some("hook-d");
            } else if self.take("!s") {
                hook = Some("hook-s");
            } else if self.take("!") {
                hook = Some("hook");
            } else if self.take("=") {
                end = self.end();
            } else if self.take("@") {
                duration_ms = self.number();
            } else if self.take("?") {
                task.insert("when".to_owned(), json!("yes == no"));
            } else if self.take("^") {
                task.insert("continueOn".to_owned(), json!({"failed": true}));
            } else {
                break;
            }
        }
        let template = format!("t-{}", full.replace(['.', '[', ']'], "-"));
        let body = if self.take("[") {
            self.dag(&full)
        } else if self.take("{") {
            self.steps(&full)
        } else {
            let leaf = RehearsedLeaf { duration_ms, end };
            self.leaves.insert(NodeName(full), leaf);
            json!({"container": {"image": "busybox", "command": ["work"]}})
        };
        let mut whole = json!({"name": template});
        whole.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
        self.templates.push(whole);
        task.insert("name".to_owned(), json!(name));
        task.insert("template".to_owned(), json!(template));
        if let (Some(hook), false) = (hook, prefix.is_empty()) {
            task.insert("hooks".to_owned(), json!({"exit": {"template": hook}}));
        }
        Item { name, task, hook }
    }

    fn dag(&mut self, full: &str) -> Value {
        let mut tasks: Vec<Map<String, Value>> = Vec::new();
        let mut before: Option<String> = None;
        loop {
            self.space();
            if self.take("]") {
                return json!({"dag": {"tasks": tasks}});
            }
            let begin = self.at;
            let name = self.word();
            let known = tasks.iter().position(|task| task["name"] == json!(name));
            let at = known.unwrap_or_else(|| {
                self.at = begin;
                let item = self.item(&format!("{full}."));
                tasks.push(item.task);
                tasks.len() - 1
            });
            if let Some(before) = before.take() {
                let list = tasks[at].entry("dependencies").or_insert(json!([]));
                list.as_array_mut().expect("a list").push(json!(before));
            }
            self.space();
            if self.take(">") {
                before = Some(name);
            }
        }
    }

    fn steps(&mut self, full: &str) -> Value {
        let mut groups = vec![Vec::new()];
        loop {
            self.space();
            let at = groups.len() - 1;
            if self.take("}") {
                return json!({"steps": groups});
            }
            if self.take(";") {
                groups.push(Vec::new());
            } else {
                let item = self.item(&format!("{full}[{at}]."));
                groups[at].push(item.task);
            }
        }
    }
}
