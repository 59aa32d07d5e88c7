//! The query of a request, read as Argo's gateway reads it.
//!
//! Dotted names, unknown names ignored, of a repeated name the first counts, booleans as Go's
//! `ParseBool` (Hera sends `True`). Source: grpc-gateway v1 `runtime/query.go`; recorded in
//! `argo-api.md`, section 1. Numbers in exponent form, which the `argo` command makes, are taken.

use unwind_model::Timestamp;

use crate::error::ApiError;
use crate::paths::decode;

/// Names and values in the order they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the text after `?`. The error is Argo's for a `;` or a broken `%`.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let mut pairs = Vec::new();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            if part.contains(';') {
                return Err(ApiError::invalid("invalid semicolon separator in query"));
            }
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            pairs.push((unescape(name)?, unescape(value)?));
        }
        Ok(Self(pairs))
    }

    /// The first value of a name.
    pub fn text(&self, name: &str) -> Option<&str> {
        let pair = self.0.iter().find(|(key, _)| key == name);
        pair.map(|(_, value)| value.as_str())
    }

    /// All values of a name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A truth value; absent is false.
    pub fn flag(&self, name: &str) -> Result<bool, ApiError> {
        match self.text(name) {
            Some("1" | "t" | "T" | "TRUE" | "true" | "True") => Ok(true),
            None | Some("0" | "f" | "F" | "FALSE" | "false" | "False") => Ok(false),
            Some(other) => {
                Err(ApiError::invalid(format!("strconv.ParseBool: parsing {other:?}: invalid syntax")))
            }
        }
    }

    /// A whole number.
    pub fn integer(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        if let Ok(number) = text.parse() {
            return Ok(Some(number));
        }
        match text.parse::<f64>() {
            Ok(number) if number.fract() == 0.0 && number.abs() < 9e15 => Ok(Some(number as i64)),
            _ => Err(ApiError::invalid(format!("strconv.ParseInt: parsing {text:?}: invalid syntax"))),
        }
    }

    /// A point in time.
    pub fn time(&self, name: &str) -> Result<Option<Timestamp>, ApiError> {
        let Some(text) = self.text(name).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let time = Timestamp::parse(text);
        if time.is_none() {
            return Err(ApiError::internal(format!(
                "parsing time {text:?} as RFC 3339, for example `2026-03-02T09:00:00Z`, failed"
            )));
        }
        Ok(time)
    }
}

fn unescape(text: &str) -> Result<String, ApiError> {
    decode(&text.replace('+', " "))
        .ok_or_else(|| ApiError::invalid(format!("invalid URL escape in {text:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query::parse(text).expect("a query")
    }

    #[test]
    fn values_split_at_the_first_equals_sign() {
        let query = query("a.b=metadata.name=x&c=1&c=2&&d");
        assert_eq!(query.text("a.b"), Some("metadata.name=x"));
        assert_eq!(query.text("c"), Some("1"));
        assert_eq!(query.all("c").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(query.text("d"), Some(""));
        assert_eq!(query.text("A.B"), None);
    }

    #[test]
    fn plus_and_percent_are_undone() {
        assert_eq!(query("grep=line+%5B12%5D").text("grep"), Some("line [12]"));
    }

    #[test]
    fn python_booleans_and_exponents_are_taken() {
        let read = query("follow=True&tail=1e+03&bad=yes&worse=x");
        assert_eq!(read.flag("follow"), Ok(true));
        assert_eq!(
            read.integer("tail").map_err(|e| e.message),
            Err("strconv.ParseInt: parsing \"1e 03\": invalid syntax".to_owned())
        );
        assert_eq!(Query::parse("tail=1e%2B03").and_then(|q| q.integer("tail")), Ok(Some(1000)));
        assert!(read.flag("bad").is_err());
        assert!(read.integer("worse").is_err());
    }

    #[test]
    fn semicolons_and_broken_escapes_are_refused() {
        for text in ["a=1;b=2", "a=%zz", "a=%f"] {
            assert_eq!(Query::parse(text).map_err(|e| e.status()), Err(400), "{text}");
        }
    }
}
