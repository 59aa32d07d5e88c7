//! The order of hooks: after their owner, after all that is inside it, after its other hooks; the
//! workflow's handler last of all.
//!
//! For one hook the nearest exit hooks inside its owner are looked at one by one, and the leaf
//! that ended last inside it. A hook that never ran is looked through to those inside its owner.
//! So every node is visited once, whatever the depth.

use unwind_model::Timestamp;

use super::scene::{Began, End, Scene};
use super::{FindingKind, Found, Holds, Rule};
use crate::plan::Role;

/// Of a set of leaves: the one that matters most for what must wait for all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Last {
    /// One that has not ended.
    open: Option<usize>,
    /// One of which nothing tells when it ended, or whose clock is odd.
    unknown: Option<usize>,
    /// The one that ended last, as far as is known for sure.
    ended: Option<(Timestamp, usize)>,
    /// The one that may have ended last.
    until: Option<(Timestamp, usize)>,
}

impl Last {
    pub(super) fn join(self, other: Self) -> Self {
        Self {
            open: self.open.or(other.open),
            unknown: self.unknown.or(other.unknown),
            ended: later(self.ended, other.ended),
            until: later(self.until, other.until),
        }
    }

    pub(super) fn of(scene: &Scene<'_>, at: usize) -> Self {
        let mut last = Self::default();
        match scene.end(at) {
            End::At(ended) => {
                last.ended = Some((ended.from, at));
                last.until = Some((ended.to, at));
            }
            End::Unknown | End::Odd => last.unknown = Some(at),
            End::Open => last.open = Some(at),
        }
        last
    }

    /// Its members, worst first.
    pub(super) fn members(self) -> impl Iterator<Item = usize> {
        let [ended, until] = [self.ended, self.until].map(|last| last.map(|(_, at)| at));
        [self.open, ended, until.filter(|_| until != ended), self.unknown].into_iter().flatten()
    }
}

/// The later of two; the first of equal ones.
fn later(a: Option<(Timestamp, usize)>, b: Option<(Timestamp, usize)>) -> Option<(Timestamp, usize)> {
    match (a, b) {
        (Some(a), Some(b)) if b.0 > a.0 => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

/// `lasts[i]`: of everything inside span `i`, hooks included, that `counts`.
pub(super) fn last_inside(scene: &Scene<'_>, counts: impl Fn(usize) -> bool) -> Vec<Last> {
    let mut lasts = vec![Last::default(); scene.spans.len()];
    for &at in scene.tree.downward.iter().rev() {
        if let Some(parent) = scene.tree.parent[at] {
            let own = if counts(at) { Last::of(scene, at) } else { Last::default() };
            // The node itself first: of two that are as bad, the outer one is the better witness.
            lasts[parent] = own.join(lasts[at]).join(lasts[parent]);
        }
    }
    lasts
}

/// Verdicts on the order of all hooks that began.
pub(super) fn check(scene: &Scene<'_>, found: &mut Found) {
    let leaves = last_inside(scene, |at| scene.is_leaf(at));
    let programs = last_inside(scene, |at| scene.is_program(at));
    for hook in 0..scene.spans.len() {
        let rule = match scene.spans[hook].role {
            Role::ExitHook => Rule::InsideOut,
            Role::Handler => Rule::HandlerLast,
            Role::Root | Role::Work | Role::NamedHook => continue,
        };
        let Some(owner) = scene.tree.owner[hook] else {
            continue;
        };
        if scene.began(owner) == Began::No || scene.was_refused(hook) {
            continue;
        }
        let mut checks = Checks { scene, programs: &programs, list: Vec::new() };
        checks.after_owner(hook, owner);
        checks.inside_out(hook, owner, rule, leaves[owner]);
        for &named in &scene.tree.named[owner] {
            if !scene.was_refused(named) {
                checks.add(hook, named, Rule::NamedHooksFirst);
            }
        }
        checks.tell(hook, found);
    }
}

/// What one hook had to wait for: the other node, the rule, and what it came to.
struct Checks<'a> {
    scene: &'a Scene<'a>,
    /// `programs[i]`: the last of the programs inside span `i`.
    programs: &'a [Last],
    list: Vec<(usize, Rule, Holds)>,
}

impl Checks<'_> {
    fn add(&mut self, hook: usize, earlier: usize, rule: Rule) {
        self.list.push((earlier, rule, self.after(hook, earlier)));
    }

    /// Whether `hook` began after `earlier` had ended. Where the end of a box cannot tell, since it
    /// is noted in the pass in which the hook begins, the programs inside it may.
    fn after(&self, hook: usize, earlier: usize) -> Holds {
        let scene = self.scene;
        let holds = scene.after(hook, earlier);
        if holds != Holds::CannotTell || !matches!(scene.end(earlier), End::At(_)) {
            return holds;
        }
        if scene.is_box(earlier) {
            let programs = self.programs[earlier].members();
            return programs.map(|at| scene.after(hook, at)).max().unwrap_or(holds);
        }
        if scene.is_program(earlier) { holds } else { Holds::Kept }
    }

    /// A hook begins after its owner has ended. Both in one second is kept: the hook is made
    /// because the end was seen.
    fn after_owner(&mut self, hook: usize, owner: usize) {
        let holds = match self.scene.after(hook, owner) {
            Holds::CannotTell if matches!(self.scene.end(owner), End::At(_)) => Holds::Kept,
            holds => holds,
        };
        self.list.push((owner, Rule::AfterOwner, holds));
    }

    /// A hook begins after everything inside its owner has ended.
    fn inside_out(&mut self, hook: usize, owner: usize, rule: Rule, leaves: Last) {
        for inner in nearest_hooks(self.scene, owner) {
            self.add(hook, inner, rule);
        }
        let so_far = self.list.iter().filter(|check| check.1 == rule).map(|check| check.2).max();
        let mut worst = None;
        for leaf in leaves.members().chain(self.programs[owner].members()) {
            let holds = self.after(hook, leaf);
            if worst.is_none_or(|(_, worst)| holds > worst) {
                worst = Some((leaf, holds));
            }
        }
        if let Some((leaf, holds)) = worst
            && Some(holds) > so_far
        {
            self.list.push((leaf, rule, holds));
        }
    }

    /// One verdict each, and at most one finding for the hook, with the strongest witness.
    fn tell(self, hook: usize, found: &mut Found) {
        let scene = self.scene;
        let witnesses = |earlier| vec![scene.begin_of(hook), scene.end_of(earlier)];
        let name = scene.name(hook);
        for &(earlier, rule, holds) in &self.list {
            found.verdict(name, rule, holds, witnesses(earlier));
        }
        // Of those as bad, the one that went on longest; anything inside the owner before itself.
        let strength = |check: &&(usize, Rule, Holds)| {
            let ended = match scene.end(check.0) {
                End::Open => i64::MAX,
                End::At(ended) => ended.to.millis(),
                End::Unknown | End::Odd => i64::MIN,
            };
            (check.1 != Rule::AfterOwner, ended)
        };
        let worst = |holds: Holds| {
            let of_holds = self.list.iter().filter(move |check| check.2 == holds);
            of_holds.max_by_key(strength)
        };
        if let Some(check) = worst(Holds::Broken) {
            let kind = FindingKind::HookOrder;
            found.finding(kind, name, Some(check.1), witnesses(check.0));
        } else if let Some(check) = worst(Holds::CannotTell)
            && matches!(scene.end(check.0), End::At(_))
            && !matches!(scene.end(hook), End::Odd)
        {
            let kind = FindingKind::OrderUnknown;
            found.finding(kind, name, Some(check.1), witnesses(check.0));
        }
    }
}

/// Exit hooks that ran inside `owner` and have no hook that ran between them and it.
fn nearest_hooks(scene: &Scene<'_>, owner: usize) -> Vec<usize> {
    let mut hooks = Vec::new();
    let mut open: Vec<usize> = scene.tree.insides[owner].iter().rev().copied().collect();
    while let Some(at) = open.pop() {
        match scene.tree.exit[at] {
            Some(hook) if !scene.was_refused(hook) => hooks.push(hook),
            Some(_) | None => open.extend(scene.tree.insides[at].iter().rev()),
        }
    }
    hooks
}
