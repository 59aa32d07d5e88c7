//! Everything that is shown and said of a workflow, whatever stands in it.

use unwind_engine::library::Library;
use unwind_engine::{Behaviour, Run, Way, predict_at};
use unwind_layout::{Direction, layout};
use unwind_model::document::{self, Document};
use unwind_model::{Timestamp, Workflow};
use unwind_present::capability::{self, Origin};
use unwind_present::estimate::Estimates;
use unwind_present::format::Zone;
use unwind_present::graph::{Folding, Marks, paint, structure};
use unwind_present::panel::panel;
use unwind_present::preview::{Keeper, preview};
use unwind_present::progress::Progress;
use unwind_present::study::{Study, Watched};
use unwind_present::summary;
use unwind_present::svg::{Drawing, Theme, svg};
use unwind_present::timeline::{View, tell, timeline};
use unwind_present::tree::tree;
use unwind_present::truth::truth_line;
use unwind_present::unwinding::Unwinding;

use crate::traces::FIRST_PASS;

/// A workflow of more members is left.
const MOST_MEMBERS: usize = 300;

/// Shows every workflow of a text.
pub fn take(input: &[u8]) {
    for parsed in document::parse(input).unwrap_or_default() {
        if let Document::Workflow(workflow) = parsed.document {
            show(&workflow, FIRST_PASS);
        }
    }
}

/// Shows a workflow as it is at `now`.
pub fn show(workflow: &Workflow, now: Timestamp) {
    let is_exact = workflow.metadata.name.len().is_multiple_of(2);
    let watched = Watched { is_exact, shutdown_at: is_exact.then_some(now) };
    let study = Study::watched(workflow.clone(), watched);
    if study.roster.indices().count() > MOST_MEMBERS {
        return;
    }
    say(&study, now);
    draw(&study, None, now);
    foresee(&study, now);
}

/// All sentences and rows.
fn say(study: &Study, now: Timestamp) {
    let zone = Zone { offset_minutes: 90 };
    let estimates = Estimates::of(study);
    let folding = Folding::at_opening(study);
    truth_line(study, now, zone);
    summary::hooks_cell(study);
    summary::announcement(study);
    summary::message(study, now, zone);
    for origin in [Origin::Server, Origin::Page, Origin::File] {
        summary::stop_button(study, origin, zone, true);
        for able in [capability::stop, capability::terminate, capability::suspend, capability::resume] {
            able(&study.workflow, origin).map_err(|reason| reason.text(zone)).ok();
        }
    }
    for shows_all in [false, true] {
        let view = View { now, zone, is_live: !shows_all, shows_all, estimates: &estimates };
        tell(study, &view, &timeline(study, &view).rows).for_each(drop);
    }
    tree(study, &folding, None, now);
    Progress::of(study);
    if let Some(unwinding) = Unwinding::of(study) {
        unwinding.to_go_ms(study, &estimates, now);
    }
    for index in study.roster.indices() {
        study.roster.path_text(index);
        panel(study, index, now, zone, &estimates);
    }
}

/// The graph, on the screen and as a file.
fn draw(study: &Study, marks: Option<&Marks>, now: Timestamp) {
    let foldings = [Folding::at_opening(study), Folding::default()];
    for (folding, direction) in foldings.iter().zip([Direction::TopDown, Direction::LeftRight]) {
        let structure = structure(&study.roster, &study.workflow, folding, direction);
        let layout = layout(&structure.request);
        let picture = paint(&structure, study, marks);
        let theme = Theme::Dark;
        let text = svg(&Drawing {
            structure: &structure,
            layout: &layout,
            picture: &picture,
            now,
            theme,
            caption: "",
        });
        assert!(!text.contains("NaN") && !text.contains("inf\""), "every place is a number");
    }
}

/// What is told of a stop and a terminate before they are asked.
fn foresee(study: &Study, now: Timestamp) {
    if study.is_over() {
        return;
    }
    let estimates = Estimates::of(study);
    let (run, _) = Run::from_status(&study.workflow, Library::default(), Behaviour::UNWIND);
    for way in [Way::Stop, Way::Terminate] {
        let prediction = predict_at(&run, way, now);
        draw(study, Some(&Marks::of(&prediction)), now);
        for keeper in [Keeper::OwnEngine, Keeper::Argo { version: None, foreseen: None }] {
            preview(study, &prediction, &keeper, &estimates, now);
        }
    }
}
