//! From a request to its answer: guard, sign-in, path and method.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::sync::watch;
use unwind_api::{ApiError, Code, Query, Route, Verb};

use super::answer::{self, Refusal};
use super::auth::Auth;
use super::guard::Guard;
use super::page::Page;
use super::{documents, events, info, logs, submit, unwind, verbs, workflows};
use crate::backend::LocalBackend;
use crate::config::HttpConfig;

/// What every request may need.
pub struct App {
    pub(super) backend: LocalBackend,
    pub(super) auth: Auth,
    pub(super) page: Page,
    guard: Guard,
    base_href: String,
    body_limit: usize,
    /// Becomes true when the server closes: streams end then.
    closing: watch::Sender<bool>,
}

/// One request that passed the guard.
pub(super) struct Asked<'a> {
    pub app: &'a App,
    pub parts: &'a Parts,
    pub query: Query,
    pub body: Bytes,
}

impl App {
    /// Reads the token and the page. `config` has been checked and says where is listened.
    pub fn new(config: &HttpConfig, backend: LocalBackend) -> std::io::Result<Self> {
        let port = config.listen.port();
        Ok(Self {
            backend,
            auth: Auth::open(config.auth, &config.data, port, &config.base_href)?,
            page: Page::new(&config.page, &config.base_href),
            guard: Guard::new(config.listen, &config.allowed_hosts),
            base_href: config.base_href.clone(),
            body_limit: config.body_limit,
            closing: watch::Sender::new(false),
        })
    }

    /// The one-time code for the printed address, while it has not been used.
    pub fn code(&self) -> Option<String> {
        self.auth.code()
    }

    /// Ends all streams, so that the server can close.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Completes when the server closes.
    pub(super) fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closing = self.closing.subscribe();
        async move {
            // An error means that the server is gone, which is the same.
            let _ = closing.wait_for(|closing| *closing).await;
        }
    }
}

/// All of HTTP as one service.
pub fn router(app: Arc<App>) -> Router {
    Router::new().fallback(handle).with_state(app)
}

async fn handle(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let mut response = match answer(&app, &parts, body).await {
        Ok(response) => response,
        Err(Refusal(error)) => {
            tracing::debug!(method = %parts.method, path = parts.uri.path(), %error, "refused");
            answer::error(&error)
        }
    };
    answer::protect(response.headers_mut());
    response
}

async fn answer(app: &App, parts: &Parts, body: Body) -> Result<Response, Refusal> {
    app.guard.check(&parts.uri, &parts.headers)?;
    let path = below_base(parts.uri.path(), &app.base_href);
    let query = parts.uri.query().unwrap_or("");
    let is_api = ["/api/", "/unwind/v1/"].iter().any(|begin| path.starts_with(begin));
    let route = Route::parse(path);
    if !is_api && route != Some(Route::Health) {
        return Ok(page(app, parts, path, query));
    }
    let is_open = matches!(route, Some(Route::About | Route::Health));
    if !is_open && !app.auth.allows(&parts.headers) {
        return Err(Refusal(ApiError::new(
            Code::Unauthenticated,
            "token not valid: open the address that `unwind serve` printed, or send what `unwind token` prints",
        )));
    }
    let Some(route) = route else {
        return Err(Refusal(no_route(path)));
    };
    let body = read(body, app.body_limit).await?;
    let asked = Asked { app, parts, query: Query::parse(query)?, body };
    dispatch(&asked, route).await
}

/// Method and path to handler; the only place that knows both.
async fn dispatch(asked: &Asked<'_>, route: Route) -> Result<Response, Refusal> {
    match (asked.parts.method.as_str(), route) {
        ("GET" | "HEAD", Route::Health) => Ok(info::health()),
        ("GET", Route::Version) => info::version(),
        ("GET", Route::Info) => info::info(),
        ("GET", Route::UserInfo) => info::user_info(),
        ("GET", Route::Workflows { namespace }) => workflows::list(asked, &namespace),
        ("POST", Route::Workflows { namespace }) => workflows::create(asked, &namespace).await,
        ("GET", Route::Workflow { namespace, name }) => workflows::get(asked, &namespace, &name),
        ("DELETE", Route::Workflow { namespace, name }) => workflows::delete(asked, &namespace, &name).await,
        ("PUT", Route::Act { namespace, name, verb }) => verbs::act(asked, &namespace, &name, verb).await,
        ("POST", Route::Workflow { namespace, name }) if name == "lint" => submit::lint(asked, &namespace),
        ("POST", Route::Workflow { namespace, name }) if name == "submit" => {
            submit::submit(asked, &namespace).await
        }
        ("GET", Route::Documents { collection, namespace }) => documents::list(asked, collection, &namespace),
        ("POST", Route::Documents { collection, namespace }) => {
            documents::create(asked, collection, &namespace).await
        }
        ("PUT", Route::Documents { collection, namespace }) => {
            documents::update(asked, collection, &namespace, "").await
        }
        ("POST", Route::Document { collection, namespace, name }) if name == "lint" => {
            documents::lint(asked, collection, &namespace)
        }
        ("GET", Route::Document { collection, namespace, name }) => {
            documents::get(asked, collection, &namespace, &name)
        }
        ("PUT", Route::Document { collection, namespace, name }) => {
            documents::update(asked, collection, &namespace, &name).await
        }
        ("DELETE", Route::Document { collection, namespace, name }) => {
            documents::delete(asked, collection, &namespace, &name).await
        }
        ("PUT", Route::ActOnCron { namespace, name, verb: verb @ (Verb::Suspend | Verb::Resume) }) => {
            documents::act_on_cron(asked, &namespace, &name, verb).await
        }
        ("GET", Route::Log { namespace, name, pod }) => {
            logs::log(asked, &namespace, &name, pod.as_deref()).await
        }
        ("GET", Route::WorkflowEvents { namespace }) => events::watch(asked, &namespace),
        ("GET", Route::About) => unwind::about(asked),
        ("GET", Route::Stream) => unwind::stream(asked),
        ("GET", Route::Preview { namespace, name }) => unwind::preview(asked, &namespace, &name),
        _ => Err(Refusal(no_route(asked.parts.uri.path()))),
    }
}

/// Argo's gateway answers 501 to unknown paths and to wrong methods below `/api`.
fn no_route(path: &str) -> ApiError {
    if path.starts_with("/unwind/") {
        return ApiError::new(Code::NotFound, format!("no such path: {path}"));
    }
    ApiError::not_implemented()
}

/// The page; with a one-time code in the query, the way to the cookie.
fn page(app: &App, parts: &Parts, path: &str, query: &str) -> Response {
    if parts.method != Method::GET && parts.method != Method::HEAD {
        let text = "only GET and HEAD here\n";
        return answer::text_response(StatusCode::METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", text);
    }
    let code = query.split('&').find_map(|pair| pair.strip_prefix("code="));
    let Some(code) = code else {
        return app.page.answer(path, &parts.headers);
    };
    let cookie = app.auth.redeem(code);
    if cookie.is_none() && !app.auth.allows(&parts.headers) {
        let text = "This address was used already, or belongs to an earlier start.\n\
                    Start `unwind serve` again for a new one, or use the token: `unwind token`.\n";
        return answer::text_response(StatusCode::UNAUTHORIZED, "text/plain; charset=utf-8", text);
    }
    let kept: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("code=")).collect();
    let mut target = format!("{}{}", app.base_href.trim_end_matches('/'), path);
    if !kept.is_empty() {
        target.push('?');
        target.push_str(&kept.join("&"));
    }
    let mut response = answer::text_response(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
    // A path that came in as a URI is a header too; `//host` would lead away from here.
    let target = format!("/{}", target.trim_start_matches('/'));
    if let Ok(target) = HeaderValue::try_from(target) {
        response.headers_mut().insert(header::LOCATION, target);
    }
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// An ingress may strip the base href or leave it on.
fn below_base<'a>(path: &'a str, base_href: &str) -> &'a str {
    match path.strip_prefix(base_href.trim_end_matches('/')) {
        Some(rest) if rest.starts_with('/') => rest,
        Some("") => "/",
        Some(_) | None => path,
    }
}

async fn read(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::new(
            Code::ResourceExhausted,
            format!("the request body is longer than {limit} bytes: raise it with `--body-limit`"),
        )
        .with_status(413)),
        Err(error) => Err(ApiError::invalid(format!("the request body broke off: {error}"))),
    }
}
