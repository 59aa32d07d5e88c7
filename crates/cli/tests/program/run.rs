//! `unwind run`: real processes, the end of the program, and Ctrl-C.

use crate::process::{Place, seed, text};

#[test]
fn a_good_run_ends_with_0_and_prints_what_moved() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("echo capping"));
    let said = place.run(&["run", text(&file), "--watch"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    for expected in
        ["Succeeded  orchard.press.bottle.cap\n", "Succeeded  workflow\n", ": capping\n", ": rinsing\n"]
    {
        assert!(said.out.contains(expected), "{expected} in {}", said.out);
    }
}

#[test]
fn a_failed_run_ends_with_1() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("exit 3"));
    let said = place.run(&["run", text(&file)]);
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("Failed     orchard.press.bottle.cap"), "{}", said.out);
}

#[test]
fn ctrl_c_says_what_will_run_and_unwinds_innermost_first() {
    let place = Place::new();
    let file = place.file("seed.yaml", &seed("sleep 60"));
    let mut run = place.start(&["run", text(&file)]);
    run.until("Running    orchard.press.bottle.cap");
    run.signal("INT");
    let (status, said, lines) = run.wait();
    assert_eq!(status.code(), Some(1));
    let at = |lines: &[&str], text: &str| {
        lines.iter().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text} in {lines:#?}"))
    };
    let said: Vec<&str> = said.lines().collect();
    let before =
        ["cap.onExit", "bottle.onExit", "press.onExit", "orchard.onExit"].map(|hook| at(&said, hook));
    assert!(before.is_sorted(), "{said:#?}");
    at(&said, "Ctrl-C again terminates");
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let ends = [
        "Failed     orchard.press.bottle.cap",
        "Succeeded  orchard.press.bottle.cap.onExit",
        "Succeeded  orchard.press.bottle.onExit",
        "Succeeded  orchard.press.onExit",
        "Succeeded  orchard.onExit",
        "Failed     workflow  Stopped with strategy 'Stop'",
    ];
    assert!(ends.map(|line| at(&lines, line)).is_sorted(), "{lines:#?}");
}

#[test]
fn what_cannot_run_is_told_with_its_place() {
    let place = Place::new();
    let file = place.file(
        "seed.yaml",
        &seed("true")
            .replace("template: cap,", "template: cup,")
            .replace("template: cap\n", "template: cup\n"),
    );
    let said = place.run(&["run", text(&file)]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(
        said.err.contains("seed.yaml:27:9: error: ") && said.err.contains("template name 'cup' undefined"),
        "{}",
        said.err
    );
}
