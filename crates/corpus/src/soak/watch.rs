//! Starts a process for each target, two at a time, and another where one ended before its time.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::Target;
use super::worker::{HANG, TOO_MUCH, Told, current, keep, told_file};

/// Targets that are tried at the same time.
const AT_ONCE: usize = 2;
/// After so many a target is left.
const MOST_FAILURES: usize = 20;
/// How much longer than it should a process may live: it looks at its inputs' time itself.
const GRACE: Duration = Duration::from_mins(5);

/// What is tried, and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is tried.
    pub targets: Vec<Target>,
    /// Time for each target.
    pub seconds: u64,
    /// What the inputs are made from.
    pub seed: u64,
    /// Where inputs that failed are kept.
    pub folder: PathBuf,
}

/// What became of a target.
#[derive(Clone, Debug)]
pub struct Report {
    target: Target,
    seed: u64,
    seconds: u64,
    told: Told,
    /// What is wrong, with the file of the input.
    failures: Vec<(String, PathBuf)>,
}

impl Report {
    /// True when nothing is wrong.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.target.name();
        let (slowest_ms, slowest) = self.told.slowest;
        writeln!(
            f,
            "{name}: {} inputs of seed {} in {} s, at most {} MiB, slowest {slowest_ms} ms (input {slowest})",
            self.told.inputs,
            self.seed,
            self.seconds,
            self.told.peak_kib >> 10,
        )?;
        for (what, file) in &self.failures {
            writeln!(f, "FAIL {name}: {what}")?;
            writeln!(f, "     try it again: cargo xtask soak --target {name} --input {}", file.display())?;
        }
        Ok(())
    }
}

/// Tries all targets; reports come in the order of their ends.
pub fn soak(options: &Options) -> anyhow::Result<Vec<Report>> {
    fs::create_dir_all(&options.folder)
        .with_context(|| format!("cannot make the folder `{}`", options.folder.display()))?;
    let waiting = Mutex::new(options.targets.iter().rev().copied().collect::<Vec<_>>());
    let reports = Mutex::new(Vec::new());
    let next = || waiting.lock().ok()?.pop();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(target) = next() {
                    let report = one(options, target);
                    if let Ok(report) = &report {
                        print!("{report}");
                    }
                    if let Ok(mut reports) = reports.lock() {
                        reports.push(report);
                    }
                }
            });
        }
    });
    reports.into_inner().unwrap_or_default().into_iter().collect()
}

fn one(options: &Options, target: Target) -> anyhow::Result<Report> {
    let begin = Instant::now();
    let mut report =
        Report { target, seed: options.seed, seconds: 0, told: Told::default(), failures: Vec::new() };
    let mut first = 0;
    loop {
        report.seconds = begin.elapsed().as_secs();
        if report.seconds >= options.seconds || report.failures.len() >= MOST_FAILURES {
            return Ok(report);
        }
        let seconds = options.seconds - report.seconds;
        let told = told_file(&options.folder, target);
        let arguments =
            ["--target", target.name(), "--seed", &options.seed.to_string(), "--first", &first.to_string()]
                .map(str::to_owned);
        let mut child = Command::new(std::env::current_exe()?)
            .arg("soak-worker")
            .args(arguments)
            .args(["--seconds", &seconds.to_string(), "--folder"])
            .arg(&options.folder)
            .spawn()
            .context("cannot start a process that tries inputs")?;
        let end = wait(&mut child, Duration::from_secs(seconds) + GRACE, &told)?;
        first = report.take(options, end)?;
    }
}

/// What a process told, or how it ended.
fn wait(child: &mut Child, most: Duration, told: &Path) -> anyhow::Result<Result<Told, String>> {
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begin.elapsed() > most {
            child.kill()?;
            child.wait()?;
            return Ok(Err("it hangs without using the processor".to_owned()));
        }
        thread::sleep(Duration::from_millis(100));
    };
    if status.success() {
        let text = fs::read_to_string(told).context("cannot read what a process told")?;
        return Ok(Ok(serde_json::from_str(&text)?));
    }
    Ok(Err(match status.code() {
        Some(code) if code == i32::from(HANG) => "it takes longer than 5 s".to_owned(),
        Some(code) if code == i32::from(TOO_MUCH) => "it takes more than 1 GiB".to_owned(),
        Some(_) | None => format!("it ended the process with {status}"),
    }))
}

impl Report {
    /// Takes in how a process ended; the number of the input to go on with.
    fn take(&mut self, options: &Options, end: Result<Told, String>) -> anyhow::Result<u64> {
        match end {
            Ok(told) => {
                for (number, panic) in &told.panics {
                    if self.failures.iter().any(|(known, _)| known.ends_with(panic.as_str())) {
                        continue;
                    }
                    let file = keep(self.target, self.seed, *number, &options.folder)?;
                    self.failures.push((format!("input {number} led to a panic: {panic}"), file));
                }
                self.told.inputs += told.inputs;
                self.told.peak_kib = self.told.peak_kib.max(told.peak_kib);
                self.told.slowest = self.told.slowest.max(told.slowest);
                Ok(self.told.inputs)
            }
            Err(why) => {
                let current = fs::read(current(&options.folder, self.target))?;
                let end = current.iter().position(|byte| *byte == b'\n').unwrap_or_default();
                let number: u64 = String::from_utf8_lossy(&current[..end]).parse().unwrap_or_default();
                let file = keep(self.target, self.seed, number, &options.folder)?;
                self.failures.push((format!("input {number}: {why}"), file));
                self.told.inputs = number + 1;
                Ok(number + 1)
            }
        }
    }
}
