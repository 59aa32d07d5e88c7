//! The colours of `style/tokens.css` for a file that is drawn without a style sheet. Read from the
//! style sheet itself, so that no colour is written twice.

use std::collections::BTreeMap;

use crate::token::Token;

const STYLE: &str = include_str!("../../../../style/tokens.css");

/// Which of the two colours of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark ink on light ground.
    #[default]
    Light,
    /// Light ink on dark ground.
    Dark,
}

/// The colours of one theme.
#[derive(Clone, Debug)]
pub(super) struct Palette {
    colours: BTreeMap<&'static str, &'static str>,
}

impl Palette {
    /// Reads `--name: light-dark(LIGHT, DARK);` line by line; what comes later for other media is not
    /// taken.
    pub fn of(theme: Theme) -> Self {
        let mut colours = BTreeMap::new();
        for line in STYLE.lines() {
            let Some((name, rest)) = line.trim().split_once(": light-dark(") else { continue };
            let Some((light, rest)) = rest.split_once(", ") else { continue };
            let Some((dark, _)) = rest.split_once(')') else { continue };
            let colour = match theme {
                Theme::Light => light,
                Theme::Dark => dark,
            };
            colours.entry(name).or_insert(colour);
        }
        Self { colours }
    }

    /// The colour of a token; `currentColor` for one that the style sheet does not have.
    pub fn colour(&self, token: Token) -> &'static str {
        self.colours.get(token.css()).copied().unwrap_or("currentColor")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_has_every_token() {
        for theme in [Theme::Light, Theme::Dark] {
            let palette = Palette::of(theme);
            for &token in Token::ALL {
                let colour = palette.colour(token);
                assert!(colour.starts_with('#') && colour.len() == 7, "{token:?}: {colour}");
            }
        }
        assert_ne!(Palette::of(Theme::Light).colour(Token::Ink), Palette::of(Theme::Dark).colour(Token::Ink));
    }
}
