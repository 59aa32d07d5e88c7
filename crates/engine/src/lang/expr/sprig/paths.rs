//! Slash-separated paths. Source: Go `path`.

use crate::lang::expr::value::Value;

/// Calls a function; `None` where it is none of these. The `os` forms are the same on Linux.
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let [Value::Text(path)] = arguments else {
        return None;
    };
    Some(Ok(match name {
        "base" | "osBase" => Value::text(base(path)),
        "dir" | "osDir" => Value::text(clean(&path[..path.rfind('/').map_or(0, |at| at + 1)])),
        "clean" | "osClean" => Value::text(clean(path)),
        "ext" | "osExt" => {
            let last = path.rsplit('/').next().unwrap_or_default();
            Value::text(last.rfind('.').map_or("", |at| &last[at..]))
        }
        "isAbs" | "osIsAbs" => Value::Bool(path.starts_with('/')),
        _ => return None,
    }))
}

fn base(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    match (path, trimmed) {
        ("", _) => ".".to_owned(),
        (_, "") => "/".to_owned(),
        (_, trimmed) => trimmed.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
