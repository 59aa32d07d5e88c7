//! Prometheus metrics of a template.
//! Source: Argo `workflow/validate/validate.go`, `validateTemplate`; `workflow/metrics/metrics_custom.go`,
//! `IsValidMetricName`, `ValidateMetricLabels`, `ValidateMetricValues`.

use serde_json::Value;
use unwind_model::Template;

use super::artifact::text;
use super::template::raw;

/// What is wrong with a template's metrics.
pub(super) fn check(template: &Template) -> Result<(), String> {
    let metrics =
        raw(template, "metrics").and_then(|metrics| metrics.get("prometheus")).and_then(Value::as_array);
    for metric in metrics.map_or(&[][..], Vec::as_slice) {
        let (template, name) = (&template.name, text(metric, "name"));
        if !is_name(name) {
            return Err(format!(
                "templates.{template} metric name '{name}' is invalid. Metric names must contain \
                 alphanumeric characters or '_'"
            ));
        }
        let labels = metric.get("labels").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if let Some(label) = labels.iter().map(|label| text(label, "key")).find(|key| !is_name(key)) {
            return Err(format!(
                "metric label '{label}' is invalid: keys may only contain alphanumeric characters or '_'"
            ));
        }
        if text(metric, "help").is_empty() {
            return Err(format!(
                "templates.{template} metric '{name}' must contain a help string under 'help: ' field"
            ));
        }
        check_value(metric)
            .map_err(|message| format!("templates.{template} metric '{name}' error: {message}"))?;
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn check_value(metric: &Value) -> Result<(), &'static str> {
    let set = |kind: &str| metric.get(kind).filter(|value| !value.is_null());
    if let Some(gauge) = set("gauge") {
        let value = plain(gauge);
        if value.is_empty() {
            return Err("missing gauge.value");
        }
        let is_realtime = gauge.get("realtime").and_then(Value::as_bool).unwrap_or_default();
        if is_realtime && value.contains("resourcesDuration.") {
            return Err("'resourcesDuration.*' metrics cannot be used in real-time");
        }
    }
    if set("counter").is_some_and(|counter| plain(counter).is_empty()) {
        return Err("missing counter.value");
    }
    if set("histogram").is_some_and(|histogram| plain(histogram).is_empty()) {
        return Err("missing histogram.value");
    }
    Ok(())
}

fn plain(metric: &Value) -> String {
    match metric.get("value") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
