//! Manual retry, in a short notation: `id Type Phase boundary > children`, `-` for no boundary,
//! perhaps `try` or `hook` behind it. A node's
//! full name is its id below the workflow's name, `wf`.

use std::fmt::Write;

use super::*;

const NOW: Timestamp = Timestamp(7_000);

fn workflow(phase: &str, nodes: &str) -> Workflow {
    let mut map = serde_json::Map::new();
    for line in nodes.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (head, children) = line.split_once('>').unwrap_or((line, ""));
        let words: Vec<&str> = head.split_whitespace().collect();
        let children: Vec<&str> = children.split_whitespace().collect();
        let name = if words[0] == "wf" { "wf".to_owned() } else { format!("wf.{}", words[0]) };
        let has = |flag: &str| words[4..].contains(&flag);
        map.insert(
            words[0].into(),
            json!({"id": words[0], "name": name, "displayName": words[0], "type": words[1], "phase": words[2],
                "boundaryID": words[3].trim_matches('-'), "message": "m", "children": children,
                "outboundNodes": children, "templateName": "t", "startedAt": "1970-01-01T00:00:01Z",
                "finishedAt": "1970-01-01T00:00:02Z", "nodeFlag": {"retried": has("try"), "hooked": has("hook")}}),
        );
    }
    let text = json!({"metadata": {"name": "wf", "labels": {super::super::COMPLETED: "true", "a": "b"}},
        "spec": {"shutdown": "Stop", "activeDeadlineSeconds": 0},
        "status": {"phase": phase, "message": "m", "finishedAt": "1970-01-01T00:00:03Z", "nodes": map}});
    unwind_model::json::read(&text.to_string()).expect("a workflow")
}

fn show(result: &Result<Retried, RetryError>) -> String {
    let retried = match result {
        Ok(retried) => retried,
        Err(error) => return error.to_string(),
    };
    let mut text = String::new();
    for node in retried.workflow.status.nodes.values() {
        let children: Vec<&str> = node.children.iter().map(NodeId::as_str).collect();
        assert_eq!(node.children, node.outbound_nodes);
        let phase = node.phase.as_str();
        writeln!(text, "{} {phase} > {}", node.id, children.join(" ")).expect("text");
        let began_anew =
            node.started_at == Some(NOW) && node.finished_at.is_none() && node.message.is_empty();
        let kept = node.started_at == Some(Timestamp(1_000)) && node.finished_at == Some(Timestamp(2_000));
        assert!(began_anew || kept && node.message == "m", "{}", node.id);
    }
    let pods: Vec<&str> = retried.pods_to_delete.iter().map(|pod| pod.node.as_str()).collect();
    write!(text, "pods: {}", pods.join(" ")).expect("text");
    text
}

fn check_with(phase: &str, options: &RetryOptions, nodes: &str, expected: &str) {
    let lines = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let found = show(&retry(&workflow(phase, nodes), options, NOW));
    assert_eq!(lines(&found), lines(expected), "found:\n{found}");
}

fn check(nodes: &str, expected: &str) {
    check_with("Failed", &RetryOptions::default(), nodes, expected);
}

fn selecting(selector: &str, parameters: &[&str]) -> RetryOptions {
    RetryOptions {
        restart_successful: true,
        node_field_selector: selector.into(),
        parameters: parameters.iter().map(|text| (*text).to_owned()).collect(),
        ..RetryOptions::default()
    }
}

#[test]
fn failed_leaves_go_and_what_encloses_them_runs_again() {
    check(
        "wf DAG Failed - > a
         a Pod Succeeded wf > b
         b DAG Failed wf > c d
         c Pod Failed b > e
         d Pod Succeeded b
         e Skipped Omitted b
         onExit Pod Succeeded - > onExit.x
         onExit.x Pod Succeeded onExit",
        "a Succeeded > b
         b Running > d
         d Succeeded >
         wf Running > a
         pods: wf.c wf.onExit wf.onExit.x",
    );
}

#[test]
fn the_own_exit_hook_goes_with_all_that_is_named_below_it() {
    let nodes = "wf Pod Failed -
         onExit Steps Succeeded - > onExit[0]
         onExit[0] StepGroup Succeeded onExit > onExit[0].x
         onExit[0].x Pod Succeeded onExit";
    check(nodes, "pods: wf wf.onExit wf.onExit[0] wf.onExit[0].x");
}

#[test]
fn a_leaf_whose_exit_hook_ran_well_is_not_run_again() {
    check(
        "wf DAG Failed - > a
         a Pod Failed wf > a.onExit
         a.onExit Pod Succeeded wf",
        "a Failed > a.onExit
         a.onExit Succeeded >
         wf Failed > a
         pods:",
    );
}

#[test]
fn hooks_that_run_again_go_with_their_owners_work() {
    let nodes = "wf DAG Failed - > a c
         a DAG Failed wf > b d a.onExit
         b Pod Failed a > b.onExit
         b.onExit DAG Succeeded a hook > h
         h Retry Succeeded b.onExit > h0
         h0 Pod Succeeded b.onExit try
         d Pod Succeeded a > d.onExit
         d.onExit Pod Succeeded a hook
         a.onExit Pod Succeeded wf hook
         c Pod Succeeded wf";
    let options = RetryOptions { hooks: OldHooks::RunAgain, ..RetryOptions::default() };
    let expected = "a Running > d
         c Succeeded >
         d Succeeded > d.onExit
         d.onExit Succeeded >
         wf Running > a c
         pods: wf.a.onExit wf.b wf.h0";
    check_with("Failed", &options, nodes, expected);
}

#[test]
fn every_try_goes_and_the_retry_runs_again() {
    check(
        "wf Steps Failed - > g
         g StepGroup Failed wf > r
         r Retry Failed wf > r0 r1
         r0 Pod Failed wf try
         r1 Pod Error wf try",
        "g Running > r
         r Running >
         wf Running > g
         pods: wf.r0 wf.r1",
    );
}

#[test]
fn a_failed_try_stays_beside_one_that_succeeded() {
    check(
        "wf DAG Failed - > r
         r Retry Succeeded wf > r0 r1
         r0 Pod Failed wf try
         r1 Pod Succeeded wf try > b
         b Pod Failed wf",
        "r Succeeded > r0 r1
         r0 Failed >
         r1 Succeeded >
         wf Running > r
         pods: wf.b",
    );
}

#[test]
fn a_container_goes_with_its_pod() {
    check(
        "wf DAG Failed - > p
         p Pod Failed wf > c1 c2 next
         c1 Container Failed p
         c2 Container Succeeded p
         next Skipped Omitted wf",
        "wf Running >
         pods: wf.p",
    );
}

#[test]
fn named_nodes_of_a_succeeded_workflow_begin_anew() {
    let nodes = "wf Steps Succeeded - > g0
         g0 StepGroup Succeeded wf > a
         a DAG Succeeded wf > a1
         a1 Pod Succeeded a > g1
         g1 StepGroup Succeeded wf > b
         b Pod Succeeded wf";
    let expected = "a Running >
         g0 Running > a
         wf Running > g0
         pods: wf.a1 wf.b";
    check_with("Succeeded", &selecting("displayName=a1", &[]), nodes, expected);
    check_with("Succeeded", &selecting("displayName=wf", &[]), nodes, "pods: wf.a1 wf.b");
}

#[test]
fn other_parameters_empty_the_groups_that_run_again() {
    let nodes = "wf DAG Failed - > g
         g TaskGroup Failed wf > i0 i1
         i0 Pod Succeeded wf
         i1 Pod Failed wf";
    check(nodes, "g Running > i0\ni0 Succeeded >\nwf Running > g\npods: wf.i1");
    let options = RetryOptions { parameters: vec!["x=1".into()], ..RetryOptions::default() };
    check_with("Failed", &options, nodes, "g Running >\nwf Running > g\npods: wf.i0 wf.i1");
}

#[test]
fn the_workflow_bears_no_sign_of_its_end() {
    let mut old = workflow("Error", "wf Pod Failed -");
    old.status.other.insert("persistentVolumeClaims".into(), json!([{}]));
    old.status
        .other
        .insert("conditions".into(), json!([{"type": "Completed", "status": "True"}, {"type": "x"}]));
    old.status
        .other
        .insert("storedWorkflowTemplateSpec".into(), json!({"shutdown": "Stop", "entrypoint": "e"}));
    let options = RetryOptions { parameters: vec!["x=1".into()], ..RetryOptions::default() };
    let again = retry(&old, &options, NOW).expect("retried").workflow;
    assert_eq!(
        serde_json::to_value(&again).expect("value"),
        json!({"metadata": {"name": "wf", "labels": {"a": "b"}},
            "spec": {"arguments": {"parameters": [{"name": "x", "value": "1"}]}},
            "status": {"startedAt": "1970-01-01T00:00:07Z", "finishedAt": null,
                "conditions": [{"type": "Completed", "status": "False"}, {"type": "x"}],
                "storedWorkflowTemplateSpec": {"entrypoint": "e",
                    "arguments": {"parameters": [{"name": "x", "value": "1"}]}}}})
    );
}

#[test]
fn refusals_have_argos_texts() {
    let refuse = |phase: &str, options: &RetryOptions, nodes: &str, expected: &str| {
        let found = show(&retry(&workflow(phase, nodes), options, NOW));
        assert_eq!(found, expected);
    };
    let plain = RetryOptions::default();
    refuse("Running", &plain, "", "Cannot retry a workflow in phase Running");
    refuse("", &plain, "", "Cannot retry a workflow in phase ");
    let succeeded = "To retry a succeeded workflow, set the options restartSuccessful and nodeFieldSelector";
    refuse("Succeeded", &plain, "", succeeded);
    refuse("Succeeded", &selecting("", &[]), "", succeeded);
    refuse("Failed", &selecting("a", &[]), "", "invalid selector: 'a'; can't understand 'a'");
    refuse("Failed", &plain, "wf DAG Failed -\nx Pod Failed wf", "couldn't find parent node for x");
    refuse("Failed", &plain, "wf DAG Failed - > y", "coudln't obtain child y");
    refuse("Failed", &plain, "onExit Pod Failed -", "couldn't find root node");
    let lost = "wf DAG Failed - > a\na DAG Failed b > c\nc Pod Failed a";
    refuse("Failed", &plain, lost, "was seeking node but ran out of nodes to explore");
}

#[test]
fn circles_end() {
    for nodes in [
        "wf DAG Failed - > wf",
        "wf DAG Failed - > a\na Pod Failed wf > b\nb Pod Failed wf > a",
        "wf DAG Failed - > a\na DAG Failed a > b\nb Pod Failed a > b",
        "wf DAG Failed a > a\na DAG Failed wf > b\nb Container Failed a",
    ] {
        show(&retry(&workflow("Failed", nodes), &RetryOptions::default(), NOW));
    }
}

#[test]
fn random_nodes_end_without_a_panic_and_refer_to_what_is_there() {
    let mut seed: u64 = 5;
    let mut below = |limit: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).expect("small") % limit
    };
    let types = ["Pod", "DAG", "Steps", "StepGroup", "TaskGroup", "Retry", "Container", "HTTP", "Skipped"];
    let phases = ["Failed", "Succeeded", "Error", "Omitted", "Running"];
    let mut done = 0;
    for round in 0..1_000 {
        let count = 2 + below(9);
        // Some refer to anything, most only to what comes later.
        let is_wild = round % 4 == 0;
        let mut text = String::new();
        for at in 0..count {
            let id = |at: usize| if at == 0 { "wf".to_owned() } else { format!("n{at}") };
            let mut children = Vec::new();
            for other in 1..count {
                let is_later = other > at && below(3) == 0 || other == at + 1;
                if is_later || is_wild && below(12) == 0 {
                    children.push(id(other));
                }
            }
            let boundary =
                if at == 0 { "-".to_owned() } else { id(if is_wild { below(count) } else { below(at) }) };
            let (kind, phase) = (types[below(types.len())], phases[below(phases.len())]);
            let flag = ["", "try", "hook"][below(3)];
            writeln!(text, "{} {kind} {phase} {boundary} {flag} > {}", id(at), children.join(" "))
                .expect("text");
        }
        let hooks = if round % 2 == 0 { OldHooks::Stay } else { OldHooks::RunAgain };
        let options =
            RetryOptions { hooks, ..selecting(["phase=Succeeded", ""][below(2)], &["x=1"][..below(2)]) };
        let Ok(retried) = retry(&workflow("Failed", &text), &options, NOW) else { continue };
        let nodes = &retried.workflow.status.nodes;
        let dangling =
            nodes.values().flat_map(|node| &node.children).find(|child| !nodes.contains_key(*child));
        assert_eq!(dangling, None, "{text}");
        done += 1;
    }
    assert!(done > 150, "{done}");
}
