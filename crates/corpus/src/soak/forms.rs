//! Texts of YAML that are made up: small ones of everything there is, and those that are known to be dangerous.

use std::fmt::Write as _;

use crate::numbers::Numbers;

/// Longest of the dangerous texts in bytes.
const LONGEST: usize = 512 << 10;

/// Names of keys; some of them are read.
const KEYS: [&str; 14] = [
    "apiVersion",
    "kind",
    "metadata",
    "spec",
    "status",
    "templates",
    "name",
    "dag",
    "tasks",
    "items",
    "a",
    "<<",
    "'x y'",
    "? z",
];

const SCALARS: [&str; 24] = [
    "Workflow",
    "List",
    "~",
    "true",
    "no",
    "0755",
    "0x1F",
    "1e3",
    ".inf",
    "-.INF",
    ".nan",
    "2026-03-02",
    "1:30",
    "''",
    "\"\\n\\u00e9\"",
    "plain text",
    "'it''s'",
    "!!int '5'",
    "!!float 1",
    "!!binary aGk=",
    "!!null ''",
    "!own x",
    "-0",
    "12345678901234567890123",
];

/// A made-up document, or some.
pub fn yaml(numbers: &mut Numbers) -> String {
    let mut text = String::new();
    for _ in 0..=numbers.length(4) {
        if numbers.one_in(4) {
            text += numbers.pick(&[
                "---\n",
                "--- # more\n",
                "...\n",
                "%YAML 1.2\n---\n",
                "%TAG ! tag:x,1:\n---\n",
            ]);
        }
        let mut maker = Maker { numbers, text, anchors: 0, left: 200 };
        maker.block(0);
        text = maker.text;
    }
    text
}

struct Maker<'a> {
    numbers: &'a mut Numbers,
    text: String,
    anchors: usize,
    left: usize,
}

impl Maker<'_> {
    /// A value in block style; the text stands at the begin of a line.
    fn block(&mut self, indent: usize) {
        let is_list = self.numbers.one_in(3);
        for _ in 0..=self.numbers.length(6) {
            self.text.extend(std::iter::repeat_n(' ', indent));
            if is_list {
                self.text += "- ";
            } else {
                let key = self.numbers.pick(&KEYS);
                self.text += key;
                self.text += if self.numbers.one_in(30) { ":" } else { ": " };
            }
            self.value(indent);
        }
    }

    /// A value behind a key or a dash, and the end of its line.
    fn value(&mut self, indent: usize) {
        self.left = self.left.saturating_sub(1);
        if self.numbers.one_in(8) {
            self.anchors += 1;
            let _ = write!(self.text, "&a{} ", self.anchors);
        }
        match self.numbers.below(if self.left == 0 { 6 } else { 10 }) {
            0..4 => self.text += self.numbers.pick(&SCALARS),
            4 if self.anchors > 0 => {
                let anchor = 1 + self.numbers.below(self.anchors);
                let _ = write!(self.text, "*a{anchor}");
            }
            4 | 5 => self.block_text(indent),
            6 | 7 => self.flow(0),
            _ => {
                self.text.push('\n');
                let more = indent + 1 + self.numbers.below(3);
                return self.block(more);
            }
        }
        if self.numbers.one_in(12) {
            self.text += " # said";
        }
        self.text.push('\n');
    }

    fn block_text(&mut self, indent: usize) {
        self.text += self.numbers.pick(&["|", ">", "|-", ">+", "|2", ">1-", "|-9", "| # said"]);
        for _ in 0..self.numbers.length(5) {
            self.text.push('\n');
            let spaces = (indent + 1 + self.numbers.below(4)).saturating_sub(self.numbers.below(3));
            self.text.extend(std::iter::repeat_n(' ', spaces));
            self.text +=
                self.numbers.pick(&["a line", "", "\t", "{{inputs.parameters.x}}", "# none", "- x", "k: v"]);
        }
    }

    fn flow(&mut self, depth: usize) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 || depth > 8 {
            self.text += self.numbers.pick(&SCALARS);
            return;
        }
        let (open, close) = if self.numbers.one_in(2) { ("[", "]") } else { ("{", "}") };
        self.text += open;
        for index in 0..self.numbers.length(5) {
            if index > 0 {
                self.text += self.numbers.pick(&[", ", ",", ",\n "]);
            }
            if open == "{" || self.numbers.one_in(6) {
                self.text += self.numbers.pick(&KEYS);
                self.text += ": ";
            }
            match self.numbers.below(4) {
                0 => self.flow(depth + 1),
                _ => self.text += self.numbers.pick(&SCALARS),
            }
        }
        self.text += close;
    }
}

/// Deep, long, wide, or small and meant to grow.
pub fn dangerous(numbers: &mut Numbers) -> String {
    match numbers.below(6) {
        0 => deep(numbers),
        1 => bomb(numbers),
        2 => indented(numbers),
        3 => many(numbers),
        4 => long(numbers),
        _ => keys(numbers),
    }
}

/// Openings without an end, or with one.
fn deep(numbers: &mut Numbers) -> String {
    let pairs: [(&str, &str); 14] = [
        ("[", "]"),
        ("{", "}"),
        ("{a: ", "}"),
        ("[{a: ", "}]"),
        ("- ", ""),
        ("? ", ""),
        ("- ? ", ""),
        ("a: [", "]"),
        ("&a ", ""),
        ("!!seq [", "]"),
        ("\"", "\""),
        ("'", ""),
        ("[[], ", "]"),
        ("{\"a\":", "}"),
    ];
    let (open, close) = pairs[numbers.below(pairs.len())];
    let count = numbers.length(200_000);
    let ends = if numbers.one_in(2) { count } else { numbers.length(count) };
    open.repeat(count) + "x" + &close.repeat(ends)
}

/// Aliases of aliases, as lists, maps or merges.
fn bomb(numbers: &mut Numbers) -> String {
    let (levels, width) = (2 + numbers.below(40), 1 + numbers.below(12));
    let kind = numbers.below(3);
    let mut text = String::from(if kind == 2 { "a0: &a0 {k0: 1, k1: 2}\n" } else { "a0: &a0 [x, y, z]\n" });
    for level in 1..levels {
        let before = format!("*a{}", level - 1);
        let inside = match kind {
            0 => format!("[{}]", vec![before; width].join(", ")),
            1 => {
                let entries: Vec<String> = (0..width).map(|index| format!("k{index}: {before}")).collect();
                format!("{{{}}}", entries.join(", "))
            }
            _ => {
                let entries: Vec<String> =
                    (0..width).map(|index| format!("l{level}k{index}: {before}")).collect();
                format!("{{<<: [{before}, {before}], {}}}", entries.join(", "))
            }
        };
        let _ = writeln!(text, "a{level}: &a{level} {inside}");
    }
    text
}

/// Each line deeper than the one before.
fn indented(numbers: &mut Numbers) -> String {
    let depth = numbers.length(1_500);
    let opening = numbers.pick(&["a:", "-", "- a:", "? a\n", "a: &x", "- - -"]);
    let mut text = String::new();
    for level in 0..depth {
        text.extend(std::iter::repeat_n(' ', level * 2));
        text += opening;
        text.push('\n');
    }
    text
}

/// Many small ones of a kind.
fn many(numbers: &mut Numbers) -> String {
    let piece = numbers.pick(&[
        "---\n",
        "--- a\n...\n",
        "# said\n",
        "\n",
        "- \n",
        "- a\n",
        "- {}\n",
        "- []\n",
        "- &a x\n",
        "- *a\n",
        "[],",
        "{},",
        "a,",
        "a: b,",
        "- ? a\n",
        "- - a\n",
        "- |\n",
        "- |\n  x\n",
        "- >\n\n  x\n\n",
        "- 'x'\n",
        "- \"x\\\n  y\"\n",
        "%A b\n",
        "\t\n",
        "  x\n",
        " \\\n",
        "- !t x\n",
        "a: b\n",
        "? \n",
        "&a\n",
        "!a\n",
    ]);
    let before = numbers.pick(&["", "[", "{", "- &a [1, 2, 3]\n", "a: |\n", "\"", "x\n", "b: >\n", "---\n"]);
    let count = numbers.length(LONGEST / piece.len().max(1));
    before.to_owned() + &piece.repeat(count)
}

/// One long token.
fn long(numbers: &mut Numbers) -> String {
    let length = numbers.length(LONGEST);
    let character = numbers.pick(&[
        "a",
        "é",
        " ",
        "\t",
        "#",
        "'",
        "\\\\",
        "0",
        "1",
        "-",
        "a ",
        "a\n ",
        "\n ",
        "\u{1f600}",
        "x: y ",
    ]);
    let (before, after) = [
        ("", ""),
        ("a: ", "\n"),
        ("\"", "\""),
        ("'", "'"),
        ("a: |\n ", "\n"),
        ("a: >\n ", "\n"),
        ("? ", "\n: x\n"),
        ("&", " x"),
        ("!<", "> x"),
        ("# ", "\na: b"),
        ("[", "]"),
        ("- ", ": x"),
    ][numbers.below(12)];
    before.to_owned() + &character.repeat(length / character.len().max(1)) + after
}

/// A map of many keys, some of them equal, perhaps merged again and again.
fn keys(numbers: &mut Numbers) -> String {
    let count = numbers.length(60_000);
    let different = 1 + numbers.length(count.max(1));
    let is_merged = numbers.one_in(3);
    let mut text = String::from(if is_merged { "base: &b {" } else { "m: {" });
    for index in 0..count {
        let _ = write!(text, "k{}: {index}, ", index % different);
    }
    text += "}\n";
    if is_merged {
        text += "use:\n";
        text += &"  <<: *b\n".repeat(numbers.length(400));
    }
    text
}
