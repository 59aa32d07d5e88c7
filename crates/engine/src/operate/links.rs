//! Links between nodes of a status that tells none: what encloses what is read from the names.

use std::collections::BTreeMap;

use unwind_model::{NodeId, NodeName, NodeType, Workflow};

use crate::names;
use crate::plan::{Role, lower};
use crate::trace::{Span, Trace};

/// Gives nodes boundaries, children and flags. Statuses with a single link, as all that a controller writes,
/// stay as they are.
pub(super) fn add_links(workflow: &mut Workflow) {
    let nodes = &workflow.status.nodes;
    if nodes.len() < 2 || nodes.values().any(|node| !node.children.is_empty()) {
        return;
    }
    let (plan, _) = lower(workflow);
    let spans = Trace::from_workflow(&plan, workflow).spans;
    let by_name: BTreeMap<&NodeName, &Span> = spans.iter().map(|span| (&span.node, span)).collect();
    let ids: BTreeMap<NodeName, NodeId> =
        workflow.status.nodes.iter().map(|(id, node)| (node.name.clone(), id.clone())).collect();
    for span in &spans {
        let boundary = enclosing(&by_name, span);
        let above = match span.role {
            Role::Root | Role::Handler => None,
            Role::Work => span.boundary.as_ref(),
            Role::ExitHook | Role::NamedHook => span.owner.as_ref(),
        };
        let Some(id) = ids.get(&span.node) else { continue };
        if let Some(above) = above.and_then(|above| ids.get(above))
            && let Some(above) = workflow.status.nodes.get_mut(above)
        {
            above.children.push(id.clone());
        }
        let Some(node) = workflow.status.nodes.get_mut(id) else { continue };
        node.display_name = names::display(&span.node, boundary);
        if let Some(boundary) = boundary.and_then(|boundary| ids.get(boundary)) {
            node.boundary_id = boundary.clone();
        }
        node.node_flag.get_or_insert_default().hooked |= span.role != Role::Work && span.role != Role::Root;
    }
}

/// The DAG, Steps or pod next around a node, as in `boundaryID`.
fn enclosing<'a>(by_name: &BTreeMap<&NodeName, &'a Span>, span: &'a Span) -> Option<&'a NodeName> {
    let mut next = span.boundary.as_ref();
    while let Some(name) = next {
        let outer = by_name.get(name)?;
        if matches!(outer.node_type, NodeType::DAG | NodeType::Steps | NodeType::Pod) {
            return Some(&outer.node);
        }
        next = outer.boundary.as_ref();
    }
    None
}
