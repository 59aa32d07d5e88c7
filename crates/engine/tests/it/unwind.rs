//! What the right order does, shape by shape.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use crate::kit::check;
use expect_test::expect;

#[test]
fn hooks_run_innermost_first_after_a_stop() {
    check(
        "main![ outer![ inner![ work!@1000 ] ] ] stop@500",
        &expect![[r#"
                0  outer.inner.work Running
              530  outer.inner.work Failed
              530  outer.inner.work.onExit Pending
              530  outer.inner.work.onExit Running
              580  outer.inner Failed
              580  outer.inner.work.onExit Succeeded
              580  outer.inner.onExit Pending
              580  outer.inner.onExit Running
              630  outer Failed
              630  outer.inner.onExit Succeeded
              630  outer.onExit Pending
              630  outer.onExit Running
              680  main Failed
              680  outer.onExit Succeeded
              680  onExit Pending
              680  onExit Running
              730  onExit Succeeded
            Failed 4/5 Stopped with strategy 'Stop'
        "#]],
    );
}

#[test]
fn steps_unwind_in_the_same_order() {
    check(
        "main!{ outer!{ inner!{ work!@1000 ; next } } } stop@500",
        &expect![[r#"
                0  main[0].outer[0].inner[0].work Running
              530  main[0].outer[0].inner[0].work Failed
              530  main[0].outer[0].inner[0].work.onExit Pending
              530  main[0].outer[0].inner[0].work.onExit Running
              580  main[0].outer[0].inner Failed
              580  main[0].outer[0].inner[0] Failed
              580  main[0].outer[0].inner[0].work.onExit Succeeded
              580  main[0].outer[0].inner.onExit Pending
              580  main[0].outer[0].inner.onExit Running
              630  main[0].outer Failed
              630  main[0].outer[0] Failed
              630  main[0].outer[0].inner.onExit Succeeded
              630  main[0].outer.onExit Pending
              630  main[0].outer.onExit Running
              680  main Failed
              680  main[0] Failed
              680  main[0].outer.onExit Succeeded
              680  onExit Pending
              680  onExit Running
              730  onExit Succeeded
            Failed 4/5 Stopped with strategy 'Stop'
        "#]],
    );
}

#[test]
fn a_run_without_a_stop_ends_succeeded() {
    check(
        "main![ a!>b c{ x y! ; z } ]",
        &expect![[r#"
                0  a Running
                0  c[0].x Running
                0  c[0].y Running
               50  a Succeeded
               50  a.onExit Pending
               50  c[0].x Succeeded
               50  c[0].y Succeeded
               50  c[0].y.onExit Pending
               50  a.onExit Running
               50  c[0].y.onExit Running
              100  a.onExit Succeeded
              100  b Pending
              100  c[0] Succeeded
              100  c[0].y.onExit Succeeded
              100  c[1] Running
              100  c[1].z Pending
              100  b Running
              100  c[1].z Running
              150  b Succeeded
              150  main Succeeded
              150  c Succeeded
              150  c[1] Succeeded
              150  c[1].z Succeeded
              150  onExit Pending
              150  onExit Running
              200  onExit Succeeded
            Succeeded 8/8 
        "#]],
    );
}
