//! Why something is not possible now, in words. Source: `ui.md` section 8, "Disabled".

/// A stop is under way.
pub const STOPPING: &str = "A stop is under way";
/// A terminate is under way.
pub const TERMINATING: &str = "A terminate is under way";
/// Nothing waits for a resume.
pub const NOT_SUSPENDED: &str = "Nothing here is suspended";
/// It is suspended already.
pub const SUSPENDED: &str = "Suspended already";
/// A retry needs an end.
pub const NOT_OVER: &str = "Only a workflow that is over can be retried";
/// No server to ask.
pub const FROM_FILE: &str = "Not from a file: there is no server behind this page";
/// Not offered by this program.
pub const NOT_BUILT: &str = "Not possible with this server";

/// It is over.
pub fn over(since: Option<&str>) -> String {
    match since {
        Some(time) => format!("Over since {time}, nothing left to stop"),
        None => "Over, nothing left to stop".to_owned(),
    }
}

/// A manifest with errors.
pub fn errors(number: usize) -> String {
    match number {
        1 => "1 error has to go first".to_owned(),
        _ => format!("{number} errors have to go first"),
    }
}

/// A token without the right.
pub fn forbidden(verb: &str, namespace: &str) -> String {
    format!("Your token may not {verb} workflows in {namespace}")
}
