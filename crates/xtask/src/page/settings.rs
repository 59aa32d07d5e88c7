//! The part of `Trunk.toml` that a build needs: where the page's entry is and where the output goes.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

/// What `Trunk.toml` says, as full paths.
pub struct Settings {
    /// The page's entry, `index.html`.
    pub target: PathBuf,
    /// The output folder.
    pub dist: PathBuf,
}

#[derive(Deserialize)]
struct File {
    build: Build,
}

#[derive(Deserialize)]
struct Build {
    target: PathBuf,
    dist: PathBuf,
}

/// Reads `Trunk.toml` in `root`.
pub fn read(root: &Path) -> Result<Settings> {
    let path = root.join("Trunk.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let file: File =
        toml::from_str(&text).context("Trunk.toml: section [build] needs `target` and `dist`")?;
    Ok(Settings { target: root.join(file.build.target), dist: root.join(file.build.dist) })
}
