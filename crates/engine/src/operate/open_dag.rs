//! Tasks of an open DAG, each visited when something of it was touched.
//!
//! What a visit does to one task is what the controller's walk does to it (`dag_task`); only who is visited,
//! and when, is decided here.

use unwind_model::{NodePhase, NodeType};

use super::dag_task::Walked;
use super::fill::Expansion;
use super::hooks::Owner;
use super::opened::{Kind, Looped, OpenDag, Opened, Standing};
use super::pass::{Halt, Pass};
use super::table::{At, Place};
use super::todo::Visit;

impl Pass<'_> {
    /// Visits a task, or an item of it, and takes down how the task stands.
    pub(crate) fn visit_task(&mut self, opened: &mut Opened, place: Place) {
        let Kind::Dag(open) = &opened.kind else { return };
        let task = place.task as usize;
        let at = open.dag.at;
        let mut looped = opened.members[task].looped.take();
        let standing =
            if opened.members[task].open_needs > 0 && opened.members[task].standing == Standing::NotBegun {
                let begun = self.named(&open.dag.task_node_name(&open.dag.tasks()[task].name)).is_some();
                if begun { self.stand_of_task(open, place, &mut looped) } else { Standing::NotBegun }
            } else {
                self.stand_of_task(open, place, &mut looped)
            };
        opened.members[task].looped = looped;
        let Kind::Dag(open) = &opened.kind else { return };
        let dependents = open.dependents[task].clone();
        if opened.stands(task, standing) {
            for dependent in dependents {
                let needs = &mut opened.members[dependent as usize].open_needs;
                *needs = needs.saturating_sub(1);
                if *needs == 0 {
                    self.run.todo.push(Visit::Member(at, Place::task(dependent as usize)));
                }
            }
        }
        if opened.running == 0 {
            self.run.todo.push(Visit::Box(at));
        }
    }

    fn stand_of_task(&mut self, open: &OpenDag, place: Place, looped: &mut Option<Box<Looped>>) -> Standing {
        let dag = &open.dag;
        let task = place.task as usize;
        let name = dag.task_node_name(&dag.tasks()[task].name);
        let node = self.named(&name);
        let is_known = node.is_some_and(|node| {
            let is_group = self.node(node).kind == NodeType::TaskGroup;
            (looped.is_some() || !is_group) && (self.node(node).is_fulfilled() || self.rests(node))
        });
        if looped.is_none() && !is_known {
            let Some(resolved) = self.ready_task(dag, task) else {
                return match self.named(&name) {
                    Some(node) => self.stand_of_node(open, task, node),
                    None => Standing::NotBegun,
                };
            };
            match Expansion::of(&resolved) {
                Err(text) => self.refuse_task(dag, task, &name, &text),
                Ok(None) => {
                    if let Walked::Full = self.walk_item(dag, Place::task(task), &resolved, None) {
                        self.wait_for_room(dag.at, Place::task(task));
                    }
                }
                Ok(Some(expansion)) if expansion.len() == 0 => {
                    if self.named(&name).is_none() {
                        let text = "Skipped, empty params";
                        self.add_never(dag, &dag.tasks()[task], &name, NodePhase::Skipped, text);
                        self.connect(dag, task, &name, None);
                    }
                }
                Ok(Some(expansion)) => *looped = Some(Box::new(Looped::of(expansion))),
            }
        }
        if let Some(looped) = looped {
            let group = match self.named(&name) {
                Some(group) => group,
                None => self.add_group(dag, task, &name),
            };
            self.visit_items(open, place, group, looped);
        }
        match self.named(&name) {
            Some(node) => self.stand_of_node(open, task, node),
            None => Standing::NotBegun,
        }
    }

    /// Visits one item, or begins those that have not begun, as far as there is room.
    fn visit_items(&mut self, open: &OpenDag, place: Place, group: At, looped: &mut Looped) {
        let dag = &open.dag;
        let item = place.item as usize;
        if place.item != Place::WHOLE && item < looped.over.len() {
            self.visit_item(open, place, group, looped);
        } else {
            while !looped.all_begun() {
                self.note();
                let place = Place::item(place.task as usize, looped.over.len());
                if !self.visit_item(open, place, group, looped) {
                    break;
                }
            }
        }
        let is_cut = self.is_cut(dag.at, &dag.template, dag.on_exit);
        if looped.open == 0 && (looped.all_begun() || is_cut) && !self.node(group).is_fulfilled() {
            let names = (0..looped.expansion.len()).map(|item| looped.expansion.name(item));
            self.end_group(dag, group, &mut { names });
        }
    }

    /// `false`: it has not begun, and so will no later one.
    fn visit_item(&mut self, open: &OpenDag, place: Place, group: At, looped: &mut Looped) -> bool {
        let dag = &open.dag;
        let (task, item) = (place.task as usize, place.item as usize);
        let name = dag.task_node_name(&looped.expansion.name(item));
        let node = self.named(&name);
        if node.is_none_or(|node| !self.node(node).is_fulfilled() && !self.rests(node)) {
            if node.is_none() && self.is_cut(dag.at, &dag.template, dag.on_exit) {
                return false;
            }
            let filled = match self.scope_of_task(dag, task) {
                Ok(scope) => looped.expansion.task(item, &scope.over(&self.globals)),
                Err(text) => Err(text),
            };
            let walked = match filled {
                Ok(filled) => self.walk_item(dag, place, &filled, Some(group)),
                Err(text) => {
                    self.refuse_item(dag, place, (&name, &looped.expansion.name(item)), group, &text);
                    Walked::Never
                }
            };
            if let Walked::Full = walked {
                self.wait_for_room(dag.at, place);
                if self.named(&name).is_none() {
                    return false;
                }
            }
        }
        let Some(node) = self.named(&name) else { return false };
        self.put_member(node, place);
        self.release_if_over(node);
        let spec = &dag.tasks()[task];
        let has_hook = !spec.hooks.is_empty() || !spec.on_exit.is_empty();
        let is_fulfilled = self.node(node).is_fulfilled();
        let filled = if is_fulfilled && has_hook {
            let scope = self.scope_of_task(dag, task).ok();
            scope.and_then(|scope| looped.expansion.task(item, &scope.over(&self.globals)).ok())
        } else {
            None
        };
        let is_over = is_fulfilled && self.item_hook_over(dag, task, node, filled.as_ref());
        looped.stands(item, is_over);
        true
    }

    /// An item whose tags cannot be filled in.
    fn refuse_item(
        &mut self,
        dag: &super::dag::Dag,
        place: Place,
        (name, item): (&str, &str),
        group: At,
        text: &str,
    ) {
        let node = if let Some(node) = self.named(name) {
            self.mark_error(node, text);
            node
        } else {
            self.connect(dag, place.task as usize, name, Some(group));
            let mut task = dag.tasks()[place.task as usize].clone();
            item.clone_into(&mut task.name);
            self.add_never(dag, &task, name, NodePhase::Error, text)
        };
        let node = self.run.table.get_mut(node);
        node.place = Some(place);
        node.within = Some(group);
    }

    /// Runs the hooks of a task's node that are due; how the task stands.
    /// Source: Argo `dag.go`, `executeDAGTask`.
    fn stand_of_node(&mut self, open: &OpenDag, task: usize, node: At) -> Standing {
        self.put_member(node, Place::task(task));
        let dag = &open.dag;
        let spec = &dag.tasks()[task];
        self.release_if_over(node);
        let (phase, fulfilled) = (self.node(node).phase, self.node(node).is_fulfilled());
        let of = |is_over: bool| if is_over { Standing::Over } else { Standing::Open };
        let has_hooks = !spec.hooks.is_empty() || !spec.on_exit.is_empty();
        if !has_hooks || !fulfilled && phase != NodePhase::Running {
            return of(fulfilled);
        }
        let owner = Owner::task(spec, node, dag);
        let mut scope = match self.scope_of_task(dag, task) {
            Ok(scope) => scope,
            Err(text) => {
                self.mark_error(node, &text);
                return Standing::Over;
            }
        };
        scope.set(["tasks.", &spec.name, ".status"].concat(), phase.as_str());
        self.watch_hooks(&owner, Visit::Member(dag.at, Place::task(task)), fulfilled);
        match self.named_hooks(&owner, &scope) {
            Ok(true) => {}
            Ok(false) => return Standing::Open,
            Err(halt) => {
                self.mark_error(node, &halt.text());
                return Standing::Over;
            }
        }
        let is_due =
            fulfilled && self.node(node).is_completed() && self.node(node).kind != NodeType::TaskGroup;
        if !is_due {
            return of(fulfilled);
        }
        of(self.exit_hook(&owner, &scope).map_or(true, |hook| self.is_hook_over(hook)))
    }

    /// Ends a DAG in which nothing runs any more, if it is over.
    pub(crate) fn visit_dag(&mut self, opened: &Opened) {
        let Kind::Dag(open) = &opened.kind else { return };
        let dag = &open.dag;
        match self.assess_dag(dag, &dag.targets(), true) {
            Ok(()) | Err(Halt::Parallelism) => {}
            Err(halt) => self.mark_error(dag.at, &halt.text()),
        }
    }
}
