//! The tree of an expression.
//!
//! Every node knows its place, depth and size; the parser refuses what is deeper than [`DEPTH_LIMIT`],
//! so everything that walks a tree may recurse. Source: expr-lang `ast/node.go`.

use std::sync::Arc;

/// Deepest tree.
pub(super) const DEPTH_LIMIT: u16 = 300;

/// Part of an expression.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Position of the character that messages point at.
    pub(super) at: usize,
    /// 1 + the depth of its deepest part.
    pub(super) depth: u16,
    /// How many nodes it has, itself included.
    pub(super) size: usize,
}

/// What a part is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    Name(String),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
    /// What a `?.` inside of it gives up: the whole is nil then.
    Chain(Box<Node>),
    Member {
        of: Box<Node>,
        property: Box<Node>,
        optional: bool,
        /// Whether it is called.
        method: bool,
    },
    Slice {
        of: Box<Node>,
        from: Option<Box<Node>>,
        to: Option<Box<Node>>,
    },
    Call {
        callee: Box<Node>,
        arguments: Vec<Node>,
    },
    /// A function of the language.
    Builtin(&'static str, Vec<Node>),
    /// A function of the language that takes a predicate.
    Loop(Loop, Vec<Node>),
    Predicate(Box<Node>),
    /// `#`, `#index`, `#acc`.
    Pointer(String),
    Let {
        name: String,
        value: Box<Node>,
        body: Box<Node>,
    },
    Sequence(Vec<Node>),
    Conditional(Box<Node>, Box<Node>, Box<Node>),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// `x in ["a", "b"]`, which works otherwise than other `in`s.
    InTexts(Box<Node>, Vec<Arc<str>>),
    /// `filter(…)[0]` (`first`) or `filter(…)[-1]`, which fail in their own way.
    OneOfFilter {
        first: bool,
        arguments: Vec<Node>,
    },
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    /// `!`, which is shown otherwise.
    Bang,
    Minus,
    Plus,
}

impl Unary {
    pub(super) fn of(text: &str) -> Option<(Self, u16)> {
        match text {
            "not" => Some((Self::Not, 50)),
            "!" => Some((Self::Bang, 50)),
            "-" => Some((Self::Minus, 90)),
            "+" => Some((Self::Plus, 90)),
            _ => None,
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Not => "not",
            Self::Bang => "!",
            Self::Minus => "-",
            Self::Plus => "+",
        }
    }
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    More,
    LessOrEqual,
    MoreOrEqual,
    In,
    Matches,
    Contains,
    StartsWith,
    EndsWith,
    Range,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Coalesce,
}

/// Text, operator and precedence. `|` is not among them: it makes a call.
const BINARY: [(&str, Binary, u16); 24] = [
    ("||", Binary::Or, 10),
    ("or", Binary::Or, 10),
    ("&&", Binary::And, 15),
    ("and", Binary::And, 15),
    ("==", Binary::Equal, 20),
    ("!=", Binary::NotEqual, 20),
    ("<", Binary::Less, 20),
    (">", Binary::More, 20),
    ("<=", Binary::LessOrEqual, 20),
    (">=", Binary::MoreOrEqual, 20),
    ("in", Binary::In, 20),
    ("matches", Binary::Matches, 20),
    ("contains", Binary::Contains, 20),
    ("startsWith", Binary::StartsWith, 20),
    ("endsWith", Binary::EndsWith, 20),
    ("..", Binary::Range, 25),
    ("+", Binary::Add, 30),
    ("-", Binary::Subtract, 30),
    ("*", Binary::Multiply, 60),
    ("/", Binary::Divide, 60),
    ("%", Binary::Modulo, 60),
    ("**", Binary::Power, 100),
    ("^", Binary::Power, 100),
    ("??", Binary::Coalesce, 500),
];

impl Binary {
    /// The operator and its precedence. Source: expr-lang `parser/operator/operator.go`.
    pub(super) fn of(text: &str) -> Option<(Self, u16)> {
        BINARY
            .iter()
            .find(|(name, ..)| *name == text)
            .map(|(_, operator, precedence)| (*operator, *precedence))
    }

    pub(super) fn is_comparison(self) -> bool {
        matches!(self, Self::Less | Self::More | Self::LessOrEqual | Self::MoreOrEqual)
    }

    /// The operator as it is written in messages; the first spelling where there are two.
    pub(super) fn text(self) -> &'static str {
        BINARY.iter().find(|(_, operator, _)| *operator == self).map_or("", |(name, ..)| name)
    }
}

/// A function that walks a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    All,
    None,
    Any,
    One,
    Filter,
    Map,
    Count,
    Sum,
    Find,
    FindIndex,
    FindLast,
    FindLastIndex,
    GroupBy,
    SortBy,
    Reduce,
}

/// What a walking function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    Value,
    Predicate,
    OptionalPredicate,
    OptionalValue,
}

const PLAIN: &[Argument] = &[Argument::Value, Argument::Predicate];
const OPEN: &[Argument] = &[Argument::Value, Argument::OptionalPredicate];
const EXTRA: &[Argument] = &[Argument::Value, Argument::Predicate, Argument::OptionalValue];

/// Name, function and arguments. Source: expr-lang `parser/parser.go`, `predicates`.
const LOOPS: [(&str, Loop, &[Argument]); 15] = [
    ("all", Loop::All, PLAIN),
    ("none", Loop::None, PLAIN),
    ("any", Loop::Any, PLAIN),
    ("one", Loop::One, PLAIN),
    ("filter", Loop::Filter, PLAIN),
    ("map", Loop::Map, PLAIN),
    ("count", Loop::Count, OPEN),
    ("sum", Loop::Sum, OPEN),
    ("find", Loop::Find, PLAIN),
    ("findIndex", Loop::FindIndex, PLAIN),
    ("findLast", Loop::FindLast, PLAIN),
    ("findLastIndex", Loop::FindLastIndex, PLAIN),
    ("groupBy", Loop::GroupBy, PLAIN),
    ("sortBy", Loop::SortBy, EXTRA),
    ("reduce", Loop::Reduce, EXTRA),
];

impl Loop {
    pub(super) fn of(text: &str) -> Option<(Self, &'static [Argument])> {
        LOOPS.iter().find(|(name, ..)| *name == text).map(|(_, kind, arguments)| (*kind, *arguments))
    }

    pub(super) fn text(self) -> &'static str {
        LOOPS.iter().find(|(_, kind, _)| *kind == self).map_or("", |(name, ..)| name)
    }
}

impl Node {
    /// Shows every part to `see`, the node itself last, left to right.
    /// Source: expr-lang `ast/visitor.go`, `Walk`.
    pub(super) fn walk<'a>(&'a self, see: &mut dyn FnMut(&'a Self)) {
        self.kind.parts(&mut |part| part.walk(see));
        see(self);
    }
}

impl Kind {
    /// Shows the direct parts, left to right.
    pub(super) fn parts<'a>(&'a self, see: &mut dyn FnMut(&'a Node)) {
        match self {
            Self::Nil
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Text(_)
            | Self::Name(_)
            | Self::Pointer(_) => {}
            Self::Unary(_, node) | Self::Chain(node) | Self::Predicate(node) | Self::InTexts(node, _) => {
                see(node);
            }
            Self::Binary(_, left, right) => {
                see(left);
                see(right);
            }
            Self::Member { of, property, .. } => {
                see(of);
                see(property);
            }
            Self::Slice { of, from, to } => {
                see(of);
                from.iter().chain(to).for_each(|node| see(node));
            }
            Self::Call { callee, arguments } => {
                see(callee);
                arguments.iter().for_each(see);
            }
            Self::Builtin(_, nodes) | Self::Loop(_, nodes) | Self::Sequence(nodes) | Self::List(nodes) => {
                nodes.iter().for_each(see);
            }
            Self::OneOfFilter { arguments, .. } => arguments.iter().for_each(see),
            Self::Let { value, body, .. } => {
                see(value);
                see(body);
            }
            Self::Conditional(condition, yes, no) => {
                see(condition);
                see(yes);
                see(no);
            }
            Self::Map(pairs) => {
                for (key, value) in pairs {
                    see(key);
                    see(value);
                }
            }
        }
    }

    /// Depth and size of a node of this kind.
    pub(super) fn measure(&self) -> (u16, usize) {
        let (mut deepest, mut size) = (0, 1);
        self.parts(&mut |part| {
            deepest = deepest.max(part.depth);
            size += part.size;
        });
        (deepest + 1, size)
    }

    /// A node of this kind at a place.
    pub(super) fn at(self, at: usize) -> Node {
        let (depth, size) = self.measure();
        Node { kind: self, at, depth, size }
    }
}
