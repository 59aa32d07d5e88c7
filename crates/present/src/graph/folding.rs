//! What is folded: what the reader chose, else what the number of items asks for.

use std::collections::BTreeMap;

use unwind_model::{NodeName, NodeType};

use crate::roster::{MemberIndex, Roster};
use crate::study::Study;

/// Loops of more items than this fold by themselves.
pub const FOLD_ITEMS_ABOVE: usize = 12;
/// With more drawn nodes than this, finished boxes may be folded.
const FOLD_FINISHED_ABOVE: usize = 120;

/// The reader's choices, by full node name. What is not named follows the rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folding {
    choices: BTreeMap<NodeName, bool>,
}

impl Folding {
    /// True when a box is drawn closed.
    pub fn is_folded(&self, roster: &Roster, index: MemberIndex) -> bool {
        let member = roster.member(index);
        if !roster.is_box(index) {
            return false;
        }
        match self.choices.get(&member.name) {
            Some(folded) => *folded,
            None => member.node_type == NodeType::TaskGroup && roster.inside(index).len() > FOLD_ITEMS_ABOVE,
        }
    }

    /// Opens what is folded and folds what is open.
    pub fn toggle(&mut self, roster: &Roster, index: MemberIndex) {
        let is_folded = self.is_folded(roster, index);
        self.set(&roster.member(index).name, !is_folded);
    }

    /// Folds or opens one box.
    pub fn set(&mut self, name: &NodeName, is_folded: bool) {
        self.choices.insert(name.clone(), is_folded);
    }

    /// Opens whatever hides a member.
    pub fn reveal(&mut self, roster: &Roster, index: MemberIndex) {
        let mut at = roster.member(index).around;
        while let Some(around) = at {
            if self.is_folded(roster, around) {
                self.set(&roster.member(around).name, false);
            }
            at = roster.member(around).around;
        }
    }

    /// The boxes whose state differs from the rule, for the address of the view.
    pub fn choices(&self) -> impl Iterator<Item = (&NodeName, bool)> {
        self.choices.iter().map(|(name, folded)| (name, *folded))
    }

    /// A first state for a large workflow: finished boxes are folded when many nodes would be drawn.
    /// To be asked for when a workflow is opened and not again, since phases must not move boxes.
    pub fn at_opening(study: &Study) -> Self {
        let mut folding = Self::default();
        let roster = &study.roster;
        if roster.members.len() <= FOLD_FINISHED_ABOVE {
            return folding;
        }
        for index in roster.indices() {
            let is_finished = study
                .node(index)
                .is_some_and(|node| node.phase.is_final() && !is_broken_inside(study, index));
            let is_root = roster.member(index).around.is_none();
            if roster.is_box(index) && is_finished && !is_root {
                folding.set(&roster.member(index).name, true);
            }
        }
        folding
    }
}

/// True when a finding or failure lies inside, which folding would hide at first sight.
fn is_broken_inside(study: &Study, outer: MemberIndex) -> bool {
    let is_inside = |name: &NodeName| {
        let found = study.roster.find(name);
        found.is_some_and(|inner| inner == outer || study.roster.encloses(outer, inner))
    };
    study.judgement.findings.iter().any(|finding| is_inside(&finding.node))
}
