//! Cuts a path into the texts of its parts. Source: evilmonkeyinc/jsonpath `token/token.go`, `Tokenize`.

/// The texts of the parts.
pub(super) fn split(path: &str) -> Result<Vec<String>, String> {
    let unexpected = |text: &str, at: usize| Err(format!("unexpected token '{text}' at index {at}"));
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let (mut quotes, mut round, mut square) = (0i32, 0i32, 0i32);
    if path.is_empty() {
        return unexpected("", 0);
    }
    for (at, c) in path.char_indices() {
        if part.is_empty() {
            (quotes, round) = (0, 0);
        }
        match c {
            '\'' => quotes += 1,
            '(' => round += 1,
            ')' => round -= 1,
            '[' => square += 1,
            ']' => square -= 1,
            _ => {}
        }
        part.push(c);
        if at == 0 {
            if !matches!(c, '$' | '@') {
                return unexpected(&part, at);
            }
            if let Some(next) = path.chars().nth(1).filter(|next| !matches!(next, '.' | '[')) {
                return unexpected(&next.to_string(), 1);
            }
            parts.push(std::mem::take(&mut part));
            continue;
        }
        if part == "." {
            continue;
        }
        if part == ".." {
            parts.push(std::mem::take(&mut part));
            continue;
        }
        if c == '[' {
            if part == "[" || part == ".[" || part.matches('[').count() > 1 {
                continue;
            }
            part.pop();
            push(&mut parts, &part);
            part = String::from("[");
            continue;
        }
        let inside = quotes % 2 == 1 || round != 0;
        if part.contains('[') {
            if !inside && c == ']' && square == 0 {
                push(&mut parts, &part);
                part.clear();
            }
        } else if c == '.' && !inside {
            part.pop();
            push(&mut parts, &part);
            part = String::from(".");
        }
    }
    if !part.is_empty() {
        push(&mut parts, &part);
    }
    Ok(parts)
}

fn push(parts: &mut Vec<String>, part: &str) {
    parts.push(part.strip_prefix('.').unwrap_or(part).to_owned());
}
