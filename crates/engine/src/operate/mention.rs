//! Which tasks or steps a text asks about, so that only their names need to be in its scope.

use serde_json::Value;

/// What a JSON value mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    /// Names after `tasks.` or `steps.`, perhaps some that are none.
    pub(crate) names: Vec<String>,
    /// Whether an expression asks for all of them at once.
    pub(crate) all: bool,
}

impl Mentions {
    /// Everything.
    pub(crate) const ALL: Self = Self { names: Vec::new(), all: true };
}

/// What a value mentions of `root`, which is `tasks` or `steps`. Costs one look at every text.
pub(crate) fn mentions(value: &Value, root: &str) -> Mentions {
    let mut found = Mentions::default();
    let mut open = vec![(value, false)];
    while let Some((value, is_expression)) = open.pop() {
        match value {
            Value::String(text) => in_text(text, root, is_expression, &mut found),
            Value::Array(values) => open.extend(values.iter().map(|value| (value, is_expression))),
            Value::Object(fields) => {
                open.extend(fields.iter().map(|(name, value)| (value, name.ends_with("xpression"))));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found.names.sort_unstable();
    found.names.dedup();
    found
}

fn in_text(text: &str, root: &str, is_expression: bool, found: &mut Mentions) {
    let mut rest = text;
    while let Some(at) = rest.find(root) {
        rest = &rest[at + root.len()..];
        let inside = rest.trim_start();
        if let Some(name) = inside.strip_prefix('.') {
            add(name.trim_start(), found);
        } else if let Some(key) = inside.strip_prefix('[') {
            let key = key.trim_start().trim_start_matches('\\');
            match key.strip_prefix(['"', '\'']) {
                Some(name) => add(name, found),
                None => found.all = true,
            }
        } else if is_expression || text.contains("{{=") {
            found.all = true;
        }
    }
}

/// Adds the name that a text begins with; where it has a `-`, which an expression takes for a minus, what
/// comes before that too.
fn add(text: &str, found: &mut Mentions) {
    let is_end = |character: char| !character.is_ascii_alphanumeric() && character != '_' && character != '-';
    let name = &text[..text.find(is_end).unwrap_or(text.len())];
    if name.is_empty() {
        return;
    }
    found.names.push(name.to_owned());
    if let Some((first, _)) = name.split_once('-') {
        found.names.push(first.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(value: &Value, names: &str, all: bool) {
        let found = mentions(value, "tasks");
        assert_eq!((found.names.join(" ").as_str(), found.all), (names, all));
    }

    #[test]
    fn tags_and_expressions_name_what_they_ask_for() {
        check(
            &json!({"a": ["{{tasks.one.outputs.result}}", "{{ tasks.two-b.status }}"]}),
            "one two two-b",
            false,
        );
        check(&json!({"expression": "tasks['one'].status == tasks[\"two\"].status"}), "one two", false);
        check(&json!("{{=tasks.one.status + tasks [ 'two' ].status}}"), "one two", false);
    }

    #[test]
    fn an_expression_may_ask_for_all() {
        check(&json!("{{=toJson(tasks)}}"), "", true);
        check(&json!({"expression": "len(tasks) > 1"}), "", true);
        check(&json!({"expression": "tasks[item].status"}), "", true);
    }

    #[test]
    fn a_plain_word_asks_for_nothing() {
        check(&json!({"args": ["all tasks are done"], "tasks": 3}), "", false);
    }
}
