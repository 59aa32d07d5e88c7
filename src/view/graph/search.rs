//! Finding a node by its name: what does not match is dimmed and keeps its place.

use leptos::prelude::*;
use unwind_model::NodeName;

use super::pane::Pane;

/// `dimmed[i]`: item `i` neither matches nor holds a match. Empty while nothing is searched.
pub fn dimmed(pane: Pane) -> Vec<bool> {
    let query = pane.search.get_untracked().trim().to_ascii_lowercase();
    if query.is_empty() {
        return Vec::new();
    }
    let Some(study) = pane.shown.study.get_untracked() else { return Vec::new() };
    let structure = pane.shown.structure.get_untracked();
    let mut dimmed = vec![true; structure.items.len()];
    for index in study.roster.indices() {
        let member = study.roster.member(index);
        if !is_match(&query, &member.label, &member.name) {
            continue;
        }
        let mut at = Some(index);
        while let Some(around) = at {
            if let Some(place) = structure.place(around) {
                dimmed[place.item.place()] = false;
            }
            at = study.roster.member(around).around;
        }
    }
    dimmed
}

/// The matches in the order of the roster.
pub fn matches(pane: Pane) -> Vec<NodeName> {
    let query = pane.search.get_untracked().trim().to_ascii_lowercase();
    let Some(study) = pane.shown.study.get_untracked().filter(|_| !query.is_empty()) else {
        return Vec::new();
    };
    let members = study.roster.members.iter();
    members
        .filter(|member| is_match(&query, &member.label, &member.name))
        .map(|member| member.name.clone())
        .collect()
}

/// Selects the match after the selected one.
pub fn select_next(pane: Pane) {
    let matches = matches(pane);
    let selected = pane.shown.selected.get_untracked();
    let place = selected.and_then(|name| matches.iter().position(|other| *other == name));
    let next = place.map_or(0, |place| (place + 1) % matches.len().max(1));
    if let Some(name) = matches.get(next) {
        pane.shown.select(name);
    }
}

/// A name without dots is searched in labels, so that owners do not match by what encloses them.
fn is_match(query: &str, label: &str, name: &NodeName) -> bool {
    label.to_ascii_lowercase().contains(query)
        || query.contains('.') && name.0.to_ascii_lowercase().contains(query)
}
