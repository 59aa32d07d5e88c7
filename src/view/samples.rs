//! Links to samples of one kind, for places where nothing is open yet.

use leptos::prelude::*;

use super::link::Link;
use crate::state::documents::{SAMPLES, sample_address};

/// Samples of runs, or of manifests.
#[component]
pub fn SampleList(
    /// Runs instead of manifests.
    only_runs: bool,
) -> impl IntoView {
    let links = SAMPLES
        .iter()
        .filter(|sample| sample.is_run == only_runs)
        .map(|sample| view! { <li><Link to=sample_address(sample)>{sample.title}</Link></li> })
        .collect::<Vec<_>>();
    view! { <ul class="sample-list" aria-label="Samples">{links}</ul> }
}
