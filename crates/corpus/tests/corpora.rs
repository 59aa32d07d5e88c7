//! The whole corpora, where they are there: beside the repository, or in the folder that the variable
//! `UNWIND_CORPORA` names. Passes may not fall; what fails is printed.

use std::path::{Path, PathBuf};

use unwind_corpus::cases::{self, Report};
use unwind_corpus::{judgements, ratchet};

fn corpora() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("UNWIND_CORPORA").map_or_else(beside, PathBuf::from)
}

/// Counts what passes, prints what does not.
fn check(name: &str, folder: &str, replay: fn(&Path) -> anyhow::Result<Vec<Report>>) {
    let folder = corpora().join(folder);
    if !folder.is_dir() {
        return;
    }
    let reports = replay(&folder).expect("the corpus can be replayed");
    let passed = reports.iter().filter(|report| report.passed()).count();
    let others: Vec<_> = reports.iter().filter(|report| !report.passed()).cloned().collect();
    println!("{passed} of {} pass in `{name}`", reports.len());
    print!("{}", cases::lines(&others));
    ratchet::check(include_str!("../ratchet.txt"), name, passed).expect("passes may not fall");
}

#[test]
fn no_case_that_passed_fails() {
    check("cases", "cases", cases::replay);
}

#[test]
fn no_judgement_that_passed_fails() {
    check("judgements", "traces", judgements::replay);
}
