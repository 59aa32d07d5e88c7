//! Made-up workflows of any size: the same shape, size and seed give the same document.
//!
//! In: a shape, how many nodes its run will have, a seed. Out: a manifest. The shapes are those of measurements of
//! workflow dashboards: wide, deep, layered, nested, in steps, and hooks around hooks.

pub mod mixed;

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::numbers::Numbers;

/// The shape of a made-up workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One task, many at once, one task.
    Fanout,
    /// One task after the other.
    Chain,
    /// Layers of tasks that depend on some of the layer before.
    Layered,
    /// DAGs and steps inside each other.
    Nested,
    /// Groups of parallel steps.
    Steps,
    /// DAGs one inside the other, each with an exit hook.
    Hookstack,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Fanout, Self::Chain, Self::Layered, Self::Nested, Self::Steps, Self::Hookstack];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fanout => "fanout",
            Self::Chain => "chain",
            Self::Layered => "layered",
            Self::Nested => "nested",
            Self::Steps => "steps",
            Self::Hookstack => "hookstack",
        }
    }
}

/// A manifest whose run has about `nodes` nodes when nothing fails. One task in eight has an exit hook.
pub fn manifest(shape: Shape, nodes: usize, seed: u64) -> Value {
    let mut numbers = Numbers::new(seed);
    let templates = match shape {
        Shape::Fanout => vec![fanout(nodes)],
        Shape::Chain => vec![chain(nodes, &mut numbers)],
        Shape::Layered => vec![layered(nodes, &mut numbers)],
        Shape::Nested => nested(nodes, &mut numbers),
        Shape::Steps => vec![steps(nodes, &mut numbers)],
        Shape::Hookstack => hookstack(nodes),
    };
    document(shape, nodes, templates)
}

/// DAGs `depth` levels inside each other, one task each.
pub fn nesting(depth: usize) -> Value {
    let level = |index: usize| {
        let inner = if index + 1 < depth { format!("level-{}", index + 1) } else { "work".to_owned() };
        let task = json!({"name": "in", "template": inner, "hooks": {"exit": {"template": "hook"}}});
        let name = if index == 0 { "main".to_owned() } else { format!("level-{index}") };
        json!({"name": name, "dag": {"tasks": [task]}})
    };
    document(Shape::Hookstack, depth * 2, (0..depth).map(level).collect())
}

fn document(shape: Shape, nodes: usize, mut templates: Vec<Value>) -> Value {
    for (name, command) in [("work", "work"), ("hook", "note")] {
        templates.push(json!({"name": name, "container": {"image": "busybox", "command": [command]}}));
    }
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": format!("{}-{nodes}", shape.name()), "namespace": "default"},
        "spec": {"entrypoint": "main", "templates": templates},
    })
}

fn task(name: &str, template: &str, dependencies: &[String], has_hook: bool) -> Value {
    let mut task = json!({"name": name, "template": template});
    if !dependencies.is_empty() {
        task["dependencies"] = json!(dependencies);
    }
    if has_hook {
        task["hooks"] = json!({"exit": {"template": "hook"}});
    }
    task
}

fn dag(name: &str, tasks: &[Value]) -> Value {
    json!({"name": name, "dag": {"tasks": tasks}})
}

fn fanout(nodes: usize) -> Value {
    let mut tasks = vec![task("split", "work", &[], false)];
    let split = ["split".to_owned()];
    let middle: Vec<String> = (0..nodes.saturating_sub(3)).map(|index| format!("t{index}")).collect();
    tasks.extend(middle.iter().map(|name| task(name, "work", &split, false)));
    tasks.push(task("join", "work", &middle, false));
    dag("main", &tasks)
}

fn chain(nodes: usize, numbers: &mut Numbers) -> Value {
    let mut tasks = Vec::new();
    let mut left = nodes.saturating_sub(1);
    let mut before: Vec<String> = Vec::new();
    while left > 0 {
        let name = format!("t{}", tasks.len());
        let has_hook = left > 1 && numbers.below(8) == 0;
        tasks.push(task(&name, "work", &before, has_hook));
        before = vec![name];
        left -= 1 + usize::from(has_hook);
    }
    dag("main", &tasks)
}

fn layered(nodes: usize, numbers: &mut Numbers) -> Value {
    let total = nodes.saturating_sub(1);
    let width = total.isqrt().max(2);
    let mut tasks: Vec<Value> = Vec::new();
    let mut above: Vec<String> = Vec::new();
    let mut left = total;
    while left > 0 {
        let mut layer = Vec::new();
        for _ in 0..(width / 2 + numbers.below(width)).max(1).min(left) {
            if left == 0 {
                break;
            }
            let mut dependencies: Vec<String> = Vec::new();
            for _ in 0..if above.is_empty() { 0 } else { 1 + numbers.below(2) } {
                let chosen = &above[numbers.below(above.len())];
                if !dependencies.contains(chosen) {
                    dependencies.push(chosen.clone());
                }
            }
            let name = format!("n{}", tasks.len());
            let has_hook = left > 1 && numbers.below(8) == 0;
            tasks.push(task(&name, "work", &dependencies, has_hook));
            layer.push(name);
            left -= 1 + usize::from(has_hook);
        }
        above = layer;
    }
    dag("main", &tasks)
}

/// DAGs and steps that share out their nodes to inner ones. Each is made from a list of what is to do.
fn nested(nodes: usize, numbers: &mut Numbers) -> Vec<Value> {
    let mut templates = Vec::new();
    let mut waiting = VecDeque::from([("main".to_owned(), nodes)]);
    let mut made = 0;
    while let Some((name, budget)) = waiting.pop_front() {
        let mut left = budget.saturating_sub(1);
        let mut tasks: Vec<Value> = Vec::new();
        while left > 0 {
            let task_name = format!("t{}", tasks.len());
            let share = (left / 3 + numbers.below(left / 3 + 1)).min(left);
            let before: Vec<String> = (!tasks.is_empty() && numbers.below(4) != 0)
                .then(|| format!("t{}", tasks.len() - 1 - numbers.below(tasks.len().min(6))))
                .into_iter()
                .collect();
            let has_hook = left > 1 && numbers.below(8) == 0;
            left -= usize::from(has_hook);
            if share >= 8 && left > share {
                made += 1;
                let inner = format!("box-{made}");
                tasks.push(task(&task_name, &inner, &before, has_hook));
                waiting.push_back((inner, share));
                left -= share;
            } else {
                tasks.push(task(&task_name, "work", &before, has_hook));
                left = left.saturating_sub(1);
            }
        }
        let is_dag = name == "main" || numbers.below(3) != 0;
        templates.push(if is_dag { dag(&name, &tasks) } else { in_steps(&name, tasks, 3) });
    }
    templates
}

/// The same tasks in groups of `width`, one group after the other.
fn in_steps(name: &str, mut tasks: Vec<Value>, width: usize) -> Value {
    for task in &mut tasks {
        if let Some(fields) = task.as_object_mut() {
            fields.shift_remove("dependencies");
        }
    }
    let groups: Vec<&[Value]> = tasks.chunks(width).collect();
    json!({"name": name, "steps": groups})
}

fn steps(nodes: usize, numbers: &mut Numbers) -> Value {
    let mut left = nodes.saturating_sub(1);
    let mut groups: Vec<Vec<Value>> = Vec::new();
    while left > 1 {
        left -= 1;
        let mut group = Vec::new();
        for index in 0..(2 + numbers.below(30)).min(left) {
            if left == 0 {
                break;
            }
            let has_hook = left > 1 && numbers.below(8) == 0;
            group.push(task(&format!("s{}-{index}", groups.len()), "work", &[], has_hook));
            left -= 1 + usize::from(has_hook);
        }
        groups.push(group);
    }
    json!({"name": "main", "steps": groups})
}

/// Twelve levels with a hook each; what is left of the nodes stands beside them at the top.
fn hookstack(nodes: usize) -> Vec<Value> {
    const LEVELS: usize = 12;
    let levels = LEVELS.min(nodes / 4).max(1);
    let beside = nodes.saturating_sub(levels * 3);
    let level = |index: usize| {
        let name = if index == 0 { "main".to_owned() } else { format!("level-{index}") };
        let mut tasks = vec![task("before", "work", &[], false)];
        let inner = if index + 1 < levels { format!("level-{}", index + 1) } else { "work".to_owned() };
        tasks.push(task("inner", &inner, &["before".to_owned()], true));
        if index == 0 {
            tasks.extend((0..beside).map(|side| task(&format!("side-{side}"), "work", &[], false)));
        }
        dag(&name, &tasks)
    };
    (0..levels).map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::{Shape, manifest};

    #[test]
    fn same_seed_gives_the_same_document() {
        for shape in Shape::ALL {
            assert_eq!(manifest(shape, 300, 7), manifest(shape, 300, 7), "{}", shape.name());
        }
        assert_ne!(manifest(Shape::Nested, 300, 7), manifest(Shape::Nested, 300, 8));
    }
}
