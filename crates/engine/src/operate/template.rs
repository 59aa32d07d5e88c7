//! One template executed at one node: the heart of the walk.
//! Source: Argo `workflow/controller/operator.go`, `executeTemplate`.

use std::collections::BTreeMap;
use std::sync::Arc;

use unwind_model::params::Arguments;
use unwind_model::status::NodeFlag;
use unwind_model::{NodePhase, NodeType};

use super::nodes::Draft;
use super::pass::{DEPTH_LIMIT, Halt, Pass, Walk};
use super::retry::Attempt;
use super::table::{At, Place};
use super::templates::{Holder, Kind, Prepared, Reference, Sources, process, substitute};

/// Where and as what a template is called.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Around {
    /// The enclosing DAG or Steps.
    pub(crate) boundary: Option<At>,
    /// Which member of that it belongs to.
    pub(crate) place: Option<Place>,
    /// The Retry or group that its node counts in; `None`: the boundary.
    pub(crate) within: Option<At>,
    /// Whether it is an exit hook or part of one.
    pub(crate) on_exit: bool,
    pub(crate) flag: Option<NodeFlag>,
}

impl Around {
    /// A member of a boundary; `within`: the group that it is in.
    pub(crate) fn member(boundary: At, place: Place, within: Option<At>, on_exit: bool) -> Self {
        Self { boundary: Some(boundary), place: Some(place), within, on_exit, flag: None }
    }

    /// The top node of a hook; `place`: that of its owner.
    pub(crate) fn hook(boundary: Option<At>, place: Option<Place>, on_exit: bool) -> Self {
        let flag = Some(NodeFlag { hooked: true, retried: false });
        Self { boundary, place, within: None, on_exit, flag }
    }
}

/// A template to be executed.
pub(crate) struct Call<'a> {
    /// Full name of the node.
    pub(crate) name: &'a str,
    pub(crate) reference: &'a Reference,
    /// Where the reference is written.
    pub(crate) holder: &'a Holder,
    pub(crate) arguments: &'a Arguments,
    pub(crate) around: Around,
}

impl Pass<'_> {
    /// Executes a template at a node, made when it is not there yet. `None`: there is no node (yet).
    pub(crate) fn execute_template(&mut self, call: &Call<'_>) -> Walk<Option<At>> {
        self.depth += 1;
        let walked = self.execute(call);
        self.depth -= 1;
        walked
    }

    fn execute(&mut self, call: &Call<'_>) -> Walk<Option<At>> {
        if let Some(node) = self.named(call.name).filter(|_| self.walks_touched()) {
            if self.node(node).is_fulfilled() {
                self.release_node_lock(node);
                return Ok(Some(node));
            }
            if !self.put_in_place(node, call) && self.rests(node) {
                return Ok(Some(node));
            }
        }
        self.acquired = None;
        if self.depth >= DEPTH_LIMIT {
            self.refuse_node(call, Halt::Depth.text());
            return Err(Halt::Depth);
        }
        let template = match self.processed(call) {
            Ok(template) => template,
            Err(text) => return Err(self.refuse_node(call, text)),
        };
        let node = self.named(call.name);
        if node.is_none() && self.walks_touched() && self.recurses(call, &template) {
            self.refuse_node(call, Halt::Depth.text());
            return Err(Halt::Depth);
        }
        if let Some(node) = node {
            if let Err(text) = self.show_display_name(node, &template) {
                return Err(self.refuse_node(call, text));
            }
            if self.node(node).is_fulfilled() {
                self.release_lock(node, &template);
                return Ok(Some(node));
            }
            if self.node(node).started_at.is_none() {
                self.run.table.get_mut(node).started_at = Some(self.now);
                self.updated = true;
            }
        }
        if let Err(halt) = self.check_timeout(node, &template) {
            if let Some(node) = node {
                self.mark_message(node, NodePhase::Failed, &halt.text());
                if self.moves_only_forward() {
                    self.end_containers(node);
                }
            }
            return Err(halt);
        }
        let hooked = call.around.flag.is_some_and(|flag| flag.hooked);
        if !self.is_free_of_limits(hooked, call.around.on_exit) {
            self.check_parallelism(node, &template, call.around.boundary)?;
        }
        let Some((node, unlocked)) = self.lock_node(call, node, &template)? else {
            return Ok(self.named(call.name));
        };
        let node = self.look_into_cache(call, node, unlocked, &template)?;
        if let Some(node) = node
            && self.node(node).is_fulfilled()
        {
            self.release_lock(node, &template);
            return Ok(Some(node));
        }
        match self.retry_strategy(&template) {
            Ok(None) => self.execute_kind(call, &template),
            Ok(Some(strategy)) => self.execute_retried(call, node, &template, &strategy),
            Err(text) => Err(self.refuse_node(call, text)),
        }
    }

    /// The template with its inputs supplied and tags filled in.
    fn processed(&mut self, call: &Call<'_>) -> Result<Arc<Prepared>, String> {
        let spec = Arc::clone(&self.spec);
        let run = &mut *self.run;
        let own = if spec.templates.is_empty() { &run.workflow.spec.templates } else { &spec.templates };
        let sources = Sources { templates: own, spec: &spec, library: &run.library };
        let prepared = run.templates.resolve(&sources, call.holder, call.reference)?;
        if prepared.is_plain {
            return Ok(prepared);
        }
        let mut names = BTreeMap::new();
        if prepared.kind.is_pod() && self.retry_strategy(&prepared)?.is_none() {
            names.insert("pod.name".to_owned(), self.pod_name(call.name, &prepared.template.name));
        }
        // Hooks and the entrypoint are called as steps without a name.
        let (key, value) = call.reference.caller.clone().unwrap_or(("steps.name", String::new()));
        names.insert(key.to_owned(), value);
        names.insert("node.name".to_owned(), call.name.to_owned());
        let mut processed = process(&prepared, call.arguments, &self.globals, &names, &self.run.library)?;
        processed.declared = Some(prepared);
        Ok(Arc::new(processed))
    }

    /// A node that could not be made or goes on with an error.
    /// Source: Argo `operator.go`, `initializeNodeOrMarkError`.
    pub(crate) fn refuse_node(&mut self, call: &Call<'_>, text: String) -> Halt {
        match self.named(call.name) {
            Some(node) => self.mark_error(node, &text),
            None => {
                self.add_refused(call, &text);
            }
        }
        Halt::Error(text)
    }

    pub(crate) fn add_refused(&mut self, call: &Call<'_>, text: &str) -> At {
        self.add(Draft {
            name: call.name,
            kind: NodeType::Skipped,
            holder: call.holder,
            reference: call.reference,
            boundary: call.around.boundary,
            place: call.around.place,
            within: call.around.within,
            phase: NodePhase::Error,
            flag: call.around.flag,
            message: text.to_owned(),
            template: None,
        })
    }

    /// Executes one attempt of a retried template, or the end of its Retry node.
    fn execute_retried(
        &mut self,
        call: &Call<'_>,
        node: Option<At>,
        template: &Arc<Prepared>,
        strategy: &unwind_model::features::RetryStrategy,
    ) -> Walk<Option<At>> {
        let parent = match node {
            Some(node) => node,
            None => self.add_executable(call, NodeType::Retry, NodePhase::Running, template, ""),
        };
        if let Some(flag) = &mut self.run.table.get_mut(parent).flag {
            // A hook's flag is one object shared by the Retry node and its attempts.
            flag.retried = true;
        }
        if self.attempts(parent).is_empty() && !self.may_begin(call.around.on_exit) {
            self.run.table.get_mut(parent).never_began = self.shutdown().is_some();
            let text = self.refused_text().unwrap_or_else(|| self.cut_text());
            self.mark_message(parent, NodePhase::Failed, &text);
            return Ok(Some(parent));
        }
        let goes_on = match self.decide_retry(parent, strategy) {
            Ok(goes_on) => goes_on,
            Err(text) => {
                self.mark_error(parent, &text);
                return Err(Halt::Error(text));
            }
        };
        if !goes_on {
            return Ok(Some(parent));
        }
        let attempt = self.next_attempt(parent);
        let (name, template) = match attempt {
            Attempt::Over(last) => {
                if let Some(last) = last {
                    let outputs = self.node(last).outputs.clone();
                    self.run.table.get_mut(parent).outputs = outputs;
                }
                self.release_lock(parent, template);
                return Ok(Some(parent));
            }
            Attempt::Goes(last) => {
                (self.node(last).name.0.clone(), self.for_attempt(parent, Some(last), template))
            }
            Attempt::Next(number) => {
                let name = format!("{}({number})", call.name);
                (name, self.for_attempt(parent, None, template))
            }
        };
        let template = match template {
            Ok(template) => template,
            Err(text) => return Err(self.refuse_node(call, text)),
        };
        let mut flag = call.around.flag.unwrap_or_default();
        flag.retried = true;
        let attempt = Call {
            name: &name,
            around: Around { flag: Some(flag), within: Some(parent), ..call.around },
            ..*call
        };
        let walked = self.execute_kind(&attempt, &template);
        if let Some(child) = self.named(&name) {
            self.add_child(parent, child);
            if self.node(child).daemoned && !self.node(parent).daemoned {
                self.run.table.get_mut(parent).daemoned = true;
                self.updated = true;
            }
        }
        let is_over = self.named(&name).is_some_and(|child| self.node(child).is_fulfilled());
        match walked {
            Ok(_) => {}
            Err(Halt::Error(_)) if retries_errors(strategy) => {}
            Err(halt) => return Err(halt),
        }
        if !is_over || self.node(parent).is_fulfilled() {
            return Ok(Some(parent));
        }
        // The end of an attempt decides in the same pass what comes next.
        let walked = self.execute_template(call);
        if let Err(halt) = &walked
            && let Some(child) = self.named(&name)
        {
            self.mark_error(child, &halt.text());
        }
        walked
    }

    /// `retries`, `lastRetry.*` and `pod.name` of an attempt filled in.
    fn for_attempt(
        &mut self,
        parent: At,
        current: Option<At>,
        template: &Arc<Prepared>,
    ) -> Result<Arc<Prepared>, String> {
        if template.is_plain {
            return Ok(Arc::clone(template));
        }
        let attempts = self.attempts(parent);
        let number = match current {
            Some(current) => attempts.iter().position(|at| *at == current).unwrap_or_default(),
            None => attempts.len(),
        };
        // An attempt under way is the last one itself.
        let mut names = self.last_retry_names(current.or_else(|| attempts.last().copied()));
        names.insert("retries".to_owned(), number.to_string());
        let name = current.map_or_else(
            || format!("{}({number})", self.node(parent).name),
            |current| self.node(current).name.0.clone(),
        );
        if template.kind.is_pod() {
            names.insert("pod.name".to_owned(), self.pod_name(&name, &template.template.name));
        }
        names.extend(self.globals.iter().map(|(name, value)| (name.clone(), value.clone())));
        let mut filled = substitute(&template.template, &template.holder, &names)?;
        filled.declared.clone_from(&template.declared);
        Ok(Arc::new(filled))
    }

    /// Whether a template is called again and again inside itself. A walk that does not go down into boxes
    /// has no depth of its own.
    fn recurses(&self, call: &Call<'_>, template: &Prepared) -> bool {
        let name = &template.template.name;
        if name.is_empty() || !matches!(template.kind, Kind::Dag | Kind::Steps) {
            return false;
        }
        let mut depth = 1;
        let mut next = call.around.boundary;
        while let Some(at) = next {
            let around = self.node(at).template.as_ref();
            let is_same = around
                .is_some_and(|around| around.template.name == *name && around.holder == template.holder);
            depth += u32::from(is_same);
            next = self.node(at).boundary;
        }
        depth >= DEPTH_LIMIT
    }

    /// Gives a node that was taken up its place among the members of its box. `true`: it had none.
    fn put_in_place(&mut self, node: At, call: &Call<'_>) -> bool {
        let is_new = self.node(node).place.is_none() && call.around.place.is_some();
        if is_new {
            self.run.table.get_mut(node).place = call.around.place;
        }
        is_new
    }

    /// Executes a template by its kind.
    fn execute_kind(&mut self, call: &Call<'_>, template: &Arc<Prepared>) -> Walk<Option<At>> {
        if let Some(node) = self.named(call.name) {
            self.put_in_place(node, call);
        }
        let walked = match template.kind {
            Kind::Container | Kind::Script | Kind::Resource | Kind::Data | Kind::ContainerSet => {
                self.execute_pod(call, template)
            }
            Kind::Dag | Kind::Steps if self.walks_touched() => {
                self.open_box(call, template);
                Ok(())
            }
            Kind::Steps => match self.execute_steps(call, template) {
                Ok(Some(group)) => return Ok(Some(group)),
                Ok(None) => Ok(()),
                Err(halt) => Err(halt),
            },
            Kind::Dag => self.execute_dag(call, template),
            Kind::Suspend => self.execute_suspend(call, template),
            Kind::Http | Kind::Plugin => {
                self.execute_task(call, template);
                Ok(())
            }
            Kind::Missing => {
                let text = format!("Template '{}' missing specification", template.template.name);
                self.add_refused(call, &text);
                return Err(Halt::Error(text));
            }
        };
        match walked {
            Ok(()) => {
                let node = self.named(call.name);
                if let Some(node) = node
                    && self.node(node).is_fulfilled()
                {
                    self.release_lock(node, template);
                }
                Ok(node)
            }
            Err(Halt::Error(text)) => {
                if let Some(node) = self.named(call.name) {
                    self.mark_error(node, &text);
                    self.release_lock(node, template);
                }
                Err(Halt::Error(text))
            }
            Err(halt) => Err(halt),
        }
    }

    /// `workflows.argoproj.io/display-name` of a template's metadata.
    /// Source: Argo `operator.go`, `setNodeDisplayName`, `displayNameRegex`.
    fn show_display_name(&mut self, node: At, template: &Prepared) -> Result<(), String> {
        let annotations = template.template.other.get("annotations");
        let in_metadata =
            template.template.other.get("metadata").and_then(|metadata| metadata.get("annotations"));
        let key = "workflows.argoproj.io/display-name";
        let shown = annotations.or(in_metadata).and_then(|all| all.get(key)).and_then(|text| text.as_str());
        let Some(shown) = shown.filter(|shown| !shown.is_empty()) else { return Ok(()) };
        if !is_display_name(shown) {
            return Err(
                "displayName must match the regex ^[a-zA-Z0-9][a-zA-Z0-9-.]{0,61}[a-zA-Z0-9]$".to_owned()
            );
        }
        if self.node(node).display_name() != shown {
            let shown = shown.to_owned();
            self.run.table.get_mut(node).show_as(&shown);
            self.updated = true;
        }
        Ok(())
    }

    /// Names that the last attempt gives to the next.
    pub(crate) fn last_retry_names(&self, last: Option<At>) -> BTreeMap<String, String> {
        let mut names = BTreeMap::new();
        let mut put = |name: &str, value: String| names.insert(format!("lastRetry.{name}"), value);
        match last.map(|last| self.node(last)) {
            None => {
                put("exitCode", "0".to_owned());
                put("duration", "0".to_owned());
                put("status", String::new());
                put("message", String::new());
            }
            Some(last) => {
                let code = last.outputs.as_ref().and_then(|outputs| outputs.exit_code.clone());
                put("exitCode", code.unwrap_or_else(|| "0".to_owned()));
                put("duration", seconds_between(last.started_at, last.finished_at));
                put("status", last.phase.as_str().to_owned());
                put("message", last.message.clone());
            }
        }
        names
    }
}

/// Whole seconds, as Go prints a float of them.
pub(crate) fn seconds_between(
    from: Option<unwind_model::Timestamp>,
    to: Option<unwind_model::Timestamp>,
) -> String {
    let ms = from.zip(to).map_or(0, |(from, to)| to - from);
    if ms % 1000 == 0 { (ms / 1000).to_string() } else { format!("{}", ms as f64 / 1000.0) }
}

fn retries_errors(strategy: &unwind_model::features::RetryStrategy) -> bool {
    matches!(strategy.retry_policy.as_str(), "Always" | "OnError" | "OnTransientError")
        || strategy.retry_policy.is_empty() && !strategy.expression.is_empty()
}

fn is_display_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    (2..=63).contains(&text.len())
        && text.bytes().all(inner)
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().last().is_some_and(|byte| byte.is_ascii_alphanumeric())
}

impl Reference {
    /// The name that nodes show: empty for an inline template and for a reference.
    pub(crate) fn name(&self) -> &str {
        &self.template
    }

    /// `templateRef` as nodes show it.
    pub(crate) fn template_ref_json(&self) -> Option<serde_json::Value> {
        let by = self.template_ref.as_ref()?;
        let mut shown = serde_json::json!({"name": by.name, "template": by.template});
        if by.cluster_scope {
            shown["clusterScope"] = true.into();
        }
        Some(shown)
    }
}
