//! The colours of the style sheet as the canvas needs them, read once per theme.

use leptos::prelude::*;
use unwind_present::token::Token;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Every token's colour, and the fonts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    /// `colours[token as usize]`, as the browser resolved it.
    colours: Vec<String>,
    /// The reader's font for user interfaces.
    pub font_ui: String,
    /// The reader's font of equal widths.
    pub font_mono: String,
}

impl Palette {
    /// Reads the style sheet through a hidden element: custom properties alone would come back
    /// unresolved (`light-dark(…)`).
    pub fn read() -> Self {
        let Some(probe) = probe() else { return Self::default() };
        let style = probe.style();
        let resolved = |property: &str| {
            let computed = window().get_computed_style(&probe).ok().flatten();
            computed.and_then(|computed| computed.get_property_value(property).ok()).unwrap_or_default()
        };
        let colours = Token::ALL
            .iter()
            .map(|token| {
                let _ = style.set_property("color", &format!("var({})", token.css()));
                resolved("color")
            })
            .collect();
        let fonts = ["var(--font-ui)", "var(--font-mono)"].map(|font| {
            let _ = style.set_property("font-family", font);
            resolved("font-family")
        });
        probe.remove();
        let [font_ui, font_mono] = fonts;
        Self { colours, font_ui, font_mono }
    }

    /// A colour, ready for the canvas.
    pub fn colour(&self, token: Token) -> &str {
        self.colours.get(token as usize).map_or("", String::as_str)
    }
}

fn probe() -> Option<HtmlElement> {
    let element = document().create_element("span").ok()?.dyn_into::<HtmlElement>().ok()?;
    element.set_hidden(true);
    document().body()?.append_child(&element).ok()?;
    Some(element)
}
