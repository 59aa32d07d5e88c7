//! Which operands fit an operator. Source: expr-lang `checker/checker.go`, `unaryNode`, `binaryNode`.

use super::{Binary, Checker, Fault, Kind, Nature, Node, Unary};
use crate::lang::expr::operators;

const TEXT: fn(&Nature) -> bool = |nature| *nature == Nature::Text;
const INT: fn(&Nature) -> bool = |nature| *nature == Nature::Int;
const BOOL: fn(&Nature) -> bool = |nature| *nature == Nature::Bool;
const NUMBER: fn(&Nature) -> bool = Nature::is_number;
const SPAN: fn(&Nature) -> bool = |nature| nature.is_number() || *nature == Nature::Duration;
const INSTANT: fn(&Nature) -> bool = |nature| SPAN(nature) || *nature == Nature::Time;
const ORDERED: fn(&Nature) -> bool = |nature| INSTANT(nature) || *nature == Nature::Text;

impl<'a> Checker<'a> {
    pub(super) fn unary(&mut self, node: &Node, operator: Unary, operand: &'a Node) -> Result<Nature, Fault> {
        let nature = self.visit(operand)?;
        match operator {
            Unary::Not | Unary::Bang if nature == Nature::Bool || nature.is_unknown() => Ok(Nature::Bool),
            Unary::Minus | Unary::Plus if nature.is_number() => Ok(nature),
            Unary::Minus | Unary::Plus if nature.is_unknown() => Ok(Nature::Unknown),
            Unary::Not | Unary::Bang | Unary::Minus | Unary::Plus => {
                Err(super::unfit(node.at, operator, &nature))
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        node: &Node,
        operator: Binary,
        left: &'a Node,
        right: &'a Node,
    ) -> Result<Nature, Fault> {
        let l = self.visit(left)?;
        let r = self.visit(right)?;
        if operator == Binary::In
            && let Some(found) = within(node, &l, &r)
        {
            return found;
        }
        if operator == Binary::Matches
            && let Kind::Text(pattern) = &right.kind
        {
            operators::pattern(pattern).map_err(|text| Fault::new(node.at, text))?;
        }
        fitting(operator, &l, &r).ok_or_else(|| {
            let text = spelled(self.source, node.at, operator);
            let (l, r) = (l.name(), r.name());
            Fault::new(node.at, format!("invalid operation: {text} (mismatched types {l} and {r})"))
        })
    }
}

/// The operator as it is written at its place.
fn spelled(source: &str, at: usize, operator: Binary) -> &'static str {
    let other = match operator {
        Binary::Or => "or",
        Binary::And => "and",
        Binary::Power => "^",
        _ => return operator.text(),
    };
    let written = source.chars().skip(at).take(other.len()).eq(other.chars());
    if written { other } else { operator.text() }
}

/// What an operator gives for such operands; `None` where they do not fit.
fn fitting(operator: Binary, l: &Nature, r: &Nature) -> Option<Nature> {
    use Nature::{Bool, Duration, Float, Int, Text, Time, Unknown};
    let both = |test: fn(&Nature) -> bool| test(l) && test(r);
    match operator {
        Binary::Equal | Binary::NotEqual => l.compares(r).then_some(Bool),
        Binary::Or | Binary::And => (both(BOOL) || l.may_be(r, BOOL)).then_some(Bool),
        Binary::Less | Binary::More | Binary::LessOrEqual | Binary::MoreOrEqual => {
            let same = both(NUMBER) || l == r && matches!(l, Text | Time | Duration);
            (same || l.may_be(r, ORDERED)).then_some(Bool)
        }
        Binary::Subtract => match (l, r) {
            _ if both(NUMBER) => Some(l.promoted(r)),
            (Time, Time) | (Duration, Duration) => Some(Duration),
            (Time, Duration) => Some(Time),
            _ => l.may_be(r, INSTANT).then_some(Unknown),
        },
        Binary::Multiply => match (l, r) {
            _ if both(NUMBER) => Some(l.promoted(r)),
            (Int | Float | Duration, Duration) | (Duration, Int | Float) => Some(Duration),
            _ => l.may_be(r, SPAN).then_some(Unknown),
        },
        Binary::Divide | Binary::Power => (both(NUMBER) || l.may_be(r, NUMBER)).then_some(Float),
        Binary::Modulo => (both(INT) || l.may_be(r, INT)).then_some(Int),
        Binary::Add => match (l, r) {
            _ if both(NUMBER) => Some(l.promoted(r)),
            (Text, Text) => Some(Text),
            (Time, Duration) | (Duration, Time) => Some(Time),
            (Duration, Duration) => Some(Duration),
            _ => l.may_be(r, ORDERED).then_some(Unknown),
        },
        Binary::In => {
            let holds = |nature: &Nature| nature.is_list() || matches!(nature, Text | Nature::Map(..));
            (r.is_unknown() || l.is_unknown() && holds(r)).then_some(Bool)
        }
        Binary::Matches | Binary::Contains | Binary::StartsWith | Binary::EndsWith => {
            (both(TEXT) || l.may_be(r, TEXT)).then_some(Bool)
        }
        Binary::Range => (both(INT) || l.may_be(r, INT)).then(|| Int.list()),
        Binary::Coalesce => Some(match (l, r) {
            (Nature::Nil, _) => r.clone(),
            (_, Nature::Nil) => l.clone(),
            _ if r.fits(l) => l.clone(),
            _ => Unknown,
        }),
    }
}

/// `in` a map or a list; `None` for anything else.
fn within(node: &Node, l: &Nature, r: &Nature) -> Option<Result<Nature, Fault>> {
    let (fits, kind, what) = match r {
        Nature::Map(kind, _) => {
            let keys = if *kind == super::NAMED { Nature::Text } else { Nature::Any };
            (l.is_unknown() || l.fits(&keys), keys, "map key")
        }
        Nature::List(_, item) => (l.compares(item), (**item).clone(), "array"),
        _ => return None,
    };
    if fits {
        return Some(Ok(Nature::Bool));
    }
    let text = format!("cannot use {} as type {} in {what}", l.name(), kind.name());
    Some(Err(Fault::new(node.at, text)))
}
