//! Which of the page's folders may use which: `data` talks, `state` keeps, `view` draws, `widgets` know
//! nothing of workflows.

use super::source::Source;

/// Folder, the folders it must not use, and why.
const MUST_NOT_USE: &[(&str, &[&str], &str)] = &[
    ("data", &["state", "view"], "what talks to the outside knows neither state nor screen"),
    ("state", &["view"], "state does not know how it is drawn"),
    ("view", &["data"], "a view asks state, it does not fetch"),
];

/// One sentence for each import that must not exist.
pub fn check(files: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let Some(folder) = file.path.strip_prefix("src/").and_then(|path| path.split('/').next()) else {
            continue;
        };
        let folder = folder.trim_end_matches(".rs");
        for (line, target) in uses(file) {
            if let Some(why) = reason(folder, &target) {
                broken.push(format!("{}:{line}: `{folder}` must not use `{target}`: {why}", file.path));
            }
        }
    }
    broken
}

/// Why a folder must not use a target, if it must not.
fn reason(folder: &str, target: &str) -> Option<&'static str> {
    if folder == "widgets" {
        // Glyphs are a table of `unwind_present`, which draws them without a screen too.
        let is_fine = matches!(target, "widgets" | "unwind_present");
        return (!is_fine).then_some("widgets know nothing of workflows");
    }
    let (_, targets, why) = MUST_NOT_USE.iter().find(|(name, ..)| *name == folder)?;
    targets.contains(&target).then_some(why)
}

/// What a file uses of ours: the page's top modules by name, our crates as `unwind_…`, each with its line.
fn uses(file: &Source) -> Vec<(usize, String)> {
    let lines: Vec<(usize, String)> = file.code().collect();
    let code = lines.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n");
    let line_of = |offset: usize| code[..offset].matches('\n').count() + 1;
    let root = "super::".repeat(depth(&file.path));
    let mut found = Vec::new();
    for prefix in ["crate::", root.as_str()].into_iter().filter(|prefix| !prefix.is_empty()) {
        for (at, _) in code.match_indices(prefix) {
            if !ends_a_word(&code[..at]) && !code[..at].ends_with("::") {
                found.extend(
                    targets(&code[at + prefix.len()..]).into_iter().map(|target| (line_of(at), target)),
                );
            }
        }
    }
    for (at, _) in code.match_indices("unwind_") {
        if !ends_a_word(&code[..at]) {
            found.push((line_of(at), word(&code[at..]).to_owned()));
        }
    }
    found.sort();
    found
}

/// How many `super::` lead from a file's module to the crate's root.
fn depth(path: &str) -> usize {
    let parts = path.trim_start_matches("src/").split('/').filter(|part| *part != "mod.rs");
    parts.count()
}

/// The first names after a path's start: one, or several in braces.
fn targets(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        return vec![word(rest).to_owned()];
    };
    let mut names = Vec::new();
    let mut level = 0;
    let mut expects_name = true;
    for (at, character) in group.char_indices() {
        match character {
            '{' => level += 1,
            '}' if level == 0 => break,
            '}' => level -= 1,
            ',' if level == 0 => expects_name = true,
            _ if level == 0 && expects_name && !character.is_whitespace() => {
                names.push(word(&group[at..]).to_owned());
                expects_name = false;
            }
            _ => {}
        }
    }
    names
}

fn word(text: &str) -> &str {
    let end =
        text.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(text.len());
    &text[..end]
}

fn ends_a_word(text: &str) -> bool {
    text.ends_with(|character: char| character.is_alphanumeric() || character == '_' || character == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(path: &str, text: &str) -> Vec<String> {
        check(&[Source { path: path.into(), text: text.into() }])
    }

    #[test]
    fn each_forbidden_import_fails() {
        for (path, text, expected) in [
            ("src/data/a.rs", "use crate::state::x;", "`data` must not use `state`"),
            ("src/data/a.rs", "fn a() { crate::view::x() }", "`data` must not use `view`"),
            (
                "src/data.rs",
                "use crate::{api,\n  view::{a, b}};",
                "src/data.rs:1: `data` must not use `view`",
            ),
            (
                "src/state/deep/a.rs",
                "\nuse crate::view::x;",
                "src/state/deep/a.rs:2: `state` must not use `view`",
            ),
            ("src/view/a.rs", "use crate::{state::a, data::b};", "`view` must not use `data`"),
            ("src/view/deep/a.rs", "use super::super::super::data::b;", "`view` must not use `data`"),
            ("src/view/mod.rs", "use super::data;", "`view` must not use `data`"),
            ("src/widgets/a.rs", "use unwind_model::Phase;", "`widgets` must not use `unwind_model`"),
            ("src/widgets/a.rs", "use crate::state::x;", "`widgets` must not use `state`"),
        ] {
            let found = broken(path, text);
            assert!(found.len() == 1 && found[0].contains(expected), "{path}: {text}: {found:?}");
        }
    }

    #[test]
    fn other_imports_pass() {
        for (path, text) in [
            (
                "src/view/a.rs",
                "use crate::state::x;\nuse crate::widgets::b; // not crate::data\nuse unwind_present::graph;",
            ),
            ("src/state/a.rs", "use crate::data::x;"),
            ("src/data/a.rs", "use super::b;\nuse crate::data::{c, d::e};"),
            (
                "src/widgets/a.rs",
                "use crate::widgets::icon;\nuse unwind_present::glyph::Glyph;\nuse super::icon;",
            ),
            ("src/view/deep/a.rs", "use super::super::data_shape;"),
            ("crates/server/src/data/a.rs", "use crate::state::x;"),
        ] {
            assert_eq!(broken(path, text), [""; 0], "{path}: {text}");
        }
    }
}
