//! Writes the page into the output folder, with a brotli and a gzip form beside each file.
//!
//! A file whose bytes did not change is not touched, so that a server which embeds the folder is not built
//! again for nothing; what no longer belongs to the page is removed. `files.json` lists what a server sends:
//! path, content type, whether the name holds a hash, and the sizes in bytes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use serde::{Deserialize, Serialize};

use super::Mode;
use super::bundle::Bundle;

/// Name of the page in one file, in the output folder. No server sends it as part of the page.
pub const SINGLE: &str = "unwind.html";
/// Name of the list of files, in the output folder.
pub const LIST: &str = "files.json";

/// An entry of `files.json`.
#[derive(Serialize, Deserialize)]
pub struct Listed {
    /// Below the output folder, with `/`.
    pub path: String,
    #[serde(rename = "type")]
    pub content_type: String,
    /// The name changes with the bytes: may be cached for ever.
    pub hashed: bool,
    /// No part of the first load.
    pub on_demand: bool,
    pub bytes: u64,
    pub gzip: u64,
    pub brotli: u64,
}

/// Brings the folder `dist` to hold the page and nothing else.
pub fn write(dist: &Path, bundle: &Bundle, single: String, mode: Mode) -> Result<()> {
    fs::create_dir_all(dist).with_context(|| format!("cannot create {}", dist.display()))?;
    let mut wanted = BTreeMap::new();
    let mut list = Vec::new();
    for (path, file) in bundle {
        let (gzip, brotli) = (gzip(&file.bytes, mode)?, brotli(&file.bytes, mode)?);
        list.push(Listed {
            path: path.clone(),
            content_type: content_type(path.rsplit('.').next().unwrap_or_default()).to_owned(),
            hashed: file.hashed,
            on_demand: file.on_demand,
            bytes: file.bytes.len() as u64,
            gzip: gzip.len() as u64,
            brotli: brotli.len() as u64,
        });
        wanted.insert(path.clone(), file.bytes.clone());
        wanted.insert(format!("{path}.gz"), gzip);
        wanted.insert(format!("{path}.br"), brotli);
    }
    wanted.insert(SINGLE.into(), single.into_bytes());
    let mut text = serde_json::to_string_pretty(&list)?;
    text.push('\n');
    wanted.insert(LIST.into(), text.into_bytes());
    for (path, bytes) in &wanted {
        write_changed(&dist.join(path), bytes)?;
    }
    remove_others(dist, "", &wanted)
}

fn gzip(bytes: &[u8], mode: Mode) -> Result<Vec<u8>> {
    let level = if mode == Mode::Release { Compression::best() } else { Compression::fast() };
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn brotli(bytes: &[u8], mode: Mode) -> Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: if mode == Mode::Release { 11 } else { 2 },
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut out, &parameters)?;
    Ok(out)
}

fn write_changed(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Removes files of earlier builds below `folder`, and folders that are empty after it.
fn remove_others(dist: &Path, folder: &str, wanted: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    for found in fs::read_dir(dist.join(folder))? {
        let found = found?;
        let name = found.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        if found.file_type()?.is_dir() {
            remove_others(dist, &path, wanted)?;
            let _ = fs::remove_dir(found.path()); // not empty: it holds something of the page
        } else if !wanted.contains_key(&path) {
            fs::remove_file(found.path())?;
        }
    }
    Ok(())
}

/// The content type for a file extension.
pub fn content_type(extension: &str) -> &'static str {
    match extension {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "yaml" | "yml" => "application/yaml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::super::bundle::File;
    use super::*;

    fn bundle(files: &[(&str, &str)]) -> Bundle {
        files
            .iter()
            .map(|(path, text)| {
                (
                    (*path).to_owned(),
                    File { bytes: text.as_bytes().to_vec(), hashed: false, on_demand: false },
                )
            })
            .collect()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .expect("folder")
            .map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn folder_holds_the_page_and_nothing_of_an_earlier_one() {
        let folder = tempfile::tempdir().expect("folder");
        let dist = folder.path().join("dist");
        let first = bundle(&[("index.html", "one"), ("samples/deep/a.yaml", "a: 1"), ("old-1.js", "old")]);
        write(&dist, &first, "single".into(), Mode::Dev).expect("written");
        write(&dist, &bundle(&[("index.html", "two")]), "single".into(), Mode::Dev).expect("written");
        assert_eq!(names(&dist), [LIST, "index.html", "index.html.br", "index.html.gz", SINGLE]);
        assert_eq!(fs::read_to_string(dist.join("index.html")).expect("read"), "two");
    }

    #[test]
    fn file_that_did_not_change_is_not_touched() {
        let folder = tempfile::tempdir().expect("folder");
        let page = bundle(&[("index.html", "one")]);
        write(folder.path(), &page, "single".into(), Mode::Release).expect("written");
        let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        for name in names(folder.path()) {
            let file = fs::File::options().write(true).open(folder.path().join(name)).expect("open");
            file.set_modified(old).expect("set");
        }
        write(folder.path(), &page, "single".into(), Mode::Release).expect("written");
        for name in names(folder.path()) {
            let modified =
                fs::metadata(folder.path().join(&name)).and_then(|data| data.modified()).expect("time");
            assert_eq!(modified, old, "{name}");
        }
    }
}
