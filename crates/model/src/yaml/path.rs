//! JSON paths of values in a document: `spec.templates[2].metadata.labels['a.b']`.

use std::fmt;

/// One part of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A key of a map.
    Key(String),
    /// An index of a list.
    Index(usize),
}

/// Where a value stands in its document; empty for the document itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub Vec<Segment>);

impl Path {
    /// Reads the text form. What is not understood becomes part of a key, so it finds nothing.
    pub fn parse(text: &str) -> Self {
        let mut segments = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(quoted) = rest.strip_prefix("['")
                && let Some(end) = quoted.find("']")
            {
                segments.push(Segment::Key(quoted[..end].to_owned()));
                rest = &quoted[end + 2..];
            } else if let Some(inside) = rest.strip_prefix('[')
                && let Some((number, after)) = inside.split_once(']')
                && let Ok(index) = number.parse()
            {
                segments.push(Segment::Index(index));
                rest = after;
            } else {
                rest = rest.strip_prefix('.').unwrap_or(rest);
                let end = rest.find(['.', '[']).unwrap_or(rest.len()).max(1).min(rest.len());
                segments.push(Segment::Key(rest[..end].to_owned()));
                rest = &rest[end..];
            }
        }
        Self(segments)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) if key.is_empty() || key.contains(['.', '[', ']', '\'']) => {
                    write!(f, "['{key}']")?;
                }
                Segment::Key(key) if at == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Path;

    #[test]
    fn paths_go_in_and_out() {
        for text in [
            "spec",
            "spec.templates[2].dag.tasks[0].withItems",
            "metadata.labels['workflows.argoproj.io/phase']",
            "[0].spec",
            "spec.steps[1][0]",
        ] {
            assert_eq!(Path::parse(text).to_string(), text);
        }
        assert_eq!(Path::parse("a..b[x]").0.len(), Path::parse("a..b[x]").0.len());
    }
}
