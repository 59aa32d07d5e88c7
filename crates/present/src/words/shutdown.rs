//! The stop preview in words. Source: `ui.md` section 8, "Stop preview".

use unwind_engine::predict::{NotRunReason, Way};

use crate::format;
use crate::rich::Rich;

/// The head of the preview.
pub fn head(way: Way, workflow: &str) -> String {
    match way {
        Way::Stop => format!("Stop {workflow}"),
        Way::Terminate => format!("Terminate {workflow}"),
        Way::GoOn => format!("Go on with {workflow}"),
    }
}

/// The sentence below the head.
pub fn lead(way: Way) -> &'static str {
    match way {
        Way::Stop => "Stop ends what is running and lets exit hooks run, from the inside out.",
        Way::Terminate => "Terminate ends what is running, exit hooks too. Nothing cleans up after it.",
        Way::GoOn => "Nothing is asked: what is running goes on, exit hooks run as their owners end.",
    }
}

/// Sum of what ends: the words behind the number.
pub fn sum_ends(number: usize) -> &'static str {
    if number == 1 { "ends at once" } else { "end at once" }
}

/// Sum of the hooks that run: the words behind the number.
pub fn sum_runs(number: usize) -> &'static str {
    if number == 1 { "runs" } else { "run in order" }
}

/// Sum of what will not run: the words behind the number.
pub const SUM_NOT: &str = "will not run";

/// The callout where our own engine runs the workflow.
pub fn callout_own_engine() -> Rich {
    Rich::new().strong("This machine’s engine keeps this order.")
}

/// The callout where an Argo release runs it.
pub fn callout_argo(version: Option<&str>) -> Rich {
    Rich::new()
        .strong(format!("{} does not keep this order.", argo(version)))
        .and(" Nested DAGs end early on Stop there, so hooks start together and some never run.")
}

/// The callout where a release keeps the order.
pub fn callout_argo_keeps(version: Option<&str>) -> Rich {
    Rich::new().strong(format!("{} keeps this order here.", argo(version)))
}

/// What a release does to the order.
pub struct Breaks<'a> {
    /// Its version.
    pub version: Option<&'a str>,
    /// The workflow never ends.
    pub hangs: bool,
    /// Hooks that never run.
    pub lost: Vec<String>,
    /// Hooks that begin too early.
    pub too_early: Vec<String>,
    /// Nodes that are never over.
    pub unfinished: Vec<String>,
    /// The command of a way that keeps the order.
    pub better: Option<String>,
}

/// The callout where a release does not keep the order: what it does, and what to do instead.
pub fn callout_argo_breaks(breaks: &Breaks) -> Rich {
    const MOST: usize = 4;
    let list = |labels: &[String]| {
        let shown: Vec<&str> = labels.iter().take(MOST).map(String::as_str).collect();
        let more =
            if labels.len() > MOST { format!(" and {} more", labels.len() - MOST) } else { String::new() };
        format!("{}{more}", shown.join(", "))
    };
    let mut text = Rich::new().strong(format!("{} does not keep this order.", argo(breaks.version)));
    for (labels, word) in [
        (&breaks.lost, "Never run"),
        (&breaks.too_early, "Begin too early"),
        (&breaks.unfinished, "Never over"),
    ] {
        if !labels.is_empty() {
            text = text.and(format!(" {word}: {}.", list(labels)));
        }
    }
    if breaks.hangs {
        text = text.and(" The workflow never ends.");
    }
    match &breaks.better {
        Some(command) => text.and(format!(" This keeps it: {command}")),
        None => text,
    }
}

fn argo(version: Option<&str>) -> String {
    version.map_or_else(|| "Argo".to_owned(), |version| format!("Argo {version}"))
}

/// The callout where nothing cleans up.
pub fn callout_no_hooks(ends: usize) -> Rich {
    Rich::plain(format!(
        "No exit hook belongs to anything that has begun: Stop ends {} and nothing cleans up.",
        format::count(ends, "node", "nodes")
    ))
}

/// The callout where the handler is running already and Terminate would cut it off.
pub fn callout_handler_running(handler: &str, for_ms: Option<i64>) -> Rich {
    let running = for_ms.map_or_else(String::new, |ms| format!(", running for {}", format::duration(ms)));
    Rich::plain(format!("Terminate will cut off {handler}{running}"))
}

/// What becomes of a leaf that ends at once.
pub fn end(running_for_ms: Option<i64>, phase: &str) -> String {
    match running_for_ms {
        Some(ms) => format!("running for {}, becomes {phase}", format::duration(ms)),
        None => format!("becomes {phase}"),
    }
}

/// What stands below the workflow's handler instead of a path.
pub const HANDLER_PATH: &str = "workflow handler, always last";
/// What stands beside hooks that share a turn.
pub const ANY_ORDER: &str = "any order";
/// What stands below the list when hooks share a turn.
pub const TURN_HINT: &str =
    "A number is a turn. A hook waits for every hook inside its bracket and for no other.";
/// What stands beside a hook that runs already.
pub const RUNS_ALREADY: &str = "running";

/// Why something will not run. `owner` is the label of the owner where the reason names one.
pub fn not_run(reason: &NotRunReason, is_exit_hook: bool, owner: &str) -> String {
    match reason {
        NotRunReason::NotAnExitHook { .. } => {
            "Not an exit hook: after Stop only hooks named exit run".to_owned()
        }
        NotRunReason::OwnerNotBegun { .. } => format!("{owner} has not begun"),
        NotRunReason::NothingNewBegins => "Nothing new begins after Stop".to_owned(),
        NotRunReason::Terminated if is_exit_hook => "Terminate runs no exit hooks".to_owned(),
        NotRunReason::Terminated => "Terminate runs no hooks of any kind".to_owned(),
    }
}

/// What the foot says of a stop.
pub struct Foot<'a> {
    /// Leaves that end at once.
    pub ends: usize,
    /// Exit hooks that run.
    pub hooks: usize,
    /// The highest turn.
    pub turns: u32,
    /// How long all turns take, when that can be guessed.
    pub about_ms: Option<i64>,
    /// Phase of the workflow afterwards.
    pub phase: &'a str,
    /// Its message afterwards.
    pub message: &'a str,
    /// Who carries it out keeps the order.
    pub keeps_order: bool,
}

/// The foot of a stop.
pub fn foot_stop(foot: &Foot) -> String {
    if !foot.keeps_order {
        return foot_argo(foot);
    }
    let ends = format!(
        "{} {} now",
        format::count(foot.ends, "node", "nodes"),
        if foot.ends == 1 { "ends" } else { "end" }
    );
    let hooks = match (foot.hooks, foot.turns) {
        (0, _) => "no exit hook runs".to_owned(),
        (1, _) => "1 exit hook runs".to_owned(),
        (hooks, turns) if turns as usize == hooks => {
            format!("{hooks} exit hooks run one after the other")
        }
        (hooks, turns) => {
            format!("{hooks} exit hooks run in {}", format::count(turns as usize, "turn", "turns"))
        }
    };
    let begin = match foot.ends {
        0 => capital(&hooks),
        _ => format!("{ends}, then {hooks}"),
    };
    let about = foot
        .about_ms
        .filter(|_| foot.hooks > 0)
        .map_or_else(String::new, |ms| format!(", {}", format::about(ms)));
    let message = if foot.message.is_empty() { String::new() } else { format!(", \"{}\"", foot.message) };
    format!("{begin}{about}. The workflow ends {}{message}.", foot.phase)
}

/// The foot of a stop on a release of Argo of which nothing more is known.
fn foot_argo(foot: &Foot) -> String {
    let about = foot.about_ms.map_or_else(String::new, |ms| format!(", {}", format::about(ms)));
    format!(
        "In this order {} would take {}{about}. On this server some of them may start together or not run.",
        format::count(foot.hooks, "exit hook", "exit hooks"),
        format::count(foot.turns as usize, "turn", "turns"),
    )
}

/// The foot of a terminate.
pub fn foot_terminate(ends: usize, hooks: usize) -> String {
    let ends =
        format!("{} {} now", format::count(ends, "node", "nodes"), if ends == 1 { "ends" } else { "end" });
    match hooks {
        0 => format!("{ends}. No exit hook was due."),
        _ => format!(
            "{ends} and {} {} not run. What they would have removed stays.",
            format::count(hooks, "exit hook", "exit hooks"),
            if hooks == 1 { "does" } else { "do" }
        ),
    }
}

/// The button that confirms.
pub fn confirm(way: Way, hooks: usize, keeps_order: bool) -> String {
    match way {
        Way::Stop if !keeps_order => "Stop anyway".to_owned(),
        Way::Stop if hooks == 0 => "Stop, no hooks".to_owned(),
        Way::Stop => format!("Stop and run {}", format::count(hooks, "hook", "hooks")),
        Way::Terminate => "Terminate, run no hooks".to_owned(),
        Way::GoOn => "Go on".to_owned(),
    }
}

/// The button that confirms where nothing could be foreseen.
pub fn confirm_unforeseen(way: Way) -> String {
    format!("{} without a preview", if way == Way::Terminate { "Terminate" } else { "Stop" })
}

/// The button that changes nothing.
pub const DISMISS: &str = "Keep running";
/// The close button's name for screen readers.
pub const CLOSE: &str = "Close without stopping";

/// The button that shows the other way.
pub fn other_way(way: Way) -> &'static str {
    match way {
        Way::Stop | Way::GoOn => "Terminate…",
        Way::Terminate => "Stop…",
    }
}

/// The tab of a way.
pub fn tab(way: Way) -> &'static str {
    match way {
        Way::Stop => "Right order",
        Way::Terminate => "Terminate",
        Way::GoOn => "Go on",
    }
}

/// Headings of the lists.
pub const ENDS: &str = "Ends at once";
/// Heading of the hooks that run.
pub const WILL_RUN: &str = "Will run, in this order";
/// Heading of what will not run.
pub const WILL_NOT_RUN: &str = "Will not run";

/// Badge on a leaf that a shutdown will end.
pub const BADGE_END: &str = "will end";

/// Badge on a folded item in which several leaves will end.
pub fn badge_ends(number: usize) -> String {
    match number {
        1 => BADGE_END.to_owned(),
        _ => format!("{} will end", format::thousands(number)),
    }
}

/// The stop button once a stop is under way.
pub fn stopping(turn: Option<(u32, u32)>) -> String {
    match turn {
        Some((turn, of)) => format!("Stopping, turn {turn} of {of}"),
        None => "Stopping".to_owned(),
    }
}

/// The stop button once a terminate is under way.
pub const TERMINATING: &str = "Terminating";

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => std::iter::once(first.to_ascii_uppercase()).chain(letters).collect(),
        None => String::new(),
    }
}
