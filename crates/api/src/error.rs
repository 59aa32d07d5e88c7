//! What can go wrong, in Argo's shape: `{"code":5,"message":"…"}`, and the frame of a stream.
//! Source: grpc-gateway v1 `runtime/errors.go` (HTTP statuses), argoproj/pkg `grpc/http/forwarders.go`
//! (frames), Argo `server/utils/errors.go` (which code for what).

use serde::{Deserialize, Serialize};

/// A gRPC code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "u16", from = "u16")]
pub enum Code {
    /// 1: the caller went away.
    Canceled,
    /// 2, and any number that is no code.
    Unknown,
    /// 3: the request cannot be meant.
    InvalidArgument,
    /// 4: took too long.
    DeadlineExceeded,
    /// 5: no such thing.
    NotFound,
    /// 6: the name is taken.
    AlreadyExists,
    /// 7: not allowed.
    PermissionDenied,
    /// 8: too much, and the normal end of a watch.
    ResourceExhausted,
    /// 9: not in this state.
    FailedPrecondition,
    /// 10: somebody else wrote in between.
    Aborted,
    /// 11: outside what there is.
    OutOfRange,
    /// 12: no such path or method.
    Unimplemented,
    /// 13: the server's own fault.
    Internal,
    /// 14: not now.
    Unavailable,
    /// 15: what was stored is broken.
    DataLoss,
    /// 16: no valid token.
    Unauthenticated,
}

impl From<Code> for u16 {
    fn from(code: Code) -> Self {
        match code {
            Code::Canceled => 1,
            Code::Unknown => 2,
            Code::InvalidArgument => 3,
            Code::DeadlineExceeded => 4,
            Code::NotFound => 5,
            Code::AlreadyExists => 6,
            Code::PermissionDenied => 7,
            Code::ResourceExhausted => 8,
            Code::FailedPrecondition => 9,
            Code::Aborted => 10,
            Code::OutOfRange => 11,
            Code::Unimplemented => 12,
            Code::Internal => 13,
            Code::Unavailable => 14,
            Code::DataLoss => 15,
            Code::Unauthenticated => 16,
        }
    }
}

impl From<u16> for Code {
    fn from(number: u16) -> Self {
        match number {
            1 => Self::Canceled,
            3 => Self::InvalidArgument,
            4 => Self::DeadlineExceeded,
            5 => Self::NotFound,
            6 => Self::AlreadyExists,
            7 => Self::PermissionDenied,
            8 => Self::ResourceExhausted,
            9 => Self::FailedPrecondition,
            10 => Self::Aborted,
            11 => Self::OutOfRange,
            12 => Self::Unimplemented,
            13 => Self::Internal,
            14 => Self::Unavailable,
            15 => Self::DataLoss,
            16 => Self::Unauthenticated,
            _ => Self::Unknown,
        }
    }
}

impl Code {
    /// The HTTP status of the gateway.
    pub fn status(self) -> u16 {
        match self {
            Self::Canceled => 408,
            Self::Unknown | Self::Internal | Self::DataLoss => 500,
            Self::InvalidArgument | Self::FailedPrecondition | Self::OutOfRange => 400,
            Self::DeadlineExceeded => 504,
            Self::NotFound => 404,
            Self::AlreadyExists | Self::Aborted => 409,
            Self::PermissionDenied => 403,
            Self::ResourceExhausted => 429,
            Self::Unimplemented => 501,
            Self::Unavailable => 503,
            Self::Unauthenticated => 401,
        }
    }
}

/// An error as it goes over the wire. `message` is for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// What kind.
    pub code: Code,
    /// What happened and what to do.
    pub message: String,
    status: u16,
}

impl ApiError {
    /// An error with the HTTP status that belongs to its code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), status: code.status() }
    }

    /// The same with another HTTP status (`410 Gone`, `413 Payload Too Large`).
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Code 3, 400.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// Code 13, 500.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
    }

    /// Code 5, 404, in Kubernetes' words.
    pub fn no_workflow(name: &str) -> Self {
        Self::new(Code::NotFound, format!("workflows.argoproj.io {name:?} not found"))
    }

    /// Code 12, 501: what the gateway answers for any unknown path or method below `/api`.
    pub fn not_implemented() -> Self {
        Self::new(Code::Unimplemented, "Not Implemented")
    }

    /// A version older than the kept window: the client must list again.
    pub fn too_old(asked: u64, oldest: u64) -> Self {
        Self::new(Code::OutOfRange, format!("too old resource version: {asked} ({oldest})")).with_status(410)
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// True when a watch must begin anew because its version is no longer kept. Servers say so by
    /// status 410 or only in words (`too old resource version`, `resource version 5 is too old`).
    pub fn is_too_old(&self) -> bool {
        self.status == 410 || self.message.contains("too old")
    }

    /// The body of an answer.
    pub fn body(&self) -> String {
        to_json(&Body { code: self.code, message: self.message.clone() })
    }

    /// The last message of a stream.
    pub fn frame(&self) -> String {
        to_json(&Frame {
            error: FrameError {
                grpc_code: self.code,
                http_code: self.status,
                message: self.message.clone(),
                http_status: status_text(self.status).to_owned(),
            },
        })
    }

    /// Reads the body of a refused request: Argo's shape, the frame of a stream, or any text.
    pub fn read(status: u16, body: &str) -> Self {
        let json = body.strip_prefix("data:").unwrap_or(body).trim();
        if let Ok(body) = unwind_model::json::read::<Body>(json) {
            return Self::new(body.code, body.message).with_status(status);
        }
        if let Ok(frame) = unwind_model::json::read::<Frame>(json) {
            return Self::from(frame.error).with_status(status);
        }
        let said: String = json.chars().take(200).collect();
        let said =
            if said.is_empty() || said.starts_with('<') { status_text(status).to_owned() } else { said };
        Self::new(code_of_status(status), said).with_status(status)
    }
}

/// The error member of a stream's message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameError {
    /// What kind.
    #[serde(default = "unknown")]
    pub grpc_code: Code,
    /// HTTP status it stands for.
    #[serde(default)]
    pub http_code: u16,
    /// What happened.
    #[serde(default)]
    pub message: String,
    /// Text of the HTTP status.
    #[serde(default)]
    pub http_status: String,
}

impl From<FrameError> for ApiError {
    fn from(frame: FrameError) -> Self {
        Self { code: frame.grpc_code, message: frame.message, status: frame.http_code }
    }
}

#[derive(Serialize, Deserialize)]
struct Body {
    code: Code,
    message: String,
}

#[derive(Serialize, Deserialize)]
struct Frame {
    error: FrameError,
}

fn unknown() -> Code {
    Code::Unknown
}

fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("texts and numbers are always JSON")
}

fn code_of_status(status: u16) -> Code {
    match status {
        400 | 422 => Code::InvalidArgument,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::NotFound,
        409 => Code::AlreadyExists,
        410 => Code::OutOfRange,
        413 | 429 => Code::ResourceExhausted,
        500 => Code::Internal,
        501 => Code::Unimplemented,
        502 | 503 => Code::Unavailable,
        504 => Code::DeadlineExceeded,
        _ => Code::Unknown,
    }
}

/// Go's text of a status, as the frames carry it.
fn status_text(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        413 => "Request Entity Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes recorded from a real server.
    #[test]
    fn bodies_and_frames_are_argos() {
        let missing = ApiError::no_workflow("no-such");
        assert_eq!(missing.body(), r#"{"code":5,"message":"workflows.argoproj.io \"no-such\" not found"}"#);
        assert_eq!(ApiError::not_implemented().body(), r#"{"code":12,"message":"Not Implemented"}"#);
        assert_eq!(
            missing.frame(),
            r#"{"error":{"grpc_code":5,"http_code":404,"message":"workflows.argoproj.io \"no-such\" not found","http_status":"Not Found"}}"#
        );
        assert_eq!(
            ApiError::new(Code::ResourceExhausted, "EOF").frame(),
            r#"{"error":{"grpc_code":8,"http_code":429,"message":"EOF","http_status":"Too Many Requests"}}"#
        );
    }

    #[test]
    fn every_shape_of_refusal_is_read() {
        let missing = ApiError::no_workflow("no-such");
        assert_eq!(ApiError::read(404, &missing.body()), missing);
        let framed = format!("data: {} \n\n", missing.frame());
        assert_eq!(ApiError::read(404, &framed), missing);
        let page = ApiError::read(502, "<html>no upstream</html>");
        assert_eq!((page.code, page.message.as_str()), (Code::Unavailable, "Bad Gateway"));
        assert_eq!(ApiError::read(500, "broken").message, "broken");
    }

    #[test]
    fn an_old_version_is_told_by_status_or_words() {
        assert!(ApiError::too_old(1, 5).is_too_old());
        assert!(
            ApiError::read(400, r#"{"code":3,"message":"too old resource version: 1 (13421)"}"#).is_too_old()
        );
        assert!(!ApiError::no_workflow("x").is_too_old());
    }
}
