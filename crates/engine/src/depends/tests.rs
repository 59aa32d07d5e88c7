//! What `depends` asks for.

use proptest::prelude::*;

use super::*;

const TASKS: [&str; 4] = ["a", "b", "long-name", "1c"];

fn find(name: &str) -> Option<TaskIndex> {
    TASKS.iter().position(|task| *task == name).map(|at| TaskIndex(at as u32))
}

/// The tree in a short notation; errors as their text.
fn read(text: &str) -> String {
    match Depends::parse(text, &find) {
        Ok(depends) => show(&depends),
        Err(error) => error.to_string(),
    }
}

fn show(depends: &Depends) -> String {
    let all = |parts: &[Depends], between: &str| {
        format!("({})", parts.iter().map(show).collect::<Vec<_>>().join(between))
    };
    match depends {
        Depends::Task(task, outcome) => format!("{}.{outcome:?}", TASKS[task.at()]),
        Depends::Not(inner) => format!("!{}", show(inner)),
        Depends::All(parts) => all(parts, " & "),
        Depends::Any(parts) => all(parts, " | "),
        Depends::Same(one, other) => format!("({} = {})", show(one), show(other)),
    }
}

#[test]
fn the_whole_grammar_is_read() {
    for (text, expected) in [
        ("a", "a.GoesOn"),
        (" long-name.Succeeded ", "long-name.Succeeded"),
        ("1c", "1c.GoesOn"),
        ("a && b || long-name", "((a.GoesOn & b.GoesOn) | long-name.GoesOn)"),
        ("a && (b || !a.Omitted)", "(a.GoesOn & (b.GoesOn | !a.Omitted))"),
        ("a&&b&&!(a.Failed)", "(a.GoesOn & b.GoesOn & !a.Failed)"),
        ("!!a.Daemoned", "a.Daemoned"),
        (
            "a.AnySucceeded || a.AllFailed || b.Errored || b.Skipped",
            "(a.AnySucceeded | a.AllFailed | b.Errored | b.Skipped)",
        ),
        ("a.Failed == b.Failed != a", "!((a.Failed = b.Failed) = a.GoesOn)"),
        ("a && b == a", "(a.GoesOn & (b.GoesOn = a.GoesOn))"),
        ("a ? b : a.Failed", "((a.GoesOn & b.GoesOn) | (!a.GoesOn & a.Failed))"),
        ("a &&", "expected a word, found the end"),
        ("a b", "expected `&&`, `||` or the end, found `b`"),
        ("(a", "expected `)`, found the end"),
        ("a ? b", "expected `:`, found the end"),
        ("a & b", "expected `&&`, `||` or the end, found `&`"),
        ("", "expected a word, found the end"),
        ("x", "unknown task `x`"),
        ("true", "unknown task `true`"),
        ("a.Lost", "unknown result `Lost`"),
        ("a.Succeeded.b", "unknown result `Succeeded.b`"),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error_and_length_is_none() {
    for part in ["(", "a ? ", "!("] {
        assert!(read(&part.repeat(100_000)).starts_with("expected less nesting"), "{part}");
    }
    let row = "a && ".repeat(50_000) + "b";
    let depends = Depends::parse(&row, &find).expect("it is long only");
    assert!(depends.holds_with(&|_, _| true));
    assert_eq!(depends.tasks().len(), 2);
    assert!(read(&("a == ".repeat(50_000) + "b")).starts_with("expected less nesting"));
    assert_eq!(read(&("!".repeat(100_001) + "a")), "!a.GoesOn");
}

#[test]
fn a_bare_name_lets_pass_what_the_named_task_continues_on() {
    let none = ContinueOn::default();
    let failed = ContinueOn { failed: true, error: false };
    let error = ContinueOn { failed: false, error: true };
    for (phase, continue_on, expected) in [
        (NodePhase::Succeeded, none, true),
        (NodePhase::Skipped, none, true),
        (NodePhase::Omitted, none, false),
        (NodePhase::Failed, none, false),
        (NodePhase::Failed, failed, true),
        (NodePhase::Error, failed, false),
        (NodePhase::Error, error, true),
        (NodePhase::Omitted, ContinueOn { failed: true, error: true }, false),
    ] {
        let depends = Depends::on_all(&[TaskIndex(0)]);
        assert_eq!(depends.holds(&|_| (phase, continue_on)), expected, "{phase:?}");
    }
    let same = Depends::parse("a.Failed == b.Failed", &find).expect("it can be read");
    assert!(same.holds(&|_| (NodePhase::Failed, none)));
    assert!(!same.holds(&|task| (if task.at() == 0 { NodePhase::Failed } else { NodePhase::Error }, none)));
}

#[test]
fn argo_writes_bare_names_out() {
    let continue_on = |task: &str| ContinueOn { failed: task == "b", error: task == "b" };
    for (depends, expected) in [
        ("a", "(a.Succeeded || a.Skipped || a.Daemoned)"),
        ("a &&", "(a.Succeeded || a.Skipped || a.Daemoned) &&"),
        ("!b", "!(b.Succeeded || b.Skipped || b.Daemoned || b.Errored || b.Failed)"),
        (
            "long-name.Failed || long-name.X",
            "long_name.Failed || (long_name.Succeeded || long_name.Skipped || long_name.Daemoned).(X.Succeeded || X.Skipped || X.Daemoned)",
        ),
    ] {
        assert_eq!(logic(depends, &continue_on), expected);
    }
    let found: Vec<_> = names("a && (b-c.Failed || d.failed)").iter().map(|n| (n.task, n.result)).collect();
    assert_eq!(found, [("a", None), ("b-c", Some("Failed")), ("d", None), ("failed", None)]);
}

#[test]
fn what_cannot_be_evaluated_is_told_in_the_words_of_argo() {
    let failure = |depends: &str| failure(depends, &|_| ContinueOn::default());
    assert_eq!(failure("a && (long-name.Failed || !b) && a.Omitted == b.Omitted"), None);
    assert_eq!(
        failure("a &&").as_deref(),
        Some(
            "unable to evaluate expression '(a.Succeeded || a.Skipped || a.Daemoned) &&': unexpected token EOF \
             (1:43)\n | (a.Succeeded || a.Skipped || a.Daemoned) &&\n | ..........................................^"
        )
    );
    assert!(failure("(a").is_some_and(|text| text.contains("unexpected token EOF")));
}

proptest! {
    #[test]
    fn random_texts_never_panic(text in "(a|b|long-name|\\.Succeeded|\\.Lost|&&|\\|\\||[!()?:=& é-])*") {
        read(&text);
        let logic = logic(&text, &|_| ContinueOn::default());
        prop_assert!(!logic.contains('-'));
    }
}
