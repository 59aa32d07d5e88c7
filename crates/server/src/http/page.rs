//! The page: files built into the program or in a folder, index.html for every other path.
//!
//! In: a path and headers. Out: a file in the best encoding that the client takes, with how long it
//! may be kept, and a strict content security policy with the hash of what is inline.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

use super::{answer, embedded};
use crate::config::PageSource;

const INDEX: &str = "index.html";

/// The page.
pub struct Page {
    files: Files,
    base_href: String,
}

enum Files {
    Embedded(BTreeMap<&'static str, &'static [u8]>),
    Folder(PathBuf),
}

/// A form of a file on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Brotli,
    Gzip,
    Identity,
}

impl Encoding {
    fn suffix(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
            Self::Identity => "",
        }
    }

    fn header(self) -> Option<&'static str> {
        match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Identity => None,
        }
    }
}

impl Page {
    /// `base_href` has a slash at both ends.
    pub fn new(source: &PageSource, base_href: &str) -> Self {
        let files = match source {
            PageSource::Embedded => Files::Embedded(embedded::files().iter().copied().collect()),
            PageSource::Folder(folder) => Files::Folder(folder.clone()),
        };
        Self { files, base_href: base_href.to_owned() }
    }

    /// True when there is a page to show.
    pub fn is_built(&self) -> bool {
        self.read(INDEX).is_some()
    }

    /// Answers `GET path`.
    pub fn answer(&self, path: &str, headers: &HeaderMap) -> Response {
        let name = path.trim_start_matches('/');
        let is_inside = name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
        if name == INDEX || name.is_empty() || !is_inside {
            return self.index(headers);
        }
        if let Some(response) = self.file(name, headers) {
            return response;
        }
        if kind(name).is_some() && !wants_a_page(headers) {
            let text = "no such file\n";
            return answer::text_response(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", text);
        }
        self.index(headers)
    }

    fn file(&self, name: &str, headers: &HeaderMap) -> Option<Response> {
        let content_type = kind(name).unwrap_or("application/octet-stream");
        let plain = self.read(name)?;
        let tag = tag_of(&plain);
        let forms = accepted(headers).into_iter();
        let mut forms =
            forms.filter_map(|form| Some((form, self.read(&format!("{name}{}", form.suffix()))?)));
        let (encoding, bytes) = forms.next().unwrap_or((Encoding::Identity, plain));
        let cache = if has_hash(name) { "public, max-age=31536000, immutable" } else { "no-cache" };
        let mut response = kept(headers, &tag, cache, content_type, bytes);
        let vary = HeaderValue::from_static("accept-encoding");
        response.headers_mut().insert(header::VARY, vary);
        if let Some(encoding) = encoding.header() {
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        Some(response)
    }

    /// The entry, with the base href written in and the policy that belongs to it.
    fn index(&self, headers: &HeaderMap) -> Response {
        let html = "text/html; charset=utf-8";
        let Some(bytes) = self.read(INDEX) else {
            return answer::text_response(StatusCode::SERVICE_UNAVAILABLE, html, self.how_to_build());
        };
        let text = with_base(&String::from_utf8_lossy(&bytes), &self.base_href);
        let policy = policy(&text);
        let tag = tag_of(text.as_bytes());
        let mut response = kept(headers, &tag, "no-cache", html, Cow::Owned(text.into_bytes()));
        if let Ok(policy) = HeaderValue::try_from(policy) {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }

    fn how_to_build(&self) -> String {
        let what = match &self.files {
            Files::Embedded(_) => {
                "This program was built without the page. Build it with <code>cargo xtask page</code>, then \
                 build the program again; <code>cargo xtask run</code> does both."
            }
            Files::Folder(_) => {
                "The folder given with <code>--page</code> has no <code>index.html</code>. Build the page \
                 with <code>cargo xtask page</code> and give its folder <code>dist</code>."
            }
        };
        format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Unwind</title>\
             <h1>No page here</h1><p>{what}</p><p>The API answers.</p></html>\n"
        )
    }

    fn read(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match &self.files {
            Files::Embedded(files) => files.get(name).map(|bytes| Cow::Borrowed(*bytes)),
            Files::Folder(folder) => read_below(folder, name).map(Cow::Owned),
        }
    }
}

/// Reads a file only when it lies in the folder, links followed.
fn read_below(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let root = folder.canonicalize().ok()?;
    let path = root.join(name).canonicalize().ok()?;
    path.starts_with(&root).then(|| std::fs::read(path).ok())?
}

/// The answer, or 304 when the client has it already.
fn kept(
    headers: &HeaderMap,
    tag: &str,
    cache: &'static str,
    content_type: &'static str,
    bytes: Cow<'static, [u8]>,
) -> Response {
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let is_known = known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag));
    let (status, body) = match (is_known, bytes) {
        (true, _) => (StatusCode::NOT_MODIFIED, Body::empty()),
        (false, Cow::Borrowed(bytes)) => (StatusCode::OK, Body::from(bytes)),
        (false, Cow::Owned(bytes)) => (StatusCode::OK, Body::from(bytes)),
    };
    let mut response = answer::text_response(status, content_type, body);
    let fields = response.headers_mut();
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        fields.insert(header::ETAG, tag);
    }
    response
}

/// What the client takes, best first.
fn accepted(headers: &HeaderMap) -> Vec<Encoding> {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut accepted = Vec::new();
    for part in values.flat_map(|value| value.split(',')) {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
        if weight == Some(0.0) {
            continue;
        }
        match name.trim() {
            "br" => accepted.insert(0, Encoding::Brotli),
            "gzip" | "*" => accepted.push(Encoding::Gzip),
            _ => {}
        }
    }
    accepted
}

fn wants_a_page(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

/// Content type of what a page is made of; `None`: not a file's name.
fn kind(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "yaml" | "yml" => "application/yaml",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

/// True for a name with a hash of the content in it: eight hex digits or more between marks.
fn has_hash(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let is_hash = |part: &str| {
        part.len() >= 8 && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    file.split(['-', '.', '_']).any(is_hash)
}

/// Writes the base href into the entry: the page takes it as the root of its routes and of the API.
fn with_base(html: &str, base_href: &str) -> String {
    let tag = format!("<base href=\"{base_href}\">");
    if let Some(begin) = find_outside_comments(html, "<base ")
        && let Some(length) = html[begin..].find('>')
    {
        return format!("{}{tag}{}", &html[..begin], &html[begin + length + 1..]);
    }
    match html.find("<head>") {
        Some(at) => format!("{}{tag}{}", &html[..at + 6], &html[at + 6..]),
        None => html.to_owned(),
    }
}

fn find_outside_comments(html: &str, what: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + html[from..].find(what)?;
        match html[from..at].find("<!--") {
            None => return Some(at),
            Some(comment) => from += comment + html[from + comment..].find("-->")?,
        }
    }
}

/// The content security policy of the entry: nothing from elsewhere, and inline only what is in it.
fn policy(html: &str) -> String {
    let scripts = inline_hashes(html, "script");
    let styles = inline_hashes(html, "style");
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'{styles}; \
         worker-src blob:; connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; manifest-src 'self'; \
         base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// ` 'sha256-…'` for each inline element of this tag.
fn inline_hashes(html: &str, tag: &str) -> String {
    let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
    let mut hashes = String::new();
    let mut rest = html;
    while let Some(begin) = rest.find(&open) {
        rest = &rest[begin + open.len()..];
        let Some(end) = rest.find('>') else { break };
        let attributes = &rest[..end];
        rest = &rest[end + 1..];
        let Some(length) = rest.find(&close) else { break };
        let text = &rest[..length];
        if !attributes.contains("src=") && !text.is_empty() {
            hashes.push_str(" 'sha256-");
            hashes.push_str(&STANDARD.encode(Sha256::digest(text)));
            hashes.push('\'');
        }
        rest = &rest[length + close.len()..];
    }
    hashes
}

/// Weak, since the same tag stands for every encoding of these bytes.
fn tag_of(bytes: &[u8]) -> String {
    format!("W/\"{}\"", URL_SAFE_NO_PAD.encode(&Sha256::digest(bytes)[..12]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_href_is_written_in() {
        let html = "<html><head><base data-x href=\"./\"><title>";
        assert_eq!(with_base(html, "/a/"), "<html><head><base href=\"/a/\"><title>");
        let html = "<head><!-- <base href> --><!-- --><base href=\"./\">";
        assert_eq!(with_base(html, "/a/"), "<head><!-- <base href> --><!-- --><base href=\"/a/\">");
        assert_eq!(with_base("<head><title>", "/"), "<head><base href=\"/\"><title>");
    }

    #[test]
    fn what_is_inline_is_allowed_by_its_hash_only() {
        let html =
            "<script src=\"a.js\"></script><script type=\"module\">alert(1)</script><style>p{}</style>";
        let policy = policy(html);
        // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
        assert!(
            policy.contains(
                "script-src 'self' 'wasm-unsafe-eval' 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=';"
            ),
            "{policy}"
        );
        assert!(!policy.contains("unsafe-inline"));
        assert_eq!(policy.matches("sha256-").count(), 2);
    }

    #[test]
    fn the_best_encoding_that_is_taken_is_sent() {
        let of = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, value.parse().expect("a header"));
            accepted(&headers).first().copied()
        };
        assert_eq!(of("gzip, deflate, br"), Some(Encoding::Brotli));
        assert_eq!(of("gzip;q=1.0, br;q=0"), Some(Encoding::Gzip));
        assert_eq!(of("identity"), None);
    }

    #[test]
    fn only_names_with_a_hash_are_kept_for_ever() {
        for name in ["page-0a1b2c3d4e5f6071.js", "page-0a1b2c3d4e5f6071_bg.wasm", "assets/a.0a1b2c3d.css"] {
            assert!(has_hash(name), "{name}");
        }
        for name in ["index.html", "icon.svg", "page-deadbee.js", "facade.css", "0a1b2c3d/page.js"] {
            assert!(!has_hash(name), "{name}");
        }
    }

    #[test]
    fn a_folder_gives_nothing_from_outside() {
        let folder = tempfile::tempdir().expect("a folder");
        let page = folder.path().join("page");
        std::fs::create_dir(&page).expect("a folder");
        std::fs::write(page.join("index.html"), "<head>here").expect("a file");
        std::fs::write(folder.path().join("secret.txt"), "secret").expect("a file");
        std::os::unix::fs::symlink("../secret.txt", page.join("link.txt")).expect("a link");
        let page = Page::new(&PageSource::Folder(page), "/");
        for path in ["/../secret.txt", "/link.txt", "/x/../../secret.txt", "//secret.txt"] {
            let response = page.answer(path, &HeaderMap::new());
            let content_type = response.headers()[header::CONTENT_TYPE].to_str().expect("text");
            assert!(
                response.status() == StatusCode::NOT_FOUND || content_type.starts_with("text/html"),
                "{path}"
            );
        }
    }
}
