//! Conditions and validation of a `CronWorkflow` by the engine's own languages.
//! Source: Argo `workflow/cron/operator.go`, `checkStopingCondition`, `evalWhen`, `shouldExecute`.
//!
//! Two things that are errors in Argo work here: quotes inside the expression of a `when`, and plain tags
//! of numbers and times such as `{{cronworkflow.failed}}`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use unwind_model::{Timestamp, Workflow};

use super::Judge;
use crate::lang::expr::{self, Environment, Moment};
use crate::lang::tags::{Evaluation, Filler, Unresolved, decide};
use crate::lang::when::{WhenError, should_execute};
use crate::lang::{Names, go};
use crate::library::Library;
use crate::validate::{ValidateOptions, validate};

/// Judges with the documents at hand, at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Languages<'a> {
    /// Templates that workflows may refer to.
    pub library: &'a Library,
    /// What `now()` is.
    pub now: Timestamp,
}

impl Judge for Languages<'_> {
    fn stops(&self, expression: &str, names: &Value) -> Result<bool, String> {
        let environment = self.environment(names)?;
        expr::evaluate_bool(expression, &environment).map_err(|error| error.to_string())
    }

    fn holds(&self, when: &str, names: &Value) -> Result<bool, String> {
        let environment = self.environment(names)?;
        let mut filler = Filler {
            names: &Texts(names),
            absent: None,
            unresolved: Unresolved::Fails,
            express: &mut |expression| express(expression, &environment),
        };
        let condition = filler.text(when).map_err(|error| error.to_string())?;
        should_execute(&condition).map_err(|error| match error {
            WhenError::Invalid { error, .. }
            | WhenError::Unreadable { error, .. }
            | WhenError::Failed { error, .. } => error,
            error @ WhenError::NotBoolean { .. } => error.to_string(),
        })
    }

    fn validate(&self, workflow: &Workflow) -> Result<(), String> {
        validate(workflow, self.library, ValidateOptions::default()).map_err(|error| error.to_string())
    }
}

impl Languages<'_> {
    /// `cronworkflow` as one map, `lastScheduledTime` in it as a time.
    fn environment(&self, names: &Value) -> Result<Environment, String> {
        let mut entries: BTreeMap<Arc<str>, expr::Value> = BTreeMap::new();
        for (name, value) in names["cronworkflow"].as_object().into_iter().flatten() {
            let time = value.as_str().filter(|_| name == "lastScheduledTime").and_then(Timestamp::parse);
            let value = match time {
                Some(time) => expr::Value::Time(instant(time)),
                None => expr::Value::from_json(value)?,
            };
            entries.insert(Arc::from(name.as_str()), value);
        }
        let map = expr::Value::map(entries)?;
        let environment = expr::environment_with(&BTreeMap::new(), &[("cronworkflow", map)]);
        Ok(environment.at(instant(self.now)))
    }
}

fn instant(time: Timestamp) -> Moment {
    let nanos = u32::try_from(time.millis().rem_euclid(1000) * 1_000_000).unwrap_or_default();
    Moment { seconds: time.millis().div_euclid(1000), nanos }
}

fn express(expression: &str, environment: &Environment) -> Result<Option<String>, String> {
    let program = expr::compile(expression);
    let missing = match &program {
        Ok(program) => Ok(program.identifiers().into_iter().filter(|path| !environment.has(path)).collect()),
        Err(error) => Err(error.to_string()),
    };
    let known = Evaluation { expression, missing, unresolved: Unresolved::Fails, has_placeholders: false };
    decide(&known, &mut |_| match &program {
        Ok(program) => match program.run(environment).map_err(|error| error.to_string())? {
            expr::Value::Nil => Ok(None),
            value => value.in_text().map(Some),
        },
        Err(error) => Err(error.to_string()),
    })
}

/// The names as texts, by flat name.
struct Texts<'a>(&'a Value);

impl Names for Texts<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        let value = self.0["cronworkflow"].get(name.strip_prefix("cronworkflow.")?)?;
        if value.is_object() {
            return None;
        }
        go::any_string(value).map(Cow::Owned)
    }

    fn each(&self, see: &mut dyn FnMut(&str, &str)) {
        for name in self.0["cronworkflow"].as_object().into_iter().flat_map(|map| map.keys()) {
            let name = format!("cronworkflow.{name}");
            if let Some(value) = self.value(&name) {
                see(&name, &value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both conditions of an object that failed twice and ran ten minutes ago, or never.
    fn check(judged: &dyn Fn(&Languages, &Value) -> Result<bool, String>, last: Option<&str>) -> String {
        let names = serde_json::json!({"cronworkflow": {"name": "tick", "labels": {"a": "b"}, "failed": 2,
            "succeeded": 0, "lastScheduledTime": last, "labels.json": "{}"}});
        let now = Timestamp::parse("2024-01-01T10:10:00Z").expect("a time");
        match judged(&Languages { library: &Library::default(), now }, &names) {
            Ok(holds) => holds.to_string(),
            Err(error) => error,
        }
    }

    fn stops(expression: &str, expected: &str) {
        let found = check(&|judge, names| judge.stops(expression, names), None);
        assert!(found.starts_with(expected), "{expression}: {found}");
    }

    fn holds(when: &str, expected: &str) {
        let found = check(&|judge, names| judge.holds(when, names), Some("2024-01-01T10:00:00Z"));
        assert!(found.starts_with(expected), "{when}: {found}");
    }

    #[test]
    fn stop_expressions_see_counts_and_labels() {
        stops("cronworkflow.failed >= 2", "true");
        stops("cronworkflow.succeeded > 0 || cronworkflow.labels.a == 'x'", "false");
        stops("cronworkflow.lastScheduledTime == nil", "true");
        stops("cronworkflow[\"labels.json\"] == \"{}\"", "true");
        stops("cronworkflow.failed", "unable to cast expression result");
        stops("cronworkflow.failed >", "unexpected token EOF");
        stops("failed > 1", "unknown name failed");
    }

    #[test]
    fn conditions_see_when_it_ran_last() {
        let after = |seconds: u32| {
            format!(
                "{{{{= cronworkflow.lastScheduledTime == nil || (now() - cronworkflow.lastScheduledTime).Seconds() > {seconds} }}}}"
            )
        };
        holds(&after(599), "true");
        holds(&after(600), "false");
        assert_eq!(check(&|judge, names| judge.holds(&after(600), names), None), "true");
        holds("{{cronworkflow.name}} == tick && {{ cronworkflow.failed }} < 3", "true");
        holds("{{=cronworkflow.name == \"tick\"}}", "true");
        holds("{{cronworkflow.what}}", "failed to resolve {{cronworkflow.what}}");
        holds("{{=cronworkflow.what}}", "failed to evaluate expression: cronworkflow.what is missing");
        holds("1 + 1", "Expected boolean evaluation for '1 + 1'. Got 2");
    }
}
