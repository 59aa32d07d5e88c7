//! Layouts of Go: the reference time `Mon Jan 2 15:04:05 MST 2006`. Source: Go `time/format.go`.

use std::fmt::Write;

use super::{Moment, days};
use crate::lang::expr::value::signed;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The parts that a layout may name, the longer of two that begin alike first.
const PARTS: [&str; 29] = [
    "January", "Jan", "Monday", "Mon", "MST", "2006", "Z07:00", "-07:00", "-0700", "Z0700", "-07", "002",
    "01", "02", "03", "04", "05", "06", "15", "PM", "pm", "_2", "1", "2", "3", "4", "5", ".000", ".999",
];

/// The next part of a layout: what stands before it, the part, the rest. Fractions come with all digits.
fn next(layout: &str) -> Option<(&str, &str, &str)> {
    for (at, _) in layout.char_indices() {
        let rest = &layout[at..];
        if let Some(digit) = rest.strip_prefix(['.', ',']).and_then(|rest| rest.chars().next()) {
            let end = 1 + rest[1..].find(|c| c != digit).unwrap_or(rest.len() - 1);
            let free = !rest[end..].starts_with(|c: char| c.is_ascii_digit());
            if matches!(digit, '0' | '9') && free {
                return Some((&layout[..at], &rest[..end], &rest[end..]));
            }
        }
        for part in PARTS {
            let word = part == "Jan" || part == "Mon";
            let fits = rest.starts_with(part) && !part.starts_with('.');
            if fits && !(word && rest[part.len()..].starts_with(|c: char| c.is_ascii_lowercase())) {
                return Some((&layout[..at], part, &rest[part.len()..]));
            }
        }
    }
    None
}

/// A point in time as a layout shows it.
pub(super) fn format(time: Moment, layout: &str) -> String {
    let civil = time.civil();
    let (hour, minute, second) = (civil.of_day / 3600, civil.of_day / 60 % 60, civil.of_day % 60);
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let month = MONTHS[(civil.month - 1) as usize];
    let weekday = DAYS[civil.weekday as usize];
    let mut out = String::new();
    let mut rest = layout;
    while let Some((before, part, after)) = next(rest) {
        out.push_str(before);
        rest = after;
        let written = match part {
            "January" => write!(out, "{month}"),
            "Jan" => write!(out, "{}", &month[..3]),
            "Monday" => write!(out, "{weekday}"),
            "Mon" => write!(out, "{}", &weekday[..3]),
            "MST" => write!(out, "UTC"),
            "2006" => write!(out, "{:04}", civil.year),
            "06" => write!(out, "{:02}", civil.year.rem_euclid(100)),
            "01" => write!(out, "{:02}", civil.month),
            "1" => write!(out, "{}", civil.month),
            "002" => write!(out, "{:03}", civil.day_of_year),
            "02" => write!(out, "{:02}", civil.day),
            "_2" => write!(out, "{:2}", civil.day),
            "2" => write!(out, "{}", civil.day),
            "15" => write!(out, "{hour:02}"),
            "03" => write!(out, "{twelve:02}"),
            "3" => write!(out, "{twelve}"),
            "04" => write!(out, "{minute:02}"),
            "4" => write!(out, "{minute}"),
            "05" => write!(out, "{second:02}"),
            "5" => write!(out, "{second}"),
            "PM" => write!(out, "{}", if hour >= 12 { "PM" } else { "AM" }),
            "pm" => write!(out, "{}", if hour >= 12 { "pm" } else { "am" }),
            "Z07:00" | "Z0700" => write!(out, "Z"),
            "-07:00" => write!(out, "+00:00"),
            "-0700" => write!(out, "+0000"),
            "-07" => write!(out, "+00"),
            fraction => write!(out, "{}", fraction_text(time.nanos, fraction)),
        };
        debug_assert!(written.is_ok(), "writing to a text cannot fail");
    }
    out.push_str(rest);
    out
}

fn fraction_text(nanos: u32, part: &str) -> String {
    let count = part.len() - 1;
    let mut digits = format!("{nanos:09}");
    digits.truncate(count);
    let shown = if part.ends_with('9') { digits.trim_end_matches('0') } else { &digits };
    if shown.is_empty() { String::new() } else { format!("{}{shown}", &part[..1]) }
}

#[derive(Default)]
struct Read {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: u32,
    afternoon: Option<bool>,
    offset: i64,
}

/// Reads a point in time by a layout.
pub(super) fn parse(text: &str, layout: &str) -> Result<Moment, String> {
    let quoted = crate::lang::go::quote;
    let mut read = Read { month: 1, day: 1, ..Read::default() };
    let (mut value, mut rest) = (text, layout);
    while let Some((before, part, after)) = next(rest) {
        let found = value.strip_prefix(before).and_then(|value| piece(value, part, after, &mut read));
        let Some(left) = found else {
            let (text, layout, value, part) = (quoted(text), quoted(layout), quoted(value), quoted(part));
            return Err(format!("parsing time {text} as {layout}: cannot parse {value} as {part}"));
        };
        (value, rest) = (left, after);
    }
    match value.strip_prefix(rest) {
        Some("") => {}
        Some(extra) => return Err(format!("parsing time {}: extra text: {}", quoted(text), quoted(extra))),
        None => {
            let (text, layout, value, rest) = (quoted(text), quoted(layout), quoted(value), quoted(rest));
            return Err(format!("parsing time {text} as {layout}: cannot parse {value} as {rest}"));
        }
    }
    let hour = match read.afternoon {
        Some(true) if read.hour < 12 => read.hour + 12,
        Some(false) if read.hour == 12 => 0,
        _ => read.hour,
    };
    let leap = read.year % 4 == 0 && (read.year % 100 != 0 || read.year % 400 == 0);
    let longest = match read.month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if read.day > longest || read.day == 0 {
        return Err(format!("parsing time {}: day out of range", quoted(text)));
    }
    let of_day = hour * 3600 + read.minute * 60 + read.second - read.offset;
    Ok(Moment { seconds: days(read.year, read.month, read.day) * 86_400 + of_day, nanos: read.nanos })
}

fn number(
    value: &str,
    least: usize,
    most: usize,
    range: std::ops::RangeInclusive<i64>,
) -> Option<(i64, &str)> {
    let count = value.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if count < least {
        return None;
    }
    let number = value[..count].parse().ok()?;
    range.contains(&number).then_some((number, &value[count..]))
}

fn name<'a>(value: &'a str, names: &[&str], short: bool) -> Option<(i64, &'a str)> {
    for (at, name) in names.iter().enumerate() {
        let name = if short { &name[..3] } else { name };
        if value.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return Some((signed(at), &value[name.len()..]));
        }
    }
    None
}

/// Reads one part; gives what is left.
fn piece<'a>(value: &'a str, part: &str, after: &str, read: &mut Read) -> Option<&'a str> {
    let mut set = |into: fn(&mut Read) -> &mut i64, found: Option<(i64, &'a str)>| {
        found.map(|(number, left)| {
            *into(read) = number;
            left
        })
    };
    match part {
        "January" | "Jan" => {
            let found = name(value, &MONTHS, part == "Jan").map(|(at, left)| (at + 1, left));
            set(|read| &mut read.month, found)
        }
        "Monday" | "Mon" => name(value, &DAYS, part == "Mon").map(|(_, left)| left),
        "MST" => {
            let count = value.bytes().take_while(u8::is_ascii_uppercase).count();
            (count >= 3).then(|| &value[count..])
        }
        "2006" => set(|read| &mut read.year, number(value, 4, 4, 0..=9999)),
        "06" => {
            let found = number(value, 2, 2, 0..=99)
                .map(|(year, left)| (year + if year >= 69 { 1900 } else { 2000 }, left));
            set(|read| &mut read.year, found)
        }
        "01" => set(|read| &mut read.month, number(value, 2, 2, 1..=12)),
        "1" => set(|read| &mut read.month, number(value, 1, 2, 1..=12)),
        "02" => set(|read| &mut read.day, number(value, 2, 2, 0..=31)),
        "2" | "_2" => set(|read| &mut read.day, number(value.trim_start_matches(' '), 1, 2, 0..=31)),
        "15" => set(|read| &mut read.hour, number(value, 2, 2, 0..=23)),
        "03" => set(|read| &mut read.hour, number(value, 2, 2, 0..=12)),
        "3" => set(|read| &mut read.hour, number(value, 1, 2, 0..=12)),
        "04" => set(|read| &mut read.minute, number(value, 2, 2, 0..=59)),
        "4" => set(|read| &mut read.minute, number(value, 1, 2, 0..=59)),
        "05" | "5" => {
            let found = number(value, part.len(), 2, 0..=59);
            let left = set(|read| &mut read.second, found)?;
            if after.starts_with(".0") || after.starts_with(".9") { Some(left) } else { fraction(left, read) }
        }
        "PM" | "pm" => {
            read.afternoon = Some(value.get(..2)?.eq_ignore_ascii_case("PM"));
            (read.afternoon == Some(true) || value[..2].eq_ignore_ascii_case("AM")).then(|| &value[2..])
        }
        "Z07:00" | "Z0700" | "-07:00" | "-0700" | "-07" => offset(value, part, read),
        _ if part.starts_with(['.', ',']) => fraction(value, read),
        _ => None,
    }
}

fn fraction<'a>(value: &'a str, read: &mut Read) -> Option<&'a str> {
    let Some(digits) = value.strip_prefix(['.', ',']) else {
        return Some(value);
    };
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 {
        return Some(value);
    }
    let padded: String = digits[..count].chars().chain("000000000".chars()).take(9).collect();
    read.nanos = padded.parse().ok()?;
    Some(&digits[count..])
}

fn offset<'a>(value: &'a str, part: &str, read: &mut Read) -> Option<&'a str> {
    if part.starts_with('Z')
        && let Some(left) = value.strip_prefix('Z')
    {
        return Some(left);
    }
    let left = value.strip_prefix(['+', '-'])?;
    let (hours, mut left) = number(left, 2, 2, 0..=24)?;
    let mut minutes = 0;
    if part != "-07" {
        if part.contains(':') {
            left = left.strip_prefix(':')?;
        }
        (minutes, left) = number(left, 2, 2, 0..=60)?;
    }
    let seconds = hours * 3600 + minutes * 60;
    read.offset = if value.starts_with('-') { -seconds } else { seconds };
    Some(left)
}
