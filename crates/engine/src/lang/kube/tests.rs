//! Templates against what client-go made of them.
//!
//! `vectors.jsonl` holds the object in its first line, then `[template, outcome]` a line, as client-go
//! v0.31.0 gave it with missing keys allowed.

use super::kube_path;

const VECTORS: &str = include_str!("vectors.jsonl");

#[test]
fn templates_print_what_kubectl_prints() {
    let mut lines = VECTORS.lines();
    let object: serde_json::Value =
        serde_json::from_str(lines.next().expect("an object")).expect("an object");
    let mut wrong = Vec::new();
    for line in lines {
        let (template, expected): (String, String) = serde_json::from_str(line).expect("a vector");
        let expected = expected.strip_prefix("ok: ").map_or_else(
            || Err(expected.split_once(": ").map_or("", |(_, text)| text).to_owned()),
            |text| Ok(text.to_owned()),
        );
        let found = kube_path(&template, &object);
        if found != expected {
            wrong.push(format!("{template}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn an_index_may_be_the_largest_number() {
    let found = kube_path("{[9223372036854775807]}", &serde_json::json!([1]));
    let text = "array index out of bounds: index 9223372036854775807, length 1";
    assert_eq!(found, Err(text.to_owned()));
}

#[test]
fn what_is_deep_or_long_is_refused() {
    let object = serde_json::json!({"a": [1, 2]});
    for template in [
        format!("{{{}}}", ".a".repeat(10_000)),
        "{.a}".repeat(10_000),
        "{range .a[*]}".repeat(10_000),
        format!("{{{}}}", "[?(@".repeat(10_000)),
    ] {
        assert!(kube_path(&template, &object).is_err());
    }
}
