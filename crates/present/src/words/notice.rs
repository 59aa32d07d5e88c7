//! Errors in words: what cannot be done, then place, expected and found, then what is still safe.

use unwind_model::document::ParseError;

use crate::format;

/// An error as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What cannot be done.
    pub title: String,
    /// Where, why, and what is still safe.
    pub text: String,
}

/// A file that cannot be read.
pub fn unreadable(file: &str, error: &ParseError) -> Notice {
    Notice {
        title: format!("{file} cannot be read"),
        text: format!(
            "Line {}, column {}: expected {}, found {}. What you had open stays open.",
            error.at.line, error.at.column, error.expected, error.found
        ),
    }
}

/// A file that is something else.
pub fn unknown_document(file: &str, found: &str) -> Notice {
    Notice {
        title: "Not something Unwind knows".to_owned(),
        text: format!(
            "{file} is {found}. Unwind reads workflows: manifests and saved runs, as YAML or JSON. \
             What you had open stays open."
        ),
    }
}

/// A file whose nodes are elsewhere.
pub fn nodes_elsewhere(workflow: &str) -> Notice {
    Notice {
        title: "This file has no nodes".to_owned(),
        text: format!(
            "The nodes of {workflow} were moved to a database and are not in the file. \
             Get it with them: argo get -o json {workflow}"
        ),
    }
}

/// A file that is too large to be opened.
pub fn too_large(file: &str, megabytes: usize) -> Notice {
    Notice {
        title: format!("{file} cannot be read"),
        text: format!("It is larger than {} MB. What you had open stays open.", format::thousands(megabytes)),
    }
}

/// A file whose bytes the browser did not give.
pub fn not_given(file: &str, why: &str) -> Notice {
    Notice {
        title: format!("{file} cannot be read"),
        text: format!("It could not be opened: {why}. What you had open stays open."),
    }
}

/// A request that the server refused.
pub fn refused(what: &str, message: &str) -> Notice {
    Notice { title: format!("Cannot {what}"), text: format!("The server says: {message}") }
}

/// A request that did not reach the server.
pub fn unreachable(what: &str) -> Notice {
    Notice {
        title: format!("Cannot {what}"),
        text: "The server did not answer. Nothing was changed; try again when it is back.".to_owned(),
    }
}

/// An event that does not fit the state of its node.
pub fn refused_event(node: &str, from: &str, event: &str) -> Notice {
    Notice {
        title: "The engine refused an event".to_owned(),
        text: format!("{node} is {from} and cannot take {event}. The run is kept as it was."),
    }
}

/// A workflow that is gone.
pub fn deleted(time: &str) -> Notice {
    Notice {
        title: format!("This workflow was deleted at {time}"),
        text: "You see the last state that arrived. It can be saved while this tab is open.".to_owned(),
    }
}

/// A name that no workflow has.
pub fn not_found(namespace: &str, name: &str) -> Notice {
    Notice {
        title: format!("{name} is not here"),
        text: format!("There is no workflow {name} in {namespace}. It may have been deleted."),
    }
}
