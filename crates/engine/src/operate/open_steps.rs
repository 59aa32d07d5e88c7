//! Groups of open steps, one after the other; members visited when something of them was touched.
//!
//! What a visit does to one step is what the controller's walk does to it (`steps`); only who is visited,
//! and when, is decided here.

use std::collections::BTreeMap;
use std::sync::Arc;

use unwind_model::spec::Task;
use unwind_model::{NodePhase, NodeType};

use super::dag::goes_on;
use super::fill::{Expansion, Unresolved};
use super::hooks::Owner;
use super::opened::{Kind, Looped, Opened, Standing};
use super::pass::{Halt, Pass, Walk};
use super::steps::{Refusal, Steps};
use super::table::{At, Place};
use super::todo::Visit;

/// Steps that are open.
#[derive(Clone, Debug)]
pub(crate) struct OpenSteps {
    pub(crate) steps: Steps,
    /// All steps as they are declared, group after group.
    pub(crate) declared: Vec<Task>,
    /// `first[g]`: number of the first step of group `g`; the last one is how many steps there are.
    first: Vec<usize>,
    /// The group that runs now.
    current: usize,
    /// Its node, once it is there.
    group: Option<At>,
    /// `resolved[i]`: step `i` of the group that runs, counted from its first, with its tags filled in.
    resolved: Vec<Arc<Task>>,
    /// Why the group ends as soon as nothing in it runs; nothing of it begins any more.
    refusal: Option<Refusal>,
    /// Daemons of groups that are over, by the number of their step.
    daemons: BTreeMap<usize, Arc<Task>>,
}

impl OpenSteps {
    pub(crate) fn of(steps: Steps) -> Self {
        let groups = steps.template.template.steps.as_deref().unwrap_or_default();
        let mut declared = Vec::new();
        let mut first = vec![0];
        for group in groups {
            declared.extend_from_slice(&group.0);
            first.push(declared.len());
        }
        Self {
            steps,
            declared,
            first,
            current: 0,
            group: None,
            resolved: Vec::new(),
            refusal: None,
            daemons: BTreeMap::new(),
        }
    }

    /// Number of a step of a group by its name.
    pub(super) fn number_of(&self, group: usize, name: &str) -> Option<usize> {
        let numbers = *self.first.get(group)?..*self.first.get(group + 1)?;
        let first = numbers.start;
        self.declared[numbers].iter().position(|step| step.name == name).map(|at| first + at)
    }

    /// The first refusal decides.
    fn refuse(&mut self, refusal: Refusal) {
        self.refusal.get_or_insert(refusal);
    }

    fn groups(&self) -> usize {
        self.first.len() - 1
    }

    /// Numbers of the steps of the group that runs.
    fn running(&self) -> std::ops::Range<usize> {
        self.first[self.current]..self.first[self.current + 1]
    }
}

impl Pass<'_> {
    /// Goes on with steps in which nothing runs any more.
    pub(crate) fn visit_steps(&mut self, opened: &mut Opened) {
        if let Err(halt) = self.go_on_with_steps(opened)
            && let Kind::Steps(open) = &opened.kind
            && halt != Halt::Parallelism
        {
            self.mark_error(open.steps.at, &halt.text());
        }
    }

    fn go_on_with_steps(&mut self, opened: &mut Opened) -> Walk {
        loop {
            let Kind::Steps(open) = &mut opened.kind else { return Ok(()) };
            if open.current == open.groups() {
                if opened.running > 0 {
                    return Ok(());
                }
                return self.succeed_steps(&open.steps, open.groups());
            }
            let group = match open.group {
                Some(group) => group,
                None => match self.begin_group(open, &mut opened.members) {
                    // Its members are visited first.
                    Some(group) if !self.node(group).is_fulfilled() => {
                        self.take_up_members(opened, group);
                        return Ok(());
                    }
                    Some(group) => group,
                    None => return Ok(()),
                },
            };
            if opened.running > 0 {
                return Ok(());
            }
            if !self.end_of_group(opened, group) {
                return Ok(());
            }
            let Kind::Steps(open) = &mut opened.kind else { return Ok(()) };
            let (phase, message) = (self.node(group).phase, self.node(group).message.clone());
            let name = open.steps.group_name(open.current);
            if matches!(phase, NodePhase::Failed | NodePhase::Error) {
                let unhooked = self.keep_daemons(open, &name);
                if unhooked.is_empty() {
                    self.end_steps(&open.steps, open.groups(), phase, &message);
                } else {
                    self.look_at_members(opened, unhooked);
                }
                return Ok(());
            }
            let members = open.declared[open.running()].to_vec();
            self.group_names(&mut open.steps, &name, &members)?;
            let unhooked = self.keep_daemons(open, &name);
            open.current += 1;
            open.group = None;
            self.look_at_members(opened, unhooked);
        }
    }

    /// Steps count as open until they are visited.
    fn look_at_members(&mut self, opened: &mut Opened, steps: Vec<usize>) {
        let Kind::Steps(open) = &opened.kind else { return };
        let at = open.steps.at;
        for number in steps {
            opened.stands(number, Standing::Open);
            self.run.todo.push(Visit::Member(at, Place::task(number)));
        }
    }

    /// Makes the node of the group that comes next, and queues its members. `None`: it does not begin now, or
    /// the steps are over.
    fn begin_group(&mut self, open: &mut OpenSteps, members: &mut [super::opened::Member]) -> Option<At> {
        let number = open.current;
        let name = open.steps.group_name(number);
        let (at, on_exit) = (open.steps.at, open.steps.on_exit);
        if number > 0 && self.named(&name).is_none() && self.is_cut(at, &open.steps.template, on_exit) {
            let text = self.cut_text();
            self.end_steps(&open.steps, open.groups(), NodePhase::Failed, &text);
            return None;
        }
        let group = self.open_group(&open.steps, number, &name);
        let running = open.running();
        let resolved = match self.resolve_group(&open.steps, &open.declared[running.clone()]) {
            Ok(resolved) => resolved,
            Err(Unresolved::Waits) => {
                self.run.todo.watchers.insert(Visit::Box(at));
                return None;
            }
            Err(Unresolved::Never(text)) => {
                self.mark_error(group, &format!("failed to resolve references: {text}"));
                open.group = Some(group);
                return Some(group);
            }
        };
        open.group = Some(group);
        open.resolved = resolved.into_iter().map(Arc::new).collect();
        // Nothing of a group begins when one of its loops cannot be made.
        let mut expansions = Vec::with_capacity(open.resolved.len());
        for step in &open.resolved {
            match self.expansion_of(&open.steps, step) {
                Ok(expansion) => expansions.push(expansion),
                Err(text) => {
                    self.mark_error(group, &text);
                    return Some(group);
                }
            }
        }
        for ((step, number), expansion) in open.resolved.clone().iter().zip(running).zip(expansions) {
            match expansion {
                None => {}
                Some(expansion) if expansion.len() > 0 => {
                    members[number].looped = Some(Box::new(Looped::of(expansion)));
                }
                Some(_) => {
                    let node = format!("{name}.{}", step.name);
                    if self.named(&node).is_none() {
                        let text = "Skipped, empty params";
                        let place = (group, Place::task(number));
                        self.add_member(&open.steps, place, &node, step, NodePhase::Skipped, text);
                    }
                }
            }
            self.run.todo.push(Visit::Member(at, Place::task(number)));
        }
        self.run.todo.push(Visit::Box(at));
        Some(group)
    }

    /// The items of a loop. What they are filled in with differs in the item alone: the first one tells.
    fn expansion_of(&self, steps: &Steps, step: &Task) -> Result<Option<Expansion>, String> {
        let expansion = Expansion::of(step)?;
        if let Some(expansion) = expansion.as_ref().filter(|expansion| expansion.len() > 0) {
            expansion.task(0, &steps.scope.over(&self.globals))?;
        }
        Ok(expansion)
    }

    /// Members that are there already were taken up: they count as open until they are visited.
    fn take_up_members(&self, opened: &mut Opened, group: At) {
        let Kind::Steps(open) = &opened.kind else { return };
        let of_group = &self.node(group).name;
        let mut there = Vec::new();
        for (step, number) in open.resolved.iter().zip(open.running()) {
            let first = match &opened.members[number].looped {
                Some(looped) if looped.expansion.len() > 0 => looped.expansion.name(0),
                Some(_) | None => step.name.clone(),
            };
            if self.named(&format!("{of_group}.{first}")).is_some() {
                there.push(number);
            }
        }
        for number in there {
            opened.stands(number, Standing::Open);
        }
    }

    /// Gives the group in which nothing runs its phase. `false`: something in it has yet to begin.
    fn end_of_group(&mut self, opened: &Opened, group: At) -> bool {
        let Kind::Steps(open) = &opened.kind else { return false };
        if self.node(group).is_fulfilled() {
            return true;
        }
        if let Some((phase, text)) = &open.refusal {
            self.mark_message(group, *phase, text);
            return true;
        }
        let is_cut = self.is_cut(open.steps.at, &open.steps.template, open.steps.on_exit);
        let members = &opened.members[open.running()];
        if !is_cut && members.iter().any(|member| member.standing != Standing::Over) {
            return false;
        }
        let expected = members
            .iter()
            .map(|member| member.looped.as_ref().map_or(1, |looped| looped.expansion.len()))
            .sum();
        let goes_on = |_: At, node: &super::table::Node| {
            let step = node.place.and_then(|place| open.declared.get(place.task as usize));
            step.is_some_and(|step| goes_on(step, node.phase))
        };
        self.end_step_group(&open.steps, group, &goes_on, expected);
        true
    }

    /// Visits a step, or an item of it, and takes down how the step stands.
    pub(crate) fn visit_step(&mut self, opened: &mut Opened, place: Place) {
        let Kind::Steps(open) = &mut opened.kind else { return };
        let step = place.task as usize;
        if step < open.first[open.current] {
            self.visit_daemon(opened, place);
            return;
        }
        let Some(group) = open.group.filter(|_| open.running().contains(&step)) else { return };
        let number = step - open.running().start;
        let Some(resolved) = open.resolved.get(number).cloned() else { return };
        let member = &mut opened.members[step];
        let standing = match &mut member.looped {
            None => {
                let name = [self.node(group).name.as_str(), ".", &resolved.name].concat();
                self.visit_one(open, (group, place), &name, &resolved)
            }
            Some(looped) => {
                let item = place.item as usize;
                if place.item != Place::WHOLE && item < looped.over.len() {
                    self.visit_step_item(open, (group, place), looped);
                } else {
                    while !looped.all_begun() {
                        self.note();
                        let place = Place::item(step, looped.over.len());
                        if !self.visit_step_item(open, (group, place), looped) {
                            break;
                        }
                    }
                }
                match (looped.open, looped.all_begun()) {
                    (0, true) => Standing::Over,
                    (0, false) => Standing::NotBegun,
                    _ => Standing::Open,
                }
            }
        };
        let at = open.steps.at;
        opened.stands(step, standing);
        if opened.running == 0 {
            self.run.todo.push(Visit::Box(at));
        }
    }

    /// Keeps the daemons of the group that is over. Gives those that have ended and have hooks that are open, as
    /// they are in a run that was taken up.
    fn keep_daemons(&mut self, open: &mut OpenSteps, group: &str) -> Vec<usize> {
        let mut unhooked = Vec::new();
        for (number, step) in open.running().zip(&open.resolved) {
            let Some(node) = self.named(&format!("{group}.{}", step.name)) else { continue };
            let mut children = self.node(node).children.iter().map(|child| self.node(*child));
            let has_open_hook = children.any(|child| child.is_hooked() && !child.is_fulfilled());
            let is_daemon = self.node(node).daemoned;
            if is_daemon || has_open_hook {
                open.daemons.insert(number, Arc::clone(step));
            }
            if has_open_hook && !is_daemon {
                unhooked.push(number);
            }
        }
        unhooked
    }

    /// A member of a group that is over: a daemon that has ended may have a hook.
    fn visit_daemon(&mut self, opened: &mut Opened, place: Place) {
        let Kind::Steps(open) = &mut opened.kind else { return };
        let step = place.task as usize;
        let number = open.first.partition_point(|first| *first <= step) - 1;
        let group = open.steps.group_name(number);
        let name = format!("{group}.{}", open.declared[step].name);
        let (Some(group), Some(daemon)) = (self.named(&group), open.daemons.get(&step).cloned()) else {
            return;
        };
        let standing = self.visit_one(open, (group, place), &name, &daemon);
        let at = open.steps.at;
        opened.stands(step, standing);
        if opened.running == 0 {
            self.run.todo.push(Visit::Box(at));
        }
    }

    /// `false`: it has not begun, and so will no later one.
    fn visit_step_item(
        &mut self,
        open: &mut OpenSteps,
        (group, place): (At, Place),
        looped: &mut Looped,
    ) -> bool {
        let item = place.item as usize;
        let name = format!("{}.{}", self.node(group).name, looped.expansion.name(item));
        let filled = looped.expansion.task(item, &open.steps.scope.over(&self.globals));
        let standing = match filled {
            Ok(filled) => self.visit_one(open, (group, place), &name, &filled),
            Err(text) => {
                open.refuse((NodePhase::Error, text));
                return false;
            }
        };
        if standing == Standing::NotBegun {
            return false;
        }
        looped.stands(item, standing == Standing::Over);
        true
    }

    /// Begins or follows one step with its hooks.
    fn visit_one(
        &mut self,
        open: &mut OpenSteps,
        (group, place): (At, Place),
        name: &str,
        step: &Task,
    ) -> Standing {
        let node = self.named(name);
        if node.is_none() && open.refusal.is_some() {
            return Standing::NotBegun;
        }
        if node.is_none_or(|node| !self.node(node).is_fulfilled() && !self.rests(node)) {
            self.has_no_room = false;
            match self.execute_member(&open.steps, (group, place), name, step) {
                Ok(None) => {}
                Ok(Some(refusal)) => open.refuse(refusal),
                Err(halt) => open.refuse((NodePhase::Error, halt.text())),
            }
            if std::mem::take(&mut self.has_no_room) {
                self.wait_for_room(open.steps.at, place);
            }
        }
        let Some(node) = self.named(name) else { return Standing::NotBegun };
        self.put_member(node, place);
        self.add_child(group, node);
        self.stand_of_step(open, place, node, step)
    }

    /// Runs the hooks of a step's node that are due; how the step stands.
    /// Source: Argo `steps.go`, `executeStepGroup`.
    fn stand_of_step(&mut self, open: &mut OpenSteps, place: Place, node: At, step: &Task) -> Standing {
        self.release_if_over(node);
        let (phase, fulfilled) = (self.node(node).phase, self.node(node).is_fulfilled());
        let of = |is_over: bool| if is_over { Standing::Over } else { Standing::Open };
        if step.hooks.is_empty() && step.on_exit.is_empty() || self.node(node).kind == NodeType::Skipped {
            return of(fulfilled);
        }
        let status = ["steps.", self.node(node).display_name(), ".status"].concat();
        let steps = &mut open.steps;
        steps.scope.set(status, phase.as_str());
        let owner = Owner::step(step, node, steps.at, steps.holder());
        self.watch_hooks(&owner, Visit::Member(steps.at, place), fulfilled);
        match self.named_hooks(&owner, &steps.scope) {
            Ok(true) => {}
            Ok(false) => return Standing::Open,
            Err(halt) => {
                open.refuse((NodePhase::Error, halt.text()));
                return of(fulfilled);
            }
        }
        if !fulfilled || !self.node(node).is_completed() {
            return of(fulfilled);
        }
        match self.exit_hook(&owner, &steps.scope) {
            Ok(hook) => of(self.is_hook_over(hook)),
            Err(halt) => {
                open.refuse((NodePhase::Error, halt.text()));
                Standing::Over
            }
        }
    }
}
