//! What is said of one node.

/// A message of Argo, short enough for a leaf: `workflow shutdown with strategy:  Stop` becomes
/// `stopped`, `main: Error (exit code 143)` becomes `exit code 143`.
pub fn short_message(message: &str) -> String {
    let message = message.trim();
    if let Some((_, strategy)) = message.split_once("shutdown with strategy") {
        return match strategy.trim_start_matches([':', ' ']).trim() {
            "Terminate" => "terminated".to_owned(),
            _ => "stopped".to_owned(),
        };
    }
    if let Some((_, rest)) = message.split_once("(exit code ") {
        let code = rest.split(')').next().unwrap_or_default();
        return format!("exit code {code}");
    }
    if let Some((_, rest)) = message.split_once("with exit code ") {
        let code: String = rest.chars().take_while(char::is_ascii_digit).collect();
        return format!("exit code {code}");
    }
    message.to_owned()
}

/// How a leaf ended, short: `stopped, exit code 143`.
pub fn end(message: &str, exit_code: Option<&str>) -> String {
    let short = short_message(message);
    match exit_code {
        Some(code) if short == "stopped" || short == "terminated" => {
            format!("{short}, exit code {code}")
        }
        Some(code) if short.is_empty() => format!("exit code {code}"),
        Some(_) | None => short,
    }
}
