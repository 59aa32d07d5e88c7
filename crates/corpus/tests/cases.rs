//! All cases, where the corpus is there: beside the repository, or in the folder that the variable
//! `UNWIND_CORPORA` names. Passes may not fall; what fails is printed.

use std::path::{Path, PathBuf};

use unwind_corpus::{cases, ratchet};

fn corpora() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("UNWIND_CORPORA").map_or_else(beside, PathBuf::from)
}

#[test]
fn no_case_that_passed_fails() {
    let folder = corpora().join("cases");
    if !folder.is_dir() {
        return;
    }
    let reports = cases::replay(&folder).expect("the cases can be replayed");
    let passed = reports.iter().filter(|report| report.passed()).count();
    let others: Vec<_> = reports.iter().filter(|report| !report.passed()).cloned().collect();
    println!("{passed} of {} views of the cases pass", reports.len());
    print!("{}", cases::lines(&others));
    ratchet::check(include_str!("../ratchet.txt"), "cases", passed).expect("passes may not fall");
}
