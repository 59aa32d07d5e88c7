//! Nodes made and moved, as the controller does it.
//! Source: Argo `workflow/controller/operator.go`, `initializeNode`, `markNodePhase`, `addChildNode`.

use std::sync::Arc;

use serde_json::Value;
use unwind_model::status::NodeFlag;
use unwind_model::{NodeId, NodeName, NodePhase, NodeType};

use crate::behaviour::OpenResults;
use crate::memo::MemoStatus;
use crate::names;

use super::pass::Pass;
use super::table::{At, Node, Place};
use super::template::Call;
use super::templates::{Holder, Prepared, Reference};

/// A node to be made.
pub(crate) struct Draft<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: NodeType,
    pub(crate) holder: &'a Holder,
    pub(crate) reference: &'a Reference,
    pub(crate) boundary: Option<At>,
    pub(crate) place: Option<Place>,
    /// As in a node; `None`: the boundary.
    pub(crate) within: Option<At>,
    pub(crate) phase: NodePhase,
    pub(crate) flag: Option<NodeFlag>,
    pub(crate) message: String,
    /// The template it runs, inputs supplied; `None` for a node that never runs.
    pub(crate) template: Option<&'a Arc<Prepared>>,
}

/// What a node of a memoized template shows before anything is found.
/// Source: Argo `operator.go`, `initializeExecutableNode`.
fn memo_of(template: &Prepared) -> Option<Value> {
    let memo = template.template.memoize().ok().flatten()?;
    let cache_name = memo.config_map().to_owned();
    serde_json::to_value(MemoStatus { hit: false, key: memo.key, cache_name }).ok()
}

impl Pass<'_> {
    pub(crate) fn node(&self, at: At) -> &Node {
        self.run.table.get(at)
    }

    pub(crate) fn named(&self, name: &str) -> Option<At> {
        self.run.table.named(name)
    }

    /// A node of a task, step or hook that runs a template.
    pub(crate) fn add_executable(
        &mut self,
        call: &Call<'_>,
        kind: NodeType,
        phase: NodePhase,
        template: &Arc<Prepared>,
        message: &str,
    ) -> At {
        self.add(Draft {
            name: call.name,
            kind,
            holder: call.holder,
            reference: call.reference,
            boundary: call.around.boundary,
            place: call.around.place,
            within: call.around.within,
            phase,
            flag: call.around.flag,
            message: message.to_owned(),
            template: Some(template),
        })
    }

    pub(crate) fn add(&mut self, draft: Draft<'_>) -> At {
        let name = NodeName(draft.name.to_owned());
        let id = match self.run.table.reserved(draft.name) {
            Some(at) => self.run.table.get(at).id.clone(),
            None => NodeId::of(&self.run.workflow.metadata.name, &name),
        };
        let owes_result = matches!(draft.kind, NodeType::Pod | NodeType::Container)
            && draft.template.is_some_and(|template| !template.is_daemon)
            && self.keeps_results();
        let inputs = draft.template.map(|template| &template.template.inputs);
        let boundary_name = draft.boundary.map(|boundary| &self.node(boundary).name);
        let shown = names::display(&name, boundary_name);
        let mut node = Node {
            kind: draft.kind,
            template_name: self.run.shared(draft.reference.name()),
            template_scope: self.scope_text(draft.holder),
            template: draft
                .template
                .map(|template| Arc::clone(template.declared.as_ref().unwrap_or(template))),
            phase: draft.phase,
            boundary: draft.boundary,
            message: draft.message,
            started_at: Some(self.now),
            finished_at: draft.phase.is_final().then_some(self.now),
            flag: draft.flag,
            inputs: inputs.filter(|inputs| !inputs.is_empty()).map(|inputs| Box::new(inputs.clone())),
            synced: owes_result.then_some(true),
            exists: true,
            place: draft.place,
            within: draft.within.or(draft.boundary),
            ..Node::reserved(id, name)
        };
        node.show_as(&shown);
        if draft.reference.template_ref.is_some() {
            node.rare_mut().template_ref = draft.reference.template_ref_json();
        }
        if let Some(memo) = draft.template.and_then(|template| memo_of(template)) {
            node.rare_mut().memo = Some(memo);
        }
        if let Some(acquired) = self.acquired.take() {
            node.rare_mut().asked_for = Some(acquired);
        }
        self.updated = true;
        self.run.table.add(node)
    }

    fn keeps_results(&self) -> bool {
        match self.run.behaviour.open_results {
            OpenResults::HoldTheWorkflow => false,
            OpenResults::HoldTheNodeTillItHasAFinalPhase | OpenResults::HoldTheNode => true,
        }
    }

    /// Text of `templateScope`. Source: Argo `workflow/templateresolution/context.go`, `GetTemplateScope`.
    pub(crate) fn scope_text(&mut self, holder: &Holder) -> Arc<str> {
        let text = match holder {
            Holder::Workflow if self.run.has_template_ref() => "local/".to_owned(),
            Holder::Workflow => ["local/", &self.run.workflow.metadata.name].concat(),
            Holder::Namespaced(name) => ["namespaced/", name].concat(),
            Holder::Cluster(name) => ["cluster/", name].concat(),
        };
        self.run.shared(&text)
    }

    /// Makes one node a child of another, once.
    pub(crate) fn add_child(&mut self, parent: At, child: At) {
        if self.run.table.add_child(parent, child) {
            self.updated = true;
        }
    }

    /// Moves a node to a phase; its message stays.
    pub(crate) fn mark(&mut self, at: At, phase: NodePhase) {
        self.mark_with(at, phase, None);
    }

    /// Moves a node to a phase with a message.
    pub(crate) fn mark_message(&mut self, at: At, phase: NodePhase, message: &str) {
        self.mark_with(at, phase, Some(message));
    }

    /// Makes a node Error with a message.
    pub(crate) fn mark_error(&mut self, at: At, message: &str) {
        self.mark_with(at, NodePhase::Error, Some(message));
    }

    fn mark_with(&mut self, at: At, phase: NodePhase, message: Option<&str>) {
        let now = self.now;
        let node = self.run.table.get_mut(at);
        let mut moved = false;
        let failed = matches!(phase, NodePhase::Failed | NodePhase::Error);
        if failed && node.phase != NodePhase::Running && node.synced == Some(false) {
            node.synced = Some(true);
            moved = true;
        }
        if node.phase != phase {
            node.phase = phase;
            moved = true;
        }
        if let Some(message) = message
            && node.message != message
        {
            message.clone_into(&mut node.message);
            moved = true;
        }
        if node.is_fulfilled() && node.finished_at.is_none() {
            node.finished_at = Some(now);
            moved = true;
        }
        self.updated |= moved;
    }
}
