//! Reads a `depends`.
//! Source: expr-lang's grammar, as far as it makes sense of results of tasks.

use super::{BadDepends, Depends, Outcome, Unexpected};
use crate::plan::TaskIndex;

/// Deepest nesting of parentheses, `!`, `==` and `?:` that is read.
const DEPTH_LIMIT: usize = 200;

/// Longest first, so that `!=` is not read as `!`.
const SYMBOLS: [&str; 9] = ["&&", "||", "==", "!=", "!", "(", ")", "?", ":"];

type Find<'a> = &'a dyn Fn(&str) -> Option<TaskIndex>;

pub(super) fn read(text: &str, task: Find<'_>) -> Result<Depends, BadDepends> {
    let mut reader = Reader { rest: text.trim_start(), task, depth: 0 };
    let depends = reader.choice()?;
    if reader.rest.is_empty() { Ok(depends) } else { Err(reader.expected("`&&`, `||` or the end")) }
}

struct Reader<'a> {
    rest: &'a str,
    task: Find<'a>,
    depth: usize,
}

impl Reader<'_> {
    fn symbol(&self) -> Option<&'static str> {
        SYMBOLS.iter().find(|symbol| self.rest.starts_with(**symbol)).copied()
    }

    fn take(&mut self, symbol: &str) -> bool {
        if self.symbol() != Some(symbol) {
            return false;
        }
        self.rest = self.rest[symbol.len()..].trim_start();
        true
    }

    fn expected(&self, expected: &'static str) -> BadDepends {
        let word = self.rest.find(|c| !is_word(c) && c != '.').unwrap_or(self.rest.len());
        let first = self.rest.chars().next();
        let found = match (self.symbol(), first) {
            (Some(symbol), _) => format!("`{symbol}`"),
            (None, None) => "the end".to_owned(),
            (None, Some(_)) if word > 0 => format!("`{}`", &self.rest[..word]),
            (None, Some(first)) => format!("`{first}`"),
        };
        BadDepends::Unreadable(Unexpected { expected, found })
    }

    fn deeper(&mut self) -> Result<(), BadDepends> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT { Err(self.expected("less nesting")) } else { Ok(()) }
    }

    /// `a ? b : c`
    fn choice(&mut self) -> Result<Depends, BadDepends> {
        let condition = self.or()?;
        if !self.take("?") {
            return Ok(condition);
        }
        self.deeper()?;
        let yes = self.choice()?;
        if !self.take(":") {
            return Err(self.expected("`:`"));
        }
        let no = self.choice()?;
        self.depth -= 1;
        let opposite = Depends::Not(Box::new(condition.clone()));
        Ok(Depends::Any(vec![Depends::All(vec![condition, yes]), Depends::All(vec![opposite, no])]))
    }

    fn or(&mut self) -> Result<Depends, BadDepends> {
        let mut parts = vec![self.and()?];
        while self.take("||") {
            parts.push(self.and()?);
        }
        Ok(one_or(parts, Depends::Any))
    }

    fn and(&mut self) -> Result<Depends, BadDepends> {
        let mut parts = vec![self.comparison()?];
        while self.take("&&") {
            parts.push(self.comparison()?);
        }
        Ok(one_or(parts, Depends::All))
    }

    fn comparison(&mut self) -> Result<Depends, BadDepends> {
        let mut left = self.not()?;
        let depth = self.depth;
        loop {
            let is_same = self.take("==");
            if !is_same && !self.take("!=") {
                self.depth = depth;
                return Ok(left);
            }
            self.deeper()?;
            left = Depends::Same(Box::new(left), Box::new(self.not()?));
            if !is_same {
                left = Depends::Not(Box::new(left));
            }
        }
    }

    fn not(&mut self) -> Result<Depends, BadDepends> {
        let mut is_not = false;
        while self.take("!") {
            is_not = !is_not;
        }
        let inner = if self.take("(") {
            self.deeper()?;
            let inner = self.choice()?;
            self.depth -= 1;
            if !self.take(")") {
                return Err(self.expected("`)`"));
            }
            inner
        } else {
            self.operand()?
        };
        Ok(if is_not { Depends::Not(Box::new(inner)) } else { inner })
    }

    fn operand(&mut self) -> Result<Depends, BadDepends> {
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.expected("a word"));
        }
        let (name, rest) = self.rest.split_at(end);
        let (outcome, rest) = match rest.strip_prefix('.') {
            None => (Outcome::GoesOn, rest),
            Some(after) => {
                let end = after.find(|c| !is_word(c) && c != '.').unwrap_or(after.len());
                let (word, rest) = after.split_at(end);
                let outcome =
                    Outcome::from_word(word).ok_or_else(|| BadDepends::UnknownOutcome(word.to_owned()))?;
                (outcome, rest)
            }
        };
        let index = (self.task)(name).ok_or_else(|| BadDepends::UnknownTask(name.to_owned()))?;
        self.rest = rest.trim_start();
        Ok(Depends::Task(index, outcome))
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}

fn one_or(mut parts: Vec<Depends>, many: fn(Vec<Depends>) -> Depends) -> Depends {
    if parts.len() == 1 { parts.remove(0) } else { many(parts) }
}
