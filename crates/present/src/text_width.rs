//! How wide a text is, without a screen: one table that page and SVG writer share.
//!
//! The page's fonts are the reader's own, so the table holds advances of a usual sans-serif, made as
//! wide as the widest of those that systems come with. Who draws cuts by the same table, so that a card is always as wide as its text was
//! taken to be.

/// Size and weight of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Size in px.
    pub size_px: f64,
    /// Weight, 400 to 700.
    pub weight: u16,
}

impl Face {
    /// Name of a leaf or hook.
    pub const NAME: Self = Self { size_px: 12.5, weight: 500 };
    /// Name of a box.
    pub const BOX_NAME: Self = Self { size_px: 12.5, weight: 600 };
    /// Second line of a leaf, type, duration, ruler.
    pub const META: Self = Self { size_px: 10.5, weight: 400 };
    /// Number of a chip.
    pub const CHIP: Self = Self { size_px: 11.5, weight: 600 };
    /// Rows of lists and of the timeline.
    pub const ROW: Self = Self { size_px: 12.5, weight: 400 };
    /// Labels beside bars and in flags.
    pub const LABEL: Self = Self { size_px: 11.5, weight: 400 };

    fn factor(self) -> f64 {
        let weight = match self.weight {
            0..=449 => 1.12,
            450..=549 => 1.14,
            _ => 1.25,
        };
        self.size_px * weight / 1000.0
    }
}

/// Advances of the printable ASCII characters from space to tilde, in thousandths of the size.
#[rustfmt::skip]
const ASCII: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// What stands for the part that was cut.
pub const ELLIPSIS: char = '…';

fn advance(character: char) -> f64 {
    let code = u32::from(character);
    let thousandths = match code {
        0x20..=0x7e => ASCII[(code - 0x20) as usize],
        0x0..=0x1f | 0x7f..=0x9f | 0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        // The long dash, the ellipsis, Han, Kana, Hangul, full-width forms and pictographs are about as wide as high.
        0x1100..=0x115f
        | 0x2e80..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1_f000..=0x3_ffff
        | 0x2014
        | 0x2026 => 1000,
        0xb7 => 278,
        _ => 600,
    };
    f64::from(thousandths)
}

/// Width of `text` in px.
pub fn width(text: &str, face: Face) -> f64 {
    text.chars().map(advance).sum::<f64>() * face.factor()
}

/// `text` cut at its end with `…` so that it is at most `room_px` wide. Nothing but the ellipsis is
/// left when there is no room at all.
pub fn cut(text: &str, face: Face, room_px: f64) -> String {
    if width(text, face) <= room_px {
        return text.to_owned();
    }
    let mut left = room_px - advance(ELLIPSIS) * face.factor();
    let mut kept = String::new();
    for character in text.chars() {
        left -= advance(character) * face.factor();
        if left < 0.0 {
            break;
        }
        kept.push(character);
    }
    let mut kept = kept.trim_end().to_owned();
    kept.push(ELLIPSIS);
    kept
}

/// A node's name cut to `room_px`: one with a numbered end is cut inside the parentheses, so that
/// the number stays: `unit(12:lab…)`.
pub fn cut_name(name: &str, face: Face, room_px: f64) -> String {
    if width(name, face) <= room_px {
        return name.to_owned();
    }
    let Some((head, number, rest)) = numbered(name) else {
        return cut(name, face, room_px);
    };
    let fixed = format!("{head}({number}");
    let room = room_px - width(&fixed, face) - width(")", face);
    if !rest.is_empty() && room >= width("…", face) {
        return format!("{fixed}{})", cut(rest, face, room));
    }
    let tail = if rest.is_empty() { format!("({number})") } else { format!("({number}…)") };
    let room = room_px - width(&tail, face);
    if room < width("…", face) {
        return cut(name, face, room_px);
    }
    format!("{}{tail}", cut(head, face, room))
}

/// `unit(12:labels)` as `unit`, `12`, `:labels`.
fn numbered(name: &str) -> Option<(&str, &str, &str)> {
    let (head, inside) = name.strip_suffix(')')?.rsplit_once('(')?;
    let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| (head, &inside[..digits], &inside[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_faces_give_wider_texts() {
        let name = "stopped-job.onExit";
        assert!(width(name, Face::META) < width(name, Face::NAME));
        assert!(width(name, Face::NAME) < width(name, Face::BOX_NAME));
        assert!((90.0..140.0).contains(&width(name, Face::NAME)));
    }

    #[test]
    fn what_is_cut_fits() {
        let name = "a-rather-long-name-of-a-task";
        for room in [20.0, 50.0, 90.0, 120.0] {
            let shown = cut(name, Face::NAME, room);
            assert!(shown.ends_with(ELLIPSIS));
            assert!(width(&shown, Face::NAME) <= room, "{shown} in {room}");
        }
        assert_eq!(cut(name, Face::NAME, 400.0), name);
    }

    #[test]
    fn a_numbered_end_keeps_its_number() {
        let name = "unit(12:labels and more labels)";
        let shown = cut_name(name, Face::NAME, 90.0);
        assert_eq!(shown, "unit(12:lab…)");
        assert!(width(&shown, Face::NAME) <= 90.0);
        assert_eq!(cut_name("a-long-name-of-a-task(7)", Face::NAME, 80.0), "a-long-…(7)");
    }
}
