//! What the reader has set, remembered between visits.

use leptos::prelude::*;

use crate::data::storage;
use crate::reactive::effect;

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    fn from_word(word: &str) -> Self {
        match word {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }
}

/// The settings.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Light or dark, as chosen.
    pub theme: RwSignal<Theme>,
    /// Whether the system asks for dark.
    system_dark: RwSignal<bool>,
}

impl Settings {
    /// Reads what is remembered and keeps the root element's `data-theme` in step.
    pub fn load() -> Self {
        let theme = RwSignal::new(Theme::from_word(&storage::load("theme").unwrap_or_default()));
        let settings = Self { theme, system_dark: RwSignal::new(follow_system()) };
        settings.listen_to_system();
        effect(move || {
            let Some(root) = document().document_element() else {
                return;
            };
            let _ = match theme.get() {
                Theme::System => root.remove_attribute("data-theme"),
                chosen @ (Theme::Light | Theme::Dark) => root.set_attribute("data-theme", chosen.word()),
            };
            storage::save("theme", theme.get().word());
        });
        settings
    }

    /// True when the page is dark now.
    pub fn is_dark(self) -> bool {
        match self.theme.get() {
            Theme::System => self.system_dark.get(),
            Theme::Light => false,
            Theme::Dark => true,
        }
    }

    /// Turns light into dark and back; what agrees with the system follows it again.
    pub fn toggle_theme(self) {
        let to_dark = !untrack(|| self.is_dark());
        self.theme.set(match (to_dark, self.system_dark.get_untracked()) {
            (true, true) | (false, false) => Theme::System,
            (true, false) => Theme::Dark,
            (false, true) => Theme::Light,
        });
    }

    fn listen_to_system(self) {
        use wasm_bindgen::prelude::*;
        let Ok(Some(query)) = window().match_media(DARK_QUERY) else {
            return;
        };
        let changed = Closure::<dyn Fn()>::new(move || self.system_dark.set(follow_system()));
        let _ = query.add_event_listener_with_callback("change", changed.as_ref().unchecked_ref());
        changed.forget();
        // The query must live as long as its listener.
        std::mem::forget(query);
    }
}

const DARK_QUERY: &str = "(prefers-color-scheme: dark)";

fn follow_system() -> bool {
    window().match_media(DARK_QUERY).ok().flatten().is_some_and(|query| query.matches())
}
