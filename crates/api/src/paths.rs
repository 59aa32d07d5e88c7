//! Every path of the API, built and parsed in one place.
//!
//! Paths are relative to the base href (`api/v1/version`), so that a page below a sub-path resolves
//! them against its own. Argo's paths: `server/workflow/workflow.proto` and its gateway; ours begin
//! with `unwind/v1`.

use std::fmt::Write as _;

/// One path of the API. A namespace may be empty only where Argo lets it be (all namespaces).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// Answers when the server can.
    Health,
    /// `GET` lists, `POST` creates.
    Workflows {
        /// Empty: all namespaces (list only).
        namespace: String,
    },
    /// `GET`, `DELETE`.
    Workflow {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// `PUT`: one thing done to a workflow.
    Act {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// What is done.
        verb: Verb,
    },
    /// `GET`: the log of a workflow, of one node with `podName` in the query.
    Log {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// The older form with the pod in the path.
        pod: Option<String>,
    },
    /// `GET` lists, `POST` creates, `PUT` replaces the one that the body names.
    Documents {
        /// Which kind.
        collection: Collection,
        /// Empty: all namespaces, or a kind that has none.
        namespace: String,
    },
    /// `GET`, `PUT`, `DELETE`; `POST` with the name `lint` only checks.
    Document {
        /// Which kind.
        collection: Collection,
        /// Its namespace; empty for a kind that has none.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// `PUT`: a cron workflow is suspended or resumed.
    ActOnCron {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// What is done.
        verb: Verb,
    },
    /// `GET`: the event stream of whole objects.
    WorkflowEvents {
        /// Empty: all namespaces.
        namespace: String,
    },
    /// `GET`: what the server is.
    Version,
    /// `GET`: settings for a page.
    Info,
    /// `GET`: who asks.
    UserInfo,
    /// `GET`: tells our server from any other.
    About,
    /// `GET`: list and runs in one stream of deltas.
    Stream,
    /// `GET`: what the ways to end a run would do.
    Preview {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
}

/// Documents of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collection {
    /// Templates of a namespace.
    WorkflowTemplates,
    /// Templates of all namespaces.
    ClusterWorkflowTemplates,
    /// Cron workflows.
    CronWorkflows,
}

impl Collection {
    /// The segment of its paths.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WorkflowTemplates => "workflow-templates",
            Self::ClusterWorkflowTemplates => "cluster-workflow-templates",
            Self::CronWorkflows => "cron-workflows",
        }
    }

    fn has_namespaces(self) -> bool {
        match self {
            Self::WorkflowTemplates | Self::CronWorkflows => true,
            Self::ClusterWorkflowTemplates => false,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let all = [Self::WorkflowTemplates, Self::ClusterWorkflowTemplates, Self::CronWorkflows];
        all.into_iter().find(|one| one.as_str() == text)
    }
}

/// What can be done to a workflow by `PUT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// End what runs, let exit hooks run.
    Stop,
    /// End everything.
    Terminate,
    /// Begin nothing more for now.
    Suspend,
    /// Go on.
    Resume,
    /// Give suspended nodes a phase, a message, outputs.
    Set,
    /// Go on with a workflow that is over.
    Retry,
    /// Begin a new workflow like this one.
    Resubmit,
}

impl Verb {
    /// The last segment of its path.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Terminate => "terminate",
            Self::Suspend => "suspend",
            Self::Resume => "resume",
            Self::Set => "set",
            Self::Retry => "retry",
            Self::Resubmit => "resubmit",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "stop" => Some(Self::Stop),
            "terminate" => Some(Self::Terminate),
            "suspend" => Some(Self::Suspend),
            "resume" => Some(Self::Resume),
            "set" => Some(Self::Set),
            "retry" => Some(Self::Retry),
            "resubmit" => Some(Self::Resubmit),
            _ => None,
        }
    }
}

impl Route {
    /// The path, relative to the base href, names percent-encoded.
    pub fn path(&self) -> String {
        let segments: Vec<&str> = match self {
            Self::Health => vec!["healthz"],
            Self::Workflows { namespace } => vec!["api", "v1", "workflows", namespace],
            Self::Workflow { namespace, name } => vec!["api", "v1", "workflows", namespace, name],
            Self::Act { namespace, name, verb } => {
                vec!["api", "v1", "workflows", namespace, name, verb.as_str()]
            }
            Self::Log { namespace, name, pod: None } => {
                vec!["api", "v1", "workflows", namespace, name, "log"]
            }
            Self::Log { namespace, name, pod: Some(pod) } => {
                vec!["api", "v1", "workflows", namespace, name, pod, "log"]
            }
            Self::Documents { collection, namespace } => {
                let mut segments = vec!["api", "v1", collection.as_str()];
                segments.extend(collection.has_namespaces().then_some(namespace.as_str()));
                segments
            }
            Self::Document { collection, namespace, name } => {
                let mut segments = vec!["api", "v1", collection.as_str()];
                segments.extend(collection.has_namespaces().then_some(namespace.as_str()));
                segments.push(name);
                segments
            }
            Self::ActOnCron { namespace, name, verb } => {
                vec!["api", "v1", Collection::CronWorkflows.as_str(), namespace, name, verb.as_str()]
            }
            Self::WorkflowEvents { namespace } => vec!["api", "v1", "workflow-events", namespace],
            Self::Version => vec!["api", "v1", "version"],
            Self::Info => vec!["api", "v1", "info"],
            Self::UserInfo => vec!["api", "v1", "userinfo"],
            Self::About => vec!["unwind", "v1", "about"],
            Self::Stream => vec!["unwind", "v1", "stream"],
            Self::Preview { namespace, name } => vec!["unwind", "v1", "preview", namespace, name],
        };
        let encoded: Vec<String> = segments.into_iter().map(encode).collect();
        encoded.join("/")
    }

    /// The path with a query; `pairs` are names and values, not yet encoded.
    pub fn url(&self, pairs: &[(&str, &str)]) -> String {
        let mut url = self.path();
        for (at, (name, value)) in pairs.iter().enumerate() {
            url.push(if at == 0 { '?' } else { '&' });
            url.push_str(&encode(name));
            url.push('=');
            url.push_str(&encode(value));
        }
        url
    }

    /// Reads the path of a request (one leading slash is taken off). `None`: no such path.
    pub fn parse(path: &str) -> Option<Self> {
        let segments: Option<Vec<String>> =
            path.strip_prefix('/').unwrap_or(path).split('/').map(decode).collect();
        // An encoded slash is no part of a name: Argo's gateway has no such path either.
        let segments = segments.filter(|all| all.iter().all(|one| !one.contains('/')))?;
        let texts: Vec<&str> = segments.iter().map(String::as_str).collect();
        let own = |text: &str| text.to_owned();
        Some(match texts.as_slice() {
            ["healthz"] => Self::Health,
            ["api", "v1", rest @ ..] => return Self::parse_argo(rest),
            ["unwind", "v1", "about"] => Self::About,
            ["unwind", "v1", "stream"] => Self::Stream,
            ["unwind", "v1", "preview", namespace, name] if filled(&[namespace, name]) => {
                Self::Preview { namespace: own(namespace), name: own(name) }
            }
            _ => return None,
        })
    }

    /// The part below one kind of documents.
    fn parse_documents(collection: Collection, segments: &[&str]) -> Option<Self> {
        let own = |text: &str| text.to_owned();
        let (namespace, rest) = match segments {
            rest if !collection.has_namespaces() => (String::new(), rest),
            [namespace, rest @ ..] => (own(namespace), rest),
            [] => return None,
        };
        Some(match rest {
            // An update may end in an empty name: the body has it.
            [] | [""] => Self::Documents { collection, namespace },
            [name] => Self::Document { collection, namespace, name: own(name) },
            [name, verb] if collection == Collection::CronWorkflows => {
                Self::ActOnCron { namespace, name: own(name), verb: Verb::parse(verb)? }
            }
            _ => return None,
        })
    }

    /// The part below `api/v1`.
    fn parse_argo(segments: &[&str]) -> Option<Self> {
        let own = |text: &str| text.to_owned();
        if let Some((first, rest)) = segments.split_first()
            && let Some(collection) = Collection::parse(first)
        {
            return Self::parse_documents(collection, rest);
        }
        Some(match segments {
            ["version"] => Self::Version,
            ["info"] => Self::Info,
            ["userinfo"] => Self::UserInfo,
            ["workflow-events", namespace] => Self::WorkflowEvents { namespace: own(namespace) },
            ["workflows", namespace] => Self::Workflows { namespace: own(namespace) },
            ["workflows", parts @ ..] if !filled(parts) => return None,
            ["workflows", namespace, name] => Self::Workflow { namespace: own(namespace), name: own(name) },
            ["workflows", namespace, name, "log"] => {
                Self::Log { namespace: own(namespace), name: own(name), pod: None }
            }
            ["workflows", namespace, name, pod, "log"] => {
                Self::Log { namespace: own(namespace), name: own(name), pod: Some(own(pod)) }
            }
            ["workflows", namespace, name, verb] => {
                Self::Act { namespace: own(namespace), name: own(name), verb: Verb::parse(verb)? }
            }
            _ => return None,
        })
    }
}

fn filled(parts: &[&str]) -> bool {
    parts.iter().all(|part| !part.is_empty())
}

/// Percent-encodes everything but the unreserved characters of RFC 3986.
pub fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Undoes percent-encoding. `None`: a `%` without two hex digits, or not UTF-8.
pub fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let high = char::from(rest.next()?).to_digit(16)?;
        let low = char::from(rest.next()?).to_digit(16)?;
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn every_route() -> Vec<Route> {
        let namespace = || "default".to_owned();
        let name = || "orchard".to_owned();
        vec![
            Route::Health,
            Route::Workflows { namespace: namespace() },
            Route::Workflows { namespace: String::new() },
            Route::Workflow { namespace: namespace(), name: name() },
            Route::Act { namespace: namespace(), name: name(), verb: Verb::Stop },
            Route::Act { namespace: namespace(), name: name(), verb: Verb::Terminate },
            Route::Log { namespace: namespace(), name: name(), pod: None },
            Route::Log {
                namespace: namespace(),
                name: name(),
                pod: Some("orchard-cap-2458972999".to_owned()),
            },
            Route::WorkflowEvents { namespace: namespace() },
            Route::WorkflowEvents { namespace: String::new() },
            Route::Version,
            Route::Info,
            Route::UserInfo,
            Route::About,
            Route::Stream,
            Route::Preview { namespace: namespace(), name: name() },
        ]
    }

    #[test]
    fn every_path_is_pinned() {
        let paths: Vec<String> = every_route().iter().map(Route::path).collect();
        expect![[r"
            healthz
            api/v1/workflows/default
            api/v1/workflows/
            api/v1/workflows/default/orchard
            api/v1/workflows/default/orchard/stop
            api/v1/workflows/default/orchard/terminate
            api/v1/workflows/default/orchard/log
            api/v1/workflows/default/orchard/orchard-cap-2458972999/log
            api/v1/workflow-events/default
            api/v1/workflow-events/
            api/v1/version
            api/v1/info
            api/v1/userinfo
            unwind/v1/about
            unwind/v1/stream
            unwind/v1/preview/default/orchard"]]
        .assert_eq(&paths.join("\n"));
    }

    #[test]
    fn every_path_parses_back() {
        for route in every_route() {
            assert_eq!(Route::parse(&format!("/{}", route.path())), Some(route));
        }
    }

    #[test]
    fn what_is_no_path_is_none() {
        for path in [
            "/api/v1/nothing",
            "/api/v1/workflows",
            "/api/v1/workflows/default/",
            "/api/v1/workflows//x",
            "/api/v1/workflows/default/x/frob",
            "/api/v1/workflows/default/%zz",
            "/api/v1/workflows/default/a%2Fb",
            "/unwind/v1/preview/default/",
            "/",
        ] {
            assert_eq!(Route::parse(path), None, "{path}");
        }
    }

    #[test]
    fn names_are_encoded_in_paths_and_queries() {
        let route = Route::Workflow { namespace: "a b".to_owned(), name: "@latest".to_owned() };
        assert_eq!(route.path(), "api/v1/workflows/a%20b/%40latest");
        assert_eq!(
            Route::Stream.url(&[("list", "default"), ("run", "a/b")]),
            "unwind/v1/stream?list=default&run=a%2Fb"
        );
    }
}
