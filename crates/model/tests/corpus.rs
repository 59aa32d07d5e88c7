//! Every file of the corpora that is a document at all is read; it runs where the corpora are.

use std::path::{Path, PathBuf};

use unwind_model::document::{Document, parse};
use unwind_model::features::ShapeError;
use unwind_model::{Template, WorkflowSpec};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "yaml" || ending == "json") {
            found.push(path);
        }
    }
}

#[test]
fn every_manifest_and_status_of_the_corpora_is_read() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let mut paths = Vec::new();
    for folder in ["argo-examples", "cases", "kfp-compiled"] {
        files(&corpora.join(folder), &mut paths);
    }
    let mut workflows = 0;
    let mut faults = Vec::new();
    for path in &paths {
        match parse(&std::fs::read(path).expect("a file")) {
            Err(error) => faults.push(format!("{}: {error}", path.display())),
            Ok(documents) => {
                for one in &documents {
                    let Document::Workflow(workflow) = &one.document else { continue };
                    workflows += 1;
                    if let Err(error) = read_features(&workflow.spec) {
                        faults.push(format!("{}: {error}", path.display()));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    println!("{} files, {workflows} workflows", paths.len());
    assert_eq!(workflows == 0, paths.is_empty());
}

/// Reads all that is only read on demand.
fn read_features(spec: &WorkflowSpec) -> Result<(), ShapeError> {
    spec.workflow_template_ref()?;
    spec.retry_strategy()?;
    spec.synchronization()?;
    spec.parallelism()?;
    spec.priority()?;
    spec.pod_gc()?;
    if let Some(defaults) = spec.template_defaults()? {
        read_template(&defaults)?;
    }
    spec.templates.iter().try_for_each(read_template)
}

fn read_template(template: &Template) -> Result<(), ShapeError> {
    template.retry_strategy()?;
    template.synchronization()?;
    template.memoize()?;
    template.container_set()?;
    template.http()?;
    template.resource()?;
    template.is_daemon()?;
    template.parallelism()?;
    template.fail_fast()?;
    template.active_deadline_seconds()?;
    template.timeout()?;
    template.pending_timeout()?;
    template.suspend_duration()?;
    let tasks = template.dag.iter().flat_map(|dag| &dag.tasks);
    let steps = template.steps.iter().flatten().flat_map(|group| &group.0);
    for task in tasks.chain(steps) {
        task.template_ref()?;
        task.with_items()?;
        task.with_param()?;
        task.with_sequence()?;
        task.continue_on()?;
        if let Some(inline) = &task.inline {
            read_template(inline)?;
        }
    }
    Ok(())
}
