//! Reads a template. Source: Kubernetes client-go `util/jsonpath/parser.go`.

use super::{PART_LIMIT, Part};

/// The blocks of a template: a text outside of braces is a block of one part.
pub(super) fn parse(template: &str) -> Result<Vec<Vec<Part>>, String> {
    blocks(template, 0)
}

fn blocks(template: &str, depth: usize) -> Result<Vec<Vec<Part>>, String> {
    let mut blocks = Vec::new();
    let mut rest = template;
    if depth > PART_LIMIT {
        return Err("template is nested too deeply".to_owned());
    }
    while let Some(open) = rest.find('{') {
        if open > 0 {
            blocks.push(vec![Part::Text(rest[..open].to_owned())]);
        }
        let mut reader = Reader { rest: &rest[open + 1..], parts: Vec::new(), depth };
        reader.action()?;
        rest = reader.rest;
        blocks.push(reader.parts);
        if blocks.len() > PART_LIMIT {
            return Err("template has too many parts".to_owned());
        }
    }
    if !rest.is_empty() {
        blocks.push(vec![Part::Text(rest.to_owned())]);
    }
    Ok(blocks)
}

/// The parts of a text as if it stood between braces.
fn action(text: &str, depth: usize) -> Result<Vec<Part>, String> {
    Ok(blocks(&format!("{{{text}}}"), depth + 1)?.into_iter().next().unwrap_or_default())
}

struct Reader<'a> {
    rest: &'a str,
    parts: Vec<Part>,
    depth: usize,
}

fn ends(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn action(&mut self) -> Result<(), String> {
        loop {
            if self.parts.len() > PART_LIMIT {
                return Err("template has too many parts".to_owned());
            }
            if self.rest.starts_with("[?(") {
                self.filter()?;
                continue;
            }
            if self.rest.starts_with("..") {
                self.recursive()?;
                continue;
            }
            match self.rest.chars().next() {
                Some('}') => {
                    self.take(1);
                    return Ok(());
                }
                None | Some('\r' | '\n') => return Err("unclosed action".to_owned()),
                Some(' ' | '@' | '$') => drop(self.take(1)),
                Some('[') => self.array()?,
                Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
                Some('.') => {
                    self.take(1);
                    self.field();
                }
                Some(c) if matches!(c, '+' | '-') || c.is_numeric() => self.number()?,
                Some(c) if is_word(c) => {
                    let length = self.rest.find(ends).unwrap_or(self.rest.len());
                    let word = self.take(length);
                    self.parts.push(match word {
                        "true" | "false" => Part::Bool(word == "true"),
                        _ => Part::Word(word.to_owned()),
                    });
                }
                Some(c) => {
                    return Err(format!("unrecognized character in action: U+{:04X} '{c}'", u32::from(c)));
                }
            }
        }
    }

    fn field(&mut self) {
        let mut length = 0;
        let mut chars = self.rest.chars();
        while let Some(c) = chars.next() {
            if c == '\\' {
                length += 1 + chars.next().map_or(0, char::len_utf8);
            } else if ends(c) {
                break;
            } else {
                length += c.len_utf8();
            }
        }
        let name = self.take(length);
        self.parts.push(if name == "*" { Part::Wildcard } else { Part::Field(name.replace('\\', "")) });
    }

    fn recursive(&mut self) -> Result<(), String> {
        if matches!(self.parts.last(), Some(Part::Recursive)) {
            return Err("invalid multiple recursive descent".to_owned());
        }
        self.take(2);
        self.parts.push(Part::Recursive);
        if self.rest.starts_with(is_word) {
            self.field();
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), String> {
        let signs = usize::from(self.rest.starts_with(['+', '-']));
        let digits = self.rest[signs..].find(|c: char| c != '.' && !c.is_ascii_digit());
        let text = self.take(digits.map_or(self.rest.len(), |digits| signs + digits));
        self.parts.push(match (text.parse(), text.parse()) {
            (Ok(whole), _) => Part::Int(whole),
            (Err(_), Ok(number)) => Part::Float(number),
            (Err(_), Err(_)) => return Err(format!("cannot parse number {text}")),
        });
        Ok(())
    }

    fn quoted(&mut self, quote: char) -> Result<(), String> {
        let mut before = quote;
        for (at, c) in self.rest.char_indices().skip(1) {
            if c == '\n' {
                break;
            }
            if c == quote && before != '\\' {
                let text = self.take(at + 1);
                let inner = &text[1..at];
                let plain =
                    unquoted(inner).ok_or_else(|| format!("unquote string {text} error invalid syntax"))?;
                self.parts.push(Part::Text(plain));
                return Ok(());
            }
            before = c;
        }
        Err("unterminated quoted string".to_owned())
    }

    fn array(&mut self) -> Result<(), String> {
        let end = self.rest.find([']', '\n']).filter(|end| self.rest[*end..].starts_with(']'));
        let text = self.take(end.ok_or_else(|| "unterminated array".to_owned())? + 1);
        let text = match &text[1..text.len() - 1] {
            "*" => ":",
            text => text,
        };
        if text.contains(',') {
            let union =
                text.split(',').map(|part| action(&format!("[{}]", part.trim_matches(' ')), self.depth));
            self.parts.push(Part::Union(union.collect::<Result<_, _>>()?));
            return Ok(());
        }
        let key = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            self.parts.extend(action(&format!(".{key}"), self.depth)?);
            return Ok(());
        }
        self.parts.push(items(text)?);
        Ok(())
    }

    fn filter(&mut self) -> Result<(), String> {
        self.take(3);
        let (mut quote, mut closed, mut before, mut end) = (None, false, '(', None);
        for (at, c) in self.rest.char_indices() {
            match c {
                '\n' => break,
                '"' | '\'' if quote.is_none() => quote = Some(c),
                _ if Some(c) == quote && before != '\\' => closed = true,
                ')' if quote.is_some() == closed => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
            before = c;
        }
        let Some(end) = end else {
            return Err("unterminated filter".to_owned());
        };
        let text = self.take(end);
        self.take(1);
        if !self.rest.starts_with(']') {
            return Err("unclosed array expect ]".to_owned());
        }
        self.take(1);
        self.parts.push(match comparison(text) {
            Some((left, operator, right)) => Part::Filter {
                left: action(left, self.depth)?,
                right: action(right, self.depth)?,
                operator: operator.to_owned(),
            },
            None => Part::Filter {
                left: action(text, self.depth)?,
                right: Vec::new(),
                operator: "exists".to_owned(),
            },
        });
        Ok(())
    }
}

/// Left side, operator, right side.
fn comparison(text: &str) -> Option<(&str, &str, &str)> {
    let is_operator = |c: char| matches!(c, '!' | '<' | '>' | '=');
    let start = text.find(is_operator).filter(|start| *start > 0)?;
    let mut end = start + text[start..].find(|c| !is_operator(c)).unwrap_or(text.len() - start);
    if end == text.len() {
        end -= 1;
    }
    (end > start).then(|| (&text[..start], &text[start..end], &text[end..]))
}

/// `1`, `1:`, `:2`, `1:2`, `::3` and the like.
fn items(text: &str) -> Result<Part, String> {
    let pieces: Vec<&str> = text.split(':').collect();
    let digits =
        |piece: &&str| piece.strip_prefix('-').unwrap_or(piece).bytes().all(|byte| byte.is_ascii_digit());
    if pieces.len() > 3 || !pieces.iter().all(digits) {
        return Err(format!("invalid array index {text}"));
    }
    let number = |at: usize| match pieces.get(at) {
        None | Some(&"") => Ok(None),
        Some(piece) => piece.parse().map(Some).map_err(|_| format!("array index {piece} is not a number")),
    };
    let from: Option<i64> = number(0)?;
    let is_single = pieces.len() == 1;
    let to = if is_single { Some(from.unwrap_or(0).wrapping_add(1)) } else { number(1)? };
    Ok(Part::Items { from, to, step: number(2)?, is_single })
}

/// A text with the escapes of Go taken off.
fn unquoted(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let code = |chars: &mut std::str::Chars<'_>, count: usize| {
            let digits: String = chars.by_ref().take(count).collect();
            u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == count).and_then(char::from_u32)
        };
        plain.push(match chars.next()? {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => code(&mut chars, 2)?,
            'u' => code(&mut chars, 4)?,
            'U' => code(&mut chars, 8)?,
            c @ ('\\' | '\'' | '"') => c,
            _ => return None,
        });
    }
    Some(plain)
}
