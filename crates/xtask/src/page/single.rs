//! The page in one file, `unwind.html`, which opens from disk.
//!
//! Style, glue and program stand in the file; it asks for nothing else. It has no `<base>`: from disk the
//! page's own address is the file's, and its routes are `#/…`.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::{Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::GzEncoder};

use super::assets::Assets;
use super::boot;
use super::bundle::push_text;
use super::entry::{Entry, Piece};
use super::wasm::Program;

/// Makes the file's text; `engine` is the engine's module.
pub fn make(entry: &Entry, assets: &Assets, program: &Program, engine: &[u8]) -> Result<String> {
    ensure!(!assets.style.contains("</style"), "a style sheet contains `</style`");
    let mut out = String::new();
    let mut styled = false;
    for piece in &entry.pieces {
        match piece {
            Piece::Text(text) => push_text(&mut out, &without_file_links(text)),
            Piece::Style(_) if styled => {}
            Piece::Style(_) => {
                styled = true;
                let _ = write!(out, "<style>\n{}</style>", assets.style);
            }
            Piece::Icon(_) => {
                if let Some((extension, bytes)) = &assets.icon {
                    let kind = super::write::content_type(extension);
                    let _ = write!(
                        out,
                        "<link rel=\"icon\" href=\"data:{kind};base64,{}\">",
                        STANDARD.encode(bytes)
                    );
                }
            }
            Piece::Rust => {
                let _ = write!(out, "<script type=\"module\">\n{}</script>", script(program, engine)?);
            }
            Piece::Base(_) | Piece::CopyFile { .. } | Piece::CopyFolder { .. } => {}
        }
    }
    Ok(out)
}

/// Glue and program as one inline module.
fn script(program: &Program, engine: &[u8]) -> Result<String> {
    ensure!(
        program.glue.contains("__wbg_init"),
        "the glue has no function `__wbg_init`: wasm-bindgen changed"
    );
    let script = format!("{}\n{}", program.glue, boot::inline(&pack(&program.wasm)?, &pack(engine)?));
    // Inside a script element the HTML reader looks for these two; in JavaScript text the escape means the same.
    Ok(script.replace("</script", "<\\/script").replace("<!--", "<\\!--"))
}

/// Gzip, then base64.
fn pack(bytes: &[u8]) -> Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}

/// Drops the plain link to the web manifest, a file of its own that a page from disk cannot have.
fn without_file_links(text: &str) -> String {
    let Some(start) = text.find("<link rel=\"manifest\"") else {
        return text.to_owned();
    };
    let end = text[start..].find('>').map_or(text.len(), |end| start + end + 1);
    format!("{}{}", &text[..start], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::super::{bundle, entry};
    use super::*;

    const ENTRY: &str = r#"<head>
<base data-trunk-public-url href="./">
<link data-trunk rel="icon" href="icon.svg">
<link data-trunk rel="copy-file" href="x.webmanifest">
<link rel="manifest" href="x.webmanifest">
<link data-trunk rel="css" href="a.css">
<link data-trunk rel="css" href="b.css">
<link data-trunk rel="rust" data-bin="page">
</head>"#;

    fn parts() -> (Entry, Assets, Program) {
        let mut assets = Assets { style: "a{}\nb{}\n".into(), ..Assets::default() };
        assets.icon = Some(("svg".into(), b"<svg/>".to_vec()));
        assets.copies.insert("x.webmanifest".into(), b"{}".to_vec());
        let glue = "/* </script> */ async function __wbg_init() {} export { __wbg_init as default };";
        let program = Program { wasm: b"\0asm".to_vec(), glue: glue.into() };
        (entry::parse(ENTRY).expect("parses"), assets, program)
    }

    #[test]
    fn page_in_one_file_asks_for_nothing_else() {
        let (entry, assets, program) = parts();
        let html = make(&entry, &assets, &program, b"\0asm").expect("made");
        assert!(!html.contains("<base") && !html.contains("manifest") && !html.contains("src="), "{html}");
        assert_eq!(html.matches("href=").count(), html.matches("href=\"data:image/svg+xml;base64,").count());
        assert_eq!(html.matches("</script").count(), 1, "{html}");
        assert!(html.contains("<style>\na{}\nb{}\n</style>"), "{html}");
    }

    #[test]
    fn page_as_files_has_no_inline_script_and_relative_addresses() {
        let (entry, assets, program) = parts();
        let bundle = bundle::make(&entry, &assets, &program, b"\0asm");
        let html = String::from_utf8(bundle["index.html"].bytes.clone()).expect("text");
        assert!(html.contains("<script type=\"module\" src=\"./boot-"), "{html}");
        assert!(html.contains("></script>") && !html.contains("data-trunk"), "{html}");
        assert!(!html.contains("=\"/"), "{html}");
        assert_eq!(html.matches("rel=\"stylesheet\"").count(), 1, "{html}");
        for name in
            html.split(['"', '/']).filter(|part| part.starts_with("page-") || part.starts_with("boot-"))
        {
            assert!(bundle.contains_key(name), "{name} is linked and not there");
        }
    }
}
