//! The accessible tree: the same nodes as the canvas, as nested items with labels.
//!
//! Source: `ui.md` section 12. An item is nested in what is drawn around it; a hook is nested in its
//! owner, after what is inside that.

use unwind_engine::plan::Role;
use unwind_engine::verdict::Holds;
use unwind_model::{NodeId, NodeName, NodeType, Timestamp};

use crate::format;
use crate::glyph::Glyph;
use crate::graph::{Clock, Folding, LaneFacts, Marks, hook_glyph};
use crate::hook_state::{Chip, HookState};
use crate::phase::{Look, verdict_word};
use crate::roster::MemberIndex;
use crate::study::Study;

/// One item of the tree, in the order it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeItem {
    /// Full name: what a selection holds.
    pub node: NodeName,
    /// Id, once the node is there.
    pub id: Option<NodeId>,
    /// `aria-level`, from 1.
    pub level: usize,
    /// `aria-setsize`: how many items its parent has.
    pub set_size: usize,
    /// `aria-posinset`, from 1.
    pub position: usize,
    /// `aria-expanded`; none for an item that holds nothing.
    pub is_open: Option<bool>,
    /// The whole item in words.
    pub label: String,
    /// How it looks.
    pub look: Look,
    /// Its name.
    pub title: String,
    /// The glyph of a hook.
    pub hook_glyph: Option<Glyph>,
    /// The state of a hook.
    pub state: Option<HookState>,
    /// The number of a hook.
    pub chip: Option<Chip>,
}

/// Where an item of the tree stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreePlace {
    /// What stands there.
    pub member: MemberIndex,
    /// `aria-level`, from 1.
    pub level: usize,
    /// `aria-setsize`: how many items its parent has.
    pub set_size: usize,
    /// `aria-posinset`, from 1.
    pub position: usize,
    /// `aria-expanded`; none for an item that holds nothing.
    pub is_open: Option<bool>,
}

/// The places of all items that are not inside something folded.
pub fn places(study: &Study, folding: &Folding) -> Vec<TreePlace> {
    let roster = &study.roster;
    let mut places = Vec::new();
    let tops: Vec<MemberIndex> = roster.tops().collect();
    let mut stack = level(&tops, 1);
    while let Some((index, depth, position, set_size)) = stack.pop() {
        let is_folded = folding.is_folded(roster, index);
        let mut below: Vec<MemberIndex> = Vec::new();
        if !is_folded {
            below.extend(roster.inside(index));
        }
        below.extend(roster.hooks(index));
        let holds_something = !roster.inside(index).is_empty() || !roster.hooks(index).is_empty();
        let is_open = holds_something.then_some(!is_folded);
        places.push(TreePlace { member: index, level: depth, set_size, position, is_open });
        stack.extend(level(&below, depth + 1));
    }
    places
}

/// The items that are not inside something folded. `marks`: what an open preview says.
pub fn tree(study: &Study, folding: &Folding, marks: Option<&Marks>, now: Timestamp) -> Vec<TreeItem> {
    items(study, &places(study, folding), marks, now)
}

/// The items at `places`. `marks`: what an open preview says.
pub fn items(study: &Study, places: &[TreePlace], marks: Option<&Marks>, now: Timestamp) -> Vec<TreeItem> {
    let facts = LaneFacts::new(study, marks);
    let highest = facts.turns.values().copied().max().unwrap_or(0);
    let item = |place: &TreePlace| {
        let member = study.roster.member(place.member);
        let state = member.is_hook().then(|| facts.state(place.member));
        TreeItem {
            node: member.name.clone(),
            id: member.id.clone(),
            level: place.level,
            set_size: place.set_size,
            position: place.position,
            is_open: place.is_open,
            label: label(place.member, &facts, highest, now),
            look: if member.is_hook() { facts.look(place.member) } else { study.look(place.member) },
            title: member.label.clone(),
            hook_glyph: member.is_hook().then(|| hook_glyph(member.role)),
            state,
            chip: state.and_then(|state| facts.chip(place.member, state)),
        }
    };
    places.iter().map(item).collect()
}

/// The items as text, one line each, drawn as `argo get` draws them.
pub fn text(items: &[TreeItem]) -> String {
    let mut text = String::new();
    // Whether something follows on each level above.
    let mut goes_on: Vec<bool> = Vec::new();
    for item in items {
        goes_on.truncate(item.level.saturating_sub(1));
        for follows in goes_on.iter().skip(1) {
            text.push_str(if *follows { "│  " } else { "   " });
        }
        let is_last = item.position == item.set_size;
        if item.level > 1 {
            text.push_str(if is_last { "└─ " } else { "├─ " });
        }
        goes_on.push(!is_last);
        let mark = match item.look {
            Look::Succeeded => "✔",
            Look::Failed => "✖",
            Look::Error => "⚠",
            Look::Running => "●",
            Look::Suspended => "‖",
            Look::Pending => "◷",
            Look::Skipped | Look::Omitted => "○",
            Look::Planned => "·",
        };
        text.push_str(mark);
        text.push(' ');
        text.push_str(&item.label);
        text.push('\n');
    }
    text
}

/// Members of one level, last first, as they are pushed.
fn level(members: &[MemberIndex], depth: usize) -> Vec<(MemberIndex, usize, usize, usize)> {
    let set_size = members.len();
    let numbered = members.iter().enumerate().rev();
    numbered.map(|(place, index)| (*index, depth, place + 1, set_size)).collect()
}

/// An item in words: "level2.onExit, exit hook of level2, turn 2 of 4, Running for 5 s, kept so far".
fn label(index: MemberIndex, facts: &LaneFacts, highest: u32, now: Timestamp) -> String {
    let study = facts.study;
    let roster = &study.roster;
    let member = roster.member(index);
    let mut parts = vec![member.label.clone()];
    let owner = member.around.map(|owner| roster.member(owner).label.as_str());
    match (member.role, owner) {
        (Role::ExitHook, Some(owner)) => parts.push(format!("exit hook of {owner}")),
        (Role::NamedHook, Some(owner)) => parts.push(format!("hook of {owner}")),
        (Role::Handler, _) => parts.push("the workflow’s exit hook".to_owned()),
        (Role::Root, _) => parts.push(type_word(member.node_type).to_owned()),
        (Role::Work | Role::ExitHook | Role::NamedHook, _) => {
            if roster.is_box(index) {
                parts.push(type_word(member.node_type).to_owned());
            }
        }
    }
    if let Some(turn) = facts.turns.get(&index) {
        parts.push(format!("turn {turn} of {highest}"));
    }
    let look = if member.is_hook() { facts.look(index) } else { study.look(index) };
    parts.push(phase_and_time(index, study, look, now));
    if member.tries.len() > 1 {
        parts.push(format::count(member.tries.len(), "try", "tries"));
    }
    if member.is_hook() {
        match facts.state(index) {
            HookState::WillNotRun => parts.push("will not run".to_owned()),
            HookState::Chosen => parts.push("will run".to_owned()),
            HookState::NeverRan => parts.push("never ran".to_owned()),
            HookState::Planned
            | HookState::DidNotRun
            | HookState::Active
            | HookState::Ran
            | HookState::Kept
            | HookState::Broken
            | HookState::CannotTell => {}
        }
    }
    if facts.marks.is_some_and(|marks| marks.will_end.contains(&member.name)) {
        parts.push("will end".to_owned());
    }
    let is_left = facts.left.contains(&member.name);
    if is_left {
        parts.push(format!("left {}", look.word()));
    }
    let holds = study.judged(&member.name).and_then(|row| row.holds);
    match holds {
        Some(Holds::Kept) if look.is_open() => parts.push("kept so far".to_owned()),
        Some(holds) if !look.is_absent() || holds != Holds::Kept => {
            parts.push(verdict_word(holds).to_ascii_lowercase());
        }
        Some(_) | None => {}
    }
    parts.join(", ")
}

fn phase_and_time(index: MemberIndex, study: &Study, look: Look, now: Timestamp) -> String {
    let node = study.node(index).filter(|_| !look.is_absent());
    let clock = node.and_then(|node| Some(Clock { begun: node.started_at?, ended: node.finished_at }));
    match clock {
        Some(clock) if look.is_open() => format!("{} for {}", look.word(), clock.short_text(now)),
        Some(clock) => format!("{} after {}", look.word(), clock.short_text(now)),
        None => look.word().to_owned(),
    }
}

fn type_word(node_type: NodeType) -> &'static str {
    match node_type {
        NodeType::DAG => "DAG",
        NodeType::Steps => "Steps",
        NodeType::StepGroup => "step group",
        NodeType::TaskGroup => "items",
        NodeType::Retry => "retried task",
        NodeType::Suspend => "suspend",
        NodeType::HTTP => "http",
        NodeType::Plugin => "plugin",
        NodeType::Pod | NodeType::Container | NodeType::Skipped => "pod",
    }
}
