//! Steps: one group after the other. Source: Argo `workflow/controller/steps.go`, `executeSteps`.

use unwind_model::NodePhase;

use crate::plan::TemplateKind;
use crate::sketch::table::{Inside, NodeIndex};

use super::{Decided, Reconcile};

impl Reconcile<'_> {
    /// Begins the next group, or ends the steps.
    pub(super) fn visit_steps(&mut self, index: NodeIndex) -> Decided {
        let Inside::Groups(groups) = &self.run.table.get(index).inside else {
            return Ok(());
        };
        let (begun, last) = (groups.len(), groups.last().copied());
        if last.is_some_and(|group| !self.is_over(group)) {
            return Ok(());
        }
        if self.run.table.get(index).phase.is_final() {
            self.visit_place_of(index);
            return Ok(());
        }
        let last = last.map(|group| self.run.table.get(group));
        let (phase, message, cut) = last.map_or((NodePhase::Succeeded, "", false), |group| {
            (group.phase, group.message.as_str(), group.cut)
        });
        let message = message.to_owned();
        if phase != NodePhase::Succeeded {
            return self.end_steps(index, phase, &message, cut);
        }
        let planned = self.planned_groups(index);
        let Some(size) = planned.get(begun).copied() else {
            return self.end_steps(index, NodePhase::Succeeded, "", cut);
        };
        if self.may_begin(self.run.table.get(index).exit_work) {
            self.add_group(index, begun as u32, size);
            return Ok(());
        }
        let message = self.stopped_text();
        self.end_steps(index, NodePhase::Failed, &message, true)
    }

    fn end_steps(&mut self, index: NodeIndex, phase: NodePhase, message: &str, cut: bool) -> Decided {
        self.run.table.get_mut(index).cut = cut;
        self.set_outbound(index);
        self.go(index, phase, message)
    }

    /// `[i]`: number of steps in group `i` of the plan.
    fn planned_groups(&self, index: NodeIndex) -> Vec<usize> {
        let template = self.run.table.get(index).template;
        match template.map(|template| &self.run.plan.template(template).kind) {
            Some(TemplateKind::Steps(steps)) => steps.groups.iter().map(Vec::len).collect(),
            Some(
                TemplateKind::Dag(_)
                | TemplateKind::Leaf(_)
                | TemplateKind::Suspend(_)
                | TemplateKind::Opaque(_),
            )
            | None => Vec::new(),
        }
    }
}
