//! Documents for everything that looks at one: they fit their types now and then, and mean nothing.

use serde::Deserialize;
use serde_json::Value;
use unwind_engine::again::{ResubmitOptions, RetryOptions, resubmit, retry};
use unwind_engine::cron::{CronRun, Languages, World};
use unwind_engine::library::Library;
use unwind_engine::validate::{ValidateOptions, validate, validate_document};
use unwind_engine::{Scenario, analyse};
use unwind_model::cron::CronWorkflow;
use unwind_model::document::{self, Document};
use unwind_model::{NodeName, Workflow, delta};

use super::{Seeds, tree};
use crate::numbers::Numbers;
use crate::traces::FIRST_PASS;

/// More nodes than this are not rehearsed.
const MOST_NODES: usize = 300;

/// A changed document as JSON, perhaps with others beside it.
pub fn make(seeds: &Seeds, numbers: &mut Numbers) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..if numbers.one_in(4) { 2 } else { 1 } {
        text += &one(seeds, numbers).to_string();
        text += "\n---\n";
    }
    text.into_bytes()
}

fn one(seeds: &Seeds, numbers: &mut Numbers) -> Value {
    let count = seeds.documents.len();
    if count == 0 {
        return tree::odd(numbers);
    }
    let mut document = seeds.documents[numbers.below(count)].clone();
    let other = &seeds.documents[numbers.below(count)];
    tree::change(&mut document, other, numbers);
    document
}

/// Parses, plans, analyses, validates, and does with it what users do.
pub fn take(input: &[u8]) {
    let Ok(parsed) = document::parse(input) else { return };
    let texts = std::str::from_utf8(input).unwrap_or_default().split("\n---\n");
    let values: Vec<Value> = texts.filter_map(|text| serde_json::from_str(text).ok()).collect();
    let mut library = Library::default();
    for value in &values {
        let _ = library.add(value);
    }
    for value in &values {
        for options in options() {
            let _ = validate_document(value, &library, options);
        }
        cron(value, &library);
    }
    for parsed in &parsed {
        if let Document::Workflow(workflow) = &parsed.document {
            look_at(workflow, &library);
        }
    }
}

fn options() -> [ValidateOptions; 3] {
    let usual = ValidateOptions::default();
    [usual, ValidateOptions { lint: true, ..usual }, ValidateOptions { submit: true, ..usual }]
}

fn look_at(workflow: &Workflow, library: &Library) {
    for options in options() {
        let _ = validate(workflow, library, options);
    }
    let analysis = analyse(workflow, &Scenario::default());
    for diagnostic in &analysis.diagnostics {
        assert!(diagnostic.path.len() < 1 << 20, "a path is short");
    }
    if workflow.status.nodes.is_empty() && analysis.plan.outline().len() < MOST_NODES {
        let stop_at = Some(NodeName(workflow.metadata.name.clone()));
        analyse(workflow, &Scenario { stop_at, ..Scenario::default() });
    }
    again(workflow);
    let written = serde_json::to_value(workflow).expect("a workflow is written as JSON");
    let read = Workflow::deserialize(&written).expect("what was written is read");
    let mut same = delta::without_nodes(workflow);
    let change = delta::diff(&same, &read);
    let _ = delta::apply(&mut same, &change);
}

fn again(workflow: &Workflow) {
    for restart_successful in [false, true] {
        let options = RetryOptions { restart_successful, ..RetryOptions::default() };
        if let Ok(retried) = retry(workflow, &options, FIRST_PASS) {
            analyse(&retried.workflow, &Scenario::default());
        }
    }
    for memoized in [false, true] {
        let _ = resubmit(workflow, &ResubmitOptions { memoized, ..ResubmitOptions::default() }, FIRST_PASS);
    }
}

fn cron(value: &Value, library: &Library) {
    if value["kind"] != "CronWorkflow" {
        return;
    }
    let Ok(object) = CronWorkflow::deserialize(value) else { return };
    let judge = Languages { library, now: FIRST_PASS };
    let world = World { zones: &|_: &str, _| Some(3600), judge: &judge };
    let (mut run, _) = CronRun::new(object, FIRST_PASS, &world);
    let mut now = FIRST_PASS;
    for _ in 0..20 {
        now = run.next_due().unwrap_or(now + 60_000);
        run.tick(now, &world);
        run.sync(&[], &world);
    }
}
