//! Steps: groups one after the other, the members of a group at once.
//! Source: Argo `workflow/controller/steps.go`, `executeSteps`, `executeStepGroup`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unwind_model::spec::Task;
use unwind_model::status::NodeFlag;
use unwind_model::{NodePhase, NodeType};

use crate::behaviour::{HookError, ItemHooks};
use crate::lang::when;

use super::dag::{goes_on, reference_of};
use super::fill::{self, Lost, Unresolved};
use super::hooks::Owner;
use super::nodes::Draft;
use super::pass::{Halt, Pass, Walk};
use super::scope::{Scope, output_names};
use super::table::{At, Node, Place};
use super::template::{Around, Call};
use super::templates::{Holder, Prepared, Reference};

/// Steps that are being walked.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    pub(crate) at: At,
    pub(crate) name: String,
    pub(crate) template: Arc<Prepared>,
    pub(crate) on_exit: bool,
    pub(crate) scope: Scope,
    /// Names of the steps that somebody asks about; `None`: all.
    pub(crate) asked: Option<BTreeSet<String>>,
}

/// How a group ends because of one of its members.
pub(crate) type Refusal = (NodePhase, String);

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

impl Steps {
    pub(crate) fn group_name(&self, number: usize) -> String {
        format!("{}[{number}]", self.name)
    }

    pub(crate) fn holder(&self) -> &Holder {
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
        let mut steps = self.steps_of(at, call, template);
        let walked = self.walk_steps(&mut steps);
        if self.node(at).is_fulfilled() {
            self.end_daemons(Some(at));
        }
        walked
    }

    /// Steps with what is in scope before their first group.
    pub(crate) fn steps_of(&self, at: At, call: &Call<'_>, template: &Arc<Prepared>) -> Steps {
        let mut scope = Scope::of(template);
        if let Some(outputs) = &self.run.state.outputs {
            output_names(&mut scope, "workflow", outputs);
        }
        let mut asked = None;
        if self.walks_touched() {
            let found = template.asked_by_steps();
            asked = (!found.all).then(|| found.names.into_iter().collect());
        }
        let (name, template) = (call.name.to_owned(), Arc::clone(template));
        Steps { at, name, template, on_exit: call.around.on_exit, scope, asked }
    }

    fn walk_steps(&mut self, steps: &mut Steps) -> Walk<Option<At>> {
        let groups = steps.template.template.steps.clone().unwrap_or_default();
        for (number, group) in groups.iter().enumerate() {
            let name = steps.group_name(number);
            if number > 0
                && self.named(&name).is_none()
                && self.is_cut(steps.at, &steps.template, steps.on_exit)
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
        self.succeed_steps(steps, groups.len())?;
        Ok(None)
    }

    /// Ends steps well, once their daemons are over.
    pub(crate) fn succeed_steps(&mut self, steps: &Steps, groups: usize) -> Walk {
        if self.waits_for_daemons(steps.at) {
            return Ok(());
        }
        self.set_steps_outbound(steps, groups);
        let outputs = self.template_outputs(&steps.template, &steps.scope).map_err(Halt::Error)?;
        if let Some(outputs) = outputs {
            self.outputs_to_globals(Some(&outputs));
            self.run.table.get_mut(steps.at).outputs = Some(Arc::new(outputs));
            self.updated = true;
        }
        // An error would be written over with the end of the node.
        self.save_to_cache(steps.at).ok();
        self.mark(steps.at, NodePhase::Succeeded);
        Ok(())
    }

    /// Ends steps badly, once their daemons are over.
    pub(crate) fn end_steps(
        &mut self,
        steps: &Steps,
        groups: usize,
        phase: NodePhase,
        message: &str,
    ) -> Option<At> {
        if self.waits_for_daemons(steps.at) {
            return None;
        }
        self.set_steps_outbound(steps, groups);
        self.mark_message(steps.at, phase, message);
        None
    }

    /// The node of a group, made and linked when it is not there yet.
    pub(crate) fn open_group(&mut self, steps: &Steps, number: usize, name: &str) -> At {
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
                place: None,
                within: None,
                phase: NodePhase::Running,
                flag: Some(NodeFlag::default()),
                message: String::new(),
                template: None,
            }),
        };
        let Some(before) = number.checked_sub(1).and_then(|before| self.named(&steps.group_name(before)))
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
    pub(crate) fn group_names(&mut self, steps: &mut Steps, group: &str, members: &[Task]) -> Walk {
        for member in members {
            let name = format!("{group}.{}", member.name);
            let prefix = format!("steps.{}", member.name);
            if steps.asked.as_ref().is_some_and(|asked| !asked.contains(&member.name)) {
                continue;
            }
            if let Some(node) = self.named(&name) {
                self.node_names(&mut steps.scope, &prefix, node);
                continue;
            }
            let start = format!("{name}(");
            let children = self.named(group).map(|at| self.node(at).children.clone()).unwrap_or_default();
            let is_item = |at: &At| {
                let node = self.node(*at);
                node.exists && node.kind != NodeType::Skipped && is_item(node.name.as_str(), &start)
            };
            let items: Vec<At> = children.into_iter().filter(is_item).collect();
            self.aggregate(&mut steps.scope, &prefix, &items).map_err(Halt::Error)?;
            // A loop shows the group that it is in.
            if let Some(node) = self.named(group) {
                self.node_names(&mut steps.scope, &prefix, node);
            }
        }
        Ok(())
    }

    fn set_steps_outbound(&mut self, steps: &Steps, groups: usize) {
        let last = (0..groups).rev().find_map(|number| self.named(&steps.group_name(number)));
        let Some(last) = last else { return };
        let mut outbound = Vec::new();
        for child in self.node(last).children.clone() {
            outbound.extend(self.outbound_of(child));
        }
        self.run.table.get_mut(steps.at).outbound = outbound;
        self.updated = true;
    }

    fn execute_group(&mut self, steps: &mut Steps, at: At, name: &str, members: &[Task]) -> Walk<GroupWalk> {
        if self.node(at).is_fulfilled() && self.children_fulfilled(at) {
            return Ok(GroupWalk::Known);
        }
        let members = match self.resolve_group(steps, members) {
            Ok(members) => members,
            Err(Unresolved::Waits) => return Ok(GroupWalk::Open),
            Err(Unresolved::Never(text)) => {
                self.mark_error(at, &format!("{}{text}", self.run.behaviour.reference_text.prefix()));
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
            if let Some((phase, text)) =
                self.execute_member(steps, (at, Place::task(0)), &node_name, member)?
            {
                self.mark_message(at, phase, &text);
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

    /// Executes one member. `Some`: the group ends with it.
    pub(crate) fn execute_member(
        &mut self,
        steps: &Steps,
        (group, place): (At, Place),
        name: &str,
        member: &Task,
    ) -> Walk<Option<Refusal>> {
        if self.named(name).is_none() && self.is_cut(steps.at, &steps.template, steps.on_exit) {
            return Ok(None);
        }
        match when::should_execute(&member.when).map_err(|error| error.to_string()) {
            Ok(true) => {}
            Ok(false) => {
                if self.named(name).is_none() {
                    let reason = format!("when '{}' evaluated false", member.when);
                    self.add_member(steps, (group, place), name, member, NodePhase::Skipped, &reason);
                }
                return Ok(None);
            }
            Err(text) => {
                if self.named(name).is_none() {
                    self.add_member(steps, (group, place), name, member, NodePhase::Error, &text);
                }
                return Ok(Some((NodePhase::Error, text)));
            }
        }
        let mut reference = reference_of(member).map_err(Halt::Error)?;
        reference.caller = Some(("steps.name", member.name.clone()));
        let walked = self.execute_template(&Call {
            name,
            reference: &reference,
            holder: steps.holder(),
            arguments: &member.arguments,
            around: Around::member(steps.at, place, Some(group), steps.on_exit),
        });
        match walked {
            // What is nested too deeply is refused already, and fails the group as any member does.
            Ok(_) | Err(Halt::Parallelism | Halt::Depth) => Ok(None),
            Err(Halt::Timeout) => {
                if let Some(node) = self.named(name) {
                    self.mark_message(node, NodePhase::Failed, &Halt::Timeout.text());
                }
                if self.run.behaviour.item_hooks == ItemHooks::Together {
                    return Ok(None);
                }
                Ok(Some((NodePhase::Failed, Halt::Timeout.text())))
            }
            Err(Halt::Error(text)) => {
                if let Some(node) = self.named(name) {
                    self.add_child(group, node);
                    if self.run.behaviour.item_hooks == ItemHooks::Together {
                        return Ok(None);
                    }
                }
                let text = format!("step group deemed errored due to child {name} error: {text}");
                Ok(Some((NodePhase::Error, text)))
            }
        }
    }

    pub(crate) fn add_member(
        &mut self,
        steps: &Steps,
        (group, place): (At, Place),
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
            place: Some(place),
            within: Some(group),
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
        steps: &mut Steps,
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
            let status = format!("steps.{}.status", self.node(child).display_name());
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
            // One that was taken for over goes on.
            if matches!(stale, GroupWalk::AsRead(..)) {
                self.mark(at, NodePhase::Running);
            }
            return GroupWalk::Known;
        }
        let goes_on =
            |child: At, node: &Node| by_node.get(&child).is_some_and(|member| goes_on(member, node.phase));
        self.end_step_group(steps, at, &goes_on, members);
        GroupWalk::Known
    }

    /// The phase of a group in which everything is over. `goes_on`: whether a member's bad end is taken for a
    /// good one; `members`: how many it was to have.
    pub(crate) fn end_step_group(
        &mut self,
        steps: &Steps,
        at: At,
        goes_on: &dyn Fn(At, &Node) -> bool,
        members: usize,
    ) {
        let children = self.node(at).children.clone();
        if let Some(text) = self.hook_erred(&children) {
            self.mark_message(at, NodePhase::Error, &text);
            return;
        }
        let failed = children.iter().find(|child| {
            let node = self.node(**child);
            node.is_failed() && !goes_on(**child, node)
        });
        if let Some(failed) = failed {
            let text = format!("child '{}' failed", self.node(*failed).id);
            self.mark_message(at, NodePhase::Failed, &text);
            return;
        }
        if self.is_cut(steps.at, &steps.template, steps.on_exit) && children.len() < members {
            let text = self.cut_text();
            self.mark_message(at, NodePhase::Failed, &text);
            return;
        }
        self.mark(at, NodePhase::Succeeded);
    }

    /// Members with their tags filled in.
    /// Source: Argo `steps.go`, `resolveReferences`.
    pub(crate) fn resolve_group(&self, steps: &Steps, members: &[Task]) -> Result<Vec<Task>, Unresolved> {
        members.iter().map(|member| self.resolve(member, &steps.scope, Lost::Step)).collect()
    }

    fn expand_group(
        &mut self,
        steps: &Steps,
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
                let at = (at, Place::task(0));
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
