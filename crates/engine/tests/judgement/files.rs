//! Saved runs in, rows and findings out.

use expect_test::{Expect, expect};
use unwind_engine::{Scenario, analyse};
use unwind_model::document::parse_workflow;

use crate::told::judgement_text;

fn check_file(text: &str, expected: &Expect) {
    let workflow = parse_workflow(text.as_bytes()).expect("the fixture is a workflow").0;
    let analysis = analyse(&workflow, &Scenario::default());
    let judgement = analysis.judgement.expect("a run has a judgement");
    expected.assert_eq(&judgement_text(&judgement));
}

#[test]
fn stopped_nested_dags_lose_the_middle_hook() {
    check_file(
        include_str!("../fixtures/stop-nested-dag-exit-hooks.json"),
        &expect![[r"
        orchard - - Failed Broken
        orchard.press - - Failed Broken
          orchard.press.bottle - - Running Broken
            orchard.press.bottle.cap - - Failed Kept
            orchard.press.bottle.cap.onExit 1 1= Running Kept
          orchard.press.bottle.onExit 2 - none Broken
        orchard.press.onExit 3 1= Running Broken
        HookMissing orchard.press.bottle.onExit (ExitHookRunsOnce); begin of orchard.press.bottle.onExit never; end of orchard.press.bottle never
        HookOrder orchard.press.onExit (InsideOut); begin of orchard.press.onExit 00:12Z; end of orchard.press.bottle.cap.onExit never
        LeftUnfinished orchard.press.bottle (EveryNodeEnds); end of orchard.press.bottle never
        EarlyEnd orchard (BoxEndsLast); end of orchard 00:12Z; end of orchard.press.bottle.cap.onExit never
        EarlyEnd orchard.press (BoxEndsLast); end of orchard.press 00:12Z; end of orchard.press.bottle.cap.onExit never
    "]],
    );
}

#[test]
fn leaf_that_had_just_ended_lets_two_levels_run_together() {
    check_file(
        include_str!("../fixtures/ab-DDD-ended-0.json"),
        &expect![[r"
        nest - - Failed Broken
        nest.l1 - - Failed Broken
          nest.l1.l2 - - Running Broken
            nest.l1.l2.leaf - - Succeeded Kept
            nest.l1.l2.leaf.onExit 1 1= Succeeded Kept
          nest.l1.l2.onExit 2 - none Broken
        nest.l1.onExit 3 1= Succeeded Broken
        HookMissing nest.l1.l2.onExit (ExitHookRunsOnce); begin of nest.l1.l2.onExit never; end of nest.l1.l2 never
        HookOrder nest.l1.onExit (InsideOut); begin of nest.l1.onExit 00:20Z; end of nest.l1.l2.leaf.onExit 00:37Z
        LeftUnfinished nest.l1.l2 (EveryNodeEnds); end of nest.l1.l2 never
        EarlyEnd nest (BoxEndsLast); end of nest 00:40Z; end of nest.l1.l2 never
        EarlyEnd nest.l1 (BoxEndsLast); end of nest.l1 00:20Z; end of nest.l1.l2.leaf.onExit 00:37Z
    "]],
    );
}

#[test]
fn killed_leaf_loses_its_hook_and_the_outermost() {
    check_file(
        include_str!("../fixtures/ab-DDD-kill1.json"),
        &expect![[r"
        nest - - Failed Broken
        nest.l1 - - Running Broken
          nest.l1.l2 - - Failed Broken
            nest.l1.l2.leaf - - Failed Kept
            nest.l1.l2.leaf.onExit 1 - none Broken
          nest.l1.l2.onExit 2 1 Succeeded Broken
        nest.l1.onExit 3 - none Broken
        HookMissing nest.l1.l2.leaf.onExit (ExitHookRunsOnce); begin of nest.l1.l2.leaf.onExit never; end of nest.l1.l2.leaf 00:27Z
        HookMissing nest.l1.onExit (ExitHookRunsOnce); begin of nest.l1.onExit never; end of nest.l1 never
        HookOrder nest.l1.l2.onExit (InsideOut); begin of nest.l1.l2.onExit 00:20Z; end of nest.l1.l2.leaf 00:27Z
        LeftUnfinished nest.l1 (EveryNodeEnds); end of nest.l1 never
        EarlyEnd nest (BoxEndsLast); end of nest 00:20Z; end of nest.l1.l2.onExit 00:37Z
        EarlyEnd nest.l1.l2 (BoxEndsLast); end of nest.l1.l2 00:20Z; end of nest.l1.l2.leaf 00:27Z
    "]],
    );
}
