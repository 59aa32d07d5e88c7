//! `{{name}}` and `{{=expression}}` in texts and JSON values.
//!
//! In: a text or value, what names mean, how expressions are evaluated. Out: the same with the tags
//! filled in. What is filled in is not looked at again.
//! Source: Argo `util/template` (`replace.go`, `template.go`, `simple_template.go`); `valyala/fasttemplate`.
//!
//! Argo works on the JSON of the thing, so this does too: a tag that has no end in its text may find one
//! in a later text, or in the brackets that end the JSON.

mod expression;
mod scan;
mod typed;

use serde_json::Value;

use super::Names;
use super::go::{json, quote, quote_inner};

pub use expression::{Evaluation, LATE, decide};
pub use scan::tags;
pub(crate) use typed::{map_has_tags, task_has_tags};

/// Evaluates an expression: its text, `None` when the tag is to stay as it is, or Argo's error text.
pub type Express<'a> = dyn FnMut(&str) -> Result<Option<String>, String> + 'a;

/// What becomes of a tag that has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved<'a> {
    /// It stays as it is. Argo: `Replace` with `allowUnresolved`.
    Stays,
    /// It is an error when its name begins with one of these parts, such as `tasks` and `steps`, else it
    /// stays. Tags of output artifacts always stay. Argo: `ReplaceStrict`.
    FailsIn(&'a [&'a str]),
    /// It is an error. Argo: `Replace` without `allowUnresolved`.
    Fails,
}

impl Unresolved<'_> {
    /// Whether this name must have a value.
    pub fn fails(self, name: &str) -> bool {
        match self {
            Self::Stays => false,
            Self::FailsIn(parts) => parts.iter().any(|part| {
                // `steps.name` and `tasks.name` are what the called template will be called.
                name.strip_prefix(part)
                    .is_some_and(|rest| rest != ".name" && (rest.is_empty() || rest.starts_with('.')))
            }),
            Self::Fails => true,
        }
    }
}

/// Why tags could not be filled in, in Argo's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    /// A tag has no end.
    #[error("Cannot find end tag=\"}}}}\" in the template={} starting from {}", quote(template), quote(rest))]
    Unclosed {
        /// All of the JSON.
        template: String,
        /// What comes after the tag's begin.
        rest: String,
    },
    /// A name has no value.
    #[error("failed to resolve {{{{{0}}}}}")]
    Unresolved(String),
    /// A name stands for an output that was never made, and has no default.
    #[error(
        "unable to substitute {{{{{0}}}}}: output is an absent optional (skipped/omitted node with no default)"
    )]
    Absent(String),
    /// The same for a tag inside a tag.
    #[error("unable to substitute nested tag {{{{{tag}}}}}: {} is an absent optional", quote(nested))]
    NestedAbsent {
        /// All of the outer tag.
        tag: String,
        /// The name that stands in it.
        nested: String,
    },
    /// An expression could not be evaluated.
    #[error("{0}")]
    Expression(String),
    /// What should be worked on is no JSON.
    #[error("cannot do template replacements with invalid JSON")]
    InvalidInput,
    /// With the tags filled in it is no JSON any more: a value has characters that JSON cannot escape as
    /// Go does (controls), or it is nested too deep.
    #[error("cannot finish template replacement because the result was invalid JSON")]
    InvalidResult,
}

impl TagError {
    /// Whether it may be otherwise in a later pass, so that Argo tries again.
    /// Source: Argo `util/template/replace.go`, `IsMissingVariableErr`.
    pub fn is_missing_variable(&self) -> bool {
        let text = self.to_string();
        ["failed to resolve {{", " is missing", "variable not in env"].iter().any(|part| text.contains(part))
    }
}

/// Fills in tags.
pub struct Filler<'a> {
    /// What names mean.
    pub names: &'a dyn Names,
    /// Names that are known to have no value, ever: outputs of nodes that were skipped or omitted.
    pub absent: Option<&'a dyn Fn(&str) -> bool>,
    /// What becomes of a tag without a value.
    pub unresolved: Unresolved<'a>,
    /// Evaluates `{{=expression}}`.
    pub express: &'a mut Express<'a>,
}

impl Filler<'_> {
    /// A text with its tags filled in.
    pub fn text(&mut self, text: &str) -> Result<String, TagError> {
        if !text.contains("{{") {
            return Ok(text.to_owned());
        }
        let filled = self.fill(&format!("\"{}\"", json::escape_html(&json::escape_text(text))))?;
        serde_json::from_str(&filled).map_err(|_| TagError::InvalidResult)
    }

    /// A value with all tags of its texts and keys filled in.
    pub fn value(&mut self, value: &Value) -> Result<Value, TagError> {
        if !has_tags(value) {
            return Ok(value.clone());
        }
        let filled = self.fill(&json::encode_in_order(value))?;
        serde_json::from_str(&filled).map_err(|_| TagError::InvalidResult)
    }

    /// A JSON text with its tags filled in.
    pub fn json(&mut self, text: &str) -> Result<String, TagError> {
        json::check(text).map_err(|_| TagError::InvalidInput)?;
        if !text.contains("{{") {
            return Ok(text.to_owned());
        }
        let filled = self.fill(&json::escape_html(text))?;
        json::check(&filled).map_err(|_| TagError::InvalidResult)?;
        Ok(filled)
    }

    /// Works on JSON in Go's form; the result may be no JSON.
    fn fill(&mut self, template: &str) -> Result<String, TagError> {
        let mut filled = String::with_capacity(template.len());
        let mut end = 0;
        for tag in tags(template)? {
            filled.push_str(&template[end..tag.start - 2]);
            end = tag.end + 2;
            let tag = &template[tag];
            match tag.strip_prefix('=') {
                Some(expression) => self.expression(&json::fix(expression), &mut filled)?,
                None => self.simple(tag, &mut filled)?,
            }
        }
        filled.push_str(&template[end..]);
        Ok(filled)
    }

    /// Source: Argo `simple_template.go`, `simpleReplaceStrict`.
    fn simple(&self, tag: &str, filled: &mut String) -> Result<(), TagError> {
        let name = tag.trim();
        if self.is_absent(name) {
            return Err(TagError::Absent(tag.to_owned()));
        }
        if let Some(value) = self.names.value(name) {
            filled.push_str(&quote_inner(&value));
            return Ok(());
        }
        // Texts of other languages have braces too: `{{ secret "{{inputs.parameters.x}}" }}`.
        if let Some(at) = tag.rfind("{{").filter(|at| *at > 0) {
            let nested = &tag[at + 2..];
            if self.is_absent(nested) {
                return Err(TagError::NestedAbsent { tag: tag.to_owned(), nested: nested.to_owned() });
            }
            if let Some(value) = self.names.value(nested) {
                for part in ["{{", &tag[..at], &quote_inner(&value)] {
                    filled.push_str(part);
                }
                return Ok(());
            }
        }
        let may_stay = match self.unresolved {
            Unresolved::Stays | Unresolved::FailsIn(_) => name.contains(".outputs.artifacts."),
            Unresolved::Fails => false,
        };
        if self.unresolved.fails(name) && !may_stay {
            return Err(TagError::Unresolved(tag.to_owned()));
        }
        for part in ["{{", tag, "}}"] {
            filled.push_str(part);
        }
        Ok(())
    }

    fn is_absent(&self, name: &str) -> bool {
        self.absent.is_some_and(|is_absent| is_absent(name))
    }

    /// Source: Argo `expression_template.go`, `expressionReplaceStrict`.
    fn expression(&mut self, escaped: &str, filled: &mut String) -> Result<(), TagError> {
        let json_text = format!("\"{escaped}\"");
        if let Err(error) = json::check(&json_text) {
            return Err(TagError::Expression(format!("failed to unmarshall JSON expression: {error}")));
        }
        let expression: String = serde_json::from_str(&json_text).map_err(|_| TagError::InvalidInput)?;
        match (self.express)(&expression).map_err(TagError::Expression)? {
            Some(text) => filled.push_str(&json::escape_text(&text)),
            None => {
                for part in ["{{=", escaped, "}}"] {
                    filled.push_str(part);
                }
            }
        }
        Ok(())
    }
}

/// Whether a tag begins in any text or key of a value.
pub fn has_tags(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if text.contains("{{") => return true,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            Value::Array(list) => open.extend(list),
            Value::Object(map) => {
                if map.keys().any(|key| key.contains("{{")) {
                    return true;
                }
                open.extend(map.values());
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
