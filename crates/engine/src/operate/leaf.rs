//! Pods: nodes of containers, scripts, resources, data and container sets, and what runs in them.
//! Source: Argo `workflow/controller/operator.go` (`executeContainer` and its kin), `workflowpod.go`
//! (`createWorkflowPod`), `container_set_template.go`.

use std::sync::Arc;

use serde_json::Value;
use unwind_model::features::ContainerSet;
use unwind_model::spec::Container;
use unwind_model::{NodePhase, NodeType};

use crate::behaviour::Passes;
use crate::lang::go;

use super::cluster::{Pod, PodAct, PodCreated, PodReport};
use super::pass::{Halt, Pass, Walk};
use super::table::At;
use super::template::{Around, Call};
use super::templates::{Kind, Prepared};

impl Pass<'_> {
    pub(crate) fn execute_pod(&mut self, call: &Call<'_>, template: &Arc<Prepared>) -> Walk {
        let at = match self.named(call.name) {
            // What is no plain container is left alone once it has begun, even when its pod is gone.
            Some(at) if self.node(at).phase != NodePhase::Pending && is_made_once(template.kind) => {
                return Ok(());
            }
            Some(at) => at,
            None => self.add_executable(call, NodeType::Pod, NodePhase::Pending, template, ""),
        };
        let set = match template.kind {
            Kind::ContainerSet => {
                template.template.container_set().map_err(|error| Halt::Error(error.to_string()))?
            }
            Kind::Container
            | Kind::Steps
            | Kind::Script
            | Kind::Resource
            | Kind::Dag
            | Kind::Suspend
            | Kind::Data
            | Kind::Http
            | Kind::Plugin
            | Kind::Missing => None,
        };
        self.make_pod(at, call.around.on_exit, template, set.as_ref());
        // A controller makes their nodes even when the pod is refused, and they stay Pending for ever.
        let is_refused = self.moves_only_forward() && self.node(at).is_fulfilled();
        if let Some(set) = set.as_ref().filter(|_| !is_refused) {
            self.add_containers(at, call, template, set)?;
        }
        Ok(())
    }

    /// Makes the pod of a node, unless it is there or may not begin.
    fn make_pod(&mut self, at: At, on_exit: bool, template: &Arc<Prepared>, set: Option<&ContainerSet>) {
        let name = self.node(at).name.clone();
        if self.run.cluster.pods.has(&name) {
            return;
        }
        if !self.may_execute(on_exit) {
            let shutdown = self.shutdown().map_or("", |shutdown| shutdown.as_str());
            self.mark_message(at, NodePhase::Failed, &format!("workflow shutdown with strategy: {shutdown}"));
            return;
        }
        if !on_exit && self.lacks_time() {
            // Where there is a next pass, that fails it.
            if self.walks_touched() {
                self.mark_message(at, NodePhase::Failed, "Step exceeded its deadline");
            }
            return;
        }
        let mut created = program_of(template, set);
        patch_program(&mut created, template);
        created.template.clone_from(&template.template.name);
        created.pod = self.pod_name(name.as_str(), &template.template.name);
        created.on_exit = on_exit;
        created.node = name.clone();
        created.filled = has_more(template).then(|| Arc::clone(template));
        created.active_deadline_seconds = self.pod_deadline(on_exit, template);
        self.acts.push(PodAct::Created(Box::new(created)));
        self.active_pods += 1;
        self.run.table.touch(at);
        let pod = Pod {
            report: PodReport::pending(self.now),
            on_exit,
            containers: std::collections::BTreeMap::new(),
            told: None,
            is_ending: false,
            lost: None,
        };
        self.run.cluster.pods.insert(name, Arc::new(pod));
    }

    /// Whether a controller finds no whole second left until the workflow's deadline.
    /// Source: Argo `workflowpod.go`, `createWorkflowPod`.
    fn lacks_time(&self) -> bool {
        let least = match self.run.behaviour.passes {
            Passes::OnePerReconcile => 1000,
            Passes::UntilQuiet => 1,
        };
        self.deadline.is_some_and(|deadline| deadline - self.now < least)
    }

    /// Seconds a pod may run: what its template says, but no longer than the workflow.
    /// Source: Argo `workflowpod.go`, `createWorkflowPod`; `operator.go`, `checkTemplateTimeouts`.
    fn pod_deadline(&self, on_exit: bool, template: &Prepared) -> Option<i64> {
        let of = &template.template;
        let own = of.active_deadline_seconds().ok().flatten().and_then(|text| text.parse::<i64>().ok());
        let timeout = of.timeout().ok().flatten().and_then(|text| go::parse_duration(&text).ok());
        let timeout = timeout.map(|nanoseconds| nanoseconds / 1_000_000_000);
        let workflow = self.deadline.filter(|_| !on_exit).map(|deadline| (deadline - self.now) / 1000);
        [own, timeout, workflow].into_iter().flatten().min()
    }

    /// Nodes of the containers of a set, linked by their dependencies.
    fn add_containers(
        &mut self,
        at: At,
        call: &Call<'_>,
        template: &Arc<Prepared>,
        set: &ContainerSet,
    ) -> Walk {
        let pod = self.node(at).name.clone();
        for container in &set.containers {
            let name = format!("{pod}.{}", ContainerSet::name(container));
            if self.named(&name).is_some() {
                continue;
            }
            let inner = Call {
                name: &name,
                around: Around { boundary: Some(at), flag: call.around.flag, ..Around::default() },
                ..*call
            };
            let node = self.add_executable(&inner, NodeType::Container, NodePhase::Pending, template, "");
            let node = self.run.table.get_mut(node);
            node.inputs = None;
            node.synced = None;
            if node.rare().memo.is_some() {
                node.rare_mut().memo = None;
            }
        }
        for container in &set.containers {
            let node = self.run.reserve(&format!("{pod}.{}", ContainerSet::name(container)));
            let needs =
                ContainerSet::dependencies(container).map_err(|error| Halt::Error(error.to_string()))?;
            if needs.is_empty() {
                self.add_child(at, node);
            }
            for need in needs {
                let before = self.run.reserve(&format!("{pod}.{need}"));
                self.add_child(before, node);
            }
        }
        Ok(())
    }
}

/// Source: Argo `operator.go`, `executeScript`, `executeResource`, `executeData`.
fn is_made_once(kind: Kind) -> bool {
    match kind {
        Kind::Script | Kind::Resource | Kind::Data => true,
        Kind::Container
        | Kind::ContainerSet
        | Kind::Steps
        | Kind::Dag
        | Kind::Suspend
        | Kind::Http
        | Kind::Plugin
        | Kind::Missing => false,
    }
}

/// Whether something was filled in that a driver needs beside the main program.
fn has_more(template: &Prepared) -> bool {
    let of = &template.template;
    let has = |field: &str| of.other.contains_key(field);
    template.declared.is_some()
        && (!of.outputs.parameters.is_empty()
            || ["containerSet", "initContainers", "sidecars"].into_iter().any(has))
}

/// What the main container of a template runs.
fn program_of(template: &Prepared, set: Option<&ContainerSet>) -> PodCreated {
    let of = &template.template;
    let mut created = match (&of.container, &of.script, set) {
        (Some(container), _, _) => from_container(container),
        (None, Some(script), _) => {
            let mut created = from_container(script);
            created.args.clear();
            created.source.clone_from(&script.source);
            created
        }
        (None, None, Some(set)) => {
            let main = set.containers.iter().find(|container| ContainerSet::name(container) == "main");
            main.map(from_container).unwrap_or_default()
        }
        (None, None, None) => PodCreated::default(),
    };
    if let Ok(Some(resource)) = of.resource() {
        created.manifest = Some(resource.manifest.clone()).filter(|manifest| !manifest.is_empty());
    }
    created
}

/// `podSpecPatch` as far as it changes what the main container runs.
/// Source: Argo `workflow/util/util.go`, `ApplyPodSpecPatch`.
fn patch_program(created: &mut PodCreated, template: &Prepared) {
    let Some(patch) = template.template.other.get("podSpecPatch").and_then(Value::as_str) else { return };
    let Ok(patch) = serde_json::from_str::<Value>(patch) else { return };
    let containers = patch.get("containers").and_then(Value::as_array);
    let is_main = |container: &&Value| container.get("name").and_then(Value::as_str) == Some("main");
    let Some(main) = containers.and_then(|containers| containers.iter().find(is_main)) else { return };
    let Ok(patched) = serde_json::from_value::<Container>(main.clone()) else { return };
    if main.get("command").is_some() {
        created.command.clone_from(&patched.command);
    }
    if main.get("args").is_some() {
        created.args.clone_from(&patched.args);
    }
    for (name, value) in from_container(&patched).env {
        match created.env.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => created.env.push((name, value)),
        }
    }
}

fn from_container(container: &Container) -> PodCreated {
    let plain = |entry: &Value| {
        let text = |field: &str| entry.get(field).and_then(Value::as_str).map(str::to_owned);
        Some((text("name")?, text("value")?))
    };
    PodCreated {
        image: container.image.clone(),
        working_dir: container.working_dir.clone(),
        command: container.command.clone(),
        args: container.args.clone(),
        env: container.env.iter().filter_map(plain).collect(),
        ..PodCreated::default()
    }
}
