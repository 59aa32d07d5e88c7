//! What the way that is previewed would do, by the engine, and again whenever the run has moved.

use std::time::Duration;

use leptos::prelude::*;
use unwind_engine::Way;
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
    let prediction = RwSignal::new(None::<Shared<Preview>>);
    let made = StoredValue::new(Made::default());
    let is_awaited = StoredValue::new(false);
    let renew = move || {
        let begun = clock::now().millis();
        prediction.set(sources.predict());
        let at = clock::now().millis();
        made.set_value(Made { way: sources.way.get_untracked(), at, took: at - begun });
    };
    effect(move || {
        sources.study.track();
        sources.estimates.track();
        sources.keeper.track();
        let Some(way) = sources.way.get() else {
            if prediction.with_untracked(Option::is_some) {
                prediction.set(None);
            }
            return;
        };
        if sources.engine.stage.get() != Stage::Ready {
            sources.engine.want();
            return;
        }
        let last = made.get_value();
        let rests = last.at + SHARE * last.took - clock::now().millis();
        if last.way != Some(way) || rests <= 0 || prediction.with_untracked(Option::is_none) {
            renew();
        } else if !is_awaited.get_value() {
            is_awaited.set_value(true);
            let again = move || {
                is_awaited.set_value(false);
                if sources.way.get_untracked().is_some() {
                    renew();
                }
            };
            set_timeout(again, Duration::from_millis(rests.unsigned_abs()));
        }
    });
    prediction
}

impl Sources {
    /// Who will carry it out, with what a release is foreseen to do.
    fn keeper(self, study: &Study, way: Way) -> Keeper {
        let Keeper::Argo { version: Some(version), .. } = self.keeper.get_untracked() else {
            return self.keeper.get_untracked();
        };
        let workflow = Box::new(study.workflow.clone());
        let request = Request::Foresee { workflow, version: version.clone(), way };
        let foreseen = match self.engine.ask(&request) {
            Some(Answer::Foreseen { foreseen }) => foreseen,
            Some(
                Answer::Moved(_) | Answer::Predicted(_) | Answer::Reported { .. } | Answer::Refused { .. },
            )
            | None => None,
        };
        Keeper::Argo { version: Some(version), foreseen }
    }

    fn predict(self) -> Option<Shared<Preview>> {
        let way = self.way.get_untracked()?;
        let study = self.study.get_untracked()?;
        let request = Request::Predict { workflow: Box::new(study.workflow.clone()), way };
        let Answer::Predicted(prediction) = self.engine.ask(&request)? else { return None };
        let (keeper, estimates) = (self.keeper(&study, way), self.estimates.get_untracked());
        let now = self.now.get_untracked();
        unwind_present::preview::preview(&study, &prediction, &keeper, &estimates, now).map(Shared::new)
    }
}
