//! What a `{{…}}` reference resolves to at a node.
//! Source: Argo `workflow/controller/scope.go`, `exit_handler.go`; `argo-semantics` 4.5.

use unwind_model::{NodeName, NodePhase, WorkflowPhase};

use crate::names;
use crate::plan::{Argument, Call, TemplateKind};
use crate::sketch::event::LeafStart;
use crate::sketch::run::Run;
use crate::sketch::table::{ExitWork, Inputs, Node, NodeIndex};
use crate::substitute::fill_in;

/// From where a reference is looked up.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    /// The DAG or Steps whose inputs and tasks are in sight; `None` for the root and the handler.
    pub(crate) boundary: Option<NodeIndex>,
    /// Whether it is part of exit work, which sees another `workflow.status`.
    pub(crate) exit_work: ExitWork,
}

impl Run {
    /// A text with everything filled in that this scope knows.
    pub(crate) fn fill_in(&self, text: &str, scope: Scope) -> String {
        fill_in(text, &|name| self.resolve(name, scope))
    }

    /// The inputs that a call gives its template: arguments filled in, then defaults. An exit hook
    /// without arguments gets the workflow's.
    pub(crate) fn inputs_of(&self, call: &Call, scope: Scope, is_hook: bool) -> Inputs {
        let arguments: &[Argument] =
            if is_hook && call.arguments.is_empty() { &self.plan.arguments } else { &call.arguments };
        let template = self.plan.template(call.template);
        let given = |name: &str| {
            let argument = arguments.iter().find(|argument| argument.name == name)?;
            Some(self.fill_in(argument.value.as_ref()?, scope))
        };
        template
            .inputs
            .iter()
            .map(|input| {
                let value = given(&input.name).or_else(|| input.value.clone());
                (input.name.clone(), value)
            })
            .collect()
    }

    /// The program of a leaf with everything filled in.
    pub(crate) fn leaf_start(&self, index: NodeIndex) -> LeafStart {
        let node = self.table.get(index);
        let template = node.template.map(|template| self.plan.template(template));
        let mut start = LeafStart {
            node: node.id.clone(),
            name: node.name.clone(),
            template: node.template_name.clone(),
            image: String::new(),
            command: Vec::new(),
            args: Vec::new(),
            source: None,
            env: Vec::new(),
            working_dir: None,
            on_exit: node.exit_work != ExitWork::None,
        };
        if let Some(TemplateKind::Leaf(leaf)) = template.map(|template| &template.kind) {
            let fill = |text: &String| fill_in(text, &|name| self.resolve_in_body(name, node));
            start.image = fill(&leaf.image);
            start.command = leaf.command.iter().map(fill).collect();
            start.args = leaf.args.iter().map(fill).collect();
            start.source = leaf.source.as_ref().map(fill);
            start.env = leaf.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect();
            start.working_dir = leaf.working_dir.as_ref().map(fill);
        }
        start
    }

    /// Duration of a wait that has one.
    pub(crate) fn wait_ms(&self, node: &Node) -> Option<i64> {
        match &self.plan.template(node.template?).kind {
            TemplateKind::Suspend(suspend) => suspend.duration_ms,
            TemplateKind::Dag(_)
            | TemplateKind::Steps(_)
            | TemplateKind::Leaf(_)
            | TemplateKind::Opaque(_) => None,
        }
    }

    /// Inside a template: its own inputs, the node, the workflow.
    fn resolve_in_body(&self, name: &str, node: &Node) -> Option<String> {
        match name {
            "node.name" => Some(node.name.0.clone()),
            "pod.name" => Some(node.id.0.clone()),
            _ => match name.strip_prefix("inputs.parameters.") {
                Some(input) => value_of(&node.inputs, input),
                None => self.resolve_workflow(name, node.exit_work),
            },
        }
    }

    /// In arguments and conditions of a task, step or hook.
    fn resolve(&self, name: &str, scope: Scope) -> Option<String> {
        if let Some(input) = name.strip_prefix("inputs.parameters.") {
            return value_of(&self.table.get(scope.boundary?).inputs, input);
        }
        for kind in ["tasks.", "steps."] {
            if let Some(rest) = name.strip_prefix(kind) {
                return self.resolve_task(rest, scope.boundary?);
            }
        }
        self.resolve_workflow(name, scope.exit_work)
    }

    /// `<task>.status` and the like, of a task of this DAG or a step of these Steps.
    fn resolve_task(&self, rest: &str, boundary: NodeIndex) -> Option<String> {
        let (task, field) = rest.split_once('.')?;
        let node = self.task_node(task, boundary)?;
        let time = |time: Option<unwind_model::Timestamp>| Some(time?.whole_seconds().to_string());
        match field {
            "status" => Some(node.phase.as_str().to_owned()),
            "name" => Some(task.to_owned()),
            "id" => Some(node.id.0.clone()),
            "startedAt" => time(node.started_at),
            "finishedAt" => time(node.finished_at),
            "exitCode" => node.outputs.exit_code.clone(),
            "outputs.result" => node.outputs.result.clone(),
            _ => {
                let output = field.strip_prefix("outputs.parameters.")?;
                let parameters = &node.outputs.parameters;
                let found = parameters.iter().find(|given| given.name == output)?;
                found.value.clone()
            }
        }
    }

    fn task_node(&self, task: &str, boundary: NodeIndex) -> Option<&Node> {
        let outer = &self.table.get(boundary).name;
        let in_dag = self.table.named(&names::task(outer, task));
        let index = in_dag.or_else(|| {
            (0..)
                .map(|at| names::group(outer, at))
                .take_while(|group| self.table.named(group).is_some())
                .find_map(|group| self.table.named(&names::task(&group, task)))
        })?;
        Some(self.table.get(index))
    }

    fn resolve_workflow(&self, name: &str, exit_work: ExitWork) -> Option<String> {
        let field = name.strip_prefix("workflow.")?;
        let metadata = &self.metadata;
        match field {
            "name" => Some(metadata.name.clone()),
            "namespace" => Some(metadata.namespace.clone()),
            "uid" => Some(metadata.uid.clone()),
            "parameters" => Some(self.parameters_json()),
            "failures" if exit_work == ExitWork::Handler => Some(self.failures()),
            "duration" if exit_work == ExitWork::Handler => Some(self.duration()),
            "mainEntrypoint" => Some(self.plan.root.name.clone()),
            "status" => Some(self.status_seen_by(exit_work).as_str().to_owned()),
            "creationTimestamp" => Some(metadata.creation_timestamp?.whole_seconds().to_string()),
            _ => {
                if let Some(label) = field.strip_prefix("labels.") {
                    return metadata.labels.get(label).cloned();
                }
                if let Some(annotation) = field.strip_prefix("annotations.") {
                    return metadata.annotations.get(annotation).cloned();
                }
                let parameter = field.strip_prefix("parameters.")?;
                let mut arguments = self.plan.arguments.iter();
                let found = arguments.find(|argument| argument.name == parameter)?;
                found.value.clone()
            }
        }
    }

    /// The workflow's parameters as JSON.
    fn parameters_json(&self) -> String {
        let parameters = self
            .plan
            .arguments
            .iter()
            .map(|argument| serde_json::json!({"name": argument.name, "value": argument.value}));
        parameters.collect::<serde_json::Value>().to_string()
    }

    /// All nodes of the main work that failed, as quoted JSON, `"null"` when there are none.
    /// Source: Argo `workflow/controller/operator.go`, `operate`; `argo-semantics` 4.3.
    fn failures(&self) -> String {
        let failed = |node: &&Node| {
            matches!(node.phase, NodePhase::Failed | NodePhase::Error) && node.exit_work != ExitWork::Handler
        };
        let failures: Vec<_> = self
            .table
            .iter()
            .map(|(_, node)| node)
            .filter(failed)
            .map(|node| {
                serde_json::json!({
                    "displayName": node.display_name,
                    "message": node.message,
                    "templateName": node.template_name,
                    "phase": node.phase,
                    "podName": node.id,
                    "finishedAt": node.finished_at.map(unwind_model::Timestamp::whole_seconds),
                })
            })
            .collect();
        if failures.is_empty() {
            return "\"null\"".to_owned();
        }
        serde_json::Value::from(serde_json::Value::from(failures).to_string()).to_string()
    }

    /// Seconds from the begin of the workflow to the end of its main work.
    fn duration(&self) -> String {
        let ended = self.root.and_then(|root| self.table.get(root).finished_at);
        let ms = ended.zip(self.workflow.started_at).map_or(0, |(ended, began)| ended - began);
        format!("{}.{:03}000", ms / 1000, ms % 1000)
    }

    /// Only the handler sees how the main work ended; everyone else sees Running.
    /// Source: Argo `workflow/controller/operator.go`, `operate`.
    fn status_seen_by(&self, exit_work: ExitWork) -> WorkflowPhase {
        let root = self.root.map(|root| self.table.get(root).phase);
        match (exit_work, root) {
            (ExitWork::None | ExitWork::Hook, _) => WorkflowPhase::Running,
            (ExitWork::Handler, Some(NodePhase::Failed)) => WorkflowPhase::Failed,
            (ExitWork::Handler, Some(NodePhase::Error)) => WorkflowPhase::Error,
            (ExitWork::Handler, Some(NodePhase::Succeeded | NodePhase::Skipped | NodePhase::Omitted)) => {
                WorkflowPhase::Succeeded
            }
            (ExitWork::Handler, Some(NodePhase::Pending | NodePhase::Running) | None) => {
                WorkflowPhase::Running
            }
        }
    }
}

fn value_of(inputs: &Inputs, name: &str) -> Option<String> {
    let (_, value) = inputs.iter().find(|(input, _)| input == name)?;
    value.clone()
}

/// The name of the root node.
pub(crate) fn root_name(run: &Run) -> NodeName {
    NodeName::from(run.name())
}
