//! Steps: groups one after the other, the members of a group at once.
//! Source: Argo `workflow/controller/steps.go`, `executeSteps`, `executeStepGroup`.

use std::collections::BTreeMap;
use std::sync::Arc;

use unwind_model::spec::Task;
use unwind_model::status::NodeFlag;
use unwind_model::{NodePhase, NodeType};

use crate::behaviour::{HookError, ItemHooks};
use crate::lang::when;

use super::dag::{goes_on, reference_of};
use super::fill::{self, Unresolved};
use super::hooks::Owner;
use super::nodes::Draft;
use super::pass::{Halt, Pass, Walk};
use super::scope::{Scope, output_names};
use super::table::At;
use super::template::{Around, Call};
use super::templates::{Holder, Prepared, Reference};

/// Steps that are being walked.
struct Steps<'a> {
    at: At,
    name: &'a str,
    template: &'a Arc<Prepared>,
    on_exit: bool,
    scope: Scope,
}

/// What a walk of a group leaves.
enum GroupWalk {
    /// Its node says how it stands.
    Known,
    /// What counts is how it stood before this pass marked it.
    AsRead(NodePhase, String),
    /// It is not over in this pass, whatever its node says.
    Open,
    /// It is in error, since an exit hook could not be made.
    HookRefused,
}

impl Steps<'_> {
    fn holder(&self) -> &Holder {
        &self.template.holder
    }
}

impl Pass<'_> {
    /// `Some`: a group whose hook could not be made; the walk goes on as if that were the node.
    pub(crate) fn execute_steps(&mut self, call: &Call<'_>, template: &Arc<Prepared>) -> Walk<Option<At>> {
        let at = match self.named(call.name) {
            Some(at) => at,
            None => self.add_executable(call, NodeType::Steps, NodePhase::Running, template, ""),
        };
        let mut scope = Scope::default();
        if let Some(outputs) = &self.run.state.outputs {
            output_names(&mut scope, "workflow", outputs);
        }
        let mut steps = Steps { at, name: call.name, template, on_exit: call.around.on_exit, scope };
        let walked = self.walk_steps(&mut steps);
        if self.node(at).is_fulfilled() {
            self.end_daemons(Some(at));
        }
        walked
    }

    fn walk_steps(&mut self, steps: &mut Steps<'_>) -> Walk<Option<At>> {
        let groups = steps.template.template.steps.clone().unwrap_or_default();
        for (number, group) in groups.iter().enumerate() {
            let name = format!("{}[{number}]", steps.name);
            if number > 0
                && self.named(&name).is_none()
                && self.is_cut(steps.at, steps.template, steps.on_exit)
            {
                let text = self.cut_text();
                return Ok(self.end_steps(steps, groups.len(), NodePhase::Failed, &text));
            }
            let at = self.open_group(steps, number, &name);
            let mut read = None;
            match self.execute_group(steps, at, &name, &group.0)? {
                GroupWalk::Known => {}
                GroupWalk::Open => return Ok(None),
                GroupWalk::HookRefused => return Ok(Some(at)),
                GroupWalk::AsRead(phase, text) => read = Some((phase, text)),
            }
            let (phase, message) =
                read.unwrap_or_else(|| (self.node(at).phase, self.node(at).message.clone()));
            if matches!(phase, NodePhase::Pending | NodePhase::Running) {
                return Ok(None);
            }
            if matches!(phase, NodePhase::Failed | NodePhase::Error) {
                let phase = match self.run.behaviour.hook_error {
                    HookError::EndsStepsOnly => NodePhase::Failed,
                    HookError::MakesTheBoxError => phase,
                };
                return Ok(self.end_steps(steps, groups.len(), phase, &message));
            }
            self.group_names(steps, &name, &group.0)?;
        }
        if self.waits_for_daemons(steps.at) {
            return Ok(None);
        }
        self.set_steps_outbound(steps, groups.len());
        let outputs = self.template_outputs(steps.template, &steps.scope).map_err(Halt::Error)?;
        if let Some(outputs) = outputs {
            self.outputs_to_globals(Some(&outputs));
            self.run.table.get_mut(steps.at).outputs = Some(Box::new(outputs));
            self.updated = true;
        }
        // An error would be written over with the end of the node.
        self.save_to_cache(steps.at).ok();
        self.mark(steps.at, NodePhase::Succeeded);
        Ok(None)
    }

    /// Ends steps badly, once their daemons are over.
    fn end_steps(&mut self, steps: &Steps<'_>, groups: usize, phase: NodePhase, message: &str) -> Option<At> {
        if self.waits_for_daemons(steps.at) {
            return None;
        }
        self.set_steps_outbound(steps, groups);
        self.mark_message(steps.at, phase, message);
        None
    }

    /// The node of a group, made and linked when it is not there yet.
    fn open_group(&mut self, steps: &Steps<'_>, number: usize, name: &str) -> At {
        let at = match self.named(name) {
            Some(at) => {
                if !self.node(at).is_fulfilled() {
                    self.mark(at, NodePhase::Running);
                }
                at
            }
            None => self.add(Draft {
                name,
                kind: NodeType::StepGroup,
                holder: steps.holder(),
                reference: &Reference::default(),
                boundary: Some(steps.at),
                phase: NodePhase::Running,
                flag: Some(NodeFlag::default()),
                message: String::new(),
                template: None,
            }),
        };
        let Some(before) =
            number.checked_sub(1).and_then(|before| self.named(&format!("{}[{before}]", steps.name)))
        else {
            self.add_child(steps.at, at);
            return at;
        };
        let children = self.node(before).children.clone();
        if children.is_empty() {
            self.add_child(before, at);
        }
        for child in children {
            for outbound in self.outbound_of(child) {
                self.add_child(outbound, at);
            }
        }
        at
    }

    /// Names of a group that is over.
    fn group_names(&mut self, steps: &mut Steps<'_>, group: &str, members: &[Task]) -> Walk {
        for member in members {
            let name = format!("{group}.{}", member.name);
            let prefix = format!("steps.{}", member.name);
            if let Some(node) = self.named(&name) {
                self.node_names(&mut steps.scope, &prefix, node);
                continue;
            }
            let start = format!("{name}(");
            let items: Vec<At> = self
                .run
                .table
                .iter()
                .filter(|(_, node)| node.boundary == Some(steps.at) && node.kind != NodeType::Skipped)
                .filter(|(_, node)| node.name.as_str().starts_with(&start))
                .map(|(at, _)| at)
                .filter(|at| is_item(self.node(*at).name.as_str(), &start))
                .collect();
            self.aggregate(&mut steps.scope, &prefix, &items).map_err(Halt::Error)?;
            // A loop shows the group that it is in.
            if let Some(node) = self.named(group) {
                self.node_names(&mut steps.scope, &prefix, node);
            }
        }
        Ok(())
    }

    fn set_steps_outbound(&mut self, steps: &Steps<'_>, groups: usize) {
        let last = (0..groups).rev().find_map(|number| self.named(&format!("{}[{number}]", steps.name)));
        let Some(last) = last else { return };
        let mut outbound = Vec::new();
        for child in self.node(last).children.clone() {
            outbound.extend(self.outbound_of(child));
        }
        self.run.table.get_mut(steps.at).outbound = outbound;
        self.updated = true;
    }

    fn execute_group(
        &mut self,
        steps: &mut Steps<'_>,
        at: At,
        name: &str,
        members: &[Task],
    ) -> Walk<GroupWalk> {
        if self.node(at).is_fulfilled() && self.children_fulfilled(at) && !self.owes_daemon_hook(at) {
            return Ok(GroupWalk::Known);
        }
        let members = match self.resolve_group(steps, members) {
            Ok(members) => members,
            Err(Unresolved::Waits) => return Ok(GroupWalk::Open),
            Err(Unresolved::Never(text)) => {
                self.mark_error(at, &format!("failed to resolve references: {text}"));
                return Ok(GroupWalk::Known);
            }
        };
        let members = match self.expand_group(steps, at, name, members) {
            Ok(members) => members,
            Err(text) => {
                self.mark_error(at, &text);
                return Ok(GroupWalk::Known);
            }
        };
        let mut by_node = BTreeMap::new();
        for member in &members {
            let node_name = format!("{name}.{}", member.name);
            if !self.execute_member(steps, at, &node_name, member)? {
                return Ok(GroupWalk::Known);
            }
            if let Some(node) = self.named(&node_name)
                && self.node(node).kind != NodeType::Skipped
            {
                by_node.insert(node, member.clone());
                self.add_child(at, node);
            }
        }
        Ok(self.end_group_pass(steps, at, &by_node, members.len()))
    }

    /// Executes one member. `false`: the group is in error, or the pass ends here.
    fn execute_member(&mut self, steps: &Steps<'_>, group: At, name: &str, member: &Task) -> Walk<bool> {
        if self.named(name).is_none() && self.is_cut(steps.at, steps.template, steps.on_exit) {
            return Ok(true);
        }
        match when::should_execute(&member.when).map_err(|error| error.to_string()) {
            Ok(true) => {}
            Ok(false) => {
                if self.named(name).is_none() {
                    let reason = format!("when '{}' evaluated false", member.when);
                    self.add_member(steps, group, name, member, NodePhase::Skipped, &reason);
                }
                return Ok(true);
            }
            Err(text) => {
                if self.named(name).is_none() {
                    self.add_member(steps, group, name, member, NodePhase::Error, &text);
                }
                self.mark_error(group, &text);
                return Ok(false);
            }
        }
        let mut reference = reference_of(member).map_err(Halt::Error)?;
        reference.caller = Some(("steps.name", member.name.clone()));
        let walked = self.execute_template(&Call {
            name,
            reference: &reference,
            holder: steps.holder(),
            arguments: &member.arguments,
            around: Around::inside(steps.at, steps.on_exit),
        });
        match walked {
            // What is nested too deeply is refused already, and fails the group as any member does.
            Ok(_) | Err(Halt::Parallelism | Halt::Depth) => Ok(true),
            Err(Halt::Timeout) => {
                if let Some(node) = self.named(name) {
                    self.mark_message(node, NodePhase::Failed, &Halt::Timeout.text());
                }
                if self.run.behaviour.item_hooks == ItemHooks::Together {
                    return Ok(true);
                }
                self.mark_message(group, NodePhase::Failed, &Halt::Timeout.text());
                Ok(false)
            }
            Err(Halt::Error(text)) => {
                if let Some(node) = self.named(name) {
                    self.add_child(group, node);
                    if self.run.behaviour.item_hooks == ItemHooks::Together {
                        return Ok(true);
                    }
                }
                let text = format!("step group deemed errored due to child {name} error: {text}");
                self.mark_error(group, &text);
                Ok(false)
            }
        }
    }

    fn add_member(
        &mut self,
        steps: &Steps<'_>,
        group: At,
        name: &str,
        member: &Task,
        phase: NodePhase,
        message: &str,
    ) {
        let reference = reference_of(member).unwrap_or_default();
        let node = self.add(Draft {
            name,
            kind: NodeType::Skipped,
            holder: steps.holder(),
            reference: &reference,
            boundary: Some(steps.at),
            phase,
            flag: Some(NodeFlag::default()),
            message: message.to_owned(),
            template: None,
        });
        self.add_child(group, node);
    }

    /// Hooks of all members; then, when everything is over, the phase of the group.
    fn end_group_pass(
        &mut self,
        steps: &mut Steps<'_>,
        at: At,
        by_node: &BTreeMap<At, Task>,
        members: usize,
    ) -> GroupWalk {
        // Argo returns the node as it was read here, so what is marked below is seen in the next pass.
        let stale = if self.node(at).is_fulfilled() {
            GroupWalk::AsRead(self.node(at).phase, self.node(at).message.clone())
        } else {
            GroupWalk::Open
        };
        let mut is_over = true;
        for child in self.node(at).children.clone() {
            if !self.node(child).exists {
                is_over = false;
                continue;
            }
            let status = format!("steps.{}.status", self.node(child).display_name);
            steps.scope.set(status, self.node(child).phase.as_str());
            let nothing = Task::default();
            let member = by_node.get(&child).unwrap_or(&nothing);
            let owner = Owner::step(member, child, steps.at, &steps.template.holder);
            match self.named_hooks(&owner, &steps.scope) {
                Ok(true) => {}
                Ok(false) => return stale,
                Err(halt) => {
                    self.mark_error(at, &halt.text());
                    return stale;
                }
            }
            if !self.node(child).is_fulfilled() {
                is_over = false;
            } else if self.node(child).is_completed() {
                match self.exit_hook(&owner, &steps.scope) {
                    Ok(hook) => is_over &= self.is_hook_over(hook),
                    Err(halt) => {
                        self.mark_error(at, &halt.text());
                        return GroupWalk::HookRefused;
                    }
                }
            }
        }
        if !is_over {
            return GroupWalk::Known;
        }
        let children = self.node(at).children.clone();
        if let Some(text) = self.hook_erred(&children) {
            self.mark_message(at, NodePhase::Error, &text);
            return GroupWalk::Known;
        }
        for child in self.node(at).children.clone() {
            let (phase, id) = (self.node(child).phase, self.node(child).id.clone());
            let goes_on = by_node.get(&child).is_some_and(|member| goes_on(member, phase));
            if self.node(child).is_failed() && !goes_on {
                self.mark_message(at, NodePhase::Failed, &format!("child '{id}' failed"));
                return GroupWalk::Known;
            }
        }
        if self.is_cut(steps.at, steps.template, steps.on_exit) && self.node(at).children.len() < members {
            let text = self.cut_text();
            self.mark_message(at, NodePhase::Failed, &text);
            return GroupWalk::Known;
        }
        self.mark(at, NodePhase::Succeeded);
        GroupWalk::Known
    }

    /// Members with their tags filled in.
    /// Source: Argo `steps.go`, `resolveReferences`.
    fn resolve_group(&self, steps: &Steps<'_>, members: &[Task]) -> Result<Vec<Task>, Unresolved> {
        members.iter().map(|member| self.resolve(member, &steps.scope)).collect()
    }

    fn expand_group(
        &mut self,
        steps: &Steps<'_>,
        at: At,
        name: &str,
        members: Vec<Task>,
    ) -> Result<Vec<Task>, String> {
        let mut expanded = Vec::new();
        for member in members {
            if !fill::is_loop(&member) {
                expanded.push(member);
                continue;
            }
            let items = fill::expand(&member, &steps.scope.over(&self.globals))?;
            let node_name = format!("{name}.{}", member.name);
            if items.is_empty() && self.named(&node_name).is_none() {
                self.add_member(steps, at, &node_name, &member, NodePhase::Skipped, "Skipped, empty params");
            }
            expanded.extend(items);
        }
        Ok(expanded)
    }
}

/// Whether a name that starts like an item's is one, and not something below one.
fn is_item(name: &str, start: &str) -> bool {
    name.strip_prefix(start).is_some_and(|rest| rest.ends_with(')') && rest.matches(")(").count() == 0)
}
