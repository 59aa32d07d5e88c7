//! Whom a request is addressed to and where it comes from: `Host` and `Origin`.
//!
//! A page of any site may send requests to a local port, and a name of any site may be made to point
//! there. So only known names are answered, and of requests that name their origin only our own.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, Uri, header};
use unwind_api::{ApiError, Code};

/// The names this server answers to.
#[derive(Clone, Debug)]
pub struct Guard {
    listen: SocketAddr,
    allowed: Vec<String>,
}

impl Guard {
    /// `allowed`: names beside those of the loopback, with or without a port.
    pub fn new(listen: SocketAddr, allowed: &[String]) -> Self {
        Self { listen, allowed: allowed.iter().map(|host| host.to_ascii_lowercase()).collect() }
    }

    /// Refuses a request that is addressed to another name, or comes from another site.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
        let host = host_of(uri, headers)?;
        if !self.is_known(&host) {
            return Err(refused(format!(
                "this server does not answer to the host {host:?}: use the address that `unwind serve` \
                 printed, or start it with `--allowed-host {}`",
                name_of(&host)
            )));
        }
        let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
        let origin = match headers.get(header::ORIGIN) {
            None if site == Some("cross-site") && !is_navigation(headers) => "another site",
            None => return Ok(()),
            Some(value) => value.to_str().unwrap_or("an unreadable origin"),
        };
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        let authority = authority.map(str::to_ascii_lowercase);
        let is_own = authority.is_some_and(|authority| authority == host || self.allowed_names(&authority));
        if is_own {
            return Ok(());
        }
        Err(refused(format!(
            "requests of pages from {origin} are not answered: only the page of this server may use it"
        )))
    }

    fn is_known(&self, host: &str) -> bool {
        let name = name_of(host);
        if name == "localhost" || self.allowed_names(host) {
            return true;
        }
        match name.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || address == self.listen.ip(),
            Err(_) => false,
        }
    }

    fn allowed_names(&self, host: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed == host || allowed == name_of(host))
    }
}

fn host_of(uri: &Uri, headers: &HeaderMap) -> Result<String, ApiError> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok(),
        (None, None) => uri.authority().map(axum::http::uri::Authority::as_str),
        (_, Some(_)) => None,
    };
    host.map(str::to_ascii_lowercase).ok_or_else(|| ApiError::invalid("the request needs one `Host` header"))
}

/// A person followed a link: nothing of the answer can be read by the other site.
fn is_navigation(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate")
}

/// The host without its port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    }
}

fn refused(message: String) -> ApiError {
    ApiError::new(Code::PermissionDenied, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(listen: &str, allowed: &[&str], pairs: &[(&str, &str)]) -> Result<(), u16> {
        let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        let guard = Guard::new(listen.parse().expect("an address"), &allowed);
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name: header::HeaderName = name.parse().expect("a name");
            headers.append(name, value.parse().expect("a value"));
        }
        guard.check(&Uri::from_static("/api/v1/version"), &headers).map_err(|error| error.status())
    }

    #[test]
    fn only_known_names_are_answered() {
        let host = |host: &str| check("127.0.0.1:2746", &["unwind.example.org"], &[("host", host)]);
        for known in [
            "127.0.0.1:2746",
            "localhost:8080",
            "LOCALHOST",
            "[::1]:2746",
            "127.0.0.2",
            "unwind.example.org",
            "Unwind.Example.Org:443",
        ] {
            assert_eq!(host(known), Ok(()), "{known}");
        }
        for strange in
            ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "::1x", ""]
        {
            assert_eq!(host(strange), Err(403), "{strange}");
        }
        assert_eq!(check("127.0.0.1:2746", &[], &[]), Err(400));
        assert_eq!(check("10.0.0.1:2746", &[], &[("host", "10.0.0.1:2746")]), Ok(()));
    }

    #[test]
    fn only_our_own_pages_are_answered() {
        let from = |origin: &str| {
            check(
                "127.0.0.1:2746",
                &["unwind.example.org"],
                &[("host", "127.0.0.1:2746"), ("origin", origin)],
            )
        };
        for own in ["http://127.0.0.1:2746", "https://unwind.example.org"] {
            assert_eq!(from(own), Ok(()), "{own}");
        }
        for other in [
            "http://evil.example",
            "http://127.0.0.1:8080",
            "http://localhost:2746",
            "null",
            "127.0.0.1:2746",
            "file://127.0.0.1:2746",
        ] {
            assert_eq!(from(other), Err(403), "{other}");
        }
    }

    #[test]
    fn another_site_may_link_here_but_not_call() {
        let cross = |mode: &str| {
            check(
                "127.0.0.1:2746",
                &[],
                &[("host", "localhost"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", mode)],
            )
        };
        assert_eq!(cross("navigate"), Ok(()));
        assert_eq!(cross("no-cors"), Err(403));
    }
}
