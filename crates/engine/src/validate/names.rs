//! Names of templates, tasks, parameters and artifacts.
//! Source: Argo `workflow/validate/validate.go`, `validateWorkflowFieldNames`, `isValidWorkflowFieldName`,
//! `isValidParamOrArtifactName`, `isParameter`.

use std::collections::BTreeSet;

/// Which rule names follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Templates, tasks, steps, containers.
    Field,
    /// Parameters and artifacts.
    Parameter,
}

/// A name in a list that is missing, wrong or there twice: its index and Argo's text about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadName {
    pub(super) index: usize,
    pub(super) message: String,
}

const MAX_BYTES: usize = 128;
const FIELD: &str = "name must consist of alpha-numeric characters or '-', and must start with an alpha-numeric \
     character (e.g. My-name1-2, 123-NAME)";
const PARAMETER: &str = "Parameter/Artifact name must consist of alpha-numeric characters, '_' or '-' e.g. \
     my_param_1, MY-PARAM-1";

/// The first bad name of a list.
pub(super) fn check_all<'n>(names: impl Iterator<Item = &'n str>, rule: Rule) -> Result<(), BadName> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        let bad = |message: String| BadName { index, message: format!("[{index}].name{message}") };
        if name.is_empty() {
            return Err(bad(" is required".to_owned()));
        }
        if let Some(wrong) = wrong(name, rule) {
            return Err(bad(format!(": '{name}' is invalid: {wrong}")));
        }
        if !seen.insert(name) {
            return Err(bad(format!(" '{name}' is not unique")));
        }
    }
    Ok(())
}

/// What is wrong with one name.
pub(super) fn wrong(name: &str, rule: Rule) -> Option<String> {
    match rule {
        Rule::Field => {
            let length = format!("must be no more than {MAX_BYTES} bytes");
            match (name.len() > MAX_BYTES, is_field_name(name)) {
                (false, true) => None,
                (true, true) => Some(length),
                (false, false) => Some(FIELD.to_owned()),
                (true, false) => Some(format!("{length};{FIELD}")),
            }
        }
        Rule::Parameter => {
            let is_good =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
            (!is_good).then(|| PARAMETER.to_owned())
        }
    }
}

fn is_field_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// True when a tag such as `{{inputs.parameters.x}}` is anywhere in the text.
pub(super) fn has_tag(text: &str) -> bool {
    let starts = text.match_indices("{{").map(|(start, _)| start);
    starts.into_iter().any(|start| {
        // With three braces in a row the tag begins at the last two.
        let inside = &text[start + 2..];
        let Some(end) = inside.find("}}") else { return false };
        is_tag_name(inside[..end].trim_start_matches('{'))
    })
}

fn is_tag_name(name: &str) -> bool {
    let mut parts = name.split('.');
    let is_part = |part: &str, underscore: bool| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || (underscore && c == '_'))
    };
    parts.next().is_some_and(|first| is_part(first, false)) && parts.all(|part| is_part(part, true))
}

#[cfg(test)]
mod tests {
    use super::{Rule, check_all, has_tag};

    fn bad(names: &[&str], rule: Rule) -> String {
        check_all(names.iter().copied(), rule).err().map(|bad| bad.message).unwrap_or_default()
    }

    #[test]
    fn the_first_bad_name_is_told_with_its_index() {
        assert_eq!(bad(&["a", "1-b"], Rule::Field), "");
        assert_eq!(bad(&["a", ""], Rule::Field), "[1].name is required");
        assert_eq!(bad(&["a", "a"], Rule::Field), "[1].name 'a' is not unique");
        assert!(bad(&["a_b"], Rule::Field).starts_with("[0].name: 'a_b' is invalid: name must consist of"));
        assert!(bad(&["-a"], Rule::Field).starts_with("[0].name: '-a' is invalid"));
        assert_eq!(bad(&["a_b", "-"], Rule::Parameter), "");
        assert!(bad(&["a.b"], Rule::Parameter).contains("'a.b' is invalid: Parameter/Artifact name"));
        let long = "a".repeat(129);
        assert_eq!(
            bad(&[&long], Rule::Field),
            format!("[0].name: '{long}' is invalid: must be no more than 128 bytes")
        );
    }

    #[test]
    fn tags_are_seen_anywhere_in_a_text() {
        for text in ["{{inputs.parameters.a_b}}", "x {{workflow.name}} y", "{{{item}}"] {
            assert!(has_tag(text), "{text}");
        }
        for text in ["", "x", "{{ item }}", "{{=item}}", "{{item", "{{a_b}}"] {
            assert!(!has_tag(text), "{text}");
        }
    }
}
