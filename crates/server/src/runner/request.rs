//! Requests of HTTP templates.
//!
//! In: the filled-in template. Out: the answer for the engine, as an agent writes it into the status of
//! a `WorkflowTaskSet`. Source: Argo `workflow/executor/http/http.go`, `workflow/executor/agent.go`,
//! `executeHTTPTemplate`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use unwind_engine::lang::expr;
use unwind_model::Template;
use unwind_model::features::Http;
use ureq::Agent;
use ureq::http;
use ureq::tls::TlsConfig;

/// Seconds until an answer is given up. Source: Argo `docs/http-template.md`.
const TIMEOUT_S: u64 = 30;
/// Longest body of an answer.
const BODY_LIMIT: u64 = 1 << 20;

/// Makes the request; what goes wrong is in the answer.
pub async fn answer(template: Template) -> Value {
    let asked = match template.http() {
        Ok(Some(asked)) => asked,
        Ok(None) => return error("the template has no request"),
        Err(misfit) => return error(&misfit.to_string()),
    };
    let answered = tokio::task::spawn_blocking(move || ask(&asked)).await;
    match answered {
        Ok(Ok(answer)) => answer,
        Ok(Err(why)) => error(&why),
        Err(failure) => error(&format!("the request was not finished: {failure}")),
    }
}

fn error(message: &str) -> Value {
    json!({"phase": "Error", "message": message})
}

fn ask(asked: &Http) -> Result<Value, String> {
    let seconds = match &asked.timeout_seconds {
        Some(text) => text.parse().map_err(|_| format!("`timeoutSeconds` is no number: `{text}`"))?,
        None => TIMEOUT_S,
    };
    let tls = TlsConfig::builder().disable_verification(asked.insecure_skip_verify).build();
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(Duration::from_secs(seconds)))
        .http_status_as_error(false)
        .allow_non_standard_methods(true)
        .tls_config(tls)
        .build()
        .into();
    let method = if asked.method.is_empty() { "GET" } else { &asked.method };
    let mut request = http::Request::builder().method(method).uri(&asked.url);
    let mut sent = BTreeMap::new();
    for header in &asked.headers {
        let text = |field: &str| header.get(field).and_then(Value::as_str).unwrap_or_default();
        request = request.header(text("name"), text("value"));
        sent.entry(text("name").to_owned()).or_insert_with(Vec::new).push(text("value").to_owned());
    }
    let request = request.body(asked.body.clone()).map_err(|error| error.to_string())?;
    let mut response = agent.run(request).map_err(|error| format!("{method} {}: {error}", asked.url))?;
    let status = response.status().as_u16();
    let mut received: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in response.headers() {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        received.entry(canonical(name.as_str())).or_default().push(value);
    }
    let body = response.body_mut().with_config().limit(BODY_LIMIT).lossy_utf8(true).read_to_string();
    let body = body.map_err(|error| format!("cannot read the answer of {}: {error}", asked.url))?;
    let scope = json!({
        "request": {"method": method, "url": asked.url, "body": asked.body, "headers": sent},
        "response": {"statusCode": status, "body": body, "headers": received},
    });
    let (phase, message) = judged(asked, status, &scope)?;
    Ok(json!({"phase": phase, "message": message, "outputs": {"result": body}}))
}

/// Whether the answer is a success, and what is said of it if not.
fn judged(asked: &Http, status: u16, scope: &Value) -> Result<(&'static str, String), String> {
    let condition = &asked.success_condition;
    if condition.is_empty() {
        return Ok(match status {
            200..=299 => ("Succeeded", String::new()),
            _ => ("Failed", format!("received non-2xx response code: {status}")),
        });
    }
    let named = |name: &str| expr::Value::from_json(&scope[name]);
    let more = [("request", named("request")?), ("response", named("response")?)];
    let environment = expr::environment_with(&BTreeMap::new(), &more);
    if expr::evaluate_bool(condition, &environment).map_err(|error| error.to_string())? {
        Ok(("Succeeded", String::new()))
    } else {
        Ok(("Failed", format!("successCondition '{condition}' evaluated false")))
    }
}

/// A header's name as Go writes it.
fn canonical(name: &str) -> String {
    let parts = name.split('-').map(|part| {
        let mut letters = part.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters.map(|letter| letter.to_ascii_lowercase())).collect::<String>()
    });
    parts.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(condition: &str, status: u16) -> Result<(&'static str, String), String> {
        let asked = Http { success_condition: condition.to_owned(), ..Http::default() };
        let response = json!({"statusCode": status, "body": "fine", "headers": {"X-A": ["1"]}});
        judged(&asked, status, &json!({"request": {"method": "GET"}, "response": response}))
    }

    #[test]
    fn an_answer_is_judged_by_its_code_or_by_the_condition() {
        assert_eq!(judge("", 204), Ok(("Succeeded", String::new())));
        assert_eq!(judge("", 404), Ok(("Failed", "received non-2xx response code: 404".to_owned())));
        let condition = "response.statusCode == 404 && response.body contains \"fine\"";
        assert_eq!(judge(condition, 404), Ok(("Succeeded", String::new())));
        assert_eq!(
            judge("response.headers[\"X-A\"][0] == \"2\"", 200),
            Ok((
                "Failed",
                "successCondition 'response.headers[\"X-A\"][0] == \"2\"' evaluated false".to_owned()
            ))
        );
        assert!(judge("response.", 200).is_err());
    }

    #[test]
    fn header_names_are_written_as_go_writes_them() {
        assert_eq!(canonical("content-TYPE"), "Content-Type");
    }
}
