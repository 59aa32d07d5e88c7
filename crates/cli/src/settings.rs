//! What several commands share: the data folder, the shim, the runtime, the signals.

use std::env;
use std::ffi::OsString;
use std::future::Future;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::Value;
use tokio::signal::unix::{Signal, SignalKind, signal};
use unwind_server::backend::{LocalBackend, LocalConfig, ShimProgram};

use crate::document;

/// The hidden command under which the program of a leaf runs.
pub const SHIM: &str = "shim";

/// Where things are kept.
#[derive(Args, Clone, Debug)]
pub struct DataArgument {
    /// Folder of everything that lasts [default: unwind in the platform's state folder]
    #[arg(long, value_name = "DIR", env = "UNWIND_DATA")]
    data: Option<PathBuf>,
}

impl DataArgument {
    /// The folder that was given, if one was.
    pub fn given(&self) -> Option<PathBuf> {
        self.data.clone()
    }

    /// The folder that was given, or the platform's: `$XDG_STATE_HOME/unwind`, otherwise
    /// `~/.local/state/unwind`.
    pub fn folder(&self) -> Result<PathBuf> {
        if let Some(data) = &self.data {
            return Ok(data.clone());
        }
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        // A relative XDG_STATE_HOME is to be ignored (XDG Base Directory Specification).
        let state = set("XDG_STATE_HOME").filter(|path| path.is_absolute());
        let state = state.or_else(|| Some(set("HOME")?.join(".local/state")));
        let state =
            state.context("HOME is not set, so there is no folder for data: give one with `--data DIR`")?;
        Ok(state.join("unwind"))
    }
}

/// How programs are run and ended.
#[derive(Args, Clone, Debug)]
pub struct RunnerArguments {
    /// Seconds between asking a program to end and killing it
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    grace: f64,
    /// Most programs that run at once; the others wait
    #[arg(long, value_name = "COUNT", default_value_t = 256, value_parser = at_least_one)]
    programs: usize,
    /// Most workflows of one namespace that run at once; the others wait [default: no limit]
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    workflows: Option<usize>,
    /// Config maps and templates that workflows refer to, YAML or JSON
    #[arg(long, value_name = "FILE")]
    resources: Vec<PathBuf>,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "write a number from 1 on".to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=86_400.0).contains(&seconds) => Ok(seconds),
        Ok(_) | Err(_) => Err("write a number of seconds from 0 to 86400".to_owned()),
    }
}

impl RunnerArguments {
    fn grace_ms(&self) -> u64 {
        (self.grace * 1000.0) as u64
    }
}

/// Opens the embedded engine on a data folder; leaves run under this same program.
pub async fn open_backend(
    data: PathBuf,
    runner: &RunnerArguments,
    resources: Vec<Value>,
) -> Result<LocalBackend> {
    let program = env::current_exe().context("cannot find the path of this program")?;
    let shim = ShimProgram { program, args: vec![OsString::from(SHIM)] };
    let mut config = LocalConfig::new(data, shim);
    config.grace_ms = runner.grace_ms();
    config.places = runner.programs;
    config.parallelism = runner.workflows;
    config.resources = resources;
    for file in &runner.resources {
        config.resources.extend(document::values(file)?);
    }
    Ok(LocalBackend::open(config).await?)
}

/// Runs `work` to its end.
pub fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.context("cannot start threads")?.block_on(work)
}

/// The signals that ask this program to end.
pub struct Endings {
    interrupt: Signal,
    terminate: Signal,
}

impl Endings {
    /// From now on these signals no longer end the program by themselves.
    pub fn listen() -> Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
