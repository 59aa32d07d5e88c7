//! Who is let in: Host, Origin, token, one-time code, and how large a body may be.

use axum::http::header;
use serde_json::json;
use unwind_server::config::AuthMode;

use crate::harness::Site;

const LIST: &str = "/api/v1/workflows/default";

#[tokio::test]
async fn a_foreign_host_is_refused_everywhere() {
    let site = Site::new().await;
    for path in ["/", LIST, "/unwind/v1/about", "/healthz"] {
        let answer = site.ask("GET", path).header(header::HOST, "evil.example:2746").send().await;
        assert_eq!(answer.status, 403, "{path}");
        let error = answer.json();
        assert_eq!(error["code"], 7);
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains("--allowed-host evil.example"), "{message}");
    }
    assert_eq!(site.ask("GET", LIST).without(header::HOST).send().await.status, 400);
}

#[tokio::test]
async fn an_allowed_host_is_answered() {
    let site = Site::with(|config| config.allowed_hosts = vec!["unwind.example.org".to_owned()]).await;
    let ask = || site.ask("GET", LIST).header(header::HOST, "unwind.example.org");
    assert_eq!(ask().send().await.status, 200);
    assert_eq!(ask().header(header::ORIGIN, "https://unwind.example.org").send().await.status, 200);
    assert_eq!(ask().header(header::ORIGIN, "https://other.example.org").send().await.status, 403);
}

/// A page of any site can send such a request without being asked, and it would run a program.
#[tokio::test]
async fn a_post_from_another_site_starts_nothing() {
    let site = Site::with(|config| config.auth = AuthMode::None).await;
    let body = json!({"workflow": {
        "metadata": {"name": "stolen"},
        "spec": {"entrypoint": "main", "templates": [{
            "name": "main", "container": {"image": "x", "command": ["true"]},
        }]},
    }});
    for origin in ["http://evil.example", "http://127.0.0.1:8080", "null"] {
        let ask = site.ask("POST", LIST).header(header::ORIGIN, origin).body(&body.to_string());
        let answer = ask.header(header::CONTENT_TYPE, "text/plain").send().await;
        assert_eq!((answer.status, answer.json()["code"].as_i64()), (403, Some(7)), "{origin}");
    }
    assert_eq!(site.get(LIST).await.json()["items"], json!([]));
}

#[tokio::test]
async fn no_answer_carries_a_cors_header() {
    let site = Site::new().await;
    for (method, path) in [("GET", LIST), ("OPTIONS", LIST), ("GET", "/"), ("OPTIONS", "/")] {
        let answer = site.ask(method, path).header(header::ORIGIN, "http://127.0.0.1:2746").send().await;
        let has_cors = answer.headers.keys().any(|name| name.as_str().starts_with("access-control-"));
        assert!(!has_cors, "{method} {path}");
        assert_eq!(answer.header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
    }
}

#[tokio::test]
async fn a_wrong_token_is_refused_and_told_what_to_do() {
    let site = Site::new().await;
    for path in [LIST, "/api/v1/version", "/api/v1/workflow-events/default", "/unwind/v1/stream?list=default"]
    {
        for token in [Some("Bearer wrong"), Some(""), None] {
            let ask = site.ask("GET", path).events();
            let ask = match token {
                Some(token) => ask.header(header::AUTHORIZATION, token),
                None => ask.without(header::AUTHORIZATION),
            };
            let answer = ask.send().await;
            assert_eq!(answer.status, 401, "{path}");
            let error = answer.json();
            assert_eq!(error["code"], 16);
            assert!(error["message"].as_str().is_some_and(|text| text.contains("unwind token")));
        }
    }
}

#[tokio::test]
async fn what_the_server_is_can_be_asked_by_anybody_here() {
    let site = Site::new().await;
    let about = site.ask("GET", "/unwind/v1/about").without(header::AUTHORIZATION).send().await.json();
    assert_eq!((&about["product"], &about["signedIn"]), (&json!("unwind"), &json!(false)));
    let about = site.get("/unwind/v1/about").await.json();
    assert_eq!(about["signedIn"], true);
    assert_eq!(site.ask("GET", "/healthz").without(header::AUTHORIZATION).send().await.status, 200);
}

#[tokio::test]
async fn the_code_becomes_a_cookie_and_works_once() {
    let site = Site::new().await;
    let code = site.app.code().expect("a code");
    let open = |path: String| site.ask("GET", &path).without(header::AUTHORIZATION).send();
    let first = open(format!("/workflows/default?phase=Failed&code={code}")).await;
    assert_eq!(first.status, 303);
    assert_eq!(first.header(header::LOCATION), "/workflows/default?phase=Failed");
    let cookie = first.header(header::SET_COOKIE);
    assert!(cookie.ends_with("Path=/; HttpOnly; SameSite=Strict"), "{cookie}");

    let again = open(format!("/?code={code}")).await;
    assert_eq!(again.status, 401);
    assert!(again.headers.get(header::SET_COOKIE).is_none());
    assert!(again.body.contains("unwind token"), "{}", again.body);

    let pair = cookie.split(';').next().expect("a pair");
    let with_cookie = site.ask("GET", LIST).without(header::AUTHORIZATION).header(header::COOKIE, pair);
    assert_eq!(with_cookie.send().await.status, 200);
    // Who is in already is not bothered by an old address.
    let old = format!("/?code={code}");
    let old = site.ask("GET", &old).without(header::AUTHORIZATION).header(header::COOKIE, pair).send().await;
    assert_eq!((old.status, old.header(header::LOCATION)), (303, "/"));
}

#[tokio::test]
async fn the_way_to_the_cookie_never_leads_elsewhere() {
    let site = Site::new().await;
    let code = site.app.code().expect("a code");
    let answer = site.get(&format!("//evil.example/?code={code}")).await;
    assert_eq!((answer.status, answer.header(header::LOCATION)), (303, "/evil.example/"));
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let site = Site::with(|config| config.body_limit = 1000).await;
    let body = format!("{{\"workflow\":{{\"x\":\"{}\"}}}}", "x".repeat(1000));
    let answer = site.ask("POST", LIST).body(&body).send().await;
    assert_eq!((answer.status, answer.json()["code"].as_i64()), (413, Some(8)));
    assert!(answer.body.contains("--body-limit"), "{}", answer.body);
}
