//! A `CronWorkflow` through its life: what it asks for, and what it stores.

use super::*;

/// Knows `Berlin`, an hour ahead of UTC. Expressions: `failed >= 2` and the like, `true`, `false`; anything
/// else is an error. A workflow without entrypoint is invalid.
struct Simple;

impl Judge for Simple {
    fn stops(&self, expression: &str, names: &Value) -> Result<bool, String> {
        let words: Vec<&str> = expression.split_whitespace().collect();
        match words.as_slice() {
            [name, ">=", number] => Ok(names["cronworkflow"][*name].as_i64() >= number.parse().ok()),
            _ => self.holds(expression, names),
        }
    }

    fn holds(&self, when: &str, _: &Value) -> Result<bool, String> {
        when.parse().map_err(|_| format!("cannot read {when}"))
    }

    fn validate(&self, workflow: &Workflow) -> Result<(), String> {
        if workflow.spec.entrypoint.is_empty() { Err("no entrypoint".into()) } else { Ok(()) }
    }
}

fn berlin(zone: &str, _: Timestamp) -> Option<i32> {
    (zone == "Berlin").then_some(3600)
}

const WORLD: World = World { zones: &berlin, judge: &Simple };

fn time(text: &str) -> Timestamp {
    Timestamp::parse(&format!("2024-01-01T{text}Z")).expect("a time")
}

/// An object that is due every hour, with more in its spec and status.
fn object(spec: Value, status: &Value) -> CronWorkflow {
    let mut object = json!({"metadata": {"name": "tick", "labels": {"a": "b"}},
        "spec": {"schedules": ["0 * * * *"], "workflowSpec": {"entrypoint": "main"}}, "status": status});
    if let (Some(into), Value::Object(spec)) = (object["spec"].as_object_mut(), spec) {
        into.extend(spec);
    }
    serde_json::from_value(object).expect("a cron workflow")
}

fn show(actions: &[CronAction]) -> String {
    let line = |action: &CronAction| match action {
        CronAction::Terminate(name) => format!("terminate {name}"),
        CronAction::Submit(workflow) => format!("submit {}", workflow.metadata.name),
        CronAction::Delete(name) => format!("delete {name}"),
        CronAction::Store => "store".into(),
        CronAction::Complain(text) => format!("complain: {text}"),
    };
    actions.iter().map(line).collect::<Vec<_>>().join(", ")
}

fn conditions(run: &CronRun) -> String {
    let line = |condition: &Condition| format!("{}: {}", condition.kind, condition.message);
    run.object().status.conditions.iter().map(line).collect::<Vec<_>>().join("; ")
}

fn child(uid: &str, phase: WorkflowPhase, finished: i64) -> Child {
    let reference =
        ObjectReference { name: format!("tick-{uid}"), uid: uid.into(), ..ObjectReference::default() };
    let finished_at = phase.is_final().then_some(Timestamp(finished));
    Child { reference, phase, finished_at, made_by: "tick".into() }
}

/// Submits what is due at a time and accepts it under the time as uid.
fn accept(run: &mut CronRun, at: &str) -> String {
    let actions = run.tick(time(at), &WORLD);
    for action in &actions {
        if let CronAction::Submit(workflow) = action {
            let reference = ObjectReference {
                name: workflow.metadata.name.clone(),
                uid: at.into(),
                ..ObjectReference::default()
            };
            assert_eq!(run.submitted(&workflow.metadata.name, Ok(reference)), [CronAction::Store]);
        }
    }
    show(&actions)
}

fn begin(spec: Value) -> CronRun {
    CronRun::new(object(spec, &json!({})), time("09:30:00"), &WORLD).0
}

#[test]
fn a_workflow_is_made_at_each_time() {
    let mut run = begin(json!({}));
    assert_eq!(run.next_due(), Some(time("10:00:00")));
    assert_eq!(accept(&mut run, "09:59:59"), "");
    assert_eq!(accept(&mut run, "10:00:01"), "submit tick-1704103200");
    assert_eq!(run.next_due(), Some(time("11:00:00")));
    assert_eq!(accept(&mut run, "13:10:00"), "submit tick-1704106800");
    assert_eq!(run.next_due(), Some(time("14:00:00")));
    let status = serde_json::to_value(&run.object().status).expect("value");
    assert_eq!(
        status,
        json!({"active": [{"name": "tick-1704103200", "uid": "10:00:01"}, {"name": "tick-1704106800", "uid": "13:10:00"}],
            "lastScheduledTime": "2024-01-01T11:00:00Z", "conditions": null, "succeeded": 0, "failed": 0, "phase": "Active"})
    );
    assert_eq!(run.object().metadata.annotations[LAST_USED], "0 * * * *");
}

#[test]
fn several_schedules_and_a_zone_are_followed() {
    let mut run =
        begin(json!({"schedules": ["0 12 * * *", "30 10 * * *", "0 11 * * *"], "timezone": "Berlin"}));
    assert_eq!(run.next_due(), Some(time("10:00:00")));
    // 11:00 and 12:00 in Berlin are over at once: the later one counts.
    assert_eq!(accept(&mut run, "11:00:00"), "submit tick-1704106800");
    assert_eq!(
        run.object().metadata.annotations[LAST_USED],
        "CRON_TZ=Berlin 0 12 * * *,CRON_TZ=Berlin 30 10 * * *,CRON_TZ=Berlin 0 11 * * *"
    );
}

#[test]
fn the_concurrency_policy_is_kept() {
    let mut run = begin(json!({"concurrencyPolicy": "Forbid"}));
    assert_eq!(accept(&mut run, "10:00:00"), "submit tick-1704103200");
    assert_eq!(accept(&mut run, "11:00:00"), "store");
    assert_eq!(show(&run.sync(&[child("10:00:00", WorkflowPhase::Failed, 1)], &WORLD)), "store");
    assert_eq!(run.object().status.failed, 1);
    assert_eq!(accept(&mut run, "12:00:00"), "submit tick-1704110400");

    let mut run = begin(json!({"concurrencyPolicy": "Replace"}));
    assert_eq!(accept(&mut run, "10:00:00"), "submit tick-1704103200");
    assert_eq!(accept(&mut run, "11:00:00"), "terminate tick-1704103200, submit tick-1704106800");
}

#[test]
fn suspend_and_when_hold_it_back() {
    let mut run = begin(json!({"suspend": true}));
    assert_eq!(accept(&mut run, "10:00:00"), "store");
    let mut run = begin(json!({"when": "false"}));
    assert_eq!(accept(&mut run, "10:00:00"), "store");
    let mut run = begin(json!({"when": "true"}));
    assert_eq!(accept(&mut run, "10:00:00"), "submit tick-1704103200");
    let mut run = begin(json!({"when": "what"}));
    assert_eq!(accept(&mut run, "10:00:00"), "store");
    assert_eq!(conditions(&run), "SubmissionError: run policy error: cannot read what");
    assert_eq!(run.object().status.failed, 1);
}

#[test]
fn the_stop_strategy_ends_it() {
    let mut run = begin(json!({"stopStrategy": {"expression": "failed >= 2"}}));
    for (at, expected) in [("10:00:00", "submit tick-1704103200"), ("11:00:00", "submit tick-1704106800")] {
        assert_eq!(accept(&mut run, at), expected);
        run.sync(&[child(at, WorkflowPhase::Error, 1)], &WORLD);
    }
    assert_eq!(run.object().status.phase, CronPhase::Stopped);
    assert_eq!(accept(&mut run, "12:00:00"), "store");
    assert_eq!(run.object().metadata.labels[COMPLETED], "true");

    let mut run = begin(json!({"stopStrategy": {"expression": "what"}}));
    let text = "failed to check CronWorkflow 'tick' stopping condition: failed to evaluate stop expression: cannot read what";
    assert_eq!(accept(&mut run, "10:00:00"), "store");
    assert_eq!(conditions(&run), format!("SpecError: {text}"));
    run.object.status.active.push(ObjectReference { uid: "x".into(), ..ObjectReference::default() });
    let actions = run.sync(&[child("x", WorkflowPhase::Succeeded, 1)], &WORLD);
    assert_eq!(show(&actions), format!("complain: {text}"));
    assert_eq!((run.object().status.succeeded, run.object().status.active.len()), (0, 1));
}

#[test]
fn a_missed_time_is_made_up_for_within_the_deadline() {
    let missed = |deadline: Option<i64>, used: &str| {
        let mut object = object(
            json!({"startingDeadlineSeconds": deadline}),
            &json!({"lastScheduledTime": "2024-01-01T02:00:00Z"}),
        );
        object.metadata.annotations.insert(LAST_USED.into(), used.into());
        let (run, actions) = CronRun::new(object, time("09:30:00"), &WORLD);
        assert_eq!(run.next_due(), Some(time("10:00:00")));
        show(&actions)
    };
    assert_eq!(missed(Some(1801), "0 * * * *"), "submit tick-1704099600");
    assert_eq!(missed(Some(1800), "0 * * * *"), "");
    assert_eq!(missed(Some(0), "0 * * * *"), "");
    assert_eq!(missed(None, "0 * * * *"), "");
    assert_eq!(missed(Some(1801), "1 * * * *"), "");
}

#[test]
fn a_refused_submit_is_told() {
    let mut run = begin(json!({}));
    run.tick(time("10:00:00"), &WORLD);
    run.submitted("tick-1704103200", Err(SubmitError::Failed("no".into())));
    assert_eq!(conditions(&run), "SubmissionError: Failed to submit Workflow: no");
    assert_eq!((run.object().status.failed, run.object().status.last_scheduled_time), (1, None));
    run.tick(time("11:00:00"), &WORLD);
    run.submitted("tick-1704106800", Err(SubmitError::Exists));
    assert_eq!(run.object().status.failed, 1);
    assert_eq!(accept(&mut run, "12:00:00"), "submit tick-1704110400");
    assert_eq!(conditions(&run), "");
}

#[test]
fn old_workflows_are_deleted_and_unknown_ones_taken_in() {
    let mut run = begin(json!({"successfulJobsHistoryLimit": 1, "failedJobsHistoryLimit": -1}));
    let mut children = Vec::new();
    for (uid, phase, finished) in [
        ("a", WorkflowPhase::Succeeded, 1),
        ("b", WorkflowPhase::Succeeded, 3),
        ("c", WorkflowPhase::Succeeded, 2),
        ("d", WorkflowPhase::Failed, 1),
        ("e", WorkflowPhase::Error, 2),
        ("f", WorkflowPhase::Running, 0),
    ] {
        children.push(child(uid, phase, finished));
    }
    assert_eq!(show(&run.sync(&children, &WORLD)), "delete tick-c, delete tick-a, delete tick-d, store");
    let active: Vec<&str> = run.object().status.active.iter().map(|each| each.uid.as_str()).collect();
    assert_eq!(active, ["f"]);
    assert_eq!(show(&run.sync(&children[5..], &WORLD)), "");
    // Gone without a trace: it no longer counts.
    assert_eq!(show(&run.sync(&[], &WORLD)), "store");
    assert_eq!((run.object().status.active.len(), run.object().status.failed), (0, 0));
}

#[test]
fn mistakes_in_the_spec_have_argos_texts() {
    let refuse = |spec: Value, expected: &str| {
        let (run, actions) = CronRun::new(object(spec, &json!({})), time("09:30:00"), &WORLD);
        assert_eq!(show(&actions), format!("complain: invalid cron workflow: {expected}"));
        assert_eq!(conditions(&run), format!("SpecError: {expected}"));
        assert_eq!(run.next_due(), None);
    };
    refuse(json!({"schedules": []}), "cron workflow must have at least one schedule");
    refuse(
        json!({"schedules": ["0 99 * * *"]}),
        "cron schedule 0 99 * * * is malformed: end of range (99) above maximum (23): 99",
    );
    refuse(json!({"timezone": "Mars"}), "invalid timezone \"Mars\": unknown time zone Mars");
    refuse(json!({"concurrencyPolicy": "Never"}), "'Never' is not a valid concurrencyPolicy");
    refuse(json!({"startingDeadlineSeconds": -1}), "startingDeadlineSeconds must be positive");
    refuse(json!({"workflowSpec": {}}), "cannot validate Workflow: no entrypoint");
    let mut long = object(json!({}), &json!({}));
    long.metadata.name = "x".repeat(53);
    let text = check(&long, &WORLD).expect_err("refused");
    assert!(text.ends_with("must not be more than 52 characters long (currently 53)"));
}

#[test]
fn a_change_of_the_object_keeps_or_renews_the_schedule() {
    let mut run = begin(json!({}));
    let same = run.object().clone();
    assert_eq!(run.changed(same, time("10:00:00"), &WORLD), []);
    assert_eq!(run.next_due(), Some(time("10:00:00")), "what is due is not lost");
    let other = object(json!({"schedules": ["@every 10m"]}), &json!({}));
    assert_eq!(run.changed(other, time("10:00:00"), &WORLD), []);
    assert_eq!(run.next_due(), Some(time("10:10:00")));
}
