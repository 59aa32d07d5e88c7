//! The page: files, encodings, how long they may be kept, deep links, policy.

use std::fs;

use axum::http::header;
use unwind_server::config::PageSource;

use crate::harness::Site;

const INDEX: &str = "<!doctype html><html><head><base data-x href=\"./\"><title>Unwind</title>\
    <script type=\"module\">boot()</script></head></html>";

async fn site(base_href: &str) -> (tempfile::TempDir, Site) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("index.html", INDEX);
    write("page-0a1b2c3d4e5f.js", "plain");
    write("page-0a1b2c3d4e5f.js.br", "brotli");
    write("page-0a1b2c3d4e5f.js.gz", "gzip");
    write("icon.svg", "<svg/>");
    let site = Site::with(|config| {
        config.page = PageSource::Folder(folder.path().to_owned());
        base_href.clone_into(&mut config.base_href);
    })
    .await;
    (folder, site)
}

#[tokio::test]
async fn files_come_in_the_best_encoding_and_say_how_long_they_last() {
    let (_folder, site) = site("/").await;
    for (accepted, encoding, body) in
        [("gzip, br", "br", "brotli"), ("gzip", "gzip", "gzip"), ("", "", "plain")]
    {
        let ask = site.ask("GET", "/page-0a1b2c3d4e5f.js").without(header::AUTHORIZATION);
        let answer = ask.header(header::ACCEPT_ENCODING, accepted).send().await;
        assert_eq!((answer.header(header::CONTENT_ENCODING), answer.body.as_str()), (encoding, body));
        assert_eq!(answer.header(header::CONTENT_TYPE), "text/javascript; charset=utf-8");
        assert_eq!(answer.header(header::CACHE_CONTROL), "public, max-age=31536000, immutable");
        assert_eq!(answer.header(header::VARY), "accept-encoding");
    }
    let icon = site.get("/icon.svg").await;
    assert_eq!(
        (icon.header(header::CONTENT_TYPE), icon.header(header::CACHE_CONTROL)),
        ("image/svg+xml", "no-cache")
    );
    let tag = icon.header(header::ETAG);
    let again = site.ask("GET", "/icon.svg").header(header::IF_NONE_MATCH, tag).send().await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
}

#[tokio::test]
async fn deep_links_get_the_entry_with_the_base_href() {
    for base_href in ["/", "/unwind/"] {
        let (_folder, site) = site(base_href).await;
        for path in ["/", "/workflows/default/orchard?node=a", "/workflows/default/my.wf", "/unwind/rehearse"]
        {
            let answer = site.ask("GET", path).header(header::ACCEPT, "text/html").send().await;
            assert_eq!(answer.status, 200);
            assert!(answer.body.contains(&format!("<base href=\"{base_href}\">")), "{path}: {}", answer.body);
            assert_eq!(answer.header(header::CACHE_CONTROL), "no-cache");
            let policy = answer.header(header::CONTENT_SECURITY_POLICY);
            assert!(
                policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-"),
                "{policy}"
            );
            assert!(
                policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe-inline"),
                "{policy}"
            );
        }
        let gone = site.get("/page-ffffffffffff.js").await;
        assert_eq!(gone.status, 404);
    }
}

/// An ingress may take the base href off, or leave it on.
#[tokio::test]
async fn paths_work_with_and_without_the_base_href() {
    let (_folder, site) = site("/argo/").await;
    for path in ["/api/v1/version", "/argo/api/v1/version", "/argo/page-0a1b2c3d4e5f.js", "/argo/healthz"] {
        let answer = site.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.header(header::CONTENT_TYPE).starts_with("text/html"), "{path}");
    }
    let code = site.app.code().expect("a code");
    let answer = site.get(&format!("/argo/?code={code}")).await;
    assert_eq!(answer.header(header::LOCATION), "/argo/");
    assert!(answer.header(header::SET_COOKIE).contains("Path=/argo/;"));
}

#[tokio::test]
async fn without_a_page_it_is_said_how_to_build_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = Site::with(|config| config.page = PageSource::Folder(folder.path().to_owned())).await;
    let answer = site.get("/").await;
    assert_eq!(answer.status, 503);
    assert!(answer.body.contains("cargo xtask page"), "{}", answer.body);
    assert_eq!(site.get("/api/v1/version").await.status, 200);
}

#[tokio::test]
async fn a_page_is_only_read() {
    let (_folder, site) = site("/").await;
    assert_eq!(site.ask("POST", "/").send().await.status, 405);
}
