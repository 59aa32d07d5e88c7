//! The server of the page's own origin: one request each, over fetch.
//!
//! In: typed requests. Out: typed answers, or the server's own error. Paths come from `unwind-api`.

use gloo_net::http::{Request, Response};
use serde_json::json;
use unwind_api::paths::{Route, Verb};
use unwind_api::response::{Envelope, LogEntry};
use unwind_api::unwind::{About, RunKey};
use unwind_api::{ApiError, Code};
use unwind_model::{NodeId, Workflow};

/// What stands behind the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Our own server.
    Unwind(About),
    /// A real Argo Server beside the page.
    Argo {
        /// Its version, as it says itself.
        version: String,
    },
    /// Nothing that speaks the API.
    Nothing,
}

/// The server behind a base path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    base: String,
}

impl Server {
    /// `base`: where the API's paths begin, with a slash at the end.
    pub fn new(base: &str) -> Self {
        Self { base: base.to_owned() }
    }

    /// The address of a path of the API.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Finds out what stands behind the page.
    pub async fn kind(&self) -> Kind {
        if let Ok(body) = self.get(&Route::About.path()).await
            && let Some(about) = About::read(&body)
        {
            return Kind::Unwind(about);
        }
        let Ok(body) = self.get(&Route::Version.path()).await else { return Kind::Nothing };
        match serde_json::from_str::<serde_json::Value>(&body) {
            Ok(answer) => match answer.get("version").and_then(|version| version.as_str()) {
                Some(version) => Kind::Argo { version: version.to_owned() },
                None => Kind::Nothing,
            },
            Err(_) => Kind::Nothing,
        }
    }

    /// Creates a workflow; gives it back as the server stored it.
    pub async fn create(&self, namespace: &str, workflow: &Workflow) -> Result<Workflow, ApiError> {
        let route = Route::Workflows { namespace: namespace.to_owned() };
        let body = json!({ "namespace": namespace, "workflow": workflow });
        let request = Request::post(&self.url(&route.path())).json(&body).map_err(|error| unsent(&error))?;
        read(&text(request.send().await.map_err(|error| unsent(&error))?).await?)
    }

    /// Asks for a stop or terminate; gives the object as it is then.
    pub async fn act(&self, run: &RunKey, verb: Verb) -> Result<Workflow, ApiError> {
        let route = Route::Act { namespace: run.namespace.clone(), name: run.name.clone(), verb };
        let body = json!({ "namespace": run.namespace, "name": run.name });
        let request = Request::put(&self.url(&route.path())).json(&body).map_err(|error| unsent(&error))?;
        read(&text(request.send().await.map_err(|error| unsent(&error))?).await?)
    }

    /// The last lines of one node's log.
    pub async fn log_tail(&self, run: &RunKey, pod: &NodeId, lines: usize) -> Result<Vec<String>, ApiError> {
        let route = Route::Log { namespace: run.namespace.clone(), name: run.name.clone(), pod: None };
        let lines = lines.to_string();
        let query = [
            ("podName", pod.as_str()),
            ("logOptions.container", "main"),
            ("logOptions.tailLines", lines.as_str()),
        ];
        let body = self.get(&route.url(&query)).await?;
        Ok(log_lines(&body))
    }

    async fn get(&self, path: &str) -> Result<String, ApiError> {
        text(Request::get(&self.url(path)).send().await.map_err(|error| unsent(&error))?).await
    }
}

/// Lines of a log answer: server-sent events, or JSON objects one a line.
fn log_lines(body: &str) -> Vec<String> {
    body.lines()
        .map(|line| line.strip_prefix("data: ").unwrap_or(line))
        .filter_map(|line| unwind_model::json::read::<Envelope<LogEntry>>(line).ok())
        .filter_map(|envelope| match envelope {
            Envelope::Result(entry) => Some(entry.content),
            Envelope::Error(_) => None,
        })
        .collect()
}

async fn text(response: Response) -> Result<String, ApiError> {
    let body = response.text().await.map_err(|error| unsent(&error))?;
    if response.ok() { Ok(body) } else { Err(ApiError::read(response.status(), &body)) }
}

fn read(body: &str) -> Result<Workflow, ApiError> {
    unwind_model::json::read(body)
        .map_err(|error| ApiError::internal(format!("the server sent what cannot be read: {error}")))
}

/// The request did not reach the server.
fn unsent(error: &gloo_net::Error) -> ApiError {
    ApiError::new(Code::Unavailable, error.to_string())
}
