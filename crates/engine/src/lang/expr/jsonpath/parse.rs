//! Reads one part of a path. Source: evilmonkeyinc/jsonpath `token/token.go`, `Parse`.

use super::script::Script;
use super::{Argument, Part};

/// What stands in a subscript.
enum Piece {
    Nil,
    Int(i64),
    Text(String),
    Colon,
    Comma,
}

fn is_script(text: &str) -> bool {
    text.len() > 2 && text.starts_with('(') && text.ends_with(')')
}

fn is_key(text: &str) -> bool {
    let quoted = |quote: char| text.starts_with(quote) && text.ends_with(quote);
    text.len() > 1 && (quoted('\'') || quoted('"'))
}

fn inner(text: &str) -> &str {
    &text[1..text.len() - 1]
}

fn unknown(text: &str) -> String {
    format!("invalid token. '{text}' does not match any token format")
}

fn bad_format(text: &str) -> String {
    format!("invalid expression. invalid format '{text}'")
}

/// The part that a text stands for.
pub(super) fn part(text: &str, depth: usize) -> Result<Part, String> {
    let text = text.trim();
    match text {
        "" => return Err("invalid token. token string is empty".to_owned()),
        "$" => return Ok(Part::Root),
        "@" => return Ok(Part::Current),
        "*" => return Ok(Part::Wildcard),
        ".." => return Ok(Part::Recursive),
        "length" => return Ok(Part::Length),
        _ if !text.starts_with('[') => return Ok(Part::Key(text.to_owned())),
        _ => {}
    }
    let subscript = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).map(str::trim);
    let subscript = subscript.filter(|subscript| !subscript.is_empty()).ok_or_else(|| unknown(text))?;
    if subscript == "*" {
        return Ok(Part::Wildcard);
    }
    if subscript.starts_with('?') {
        let script = subscript.strip_prefix("?(").and_then(|script| script.strip_suffix(')'));
        return Ok(Part::Filter(Script::read(script.ok_or_else(|| unknown(text))?.trim(), depth + 1)?));
    }
    let mut pieces = pieces(subscript, text)?;
    if pieces.len() == 1 {
        return match pieces.pop() {
            Some(Piece::Int(at)) => Ok(Part::Index(at)),
            Some(Piece::Text(key)) if is_key(&key) => Ok(Part::Key(inner(&key).to_owned())),
            Some(Piece::Text(script)) if is_script(&script) => {
                Ok(Part::Script(Script::read(inner(&script), depth + 1)?))
            }
            _ => Err(unknown(text)),
        };
    }
    several(pieces, text, depth)
}

/// A range or a union.
fn several(pieces: Vec<Piece>, text: &str, depth: usize) -> Result<Part, String> {
    let (mut colons, mut commas, mut after_colon) = (0, 0, false);
    let mut arguments = Vec::new();
    for piece in pieces {
        let is_colon = matches!(piece, Piece::Colon);
        match piece {
            Piece::Colon => {
                colons += 1;
                if after_colon {
                    arguments.push(Piece::Nil);
                }
            }
            Piece::Comma => commas += 1,
            other => arguments.push(other),
        }
        after_colon = is_colon;
    }
    match (colons, commas) {
        (0, commas) if commas > 0 && commas < arguments.len() => {
            let arguments = arguments.into_iter().map(|piece| union_argument(piece, text, depth));
            Ok(Part::Union(arguments.collect::<Result<_, _>>()?))
        }
        (1 | 2, 0) => {
            if colons == 1 && arguments.len() == 1 {
                arguments.push(Piece::Nil);
            }
            let mut arguments = arguments.into_iter().map(|piece| range_argument(piece, depth));
            let mut next = || arguments.next().unwrap_or(Ok(Argument::Nil));
            Ok(Part::Range(Box::new([next()?, next()?, next()?])))
        }
        _ => Err(unknown(text)),
    }
}

fn union_argument(piece: Piece, text: &str, depth: usize) -> Result<Argument, String> {
    match piece {
        Piece::Int(at) => Ok(Argument::Int(at)),
        Piece::Text(script) if is_script(&script) => expression(&script, depth).map(Argument::Script),
        Piece::Text(key) if is_key(&key) => Ok(Argument::Text(inner(&key).to_owned())),
        Piece::Text(_) | Piece::Nil | Piece::Colon | Piece::Comma => Err(unknown(text)),
    }
}

fn range_argument(piece: Piece, depth: usize) -> Result<Argument, String> {
    match piece {
        Piece::Int(at) => Ok(Argument::Int(at)),
        Piece::Text(script) if is_script(&script) => expression(&script, depth).map(Argument::Script),
        Piece::Text(text) => Err(bad_format(&text)),
        Piece::Nil | Piece::Colon | Piece::Comma => Ok(Argument::Nil),
    }
}

fn expression(script: &str, depth: usize) -> Result<Script, String> {
    Script::read(inner(script), depth + 1).map_err(|text| {
        if text.starts_with("invalid expression") { text } else { format!("invalid expression. {text}") }
    })
}

/// Cuts a subscript at `:` and `,` outside of quotes and brackets.
fn pieces(subscript: &str, text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut buffer = String::new();
    let mut open = 0i32;
    let mut quote: Option<char> = None;
    for (at, c) in subscript.char_indices() {
        buffer.push(c);
        match c {
            ' ' if quote.is_none() && open == 0 => buffer = String::from(buffer.trim()),
            '(' if quote.is_none() => open += 1,
            ')' => {
                open -= 1;
                if open == 0 {
                    let script = std::mem::take(&mut buffer);
                    if !is_script(&script) {
                        return Err(bad_format(&script));
                    }
                    pieces.push(Piece::Text(script));
                }
            }
            '\'' | '"' if open == 0 && quote.is_none_or(|own| own == c) => {
                if buffer.len() > 1 && buffer[..buffer.len() - 1].ends_with('\\') {
                    buffer.truncate(buffer.len() - 2);
                    buffer.push(c);
                } else if quote.take().is_none() {
                    quote = Some(c);
                    if buffer.len() != 1 {
                        return Err(unknown(text));
                    }
                } else {
                    let key = std::mem::take(&mut buffer);
                    if !is_key(&key) {
                        return Err(unknown(text));
                    }
                    pieces.push(Piece::Text(key));
                }
            }
            ':' | ',' if quote.is_none() && open == 0 => {
                buffer.pop();
                match (buffer.parse(), c) {
                    (Ok(number), _) => pieces.push(Piece::Int(number)),
                    (Err(_), ':') if buffer.is_empty() && at == 0 => pieces.push(Piece::Nil),
                    (Err(_), _) if buffer.is_empty() => {}
                    (Err(_), ',') => pieces.push(Piece::Text(buffer.clone())),
                    (Err(_), _) => return Err(unknown(text)),
                }
                pieces.push(if c == ':' { Piece::Colon } else { Piece::Comma });
                buffer.clear();
            }
            _ => {}
        }
    }
    if !buffer.is_empty() {
        pieces.push(buffer.parse().map_or(Piece::Text(buffer), Piece::Int));
    }
    Ok(pieces)
}
