//! Puts the page together as files: hashed names, relative addresses, no inline script.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::assets::Assets;
use super::boot;
use super::entry::{Entry, Piece};
use super::wasm::Program;

/// The files of the page but `unwind.html`: path below the output folder to file.
pub type Bundle = BTreeMap<String, File>;

/// One file of the page.
pub struct File {
    pub bytes: Vec<u8>,
    /// Its name changes with its bytes, so it may be kept for ever under this name.
    pub hashed: bool,
    /// The page asks for it later, if at all: no part of the first load.
    pub on_demand: bool,
}

/// Makes the bundle; `engine` is the engine's module.
pub fn make(entry: &Entry, assets: &Assets, program: &Program, engine: &[u8]) -> Bundle {
    let mut bundle = Bundle::new();
    let glue = add(&mut bundle, "page", "js", program.glue.clone().into_bytes());
    let wasm = add(&mut bundle, "page", "wasm", program.wasm.clone());
    let engine = add(&mut bundle, "engine", "wasm", engine.to_vec());
    bundle.entry(engine.clone()).and_modify(|file| file.on_demand = true);
    let boot = boot::module(&glue, &wasm, &engine);
    let boot = add(&mut bundle, "boot", "js", boot.into_bytes());
    let style = add(&mut bundle, "page", "css", assets.style.clone().into_bytes());
    let icon =
        assets.icon.as_ref().map(|(extension, bytes)| add(&mut bundle, "icon", extension, bytes.clone()));
    for (path, bytes) in &assets.copies {
        bundle.insert(path.clone(), File { bytes: bytes.clone(), hashed: false, on_demand: false });
    }
    let names = Names { glue: &glue, wasm: &wasm, boot: &boot, style: &style, icon: icon.as_deref() };
    let html = html(entry, &names);
    bundle.insert("index.html".into(), File { bytes: html.into_bytes(), hashed: false, on_demand: false });
    bundle
}

struct Names<'a> {
    glue: &'a str,
    wasm: &'a str,
    boot: &'a str,
    style: &'a str,
    icon: Option<&'a str>,
}

/// The entry with links to the bundle's files in place of trunk's.
fn html(entry: &Entry, names: &Names) -> String {
    let mut out = String::new();
    let mut styled = false;
    for piece in &entry.pieces {
        match piece {
            Piece::Text(text) => push_text(&mut out, text),
            Piece::Base(href) => {
                let _ = write!(out, "<base href=\"{href}\">");
            }
            Piece::Style(_) if styled => {}
            Piece::Style(_) => {
                styled = true;
                let _ = write!(out, "<link rel=\"stylesheet\" href=\"./{}\">", names.style);
            }
            Piece::Icon(_) => {
                let _ = write!(out, "<link rel=\"icon\" href=\"./{}\">", names.icon.unwrap_or_default());
            }
            Piece::Rust => {
                let Names { glue, wasm, boot, .. } = names;
                let _ = write!(
                    out,
                    "<link rel=\"preload\" href=\"./{wasm}\" as=\"fetch\" type=\"application/wasm\" crossorigin>\
                     \n<link rel=\"modulepreload\" href=\"./{glue}\">\
                     \n<script type=\"module\" src=\"./{boot}\"></script>"
                );
            }
            Piece::CopyFile { .. } | Piece::CopyFolder { .. } => {}
        }
    }
    out
}

/// Adds text without the empty lines that dropped links and comments leave behind.
pub fn push_text(out: &mut String, text: &str) {
    let only_space = text.trim().is_empty();
    if only_space && (out.is_empty() || out.ends_with('\n')) {
        return;
    }
    out.push_str(if only_space { "\n" } else { text });
}

/// Adds a file under a name with a hash of its bytes in it and gives the name.
fn add(bundle: &mut Bundle, stem: &str, extension: &str, bytes: Vec<u8>) -> String {
    let digest = Sha256::digest(&bytes);
    let mut name = format!("{stem}-");
    for byte in &digest[..8] {
        let _ = write!(name, "{byte:02x}");
    }
    let _ = write!(name, ".{extension}");
    bundle.insert(name.clone(), File { bytes, hashed: true, on_demand: false });
    name
}
