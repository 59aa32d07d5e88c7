//! Filters and scripts of a path. They are cut at their operators, the weakest first, as texts.
//!
//! Source: evilmonkeyinc/jsonpath `script/standard`.

use super::{PART_LIMIT, Part, Search, parts, walk};
use crate::lang::expr::operators::pattern;
use crate::lang::expr::value::Value;
use crate::lang::expr::{json, print};

/// Operators in the order in which they are looked for.
const OPERATORS: [&str; 18] =
    ["||", "&&", "==", "!=", "<=", ">=", "<", ">", "=~", "!", "+", "-", "**", "*", "/", "%", "not in", "in"];
/// What begins a path, looked for last.
const STARTS: [&str; 2] = ["@", "$"];

const IS_NIL: &str = "invalid argument. is nil";

/// An expression.
#[derive(Debug)]
pub(super) struct Script {
    text: String,
    operator: Option<Operator>,
}

#[derive(Debug)]
enum Operator {
    Path(Vec<Part>),
    Not(Operand),
    Binary(&'static str, Operand, Operand),
}

#[derive(Debug)]
enum Operand {
    Nil,
    Operator(Box<Operator>),
    Text(String),
    Value(Value),
}

/// Where the search for operators stands: an empty one first where brackets were taken off.
#[derive(Clone, Copy)]
struct From {
    empty: bool,
    at: usize,
}

impl From {
    fn operator(self) -> &'static str {
        match self.at.checked_sub(OPERATORS.len()) {
            _ if self.empty => "",
            None => OPERATORS[self.at],
            Some(at) => STARTS[at],
        }
    }

    fn rest(self) -> Option<Self> {
        match self.empty {
            true => Some(Self { empty: false, at: 0 }),
            false if self.at + 1 < OPERATORS.len() + STARTS.len() => {
                Some(Self { empty: false, at: self.at + 1 })
            }
            false => None,
        }
    }
}

impl Script {
    pub(super) fn read(text: &str, depth: usize) -> Result<Self, String> {
        let operator = build(text, From { empty: false, at: 0 }, depth)?;
        Ok(Self { text: text.to_owned(), operator })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The value at an item. Texts that a path finds come in single quotes.
    pub(super) fn value(&self, search: &Search, root: &Value, current: &Value) -> Result<Value, String> {
        let scope = Scope { search, root, current };
        match &self.operator {
            Some(operator) => scope.value(operator),
            None if self.is_empty() => Err("invalid expression. is empty".to_owned()),
            None => Ok(scope
                .named(&self.text)
                .or_else(|| self.text.parse().ok().map(Value::Float))
                .or_else(|| parse_bool(&self.text).map(Value::Bool))
                .unwrap_or_else(|| Value::text(self.text.as_str()))),
        }
    }
}

/// The operator that an expression is; `None` where it is none.
fn build(text: &str, from: From, depth: usize) -> Result<Option<Operator>, String> {
    let mut text = text.trim();
    let mut from = from;
    if depth > PART_LIMIT {
        return Err("is too long".to_owned());
    }
    loop {
        if text.is_empty() {
            return Ok(None);
        }
        let operator = from.operator();
        if text.len() > 1 && text.starts_with('(') && text.ends_with(')') {
            text = text[1..text.len() - 1].trim();
            from = From { empty: true, at: 0 };
        }
        let cut = find(text, operator).map(|at| (text[..at].trim(), text[at + operator.len()..].trim()));
        if let Some((left, right)) = cut {
            let starts = STARTS.contains(&operator);
            if (starts || !right.is_empty()) && (starts || operator == "!" || !left.is_empty()) {
                let right = operand(right, from, depth + 1)?;
                let left = operand(left, from, depth + 1)?;
                match (operator, &left) {
                    ("@" | "$", Operand::Nil) => {
                        return parts(text, depth + 1).map(|parts| Some(Operator::Path(parts)));
                    }
                    ("!", Operand::Nil) => return Ok(Some(Operator::Not(right))),
                    ("@" | "$" | "!", _) => {}
                    ("", _) => return Err("unsupported operator".to_owned()),
                    _ => return Ok(Some(Operator::Binary(operator, left, right))),
                }
            }
        }
        match from.rest() {
            Some(rest) => from = rest,
            None => return Ok(None),
        }
    }
}

fn operand(text: &str, from: From, depth: usize) -> Result<Operand, String> {
    if let Some(operator) = build(text, from, depth)? {
        return Ok(Operand::Operator(Box::new(operator)));
    }
    let text = text.trim();
    let wrapped = |open: char, close: char| text.starts_with(open) && text.ends_with(close);
    if text.is_empty() {
        return Ok(Operand::Nil);
    }
    if (wrapped('[', ']') || wrapped('{', '}'))
        && let Ok(value) = json::read(text)
    {
        return Ok(Operand::Value(value));
    }
    Ok(Operand::Text(text.to_owned()))
}

/// Where an operator stands outside of quotes and brackets.
fn find(text: &str, operator: &str) -> Option<usize> {
    let (mut quote, mut square, mut round) = (None, 0i32, 0i32);
    for (at, c) in text.char_indices() {
        let (in_square, in_round) = (square > 0, round > 0);
        match c {
            '(' if quote.is_none() && !in_square => round += 1,
            ')' if quote.is_none() && !in_square => round -= 1,
            '[' if quote.is_none() && !in_round => square += 1,
            ']' if quote.is_none() && !in_round => square -= 1,
            '\'' | '"' if !in_square && !in_round => match quote {
                None => quote = Some(c),
                Some(own) if own == c => quote = None,
                Some(_) => {}
            },
            _ => {}
        }
        if quote.is_some() || square > 0 || round > 0 {
            continue;
        }
        // Positions are of the last byte, as the library counts; a longer character never ends an operator.
        let end = at + 1;
        let start = end.checked_sub(operator.len());
        if let Some(start) = start
            && text.as_bytes().get(start..end) == Some(operator.as_bytes())
            && text.is_char_boundary(end)
        {
            return Some(start);
        }
    }
    None
}

fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

struct Scope<'a> {
    search: &'a Search,
    root: &'a Value,
    current: &'a Value,
}

impl Scope<'_> {
    fn named(&self, name: &str) -> Option<Value> {
        match name {
            "$" => Some(self.root.clone()),
            "@" => Some(self.current.clone()),
            "nil" | "null" => Some(Value::Nil),
            _ => None,
        }
    }

    fn value(&self, operator: &Operator) -> Result<Value, String> {
        self.search.step()?;
        match operator {
            Operator::Path(parts) => match walk::apply(self.search, self.root, self.current, parts)? {
                Value::Text(text) if text.len() > 1 && text.starts_with('\'') && text.ends_with('\'') => {
                    Ok(Value::Text(text))
                }
                Value::Text(text) => Ok(Value::text(format!("'{text}'"))),
                other => Ok(other),
            },
            Operator::Not(operand) => self.truth(operand).map(|value| Value::Bool(!value)),
            Operator::Binary(operator, left, right) => self.binary(operator, left, right),
        }
    }

    fn binary(&self, operator: &str, left: &Operand, right: &Operand) -> Result<Value, String> {
        let numbers =
            |with: fn(f64, f64) -> f64| Ok(Value::Float(with(self.number(left)?, self.number(right)?)));
        let compare =
            |with: fn(&f64, &f64) -> bool| Ok(Value::Bool(with(&self.number(left)?, &self.number(right)?)));
        match operator {
            "&&" | "||" => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                Ok(Value::Bool(if operator == "&&" { left && right } else { left || right }))
            }
            "==" | "!=" => self.equal(left, right).map(|equal| Value::Bool(equal == (operator == "=="))),
            "<" => compare(f64::lt),
            "<=" => compare(f64::le),
            ">" => compare(f64::gt),
            ">=" => compare(f64::ge),
            "+" => numbers(|left, right| left + right),
            "-" => numbers(|left, right| left - right),
            "*" => numbers(|left, right| left * right),
            "/" => numbers(|left, right| left / right),
            "**" => numbers(f64::powf),
            "%" => match (self.whole(left)?, self.whole(right)?) {
                (_, 0) => Err("runtime error: integer divide by zero".to_owned()),
                (left, right) => Ok(Value::Int(left.wrapping_rem(right))),
            },
            "=~" => {
                let (text, source) = (self.text(left)?, self.text(right)?);
                let compiled = pattern(unquoted(&source));
                let compiled =
                    compiled.map_err(|_| "invalid argument. expected a valid regexp".to_owned())?;
                Ok(Value::Bool(compiled.is_match(unquoted(&text))))
            }
            _ => self.contains(left, right).map(|found| Value::Bool(found == (operator == "in"))),
        }
    }

    fn plain(&self, operand: &Operand) -> Result<Value, String> {
        Ok(match operand {
            Operand::Nil => Value::Nil,
            Operand::Value(value) => value.clone(),
            Operand::Text(text) => self.named(text).unwrap_or_else(|| Value::text(text.as_str())),
            Operand::Operator(operator) => match self.value(operator)? {
                Value::Text(text) => self.named(&text).unwrap_or(Value::Text(text)),
                other => other,
            },
        })
    }

    fn number(&self, operand: &Operand) -> Result<f64, String> {
        if matches!(operand, Operand::Nil) {
            return Err(IS_NIL.to_owned());
        }
        let value = self.plain(operand)?;
        print::plain(&value).parse().map_err(|_| "invalid argument. expected number".to_owned())
    }

    fn whole(&self, operand: &Operand) -> Result<i64, String> {
        if matches!(operand, Operand::Nil) {
            return Err(IS_NIL.to_owned());
        }
        let value = self.plain(operand)?;
        print::plain(&value).parse().map_err(|_| "invalid argument. expected integer".to_owned())
    }

    fn truth(&self, operand: &Operand) -> Result<bool, String> {
        let value = self.plain(operand)?;
        if value.is_nil() {
            return Ok(false);
        }
        parse_bool(&print::plain(&value)).ok_or_else(|| "invalid argument. expected boolean".to_owned())
    }

    /// A text as scripts compare them: in single quotes where it was quoted or found by a path.
    fn text(&self, operand: &Operand) -> Result<String, String> {
        let own = match operand {
            Operand::Nil => return Err(IS_NIL.to_owned()),
            Operand::Value(value) => return Ok(print::plain(value)),
            Operand::Text(text) => Value::text(text.as_str()),
            Operand::Operator(operator) => self.value(operator)?,
        };
        let Value::Text(text) = own else {
            return Ok(print::plain(&own));
        };
        let double = |text: &str| {
            let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            inner.map(|text| format!("'{text}'"))
        };
        let single = |text: &str| text.len() > 1 && text.starts_with('\'') && text.ends_with('\'');
        Ok(match self.named(&text) {
            Some(Value::Text(named)) if single(&named) => named.to_string(),
            Some(Value::Text(named)) => double(&named).unwrap_or_else(|| format!("'{named}'")),
            Some(other) => print::plain(&other),
            None if single(&text) => text.to_string(),
            None => double(&text).unwrap_or_else(|| text.to_string()),
        })
    }

    fn equal(&self, left: &Operand, right: &Operand) -> Result<bool, String> {
        if let (Ok(left), Ok(right)) = (self.number(left), self.number(right)) {
            return Ok(left.partial_cmp(&right).is_some_and(std::cmp::Ordering::is_eq));
        }
        Ok(self.text(left)? == self.text(right)?)
    }

    fn contains(&self, left: &Operand, right: &Operand) -> Result<bool, String> {
        let item = match (self.number(left), left) {
            (Ok(number), _) => Some(Value::Float(number)),
            (Err(_), Operand::Nil) => Some(Value::Bool(false)),
            (Err(_), _) => self.text(left).ok().map(Value::text),
        };
        let elements = match (right, self.plain(right)?) {
            (Operand::Nil, _) | (_, Value::Nil) => return Err(IS_NIL.to_owned()),
            (_, Value::List(list)) => list.items().to_vec(),
            (_, Value::Map(map)) => map.entries().map(|(_, value)| value.clone()).collect(),
            _ => return Err("invalid argument. expected array, map, or slice".to_owned()),
        };
        Ok(elements.iter().any(|element| match (element, &item) {
            (Value::Float(element), Some(Value::Float(item))) => element.total_cmp(item).is_eq(),
            (Value::Text(element), Some(Value::Text(item))) => element == item,
            (Value::Bool(element), Some(Value::Bool(item))) => element == item,
            _ => false,
        }))
    }
}

fn unquoted(text: &str) -> &str {
    match text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some(inner) => inner,
        None => text,
    }
}
