//! A server without a port: requests go straight to the router. Every wait has a deadline.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;
use unwind_api::sse::{Decoder, Item};
use unwind_server::backend::{LocalBackend, LocalConfig, ShimProgram};
use unwind_server::config::HttpConfig;
use unwind_server::http::{App, read_token, router};

const DEADLINE: Duration = Duration::from_secs(30);
/// Where the server believes to listen.
pub const HOST: &str = "127.0.0.1:2746";

/// What the test named `shim_entry` does: nothing, unless the program was started as a shim.
pub fn shim_entry() {
    let args: Vec<_> = std::env::args_os().collect();
    let [.., word, folder] = args.as_slice() else {
        return;
    };
    if word == "start" || word == "exec" || word == "pod" {
        let _ = unwind_server::runner::shim_main([word.clone(), folder.clone()].into_iter());
        std::process::exit(0);
    }
}

/// A server on a folder of its own.
pub struct Site {
    _temp: tempfile::TempDir,
    pub backend: LocalBackend,
    pub app: Arc<App>,
    router: Router,
    pub bearer: String,
}

impl Site {
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut HttpConfig)) -> Self {
        let temp = tempfile::tempdir().expect("a folder");
        let data = temp.path().join("data");
        let program = std::env::current_exe().expect("own path");
        let args = ["--exact", "shim_entry", "--nocapture"].map(Into::into).to_vec();
        let shim = ShimProgram { program, args };
        let config = LocalConfig { grace_ms: 400, window: 200, ..LocalConfig::new(data.clone(), shim) };
        let backend = LocalBackend::open(config).await.expect("a back end");
        let mut config = HttpConfig::new(data.clone());
        change(&mut config);
        let app = Arc::new(App::new(&config, backend.clone()).expect("an app"));
        let token = read_token(&data).expect("a token file").expect("a token");
        let router = router(app.clone());
        Self { _temp: temp, backend, app, router, bearer: format!("Bearer {token}") }
    }

    /// A request with the token, as a client on this machine sends it.
    pub fn ask(&self, method: &str, path: &str) -> Ask<'_> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HOST.parse().expect("a host"));
        headers.insert(header::AUTHORIZATION, self.bearer.parse().expect("a token"));
        Ask { site: self, method: method.to_owned(), path: path.to_owned(), headers, body: String::new() }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path).send().await
    }

    /// Submits a workflow that runs one shell script.
    pub async fn submit(&self, name: &str, script: &str) -> Value {
        let workflow = json!({
            "metadata": {"name": name},
            "spec": {"entrypoint": "main", "templates": [{
                "name": "main",
                "container": {"image": "busybox:1.37", "command": ["sh", "-c"], "args": [script]},
            }]},
        });
        let body = json!({"workflow": workflow}).to_string();
        let answer = self.ask("POST", "/api/v1/workflows/default").body(&body).send().await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    /// Waits for the end of a workflow; gives the object.
    pub async fn until_over(&self, name: &str) -> Value {
        let path = format!("/api/v1/workflows/default/{name}");
        in_time(async {
            loop {
                let object = self.get(&path).await.json();
                if object["status"]["finishedAt"].is_string() {
                    return object;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await
    }

    /// Waits until the leaf of this full name runs.
    pub async fn until_running(&self, workflow: &str, node: &str) {
        let path = format!("/api/v1/workflows/default/{workflow}");
        in_time(async {
            loop {
                let object = self.get(&path).await.json();
                let nodes = object["status"]["nodes"].as_object().cloned().unwrap_or_default();
                if nodes.values().any(|found| found["name"] == node && found["phase"] == "Running") {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
    }
}

/// A request in the making.
pub struct Ask<'a> {
    site: &'a Site,
    method: String,
    path: String,
    headers: HeaderMap,
    body: String,
}

impl Ask<'_> {
    pub fn header(mut self, name: header::HeaderName, value: &str) -> Self {
        self.headers.insert(name, value.parse().expect("a header"));
        self
    }

    pub fn without(mut self, name: header::HeaderName) -> Self {
        self.headers.remove(name);
        self
    }

    pub fn events(self) -> Self {
        self.header(header::ACCEPT, "text/event-stream")
    }

    pub fn body(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    async fn response(self) -> axum::response::Response {
        let mut request = Request::builder()
            .method(self.method.as_str())
            .uri(&self.path)
            .body(Body::from(self.body))
            .expect("a request");
        *request.headers_mut() = self.headers;
        self.site.router.clone().oneshot(request).await.expect("an answer")
    }

    /// Sends it and reads the whole answer.
    pub async fn send(self) -> Answer {
        in_time(async {
            let (parts, body) = self.response().await.into_parts();
            let bytes = body.collect().await.expect("a body").to_bytes();
            let body = String::from_utf8_lossy(&bytes).into_owned();
            Answer { status: parts.status.as_u16(), headers: parts.headers, body }
        })
        .await
    }

    /// Sends it; the answer goes on.
    pub async fn open(self) -> Stream {
        let (parts, body) = self.response().await.into_parts();
        assert_eq!(parts.status, 200);
        Stream { headers: parts.headers, body, decoder: Decoder::default(), waiting: Vec::new() }
    }
}

/// A whole answer.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {}", self.body))
    }

    pub fn header(&self, name: header::HeaderName) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }
}

/// An answer that goes on.
pub struct Stream {
    pub headers: HeaderMap,
    body: Body,
    decoder: Decoder,
    waiting: Vec<String>,
}

impl Stream {
    /// The next bytes as they come; `None` at the end.
    pub async fn bytes(&mut self) -> Option<String> {
        let frame = in_time(self.body.frame()).await?.expect("a body");
        let bytes = frame.into_data().expect("bytes");
        Some(String::from_utf8(bytes.to_vec()).expect("text"))
    }

    /// The data of the next event; `None` at the end.
    pub async fn event(&mut self) -> Option<Value> {
        while self.waiting.is_empty() {
            let bytes = self.bytes().await?;
            for item in self.decoder.push(bytes.as_bytes()) {
                if let Item::Event(event) = item {
                    self.waiting.push(event.data);
                }
            }
        }
        let data = self.waiting.remove(0);
        Some(serde_json::from_str(&data).expect("JSON"))
    }
}

pub async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, work).await.expect("in time")
}
