//! Loops and their items.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Items as `suffix item=… item.key=…`, one a line; errors as their text.
fn show(items: Result<Vec<Item>, ItemsError>) -> String {
    let items = match items {
        Ok(items) => items,
        Err(error) => return error.to_string(),
    };
    let line = |item: &Item| {
        let names = item.names.iter().map(|(name, text)| format!(" {name}={text}"));
        format!("{}{}", item.name_suffix, names.collect::<String>())
    };
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn with_items(value: &Value) -> String {
    show(items(Loop::Items(value.as_array().expect("a list")), ""))
}

fn with_param(param: &str) -> String {
    show(items(Loop::Param(param), ""))
}

fn with_sequence(value: &Value) -> String {
    let sequence: Sequence = serde_json::from_value(value.clone()).expect("a sequence");
    show(items(Loop::Sequence(&sequence), ""))
}

#[test]
fn items_have_a_name_and_a_meaning() {
    for (value, expected) in [
        (
            json!(["a", 1, 1.5, 2.0, true]),
            "(0:a) item=a\n(1:1) item=1\n(2:1.5) item=1.5\n(3:2) item=2\n(4:true) item=true",
        ),
        (json!(["a (b) c"]), "(0:a b c) item=a (b) c"),
        (json!(["say \"x\"\n<&>"]), "(0:say \\\"x\\\"\\n<&>) item=say \"x\"\n<&>"),
        (json!([["1", "two", 3, [4]]]), "(0:[1 two 3 [4]]) item=[\"1\",\"two\",3,[4]]"),
        (
            json!([{"name": "jesse", "group": "developer", "n": {"b": 1, "a": [2]}}]),
            "(0:group:developer,n:{\"a\":[2],\"b\":1},name:jesse) \
             item={\"group\":\"developer\",\"n\":{\"a\":[2],\"b\":1},\"name\":\"jesse\"} \
             item.group=developer item.n={\"a\":[2],\"b\":1} item.name=jesse",
        ),
        (
            json!([{"a": 1, "a-b": "<x>"}]),
            "(0:a-b:<x>,a:1) item={\"a\":1,\"a-b\":\"\\u003cx\\u003e\"} item.a=1 item.a-b=<x>",
        ),
        (json!([null, [], {}]), "(0:[]) item=null\n(1:[]) item=[]\n(2:) item={}"),
    ] {
        assert_eq!(with_items(&value), expected);
    }
}

#[test]
fn a_parameter_is_a_json_list_kept_as_written() {
    for (param, expected) in [
        ("[1, \"two\", {\"k\": 3}]", "(0:1) item=1\n(1:two) item=two\n(2:k:3) item={\"k\":3} item.k=3"),
        ("[1.0, 1e3, 1e400]", "(0:1.0) item=1.0\n(1:1e3) item=1e3\n(2:1e400) item="),
        ("[\"\\u00e9\"]", "(0:\\u00e9) item=é"),
        (" [ { \"b\" : 1 , \"a\" : 2 } ] ", "(0:a:2,b:1) item={\"a\":2,\"b\":1} item.a=2 item.b=1"),
        ("[]", ""),
        ("null", ""),
        (
            " nothing ",
            "withParam value could not be parsed as a JSON list: nothing: invalid character 'o' in literal null \
             (expecting 'u')",
        ),
        (
            "{\"a\":1}",
            "withParam value could not be parsed as a JSON list: {\"a\":1}: json: cannot unmarshal object into \
             Go value of type []v1alpha1.Item",
        ),
        (
            "5",
            "withParam value could not be parsed as a JSON list: 5: json: cannot unmarshal number into Go value \
             of type []v1alpha1.Item",
        ),
        ("[1,", "withParam value could not be parsed as a JSON list: [1,: unexpected end of JSON input"),
    ] {
        assert_eq!(with_param(param), expected);
    }
}

#[test]
fn a_sequence_counts_up_or_down() {
    for (sequence, expected) in [
        (json!({"count": 2}), "(0:0) item=0\n(1:1) item=1"),
        (json!({"start": "3", "count": "2"}), "(0:3) item=3\n(1:4) item=4"),
        (json!({"start": 2, "end": 0}), "(0:2) item=2\n(1:1) item=1\n(2:0) item=0"),
        (json!({"start": 9, "end": 10, "format": "h%02X"}), "(0:h09) item=h09\n(1:h0A) item=h0A"),
        (json!({"end": 0, "format": "%s"}), "(0:%!sint=0) item=%!s(int=0)"),
        (json!({"count": 0}), ""),
        (json!({"count": -1}), "(0:0) item=0\n(1:-1) item=-1\n(2:-2) item=-2"),
        (json!({}), "neither end nor count was specified in withSequence"),
        (json!({"count": "many"}), "strconv.Atoi: parsing \"many\": invalid syntax"),
        (json!({"start": "{{x}}", "end": 1}), "strconv.Atoi: parsing \"{{x}}\": invalid syntax"),
        (json!({"end": 1, "format": "%d\""}), "invalid character '\"' after top-level value"),
        (
            json!({"count": "1000000000000"}),
            "withSequence has 1000000000000 items, at most 100000 are possible",
        ),
        (
            json!({"count": 99_999, "format": "%0999999d"}),
            "withSequence has items of more than 16 MiB, make its format shorter",
        ),
        (json!({"end": 5_000_000}), "withSequence has 5000001 items, at most 100000 are possible"),
        (
            json!({"start": "-9223372036854775808", "end": "9223372036854775807"}),
            "withSequence has 18446744073709551615 items, at most 100000 are possible",
        ),
    ] {
        assert_eq!(with_sequence(&sequence), expected);
    }
}

#[test]
fn a_loop_that_will_not_run_need_not_be_read() {
    for (when, expected) in [("1 == 2", true), ("false", true), ("1 == 1", false), ("{{item}} == x", false)] {
        assert_eq!(items(Loop::Param("nothing"), when) == Ok(Vec::new()), expected, "{when}");
    }
}

#[test]
fn an_empty_list_in_the_document_is_no_loop() {
    let sequence = Sequence::default();
    assert_eq!(Loop::of(Some(&[]), None, None), None);
    assert_eq!(Loop::of(None, Some(""), None), None);
    assert_eq!(Loop::of(Some(&[]), Some("[]"), Some(&sequence)), Some(Loop::Param("[]")));
    assert_eq!(Loop::of(None, None, Some(&sequence)), Some(Loop::Sequence(&sequence)));
}

#[test]
fn a_task_is_expanded_by_its_own_fields() {
    let task = |value: Value| serde_json::from_value::<Task>(value).expect("a task");
    let looped =
        task(json!({"name": "a", "template": "t", "withItems": [], "withParam": "[{\"k\": \"v\"}]"}));
    let found = of(&looped).expect("it is a list").expect("it is a loop");
    assert_eq!(found[0].name(&looped.name), "a(0:k:v)");
    assert_eq!(found[0].value("item.k").as_deref(), Some("v"));
    assert_eq!(found[0].value("item.j"), None);
    assert_eq!(of(&task(json!({"name": "a", "template": "t", "withItems": []}))), Ok(None));
    assert!(of(&task(json!({"name": "a", "withItems": {"a": 1}}))).is_err());
    assert_eq!(unresolved("1 == 2"), Unresolved::Stays);
    assert_eq!(unresolved("{{item}} == 2"), Unresolved::Fails);
}

proptest! {
    #[test]
    fn random_parameters_never_panic(param in "[\\[\\]{},:\"\\\\ a1.e<(null)é-]*", format in "[%dsxX+\\-# 0-9.*\\[\\]qcU\"é]*") {
        with_param(&param);
        with_param(&format!("[{param}]"));
        let sequence = Sequence { count: Some("2".to_owned()), format, ..Sequence::default() };
        show(items(Loop::Sequence(&sequence), ""));
    }

    #[test]
    fn an_items_name_says_its_number(texts in proptest::collection::vec(".*", 0..4)) {
        let values: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
        let found = items(Loop::Items(&values), "").expect("texts are items");
        for (index, (item, text)) in found.iter().zip(&texts).enumerate() {
            let start = format!("({index}:");
            prop_assert!(item.name_suffix.starts_with(&start) && item.name_suffix.ends_with(')'));
            prop_assert_eq!(item.name_suffix.matches(['(', ')']).count(), 2);
            prop_assert_eq!(&item.names, &[("item".to_owned(), text.clone())]);
        }
    }
}
