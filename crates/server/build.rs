//! Lists `dist/`, the built page, into a table of its bytes. Without it the table is empty and the
//! server says how to build the page.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Beside the page's files: the page in one file, which opens from disk, and the list of files.
const NOT_SENT: [&str; 2] = ["unwind.html", "files.json"];

fn main() -> io::Result<()> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dist = workspace.join("dist");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", dist.display());

    let mut files = Vec::new();
    if dist.is_dir() {
        collect(&dist, "", &mut files)?;
    }
    files.sort();
    let mut table = String::from("static FILES: &[(&str, &[u8])] = &[\n");
    for (name, path) in files {
        // Writing into a String cannot fail.
        let _ = writeln!(table, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    table.push_str("];\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("embedded.rs"), table)
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else if !NOT_SENT.contains(&name.as_str()) {
            files.push((name, entry.path().canonicalize()?));
        }
    }
    Ok(())
}
