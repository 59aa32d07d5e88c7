//! Everything that is known of one workflow, worked out once for all views.

use std::collections::BTreeMap;

use unwind_engine::analysis::{Analysis, Examined, examine};
use unwind_engine::diagnostic::Diagnostic;
use unwind_engine::plan::Plan;
use unwind_engine::trace::{Span, Trace};
use unwind_engine::verdict::{JudgedNode, Judgement, judge};
use unwind_model::{NodeName, NodeStatus, Workflow, ordered};

use crate::phase::Look;
use crate::roster::{MemberIndex, Roster};

pub use unwind_engine::analysis::Watched;

/// A workflow with all that follows from it.
#[derive(Clone, Debug)]
pub struct Study {
    /// The object itself.
    pub workflow: Workflow,
    /// The lowered spec.
    pub plan: Plan,
    /// What is wrong with the document.
    pub diagnostics: Vec<Diagnostic>,
    /// The nodes of plan and status.
    pub roster: Roster,
    /// What happened.
    pub trace: Trace,
    /// The right order held against that.
    pub judgement: Judgement,
    /// Where each node stands in [`Judgement::rows`].
    rows: BTreeMap<NodeName, usize>,
    /// Places in [`Trace::spans`] by the names of their nodes.
    spans: Vec<usize>,
}

impl Study {
    /// Works out everything about `workflow`, of which nothing but the object is known. Cost: n log n
    /// in its nodes.
    pub fn of(workflow: Workflow) -> Self {
        let (plan, diagnostics) = unwind_engine::lower(&workflow);
        Self::new(workflow, plan, diagnostics, Watched::default())
    }

    /// The same of a workflow that was watched.
    pub fn watched(workflow: Workflow, watched: Watched) -> Self {
        let (plan, diagnostics) = unwind_engine::lower(&workflow);
        Self::new(workflow, plan, diagnostics, watched)
    }

    /// The same of what was analysed already, witnesses beside the object included.
    pub fn of_analysis(workflow: Workflow, analysis: &Analysis) -> Self {
        let trace = analysis.trace.clone();
        let trace = trace.unwrap_or_else(|| Trace::from_workflow(&analysis.plan, &workflow));
        let judgement = analysis.judgement.clone().unwrap_or_else(|| judge(&analysis.plan, &trace));
        let examined = Examined { diagnostics: analysis.diagnostics.clone(), trace, judgement };
        Self::of_examined(workflow, analysis.plan.clone(), examined)
    }

    /// The same with a plan that is known already: nothing but the status has moved since.
    pub fn new(workflow: Workflow, plan: Plan, diagnostics: Vec<Diagnostic>, watched: Watched) -> Self {
        let examined = examine(&workflow, &plan, diagnostics, &watched);
        Self::of_examined(workflow, plan, examined)
    }

    fn of_examined(workflow: Workflow, plan: Plan, examined: Examined) -> Self {
        let Examined { diagnostics, trace, judgement } = examined;
        let roster = Roster::new(&plan.outline_of(&workflow.status), &workflow);
        let rows = judgement.rows.iter().enumerate();
        let rows = ordered::map(rows.map(|(place, row)| (row.node.clone(), place)));
        let mut spans: Vec<usize> = (0..trace.spans.len()).collect();
        ordered::sort_by(&mut spans, |&a, &b| trace.spans[a].node.cmp(&trace.spans[b].node));
        Self { workflow, plan, diagnostics, roster, trace, judgement, rows, spans }
    }

    /// The status of a member's node, when it is there.
    pub fn node(&self, index: MemberIndex) -> Option<&NodeStatus> {
        self.roster.status(index, &self.workflow.status)
    }

    /// When a node was there and how it ended; of several with one name the last.
    pub fn span(&self, name: &NodeName) -> Option<&Span> {
        let after = self.spans.partition_point(|&place| self.trace.spans[place].node <= *name);
        let span = &self.trace.spans[*self.spans.get(after.checked_sub(1)?)?];
        (span.node == *name).then_some(span)
    }

    /// What the judgement says of a node.
    pub fn judged(&self, name: &NodeName) -> Option<&JudgedNode> {
        self.rows.get(name).map(|&place| &self.judgement.rows[place])
    }

    /// True for a name that no node has.
    pub fn is_without_node(&self, name: &NodeName) -> bool {
        let index = self.roster.find(name);
        index.is_none_or(|index| self.node(index).is_none())
    }

    /// How a member looks: a member without a node is planned.
    pub fn look(&self, index: MemberIndex) -> Look {
        self.node(index).map_or(Look::Planned, Look::of_node)
    }

    /// True when the workflow is over.
    pub fn is_over(&self) -> bool {
        self.workflow.status.phase.is_final()
    }

    /// True once a stop or terminate was asked.
    pub fn is_shut_down(&self) -> bool {
        self.trace.shutdown.is_some()
    }

    /// The turns of exit hooks. After a shutdown those that are due then, as judged. Before one, all
    /// hooks whose owner has begun, or all of them while nothing has.
    pub fn turns(&self) -> BTreeMap<MemberIndex, u32> {
        if self.is_shut_down() {
            let turns = self
                .judgement
                .rows
                .iter()
                .filter_map(|row| Some((self.roster.find(&row.node)?, row.expected_turn?)));
            return ordered::map(turns);
        }
        let nothing_begun = self.workflow.status.nodes.is_empty();
        self.roster.turns(|hook| {
            let owner = self.roster.member(hook).around;
            nothing_begun || owner.is_some_and(|owner| !self.look(owner).is_absent())
        })
    }
}
