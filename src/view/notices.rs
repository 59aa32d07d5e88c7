//! What went wrong: a file that cannot be read, a request that failed, a server that is away.

use leptos::prelude::*;
use unwind_api::watch::Link;
use unwind_present::glyph::Glyph;
use unwind_present::words::live::connection_lost;
use unwind_present::words::notice::{self, Notice};

use crate::reactive::memo;
use crate::state::documents::{Refusal, RefusalReason};
use crate::state::use_state;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;
use crate::widgets::notice::ErrorBox;

/// A break shorter than this is told by the live mark alone, in ms.
const LOST_AFTER_MS: i64 = 5_000;

/// Everything that went wrong and is not yet dismissed.
#[component]
pub fn Notices() -> impl IntoView {
    let state = use_state();
    let boxes = move || {
        let refusals = state.documents.refusals.get();
        let failures = state.failures.get();
        let is_empty = refusals.is_empty() && failures.is_empty();
        (!is_empty).then(|| {
            view! {
                <div class="notices">
                    {refusals.into_iter().map(|refusal| view! { <RefusalBox refusal=refusal /> }).collect::<Vec<_>>()}
                    {failures.into_iter().map(|notice| view! { <FailureBox notice=notice /> }).collect::<Vec<_>>()}
                </div>
            }
        })
    };
    view! { <ConnectionLost /> {dynamic(boxes)} }
}

/// Says over the whole width that the server is away.
#[component]
fn ConnectionLost() -> impl IntoView {
    let state = use_state();
    let lost = memo(move || {
        let is_away = matches!(state.connection.link.get(), Link::Reconnecting);
        let at = state.connection.last_news.get().filter(|_| is_away)?;
        let lost_ms = state.wall_clock.get() - at;
        (lost_ms >= LOST_AFTER_MS).then(|| connection_lost(lost_ms, &state.shown.zone.get().time(at)))
    });
    dynamic(move || {
        lost.get().map(|(title, text)| {
            view! {
                <div class="banner">
                    <Icon glyph=Glyph::Http />
                    <p><b>{title}</b> " " {text}</p>
                    <span class="grow"></span>
                    <Button label="Try now" glyph=Glyph::Retry class="s" on_press=move || state.connection.retry() />
                </div>
            }
        })
    })
}

/// A request that failed.
#[component]
fn FailureBox(notice: Notice) -> impl IntoView {
    let state = use_state();
    view! {
        <ErrorBox title=notice.title>
            <p>{notice.text}</p>
            <div class="ea"><Button label="Close" on_press=move || state.failures.set(Vec::new()) /></div>
        </ErrorBox>
    }
}

#[component]
fn RefusalBox(refusal: Refusal) -> impl IntoView {
    let state = use_state();
    let file = refusal.file;
    let (notice, lines) = match refusal.why {
        RefusalReason::Unreadable { error, excerpt } => {
            let line = error.at.line;
            (notice::unreadable(&file, &error), view! { <Excerpt lines=excerpt line=line /> }.into_any())
        }
        RefusalReason::NotKnown { found } => (notice::unknown_document(&file, &found), ().into_any()),
        RefusalReason::NoBytes { message } => (notice::not_given(&file, &message), ().into_any()),
    };
    let dismiss = move || state.documents.refusals.set(Vec::new());
    view! {
        <ErrorBox title=notice.title>
            <p>{notice.text}</p>
            {lines}
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
