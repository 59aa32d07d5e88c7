//! What does not begin any more, and what a box waits for before it ends.
//!
//! The right order ends a box only when everything that began in it, exit hooks included, is over; a
//! shutdown then leaves no node behind. Argo rows answer every question here as they always have.

use std::sync::Arc;

use unwind_model::{NodePhase, NodeType};

use crate::behaviour::{DaemonEnd, FailFast, HookError, HookRoom, Passes, WorkNotBegun};

use crate::trace::shutdown_words;

use super::cluster::PodAct;
use super::pass::Pass;
use super::table::At;
use super::templates::Prepared;

impl Pass<'_> {
    /// Whether main work (or, with `on_exit`, work of an exit hook) may get new nodes.
    pub(crate) fn may_begin(&self, on_exit: bool) -> bool {
        match self.run.behaviour.work_not_begun {
            WorkNotBegun::BeginsToFail => true,
            WorkNotBegun::NeverBegins => self.may_execute(on_exit) && (on_exit || !self.is_past_deadline()),
        }
    }

    /// Whether what has come to its end stays as it is.
    pub(crate) fn moves_only_forward(&self) -> bool {
        match self.run.behaviour.passes {
            Passes::OnePerReconcile => false,
            Passes::UntilQuiet => true,
        }
    }

    /// Whether a box gets no further members.
    pub(crate) fn is_cut(&self, at: At, template: &Prepared, on_exit: bool) -> bool {
        let fails_fast = match self.run.behaviour.fail_fast {
            FailFast::WhenNoPodIsActive => false,
            FailFast::WhenItsInsidesAreOver => template.fail_fast && self.failed_children(at) > 0,
        };
        fails_fast || !self.may_begin(on_exit)
    }

    /// Message of a box that is cut without a member that failed.
    pub(crate) fn cut_text(&self) -> String {
        match self.shutdown() {
            Some(shutdown) => format!("Stopped with strategy '{}'", shutdown.as_str()),
            None if self.is_past_deadline() => "Step exceeded its deadline".to_owned(),
            None => "template has failed or errored children and failFast enabled".to_owned(),
        }
    }

    /// Message of a node that a shutdown ends before anything of it ran.
    pub(crate) fn refused_text(&self) -> Option<String> {
        let shutdown = self.shutdown()?;
        Some(format!("workflow shutdown with strategy: {}", shutdown.as_str()))
    }

    /// Whether a shutdown cut main work short, so that the workflow is no success whatever its root makes of that.
    pub(crate) fn is_cut_short(&self) -> bool {
        match self.run.behaviour.work_not_begun {
            WorkNotBegun::BeginsToFail => false,
            WorkNotBegun::NeverBegins => {
                self.shutdown().is_some()
                    && self.run.table.iter().any(|(at, node)| {
                        node.is_failed() && shutdown_words(&node.message).is_some() && !self.is_hook_work(at)
                    })
            }
        }
    }

    /// Whether a node is a hook or inside one.
    fn is_hook_work(&self, at: At) -> bool {
        let mut next = Some(at);
        while let Some(at) = next {
            if self.node(at).is_hooked() {
                return true;
            }
            next = self.node(at).boundary;
        }
        false
    }

    /// Whether the exit hook of one of these nodes ended Error and the box must show it.
    pub(crate) fn hook_erred(&self, owners: &[At]) -> Option<String> {
        match self.run.behaviour.hook_error {
            HookError::EndsStepsOnly => return None,
            HookError::MakesTheBoxError => {}
        }
        owners.iter().find_map(|owner| {
            let hooks = self.node(*owner).children.iter().map(|child| self.node(*child));
            let mut hooks = hooks.filter(|hook| hook.is_hooked() && hook.phase == NodePhase::Error);
            let hook = hooks
                .find(|hook| hook.kind == NodeType::Skipped || hook.name.as_str().ends_with(".onExit"))?;
            Some(format!("hook '{}' errored: {}", hook.name, hook.message))
        })
    }

    /// Whether a hook may begin although as many pods run as may.
    pub(crate) fn is_free_of_limits(&self, hooked: bool, on_exit: bool) -> bool {
        match self.run.behaviour.hook_room {
            HookRoom::Counts => false,
            HookRoom::AlwaysThere => hooked || on_exit,
        }
    }

    /// Whether daemons end before their box does.
    pub(crate) fn daemons_end_first(&self) -> bool {
        match self.run.behaviour.daemon_end {
            DaemonEnd::AfterItsBox => false,
            DaemonEnd::BeforeItsBox => true,
        }
    }

    /// A daemon has ended: its Retry node ends as it did. One that was up is not tried again.
    pub(crate) fn end_retried_daemon(&mut self, at: At) {
        let name = self.node(at).name.clone();
        let parent = name.as_str().rsplit_once('(').and_then(|(parent, _)| self.named(parent));
        if let Some(parent) = parent.filter(|parent| self.daemons_end_first() && self.node(*parent).daemoned)
        {
            self.run.table.get_mut(parent).daemoned = false;
            let (phase, message) = (self.node(at).phase, self.node(at).message.clone());
            self.mark_message(parent, phase, &message);
        }
    }

    /// Tells the daemons of a box to end; whether one of them, or a hook in it, has not ended.
    pub(crate) fn waits_for_daemons(&mut self, boundary: At) -> bool {
        if !self.daemons_end_first() {
            return false;
        }
        self.note();
        let mut waits = false;
        for at in self.daemons_of(Some(boundary)) {
            if self.node(at).kind != NodeType::Pod {
                continue;
            }
            let name = self.node(at).name.clone();
            let Some(pod) = self.run.cluster.pods.get_mut(&name) else { continue };
            waits = true;
            if !pod.is_ending {
                Arc::make_mut(pod).is_ending = true;
                self.acts.push(PodAct::Killed { node: name });
            }
        }
        waits
    }
}
