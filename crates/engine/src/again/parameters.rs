//! `name=value` texts in place of a workflow's arguments.
//! Source: Argo `workflow/util/util.go`, `overrideParameters`.

use thiserror::Error;
use unwind_model::params::{Arguments, Parameter};

/// A text that gives no parameter.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected parameter of the form: NAME=VALUE. Received: {0}")]
pub struct ParameterError(pub String);

/// Puts the given parameters first, in their order, then those that were not given. A name that the
/// workflow does not know is added.
pub(super) fn override_parameters(arguments: &mut Arguments, texts: &[String]) -> Result<(), ParameterError> {
    let mut given = Vec::new();
    for text in texts {
        let (name, value) = text.split_once('=').ok_or_else(|| ParameterError(text.clone()))?;
        given.push(Parameter {
            name: name.to_owned(),
            value: Some(value.to_owned()),
            ..Parameter::default()
        });
    }
    let kept = std::mem::take(&mut arguments.parameters);
    let count = given.len();
    for parameter in kept {
        if given[..count].iter().all(|each| each.name != parameter.name) {
            given.push(parameter);
        }
    }
    arguments.parameters = given;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: &str) {
        let mut arguments: Arguments = unwind_model::json::read(
            r#"{"parameters":[{"name":"fruit","value":"pear","enum":["pear"]},{"name":"size","value":"2"}]}"#,
        )
        .expect("arguments");
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let found = match override_parameters(&mut arguments, &texts) {
            Ok(()) => serde_json::to_string(&arguments).expect("text"),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn given_parameters_come_first_and_replace() {
        check(
            &["size=3=4", "new="],
            r#"{"parameters":[{"name":"size","value":"3=4"},{"name":"new","value":""},{"name":"fruit","value":"pear","enum":["pear"]}]}"#,
        );
        check(
            &["fruit=plum"],
            r#"{"parameters":[{"name":"fruit","value":"plum"},{"name":"size","value":"2"}]}"#,
        );
        check(&["fruit"], "expected parameter of the form: NAME=VALUE. Received: fruit");
    }
}
