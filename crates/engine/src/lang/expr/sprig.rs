//! The functions of Sprig that expressions reach as `sprig.…`.
//!
//! In: a name and values. Out: a value, or Go's error. What needs randomness, a network or keys is an
//! error that says so. Source: Masterminds/sprig v3 `functions.go`; Go `reflect`, `Value.Call`.

mod dates;
mod hash;
mod lists;
mod maps;
mod numbers;
mod paths;
mod regex;
mod texts;
mod words;

use super::run::Budget;
use super::time::Moment;
use super::value::Value;
use super::{base64, json, print};

/// Names and the kinds of what they take: `s` text, `i` int, `a` any, `b` truth, `m` map, `t` time,
/// `f` float; what comes after `*` may come any number of times.
const FUNCTIONS: &[(&str, &str)] = &[
    ("abbrev", "is"),
    ("add", "*a"),
    ("add1", "a"),
    ("add1f", "a"),
    ("addf", "*a"),
    ("adler32sum", "s"),
    ("ago", "a"),
    ("all", "*a"),
    ("any", "*a"),
    ("append", "aa"),
    ("atoi", "s"),
    ("b32dec", "s"),
    ("b32enc", "s"),
    ("b64dec", "s"),
    ("b64enc", "s"),
    ("base", "s"),
    ("biggest", "a*a"),
    ("camelcase", "s"),
    ("cat", "*a"),
    ("ceil", "a"),
    ("chunk", "ia"),
    ("clean", "s"),
    ("coalesce", "*a"),
    ("compact", "a"),
    ("concat", "*a"),
    ("contains", "ss"),
    ("date", "sa"),
    ("dateInZone", "sas"),
    ("dateModify", "st"),
    ("date_in_zone", "sas"),
    ("date_modify", "st"),
    ("deepCopy", "a"),
    ("deepEqual", "aa"),
    ("default", "a*a"),
    ("dict", "*a"),
    ("dig", "*a"),
    ("dir", "s"),
    ("div", "aa"),
    ("divf", "a*a"),
    ("duration", "a"),
    ("durationRound", "a"),
    ("empty", "a"),
    ("ext", "s"),
    ("fail", "s"),
    ("first", "a"),
    ("float64", "a"),
    ("floor", "a"),
    ("fromJson", "s"),
    ("get", "ms"),
    ("has", "aa"),
    ("hasKey", "ms"),
    ("hasPrefix", "ss"),
    ("hasSuffix", "ss"),
    ("hello", ""),
    ("htmlDate", "a"),
    ("htmlDateInZone", "as"),
    ("indent", "is"),
    ("initial", "a"),
    ("initials", "s"),
    ("int", "a"),
    ("int64", "a"),
    ("isAbs", "s"),
    ("join", "sa"),
    ("kebabcase", "s"),
    ("keys", "*m"),
    ("kindIs", "sa"),
    ("kindOf", "a"),
    ("last", "a"),
    ("list", "*a"),
    ("lower", "s"),
    ("max", "a*a"),
    ("maxf", "a*a"),
    ("merge", "m*m"),
    ("mergeOverwrite", "m*m"),
    ("min", "a*a"),
    ("minf", "a*a"),
    ("mod", "aa"),
    ("mul", "a*a"),
    ("mulf", "a*a"),
    ("mustAppend", "aa"),
    ("mustChunk", "ia"),
    ("mustCompact", "a"),
    ("mustDateModify", "st"),
    ("mustDeepCopy", "a"),
    ("mustFirst", "a"),
    ("mustFromJson", "s"),
    ("mustHas", "aa"),
    ("mustInitial", "a"),
    ("mustLast", "a"),
    ("mustMerge", "m*m"),
    ("mustMergeOverwrite", "m*m"),
    ("mustPrepend", "aa"),
    ("mustPush", "aa"),
    ("mustRegexFind", "ss"),
    ("mustRegexFindAll", "ssi"),
    ("mustRegexMatch", "ss"),
    ("mustRegexReplaceAll", "sss"),
    ("mustRegexReplaceAllLiteral", "sss"),
    ("mustRegexSplit", "ssi"),
    ("mustRest", "a"),
    ("mustReverse", "a"),
    ("mustSlice", "a*a"),
    ("mustToDate", "ss"),
    ("mustToJson", "a"),
    ("mustToPrettyJson", "a"),
    ("mustToRawJson", "a"),
    ("mustUniq", "a"),
    ("mustWithout", "a*a"),
    ("must_date_modify", "st"),
    ("nindent", "is"),
    ("nospace", "s"),
    ("now", ""),
    ("omit", "m*s"),
    ("osBase", "s"),
    ("osClean", "s"),
    ("osDir", "s"),
    ("osExt", "s"),
    ("osIsAbs", "s"),
    ("pick", "m*s"),
    ("pluck", "s*m"),
    ("plural", "ssi"),
    ("prepend", "aa"),
    ("push", "aa"),
    ("quote", "*a"),
    ("regexFind", "ss"),
    ("regexFindAll", "ssi"),
    ("regexMatch", "ss"),
    ("regexQuoteMeta", "s"),
    ("regexReplaceAll", "sss"),
    ("regexReplaceAllLiteral", "sss"),
    ("regexSplit", "ssi"),
    ("repeat", "is"),
    ("replace", "sss"),
    ("rest", "a"),
    ("reverse", "a"),
    ("round", "ai*f"),
    ("seq", "*i"),
    ("set", "msa"),
    ("sha1sum", "s"),
    ("sha256sum", "s"),
    ("slice", "a*a"),
    ("snakecase", "s"),
    ("sortAlpha", "a"),
    ("split", "ss"),
    ("splitList", "ss"),
    ("splitn", "sis"),
    ("squote", "*a"),
    ("sub", "aa"),
    ("subf", "a*a"),
    ("substr", "iis"),
    ("swapcase", "s"),
    ("ternary", "aab"),
    ("title", "s"),
    ("toDate", "ss"),
    ("toDecimal", "a"),
    ("toJson", "a"),
    ("toPrettyJson", "a"),
    ("toRawJson", "a"),
    ("toString", "a"),
    ("toStrings", "a"),
    ("trim", "s"),
    ("trimAll", "ss"),
    ("trimPrefix", "ss"),
    ("trimSuffix", "ss"),
    ("trimall", "ss"),
    ("trunc", "is"),
    ("tuple", "*a"),
    ("typeIs", "sa"),
    ("typeIsLike", "sa"),
    ("typeOf", "a"),
    ("uniq", "a"),
    ("unixEpoch", "t"),
    ("unset", "ms"),
    ("until", "i"),
    ("untilStep", "iii"),
    ("untitle", "s"),
    ("upper", "s"),
    ("values", "m"),
    ("without", "a*a"),
    ("wrap", "is"),
    ("wrapWith", "iss"),
];

/// Functions that cannot run here, and why.
const ELSEWHERE: &[(&str, &[&str])] = &[
    (
        "it depends on randomness",
        &[
            "randAlpha",
            "randAlphaNum",
            "randAscii",
            "randBytes",
            "randInt",
            "randNumeric",
            "shuffle",
            "uuidv4",
            "bcrypt",
            "htpasswd",
            "genPrivateKey",
            "genCA",
            "genCAWithKey",
            "genSelfSignedCert",
            "genSelfSignedCertWithKey",
            "genSignedCert",
            "genSignedCertWithKey",
            "encryptAES",
        ],
    ),
    ("it asks the network", &["getHostByName"]),
    (
        "it is not built in",
        &[
            "buildCustomCert",
            "decryptAES",
            "derivePassword",
            "abbrevboth",
            "semver",
            "semverCompare",
            "sha512sum",
            "urlJoin",
            "urlParse",
        ],
    ),
];

/// Every name.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let elsewhere = ELSEWHERE.iter().flat_map(|(_, names)| names.iter().copied());
    FUNCTIONS.iter().map(|(name, _)| *name).chain(elsewhere)
}

/// Calls a function. Each module takes the names it knows.
pub(super) fn call(
    name: &str,
    arguments: &[Value],
    now: Option<Moment>,
    budget: &mut Budget,
) -> Result<Value, String> {
    if let Some((why, _)) = ELSEWHERE.iter().find(|(_, names)| names.contains(&name)) {
        return Err(format!("sprig.{name} is not supported here: {why}"));
    }
    let takes = FUNCTIONS.iter().find(|(own, _)| *own == name).map_or("", |(_, takes)| takes);
    let arguments = fitting(takes, arguments)?;
    let plain = name.strip_prefix("must").map_or_else(
        || name.to_owned(),
        |rest| {
            rest.trim_start_matches('_')
                .chars()
                .enumerate()
                .map(|(at, c)| if at == 0 { c.to_ascii_lowercase() } else { c })
                .collect()
        },
    );
    let must = plain != name;
    None.or_else(|| texts::call(&plain, &arguments, budget))
        .or_else(|| words::call(&plain, &arguments, budget))
        .or_else(|| numbers::call(&plain, &arguments, budget))
        .or_else(|| lists::call(&plain, &arguments, budget))
        .or_else(|| maps::call(&plain, &arguments))
        .or_else(|| regex::call(&plain, &arguments, must))
        .or_else(|| dates::call(&plain, &arguments, now, must))
        .or_else(|| paths::call(&plain, &arguments))
        .or_else(|| other(&plain, &arguments, must))
        .unwrap_or_else(|| Err(format!("sprig.{name} is not supported here: it is not built in")))
}

/// The arguments as Go's reflection hands them on: nil becomes the empty value of what is taken.
fn fitting(takes: &str, arguments: &[Value]) -> Result<Vec<Value>, String> {
    let (fixed, rest) =
        takes.split_once('*').map_or((takes, None), |(fixed, rest)| (fixed, rest.chars().next()));
    let (wanted, got) = (fixed.len(), arguments.len());
    if rest.is_some() && got < wanted {
        return Err(format!("invalid number of arguments: expected at least {wanted}, got {got}"));
    }
    if rest.is_none() && got != wanted {
        return Err(format!("invalid number of arguments: expected {wanted}, got {got}"));
    }
    let mut fitting = Vec::with_capacity(got);
    for (at, value) in arguments.iter().enumerate() {
        let kind = fixed.chars().nth(at).or(rest).unwrap_or('a');
        let (fits, name, empty) = match kind {
            's' => (matches!(value, Value::Text(_)), "string", Value::text("")),
            'i' => (matches!(value, Value::Int(_)), "int", Value::Int(0)),
            'f' => (matches!(value, Value::Float(_)), "float64", Value::Float(0.0)),
            'b' => (matches!(value, Value::Bool(_)), "bool", Value::Bool(false)),
            'm' => {
                let fits = matches!(value, Value::Map(map) if !map.of_texts);
                (fits, "map[string]interface {}", Value::map(std::collections::BTreeMap::new())?)
            }
            't' => (
                matches!(value, Value::Time(_)),
                "time.Time",
                Value::Time(Moment { seconds: -62_135_596_800, nanos: 0 }),
            ),
            _ => (true, "", Value::Nil),
        };
        fitting.push(match value {
            Value::Nil => empty,
            value if fits => value.clone(),
            value if at < wanted => {
                return Err(format!("reflect: Call using {} as type {name}", value.type_name()));
            }
            value => return Err(format!("reflect: cannot use {} as type {name} in Call", value.type_name())),
        });
    }
    Ok(fitting)
}

/// Whether Sprig takes a value for empty.
fn empty(value: &Value) -> bool {
    match value {
        Value::Nil => true,
        Value::Bool(value) => !value,
        Value::Int(value) | Value::Duration(value) => *value == 0,
        Value::Float(value) => *value == 0.0,
        Value::Text(text) => text.is_empty(),
        Value::List(list) => list.items().is_empty(),
        Value::Map(map) => map.is_empty(),
        Value::Keyed(keyed) => keyed.entries.is_empty(),
        Value::Function(_) | Value::Artifact(_) | Value::Time(_) => false,
    }
}

fn text_or(result: Result<String, String>, must: bool) -> Result<Value, String> {
    match result {
        Ok(text) => Ok(Value::text(text)),
        Err(text) if must => Err(text),
        Err(_) => Ok(Value::text("")),
    }
}

/// Functions of several kinds.
fn other(name: &str, arguments: &[Value], must: bool) -> Option<Result<Value, String>> {
    Some(match (name, arguments) {
        ("hello", []) => Ok(Value::text("Hello!")),
        ("default", [fallback, given @ ..]) => {
            Ok(given.first().filter(|value| !empty(value)).unwrap_or(fallback).clone())
        }
        ("empty", [value]) => Ok(Value::Bool(empty(value))),
        ("coalesce", values) => Ok(values.iter().find(|value| !empty(value)).cloned().unwrap_or(Value::Nil)),
        ("all", values) => Ok(Value::Bool(!values.iter().any(empty))),
        ("any", values) => Ok(Value::Bool(values.iter().any(|value| !empty(value)))),
        ("ternary", [yes, no, Value::Bool(which)]) => Ok(if *which { yes } else { no }.clone()),
        ("fail", [Value::Text(text)]) => Err(text.to_string()),
        ("toJson", [value]) => text_or(print::json(value, ""), must),
        ("toPrettyJson", [value]) => text_or(print::json(value, "  "), must),
        ("toRawJson", [value]) => print::json(value, "").map(|text| {
            Value::text(text.replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&"))
        }),
        ("fromJson", [Value::Text(text)]) => match json::read(text) {
            Err(text) if must => Err(text),
            result => Ok(result.unwrap_or(Value::Nil)),
        },
        ("b64enc", [Value::Text(text)]) => Ok(Value::text(base64::encode(text.as_bytes()))),
        ("b64dec", [Value::Text(text)]) => Ok(Value::text(match base64::decode(text) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(text) => text,
        })),
        ("b32enc", [Value::Text(text)]) => Ok(Value::text(hash::base32(text.as_bytes()))),
        ("sha256sum", [Value::Text(text)]) => Ok(Value::text(hash::sha256(text.as_bytes()))),
        ("sha1sum", [Value::Text(text)]) => Ok(Value::text(hash::sha1(text.as_bytes()))),
        ("adler32sum", [Value::Text(text)]) => Ok(Value::text(hash::adler32(text.as_bytes()).to_string())),
        ("typeOf", [value]) => Ok(Value::text(value.type_name())),
        ("typeIs" | "typeIsLike", [Value::Text(name), value]) => {
            Ok(Value::Bool(&**name == value.type_name()))
        }
        ("kindOf", [value]) => Ok(Value::text(value.kind_name())),
        ("kindIs", [Value::Text(name), value]) => Ok(Value::Bool(&**name == value.kind_name())),
        ("deepEqual", [left, right]) => Ok(Value::Bool(super::operators::identical(left, right))),
        ("deepCopy", [Value::Nil]) => Err("reflect: call of reflect.Value.Type on zero Value".to_owned()),
        ("deepCopy", [value]) => Ok(value.clone()),
        _ => return None,
    })
}
