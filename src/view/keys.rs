//! Keys of the whole page. Letters do nothing while a text field has the focus.

use leptos::html;
use leptos::prelude::*;
use unwind_engine::Way;
use wasm_bindgen::prelude::*;
use web_sys::{Element, KeyboardEvent};

use super::graph::Pane;
use super::run::open_preview;
use crate::state::shown::Origin;
use crate::state::{State, actions};

/// What the keys act on.
#[derive(Clone, Copy)]
pub struct PageKeys {
    /// The page's state.
    pub state: State,
    /// The graph.
    pub pane: Pane,
    /// The search field.
    pub field: NodeRef<html::Input>,
}

/// Listens for as long as the view is there.
pub fn listen(keys: PageKeys) {
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        if !event.default_prevented() && press(&event, keys) {
            event.prevent_default();
        }
    });
    on_cleanup(move || handle.remove());
}

fn press(event: &KeyboardEvent, keys: PageKeys) -> bool {
    if is_typing(event) || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return false;
    }
    let PageKeys { state, pane, field } = keys;
    let shown = state.shown;
    match event.key().as_str() {
        "s" => open_preview(state, Way::Stop),
        "S" => open_preview(state, Way::Terminate),
        "t" => {
            let is_open = untrack(|| super::timeline::is_open(state));
            shown.timeline_open.set(Some(!is_open));
        }
        "/" => {
            if let Some(field) = field.get_untracked() {
                let _ = field.focus();
            }
        }
        "0" => pane.fit(),
        "f" => {
            if let Some(name) = shown.selected.get_untracked() {
                pane.focus(&name);
            }
        }
        "+" | "=" => pane.zoom(true),
        "-" => pane.zoom(false),
        "n" => next_finding(keys, true),
        "p" => next_finding(keys, false),
        "k" if shown.origin.get_untracked() == Origin::Rehearsal => {
            state.rehearsal.is_playing.update(|is_playing| *is_playing = !*is_playing);
        }
        "]" if shown.origin.get_untracked() == Origin::Rehearsal => state.rehearsal.step(),
        "?" => state.help_open.set(true),
        "c" => actions::copy_address(),
        "Escape" => return close(keys),
        _ => return false,
    }
    true
}

/// Closes step by step: preview, search, selection.
fn close(keys: PageKeys) -> bool {
    let shown = keys.state.shown;
    if shown.preview.get_untracked().is_some() {
        shown.preview.set(None);
    } else if !keys.pane.search.get_untracked().is_empty() {
        keys.pane.search.set(String::new());
    } else if shown.selected.get_untracked().is_some() {
        shown.deselect();
    } else {
        return false;
    }
    true
}

/// Selects the node of the next or previous finding.
fn next_finding(keys: PageKeys, is_forward: bool) {
    let shown = keys.state.shown;
    let Some(study) = shown.study.get_untracked() else { return };
    let findings = &study.judgement.findings;
    if findings.is_empty() {
        return;
    }
    let selected = shown.selected.get_untracked();
    let at = selected.and_then(|name| findings.iter().position(|finding| finding.node == name));
    let next = match at {
        Some(at) if is_forward => (at + 1) % findings.len(),
        Some(at) => (at + findings.len() - 1) % findings.len(),
        None => 0,
    };
    shown.select(&findings[next].node);
}

fn is_typing(event: &KeyboardEvent) -> bool {
    event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"))
}
