//! The truth line: what is reported, what is worked out, and what comes first of all there is to say.
//!
//! Order: a stop under way, a broken verdict, reported and worked out differ, the first cause, why it
//! is still running. Source: `ui.md` section 4, "Truth line", and section 8.

use unwind_engine::plan::Role;
use unwind_engine::verdict::{FindingKind, Holds};
use unwind_model::{NodeName, NodeType, Shutdown, Timestamp};

use crate::estimate::Estimates;
use crate::format::{self, Zone};
use crate::glyph::Glyph;
use crate::phase::Look;
use crate::rich::Rich;
use crate::roster::MemberIndex;
use crate::study::Study;
use crate::timeline::Sentences;
use crate::unwinding::{Unwinding, is_inside_hook};
use crate::words;

/// The label with the name of who asked last.
const ACTOR: &str = "workflows.argoproj.io/actor";

/// What a truth line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TruthKind {
    /// Reported and worked out are the same.
    Same,
    /// A shutdown is under way.
    Stopping,
    /// The hooks kept their order.
    Kept,
    /// They did not.
    Broken,
    /// Nobody can tell.
    CannotTell,
    /// Reported and worked out differ.
    Differs,
    /// Something failed first.
    Cause,
}

/// The line below the head of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruthLine {
    /// What it is about.
    pub kind: TruthKind,
    /// Its glyph.
    pub glyph: Glyph,
    /// What it says.
    pub text: Rich,
}

/// The truth line of a workflow at `now`.
pub fn truth_line(study: &Study, now: Timestamp, zone: Zone) -> TruthLine {
    let teller = Teller { study, now, zone };
    if let Some(unwinding) = Unwinding::of(study) {
        return line(TruthKind::Stopping, teller.stopping(&unwinding));
    }
    if study.workflow.status.nodes.is_empty() {
        return line(TruthKind::Same, teller.without_nodes());
    }
    if study.judgement.holds == Some(Holds::Broken) {
        return line(TruthKind::Broken, teller.broken());
    }
    if study.is_shut_down() && study.is_over() {
        return match study.judgement.holds {
            Some(Holds::CannotTell) => line(TruthKind::CannotTell, teller.stopped(false)),
            Some(Holds::Kept | Holds::Broken) | None => line(TruthKind::Kept, teller.stopped(true)),
        };
    }
    if study.is_over() {
        return match teller.cause() {
            Some(cause) => line(TruthKind::Cause, cause),
            None => line(TruthKind::Same, teller.same().then(teller.all_kept())),
        };
    }
    line(TruthKind::Same, teller.same().then(teller.held_up_by()))
}

fn line(kind: TruthKind, text: Rich) -> TruthLine {
    let glyph = match kind {
        TruthKind::Same => Glyph::Tie,
        TruthKind::Stopping => Glyph::Stop,
        TruthKind::Kept => Glyph::Kept,
        TruthKind::Broken => Glyph::Broken,
        TruthKind::CannotTell => Glyph::Unknown,
        TruthKind::Differs => Glyph::Differs,
        TruthKind::Cause => Glyph::Failed,
    };
    TruthLine { kind, glyph, text }
}

struct Teller<'a> {
    study: &'a Study,
    now: Timestamp,
    zone: Zone,
}

impl Teller<'_> {
    fn label(&self, index: MemberIndex) -> &str {
        &self.study.roster.member(index).label
    }

    fn reported(&self) -> &'static str {
        Look::of_workflow_phase(self.study.workflow.status.phase).word()
    }

    fn same(&self) -> Rich {
        let phase = self.reported();
        Rich::plain(format!("Reported {phase}, worked out {phase}."))
    }

    fn without_nodes(&self) -> Rich {
        if self.study.workflow.status.phase.is_final() {
            let message = &self.study.workflow.status.message;
            return match message.as_str() {
                "" => self.same(),
                message => self.same().and(format!(" {message}")),
            };
        }
        let message = &self.study.workflow.status.message;
        if self.study.trace.begun.is_none() && message.is_empty() {
            return Rich::plain("Not begun.");
        }
        let phase = self.reported();
        let waits = if message.is_empty() { String::new() } else { format!(" {message}") };
        Rich::plain(format!("Reported {phase}, nothing has begun.{waits}"))
    }

    /// ` at 02:14:31 by on-call`, as far as it is known.
    fn asked(&self) -> String {
        let shutdown = self.study.trace.shutdown;
        let at = shutdown.and_then(|shutdown| Some((shutdown.at?, shutdown.estimated)));
        let when = match at {
            Some((at, false)) => format!(" at {}", self.zone.time(at)),
            Some((at, true)) => format!(" at about {}", self.zone.time(at)),
            None => String::new(),
        };
        let who = self.study.workflow.metadata.labels.get(ACTOR);
        let by = who.map_or_else(String::new, |who| format!(" by {who}"));
        format!("{when}{by}")
    }

    fn stopping(&self, unwinding: &Unwinding) -> Rich {
        let action = unwinding.strategy.as_str();
        let text = Rich::plain(format!("{action} asked{}. ", self.asked()));
        let (now, word) = if unwinding.running.is_empty() {
            (&unwinding.ending, "ending")
        } else {
            (&unwinding.running, "running")
        };
        let text = match (now.as_slice(), unwinding.next.is_empty()) {
            ([], true) => return text.and("Everything inside is being closed."),
            ([], false) => text.and("Coming: "),
            (now, _) => {
                let labels: Vec<&str> = now.iter().map(|index| self.label(*index)).collect();
                let are = if labels.len() == 1 { "is" } else { "are" };
                text.strong(format!("{} {are} {word}", format::list(&labels)))
            }
        };
        let broken = match self.broken_facts() {
            Some(facts) => Rich::plain(" ").wrong(format!("Broken so far: {facts}")).and("."),
            None => Rich::new(),
        };
        let begins = now.is_empty();
        let next = unwinding.next.iter().enumerate().fold(text, |text, (place, index)| {
            let member = self.study.roster.member(*index);
            let then = if begins && place == 0 { "" } else { ", then " };
            match member.role {
                Role::Handler => text.and(format!("{then}the workflow’s handler")),
                Role::Root | Role::Work | Role::ExitHook | Role::NamedHook => {
                    text.and(then).node(&member.name, member.label.clone())
                }
            }
        });
        next.and(".").then(broken)
    }

    /// What is broken in a run that is not over: `l2 is left Running and 1 of 3 exit hooks never ran`.
    fn broken_facts(&self) -> Option<String> {
        if self.study.judgement.holds != Some(Holds::Broken) {
            return None;
        }
        let left = self.outermost(self.found(FindingKind::LeftUnfinished));
        let missing = self.never_ran();
        let left = left.first().map(|node| {
            let look = self.study.roster.find(node).map_or(Look::Running, |at| self.study.look(at));
            format!("{} is left {}", self.study.roster.label(node), look.word())
        });
        let parts: Vec<String> = left.into_iter().chain(missing).collect();
        Some(if parts.is_empty() { "the order of hooks".to_owned() } else { format::list(&parts) })
    }

    fn found(&self, kind: FindingKind) -> Vec<&NodeName> {
        let findings = self.study.judgement.findings.iter();
        findings.filter(|finding| finding.kind == kind).map(|finding| &finding.node).collect()
    }

    fn never_ran(&self) -> Option<String> {
        let missing = self.found(FindingKind::HookMissing).len();
        let due = self.study.turns().len().max(missing);
        (missing > 0)
            .then(|| format!("{missing} of {} never ran", format::count(due, "exit hook", "exit hooks")))
    }

    /// What is not over although the workflow is, or what was out of order.
    fn broken(&self) -> Rich {
        let left = self.outermost(self.found(FindingKind::LeftUnfinished));
        let never = self.never_ran();
        let reported = format!("Reported {}, worked out ", self.reported());
        let tail = self.shutdown_sentence();
        if let Some(node) = left.first() {
            let phase = self.study.roster.find(node).map(|index| self.study.look(index));
            let phase = phase.map_or("Running", Look::word);
            let label = self.study.roster.label(node);
            let more = match left.len() {
                1 => format!("{label} is still {phase}"),
                number => format!("{label} and {} others are still {phase}", number - 1),
            };
            let and = never.map_or_else(String::new, |never| format!(" and {never}"));
            return Rich::plain(reported).wrong(format!("not over: {more}{and}")).and(".").and(tail);
        }
        if let Some(never) = never {
            return self.same().and(" ").wrong(never).and(".").and(tail);
        }
        let early = self.found(FindingKind::HookOrder).len();
        let due = self.study.turns().len();
        if early > 0 {
            let text = format!(
                "{early} of {} began too early",
                format::count(due.max(early), "exit hook", "exit hooks")
            );
            return self.same().and(" ").wrong(text).and(".").and(tail);
        }
        self.same().and(" ").then(self.first_finding()).and(tail)
    }

    fn first_finding(&self) -> Rich {
        let estimates = Estimates::default();
        let sentences = Sentences::new(self.study, self.now, self.zone, &estimates);
        match self.study.judgement.findings.first() {
            Some(finding) => {
                let label = self.study.roster.label(&finding.node);
                let text = sentences.finding(finding);
                Rich::new().node(&finding.node, label).and(": ").wrong(text).and(".")
            }
            None => Rich::new(),
        }
    }

    /// Of these nodes those that lie inside no other of them.
    fn outermost<'n>(&self, nodes: Vec<&'n NodeName>) -> Vec<&'n NodeName> {
        let roster = &self.study.roster;
        let indices: Vec<Option<MemberIndex>> = nodes.iter().map(|n| roster.find(n)).collect();
        let is_outer = |own: Option<MemberIndex>| {
            !indices
                .iter()
                .flatten()
                .any(|other| own.is_some_and(|own| own != *other && roster.encloses(*other, own)))
        };
        let kept = nodes.into_iter().zip(&indices).filter(|(_, own)| is_outer(**own));
        kept.map(|(node, _)| node).collect()
    }

    fn shutdown_sentence(&self) -> String {
        let Some(shutdown) = self.study.trace.shutdown else { return String::new() };
        let asked = self.asked();
        let word = match shutdown.strategy {
            Shutdown::Stop => "Stopped",
            Shutdown::Terminate => "Terminated",
        };
        if asked.is_empty() { String::new() } else { format!(" {word}{asked}.") }
    }

    /// A shutdown that is over.
    fn stopped(&self, is_told: bool) -> Rich {
        let Some(shutdown) = self.study.trace.shutdown else { return self.same() };
        let who = self.study.workflow.metadata.labels.get(ACTOR);
        let by = who.map_or_else(String::new, |who| format!(" by {who}"));
        let when = match shutdown.at {
            Some(at) if shutdown.estimated => format!(" at about {}", self.zone.time(at)),
            Some(at) => format!(" at {}", self.zone.time(at)),
            None => String::new(),
        };
        let word = match shutdown.strategy {
            Shutdown::Stop => "Stopped",
            Shutdown::Terminate => "Terminated",
        };
        let text = Rich::plain(format!("{word}{by}{when}. "));
        let reported = format!("Reported {0}, worked out {0}.", self.reported());
        let hooks = self.study.turns().len();
        if !is_told {
            return text.strong("The times cannot tell the order of all hooks").and(". ").and(reported);
        }
        if shutdown.strategy == Shutdown::Terminate || hooks == 0 {
            return text.strong("No exit hook was due").and(". ").and(reported);
        }
        let all = match hooks {
            1 => "The one exit hook ran".to_owned(),
            hooks => format!("All {hooks} exit hooks ran, innermost first"),
        };
        let text = text.strong(all);
        let took = shutdown.at.and_then(|at| Some(self.last_hook_end()? - at));
        let text = match took {
            Some(ms) if ms >= 0 => text.and(format!(", in {}. ", format::duration(ms))),
            Some(_) | None => text.and(". "),
        };
        text.and(reported)
    }

    fn last_hook_end(&self) -> Option<Timestamp> {
        let hooks = self.study.trace.spans.iter().filter(|span| match span.role {
            Role::ExitHook | Role::Handler => true,
            Role::Root | Role::Work | Role::NamedHook => false,
        });
        hooks.filter_map(|span| span.ended).max()
    }

    /// The leaf that failed first.
    fn cause(&self) -> Option<Rich> {
        let study = self.study;
        let first = study
            .roster
            .indices()
            .filter(|&index| {
                let is_wrong = matches!(study.look(index), Look::Failed | Look::Error);
                is_wrong && !study.roster.is_box(index)
            })
            .min_by_key(|&index| study.node(index).and_then(|node| node.finished_at))?;
        if !matches!(Look::of_workflow_phase(study.workflow.status.phase), Look::Failed | Look::Error) {
            return None;
        }
        let member = study.roster.member(first);
        let node = study.node(first)?;
        let message = words::node::short_message(&study.roster.message(&node.message));
        let mut text = Rich::new().node(&member.name, member.label.clone()).and(" failed first");
        if !message.is_empty() {
            text = text.and(", ").strong(message);
        }
        if let Some(at) = node.finished_at {
            text = text.and(format!(", at {}", self.zone.time(at)));
        }
        let path = study.roster.path_text(first);
        if !path.is_empty() {
            text = text.and(format!(" in {path}"));
        }
        Some(text.and(".").then(self.all_kept()))
    }

    fn all_kept(&self) -> Rich {
        let hooks = self.study.turns().len();
        if self.study.judgement.holds != Some(Holds::Kept) {
            return Rich::new();
        }
        match hooks {
            0 => Rich::new(),
            1 => Rich::plain(" The one exit hook ran in order."),
            _ => Rich::plain(format!(" All {hooks} exit hooks kept their order.")),
        }
    }

    /// Why it is still running.
    fn held_up_by(&self) -> Rich {
        let study = self.study;
        let open: Vec<MemberIndex> = study
            .roster
            .indices()
            .filter(|&index| study.look(index).is_open() && !study.roster.is_box(index))
            .filter(|&index| study.roster.member(index).node_type != NodeType::StepGroup)
            .collect();
        let (main, inside_hooks): (Vec<MemberIndex>, Vec<MemberIndex>) = open
            .into_iter()
            .partition(|&index| !study.roster.member(index).is_hook() && !is_inside_hook(study, index));
        let holding = if main.is_empty() { inside_hooks } else { main };
        let [first, rest @ ..] = holding.as_slice() else { return Rich::new() };
        let member = study.roster.member(*first);
        let begun = study.node(*first).and_then(|node| node.started_at);
        if member.node_type == NodeType::Suspend && rest.is_empty() {
            let since = begun.map_or_else(String::new, |at| format!(" since {}", self.zone.time(at)));
            let name = Rich::plain(" ").node(&member.name, member.label.clone());
            return name.and(format!(" waits for a person{since}."));
        }
        let text = Rich::plain(" Held up by ").node(&member.name, study.roster.clear_label(*first));
        let named = rest.iter().take(2).enumerate().fold(text, |text, (place, index)| {
            let other = study.roster.member(*index);
            let is_last = place + 1 == rest.len();
            text.and(if is_last { " and " } else { ", " }).node(&other.name, study.roster.clear_label(*index))
        });
        match rest.len() {
            0 => {
                let ms = begun.map_or(0, |begun| self.now - begun);
                named.and(format!(", running for {}.", format::duration(ms)))
            }
            1 | 2 => named.and("."),
            more => named.and(format!(" and {} others.", more - 2)),
        }
    }
}
