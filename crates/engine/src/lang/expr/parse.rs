//! Reads the tree of an expression.
//!
//! After a fault it reads on as expr-lang does, without making nodes, since a fault of the tokens that
//! follow replaces the first one. Source: expr-lang `parser/parser.go`.

mod literal;
mod postfix;

use super::place::Fault;
use super::token::{Kind as Of, Lexer, Token};
use super::tree::{Argument, Binary, DEPTH_LIMIT, Kind, Loop, Node, Unary};

/// Most nodes of an expression. Source: expr-lang `conf/config.go`, `DefaultMaxNodes`.
const NODE_LIMIT: usize = 10_000;
/// Deepest nesting that is read.
const NESTING_LIMIT: usize = 100;

/// Reads an expression.
pub(super) fn parse(source: &str) -> Result<Node, Fault> {
    let mut parser = Parser {
        lexer: Lexer::new(source),
        current: Token { kind: Of::End, text: String::new(), at: 0 },
        stashed: None,
        fault: None,
        predicates: 0,
        nesting: 0,
    };
    parser.next();
    let node = parser.sequence();
    if parser.current.kind != Of::End {
        parser.unexpected();
    }
    match (node, parser.fault) {
        (_, Some(fault)) => Err(fault),
        (Some(node), None) => Ok(node),
        (None, None) => Err(Fault::new(0, "unexpected token EOF")),
    }
}

struct Parser {
    lexer: Lexer,
    current: Token,
    stashed: Option<Token>,
    fault: Option<Fault>,
    /// How many predicates enclose the place.
    predicates: usize,
    nesting: usize,
}

impl Parser {
    fn error(&mut self, text: impl Into<String>) {
        let at = self.current.at;
        self.error_at(at, text);
    }

    fn error_at(&mut self, at: usize, text: impl Into<String>) {
        self.fault.get_or_insert_with(|| Fault::new(at, text));
    }

    fn unexpected(&mut self) {
        self.error(format!("unexpected token {}", self.current.show()));
    }

    fn node(&mut self, kind: Kind, at: usize) -> Option<Node> {
        let node = kind.at(at);
        if node.size > NODE_LIMIT {
            self.error("compilation failed: expression exceeds maximum allowed nodes");
        }
        if node.depth > DEPTH_LIMIT {
            self.error("compilation failed: expression is nested too deeply");
        }
        self.fault.is_none().then_some(node)
    }

    fn next(&mut self) {
        if let Some(token) = self.stashed.take() {
            self.current = token;
            return;
        }
        match self.lexer.next() {
            Ok(token) => self.current = token,
            Err(fault) if fault.text == "unexpected end of expression" => self.error(fault.text),
            Err(fault) => self.fault = Some(fault),
        }
    }

    fn at(&self, kind: Of, text: &str) -> bool {
        self.current.is(kind, text)
    }

    fn operator(&self, text: &str) -> bool {
        self.at(Of::Operator, text)
    }

    fn bracket(&self, text: &str) -> bool {
        self.at(Of::Bracket, text)
    }

    fn expect(&mut self, kind: Of, text: &str) {
        if self.at(kind, text) {
            self.next();
        } else {
            self.unexpected();
        }
    }

    /// The current token, which should be a name.
    fn expect_name(&mut self) -> Token {
        let token = self.current.clone();
        if token.kind == Of::Identifier {
            self.next();
        } else {
            self.unexpected();
        }
        token
    }

    fn sequence(&mut self) -> Option<Node> {
        let first = self.expression(0);
        let at = first.as_ref().map_or(0, |node| node.at);
        let mut nodes = vec![first];
        while self.operator(";") && self.fault.is_none() {
            self.next();
            if self.current.kind == Of::End {
                break;
            }
            nodes.push(self.expression(0));
        }
        if nodes.len() == 1 {
            return nodes.pop().flatten();
        }
        let nodes = nodes.into_iter().collect::<Option<Vec<_>>>()?;
        self.node(Kind::Sequence(nodes), at)
    }

    fn expression(&mut self, precedence: u16) -> Option<Node> {
        if self.fault.is_some() {
            return None;
        }
        if self.nesting == NESTING_LIMIT {
            self.error("compilation failed: expression is nested too deeply");
            return None;
        }
        self.nesting += 1;
        let node = if precedence == 0 && self.operator("let") {
            self.declaration()
        } else if precedence == 0 && self.operator("if") {
            self.conditional_if()
        } else {
            self.operators(precedence)
        };
        self.nesting -= 1;
        node
    }

    fn operators(&mut self, precedence: u16) -> Option<Node> {
        let mut left = self.primary();
        let mut previous = String::new();
        while self.current.kind == Of::Operator && self.fault.is_none() {
            let negated = self.operator("not");
            if negated && !self.negated_operator(precedence) {
                break;
            }
            let token = self.current.clone();
            if token.text == "|" && precedence == 0 {
                self.next();
                let name = self.expect_name();
                left = self.call(&name, left.map(|node| vec![node]));
                previous = token.text;
                continue;
            }
            let Some((operator, strength)) = Binary::of(&token.text).filter(|(_, own)| *own >= precedence)
            else {
                break;
            };
            self.next();
            if previous == "??" && token.text != "??" {
                let text = format!(
                    "Operator ({}) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses.",
                    token.text
                );
                self.error_at(token.at, text);
                break;
            }
            left = if operator.is_comparison() {
                self.comparison(left, token.at, operator, strength)
            } else {
                let right = self.expression(strength + u16::from(operator != Binary::Power));
                let node = self.node(Kind::Binary(operator, Box::new(left?), Box::new(right?)), token.at)?;
                if negated {
                    Some(self.node(Kind::Unary(Unary::Not, Box::new(node)), token.at)?)
                } else {
                    Some(node)
                }
            };
            previous = token.text;
        }
        if precedence == 0 { self.conditional(left) } else { left }
    }

    /// Goes from `not` to the operator that it negates; false where that is none of this level.
    fn negated_operator(&mut self, precedence: u16) -> bool {
        let not = self.current.clone();
        self.next();
        if !matches!(self.current.text.as_str(), "contains" | "matches" | "startsWith" | "endsWith" | "in") {
            self.unexpected();
            return false;
        }
        if Binary::of(&self.current.text).is_some_and(|(_, own)| own >= precedence) {
            return true;
        }
        self.stashed = Some(std::mem::replace(&mut self.current, not));
        false
    }

    /// `a < b < c` is `a < b && b < c`.
    fn comparison(&mut self, left: Option<Node>, at: usize, operator: Binary, strength: u16) -> Option<Node> {
        let (mut left, mut at, mut operator) = (left?, at, operator);
        let mut whole: Option<Node> = None;
        loop {
            let right = self.expression(strength + 1);
            let next = Binary::of(&self.current.text)
                .filter(|(next, _)| self.current.kind == Of::Operator && next.is_comparison());
            let kept = right.clone().filter(|_| next.is_some());
            let node = self.node(Kind::Binary(operator, Box::new(left), Box::new(right?)), at)?;
            whole = Some(match whole {
                None => node,
                Some(before) => self.node(Kind::Binary(Binary::And, Box::new(before), Box::new(node)), at)?,
            });
            let (Some((next, _)), Some(right), None) = (next, kept, &self.fault) else {
                return whole;
            };
            left = right;
            (at, operator) = (self.current.at, next);
            self.next();
        }
    }

    fn declaration(&mut self) -> Option<Node> {
        self.expect(Of::Operator, "let");
        let name = self.expect_name();
        self.expect(Of::Operator, "=");
        let value = self.expression(0);
        self.expect(Of::Operator, ";");
        let body = self.sequence();
        let kind = Kind::Let { name: name.text, value: Box::new(value?), body: Box::new(body?) };
        self.node(kind, name.at)
    }

    fn conditional_if(&mut self) -> Option<Node> {
        let mut branches = Vec::new();
        let otherwise = loop {
            self.next();
            if self.fault.is_some() {
                return None;
            }
            let condition = self.expression(0);
            branches.push((condition, self.block()));
            self.expect(Of::Operator, "else");
            if !self.operator("if") {
                break self.block();
            }
        };
        let mut whole = otherwise;
        for (condition, yes) in branches.into_iter().rev() {
            let kind = Kind::Conditional(Box::new(condition?), Box::new(yes?), Box::new(whole?));
            whole = self.node(kind, 0);
        }
        whole
    }

    fn block(&mut self) -> Option<Node> {
        self.expect(Of::Bracket, "{");
        let node = self.sequence();
        self.expect(Of::Bracket, "}");
        node
    }

    fn conditional(&mut self, condition: Option<Node>) -> Option<Node> {
        let mut node = condition;
        while self.operator("?") && self.fault.is_none() {
            self.next();
            let yes;
            if self.operator(":") {
                self.next();
                yes = node.clone();
            } else {
                yes = self.expression(0);
                self.expect(Of::Operator, ":");
            }
            let no = self.expression(0);
            let at = self.current.at;
            node = Some(self.node(Kind::Conditional(Box::new(node?), Box::new(yes?), Box::new(no?)), at)?);
        }
        node
    }

    fn primary(&mut self) -> Option<Node> {
        let token = self.current.clone();
        if token.kind == Of::Operator
            && let Some((operator, strength)) = Unary::of(&token.text)
        {
            self.next();
            let operand = self.expression(strength);
            let node = self.node(Kind::Unary(operator, Box::new(operand?)), token.at)?;
            return self.postfix(Some(node));
        }
        if token.is(Of::Bracket, "(") {
            self.next();
            let node = self.sequence();
            self.expect(Of::Bracket, ")");
            return self.postfix(node);
        }
        if self.predicates > 0 && token.kind == Of::Operator && matches!(token.text.as_str(), "#" | ".") {
            let mut name = String::new();
            if token.text == "#" {
                self.next();
                if self.current.kind == Of::Identifier {
                    name.clone_from(&self.current.text);
                    self.next();
                }
            }
            let node = self.node(Kind::Pointer(name), token.at)?;
            return self.postfix(Some(node));
        }
        if token.is(Of::Operator, "::") {
            self.next();
            let name = self.expect_name();
            let node = self.call(&name, Some(Vec::new()));
            return self.postfix(node);
        }
        self.secondary()
    }
}
