//! The start page: what Unwind is, a drop zone, samples, and the three ways to use it.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;

use crate::state::documents::{SAMPLES, sample_address};
use crate::state::use_state;
use crate::view::link::Link;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;

/// The start page.
#[component]
pub fn Start() -> impl IntoView {
    let state = use_state();
    view! {
        <div class="start">
            <div class="st-l">
                <h1>"See what Stop will do before you press it"</h1>
                <p class="lead">
                    "Exit hooks close a workflow from the inside out. Unwind shows the order beforehand and holds it against what happened."
                </p>
                <button class="drop" type="button" on:click=move |_| state.documents.pick()>
                    <Icon glyph=Glyph::Drop size=22 />
                    <b>"Drop a file here, paste, or " <span class="fake-link">"open"</span></b>
                    <span class="dim">"Manifest or saved run, YAML or JSON. Nothing leaves this page"</span>
                </button>
                <h2 id="samples">"Samples"</h2>
                <table class="samples" aria-labelledby="samples">
                    <tbody>
                        {SAMPLES
                            .iter()
                            .map(|sample| {
                                view! {
                                    <tr>
                                        <td><Link to=sample_address(sample)>{sample.title}</Link></td>
                                        <td class="dim">{sample.kind}</td>
                                        <td class="dim">{sample.about}</td>
                                    </tr>
                                }
                            })
                            .collect::<Vec<_>>()}
                    </tbody>
                </table>
            </div>
            <div class="st-r"><Motif /></div>
            <Uses />
        </div>
    }
}

/// The three ways to use Unwind.
#[component]
fn Uses() -> impl IntoView {
    let state = use_state();
    let here = move |is_here: bool| is_here.then(|| view! { <p class="dim">"You are here"</p> });
    view! {
        <div class="uses">
            <div>
                <h2>"No server"</h2>
                <p>"Open a file, rehearse a stop in this page"</p>
                {dynamic(move || here(!state.has_server()))}
            </div>
            <div>
                <h2>"This machine"</h2>
                <p>"Run workflows as processes, with the right order"</p>
                <code>"unwind serve"</code>
                {dynamic(move || here(state.has_server()))}
            </div>
            <div>
                <h2>"A cluster"</h2>
                <p>"Show Argo Workflows, beside its server under one address"</p>
            </div>
        </div>
    }
}

/// The motif: four brackets that close from the inside out.
#[component]
fn Motif() -> impl IntoView {
    const LEVELS: [(&str, &str); 4] = [
        ("seed-nested-dag", "workflow handler"),
        ("level1", "level1’s exit hook"),
        ("level2", "level2’s exit hook"),
        ("stopped-job", "stopped-job’s exit hook"),
    ];
    let level = |(depth, (owner, hook)): (u32, (&'static str, &'static str))| {
        let (x, top, bottom) = (22 * depth, 15 + 30 * depth, 225 - 30 * depth);
        let bracket =
            format!("M{} {top}H{}a4 4 0 0 0 -4 4V{}a4 4 0 0 0 4 4H{}", x + 22, x + 14, bottom - 4, x + 22);
        view! {
            <path d=bracket class="bracket" data-state="ran" />
            <text x=x + 30 y=top + 5 class="mt">{owner}</text>
            <g class="chip" data-state="done">
                <rect x=x + 23 y=bottom - 9 width="18" height="18" rx="4" />
                <text x=x + 32 y=bottom + 4 text-anchor="middle">{4 - depth}</text>
            </g>
            <text x=x + 49 y=bottom + 5 class="mt2">{hook}</text>
        }
    };
    view! {
        <svg class="motif" viewBox="0 0 300 240" width="300" height="240" role="img"
            aria-label="Exit hooks close the nesting from the inside out, 1 to 4">
            {(0..).zip(LEVELS).map(level).collect::<Vec<_>>()}
        </svg>
    }
}
