//! The browser tests: installs what they need and starts node's test runner in `tests/`.
//!
//! The tests get `UNWIND_BIN` (the program), `UNWIND_DIST` (the page) and `CHROMIUM` (the browser).

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::run as server;
use crate::workspace::{Workspace, on_path, output, run};

const BROWSERS: &[&str] =
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const OLDEST_NODE: u32 = 20;

/// Makes sure that node, the npm packages and a browser are there, or says how to get them.
pub fn ensure_tools(workspace: &Workspace) -> Result<()> {
    ensure_node(workspace)?;
    ensure_packages(workspace)?;
    chromium(workspace).map(|_| ())
}

/// Runs the browser tests; with a filter those files whose name holds it, or else those tests.
pub fn test(workspace: &Workspace, filter: Option<&str>) -> Result<()> {
    ensure_node(workspace)?;
    ensure_packages(workspace)?;
    let browser = chromium(workspace)?;
    let program = server::build(workspace, "unwind", false)?;
    let dist = workspace.dist();
    ensure!(dist.join("index.html").is_file(), "no page in dist/: build it with `cargo xtask page`");
    let folder = workspace.root.join("tests");
    let all = test_files(&folder)?;
    let chosen: Vec<_> =
        all.iter().filter(|name| filter.is_none_or(|filter| name.contains(filter))).collect();
    let mut node = workspace.program("node");
    node.current_dir(&folder).args([
        "--test",
        "--test-reporter=spec",
        "--test-concurrency=1",
        "--test-timeout=900000",
    ]);
    if let Some(filter) = filter.filter(|_| chosen.is_empty()) {
        node.arg(format!("--test-name-pattern={filter}")).args(&all);
    } else {
        node.args(chosen);
    }
    node.env("UNWIND_BIN", program).env("UNWIND_DIST", dist).env("CHROMIUM", browser);
    run(&mut node)
}

fn test_files(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".test.mjs") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn ensure_node(workspace: &Workspace) -> Result<()> {
    let hint = "the browser tests need Node.js 20 or later with npm: https://nodejs.org";
    let version = output(workspace.program("node").arg("--version")).context(hint)?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    ensure!(major.is_some_and(|major| major >= OLDEST_NODE), "{hint}; found {version}");
    Ok(())
}

/// Installs the npm packages that the lock file names, when they are not there yet.
fn ensure_packages(workspace: &Workspace) -> Result<()> {
    let folder = workspace.root.join("tests");
    let lock =
        fs::read(folder.join("package-lock.json")).context("tests/package-lock.json cannot be read")?;
    let installed = folder.join("node_modules/.installed-lock.json");
    if fs::read(&installed).is_ok_and(|old| old == lock) {
        return Ok(());
    }
    let mut npm = workspace.program("npm");
    npm.current_dir(&folder).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    run(&mut npm).context("the browser tests need their npm packages")?;
    fs::write(installed, lock)?;
    Ok(())
}

/// The browser: what `CHROMIUM` names, what PATH has, or what Debian's package installs.
fn chromium(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        let path = PathBuf::from(named);
        ensure!(path.is_file(), "CHROMIUM names {}, which is no file", path.display());
        return Ok(path);
    }
    if let Some(found) = on_path(BROWSERS) {
        return Ok(found);
    }
    if is_root_on_debian(workspace) {
        let apt = |arguments: &[&str]| {
            let mut command = workspace.program("apt-get");
            command.args(["-o", "DPkg::Lock::Timeout=300", "-qq"]).args(arguments);
            command.env("DEBIAN_FRONTEND", "noninteractive");
            run(&mut command)
        };
        apt(&["update"])?;
        apt(&["install", "-y", "--no-install-recommends", "chromium"])?;
        if let Some(found) = on_path(BROWSERS) {
            return Ok(found);
        }
    }
    bail!(
        "the browser tests need Chromium or Chrome: install it (Debian: `apt-get install chromium`), or set the \
         variable CHROMIUM to its program"
    )
}

fn is_root_on_debian(workspace: &Workspace) -> bool {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let debian = release.lines().any(|line| line.trim() == "ID=debian");
    debian && output(workspace.program("id").arg("-u")).is_ok_and(|id| id == "0")
}
