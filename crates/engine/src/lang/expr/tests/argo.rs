//! What Argo makes of expressions: messages of recorded runs, names, texts in templates.

use std::collections::BTreeMap;

use crate::lang::expr::{
    Environment, Moment, Value, compile, environment, environment_for, environment_with, evaluate,
    evaluate_bool,
};
use crate::lang::{ABSENT, Names};

fn names(names: &[(&str, &str)]) -> Environment {
    let names: BTreeMap<String, String> =
        names.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    environment(&names)
}

fn holds(source: &str, environment: &Environment) -> String {
    match evaluate_bool(source, environment) {
        Ok(value) => value.to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn conditions_of_hooks_and_retries_have_the_messages_of_recorded_runs() {
    let scope = names(&[
        ("workflow.status", "Running"),
        ("steps.job.status", "Pending"),
        ("tasks.job-one.status", "Succeeded"),
        ("lastRetry.exitCode", "1"),
        ("lastRetry.status", "Failed"),
        ("lastRetry.message", "Error (exit code 1)"),
        ("retries", "1"),
    ]);
    for (source, expected) in [
        ("workflow.status == \"Running\"", "true"),
        ("tasks[\"job-one\"].status == \"Succeeded\"", "true"),
        ("asInt(retries) < 2 && lastRetry.status == 'Failed'", "true"),
        ("lastRetry.message matches 'exit code 1'", "true"),
        (
            "steps.a.status == \"Succeeded\"",
            "unable to evaluate expression 'steps.a.status == \"Succeeded\"': cannot fetch status from <nil> (1:9)\n | steps.a.status == \"Succeeded\"\n | ........^",
        ),
        (
            "steps.job.status ==",
            "unexpected token EOF (1:19)\n | steps.job.status ==\n | ..................^",
        ),
        ("steps.job.status", "unable to cast expression result 'Pending' to bool"),
        ("nobody.knows == 1", "unknown name nobody (1:1)\n | nobody.knows == 1\n | ^"),
        ("asInt(lastRetry.exitCode)", "unable to cast expression result '%!s(int=1)' to bool"),
        ("workflow.nothing", "unable to cast expression result '%!s(<nil>)' to bool"),
        (
            "retries > 1",
            "invalid operation: > (mismatched types string and int) (1:9)\n | retries > 1\n | ........^",
        ),
    ] {
        assert_eq!(holds(source, &scope), expected, "{source}");
    }
}

#[test]
fn a_name_that_others_go_on_from_is_a_map() {
    let scope = names(&[("a", "1"), ("a.b", "2"), ("a.b.c", "3"), ("ab", "4"), ("a-b", "5")]);
    let shown = |source| evaluate(source, &scope).map(|value| value.as_parameter());
    assert_eq!(shown("a").as_deref(), Ok("map[b:map[c:3]]"));
    assert_eq!(shown("ab").as_deref(), Ok("4"));
    assert_eq!(shown("$env['a-b']").as_deref(), Ok("5"));
    assert!(scope.has("a.b.c") && scope.has("a.b") && scope.has("a-b"));
    assert!(!scope.has("a.c") && !scope.has("a.b.c.d") && !scope.has("b"));
}

#[test]
fn an_absent_output_is_there_and_nil() {
    let texts = BTreeMap::from([("tasks.x.status".to_owned(), "Skipped".to_owned())]);
    let scope = environment_with(&texts, &[("tasks.x.outputs.parameters.msg", Value::Nil)]);
    let shown = |source| evaluate(source, &scope).map(|value| value.in_text().unwrap_or_default());
    assert!(scope.has("tasks.x.outputs.parameters.msg"));
    assert_eq!(shown("tasks.x.outputs.parameters.msg ?? 'other'").as_deref(), Ok("other"));
    assert!(matches!(evaluate("tasks.x.outputs.parameters.msg", &scope), Ok(Value::Nil)));
}

/// Names with one that is known to have no value, ever.
struct WithAbsent(BTreeMap<String, String>);

impl Names for WithAbsent {
    fn value(&self, name: &str) -> Option<std::borrow::Cow<'_, str>> {
        if name == "tasks.x-y.outputs.result" { Some(ABSENT.into()) } else { self.0.value(name) }
    }

    fn each(&self, see: &mut dyn FnMut(&str, &str)) {
        self.0.each(see);
    }
}

#[test]
fn what_is_known_to_be_absent_is_nil() {
    let names = WithAbsent(BTreeMap::from([("tasks.x-y.status".to_owned(), "Skipped".to_owned())]));
    for (source, expected) in [
        ("tasks['x-y'].outputs.result ?? 'other'", "Ok(\"other\")"),
        ("tasks['x-y'].outputs.result == nil", "Ok(\"true\")"),
        ("tasks['x-y'].status", "Ok(\"Skipped\")"),
    ] {
        let scope = environment_for(source, &names, &[]);
        let found = evaluate(source, &scope).map(|value| value.as_parameter());
        assert_eq!(format!("{found:?}"), expected, "{source}");
    }
    let source = "tasks['x-y'].outputs.result";
    assert!(environment_for(source, &names, &[]).has("tasks.x-y.outputs.result"));
}

#[test]
fn an_expression_may_choose_an_artifact() {
    let texts = BTreeMap::from([("tasks.flip.outputs.result".to_owned(), "heads".to_owned())]);
    let artifact = |name: &str| Value::Artifact(name.into());
    let heads = "tasks.heads.outputs.artifacts.result";
    let scope = environment_with(&texts, &[(heads, artifact(heads))]);
    let source = "tasks.flip.outputs.result == 'heads' ? tasks.heads.outputs.artifacts.result : tasks.tails.outputs.artifacts.result";
    assert!(matches!(evaluate(source, &scope), Ok(Value::Artifact(name)) if &*name == heads));
}

#[test]
fn values_become_texts_as_argo_writes_them() {
    let scope = names(&[("workflow.parameters.n", "5")]);
    for (source, in_text, as_parameter) in [
        ("'a<b'", "a<b", "a<b"),
        ("int(workflow.parameters.n) + 1", "6", "6"),
        ("string(1.5)", "1.5", "1.5"),
        ("filter([1,2,3], # > 1)", "[2,3]", "[2 3]"),
        ("{b: 'x', a: [1.0]}", "{\"a\":[1],\"b\":\"x\"}", "map[a:[1] b:x]"),
        ("['<', nil]", "[\"\\u003c\",null]", "[< <nil>]"),
        ("1e21", "1e+21", "1e+21"),
        ("true", "true", "true"),
    ] {
        let value = evaluate(source, &scope).expect("a value");
        assert_eq!(value.in_text().as_deref(), Ok(in_text), "{source}");
        assert_eq!(value.as_parameter(), as_parameter, "{source}");
    }
}

#[test]
fn the_names_of_an_expression_are_those_that_argo_waits_for() {
    for (source, expected) in [
        ("tasks.a.status == 'x'", "tasks tasks.a tasks.a.status"),
        ("tasks['a-b'].outputs.result", "tasks tasks.a-b tasks.a-b.outputs tasks.a-b.outputs.result"),
        ("tasks.a.outputs.parameters.x ?? 'y'", "tasks"),
        ("tasks.a?.outputs", "tasks"),
        ("asInt(retries) > lastRetry.exitCode", "asInt retries lastRetry lastRetry.exitCode"),
        ("sprig.trim(item)", "sprig sprig.trim item"),
        ("filter(item.list, # > workflow.status)", "item item.list workflow workflow.status"),
        ("tasks[item].status", "tasks item"),
        ("upper('a')", ""),
    ] {
        assert_eq!(compile(source).expect("an expression").identifiers().join(" "), expected, "{source}");
    }
}

#[test]
fn the_time_comes_from_the_caller() {
    let last = Moment { seconds: 1_700_000_000, nanos: 0 };
    let none = BTreeMap::new();
    let scope = environment_with(&none, &[("cronworkflow.lastScheduledTime", Value::Time(last))])
        .at(Moment { seconds: 1_700_000_400, nanos: 0 });
    let source =
        "cronworkflow.lastScheduledTime == nil || (now() - cronworkflow.lastScheduledTime).Seconds() > 360";
    assert_eq!(holds(source, &scope), "true");
    assert_eq!(holds(&source.replace("360", "400"), &scope), "false");
    let never = environment_with(&none, &[("cronworkflow.lastScheduledTime", Value::Nil)]);
    assert_eq!(holds(source, &never), "true");
    let year = evaluate("sprig.date('2006', workflow.creationTimestamp)", &scope);
    assert!(year.is_err(), "an unknown name");
    let shown = evaluate("sprig.date('2006-01-02', 'no date') + ' ' + now().Format('15:04')", &scope);
    assert_eq!(shown.map(|value| value.as_parameter()).as_deref(), Ok("2023-11-14 22:20"));
}

/// Expressions of the examples and recorded runs, where they are at hand.
#[test]
fn expressions_that_users_write_can_be_read() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let mut found = 0;
    for folder in ["argo-examples", "traces/params", "traces/hooks", "traces/retry"] {
        let Ok(entries) = std::fs::read_dir(corpus.join(folder)) else {
            continue;
        };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for tag in text.split("{{=").skip(1).filter_map(|rest| rest.split_once("}}")) {
                let source: Result<String, _> = serde_json::from_str(&format!("\"{}\"", tag.0));
                // A tag with a map in it ends early here; Argo's tags end at the first `}}` too.
                let source = source.unwrap_or_else(|_| tag.0.replace("\\\"", "\""));
                if source.trim() != "1 +" {
                    assert!(compile(&source).is_ok(), "{}: {source}: {:?}", path.display(), compile(&source));
                    found += 1;
                }
            }
        }
    }
    assert!(found == 0 || found > 20, "{found} expressions");
}

#[test]
fn what_an_expression_can_see_is_all_it_needs() {
    let texts: BTreeMap<String, String> = [
        "workflow.name",
        "workflow.parameters",
        "workflow.parameters.n",
        "workflow.parameters.m",
        "tasks.a.status",
        "tasks.a.outputs.parameters.x",
        "tasks.a-b.status",
        "tasks.b.outputs.result",
        "item",
        "item.list",
        "retries",
    ]
    .into_iter()
    .map(|name| (name.to_owned(), format!("the {name}")))
    .collect();
    let all = environment(&texts);
    for source in [
        "tasks.a.status",
        "tasks.zzz.status",
        "tasks.a.outputs.parameters.y",
        "tasks.a.outputs.parameters.y.z",
        "tasks.a?.outputs?.nothing?.x",
        "tasks['a-b'].status",
        "tasks[retries]",
        "len(tasks)",
        "toJson(tasks.a)",
        "workflow.parameters",
        "workflow.parameters.n",
        "workflow.name.x",
        "item",
        "item.list",
        "retries.x",
        "nobody",
        "steps.a.status",
        "keys(workflow.parameters) | sort()",
        "$env.tasks.a.status",
        "len($env)",
        "$env['retries']",
        "filter([tasks.a], .status != '')",
        "let x = tasks.a; x.status",
        "tasks.b.outputs",
        "workflow['parameters.n']",
        "tasks.a.status.x ?? tasks.b.outputs.result",
        "tasks?.a.status",
        "(tasks.a).status",
        "tasks.a['outputs']",
    ] {
        let seen = environment_for(source, &texts, &[]);
        let shown = |scope| evaluate(source, scope).map(|value| value.as_parameter());
        assert_eq!(shown(&seen), shown(&all), "{source}");
        let missing = |scope: &Environment| {
            let program = compile(source).expect("an expression");
            program.identifiers().into_iter().filter(|path| !scope.has(path)).collect::<Vec<_>>()
        };
        assert_eq!(missing(&seen), missing(&all), "{source}");
    }
}
