//! A walk of what was touched: the same rules as the controller's walk, applied only where something moved.
//!
//! Each visit does to one node or box what a whole walk would do to it. Nothing here goes down into what is
//! inside: a box that begins is opened, and its members are visits of their own.

use std::collections::BTreeSet;
use std::sync::Arc;

use unwind_model::hooks::LifecycleHooks;
use unwind_model::{NodeName, NodePhase, NodeType, WorkflowPhase};

use super::dag::Dag;
use super::hooks::Owner;
use super::open_steps::OpenSteps;
use super::opened::{Kind, Opened, Standing};
use super::pass::{Halt, Pass};
use super::table::{At, Place};
use super::template::Call;
use super::templates::{self, Prepared};
use super::todo::{Limits, Line, Visit};

impl Pass<'_> {
    /// Everything that follows from what happened, at one instant.
    pub(crate) fn operate_touched(&mut self) {
        if self.begin() {
            let news = self.run.todo.take_news();
            for name in &news {
                self.take_result_of(name);
            }
            if self.lock_workflow() {
                self.walk_touched(&news);
            }
        }
        self.note();
        if !self.updated {
            return;
        }
        self.run.moves += 1;
        self.run.state.progress = self.run.todo.leaves.to_string();
        if self.run.state.phase.is_final() {
            self.release_locks();
        }
        self.clean_up_pods();
    }

    fn walk_touched(&mut self, news: &BTreeSet<NodeName>) {
        self.globals.insert("workflow.duration".to_owned(), self.duration());
        if self.run.state.phase == WorkflowPhase::Unset || self.run.state.started_at.is_none() {
            self.mark_workflow(WorkflowPhase::Running, "");
        }
        self.globals.insert("workflow.status".to_owned(), self.run.state.phase.as_str().to_owned());
        self.deadline = self.workflow_deadline();
        self.note();
        self.sweep();
        for name in news {
            self.look_at(name);
        }
        self.note();
        if self.spec.suspend == Some(true) && !self.shutdown_resumes() {
            return;
        }
        self.run.todo.wake(self.now);
        for visit in self.run.todo.watchers.clone() {
            self.run.todo.push(visit);
        }
        let root = self.named(&self.run.workflow.metadata.name);
        match root {
            Some(root)
                if self.run.todo.is_open(root) || !self.node(root).is_fulfilled() && self.rests(root) => {}
            Some(root) => {
                self.set_outcome(root);
                self.run.todo.push(Visit::Root);
            }
            None => self.run.todo.push(Visit::Root),
        }
        if self.root_watches() {
            self.run.todo.push(Visit::Root);
        }
        self.drain();
        if std::mem::take(&mut self.run.todo.asks_agent) {
            self.ask_agent();
        }
    }

    /// Looks at everything once a shutdown was asked, the deadline has passed, or the run was taken up.
    fn sweep(&mut self) {
        let limits = Limits { shutdown: self.shutdown(), is_past_deadline: self.is_past_deadline() };
        if self.run.todo.swept == Some(limits) {
            return;
        }
        let began = self.run.todo.swept.replace(limits).is_some();
        if let Some(deadline) = self.deadline.filter(|deadline| self.now < *deadline) {
            self.run.todo.wake_at(deadline, Visit::Root);
        }
        if !began && self.run.table.all().is_empty() {
            return;
        }
        let pods = self.run.cluster.pods.names();
        for name in pods {
            self.look_at(&name);
        }
        self.fail_without_pods();
        let boxes = self.run.todo.open_boxes().map(|(at, opened)| (at, opened.unfinished()));
        for (at, places) in boxes.collect::<Vec<_>>() {
            for place in places {
                self.run.todo.push(Visit::Member(at, place));
            }
            self.run.todo.push(Visit::Box(at));
        }
        self.run.todo.push(Visit::Root);
    }

    /// Visits until nothing is left to visit.
    fn drain(&mut self) {
        loop {
            self.note();
            let Some(visit) = self.run.todo.pop().or_else(|| self.next_with_room()) else { return };
            match visit {
                Visit::Root => self.visit_root(),
                Visit::Box(at) => self.visit_box(at),
                Visit::Member(at, place) => self.visit_member(at, place),
            }
        }
    }

    fn visit_root(&mut self) {
        if self.run.state.completed {
            return;
        }
        match self.execute_entrypoint() {
            Ok(Some(root)) => self.after_root(root),
            Ok(None) | Err(Halt::Parallelism) => {}
            Err(halt) => self.refuse_entrypoint(&halt),
        }
    }

    fn visit_member(&mut self, at: At, place: Place) {
        let Some(mut opened) = self.run.todo.take(at) else { return };
        if matches!(opened.kind, Kind::Dag(_)) {
            self.visit_task(&mut opened, place);
        } else {
            self.visit_step(&mut opened, place);
        }
        self.run.todo.put(at, opened);
    }

    fn visit_box(&mut self, at: At) {
        let Some(mut opened) = self.run.todo.take(at) else { return };
        if opened.running == 0 && !self.node(at).is_fulfilled() {
            if matches!(opened.kind, Kind::Dag(_)) {
                self.visit_dag(&opened);
            } else {
                self.visit_steps(&mut opened);
            }
        }
        if self.node(at).is_fulfilled() {
            self.run.todo.blocked_in.remove(&at);
            self.end_daemons(Some(at));
            self.release_if_over(at);
        } else {
            self.run.todo.put(at, opened);
        }
    }

    /// Makes the node of a box and opens it, unless that is done.
    pub(crate) fn open_box(&mut self, call: &Call<'_>, template: &Arc<Prepared>) {
        let is_dag = template.kind == templates::Kind::Dag;
        let kind = if is_dag { NodeType::DAG } else { NodeType::Steps };
        let known = self.named(call.name);
        let at = match known {
            Some(at) => at,
            None => self.add_executable(call, kind, NodePhase::Running, template, ""),
        };
        if self.node(at).is_fulfilled() || self.run.todo.is_open(at) {
            return;
        }
        let mut opened = if is_dag {
            Opened::dag(Dag::of(at, call.name, template, call.around.on_exit))
        } else {
            Opened::steps(OpenSteps::of(self.steps_of(at, call, template)))
        };
        for (task, member) in opened.members.iter().enumerate().filter(|_| is_dag) {
            // What is there already was taken up, and may be anything.
            if known.is_some() || member.open_needs == 0 {
                self.run.todo.push(Visit::Member(at, Place::task(task)));
            }
        }
        if known.is_some() {
            self.take_up_places(&opened, at);
            self.take_up_tasks(&mut opened);
        }
        self.run.todo.push(Visit::Box(at));
        self.run.todo.put(at, Box::new(opened));
    }

    /// What was taken up and is over, as a daemon that runs, is not executed again: it gets its place by its name.
    fn take_up_places(&mut self, opened: &Opened, at: At) {
        let length = self.node(at).name.as_str().len();
        for inner in self.run.todo.taken_up.remove(&at).unwrap_or_default() {
            let node = self.node(inner);
            let rest = node.name.as_str().get(length..).unwrap_or_default();
            let place = if node.is_fulfilled() { opened.place_of(rest) } else { None };
            if let Some(place) = place {
                self.put_member(inner, place);
            }
        }
    }

    /// Tasks that are there already were taken up: they count as open until they are visited.
    fn take_up_tasks(&self, opened: &mut Opened) {
        let Kind::Dag(open) = &opened.kind else { return };
        let names = open.dag.tasks().iter().map(|task| open.dag.task_node_name(&task.name));
        let there: Vec<bool> = names.map(|name| self.named(&name).is_some()).collect();
        for (task, _) in there.into_iter().enumerate().filter(|(_, is_there)| *is_there) {
            opened.stands(task, Standing::Open);
        }
    }

    /// Gives a member that was taken up its place.
    pub(crate) fn put_member(&mut self, node: At, place: Place) {
        if self.node(node).place.is_none() {
            self.run.table.get_mut(node).place = Some(place);
        }
    }

    /// Whether nothing can be done for a node that is not over but wait for news of it.
    pub(crate) fn rests(&self, at: At) -> bool {
        let node = self.node(at);
        if node.place.is_none() && node.boundary.is_some() {
            // It was taken up: it is executed once to get its place.
            return false;
        }
        match node.kind {
            NodeType::Pod => self.run.cluster.pods.has(&node.name) && !self.may_time_out(at),
            NodeType::HTTP | NodeType::Plugin => {
                self.run.cluster.tasks.has(&node.name) && !self.may_time_out(at)
            }
            NodeType::DAG | NodeType::Steps => self.run.todo.is_open(at),
            NodeType::Retry => {
                let last = self.attempts(at).last().copied();
                last.is_some_and(|last| !self.node(last).is_fulfilled() && self.rests(last))
            }
            NodeType::Container
            | NodeType::StepGroup
            | NodeType::TaskGroup
            | NodeType::Skipped
            | NodeType::Suspend => false,
        }
    }

    /// Whether a node is Pending under a `timeout`.
    fn may_time_out(&self, at: At) -> bool {
        let node = self.node(at);
        node.phase == NodePhase::Pending
            && node.template.as_ref().is_some_and(|template| template.has_timeout())
    }

    /// Has something visited again as soon as there is room for it.
    pub(crate) fn wait_for_room(&mut self, boundary: At, place: Place) {
        let visit = Visit::Member(boundary, place);
        if self.has_room() {
            self.run.todo.blocked_in.entry(boundary).or_default().push(place);
        } else {
            self.run.todo.blocked.push(visit);
        }
    }

    /// The next that has waited for room, if there is room.
    fn next_with_room(&mut self) -> Option<Visit> {
        while let Some(at) = self.run.todo.room.first().copied() {
            let most = self.node(at).template.as_ref().and_then(|template| template.parallelism);
            let has_room = most.is_none_or(|most| i64::from(self.node(at).noted.inside.active) < most);
            let next =
                if has_room { self.run.todo.blocked_in.get_mut(&at).and_then(Line::pop) } else { None };
            match next {
                Some(place) => return Some(Visit::Member(at, place)),
                None => self.run.todo.room.remove(&at),
            };
        }
        if self.has_room() { self.run.todo.blocked.pop() } else { None }
    }

    /// Whether the workflow's parallelism lets another pod run.
    fn has_room(&self) -> bool {
        let most = self.spec.parallelism().ok().flatten().filter(|most| *most > 0);
        most.is_none_or(|most| self.run.todo.active_pods < most)
    }

    /// Gives back the lock of a node that is over.
    pub(crate) fn release_if_over(&mut self, at: At) {
        if self.node(at).is_fulfilled() {
            self.release_node_lock(at);
        }
    }

    /// Has an owner visited at every event while an expression of its hooks asks for what any event may move.
    pub(crate) fn watch_hooks(&mut self, owner: &Owner<'_>, visit: Visit, is_over: bool) {
        if is_over {
            self.run.todo.watchers.remove(&visit);
            return;
        }
        if asks_for_the_workflow(owner.hooks) {
            self.run.todo.watchers.insert(visit);
        }
    }

    /// Whether a hook of the workflow asks for what any event may move.
    fn root_watches(&self) -> bool {
        asks_for_the_workflow(&self.spec.hooks)
    }
}

/// Whether an expression of hooks asks for names of the workflow that change while it runs.
fn asks_for_the_workflow(hooks: &LifecycleHooks) -> bool {
    let moves = |text: &str| ["duration", "failures", "outputs"].iter().any(|name| text.contains(name));
    hooks.iter().any(|(_, hook)| {
        let expression = hook.ok().and_then(|hook| hook.expression);
        expression.is_some_and(|text| text.contains("workflow") && moves(&text))
    })
}
