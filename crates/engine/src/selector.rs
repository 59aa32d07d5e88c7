//! Node field selectors: `displayName=bottle,phase!=Succeeded`.
//!
//! In: the text and a node. Out: whether it is meant, or Kubernetes' own error text.
//! Source: Kubernetes `apimachinery/pkg/fields`, `ParseSelector`, `UnescapeValue`; Argo
//! `workflow/util/util.go`, `SelectorMatchesNode`.

use std::borrow::Cow;

use thiserror::Error;
use unwind_model::NodeStatus;
use unwind_model::ordered;

/// A selector; all its terms must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    field: String,
    value: String,
    /// Whether the field must have the value, or must not.
    wanted: bool,
}

/// Why a text is no selector.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectorError {
    /// A term without `=`, `==` or `!=`.
    #[error("invalid selector: '{selector}'; can't understand '{term}'")]
    Term {
        /// The whole text.
        selector: String,
        /// The term.
        term: String,
    },
    /// A backslash before something that needs none.
    #[error("invalid field selector: invalid escape sequence: {0}")]
    Escape(String),
    /// A `=` inside a value; the number of the character, as Go shows it.
    #[error("invalid field selector: unescaped character in value: {0}")]
    Unescaped(u32),
}

impl Selector {
    /// Reads a selector. An empty text selects every node.
    pub fn parse(selector: &str) -> Result<Self, SelectorError> {
        let mut texts = split(selector);
        ordered::sort_by(&mut texts, Ord::cmp);
        let mut terms = Vec::new();
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            let term = SelectorError::Term { selector: selector.to_owned(), term: text.to_owned() };
            let (field, wanted, value) = operator(text).ok_or(term)?;
            terms.push(Term { field: field.to_owned(), value: unescape(value)?, wanted });
        }
        Ok(Self { terms })
    }

    /// True when the node is meant. A field that the node has not counts as empty.
    pub fn matches(&self, node: &NodeStatus) -> bool {
        self.terms.iter().all(|term| (field(node, &term.field) == term.value) == term.wanted)
    }
}

/// Splits at commas that no backslash guards.
fn split(selector: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut guarded) = (0, false);
    for (at, byte) in selector.bytes().enumerate() {
        match byte {
            _ if guarded => guarded = false,
            b'\\' => guarded = true,
            b',' => {
                terms.push(&selector[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&selector[start..]);
    terms
}

/// Field, whether it must be equal, and raw value of a term.
fn operator(term: &str) -> Option<(&str, bool, &str)> {
    for at in term.char_indices().map(|(at, _)| at) {
        for (operator, wanted) in [("!=", false), ("==", true), ("=", true)] {
            if let Some(value) = term[at..].strip_prefix(operator) {
                return Some((&term[..at], wanted, value));
            }
        }
    }
    None
}

fn unescape(value: &str) -> Result<String, SelectorError> {
    let mut plain = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('\\' | ',' | '=')) => plain.push(c),
                Some(c) => return Err(SelectorError::Escape(format!("\\{c}"))),
                None => return Err(SelectorError::Escape("\\".into())),
            },
            ',' | '=' => return Err(SelectorError::Unescaped(c.into())),
            c => plain.push(c),
        }
    }
    Ok(plain)
}

/// The value of a field that a selector may name; empty when there is none.
fn field<'a>(node: &'a NodeStatus, name: &str) -> Cow<'a, str> {
    let reference = |key: &str| Cow::Borrowed(template_ref(node, key).unwrap_or_default());
    match name {
        "displayName" => Cow::Borrowed(&node.display_name),
        "templateName" => Cow::Borrowed(template_of(node)),
        "phase" => Cow::Borrowed(node.phase.as_str()),
        "name" => Cow::Borrowed(node.name.as_str()),
        "id" => Cow::Borrowed(node.id.as_str()),
        "templateRef.name" => reference("name"),
        "templateRef.template" => reference("template"),
        name => {
            let middle = name.strip_prefix("inputs.parameters.").and_then(|rest| rest.strip_suffix(".value"));
            // Of two parameters of one name the later one counts, as in a map.
            let parameters = &node.inputs.parameters;
            let parameter = middle.and_then(|middle| parameters.iter().rfind(|each| each.name == middle));
            Cow::Borrowed(parameter.and_then(|parameter| parameter.value.as_deref()).unwrap_or_default())
        }
    }
}

/// The template that a node runs, by its own name in the document it comes from.
/// Source: Argo `workflow/util/util.go`, `GetTemplateFromNode`.
pub(crate) fn template_of(node: &NodeStatus) -> &str {
    if node.template_ref.is_some() {
        return template_ref(node, "template").unwrap_or_default();
    }
    &node.template_name
}

fn template_ref<'a>(node: &'a NodeStatus, key: &str) -> Option<&'a str> {
    node.template_ref.as_ref()?.get(key)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node() -> NodeStatus {
        let text = r#"{"id":"orchard-1","name":"orchard.press","displayName":"press","type":"Pod","phase":"Failed",
            "templateRef":{"name":"lib","template":"squeeze"},"inputs":{"parameters":[{"name":"fruit","value":"a=b,c"}]}}"#;
        unwind_model::json::read(text).expect("a node")
    }

    fn check(selector: &str, expected: &str) {
        let found = match Selector::parse(selector) {
            Ok(selector) => selector.matches(&node()).to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{selector}");
    }

    #[test]
    fn terms_are_anded() {
        check("", "true");
        check(",", "true");
        check("displayName=press", "true");
        check("displayName==press,phase!=Succeeded", "true");
        check("displayName=press,phase=Succeeded", "false");
        check("id=orchard-1", "true");
        check("name=orchard.press", "true");
    }

    #[test]
    fn references_and_parameters_are_fields() {
        check("templateName=squeeze", "true");
        check("templateRef.name=lib,templateRef.template=squeeze", "true");
        check("inputs.parameters.fruit.value=a\\=b\\,c", "true");
        check("inputs.parameters.seed.value=", "true");
        check("nothing=x", "false");
        check("nothing!=x", "true");
    }

    #[test]
    fn mistakes_have_the_texts_of_kubernetes() {
        check("displayName", "invalid selector: 'displayName'; can't understand 'displayName'");
        check("z=1,b", "invalid selector: 'z=1,b'; can't understand 'b'");
        check("a=b=c", "invalid field selector: unescaped character in value: 61");
        check("a=b\\c", "invalid field selector: invalid escape sequence: \\c");
        check("a=b\\", "invalid field selector: invalid escape sequence: \\");
    }
}
