//! Hooks of tasks, steps and the workflow: when they begin, and whether they are over.
//! Source: Argo `workflow/controller/hooks.go`, `exit_handler.go`.

use unwind_model::hooks::{EXIT, LifecycleHook, LifecycleHooks};
use unwind_model::params::{Arguments, Outputs};
use unwind_model::spec::Task;
use unwind_model::{NodePhase, NodeType};

use crate::behaviour::{HookError, HooksOfSkipped, HooksUnderTerminate, NamedHooksFirst};

use super::dag::Dag;
use super::fill::{self, Lost};
use super::pass::{Halt, Pass, Walk};
use super::scope::{Scope, Seen};
use super::table::At;
use super::template::{Around, Call};
use super::templates::{Holder, Reference};

/// A node with the hooks of its task or step.
pub(crate) struct Owner<'a> {
    pub(crate) node: At,
    pub(crate) boundary: At,
    pub(crate) holder: Holder,
    pub(crate) hooks: &'a LifecycleHooks,
    pub(crate) on_exit: &'a str,
    /// `tasks.<name>` or `steps.<name>`.
    pub(crate) prefix: String,
    /// Whether it is an item of a DAG's loop: named hooks are its group's.
    pub(crate) is_item: bool,
}

/// What became of an exit hook in a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ExitHook {
    /// There is none, or it is not due.
    NotDue,
    /// It is due but has no node yet.
    Waits,
    /// Its node.
    Node(At),
}

/// A hook that is to run.
pub(crate) struct Hook {
    pub(crate) reference: Reference,
    pub(crate) arguments: Arguments,
    pub(crate) expression: String,
}

impl<'a> Owner<'a> {
    pub(crate) fn task(task: &'a Task, node: At, dag: &Dag) -> Self {
        Self::of(task, node, dag.at, dag.holder().clone(), ["tasks.", &task.name].concat())
    }

    pub(crate) fn step(step: &'a Task, node: At, boundary: At, holder: &Holder) -> Self {
        Self::of(step, node, boundary, holder.clone(), ["steps.", &step.name].concat())
    }

    fn of(task: &'a Task, node: At, boundary: At, holder: Holder, prefix: String) -> Self {
        Self { node, boundary, holder, hooks: &task.hooks, on_exit: &task.on_exit, prefix, is_item: false }
    }
}

impl Pass<'_> {
    /// Runs the named hooks that are triggered; whether all of them are over.
    /// Source: Argo `hooks.go`, `executeTmplLifeCycleHook`.
    pub(crate) fn named_hooks(&mut self, owner: &Owner<'_>, scope: &Scope) -> Walk<bool> {
        let mut all_over = true;
        if self.is_spared(owner.node) {
            return Ok(true);
        }
        for (name, hook) in owner.hooks.iter() {
            if name == EXIT {
                continue;
            }
            let hook = hook.map_err(|error| Halt::Error(error.to_string()))?;
            let owner_name = self.node(owner.node).name.clone();
            let node_name = format!("{owner_name}.hooks.{name}");
            let expression = hook.expression.clone().unwrap_or_default();
            if self.is_refused(&node_name) {
                continue;
            }
            let triggered = if expression.is_empty() {
                Err(format!("Expression required for hook {node_name}"))
            } else {
                fill::holds(&expression, &scope.over(&self.globals))
            };
            let triggered = match triggered {
                Ok(triggered) => triggered,
                Err(text) => {
                    self.refuse_hook(owner, &node_name, &hook, &text)?;
                    continue;
                }
            };
            if self.named(&node_name).is_none() && (!triggered || !self.may_begin(false)) {
                continue;
            }
            let outputs = self.outputs_seen(owner.node);
            // Without outputs the arguments stay as they are written.
            let arguments = match &outputs {
                Some(outputs) => self.hook_arguments(&hook.arguments, owner, Some(outputs), scope)?,
                None => hook.arguments.clone(),
            };
            let node = match self.run_hook(owner, &node_name, &reference_of(&hook)?, &arguments, false) {
                Ok(node) => node,
                Err(Halt::Error(_)) if self.is_refused(&node_name) => continue,
                Err(Halt::Error(_) | Halt::Timeout | Halt::Depth) if self.is_hook_spent(&node_name) => {
                    continue;
                }
                Err(halt) => return Err(halt),
            };
            all_over &= node.is_some_and(|node| self.node(node).is_fulfilled());
        }
        Ok(all_over)
    }

    /// Whether a node did not run and so has no hooks.
    fn is_spared(&self, node: At) -> bool {
        match self.run.behaviour.hooks_of_skipped {
            HooksOfSkipped::Run => false,
            HooksOfSkipped::NeverRun => {
                matches!(self.node(node).phase, NodePhase::Skipped | NodePhase::Omitted)
            }
        }
    }

    /// Whether a hook could not be made, and its node says so.
    fn is_refused(&self, name: &str) -> bool {
        match self.run.behaviour.hook_error {
            HookError::EndsStepsOnly => false,
            HookError::MakesTheBoxError => self.named(name).is_some_and(|node| {
                self.node(node).kind == NodeType::Skipped && self.node(node).phase == NodePhase::Error
            }),
        }
    }

    /// Whether a hook that went wrong is over, so that its owner goes on.
    fn is_hook_spent(&self, name: &str) -> bool {
        self.moves_only_forward() && self.named(name).is_some_and(|node| self.node(node).is_fulfilled())
    }

    /// A hook that cannot be made gets a node that says why; elsewhere that is an error of the walk.
    fn refuse_hook(&mut self, owner: &Owner<'_>, name: &str, hook: &LifecycleHook, text: &str) -> Walk {
        match self.run.behaviour.hook_error {
            HookError::EndsStepsOnly => return Err(Halt::Error(text.to_owned())),
            HookError::MakesTheBoxError => {}
        }
        let reference = reference_of(hook)?;
        let node = self.add_refused(
            &Call {
                name,
                reference: &reference,
                holder: &owner.holder,
                arguments: &hook.arguments,
                around: Around::hook(Some(owner.boundary), self.node(owner.node).place, false),
            },
            text,
        );
        self.add_child(owner.node, node);
        Ok(())
    }

    /// Begins or follows the exit hook of a node that ran.
    /// Source: Argo `exit_handler.go`, `runOnExitNode`.
    pub(crate) fn exit_hook(&mut self, owner: &Owner<'_>, scope: &Scope) -> Walk<ExitHook> {
        let hook = exit_hook_of(owner.hooks, owner.on_exit, &self.spec.arguments)?;
        let name = [self.node(owner.node).name.as_str(), ".onExit"].concat();
        let follows = self.follows_hook(&name);
        let is_due = (self.may_execute(true) || follows) && !self.node(owner.node).never_began;
        if is_due && !owner.is_item && self.waits_for_named_hooks(owner, scope)? {
            return Ok(ExitHook::Waits);
        }
        let Some(hook) = hook.filter(|_| is_due) else { return Ok(ExitHook::NotDue) };
        if !hook.expression.is_empty() {
            match fill::holds(&hook.expression, &scope.over(&self.globals)) {
                Ok(true) => {}
                Ok(false) => return Ok(ExitHook::NotDue),
                Err(text) => {
                    if !self.is_refused(&name) {
                        let declared = LifecycleHook {
                            template: hook.reference.template.clone(),
                            ..LifecycleHook::default()
                        };
                        self.refuse_hook(owner, &name, &declared, &text)?;
                    }
                    return Ok(self.named(&name).map_or(ExitHook::Waits, ExitHook::Node));
                }
            }
        }
        let outputs = self.outputs_seen(owner.node);
        let arguments = self.hook_arguments(&hook.arguments, owner, outputs.as_ref(), scope)?;
        let walked = self.run_hook(owner, &name, &hook.reference, &arguments, true);
        match (walked, self.run.behaviour.hook_error) {
            (Ok(node), _) => Ok(node.map_or(ExitHook::Waits, ExitHook::Node)),
            (Err(Halt::Error(_) | Halt::Timeout | Halt::Depth), HookError::MakesTheBoxError)
                if self.named(&name).is_some() =>
            {
                Ok(self.named(&name).map_or(ExitHook::Waits, ExitHook::Node))
            }
            (Err(halt), HookError::MakesTheBoxError | HookError::EndsStepsOnly) => Err(halt),
        }
    }

    /// Whether an exit hook that may not begin any more is walked on.
    fn follows_hook(&self, name: &str) -> bool {
        match self.run.behaviour.hooks_under_terminate {
            HooksUnderTerminate::AreLeftBehind => false,
            HooksUnderTerminate::AreFollowed => self.named(name).is_some(),
        }
    }

    /// Whether the named hooks of an owner come before its exit hook and are not over.
    fn waits_for_named_hooks(&mut self, owner: &Owner<'_>, scope: &Scope) -> Walk<bool> {
        match self.run.behaviour.named_hooks_first {
            NamedHooksFirst::WhenSeen => Ok(false),
            NamedHooksFirst::Always => Ok(!self.named_hooks(owner, scope)?),
        }
    }

    /// Whether nothing has to wait for an exit hook.
    pub(crate) fn is_hook_over(&self, hook: ExitHook) -> bool {
        match hook {
            ExitHook::NotDue => true,
            ExitHook::Waits => false,
            ExitHook::Node(node) => self.node(node).is_fulfilled(),
        }
    }

    fn run_hook(
        &mut self,
        owner: &Owner<'_>,
        name: &str,
        reference: &Reference,
        arguments: &Arguments,
        on_exit: bool,
    ) -> Walk<Option<At>> {
        let walked = self.execute_template(&Call {
            name,
            reference,
            holder: &owner.holder,
            arguments,
            around: Around::hook(Some(owner.boundary), self.node(owner.node).place, on_exit),
        });
        if walked.is_ok() || on_exit {
            let node = self.run.reserve(name);
            self.add_child(owner.node, node);
        }
        walked
    }

    /// Outputs that a hook's arguments see of its owner: those of the last attempt of a Retry.
    fn outputs_seen(&self, node: At) -> Option<Outputs> {
        let of = self.shown_attempt(node).unwrap_or(node);
        self.node(of).outputs.as_deref().cloned()
    }

    /// Arguments with tags filled in. Those that nobody can fill in stay as they are.
    /// Source: Argo `exit_handler.go`, `resolveExitTmplArgument`.
    fn hook_arguments(
        &self,
        arguments: &Arguments,
        owner: &Owner<'_>,
        outputs: Option<&Outputs>,
        scope: &Scope,
    ) -> Walk<Arguments> {
        if arguments.is_empty() {
            return Ok(arguments.clone());
        }
        let mut seen = scope.clone();
        if let Some(outputs) = outputs {
            for parameter in &outputs.parameters {
                if let Some(value) = &parameter.value {
                    seen.set(format!("{}.outputs.parameters.{}", owner.prefix, parameter.name), value);
                }
            }
            seen.add_artifacts(&owner.prefix, outputs);
        }
        let filled = fill::fill_arguments(arguments, &seen, &self.globals).map_err(Halt::Error)?;
        fill::artifacts(filled, &seen, Lost::Hook).map_err(Halt::Error)
    }

    /// The same for a hook of the workflow.
    fn refuse_workflow_hook(&mut self, root: At, name: &str, hook: &LifecycleHook, text: &str) -> Walk {
        match self.run.behaviour.hook_error {
            HookError::EndsStepsOnly => return Err(Halt::Error(text.to_owned())),
            HookError::MakesTheBoxError => {}
        }
        let reference = reference_of(hook)?;
        let (holder, around) = (&Holder::Workflow, Around::hook(None, None, false));
        let call = Call { name, reference: &reference, holder, arguments: &hook.arguments, around };
        let node = self.add_refused(&call, text);
        self.add_child(root, node);
        Ok(())
    }

    /// Named hooks of the workflow; whether all triggered ones are over.
    /// Source: Argo `hooks.go`, `executeWfLifeCycleHook`.
    pub(crate) fn workflow_hooks(&mut self, root: At) -> Walk<bool> {
        let spec = std::sync::Arc::clone(&self.spec);
        let mut all_over = true;
        for (name, hook) in spec.hooks.iter() {
            if name == EXIT {
                continue;
            }
            let hook = hook.map_err(|error| Halt::Error(error.to_string()))?;
            let node_name = format!("{}.hooks.{name}", self.run.workflow.metadata.name);
            let expression = hook.expression.clone().unwrap_or_default();
            if self.is_refused(&node_name) {
                continue;
            }
            let names = Seen { over: &Scope::default(), under: &self.globals };
            let triggered = if expression.is_empty() {
                Err(format!("Expression required for hook {node_name}"))
            } else {
                fill::holds(&expression, &names)
            };
            let triggered = match triggered {
                Ok(triggered) => triggered,
                Err(text) => {
                    self.refuse_workflow_hook(root, &node_name, &hook, &text)?;
                    continue;
                }
            };
            if self.named(&node_name).is_none() && (!triggered || !self.may_begin(false)) {
                continue;
            }
            let walked = self.execute_template(&Call {
                name: &node_name,
                reference: &reference_of(&hook)?,
                holder: &Holder::Workflow,
                arguments: &hook.arguments,
                around: Around::hook(None, None, false),
            });
            let walked = match walked {
                Ok(walked) => walked,
                Err(Halt::Error(_) | Halt::Timeout | Halt::Depth) if self.is_hook_spent(&node_name) => {
                    self.named(&node_name)
                }
                Err(halt) => return Err(halt),
            };
            let reserved = self.run.reserve(&node_name);
            self.add_child(root, reserved);
            all_over &= walked.is_some_and(|node| self.node(node).is_fulfilled());
        }
        Ok(all_over)
    }

    /// The workflow's own exit hook. Its `expression` is not looked at.
    pub(crate) fn workflow_exit_hook(&self) -> Option<Hook> {
        exit_hook_of(&self.spec.hooks, &self.spec.on_exit, &self.spec.arguments).ok().flatten()
    }
}

/// `onExit` beats `hooks.exit`; without arguments of its own it gets the workflow's.
/// Source: Argo `workflow_types.go`, `GetExitHook`, `WithArgs`.
fn exit_hook_of(hooks: &LifecycleHooks, on_exit: &str, arguments: &Arguments) -> Walk<Option<Hook>> {
    if !on_exit.is_empty() {
        let reference = Reference { template: on_exit.to_owned(), ..Reference::default() };
        return Ok(Some(Hook { reference, arguments: arguments.clone(), expression: String::new() }));
    }
    let Some((_, hook)) = hooks.iter().find(|(name, _)| *name == EXIT) else { return Ok(None) };
    let hook = hook.map_err(|error| Halt::Error(error.to_string()))?;
    let own = hook.arguments.clone();
    Ok(Some(Hook {
        reference: reference_of(&hook)?,
        arguments: if own.is_empty() { arguments.clone() } else { own },
        expression: hook.expression.unwrap_or_default(),
    }))
}

fn reference_of(hook: &LifecycleHook) -> Walk<Reference> {
    Ok(Reference {
        template: hook.template.clone(),
        template_ref: hook.template_ref().map_err(|error| Halt::Error(error.to_string()))?,
        inline: None,
        caller: None,
    })
}
