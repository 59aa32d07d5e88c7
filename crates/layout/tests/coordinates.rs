//! Small samples and where everything stands in them. Rewrite the expected texts with `UPDATE_EXPECT=1`.

#![expect(clippy::needless_raw_string_hashes, reason = "rewritten expected texts have them")]

#[path = "kit/mod.rs"]
mod kit;
#[path = "kit/text.rs"]
mod text;

use expect_test::{Expect, expect};
use unwind_layout::layout;

fn check(notation: &str, expected: &Expect) {
    let sample = kit::read(notation);
    expected.assert_eq(&text::describe(&sample, &layout(&sample.request)));
}

/// As in the picture of the design, whose origin is (16, 16).
#[test]
fn three_nested_boxes_with_an_exit_hook_at_every_level() {
    check(
        include_str!("samples/seed.txt"),
        &expect![[r#"
        size 400×384
        seed-nested-dag 0,0 400×384
          ? 46,309 168×28 chip 18,314 18×18 bracket x 12 y 32..323
          ! 46,349 200×28 chip 18,354 18×18 bracket x 12 y 32..363
          level1 50,34 312×260
            ! 96,259 150×28 chip 68,264 18×18 bracket x 62 y 66..273
            level2 76,68 272×176
              ! 122,209 150×28 chip 94,214 18×18 bracket x 88 y 100..223
              stopped-job 102,102 232×92 card 126,110 200×40
                ! 146,156 170×28 chip 119,161 18×18 bracket x 113 y 130..170
    "#]],
    );
}

#[test]
fn edges_run_across_in_the_middle_of_the_gap() {
    check(
        "
        main: box
          plan: leaf 150
          build: leaf 150
          test: leaf 200
          join: leaf 150
        plan > build, test
        build > join
        test > join
        ",
        &expect![[r#"
            size 394×228
            main 0,0 394×228
              plan 122,34 150×40
              build 14,104 150×40
              test 180,104 200×40
              join 122,174 150×40
            plan > build 197,74 197,89 89,89 89,104
            plan > test 197,74 197,89 280,89 280,104
            build > join 89,144 89,159 197,159 197,174
            test > join 280,144 280,159 197,159 197,174
        "#]],
    );
}

#[test]
fn step_rows_have_labels_and_a_smaller_gap() {
    check(
        "
        lease: box 200
          [0] create: leaf 150
          [1] wait: leaf 150
          [1] attach: leaf 150
        ",
        &expect![[r#"
            size 366×144
            lease 0,0 366×144
              [0] 16,34 336×40 label 16,54
              [1] 16,90 336×40 label 16,110
              create 119,34 150×40
              wait 36,90 150×40
              attach 202,90 150×40
        "#]],
    );
}

#[test]
fn edges_that_cross_borders_are_raised_and_doubles_are_one() {
    check(
        "
        left: box
          one: leaf 150
          two: leaf 150
        right: box
          three: leaf 150
        one > three
        two > three
        two > right
        left > one
        ",
        &expect![[r#"
            size 344×206
            left 0,0 344×88
              one 14,34 150×40
              two 180,34 150×40
            right 83,118 178×88
              three 97,152 150×40
            left > right 172,88 172,118
        "#]],
    );
}

#[test]
fn a_hook_may_be_a_box_in_its_lane() {
    check(
        "
        main: box
          task: folded
            ! clean: box 120
              sweep: leaf 150
          next: leaf 150
        task > next
        sweep > next
        ",
        &expect![[r#"
            size 290×290
            main 0,0 290×290
              task 14,34 262×172 card 38,42 224×54
                ! 58,108 178×88 chip 31,143 18×18 bracket x 25 y 69..152
                clean 58,108 178×88
                  sweep 72,142 150×40
              next 70,236 150×40
            task > next 145,206 145,236
        "#]],
    );
}

#[test]
fn a_line_over_several_rows_passes_beside() {
    check(
        "
        one: leaf 150
        two: leaf 150
        three: leaf 150
        one > two, three
        two > three
        ",
        &expect![[r#"
            size 158×180
            one 8,0 150×40
            two 8,70 150×40
            three 8,140 150×40
            one > two 83,40 83,70
            one > three 83,40 83,55 0,55 0,125 83,125 83,140
            two > three 83,110 83,140
        "#]],
    );
}

#[test]
fn a_line_that_leads_back_is_drawn_upwards() {
    check(
        "
        one: leaf 150
        two: leaf 150
        one > two
        two > one
        ",
        &expect![[r#"
            size 150×110
            one 0,0 150×40
            two 0,70 150×40
            one > two 75,40 75,70
            two > one 75,70 75,40
        "#]],
    );
}

#[test]
fn a_short_chain_does_not_wait_for_a_tall_box_beside_it() {
    check(
        "
        begin: leaf 150
        tall: box
          a: leaf 150
          b: leaf 150
          c: leaf 150
        short: leaf 150
        after: leaf 150
        begin > tall, short
        short > after
        a > b
        b > c
        ",
        &expect![[r#"
            size 344×298
            begin 97,0 150×40
            tall 0,70 178×228
              a 14,104 150×40
              b 14,174 150×40
              c 14,244 150×40
            short 194,70 150×40
            after 194,140 150×40
            begin > tall 172,40 172,55 89,55 89,70
            begin > short 172,40 172,55 269,55 269,70
            short > after 269,110 269,140
            a > b 89,144 89,174
            b > c 89,214 89,244
        "#]],
    );
}

#[test]
fn small_parts_stand_in_a_column_beside_a_tall_one() {
    check(
        "
        main: box
          lint: leaf 150
          check: leaf 150
          tall: box
            a: leaf 150
            b: leaf 150
        a > b
        ",
        &expect![[r#"
            size 372×206
            main 0,0 372×206
              lint 14,34 150×40
              check 14,90 150×40
              tall 180,34 178×158
                a 194,68 150×40
                b 194,138 150×40
            a > b 269,108 269,138
        "#]],
    );
}

#[test]
fn left_to_right_turns_the_sides() {
    check(
        "
        left-right
        main: box 100 !150
          plan: leaf 150
          build: leaf 150
          steps: box
            [0] one: leaf 150
            [1] two: leaf 150
        plan > build, steps
        ",
        &expect![[r#"
            size 564×250
            main 0,0 564×250
              ! 46,215 150×28 chip 18,220 18×18 bracket x 12 y 32..229
              plan 26,97 150×40
              build 206,34 150×40
              steps 206,90 344×110
                [0] 220,124 150×62 label 220,135
                [1] 386,124 150×62 label 386,135
                one 220,146 150×40
                two 386,146 150×40
            plan > build 176,117 191,117 191,54 206,54
            plan > steps 176,117 191,117 191,145 206,145
        "#]],
    );
}
