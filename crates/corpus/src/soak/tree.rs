//! Changes documents at random: fields gone, doubled, renamed, taken from other documents, of other types.

use serde_json::{Map, Value, json};

use super::mutate;
use crate::numbers::Numbers;

/// Fields that ask for much, with values that ask for more.
const DEMANDS: [(&str, &str); 36] = [
    ("withSequence", r#"{"count":"1000000000000"}"#),
    ("withSequence", r#"{"start":"-9223372036854775808","end":"9223372036854775807"}"#),
    ("withSequence", r#"{"start":"5","end":"1","format":"%099999999d"}"#),
    ("withSequence", r#"{"count":"300"}"#),
    ("withItems", r#"[1,"a",{"b":[null]},[1,2],true,1e300]"#),
    ("withParam", r#""[1,2,3]""#),
    ("withParam", r#""{{=toJson(1..200)}}""#),
    ("when", r#""{{item}} == 1 && ((true))""#),
    ("when", r#""!(!(!(!(x =~ '(a*)*b'))))""#),
    ("depends", r#""(a || b.Failed) && !c.Skipped""#),
    (
        "retryStrategy",
        r#"{"limit":"9223372036854775807","retryPolicy":"Always","backoff":{"duration":"99999999h","factor":"1e9","maxDuration":"-1s"}}"#,
    ),
    (
        "retryStrategy",
        r#"{"limit":2,"expression":"asInt(lastRetry.exitCode) > 0 || retries < 99","affinity":{"nodeAntiAffinity":{}}}"#,
    ),
    ("retryStrategy", r#"{"backoff":{"duration":"1","factor":2}}"#),
    ("activeDeadlineSeconds", "-1"),
    ("activeDeadlineSeconds", "9223372036854775807"),
    ("activeDeadlineSeconds", "0"),
    ("timeout", r#""2540400h""#),
    ("parallelism", "0"),
    ("parallelism", "9223372036854775807"),
    ("hooks", r#"{"exit":{"template":"main"},"x":{"expression":"true","template":"main"}}"#),
    ("hooks", r#"{"running":{"expression":"workflow.status == \"Running\"","template":"hook"}}"#),
    ("onExit", r#""main""#),
    ("synchronization", r#"{"mutex":{"name":"a"},"mutexes":[{"name":"a"},{"name":"b","database":true}]}"#),
    ("synchronization", r#"{"semaphore":{"configMapKeyRef":{"name":"c","key":"k"}}}"#),
    ("memoize", r#"{"key":"{{inputs.parameters.x}}","maxAge":"-1h","cache":{"configMap":{"name":"c"}}}"#),
    ("continueOn", r#"{"failed":true,"error":true}"#),
    ("failFast", "false"),
    ("target", r#""a b c""#),
    ("daemon", "true"),
    ("suspend", r#"{"duration":"9999999999"}"#),
    ("inline", r#"{"dag":{"tasks":[{"name":"in","template":"main"}]}}"#),
    ("templateRef", r#"{"name":"x","template":"main","clusterScope":true}"#),
    ("workflowTemplateRef", r#"{"name":"x"}"#),
    (
        "containerSet",
        r#"{"containers":[{"name":"main","image":"x","dependencies":["main"]}],"retryStrategy":{"retries":9}}"#,
    ),
    (
        "outputs",
        r#"{"parameters":[{"name":"p","valueFrom":{"expression":"steps['a'].outputs.result ?? 1"}}],"artifacts":[{"name":"q","fromExpression":"x ? a : b"}]}"#,
    ),
    ("startedAt", r#""9999-12-31T23:59:59.999999999Z""#),
];

/// Values that no field wants.
const ODD: [&str; 22] = [
    "null",
    "true",
    "0",
    "-1",
    "1e308",
    "18446744073709551615",
    "-9223372036854775808",
    "0.1",
    "\"\"",
    "\"a.b.c\"",
    "\"{{\"",
    "\"{{=1/0}}\"",
    "\"{{workflow.parameters.x}}\"",
    "\"{{=sprig.repeat(99999999, 'x')}}\"",
    "[]",
    "{}",
    "[[]]",
    "[null]",
    "\"\\u0000\"",
    "\"Running\"",
    "\"2026-03-02T09:00:00Z\"",
    "\"Pod\"",
];

/// Most values of a document, its texts counted by the hundred bytes.
const LARGEST: usize = 20_000;

/// Changes a document a few times, as long as it does not get too large.
pub fn change(document: &mut Value, other: &Value, numbers: &mut Numbers) {
    for _ in 0..=numbers.length(8) {
        let before = document.clone();
        change_once(document, other, numbers);
        if weight(document) > LARGEST {
            *document = before;
        }
    }
}

fn weight(document: &Value) -> usize {
    let mut weight = 0;
    let mut waiting = vec![document];
    while let Some(value) = waiting.pop() {
        weight += 1;
        match value {
            Value::Array(list) => waiting.extend(list),
            Value::Object(map) => waiting.extend(map.values()),
            Value::String(text) => weight += text.len() / 100,
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    weight
}

fn change_once(document: &mut Value, other: &Value, numbers: &mut Numbers) {
    let names = if numbers.one_in(2) { Some(some_text(document, numbers)) } else { None };
    let at = somewhere(document, numbers);
    match numbers.below(12) {
        0 => *at = odd(numbers),
        1 => *at = part(other, numbers).clone(),
        2 => remove(at, numbers),
        3 => copy_entry(at, numbers),
        4 | 5 => demand(at, numbers),
        6 => graft(at, other, numbers),
        7 => wrap(at, numbers),
        8 => grow(at, numbers),
        _ => match (at, names) {
            (Value::String(text), Some(name)) if numbers.one_in(2) => *text = name,
            (Value::String(text), _) => *text = mutate::text(text, "{{inputs.parameters.x}}", numbers),
            (at, _) => demand(at, numbers),
        },
    }
}

/// A value that no field wants.
pub fn odd(numbers: &mut Numbers) -> Value {
    serde_json::from_str(numbers.pick(&ODD)).unwrap_or_default()
}

/// Some value inside, often a leaf.
fn somewhere<'a>(mut at: &'a mut Value, numbers: &mut Numbers) -> &'a mut Value {
    loop {
        let count = size(at);
        if count == 0 || numbers.one_in(9) {
            return at;
        }
        let index = numbers.below(count);
        at = match at {
            Value::Array(list) => &mut list[index],
            Value::Object(map) => {
                let key = map.keys().nth(index).cloned().unwrap_or_default();
                &mut map[&key]
            }
            leaf => return leaf,
        };
    }
}

/// Some value inside, to be read.
pub fn part<'a>(mut at: &'a Value, numbers: &mut Numbers) -> &'a Value {
    loop {
        let count = size(at);
        if count == 0 || numbers.one_in(6) {
            return at;
        }
        let index = numbers.below(count);
        let next = match at {
            Value::Array(list) => list.get(index),
            Value::Object(map) => map.values().nth(index),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        let Some(next) = next else { return at };
        at = next;
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// A text of the document: often the name of a template or task.
fn some_text(document: &Value, numbers: &mut Numbers) -> String {
    for _ in 0..8 {
        if let Value::String(text) = part(document, numbers) {
            return text.clone();
        }
    }
    "main".to_owned()
}

fn remove(at: &mut Value, numbers: &mut Numbers) {
    let index = numbers.below(size(at));
    match at {
        Value::Array(list) if !list.is_empty() => drop(list.remove(index)),
        Value::Object(map) => {
            if let Some(key) = map.keys().nth(index).cloned() {
                map.shift_remove(&key);
            }
        }
        other => *other = Value::Null,
    }
}

/// An entry once more, at another place or under another name.
fn copy_entry(at: &mut Value, numbers: &mut Numbers) {
    let index = numbers.below(size(at));
    match at {
        Value::Array(list) => {
            if let Some(entry) = list.get(index).cloned() {
                list.insert(numbers.below(list.len() + 1), entry);
            }
        }
        Value::Object(map) => {
            let name = map.keys().nth(numbers.below(map.len())).cloned().unwrap_or_else(|| "x".to_owned());
            if let Some(entry) = map.values().nth(index).cloned() {
                map.insert(name, entry);
            }
        }
        Value::String(text) => *text += &text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn demand(at: &mut Value, numbers: &mut Numbers) {
    let (name, text) = DEMANDS[numbers.below(DEMANDS.len())];
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    match at {
        Value::Object(map) => drop(map.insert(name.to_owned(), value)),
        Value::Array(list) => {
            let index = numbers.below(list.len());
            if let Some(Value::Object(map)) = list.get_mut(index) {
                map.insert(name.to_owned(), value);
            }
        }
        other => *other = value,
    }
}

/// An entry of some map of another document.
fn graft(at: &mut Value, other: &Value, numbers: &mut Numbers) {
    for _ in 0..8 {
        let Value::Object(from) = part(other, numbers) else { continue };
        let Some((name, value)) = from.iter().nth(numbers.below(from.len())) else { continue };
        match at {
            Value::Object(map) => drop(map.insert(name.clone(), value.clone())),
            Value::Array(list) => list.push(value.clone()),
            leaf => *leaf = json!({ name: value }),
        }
        return;
    }
}

/// In lists or maps, rarely in many.
fn wrap(at: &mut Value, numbers: &mut Numbers) {
    for _ in 0..=numbers.length(150) {
        let inside = at.take();
        *at = if numbers.one_in(2) {
            Value::Array(vec![inside])
        } else {
            Value::Object(Map::from_iter([("a".to_owned(), inside)]))
        };
    }
}

/// Many entries in place of one.
fn grow(at: &mut Value, numbers: &mut Numbers) {
    match at {
        Value::Array(list) => {
            let Some(entry) = list.get(numbers.below(list.len())).cloned() else { return };
            for number in 0..numbers.length(400) {
                let mut entry = entry.clone();
                if let Some(Value::String(name)) = entry.get_mut("name") {
                    *name = format!("{name}-{number}");
                }
                list.push(entry);
            }
        }
        Value::Object(map) => {
            let Some(entry) = map.values().nth(numbers.below(map.len())).cloned() else { return };
            for number in 0..numbers.length(400) {
                map.insert(format!("x{number}"), entry.clone());
            }
        }
        Value::String(text) => *text = text.repeat(numbers.length(400_000 / text.len().max(100))),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => *other = odd(numbers),
    }
}
