//! Settings of the HTTP side: where to listen, who may ask, which page.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// Who may use the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthMode {
    /// Who has the token, or the cookie that the printed address gives.
    Token,
    /// Anybody who can reach the port; only on a loopback address.
    None,
}

/// Where the page comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageSource {
    /// The page that was built into this program.
    Embedded,
    /// A folder that `cargo xtask page` or trunk wrote.
    Folder(PathBuf),
}

/// Settings of the HTTP side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpConfig {
    /// Address and port; port 0 takes any free one.
    pub listen: SocketAddr,
    /// Folder of the token.
    pub data: PathBuf,
    /// Who may use the API.
    pub auth: AuthMode,
    /// Further names (with or without a port) that requests may be addressed to.
    pub allowed_hosts: Vec<String>,
    /// Path of the page behind an ingress, with a slash at both ends.
    pub base_href: String,
    /// Where the page comes from.
    pub page: PageSource,
    /// Longest body of a request, in bytes.
    pub body_limit: usize,
}

/// Port of an Argo Server, and ours.
pub const PORT: u16 = 2746;

impl HttpConfig {
    /// The usual settings: loopback, port 2746, token, the embedded page, bodies up to 2 MiB (a
    /// cluster takes about 1.5 MiB).
    pub fn new(data: PathBuf) -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::from([127, 0, 0, 1]), PORT),
            data,
            auth: AuthMode::Token,
            allowed_hosts: Vec::new(),
            base_href: "/".to_owned(),
            page: PageSource::Embedded,
            body_limit: 2 << 20,
        }
    }

    /// Refuses settings that contradict each other, and brings the base href into its form.
    pub fn check(mut self) -> Result<Self, ConfigError> {
        if self.auth == AuthMode::None && !self.listen.ip().is_loopback() {
            return Err(ConfigError::OpenToAll { listen: self.listen });
        }
        if let Some(host) = self.allowed_hosts.iter().find(|host| !is_host(host)) {
            return Err(ConfigError::BadHost { host: host.clone() });
        }
        let path = self.base_href.trim_matches('/');
        let fits = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
        if !path.chars().all(fits) || path.contains("..") || path.contains("//") {
            return Err(ConfigError::BadBaseHref { base_href: self.base_href });
        }
        self.base_href = if path.is_empty() { "/".to_owned() } else { format!("/{path}/") };
        Ok(self)
    }
}

fn is_host(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    !text.is_empty() && text.chars().all(fits)
}

/// Settings that cannot be used together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No token on an address that others can reach.
    #[error(
        "`--auth-mode none` with `--listen {listen}` would let everybody who reaches this machine run \
         programs on it; use a loopback address such as 127.0.0.1, or `--auth-mode token`"
    )]
    OpenToAll {
        /// The address.
        listen: SocketAddr,
    },
    /// Not the name of a host.
    #[error("`--allowed-host {host}` is not the name of a host; write for example `unwind.example.org`")]
    BadHost {
        /// What was given.
        host: String,
    },
    /// Not a path.
    #[error("`--base-href {base_href}` is not a path; write for example `/unwind/`")]
    BadBaseHref {
        /// What was given.
        base_href: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(change: impl Fn(&mut HttpConfig)) -> Result<HttpConfig, ConfigError> {
        let mut config = HttpConfig::new(PathBuf::from("data"));
        change(&mut config);
        config.check()
    }

    #[test]
    fn no_token_only_on_loopback() {
        let open = |address: &str| {
            checked(|config| {
                config.auth = AuthMode::None;
                config.listen = address.parse().expect("an address");
            })
        };
        assert!(open("127.0.0.1:0").is_ok());
        assert!(open("[::1]:0").is_ok());
        assert!(matches!(open("0.0.0.0:0"), Err(ConfigError::OpenToAll { .. })));
    }

    #[test]
    fn a_base_href_has_slashes_at_both_ends() {
        let base = |text: &str| {
            checked(|config| text.clone_into(&mut config.base_href)).map(|config| config.base_href)
        };
        assert_eq!(base("argo"), Ok("/argo/".to_owned()));
        assert_eq!(base("/a/b/"), Ok("/a/b/".to_owned()));
        assert_eq!(base(""), Ok("/".to_owned()));
        assert!(base("a\"><script>").is_err());
        assert!(base("/../").is_err());
    }

    #[test]
    fn hosts_are_names() {
        let host = |text: &str| checked(|config| config.allowed_hosts = vec![text.to_owned()]);
        assert!(host("unwind.example.org:443").is_ok());
        assert!(host("https://unwind.example.org").is_err());
    }
}
