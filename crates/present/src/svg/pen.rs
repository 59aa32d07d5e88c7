//! Writes SVG elements. Knows shapes and tokens, nothing of workflows.

use std::fmt::Write;

use unwind_layout::Rect;

use super::palette::{Palette, Theme};
use crate::glyph::{GRID, Glyph, KNOCK, PartKind, STROKE};
use crate::hook_state::{LineStyle, PlateStyle};
use crate::outline::number;
use crate::text_width::Face;
use crate::token::Token;

/// Where a text stands relative to its x.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A growing SVG document.
pub(super) struct Pen {
    palette: Palette,
    body: String,
}

impl Pen {
    pub fn new(theme: Theme) -> Self {
        Self { palette: Palette::of(theme), body: String::new() }
    }

    /// The whole document, `width` by `height` px, with a title for readers.
    pub fn finish(self, width: f64, height: f64, title: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
             role=\"img\" font-family=\"system-ui, sans-serif\">\n<title>{2}</title>\n\
             <rect width=\"{0}\" height=\"{1}\" fill=\"{3}\"/>\n{4}</svg>\n",
            number(width),
            number(height),
            escape(title),
            self.palette.colour(Token::Ground),
            self.body
        )
    }

    fn colour(&self, token: Option<Token>) -> &'static str {
        token.map_or("none", |token| self.palette.colour(token))
    }

    fn line_attributes(&self, line: &LineStyle) -> String {
        let dash = dash_attribute(line.dash);
        format!(
            "stroke=\"{}\" stroke-width=\"{}\"{dash}",
            self.palette.colour(line.token),
            number(line.width_px)
        )
    }

    pub fn rect(&mut self, rect: Rect, radius: f64, fill: Option<Token>, line: Option<&LineStyle>) {
        let stroke = line.map_or_else(String::new, |line| format!(" {}", self.line_attributes(line)));
        let fill = self.colour(fill);
        let _ = writeln!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{fill}\"{stroke}/>",
            number(rect.x),
            number(rect.y),
            number(rect.width),
            number(rect.height),
            number(radius)
        );
    }

    pub fn plate(&mut self, rect: Rect, radius: f64, style: &PlateStyle) {
        let line =
            LineStyle { token: style.outline, width_px: style.width_px, dash: style.dash, has_kink: false };
        self.rect(rect, radius, style.fill, Some(&line));
    }

    pub fn stroke(&mut self, path: &str, line: &LineStyle) {
        let attributes = self.line_attributes(line);
        let _ =
            writeln!(self.body, "<path d=\"{path}\" fill=\"none\" stroke-linejoin=\"round\" {attributes}/>");
    }

    pub fn fill(&mut self, path: &str, token: Token) {
        let colour = self.palette.colour(token);
        let _ = writeln!(self.body, "<path d=\"{path}\" fill=\"{colour}\"/>");
    }

    /// A glyph with its upper left corner at (`x`, `y`); what is knocked out takes `ground`.
    pub fn glyph(&mut self, glyph: Glyph, x: f64, y: f64, size: f64, ink: Token, ground: Token) {
        let (ink, ground) = (self.palette.colour(ink), self.palette.colour(ground));
        let _ = write!(
            self.body,
            "<g transform=\"translate({} {}) scale({})\" stroke-linecap=\"round\" stroke-linejoin=\"round\">",
            number(x),
            number(y),
            number(size / GRID)
        );
        for part in glyph.parts() {
            let path = part.path;
            let dash = dash_attribute(part.dash);
            let _ = match part.kind {
                PartKind::Fill => write!(self.body, "<path d=\"{path}\" fill=\"{ink}\"/>"),
                PartKind::Stroke => write!(
                    self.body,
                    "<path d=\"{path}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"{STROKE}\"{dash}/>"
                ),
                PartKind::Knock => write!(
                    self.body,
                    "<path d=\"{path}\" fill=\"none\" stroke=\"{ground}\" stroke-width=\"{KNOCK}\"/>"
                ),
            };
        }
        self.body.push_str("</g>\n");
    }

    pub fn text(&mut self, text: &str, at: (f64, f64), face: Face, ink: Token, anchor: Anchor) {
        self.written(text, at, face, ink, anchor, "");
    }

    pub fn struck(&mut self, text: &str, at: (f64, f64), face: Face, ink: Token) {
        self.written(text, at, face, ink, Anchor::Start, " text-decoration=\"line-through\"");
    }

    fn written(&mut self, text: &str, at: (f64, f64), face: Face, ink: Token, anchor: Anchor, more: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = writeln!(
            self.body,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"{}\" fill=\"{}\"{anchor}{more}>{}</text>",
            number(at.0),
            number(at.1),
            number(face.size_px),
            face.weight,
            self.palette.colour(ink),
            escape(text)
        );
    }
}

fn dash_attribute(dash: &[f64]) -> String {
    if dash.is_empty() {
        return String::new();
    }
    let lengths: Vec<String> = dash.iter().copied().map(number).collect();
    format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
