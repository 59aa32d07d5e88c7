//! Carries requests out: one rehearsal that is kept, and predictions and reports that are not.

use std::collections::BTreeSet;

use unwind_engine::analysis::foreseen;
use unwind_engine::behaviour::Release;
use unwind_engine::event::Change;
use unwind_engine::host::{Answer, Moved, Request};
use unwind_engine::library::Library;
use unwind_engine::rehearse::{Moment, Simulation};
use unwind_engine::{Behaviour, Run, Way, lower, predict};
use unwind_model::{NodeId, Workflow};
use unwind_present::report;
use unwind_present::roster::Roster;

/// More events than this in one request are a run that does not end.
const EVENTS_MAX: usize = 1_000_000;

/// The one rehearsal of a module, and the workflow that was predicted last.
#[derive(Default)]
pub struct Host {
    simulation: Option<Simulation>,
    predicted: Option<Box<Workflow>>,
}

impl Host {
    /// Reads a request, carries it out and writes the answer.
    pub fn answer(&mut self, request: &[u8]) -> Vec<u8> {
        let answer = match serde_json::from_slice(request) {
            Ok(request) => self.carry_out(request),
            Err(error) => Answer::Refused { message: format!("this is no request: {error}") },
        };
        serde_json::to_vec(&answer).unwrap_or_default()
    }

    fn carry_out(&mut self, request: Request) -> Answer {
        match request {
            Request::Begin { workflow, rehearsal } => {
                let simulation = Simulation::new(&workflow, rehearsal, Behaviour::UNWIND);
                let nodes = simulation.run().status().nodes.into_keys().collect();
                let answer = moved(&simulation, &nodes, true);
                self.simulation = Some(simulation);
                answer
            }
            Request::Step => self.go_on(|simulation, told| simulation.advance().into_iter().for_each(told)),
            Request::PassTo { until } => {
                self.go_on(|simulation, told| simulation.advance_to(until).into_iter().for_each(told))
            }
            Request::Finish => self.go_on(|simulation, told| {
                // What a moment tells is dropped before the next one: of deep nestings it is a lot.
                std::iter::from_fn(|| simulation.advance()).take(EVENTS_MAX).for_each(told);
            }),
            Request::End { way } => self.go_on(|simulation, told| match way {
                Way::Stop => told(simulation.stop()),
                Way::Terminate => told(simulation.terminate()),
                Way::GoOn => {}
            }),
            Request::Resume => self.go_on(|simulation, told| simulation.resume().into_iter().for_each(told)),
            Request::Predict { workflow, way } => {
                let (run, _) = Run::from_status(&workflow, Library::default(), Behaviour::UNWIND);
                self.predicted = Some(workflow);
                Answer::Predicted(Box::new(predict(&run, way)))
            }
            Request::Foresee { version, way } => self.foresee(&version, way),
            Request::Report { workflow, stop_at } => match reported(&workflow, stop_at.as_deref()) {
                Ok(text) => Answer::Reported { text },
                Err(message) => Answer::Refused { message },
            },
        }
    }

    fn foresee(&self, version: &str, way: Way) -> Answer {
        let Some(workflow) = &self.predicted else {
            return Answer::Refused { message: "nothing was predicted".to_owned() };
        };
        match Release::parse(version) {
            Ok(release) => {
                Answer::Foreseen { foreseen: foreseen(workflow, Library::default(), &release, way) }
            }
            Err(error) => Answer::Refused { message: error.to_string() },
        }
    }

    /// Lets the rehearsal go on and tells what has moved.
    fn go_on(&mut self, act: impl FnOnce(&mut Simulation, &mut dyn FnMut(Moment))) -> Answer {
        let Some(simulation) = &mut self.simulation else {
            return Answer::Refused { message: "nothing is rehearsed".to_owned() };
        };
        let mut nodes = BTreeSet::new();
        let mut has_moved = false;
        act(simulation, &mut |moment| {
            has_moved = true;
            nodes.extend(moment.changes.into_iter().filter_map(|change| match change {
                Change::Node { id, .. } => Some(id),
                Change::Workflow { .. } => None,
            }));
        });
        moved(simulation, &nodes, has_moved)
    }
}

/// The rehearsal as it is now with these of its nodes.
fn moved(simulation: &Simulation, nodes: &BTreeSet<NodeId>, has_moved: bool) -> Answer {
    let run = simulation.run();
    Answer::Moved(Box::new(Moved {
        now: simulation.now(),
        next_at: simulation.next_at(),
        has_moved,
        suspend: run.object().spec.suspend.filter(|suspend| !suspend || run.is_suspended()),
        shutdown: run.shutdown(),
        status: run.workflow_status(),
        nodes: nodes.iter().filter_map(|id| run.node_status(id)).collect(),
    }))
}

/// What `unwind rehearse --json` prints.
fn reported(workflow: &Workflow, stop_at: Option<&str>) -> Result<String, String> {
    let node = stop_at.map(|text| {
        let (plan, _) = lower(workflow);
        report::find_node(&Roster::new(&plan.outline(), workflow), text)
    });
    let node = node.transpose().map_err(|error| error.to_string())?;
    report::report_json(&report::rehearse_report(workflow, node.as_ref())).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use unwind_engine::rehearse::Rehearsal;
    use unwind_model::document::{Document, parse};

    use super::*;

    const LOOP: &str = include_str!("../../../tests/fixtures/mixed.yaml");
    const SEED: &str = include_str!("../../../public/samples/seed-dag.yaml");

    fn workflow(text: &str) -> Workflow {
        let documents = parse(text.as_bytes()).expect("a document");
        let Some(Document::Workflow(workflow)) = documents.into_iter().next().map(|parsed| parsed.document)
        else {
            panic!("a workflow");
        };
        *workflow
    }

    fn ask(host: &mut Host, request: &Request) -> Answer {
        let request = serde_json::to_vec(request).expect("JSON");
        serde_json::from_slice(&host.answer(&request)).expect("an answer")
    }

    fn ask_moved(host: &mut Host, request: &Request) -> Moved {
        match ask(host, request) {
            Answer::Moved(moved) => *moved,
            other => panic!("{other:?}"),
        }
    }

    /// Plays a manifest through, with a stop after `stop` events, and holds what the answers add up to
    /// against the whole object at every event.
    fn play(text: &str, stop: usize) -> Workflow {
        let manifest = workflow(text);
        let mut host = Host::default();
        let mut shown = manifest.clone();
        let begin = Request::Begin { workflow: Box::new(manifest), rehearsal: Rehearsal::default() };
        ask_moved(&mut host, &begin).apply(&mut shown);
        for event in 0_usize.. {
            let request = if event == stop { Request::End { way: Way::Stop } } else { Request::Step };
            let moved = ask_moved(&mut host, &request);
            let is_over = !moved.has_moved;
            moved.apply(&mut shown);
            let whole = host.simulation.as_ref().expect("a rehearsal").workflow();
            assert_eq!(shown, whole, "after event {event}");
            if is_over {
                break;
            }
        }
        shown
    }

    #[test]
    fn answers_add_up_to_the_whole_object() {
        for text in [SEED, LOOP] {
            for stop in [0, 3, 8, usize::MAX] {
                let end = play(text, stop);
                assert!(end.status.phase.is_final(), "stopped after {stop}: {:?}", end.status.phase);
            }
        }
    }

    #[test]
    fn what_is_predicted_is_what_happens() {
        let mut host = Host::default();
        let mut shown = workflow(LOOP);
        let begin = Request::Begin { workflow: Box::new(shown.clone()), rehearsal: Rehearsal::default() };
        ask_moved(&mut host, &begin).apply(&mut shown);
        ask_moved(&mut host, &Request::Step).apply(&mut shown);
        let predict = Request::Predict { workflow: Box::new(shown.clone()), way: Way::Stop };
        let Answer::Predicted(prediction) = ask(&mut host, &predict) else { panic!("a prediction") };
        ask_moved(&mut host, &Request::End { way: Way::Stop }).apply(&mut shown);
        ask_moved(&mut host, &Request::Finish).apply(&mut shown);
        let happened = shown.status.nodes.values().map(|node| (node.name.clone(), node.phase)).collect();
        assert_eq!(prediction.outcomes[0].nodes, happened);
        assert_eq!(prediction.outcomes[0].phase, shown.status.phase);
    }

    #[test]
    fn what_is_no_request_or_cannot_be_done_is_said() {
        let mut host = Host::default();
        let refused = |answer| match answer {
            Answer::Refused { message } => message,
            other => panic!("{other:?}"),
        };
        let answer = serde_json::from_slice(&host.answer(b"{")).expect("an answer");
        assert!(refused(answer).starts_with("this is no request"));
        assert_eq!(refused(ask(&mut host, &Request::Step)), "nothing is rehearsed");
        let foresee = Request::Foresee { version: "4.1.2".to_owned(), way: Way::Stop };
        assert_eq!(refused(ask(&mut host, &foresee)), "nothing was predicted");
        let request =
            Request::Report { workflow: Box::new(workflow(SEED)), stop_at: Some("nowhere".to_owned()) };
        assert!(refused(ask(&mut host, &request)).contains("no node is called `nowhere`"));
    }
}
