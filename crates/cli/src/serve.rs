//! `unwind serve`: the local engine, the page and Argo's API on one port.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use unwind_server::config::{AuthMode, HttpConfig, PageSource};
use unwind_server::http::Server;

use crate::settings::{DataArgument, Endings, RunnerArguments, block_on, open_backend};
use crate::token;

/// Arguments of `serve`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Address and port; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:2746")]
    listen: SocketAddr,
    #[command(flatten)]
    data: DataArgument,
    /// Who may use it
    #[arg(long, value_enum, default_value_t = Mode::Token)]
    auth_mode: Mode,
    /// Another name that requests may be addressed to, for example that of an ingress
    #[arg(long, value_name = "HOST")]
    allowed_host: Vec<String>,
    /// Path of the page behind an ingress, for example /unwind/
    #[arg(long, value_name = "PATH", default_value = "/")]
    base_href: String,
    /// Serve the page from this folder instead of the one built in
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
    #[command(flatten)]
    runner: RunnerArguments,
    /// Longest body of a request, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 2 << 20)]
    body_limit: usize,
}

/// Who may use the server.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Who has the printed address or the token
    Token,
    /// Anybody on this machine; refused on an address that others can reach
    None,
}

/// Serves until a signal ends it.
pub fn serve(arguments: &Arguments) -> Result<ExitCode> {
    let data = arguments.data.folder()?;
    let mut config = HttpConfig::new(data.clone());
    config.listen = arguments.listen;
    config.auth = match arguments.auth_mode {
        Mode::Token => AuthMode::Token,
        Mode::None => AuthMode::None,
    };
    config.allowed_hosts.clone_from(&arguments.allowed_host);
    config.base_href.clone_from(&arguments.base_href);
    config.page = arguments.page.clone().map_or(PageSource::Embedded, PageSource::Folder);
    config.body_limit = arguments.body_limit;
    let config = config.check()?;
    block_on(async {
        let mut endings = Endings::listen()?;
        let backend = open_backend(data.clone(), &arguments.runner, Vec::new()).await?;
        let server = match Server::bind(config, backend.clone()).await {
            Ok(server) => server,
            Err(error) => {
                backend.close().await;
                return Err(error.into());
            }
        };
        token::note_address(&data, server.address());
        if !server.has_page() {
            eprintln!(
                "This program was built without the page; `cargo xtask page` builds it. The API answers."
            );
        }
        eprintln!("Runs are kept in {}. `unwind token` prints what argo needs. Ctrl-C ends.", data.display());
        // A program that started this one reads the address from here.
        println!("{}", server.url());
        server
            .run(async move {
                endings.next().await;
                eprintln!("Closing. Programs that run go on, and are taken up again at the next start.");
                tokio::spawn(async move {
                    endings.next().await;
                    std::process::exit(130);
                });
            })
            .await
            .context("cannot answer requests any more")?;
        backend.close().await;
        Ok(ExitCode::SUCCESS)
    })
}
