//! The workspace on disk and the programs started in it.
//!
//! Every program is started from the workspace's root, its command line is printed first, and one that fails
//! ends the xtask with a sentence that names it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

/// Where things are.
pub struct Workspace {
    /// The folder of the root `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's target folder, wherever the environment puts it.
    pub target: PathBuf,
}

impl Workspace {
    /// Finds the workspace around the current folder.
    pub fn find() -> Result<Self> {
        let metadata = MetadataCommand::new()
            .no_deps()
            .exec()
            .context("no Cargo workspace here: run `cargo xtask` inside the repository")?;
        Ok(Self {
            root: metadata.workspace_root.clone().into_std_path_buf(),
            target: metadata.target_directory.clone().into_std_path_buf(),
        })
    }

    /// The page as built.
    pub fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// A `cargo` command, the same cargo that started the xtask.
    pub fn cargo(&self) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        self.program(cargo)
    }

    /// Any other program.
    pub fn program(&self, name: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(name);
        command.current_dir(&self.root);
        command
    }
}

/// Runs a command to its end; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let line = command_line(command);
    eprintln!("$ {line}");
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// Runs a command to its end and gives its standard output, without white space at the end.
pub fn output(command: &mut Command) -> Result<String> {
    let line = command_line(command);
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` ended with {}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// The first of `names` that is a program on PATH.
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| is_file(file))
}

fn is_file(file: &Path) -> bool {
    file.is_file() || file.with_extension("exe").is_file()
}

fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program()).to_string_lossy();
    let mut line = name.into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
