//! The manifest as text: line numbers, what is wrong under the line it stands in, and a plain editor.

use leptos::prelude::*;
use unwind_engine::diagnostic::{Diagnostic, Severity};
use unwind_present::words::diagnostic as words;

use crate::state::documents::{Opened, RefusalReason};
use crate::state::use_state;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;

/// Lines that are drawn at most; what is longer says so.
const LINES_MAX: usize = 3_000;

/// The pane at the left of the graph.
#[component]
pub fn Manifest() -> impl IntoView {
    let state = use_state();
    let edited = RwSignal::new(None::<String>);
    let refusal = RwSignal::new(None::<RefusalReason>);
    let open = state.documents.open;
    let file = move || open.get().map(|open| open.file.clone());
    let counts = move || {
        let lines = open.get().map_or(0, |open| open.text.lines().count());
        let study = state.shown.study.get();
        let found = study.map_or_else(String::new, |study| words::counts(&study.diagnostics));
        if found.is_empty() { format!("{lines} lines") } else { format!("{lines} lines, {found}") }
    };
    let apply = move || {
        let Some(text) = edited.get_untracked() else { return };
        match state.documents.replace_text(text) {
            Ok(()) => {
                edited.set(None);
                refusal.set(None);
            }
            Err(why) => refusal.set(Some(why)),
        }
    };
    let body = move || match (edited.get().is_some(), open.get()) {
        (true, _) => view! {
            <textarea class="editor" spellcheck="false" aria-label="Manifest"
                prop:value=move || edited.get().unwrap_or_default()
                on:input=move |event| edited.set(Some(event_target_value(&event)))></textarea>
        }
        .into_any(),
        (false, Some(open)) => {
            let diagnostics =
                state.shown.study.get().map(|study| study.diagnostics.clone()).unwrap_or_default();
            view! { <Lines open=open diagnostics=diagnostics /> }.into_any()
        }
        (false, None) => ().into_any(),
    };
    view! {
        <section class="edpane" aria-label="Manifest">
            <header class="ed-h">
                <span class="nm">{dynamic(file)}</span>
                <span class="dim">{dynamic(counts)}</span>
                <span class="grow"></span>
                {dynamic(move || if edited.get().is_some() {
                    view! {
                        <Button label="Rehearse this" class="s primary" on_press=apply />
                        <Button label="Discard" class="s quiet" on_press=move || {
                            edited.set(None);
                            refusal.set(None);
                        } />
                    }.into_any()
                } else {
                    view! {
                        <Button label="Edit" class="s quiet"
                            on_press=move || edited.set(open.get_untracked().map(|open| open.text.clone())) />
                    }.into_any()
                })}
            </header>
            {dynamic(move || refusal.get().map(|why| view! { <p class="ed-refusal" role="alert">{refusal_text(&why)}</p> }))}
            {dynamic(body)}
        </section>
    }
}

fn refusal_text(why: &RefusalReason) -> String {
    match why {
        RefusalReason::Unreadable { error, .. } => format!(
            "Line {}, column {}: expected {}, found {}.",
            error.at.line, error.at.column, error.expected, error.found
        ),
        RefusalReason::NotKnown { found } => format!("This is {found}, not a workflow."),
        RefusalReason::NoBytes { message } => message.clone(),
    }
}

#[component]
fn Lines(open: std::sync::Arc<Opened>, diagnostics: Vec<Diagnostic>) -> impl IntoView {
    let at_line = |number: u32| -> Vec<&Diagnostic> {
        let line = |diagnostic: &Diagnostic| {
            diagnostic.position.unwrap_or_else(|| open.parsed.position(&diagnostic.path)).line
        };
        diagnostics.iter().filter(|diagnostic| line(diagnostic) == number).collect()
    };
    let rows = open
        .text
        .lines()
        .zip(1_u32..)
        .take(LINES_MAX)
        .map(|(text, number)| {
            let found = at_line(number);
            let worst = found.iter().map(|diagnostic| diagnostic.severity).min();
            let sentences = found
                .iter()
                .map(|diagnostic| {
                    view! {
                        <div class=format!("dl {}", class_of(diagnostic.severity))>
                            <span></span><span></span>
                            <p>{words::sentence(&diagnostic.code)}</p>
                        </div>
                    }
                })
                .collect::<Vec<_>>();
            view! {
                <div class="ln">
                    <span class=format!("gm {}", worst.map_or("", class_of))>
                        {worst.map(|severity| view! {
                            <Icon glyph=words::severity_glyph(severity) size=11 title=words::severity_word(severity) />
                        })}
                    </span>
                    <span class="no" aria-hidden="true">{number}</span>
                    <code>{coloured(text)}</code>
                </div>
                {sentences}
            }
        })
        .collect::<Vec<_>>();
    view! { <div class="editor" tabindex="0" role="region" aria-label="Text of the manifest">{rows}</div> }
}

fn class_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "d-error",
        Severity::Warning | Severity::Note => "d-warn",
    }
}

/// Keys, texts and comments of one line of YAML or JSON, roughly.
fn coloured(line: &str) -> impl IntoView + use<> {
    let body = line.trim_start();
    if body.starts_with('#') {
        return view! { <span class="cc">{line.to_owned()}</span> }.into_any();
    }
    let dash = if body.starts_with("- ") { 2 } else { 0 };
    let indent = line.len() - body.len() + dash;
    let rest = &line[indent..];
    match rest.find(": ").or_else(|| rest.ends_with(':').then(|| rest.len() - 1)) {
        Some(colon) if !rest[..colon].contains([' ', '{', '"', '\'']) || rest.starts_with('"') => {
            let (key, value) = rest.split_at(colon);
            view! {
                {line[..indent].to_owned()} <span class="ck">{key.to_owned()}</span> ":"
                <span class="ct">{value[1..].to_owned()}</span>
            }
            .into_any()
        }
        _ => view! { {line[..indent].to_owned()} <span class="ct">{rest.to_owned()}</span> }.into_any(),
    }
}
