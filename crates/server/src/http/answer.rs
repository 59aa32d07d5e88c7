//! Answers: JSON in Argo's shape, errors, and the headers that every answer carries.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use unwind_api::field::Projection;
use unwind_api::response::to_json;
use unwind_api::{ApiError, Code};

use super::diagnostic;
use crate::backend::{BackendError, Gone};

/// JSON with status 200.
pub fn json<T: Serialize>(value: &T) -> Result<Response, ApiError> {
    let text = to_json(value).map_err(|error| ApiError::internal(error.to_string()))?;
    let mut response = text_response(StatusCode::OK, "application/json", text);
    let version = HeaderValue::from_static(concat!("v", env!("CARGO_PKG_VERSION")));
    response.headers_mut().insert("grpc-metadata-argo-version", version);
    Ok(response)
}

/// JSON with status 200, without the members that `fields` leaves out.
pub fn projected<T: Serialize>(value: &T, fields: &str) -> Result<Response, ApiError> {
    let projection = Projection::parse(fields);
    if projection.keeps_all() {
        return json(value);
    }
    let mut value = serde_json::to_value(value).map_err(|error| ApiError::internal(error.to_string()))?;
    projection.apply(&mut value);
    json(&value)
}

/// An error in Argo's shape.
pub fn error(error: &ApiError) -> Response {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    text_response(status, "application/json", error.body())
}

/// Any text.
pub fn text_response(status: StatusCode, content_type: &'static str, text: impl Into<Body>) -> Response {
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Sets what every answer carries; what is set already stays.
pub fn protect(headers: &mut HeaderMap) {
    let defaults: [(HeaderName, &str); 7] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in defaults {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

impl From<BackendError> for Refusal {
    fn from(error: BackendError) -> Self {
        let message = match &error {
            BackendError::Invalid(diagnostics) => diagnostic::sentence(diagnostics),
            BackendError::NotFound { .. }
            | BackendError::AlreadyExists { .. }
            | BackendError::BadMetadata { .. }
            | BackendError::Completed { .. }
            | BackendError::NoSuchNode { .. }
            | BackendError::Refused { .. }
            | BackendError::NoDocument { .. }
            | BackendError::DocumentExists { .. }
            | BackendError::Stale { .. }
            | BackendError::Internal { .. } => error.to_string(),
        };
        let code = match &error {
            BackendError::NotFound { .. }
            | BackendError::NoSuchNode { .. }
            | BackendError::NoDocument { .. } => Code::NotFound,
            BackendError::AlreadyExists { .. }
            | BackendError::DocumentExists { .. }
            | BackendError::Stale { .. } => Code::AlreadyExists,
            BackendError::Invalid(_)
            | BackendError::BadMetadata { .. }
            | BackendError::Refused { is_bad_request: true, .. } => Code::InvalidArgument,
            BackendError::Completed { .. } | BackendError::Refused { .. } | BackendError::Internal { .. } => {
                Code::Internal
            }
        };
        Self(ApiError::new(code, message))
    }
}

impl From<Gone> for Refusal {
    fn from(gone: Gone) -> Self {
        Self(ApiError::too_old(gone.asked, gone.current))
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

/// Why a request is not answered as asked.
#[derive(Debug)]
pub struct Refusal(pub ApiError);
