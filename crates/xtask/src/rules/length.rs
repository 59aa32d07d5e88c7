//! Length of files: one idea per file.

use super::source::Source;

/// Lines a file may have.
const LIMIT: usize = 800;

/// One sentence for each file above the limit.
pub fn check(files: &[Source]) -> Vec<String> {
    files
        .iter()
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > LIMIT)
        .map(|(file, lines)| format!("{}: {lines} lines, limit {LIMIT}: split it by idea", file.path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_file_fails_and_one_at_the_limit_passes() {
        let file = |lines: usize| Source { path: format!("style/{lines}.css"), text: "a\n".repeat(lines) };
        assert_eq!(check(&[file(800), file(801)]), ["style/801.css: 801 lines, limit 800: split it by idea"]);
    }
}
