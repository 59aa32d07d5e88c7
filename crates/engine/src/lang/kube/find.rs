//! Finds and prints what a template names. Source: Kubernetes client-go `util/jsonpath/jsonpath.go`,
//! `third_party/forked/golang/template/funcs.go`.

use std::cmp::Ordering;

use serde_json::Value;

use super::{PART_LIMIT, Part};
use crate::lang::go::{float_v, json};

/// Most values that are looked at.
const STEP_LIMIT: usize = 50_000;

/// The text of all blocks.
pub(super) fn print(blocks: &[Vec<Part>], object: &Value) -> Result<String, String> {
    let mut finder = Finder { steps: 0, begun: 0, inside: 0, ended: 0, last_end: 0, depth: 0 };
    let mut out = String::new();
    for results in finder.blocks(blocks, 0, object)? {
        let shown: Vec<String> = results.iter().map(text).collect();
        out.push_str(&shown.join(" "));
    }
    Ok(out)
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) if number.is_f64() => float_v(number.as_f64().unwrap_or(f64::NAN)),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => json::encode(value),
    }
}

struct Finder {
    steps: usize,
    /// `range` words met and not yet walked, ranges around the place, `end` words met.
    begun: usize,
    inside: usize,
    ended: usize,
    last_end: usize,
    depth: usize,
}

type Found = Result<Vec<Value>, String>;

impl Finder {
    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > STEP_LIMIT { Err("template takes too many steps".to_owned()) } else { Ok(()) }
    }

    /// The results of the blocks from `start` on, up to the end of the range that they are in.
    fn blocks(
        &mut self,
        blocks: &[Vec<Part>],
        start: usize,
        object: &Value,
    ) -> Result<Vec<Vec<Value>>, String> {
        self.depth += 1;
        if self.depth > PART_LIMIT {
            return Err("template is nested too deeply".to_owned());
        }
        let mut all = Vec::new();
        let mut at = start;
        while at < blocks.len() {
            self.step()?;
            let results = self.parts(vec![object.clone()], &blocks[at])?;
            if self.ended > 0 && self.ended <= self.inside {
                self.ended -= 1;
                self.last_end = at;
                break;
            }
            if self.begun == 0 {
                all.push(results);
                at += 1;
                continue;
            }
            self.begun -= 1;
            self.inside += 1;
            self.last_end = at;
            for value in &results {
                all.extend(self.blocks(blocks, at + 1, value)?);
            }
            if results.is_empty() {
                self.blocks(blocks, at + 1, &Value::Null)?;
            }
            self.inside -= 1;
            at = self.last_end.max(at) + 1;
        }
        self.depth -= 1;
        Ok(all)
    }

    fn parts(&mut self, values: Vec<Value>, parts: &[Part]) -> Found {
        let mut values = values;
        for part in parts {
            values = self.part(values, part)?;
        }
        Ok(values)
    }

    fn part(&mut self, values: Vec<Value>, part: &Part) -> Found {
        for _ in &values {
            self.step()?;
        }
        match part {
            Part::Text(text) => Ok(vec![Value::from(text.as_str())]),
            Part::Int(number) => Ok(values.iter().map(|_| Value::from(*number)).collect()),
            Part::Float(number) => Ok(values.iter().map(|_| Value::from(*number)).collect()),
            Part::Bool(value) => Ok(values.iter().map(|_| Value::from(*value)).collect()),
            Part::Field(name) => {
                Ok(values.iter().filter_map(|value| value.as_object()?.get(name)).cloned().collect())
            }
            Part::Items { from, to, step, is_single } => {
                let mut found = Vec::new();
                for value in &values {
                    items(value, (*from, *to, *step, *is_single), &mut found)?;
                }
                Ok(found)
            }
            Part::Wildcard => Ok(values.iter().flat_map(children).collect()),
            Part::Recursive => {
                let mut found = Vec::new();
                for value in &values {
                    self.recurse(value, &mut found)?;
                }
                Ok(found)
            }
            Part::Union(union) => {
                let mut found = Vec::new();
                for parts in union {
                    found.extend(self.parts(values.clone(), parts)?);
                }
                Ok(found)
            }
            Part::Filter { left, right, operator } => self.filter(&values, left, right, operator),
            Part::Word(word) if word == "range" => {
                self.begun += 1;
                Ok(values)
            }
            Part::Word(word) if word == "end" && self.inside > 0 => {
                self.ended += 1;
                Ok(Vec::new())
            }
            Part::Word(word) if word == "end" => Err("not in range, nothing to end".to_owned()),
            Part::Word(word) => Err(format!("unrecognized identifier {word}")),
        }
    }

    /// Every list, map and text at or below a value that is not empty.
    fn recurse(&mut self, value: &Value, found: &mut Vec<Value>) -> Result<(), String> {
        self.step()?;
        match value {
            Value::String(text) if !text.is_empty() => found.push(value.clone()),
            Value::Array(_) | Value::Object(_) => {
                let children = children(value);
                if !children.is_empty() {
                    found.push(value.clone());
                }
                for child in &children {
                    self.recurse(child, found)?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(())
    }

    fn filter(&mut self, values: &[Value], left: &[Part], right: &[Part], operator: &str) -> Found {
        let mut found = Vec::new();
        for value in values {
            let Value::Array(items) = value else {
                return Err(format!("{} is not array or slice and cannot be filtered", printed(value)));
            };
            for item in items {
                self.step()?;
                let lefts = self.parts(vec![item.clone()], left);
                if operator == "exists" {
                    found.extend(lefts.is_ok_and(|lefts| !lefts.is_empty()).then(|| item.clone()));
                    continue;
                }
                let Some(left) = single(lefts?)? else {
                    continue;
                };
                let Some(right) = single(self.parts(vec![item.clone()], right)?)? else {
                    continue;
                };
                if compare(operator, &left, &right)? {
                    found.push(item.clone());
                }
            }
        }
        Ok(found)
    }
}

/// As `%v` prints it.
fn printed(value: &Value) -> String {
    crate::lang::expr::Value::from_json(value).map_or_else(|text| text, |value| value.as_parameter())
}

fn single(mut values: Vec<Value>) -> Result<Option<Value>, String> {
    if values.len() > 1 {
        return Err("can only compare one element at a time".to_owned());
    }
    Ok(values.pop())
}

fn children(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items.clone(),
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            sorted.into_iter().map(|(_, value)| value.clone()).collect()
        }
        Value::String(text) => text.bytes().map(Value::from).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn items(
    value: &Value,
    (from, to, step, is_single): (Option<i64>, Option<i64>, Option<i64>, bool),
    found: &mut Vec<Value>,
) -> Result<(), String> {
    let items = match value {
        Value::Null => return Ok(()),
        Value::Array(items) => items,
        Value::Object(_) => return Err("map[string]interface {} is not array or slice".to_owned()),
        Value::String(_) => return Err("string is not array or slice".to_owned()),
        Value::Bool(_) => return Err("bool is not array or slice".to_owned()),
        Value::Number(number) => {
            let name = if number.is_f64() { "float64" } else { "int64" };
            return Err(format!("{name} is not array or slice"));
        }
    };
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let from = from.map_or(0, |from| if from < 0 { from + length } else { from });
    let to = to.map_or(length, |to| if to < 0 || to == 0 && is_single { to + length } else { to });
    if from == to {
        return Ok(());
    }
    let out = |index: i64| Err(format!("array index out of bounds: index {index}, length {length}"));
    if from < 0 || from >= length {
        return out(from);
    }
    if to < 0 || to > length {
        return out(to - 1);
    }
    if from > to {
        return Err(format!("starting index {from} is greater than ending index {to}"));
    }
    let step = match step {
        None => 1,
        Some(step) => usize::try_from(step).ok().filter(|step| *step > 0).ok_or("step must be > 0")?,
    };
    let edge = |at: i64| usize::try_from(at).unwrap_or(0);
    found.extend(items[edge(from)..edge(to)].iter().step_by(step).cloned());
    Ok(())
}

fn compare(operator: &str, left: &Value, right: &Value) -> Result<bool, String> {
    let unlike = || Err("incompatible types for comparison".to_owned());
    let no_type = || Err("invalid type for comparison".to_owned());
    let order = match (left, right) {
        (Value::Null | Value::Array(_) | Value::Object(_), _)
        | (_, Value::Null | Value::Array(_) | Value::Object(_)) => {
            return no_type();
        }
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) if matches!(operator, "==" | "!=") => left.cmp(right),
        (Value::Bool(_), Value::Bool(_)) => return no_type(),
        (Value::Number(left), Value::Number(right)) if left.is_f64() == right.is_f64() => {
            match (left.as_i64(), right.as_i64()) {
                (Some(left), Some(right)) => left.cmp(&right),
                _ => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
            }
        }
        _ => return unlike(),
    };
    Ok(match operator {
        "<" => order.is_lt(),
        ">" => order.is_gt(),
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        other => return Err(format!("unrecognized filter operator {other}")),
    })
}
