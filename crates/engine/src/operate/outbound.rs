//! The last nodes of a node: what comes after hangs below them.
//! Source: Argo `workflow/controller/operator.go`, `getOutboundNodes`.

use unwind_model::NodeType;

use super::pass::Pass;
use super::table::At;
use super::templates::Kind;

impl Pass<'_> {
    pub(crate) fn outbound_of(&self, at: At) -> Vec<At> {
        let mut found = Vec::new();
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            let node = self.node(at);
            match node.kind {
                NodeType::Skipped | NodeType::Suspend | NodeType::HTTP | NodeType::Plugin => found.push(at),
                NodeType::Pod => {
                    let is_set =
                        node.template.as_ref().is_some_and(|template| template.kind == Kind::ContainerSet);
                    if is_set && !node.children.is_empty() {
                        open.extend(node.children.iter().rev());
                    } else {
                        found.push(at);
                    }
                }
                NodeType::Container | NodeType::TaskGroup => {
                    if node.children.is_empty() {
                        found.push(at);
                    } else {
                        open.extend(node.children.iter().rev());
                    }
                }
                // The last child, a hook or a box as it may be, and nothing inside it.
                NodeType::Retry => found.push(node.children.last().copied().unwrap_or(at)),
                NodeType::Steps | NodeType::DAG | NodeType::StepGroup => {
                    if node.rare().memo.as_ref().is_some_and(|memo| memo["hit"] == true) {
                        found.push(at);
                    } else {
                        open.extend(node.outbound.iter().rev());
                    }
                }
            }
        }
        found
    }
}
