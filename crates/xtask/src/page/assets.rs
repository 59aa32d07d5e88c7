//! The files that the entry names beside the program: style sheets, icon, files to copy.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::entry::{Entry, Piece};

/// What the entry names, read.
#[derive(Default)]
pub struct Assets {
    /// All style sheets in the entry's order, as one.
    pub style: String,
    /// The icon with its file extension.
    pub icon: Option<(String, Vec<u8>)>,
    /// Path below the output folder, with `/`, to bytes.
    pub copies: BTreeMap<String, Vec<u8>>,
}

/// Reads everything the entry at `entry_path` names.
pub fn read(entry_path: &Path, entry: &Entry) -> Result<Assets> {
    let folder = entry_path.parent().unwrap_or(Path::new("."));
    let mut assets = Assets::default();
    for piece in &entry.pieces {
        match piece {
            Piece::Style(path) => {
                let text = std::fs::read_to_string(folder.join(path)).with_context(|| named(path))?;
                ensure!(
                    !text.contains("@import"),
                    "{}: `@import` is not bundled, link the file",
                    path.display()
                );
                assets.style.push_str(&without_comments(&text));
            }
            Piece::Icon(path) => {
                let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
                assets.icon =
                    Some((extension, std::fs::read(folder.join(path)).with_context(|| named(path))?));
            }
            Piece::CopyFile { from, to } => {
                let name = to.join(from.file_name().unwrap_or_default());
                copy(&folder.join(from), &name, &mut assets.copies).with_context(|| named(from))?;
            }
            Piece::CopyFolder { from, to } => {
                copy(&folder.join(from), to, &mut assets.copies).with_context(|| named(from))?;
            }
            Piece::Text(_) | Piece::Rust | Piece::Base(_) => {}
        }
    }
    Ok(assets)
}

fn named(path: &Path) -> String {
    format!("{}, named in the page's entry, cannot be read", path.display())
}

/// Takes a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path, copies: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    if from.is_dir() {
        for found in std::fs::read_dir(from)? {
            let found = found?;
            copy(&found.path(), &to.join(found.file_name()), copies)?;
        }
        return Ok(());
    }
    let name: Vec<_> = to.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    copies.insert(name.join("/"), std::fs::read(from)?);
    Ok(())
}

/// A style sheet without comments and indentation; strings are left alone.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '/', '\n']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if rest.starts_with(['"', '\'']) {
            let quote = &rest[..1];
            let end = rest[1..].find(quote).map_or(rest.len(), |end| end + 2);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if let Some(line) = rest.strip_prefix('\n') {
            out.truncate(out.trim_end().len());
            out.push('\n');
            rest = line.trim_start();
        } else {
            out.push('/');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go_strings_stay() {
        let sheet =
            "/* head\n */\na {\n  content: \"/* kept */\";  /* gone */\n\n  margin: calc(1px / 2);\n}\n";
        assert_eq!(without_comments(sheet), "\na {\ncontent: \"/* kept */\";\nmargin: calc(1px / 2);\n}\n");
    }
}
