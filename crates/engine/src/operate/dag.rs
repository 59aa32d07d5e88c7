//! A DAG at one node: its tasks visited, its phase told, its outputs collected.
//! Source: Argo `workflow/controller/dag.go`, `executeDAG`.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use unwind_model::features::ContinueOn;
use unwind_model::spec::Task;
use unwind_model::{NodePhase, NodeType};

use crate::behaviour::{BoxUnderShutdown, ExitDagUnderStop, TargetHooks};
use crate::depends;

use super::pass::{Halt, Pass, Walk};
use super::table::{At, Place};
use super::template::Call;
use super::templates::{Holder, Prepared, Reference};

/// A DAG that is being walked.
#[derive(Clone, Debug)]
pub(crate) struct Dag {
    pub(crate) at: At,
    pub(crate) name: String,
    pub(crate) visited: Vec<bool>,
    pub(crate) template: Arc<Prepared>,
    pub(crate) on_exit: bool,
    pub(crate) fail_fast: bool,
    wiring: Arc<Wiring>,
}

/// How the tasks of a DAG hang together; boxes of one template share it.
#[derive(Debug)]
pub(crate) struct Wiring {
    /// Numbers of the tasks in the order of their names.
    by_name: Box<[u32]>,
    /// What tasks depend on, one task after the other, each in the order of naming.
    needs: Box<[u32]>,
    /// `ends[i]`: where the needs of task `i` end.
    ends: Box<[u32]>,
    /// Whether a task is a loop.
    has_loops: bool,
}

impl Wiring {
    pub(crate) fn of(tasks: &[Task]) -> Self {
        let mut by_name: Vec<u32> = (0..tasks.len() as u32).collect();
        by_name.sort_by(|one, other| tasks[*one as usize].name.cmp(&tasks[*other as usize].name));
        let (mut needs, mut ends) = (Vec::new(), Vec::with_capacity(tasks.len()));
        for task in tasks {
            needs.extend(needs_of(task, &|name| find(tasks, &by_name, name)));
            ends.push(needs.len() as u32);
        }
        let has_loops = tasks.iter().any(super::fill::is_loop);
        Self { by_name: by_name.into(), needs: needs.into(), ends: ends.into(), has_loops }
    }

    fn needs(&self, task: usize) -> &[u32] {
        let begin = task.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.needs[begin..self.ends[task] as usize]
    }
}

/// The number of the task of a name; of several, which validation refuses, the last.
fn find(tasks: &[Task], by_name: &[u32], name: &str) -> Option<u32> {
    let end = by_name.partition_point(|task| tasks[*task as usize].name.as_str() <= name);
    let found = *by_name.get(end.checked_sub(1)?)?;
    (tasks[found as usize].name == name).then_some(found)
}

impl Dag {
    pub(crate) fn of(at: At, name: &str, template: &Arc<Prepared>, on_exit: bool) -> Self {
        let dag = template.template.dag.as_ref();
        let tasks = dag.map_or(0, |dag| dag.tasks.len());
        Self {
            at,
            name: name.to_owned(),
            visited: vec![false; tasks],
            wiring: Arc::clone(template.wiring()),
            template: Arc::clone(template),
            on_exit,
            fail_fast: dag.is_none_or(|dag| dag.fail_fast != Some(false)),
        }
    }

    /// Its tasks as they are declared.
    pub(crate) fn tasks(&self) -> &[Task] {
        self.template.template.dag.as_ref().map_or(&[][..], |dag| dag.tasks.as_slice())
    }

    pub(crate) fn holder(&self) -> &Holder {
        &self.template.holder
    }

    /// Number of the task of a name.
    pub(crate) fn find(&self, task: &str) -> Option<usize> {
        find(self.tasks(), &self.wiring.by_name, task).map(|at| at as usize)
    }

    /// What a task depends on, in the order of naming.
    pub(crate) fn needs(&self, task: usize) -> impl DoubleEndedIterator<Item = usize> + use<'_> {
        self.wiring.needs(task).iter().map(|need| *need as usize)
    }

    /// Whether a task of it is a loop.
    pub(crate) fn has_loops(&self) -> bool {
        self.wiring.has_loops
    }

    /// Place of the task of a name.
    pub(crate) fn place_of(&self, task: &str) -> Option<Place> {
        self.find(task).map(Place::task)
    }

    pub(crate) fn task_node_name(&self, task: &str) -> String {
        [self.name.as_str(), ".", task].concat()
    }

    /// Tasks to reach: those named by `target`, else all that nobody depends on, sorted by name.
    pub(crate) fn targets(&self) -> Vec<usize> {
        let target = self.template.template.dag.as_ref().map_or("", |dag| dag.target.as_str());
        if !target.is_empty() {
            return target.split(' ').filter_map(|name| self.find(name)).collect();
        }
        let mut is_needed = vec![false; self.tasks().len()];
        for need in &self.wiring.needs {
            is_needed[*need as usize] = true;
        }
        let tasks = self.wiring.by_name.iter().map(|task| *task as usize);
        tasks.filter(|task| !is_needed[*task]).collect()
    }

    /// Those of its ancestors that a task asks about.
    pub(crate) fn mentioned(&self, task: usize) -> Vec<usize> {
        let found = self.template.asked_by(task);
        if found.all {
            return self.ancestors(task);
        }
        let named = found.names.iter().filter_map(|name| self.find(name));
        named.filter(|before| self.is_ancestor(*before, task)).collect()
    }

    /// Whether a task depends on another, at any distance.
    fn is_ancestor(&self, before: usize, task: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: VecDeque<usize> = self.needs(task).collect();
        while let Some(next) = open.pop_front() {
            if next == before {
                return true;
            }
            if seen.insert(next) {
                open.extend(self.needs(next));
            }
        }
        false
    }

    /// Everything a task depends on, at any distance, nearest last.
    pub(crate) fn ancestors(&self, task: usize) -> Vec<usize> {
        let mut found = vec![false; self.tasks().len()];
        let mut open: Vec<usize> = self.needs(task).collect();
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut found[next], true) {
                open.extend(self.needs(next));
            }
        }
        (0..self.tasks().len()).filter(|task| found[*task]).collect()
    }
}

/// Source: Argo `workflow/common/ancestry.go`, `GetTaskDependencies`.
fn needs_of(task: &Task, at: &dyn Fn(&str) -> Option<u32>) -> Vec<u32> {
    let mut needs: Vec<u32> = if task.depends.is_empty() {
        task.dependencies.iter().filter_map(|name| at(name)).collect()
    } else {
        depends::names(&task.depends).into_iter().filter_map(|named| at(named.task)).collect()
    };
    if needs.len() > 1 {
        let mut seen = BTreeSet::new();
        needs.retain(|need| seen.insert(*need));
    }
    needs
}

/// `continueOn` of a task.
pub(crate) fn continue_on(task: &Task) -> ContinueOn {
    task.continue_on().ok().flatten().unwrap_or_default()
}

/// Whether a task's bad end is taken for a good one.
pub(crate) fn goes_on(task: &Task, phase: NodePhase) -> bool {
    let continue_on = continue_on(task);
    match phase {
        NodePhase::Failed => continue_on.failed,
        NodePhase::Error => continue_on.error,
        NodePhase::Pending
        | NodePhase::Running
        | NodePhase::Succeeded
        | NodePhase::Skipped
        | NodePhase::Omitted => false,
    }
}

/// What a task or step calls.
pub(crate) fn reference_of(task: &Task) -> Result<Reference, String> {
    Ok(Reference {
        template: task.template.clone(),
        template_ref: task.template_ref().map_err(|error| error.to_string())?,
        inline: task.inline.clone(),
        caller: None,
    })
}

impl Pass<'_> {
    pub(crate) fn execute_dag(&mut self, call: &Call<'_>, template: &Arc<Prepared>) -> Walk {
        let at = match self.named(call.name) {
            Some(at) => at,
            None => self.add_executable(call, NodeType::DAG, NodePhase::Running, template, ""),
        };
        let walked = self.walk_dag(at, call, template);
        if self.node(at).is_fulfilled() {
            self.end_daemons(Some(at));
        }
        walked
    }

    fn walk_dag(&mut self, at: At, call: &Call<'_>, template: &Arc<Prepared>) -> Walk {
        let mut dag = Dag::of(at, call.name, template, call.around.on_exit);
        let targets = dag.targets();
        for task in 0..dag.tasks().len() {
            let node = self.named(&dag.task_node_name(&dag.tasks()[task].name));
            // Daemons are visited first.
            if node.is_some_and(|node| self.node(node).daemoned) {
                self.walk_task(&mut dag, task);
            }
        }
        let mut hooks_done = true;
        for target in &targets {
            self.walk_task(&mut dag, *target);
            hooks_done &= self.target_hooks(&mut dag, *target)?;
        }
        self.assess_dag(&dag, &targets, hooks_done)
    }

    /// Ends a DAG when everything in it is over. `hooks_done`: no hook of a target is under way.
    pub(crate) fn assess_dag(&mut self, dag: &Dag, targets: &[usize], hooks_done: bool) -> Walk {
        let at = dag.at;
        let shutdown = match self.run.behaviour.dag_under_shutdown {
            BoxUnderShutdown::FailsAtOnce => {
                self.shutdown().is_some() && hooks_done && !self.is_exempt(at, dag.on_exit)
            }
            BoxUnderShutdown::FailsWhateverIsOpen => {
                self.shutdown().is_some() && !self.is_exempt(at, dag.on_exit)
            }
            BoxUnderShutdown::WaitsForItsInsides => false,
        };
        let cut = self.is_cut(at, &dag.template, dag.on_exit);
        let phase = self.dag_phase(dag, targets, shutdown, cut);
        if phase != NodePhase::Running && self.waits_for_daemons(at) {
            return Ok(());
        }
        if phase != NodePhase::Running
            && let Some(text) = self.hook_erred_in(dag)
        {
            self.set_outbound(dag, targets);
            self.mark_message(at, NodePhase::Error, &text);
            return Ok(());
        }
        match phase {
            NodePhase::Running | NodePhase::Pending => Ok(()),
            phase @ (NodePhase::Failed | NodePhase::Error) => {
                self.set_outbound(dag, targets);
                self.mark(at, phase);
                Ok(())
            }
            NodePhase::Succeeded | NodePhase::Skipped | NodePhase::Omitted => self.succeed_dag(dag, targets),
        }
    }

    /// What a hook of a task or item that could not be made says.
    fn hook_erred_in(&self, dag: &Dag) -> Option<String> {
        let names: Vec<String> = dag.tasks().iter().map(|task| dag.task_node_name(&task.name)).collect();
        self.hook_erred(&self.with_items(&names))
    }

    /// The nodes of these names, and the items of those that are groups.
    fn with_items(&self, names: &[String]) -> Vec<At> {
        let mut found = Vec::new();
        for at in names.iter().filter_map(|name| self.named(name)) {
            found.push(at);
            if self.node(at).kind == NodeType::TaskGroup {
                found.extend(&self.node(at).children);
            }
        }
        found
    }

    /// DAGs inside an exit handler are not failed by a shutdown.
    fn is_exempt(&self, at: At, on_exit: bool) -> bool {
        match self.run.behaviour.exit_dag_under_stop {
            ExitDagUnderStop::Fails => false,
            ExitDagUnderStop::GoesOn => on_exit || self.is_part_of_handler(at),
        }
    }

    /// Named hooks of a target, and whether its exit hook is no longer under way.
    fn target_hooks(&mut self, dag: &mut Dag, target: usize) -> Walk<bool> {
        let task = dag.tasks()[target].clone();
        let name = dag.task_node_name(&task.name);
        let Some(node) = self.named(&name) else { return Ok(true) };
        let scope = match self.scope_of_task(dag, target) {
            Ok(scope) => scope,
            Err(text) => {
                self.mark_error(dag.at, &text);
                return Err(Halt::Error(text));
            }
        };
        let owner = super::hooks::Owner::task(&task, node, dag);
        let mut scope = scope;
        scope.set(format!("tasks.{}.status", task.name), self.node(node).phase.as_str());
        // Whether they are over is not asked here.
        if let Err(halt) = self.named_hooks_of_task(&owner, &scope) {
            self.mark_error(dag.at, &halt.text());
            return Err(halt);
        }
        if !self.node(node).is_completed() {
            return Ok(true);
        }
        match self.run.behaviour.target_hooks {
            TargetHooks::RunAgain => match self.exit_hook(&owner, &scope) {
                Ok(hook) => Ok(self.is_hook_over(hook)),
                Err(halt) => {
                    self.mark_error(dag.at, &halt.text());
                    Err(halt)
                }
            },
            TargetHooks::LookedAt => {
                let hook = self.named(&format!("{name}.onExit"));
                Ok(hook.is_none_or(|hook| self.node(hook).is_fulfilled()))
            }
        }
    }

    fn succeed_dag(&mut self, dag: &Dag, targets: &[usize]) -> Walk {
        let mut scope = super::scope::Scope::of(&dag.template);
        let outputs = &dag.template.template.outputs;
        let gives_nothing = outputs.parameters.is_empty() && outputs.other.get("artifacts").is_none();
        // Outputs that the whole workflow sees are there already where nodes are noted as they end.
        let asked = if self.walks_touched() && gives_nothing { &[] } else { dag.tasks() };
        for task in asked {
            let Some(node) = self.named(&dag.task_node_name(&task.name)) else { continue };
            let prefix = ["tasks.", &task.name].concat();
            if self.node(node).kind == NodeType::TaskGroup {
                let children = self.node(node).children.clone();
                self.aggregate(&mut scope, &prefix, &children).map_err(Halt::Error)?;
            }
            self.node_names(&mut scope, &prefix, node);
            self.node_to_globals(node);
        }
        let outputs = self.template_outputs(&dag.template, &scope).map_err(Halt::Error)?;
        if outputs.is_some() {
            self.run.table.get_mut(dag.at).outputs = outputs.map(Arc::new);
            self.updated = true;
        }
        // An error would be written over in the next line but one.
        self.save_to_cache(dag.at).ok();
        self.set_outbound(dag, targets);
        self.mark(dag.at, NodePhase::Succeeded);
        Ok(())
    }

    fn set_outbound(&mut self, dag: &Dag, targets: &[usize]) {
        let mut outbound = Vec::new();
        for target in targets {
            let name = dag.task_node_name(&dag.tasks()[*target].name);
            if let Some(node) = self.named(&name) {
                outbound.extend(self.outbound_of(node));
            }
        }
        self.run.table.get_mut(dag.at).outbound = outbound;
        self.updated = true;
    }

    /// Whether a node is in an exit handler, by the names around it.
    /// Source: Argo `workflow_types.go`, `NodeStatus.IsPartOfExitHandler`.
    pub(crate) fn is_part_of_handler(&self, at: At) -> bool {
        let mut next = Some(at);
        while let Some(at) = next {
            let node = self.node(at);
            let name = if self.moves_only_forward() {
                without_attempt(node.name.as_str())
            } else {
                node.display_name()
            };
            if name.ends_with(".onExit") {
                return true;
            }
            next = node.boundary;
        }
        false
    }
}

/// The name of a Retry node by that of its attempt: hooks that are retried are hooks all the same.
fn without_attempt(name: &str) -> &str {
    let split = name.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match split {
        Some((start, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => start,
        Some(_) | None => name,
    }
}
