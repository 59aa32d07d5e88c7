//! What the canvas can draw, in graph px: plates, lines, glyphs and cut texts.
//!
//! It owns what is made once: one `Path2D` for each part of a glyph, and the widths of texts.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};

use unwind_layout::{Point, Rect};
use unwind_present::glyph::{GRID, Glyph, KNOCK, PartKind, STROKE};
use unwind_present::hook_state::LineStyle;
use unwind_present::text_width::{ELLIPSIS, Face};
use unwind_present::token::Token;
use wasm_bindgen::JsValue;
use web_sys::{CanvasRenderingContext2d, Path2d};

use super::palette::Palette;

/// Cut texts that are remembered before the memory is emptied.
const CUTS_MAX: usize = 4_000;

/// Where a text ends up relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Begins there.
    Start,
    /// Is centred on it.
    Middle,
    /// Ends there.
    End,
}

/// Paths and widths that outlive one drawing.
#[derive(Default)]
pub struct Stock {
    glyphs: RefCell<BTreeMap<Glyph, Vec<Path2d>>>,
    cuts: RefCell<HashMap<(String, u32, u32), String>>,
}

impl Stock {
    /// Forgets the widths, after a change of fonts.
    pub fn forget_widths(&self) {
        self.cuts.borrow_mut().clear();
    }
}

/// A canvas with colours, made for one drawing.
pub struct Pen<'a> {
    /// The canvas.
    pub ctx: &'a CanvasRenderingContext2d,
    palette: &'a Palette,
    stock: &'a Stock,
    font: RefCell<String>,
    is_dashed: Cell<bool>,
}

impl<'a> Pen<'a> {
    /// A pen for `ctx`, whose transformation is set already.
    pub fn new(ctx: &'a CanvasRenderingContext2d, palette: &'a Palette, stock: &'a Stock) -> Self {
        ctx.set_text_baseline("alphabetic");
        Self { ctx, palette, stock, font: RefCell::default(), is_dashed: Cell::new(true) }
    }

    /// Sets what is filled next.
    pub fn fill_with(&self, token: Token) {
        self.ctx.set_fill_style_str(self.palette.colour(token));
    }

    /// Sets what is stroked next.
    pub fn stroke_with(&self, line: LineStyle) {
        self.ctx.set_stroke_style_str(self.palette.colour(line.token));
        self.ctx.set_line_width(line.width_px);
        self.dash(line.dash);
    }

    fn dash(&self, dash: &[f64]) {
        if dash.is_empty() && !self.is_dashed.get() {
            return;
        }
        let lengths: js_sys::Array = dash.iter().map(|length| JsValue::from_f64(*length)).collect();
        let _ = self.ctx.set_line_dash(&lengths);
        self.is_dashed.set(!dash.is_empty());
    }

    /// A rounded plate with its outline inside `rect`.
    pub fn plate(&self, rect: Rect, radius: f64, fill: Option<Token>, line: LineStyle) {
        let inset = rect.grown(-line.width_px / 2.0);
        self.ctx.begin_path();
        self.round_rect(inset, radius - line.width_px / 2.0);
        if let Some(fill) = fill {
            self.fill_with(fill);
            self.ctx.fill();
        }
        self.stroke_with(line);
        self.ctx.stroke();
    }

    /// A rounded area without an outline.
    pub fn area(&self, rect: Rect, radius: f64, fill: Token) {
        self.fill_with(fill);
        self.ctx.begin_path();
        self.round_rect(rect, radius);
        self.ctx.fill();
    }

    fn round_rect(&self, rect: Rect, radius: f64) {
        let radius = radius.min(rect.width / 2.0).min(rect.height / 2.0).max(0.0);
        let _ = self.ctx.round_rect_with_f64(rect.x, rect.y, rect.width, rect.height, radius);
    }

    /// A straight line.
    pub fn line(&self, from: Point, to: Point, style: LineStyle) {
        self.stroke_with(style);
        self.ctx.begin_path();
        self.ctx.move_to(from.x, from.y);
        self.ctx.line_to(to.x, to.y);
        self.ctx.stroke();
    }

    /// A glyph with its upper left corner at `at`.
    pub fn glyph(&self, glyph: Glyph, at: Point, size: f64, ink: Token, ground: Token) {
        let mut glyphs = self.stock.glyphs.borrow_mut();
        let paths = glyphs.entry(glyph).or_insert_with(|| {
            let parts = glyph.parts().iter();
            parts.filter_map(|part| Path2d::new_with_path_string(part.path).ok()).collect()
        });
        self.ctx.save();
        self.is_dashed.set(true);
        let _ = self.ctx.translate(at.x, at.y);
        let _ = self.ctx.scale(size / GRID, size / GRID);
        self.ctx.set_line_cap("round");
        self.ctx.set_line_join("round");
        for (part, path) in glyph.parts().iter().zip(paths.iter()) {
            let (token, width) = match part.kind {
                PartKind::Fill => {
                    self.fill_with(ink);
                    self.ctx.fill_with_path_2d(path);
                    continue;
                }
                PartKind::Stroke => (ink, STROKE),
                PartKind::Knock => (ground, KNOCK),
            };
            self.stroke_with(LineStyle { token, width_px: width, dash: part.dash, has_kink: false });
            self.ctx.stroke_with_path(path);
        }
        self.ctx.restore();
        self.is_dashed.set(true);
    }

    /// Sets the font, `size_px` in graph px.
    fn set_font(&self, size_px: f64, weight: u16, family: &str) {
        let font = format!("{weight} {size_px:.2}px {family}");
        if *self.font.borrow() != font {
            self.ctx.set_font(&font);
            *self.font.borrow_mut() = font;
        }
    }

    /// A text on its baseline, cut with `…` to `room`. Gives its width.
    pub fn text(&self, text: &str, at: Point, face: Face, token: Token, align: Align, room: f64) -> f64 {
        self.set_font(face.size_px, face.weight, &self.palette.font_ui);
        let cut = self.cut(text, face, room);
        self.fill_with(token);
        self.ctx.set_text_align(match align {
            Align::Start => "left",
            Align::Middle => "center",
            Align::End => "right",
        });
        let _ = self.ctx.fill_text(&cut, at.x, at.y);
        self.measure(&cut)
    }

    /// A text in the font of equal widths, for labels of rows.
    pub fn mono_text(&self, text: &str, at: Point, size_px: f64, token: Token) {
        self.set_font(size_px, 400, &self.palette.font_mono);
        self.fill_with(token);
        self.ctx.set_text_align("left");
        let _ = self.ctx.fill_text(text, at.x, at.y);
    }

    /// Width of a text as the reader's font draws it.
    pub fn width(&self, text: &str, face: Face) -> f64 {
        self.set_font(face.size_px, face.weight, &self.palette.font_ui);
        self.measure(text)
    }

    fn measure(&self, text: &str) -> f64 {
        self.ctx.measure_text(text).map_or(0.0, |metrics| metrics.width())
    }

    /// Cuts by the reader's font; a name with a numbered end is cut inside its parentheses.
    fn cut(&self, text: &str, face: Face, room: f64) -> String {
        let key =
            (text.to_owned(), (face.size_px * 100.0) as u32 * 1000 + u32::from(face.weight), room as u32);
        if let Some(cut) = self.stock.cuts.borrow().get(&key) {
            return cut.clone();
        }
        let cut = self.cut_now(text, room);
        let mut cuts = self.stock.cuts.borrow_mut();
        if cuts.len() >= CUTS_MAX {
            cuts.clear();
        }
        cuts.insert(key, cut.clone());
        cut
    }

    fn cut_now(&self, text: &str, room: f64) -> String {
        if self.measure(text) <= room {
            return text.to_owned();
        }
        let (head, tail) = match text.strip_suffix(')') {
            Some(head) => (head, format!("{ELLIPSIS})")),
            None => (text, ELLIPSIS.to_string()),
        };
        let ends: Vec<usize> = head.char_indices().map(|(at, _)| at).collect();
        let fits = |end: &usize| self.measure(&format!("{}{tail}", &head[..*end])) <= room;
        let longest = ends.partition_point(fits);
        match longest.checked_sub(1).map(|place| ends[place]) {
            Some(end) if end > 0 => format!("{}{tail}", head[..end].trim_end()),
            _ => ELLIPSIS.to_string(),
        }
    }
}
