//! Rows of Argo's archive, exported from its database: the workflow is the text of one column.
//!
//! In: text (CSV with a head, or JSON). Out: the workflows. Source: Argo
//! `persist/sqldb/workflow_archive.go`, table `argo_archived_workflows`; RFC 4180.

use serde::Deserialize;
use serde_json::Value;

use crate::spec::WorkflowSpec;
use crate::status::WorkflowStatus;
use crate::workflow::Workflow;

/// The column that holds the workflow.
const COLUMN: &str = "workflow";

/// What came of reading rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Workflows of the rows that can be read.
    pub workflows: Vec<Workflow>,
    /// How many rows hold something else in that column.
    pub misfits: usize,
}

impl Rows {
    fn of(cells: impl Iterator<Item = Option<Workflow>>) -> Self {
        let mut rows = Self { workflows: Vec::new(), misfits: 0 };
        for cell in cells {
            match cell {
                Some(workflow) => rows.workflows.push(workflow),
                None => rows.misfits += 1,
            }
        }
        rows
    }

    /// Reads an exported table; `None` where the text is none.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}');
        match text.trim_start().chars().next()? {
            '{' | '[' => from_json(text),
            _ => from_csv(text),
        }
    }
}

/// A workflow from what stands in its column, as a value or as its text.
fn cell(value: &Value) -> Option<Workflow> {
    let workflow = match value {
        Value::String(text) => crate::json::read(text).ok()?,
        Value::Object(_) => Workflow::deserialize(value).ok()?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    let is_empty = workflow.spec == WorkflowSpec::default() && workflow.status == WorkflowStatus::default();
    (!is_empty).then(|| super::whole(workflow))
}

/// One row or a list of them; also a list below one key, or rows one after the other.
fn from_json(text: &str) -> Option<Rows> {
    let values: Vec<Value> =
        serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().ok()?;
    let rows: Vec<&Value> = match values.as_slice() {
        [Value::Array(rows)] => rows.iter().collect(),
        [Value::Object(map)] if !map.contains_key(COLUMN) && map.len() == 1 => {
            map.values().next()?.as_array()?.iter().collect()
        }
        values => values.iter().collect(),
    };
    let is_row = |row: &&Value| row.get(COLUMN).is_some_and(|cell| cell.is_string() || cell.is_object());
    let is_table = !rows.is_empty() && rows.iter().all(is_row);
    is_table.then(|| Rows::of(rows.iter().filter_map(|row| row.get(COLUMN)).map(cell)))
}

fn from_csv(text: &str) -> Option<Rows> {
    let head = text.lines().next()?;
    let separator = [',', ';', '\t', '|'].into_iter().find(|separator| {
        let names = head.split(*separator).map(|name| name.trim().trim_matches('"'));
        names.clone().count() > 1 && names.clone().any(|name| name.eq_ignore_ascii_case(COLUMN))
    });
    // A table of that column alone has no separator.
    let is_alone = head.trim().trim_matches('"').eq_ignore_ascii_case(COLUMN);
    let separator = separator.or(is_alone.then_some(','))?;
    let mut records = records(text, separator).into_iter();
    let names = records.next()?;
    let place = names.iter().position(|name| name.trim().eq_ignore_ascii_case(COLUMN))?;
    let cells = records.filter(|record| record.iter().any(|field| !field.trim().is_empty()));
    Some(Rows::of(cells.map(|record| cell(&Value::String(record.get(place)?.clone())))))
}

/// Records of a CSV text. A quoted field may hold separators and lines; a quote in it is doubled.
fn records(text: &str, separator: char) -> Vec<Vec<String>> {
    let mut records: Vec<Vec<String>> = Vec::new();
    let mut record: Vec<String> = Vec::new();
    let mut field = String::new();
    let mut letters = text.chars().peekable();
    let mut is_quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if field.is_empty() => is_quoted = true,
            letter if is_quoted => field.push(letter),
            '\r' if letters.peek() == Some(&'\n') => {}
            '\n' => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            letter if letter == separator => record.push(std::mem::take(&mut field)),
            letter => field.push(letter),
        }
    }
    if !field.is_empty() || !record.is_empty() {
        record.push(field);
        records.push(record);
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> String {
        let Some(rows) = Rows::read(text) else { return "no rows".into() };
        let names: Vec<_> = rows.workflows.iter().map(|workflow| workflow.metadata.name.as_str()).collect();
        format!("{} ({} misfits)", names.join(", "), rows.misfits)
    }

    #[test]
    fn a_table_is_read_whatever_separates_it() {
        let quoted = r#""{""metadata"":{""name"":""a""},""status"":{""phase"":""Failed""}}""#;
        assert_eq!(check(&format!("uid,name,workflow\nu,a,{quoted}\n")), "a (0 misfits)");
        assert_eq!(check(&format!("\u{feff}workflow;uid\r\n{quoted};u\r\nnothing;v\r\n")), "a (1 misfits)");
        assert_eq!(check(&format!("uid\t\"workflow\"\nu\t{quoted}")), "a (0 misfits)");
        assert_eq!(check(&format!("workflow\n{quoted}\n")), "a (0 misfits)");
    }

    #[test]
    fn a_table_in_json_is_read_as_text_or_as_values() {
        let workflow = r#"{"metadata":{"name":"a"},"status":{"phase":"Failed"}}"#;
        let text = workflow.replace('"', "\\\"");
        assert_eq!(check(&format!(r#"[{{"uid":"u","workflow":{workflow}}}]"#)), "a (0 misfits)");
        assert_eq!(check(&format!(r#"{{"uid":"u","workflow":"{text}"}}"#)), "a (0 misfits)");
        let rows = format!(r#"{{"argo_archived_workflows":[{{"workflow":"{text}"}},{{"workflow":"x"}}]}}"#);
        assert_eq!(check(&rows), "a (1 misfits)");
    }

    #[test]
    fn what_is_no_table_is_none() {
        for text in ["", "kind: Workflow\n", "a,b\n1,2\n", "{\"kind\":\"Workflow\"}", "[1]", "workflow: x\n"]
        {
            assert_eq!(check(text), "no rows", "{text}");
        }
    }
}
