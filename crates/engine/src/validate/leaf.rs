//! Templates that run something themselves.
//! Source: Argo `workflow/validate/validate.go`, `validateLeaf`, `SubstituteResourceManifestExpressions`;
//! `util/intstr/parametrizable.go`.

use std::collections::BTreeMap;

use regex_lite::Regex;
use serde_json::Value;
use unwind_model::yaml::{self, Limits};
use unwind_model::{Template, WorkflowSpec};

use super::resolve::{Base, Checker, Place};
use super::scope::{PLACEHOLDER, Scope, is_placeholder};
use super::shape::TEMPLATE;
use super::template::raw;
use super::{artifact, container_set, go_json};

const ACTIONS: [&str; 6] = ["get", "create", "apply", "delete", "replace", "patch"];

impl Checker<'_> {
    pub(super) fn check_leaf(
        &self,
        template: &Template,
        scope: &Scope<'_>,
        place: &Place,
    ) -> Result<(), String> {
        let name = &template.name;
        let json = go_json::text_of(template, TEMPLATE).map_err(|error| error.to_string())?;
        self.known(scope).check(&json).map_err(|message| format!("templates.{name}: {message}"))?;
        if let Some(container) = &template.container {
            check_mounts(template)?;
            if container.image.is_empty() && !self.has_default_image("container", place) {
                return Err(format!("templates.{name}.container.image may not be empty"));
            }
        }
        if let Some(set) = raw(template, "containerSet") {
            check_container_set(template, set)?;
        }
        if let Some(resource) = raw(template, "resource") {
            check_resource(template, resource)?;
        }
        let lacks_image = template.script.as_ref().is_some_and(|script| script.image.is_empty());
        if lacks_image && !self.has_default_image("script", place) {
            return Err(format!("templates.{name}.script.image may not be empty"));
        }
        if raw(template, "activeDeadlineSeconds").is_some_and(|seconds| !is_deadline(seconds)) {
            return Err(format!(
                "templates.{name}.activeDeadlineSeconds must be a positive integer > 0 or an argo variable"
            ));
        }
        if raw(template, "parallelism").is_some() {
            return Err(format!("templates.{name}.parallelism is only valid for steps and dag templates"));
        }
        Ok(())
    }

    /// Whether the template defaults of the document have an image. Those of a `ClusterWorkflowTemplate`
    /// do not count, as in Argo.
    fn has_default_image(&self, kind: &str, place: &Place) -> bool {
        let spec: Option<&WorkflowSpec> = match &place.base {
            Base::Document => Some(self.spec),
            Base::Library { name, cluster_scope: false } => self.library.workflow_template(name, false),
            Base::Library { cluster_scope: true, .. } => None,
        };
        spec.and_then(|spec| spec.other.get("templateDefaults"))
            .and_then(|defaults| defaults.get(kind))
            .is_some_and(|container| !artifact::text(container, "image").is_empty())
    }
}

fn check_mounts(template: &Template) -> Result<(), String> {
    let name = &template.name;
    let mounts = template.container.as_ref().and_then(|container| container.other.get("volumeMounts"));
    if let Some((index, path, earlier)) = mounts.and_then(container_set::mounted_twice) {
        return Err(format!(
            "templates.{name}.container.volumeMounts[{index}].mountPath '{path}' already mounted in \
             container.volumeMounts.{earlier}"
        ));
    }
    let mut taken: BTreeMap<&str, String> = mounts
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .map(|mount| {
            let earlier = format!("container.volumeMounts.{}", artifact::text(mount, "name"));
            (artifact::text(mount, "mountPath"), earlier)
        })
        .collect();
    for (index, one) in artifact::list(&template.inputs.other).iter().enumerate() {
        let path = artifact::text(one, "path");
        let this = format!("inputs.artifacts.{}", artifact::text(one, "name"));
        if let Some(earlier) = taken.insert(path, this) {
            return Err(format!(
                "templates.{name}.inputs.artifacts[{index}].path '{path}' already mounted in {earlier}"
            ));
        }
    }
    Ok(())
}

fn check_container_set(template: &Template, set: &Value) -> Result<(), String> {
    let name = &template.name;
    container_set::check(set).map_err(|message| format!("templates.{name}.containerSet.{message}"))?;
    let has_files = !artifact::list(&template.inputs.other).is_empty()
        || !template.outputs.parameters.is_empty()
        || !artifact::list(&template.outputs.other).is_empty();
    if has_files && !container_set::has_main(set) {
        return Err(format!(
            "templates.{name}.containerSet.containers must have a container named \"main\" for input or \
             output"
        ));
    }
    Ok(())
}

fn check_resource(template: &Template, resource: &Value) -> Result<(), String> {
    let name = &template.name;
    let action = artifact::text(resource, "action");
    if !is_placeholder(action) && !ACTIONS.contains(&action) {
        return Err(format!(
            "templates.{name}.resource.action must be one of: get, create, apply, delete, replace, patch"
        ));
    }
    if matches!(action, "delete" | "get") {
        return Ok(());
    }
    let manifest = artifact::text(resource, "manifest");
    let from = resource.get("manifestFrom").filter(|from| !from.is_null());
    match (manifest.is_empty(), from) {
        (true, None) => {
            return Err(format!(
                "either templates.{name}.resource.manifest or templates.{name}.resource.manifestFrom must \
                 be specified"
            ));
        }
        (false, Some(_)) => {
            return Err("shouldn't have both `manifest` and `manifestFrom` specified in `Manifest` for \
                        resource template"
                .to_owned());
        }
        (true, Some(_)) | (false, None) => {}
    }
    if let Some(wanted) = from.and_then(|from| from.get("artifact")).filter(|one| !one.is_null()) {
        let wanted = artifact::text(wanted, "name");
        let inputs = artifact::list(&template.inputs.other);
        if !inputs.iter().any(|one| artifact::text(one, "name") == wanted) {
            return Err(format!("artifact {wanted} in `manifestFrom` refer to a non-exist artifact"));
        }
    }
    if !manifest.is_empty() && !is_placeholder(manifest) && !is_yaml(manifest) {
        return Err(format!("templates.{name}.resource.manifest must be a valid yaml"));
    }
    Ok(())
}

/// Whether a manifest can be read once its expressions are values.
fn is_yaml(manifest: &str) -> bool {
    let expression = Regex::new(r"\{\{\s*=\s*(.+?)\s*\}\}").expect("a constant pattern");
    let filled = expression.replace_all(manifest, PLACEHOLDER);
    yaml::load(&filled, &Limits::default()).is_ok()
}

/// Whether it is a number that is not negative, or a tag.
fn is_deadline(seconds: &Value) -> bool {
    match seconds {
        Value::Number(number) => number.as_i64().is_none_or(|seconds| seconds >= 0),
        Value::String(text) => match text.parse::<i64>() {
            Ok(seconds) => seconds >= 0,
            Err(_) => is_placeholder(text) || (text.starts_with("{{") && text.ends_with("}}")),
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}
