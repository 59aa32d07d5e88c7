//! Where an unwinding is: which turn, what runs, what comes next.

use std::collections::BTreeMap;

use unwind_engine::plan::Role;
use unwind_engine::verdict::{FindingKind, Holds};
use unwind_model::{NodeName, Shutdown, Timestamp, ordered};

use crate::estimate::{Estimates, all_turns_ms};
use crate::phase::Look;
use crate::roster::MemberIndex;
use crate::study::Study;

/// The state of a shutdown that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwinding {
    /// Stop or Terminate.
    pub strategy: Shutdown,
    /// The highest turn that has begun; 0 before the first.
    pub turn: u32,
    /// The highest turn of all.
    pub of: u32,
    /// Exit hooks that are due, by turn.
    pub due: usize,
    /// Leaves of the main work that are still ending.
    pub ending: Vec<MemberIndex>,
    /// Exit hooks that run, in bracket order.
    pub running: Vec<MemberIndex>,
    /// Exit hooks that will run, by turn.
    pub next: Vec<MemberIndex>,
}

impl Unwinding {
    /// The shutdown of this workflow, when one is under way: it was asked, the workflow is not over,
    /// and something still ends, runs or will run.
    pub fn of(study: &Study) -> Option<Self> {
        let shutdown = study.trace.shutdown?;
        if study.is_over() {
            return None;
        }
        let turns = match shutdown.strategy {
            Shutdown::Stop => study.turns(),
            Shutdown::Terminate => BTreeMap::new(),
        };
        let findings = study.judgement.findings.iter();
        let missing: Vec<&NodeName> = findings
            .filter(|finding| finding.kind == FindingKind::HookMissing)
            .map(|finding| &finding.node)
            .collect();
        let mut unwinding = Self {
            strategy: shutdown.strategy,
            turn: 0,
            of: turns.values().copied().max().unwrap_or(0),
            due: turns.len(),
            ending: Vec::new(),
            running: Vec::new(),
            next: Vec::new(),
        };
        for index in study.roster.bracket_order() {
            let member = study.roster.member(index);
            let look = study.look(index);
            if member.is_exit_hook() {
                match look {
                    look if look.is_open() => unwinding.running.push(index),
                    Look::Planned if turns.contains_key(&index) && !missing.contains(&&member.name) => {
                        unwinding.next.push(index);
                    }
                    _ => {}
                }
                if look != Look::Planned {
                    unwinding.turn = unwinding.turn.max(turns.get(&index).copied().unwrap_or(0));
                }
            } else if look.is_open() && !study.roster.is_box(index) && !is_inside_hook(study, index) {
                unwinding.ending.push(index);
            }
        }
        ordered::sort_by_key(&mut unwinding.next, |hook| turns.get(hook).copied());
        let is_moving = !unwinding.ending.is_empty() || !unwinding.running.is_empty();
        let may_move = study.judgement.holds != Some(Holds::Broken);
        (is_moving || may_move).then_some(unwinding)
    }

    /// How long all of it still takes, when every hook's template is known.
    pub fn to_go_ms(&self, study: &Study, estimates: &Estimates, now: Timestamp) -> Option<i64> {
        let turns = study.turns();
        let coming = self.next.iter().map(|hook| (*hook, 0));
        let running = self.running.iter().map(|hook| {
            let begun = study.node(*hook).and_then(|node| node.started_at);
            (*hook, begun.map_or(0, |begun| now - begun))
        });
        let left = coming.chain(running).map(|(hook, ran_ms)| {
            let estimate = estimates.ms(&study.roster.member(hook).template)?;
            Some((turns.get(&hook).copied().unwrap_or(0), (estimate - ran_ms).max(0)))
        });
        let left: Option<Vec<(u32, i64)>> = left.collect();
        Some(all_turns_ms(left?.into_iter()))
    }
}

/// True for what lies inside an exit hook.
pub(crate) fn is_inside_hook(study: &Study, index: MemberIndex) -> bool {
    let mut at = study.roster.member(index).around;
    while let Some(around) = at {
        let member = study.roster.member(around);
        match member.role {
            Role::ExitHook | Role::Handler => return true,
            Role::NamedHook | Role::Root | Role::Work => at = member.around,
        }
    }
    false
}
