//! The engine's module: loaded when it is first asked for, one for the tab.

use leptos::prelude::*;
use leptos::task::spawn_local;
use unwind_engine::host::{Answer, Request};

use crate::data::engine::Engine as Module;

/// How far the module is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nobody has asked for it.
    Absent,
    /// It is on its way.
    Loading,
    /// It can be asked.
    Ready,
    /// It could not be loaded, or has failed.
    Failed {
        /// Why.
        message: String,
    },
}

/// The engine of this tab.
#[derive(Clone, Copy)]
pub struct Engine {
    /// How far it is.
    pub stage: RwSignal<Stage>,
    module: StoredValue<Option<Module>, LocalStorage>,
}

impl Engine {
    /// Nobody has asked for it yet.
    pub fn new() -> Self {
        Self { stage: RwSignal::new(Stage::Absent), module: StoredValue::new_local(None) }
    }

    /// Begins to load it, unless that was done already.
    pub fn want(self) {
        if self.stage.get_untracked() == Stage::Absent {
            self.load();
        }
    }

    /// Loads a fresh one.
    pub fn load(self) {
        self.stage.set(Stage::Loading);
        spawn_local(async move {
            match Module::load().await {
                Ok(module) => {
                    self.module.set_value(Some(module));
                    self.stage.set(Stage::Ready);
                }
                Err(message) => self.stage.set(Stage::Failed { message }),
            }
        });
    }

    /// Asks it and goes on with the answer, in the order of the requests; false when it is not there. One that
    /// fails is not asked again, and nobody goes on.
    pub fn ask(self, request: &Request, go_on: impl FnOnce(Answer) + 'static) -> bool {
        let Some(answer) = self.module.with_value(|module| module.as_ref().map(|module| module.ask(request)))
        else {
            return false;
        };
        let go_on: Box<dyn FnOnce(Answer)> = Box::new(go_on);
        spawn_local(async move {
            match answer.await {
                Ok(answer) => go_on(answer),
                Err(message) => {
                    self.module.set_value(None);
                    self.stage.set(Stage::Failed { message });
                }
            }
        });
        true
    }
}
