//! The sentence of a row: why it has its verdict, or what it waits for.

use std::collections::BTreeMap;

use unwind_engine::plan::Role;
use unwind_engine::trace::Span;
use unwind_engine::trace::What;
use unwind_engine::verdict::{Detail, Finding, FindingKind, Holds, Instant, Rule, Witness};
use unwind_model::{NodeName, Timestamp, ordered};

use crate::estimate::Estimates;
use crate::format::Zone;
use crate::phase::{Look, finding_verdict};
use crate::roster::MemberIndex;
use crate::study::Study;
use crate::words::node::tells_of_shutdown;
use crate::words::verdict as words;

/// What is said of the nodes of one study.
pub(crate) struct Sentences<'a> {
    pub study: &'a Study,
    now: Timestamp,
    zone: Zone,
    estimates: &'a Estimates,
    /// By their nodes.
    findings: Vec<&'a Finding>,
    /// The verdicts by their nodes.
    rules: Vec<(&'a NodeName, Holds, Rule)>,
    turns: BTreeMap<MemberIndex, u32>,
    /// Exit hooks that ran, for overlaps that are allowed.
    ran: Vec<Ran<'a>>,
}

/// An exit hook that ran, by its begin.
struct Ran<'a> {
    node: &'a NodeName,
    owner: MemberIndex,
    begun: Timestamp,
    ended: Timestamp,
    /// When the last of all up to this one ended.
    last: Timestamp,
}

impl<'a> Sentences<'a> {
    pub fn new(study: &'a Study, now: Timestamp, zone: Zone, estimates: &'a Estimates) -> Self {
        let mut findings: Vec<&Finding> = study.judgement.findings.iter().collect();
        ordered::sort_by(&mut findings, |a, b| a.node.cmp(&b.node));
        let verdicts = study.judgement.verdicts.iter();
        let mut rules: Vec<(&NodeName, Holds, Rule)> =
            verdicts.map(|verdict| (&verdict.node, verdict.holds, verdict.rule)).collect();
        ordered::sort_by(&mut rules, |a, b| a.0.cmp(b.0));
        Self { study, now, zone, estimates, findings, rules, turns: study.turns(), ran: ran(study) }
    }

    /// The span of a node.
    pub fn span(&self, name: &NodeName) -> Option<&'a Span> {
        self.study.span(name)
    }

    /// The finding that decides a node's verdict: the worst about it.
    pub fn deciding(&self, name: &NodeName) -> Option<&'a Finding> {
        let worst = |finding: &Finding| finding_verdict(finding.kind);
        let first = self.findings.partition_point(|finding| finding.node < *name);
        let mut best: Option<&Finding> = None;
        for &finding in self.findings[first..].iter().take_while(|finding| finding.node == *name) {
            if best.is_none_or(|best| worst(finding) > worst(best)) {
                best = Some(finding);
            }
        }
        best
    }

    /// The sentence of a member.
    pub fn of(&self, index: MemberIndex) -> String {
        let name = &self.study.roster.member(index).name;
        let verdict = self.study.judged(name).and_then(|row| row.holds);
        if let Some(finding) = self.deciding(name)
            && (finding_verdict(finding.kind) == verdict || verdict.is_none())
        {
            return self.finding(finding);
        }
        match verdict {
            Some(Holds::Kept) if !self.study.look(index).is_open() => self.kept(index),
            Some(Holds::Kept) | None => self.waiting(index),
            Some(Holds::CannotTell | Holds::Broken) => {
                self.worst_rule(name).map(|rule| words::rule(rule).to_owned()).unwrap_or_default()
            }
        }
    }

    /// The rule that decides a member's verdict.
    pub fn rule(&self, index: MemberIndex) -> Option<Rule> {
        let name = &self.study.roster.member(index).name;
        let of_finding = self.deciding(name).and_then(|finding| finding.rule);
        of_finding.or_else(|| self.worst_rule(name))
    }

    /// The rule of the worst verdict about a node; of equals the last, which is the outermost.
    fn worst_rule(&self, name: &NodeName) -> Option<Rule> {
        let first = self.rules.partition_point(|(node, ..)| *node < name);
        let own = self.rules[first..].iter().take_while(|(node, ..)| *node == name);
        own.max_by_key(|(_, holds, _)| *holds).map(|(_, _, rule)| *rule)
    }

    /// The sentence of a finding.
    pub fn finding(&self, finding: &Finding) -> String {
        let roster = &self.study.roster;
        let label = roster.label(&finding.node);
        let owner = self.owner_label(&finding.node);
        let span = self.span(&finding.node);
        let phase = span.map_or("", |span| span.phase.as_str());
        let other = other_witness(finding);
        let other_label = other.map(|witness| roster.label(&witness.node)).unwrap_or_default();
        match finding.kind {
            FindingKind::LeftUnfinished if self.study.is_over() => words::left_over(phase),
            FindingKind::LeftUnfinished => match self.ended_box_around(&finding.node) {
                Some(around) => words::left_frozen(phase, &around),
                None => words::left_unfinished(phase),
            },
            FindingKind::EarlyEnd => {
                let ended = span.and_then(|span| span.ended).or_else(|| own_time(finding));
                let time = ended.map_or_else(|| "once".to_owned(), |at| self.zone.time(at));
                words::early_end(&time, &other_label)
            }
            // Of a hook that has a node only a part is missing; the other witness is the box it belongs to.
            FindingKind::HookMissing => match other.filter(|_| !is_hook_name(&finding.node)) {
                Some(around) => words::hook_part_missing(&roster.label(&around.node), &label),
                None => words::hook_missing(&owner),
            },
            FindingKind::HookUnwanted => words::hook_unwanted(&owner),
            FindingKind::HookOrder => self.hook_order(finding, other, &other_label),
            FindingKind::OrderUnknown => words::order_unknown(&other_label),
            FindingKind::Clock => {
                let ms = span.and_then(|span| Some(span.begun? - span.ended?)).unwrap_or(0);
                words::clock(ms)
            }
            FindingKind::MaskedFailure => {
                let tries = roster.find(&finding.node).map_or(0, |index| roster.member(index).tries.len());
                let reported = other.and_then(|witness| self.span(&witness.node)).map(|span| span.phase);
                words::masked_failure(reported.map_or("", |phase| phase.as_str()), &label, tries)
            }
            FindingKind::StopIgnored => match finding.rule {
                Some(Rule::NothingNewButExitHooks) => words::BEGAN_AFTER_STOP.to_owned(),
                Some(_) | None => self.stop_ignored(&label),
            },
            FindingKind::StopUnsafe => match roster.find(&finding.node) {
                Some(index) if roster.member(index).is_hook() => words::stop_unsafe_hook(&label),
                Some(_) | None => words::stop_unsafe_task(&label),
            },
            FindingKind::NoNodes => words::no_nodes(&roster.workflow),
            FindingKind::LinkMissing => words::LINK_MISSING.to_owned(),
            FindingKind::PresetShutdown => {
                let strategy = self.study.workflow.spec.shutdown;
                words::preset_shutdown(strategy.map_or("Stop", |strategy| strategy.as_str()))
            }
            FindingKind::LockHeld | FindingKind::Unresolved | FindingKind::Contradiction => {
                self.detailed(finding)
            }
        }
    }

    /// The sentence of a finding that names something.
    fn detailed(&self, finding: &Finding) -> String {
        match &finding.detail {
            Some(Detail::Lock { lock, waiting }) => {
                let time = own_time(finding).map_or_else(|| "some time".to_owned(), |at| self.zone.time(at));
                match waiting {
                    Some(waiting) => words::lock_held(waiting.as_str(), lock, finding.node.as_str(), &time),
                    None => words::lock_kept(lock, &time),
                }
            }
            Some(Detail::Value { field, placeholder }) => words::unresolved(field, placeholder),
            Some(Detail::Says { says: [first, second] }) => {
                let (own, other) = (self.said(&first.what), self.said(&second.what));
                words::contradiction(first.source, &own, second.source, &other)
            }
            None => String::new(),
        }
    }

    fn said(&self, what: &What) -> String {
        match what {
            What::Begun(at) => format!("begun at {}", self.zone.time(*at)),
            What::Ended(at) => format!("ended at {}", self.zone.time(*at)),
            What::Phase(phase) => phase.clone(),
            What::Nothing => "there is no such node".to_owned(),
        }
    }

    fn hook_order(&self, finding: &Finding, other: Option<&Witness>, other_label: &str) -> String {
        let begun = self.span(&finding.node).and_then(|span| span.begun);
        let Some(other) = other else { return words::rule(Rule::InsideOut).to_owned() };
        let other_begun = self.span(&other.node).and_then(|span| span.begun);
        match (begun, other.at) {
            (Some(begun), Some(ended)) if ended > begun => words::hook_order(ended - begun, other_label),
            (Some(_), _) if begun == other_begun => words::hook_order_together(other_label),
            (_, None) if self.span(&other.node).is_none() => words::hook_order_missing(other_label),
            (_, None | Some(_)) => words::hook_order_open(other_label),
        }
    }

    fn stop_ignored(&self, label: &str) -> String {
        let shutdown = self.study.trace.shutdown;
        let action = shutdown.map_or("Stop", |shutdown| shutdown.strategy.as_str());
        let at = shutdown.and_then(|shutdown| shutdown.at);
        let time = at.map_or_else(|| "some time".to_owned(), |at| self.zone.time(at));
        words::stop_ignored(action, &time, label, at.map(|at| self.now - at))
    }

    /// The innermost box around a node that has ended, so that nobody looks into it any more.
    fn ended_box_around(&self, name: &NodeName) -> Option<String> {
        let mut around = self.span(name)?.boundary.as_ref();
        while let Some(outer) = around {
            let span = self.span(outer)?;
            if span.phase.is_final() {
                return Some(self.study.roster.label(outer));
            }
            around = span.boundary.as_ref();
        }
        None
    }

    fn owner_label(&self, hook: &NodeName) -> String {
        let roster = &self.study.roster;
        let owner = roster.find(hook).and_then(|index| roster.member(index).around);
        if let Some(owner) = owner {
            return roster.member(owner).label.clone();
        }
        let name = hook.as_str();
        roster.label(&NodeName::from(name.strip_suffix(".onExit").unwrap_or(name)))
    }

    fn kept(&self, index: MemberIndex) -> String {
        let roster = &self.study.roster;
        let member = roster.member(index);
        match member.role {
            Role::Handler => words::HANDLER_LAST.to_owned(),
            Role::ExitHook | Role::NamedHook => {
                if let Some(other) = self.allowed_overlap(index) {
                    return words::allowed_overlap(&other);
                }
                let owner = self.owner_label(&member.name);
                if member.around.is_some_and(|owner| roster.is_box(owner)) {
                    words::kept_hook_of_box(&owner)
                } else {
                    words::kept_hook_of_leaf(&owner)
                }
            }
            Role::Root => words::ENDED_LAST.to_owned(),
            Role::Work if roster.is_box(index) => self.ended_last(index),
            Role::Work => self.leaf_ended(index),
        }
    }

    /// A hook that overlapped this one and may.
    fn allowed_overlap(&self, index: MemberIndex) -> Option<String> {
        let roster = &self.study.roster;
        let own = self.span(&roster.member(index).name)?;
        let owner = roster.member(index).around?;
        let (begun, ended) = (own.begun?, own.ended?);
        let before = self.ran.partition_point(|other| other.begun < ended);
        let is_apart = |other: MemberIndex| {
            other != owner && !roster.encloses(other, owner) && !roster.encloses(owner, other)
        };
        let mut overlapping = self.ran[..before].iter().rev().take_while(|other| other.last > begun);
        let other = overlapping.find(|other| other.ended > begun && is_apart(other.owner))?;
        Some(roster.label(other.node))
    }

    fn ended_last(&self, index: MemberIndex) -> String {
        let roster = &self.study.roster;
        let is_exit = |hook: &MemberIndex| roster.member(*hook).is_exit_hook();
        let owners: Vec<MemberIndex> = roster
            .inside(index)
            .iter()
            .copied()
            .filter(|inner| roster.hooks(*inner).iter().any(is_exit))
            .collect();
        match owners[..] {
            [only] if roster.inside(index).len() == 1 => words::ended_after_hook(&roster.member(only).label),
            _ => words::ENDED_LAST.to_owned(),
        }
    }

    fn leaf_ended(&self, index: MemberIndex) -> String {
        let Some(span) = self.span(&self.study.roster.member(index).name) else {
            return String::new();
        };
        let shutdown = self.study.trace.shutdown;
        let stopped_at = shutdown.and_then(|shutdown| shutdown.at);
        let is_wrong = matches!(self.study.look(index), Look::Failed | Look::Error);
        let ended_after = stopped_at.is_some_and(|at| span.ended.is_some_and(|ended| ended >= at));
        let is_stopped = tells_of_shutdown(&span.message) || is_wrong && ended_after;
        match shutdown.filter(|_| is_stopped) {
            Some(shutdown) => match shutdown.strategy {
                unwind_model::Shutdown::Stop => words::ENDED_BY_STOP.to_owned(),
                unwind_model::Shutdown::Terminate => words::ENDED_BY_TERMINATE.to_owned(),
            },
            None => words::ENDED_ITSELF.to_owned(),
        }
    }

    /// What is said while nothing can be judged yet.
    fn waiting(&self, index: MemberIndex) -> String {
        let roster = &self.study.roster;
        let member = roster.member(index);
        let begun = self.study.node(index).and_then(|node| node.started_at);
        let for_ms = begun.map_or(0, |begun| self.now - begun);
        match self.study.look(index) {
            Look::Planned if member.is_exit_hook() => self.begins_after(index),
            Look::Planned | Look::Skipped | Look::Omitted | Look::Succeeded | Look::Failed | Look::Error => {
                String::new()
            }
            Look::Pending => words::waiting::pending(for_ms),
            Look::Running | Look::Suspended if roster.is_box(index) && !member.is_hook() => {
                self.waits_for_inner(index)
            }
            Look::Running | Look::Suspended => {
                let estimate = self.estimates.ms(&member.template).filter(|_| member.is_hook());
                words::waiting::running(for_ms, estimate.map(|ms| (ms - for_ms).max(0)))
            }
        }
    }

    fn begins_after(&self, hook: MemberIndex) -> String {
        let roster = &self.study.roster;
        let Some(owner) = roster.member(hook).around else { return String::new() };
        let mut inner: Option<(MemberIndex, u32)> = None;
        let mut stack: Vec<MemberIndex> = roster.inside(owner).iter().rev().copied().collect();
        while let Some(index) = stack.pop() {
            let look = self.study.look(index);
            let turn = self.turns.get(&index).copied().unwrap_or(0);
            let is_to_come = look == Look::Planned || look.is_open();
            if turn > inner.map_or(0, |(_, highest)| highest) && is_to_come {
                inner = Some((index, turn));
            }
            stack.extend(roster.hooks(index).iter().rev());
            stack.extend(roster.inside(index).iter().rev());
        }
        match inner {
            Some((inner, _)) => words::waiting::begins_after(&roster.member(inner).label),
            None => words::waiting::when_over(&roster.member(owner).label),
        }
    }

    fn waits_for_inner(&self, index: MemberIndex) -> String {
        let roster = &self.study.roster;
        for &inner in roster.inside(index) {
            let look = self.study.look(inner);
            if look.is_open() {
                return words::waiting::for_inner(&roster.member(inner).label);
            }
            let has_hook_due = roster.hooks(inner).iter().any(|hook| {
                let look = self.study.look(*hook);
                let is_due = look == Look::Planned && self.turns.contains_key(hook);
                roster.member(*hook).is_exit_hook() && (look.is_open() || is_due)
            });
            if has_hook_due && !look.is_absent() {
                return words::waiting::for_hook_of(&roster.member(inner).label);
            }
        }
        String::new()
    }
}

/// The exit hooks that ran, by their begins.
fn ran(study: &Study) -> Vec<Ran<'_>> {
    let is_hook = |span: &&Span| matches!(span.role, Role::ExitHook | Role::Handler);
    let hooks = study.trace.spans.iter().filter(is_hook).filter_map(|span| {
        let owner = study.roster.member(study.roster.find(&span.node)?).around?;
        let (begun, ended) = (span.begun?, span.ended?);
        Some(Ran { node: &span.node, owner, begun, ended, last: ended })
    });
    let mut hooks: Vec<Ran> = hooks.collect();
    ordered::sort_by(&mut hooks, |a, b| a.begun.cmp(&b.begun));
    for at in 1..hooks.len() {
        hooks[at].last = hooks[at].ended.max(hooks[at - 1].last);
    }
    hooks
}

/// The witness that is not the node itself: one with a time before one without, the latest.
fn other_witness(finding: &Finding) -> Option<&Witness> {
    let others = finding.witnesses.iter().filter(|witness| witness.node != finding.node);
    match finding.kind {
        // Here the one that never ended is what proves it.
        FindingKind::EarlyEnd => others.min_by_key(|witness| witness.at.is_some()),
        FindingKind::LeftUnfinished
        | FindingKind::HookMissing
        | FindingKind::HookUnwanted
        | FindingKind::HookOrder
        | FindingKind::OrderUnknown
        | FindingKind::Clock
        | FindingKind::MaskedFailure
        | FindingKind::StopIgnored
        | FindingKind::StopUnsafe
        | FindingKind::NoNodes
        | FindingKind::LinkMissing
        | FindingKind::PresetShutdown
        | FindingKind::LockHeld
        | FindingKind::Unresolved
        | FindingKind::Contradiction => others.max_by_key(|witness| witness.at),
    }
}

fn is_hook_name(name: &NodeName) -> bool {
    name.as_str().ends_with(".onExit") || name.as_str().contains(".hooks.")
}

fn own_time(finding: &Finding) -> Option<Timestamp> {
    let own = finding
        .witnesses
        .iter()
        .find(|witness| witness.node == finding.node && witness.instant == Instant::End)?;
    own.at
}
