//! Label and field selectors: which objects a list or watch is about.
//! Source: Kubernetes `labels.Parse`; Argo `server/utils/list_options.go`, `BuildListOptions`.

use std::collections::BTreeMap;

use unwind_model::{Timestamp, Workflow};

use crate::error::ApiError;

/// Requirements on labels, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector(Vec<LabelRequirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct LabelRequirement {
    key: String,
    test: LabelTest,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LabelTest {
    Exists,
    Absent,
    In(Vec<String>),
    NotIn(Vec<String>),
    Above(i64),
    Below(i64),
}

impl LabelSelector {
    /// Reads a selector, for example `phase in (Running,Failed),team=mill,!done`.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let mut requirements = Vec::new();
        for part in split_outside_brackets(text) {
            requirements.push(LabelRequirement::parse(part)?);
        }
        Ok(Self(requirements))
    }

    /// True when nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True when all requirements hold.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|requirement| requirement.holds(labels))
    }
}

impl LabelRequirement {
    fn parse(text: &str) -> Result<Self, ApiError> {
        let refused = || {
            ApiError::invalid(format!(
                "unable to parse requirement: found {text:?}, expected `key`, `!key`, `key=value`, `key!=value`, `key in (a,b)` or `key notin (a,b)`"
            ))
        };
        let made = |key: &str, test| {
            let key = key.trim();
            let fits = |c: char| c.is_ascii_alphanumeric() || "-._/".contains(c);
            if key.is_empty() || !key.chars().all(fits) {
                return Err(refused());
            }
            Ok(Self { key: key.to_owned(), test })
        };
        let text = text.trim();
        if let Some(list) = text.strip_suffix(')') {
            let (head, list) = list.split_once('(').ok_or_else(refused)?;
            let values = list.split(',').map(|value| value.trim().to_owned());
            let values: Vec<String> = values.collect();
            let (key, word) = head.trim().rsplit_once(' ').ok_or_else(refused)?;
            return match word {
                "in" => made(key, LabelTest::In(values)),
                "notin" => made(key, LabelTest::NotIn(values)),
                _ => Err(refused()),
            };
        }
        let one = |value: &str| vec![value.trim().to_owned()];
        if let Some((key, value)) = text.split_once("!=") {
            return made(key, LabelTest::NotIn(one(value)));
        }
        if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
            return made(key, LabelTest::In(one(value)));
        }
        let number = |value: &str| value.trim().parse().map_err(|_| refused());
        if let Some((key, value)) = text.split_once('>') {
            return made(key, LabelTest::Above(number(value)?));
        }
        if let Some((key, value)) = text.split_once('<') {
            return made(key, LabelTest::Below(number(value)?));
        }
        match text.strip_prefix('!') {
            Some(key) => made(key, LabelTest::Absent),
            None => made(text, LabelTest::Exists),
        }
    }

    fn holds(&self, labels: &BTreeMap<String, String>) -> bool {
        let value = labels.get(&self.key);
        let number = value.and_then(|value| value.parse::<i64>().ok());
        match &self.test {
            LabelTest::Exists => value.is_some(),
            LabelTest::Absent => value.is_none(),
            LabelTest::In(values) => value.is_some_and(|value| values.contains(value)),
            LabelTest::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            LabelTest::Above(limit) => number.is_some_and(|number| number > *limit),
            LabelTest::Below(limit) => number.is_some_and(|number| number < *limit),
        }
    }
}

/// Parts between commas that stand in no brackets; empty parts are left out.
fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut begin) = (0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Requirements on name, namespace and start, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    /// `metadata.namespace=`.
    pub namespace: Option<String>,
    /// `metadata.name`, and how it is compared.
    pub name: Option<NameTest>,
    /// `spec.startedAt>`.
    pub started_after: Option<Timestamp>,
    /// `spec.startedAt<`.
    pub started_before: Option<Timestamp>,
    /// `ext.showRemainingItemCount=true`.
    pub show_remaining: bool,
}

/// How a name is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameTest {
    /// The whole name.
    Is(String),
    /// Any other name.
    IsNot(String),
    /// A part of the name.
    Contains(String),
    /// The beginning of the name.
    Begins(String),
}

impl FieldSelector {
    /// Reads a selector, for example `metadata.namespace=default,metadata.name=orchard`.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let mut selector = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            selector.add(part)?;
        }
        Ok(selector)
    }

    fn add(&mut self, part: &str) -> Result<(), ApiError> {
        let refused = || ApiError::invalid(format!("unsupported requirement {part}"));
        let time = |value: &str| {
            Timestamp::parse(value)
                .map(Some)
                .ok_or_else(|| ApiError::invalid(format!("{value:?} is not a time of RFC 3339")))
        };
        if let Some(value) = part.strip_prefix("metadata.name!=") {
            self.name = Some(NameTest::IsNot(value.to_owned()));
        } else if let Some(value) = part.strip_prefix("spec.startedAt>") {
            self.started_after = time(value)?;
        } else if let Some(value) = part.strip_prefix("spec.startedAt<") {
            self.started_before = time(value)?;
        } else {
            let (key, value) = part.split_once('=').ok_or_else(refused)?;
            let value = value.strip_prefix('=').unwrap_or(value);
            match key {
                "metadata.name" => self.name = Some(NameTest::Is(value.to_owned())),
                "metadata.namespace" => self.namespace = Some(value.to_owned()),
                "ext.showRemainingItemCount" => self.show_remaining = value == "true",
                _ => return Err(refused()),
            }
        }
        Ok(())
    }

    /// Takes `nameFilter` into account; an unknown one drops the condition on the name, as in Argo.
    pub fn name_filter(&mut self, filter: &str) {
        self.name = match (self.name.take(), filter) {
            (Some(test), "" | "Exact") => Some(test),
            (Some(NameTest::Is(name)), "Contains") => Some(NameTest::Contains(name)),
            (Some(NameTest::Is(name)), "Prefix") => Some(NameTest::Begins(name)),
            (Some(NameTest::Is(name)), "NotEquals") => Some(NameTest::IsNot(name)),
            _ => None,
        };
    }

    /// The path's namespace and the selector's must agree.
    pub fn check_namespace(&self, of_path: &str) -> Result<(), ApiError> {
        match &self.namespace {
            Some(own) if !of_path.is_empty() && own != of_path => Err(ApiError::invalid(format!(
                "'namespace' query param ({of_path:?}) and fieldselector 'metadata.namespace' ({own:?}) are both specified and contradict each other"
            ))),
            _ => Ok(()),
        }
    }

    /// The one name that is asked for, when it is.
    pub fn exact_name(&self) -> Option<&str> {
        match &self.name {
            Some(NameTest::Is(name)) => Some(name),
            _ => None,
        }
    }

    /// True when all requirements hold.
    pub fn matches(&self, workflow: &Workflow) -> bool {
        let metadata = &workflow.metadata;
        let namespace_fits = self.namespace.as_ref().is_none_or(|namespace| *namespace == metadata.namespace);
        let name_fits = self.name.as_ref().is_none_or(|test| match test {
            NameTest::Is(name) => metadata.name == *name,
            NameTest::IsNot(name) => metadata.name != *name,
            NameTest::Contains(part) => metadata.name.contains(part),
            NameTest::Begins(part) => metadata.name.starts_with(part),
        });
        let started = workflow.status.started_at;
        let after = self.started_after;
        let before = self.started_before;
        namespace_fits
            && name_fits
            && after.is_none_or(|limit| started.is_some_and(|at| at > limit))
            && before.is_none_or(|limit| started.is_some_and(|at| at < limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHASE: &str = "workflows.argoproj.io/phase";

    fn selects(selector: &str) -> bool {
        let labels = BTreeMap::from([
            (PHASE.to_owned(), "Running".to_owned()),
            ("team".to_owned(), "mill".to_owned()),
            ("size".to_owned(), "3".to_owned()),
        ]);
        LabelSelector::parse(selector).expect("a selector").matches(&labels)
    }

    #[test]
    fn label_selectors_are_those_of_kubernetes() {
        for (selector, expected) in [
            ("", true),
            ("team=mill", true),
            ("team==mill,size=3", true),
            ("team!=mill", false),
            ("other!=mill", true),
            ("workflows.argoproj.io/phase in (Running,Failed),team=mill", true),
            ("workflows.argoproj.io/phase in (Failed)", false),
            ("team notin (mill, sea)", false),
            ("other notin (mill)", true),
            ("team", true),
            ("!team", false),
            ("!other", true),
            ("size>2", true),
            ("size<2", false),
        ] {
            assert_eq!(selects(selector), expected, "{selector}");
        }
    }

    #[test]
    fn broken_selectors_are_refused() {
        for selector in ["((", "a in b", "a near (b)", "=x", "a>b"] {
            assert_eq!(LabelSelector::parse(selector).map_err(|e| e.status()), Err(400), "{selector}");
        }
        for selector in ["((", "status.phase=Failed", "metadata.name"] {
            let message = FieldSelector::parse(selector).map_err(|error| error.message);
            assert_eq!(message, Err(format!("unsupported requirement {selector}")));
        }
    }

    #[test]
    fn names_are_compared_as_the_filter_says() {
        let matches = |filter: &str| {
            let mut selector = FieldSelector::parse("metadata.name=g-1").expect("a selector");
            selector.name_filter(filter);
            let mut workflow = Workflow::default();
            workflow.metadata.name = "pg-1".to_owned();
            selector.matches(&workflow)
        };
        assert!(!matches(""));
        assert!(!matches("Exact"));
        assert!(matches("Contains"));
        assert!(!matches("Prefix"));
        assert!(matches("NotEquals"));
        assert!(matches("Weird"));
    }

    #[test]
    fn namespaces_that_contradict_are_refused() {
        let selector = FieldSelector::parse("metadata.namespace=other").expect("a selector");
        assert_eq!(
            selector.check_namespace("staging").map_err(|error| error.message),
            Err("'namespace' query param (\"staging\") and fieldselector 'metadata.namespace' (\"other\") are both specified and contradict each other".to_owned())
        );
        assert_eq!(selector.check_namespace(""), Ok(()));
    }
}
