//! Our own extension, `unwind/v1`: what the server is, one stream of deltas, previews.

use serde::{Deserialize, Serialize};
use unwind_model::delta::WorkflowDelta;

use crate::error::ApiError;
use crate::paths::Route;
use crate::query::Query;

/// What `About::product` says; any other answer means another server.
pub const PRODUCT: &str = "unwind";

/// What the server is. Answered without a token, so that a page can say what is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// `unwind`.
    pub product: String,
    /// Version of the program.
    pub version: String,
    /// What runs the workflows.
    pub back_end: BackEnd,
    /// What it can do beyond Argo's API: `stream`, `preview`.
    pub features: Vec<String>,
    /// True when this request carried a valid token or cookie, or none is needed.
    pub signed_in: bool,
}

/// What runs the workflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackEnd {
    /// The embedded engine, on this machine.
    Local,
}

impl About {
    /// Reads an answer; `None` when it is not ours (a real Argo Server answers with its page).
    pub fn read(body: &str) -> Option<Self> {
        let about: Self = unwind_model::json::read(body).ok()?;
        (about.product == PRODUCT).then_some(about)
    }
}

/// What a stream is to tell of. Rows of the list come without nodes and templates, followed runs with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscriptions {
    /// The list of a namespace; `Some("")` is that of all namespaces.
    pub list: Option<String>,
    /// Runs that are followed.
    pub runs: Vec<RunKey>,
}

/// Which workflow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Subscriptions {
    /// The URL of the stream, relative to the base href. `since`: only what came after.
    pub fn url(&self, since: Option<u64>) -> String {
        let runs: Vec<String> =
            self.runs.iter().map(|run| format!("{}/{}", run.namespace, run.name)).collect();
        let since = since.map(|version| version.to_string());
        let mut pairs = Vec::new();
        pairs.extend(self.list.iter().map(|list| ("list", list.as_str())));
        pairs.extend(runs.iter().map(|run| ("run", run.as_str())));
        pairs.extend(since.iter().map(|version| ("since", version.as_str())));
        Route::Stream.url(&pairs)
    }

    /// Reads a query back: what is asked, and since when.
    pub fn read(query: &Query) -> Result<(Self, Option<u64>), ApiError> {
        let mut runs = Vec::new();
        for text in query.all("run") {
            let (namespace, name) = text
                .split_once('/')
                .ok_or_else(|| ApiError::invalid(format!("run {text:?} is not `namespace/name`")))?;
            runs.push(RunKey { namespace: namespace.to_owned(), name: name.to_owned() });
        }
        let since =
            match query.text("since") {
                None => None,
                Some(text) => Some(text.parse().map_err(|_| {
                    ApiError::invalid(format!("since {text:?} is not the number of a version"))
                })?),
            };
        let list = query.text("list").map(str::to_owned);
        if list.is_none() && runs.is_empty() {
            return Err(ApiError::invalid(
                "nothing to follow: ask for `list=NAMESPACE` or `run=NAMESPACE/NAME`",
            ));
        }
        Ok((Self { list, runs }, since))
    }

    /// True when this run is followed.
    pub fn follows(&self, namespace: &str, name: &str) -> bool {
        let is_it = |run: &RunKey| run.namespace == namespace && run.name == name;
        self.runs.iter().any(is_it)
    }

    /// True when this namespace's list is asked.
    pub fn lists(&self, namespace: &str) -> bool {
        let list = self.list.as_deref();
        list.is_some_and(|list| list.is_empty() || list == namespace)
    }
}

/// A message of the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum StreamMessage {
    /// One workflow moved.
    Delta {
        /// True of a workflow that is in the list and not followed: without nodes and templates.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        row: bool,
        /// What moved.
        delta: WorkflowDelta,
    },
    /// Everything that is there has been told (after a stream was opened without `since`); what is
    /// known and was not told is gone.
    #[serde(rename_all = "camelCase")]
    Synced {
        /// The version up to which everything has been told.
        resource_version: String,
    },
}

/// What the ways to end a run would do. `P` is the engine's prediction, which this crate does not
/// know: the server writes it, the page and tests read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview<P> {
    /// The state that was predicted from.
    pub resource_version: String,
    /// One for each way, Stop first.
    pub predictions: Vec<P>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscriptions_survive_the_url() {
        let asked = Subscriptions {
            list: Some(String::new()),
            runs: vec![RunKey { namespace: "default".to_owned(), name: "orchard".to_owned() }],
        };
        let url = asked.url(Some(57));
        assert_eq!(url, "unwind/v1/stream?list=&run=default%2Forchard&since=57");
        let (_, query) = url.split_once('?').expect("a query");
        let query = Query::parse(query).expect("a query");
        assert_eq!(Subscriptions::read(&query), Ok((asked, Some(57))));
    }

    #[test]
    fn only_our_own_answer_is_ours() {
        let about = r#"{"product":"unwind","version":"0.1.0","backEnd":"local","features":["stream"],"signedIn":false}"#;
        assert!(About::read(about).is_some_and(|about| !about.signed_in));
        assert_eq!(About::read("<html><head>"), None);
        assert_eq!(About::read(&about.replace("unwind", "other")), None);
    }

    #[test]
    fn nothing_to_follow_is_refused() {
        let query = Query::parse("since=1").expect("a query");
        assert_eq!(Subscriptions::read(&query).map_err(|error| error.status()), Err(400));
    }
}
