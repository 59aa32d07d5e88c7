//! What is said of one node.

/// True for the message of a node that a shutdown ended.
/// Source: Argo `workflow/controller/exec_control.go`, `workflow/controller/workflowpod.go`.
pub fn tells_of_shutdown(message: &str) -> bool {
    message.contains("shutdown with strategy") || message.contains("topped with strategy")
}

/// A message of Argo, short enough for a leaf: `workflow shutdown with strategy:  Stop` becomes
/// `stopped`, `main: Error (exit code 143)` becomes `exit code 143`.
pub fn short_message(message: &str) -> String {
    let message = message.trim();
    if tells_of_shutdown(message) {
        let is_terminated = message.trim_end_matches('\'').ends_with("Terminate");
        return if is_terminated { "terminated".to_owned() } else { "stopped".to_owned() };
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
