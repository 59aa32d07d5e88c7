//! Items of a loop: `withItems`, `withParam`, `withSequence`.
//!
//! In: what to loop over, with all tags filled in. Out: per item the end of its node's name and what
//! `{{item}}` and `{{item.key}}` mean, or Argo's error text.
//! Source: Argo `workflow/controller/dag.go` (`expandTask`), `steps.go` (`expandStep`), `operator.go`
//! (`processItem`, `generateNodeName`, `expandSequence`), `pkg/apis/workflow/v1alpha1/item.go`;
//! `argo-semantics` 1.5, `trace-findings` 1.16.

use std::borrow::Cow;

use serde_json::Value;
use unwind_model::decimal;
use unwind_model::features::{Sequence, ShapeError};
use unwind_model::spec::Task;

use crate::lang::Names;
use crate::lang::go::json::{self, JsonError, Kind};
use crate::lang::go::{NumberError, atoi, format_integer};
use crate::lang::tags::Unresolved;
use crate::lang::when::should_execute;

/// Most items that a sequence may have. Argo has no limit, and ends with its memory.
const SEQUENCE_LIMIT: u64 = 100_000;

/// Most bytes that their texts may have together.
const TEXT_LIMIT: usize = 16 << 20;

/// What to loop over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loop<'a> {
    /// `withItems`
    Items(&'a [Value]),
    /// `withParam`: the text of a JSON list.
    Param(&'a str),
    /// `withSequence`
    Sequence(&'a Sequence),
}

impl<'a> Loop<'a> {
    /// What a task or step loops over. An empty `withItems` or `withParam` is no loop at all.
    /// Source: Argo `workflow_types.go`, `ShouldExpand`.
    pub fn of(
        items: Option<&'a [Value]>,
        param: Option<&'a str>,
        sequence: Option<&'a Sequence>,
    ) -> Option<Self> {
        let items = items.filter(|items| !items.is_empty()).map(Self::Items);
        let param = || param.filter(|param| !param.is_empty()).map(Self::Param);
        items.or_else(param).or_else(|| sequence.map(Self::Sequence))
    }
}

/// One item of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What its name has behind the name of the task or step: `(0:a)`.
    pub name_suffix: String,
    /// What `item` means, and `item.<key>` for maps, sorted by key.
    pub names: Vec<(String, String)>,
}

impl Item {
    /// The whole name of this item's task or step.
    pub fn name(&self, task: &str) -> String {
        format!("{task}{}", self.name_suffix)
    }
}

impl Names for Item {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        let found = self.names.iter().find(|(known, _)| known == name)?;
        Some(Cow::Borrowed(&found.1))
    }

    fn each(&self, see: &mut dyn FnMut(&str, &str)) {
        for (name, text) in &self.names {
            see(name, text);
        }
    }
}

/// Why there are no items, in Argo's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ItemsError {
    /// `withParam` is no JSON list.
    #[error("withParam value could not be parsed as a JSON list: {}: {error}", param.trim())]
    Param {
        /// The text.
        param: String,
        /// Go's words.
        error: String,
    },
    /// A bound of `withSequence` is no whole number.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// `withSequence` has no end.
    #[error("neither end nor count was specified in withSequence")]
    NoEnd,
    /// The format of `withSequence` makes texts that are no JSON between quotes.
    #[error(transparent)]
    Format(#[from] JsonError),
    /// `withSequence` has more items than anyone can run.
    #[error("withSequence has {0} items, at most {SEQUENCE_LIMIT} are possible")]
    TooMany(u64),
    /// The texts of the items of `withSequence` are longer than anyone can keep.
    #[error("withSequence has items of more than {} MiB, make its format shorter", TEXT_LIMIT >> 20)]
    TooLong,
    /// A field has not the shape that it must have; documents of Argo's server never get that far.
    #[error("{0}")]
    Shape(String),
}

/// The items of a task or step with all tags filled in; `None` when it is no loop.
pub fn of(task: &Task) -> Result<Option<Vec<Item>>, ItemsError> {
    let shape = |error: ShapeError| ItemsError::Shape(error.to_string());
    let listed = task.with_items().map_err(shape)?;
    let param = task.with_param().map_err(shape)?;
    let sequence = task.with_sequence().map_err(shape)?;
    match Loop::of(listed.as_deref(), param.as_deref(), sequence.as_ref()) {
        Some(source) => items(source, &task.when).map(Some),
        None => Ok(None),
    }
}

/// What becomes of tags without a value when the rest of a task is filled in for each of its items, with
/// the names of its place and of the item: they are errors, unless the task will not run anyway.
/// Source: Argo `operator.go`, `processItem`.
pub fn unresolved(when: &str) -> Unresolved<'static> {
    if should_execute(when) == Ok(false) { Unresolved::Stays } else { Unresolved::Fails }
}

/// The items of a loop. A loop that cannot be read has none when `when` is false without knowing the item:
/// its task would not run anyway.
pub fn items(source: Loop<'_>, when: &str) -> Result<Vec<Item>, ItemsError> {
    match raw_items(source) {
        Ok(raw) => Ok(raw.iter().enumerate().map(|(index, raw)| item(index, raw)).collect()),
        Err(_) if should_execute(when) == Ok(false) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The items as JSON texts.
fn raw_items(source: Loop<'_>) -> Result<Vec<String>, ItemsError> {
    match source {
        Loop::Items(items) => Ok(items.iter().map(json::encode).collect()),
        Loop::Param(param) => list(param),
        Loop::Sequence(sequence) => numbers(sequence),
    }
}

fn list(param: &str) -> Result<Vec<String>, ItemsError> {
    let wrong = |error: String| ItemsError::Param { param: param.to_owned(), error };
    json::check(param).map_err(|error| wrong(error.to_string()))?;
    match Kind::of(param) {
        Kind::Null => Ok(Vec::new()),
        Kind::List => Ok(json::elements(param).into_iter().map(str::to_owned).collect()),
        kind @ (Kind::Bool | Kind::Number | Kind::String | Kind::Map) => Err(wrong(format!(
            "json: cannot unmarshal {} into Go value of type []v1alpha1.Item",
            kind.go_word()
        ))),
    }
}

/// Source: Argo `operator.go`, `expandSequence`. It counts down where the end is below the start.
fn numbers(sequence: &Sequence) -> Result<Vec<String>, ItemsError> {
    let start = sequence.start.as_deref().map_or(Ok(0), atoi)?;
    let end = match (&sequence.end, &sequence.count) {
        (Some(end), _) => atoi(end)?,
        (None, Some(count)) => match atoi(count)? {
            0 => return Ok(Vec::new()),
            count => start.wrapping_add(count).wrapping_sub(1),
        },
        (None, None) => return Err(ItemsError::NoEnd),
    };
    let steps = start.abs_diff(end);
    if steps >= SEQUENCE_LIMIT {
        return Err(ItemsError::TooMany(steps.saturating_add(1)));
    }
    let format = if sequence.format.is_empty() { "%d" } else { &sequence.format };
    let (mut numbers, mut bytes) = (Vec::new(), 0);
    for step in 0..=steps {
        let number =
            if start <= end { start.wrapping_add_unsigned(step) } else { start.wrapping_sub_unsigned(step) };
        let text = format!("\"{}\"", format_integer(format, number));
        bytes += text.len();
        if bytes > TEXT_LIMIT {
            return Err(ItemsError::TooLong);
        }
        json::check(&text)?;
        numbers.push(text);
    }
    Ok(numbers)
}

/// Source: Argo `operator.go`, `processItem`.
fn item(index: usize, raw: &str) -> Item {
    let mut names = Vec::new();
    let (description, meaning) = match Kind::of(raw) {
        // A number that Go cannot hold is a text for Argo, but not one that it can read.
        Kind::Number if decimal(raw).is_none() => (text(raw), String::new()),
        Kind::Number | Kind::Bool => (text(raw), text(raw)),
        Kind::String => (text(raw), serde_json::from_str(raw).unwrap_or_default()),
        // Null counts as a list without elements.
        Kind::Null => ("[]".to_owned(), "null".to_owned()),
        Kind::List => {
            let elements: Vec<String> = json::elements(raw).into_iter().map(text).collect();
            (format!("[{}]", elements.join(" ")), json::compact(raw))
        }
        Kind::Map => {
            let members = json::members(raw);
            let mut pairs = Vec::new();
            let mut map = Vec::new();
            for (key, value) in &members {
                let value_text = text(value);
                pairs.push(format!("{key}:{value_text}"));
                let key_json = json::escape_html(&json::escape_text(key));
                map.push(format!("\"{key_json}\":{}", json::compact(value)));
                names.push((format!("item.{key}"), value_text));
            }
            pairs.sort();
            (pairs.join(","), format!("{{{}}}", map.join(",")))
        }
    };
    names.insert(0, ("item".to_owned(), meaning));
    let description: String =
        description.chars().filter(|character| !matches!(character, '(' | ')')).collect();
    Item { name_suffix: format!("({index}:{description})"), names }
}

/// An item as Argo prints it: JSON without spaces; a text without its quotes, but with its escapes.
/// Source: Argo `item.go`, `Item.String`.
fn text(raw: &str) -> String {
    let compact = json::fix(&json::compact(raw));
    match compact.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.to_owned(),
        None => compact,
    }
}

#[cfg(test)]
mod tests;
