//! Spans held beside the plan: which task, template and hooks of the plan a span stands for.
//!
//! It walks down from the root with the templates, so loops, tries and recursion need no names
//! known beforehand.

use std::collections::BTreeMap;

use super::Span;
use super::tree::{Tree, number};
use crate::plan::{HookPlan, Plan, Role, TaskPlan, TemplateIndex, TemplateKind};

/// What the plan knows of one span.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<'p> {
    /// The task or step that it is, or is an item, group or try of.
    pub(crate) task: Option<&'p TaskPlan>,
    /// The template it runs.
    pub(crate) template: Option<TemplateIndex>,
    /// Its place among its siblings in the document.
    pub(crate) ordinal: Option<usize>,
    /// The exit hook that it has.
    pub(crate) exit: Option<&'p HookPlan>,
    /// The other hooks that it has.
    pub(crate) named: &'p [HookPlan],
}

/// Places of tasks and steps in their templates: template, group (0 for a DAG), name.
struct Places<'p>(BTreeMap<(TemplateIndex, usize, &'p str), usize>);

impl<'p> Places<'p> {
    fn new(plan: &'p Plan) -> Self {
        let mut places = BTreeMap::new();
        for (at, template) in (0..).zip(&plan.templates) {
            let groups: Vec<&[TaskPlan]> = match &template.kind {
                TemplateKind::Dag(dag) => vec![&dag.tasks],
                TemplateKind::Steps(steps) => steps.groups.iter().map(Vec::as_slice).collect(),
                TemplateKind::Leaf(_) | TemplateKind::Suspend(_) | TemplateKind::Opaque(_) => Vec::new(),
            };
            for (group, tasks) in groups.into_iter().enumerate() {
                for (place, task) in tasks.iter().enumerate() {
                    let key = (TemplateIndex(at), group, task.name.as_str());
                    places.entry(key).or_insert(place);
                }
            }
        }
        Self(places)
    }
}

/// `known[i]`: what the plan knows of span `i`.
pub(crate) fn match_all<'p>(plan: &'p Plan, spans: &[Span], tree: &Tree) -> Vec<Known<'p>> {
    let places = Places::new(plan);
    let mut known = vec![Known::default(); spans.len()];
    for &at in &tree.downward {
        known[at] = match spans[at].role {
            Role::Root => Known {
                template: Some(plan.root.template),
                exit: plan.handler.as_ref(),
                named: &plan.hooks,
                ..Known::default()
            },
            Role::Handler => hook(plan.handler.as_ref(), 0),
            Role::ExitHook => {
                tree.owner[at].map_or_else(Known::default, |owner| hook(exit_of(&known[owner]), 0))
            }
            Role::NamedHook => tree.owner[at].map_or_else(Known::default, |owner| {
                let name = spans[at].node.as_str();
                named_hook(&known[owner], &name[spans[owner].node.as_str().len()..])
            }),
            Role::Work => tree.parent[at].map_or_else(Known::default, |parent| {
                inside(plan, &places, &spans[parent], known[parent], &spans[at])
            }),
        };
    }
    known
}

/// A group of items has no exit hook of its own, but a release may run one for it all the same.
fn exit_of<'p>(owner: &Known<'p>) -> Option<&'p HookPlan> {
    owner.exit.or_else(|| owner.task.and_then(|task| task.exit_hook.as_ref()))
}

fn hook(plan: Option<&HookPlan>, ordinal: usize) -> Known<'_> {
    Known {
        template: plan.map(|hook| hook.call.template),
        ordinal: plan.map(|_| ordinal),
        ..Known::default()
    }
}

/// `rest` is what the name of the hook adds to its owner's: `.hooks.<name>`.
fn named_hook<'p>(owner: &Known<'p>, rest: &str) -> Known<'p> {
    let hooks = match owner.task {
        Some(task) => &task.hooks,
        None => owner.named,
    };
    let wanted = rest.strip_prefix(".hooks.");
    let place = hooks.iter().position(|hook| Some(hook.name.as_str()) == wanted);
    place.map_or_else(Known::default, |place| hook(hooks.get(place), place))
}

/// A span of the main work, inside `parent`.
fn inside<'p>(
    plan: &'p Plan,
    places: &Places<'p>,
    parent: &Span,
    above: Known<'p>,
    span: &Span,
) -> Known<'p> {
    use unwind_model::NodeType as T;
    let name = span.node.as_str();
    let rest =
        name.strip_prefix(parent.node.as_str()).map_or(name, |rest| rest.strip_prefix('.').unwrap_or(rest));
    match parent.node_type {
        T::Retry => Known { task: above.task, template: above.template, ..Known::default() },
        T::TaskGroup => Known {
            task: above.task,
            template: above.template,
            exit: above.task.and_then(|task| task.exit_hook.as_ref()),
            ..Known::default()
        },
        T::Steps => Known { template: above.template, ordinal: group_number(rest), ..Known::default() },
        T::StepGroup => {
            let group = group_number(parent.node.as_str());
            // Steps have no group of items: `pour(0:a)` lies in the group itself.
            let name = rest.split_once('(').map_or(rest, |(name, _)| name);
            task(plan, places, above.template, group, name)
        }
        T::DAG => {
            let mut known = task(plan, places, above.template, Some(0), rest);
            if matches!(span.node_type, T::TaskGroup) {
                known.exit = None;
            }
            known
        }
        T::Pod | T::Container | T::Skipped | T::Suspend | T::HTTP | T::Plugin => Known::default(),
    }
}

fn group_number(name: &str) -> Option<usize> {
    number(name).and_then(|group| usize::try_from(group).ok())
}

fn task<'p>(
    plan: &'p Plan,
    places: &Places<'p>,
    template: Option<TemplateIndex>,
    group: Option<usize>,
    name: &str,
) -> Known<'p> {
    let (Some(template), Some(group)) = (template, group) else {
        return Known::default();
    };
    let Some(&place) = places.0.get(&(template, group, name)) else {
        return Known::default();
    };
    let task = match &plan.template(template).kind {
        TemplateKind::Dag(dag) => dag.tasks.get(place),
        TemplateKind::Steps(steps) => steps.groups.get(group).and_then(|steps| steps.get(place)),
        TemplateKind::Leaf(_) | TemplateKind::Suspend(_) | TemplateKind::Opaque(_) => None,
    };
    task.map_or_else(Known::default, |task| Known {
        task: Some(task),
        template: Some(task.call.template),
        ordinal: Some(place),
        exit: task.exit_hook.as_ref(),
        named: &task.hooks,
    })
}
