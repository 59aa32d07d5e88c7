//! What the way that is previewed would do, by the engine, and again whenever the run has moved.

use std::time::Duration;

use leptos::prelude::*;
use unwind_engine::Way;
use unwind_engine::analysis::Foreseen;
use unwind_engine::host::{Answer, Request};
use unwind_engine::predict::Prediction;
use unwind_model::Timestamp;
use unwind_present::estimate::Estimates;
use unwind_present::preview::{Keeper, Preview};
use unwind_present::study::Study;

use super::engine::{Engine, Stage};
use super::shown::Shared;
use crate::data::clock;
use crate::reactive::effect;

/// A run that moves fast is predicted anew in at most one of so many parts of the time.
const SHARE: u64 = 4;

/// What a prediction is made from.
#[derive(Clone, Copy)]
pub struct Sources {
    /// The engine.
    pub engine: Engine,
    /// The way that is previewed.
    pub way: RwSignal<Option<Way>>,
    /// The workflow.
    pub study: Memo<Option<Shared<Study>>>,
    /// Guesses of durations.
    pub estimates: Memo<std::sync::Arc<Estimates>>,
    /// Who will carry a stop out.
    pub keeper: Memo<Keeper>,
    /// The present of the workflow.
    pub now: Signal<Timestamp>,
}

/// How far the predictions are.
#[derive(Clone, Copy, Default)]
struct Course {
    /// The way that was asked about last.
    way: Option<Way>,
    /// Counts what was asked; answers to an older question are not shown.
    turn: u32,
    /// The engine is asked, or rests.
    is_busy: bool,
    /// Something has moved since.
    is_stale: bool,
}

#[derive(Clone, Copy)]
struct Follower {
    sources: Sources,
    course: StoredValue<Course>,
    shown: RwSignal<Option<Shared<Preview>>>,
}

/// What one answer is about.
#[derive(Clone)]
struct Question {
    turn: u32,
    way: Way,
    study: Shared<Study>,
    /// When it was asked, by the reader's clock.
    begun: i64,
}

/// Follows what it is made from.
pub fn follow(sources: Sources) -> RwSignal<Option<Shared<Preview>>> {
    let follower =
        Follower { sources, course: StoredValue::new(Course::default()), shown: RwSignal::new(None) };
    effect(move || {
        sources.study.track();
        sources.estimates.track();
        sources.keeper.track();
        let way = sources.way.get();
        let stage = sources.engine.stage.get();
        let Some(way) = way else { return follower.forget() };
        if stage != Stage::Ready {
            follower.forget();
            sources.engine.want();
            return;
        }
        let course = follower.course.get_value();
        if course.is_busy && course.way == Some(way) {
            follower.course.update_value(|course| course.is_stale = true);
        } else {
            follower.ask(way);
        }
    });
    follower.shown
}

impl Follower {
    /// Nothing is shown and no answer is awaited.
    fn forget(self) {
        self.course.update_value(|course| *course = Course { turn: course.turn + 1, ..Course::default() });
        if self.shown.with_untracked(Option::is_some) {
            self.shown.set(None);
        }
    }

    /// Asks what our own engine would do. The preview is there before the release in use is asked, since that
    /// takes longer.
    fn ask(self, way: Way) {
        let Some(study) = self.sources.study.get_untracked() else { return };
        let course = self.course.get_value();
        let turn = course.turn + 1;
        self.course.set_value(Course { way: Some(way), turn, is_busy: true, is_stale: false });
        let is_first = course.way != Some(way);
        let request = Request::Predict { workflow: Box::new(study.workflow.clone()), way };
        let question = Question { turn, way, study, begun: clock::now().millis() };
        self.sources.engine.ask(&request, move |answer| {
            if self.course.get_value().turn != turn {
                return;
            }
            let Answer::Predicted(prediction) = answer else { return self.rest(&question) };
            match self.sources.keeper.get_untracked() {
                Keeper::Argo { version: Some(version), .. } => {
                    if is_first {
                        self.show(&question, &prediction, None);
                    }
                    self.ask_release(version, question, prediction);
                }
                Keeper::Argo { version: None, .. } | Keeper::OwnEngine => {
                    self.show(&question, &prediction, None);
                    self.rest(&question);
                }
            }
        });
    }

    /// Asks what the release in use does with the same workflow, and shows both.
    fn ask_release(self, version: String, question: Question, prediction: Box<Prediction>) {
        let request = Request::Foresee { version, way: question.way };
        self.sources.engine.ask(&request, move |answer| {
            if self.course.get_value().turn != question.turn {
                return;
            }
            let foreseen = match answer {
                Answer::Foreseen { foreseen } => foreseen,
                Answer::Moved(_)
                | Answer::Predicted(_)
                | Answer::Reported { .. }
                | Answer::Refused { .. } => None,
            };
            self.show(&question, &prediction, foreseen);
            self.rest(&question);
        });
    }

    fn show(self, question: &Question, prediction: &Prediction, foreseen: Option<Foreseen>) {
        let keeper = match self.sources.keeper.get_untracked() {
            Keeper::Argo { version, .. } => Keeper::Argo { version, foreseen },
            Keeper::OwnEngine => Keeper::OwnEngine,
        };
        let (estimates, now) = (self.sources.estimates.get_untracked(), self.sources.now.get_untracked());
        let preview = unwind_present::preview::preview(&question.study, prediction, &keeper, &estimates, now);
        self.shown.set(preview.map(Shared::new));
    }

    /// Lets the engine rest; what has moved until then is asked about afterwards.
    fn rest(self, question: &Question) {
        let (turn, way) = (question.turn, question.way);
        let took = (clock::now().millis() - question.begun).max(0).unsigned_abs();
        let go_on = move || {
            let course = self.course.get_value();
            if course.turn != turn {
                return;
            }
            self.course.update_value(|course| course.is_busy = false);
            if course.is_stale {
                self.ask(way);
            }
        };
        set_timeout(go_on, Duration::from_millis(took * (SHARE - 1)));
    }
}
