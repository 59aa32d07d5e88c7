//! `{{…}}` references: found, and filled in.
//! Source: Argo `util/template/template.go`; `argo-semantics` 4.5.

/// Fills in all references that `resolve` knows; the others stay as they are written.
/// What is filled in is not looked at again.
pub(crate) fn fill_in(text: &str, resolve: &dyn Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, name, after)) = next(rest) {
        filled.push_str(before);
        match resolve(name.trim()) {
            Some(value) => filled.push_str(&value),
            None => filled.push_str(&rest[before.len()..rest.len() - after.len()]),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// The references in a text, as written between the braces, without spaces around.
pub(crate) fn references(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, name, after)) = next(rest) {
        found.push(name.trim());
        rest = after;
    }
    found
}

/// Text before the next reference, what stands in its braces, and text after it.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let begin = text.find("{{")?;
    let end = begin + text[begin..].find("}}")?;
    // The innermost opening braces count: `{{ {{a}}` refers to `a`.
    let begin = begin + text[begin..end].rfind("{{")?;
    Some((&text[..begin], &text[begin + 2..end], &text[end + 2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_references_are_filled_in_and_others_stay() {
        let resolve = |name: &str| (name == "a.b").then(|| "{{a.b}}".to_owned());
        for (text, expected) in [
            ("x {{a.b}} {{ a.b }}y", "x {{a.b}} {{a.b}}y"),
            ("{{c}} {{", "{{c}} {{"),
            ("{{ {{a.b}}}}", "{{ {{a.b}}}}"),
            ("plain", "plain"),
        ] {
            assert_eq!(fill_in(text, &resolve), expected);
        }
        assert_eq!(references("{{ a }}{{b}} {{c"), ["a", "b"]);
    }
}
