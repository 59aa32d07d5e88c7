//! What expr-lang works out or rearranges before an expression runs, as far as it can be seen.
//!
//! `x && false` never looks at `x`; `7 % 0` does not compile; `in` a list of texts and the first item
//! of a `filter` fail in their own way. Source: expr-lang `optimizer`.

use super::operators;
use super::place::Fault;
use super::tree::{Binary, Kind, Loop, Node, Unary};
use super::value::Value;

/// Rearranges a checked tree.
pub(super) fn fold(node: Node) -> Result<Node, Fault> {
    let at = node.at;
    let kind = match node.kind {
        Kind::Unary(operator, operand) => unary(operator, fold(*operand)?),
        Kind::Binary(Binary::In, left, right) => within(fold(*left)?, *right)?,
        Kind::Binary(operator, left, right) => binary(operator, fold(*left)?, fold(*right)?, at)?,
        Kind::Chain(inner) => Kind::Chain(boxed(*inner)?),
        Kind::Member { of, property, optional, method } => {
            member(fold(*of)?, fold(*property)?, optional, method)
        }
        Kind::Slice { of, from, to } => Kind::Slice {
            of: boxed(*of)?,
            from: from.map(|node| boxed(*node)).transpose()?,
            to: to.map(|node| boxed(*node)).transpose()?,
        },
        Kind::Call { callee, arguments } => {
            Kind::Call { callee: boxed(*callee)?, arguments: all(arguments)? }
        }
        Kind::Builtin(name, arguments) => Kind::Builtin(name, all(arguments)?),
        Kind::Loop(Loop::Sum, arguments) if arguments.len() == 1 => sum(arguments, at)?,
        Kind::Loop(kind, arguments) => Kind::Loop(kind, all(arguments)?),
        Kind::Predicate(inner) => Kind::Predicate(boxed(*inner)?),
        Kind::Let { name, value, body } => Kind::Let { name, value: boxed(*value)?, body: boxed(*body)? },
        Kind::Sequence(nodes) => Kind::Sequence(all(nodes)?),
        Kind::Conditional(condition, yes, no) => {
            Kind::Conditional(boxed(*condition)?, boxed(*yes)?, boxed(*no)?)
        }
        Kind::List(nodes) => Kind::List(all(nodes)?),
        Kind::Map(pairs) => Kind::Map(
            pairs
                .into_iter()
                .map(|(key, value)| Ok((fold(key)?, fold(value)?)))
                .collect::<Result<_, Fault>>()?,
        ),
        kept @ (Kind::Nil
        | Kind::Bool(_)
        | Kind::Int(_)
        | Kind::Float(_)
        | Kind::Text(_)
        | Kind::Name(_)
        | Kind::Pointer(_)
        | Kind::InTexts(..)
        | Kind::OneOfFilter { .. }) => kept,
    };
    Ok(kind.at(at))
}

fn boxed(node: Node) -> Result<Box<Node>, Fault> {
    fold(node).map(Box::new)
}

fn all(nodes: Vec<Node>) -> Result<Vec<Node>, Fault> {
    nodes.into_iter().map(fold).collect()
}

/// Longest list whose sum is worked out item by item.
const SUM_LIMIT: usize = 8;

/// `sum(map(…))` is one walk, `sum([a, b])` is `a + b`, be they texts.
/// Source: expr-lang `optimizer/sum_map.go`, `sum_array.go`.
fn sum(arguments: Vec<Node>, at: usize) -> Result<Kind, Fault> {
    let mut arguments = all(arguments)?;
    match arguments.pop().map(|node| (node.at, node.kind)) {
        Some((_, Kind::Loop(Loop::Map, inner))) if inner.len() == 2 => Ok(Kind::Loop(Loop::Sum, inner)),
        Some((_, Kind::List(items)))
            if (2..=SUM_LIMIT).contains(&items.len())
                && items.iter().any(|item| literal(&item.kind).is_none()) =>
        {
            let mut items = items.into_iter().rev();
            let mut sum = items.next().unwrap_or_else(|| Kind::Int(0).at(at));
            for item in items {
                sum = Kind::Binary(Binary::Add, Box::new(item), Box::new(sum)).at(at);
            }
            Ok(sum.kind)
        }
        Some((own, kind)) => Ok(Kind::Loop(Loop::Sum, vec![kind.at(own)])),
        None => Ok(Kind::Loop(Loop::Sum, arguments)),
    }
}

fn unary(operator: Unary, operand: Node) -> Kind {
    match (operator, &operand.kind) {
        (Unary::Not | Unary::Bang, Kind::Bool(value)) => Kind::Bool(!value),
        (Unary::Minus, Kind::Int(value)) => Kind::Int(value.wrapping_neg()),
        (Unary::Minus, Kind::Float(value)) => Kind::Float(-value),
        (Unary::Plus, Kind::Int(_) | Kind::Float(_)) => operand.kind,
        _ => Kind::Unary(operator, Box::new(operand)),
    }
}

fn within(left: Node, right: Node) -> Result<Kind, Fault> {
    if let Kind::List(nodes) = &right.kind
        && !nodes.is_empty()
    {
        let text = |node: &Node| if let Kind::Text(text) = &node.kind { Some(text.clone()) } else { None };
        if let Some(texts) = nodes.iter().map(text).collect::<Option<Vec<_>>>() {
            return Ok(Kind::InTexts(Box::new(left), texts));
        }
    }
    Ok(Kind::Binary(Binary::In, Box::new(left), boxed(right)?))
}

fn binary(operator: Binary, left: Node, right: Node, at: usize) -> Result<Kind, Fault> {
    // What decides alone, then what does not matter.
    let deciding = match operator {
        Binary::And => Some(false),
        Binary::Or => Some(true),
        _ => None,
    };
    if let Some(deciding) = deciding {
        return Ok(match (&left.kind, &right.kind) {
            (Kind::Bool(value), _) if *value != deciding => right.kind,
            (_, Kind::Bool(value)) if *value != deciding => left.kind,
            (Kind::Bool(_), _) | (_, Kind::Bool(_)) => Kind::Bool(deciding),
            _ => Kind::Binary(operator, Box::new(left), Box::new(right)),
        });
    }
    let worked_out = match (operator, &left.kind, &right.kind) {
        (Binary::Modulo, Kind::Int(_), Kind::Int(0)) => return Err(Fault::new(at, "integer divide by zero")),
        (Binary::Equal | Binary::Modulo, Kind::Int(_), Kind::Int(_))
        | (Binary::Equal | Binary::Add, Kind::Text(_), Kind::Text(_))
        | (Binary::Equal, Kind::Bool(_), Kind::Bool(_))
        | (
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Power,
            Kind::Int(_) | Kind::Float(_),
            Kind::Int(_) | Kind::Float(_),
        ) => true,
        _ => false,
    };
    if worked_out
        && let (Some(l), Some(r)) = (literal(&left.kind), literal(&right.kind))
        && let Ok(value) = operators::binary(operator, &l, &r)
    {
        match value {
            Value::Bool(value) => return Ok(Kind::Bool(value)),
            Value::Int(value) => return Ok(Kind::Int(value)),
            Value::Float(value) => return Ok(Kind::Float(value)),
            Value::Text(text) => return Ok(Kind::Text(text)),
            _ => {}
        }
    }
    Ok(Kind::Binary(operator, Box::new(left), Box::new(right)))
}

/// The value of a literal.
pub(super) fn literal(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Bool(value) => Some(Value::Bool(*value)),
        Kind::Int(value) => Some(Value::Int(*value)),
        Kind::Float(value) => Some(Value::Float(*value)),
        Kind::Text(text) => Some(Value::Text(text.clone())),
        _ => None,
    }
}

fn member(of: Node, property: Node, optional: bool, method: bool) -> Kind {
    match (of.kind, &property.kind) {
        (Kind::Loop(Loop::Filter, arguments), Kind::Int(at @ (0 | -1))) if !optional => {
            Kind::OneOfFilter { first: *at == 0, arguments }
        }
        (kind, _) => {
            Kind::Member { of: Box::new(kind.at(of.at)), property: Box::new(property), optional, method }
        }
    }
}
