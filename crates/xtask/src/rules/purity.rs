//! What the pure crates must not name from the standard library: same input, same output, natively and in WASM.

use super::source::Source;

const PURE: &[&str] =
    &["crates/model/src/", "crates/engine/src/", "crates/layout/src/", "crates/present/src/"];

/// Names that stand for a clock, files, network, threads or processes.
const IMPURE: &[&str] = &[
    "SystemTime",
    "Instant::now",
    "time::Instant",
    "std::fs",
    "std::net",
    "std::thread",
    "std::process",
    "std::env::",
    "thread_rng",
];

/// One sentence for each line of a pure crate, tests aside, that names one of them.
pub fn check(files: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for file in files {
        if !PURE.iter().any(|folder| file.path.starts_with(folder)) || is_test(&file.path) {
            continue;
        }
        for (line, code) in file.code() {
            for name in IMPURE.iter().filter(|name| names(&code, name)) {
                let path = &file.path;
                broken.push(format!("{path}:{line}: a pure crate must not name `{name}`: take it as input"));
            }
        }
    }
    broken
}

fn is_test(path: &str) -> bool {
    path.rsplit('/')
        .any(|part| part == "tests.rs" || part == "tests" || part == "testkit" || part == "testkit.rs")
}

/// Whether `code` holds `name` as whole words.
fn names(code: &str, name: &str) -> bool {
    let part_of_word = |character: char| character.is_alphanumeric() || character == '_';
    code.match_indices(name).any(|(at, _)| {
        !code[..at].ends_with(part_of_word)
            && (name.ends_with(':') || !code[at + name.len()..].starts_with(part_of_word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(path: &str, text: &str) -> Vec<String> {
        check(&[Source { path: path.into(), text: text.into() }])
    }

    #[test]
    fn each_impure_name_fails() {
        for name in IMPURE {
            let found = broken("crates/engine/src/run.rs", &format!("\nlet a = {name} ;"));
            assert!(found.len() == 1, "{name}: {found:?}");
            assert!(found[0].starts_with("crates/engine/src/run.rs:2: "), "{found:?}");
        }
    }

    #[test]
    fn tests_comments_other_words_and_other_crates_pass() {
        assert_eq!(
            broken(
                "crates/engine/src/a.rs",
                "// SystemTime\nSystemTimes; enum A { Instant }\n#[cfg(test)]\nstd::fs"
            ),
            [""; 0]
        );
        assert_eq!(broken("crates/engine/src/testkit.rs", "std::fs::read"), [""; 0]);
        assert_eq!(broken("crates/server/src/a.rs", "std::fs::read"), [""; 0]);
    }
}
