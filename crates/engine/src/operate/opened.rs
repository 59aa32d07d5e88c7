//! A box that is open, as a walk of what was touched keeps it between events: its members and how each stands.

use super::dag::Dag;
use super::fill::Expansion;
use super::open_steps::OpenSteps;
use super::table::Place;

/// How a member stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It has not begun.
    #[default]
    NotBegun,
    /// It has begun; it or a hook of it is not over.
    Open,
    /// It and its hooks are over.
    Over,
}

/// A member: a task of a DAG or a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Member {
    pub(crate) standing: Standing,
    /// How many of those that it depends on are not over.
    pub(crate) open_needs: u32,
    /// Its items, once it is known that it is a loop.
    pub(crate) looped: Option<Box<Looped>>,
}

/// The items of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Looped {
    pub(crate) expansion: Expansion,
    /// `over[i]`: whether item `i` and its hooks are over. As long as the items that were begun.
    pub(crate) over: Vec<bool>,
    /// How many of those are not.
    pub(crate) open: usize,
}

impl Looped {
    pub(crate) fn of(expansion: Expansion) -> Self {
        Self { expansion, over: Vec::new(), open: 0 }
    }

    /// Takes down how an item stands.
    pub(crate) fn stands(&mut self, item: usize, is_over: bool) {
        if item == self.over.len() {
            self.over.push(true);
        }
        if let Some(known) = self.over.get_mut(item) {
            match (*known, is_over) {
                (true, false) => self.open += 1,
                (false, true) => self.open -= 1,
                (true, true) | (false, false) => {}
            }
            *known = is_over;
        }
    }

    pub(crate) fn all_begun(&self) -> bool {
        self.over.len() == self.expansion.len()
    }
}

/// What kind of box it is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Dag(OpenDag),
    Steps(OpenSteps),
}

/// The tasks of an open DAG.
#[derive(Clone, Debug)]
pub(crate) struct OpenDag {
    pub(crate) dag: Dag,
    /// `dependents[i]`: the tasks that depend on task `i`.
    pub(crate) dependents: Vec<Vec<u32>>,
}

impl OpenDag {
    pub(crate) fn of(dag: Dag) -> Self {
        let mut dependents = vec![Vec::new(); dag.tasks().len()];
        for task in 0..dependents.len() {
            for need in dag.needs(task) {
                dependents[need].push(task as u32);
            }
        }
        Self { dag, dependents }
    }
}

/// An open box.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) kind: Kind,
    pub(crate) members: Vec<Member>,
    /// How many members have begun and are not over.
    pub(crate) running: usize,
}

impl Opened {
    pub(crate) fn dag(dag: Dag) -> Self {
        let of = |task| Member { open_needs: dag.needs(task).count() as u32, ..Member::default() };
        let members = (0..dag.tasks().len()).map(of).collect();
        Self { kind: Kind::Dag(OpenDag::of(dag)), members, running: 0 }
    }

    pub(crate) fn steps(steps: OpenSteps) -> Self {
        let members = vec![Member::default(); steps.declared.len()];
        Self { kind: Kind::Steps(steps), members, running: 0 }
    }

    /// Whose node it is, from its name without that of the box: `.task(0:a)(1)`, `[2].step.onExit`.
    pub(crate) fn place_of(&self, rest: &str) -> Option<Place> {
        let (group, member) = match &self.kind {
            Kind::Dag(_) => ("", rest.strip_prefix('.')?),
            Kind::Steps(_) => rest.strip_prefix('[')?.split_once("].")?,
        };
        let end = member.find(['(', '.']).unwrap_or(member.len());
        let task = match &self.kind {
            Kind::Dag(open) => open.dag.place_of(&member[..end])?.task as usize,
            Kind::Steps(open) => open.number_of(group.parse().ok()?, &member[..end])?,
        };
        let inside = member[end..].strip_prefix('(');
        let item = inside.and_then(|inside| inside.split_once(':')?.0.parse().ok());
        Some(item.map_or(Place::task(task), |item| Place::item(task, item)))
    }

    /// Everything in it that has yet to end.
    pub(crate) fn unfinished(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for (task, member) in self.members.iter().enumerate() {
            if member.standing == Standing::Over {
                continue;
            }
            places.push(Place::task(task));
            let over = member.looped.iter().flat_map(|looped| looped.over.iter().enumerate());
            places.extend(over.filter(|(_, is_over)| !**is_over).map(|(item, _)| Place::item(task, item)));
        }
        places
    }

    /// Takes down how a member stands now. `true`: it is over and was not before.
    pub(crate) fn stands(&mut self, task: usize, standing: Standing) -> bool {
        let known = std::mem::replace(&mut self.members[task].standing, standing);
        self.running += usize::from(standing == Standing::Open);
        self.running -= usize::from(known == Standing::Open);
        standing == Standing::Over && known != Standing::Over
    }
}
