//! What stands behind an operand: members, indices, slices and calls.

use super::{Argument, Kind, Loop, Node, Of, Parser, Token};
use crate::lang::expr::builtins;
use crate::lang::expr::token::is_name;

impl Parser {
    pub(super) fn postfix(&mut self, node: Option<Node>) -> Option<Node> {
        let mut node = node;
        while matches!(self.current.kind, Of::Operator | Of::Bracket) && self.fault.is_none() {
            let token = self.current.clone();
            match token.text.as_str() {
                "." => node = Some(self.member(node, false)?),
                "?." => {
                    self.next();
                    if self.bracket("[") {
                        node = Some(self.index(node, true)?);
                    } else {
                        node = Some(self.property(node, true)?);
                    }
                }
                "[" => node = Some(self.index(node, false)?),
                _ => break,
            }
        }
        node
    }

    fn member(&mut self, of: Option<Node>, optional: bool) -> Option<Node> {
        self.next();
        self.property(of, optional)
    }

    fn property(&mut self, of: Option<Node>, optional: bool) -> Option<Node> {
        let token = self.current.clone();
        self.next();
        if token.kind != Of::Identifier && (token.kind != Of::Operator || !is_name(&token.text)) {
            self.error("expected name");
        }
        let property = self.node(Kind::Text(token.text.as_str().into()), token.at)?;
        let (of, chained) = match of? {
            Node { kind: Kind::Chain(inner), .. } => (*inner, true),
            other => (other, false),
        };
        let method = self.bracket("(");
        let kind = Kind::Member { of: Box::new(of), property: Box::new(property), optional, method };
        let mut node = self.node(kind, token.at)?;
        if method {
            let arguments = self.arguments(Some(Vec::new()));
            node = self.node(Kind::Call { callee: Box::new(node), arguments: arguments? }, token.at)?;
        }
        if chained || optional { self.node(Kind::Chain(Box::new(node)), token.at) } else { Some(node) }
    }

    fn index(&mut self, of: Option<Node>, optional: bool) -> Option<Node> {
        let at = self.current.at;
        self.next();
        let from = if self.operator(":") { None } else { Some(self.expression(0)) };
        if self.operator(":") {
            self.next();
            let to = if self.bracket("]") { None } else { Some(self.expression(0)?) };
            let from = match from {
                None => None,
                Some(from) => Some(Box::new(from?)),
            };
            let node = self.node(Kind::Slice { of: Box::new(of?), from, to: to.map(Box::new) }, at)?;
            self.expect(Of::Bracket, "]");
            return Some(node);
        }
        let property = Box::new(from.flatten()?);
        let mut node =
            self.node(Kind::Member { of: Box::new(of?), property, optional, method: false }, at)?;
        if optional {
            node = self.node(Kind::Chain(Box::new(node)), at)?;
        }
        self.expect(Of::Bracket, "]");
        Some(node)
    }

    /// A call of the function `name`; `first` are the arguments that a pipe brings along.
    pub(super) fn call(&mut self, name: &Token, first: Option<Vec<Node>>) -> Option<Node> {
        if let Some((kind, takes)) = Loop::of(&name.text) {
            return self.loop_call(name, kind, takes, first);
        }
        let kind = if let Some(builtin) = builtins::name_of(&name.text) {
            Kind::Builtin(builtin, self.arguments(first)?)
        } else {
            let callee = Box::new(self.node(Kind::Name(name.text.clone()), name.at)?);
            Kind::Call { callee, arguments: self.arguments(first)? }
        };
        self.node(kind, name.at)
    }

    fn loop_call(
        &mut self,
        name: &Token,
        kind: Loop,
        takes: &'static [Argument],
        first: Option<Vec<Node>>,
    ) -> Option<Node> {
        self.expect(Of::Bracket, "(");
        let mut arguments: Vec<Option<Node>> =
            first.map_or_else(|| vec![None], |nodes| nodes.into_iter().map(Some).collect());
        let takes = &takes[arguments.len().min(takes.len())..];
        for (at, argument) in takes.iter().enumerate() {
            let optional = matches!(argument, Argument::OptionalPredicate | Argument::OptionalValue);
            if self.bracket(")") {
                if optional {
                    break;
                }
                self.error(format!("expected at least {} arguments", takes.len()));
            }
            if at > 0 {
                self.expect(Of::Operator, ",");
            }
            arguments.push(match argument {
                Argument::Value | Argument::OptionalValue => self.expression(0),
                Argument::Predicate | Argument::OptionalPredicate => self.predicate(),
            });
        }
        if self.operator(",") {
            self.next();
        }
        self.expect(Of::Bracket, ")");
        let arguments = arguments.into_iter().collect::<Option<Vec<_>>>()?;
        self.node(Kind::Loop(kind, arguments), name.at)
    }

    fn arguments(&mut self, first: Option<Vec<Node>>) -> Option<Vec<Node>> {
        let mut found: Vec<Option<Node>> = Vec::new();
        self.expect(Of::Bracket, "(");
        while !self.bracket(")") && self.fault.is_none() {
            if !found.is_empty() {
                self.expect(Of::Operator, ",");
            }
            if self.bracket(")") {
                break;
            }
            found.push(self.expression(0));
        }
        self.expect(Of::Bracket, ")");
        let mut all = first?;
        all.extend(found.into_iter().collect::<Option<Vec<_>>>()?);
        Some(all)
    }

    fn predicate(&mut self) -> Option<Node> {
        let at = self.current.at;
        let braces = self.bracket("{");
        if braces {
            self.next();
        }
        self.predicates += 1;
        let node = if braces { self.sequence() } else { self.expression(0) };
        if !braces && self.operator(";") {
            self.error("wrap predicate with brackets { and }");
        }
        self.predicates -= 1;
        if braces {
            self.expect(Of::Bracket, "}");
        }
        self.node(Kind::Predicate(Box::new(node?)), at)
    }
}
