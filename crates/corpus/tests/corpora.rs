//! The whole corpora, where they are there: beside the repository, or in the folder that the variable
//! `UNWIND_CORPORA` names. Passes may not fall; what fails is printed.

use std::path::{Path, PathBuf};

use unwind_corpus::cases::{self, Report};
use unwind_corpus::traces::{self, Options, report, summary};
use unwind_corpus::{judgements, manifests, predictions, ratchet, taken_up, unwinding};

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
fn every_manifest_runs_to_its_end() {
    let folder = corpora().join("argo-examples");
    if !folder.is_dir() {
        return;
    }
    let reports = manifests::rehearse_folder(&folder).expect("the manifests can be read");
    print!("{}", manifests::lines(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    ratchet::check(include_str!("../ratchet.txt"), "manifests", passed).expect("passes may not fall");
}

#[test]
fn no_judgement_that_passed_fails() {
    check("judgements", "traces", judgements::replay);
}

/// Each of the traces that are kept here must come out right.
#[test]
fn every_kept_trace_is_what_the_controller_did() {
    for folder in ["traces", "traces-kfp"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
        let reports = traces::replay_folder(&path, &Options::default()).expect("the traces can be replayed");
        let lines = report::lines(&reports);
        assert!(!reports.is_empty() && reports.iter().all(traces::Report::passed), "{lines}");
    }
}

/// Replays a folder of traces; passes may not fall.
fn check_traces(folder: &str) {
    let path = corpora().join(folder);
    if !path.is_dir() {
        return;
    }
    let options = Options { stop_at_first: true, ..Options::default() };
    let reports = traces::replay_folder(&path, &options).expect("the traces can be replayed");
    print!("{}", summary::summary(&reports, false));
    let passed = reports.iter().filter(|report| report.passed()).count();
    ratchet::check(include_str!("../ratchet.txt"), folder, passed).expect("passes may not fall");
}

#[test]
fn no_trace_that_passed_fails() {
    check_traces("traces");
}

#[test]
fn no_trace_of_kubeflow_that_passed_fails() {
    check_traces("traces-kfp");
}

#[test]
fn no_prediction_that_passed_fails() {
    let path = corpora().join("traces");
    if !path.is_dir() {
        return;
    }
    let reports = predictions::replay(&path).expect("the traces can be predicted");
    print!("{}", predictions::lines(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    ratchet::check(include_str!("../ratchet.txt"), "predictions", passed).expect("passes may not fall");
}

#[test]
fn endings_of_committed_traces_are_predicted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/traces");
    let reports = predictions::replay(&folder).expect("the traces can be predicted");
    let missed: Vec<_> =
        reports.iter().filter(|report| matches!(report.result, predictions::Told::Missed(..))).collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(reports.iter().filter(|report| report.passed()).count() > 10, "{reports:?}");
}

#[test]
fn no_run_that_was_let_go_on_as_told_fails() {
    let path = corpora().join("traces");
    if !path.is_dir() {
        return;
    }
    let reports = predictions::let_go_on(&path).expect("the traces can be predicted");
    print!("{}", predictions::going_on_lines(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    ratchet::check(include_str!("../ratchet.txt"), "going-on", passed).expect("passes may not fall");
}

#[test]
fn committed_traces_go_on_as_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/traces");
    let reports = predictions::let_go_on(&folder).expect("the traces can be predicted");
    let missed: Vec<_> =
        reports.iter().filter(|report| matches!(report.result, predictions::Told::Missed(..))).collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(reports.iter().filter(|report| report.passed()).count() > 20, "{reports:?}");
}

#[test]
fn no_way_that_was_weighed_well_is_weighed_wrongly() {
    let path = corpora().join("traces");
    if !path.is_dir() {
        return;
    }
    let reports = predictions::ways::replay(&path).expect("the ways can be weighed");
    print!("{}", predictions::ways::failures(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    ratchet::check(include_str!("../ratchet.txt"), "ways", passed).expect("passes may not fall");
}

#[test]
fn ways_of_committed_traces_are_weighed_as_they_went() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/traces");
    let reports = predictions::ways::replay(&folder).expect("the ways can be weighed");
    let failures = predictions::ways::failures(&reports);
    assert!(failures.is_empty(), "{failures}");
    assert!(reports.iter().filter(|report| report.passed()).count() > 20, "{reports:?}");
}

#[test]
fn no_run_that_was_taken_up_fails() {
    let path = corpora().join("traces");
    if !path.is_dir() {
        return;
    }
    let reports = taken_up::replay(&path, None).expect("the traces can be taken up");
    print!("{}", unwinding::lines(&reports));
    taken_up::check(&reports).expect("passes may not fall");
}

#[test]
fn committed_traces_are_taken_up_at_every_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/traces");
    let reports = taken_up::replay(&folder, None).expect("the traces can be taken up");
    let is_wrong = |report: &&Report| !report.passed() && report.name.ends_with("started again");
    let wrong: Vec<_> = reports.iter().filter(is_wrong).collect();
    assert!(wrong.is_empty() && reports.len() > 20, "{wrong:?}");
}

/// Runs the inputs of a folder of traces under UNWIND; passes may not fall.
fn check_unwinding(folder: &str, name: &str) {
    let path = corpora().join(folder);
    if !path.is_dir() {
        return;
    }
    let reports = unwinding::replay(&path, false, None).expect("the inputs can be run");
    print!("{}", unwinding::lines(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    ratchet::check(include_str!("../ratchet.txt"), name, passed).expect("passes may not fall");
}

#[test]
fn no_input_that_unwound_fails() {
    check_unwinding("traces", "unwinding");
}

#[test]
fn no_input_of_kubeflow_that_unwound_fails() {
    check_unwinding("traces-kfp", "unwinding-kfp");
}

/// Cases that are run with real processes in every test: a stop through nested boxes, a terminate, a retry.
#[test]
fn a_sample_of_cases_runs_as_it_has_to() {
    let path = corpora().join("cases");
    if !path.is_dir() {
        return;
    }
    let sample =
        ["stop-nested-dag-exit-hooks", "stop-with-retries-left", "terminate-while-exit-handler-runs"];
    let shim = Path::new(env!("CARGO_BIN_EXE_unwind-corpus"));
    let reports = cases::play(&path, shim, &|name| sample.contains(&name)).expect("the cases can be run");
    let failed: Vec<&Report> = reports.iter().filter(|report| !report.passed()).collect();
    assert!(failed.is_empty() && reports.len() == sample.len(), "{failed:?}");
}
