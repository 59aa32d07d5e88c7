//! Where in an expression something is wrong, shown as expr-lang shows it.
//!
//! In: the source and a position in characters. Out: `text (line:column)` with the line and a mark below.

/// Something wrong at a place of the source, not yet shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Position in characters.
    pub(super) at: usize,
    /// What is wrong.
    pub(super) text: String,
}

impl Fault {
    pub(super) fn new(at: usize, text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }

    /// The text with line, column and snippet; the text alone where the line is empty.
    /// Source: expr-lang `file/error.go`, `Bind` and `format`.
    pub(super) fn show(&self, source: &str) -> String {
        let (mut line, mut column, mut start) = (1, 0, 0);
        for (count, (byte, character)) in source.char_indices().enumerate() {
            if count == self.at {
                break;
            }
            if character == '\n' {
                line += 1;
                column = 0;
                start = byte + 1;
            } else {
                column += 1;
            }
        }
        let shown = source[start..].split('\n').next().unwrap_or_default();
        if shown.is_empty() {
            return self.text.clone();
        }
        let (shown, dots) = (shown.replace('\t', " "), ".".repeat(column));
        format!("{} ({line}:{})\n | {shown}\n | {dots}^", self.text, column + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Fault;

    #[test]
    fn a_fault_is_shown_below_its_line() {
        let fault = Fault::new(7, "odd");
        assert_eq!(fault.show("one\ntwo\tthree"), "odd (2:4)\n | two three\n | ...^");
        assert_eq!(fault.show(""), "odd");
    }
}
