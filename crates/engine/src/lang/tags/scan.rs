//! Where tags begin and end.
//! Source: `valyala/fasttemplate`, `Template.Reset`.

use std::ops::Range;

use super::TagError;

/// The ranges of what stands between `{{` and `}}`, in order. An expression begins with `=`.
pub fn tags(template: &str) -> Result<Vec<Range<usize>>, TagError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = template[at..].find("{{") {
        let begin = at + begin + 2;
        let Some(length) = template[begin..].find("}}") else {
            return Err(TagError::Unclosed {
                template: template.to_owned(),
                rest: template[begin..].to_owned(),
            });
        };
        found.push(begin..begin + length);
        at = begin + length + 2;
    }
    Ok(found)
}
