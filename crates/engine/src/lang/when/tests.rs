//! Conditions, and what govaluate says of them.

use proptest::prelude::*;

use super::should_execute;

fn check(when: &str) -> String {
    should_execute(when).map_or_else(|error| error.to_string(), |holds| holds.to_string())
}

#[test]
fn conditions_hold_as_in_argo() {
    for (when, expected) in [
        ("", true),
        ("heads == heads", true),
        ("heads != 'heads'", false),
        ("\"a b\" == 'a b'", true),
        ("5 > 3 && 5.0 == 5", true),
        ("!(yes == no) || false", true),
        ("x in ('x','y')", true),
        ("z in ('x', 'y')", false),
        ("'yes' =~ 'y.*'", true),
        ("tails =~ hea", false),
        ("tails !~ hea", true),
        ("abc == abc", true),
        ("'2' == 2", false),
        ("b > a", true),
        ("1 + 2 * 3 - 4 == 3 && 2 ** 3 ** 2 == 64", true),
        ("7 % 4 == 3 && 1 << 4 == 16 && (6 & 3) == 2", true),
        ("true ? 1 == 1 : 2 == 3", true),
        ("false ? true : false", false),
        ("'2026-01-02' < '2026-01-03T00:00:00Z'", true),
        ("[a b] == 'a b'", true),
        ("0x1F == 31", true),
        ("a\\-b == 'a-b'", true),
        ("(a != )", true),
        ("1 == 1 ) && ( 1 == 2", true),
        ("'Mon Jan  2 15:04:05 2006' == 1136214245", true),
        ("'Mon Jan 2 15:04:05 EST 2006' == '2006-01-02 15:04:05'", true),
        ("'2006-01-02T15:04:05.123+07:00' == 1136189045", true),
        ("'2006-01-02 24:00' == '2006-01-02 24:00'", true),
        ("'2006-02-29' =~ '^2'", true),
        ("'3:04PM' == '15:04'", false),
        ("'3:04PM' < 0", true),
        ("'a{x' =~ 'a{x' && '[' =~ '[a[]' && 'b' =~ '[[:alpha:]]' && 'A' =~ '(?i)a'", true),
    ] {
        assert_eq!(should_execute(when), Ok(expected), "{when}");
    }
}

#[test]
fn mistakes_are_told_in_the_words_of_argo() {
    for (when, expected) in [
        ("1 ==", "Invalid 'when' expression '1 ==': Unexpected end of expression"),
        ("1 +", "Invalid 'when' expression '1 +': Unexpected end of expression"),
        (" ", "Invalid 'when' expression ' ': Unexpected end of expression"),
        ("word", "Expected boolean evaluation for 'word'. Got word"),
        ("1000000 + 1", "Expected boolean evaluation for '1000000 + 1'. Got 1.000001e+06"),
        ("()", "Expected boolean evaluation for '()'. Got <nil>"),
        ("(a, 1, true)", "Expected boolean evaluation for '(a, 1, true)'. Got [a 1 true]"),
        ("a + 1", "Expected boolean evaluation for 'a + 1'. Got a1"),
        (
            "a ==- b",
            "Invalid 'when' expression 'a ==- b': Invalid token: '==-' (hint: try wrapping the affected \
             expression in quotes (\"))",
        ),
        ("(a == b", "Invalid 'when' expression '(a == b': Unbalanced parenthesis"),
        ("'a", "Invalid 'when' expression ''a': Unclosed string literal"),
        ("[a", "Invalid 'when' expression '[a': Unclosed parameter bracket"),
        (
            "file.txt == x",
            "Invalid 'when' expression 'file.txt == x': Unable to access unexported field 'txt' in token \
             'file.txt'",
        ),
        ("a. == x", "Invalid 'when' expression 'a. == x': Hanging accessor on token 'a.'"),
        (
            "1.2.3 == x",
            "Invalid 'when' expression '1.2.3 == x': Unable to parse numeric value '1.2.3' to float64\n",
        ),
        (
            "a b == c",
            "Invalid 'when' expression 'a b == c': Cannot transition token types from VARIABLE [a] to VARIABLE \
             [b]",
        ),
        (
            ")(",
            "Invalid 'when' expression ')(': Cannot transition token types from UNKNOWN [<nil>] to \
             CLAUSE_CLOSE [41]",
        ),
        ("f(1)", "Invalid 'when' expression 'f(1)': Undefined function f"),
        (
            "'a' =~ '('",
            "Invalid 'when' expression ''a' =~ '('': error parsing regexp: missing closing ): `(`",
        ),
        (
            "'a' =~ 'a**'",
            "Invalid 'when' expression ''a' =~ 'a**'': error parsing regexp: invalid nested repetition operator: \
             `**`",
        ),
        (
            "'a' =~ '(?=a)'",
            "Invalid 'when' expression ''a' =~ '(?=a)'': error parsing regexp: invalid or unsupported Perl \
             syntax: `(?=`",
        ),
        (
            "1 + '2006-01-02T15:04:05.5+07:00'",
            "Invalid 'when' expression '1 + '2006-01-02T15:04:05.5+07:00'': Cannot transition token types from \
             MODIFIER [+] to TIME [2006-01-02 15:04:05.5 +0700 +0700]",
        ),
        (
            "!word",
            "Failed to parse 'when' expression '!word': Cannot transition token types from PREFIX [!] to STRING \
             [word]",
        ),
        (
            "my-value == x",
            "Failed to evaluate 'when' expresion 'my-value == x': Value 'my' cannot be used with the modifier \
             '-', it is not a number",
        ),
        (
            "a < 1",
            "Failed to evaluate 'when' expresion 'a < 1': Value 'a' cannot be used with the comparator '<', it \
             is not a number",
        ),
        (
            "a && true",
            "Failed to evaluate 'when' expresion 'a && true': Value 'a' cannot be used with the logical \
             operator '&&', it is not a bool",
        ),
        (
            "x in ('x')",
            "Failed to evaluate 'when' expresion 'x in ('x')': Value 'x' cannot be used with the comparator \
             'in', it is not a number",
        ),
        ("v1.Two == x", "Failed to evaluate 'when' expresion 'v1.Two == x': No parameter 'v1' found."),
    ] {
        assert_eq!(check(when), expected);
    }
}

/// Conditions and what govaluate (the release that Argo 3.7.18 uses) said of them when it was run.
const ANSWERS: &str = include_str!("answers.jsonl");

#[test]
fn answers_are_those_of_govaluate() {
    for line in ANSWERS.lines() {
        let [when, answer]: [String; 2] = serde_json::from_str(line).expect("a condition and its answer");
        assert_eq!(check(&when), answer, "{when}");
    }
}

#[test]
fn patterns_have_no_more_groups_than_a_search_can_keep() {
    let error = check(&format!("a =~ '{}b'", "(a*)*".repeat(101)));
    assert!(error.contains("error parsing regexp: expression too large: `(a*)*"), "{error}");
    assert_eq!(check(&format!("aab =~ '^{}b$'", "(a*)*".repeat(100))), "true");
}

#[test]
fn a_long_row_needs_no_stack_and_deep_nesting_is_an_error() {
    let row = "a == a && ".repeat(50_000) + "true";
    assert_eq!(check(&row), "true");
    let nested = "(".repeat(100_000) + "true" + &")".repeat(100_000);
    assert!(check(&nested).ends_with("parentheses are nested deeper than 200 levels"));
}

proptest! {
    #[test]
    fn random_conditions_never_panic(
        when in "( |true|false|in|a|B\\.C|5|0x1|\\.|==|!=|=~|!~|<=|>|&&|\\|\\||[-+*/%!~?:,()\\[\\]'\"\\\\^&|é])*"
    ) {
        check(&when);
    }
}
