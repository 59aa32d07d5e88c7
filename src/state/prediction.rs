//! What the way that is previewed would do, by the engine, and again whenever the run has moved.

use std::time::Duration;

use leptos::prelude::*;
use unwind_engine::Way;
use unwind_engine::analysis::Foreseen;
use unwind_engine::host::{Answer, Request};
use unwind_model::Timestamp;
use unwind_present::estimate::Estimates;
use unwind_present::preview::{Keeper, Preview};
use unwind_present::study::Study;

use super::engine::{Engine, Stage};
use super::shown::Shared;
use crate::data::clock;
use crate::reactive::effect;

/// A run that moves fast is predicted anew in at most one of so many parts of the time.
const SHARE: i64 = 4;
/// By then the browser has painted.
const PAINTED: Duration = Duration::from_millis(50);

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

/// The last prediction.
#[derive(Clone, Copy, Default)]
struct Made {
    way: Option<Way>,
    /// When it was made.
    at: i64,
    /// How long that took, in ms.
    took: i64,
}

/// Follows what it is made from.
pub fn follow(sources: Sources) -> RwSignal<Option<Shared<Preview>>> {
    let shown = RwSignal::new(None::<Shared<Preview>>);
    let made = StoredValue::new(Made::default());
    let is_awaited = StoredValue::new(false);
    let renew = move || {
        let renewed = sources.renew(made.with_value(|made| made.way), shown);
        if let Some(renewed) = renewed {
            made.set_value(renewed);
        }
    };
    effect(move || {
        sources.study.track();
        sources.estimates.track();
        sources.keeper.track();
        let Some(way) = sources.way.get() else {
            made.set_value(Made::default());
            if shown.with_untracked(Option::is_some) {
                shown.set(None);
            }
            return;
        };
        if sources.engine.stage.get() != Stage::Ready {
            sources.engine.want();
            return;
        }
        let last = made.get_value();
        let rests = last.at + SHARE * last.took - clock::now().millis();
        if last.way != Some(way) {
            renew();
            if sources.keeper.get_untracked() != Keeper::OwnEngine {
                // The preview is there before the release is asked: that takes longer.
                set_timeout(renew, PAINTED);
            }
        } else if rests <= 0 {
            renew();
        } else if !is_awaited.get_value() {
            is_awaited.set_value(true);
            let again = move || {
                is_awaited.set_value(false);
                renew();
            };
            set_timeout(again, Duration::from_millis(rests.unsigned_abs()));
        }
    });
    shown
}

impl Sources {
    /// Predicts and shows; of a way that was shown before, what the release in use does as well.
    fn renew(self, last: Option<Way>, shown: RwSignal<Option<Shared<Preview>>>) -> Option<Made> {
        let (way, study) = (self.way.get_untracked()?, self.study.get_untracked()?);
        let begun = clock::now().millis();
        let foreseen = if last == Some(way) { self.foresee(&study, way) } else { None };
        shown.set(self.predict(&study, way, foreseen));
        let at = clock::now().millis();
        Some(Made { way: Some(way), at, took: at - begun })
    }

    /// What the release in use does; nothing where our own engine runs the workflow.
    fn foresee(self, study: &Study, way: Way) -> Option<Foreseen> {
        let Keeper::Argo { version: Some(version), .. } = self.keeper.get_untracked() else { return None };
        let workflow = Box::new(study.workflow.clone());
        match self.engine.ask(&Request::Foresee { workflow, version, way })? {
            Answer::Foreseen { foreseen } => foreseen,
            Answer::Moved(_) | Answer::Predicted(_) | Answer::Reported { .. } | Answer::Refused { .. } => {
                None
            }
        }
    }

    fn predict(self, study: &Study, way: Way, foreseen: Option<Foreseen>) -> Option<Shared<Preview>> {
        let request = Request::Predict { workflow: Box::new(study.workflow.clone()), way };
        let Answer::Predicted(prediction) = self.engine.ask(&request)? else { return None };
        let keeper = match self.keeper.get_untracked() {
            Keeper::Argo { version, .. } => Keeper::Argo { version, foreseen },
            Keeper::OwnEngine => Keeper::OwnEngine,
        };
        let (estimates, now) = (self.estimates.get_untracked(), self.now.get_untracked());
        unwind_present::preview::preview(study, &prediction, &keeper, &estimates, now).map(Shared::new)
    }
}
