//! How each item of the graph looks now.

use unwind_model::{NodeStatus, NodeType};

use super::lane::LaneFacts;
use super::picture::{Badge, Clock, ItemPaint, Marks, Picture, Right};
use super::structure::{Item, ItemKind, Structure};
use crate::format;
use crate::hook_state::{DASH_LEFT, DASH_PLANNED, LineStyle};
use crate::phase::Look;
use crate::roster::MemberIndex;
use crate::study::Study;
use crate::text_width::{self, Face};
use crate::token::Token;
use crate::words;

/// Paints a structure that was built from the same study. `marks`: what an open preview says.
/// Linear in members.
pub fn paint(structure: &Structure, study: &Study, marks: Option<&Marks>) -> Picture {
    let facts = LaneFacts::new(study, marks);
    let hidden = Hidden::of(structure, &facts);
    let items = structure
        .items
        .iter()
        .enumerate()
        .map(|(place, item)| paint_item(item, &facts, &hidden.by_item[place]))
        .collect();
    let is_moving = study.workflow.status.nodes.values().any(|node| !node.phase.is_final());
    Picture { items, label: label(study), is_moving: is_moving && !study.is_over() }
}

/// What folded items stand for.
struct Hidden {
    by_item: Vec<HiddenInside>,
}

#[derive(Clone, Default)]
struct HiddenInside {
    looks: Vec<Look>,
    will_end: usize,
    is_broken: bool,
}

impl Hidden {
    fn of(structure: &Structure, facts: &LaneFacts) -> Self {
        let (study, marks) = (facts.study, facts.marks);
        let mut by_item = vec![HiddenInside::default(); structure.items.len()];
        for index in study.roster.indices() {
            if !structure.is_hidden(index) {
                continue;
            }
            let Some(place) = structure.place(index) else { continue };
            let inside = &mut by_item[place.item.place()];
            let member = study.roster.member(index);
            if !study.roster.is_box(index) {
                inside.looks.push(study.look(index));
            }
            if marks.is_some_and(|marks| marks.will_end.contains(&member.name)) {
                inside.will_end += 1;
            }
            inside.is_broken |= facts.broken.contains(&member.name);
        }
        Self { by_item }
    }
}

fn paint_item(item: &Item, facts: &LaneFacts, hidden: &HiddenInside) -> ItemPaint {
    let study = facts.study;
    let member = study.roster.member(item.member);
    let node = study.node(item.member);
    let look = shown_look(item, facts);
    let is_left = is_left_unfinished(item.member, facts);
    let will_end = facts.marks.is_some_and(|marks| marks.will_end.contains(&member.name));
    let ends = hidden.will_end + usize::from(will_end);
    let worst = hidden.looks.iter().copied().min_by_key(|look| rank(*look));
    let outline = match item.kind {
        _ if is_left => dashed(Token::VerdictBroken, 1.5, DASH_LEFT),
        _ if ends > 0 => solid(Token::Stop, 1.5),
        ItemKind::Folded if hidden.is_broken => solid(Token::VerdictBroken, 1.5),
        ItemKind::Folded => folded_outline(look, worst),
        ItemKind::Box => box_outline(look),
        ItemKind::Leaf => leaf_outline(look),
    };
    let is_planned = look == Look::Planned;
    ItemPaint {
        node: member.name.clone(),
        id: member.id.clone(),
        look,
        outline,
        fill: (!look.is_absent()).then_some(Token::Surface),
        glyph_ground: look.has_soft_ground().then(|| look.soft()),
        ink: match look {
            Look::Planned => Token::Ink3,
            Look::Skipped | Look::Omitted => Token::Ink2,
            Look::Pending
            | Look::Running
            | Look::Suspended
            | Look::Succeeded
            | Look::Failed
            | Look::Error => Token::Ink,
        },
        frame: if is_planned { dashed(Token::Ink3, 1.0, DASH_PLANNED) } else { solid(Token::BoxBorder, 1.0) },
        second: second_line(item, facts, node, look),
        clock: clock(node, look),
        right: is_left.then(|| Right {
            text: format!("left {}", look.word()),
            token: Token::VerdictBroken,
            is_strong: true,
        }),
        tries: tries(item.member, study),
        badge: (ends > 0).then(|| Badge { text: words::shutdown::badge_ends(ends) }),
        counts: counts(&hidden.looks),
        lanes: item.lanes.iter().map(|lane| facts.paint(lane.member, lane.condition.as_deref())).collect(),
    }
}

/// A hook that is a box looks as its lane does, everything else as its node.
fn shown_look(item: &Item, facts: &LaneFacts) -> Look {
    if facts.study.roster.member(item.member).is_hook() {
        facts.look(item.member)
    } else {
        facts.study.look(item.member)
    }
}

fn is_left_unfinished(index: MemberIndex, facts: &LaneFacts) -> bool {
    let name = &facts.study.roster.member(index).name;
    facts.left.contains(name) || facts.marks.is_some_and(|marks| marks.left_unfinished.contains(name))
}

fn solid(token: Token, width_px: f64) -> LineStyle {
    LineStyle { token, width_px, dash: &[], has_kink: false }
}

fn dashed(token: Token, width_px: f64, dash: &'static [f64]) -> LineStyle {
    LineStyle { token, width_px, dash, has_kink: false }
}

fn leaf_outline(look: Look) -> LineStyle {
    match look {
        Look::Planned => dashed(Token::Ink3, 1.0, DASH_PLANNED),
        Look::Succeeded | Look::Skipped | Look::Omitted => solid(Token::BoxBorder, 1.0),
        Look::Pending | Look::Running | Look::Suspended | Look::Failed | Look::Error => {
            solid(look.token(), 1.5)
        }
    }
}

fn box_outline(look: Look) -> LineStyle {
    match look {
        Look::Planned => dashed(Token::Ink3, 1.0, DASH_PLANNED),
        Look::Pending
        | Look::Running
        | Look::Suspended
        | Look::Succeeded
        | Look::Failed
        | Look::Error
        | Look::Skipped
        | Look::Omitted => solid(Token::BoxBorder, 1.0),
    }
}

/// Folding never hides what is wrong: the outline is the worst phase inside.
fn folded_outline(own: Look, worst: Option<Look>) -> LineStyle {
    match worst {
        Some(look @ (Look::Failed | Look::Error)) => solid(look.token(), 1.5),
        Some(_) | None if own == Look::Planned => dashed(Token::Ink3, 1.0, DASH_PLANNED),
        Some(_) | None => solid(Token::BoxBorder, 1.0),
    }
}

fn rank(look: Look) -> usize {
    Look::WORST_FIRST.iter().position(|other| *other == look).unwrap_or(usize::MAX)
}

fn counts(looks: &[Look]) -> Vec<(Look, usize)> {
    let number = |look: Look| looks.iter().filter(|other| **other == look).count();
    let all = Look::WORST_FIRST.into_iter().map(|look| (look, number(look)));
    all.filter(|(_, number)| *number > 0).collect()
}

fn clock(node: Option<&NodeStatus>, look: Look) -> Option<Clock> {
    let node = node.filter(|_| !look.is_absent())?;
    Some(Clock { begun: node.started_at?, ended: node.finished_at })
}

fn tries(index: MemberIndex, study: &Study) -> Vec<Look> {
    let tries = &study.roster.member(index).tries;
    if tries.len() < 2 {
        return Vec::new();
    }
    let nodes = tries.iter().filter_map(|id| study.workflow.status.nodes.get(id));
    nodes.map(Look::of_node).collect()
}

fn second_line(item: &Item, facts: &LaneFacts, node: Option<&NodeStatus>, look: Look) -> String {
    let study = facts.study;
    match item.kind {
        ItemKind::Box => return item.type_text.clone(),
        ItemKind::Folded => {
            let is_loop = study.roster.member(item.member).node_type == NodeType::TaskGroup;
            let text = &item.type_text;
            return if is_loop { text.clone() } else { format!("{text}, folded") };
        }
        ItemKind::Leaf => {}
    }
    let text = match look {
        Look::Planned => waits_for(item.member, study).unwrap_or_else(|| item.type_text.clone()),
        Look::Failed | Look::Error | Look::Omitted => node
            .map(|node| {
                let code = node.outputs.exit_code.as_deref();
                words::node::end(&study.roster.message(&node.message), code)
            })
            .filter(|message| !message.is_empty())
            .unwrap_or_else(|| item.type_text.clone()),
        Look::Skipped => match &study.roster.member(item.member).condition {
            Some(condition) => format!("when: {condition}"),
            None => item.type_text.clone(),
        },
        Look::Pending => node
            .map(|node| study.roster.message(&node.message))
            .filter(|message| !message.is_empty())
            .unwrap_or_else(|| item.type_text.clone()),
        Look::Suspended => "waits for a person".to_owned(),
        Look::Running | Look::Succeeded => item.type_text.clone(),
    };
    let card = unwind_layout::measure::LEAF_WIDTH_MAX - unwind_layout::measure::LEAF_BESIDE_TEXT;
    text_width::cut(&text, Face::META, card)
}

/// What a planned leaf waits for.
fn waits_for(index: MemberIndex, study: &Study) -> Option<String> {
    let open: Vec<&str> = study
        .roster
        .member(index)
        .after
        .iter()
        .filter(|&&before| !study.node(before).is_some_and(|node| node.phase.is_final()))
        .map(|&before| study.roster.member(before).label.as_str())
        .collect();
    match open[..] {
        [] => None,
        [one] => Some(format!("waits for {one}")),
        [one, two] => Some(format!("waits for {one} and {two}")),
        [one, ..] => Some(format!("waits for {one} and {} others", open.len() - 1)),
    }
}

fn is_step_group(index: MemberIndex, study: &Study) -> bool {
    study.roster.member(index).node_type == NodeType::StepGroup
}

/// What the whole canvas is called.
fn label(study: &Study) -> String {
    let leaves: Vec<Look> = study
        .roster
        .indices()
        .filter(|&index| !study.roster.is_box(index) && !is_step_group(index, study))
        .map(|index| study.look(index))
        .collect();
    let number = study.roster.indices().filter(|&index| !is_step_group(index, study)).count();
    let counts: Vec<String> = counts(&leaves)
        .into_iter()
        .map(|(look, number)| format!("{} {}", format::thousands(number), look.word()))
        .collect();
    let nodes = format::count(number, "node", "nodes");
    if counts.is_empty() {
        format!("{}, {nodes}", study.roster.workflow)
    } else {
        format!("{}, {nodes}: {}", study.roster.workflow, counts.join(", "))
    }
}
