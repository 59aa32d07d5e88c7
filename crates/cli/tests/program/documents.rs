//! `unwind check` and `unwind rehearse`.

use crate::process::{Place, seed, text};

#[test]
fn a_good_manifest_is_said_to_be_good() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["check", text(&file)]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(said.out.ends_with("seed.yaml: orchard: nothing wrong\n"), "{}", said.out);
}

#[test]
fn what_is_wrong_has_file_line_and_column() {
    let place = Place::new();
    let file = place.file("bad.yaml", &seed("true").replace("template: bottle\n", "template: nope\n"));
    let said = place.run(&["check", text(&file)]);
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("bad.yaml:21:9: error: There is no template nope"), "{}", said.out);
    let file = place.file("worse.yaml", "kind: Workflow\nspec: [");
    let said = place.run(&["check", text(&file)]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(said.err.contains("worse.yaml: line 2, column"), "{}", said.err);
}

#[test]
fn a_rehearsed_stop_tells_the_order_in_words_and_as_data() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["rehearse", text(&file), "--stop-at", "cap"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    for line in ["1  cap.onExit", "2  bottle.onExit", "3  press.onExit", "4  orchard.onExit"] {
        assert!(said.out.contains(line), "{line} in {}", said.out);
    }
    let said = place.run(&["rehearse", text(&file), "--stop-at", "orchard.press.bottle.cap", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(report["phase"], "Failed");
    assert_eq!(report["prediction"]["outcomes"][0]["hooks"].as_array().map(Vec::len), Some(4));
    assert!(report["judgement"]["findings"].as_array().is_some_and(Vec::is_empty), "{report}");
}

#[test]
fn a_node_that_is_not_there_is_told_with_those_that_are() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("true"));
    let said = place.run(&["rehearse", text(&file), "--stop-at", "nope"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("`orchard.press.bottle.cap`"), "{}", said.err);
}
