//! A folder of traces: its files in a fixed order, replayed by as many threads as the machine has.
//!
//! A panic of the engine is a difference of the trace it happened in; a replay that does not end ends the
//! program with the name of its trace.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::{Options, Report, invalid, replay_text};
use crate::panics::keep_panics;

/// How long a single trace may take before it is said not to end.
const LONGEST_REPLAY: Duration = Duration::from_secs(30);

/// Replays the traces of a folder of groups and the entries of its `invalid.json`, sorted by name.
pub fn replay_folder(folder: &Path, options: &Options) -> anyhow::Result<Vec<Report>> {
    let traces = names(folder)?;
    let invalid_file = folder.join("invalid.json");
    let invalid_text =
        if invalid_file.is_file() { fs::read_to_string(&invalid_file)? } else { "[]".to_owned() };
    let all: Vec<&str> = traces.iter().map(|(name, _)| name.as_str()).collect();
    let is_wanted = wanted(options.only.as_deref(), &all);
    let chosen: Vec<&(String, PathBuf)> = traces.iter().filter(|(name, _)| is_wanted(name)).collect();
    let (reports, invalid) =
        keep_panics(|| (in_parallel(&chosen, options), invalid::replay(&invalid_text, &is_wanted)));
    let mut reports = reports?;
    reports.extend(invalid.with_context(|| format!("cannot read `{}`", invalid_file.display()))?);
    Ok(reports)
}

/// `group/name` and file of every trace, sorted.
pub fn names(folder: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut names = Vec::new();
    let groups = fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    for group in groups {
        let group = group?.path();
        if !group.is_dir() {
            continue;
        }
        for file in fs::read_dir(&group)? {
            let file = file?.path();
            if file.extension().is_some_and(|end| end == "jsonl") {
                let name = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
                names.push((name.to_string_lossy().into_owned(), file));
            }
        }
    }
    names.sort();
    Ok(names)
}

/// Which names `--only` means: the whole `group/name`, else a whole group or name, else a part of it.
fn wanted<'a>(only: Option<&'a str>, all: &[&str]) -> Box<dyn Fn(&str) -> bool + 'a> {
    let Some(only) = only else {
        return Box::new(|_| true);
    };
    let is_part = move |name: &str| {
        name == only || name.split_once('/').is_some_and(|(group, short)| group == only || short == only)
    };
    if all.contains(&only) {
        Box::new(move |name| name == only)
    } else if all.iter().any(|name| is_part(name)) || only == invalid::GROUP {
        Box::new(is_part)
    } else {
        Box::new(move |name| name.contains(only))
    }
}

/// What a thread is at.
type Slot = Mutex<Option<(String, Instant)>>;

fn in_parallel(files: &[&(String, PathBuf)], options: &Options) -> anyhow::Result<Vec<Report>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let next = AtomicUsize::new(0);
    let is_over = AtomicBool::new(false);
    let slots: Vec<Slot> = (0..threads).map(|_| Mutex::new(None)).collect();
    let work = |slot: &Slot| -> anyhow::Result<Vec<(usize, Report)>> {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((name, file)) = files.get(index) else {
                break;
            };
            let text =
                fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
            put(slot, Some((name.clone(), Instant::now())));
            done.push((index, replay_text(name, &text, options)));
            put(slot, None);
        }
        Ok(done)
    };
    let mut reports = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = slots.iter().map(|slot| scope.spawn(|| work(slot))).collect();
        scope.spawn(|| watch(&slots, &is_over));
        for worker in workers {
            let done = worker.join().map_err(|_| anyhow::anyhow!("a thread of the replay panicked"));
            reports.push(done.and_then(|done| done));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let mut all: Vec<(usize, Report)> = Vec::new();
    for part in reports {
        all.extend(part?);
    }
    all.sort_by_key(|(index, _)| *index);
    Ok(all.into_iter().map(|(_, report)| report).collect())
}

fn put(slot: &Slot, state: Option<(String, Instant)>) {
    if let Ok(mut slot) = slot.lock() {
        *slot = state;
    }
}

/// Ends the program when a replay takes too long.
fn watch(slots: &[Slot], is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
        for slot in slots {
            let Ok(slot) = slot.lock() else { continue };
            if let Some((name, since)) = slot.as_ref()
                && since.elapsed() > LONGEST_REPLAY
            {
                eprintln!("error: the replay of `{name}` has not ended after {LONGEST_REPLAY:?}");
                std::process::exit(2);
            }
        }
    }
}
