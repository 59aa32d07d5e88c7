//! Reads the page's entry: HTML with trunk's `data-trunk` links in it.
//!
//! In: the text of `index.html`. Out: the links in order, and the text around them in pieces. Only tags that
//! carry `data-trunk` are looked into; HTML comments are dropped, everything else is kept as it stands.
//! A kind of link that this build does not know is an error, never left out silently.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// The page's entry, taken apart.
#[derive(Debug, PartialEq)]
pub struct Entry {
    pub pieces: Vec<Piece>,
    pub rust: RustLink,
}

/// A stretch of the entry, in order.
#[derive(Debug, PartialEq)]
pub enum Piece {
    /// HTML to keep as it is.
    Text(String),
    /// Where the program's script goes.
    Rust,
    /// A style sheet, path from the entry's folder.
    Style(PathBuf),
    /// The icon, path from the entry's folder.
    Icon(PathBuf),
    /// One file to copy under its own name, below the folder `to`.
    CopyFile { from: PathBuf, to: PathBuf },
    /// A folder to copy, with what is in it, to the folder `to`.
    CopyFolder { from: PathBuf, to: PathBuf },
    /// The `<base>` tag, with its `href` as written.
    Base(String),
}

/// The link of kind `rust`.
#[derive(Debug, PartialEq)]
pub struct RustLink {
    /// Name of the program, `data-bin`.
    pub program: String,
    /// Cargo profile for the small build, `data-cargo-profile-release`.
    pub profile: String,
}

/// Reads the entry at `path`.
pub fn read(path: &Path) -> Result<Entry> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| format!("in {}", path.display()))
}

/// Takes the text of an entry apart.
pub fn parse(text: &str) -> Result<Entry> {
    let mut pieces = Vec::new();
    let mut rust = None;
    let mut plain = String::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('<').map(|offset| at + offset) {
        plain.push_str(&text[at..open]);
        let following = &text[open..];
        if following.starts_with("<!--") {
            let length = following.find("-->").with_context(|| place(text, open, "comment without end"))?;
            at = open + length + "-->".len();
            continue;
        }
        let end = tag_end(following).with_context(|| place(text, open, "tag without end"))?;
        let tag = &following[..end];
        at = open + end;
        let attributes = attributes(tag);
        let ours = attributes.iter().any(|(name, _)| name.starts_with("data-trunk"));
        if !ours {
            plain.push_str(tag);
            continue;
        }
        let piece = link(tag, &attributes, &mut rust).with_context(|| place(text, open, tag))?;
        pieces.push(Piece::Text(std::mem::take(&mut plain)));
        pieces.push(piece);
    }
    plain.push_str(&text[at..]);
    pieces.push(Piece::Text(plain));
    let rust = rust.context("no link of kind `rust`: add <link data-trunk rel=\"rust\" data-bin=\"…\">")?;
    Ok(Entry { pieces, rust })
}

/// What a tag with `data-trunk` asks for.
fn link(tag: &str, attributes: &[(String, String)], rust: &mut Option<RustLink>) -> Result<Piece> {
    let value = |name: &str| attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let needed = |name: &str| value(name).with_context(|| format!("attribute `{name}` is missing"));
    if tag.starts_with("<base") {
        return Ok(Piece::Base(needed("href")?.to_owned()));
    }
    let target = || PathBuf::from(value("data-target-path").unwrap_or(""));
    match needed("rel")? {
        "rust" => {
            ensure!(rust.is_none(), "a second link of kind `rust`");
            let profile = value("data-cargo-profile-release").unwrap_or("release").to_owned();
            *rust = Some(RustLink { program: needed("data-bin")?.to_owned(), profile });
            Ok(Piece::Rust)
        }
        "css" => Ok(Piece::Style(needed("href")?.into())),
        "icon" => Ok(Piece::Icon(needed("href")?.into())),
        "copy-file" => Ok(Piece::CopyFile { from: needed("href")?.into(), to: target() }),
        "copy-dir" => {
            let from = PathBuf::from(needed("href")?);
            let own_name = PathBuf::from(from.file_name().unwrap_or_default());
            let to = value("data-target-path").map_or(own_name, PathBuf::from);
            Ok(Piece::CopyFolder { from, to })
        }
        other => {
            bail!("a link of kind `{other}` is not known here: rust, css, icon, copy-file and copy-dir are")
        }
    }
}

/// Length of the tag at the start of `rest`; a `>` inside quotes does not end it.
fn tag_end(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (index, character) in rest.char_indices() {
        match (quote, character) {
            (None, '>') => return Some(index + 1),
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    None
}

/// Names and values of a tag's attributes; one without a value has the empty value.
fn attributes(tag: &str) -> Vec<(String, String)> {
    let inner = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    let mut rest = inner.trim_start_matches(|character: char| !character.is_whitespace());
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return found;
        }
        let name_length =
            rest.find(|character: char| character.is_whitespace() || character == '=').unwrap_or(rest.len());
        let name = rest[..name_length].to_ascii_lowercase();
        rest = rest[name_length..].trim_start();
        let Some(after_sign) = rest.strip_prefix('=') else {
            found.push((name, String::new()));
            continue;
        };
        rest = after_sign.trim_start();
        let (value, length) = if let Some(quote @ ('"' | '\'')) = rest.chars().next() {
            let inside = &rest[1..];
            let close = inside.find(quote).unwrap_or(inside.len());
            (&inside[..close], (close + 2).min(rest.len()))
        } else {
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            (&rest[..length], length)
        };
        found.push((name, value.to_owned()));
        rest = &rest[length..];
    }
}

fn place(text: &str, offset: usize, what: &str) -> String {
    let line = text[..offset].matches('\n').count() + 1;
    format!("line {line}: {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUST: &str = r#"<link data-trunk rel="rust" data-bin="page" data-cargo-profile-release="small" />"#;

    #[test]
    fn links_become_pieces_in_order_and_the_rest_is_kept() {
        let text = format!(
            r#"<head><!-- <link data-trunk rel="css" href="no.css"> --><base data-trunk-public-url href="./"/>
<link data-trunk rel="css" href="a.css"><meta name="x" content="1 > 0">{RUST}<link rel="x"
data-trunk rel='copy-dir' href='s'></head>"#
        );
        let text = text.replace(r#"rel="x""#, "");
        let entry = parse(&text).expect("parses");
        assert_eq!(
            entry.pieces,
            [
                Piece::Text("<head>".into()),
                Piece::Base("./".into()),
                Piece::Text("\n".into()),
                Piece::Style("a.css".into()),
                Piece::Text(r#"<meta name="x" content="1 > 0">"#.into()),
                Piece::Rust,
                Piece::Text(String::new()),
                Piece::CopyFolder { from: "s".into(), to: "s".into() },
                Piece::Text("</head>".into()),
            ]
        );
        assert_eq!(entry.rust, RustLink { program: "page".into(), profile: "small".into() });
    }

    #[test]
    fn unknown_kind_is_an_error_with_its_line() {
        let error =
            parse(&format!("{RUST}\n<link data-trunk rel=\"sass\" href=\"a\">")).expect_err("not known");
        let text = format!("{error:#}");
        assert!(text.contains("line 2") && text.contains("`sass`"), "{text}");
    }

    #[test]
    fn entry_without_a_program_is_an_error() {
        let error = parse("<html></html>").expect_err("no program");
        assert!(error.to_string().contains("no link of kind `rust`"), "{error}");
    }
}
