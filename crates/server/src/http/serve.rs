//! A server on its port: bind, say where, answer until told to close.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;

use super::router::{App, router};
use crate::backend::LocalBackend;
use crate::config::{ConfigError, HttpConfig};

/// How long a closing server waits for readers of its answers.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that has its port and waits for `run`.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    base_href: String,
    app: Arc<App>,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The settings contradict each other.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Somebody else listens there.
    #[error(
        "port {} of {} is taken by another program; stop that one, or choose another with \
         `--listen {}:{}`", .listen.port(), .listen.ip(), .listen.ip(), .listen.port().wrapping_add(1)
    )]
    Taken {
        /// The address.
        listen: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {listen}: {source}; choose another address with `--listen`")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The token cannot be read or made.
    #[error("cannot keep the token in `{}`: {source}; choose another folder with `--data`", .data.display())]
    Token {
        /// The data folder.
        data: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Server {
    /// Takes the port of `config`; nothing is answered before `run`.
    pub async fn bind(config: HttpConfig, backend: LocalBackend) -> Result<Self, StartError> {
        let mut config = config.check()?;
        let listen = config.listen;
        let listener = TcpListener::bind(listen).await.map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => StartError::Taken { listen },
            _ => StartError::Listen { listen, source },
        })?;
        let address = listener.local_addr().map_err(|source| StartError::Listen { listen, source })?;
        config.listen = address;
        let app = App::new(&config, backend)
            .map_err(|source| StartError::Token { data: config.data.clone(), source })?;
        Ok(Self { listener, address, base_href: config.base_href, app: Arc::new(app) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a person opens in a browser, with the one-time code.
    pub fn url(&self) -> String {
        let ip = self.address.ip();
        let host = if ip.is_unspecified() { "localhost".to_owned() } else { host_text(self.address) };
        let url = format!("http://{host}:{}{}", self.address.port(), self.base_href);
        match self.app.code() {
            Some(code) => format!("{url}?code={code}"),
            None => url,
        }
    }

    /// True when there is a page to show.
    pub fn has_page(&self) -> bool {
        self.app.page.is_built()
    }

    /// Answers until `until` completes; then streams end, and what is being answered is finished,
    /// unless its reader takes too long.
    pub async fn run(self, until: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let app = self.app.clone();
        let closed = self.app.closed();
        let closing = async move {
            until.await;
            app.close();
        };
        let served = axum::serve(self.listener, router(self.app)).with_graceful_shutdown(closing);
        let too_late = async {
            closed.await;
            tokio::time::sleep(PATIENCE).await;
        };
        tokio::select! {
            ended = served => ended,
            () = too_late => Ok(()),
        }
    }
}

fn host_text(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(v4) => v4.ip().to_string(),
        SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
    }
}
