//! Runs a checked expression.
//!
//! In: the tree, the values at the top, the time where it is known. Out: a value, or the first fault.
//! Limits on steps, items and text end what would go on for too long. Source: expr-lang `vm/vm.go`.

mod walk;

pub(super) use walk::sorted;

use regex_lite::Regex;

use super::operators::{self, truth};
use super::place::Fault;
use super::time::{self, Moment};
use super::tree::{Binary, Kind, Node, Unary};
use super::value::{ListOf, Map, Value};
use super::{argo, builtins};

/// Most nodes that are looked at in a run.
const STEP_LIMIT: usize = 5_000_000;
/// Most items that a run makes. Source: expr-lang `conf/config.go`, `DefaultMemoryBudget`.
const ITEM_LIMIT: usize = 1_000_000;
/// Most bytes of text that a run makes.
const TEXT_LIMIT: usize = 64 << 20;

/// Runs an expression.
pub(super) fn run(node: &Node, root: &Map, now: Option<Moment>) -> Result<Value, Fault> {
    let mut run = Run {
        root,
        now,
        variables: Vec::new(),
        walks: Vec::new(),
        patterns: Vec::new(),
        budget: Budget::default(),
    };
    run.value(node).map_err(|stop| match stop {
        Stop::Fault(fault) => fault,
        Stop::Short => Fault::new(node.at, "invalid operation"),
    })
}

/// What a run has used up.
#[derive(Default)]
pub(super) struct Budget {
    steps: usize,
    items: usize,
    bytes: usize,
}

impl Budget {
    /// Takes room for so many items.
    pub(super) fn items(&mut self, count: usize) -> Result<(), String> {
        self.items = self.items.saturating_add(count);
        if self.items >= ITEM_LIMIT { Err("memory budget exceeded".to_owned()) } else { Ok(()) }
    }

    /// Takes room for so many bytes of text.
    pub(super) fn bytes(&mut self, count: usize) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(count);
        if self.bytes >= TEXT_LIMIT { Err("memory budget exceeded".to_owned()) } else { Ok(()) }
    }

    pub(super) fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > STEP_LIMIT { Err("expression takes too many steps".to_owned()) } else { Ok(()) }
    }
}

enum Stop {
    Fault(Fault),
    /// A `?.` met nil; the chain around it is nil.
    Short,
}

type Outcome = Result<Value, Stop>;

struct Run<'a> {
    root: &'a Map,
    now: Option<Moment>,
    variables: Vec<(&'a str, Value)>,
    walks: Vec<Walk>,
    patterns: Vec<(String, Regex)>,
    budget: Budget,
}

/// Where a walk over a list is.
struct Walk {
    item: Value,
    index: i64,
    acc: Value,
}

/// Puts a place to an error.
fn at<T>(node: &Node, result: Result<T, String>) -> Result<T, Stop> {
    result.map_err(|text| Stop::Fault(Fault::new(node.at, text)))
}

impl<'a> Run<'a> {
    fn value(&mut self, node: &'a Node) -> Outcome {
        at(node, self.budget.step())?;
        match &node.kind {
            Kind::Nil => Ok(Value::Nil),
            Kind::Bool(value) => Ok(Value::Bool(*value)),
            Kind::Int(value) => Ok(Value::Int(*value)),
            Kind::Float(value) => Ok(Value::Float(*value)),
            Kind::Text(text) => Ok(Value::Text(text.clone())),
            Kind::Name(name) => Ok(self.name(name)),
            Kind::Unary(operator, operand) => self.unary(node, *operator, operand),
            Kind::Binary(operator, left, right) => self.binary(node, *operator, left, right),
            Kind::Chain(inner) => match self.value(inner) {
                Err(Stop::Short) => Ok(Value::Nil),
                other => other,
            },
            Kind::Member { of, property, optional, .. } => self.member(node, of, property, *optional),
            Kind::Slice { of, from, to } => self.slice(node, of, from.as_deref(), to.as_deref()),
            Kind::Call { callee, arguments } => self.call(node, callee, arguments),
            Kind::Builtin(name, arguments) => {
                let arguments = self.values(arguments)?;
                at(node, builtins::call(name, &arguments, self.now, &mut self.budget))
            }
            Kind::Loop(kind, arguments) => self.walk(node, *kind, arguments),
            Kind::OneOfFilter { first, arguments } => self.one_of_filter(node, *first, arguments),
            Kind::Predicate(inner) => self.value(inner),
            Kind::Pointer(name) => Ok(self.pointer(name)),
            Kind::Let { name, value, body } => {
                let value = self.value(value)?;
                self.variables.push((name, value));
                let result = self.value(body);
                self.variables.pop();
                result
            }
            Kind::Sequence(nodes) => Ok(self.values(nodes)?.pop().unwrap_or(Value::Nil)),
            Kind::Conditional(condition, yes, no) => {
                let chosen = self.value(condition)?;
                if at(node, truth(&chosen))? { self.value(yes) } else { self.value(no) }
            }
            Kind::List(nodes) => {
                let items = self.values(nodes)?;
                at(node, self.budget.items(items.len()).and_then(|()| Value::list(items)))
            }
            Kind::Map(pairs) => self.map(node, pairs),
            Kind::InTexts(needle, texts) => {
                let needle = self.value(needle)?;
                let found = operators::key(&needle).map(|needle| texts.iter().any(|text| &**text == needle));
                at(node, found.map(Value::Bool))
            }
        }
    }

    fn values(&mut self, nodes: &'a [Node]) -> Result<Vec<Value>, Stop> {
        nodes.iter().map(|node| self.value(node)).collect()
    }

    fn name(&self, name: &str) -> Value {
        if let Some((_, value)) = self.variables.iter().rev().find(|(own, _)| *own == name) {
            return value.clone();
        }
        if name == "$env" {
            return Value::Map(self.root.clone());
        }
        self.root.get(name).cloned().unwrap_or(Value::Nil)
    }

    fn pointer(&self, name: &str) -> Value {
        match (self.walks.last(), name) {
            (None, _) => Value::Nil,
            (Some(walk), "index") => Value::Int(walk.index),
            (Some(walk), "acc") => walk.acc.clone(),
            (Some(walk), _) => walk.item.clone(),
        }
    }

    fn unary(&mut self, node: &'a Node, operator: Unary, operand: &'a Node) -> Outcome {
        let value = self.value(operand)?;
        at(
            node,
            match (operator, &value) {
                (Unary::Not | Unary::Bang, value) => truth(value).map(|value| Value::Bool(!value)),
                (Unary::Plus, _) => Ok(value),
                (Unary::Minus, Value::Int(value)) => Ok(Value::Int(value.wrapping_neg())),
                (Unary::Minus, Value::Float(value)) => Ok(Value::Float(-value)),
                (Unary::Minus, other) => Err(format!("invalid operation: - {}", other.type_name())),
            },
        )
    }

    fn binary(&mut self, node: &'a Node, operator: Binary, left: &'a Node, right: &'a Node) -> Outcome {
        let l = self.value(left)?;
        match operator {
            Binary::Or | Binary::And => {
                let value = at(node, truth(&l))?;
                return if value == (operator == Binary::Or) { Ok(l) } else { self.value(right) };
            }
            Binary::Coalesce => return if l.is_nil() { self.value(right) } else { Ok(l) },
            _ => {}
        }
        let r = self.value(right)?;
        match (operator, &l, &r) {
            (Binary::Range, ..) => at(node, self.range(&l, &r)),
            (Binary::Matches, Value::Text(whole), Value::Text(pattern)) => {
                at(node, self.matches(whole, pattern).map(Value::Bool))
            }
            (Binary::Add, Value::Text(left), Value::Text(right)) => {
                at(node, self.budget.bytes(left.len() + right.len()))?;
                at(node, operators::binary(operator, &l, &r))
            }
            _ => at(node, operators::binary(operator, &l, &r)),
        }
    }

    fn matches(&mut self, whole: &str, pattern: &str) -> Result<bool, String> {
        if let Some((_, compiled)) = self.patterns.iter().find(|(own, _)| own == pattern) {
            return Ok(compiled.is_match(whole));
        }
        let compiled = operators::pattern(pattern)?;
        let found = compiled.is_match(whole);
        if self.patterns.len() < 16 {
            self.patterns.push((pattern.to_owned(), compiled));
        }
        Ok(found)
    }

    fn range(&mut self, from: &Value, to: &Value) -> Result<Value, String> {
        let (from, to) = (operators::int(from)?, operators::int(to)?);
        let count = to.saturating_sub(from).saturating_add(1).max(0);
        self.budget.items(usize::try_from(count).unwrap_or(usize::MAX))?;
        Value::list_of((from..=to).map(Value::Int).collect(), ListOf::Int)
    }

    fn member(&mut self, node: &'a Node, of: &'a Node, property: &'a Node, optional: bool) -> Outcome {
        let base = self.value(of)?;
        if optional && base.is_nil() {
            return Err(Stop::Short);
        }
        let index = self.value(property)?;
        at(node, operators::fetch(&base, &index))
    }

    fn slice(
        &mut self,
        node: &'a Node,
        of: &'a Node,
        from: Option<&'a Node>,
        to: Option<&'a Node>,
    ) -> Outcome {
        let base = self.value(of)?;
        let to = match to {
            Some(to) => self.value(to)?,
            None => match &base {
                Value::List(list) => Value::count(list.items().len()),
                Value::Text(text) => Value::count(text.len()),
                Value::Map(map) => Value::count(map.len()),
                other => {
                    return at(node, Err(format!("invalid argument for len (type {})", other.type_name())));
                }
            },
        };
        let from = match from {
            Some(from) => self.value(from)?,
            None => Value::Int(0),
        };
        at(node, self.budget.items(1).and_then(|()| operators::slice(&base, &from, &to)))
    }

    fn map(&mut self, node: &'a Node, pairs: &'a [(Node, Node)]) -> Outcome {
        let mut entries = std::collections::BTreeMap::new();
        let mut values = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            values.push((self.value(key)?, self.value(value)?));
        }
        // From the last to the first, as they come off Go's stack: the first of two equal names stays.
        for (key, value) in values.into_iter().rev() {
            let Value::Text(name) = key else {
                return at(node, Err(operators::not_a(&key, "string")));
            };
            entries.insert(name, value);
        }
        at(node, self.budget.items(entries.len()).and_then(|()| Value::map(entries)))
    }

    fn call(&mut self, node: &'a Node, callee: &'a Node, arguments: &'a [Node]) -> Outcome {
        let arguments = self.values(arguments)?;
        if let Kind::Member { of, property, optional, .. } = &callee.kind
            && let Kind::Text(name) = &property.kind
        {
            let base = self.value(of)?;
            if *optional && base.is_nil() {
                return Err(Stop::Short);
            }
            if let Some(result) = time::call(&base, name, &arguments) {
                return at(node, result);
            }
            let function = at(callee, operators::fetch(&base, &Value::Text(name.clone())))?;
            return self.invoke(node, &function, &arguments);
        }
        let function = self.value(callee)?;
        self.invoke(node, &function, &arguments)
    }

    fn invoke(&mut self, node: &Node, function: &Value, arguments: &[Value]) -> Outcome {
        at(
            node,
            match function {
                Value::Nil => Err("invalid operation: cannot call nil".to_owned()),
                Value::Function(name) => argo::call(name, arguments, self.now, &mut self.budget),
                other => {
                    Err(format!("invalid operation: cannot call non-function of type {}", other.type_name()))
                }
            },
        )
    }
}
