//! The table of behaviours as a page of the docs: made from the source and the rows themselves, and
//! held against `docs/behaviours.md`. `UPDATE_EXPECT=1 cargo test -p unwind-engine behaviours` writes it.

use std::fmt::Write;

use expect_test::expect_file;
use serde_json::{Map, Value};
use unwind_engine::Behaviour;

const SOURCE: &str = include_str!("../../src/behaviour.rs");

/// Releases that differ from one another in some field.
const RELEASES: [&str; 10] =
    ["3.4.10", "3.4.16", "3.5.11", "3.7.0", "3.7.16", "3.7.18", "4.0.8", "4.0.10", "4.1.2", "4.2.0"];

/// The rows in the order of the columns.
fn rows() -> Vec<Behaviour> {
    let releases = RELEASES.iter().map(|release| Behaviour::argo(release));
    std::iter::once(Behaviour::UNWIND).chain(releases).collect()
}

/// A named thing of the source and its doc comment.
struct Item {
    name: String,
    /// Type of a field, empty for others.
    of_type: String,
    doc: String,
}

/// A struct or enum of the source with what is in it.
struct Block {
    head: Item,
    items: Vec<Item>,
}

/// The public structs and enums of a source that is formatted as ours are.
fn blocks(source: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut doc = String::new();
    let mut is_inside = false;
    for line in source.lines() {
        let word = line.trim();
        if let Some(text) = word.strip_prefix("///") {
            doc.push_str(text.strip_prefix(' ').unwrap_or(text));
            doc.push('\n');
        } else if let Some(name) = opened(line) {
            let head = Item { name: name.to_owned(), of_type: String::new(), doc: std::mem::take(&mut doc) };
            blocks.push(Block { head, items: Vec::new() });
            is_inside = true;
        } else if line.starts_with('}') {
            is_inside = false;
        } else if let Some(block) = blocks.last_mut().filter(|_| is_inside && !word.starts_with('#')) {
            let field = word.trim_start_matches("pub ").trim_end_matches(',');
            let (name, of_type) = field.split_once(": ").unwrap_or((field, ""));
            let name = name.split([' ', '(', '{']).next().unwrap_or_default();
            if !doc.is_empty() {
                let doc = std::mem::take(&mut doc);
                block.items.push(Item { name: name.to_owned(), of_type: of_type.to_owned(), doc });
            }
        } else if !word.starts_with('#') {
            doc.clear();
        }
    }
    blocks
}

fn opened(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "))?;
    rest.strip_suffix(" {")
}

/// A value of a row as one word: of a variant with data its name.
fn shown(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Object(variant) => variant.keys().next().cloned().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => value.to_string(),
    }
}

/// One cell. A field that has one value only is for the right order alone: what releases do instead
/// stands in its words.
fn cell(row: &Map<String, Value>, field: &Item, blocks: &[Block]) -> String {
    let values = blocks.iter().find(|block| block.head.name == field.of_type);
    if row["name"] != "unwind" && values.is_some_and(|block| block.items.len() == 1) {
        return "–".to_owned();
    }
    shown(&row[&field.name])
}

fn first_line(doc: &str) -> &str {
    doc.lines().next().unwrap_or_default()
}

/// A doc comment, indented to stand under a list item.
fn rest(doc: &str, indent: &str) -> String {
    let lines: Vec<&str> = doc.lines().skip(1).skip_while(|line| line.is_empty()).collect();
    lines.iter().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n").collect()
}

fn page() -> String {
    let blocks = blocks(SOURCE);
    let rows: Vec<Map<String, Value>> = rows()
        .iter()
        .map(|row| match serde_json::to_value(row) {
            Ok(Value::Object(row)) => row,
            other => panic!("a row is an object, not {other:?}"),
        })
        .collect();
    let table = blocks.iter().find(|block| block.head.name == "Behaviour").expect("the table's struct");
    let fields: Vec<&Item> = table.items.iter().filter(|field| field.name != "name").collect();

    let mut page = String::from(
        "# Behaviours\n\nWhat the right order (`unwind`) and releases of Argo Workflows do, field by field. This page \
         is made from `crates/engine/src/behaviour.rs` by its test; write there.\n\nA field with – is a rule of the \
         right order alone; its words tell what releases do instead.\n\n",
    );
    let names: Vec<String> = rows.iter().map(|row| format!("`{}`", shown(&row["name"]))).collect();
    writeln!(page, "| Field | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len())).expect("text");
    for field in &fields {
        let values: Vec<String> = rows.iter().map(|row| cell(row, field, &blocks)).collect();
        writeln!(page, "| [`{0}`](#{0}) | {1} |", field.name, values.join(" | ")).expect("text");
    }
    for field in &fields {
        write!(page, "\n## {}\n\n{}", field.name, field.doc).expect("text");
        let Some(values) = blocks.iter().find(|block| block.head.name == field.of_type) else { continue };
        let reason = rest(&values.head.doc, "");
        if !reason.is_empty() {
            write!(page, "\n{reason}").expect("text");
        }
        page.push('\n');
        for value in &values.items {
            writeln!(page, "- `{}`: {}", value.name, first_line(&value.doc)).expect("text");
            page.push_str(&rest(&value.doc, "  "));
        }
    }
    page
}

#[test]
fn the_page_of_behaviours_is_what_the_table_says() {
    expect_file!["../../../../docs/behaviours.md"].assert_eq(&page());
}

#[test]
fn every_field_of_every_row_has_words() {
    let blocks = blocks(SOURCE);
    let named = |name: &str| blocks.iter().find(|block| block.head.name == name);
    for field in &named("Behaviour").expect("the table's struct").items {
        assert!(!field.doc.is_empty(), "{} says nothing", field.name);
        for row in rows() {
            let row = serde_json::to_value(row).expect("a row");
            let value = shown(&row[&field.name]);
            if let Some(values) = named(&field.of_type) {
                assert!(values.items.iter().any(|item| item.name == value), "{}: {value}", field.name);
            }
        }
    }
}
