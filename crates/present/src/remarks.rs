//! What an analysis found, as sentences: for the command line and for panels.
//!
//! In: parts of an analysis. Out: one sentence each. Source of the wording: `ui.md` section 8.

use std::fmt::Write;

use unwind_engine::analysis::{Held, Outlook, RetryPreview, Told, Why};
use unwind_engine::behaviour::{Basis, Release};
use unwind_engine::forecast::{Decision, IfFails, Outcome, Ranked, Ranking, Way};
use unwind_engine::trace::Trace;
use unwind_engine::verdict::{Cause, Finding, Phases};
use unwind_model::{NodeName, Timestamp};

use crate::estimate::Estimates;
use crate::format::{self, Zone};
use crate::roster::Roster;
use crate::study::Study;
use crate::timeline::Sentences;
use crate::words;
use crate::words::node::short_message;

/// The sentence of a finding, with the full name of its node.
pub fn finding(study: &Study, finding: &Finding, now: Timestamp, zone: Zone) -> String {
    let estimates = Estimates::default();
    let said = Sentences::new(study, now, zone, &estimates).finding(finding);
    format!("{}: {said}", finding.node)
}

/// Where a run went wrong first: `rope failed first (exit code 7) at 09:00:20, in climb / ridge`.
pub fn cause(roster: &Roster, cause: &Cause, zone: Zone) -> String {
    let message = short_message(&roster.message(&cause.message));
    let mut text = format!("{} failed first", roster.label(&cause.node));
    if !message.is_empty() {
        let _ = write!(text, " ({message})");
    }
    if let Some(at) = cause.at {
        let _ = write!(text, " at {}", zone.time(at));
    }
    let path: Vec<String> =
        cause.path.iter().map(|node| roster.label(node)).filter(|label| !label.starts_with('[')).collect();
    if path.is_empty() { text } else { format!("{text}, in {}", path.join(" / ")) }
}

/// Why a run is still running; nothing for an empty chain.
pub fn held_up(roster: &Roster, chain: &[Held], zone: Zone) -> Option<String> {
    let last = chain.last()?;
    let label = roster.label(&last.node);
    let since = last.since.map_or_else(String::new, |at| format!(" since {}", zone.time(at)));
    let said = match &last.why {
        Why::Inside | Why::Hook | Why::Runs => format!("Held up by {label}, running{since}"),
        Why::Waits { message } if message.is_empty() => format!("{label} waits to run{since}"),
        Why::Waits { message } => format!("{label} waits to run{since}: {message}"),
        Why::Person => format!("{label} waits for a person{since}"),
        Why::Lock { lock, holder: Some(holder) } => {
            let label = &last.node;
            format!("{label} waits for lock {lock}, held by {holder}")
        }
        Why::Lock { lock, holder: None } => format!("{label} waits for lock {lock}"),
        Why::Result => format!("{label} has ended, and its result was never reported"),
        Why::HookMissing { hook } => {
            format!("{label} is held up by its hook {}, which is not there", roster.label(hook))
        }
        Why::HookRefused { hook } => {
            format!("{label} is held up by its hook {}, which the shutdown refused", roster.label(hook))
        }
        Why::StopIgnored => "A stop is stored and not acted on".to_owned(),
        Why::Suspended => "The whole workflow is suspended and waits for a resume".to_owned(),
        Why::LeftBehind => {
            format!("Nothing is running. Everything inside {label} has ended, itself it never did")
        }
        Why::NotBegun => "Nothing has begun".to_owned(),
    };
    let inner = chain.iter().skip(1).take(chain.len().saturating_sub(2));
    let path: Vec<String> =
        inner.map(|link| roster.label(&link.node)).filter(|label| !label.starts_with('[')).collect();
    Some(if path.is_empty() { said } else { format!("{said}, in {}", path.join(" / ")) })
}

/// Where what is reported is not what follows from the nodes: the run, then its groups.
pub fn phases(phases: &Phases) -> Vec<(Option<NodeName>, String)> {
    let mut said = Vec::new();
    let tell = |reported: &str, worked_out: &str, because: Option<&NodeName>, of: &str| {
        let because = because.filter(|because| because.as_str() != of);
        let because = because.map_or_else(String::new, |because| format!(", because of {because}"));
        format!("Reported {reported}, worked out {worked_out}{because}")
    };
    let word = |is_final: [bool; 2], worked_out: &'static str| {
        if is_final == [true, false] { "not over" } else { worked_out }
    };
    if phases.differ() {
        let is_final = [phases.reported.is_final(), phases.worked_out.is_final()];
        let worked_out = word(is_final, phases.worked_out.as_str());
        said.push((None, tell(phases.reported.as_str(), worked_out, phases.because.as_ref(), "")));
    }
    for group in phases.groups.iter().filter(|group| group.differs()) {
        let of = group.node.as_str();
        let is_final = [group.reported.is_final(), group.worked_out.is_final()];
        let worked_out = word(is_final, group.worked_out.as_str());
        let text = tell(group.reported.as_str(), worked_out, group.because.as_ref(), of);
        said.push((Some(group.node.clone()), format!("{of}: {text}")));
    }
    said
}

/// What a hook or handler was told, beside how it was.
pub fn told(told: &Told) -> String {
    let Told { node, parameter: _, tag, told, fact, is_right } = told;
    if *is_right {
        return format!("{node} was told {tag} {told}, and so it was");
    }
    let fact = if fact.is_empty() { "nothing" } else { fact };
    format!("{node} was told {tag} {told}, in fact it was {fact}")
}

/// What it is known from, where that is more than the object.
pub fn sources(trace: &Trace) -> Option<String> {
    let words: Vec<&str> = trace.sources.iter().map(|source| words::verdict::source(*source)).collect();
    (!words.is_empty()).then(|| format!("Read from {}", format::list(&words)))
}

/// What a manual retry would run again.
pub fn retry(preview: &RetryPreview) -> String {
    let count = |names: &[NodeName], one: &str, many: &str| format::count(names.len(), one, many);
    let mut text = format!(
        "argo retry would run {} and {} again",
        count(&preview.again, "node", "nodes"),
        count(&preview.hooks, "hook", "hooks")
    );
    if !preview.kept_hooks.is_empty() {
        let _ = write!(text, "; not again, since they have run: {}", names(&preview.kept_hooks));
    }
    text
}

/// `Argo 4.1.2`, with how far that can be relied on.
pub fn release(release: &Release) -> String {
    let basis = match release.basis {
        Basis::Observed => "observed on the real controller",
        Basis::Sources => "read from its sources, not observed",
        Basis::Announced => "announced, not released when this was made",
    };
    let instead =
        if release.is_nearest() { format!(", nearest to {}", release.asked) } else { String::new() };
    format!("Argo {} ({basis}{instead})", release.taken)
}

/// What goes wrong when a release lets a workflow go on, one sentence each: what it is about and why.
pub fn goes_wrong(outlook: &Outlook) -> Vec<(NodeName, String)> {
    let on = format!("On Argo {}", outlook.release.taken);
    // Ways are told of what has begun.
    let by_itself = if outlook.ways.is_some() { ", if nothing more is asked" } else { ", without any stop" };
    wrong(&outlook.goes_on, &on, by_itself)
}

/// The same for tasks that fail.
pub fn goes_wrong_if(outlook: &Outlook) -> Vec<(NodeName, String)> {
    let of = |fails: &IfFails| {
        let on = format!("On Argo {}, if {} fails,", outlook.release.taken, fails.task);
        wrong(&fails.goes_on, &on, "")
    };
    outlook.if_fails.iter().flat_map(of).collect()
}

fn wrong(goes_on: &Ranked, on: &str, by_itself: &str) -> Vec<(NodeName, String)> {
    let mut said = Vec::new();
    for hook in &goes_on.lost {
        said.push((hook.clone(), format!("{on} {hook} never runs{by_itself}")));
    }
    for hook in &goes_on.too_early {
        said.push((hook.clone(), format!("{on} {hook} begins before what is inside its owner has ended")));
    }
    for node in &goes_on.unfinished {
        said.push((node.clone(), format!("{on} {node} is never over")));
    }
    if goes_on.hangs && goes_on.unfinished.is_empty() {
        let root = goes_on.forecast.outcomes.iter().flat_map(|outcome| &outcome.unfinished).next();
        let root = root.cloned().unwrap_or_else(|| NodeName::from(""));
        said.push((root, format!("{on} the workflow never ends")));
    }
    said
}

/// The ways to end a run side by side, the best first, each with its command.
pub fn ways(outlook: &Outlook) -> Vec<(String, String)> {
    outlook.ways.as_ref().map(ranked).unwrap_or_default()
}

/// The same of a ranking alone.
pub fn ranked(ranking: &Ranking) -> Vec<(String, String)> {
    let of = |(place, way): (usize, &Ranked)| {
        let recommended = match (way.is_recommended, place) {
            (true, 0) => ", recommended",
            (true, _) => ", as good",
            (false, _) => "",
        };
        let name = way_name(&way.forecast.way);
        (format!("{name}{recommended}: {}", costs(way)), shell(&way.command))
    };
    ranking.ways.iter().enumerate().map(of).collect()
}

/// A way by its name.
pub fn way_name(way: &Way) -> &'static str {
    match way {
        Way::Stop => "Stop",
        Way::Terminate => "Terminate",
        Way::StopInOrder => "Stop in order",
        Way::GoOn => "Letting it go on",
        Way::Patch(_) => "The patch",
    }
}

/// What a way costs.
fn costs(way: &Ranked) -> String {
    let mut parts = Vec::new();
    if way.hangs {
        parts.push("the workflow never ends".to_owned());
    }
    let kinds = [
        (&way.unfinished, "never over"),
        (&way.lost, "lost or cut short"),
        (&way.too_early, "begin too early"),
        (&way.extra, "run besides, for what would have come next"),
    ];
    for (nodes, word) in kinds {
        if !nodes.is_empty() {
            parts.push(format!("{word}: {}", names(nodes)));
        }
    }
    match (parts.is_empty(), way.forecast.outcomes.iter().all(|outcome| outcome.hooks.is_empty())) {
        (true, true) => "no more hook is due, and everything ends".to_owned(),
        (true, false) => "every hook runs, innermost first, and everything ends".to_owned(),
        (false, _) => parts.join("; "),
    }
}

/// At most six names.
pub(crate) fn names(nodes: &[NodeName]) -> String {
    const MOST: usize = 6;
    let mut text: Vec<String> = nodes.iter().take(MOST).map(ToString::to_string).collect();
    if nodes.len() > MOST {
        text.push(format!("{} more", nodes.len() - MOST));
    }
    text.join(", ")
}

/// A command as it is typed.
pub fn shell(words: &[String]) -> String {
    let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=".contains(c));
    let quoted = |word: &String| if is_plain(word) { word.clone() } else { format!("'{word}'") };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// What decides for an outcome; nothing where it is the only one.
pub fn decided_by(outcome: &Outcome) -> Option<String> {
    let ways: Vec<String> = outcome
        .decided_by
        .iter()
        .filter(|decisions| !decisions.is_empty())
        .map(|decisions| {
            let words: Vec<&str> = decisions.iter().map(|decision| decision_word(*decision)).collect();
            format::list(&words)
        })
        .collect();
    (!ways.is_empty()).then(|| format!("if {}", ways.join(", or if ")))
}

fn decision_word(decision: Decision) -> &'static str {
    match decision {
        Decision::LeafEndsFirst => "what runs is over before the controller looks",
        Decision::LeafStillRuns => "what runs still runs when the controller looks",
        Decision::PodRunsFirst => "what is Pending runs before the controller looks",
        Decision::PodStillPending => "what is Pending is still Pending when the controller looks",
        Decision::HooksWithinOnePass => "hooks come and go between two looks of the controller",
        Decision::HooksSeenRunning => "the controller sees hooks run",
    }
}
