//! The closed timeline: one line with the turns to come.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;
use unwind_present::timeline::planned_turns;
use unwind_present::words::live::no_exit_hooks;
use unwind_present::words::verdict::sum;

use crate::reactive::memo;
use crate::state::use_state;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::mark::Turn;

/// So many turns are shown, and so many hooks of a turn.
const TURNS_MOST: usize = 12;
const HOOKS_MOST: usize = 3;

/// The strip.
#[component]
pub fn Strip() -> impl IntoView {
    let shown = use_state().shown;
    let turns = memo(move || shown.study.get().map(|study| planned_turns(&study)).unwrap_or_default());
    let text = move || {
        let hooks = turns.with(|turns| turns.iter().map(|turn| turn.hooks.len()).sum());
        let is_over = shown.study.get().is_some_and(|study| study.is_over());
        match hooks {
            0 => no_exit_hooks().title.to_owned(),
            _ if is_over => String::new(),
            hooks => sum::planned(hooks),
        }
    };
    let items = move || {
        let all = turns.get();
        let more = all.len().saturating_sub(TURNS_MOST);
        let mut items = all
            .into_iter()
            .take(TURNS_MOST)
            .map(|turn| {
                view! {
                    <li>
                        <Turn text=turn.chip.text state=turn.chip.state.attribute() />
                        <span>{sum::hooks_of_turn(&turn.hooks, HOOKS_MOST)}</span>
                    </li>
                }
                .into_any()
            })
            .collect::<Vec<_>>();
        if more > 0 {
            items.push(view! { <li class="dim">{sum::more_turns(more)}</li> }.into_any());
        }
        items
    };
    view! {
        <section class="tl-strip" aria-label="Hook order">
            <h2>"Hook order"</h2>
            <span class="dim">{dynamic(text)}</span>
            <ol class="mini-order">{dynamic(items)}</ol>
            <span class="grow"></span>
            <Button label="Open" glyph=Glyph::Unfold class="quiet"
                on_press=move || shown.timeline_open.set(Some(true)) />
        </section>
    }
}
