//! Who asks: a token for programs, a cookie for the page, a one-time code that becomes the cookie.
//!
//! In: headers and queries. Out: yes or no, never why in detail. Comparisons take the same time
//! whatever is compared. The token is in the data folder, readable by its owner only.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Mutex;

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::config::AuthMode;

/// Name of the token's file in the data folder.
pub const TOKEN_FILE: &str = "token";

/// The secrets of one server.
pub struct Auth {
    mode: AuthMode,
    bearer: String,
    session: String,
    cookie_name: String,
    cookie_path: String,
    /// Taken by the first who brings it.
    code: Mutex<Option<String>>,
}

impl Auth {
    /// Reads the token, or makes one. `port` keeps the cookies of two servers on one host apart.
    pub fn open(mode: AuthMode, data: &Path, port: u16, base_href: &str) -> io::Result<Self> {
        let token = read_or_make_token(data)?;
        Ok(Self {
            mode,
            session: session_of(&token),
            bearer: format!("Bearer {token}"),
            cookie_name: format!("unwind-{port}"),
            cookie_path: base_href.to_owned(),
            code: Mutex::new(Some(random_text()?)),
        })
    }

    /// The one-time code, for the printed address; `None` when none is needed or it is used up.
    pub fn code(&self) -> Option<String> {
        match self.mode {
            AuthMode::Token => self.code.lock().ok()?.clone(),
            AuthMode::None => None,
        }
    }

    /// True when this request may use the API.
    pub fn allows(&self, headers: &HeaderMap) -> bool {
        match self.mode {
            AuthMode::None => true,
            AuthMode::Token => match headers.get(header::AUTHORIZATION) {
                Some(value) => is_same(value.as_bytes(), self.bearer.as_bytes()),
                None => self.has_session(headers),
            },
        }
    }

    fn has_session(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| {
            name == self.cookie_name && is_same(value.as_bytes(), self.session.as_bytes())
        })
    }

    /// Takes the one-time code. `Some`: it was the right one and is used up now; the text is the
    /// cookie to set.
    pub fn redeem(&self, code: &str) -> Option<String> {
        let mut kept = self.code.lock().ok()?;
        if !kept.as_ref().is_some_and(|kept| is_same(kept.as_bytes(), code.as_bytes())) {
            return None;
        }
        *kept = None;
        Some(format!(
            "{}={}; Path={}; HttpOnly; SameSite=Strict",
            self.cookie_name, self.session, self.cookie_path
        ))
    }
}

/// The token of a data folder, when there is one.
pub fn read_token(data: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(data.join(TOKEN_FILE)) {
        Ok(text) => Ok(Some(text.trim().to_owned()).filter(|token| !token.is_empty())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_or_make_token(data: &Path) -> io::Result<String> {
    let path = data.join(TOKEN_FILE);
    if let Some(token) = read_token(data)? {
        // Somebody may have copied the folder with other rights.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        return Ok(token);
    }
    fs::create_dir_all(data)?;
    let token = random_text()?;
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    file.write_all(token.as_bytes())?;
    file.write_all(b"\n")?;
    Ok(token)
}

/// 256 bits as text that needs no escaping anywhere.
fn random_text() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// What the cookie holds: it lasts over a restart and does not give the token away.
fn session_of(token: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(format!("unwind session {token}")))
}

/// Compares hashes, so that the time taken tells nothing of where two texts differ or how long one is.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    let (left, right) = (Sha256::digest(left), Sha256::digest(right));
    left.iter().zip(right.iter()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name.clone(), value.parse().expect("a header"));
        }
        headers
    }

    fn open(mode: AuthMode) -> (tempfile::TempDir, Auth) {
        let data = tempfile::tempdir().expect("a folder");
        let auth = Auth::open(mode, data.path(), 2746, "/").expect("a token");
        (data, auth)
    }

    #[test]
    fn the_token_lasts_and_is_the_owners_alone() {
        let (data, first) = open(AuthMode::Token);
        let rights = fs::metadata(data.path().join(TOKEN_FILE)).expect("a file").permissions().mode();
        assert_eq!(rights & 0o777, 0o600);
        let second = Auth::open(AuthMode::Token, data.path(), 2746, "/").expect("a token");
        assert_eq!(first.bearer, second.bearer);
        assert_ne!(first.code(), second.code());
    }

    #[test]
    fn only_the_right_token_is_let_in() {
        let (_data, auth) = open(AuthMode::Token);
        let bearer = auth.bearer.clone();
        assert!(auth.allows(&headers(&[(header::AUTHORIZATION, &bearer)])));
        assert!(!auth.allows(&headers(&[(header::AUTHORIZATION, "Bearer wrong")])));
        assert!(!auth.allows(&headers(&[(header::AUTHORIZATION, "")])));
        assert!(!auth.allows(&headers(&[])));
    }

    #[test]
    fn the_code_becomes_a_cookie_once() {
        let (_data, auth) = open(AuthMode::Token);
        let code = auth.code().expect("a code");
        assert_eq!(auth.redeem("wrong"), None);
        let cookie = auth.redeem(&code).expect("a cookie");
        assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
        assert_eq!(auth.redeem(&code), None);
        let pair = cookie.split(';').next().expect("a pair");
        let sent = format!("other=1; {pair}");
        assert!(auth.allows(&headers(&[(header::COOKIE, &sent)])));
        assert!(!auth.allows(&headers(&[(header::COOKIE, "unwind-2746=wrong")])));
        // A wrong header is not helped by a right cookie.
        assert!(!auth.allows(&headers(&[(header::COOKIE, &sent), (header::AUTHORIZATION, "Basic x")])));
    }

    #[test]
    fn without_tokens_everybody_is_let_in_and_no_code_is_made() {
        let (_data, auth) = open(AuthMode::None);
        assert!(auth.allows(&headers(&[])));
        assert_eq!(auth.code(), None);
    }
}
