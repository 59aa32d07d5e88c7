//! The counts that may not fall: `name count` lines, `#` begins a comment.

use std::collections::BTreeMap;

use anyhow::{Context, bail, ensure};

/// The counts in the text of `ratchet.txt`.
pub fn read(text: &str) -> anyhow::Result<BTreeMap<String, usize>> {
    let mut counts = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, count) = line
            .split_once(' ')
            .with_context(|| format!("line {number} of the ratchet: expected `name count`"))?;
        let count = count
            .trim()
            .parse()
            .with_context(|| format!("line {number} of the ratchet: expected a number, found `{count}`"))?;
        counts.insert(name.to_owned(), count);
    }
    Ok(counts)
}

/// Compares a count with the one that was reached before.
pub fn check(text: &str, name: &str, passed: usize) -> anyhow::Result<()> {
    let counts = read(text)?;
    let Some(before) = counts.get(name).copied() else {
        bail!("the ratchet has no count for `{name}`; add the line `{name} {passed}`");
    };
    ensure!(passed >= before, "`{name}`: {passed} pass, {before} did before");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_count_may_stay_or_rise_and_not_fall() {
        let text = "# counts\ncases 3\n";
        assert!(check(text, "cases", 3).is_ok());
        assert!(check(text, "cases", 4).is_ok());
        assert!(check(text, "cases", 2).is_err());
        assert!(check(text, "traces", 2).is_err());
    }
}
