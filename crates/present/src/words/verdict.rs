//! Verdicts, rules and findings in words.

use unwind_engine::trace::Source;
use unwind_engine::verdict::{FindingKind, Rule};

use crate::format;

/// A leaf or box that the stop ended.
pub const ENDED_BY_STOP: &str = "Ended by the stop";
/// A leaf that Terminate ended.
pub const ENDED_BY_TERMINATE: &str = "Ended by the terminate";
/// An owner that was in order, in general.
pub const ENDED_LAST: &str = "Ended after everything inside it";
/// The handler that was in order.
pub const HANDLER_LAST: &str = "The workflow’s own handler came last";
/// A leaf that ended by itself.
pub const ENDED_ITSELF: &str = "Ended by itself";

/// The slot of a hook that had to run.
pub const NEVER_RAN: &str = "never ran";

/// The rule that stands beside a verdict.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::NothingNewButExitHooks => "Stop starts nothing new but exit hooks",
        Rule::ExitHookRunsOnce => "A task that began and ended runs its exit hook once",
        Rule::NoHookWithoutOwner => "A task that did not run runs no hook",
        Rule::BoxEndsLast => "A box ends after everything inside it",
        Rule::InsideOut => "Exit hooks run from the inside out, each to its end",
        Rule::AfterOwner => "A hook begins after its owner has ended",
        Rule::NamedHooksFirst => "Other hooks end before the exit hook begins",
        Rule::EveryNodeEnds => "Every node reaches a final phase",
        Rule::HandlerLast => "The workflow’s own handler comes last",
    }
}

/// The first words of a callout about a finding.
pub fn finding_title(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::LeftUnfinished => "Left unfinished",
        FindingKind::EarlyEnd => "Ended too early",
        FindingKind::HookMissing => "Never ran",
        FindingKind::HookUnwanted => "Should not have run",
        FindingKind::HookOrder => "Began too early",
        FindingKind::OrderUnknown => "Cannot tell",
        FindingKind::Clock => "Ends before it starts",
        FindingKind::MaskedFailure => "A failure is hidden",
        FindingKind::StopIgnored => "The stop is not acted on",
        FindingKind::StopUnsafe => "Will not run after Stop",
        FindingKind::NoNodes => "No nodes",
        FindingKind::LinkMissing => "Nobody’s child",
        FindingKind::PresetShutdown => "Asks for its own shutdown",
        FindingKind::LockHeld => "Still holds a lock",
        FindingKind::Unresolved => "Not filled in",
        FindingKind::Contradiction => "Witnesses disagree",
    }
}

/// An exit hook of a leaf that was in order.
pub fn kept_hook_of_leaf(owner: &str) -> String {
    format!("Began after {owner} had ended, ran once")
}

/// An exit hook of a box that was in order.
pub fn kept_hook_of_box(owner: &str) -> String {
    format!("Began after everything inside {owner} had ended")
}

/// An owner that ended after the one exit hook inside it.
pub fn ended_after_hook(inner_owner: &str) -> String {
    format!("Ended after {inner_owner}’s hook")
}

/// Two hooks that may overlap.
pub fn allowed_overlap(hook: &str) -> String {
    format!("Overlaps {hook}: neither is inside the other")
}

/// A node that was not in a final phase when its workflow was over.
pub fn left_over(phase: &str) -> String {
    format!("Left {phase}: the workflow is over, this will not move")
}

/// A node that is not in a final phase although everything inside it has ended.
pub fn left_unfinished(phase: &str) -> String {
    format!("Left {phase}: everything inside has ended, itself it never did")
}

/// A node inside a box that has ended, so that the controller never looks at it again.
pub fn left_frozen(phase: &str, around: &str) -> String {
    format!("Left {phase}: {around} around it has ended, this will not move")
}

/// Main work that began although a stop was under way.
pub const BEGAN_AFTER_STOP: &str = "Began after the stop";

/// A box that ended before something inside it.
pub fn early_end(time: &str, inner: &str) -> String {
    format!("Ended at {time} while {inner} inside it had not")
}

/// An exit hook that has no node.
pub fn hook_missing(owner: &str) -> String {
    format!("{owner} began, so it had to run once: no node exists")
}

/// An exit hook of which a part has no node.
pub fn hook_part_missing(owner: &str, part: &str) -> String {
    format!("{owner} began, so it had to run once: {part} of it never ran")
}

/// A hook whose owner did not run.
pub fn hook_unwanted(owner: &str) -> String {
    format!("Ran although {owner} did not")
}

/// A hook that began some time before an inner one, or its owner, had ended.
pub fn hook_order(early_ms: i64, inner: &str) -> String {
    format!("Began {} before {inner} had ended", format::duration(early_ms))
}

/// A hook that began before an inner one, which never ended.
pub fn hook_order_open(inner: &str) -> String {
    format!("Began while {inner} had not ended")
}

/// A hook that began before an inner one, which never ran.
pub fn hook_order_missing(inner: &str) -> String {
    format!("Began although {inner} never ran")
}

/// A hook that began together with one further inside.
pub fn hook_order_together(inner: &str) -> String {
    format!("Began in one pass with {inner}, further inside")
}

/// An order that the times do not tell.
pub fn order_unknown(inner: &str) -> String {
    format!("Began in the second in which {inner} ended")
}

/// What to do about an order that the times do not tell.
pub const ORDER_UNKNOWN_NEXT: &str = "Add the controller log or the event stream to decide.";

/// A node that ends before it starts.
pub fn clock(ms: i64) -> String {
    format!("Ends {} before it starts: clocks differ, so its order proves nothing", format::duration(ms))
}

/// A good phase over a failure.
pub fn masked_failure(phase: &str, node: &str, tries: usize) -> String {
    let after = match tries {
        0 | 1 => String::new(),
        tries => format!(" after {tries} tries"),
    };
    format!("Reported {phase}, but {node} failed{after} and nothing in the manifest allows that")
}

/// Something that did not react to a shutdown.
pub fn stop_ignored(action: &str, time: &str, node: &str, for_ms: Option<i64>) -> String {
    match for_ms {
        Some(ms) => format!("{action} stored at {time}, {node} has not reacted for {}", format::duration(ms)),
        None => format!("{action} stored at {time}, {node} has not reacted"),
    }
}

/// A hook that will not run after a stop.
pub fn stop_unsafe_hook(hook: &str) -> String {
    format!("{hook} will not run after Stop: only hooks named exit do")
}

/// A task that looks like clean-up.
pub fn stop_unsafe_task(task: &str) -> String {
    format!("{task} looks like clean-up, but nothing new begins after Stop")
}

/// A file without its nodes.
pub fn no_nodes(workflow: &str) -> String {
    format!("This file has no nodes. Get it with them: argo get -o json {workflow}")
}

/// A node that nobody names as a child.
pub const LINK_MISSING: &str = "In the file, but nobody’s child: drawn where its name belongs";

/// A manifest that asks for its own shutdown.
pub fn preset_shutdown(strategy: &str) -> String {
    format!("This manifest asks for its own shutdown ({strategy}), so nothing in it would run")
}

/// A lock that is held by what has ended.
pub fn lock_held(waiting: &str, lock: &str, holder: &str, time: &str) -> String {
    format!("{waiting} waits for lock {lock}, held by {holder}, which ended at {time}")
}

/// The same, where nothing here waits for it.
pub fn lock_kept(lock: &str, time: &str) -> String {
    format!("Still named as holder of lock {lock}, although it ended at {time}")
}

/// A value that was not filled in.
pub fn unresolved(field: &str, placeholder: &str) -> String {
    format!("{field} still holds {placeholder}")
}

/// What a witness is called.
pub fn source(source: Source) -> &'static str {
    match source {
        Source::Status => "the status",
        Source::Watch => "the event stream",
        Source::LogV3 | Source::LogV4 => "the controller log",
    }
}

/// What two witnesses say, who do not agree.
pub fn contradiction(first: Source, says: &str, second: Source, other: &str) -> String {
    let (first, second) = (source(first), source(second));
    format!("Witnesses disagree: {first} says {says}, {second} says {other}")
}

/// What is known of a row before anything is judged.
pub mod waiting {
    use crate::format;

    /// An owner that waits for what is inside it.
    pub fn for_inner(inner: &str) -> String {
        format!("Waits for {inner}")
    }

    /// An owner that waits for the exit hook of something inside it.
    pub fn for_hook_of(owner: &str) -> String {
        format!("Waits for {owner}’s exit hook")
    }

    /// A hook that will begin.
    pub fn begins_after(before: &str) -> String {
        format!("Begins when {before} has ended")
    }

    /// What runs, and how long it may still take.
    pub fn running(for_ms: i64, left_ms: Option<i64>) -> String {
        let ran = format::duration(for_ms);
        match left_ms {
            Some(left) => format!("Running for {ran}, about {} to go", format::duration(left)),
            None => format!("Running for {ran}"),
        }
    }

    /// What was made and does not run yet.
    pub fn pending(for_ms: i64) -> String {
        format!("Waiting for {}", format::duration(for_ms))
    }

    /// A hook whose owner has not ended.
    pub fn when_over(owner: &str) -> String {
        format!("Begins when {owner} is over")
    }
}

/// The summary above the timeline.
pub mod sum {
    use crate::format;

    /// All rules were kept.
    pub fn kept(rules: usize) -> String {
        format!("{} kept, 0 broken", format::count(rules, "rule", "rules"))
    }

    /// Some were not, or nobody can tell.
    pub fn counts(broken: usize, kept: usize, cannot_tell: usize) -> String {
        let mut parts = Vec::new();
        for (number, word) in [(broken, "broken"), (kept, "kept"), (cannot_tell, "cannot tell")] {
            if number > 0 {
                parts.push(format!("{} {word}", format::thousands(number)));
            }
        }
        parts.join(", ")
    }

    /// Where the unwinding is.
    pub fn turn(turn: u32, of: u32) -> String {
        format!("Turn {turn} of {of}")
    }

    /// How long the unwinding may still take.
    pub fn to_go(ms: i64) -> String {
        format!("about {} to go", format::duration(ms))
    }

    /// The hooks of one turn, `most` of them by name.
    pub fn hooks_of_turn(hooks: &[String], most: usize) -> String {
        let named = hooks.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
        match hooks.len().saturating_sub(most) {
            0 => named,
            more => format!("{named} and {} more", format::thousands(more)),
        }
    }

    /// Turns that are not listed.
    pub fn more_turns(turns: usize) -> String {
        format!("and {}", format::count(turns, "more turn", "more turns"))
    }

    /// Before any shutdown.
    pub fn planned(hooks: usize) -> String {
        format!("{} planned, none due yet", format::count(hooks, "exit hook", "exit hooks"))
    }

    /// After a run without a shutdown.
    pub fn ran(hooks: usize, turns: u32, broken: usize) -> String {
        format!(
            "{} ran in {}, {broken} broken",
            format::count(hooks, "exit hook", "exit hooks"),
            format::count(turns as usize, "turn", "turns")
        )
    }

    /// Nothing in the workflow has an exit hook.
    pub const NONE: &str = "no exit hooks";
    /// No exit hook had to run.
    pub const NONE_DUE: &str = "no exit hook was due";

    /// The precision of times from a saved status.
    pub const WHOLE_SECONDS: &str = "whole seconds, from a saved status";
    /// The precision of times from a live Argo object.
    pub const WHOLE_SECONDS_LIVE: &str = "whole seconds";
    /// The precision of times that a controller log tells.
    pub const LOG: &str = "milliseconds, from the controller log";
    /// The precision of times where an event stream tells the order beside them.
    pub const WATCH: &str = "whole seconds and the order of messages";
}
