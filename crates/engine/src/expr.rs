//! The small language of `when` and `depends`: words, comparisons, `&&`, `||`, `!`, parentheses.
//!
//! In: text with all references filled in. Out: a tree, or what was expected and where. Bare words
//! are texts, as govaluate is used by Argo (`workflow/controller/steps.go`, `shouldExecute`).

use unwind_model::decimal;

/// Deepest nesting of parentheses and `!` that is read.
const DEPTH_LIMIT: usize = 200;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A word or quoted text.
    Word(String),
    /// Negation.
    Not(Box<Expr>),
    /// All must hold.
    And(Vec<Expr>),
    /// One must hold.
    Or(Vec<Expr>),
    /// A comparison of two words.
    Compare(String, Comparison, String),
    /// One of several words.
    In(String, Vec<String>),
}

/// How two words are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// An expression that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct BadExpr {
    /// What would have been right.
    pub expected: &'static str,
    /// What stands there.
    pub found: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Symbol(&'static str),
}

/// Longest first, so that `<=` is not read as `<`.
const SYMBOLS: [&str; 12] = ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", ","];

/// Reads an expression.
pub fn parse(text: &str) -> Result<Expr, BadExpr> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, depth: 0 };
    let expr = reader.or()?;
    match reader.peek() {
        None => Ok(expr),
        Some(_) => Err(reader.expected("`&&`, `||` or the end")),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, BadExpr> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            tokens.push(Token::Symbol(symbol));
            rest = &rest[symbol.len()..];
        } else if first == '\'' || first == '"' {
            let end = rest[1..]
                .find(first)
                .ok_or(BadExpr { expected: "a closing quote", found: "the end".to_owned() })?;
            tokens.push(Token::Word(rest[1..=end].to_owned()));
            rest = &rest[end + 2..];
        } else if is_word(first) {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            return Err(BadExpr {
                expected: "a word, a quoted text, an operator or a parenthesis",
                found: format!("`{first}`"),
            });
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol_of(symbol)));
        self.at += usize::from(found);
        found
    }

    fn expected(&self, expected: &'static str) -> BadExpr {
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(Token::Word(word)) => format!("`{word}`"),
            Some(Token::Symbol(symbol)) => format!("`{symbol}`"),
        };
        BadExpr { expected, found }
    }

    fn or(&mut self) -> Result<Expr, BadExpr> {
        let mut parts = vec![self.and()?];
        while self.take("||") {
            parts.push(self.and()?);
        }
        Ok(one_or(parts, Expr::Or))
    }

    fn and(&mut self) -> Result<Expr, BadExpr> {
        let mut parts = vec![self.not()?];
        while self.take("&&") {
            parts.push(self.not()?);
        }
        Ok(one_or(parts, Expr::And))
    }

    fn not(&mut self) -> Result<Expr, BadExpr> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(self.expected("less nesting"));
        }
        let expr = if self.take("!") {
            Expr::Not(Box::new(self.not()?))
        } else if self.take("(") {
            let inner = self.or()?;
            if !self.take(")") {
                return Err(self.expected("`)`"));
            }
            inner
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn comparison(&mut self) -> Result<Expr, BadExpr> {
        let left = self.word()?;
        let comparison = match self.peek() {
            Some(Token::Symbol("==")) => Comparison::Equal,
            Some(Token::Symbol("!=")) => Comparison::NotEqual,
            Some(Token::Symbol("<")) => Comparison::Less,
            Some(Token::Symbol("<=")) => Comparison::LessOrEqual,
            Some(Token::Symbol(">")) => Comparison::Greater,
            Some(Token::Symbol(">=")) => Comparison::GreaterOrEqual,
            Some(Token::Word(word)) if word == "in" => return self.list_of(left),
            None | Some(Token::Symbol(_) | Token::Word(_)) => return Ok(Expr::Word(left)),
        };
        self.at += 1;
        Ok(Expr::Compare(left, comparison, self.word()?))
    }

    fn list_of(&mut self, left: String) -> Result<Expr, BadExpr> {
        self.at += 1;
        if !self.take("(") {
            return Err(self.expected("`(`"));
        }
        let mut words = vec![self.word()?];
        while self.take(",") {
            words.push(self.word()?);
        }
        if !self.take(")") {
            return Err(self.expected("`,` or `)`"));
        }
        Ok(Expr::In(left, words))
    }

    fn word(&mut self) -> Result<String, BadExpr> {
        let Some(Token::Word(word)) = self.peek() else {
            return Err(self.expected("a word"));
        };
        let word = word.clone();
        self.at += 1;
        Ok(word)
    }
}

fn symbol_of(symbol: &str) -> &'static str {
    SYMBOLS.iter().find(|known| **known == symbol).expect("only symbols of the table are asked for")
}

fn one_or(mut parts: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Expr {
    if parts.len() == 1 { parts.remove(0) } else { many(parts) }
}

impl Expr {
    /// The value of a condition. The error is what is not a truth value.
    pub fn holds(&self) -> Result<bool, BadExpr> {
        match self {
            Self::Word(word) => match word.as_str() {
                "true" => Ok(true),
                "false" => Ok(false),
                other => {
                    Err(BadExpr { expected: "true, false or a comparison", found: format!("`{other}`") })
                }
            },
            Self::Not(inner) => Ok(!inner.holds()?),
            Self::And(parts) => {
                let mut all = true;
                for part in parts {
                    all &= part.holds()?;
                }
                Ok(all)
            }
            Self::Or(parts) => {
                let mut any = false;
                for part in parts {
                    any |= part.holds()?;
                }
                Ok(any)
            }
            Self::Compare(left, comparison, right) => compare(left, *comparison, right),
            Self::In(left, words) => Ok(words.contains(left)),
        }
    }
}

fn compare(left: &str, comparison: Comparison, right: &str) -> Result<bool, BadExpr> {
    let numbers = decimal(left).zip(decimal(right));
    let ordering = match numbers {
        Some((left, right)) => left.partial_cmp(&right),
        None => match comparison {
            Comparison::Equal | Comparison::NotEqual => Some(left.cmp(right)),
            Comparison::Less | Comparison::LessOrEqual | Comparison::Greater | Comparison::GreaterOrEqual => {
                return Err(BadExpr { expected: "two numbers", found: format!("`{left}` and `{right}`") });
            }
        },
    };
    Ok(match comparison {
        Comparison::Equal => ordering.is_some_and(std::cmp::Ordering::is_eq),
        Comparison::NotEqual => !ordering.is_some_and(std::cmp::Ordering::is_eq),
        Comparison::Less => ordering.is_some_and(std::cmp::Ordering::is_lt),
        Comparison::LessOrEqual => ordering.is_some_and(std::cmp::Ordering::is_le),
        Comparison::Greater => ordering.is_some_and(std::cmp::Ordering::is_gt),
        Comparison::GreaterOrEqual => ordering.is_some_and(std::cmp::Ordering::is_ge),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn value(text: &str) -> String {
        match parse(text).and_then(|expr| expr.holds()) {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn conditions_have_the_value_that_argo_gives_them() {
        for (text, expected) in [
            ("heads == heads", "true"),
            ("heads != 'heads'", "false"),
            ("\"a b\" == 'a b'", "true"),
            ("5 > 3 && 5.0 == 5", "true"),
            ("!(yes == no) || false", "true"),
            ("a in ('a', b)", "true"),
            ("true", "true"),
            ("", "expected a word, found the end"),
            ("a ==", "expected a word, found the end"),
            ("a < b", "expected two numbers, found `a` and `b`"),
            ("maybe", "expected true, false or a comparison, found `maybe`"),
            ("(a == b", "expected `)`, found the end"),
            ("'a", "expected a closing quote, found the end"),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        assert!(value(&"(".repeat(100_000)).starts_with("expected less nesting"));
    }
}
