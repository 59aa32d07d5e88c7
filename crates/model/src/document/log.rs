//! Lines of the log of Argo's workflow controller, of v3 and v4, as text and as JSON.
//!
//! In: text. Out: lines with their time, message and keys; what they mean is not asked here. Source: Argo
//! v3 `cmd/workflow-controller/main.go` and logrus (`TextFormatter`, `JSONFormatter`); v4
//! `util/logging/slog.go` and Go's `log/slog`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::time::Timestamp;

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogForm {
    /// v3: `time="…" level=info msg="…"`.
    LogrusText,
    /// v3: `{"level":"info","msg":"…","time":"…"}`.
    LogrusJson,
    /// v4: `time=… level=INFO msg="…"`.
    SlogText,
    /// v4: `{"time":"…","level":"INFO","msg":"…"}`.
    SlogJson,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Number of the line in the file, from 1.
    pub number: u32,
    /// When it was written, to the millisecond.
    pub at: Timestamp,
    /// What it says.
    pub message: String,
    /// Its other keys; those of a group with the group's name before them, `old.phase`.
    pub keys: BTreeMap<String, String>,
}

impl LogLine {
    /// The text of a key; empty where it is not there.
    pub fn key(&self, name: &str) -> &str {
        self.keys.get(name).map_or("", String::as_str)
    }
}

/// A log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// How it is written: by most of its lines.
    pub form: LogForm,
    /// Lines that can be read, in their order.
    pub lines: Vec<LogLine>,
    /// Lines that cannot, as where the log was cut or something else wrote in between.
    pub skipped: usize,
}

impl Log {
    /// Reads a text; `None` where it is no log: half of its lines at least have to be of one.
    pub fn read(text: &str) -> Option<Self> {
        let mut log = Self { form: LogForm::LogrusText, lines: Vec::new(), skipped: 0 };
        let mut forms: BTreeMap<LogForm, usize> = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            match read_line(line, number) {
                Some((line, form)) => {
                    *forms.entry(form).or_default() += 1;
                    log.lines.push(line);
                }
                None => log.skipped += 1,
            }
            // A long text of another kind is not read to its end.
            if log.skipped > 100 && log.lines.is_empty() {
                return None;
            }
        }
        log.form = forms.into_iter().max_by_key(|(_, lines)| *lines)?.0;
        (log.lines.len() >= log.skipped).then_some(log)
    }
}

/// A line may have something before it: the time that `kubectl logs --timestamps` writes, a pod's name.
fn read_line(line: &str, number: u32) -> Option<(LogLine, LogForm)> {
    let text = line.find("time=");
    let json = line.find('{');
    match (text, json) {
        (Some(text), Some(json)) if json < text => read_json(&line[json..], number),
        (Some(text), _) => read_text(&line[text..], number),
        (None, Some(json)) => read_json(&line[json..], number),
        (None, None) => None,
    }
}

fn read_json(text: &str, number: u32) -> Option<(LogLine, LogForm)> {
    let Value::Object(map) = serde_json::from_str(text).ok()? else { return None };
    let mut keys = BTreeMap::new();
    let mut open: Vec<(String, Value)> = map.into_iter().collect();
    while let Some((name, value)) = open.pop() {
        match value {
            Value::Object(group) => {
                open.extend(group.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            Value::String(text) => drop(keys.insert(name, text)),
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::Array(_) => drop(keys.insert(name, value.to_string())),
        }
    }
    finished(keys, number, [LogForm::LogrusJson, LogForm::SlogJson])
}

/// `key=value` with values as Go quotes them.
fn read_text(text: &str, number: u32) -> Option<(LogLine, LogForm)> {
    let mut keys = BTreeMap::new();
    let mut rest = text.trim();
    while let Some((name, value)) = rest.split_once('=') {
        let (value, left) = if let Some(quoted) = value.strip_prefix('"') {
            unquoted(quoted)?
        } else {
            let end = value.find(' ').unwrap_or(value.len());
            (value[..end].to_owned(), &value[end..])
        };
        // A name with a space in it is no name: the line goes on with text of its own.
        if name.is_empty() || name.contains(' ') {
            return None;
        }
        keys.insert(name.trim_matches('"').to_owned(), value);
        rest = left.trim_start();
    }
    finished(keys, number, [LogForm::LogrusText, LogForm::SlogText])
}

/// What stands up to the closing quote, and what follows it. Source: Go `strconv.Quote`.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => value.push(escaped(&mut letters)?),
            letter => value.push(letter),
        }
    }
    None
}

fn escaped(letters: &mut std::str::CharIndices<'_>) -> Option<char> {
    let digits = match letters.next()?.1 {
        'n' => return Some('\n'),
        't' => return Some('\t'),
        'r' => return Some('\r'),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        other => return Some(other),
    };
    let text: String = letters.by_ref().take(digits).map(|(_, letter)| letter).collect();
    char::from_u32(u32::from_str_radix(&text, 16).ok()?)
}

/// Takes time, level and message out of the keys. logrus writes levels in small letters, slog in capitals.
fn finished(
    mut keys: BTreeMap<String, String>,
    number: u32,
    [logrus, slog]: [LogForm; 2],
) -> Option<(LogLine, LogForm)> {
    let at = Timestamp::parse(&keys.remove("time")?)?;
    let message = keys.remove("msg")?;
    let level = keys.remove("level")?;
    let form = if level.chars().any(char::is_lowercase) { logrus } else { slog };
    Some((LogLine { number, at, message, keys }, form))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> String {
        let Some(log) = Log::read(text) else { return "no log".into() };
        let line = |line: &LogLine| {
            let keys: Vec<_> = line.keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
            format!("{} {} [{}]", line.at, line.message, keys.join(" "))
        };
        let lines: Vec<_> = log.lines.iter().map(line).collect();
        format!("{:?}, {} skipped: {}", log.form, log.skipped, lines.join("; "))
    }

    #[test]
    fn every_form_is_read() {
        let v3 = r#"time="2026-03-02T09:00:00.123Z" level=info msg="node a-1 phase Running -> \"Failed\"" namespace=demo workflow=a"#;
        assert_eq!(
            check(v3),
            "LogrusText, 0 skipped: 2026-03-02T09:00:00.123Z node a-1 phase Running -> \"Failed\" [namespace=demo workflow=a]"
        );
        let v3 = r#"{"level":"info","msg":"node a-1 finished","namespace":"demo","time":"2026-03-02T09:00:00.123Z","workflow":"a"}"#;
        assert_eq!(
            check(v3),
            "LogrusJson, 0 skipped: 2026-03-02T09:00:00.123Z node a-1 finished [namespace=demo workflow=a]"
        );
        let v4 = r#"time=2026-03-02T09:00:00.123Z level=INFO msg="node changed" workflow=a old.phase=Pending message="""#;
        assert_eq!(
            check(v4),
            "SlogText, 0 skipped: 2026-03-02T09:00:00.123Z node changed [message= old.phase=Pending workflow=a]"
        );
        let v4 = r#"{"time":"2026-03-02T09:00:00.123456Z","level":"INFO","msg":"node changed","workflow":"a","old":{"phase":"Pending"},"n":3}"#;
        assert_eq!(
            check(v4),
            "SlogJson, 0 skipped: 2026-03-02T09:00:00.123Z node changed [n=3 old.phase=Pending workflow=a]"
        );
    }

    #[test]
    fn what_stands_before_a_line_and_what_is_cut_does_no_harm() {
        let line = r#"2026-03-02T09:00:01.5Z time="2026-03-02T09:00:00.123Z" level=info msg=hello"#;
        let text = format!("{line}\n[pod/x] {line}\ntime=\"2026-03-02T09:0");
        assert_eq!(
            check(&text),
            "LogrusText, 1 skipped: 2026-03-02T09:00:00.123Z hello []; 2026-03-02T09:00:00.123Z hello []"
        );
    }

    #[test]
    fn what_is_no_log_is_none() {
        for text in ["", "kind: Workflow\nspec: {}\n", "{\"kind\":\"Workflow\"}", "a,b\n"] {
            assert_eq!(check(text), "no log", "{text}");
        }
    }
}
