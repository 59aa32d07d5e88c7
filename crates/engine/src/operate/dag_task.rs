//! One task of a DAG visited: hooks, dependencies, expansion, execution.
//! Source: Argo `workflow/controller/dag.go`, `executeDAGTask`; `workflow/common/ancestry.go`.

use unwind_model::spec::Task;
use unwind_model::{NodePhase, NodeType};

use crate::behaviour::{GroupHook, ItemArguments, ItemHooks, LoopHooks};
use crate::depends::{self, BadDepends, Depends, Outcome};
use crate::lang::when;
use crate::plan::TaskIndex;

use super::dag::{Dag, continue_on, reference_of};
use super::fill::{self, Lost, Unresolved};
use super::hooks::Owner;
use super::nodes::Draft;
use super::pass::{Halt, Pass, Walk};
use super::scope::{Scope, output_names};
use super::table::{At, Node, Place};
use super::template::{Around, Call};
use super::todo::Visit;

/// Where the walk of a task stands.
enum Turn {
    /// Its dependencies come next.
    Enter(usize),
    /// Its dependencies have been visited.
    Leave(usize),
}

/// How far the walk of an item came.
pub(crate) enum Walked {
    /// As far as it goes.
    On,
    /// It will not run.
    Never,
    /// As many run as may.
    Full,
    /// Nothing more of its task in this pass.
    Stop,
}

impl Pass<'_> {
    /// Visits a task and everything it depends on, each once a pass.
    pub(crate) fn walk_task(&mut self, dag: &mut Dag, task: usize) {
        let mut open = vec![Turn::Enter(task)];
        while let Some(visit) = open.pop() {
            match visit {
                Turn::Enter(task) => {
                    if std::mem::replace(&mut dag.visited[task], true) || !self.enter_task(dag, task) {
                        continue;
                    }
                    open.push(Turn::Leave(task));
                    open.extend(dag.needs(task).rev().map(Turn::Enter));
                }
                Turn::Leave(task) => self.leave_task(dag, task),
            }
        }
    }

    /// Hooks of a task that has a node. `false`: there is nothing more to do for it in this pass.
    fn enter_task(&mut self, dag: &mut Dag, task: usize) -> bool {
        let spec = &dag.tasks()[task];
        let Some(node) = self.named(&dag.task_node_name(&spec.name)) else { return true };
        let (phase, fulfilled) = (self.node(node).phase, self.node(node).is_fulfilled());
        if !fulfilled && phase != NodePhase::Running {
            return true;
        }
        if spec.hooks.is_empty() && spec.on_exit.is_empty() && !self.scope_moves(dag) {
            if fulfilled {
                self.release_node_lock(node);
            }
            return !fulfilled;
        }
        let owner = Owner::task(spec, node, dag);
        let mut scope = match self.scope_of_task(dag, task) {
            Ok(scope) => scope,
            Err(text) => {
                self.mark_error(node, &text);
                return false;
            }
        };
        scope.set(format!("tasks.{}.status", spec.name), phase.as_str());
        match self.named_hooks_of_task(&owner, &scope) {
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
        self.release_node_lock(node);
        if self.node(node).is_completed() && !self.is_spared_group(node) {
            // What goes wrong here is seen by nobody: the DAG does not ask.
            let _ = self.exit_hook(&owner, &scope);
        }
        false
    }

    /// Named hooks of a task; those of a loop may be its items'.
    pub(crate) fn named_hooks_of_task(&mut self, owner: &Owner<'_>, scope: &Scope) -> Walk<bool> {
        match self.run.behaviour.loop_hooks {
            LoopHooks::OfEachItem if self.node(owner.node).kind == NodeType::TaskGroup => Ok(true),
            LoopHooks::OfEachItem | LoopHooks::OfTheGroup => self.named_hooks(owner, scope),
        }
    }

    /// Named hooks of an item, where they are not its group's; whether they are over.
    fn named_hooks_of_item(&mut self, dag: &Dag, task: usize, node: At, item: &Task) -> bool {
        let is_begun = self.node(node).is_fulfilled() || self.node(node).phase == NodePhase::Running;
        let is_items = self.run.behaviour.loop_hooks == LoopHooks::OfEachItem;
        if !is_items || !is_begun || item.hooks.is_empty() {
            return true;
        }
        let own = &dag.tasks()[task].name;
        let Ok(mut scope) = self.scope_of_task(dag, task) else { return true };
        let phase = self.node(node).phase.as_str();
        for name in [own, &item.name] {
            scope.set(format!("tasks.{name}.status"), phase);
        }
        let owner = Owner { prefix: format!("tasks.{own}"), ..Owner::task(item, node, dag) };
        match self.named_hooks(&owner, &scope) {
            Ok(is_over) => is_over,
            Err(halt) => {
                self.mark_error(node, &halt.text());
                true
            }
        }
    }

    fn leave_task(&mut self, dag: &mut Dag, task: usize) {
        if let Some(resolved) = self.ready_task(dag, task) {
            let name = dag.task_node_name(&dag.tasks()[task].name);
            self.execute_items(dag, task, &name, &resolved);
        }
    }

    /// A task that may be executed, its tags filled in. What is never to be executed gets its node here.
    pub(crate) fn ready_task(&mut self, dag: &Dag, task: usize) -> Option<Task> {
        let spec = &dag.tasks()[task];
        let name = dag.task_node_name(&spec.name);
        // A task that has begun goes on, whatever becomes of what it depends on.
        let has_begun = self.named(&name).is_some();
        if !has_begun && self.is_cut(dag.at, &dag.template, dag.on_exit) {
            return None;
        }
        if !has_begun && (!spec.depends.is_empty() || !spec.dependencies.is_empty()) {
            let refused = match self.depends_hold(dag, task) {
                Ok(None) => return None,
                Ok(Some(true)) => None,
                Ok(Some(false)) => {
                    Some((NodePhase::Omitted, "omitted: depends condition not met".to_owned()))
                }
                Err(text) => Some((NodePhase::Error, text)),
            };
            if let Some((phase, text)) = refused {
                self.add_never(dag, spec, &name, phase, &text);
                self.connect(dag, task, &name, None);
                return None;
            }
        }
        match self.resolve_task(dag, task) {
            Ok(resolved) => Some(resolved),
            Err(Unresolved::Waits) => {
                self.run.todo.watchers.insert(Visit::Member(dag.at, Place::task(task)));
                None
            }
            Err(Unresolved::Never(text)) => {
                self.refuse_task(dag, task, &name, &text);
                None
            }
        }
    }

    pub(crate) fn refuse_task(&mut self, dag: &Dag, task: usize, name: &str, text: &str) {
        if let Some(node) = self.named(name) {
            self.mark_error(node, text);
        } else {
            self.add_never(dag, &dag.tasks()[task], name, NodePhase::Error, text);
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

    pub(crate) fn add_never(
        &mut self,
        dag: &Dag,
        task: &Task,
        name: &str,
        phase: NodePhase,
        message: &str,
    ) -> At {
        let reference = reference_of(task).unwrap_or_default();
        self.add(Draft {
            name,
            kind: NodeType::Skipped,
            holder: dag.holder(),
            reference: &reference,
            boundary: Some(dag.at),
            place: dag.place_of(&task.name),
            within: None,
            phase,
            flag: Some(unwind_model::status::NodeFlag::default()),
            message: message.to_owned(),
            template: None,
        })
    }

    /// Makes the nodes before a task its parents: the DAG, the group of its items, or the last nodes of
    /// what it depends on.
    pub(crate) fn connect(&mut self, dag: &Dag, task: usize, name: &str, group: Option<At>) {
        let node = self.run.reserve(name);
        if let Some(group) = group {
            self.add_child(group, node);
            return;
        }
        if dag.needs(task).next().is_none() {
            self.add_child(dag.at, node);
            return;
        }
        for need in dag.needs(task) {
            let Some(before) = self.named(&dag.task_node_name(&dag.tasks()[need].name)) else { continue };
            let outbound = self.outbound_of(before);
            if outbound.is_empty() && self.moves_only_forward() {
                // A box in error may have none.
                self.add_child(before, node);
            }
            for outbound in outbound {
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
                    self.add_never(
                        dag,
                        &dag.tasks()[task],
                        name,
                        NodePhase::Skipped,
                        "Skipped, empty params",
                    );
                    self.connect(dag, task, name, None);
                }
                return;
            }
            if group.is_none() {
                group = Some(self.add_group(dag, task, name));
            }
        }
        let mut all_over = true;
        for item in &items {
            let goes_on = self.execute_item(dag, task, item, group, &mut all_over);
            all_over &= goes_on;
            if !goes_on && self.run.behaviour.item_hooks == ItemHooks::OneByOne {
                return;
            }
        }
        if let Some(group) = group.filter(|_| all_over) {
            let names = items.iter().map(|item| item.name.clone());
            self.end_group(dag, group, &mut { names });
        }
    }

    /// The group of a loop's items.
    pub(crate) fn add_group(&mut self, dag: &Dag, task: usize, name: &str) -> At {
        let reference = reference_of(&dag.tasks()[task]).unwrap_or_default();
        let group = self.add(Draft {
            name,
            kind: NodeType::TaskGroup,
            holder: dag.holder(),
            reference: &reference,
            boundary: Some(dag.at),
            place: Some(Place::task(task)),
            within: None,
            phase: NodePhase::Running,
            flag: Some(unwind_model::status::NodeFlag::default()),
            message: String::new(),
            template: None,
        });
        self.connect(dag, task, name, None);
        group
    }

    /// Executes one item, and its hooks. `false`: nothing more of this task in this pass.
    fn execute_item(
        &mut self,
        dag: &mut Dag,
        task: usize,
        item: &Task,
        group: Option<At>,
        all_over: &mut bool,
    ) -> bool {
        match self.walk_item(dag, Place::task(task), item, group) {
            Walked::On => {}
            Walked::Never => return true,
            // A task that is no loop may have a node already, whose hook is due.
            Walked::Full if group.is_none() => {}
            Walked::Stop | Walked::Full => return false,
        }
        let Some(node) = self.named(&dag.task_node_name(&item.name)) else { return true };
        if group.is_some() && !self.named_hooks_of_item(dag, task, node, item) {
            *all_over = false;
            return true;
        }
        self.item_hook_over(dag, task, node, None)
    }

    /// Begins or follows one item; `place`: that of its node.
    pub(crate) fn walk_item(&mut self, dag: &Dag, place: Place, item: &Task, group: Option<At>) -> Walked {
        let name = dag.task_node_name(&item.name);
        if self.named(&name).is_none() {
            if self.is_cut(dag.at, &dag.template, dag.on_exit) {
                return Walked::Never;
            }
            self.connect(dag, place.task as usize, &name, group);
            let refused = match when::should_execute(&item.when).map_err(|error| error.to_string()) {
                Ok(true) => None,
                Ok(false) => Some((NodePhase::Skipped, format!("when '{}' evaluated false", item.when))),
                Err(text) => Some((NodePhase::Error, text)),
            };
            if let Some((phase, text)) = refused {
                let node = self.add_never(dag, item, &name, phase, &text);
                let node = self.run.table.get_mut(node);
                node.place = Some(place);
                node.within = group.or(node.within);
                return Walked::Never;
            }
        }
        let walked = match reference_of(item) {
            Ok(mut reference) => {
                reference.caller = Some(("tasks.name", item.name.clone()));
                self.execute_template(&Call {
                    name: &name,
                    reference: &reference,
                    holder: dag.holder(),
                    arguments: &item.arguments,
                    around: Around::member(dag.at, place, group, dag.on_exit),
                })
            }
            Err(text) => Err(Halt::Error(text)),
        };
        let goes_on = self.run.behaviour.item_hooks != ItemHooks::OneByOne;
        match walked {
            // What is nested too deeply is refused already; the other items go on.
            Ok(_) | Err(Halt::Depth) => return Walked::On,
            Err(Halt::Parallelism) => return Walked::Full,
            Err(Halt::Timeout) => {
                if let Some(node) = self.named(&name) {
                    self.mark_message(node, NodePhase::Failed, &Halt::Timeout.text());
                }
            }
            Err(Halt::Error(text)) => {
                if let Some(node) = self.named(&name) {
                    self.mark_error(node, &format!("task '{name}' errored: {text}"));
                }
            }
        }
        if goes_on { Walked::On } else { Walked::Stop }
    }

    /// The exit hook of an item that is over; whether nothing has to wait for it. `item`: the task with the tags
    /// of this item filled in.
    pub(crate) fn item_hook_over(&mut self, dag: &Dag, task: usize, node: At, item: Option<&Task>) -> bool {
        if !self.node(node).is_completed() {
            return true;
        }
        let own = &dag.tasks()[task];
        let Ok(mut scope) = self.scope_of_task(dag, task) else { return false };
        scope.set(format!("tasks.{}.status", own.name), self.node(node).phase.as_str());
        let item = match self.run.behaviour.item_arguments {
            ItemArguments::AreFilled => item.unwrap_or(own),
            ItemArguments::StayLiteral => own,
        };
        let (hooks, on_exit) = (&item.hooks, item.on_exit.as_str());
        let owner = Owner { is_item: true, hooks, on_exit, ..Owner::task(own, node, dag) };
        let hook = self.exit_hook(&owner, &scope);
        hook.is_ok_and(|hook| self.is_hook_over(hook))
    }

    /// The phase of a group whose items are all over.
    pub(crate) fn end_group(&mut self, dag: &Dag, group: At, items: &mut dyn Iterator<Item = String>) {
        let mut phase = NodePhase::Succeeded;
        for item in items {
            let Some(node) = self.named(&dag.task_node_name(&item)) else {
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
        for need in dag.needs(task) {
            let Some(node) = self.named(&dag.task_node_name(&dag.tasks()[need].name)) else {
                return Ok(None);
            };
            if !self.node(node).is_fulfilled() || !self.hooks_fulfilled(node) {
                return Ok(None);
            }
        }
        let logic = logic_of(&dag.tasks()[task], dag.tasks(), &|name| dag.find(name))?;
        Ok(Some(logic.holds_with(&|need, outcome| self.outcome(dag, need.at(), outcome))))
    }

    fn hooks_fulfilled(&self, at: At) -> bool {
        self.run.table.hooks_of(at).all(Node::is_fulfilled)
    }

    fn outcome(&self, dag: &Dag, task: usize, outcome: Outcome) -> bool {
        let Some(at) = self.named(&dag.task_node_name(&dag.tasks()[task].name)) else { return false };
        let node = self.node(at);
        // A hook of the whole loop counts as one of its items.
        let items = || node.children.iter().map(|child| self.node(*child));
        match outcome {
            Outcome::GoesOn => {
                let continue_on = continue_on(&dag.tasks()[task]);
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
        if !self.scope_moves(dag) && fill::is_plain(&dag.tasks()[task]) {
            return Ok(dag.tasks()[task].clone());
        }
        let scope = self.scope_of_task(dag, task)?;
        self.resolve(&dag.tasks()[task], &scope, Lost::Task)
    }

    /// Whether telling what a task's texts can see may move something or fail, whether they ask for it or not:
    /// where outputs have a `globalName`, and where outputs of loops are gathered.
    fn scope_moves(&mut self, dag: &Dag) -> bool {
        !self.walks_touched() && (dag.has_loops() || self.gives_globals())
    }

    /// Everything that a task's texts can see.
    /// Source: Argo `dag.go`, `buildLocalScopeFromTask`.
    pub(crate) fn scope_of_task(&mut self, dag: &Dag, task: usize) -> Result<Scope, String> {
        let mut scope = Scope::of(&dag.template);
        if let Some(outputs) = &self.run.state.outputs {
            output_names(&mut scope, "workflow", outputs);
        }
        let seen = if self.scope_moves(dag) { dag.ancestors(task) } else { dag.mentioned(task) };
        for before in seen {
            let name = &dag.tasks()[before].name;
            let Some(node) = self.named(&dag.task_node_name(name)) else { continue };
            let prefix = format!("tasks.{name}");
            if self.node(node).kind == NodeType::TaskGroup {
                let children = self.node(node).children.clone();
                self.aggregate(&mut scope, &prefix, &children)?;
            }
            self.node_names(&mut scope, &prefix, node);
            self.node_to_globals(node);
        }
        Ok(scope)
    }
}

/// The logic of a task with dependencies.
fn logic_of(
    task: &Task,
    tasks: &[Task],
    number_of: &dyn Fn(&str) -> Option<usize>,
) -> Result<Depends, String> {
    let find = |name: &str| number_of(name).map(|at| TaskIndex(at as u32));
    if task.depends.is_empty() {
        let needs: Vec<TaskIndex> = task.dependencies.iter().filter_map(|name| find(name)).collect();
        return Ok(Depends::on_all(&needs));
    }
    let of = |name: &str| {
        let known = number_of(name).map(|at| continue_on(&tasks[at])).unwrap_or_default();
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
