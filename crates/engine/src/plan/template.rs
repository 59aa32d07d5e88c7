//! One template to its plan: DAG, steps, program, wait, or something that is not run here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use unwind_model::spec::{Container, Dag, StepGroup, Task, Template};
use unwind_model::{NodeType, decimal, ordered};

use crate::depends::{BadDepends, Depends};
use crate::diagnostic::{Code, Severity};

use super::fields::{self, Place};
use super::lower::Lowering;
use super::{
    Call, ContinueOn, DagPlan, LeafPlan, OpaquePlan, StepsPlan, SuspendPlan, TaskIndex, TaskPlan,
    TemplateKind, TemplatePlan,
};

/// Lowers one template found at `path`.
pub(super) fn lower(lowering: &mut Lowering, template: &Template, path: &str) -> TemplatePlan {
    let inputs = lowering.arguments(&template.inputs, &format!("{path}.inputs"));
    outputs(lowering, template, path);
    let foreign = fields::foreign_type(&template.other);
    let mut other = template.other.clone();
    foreign.map(|field| other.shift_remove(field));
    fields::check(Place::Template, &other, path, &mut lowering.diagnostics);
    let kind = if let Some(dag) = &template.dag {
        TemplateKind::Dag(self::dag(lowering, dag, &format!("{path}.dag")))
    } else if let Some(groups) = &template.steps {
        TemplateKind::Steps(steps(lowering, groups, &format!("{path}.steps")))
    } else if let Some(container) = &template.container {
        leaf(lowering, container, &format!("{path}.container"))
    } else if let Some(script) = &template.script {
        leaf(lowering, script, &format!("{path}.script"))
    } else if let Some(suspend) = &template.suspend {
        TemplateKind::Suspend(self::suspend(lowering, suspend, &format!("{path}.suspend")))
    } else {
        self::foreign(lowering, foreign, path)
    };
    let is_daemon = template.other.get("daemon").and_then(Value::as_bool) == Some(true);
    TemplatePlan { name: template.name.clone(), inputs, kind, is_daemon, path: path.to_owned() }
}

fn outputs(lowering: &mut Lowering, template: &Template, path: &str) {
    let outputs = &template.outputs;
    fields::check(Place::Outputs, &outputs.other, &format!("{path}.outputs"), &mut lowering.diagnostics);
}

fn foreign(lowering: &mut Lowering, foreign: Option<&'static str>, path: &str) -> TemplateKind {
    let (node_type, code, path) = match foreign {
        None => {
            let field = "container, script, dag, steps or suspend".to_owned();
            (NodeType::Skipped, Code::Missing { field }, path.to_owned())
        }
        Some(field) => {
            let node_type = match field {
                "http" => NodeType::HTTP,
                "plugin" => NodeType::Plugin,
                _ => NodeType::Pod,
            };
            let code = Code::Unsupported { field: field.to_owned() };
            (node_type, code, format!("{path}.{field}"))
        }
    };
    lowering.diagnostics.error(code, path);
    let what = foreign.unwrap_or("a template without a type");
    TemplateKind::Opaque(OpaquePlan { node_type, message: format!("{what} is not supported") })
}

fn leaf(lowering: &mut Lowering, container: &Container, path: &str) -> TemplateKind {
    fields::check(Place::Container, &container.other, path, &mut lowering.diagnostics);
    if container.command.is_empty() {
        let image = container.image.clone();
        lowering.diagnostics.error(Code::NoCommand { image }, path.to_owned());
    }
    TemplateKind::Leaf(Box::new(LeafPlan {
        image: container.image.clone(),
        command: container.command.clone(),
        args: container.args.clone(),
        source: container.source.clone(),
        env: environment(lowering, &container.env, path),
        working_dir: container.working_dir.clone(),
    }))
}

fn environment(lowering: &mut Lowering, entries: &[Value], path: &str) -> Vec<(String, String)> {
    let mut environment = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let text = |key: &str| match entry.get(key) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        if entry.get("valueFrom").is_some_and(|from| !from.is_null()) {
            let code = Code::Unsupported { field: "valueFrom".to_owned() };
            lowering.diagnostics.error(code, format!("{path}.env[{at}].valueFrom"));
        }
        environment.push((text("name"), text("value")));
    }
    environment
}

fn suspend(lowering: &mut Lowering, suspend: &Value, path: &str) -> SuspendPlan {
    let text = match suspend.get("duration") {
        None | Some(Value::Null) => return SuspendPlan { duration_ms: None },
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let duration_ms = duration_ms(&text);
    if duration_ms.is_none() {
        let expected = "a duration such as `20`, `20s` or `1h30m`".to_owned();
        lowering.diagnostics.error(Code::BadValue { expected }, format!("{path}.duration"));
    }
    SuspendPlan { duration_ms }
}

/// Seconds, or Go's form of a duration. Source: Argo `workflow/controller/operator.go`,
/// `parseStringToDuration`.
fn duration_ms(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<i64>() {
        return seconds.checked_mul(1000).filter(|ms| *ms >= 0);
    }
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number = decimal(&rest[..digits])?;
        rest = &rest[digits..];
        let (unit, factor) = [("ms", 1.0), ("s", 1e3), ("m", 6e4), ("h", 3.6e6)]
            .into_iter()
            .find(|(unit, _)| rest.starts_with(unit))?;
        total += number * factor;
        rest = &rest[unit.len()..];
    }
    (!text.is_empty() && total < 1e15).then_some(total as i64)
}

fn steps(lowering: &mut Lowering, groups: &[StepGroup], path: &str) -> StepsPlan {
    let mut names = BTreeMap::new();
    let mut lowered = Vec::new();
    for (group_at, group) in groups.iter().enumerate() {
        let mut steps = Vec::new();
        for (at, step) in group.0.iter().enumerate() {
            let path = format!("{path}[{group_at}][{at}]");
            register(lowering, &mut names, step, steps.len(), &path);
            for (field, given) in
                [("dependencies", !step.dependencies.is_empty()), ("depends", !step.depends.is_empty())]
            {
                if given {
                    let code = Code::Unsupported { field: field.to_owned() };
                    let path = format!("{path}.{field}");
                    lowering.diagnostics.add(Severity::Warning, code, path);
                }
            }
            steps.push(task(lowering, step, path));
        }
        lowered.push(steps);
    }
    StepsPlan { groups: lowered }
}

/// Notes the name of a task; each may be there once.
fn register(
    lowering: &mut Lowering,
    names: &mut BTreeMap<String, TaskIndex>,
    task: &Task,
    at: usize,
    path: &str,
) {
    if task.name.is_empty() {
        let field = "name".to_owned();
        lowering.diagnostics.error(Code::Missing { field }, path.to_owned());
    } else if names.contains_key(&task.name) {
        let name = task.name.clone();
        lowering.diagnostics.error(Code::DuplicateName { name }, format!("{path}.name"));
    }
    names.entry(task.name.clone()).or_insert(TaskIndex(at as u32));
}

fn task(lowering: &mut Lowering, task: &Task, path: String) -> TaskPlan {
    let mut other = task.other.clone();
    let continue_on = other.shift_remove("continueOn").unwrap_or_default();
    let goes_on = |field: &str| continue_on.get(field) == Some(&Value::Bool(true));
    fields::check(Place::Task, &other, &path, &mut lowering.diagnostics);
    let (template, name) = if let Some(inline) = &task.inline {
        let plan = lower(lowering, inline, &format!("{path}.inline"));
        (lowering.add(plan), String::new())
    } else if task.other.contains_key("templateRef") {
        let message = "templateRef is not supported".to_owned();
        (lowering.stand_in("templateRef", message), String::new())
    } else {
        let index = lowering.find(&task.template, &format!("{path}.template"));
        (index, task.template.clone())
    };
    let arguments = lowering.arguments(&task.arguments, &format!("{path}.arguments"));
    let (exit_hook, hooks) = lowering.hooks(&task.on_exit, &task.hooks, &path);
    TaskPlan {
        name: task.name.clone(),
        call: Call { template, arguments, name },
        needs: Vec::new(),
        dependants: Vec::new(),
        depends: None,
        when: (!task.when.is_empty()).then(|| task.when.clone()),
        continue_on: ContinueOn { failed: goes_on("failed"), error: goes_on("error") },
        exit_hook,
        hooks,
        path,
    }
}

fn dag(lowering: &mut Lowering, dag: &Dag, path: &str) -> DagPlan {
    fields::check(Place::Dag, &dag.other, path, &mut lowering.diagnostics);
    let mut names = BTreeMap::new();
    let mut tasks = Vec::new();
    for (at, item) in dag.tasks.iter().enumerate() {
        let path = format!("{path}.tasks[{at}]");
        register(lowering, &mut names, item, at, &path);
        tasks.push(task(lowering, item, path));
    }
    for (at, item) in dag.tasks.iter().enumerate() {
        if let Some(depends) = depends(lowering, item, &names, &tasks[at].path) {
            tasks[at].needs = depends.tasks();
            tasks[at].depends = Some(depends);
        }
    }
    break_cycles(lowering, &mut tasks, path);
    for at in 0..tasks.len() {
        for need in tasks[at].needs.clone() {
            tasks[need.at()].dependants.push(TaskIndex(at as u32));
        }
    }
    let targets = targets(lowering, dag, &tasks, &names, path);
    let order = order(&tasks, &targets);
    DagPlan { tasks, targets, order }
}

/// What must hold before a task begins. What cannot be read counts as nothing.
fn depends(
    lowering: &mut Lowering,
    task: &Task,
    names: &BTreeMap<String, TaskIndex>,
    path: &str,
) -> Option<Depends> {
    let find = |name: &str| names.get(name).copied();
    if !task.depends.is_empty() {
        let path = format!("{path}.depends");
        if !task.dependencies.is_empty() {
            let expected = "`depends` or `dependencies`, not both".to_owned();
            lowering.diagnostics.error(Code::BadValue { expected }, path.clone());
        }
        return match Depends::parse(&task.depends, &find) {
            Ok(depends) => Some(depends),
            Err(bad) => {
                let code = match bad {
                    BadDepends::UnknownTask(task) => Code::UnknownTask { task },
                    BadDepends::Unreadable(bad) => Code::BadDepends { expected: bad.to_string() },
                    BadDepends::UnknownOutcome(found) => Code::BadDepends {
                        expected: format!(
                            "Succeeded, Failed, Errored, Skipped, Omitted, Daemoned, AnySucceeded or AllFailed, found `{found}`"
                        ),
                    },
                };
                lowering.diagnostics.error(code, path);
                None
            }
        };
    }
    let mut needs = Vec::new();
    let mut known = BTreeSet::new();
    for (at, name) in task.dependencies.iter().enumerate() {
        match find(name) {
            Some(index) if known.insert(index) => needs.push(index),
            Some(_) => {}
            None => lowering
                .diagnostics
                .error(Code::UnknownTask { task: name.clone() }, format!("{path}.dependencies[{at}]")),
        }
    }
    (!needs.is_empty()).then(|| Depends::on_all(&needs))
}

/// Reports tasks that wait for each other and takes their dependencies away, so that the rest can
/// be drawn. Linear in tasks and dependencies.
fn break_cycles(lowering: &mut Lowering, tasks: &mut [TaskPlan], path: &str) {
    let mut waits: Vec<usize> = tasks.iter().map(|task| task.needs.len()).collect();
    let mut dependants = vec![Vec::new(); tasks.len()];
    for (at, task) in tasks.iter().enumerate() {
        for need in &task.needs {
            dependants[need.at()].push(at);
        }
    }
    let mut free: Vec<usize> = (0..tasks.len()).filter(|at| waits[*at] == 0).collect();
    while let Some(at) = free.pop() {
        for dependant in &dependants[at] {
            waits[*dependant] -= 1;
            if waits[*dependant] == 0 {
                free.push(*dependant);
            }
        }
    }
    let bound: Vec<usize> = (0..tasks.len()).filter(|at| waits[*at] > 0).collect();
    if bound.is_empty() {
        return;
    }
    let names = bound.iter().map(|at| tasks[*at].name.clone()).collect();
    let code = Code::DependencyCycle { tasks: names };
    lowering.diagnostics.error(code, format!("{path}.tasks"));
    for at in bound {
        tasks[at].needs.clear();
        tasks[at].depends = None;
    }
}

fn targets(
    lowering: &mut Lowering,
    dag: &Dag,
    tasks: &[TaskPlan],
    names: &BTreeMap<String, TaskIndex>,
    path: &str,
) -> Vec<TaskIndex> {
    if dag.target.trim().is_empty() {
        let mut last: Vec<usize> = (0..tasks.len()).filter(|at| tasks[*at].dependants.is_empty()).collect();
        ordered::sort_by(&mut last, |a, b| tasks[*a].name.cmp(&tasks[*b].name));
        return last.into_iter().map(|at| TaskIndex(at as u32)).collect();
    }
    let mut targets = Vec::new();
    for name in dag.target.split_whitespace() {
        match names.get(name) {
            Some(index) if !targets.contains(index) => targets.push(*index),
            Some(_) => {}
            None => {
                let task = name.to_owned();
                lowering.diagnostics.error(Code::UnknownTask { task }, format!("{path}.target"));
            }
        }
    }
    targets
}

/// Tasks that the targets need, dependencies first: the order in which Argo looks at them.
fn order(tasks: &[TaskPlan], targets: &[TaskIndex]) -> Vec<TaskIndex> {
    let mut order = Vec::new();
    let mut seen = vec![false; tasks.len()];
    for target in targets {
        let mut stack = vec![(*target, 0)];
        while let Some((task, next)) = stack.pop() {
            if next == 0 && std::mem::replace(&mut seen[task.at()], true) {
                continue;
            }
            match tasks[task.at()].needs.get(next) {
                Some(need) => stack.extend([(task, next + 1), (*need, 0)]),
                None => order.push(task),
            }
        }
    }
    order
}
