//! How the lane of one hook looks.

use std::collections::{BTreeMap, BTreeSet};

use unwind_engine::plan::Role;
use unwind_engine::verdict::{FindingKind, Holds};
use unwind_model::{NodeName, Shutdown};

use super::picture::{Clock, LanePaint, Marks, Right};
use crate::hook_state::{Chip, HookState};
use crate::phase::{Look, finding_verdict};
use crate::roster::MemberIndex;
use crate::study::Study;
use crate::token::Token;

/// What is the same for all lanes of one picture.
pub(crate) struct LaneFacts<'a> {
    pub study: &'a Study,
    pub marks: Option<&'a Marks>,
    pub turns: BTreeMap<MemberIndex, u32>,
    /// Nodes of findings that say that something is broken.
    pub broken: BTreeSet<&'a NodeName>,
    /// Nodes that any finding names.
    pub found: BTreeSet<&'a NodeName>,
    /// Nodes that were left unfinished.
    pub left: BTreeSet<&'a NodeName>,
    /// Hooks that had to run and have no node.
    missing: BTreeSet<&'a NodeName>,
}

impl<'a> LaneFacts<'a> {
    pub fn new(study: &'a Study, marks: Option<&'a Marks>) -> Self {
        let mut facts = Self {
            study,
            marks,
            turns: study.turns(),
            broken: BTreeSet::new(),
            found: BTreeSet::new(),
            left: BTreeSet::new(),
            missing: BTreeSet::new(),
        };
        for finding in &study.judgement.findings {
            facts.found.insert(&finding.node);
            if finding_verdict(finding.kind) == Some(Holds::Broken) {
                facts.broken.insert(&finding.node);
            }
            if finding.kind == FindingKind::LeftUnfinished {
                facts.left.insert(&finding.node);
            }
            if finding.kind == FindingKind::HookMissing && study.is_without_node(&finding.node) {
                facts.missing.insert(&finding.node);
            }
        }
        facts
    }

    /// How the lane of `hook` looks. `condition`: when a named hook runs.
    pub fn paint(&self, hook: MemberIndex, condition: Option<&str>) -> LanePaint {
        let member = self.study.roster.member(hook);
        let look = self.look(hook);
        let state = self.state(hook);
        LanePaint {
            node: member.name.clone(),
            id: member.id.clone(),
            look,
            state,
            chip: self.chip(hook, state),
            clock: self.clock(hook),
            right: self.right(hook, state, condition),
        }
    }

    /// The state of a hook, by the rules of the table in `ui.md` section 2.
    pub fn state(&self, hook: MemberIndex) -> HookState {
        let member = self.study.roster.member(hook);
        let node = self.study.node(hook).filter(|node| !Look::of_node(node).is_absent());
        if let Some(marks) = self.marks {
            let may_change = node.is_none_or(|node| !node.phase.is_final());
            if may_change && marks.will_not_run.contains(&member.name) {
                return HookState::WillNotRun;
            }
            if node.is_none() && marks.chosen.contains_key(&member.name) {
                return HookState::Chosen;
            }
        }
        let judged = self.study.judged(&member.name).and_then(|row| row.holds);
        match node {
            None if self.missing.contains(&member.name) => HookState::NeverRan,
            None if self.has_no_turn_any_more(hook) => HookState::DidNotRun,
            None => HookState::Planned,
            Some(node) if node.phase.is_final() => HookState::of_verdict(judged),
            // What began too early stays so, however it ends.
            Some(_) if judged == Some(Holds::Broken) => HookState::Broken,
            Some(_) => HookState::Active,
        }
    }

    /// A hook that did not run and was not due looks omitted, not planned.
    pub fn look(&self, hook: MemberIndex) -> Look {
        match self.state(hook) {
            HookState::DidNotRun => match self.study.look(hook) {
                Look::Planned => Look::Omitted,
                seen => seen,
            },
            HookState::Planned
            | HookState::Chosen
            | HookState::WillNotRun
            | HookState::Active
            | HookState::Ran
            | HookState::Kept
            | HookState::Broken
            | HookState::NeverRan
            | HookState::CannotTell => self.study.look(hook),
        }
    }

    /// The chip of a hook in this state.
    pub fn chip(&self, hook: MemberIndex, state: HookState) -> Option<Chip> {
        let member = self.study.roster.member(hook);
        if !member.is_exit_hook() {
            return None;
        }
        let judged = self.study.judged(&member.name);
        let expected = self.turns.get(&hook).copied();
        let number = match state {
            HookState::WillNotRun | HookState::DidNotRun => None,
            HookState::Chosen => self.marks.and_then(|marks| marks.chosen.get(&member.name).copied()),
            HookState::Planned => expected,
            HookState::NeverRan => {
                return Some(Chip { text: Chip::NEVER.to_owned(), state, is_tied: false });
            }
            HookState::Active
            | HookState::Ran
            | HookState::Kept
            | HookState::Broken
            | HookState::CannotTell => judged.and_then(|row| row.actual_turn).or(expected),
        };
        Some(Chip {
            text: number?.to_string(),
            state,
            is_tied: judged.is_some_and(|row| row.tied) && state != HookState::Chosen,
        })
    }

    fn clock(&self, hook: MemberIndex) -> Option<Clock> {
        let node = self.study.node(hook).filter(|node| !Look::of_node(node).is_absent())?;
        Some(Clock { begun: node.started_at?, ended: node.finished_at })
    }

    fn right(&self, hook: MemberIndex, state: HookState, condition: Option<&str>) -> Option<Right> {
        let quiet = |text: String| Right { text, token: Token::Ink2, is_strong: false };
        match state {
            HookState::WillNotRun => {
                Some(Right { text: state.word().to_owned(), token: Token::Ink2, is_strong: true })
            }
            HookState::NeverRan => {
                Some(Right { text: state.word().to_owned(), token: Token::VerdictBroken, is_strong: false })
            }
            HookState::DidNotRun => Some(quiet(self.why_not(hook))),
            HookState::Planned | HookState::Chosen => condition.map(|condition| quiet(condition.to_owned())),
            HookState::Active
            | HookState::Ran
            | HookState::Kept
            | HookState::Broken
            | HookState::CannotTell => None,
        }
    }

    /// True for a hook without a node that will not get one.
    fn has_no_turn_any_more(&self, hook: MemberIndex) -> bool {
        let member = self.study.roster.member(hook);
        let owner = member.around.map(|owner| self.study.look(owner));
        let owner_never_ran = matches!(owner, Some(Look::Skipped | Look::Omitted));
        let owner_was_planned = owner == Some(Look::Planned);
        let is_shut_down = self.study.is_shut_down();
        let is_terminated = self.is_terminated();
        let is_named = member.role == Role::NamedHook;
        owner_never_ran
            || self.study.is_over()
            || is_terminated
            || is_shut_down && (is_named || owner_was_planned)
    }

    fn is_terminated(&self) -> bool {
        let shutdown = self.study.trace.shutdown;
        shutdown.is_some_and(|shutdown| shutdown.strategy == Shutdown::Terminate)
    }

    fn why_not(&self, hook: MemberIndex) -> String {
        let member = self.study.roster.member(hook);
        let owner = member.around.map(|owner| self.study.look(owner));
        let is_named = member.role == Role::NamedHook;
        match self.study.trace.shutdown.map(|shutdown| shutdown.strategy) {
            _ if owner.is_some_and(Look::is_absent) => "owner did not run".to_owned(),
            Some(Shutdown::Terminate) => "not after Terminate".to_owned(),
            Some(Shutdown::Stop) if is_named => "not after Stop".to_owned(),
            Some(Shutdown::Stop) | None => "did not run".to_owned(),
        }
    }
}
