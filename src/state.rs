//! What the page keeps: signals, the one reducer, and the actions that talk to `data`.

pub mod documents;
pub mod settings;

use leptos::prelude::*;

use crate::routes::Router;

/// Everything the page keeps, as one context. Copying it copies handles.
#[derive(Clone, Copy)]
pub struct State {
    /// What the reader has set.
    pub settings: settings::Settings,
    /// What is open from files and samples, and what could not be opened.
    pub documents: documents::Documents,
}

impl State {
    /// The state of a fresh tab.
    pub fn new(router: Router) -> Self {
        Self { settings: settings::Settings::load(), documents: documents::Documents::new(router) }
    }

    /// What the data source is called in the top bar.
    pub fn source_name(self) -> String {
        "no server".to_owned()
    }

    /// True when a server answers behind this page.
    pub fn has_server(self) -> bool {
        false
    }
}

/// The state of this tab.
pub fn use_state() -> State {
    expect_context::<State>()
}
