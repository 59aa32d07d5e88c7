//! One task of a DAG visited: hooks, dependencies, expansion, execution.
//! Source: Argo `workflow/controller/dag.go`, `executeDAGTask`; `workflow/common/ancestry.go`.

use std::sync::Arc;

use unwind_model::spec::Task;
use unwind_model::{NodePhase, NodeType};

use crate::behaviour::{GroupHook, ItemHooks, NamedHooksFirst};
use crate::depends::{self, BadDepends, Depends, Outcome};
use crate::lang::when;
use crate::plan::TaskIndex;

use super::dag::{Dag, arguments_of, continue_on, reference_of};
use super::fill::{self, Unresolved};
use super::hooks::Owner;
use super::nodes::Draft;
use super::pass::{Halt, Pass};
use super::scope::Scope;
use super::table::At;
use super::template::{Around, Call};

/// Where a visit of a task stands.
enum Visit {
    /// Its dependencies come next.
    Enter(usize),
    /// Its dependencies have been visited.
    Leave(usize),
}

impl Pass<'_> {
    /// Visits a task and everything it depends on, each once a pass.
    pub(crate) fn visit_task(&mut self, dag: &mut Dag, task: usize) {
        let mut open = vec![Visit::Enter(task)];
        while let Some(visit) = open.pop() {
            match visit {
                Visit::Enter(task) => {
                    if std::mem::replace(&mut dag.visited[task], true) || !self.enter_task(dag, task) {
                        continue;
                    }
                    open.push(Visit::Leave(task));
                    open.extend(dag.needs[task].iter().rev().map(|need| Visit::Enter(*need)));
                }
                Visit::Leave(task) => self.leave_task(dag, task),
            }
        }
    }

    /// Hooks of a task that has a node. `false`: there is nothing more to do for it in this pass.
    fn enter_task(&mut self, dag: &mut Dag, task: usize) -> bool {
        let spec = dag.tasks[task].clone();
        let Some(node) = self.named(&dag.task_node_name(&spec.name)) else { return true };
        let (phase, fulfilled) = (self.node(node).phase, self.node(node).is_fulfilled());
        if !fulfilled && phase != NodePhase::Running {
            return true;
        }
        let owner = Owner::task(&spec, node, dag);
        let mut scope = match self.scope_of_task(dag, task) {
            Ok(scope) => scope,
            Err(text) => {
                self.mark_error(node, &text);
                return false;
            }
        };
        scope.set(format!("tasks.{}.status", spec.name), phase.as_str());
        match self.named_hooks(&owner, &scope) {
            Ok(true) => {}
            Ok(false) => return false,
            Err(halt) => {
                self.mark_error(node, &halt.text());
                return false;
            }
        }
        if !fulfilled {
            return true;
        }
        self.release_task_lock(dag, &spec, node);
        if self.node(node).is_completed() && !self.is_spared_group(node) {
            // What goes wrong here is seen by nobody: the DAG does not ask.
            let _ = self.exit_hook(&owner, &scope);
        }
        false
    }

    fn leave_task(&mut self, dag: &mut Dag, task: usize) {
        let spec = dag.tasks[task].clone();
        let name = dag.task_node_name(&spec.name);
        // A task that has begun goes on, whatever becomes of what it depends on.
        let has_begun = self.named(&name).is_some();
        if !has_begun && self.is_cut(dag.at, &dag.template, dag.on_exit) {
            return;
        }
        if !has_begun && (!spec.depends.is_empty() || !spec.dependencies.is_empty()) {
            match self.depends_hold(dag, task) {
                Ok(None) => return,
                Ok(Some(true)) => {}
                Ok(Some(false)) => {
                    if self.named(&name).is_none() {
                        self.add_never(
                            dag,
                            &spec,
                            &name,
                            NodePhase::Omitted,
                            "omitted: depends condition not met",
                        );
                        self.connect(dag, task, &name, None);
                    }
                    return;
                }
                Err(text) => {
                    if self.named(&name).is_none() {
                        self.add_never(dag, &spec, &name, NodePhase::Error, &text);
                        self.connect(dag, task, &name, None);
                    }
                    return;
                }
            }
        }
        let resolved = match self.resolve_task(dag, task) {
            Ok(resolved) => resolved,
            Err(Unresolved::Waits) => return,
            Err(Unresolved::Never(text)) => {
                self.refuse_task(dag, task, &name, &text);
                return;
            }
        };
        self.execute_items(dag, task, &name, &resolved);
    }

    fn refuse_task(&mut self, dag: &Dag, task: usize, name: &str, text: &str) {
        if let Some(node) = self.named(name) {
            self.mark_error(node, text);
        } else {
            self.add_never(dag, &dag.tasks[task], name, NodePhase::Error, text);
            self.connect(dag, task, name, None);
        }
    }

    /// Whether it is the group of a loop whose items have run the exit hook.
    fn is_spared_group(&self, node: At) -> bool {
        match self.run.behaviour.group_hook {
            GroupHook::Runs => false,
            GroupHook::NeverRuns => self.node(node).kind == NodeType::TaskGroup,
        }
    }

    fn add_never(&mut self, dag: &Dag, task: &Task, name: &str, phase: NodePhase, message: &str) -> At {
        let reference = reference_of(task).unwrap_or_default();
        self.add(Draft {
            name,
            kind: NodeType::Skipped,
            holder: dag.holder(),
            reference: &reference,
            boundary: Some(dag.at),
            phase,
            flag: Some(unwind_model::status::NodeFlag::default()),
            message: message.to_owned(),
            template: None,
        })
    }

    /// Makes the nodes before a task its parents: the DAG, the group of its items, or the last nodes of
    /// what it depends on.
    fn connect(&mut self, dag: &Dag, task: usize, name: &str, group: Option<At>) {
        let node = self.run.reserve(name);
        if let Some(group) = group {
            self.add_child(group, node);
            return;
        }
        if dag.needs[task].is_empty() {
            self.add_child(dag.at, node);
            return;
        }
        for need in &dag.needs[task] {
            let Some(before) = self.named(&dag.task_node_name(&dag.tasks[*need].name)) else { continue };
            for outbound in self.outbound_of(before) {
                self.add_child(outbound, node);
            }
        }
    }

    /// Expands a task and executes every item.
    fn execute_items(&mut self, dag: &mut Dag, task: usize, name: &str, resolved: &Task) {
        let items = match self.expand(dag, task, resolved) {
            Ok(items) => items,
            Err(text) => {
                self.refuse_task(dag, task, name, &text);
                return;
            }
        };
        let mut group = self.named(name).filter(|node| self.node(*node).kind == NodeType::TaskGroup);
        if fill::is_loop(resolved) {
            if items.is_empty() {
                if self.named(name).is_none() {
                    self.add_never(dag, &dag.tasks[task], name, NodePhase::Skipped, "Skipped, empty params");
                    self.connect(dag, task, name, None);
                }
                return;
            }
            if group.is_none() {
                let reference = reference_of(&dag.tasks[task]).unwrap_or_default();
                let node = self.add(Draft {
                    name,
                    kind: NodeType::TaskGroup,
                    holder: &dag.template.holder.clone(),
                    reference: &reference,
                    boundary: Some(dag.at),
                    phase: NodePhase::Running,
                    flag: Some(unwind_model::status::NodeFlag::default()),
                    message: String::new(),
                    template: None,
                });
                self.connect(dag, task, name, None);
                group = Some(node);
            }
        }
        let mut all_over = true;
        for item in &items {
            let goes_on = self.execute_item(dag, task, item, group);
            all_over &= goes_on;
            if !goes_on && self.run.behaviour.item_hooks == ItemHooks::OneByOne {
                return;
            }
        }
        if let Some(group) = group.filter(|_| all_over) {
            self.end_group(dag, group, &items);
            self.begin_group_hooks(dag, task, group);
        }
    }

    /// Named hooks that the end of a loop triggers, before anything after it begins.
    fn begin_group_hooks(&mut self, dag: &Dag, task: usize, group: At) {
        match self.run.behaviour.named_hooks_first {
            NamedHooksFirst::WhenSeen => return,
            NamedHooksFirst::Always if !self.node(group).is_fulfilled() => return,
            NamedHooksFirst::Always => {}
        }
        let spec = dag.tasks[task].clone();
        let Ok(mut scope) = self.scope_of_task(dag, task) else { return };
        scope.set(format!("tasks.{}.status", spec.name), self.node(group).phase.as_str());
        if let Err(halt) = self.named_hooks(&Owner::task(&spec, group, dag), &scope) {
            self.mark_error(group, &halt.text());
        }
    }

    /// Executes one item, and its exit hook. `false`: nothing more of this task in this pass.
    fn execute_item(&mut self, dag: &mut Dag, task: usize, item: &Task, group: Option<At>) -> bool {
        let name = dag.task_node_name(&item.name);
        if self.named(&name).is_none() {
            if self.is_cut(dag.at, &dag.template, dag.on_exit) {
                return true;
            }
            self.connect(dag, task, &name, group);
            match when::should_execute(&item.when).map_err(|error| error.to_string()) {
                Ok(true) => {}
                Ok(false) => {
                    let reason = format!("when '{}' evaluated false", item.when);
                    self.add_never(dag, item, &name, NodePhase::Skipped, &reason);
                    return true;
                }
                Err(text) => {
                    self.add_never(dag, item, &name, NodePhase::Error, &text);
                    return true;
                }
            }
        }
        let walked = match reference_of(item) {
            Ok(mut reference) => {
                reference.caller = Some(("tasks.name", item.name.clone()));
                let arguments = arguments_of(item);
                let holder = dag.template.holder.clone();
                self.execute_template(&Call {
                    name: &name,
                    reference: &reference,
                    holder: &holder,
                    arguments: &arguments,
                    around: Around::inside(dag.at, dag.on_exit),
                })
            }
            Err(text) => Err(Halt::Error(text)),
        };
        match walked {
            // What is nested too deeply is refused already; the other items go on.
            Ok(_) | Err(Halt::Depth) => {}
            // A task that is no loop may have a node already, whose hook is due.
            Err(Halt::Parallelism) if group.is_none() => {}
            Err(Halt::Parallelism) => return false,
            Err(Halt::Timeout) => {
                if let Some(node) = self.named(&name) {
                    self.mark_message(node, NodePhase::Failed, &Halt::Timeout.text());
                }
                if self.run.behaviour.item_hooks == ItemHooks::OneByOne {
                    return false;
                }
            }
            Err(Halt::Error(text)) => {
                if let Some(node) = self.named(&name) {
                    self.mark_error(node, &format!("task '{name}' errored: {text}"));
                }
                if self.run.behaviour.item_hooks == ItemHooks::OneByOne {
                    return false;
                }
            }
        }
        let Some(node) = self.named(&name) else { return true };
        if !self.node(node).is_completed() {
            return true;
        }
        let Ok(mut scope) = self.scope_of_task(dag, task) else { return false };
        scope.set(format!("tasks.{}.status", dag.tasks[task].name), self.node(node).phase.as_str());
        let own = dag.tasks[task].clone();
        let owner = Owner { is_item: group.is_some(), ..Owner::task(&own, node, dag) };
        let hook = self.exit_hook(&owner, &scope);
        hook.is_ok_and(|hook| self.is_hook_over(hook))
    }

    /// The phase of a group whose items are all over.
    fn end_group(&mut self, dag: &Dag, group: At, items: &[Task]) {
        let mut phase = NodePhase::Succeeded;
        for item in items {
            let Some(node) = self.named(&dag.task_node_name(&item.name)) else {
                if self.is_cut(dag.at, &dag.template, dag.on_exit) {
                    phase = NodePhase::Failed;
                    continue;
                }
                return;
            };
            if !self.node(node).is_fulfilled() {
                return;
            }
            if self.node(node).is_failed() {
                phase = self.node(node).phase;
            }
        }
        self.mark(group, phase);
    }

    /// Whether a task may begin: `None` while one it depends on, or a hook of that, is not over.
    /// Source: Argo `dag.go`, `evaluateDependsLogic`; `common/util.go`, `CheckAllHooksFullfilled`.
    fn depends_hold(&self, dag: &Dag, task: usize) -> Result<Option<bool>, String> {
        for need in &dag.needs[task] {
            let Some(node) = self.named(&dag.task_node_name(&dag.tasks[*need].name)) else { return Ok(None) };
            if !self.node(node).is_fulfilled() || !self.hooks_fulfilled(node) {
                return Ok(None);
            }
        }
        let logic = logic_of(&dag.tasks[task], &dag.tasks, &dag.index)?;
        Ok(Some(logic.holds_with(&|need, outcome| self.outcome(dag, need.at(), outcome))))
    }

    fn hooks_fulfilled(&self, at: At) -> bool {
        let children = &self.node(at).children;
        children.iter().all(|child| !self.node(*child).is_hooked() || self.node(*child).is_fulfilled())
    }

    fn outcome(&self, dag: &Dag, task: usize, outcome: Outcome) -> bool {
        let Some(at) = self.named(&dag.task_node_name(&dag.tasks[task].name)) else { return false };
        let node = self.node(at);
        // A hook of the whole loop counts as one of its items.
        let items = || node.children.iter().map(|child| self.node(*child));
        match outcome {
            Outcome::GoesOn => {
                let continue_on = continue_on(&dag.tasks[task]);
                match node.phase {
                    NodePhase::Succeeded | NodePhase::Skipped => true,
                    NodePhase::Failed => continue_on.failed,
                    NodePhase::Error => continue_on.error,
                    NodePhase::Pending | NodePhase::Running => node.daemoned,
                    NodePhase::Omitted => false,
                }
            }
            Outcome::Succeeded => node.phase == NodePhase::Succeeded,
            Outcome::Failed => node.phase == NodePhase::Failed,
            Outcome::Errored => node.phase == NodePhase::Error,
            Outcome::Skipped => node.phase == NodePhase::Skipped,
            Outcome::Omitted => node.phase == NodePhase::Omitted,
            Outcome::Daemoned => node.daemoned && node.phase != NodePhase::Pending,
            Outcome::AnySucceeded => {
                node.kind == NodeType::TaskGroup && items().any(|item| item.phase == NodePhase::Succeeded)
            }
            Outcome::AllFailed => {
                node.kind == NodeType::TaskGroup
                    && items().next().is_some()
                    && items().all(|item| item.phase == NodePhase::Failed)
            }
        }
    }

    /// The items of a looped task as tasks of their own.
    fn expand(&mut self, dag: &Dag, task: usize, resolved: &Task) -> Result<Vec<Task>, String> {
        let scope = if fill::is_loop(resolved) { self.scope_of_task(dag, task)? } else { Scope::default() };
        fill::expand(resolved, &scope.over(&self.globals))
    }

    /// A task with its tags filled in.
    /// Source: Argo `dag.go`, `resolveDependencyReferences`.
    fn resolve_task(&mut self, dag: &Dag, task: usize) -> Result<Task, Unresolved> {
        let scope = self.scope_of_task(dag, task)?;
        self.resolve(&dag.tasks[task], &scope)
    }

    /// Everything that a task's texts can see.
    /// Source: Argo `dag.go`, `buildLocalScopeFromTask`.
    pub(crate) fn scope_of_task(&mut self, dag: &Dag, task: usize) -> Result<Scope, String> {
        let mut scope = Scope::default();
        for before in dag.ancestors(task) {
            let name = &dag.tasks[before].name;
            let Some(node) = self.named(&dag.task_node_name(name)) else { continue };
            let prefix = format!("tasks.{name}");
            if self.node(node).kind == NodeType::TaskGroup {
                let children = self.node(node).children.clone();
                self.aggregate(&mut scope, &prefix, &children)?;
            }
            self.node_names(&mut scope, &prefix, node);
            let outputs = self.node(node).outputs.clone();
            self.outputs_to_globals(outputs.as_deref());
        }
        Ok(scope)
    }

    fn release_task_lock(&mut self, _dag: &Dag, _task: &Task, node: At) {
        if let Some(template) = self.node(node).template.clone() {
            self.release_lock(node, &Arc::clone(&template));
        }
    }
}

/// The logic of a task with dependencies.
fn logic_of(
    task: &Task,
    tasks: &[Task],
    index: &std::collections::BTreeMap<String, usize>,
) -> Result<Depends, String> {
    let find = |name: &str| index.get(name).map(|at| TaskIndex(*at as u32));
    if task.depends.is_empty() {
        let needs: Vec<TaskIndex> = task.dependencies.iter().filter_map(|name| find(name)).collect();
        return Ok(Depends::on_all(&needs));
    }
    let of = |name: &str| {
        let known = index.get(name).map(|at| continue_on(&tasks[*at])).unwrap_or_default();
        crate::plan::ContinueOn { failed: known.failed, error: known.error }
    };
    if let Some(text) = depends::failure(&task.depends, &of) {
        return Err(text);
    }
    Depends::parse(&task.depends, &find).map_err(|bad| match bad {
        BadDepends::Unreadable(bad) => bad.found,
        BadDepends::UnknownTask(name) | BadDepends::UnknownOutcome(name) => name,
    })
}
