//! Functions that walk a list with a predicate. Source: expr-lang `compiler/compiler.go`, `BuiltinNode`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Outcome, Run, Stop, Walk, at};
use crate::lang::expr::operators::{self, truth};
use crate::lang::expr::tree::{Binary, Loop, Node};
use crate::lang::expr::value::{Keyed, Value, signed};

/// What a walk goes over.
fn items(of: &Value) -> Result<Vec<Value>, String> {
    match of {
        Value::List(list) => Ok(list.items().to_vec()),
        Value::Text(text) => Ok(text.bytes().map(|byte| Value::Int(i64::from(byte))).collect()),
        Value::Nil => Err("reflect: call of reflect.Value.Len on zero Value".to_owned()),
        Value::Map(map) if map.is_empty() => Ok(Vec::new()),
        Value::Map(_) | Value::Keyed(_) => {
            Err("reflect: call of reflect.Value.Index on map Value".to_owned())
        }
        other => Err(format!("reflect: call of reflect.Value.Len on {} Value", other.kind_name())),
    }
}

impl<'a> Run<'a> {
    pub(super) fn walk(&mut self, node: &'a Node, kind: Loop, arguments: &'a [Node]) -> Outcome {
        let Some((list, rest)) = arguments.split_first() else {
            return Ok(Value::Nil);
        };
        let list = self.value(list)?;
        let list = at(node, items(&list))?;
        let predicate = rest.first();
        match kind {
            Loop::Reduce => return self.reduce(node, list, rest),
            Loop::SortBy => return self.sort_by(node, list, rest),
            Loop::GroupBy => return self.group_by(node, list, predicate),
            _ => {}
        }
        self.walks.push(Walk { item: Value::Nil, index: 0, acc: Value::Nil });
        let result = self.walk_items(node, kind, &list, predicate);
        self.walks.pop();
        result
    }

    /// Goes to an item and asks the predicate; the item itself where there is none.
    fn ask(&mut self, index: usize, item: Value, predicate: Option<&'a Node>) -> Outcome {
        if let Some(walk) = self.walks.last_mut() {
            walk.index = signed(index);
            walk.item = item.clone();
        }
        match predicate {
            Some(predicate) => self.value(predicate),
            None => Ok(item),
        }
    }

    fn walk_items(
        &mut self,
        node: &'a Node,
        kind: Loop,
        list: &[Value],
        predicate: Option<&'a Node>,
    ) -> Outcome {
        let mut kept = Vec::new();
        let mut count = 0i64;
        let mut sum = Value::Int(0);
        let backwards = matches!(kind, Loop::FindLast | Loop::FindLastIndex);
        let length = list.len();
        for step in 0..length {
            let index = if backwards { length - 1 - step } else { step };
            let item = list[index].clone();
            at(node, self.budget.step())?;
            let result = self.ask(index, item.clone(), predicate)?;
            match kind {
                Loop::Map => {
                    kept.push(result);
                    continue;
                }
                Loop::Sum => {
                    sum = at(node, operators::binary(Binary::Add, &result, &sum))?;
                    continue;
                }
                _ => {}
            }
            let holds = at(node, truth(&result))?;
            match kind {
                Loop::All if !holds => return Ok(Value::Bool(false)),
                Loop::None if holds => return Ok(Value::Bool(false)),
                Loop::Any if holds => return Ok(Value::Bool(true)),
                Loop::Find | Loop::FindLast if holds => return Ok(item),
                Loop::FindIndex | Loop::FindLastIndex if holds => return Ok(Value::count(index)),
                Loop::Filter if holds => kept.push(item),
                Loop::One | Loop::Count if holds => count += 1,
                _ => {}
            }
        }
        match kind {
            Loop::All | Loop::None => Ok(Value::Bool(true)),
            Loop::Any => Ok(Value::Bool(false)),
            Loop::One => Ok(Value::Bool(count == 1)),
            Loop::Count => Ok(Value::Int(count)),
            Loop::Sum => Ok(sum),
            Loop::Filter | Loop::Map => {
                at(node, self.budget.items(kept.len()).and_then(|()| Value::list(kept)))
            }
            Loop::Find
            | Loop::FindIndex
            | Loop::FindLast
            | Loop::FindLastIndex
            | Loop::GroupBy
            | Loop::SortBy
            | Loop::Reduce => Ok(Value::Nil),
        }
    }

    /// `filter(…)[0]` and `filter(…)[-1]`.
    /// Source: expr-lang `optimizer/filter_first.go`, `filter_last.go`.
    pub(super) fn one_of_filter(&mut self, node: &'a Node, first: bool, arguments: &'a [Node]) -> Outcome {
        let kind = if first { Loop::FindIndex } else { Loop::FindLastIndex };
        let Value::Int(index) = self.walk(node, kind, arguments)? else {
            return at(node, Err("reflect: slice index out of range".to_owned()));
        };
        let list = self.value(&arguments[0])?;
        at(node, operators::fetch(&list, &Value::Int(index)))
    }

    fn reduce(&mut self, node: &'a Node, list: Vec<Value>, rest: &'a [Node]) -> Outcome {
        let (acc, start) = match (rest.get(1), list.first()) {
            (Some(initial), _) => (self.value(initial)?, 0),
            (None, Some(first)) => (first.clone(), 1),
            (None, None) => return at(node, Err("reduce of empty array with no initial value".to_owned())),
        };
        self.walks.push(Walk { item: Value::Nil, index: 0, acc });
        let mut result = Ok(Value::Nil);
        for (index, item) in list.into_iter().enumerate().skip(start) {
            result = at(node, self.budget.step()).and_then(|()| self.ask(index, item, rest.first()));
            match (&result, self.walks.last_mut()) {
                (Ok(value), Some(walk)) => walk.acc = value.clone(),
                _ => break,
            }
        }
        let acc = self.walks.pop().map_or(Value::Nil, |walk| walk.acc);
        result.map(|_| acc)
    }

    fn sort_by(&mut self, node: &'a Node, list: Vec<Value>, rest: &'a [Node]) -> Outcome {
        let descending = match rest.get(1) {
            None => false,
            Some(order) => match self.value(order)? {
                Value::Text(order) if &*order == "asc" => false,
                Value::Text(order) if &*order == "desc" => true,
                Value::Text(_) => return at(node, Err("unknown order, use asc or desc".to_owned())),
                _ => return at(node, Err("sortBy order argument must be a string".to_owned())),
            },
        };
        let mut pairs = Vec::with_capacity(list.len());
        self.walks.push(Walk { item: Value::Nil, index: 0, acc: Value::Nil });
        let mut failed = None;
        for (index, item) in list.into_iter().enumerate() {
            match self.ask(index, item.clone(), rest.first()) {
                Ok(key) => pairs.push((key, item)),
                Err(stop) => {
                    failed = Some(stop);
                    break;
                }
            }
        }
        self.walks.pop();
        if let Some(stop) = failed {
            return Err(stop);
        }
        let sorted = sorted(pairs, descending);
        at(node, sorted.and_then(|items| self.budget.items(items.len()).and_then(|()| Value::list(items))))
    }

    fn group_by(&mut self, node: &'a Node, list: Vec<Value>, predicate: Option<&'a Node>) -> Outcome {
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        self.walks.push(Walk { item: Value::Nil, index: 0, acc: Value::Nil });
        let mut result: Result<(), Stop> = Ok(());
        for (index, item) in list.into_iter().enumerate() {
            let key = match self.ask(index, item.clone(), predicate) {
                Ok(key @ (Value::List(_) | Value::Map(_) | Value::Keyed(_) | Value::Function(_))) => {
                    let text = format!("runtime error: hash of unhashable type {}", key.type_name());
                    result = at(node, Err(text));
                    break;
                }
                Ok(key) => key,
                Err(stop) => {
                    result = Err(stop);
                    break;
                }
            };
            match groups.iter_mut().find(|(own, _)| operators::identical(own, &key)) {
                Some((_, items)) => items.push(item),
                None => groups.push((key, vec![item])),
            }
            result = at(node, (0..=groups.len() / 16).try_for_each(|_| self.budget.step()));
            if result.is_err() {
                break;
            }
        }
        self.walks.pop();
        result?;
        let lists: Result<Vec<_>, String> =
            groups.into_iter().map(|(key, items)| Ok((key, Value::list(items)?))).collect();
        at(node, lists.map(|lists| Value::Keyed(Keyed { entries: Arc::new(lists), of_lists: true })))
    }
}

/// Items in the order of their keys, which must be comparable.
pub(in crate::lang::expr) fn sorted(
    mut pairs: Vec<(Value, Value)>,
    descending: bool,
) -> Result<Vec<Value>, String> {
    for pair in pairs.windows(2) {
        let (before, after) = (&pair[0].0, &pair[1].0);
        let (left, right) = if descending { (before, after) } else { (after, before) };
        operators::compare(Binary::Less, left, right)?;
    }
    // All keys are of one sort now. With a float among them, all numbers are compared as floats.
    let floats = pairs.iter().any(|(key, _)| matches!(key, Value::Float(_)));
    pairs.sort_by(|(left, _), (right, _)| {
        let (left, right) = if descending { (right, left) } else { (left, right) };
        match (left, right) {
            _ if floats => match (operators::float(left), operators::float(right)) {
                (Ok(l), Ok(r)) => l.total_cmp(&r),
                _ => Ordering::Equal,
            },
            (Value::Int(l), Value::Int(r)) | (Value::Duration(l), Value::Duration(r)) => l.cmp(r),
            (Value::Text(l), Value::Text(r)) => l.cmp(r),
            (Value::Time(l), Value::Time(r)) => l.cmp(r),
            _ => Ordering::Equal,
        }
    });
    Ok(pairs.into_iter().map(|(_, item)| item).collect())
}
