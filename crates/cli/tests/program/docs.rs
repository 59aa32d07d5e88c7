//! `docs/cli.md`: what it shows is what the program prints. `UPDATE_EXPECT=1` writes it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::process::{Place, Said};

/// The page with the output of every command as it is now.
fn page(text: &str, place: &Place) -> String {
    let mut page = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        page.push_str(line);
        page.push('\n');
        if let Some(name) = line.strip_prefix("```yaml ") {
            let mut file = String::new();
            for line in lines.by_ref().take_while(|line| *line != "```") {
                let _ = writeln!(file, "{line}");
            }
            page.push_str(&file);
            page.push_str("```\n");
            place.file(name, &file);
        } else if line == "```console" {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                let Said { code, out, err } = said(place, command);
                let _ = write!(page, "$ {command}\n{out}{err}");
                if code != Some(0) {
                    let _ = writeln!(page, "[exit code {}]", code.unwrap_or(-1));
                }
            }
            page.push_str("```\n");
        }
    }
    page
}

fn said(place: &Place, command: &str) -> Said {
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let mut program = place.program(&words);
    let output = program.current_dir(place.folder()).output().expect("the program");
    Said::from(output)
}

#[test]
fn the_page_shows_what_the_program_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let text = fs::read_to_string(&path).expect("the page");
    let now = page(&text, &Place::new());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &now).expect("the page can be written");
    } else {
        assert!(now == text, "run it with UPDATE_EXPECT=1 to write {}", path.display());
    }
}
