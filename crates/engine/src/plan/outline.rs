//! The nodes that a plan foresees, without running it.

use unwind_model::{NodeName, NodeType};

use crate::names;

use super::{Call, HookPlan, Plan, PlannedNode, Role, TaskIndex, TaskPlan, TemplateIndex, TemplateKind};

/// No more nodes than this are foreseen; boxes beyond stand without their insides.
pub const OUTLINE_LIMIT: usize = 50_000;

impl Plan {
    /// All nodes that can be foreseen without running, owners before what they hold, in document
    /// order; hooks right after what is inside their owner. Recursion ends in one node that stands
    /// for it. Tasks that no target needs are left out. Linear in the nodes, at most
    /// `OUTLINE_LIMIT` of them (and the last box's own tasks).
    pub fn outline(&self) -> Vec<PlannedNode> {
        let mut outline = Outline { plan: self, nodes: Vec::new(), open: Vec::new() };
        let root = NodeName(self.workflow.clone());
        outline.add(Foreseen {
            name: root.clone(),
            call: &self.root,
            role: Role::Root,
            enclosure: Enclosure::default(),
            owner: None,
            depends_on: Vec::new(),
            condition: None,
            path: "spec.entrypoint",
        });
        outline.hooks(&root, &self.hooks, None, &Enclosure::default());
        if let Some(handler) = &self.handler {
            outline.hook(&root, handler, names::exit_hook(&root), &Enclosure::default(), Role::Handler);
        }
        outline.nodes
    }
}

struct Outline<'plan> {
    plan: &'plan Plan,
    nodes: Vec<PlannedNode>,
    /// Templates around the present node, outermost first.
    open: Vec<TemplateIndex>,
}

/// What a node lies in.
#[derive(Clone, Default)]
struct Enclosure {
    /// DAG, Steps or group of steps.
    drawn: Option<NodeName>,
    /// DAG or Steps, which display names leave out.
    boundary: Option<NodeName>,
}

struct Foreseen<'plan> {
    name: NodeName,
    call: &'plan Call,
    role: Role,
    enclosure: Enclosure,
    owner: Option<NodeName>,
    depends_on: Vec<NodeName>,
    condition: Option<String>,
    path: &'plan str,
}

impl<'plan> Outline<'plan> {
    /// Adds a node and everything inside it, hooks of its own excepted.
    fn add(&mut self, node: Foreseen<'plan>) {
        let template = self.plan.template(node.call.template);
        self.nodes.push(PlannedNode {
            display_name: names::display(&node.name, node.enclosure.boundary.as_ref()),
            name: node.name.clone(),
            node_type: template.kind.node_type(),
            template: node.call.name.clone(),
            role: node.role,
            boundary: node.enclosure.drawn,
            owner: node.owner,
            depends_on: node.depends_on,
            condition: node.condition,
            path: node.path.to_owned(),
        });
        let stands_for_more = self.open.contains(&node.call.template) || self.nodes.len() >= OUTLINE_LIMIT;
        if stands_for_more {
            return;
        }
        self.open.push(node.call.template);
        match &template.kind {
            TemplateKind::Dag(dag) => {
                let mut needed = vec![false; dag.tasks.len()];
                for task in &dag.order {
                    needed[task.at()] = true;
                }
                let enclosure =
                    Enclosure { drawn: Some(node.name.clone()), boundary: Some(node.name.clone()) };
                for (task, _) in dag.tasks.iter().zip(needed).filter(|(_, needed)| *needed) {
                    let name_of = |need: &TaskIndex| names::task(&node.name, &dag.tasks[need.at()].name);
                    let depends_on = task.needs.iter().map(name_of).collect();
                    self.task(task, &node.name, &enclosure, depends_on);
                }
            }
            TemplateKind::Steps(steps) => {
                for (at, group) in steps.groups.iter().enumerate() {
                    self.group(&node.name, at, group, &template.path);
                }
            }
            TemplateKind::Leaf(_) | TemplateKind::Suspend(_) | TemplateKind::Opaque(_) => {}
        }
        self.open.pop();
    }

    fn group(&mut self, steps: &NodeName, at: usize, group: &'plan [TaskPlan], path: &str) {
        let name = names::group(steps, at);
        self.nodes.push(PlannedNode {
            name: name.clone(),
            display_name: names::display(&name, Some(steps)),
            node_type: NodeType::StepGroup,
            template: String::new(),
            role: Role::Work,
            boundary: Some(steps.clone()),
            owner: None,
            depends_on: (at > 0).then(|| names::group(steps, at - 1)).into_iter().collect(),
            condition: None,
            path: format!("{path}.steps[{at}]"),
        });
        let enclosure = Enclosure { drawn: Some(name.clone()), boundary: Some(steps.clone()) };
        for step in group {
            self.task(step, &name, &enclosure, Vec::new());
        }
    }

    fn task(
        &mut self,
        task: &'plan TaskPlan,
        outer: &NodeName,
        enclosure: &Enclosure,
        depends_on: Vec<NodeName>,
    ) {
        let name = names::task(outer, &task.name);
        self.add(Foreseen {
            name: name.clone(),
            call: &task.call,
            role: Role::Work,
            enclosure: enclosure.clone(),
            owner: None,
            depends_on,
            condition: task.when.clone(),
            path: &task.path,
        });
        let exit = task.exit_hook.as_ref();
        self.hooks(&name, &task.hooks, exit, enclosure);
    }

    /// Named hooks, then the exit hook of a task or of the root.
    fn hooks(
        &mut self,
        owner: &NodeName,
        named: &'plan [HookPlan],
        exit: Option<&'plan HookPlan>,
        enclosure: &Enclosure,
    ) {
        for hook in named {
            let name = names::named_hook(owner, &hook.name);
            self.hook(owner, hook, name, enclosure, Role::NamedHook);
        }
        if let Some(hook) = exit {
            let name = names::exit_hook(owner);
            self.hook(owner, hook, name, enclosure, Role::ExitHook);
        }
    }

    fn hook(
        &mut self,
        owner: &NodeName,
        hook: &'plan HookPlan,
        name: NodeName,
        enclosure: &Enclosure,
        role: Role,
    ) {
        self.add(Foreseen {
            name,
            call: &hook.call,
            role,
            enclosure: enclosure.clone(),
            owner: Some(owner.clone()),
            depends_on: Vec::new(),
            condition: hook.condition.clone(),
            path: &hook.path,
        });
    }
}
