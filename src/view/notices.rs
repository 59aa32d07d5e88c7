//! What could not be opened: title, place, what was expected, the lines around, the next step.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;

use crate::state::documents::{Refusal, RefusalReason};
use crate::state::use_state;
use crate::widgets::button::Button;
use crate::widgets::glyph::Icon;
use crate::widgets::notice::ErrorBox;

/// All refusals of the last drop.
#[component]
pub fn Notices() -> impl IntoView {
    let state = use_state();
    move || {
        let refusals = state.documents.refusals.get();
        (!refusals.is_empty()).then(|| {
            view! {
                <div class="notices">
                    {refusals.into_iter().map(|refusal| view! { <RefusalBox refusal=refusal /> }).collect::<Vec<_>>()}
                </div>
            }
        })
    }
}

#[component]
fn RefusalBox(refusal: Refusal) -> impl IntoView {
    let state = use_state();
    let file = refusal.file;
    let (title, body) = match refusal.why {
        RefusalReason::Unreadable { error, excerpt } => {
            let path = (!error.path.is_empty()).then(|| view! { ", at " <code>{error.path.clone()}</code> });
            let text = view! {
                <p>
                    {format!("Line {}, column {}", error.at.line, error.at.column)} {path}
                    {format!(": expected {}, found {}. What you had open stays open.", error.expected, error.found)}
                </p>
                <Excerpt lines=excerpt line=error.at.line />
            };
            (format!("{file} cannot be read"), text.into_any())
        }
        RefusalReason::NotKnown { found } => {
            let text = format!(
                "{file} is {found}. Unwind reads Argo Workflows: manifests, and runs with their status, in YAML or JSON."
            );
            ("Not something Unwind knows".to_owned(), view! { <p>{text}</p> }.into_any())
        }
        RefusalReason::NoBytes { message } => {
            let text = format!("It could not be opened: {message}. What you had open stays open.");
            (format!("{file} cannot be read"), view! { <p>{text}</p> }.into_any())
        }
    };
    let dismiss = move || state.documents.refusals.set(Vec::new());
    view! {
        <ErrorBox title=title>
            {body}
            <div class="ea">
                <Button label="Open another file…" on_press=move || state.documents.pick() />
                <Button label="Close" class="quiet" on_press=dismiss />
            </div>
        </ErrorBox>
    }
}

#[component]
fn Excerpt(lines: Vec<(u32, String)>, line: u32) -> impl IntoView {
    let rows = lines
        .into_iter()
        .map(|(number, text)| {
            let is_here = number == line;
            view! {
                <div class="ln" class:cur=is_here>
                    <span class="gm d-error">
                        {is_here.then(|| view! { <Icon glyph=Glyph::Failed size=11 /> })}
                    </span>
                    <span class="no">{number}</span>
                    <code>{text}</code>
                </div>
            }
        })
        .collect::<Vec<_>>();
    (!rows.is_empty()).then(
        || view! { <div class="editor" tabindex="0" role="group" aria-label="Lines around it">{rows}</div> },
    )
}
