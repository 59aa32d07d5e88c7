//! One process that tries inputs: what ends it ends it alone.
//!
//! The input it is at stands in a file, so that it is known when the process does not live to tell. Each input is
//! tried on a thread with as little stack as a worker of the server has; another thread watches time and memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::{Seeds, Target};
use crate::numbers::Numbers;
use crate::panics::{catch, keep_panics};

/// Stack of the thread that tries inputs: that of a worker of the server.
const STACK_BYTES: usize = 2 << 20;
/// Most CPU time of one input.
const LONGEST: Duration = Duration::from_secs(5);
/// Most memory of the process.
const MOST_MEMORY_KIB: u64 = 1 << 20;
/// Most address space: with what is reserved and never used.
const MOST_ADDRESSES: u64 = (MOST_MEMORY_KIB << 10) + (256 << 20);
/// How much of the words of a panic is kept, in characters.
const LONGEST_WORDS: usize = 400;
/// How often time and memory are looked at.
const BEAT: Duration = Duration::from_millis(100);

/// Exit code of a process whose input takes too long.
pub(super) const HANG: u8 = 3;
/// Exit code of a process that takes too much memory.
pub(super) const TOO_MUCH: u8 = 4;

/// What a process is to try.
#[derive(Clone, Debug)]
pub struct Work {
    /// What is tried.
    pub target: Target,
    /// What the inputs are made from.
    pub seed: u64,
    /// Number of the first input.
    pub first: u64,
    /// For how long.
    pub seconds: u64,
    /// Where inputs are kept.
    pub folder: PathBuf,
}

/// What a process tells when its time is over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Told {
    /// How many inputs were tried.
    pub inputs: u64,
    /// Most memory in KiB.
    pub peak_kib: u64,
    /// CPU time of the slowest input, and its number.
    pub slowest: (u64, u64),
    /// Number and words of those that panicked.
    pub panics: Vec<(u64, String)>,
}

/// What both threads know.
#[derive(Default)]
struct Shared {
    /// Number of the input, from 1; 0 before the first.
    at: AtomicU64,
    /// CPU time of the process in milliseconds when it began.
    since: AtomicU64,
    is_over: AtomicBool,
}

/// Tries inputs until the time is over, and tells of them in a file.
pub fn work(work: &Work) -> anyhow::Result<ExitCode> {
    limit_memory();
    fs::create_dir_all(&work.folder)?;
    let shared = Arc::new(Shared::default());
    let (trying, given) = (Arc::clone(&shared), work.clone());
    let trier = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let told = keep_panics(|| try_inputs(&given, &trying));
        trying.is_over.store(true, Ordering::Release);
        told
    })?;
    while !shared.is_over.load(Ordering::Acquire) {
        thread::sleep(BEAT);
        let at = shared.at.load(Ordering::Acquire);
        let spent = cpu_ms().saturating_sub(shared.since.load(Ordering::Acquire));
        if at != 0 && at == shared.at.load(Ordering::Acquire) && u128::from(spent) > LONGEST.as_millis() {
            return Ok(ExitCode::from(HANG));
        }
        if peak_kib() > MOST_MEMORY_KIB {
            return Ok(ExitCode::from(TOO_MUCH));
        }
    }
    let mut told = trier.join().map_err(|_| anyhow::anyhow!("the thread that tries inputs panicked"))??;
    told.peak_kib = peak_kib();
    fs::write(told_file(&work.folder, work.target), serde_json::to_string(&told)?)?;
    Ok(ExitCode::SUCCESS)
}

fn try_inputs(work: &Work, shared: &Shared) -> anyhow::Result<Told> {
    let seeds = Seeds::read();
    let end = Instant::now() + Duration::from_secs(work.seconds);
    let mut told = Told::default();
    let mut number = work.first;
    while Instant::now() < end {
        let input = work.target.make(&seeds, &mut Numbers::of(work.seed, number));
        fs::write(current(&work.folder, work.target), [format!("{number}\n").as_bytes(), &input].concat())?;
        let begin = cpu_ms();
        shared.since.store(begin, Ordering::Release);
        shared.at.store(number + 1, Ordering::Release);
        if let Err(panic) = catch(|| work.target.take(&input)) {
            told.panics.push((number, panic.chars().take(LONGEST_WORDS).collect()));
        }
        shared.at.store(0, Ordering::Release);
        told.slowest = told.slowest.max((cpu_ms() - begin, number));
        told.inputs += 1;
        number += 1;
    }
    Ok(told)
}

/// Tries the input of a file, with panics printed.
pub fn try_file(target: Target, file: &Path) -> anyhow::Result<()> {
    limit_memory();
    let input = fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let begin = Instant::now();
    let trier = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || target.take(&input))?;
    trier.join().map_err(|_| anyhow::anyhow!("`{}` led to a panic", file.display()))?;
    println!("{}: {} ms, at most {} MiB", file.display(), begin.elapsed().as_millis(), peak_kib() >> 10);
    Ok(())
}

/// Writes an input into a file of its own.
pub fn keep(target: Target, seed: u64, number: u64, folder: &Path) -> anyhow::Result<PathBuf> {
    let file = folder.join(format!("{}-{seed}-{number}.input", target.name()));
    fs::create_dir_all(folder)?;
    fs::write(&file, target.make(&Seeds::read(), &mut Numbers::of(seed, number)))
        .with_context(|| format!("cannot write `{}`", file.display()))?;
    Ok(file)
}

/// The file with the input a process is at: its number, a line's end, the input.
pub(super) fn current(folder: &Path, target: Target) -> PathBuf {
    folder.join(format!("{}.current", target.name()))
}

/// The file in which a process tells.
pub(super) fn told_file(folder: &Path, target: Target) -> PathBuf {
    folder.join(format!("{}.told", target.name()))
}

#[cfg(unix)]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = Rlimit { current: Some(MOST_ADDRESSES), maximum: Some(MOST_ADDRESSES) };
    // Where it cannot be limited it is still measured.
    let _ = setrlimit(Resource::As, limit);
}

#[cfg(not(unix))]
fn limit_memory() {}

/// CPU time of this process.
fn cpu_ms() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    (time.tv_sec * 1000 + time.tv_nsec / 1_000_000) as u64
}

/// Most memory that this process had; 0 where that cannot be seen.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
