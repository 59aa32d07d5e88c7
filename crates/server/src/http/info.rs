//! What the server is: version, settings for a page, who asks, whether it answers.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use unwind_api::response::{Info, Version};

use super::answer::{self, Refusal};

/// `GET /healthz`.
pub fn health() -> Response {
    answer::text_response(StatusCode::OK, "text/plain; charset=utf-8", "ok\n")
}

/// `GET /api/v1/version`.
pub fn version() -> Result<Response, Refusal> {
    let version = concat!("v", env!("CARGO_PKG_VERSION")).to_owned();
    Ok(answer::json(&Version {
        git_tag: version.clone(),
        version,
        compiler: "rustc".to_owned(),
        platform: format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
        ..Version::default()
    })?)
}

/// `GET /api/v1/info`.
pub fn info() -> Result<Response, Refusal> {
    Ok(answer::json(&Info::default())?)
}

/// `GET /api/v1/userinfo`: there are no users here.
pub fn user_info() -> Result<Response, Refusal> {
    Ok(answer::json(&json!({}))?)
}
