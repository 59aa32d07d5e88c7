//! What people and agents do to a run: patches, values for suspended nodes, answers, a manual retry; under
//! UNWIND and under a release.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use unwind_engine::again::{NodeValues, RetryOptions};
use unwind_engine::{Behaviour, Event};
use unwind_model::NodePhase;

use crate::kit::driven::{Driven, driven_by};

/// Takes a run of a spec through a script under UNWIND and under Argo 4.1.2, which do the same.
fn both(spec: &str, needs: &[Value], script: fn(&mut Driven), expected: &Expect) {
    let [unwind, argo] = [Behaviour::UNWIND, Behaviour::argo("4.1.2")].map(|behaviour| {
        let mut run = driven_by(spec, behaviour, needs);
        script(&mut run);
        without_timers(&run.text())
    });
    assert_eq!(unwind, argo);
    expected.assert_eq(&unwind);
}

/// The same where they differ: first what UNWIND does.
fn each(spec: &str, needs: &[Value], script: fn(&mut Driven), expected: [&Expect; 2]) {
    for (behaviour, expected) in [Behaviour::UNWIND, Behaviour::argo("4.1.2")].into_iter().zip(expected) {
        let mut run = driven_by(spec, behaviour, needs);
        script(&mut run);
        expected.assert_eq(&without_timers(&run.text()));
    }
}

/// A controller looks again ten seconds after each pass that moved something.
fn without_timers(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("    timer at "));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

impl Driven {
    fn set(&mut self, selector: &str, values: NodeValues) -> &mut Self {
        self.handle(Event::NodesSet { selector: selector.to_owned(), values })
    }

    fn answered(&mut self, name: &str, answer: Value) -> &mut Self {
        let node = self.id(name);
        self.handle(Event::TaskAnswered { node, answer })
    }

    fn retried(&mut self, options: RetryOptions) -> &mut Self {
        self.handle(Event::RetryRequested { options })
    }

    fn patched(&mut self, patch: Value) -> &mut Self {
        self.handle(Event::Patched { patch })
    }

    /// A pass in which nothing is new; only a controller has one.
    fn passed(&mut self) -> &mut Self {
        self.now += 10_000;
        self.handle(Event::TimerFired { node: None })
    }

    /// Notes the arguments of the program that was started last.
    fn tell_arguments(&mut self) -> &mut Self {
        let told = self.starts.last().map(|start| format!("{} gets {:?}\n", start.name, start.args));
        self.lines.push_str(&told.unwrap_or_default());
        self
    }
}

fn phase(phase: NodePhase) -> NodeValues {
    NodeValues { phase: Some(phase), ..NodeValues::default() }
}

fn parameters(parameters: &[(&str, &str)]) -> NodeValues {
    let output_parameters =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    NodeValues { output_parameters, ..NodeValues::default() }
}

const APPROVAL: &str = "
  entrypoint: main
  templates:
  - name: main
    steps:
    - [{name: ask, template: approve}]
    - - name: tell
        template: say
        arguments: {parameters: [{name: text, value: '{{steps.ask.outputs.parameters.who}} {{steps.ask.outputs.parameters.why}} {{workflow.outputs.parameters.agreed}}'}]}
  - name: approve
    suspend: {}
    outputs:
      parameters:
      - {name: who, globalName: agreed, valueFrom: {supplied: {}}}
      - {name: why, valueFrom: {supplied: {}, default: none}}
  - name: say
    inputs: {parameters: [{name: text}]}
    container: {image: i, command: [say], args: ['{{inputs.parameters.text}}']}
";

#[test]
fn a_suspended_node_goes_on_with_what_it_was_given() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun);
        // Without a value for `who` nobody can resume it.
        run.handle(Event::ResumeRequested);
        run.set("displayName=ask", parameters(&[("when", "now")]));
        run.set("displayName=nobody", parameters(&[("who", "me")]));
        run.set("displayName=ask,phase=Running", parameters(&[("who", "me")]));
        run.set("displayName=ask", parameters(&[("who", "you")]));
        run.handle(Event::ResumeRequested).tell_arguments().exited("wf[1].tell", 0);
    };
    both(
        APPROVAL,
        &[],
        script,
        &expect![[r#"
        begun
        resumeRequested
            refused: node `wf` is Running and cannot take `resumeRequested`
        nodesSet
            refused: node `wf` is Running and cannot take `nodesSet`
        nodesSet
            refused: node `wf` is Running and cannot take `nodesSet`
        nodesSet
        nodesSet
            refused: node `wf` is Running and cannot take `nodesSet`
        resumeRequested
            start wf[1].tell
        wf[1].tell gets ["me none me"]
        leafEnded
            finished 
        wf Succeeded
        wf[0] Succeeded
        wf[0].ask Succeeded
        wf[1] Succeeded
        wf[1].tell Succeeded
        = Succeeded 2/2
    "#]],
    );
}

#[test]
fn a_suspended_node_fails_with_the_message_it_was_given() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun);
        run.set("id=wf", phase(NodePhase::Failed));
        let failed = NodeValues { message: "not today".to_owned(), ..phase(NodePhase::Failed) };
        run.set("templateName=approve", failed.clone()).set("templateName=approve", failed);
    };
    both(
        APPROVAL,
        &[],
        script,
        &expect![[r#"
        begun
        nodesSet
            refused: node `wf` is Running and cannot take `nodesSet`
        nodesSet
            finished 
        nodesSet
            refused: node `wf` is Failed and cannot take `nodesSet`
        wf Failed child 'wf-1049918565' failed
        wf[0] Failed child 'wf-1049918565' failed
        wf[0].ask Failed not today
        = Failed 0/1 child 'wf-1049918565' failed
    "#]],
    );
}

#[test]
fn a_message_alone_leaves_a_node_suspended() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun);
        run.set("displayName=ask", NodeValues { message: "ask again".to_owned(), ..NodeValues::default() });
        run.set("displayName=ask", NodeValues::default());
    };
    both(
        APPROVAL,
        &[],
        script,
        &expect![[r#"
        begun
        nodesSet
        nodesSet
            refused: node `wf` is Running and cannot take `nodesSet`
        wf Running
        wf[0] Running
        wf[0].ask Running ask again
        = Running 0/1
    "#]],
    );
}

const CHAIN: &str = "
  entrypoint: main
  arguments: {parameters: [{name: size, value: small}]}
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: leaf, onExit: note}
      - {name: b, template: leaf, depends: a, onExit: note}
  - {name: leaf, container: {image: i, command: [work], args: ['{{workflow.parameters.size}}']}}
  - {name: note, container: {image: i, command: [note]}}
";

#[test]
fn nothing_begins_while_the_workflow_is_suspended() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun).handle(Event::SuspendRequested).exited("wf.a", 0).passed();
        run.handle(Event::SuspendRequested).handle(Event::ResumeRequested).exited("wf.a.onExit", 0);
        run.handle(Event::ResumeRequested).exited("wf.b", 0).exited("wf.b.onExit", 0);
    };
    both(
        CHAIN,
        &[],
        script,
        &expect![[r#"
        begun
            start wf.a
        suspendRequested
        leafEnded
        timerFired
        suspendRequested
        resumeRequested
            start wf.a.onExit
        leafEnded
            start wf.b
        resumeRequested
        leafEnded
            start wf.b.onExit
        leafEnded
            finished 
        wf Succeeded
        wf.a Succeeded
        wf.a.onExit Succeeded
        wf.b Succeeded
        wf.b.onExit Succeeded
        = Succeeded 4/4
    "#]],
    );
}

/// Source: Argo `workflow/util/merge.go`, `JoinWorkflowSpec`.
#[test]
fn a_template_does_not_suspend_what_refers_to_it() {
    let template = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "WorkflowTemplate", "metadata": {"name": "whole"},
        "spec": {
            "entrypoint": "leaf", "suspend": true,
            "templates": [{"name": "leaf", "container": {"image": "i", "command": ["work"]}}],
        },
    });
    let script = |run: &mut Driven| {
        run.handle(Event::Begun).exited("wf", 0);
    };
    let spec = "  workflowTemplateRef: {name: whole}\n";
    let expected = expect![[r#"
        begun
            start wf
        leafEnded
            finished 
        wf Succeeded
        = Succeeded 1/1
    "#]];
    each(spec, &[template], script, [&expected, &expected]);
}

#[test]
fn a_deadline_of_zero_ends_main_work_and_leaves_the_hooks() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun).started("wf.a");
        run.patched(json!({"spec": {"activeDeadlineSeconds": 0}})).exited("wf.a", 143).passed();
        run.exited("wf.a.onExit", 0).passed();
    };
    each(
        CHAIN,
        &[],
        script,
        [
            &expect![[r#"
        begun
            start wf.a
        leafStarted
        patched
            end wf.a
        leafEnded
            start wf.a.onExit
        timerFired
        leafEnded
            finished 
        timerFired
        wf Failed
        wf.a Failed Step exceeded its deadline
        wf.a.onExit Succeeded
        = Failed 1/2
    "#]],
            &expect![[r#"
                begun
                    start wf.a
                leafStarted
                patched
                    end wf.a
                    start wf.a.onExit
                leafEnded
                timerFired
                leafEnded
                    finished 
                timerFired
                wf Failed
                wf.a Failed Step exceeded its deadline
                wf.a.onExit Succeeded
                wf.b Omitted omitted: depends condition not met
                = Failed 1/2
            "#]],
        ],
    );
}

#[test]
fn a_later_deadline_is_for_what_begins_after_it() {
    let spec = "
  entrypoint: leaf
  activeDeadlineSeconds: 60
  templates: [{name: leaf, container: {image: i, command: [work]}}]
";
    let script = |run: &mut Driven| {
        run.handle(Event::Begun).started("wf");
        run.patched(json!({"spec": {"activeDeadlineSeconds": 90}})).fired(60_001).fired(60_002);
        assert_eq!(
            run.run.open_timer().map(|at| at.0 > 60_002),
            Some(true),
            "the new deadline is waited for"
        );
        run.exited("wf", 143).passed();
    };
    both(
        spec,
        &[],
        script,
        &expect![[r#"
        begun
            start wf
        leafStarted
        patched
        timerFired
        timerFired
            end wf
        leafEnded
            finished 
        timerFired
        wf Failed Pod was active on the node longer than the specified deadline
        = Failed 0/1 Pod was active on the node longer than the specified deadline
    "#]],
    );
}

const ASKING: &str = "
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: get, template: fetch}
      - {name: greet, template: greet, continueOn: {failed: true}}
    - - name: tell
        template: say
        arguments: {parameters: [{name: text, value: '{{steps.get.outputs.result}} {{steps.greet.status}} {{steps.greet.outputs.parameters.p}}'}]}
  - {name: fetch, http: {url: 'http://localhost/{{workflow.name}}', successCondition: response.statusCode == 200}}
  - {name: greet, plugin: {hello: {}}, outputs: {parameters: [{name: p, valueFrom: {expression: '1'}}]}}
  - name: say
    inputs: {parameters: [{name: text}]}
    container: {image: i, command: [say], args: ['{{inputs.parameters.text}}']}
";

#[test]
fn the_answers_of_the_agent_are_taken_in() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun);
        run.answered("wf", json!({"phase": "Succeeded"}));
        // A plug-in may say that it is still at it.
        run.answered("wf[0].greet", json!({"phase": "Running", "message": "soon", "progress": "1/3"}));
        let open: Vec<String> = run.run.open_tasks().iter().map(|id| id.0.clone()).collect();
        assert_eq!(open.len(), 2, "{open:?}");
        run.answered("wf[0].get", json!({"phase": "Succeeded", "outputs": {"result": "fruit"}}));
        run.answered("wf[0].get", json!({"phase": "Failed"}));
        let outputs = json!({"parameters": [{"name": "p", "value": "half"}]});
        run.answered("wf[0].greet", json!({"phase": "Failed", "message": "no", "outputs": outputs}));
        run.passed().tell_arguments().exited("wf[1].tell", 0);
    };
    each(
        ASKING,
        &[],
        script,
        [
            &expect![[r#"
        begun
        taskAnswered
            refused: node `wf` is Running and cannot take `taskAnswered`
        taskAnswered
        taskAnswered
        taskAnswered
            refused: node `wf[0].get` is Succeeded and cannot take `taskAnswered`
        taskAnswered
            start wf[1].tell
        timerFired
        wf[1].tell gets ["fruit Failed half"]
        leafEnded
            finished 
        wf Succeeded
        wf[0] Succeeded
        wf[0].get Succeeded
        wf[0].greet Failed no
        wf[1] Succeeded
        wf[1].tell Succeeded
        = Succeeded 3/5
    "#]],
            &expect![[r#"
                begun
                taskAnswered
                    refused: node `wf` is Running and cannot take `taskAnswered`
                taskAnswered
                taskAnswered
                taskAnswered
                    refused: node `wf[0].get` is Succeeded and cannot take `taskAnswered`
                taskAnswered
                timerFired
                    start wf[1].tell
                wf[1].tell gets ["fruit Failed half"]
                leafEnded
                    finished 
                wf Succeeded
                wf[0] Succeeded
                wf[0].get Succeeded
                wf[0].greet Failed no
                wf[1] Succeeded
                wf[1].tell Succeeded
                = Succeeded 3/5
            "#]],
        ],
    );
}

#[test]
fn an_answer_that_is_none_leaves_the_task_open() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun);
        run.answered("wf[0].get", json!("what")).answered("wf[0].get", json!({"phase": "Unheard"}));
        run.answered("wf[0].get", json!({"phase": "Error", "message": "no route"}));
        run.answered("wf[0].greet", json!({"phase": "Succeeded"})).passed();
    };
    each(
        ASKING,
        &[],
        script,
        [
            &expect![[r#"
        begun
        taskAnswered
        taskAnswered
        taskAnswered
        taskAnswered
            finished 
        timerFired
        wf Failed child 'wf-1989942648' failed
        wf[0] Failed child 'wf-1989942648' failed
        wf[0].get Error no route
        wf[0].greet Succeeded
        = Failed 1/2 child 'wf-1989942648' failed
    "#]],
            &expect![[r#"
                begun
                taskAnswered
                taskAnswered
                taskAnswered
                taskAnswered
                timerFired
                    finished 
                wf Failed child 'wf-1989942648' failed
                wf[0] Failed child 'wf-1989942648' failed
                wf[0].get Error no route
                wf[0].greet Succeeded
                = Failed 1/2 child 'wf-1989942648' failed
            "#]],
        ],
    );
}

fn restart(selector: &str, parameters: &[&str]) -> RetryOptions {
    RetryOptions {
        restart_successful: true,
        node_field_selector: selector.to_owned(),
        parameters: parameters.iter().map(|text| (*text).to_owned()).collect(),
        ..RetryOptions::default()
    }
}

#[test]
fn a_retry_runs_what_failed_again() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun).exited("wf.a", 0).exited("wf.a.onExit", 0);
        run.retried(RetryOptions::default());
        run.exited("wf.b", 1).exited("wf.b.onExit", 1).passed();
        run.retried(RetryOptions { parameters: vec!["size=large".to_owned()], ..RetryOptions::default() });
        run.tell_arguments().passed().exited("wf.b", 0).exited("wf.b.onExit", 0).passed();
    };
    each(
        CHAIN,
        &[],
        script,
        [
            &expect![[r#"
        begun
            start wf.a
        leafEnded
            start wf.a.onExit
        leafEnded
            start wf.b
        retryRequested
            refused: node `wf` is Running and cannot take `retryRequested`
        leafEnded
            start wf.b.onExit
        leafEnded
            finished 
        timerFired
        retryRequested
            start wf.b
        wf.b gets ["large"]
        timerFired
        leafEnded
            start wf.b.onExit
        leafEnded
            finished 
        timerFired
        wf Succeeded
        wf.a Succeeded
        wf.a.onExit Succeeded
        wf.b Succeeded
        wf.b.onExit Succeeded
        = Succeeded 4/4
    "#]],
            &expect![[r#"
                begun
                    start wf.a
                leafEnded
                    start wf.a.onExit
                leafEnded
                    start wf.b
                retryRequested
                    refused: node `wf` is Running and cannot take `retryRequested`
                leafEnded
                    start wf.b.onExit
                leafEnded
                    finished 
                timerFired
                retryRequested
                    start wf.b
                wf.b gets ["large"]
                timerFired
                leafEnded
                    start wf.b.onExit
                leafEnded
                    finished 
                timerFired
                wf Succeeded
                wf.a Succeeded
                wf.a.onExit Succeeded
                wf.b Succeeded
                wf.b.onExit Succeeded
                = Succeeded 4/4
            "#]],
        ],
    );
}

#[test]
fn a_retry_of_a_succeeded_workflow_restarts_what_the_selector_means() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun).exited("wf.a", 0).exited("wf.a.onExit", 0);
        run.exited("wf.b", 0).exited("wf.b.onExit", 0);
        run.retried(RetryOptions::default()).retried(restart("", &[])).retried(restart("a", &[]));
        run.retried(restart("displayName=a", &["oops"]));
        run.retried(restart("displayName=b", &["size=large"])).tell_arguments().passed();
        run.exited("wf.b", 0).exited("wf.b.onExit", 0).passed();
    };
    both(
        CHAIN,
        &[],
        script,
        &expect![[r#"
        begun
            start wf.a
        leafEnded
            start wf.a.onExit
        leafEnded
            start wf.b
        leafEnded
            start wf.b.onExit
        leafEnded
            finished 
        retryRequested
            refused: node `wf` is Succeeded and cannot take `retryRequested`
        retryRequested
            refused: node `wf` is Succeeded and cannot take `retryRequested`
        retryRequested
            refused: node `wf` is Succeeded and cannot take `retryRequested`
        retryRequested
            refused: node `wf` is Succeeded and cannot take `retryRequested`
        retryRequested
            start wf.b
        wf.b gets ["large"]
        timerFired
        leafEnded
            start wf.b.onExit
        leafEnded
            finished 
        timerFired
        wf Succeeded
        wf.a Succeeded
        wf.a.onExit Succeeded
        wf.b Succeeded
        wf.b.onExit Succeeded
        = Succeeded 4/4
    "#]],
    );
}

#[test]
fn a_stopped_workflow_that_is_retried_goes_on() {
    let script = |run: &mut Driven| {
        run.handle(Event::Begun)
            .started("wf.a")
            .handle(Event::TerminateRequested)
            .exited("wf.a", 143)
            .passed();
        run.retried(RetryOptions::default()).passed().exited("wf.a", 0).exited("wf.a.onExit", 0);
        run.exited("wf.b", 0).exited("wf.b.onExit", 0).passed();
    };
    each(
        CHAIN,
        &[],
        script,
        [
            &expect![[r#"
        begun
            start wf.a
        leafStarted
        terminateRequested
            end wf.a
        leafEnded
            finished 
        timerFired
        retryRequested
            start wf.a
        timerFired
        leafEnded
            start wf.a.onExit
        leafEnded
            start wf.b
        leafEnded
            start wf.b.onExit
        leafEnded
            finished 
        timerFired
        wf Succeeded
        wf.a Succeeded
        wf.a.onExit Succeeded
        wf.b Succeeded
        wf.b.onExit Succeeded
        = Succeeded 4/4
    "#]],
            &expect![[r#"
                begun
                    start wf.a
                leafStarted
                terminateRequested
                    end wf.a
                leafEnded
                    finished 
                timerFired
                retryRequested
                    start wf.a
                timerFired
                leafEnded
                    start wf.a.onExit
                leafEnded
                    start wf.b
                leafEnded
                    start wf.b.onExit
                leafEnded
                    finished 
                timerFired
                wf Succeeded
                wf.a Succeeded
                wf.a.onExit Succeeded
                wf.b Succeeded
                wf.b.onExit Succeeded
                = Succeeded 4/4
            "#]],
        ],
    );
}
