//! `unwind token`: what `argo` needs in its environment.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use unwind_server::config::PORT;
use unwind_server::http::read_token;

use crate::settings::DataArgument;

/// Name of the file in the data folder that says where the last server listened.
const ADDRESS_FILE: &str = "address";

/// Arguments of `token`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArgument,
    /// Namespace that argo uses when none is given
    #[arg(long, default_value = "default")]
    namespace: String,
}

/// Prints lines for a shell: `eval "$(unwind token)"`.
pub fn token(arguments: &Arguments) -> Result<ExitCode> {
    let data = arguments.data.folder()?;
    let token =
        read_token(&data).with_context(|| format!("cannot read the token in `{}`", data.display()))?;
    let Some(token) = token else {
        bail!(
            "there is no token in `{}`: start `unwind serve` once, or give its folder with `--data`",
            data.display()
        );
    };
    let namespace = &arguments.namespace;
    if !namespace.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        bail!("`--namespace {namespace}` is not a namespace: letters, digits and `-` only");
    }
    println!("export ARGO_SERVER={}", address(&data));
    println!("export ARGO_HTTP1=true");
    println!("export ARGO_SECURE=false");
    println!("export ARGO_TOKEN='Bearer {token}'");
    println!("export ARGO_NAMESPACE={namespace}");
    println!("export KUBECONFIG=/dev/null");
    Ok(ExitCode::SUCCESS)
}

/// Keeps where the server listens, for `token`. Without it `token` takes the usual port, so a
/// failure to write is no reason not to serve.
pub fn note_address(data: &Path, address: SocketAddr) {
    if let Err(error) = fs::write(data.join(ADDRESS_FILE), format!("{address}\n")) {
        tracing::warn!(%error, "cannot keep the address for `unwind token`");
    }
}

fn address(data: &Path) -> SocketAddr {
    let kept = fs::read_to_string(data.join(ADDRESS_FILE)).ok();
    let kept = kept.and_then(|text| text.trim().parse::<SocketAddr>().ok());
    let mut address = kept.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)));
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}
