//! Keys of the graph: along what is drawn, in and out of boxes, fold, zoom.

use leptos::prelude::*;
use unwind_layout::{Point, Rect};
use unwind_model::NodeName;
use web_sys::KeyboardEvent;

use super::pane::Pane;

/// Handles a key; true when it was one of the graph's.
pub fn press(event: &KeyboardEvent, pane: Pane) -> bool {
    let way = match event.key().as_str() {
        "ArrowLeft" if event.shift_key() => return out(pane),
        "ArrowRight" if event.shift_key() => return into(pane),
        "ArrowLeft" => Point::new(-1.0, 0.0),
        "ArrowRight" => Point::new(1.0, 0.0),
        "ArrowUp" => Point::new(0.0, -1.0),
        "ArrowDown" => Point::new(0.0, 1.0),
        "Home" => return select_root(pane),
        " " => {
            if let Some(name) = pane.shown.selected.get_untracked() {
                toggle_fold(pane, &name);
            }
            return true;
        }
        _ => return false,
    };
    match pane.shown.selected.get_untracked().and_then(|name| Some((pane.rect_of(&name, false)?, name))) {
        Some((rect, name)) => {
            if let Some(next) = nearest(pane, rect, &name, way) {
                pane.shown.select(&next);
            }
            true
        }
        None => select_root(pane),
    }
}

/// Folds or opens the box of this name.
pub fn toggle_fold(pane: Pane, name: &NodeName) {
    let Some(study) = pane.shown.study.get_untracked() else { return };
    let Some(member) = study.roster.find(name).filter(|member| study.roster.is_box(*member)) else { return };
    pane.is_moved.set(true);
    pane.shown.folding.update(|folding| folding.toggle(&study.roster, member));
}

fn select_root(pane: Pane) -> bool {
    let root = pane.shown.study.get_untracked().and_then(|study| {
        let root = study.roster.tops().next()?;
        Some(study.roster.member(root).name.clone())
    });
    if let Some(root) = root {
        pane.shown.select(&root);
    }
    true
}

fn out(pane: Pane) -> bool {
    step(pane, |study, member| study.roster.member(member).around)
}

fn into(pane: Pane) -> bool {
    step(pane, |study, member| {
        let roster = &study.roster;
        roster.inside(member).first().or_else(|| roster.hooks(member).first()).copied()
    })
}

type Member = unwind_present::roster::MemberIndex;

fn step(pane: Pane, to: impl Fn(&unwind_present::study::Study, Member) -> Option<Member>) -> bool {
    let Some(study) = pane.shown.study.get_untracked() else { return true };
    let selected = pane.shown.selected.get_untracked();
    let member = selected.and_then(|name| study.roster.find(&name));
    if let Some(next) = member.and_then(|member| to(&study, member)) {
        pane.shown.select(&study.roster.member(next).name);
    }
    true
}

/// The node that lies next in a direction: near, and rather straight ahead than aside.
fn nearest(pane: Pane, from: Rect, own: &NodeName, way: Point) -> Option<NodeName> {
    let picture = pane.shown.picture.get_untracked();
    let names = picture
        .items
        .iter()
        .flat_map(|item| std::iter::once(&item.node).chain(item.lanes.iter().map(|lane| &lane.node)));
    let mut best: Option<(f64, NodeName)> = None;
    for name in names.filter(|name| *name != own) {
        let Some(rect) = pane.rect_of(name, false) else { continue };
        let (dx, dy) = (rect.centre().x - from.centre().x, rect.centre().y - from.centre().y);
        let ahead = dx * way.x + dy * way.y;
        let aside = (dx * way.y).abs() + (dy * way.x).abs();
        if ahead < 4.0 {
            continue;
        }
        let cost = ahead + aside * 2.0;
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, name.clone()));
        }
    }
    best.map(|(_, name)| name)
}
