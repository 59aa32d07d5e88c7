//! Our source files, read once for all rules that look into them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A file of ours.
pub struct Source {
    /// Below the workspace's root, with `/`.
    pub path: String,
    pub text: String,
}

/// Folders and files whose content is ours.
const ROOTS: &[&str] = &["src", "crates", "style", "tests"];
const KINDS: &[&str] = &["rs", "css", "mjs"];

/// Reads every Rust, CSS and JavaScript file of ours, in a fixed order.
pub fn read(root: &Path) -> Result<Vec<Source>> {
    let mut files = Vec::new();
    for folder in ROOTS {
        collect(root, folder, &mut files)?;
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn collect(root: &Path, folder: &str, files: &mut Vec<Source>) -> Result<()> {
    let Ok(entries) = fs::read_dir(root.join(folder)) else {
        return Ok(()); // not every folder is there from the first day
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        let kind = name.rsplit('.').next().unwrap_or_default();
        if entry.file_type()?.is_dir() {
            if !["node_modules", "results", "target"].contains(&name.as_str()) {
                collect(root, &path, files)?;
            }
        } else if KINDS.contains(&kind) {
            let text = fs::read_to_string(entry.path()).with_context(|| format!("cannot read {path}"))?;
            files.push(Source { path, text });
        }
    }
    Ok(())
}

impl Source {
    pub fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|kind| kind == "rs")
    }

    /// The Rust code line by line, counted from 1, without comments, text literals and what follows
    /// `#[cfg(test)]`.
    pub fn code(&self) -> impl Iterator<Item = (usize, String)> {
        let code = without_comments_and_texts(&self.text);
        let end = code.find("#[cfg(test)]").unwrap_or(code.len());
        let lines: Vec<String> = code[..end].lines().map(str::to_owned).collect();
        lines.into_iter().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// Rust text with comments and the inside of string literals blanked; line numbers stay.
pub fn without_comments_and_texts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(end) = raw_text_end(rest, &out) {
            end
        } else if character == '"' {
            text_end(rest)
        } else if rest.starts_with("'\"'") {
            3
        } else {
            out.push(character);
            rest = &rest[character.len_utf8()..];
            continue;
        };
        out.extend(rest[..length].chars().filter(|character| *character == '\n'));
        rest = &rest[length..];
    }
    out
}

/// End of a raw string literal at the start of `rest`; `before` is the code so far.
fn raw_text_end(rest: &str, before: &str) -> Option<usize> {
    let inside_a_word = before.ends_with(|character: char| character.is_alphanumeric() || character == '_');
    let hashes = rest.strip_prefix('r')?.chars().take_while(|character| *character == '#').count();
    let opened = 1 + hashes;
    if (inside_a_word && !before.ends_with('b')) || !rest[opened..].starts_with('"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let body = &rest[opened + 1..];
    Some(body.find(&close).map_or(rest.len(), |end| opened + 1 + end + close.len()))
}

/// End of a string literal at the start of `rest`.
fn text_end(rest: &str) -> usize {
    let mut escaped = false;
    for (index, character) in rest.char_indices().skip(1) {
        match character {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return index + 1,
            _ => escaped = false,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_has_no_comments_texts_or_tests() {
        let text = "use a; // crate::x\nlet s = \"crate::y \\\" z\"; /* b\n */ c;\nlet r = r#\"q \" q\"#;\nlet d = '\"'; d2\n#[cfg(test)]\nmod tests {}\n";
        let source = Source { path: "src/a.rs".into(), text: text.into() };
        let lines: Vec<_> = source.code().map(|(_, line)| line.trim_end().to_owned()).collect();
        assert_eq!(lines, ["use a;", "let s = ;", " c;", "let r = ;", "let d = ; d2"]);
    }
}
