//! Literals and names.

use super::{Kind, Node, Of, Parser, Token};

impl Parser {
    pub(super) fn secondary(&mut self) -> Option<Node> {
        let token = self.current.clone();
        let node = match token.kind {
            Of::Identifier => {
                self.next();
                let constant = match token.text.as_str() {
                    "true" => Some(Kind::Bool(true)),
                    "false" => Some(Kind::Bool(false)),
                    "nil" => Some(Kind::Nil),
                    _ => None,
                };
                if let Some(kind) = constant {
                    return self.node(kind, token.at);
                }
                if self.bracket("(") {
                    self.call(&token, Some(Vec::new()))
                } else {
                    Some(self.node(Kind::Name(token.text), token.at)?)
                }
            }
            Of::Number => {
                self.next();
                return self.number(&token);
            }
            // Nothing here tells bytes from a text.
            Of::Text | Of::Bytes => {
                self.next();
                Some(self.node(Kind::Text(token.text.into()), token.at)?)
            }
            Of::Bracket if token.text == "[" => self.list(&token),
            Of::Bracket if token.text == "{" => self.map(&token),
            Of::Operator | Of::Bracket | Of::End => {
                self.unexpected();
                None
            }
        };
        self.postfix(node)
    }

    fn number(&mut self, token: &Token) -> Option<Node> {
        let text = token.text.replace('_', "");
        let lower = text.to_lowercase();
        let radix =
            |prefix: &str, radix: u32| lower.strip_prefix(prefix).map(|digits| (digits.to_owned(), radix));
        let (name, read) = if let Some((digits, radix)) = radix("0x", 16) {
            ("hex", i64::from_str_radix(&digits, radix))
        } else if lower.contains(['.', 'e']) {
            return match text.parse::<f64>() {
                Ok(value) if value.is_finite() => self.node(Kind::Float(value), token.at),
                Ok(_) => self.bad_number("float", &text, "value out of range", "ParseFloat"),
                Err(_) => self.bad_number("float", &text, "invalid syntax", "ParseFloat"),
            };
        } else if let Some((digits, radix)) = radix("0b", 2) {
            ("binary", i64::from_str_radix(&digits, radix))
        } else if let Some((digits, radix)) = radix("0o", 8) {
            ("octal", i64::from_str_radix(&digits, radix))
        } else {
            ("integer", text.parse::<i64>())
        };
        match read {
            Ok(value) => self.node(Kind::Int(value), token.at),
            Err(error) => {
                let big = matches!(error.kind(), std::num::IntErrorKind::PosOverflow);
                let why = if big { "value out of range" } else { "invalid syntax" };
                self.bad_number(name, &text, why, "ParseInt")
            }
        }
    }

    fn bad_number(&mut self, name: &str, text: &str, why: &str, reader: &str) -> Option<Node> {
        let text = crate::lang::go::quote(text);
        self.error(format!("invalid {name} literal: strconv.{reader}: parsing {text}: {why}"));
        None
    }

    fn list(&mut self, token: &Token) -> Option<Node> {
        let mut nodes = Vec::new();
        self.expect(Of::Bracket, "[");
        while !self.bracket("]") && self.fault.is_none() {
            if !nodes.is_empty() {
                self.expect(Of::Operator, ",");
                if self.bracket("]") {
                    break;
                }
            }
            nodes.push(self.expression(0));
        }
        self.expect(Of::Bracket, "]");
        let nodes = nodes.into_iter().collect::<Option<Vec<_>>>()?;
        self.node(Kind::List(nodes), token.at)
    }

    fn map(&mut self, token: &Token) -> Option<Node> {
        let mut pairs = Vec::new();
        self.expect(Of::Bracket, "{");
        while !self.bracket("}") && self.fault.is_none() {
            if !pairs.is_empty() {
                self.expect(Of::Operator, ",");
                if self.bracket("}") {
                    break;
                }
                if self.operator(",") {
                    self.unexpected();
                }
            }
            let key = if matches!(self.current.kind, Of::Number | Of::Text | Of::Identifier) {
                let key = self.node(Kind::Text(self.current.text.as_str().into()), self.current.at)?;
                self.next();
                Some(key)
            } else if self.bracket("(") {
                self.expression(0)
            } else {
                self.error(format!(
                    "a map key must be a quoted string, a number, a identifier, or an expression enclosed in parentheses (unexpected token {})",
                    self.current.show()
                ));
                None
            };
            self.expect(Of::Operator, ":");
            let value = self.expression(0);
            pairs.push((key?, value?));
        }
        self.expect(Of::Bracket, "}");
        self.node(Kind::Map(pairs), token.at)
    }
}
