//! The page build: `index.html` and `Trunk.toml`, which trunk reads too, become `dist/`.
//!
//! No step here may be needed for the page to work: what trunk builds from the same two files works as well.
//! What this build adds is small files (compression, no name section, wasm-opt where found), no inline script
//! (so that a strict Content-Security-Policy holds) and `unwind.html`, the page in one file.

mod assets;
mod boot;
mod bundle;
mod entry;
mod glue;
mod settings;
mod single;
pub mod size;
mod wasm;
mod write;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

pub use wasm::{TARGET, ensure_target};

use crate::workspace::Workspace;

/// How much care the build takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Small files: Cargo profile of `data-cargo-profile-release`, best compression.
    Release,
    /// Soon: Cargo profile `dev`, fast compression.
    Dev,
}

impl Mode {
    pub fn from_dev(dev: bool) -> Self {
        if dev { Self::Dev } else { Self::Release }
    }
}

/// Name under which the page finds the engine's module where nothing tells it another.
const ENGINE: &str = "unwind_engine_module.wasm";

/// Builds the engine's module alone, into `folder`, and gives its path.
pub fn engine(workspace: &Workspace, folder: &Path, mode: Mode) -> Result<PathBuf> {
    let path = folder.join(ENGINE);
    std::fs::write(&path, wasm::build_engine(workspace, mode)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// Builds the page and prints the size of each file.
pub fn build(workspace: &Workspace, mode: Mode) -> Result<()> {
    let settings = settings::read(&workspace.root)?;
    let entry = entry::read(&settings.target)?;
    let program = wasm::build(workspace, &entry.rust, mode)?;
    let engine = wasm::build_engine(workspace, mode)?;
    let assets = assets::read(&settings.target, &entry)?;
    let bundle = bundle::make(&entry, &assets, &program, &engine);
    let single = single::make(&entry, &assets, &program, &engine)?;
    write::write(&settings.dist, &bundle, single, mode)?;
    size::report(&settings.dist)
}
