//! `{{…}}` in a text, found as Argo finds them.
//! Source: `fasttemplate` (from a `{{` to the next `}}`, whatever is between) as used by Argo
//! `util/template/validate.go` and `simple_template.go`.

const OPEN: &str = "{{";
const CLOSE: &str = "}}";

/// A `{{` without a `}}` behind it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Cannot find end tag=\"}}}}\" in the template={} starting from {}", quoted(.text), quoted(.rest))]
pub(super) struct Unclosed {
    text: String,
    rest: String,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Text outside of tags.
    Plain(&'t str),
    /// What is between `{{` and `}}`.
    Tag(&'t str),
}

/// The pieces of a text in order; an unclosed tag anywhere makes all of it unreadable.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, Unclosed> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        pieces.push(Piece::Plain(&rest[..start]));
        let inside = &rest[start + OPEN.len()..];
        let Some(end) = inside.find(CLOSE) else {
            return Err(Unclosed { text: text.to_owned(), rest: inside.to_owned() });
        };
        pieces.push(Piece::Tag(&inside[..end]));
        rest = &inside[end + CLOSE.len()..];
    }
    pieces.push(Piece::Plain(rest));
    Ok(pieces)
}

/// True for the inside of `{{=…}}`, which validation neither resolves nor looks at.
pub(super) fn is_expression(tag: &str) -> bool {
    tag.starts_with('=')
}

/// A JSON text with the values of those tags that have one; the others stay. `value` gives plain text.
pub(super) fn replace<'v>(json: &str, value: &dyn Fn(&str) -> Option<&'v str>) -> Result<String, Unclosed> {
    let mut out = String::with_capacity(json.len());
    for piece in pieces(json)? {
        match piece {
            Piece::Plain(text) => out.push_str(text),
            Piece::Tag(tag) => put(tag, value, &mut out),
        }
    }
    Ok(out)
}

fn put<'v>(tag: &str, value: &dyn Fn(&str) -> Option<&'v str>, out: &mut String) {
    if is_expression(tag) {
        out.extend([OPEN, tag, CLOSE]);
    } else if let Some(text) = value(tag.trim()) {
        out.push_str(&escaped(text));
    } else if let Some((before, text)) =
        tag.rsplit_once(OPEN).and_then(|(before, inner)| Some((before, value(inner)?)))
    {
        out.extend([OPEN, before]);
        out.push_str(&escaped(text));
    } else {
        out.extend([OPEN, tag, CLOSE]);
    }
}

/// A text as it stands between the quotes of a JSON text.
fn escaped(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// A text as Go's `%q` writes it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_ascii_control() => {
                out.push_str("\\x");
                for digit in [u32::from(control) >> 4, u32::from(control) & 15] {
                    out.extend(char::from_digit(digit, 16));
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces, replace};

    #[test]
    fn a_tag_goes_to_the_next_end_whatever_is_between() {
        assert_eq!(
            pieces("a {{b c}} {{{d}}}").expect("closed"),
            [Piece::Plain("a "), Piece::Tag("b c"), Piece::Plain(" "), Piece::Tag("{d"), Piece::Plain("}")]
        );
        assert_eq!(
            pieces("say \"{{x\"").expect_err("open").to_string(),
            r#"Cannot find end tag="}}" in the template="say \"{{x\"" starting from "x\"""#
        );
    }

    #[test]
    fn known_tags_are_filled_in_and_others_stay() {
        let value = |name: &str| (name == "a").then_some("1\"2");
        let check = |text: &str, expected: &str| assert_eq!(replace(text, &value).expect("closed"), expected);
        check("{{a}} {{ a }} {{b}} {{=a}}", r#"1\"2 1\"2 {{b}} {{=a}}"#);
        check("{{b.{{a}}}}", r#"{{b.1\"2}}"#);
    }
}
