//! Schedules, each against what robfig/cron v3.0.1 gave for it.

use super::*;

/// New York around the changes of 2024, Sao Paulo around those of 2018 (at midnight), Lord Howe around
/// those of 2024 (half an hour): the instant from which an offset holds.
fn zones(zone: &str, at: Timestamp) -> Option<i32> {
    let changes: &[(&str, i32)] = match zone {
        "America/New_York" => &[
            ("1970-01-01T00:00:00Z", -18000),
            ("2024-03-10T07:00:00Z", -14400),
            ("2024-11-03T06:00:00Z", -18000),
        ],
        "America/Sao_Paulo" => &[
            ("1970-01-01T00:00:00Z", -10800),
            ("2018-11-04T03:00:00Z", -7200),
            ("2019-02-17T02:00:00Z", -10800),
        ],
        "Australia/Lord_Howe" => &[
            ("1970-01-01T00:00:00Z", 39600),
            ("2024-04-06T15:00:00Z", 37800),
            ("2024-10-05T15:30:00Z", 39600),
        ],
        _ => return None,
    };
    let time = |text: &str| Timestamp::parse(text).expect("a time");
    changes.iter().rev().find(|(from, _)| time(from) <= at).or(changes.first()).map(|(_, offset)| *offset)
}

/// The next instants after one, or the error.
fn check(schedule: &str, after: &str, expected: &[&str]) {
    let mut found = Vec::new();
    match Schedule::parse(schedule, &zones) {
        Err(error) => found.push(error.to_string()),
        Ok(schedule) => {
            let mut at = Timestamp::parse(after).expect("a time");
            for _ in expected {
                let Some(next) = schedule.next(at, &zones) else {
                    found.push("never".into());
                    break;
                };
                assert!(next > at);
                found.push(next.to_string());
                at = next;
            }
        }
    }
    assert_eq!(found, expected, "{schedule} after {after}");
}

#[test]
fn fields_are_read_as_robfig_does() {
    check(
        "*/15 0-6 * * 1-5",
        "2024-03-10T00:00:00Z",
        &["2024-03-11T00:00:00Z", "2024-03-11T00:15:00Z", "2024-03-11T00:30:00Z"],
    );
    check(
        "0 0 13 * 5",
        "2024-09-01T00:00:00Z",
        &["2024-09-06T00:00:00Z", "2024-09-13T00:00:00Z", "2024-09-20T00:00:00Z", "2024-09-27T00:00:00Z"],
    );
    check(
        "5/20 * * * *",
        "2024-01-01T00:10:30Z",
        &["2024-01-01T00:25:00Z", "2024-01-01T00:45:00Z", "2024-01-01T01:05:00Z", "2024-01-01T01:25:00Z"],
    );
    check(
        "0 12 * JAN-mar,Dec sun",
        "2024-01-30T00:00:00Z",
        &["2024-02-04T12:00:00Z", "2024-02-11T12:00:00Z", "2024-02-18T12:00:00Z"],
    );
    check("0 0 29 2 *", "2024-03-01T00:00:00Z", &["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]);
    check("0 0 30 2 *", "2024-03-01T00:00:00Z", &["never"]);
    check(", * * * *", "2024-03-01T00:00:00Z", &["never"]);
    check(
        "0 0 */2 * 1",
        "2024-09-01T00:00:00Z",
        &["2024-09-02T00:00:00Z", "2024-09-03T00:00:00Z", "2024-09-05T00:00:00Z"],
    );
    check("0 0 */1 * 1", "2024-09-01T00:00:00Z", &["2024-09-02T00:00:00Z", "2024-09-09T00:00:00Z"]);
    check("0 0 ? * ?", "2024-09-01T00:00:00Z", &["2024-09-02T00:00:00Z", "2024-09-03T00:00:00Z"]);
    check("  0   0 1 1 *  ", "2024-09-01T00:00:00Z", &["2025-01-01T00:00:00Z"]);
    check("*-9/4 * * * *", "2024-01-01T00:00:00Z", &["2024-01-01T00:04:00Z"]);
    check("+5 * * * *", "2024-01-01T00:00:00Z", &["2024-01-01T00:05:00Z"]);
}

#[test]
fn descriptors_stand_for_fields_or_a_delay() {
    check("@yearly", "2024-05-05T05:05:05Z", &["2025-01-01T00:00:00Z"]);
    check("@annually", "2024-05-05T05:05:05Z", &["2025-01-01T00:00:00Z"]);
    check("@monthly", "2024-05-05T05:05:05Z", &["2024-06-01T00:00:00Z"]);
    check("@weekly", "2024-05-05T05:05:05Z", &["2024-05-12T00:00:00Z", "2024-05-19T00:00:00Z"]);
    check("@daily", "2024-05-05T05:05:05Z", &["2024-05-06T00:00:00Z"]);
    check("@midnight", "2024-05-05T05:05:05Z", &["2024-05-06T00:00:00Z"]);
    check("@hourly", "2024-05-05T05:05:05Z", &["2024-05-05T06:00:00Z"]);
    check("@every 1h30m", "2024-05-05T05:05:05Z", &["2024-05-05T06:35:05Z", "2024-05-05T08:05:05Z"]);
    check("@every 1h30m10.9s", "2024-05-05T05:05:05.5Z", &["2024-05-05T06:35:15Z"]);
    check("@every 10ms", "2024-05-05T05:05:05Z", &["2024-05-05T05:05:06Z"]);
    check("@every -5s", "2024-05-05T05:05:05Z", &["2024-05-05T05:05:06Z"]);
}

#[test]
fn zones_are_followed_through_their_changes() {
    check(
        "CRON_TZ=America/New_York 30 2 * * *",
        "2024-03-09T12:00:00Z",
        &["2024-03-11T06:30:00Z", "2024-03-12T06:30:00Z"],
    );
    check("CRON_TZ=America/New_York 30 2 * * *", "2024-03-10T06:59:59Z", &["2024-03-11T06:30:00Z"]);
    check(
        "CRON_TZ=America/New_York 30 1 * * *",
        "2024-11-03T00:00:00Z",
        &["2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z", "2024-11-04T06:30:00Z"],
    );
    check(
        "TZ=America/New_York 0 * * * *",
        "2024-11-03T04:30:00Z",
        &["2024-11-03T05:00:00Z", "2024-11-03T06:00:00Z", "2024-11-03T07:00:00Z", "2024-11-03T08:00:00Z"],
    );
    check(
        "CRON_TZ=America/New_York 0 */2 * * *",
        "2024-03-10T04:00:00Z",
        &["2024-03-10T05:00:00Z", "2024-03-10T08:00:00Z", "2024-03-10T10:00:00Z", "2024-03-10T12:00:00Z"],
    );
    check(
        "CRON_TZ=America/New_York @daily",
        "2024-03-09T12:00:00Z",
        &["2024-03-10T05:00:00Z", "2024-03-11T04:00:00Z", "2024-03-12T04:00:00Z"],
    );
    check(
        "CRON_TZ=America/Sao_Paulo 0 0 * * *",
        "2018-11-03T00:00:00Z",
        &["2018-11-03T03:00:00Z", "2018-11-05T02:00:00Z", "2018-11-06T02:00:00Z", "2018-11-07T02:00:00Z"],
    );
    check(
        "CRON_TZ=America/Sao_Paulo 0 0 4 11 *",
        "2018-11-03T00:00:00Z",
        &["2019-11-04T03:00:00Z", "2020-11-04T03:00:00Z"],
    );
    check(
        "CRON_TZ=America/Sao_Paulo 30 23 * * *",
        "2019-02-16T00:00:00Z",
        &["2019-02-16T01:30:00Z", "2019-02-17T01:30:00Z", "2019-02-17T02:30:00Z", "2019-02-18T02:30:00Z"],
    );
    check(
        "CRON_TZ=Australia/Lord_Howe 45 1,2 * * *",
        "2024-04-06T00:00:00Z",
        &["2024-04-06T14:45:00Z", "2024-04-06T15:15:00Z", "2024-04-06T16:15:00Z", "2024-04-07T15:15:00Z"],
    );
    check(
        "CRON_TZ=Australia/Lord_Howe 15 2 * * *",
        "2024-10-05T00:00:00Z",
        &["2024-10-06T15:15:00Z", "2024-10-07T15:15:00Z", "2024-10-08T15:15:00Z"],
    );
    check("CRON_TZ=UTC 0 1 * * *", "2024-01-01T00:00:00Z", &["2024-01-01T01:00:00Z"]);
    check("TZ= 0 1 * * *", "2024-01-01T00:00:00Z", &["2024-01-01T01:00:00Z"]);
}

#[test]
fn mistakes_have_robfigs_texts() {
    check("", "2024-01-01T00:00:00Z", &["empty spec string"]);
    check("* * * *", "2024-01-01T00:00:00Z", &["expected exactly 5 fields, found 4: [* * * *]"]);
    check("* * * * * *", "2024-01-01T00:00:00Z", &["expected exactly 5 fields, found 6: [* * * * * *]"]);
    check(" @daily", "2024-01-01T00:00:00Z", &["expected exactly 5 fields, found 1: [@daily]"]);
    check("   ", "2024-01-01T00:00:00Z", &["expected exactly 5 fields, found 0: []"]);
    check("0 0 * * 7", "2024-01-01T00:00:00Z", &["end of range (7) above maximum (6): 7"]);
    check("0 99 * * *", "2024-01-01T00:00:00Z", &["end of range (99) above maximum (23): 99"]);
    check("0 0 0 * *", "2024-01-01T00:00:00Z", &["beginning of range (0) below minimum (1): 0"]);
    check(
        "0 0 L * *",
        "2024-01-01T00:00:00Z",
        &["failed to parse int from L: strconv.Atoi: parsing \"L\": invalid syntax"],
    );
    check("0 5-3 * * *", "2024-01-01T00:00:00Z", &["beginning of range (5) beyond end of range (3): 5-3"]);
    check("1-2-3 * * * *", "2024-01-01T00:00:00Z", &["too many hyphens: 1-2-3"]);
    check("*/2/3 * * * *", "2024-01-01T00:00:00Z", &["too many slashes: */2/3"]);
    check("*/0 * * * *", "2024-01-01T00:00:00Z", &["step of range should be a positive number: */0"]);
    check("*/-5 * * * *", "2024-01-01T00:00:00Z", &["negative number (-5) not allowed: -5"]);
    check(
        "-5 * * * *",
        "2024-01-01T00:00:00Z",
        &["failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"],
    );
    check(
        "5- * * * *",
        "2024-01-01T00:00:00Z",
        &["failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"],
    );
    check(
        "99999999999999999999 * * * *",
        "2024-01-01T00:00:00Z",
        &[
            "failed to parse int from 99999999999999999999: strconv.Atoi: parsing \"99999999999999999999\": value out of range",
        ],
    );
    check(
        "* * * jann *",
        "2024-01-01T00:00:00Z",
        &["failed to parse int from jann: strconv.Atoi: parsing \"jann\": invalid syntax"],
    );
    check("@reboot", "2024-01-01T00:00:00Z", &["unrecognized descriptor: @reboot"]);
    check("@Daily", "2024-01-01T00:00:00Z", &["unrecognized descriptor: @Daily"]);
    check("@every", "2024-01-01T00:00:00Z", &["unrecognized descriptor: @every"]);
    check(
        "@every 5",
        "2024-01-01T00:00:00Z",
        &["failed to parse duration @every 5: time: missing unit in duration \"5\""],
    );
    check(
        "@every 1d",
        "2024-01-01T00:00:00Z",
        &["failed to parse duration @every 1d: time: unknown unit \"d\" in duration \"1d\""],
    );
    check(
        "@every  5s",
        "2024-01-01T00:00:00Z",
        &["failed to parse duration @every  5s: time: invalid duration \" 5s\""],
    );
    check(
        "CRON_TZ=Mars/Base * * * * *",
        "2024-01-01T00:00:00Z",
        &["provided bad location Mars/Base: unknown time zone Mars/Base"],
    );
    check(
        "CRON_TZ=../x * * * * *",
        "2024-01-01T00:00:00Z",
        &["provided bad location ../x: time: invalid location name"],
    );
    check(
        "CRON_TZ=UTC CRON_TZ=UTC * * * * *",
        "2024-01-01T00:00:00Z",
        &["expected exactly 5 fields, found 6: [CRON_TZ=UTC * * * * *]"],
    );
}

#[test]
fn a_zone_alone_is_no_schedule() {
    check("CRON_TZ=UTC", "2024-01-01T00:00:00Z", &["expected exactly 5 fields, found 0: []"]);
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn field(&mut self, low: u64, high: u64) -> String {
        let value = low + self.below(high - low + 1);
        match self.below(6) {
            0 | 1 => "*".into(),
            2 => format!("*/{}", 1 + self.below(high)),
            3 => format!("{value}-{high}/{}", 1 + self.below(9)),
            4 => format!("{value},{high}"),
            _ => value.to_string(),
        }
    }
}

#[test]
fn random_schedules_end_and_keep_their_fields() {
    let mut dice = Dice(1);
    for _ in 0..3_000 {
        let parts = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)].map(|(low, high)| dice.field(low, high));
        let text = parts.join(" ");
        let schedule = Schedule::parse(&text, &zones).expect("a schedule");
        let Kind::Fields(fields) = schedule.kind else { panic!("fields") };
        let mut at = Timestamp(i64::try_from(dice.below(60 * 365 * 86_400)).expect("small") * 1000);
        for _ in 0..3 {
            let Some(next) = schedule.next(at, &zones) else { break };
            assert!(next > at && next.millis() % 60_000 == 0, "{text}");
            let (hours, days) = (next.millis() / 3_600_000, next.millis() / 86_400_000);
            let (_, month, day) = unwind_model::time::civil_from_days(days);
            let has = |set: u64, value: i64| set >> value & 1 == 1;
            assert!(
                has(fields.minutes, next.millis() / 60_000 % 60) && has(fields.hours, hours % 24),
                "{text}"
            );
            let (day, weekday) = (has(fields.days, day), has(fields.weekdays, (days + 4) % 7));
            let day = if fields.both_days { day && weekday } else { day || weekday };
            assert!(has(fields.months, month) && day, "{text}");
            at = next;
        }
    }
}

#[test]
fn the_search_ends_in_any_zone() {
    let wild = |_: &str, at: Timestamp| Some(i32::try_from(at.millis() / 1000 * 7919 % 100_000).unwrap_or(0));
    let apia = |_: &str, at: Timestamp| Some(if at.millis() < 1_325_239_200_000 { -36_000 } else { 50_400 });
    let mut dice = Dice(2);
    for _ in 0..20 {
        let parts = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)].map(|(low, high)| dice.field(low, high));
        let text = format!("TZ=x {}", parts.join(" "));
        let at = Timestamp(1_325_000_000_000 + i64::try_from(dice.below(300_000)).expect("small") * 1000);
        for zones in [&wild as &dyn Zones, &apia] {
            let next = Schedule::parse(&text, zones).expect("a schedule").next(at, zones);
            assert!(next.is_none_or(|next| next > at));
        }
    }
    let monthly = Schedule::parse("TZ=x @monthly", &apia).expect("a schedule");
    let next = monthly.next(Timestamp(1_325_200_000_000), &apia);
    assert_eq!(next.map(|next| next.to_string()).as_deref(), Some("2011-12-31T10:00:00Z"));
}

#[test]
fn garbage_is_refused_or_read_without_a_panic() {
    let mut dice = Dice(3);
    let letters: Vec<char> = "*/-,?0123456789 abL@+TZ=every1h.\u{e9}".chars().collect();
    for _ in 0..20_000 {
        let length = dice.below(14);
        let mut text =
            ["", "@every ", "TZ=", "* * * * "][usize::try_from(dice.below(4)).expect("small")].to_owned();
        for _ in 0..length {
            text.push(letters[usize::try_from(dice.below(letters.len() as u64)).expect("small")]);
        }
        if let Ok(schedule) = Schedule::parse(&text, &zones) {
            schedule.next(Timestamp(1_700_000_000_000), &zones);
        }
    }
}

#[test]
fn the_last_instant_is_found_without_walking_all() {
    let last = |schedule: &str, since: &str, now: &str| {
        let time = |text: &str| Timestamp::parse(text).expect("a time");
        let schedule = Schedule::parse(schedule, &zones).expect("a schedule");
        schedule.last(time(since), time(now), &zones).map(|last| last.to_string())
    };
    let found = |text: &str| Some(text.to_owned());
    assert_eq!(
        last("* * * * *", "1999-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        found("2023-12-31T23:59:00Z")
    );
    assert_eq!(
        last("0 0 1 * *", "2023-01-01T00:00:00Z", "2023-12-31T00:00:00Z"),
        found("2023-12-01T00:00:00Z")
    );
    assert_eq!(last("0 0 1 1 *", "2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z"), None);
    assert_eq!(last("0 0 30 2 *", "1999-01-01T00:00:00Z", "2024-01-01T00:00:00Z"), None);
    assert_eq!(
        last("@every 7m", "2024-01-01T00:00:00Z", "2024-01-01T00:14:00Z"),
        found("2024-01-01T00:07:00Z")
    );
    assert_eq!(last("@every 7m", "2024-01-01T00:00:00Z", "2024-01-01T00:07:00Z"), None);
}
