//! Compiles the page's program to WASM and makes its JavaScript glue.
//!
//! wasm-bindgen is linked as a library of the same version as in `Cargo.lock`, so a machine needs nothing but
//! cargo. wasm-opt is used where it is found on PATH; the page works without.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use wasm_bindgen_cli_support::Bindgen;

use super::Mode;
use super::entry::RustLink;
use super::glue::{self, Slim};
use crate::workspace::{self, Workspace};

/// What the page is compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The page's program, ready for a browser.
pub struct Program {
    pub wasm: Vec<u8>,
    /// ES module that exports `default` (start with an address or bytes) and imports nothing.
    pub glue: String,
}

/// Compiles the program that `link` names.
pub fn build(workspace: &Workspace, link: &RustLink, mode: Mode) -> Result<Program> {
    ensure_target(workspace)?;
    let profile = match mode {
        Mode::Release => link.profile.as_str(),
        Mode::Dev => "dev",
    };
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--package", "unwind-page", "--bin", &link.program]);
    cargo.args(["--target", TARGET, "--profile", profile]);
    workspace::run(&mut cargo)?;
    let mut program = bind(&artifact(workspace, profile, &link.program), mode)?;
    if mode == Mode::Release {
        program.wasm = optimise(workspace, program.wasm)?;
    }
    Ok(program)
}

/// Compiles the engine's module. It needs no glue: its exports are plain functions, and it imports nothing.
pub fn build_engine(workspace: &Workspace, mode: Mode) -> Result<Vec<u8>> {
    const MODULE: &str = "unwind-engine-module";
    ensure_target(workspace)?;
    let profile = match mode {
        Mode::Release => "engine",
        Mode::Dev => "dev",
    };
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--package", MODULE, "--target", TARGET, "--profile", profile]);
    workspace::run(&mut cargo)?;
    let input = artifact(workspace, profile, &MODULE.replace('-', "_"));
    std::fs::read(&input).with_context(|| format!("cannot read {}", input.display()))
}

fn artifact(workspace: &Workspace, profile: &str, name: &str) -> PathBuf {
    let folder = if profile == "dev" { "debug" } else { profile };
    workspace.target.join(TARGET).join(folder).join(format!("{name}.wasm"))
}

/// Adds the WASM target to the toolchain when it is missing.
pub fn ensure_target(workspace: &Workspace) -> Result<()> {
    let mut rustc = workspace.program("rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]);
    let folder = PathBuf::from(workspace::output(&mut rustc)?);
    if folder.is_dir() {
        return Ok(());
    }
    workspace::run(workspace.program("rustup").args(["target", "add", TARGET]))
        .with_context(|| format!("the toolchain lacks the target {TARGET}: install it as your Rust came"))
}

/// Runs wasm-bindgen over a compiled program.
fn bind(input: &Path, mode: Mode) -> Result<Program> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(input)
        .web(true)?
        .typescript(false)
        .omit_default_module_path(true)
        .keep_debug(false)
        .remove_name_section(mode == Mode::Release)
        .remove_producers_section(true);
    let mut output =
        bindgen.generate_output().with_context(|| format!("wasm-bindgen on {}", input.display()))?;
    let snippets = output.snippets().iter().filter(|(_, texts)| !texts.is_empty()).map(|(name, _)| name);
    let foreign: Vec<_> =
        snippets.chain(output.local_modules().keys()).chain(output.npm_dependencies().keys()).collect();
    ensure!(
        foreign.is_empty(),
        "crates of the page bring JavaScript files of their own, which the page in one file cannot import: {foreign:?}"
    );
    let Slim { glue, unused_exports } = glue::slim(output.js());
    let module = output.wasm_mut();
    for name in &unused_exports {
        module.exports.remove(name)?;
    }
    walrus::passes::gc::run(module);
    Ok(Program { wasm: module.emit_wasm(), glue })
}

/// Makes the module smaller with wasm-opt, where there is one.
fn optimise(workspace: &Workspace, wasm: Vec<u8>) -> Result<Vec<u8>> {
    let Some(tool) = workspace::on_path(&["wasm-opt"]) else {
        return Ok(wasm);
    };
    let folder = workspace.target.join("xtask");
    std::fs::create_dir_all(&folder)?;
    let (before, after) = (folder.join("before.wasm"), folder.join("after.wasm"));
    std::fs::write(&before, &wasm)?;
    let mut command = workspace.program(tool);
    command.arg("-Oz").arg(&before).arg("-o").arg(&after);
    if let Err(error) = workspace::run(&mut command) {
        eprintln!("warning: {error:#}; the page is built without it");
        return Ok(wasm);
    }
    let smaller = std::fs::read(&after)?;
    if smaller.is_empty() {
        bail!("wasm-opt wrote an empty file");
    }
    Ok(smaller)
}
