//! Folders of runs and leaves, and what a leaf's program finds around it.
//!
//! In: the data folder, a leaf as the engine wants it started. Out: its folder and its order.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use unwind_api::pod::pod_name;
use unwind_engine::event::LeafStart;
use unwind_engine::library::Library;
use unwind_model::{NodeId, Template, Workflow};

use super::folder::{LeafFolder, Order};
use super::outputs::Wanted;
use super::pod::PodPlan;
use super::shim;
use crate::backend::ShimProgram;

/// Variables of the server that programs may see; everything else stays with the server.
const PASSED_ON: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];
/// Taken when the server itself has no `PATH`.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The files of one run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// The folder of the run with this uid.
    pub fn of(data: &Path, uid: &str) -> Self {
        Self { path: data.join("runs").join(file_name(uid)) }
    }

    /// The folder of one of its leaves; it need not be there.
    pub fn leaf(&self, node: &NodeId) -> LeafFolder {
        LeafFolder::at(self.path.join(file_name(node.as_str())))
    }

    /// Removes all its files. Nothing there is no error.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// An id as the name of a file: what is not a letter, digit, `-` or inner `.` becomes `_`.
fn file_name(id: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let name: String = id.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    match name.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None => name,
    }
}

/// What a leaf is beside what the engine wants started.
#[derive(Clone, Debug)]
pub struct Gear {
    /// What it is to give.
    pub wanted: Wanted,
    /// Its programs, where there is more than one.
    pub pod: Option<PodPlan>,
    /// Program that runs several.
    pub shim: ShimProgram,
    /// Time between TERM and KILL.
    pub grace: Duration,
}

/// Makes the leaf's folder with its script and order. The error is a sentence for the node.
pub fn prepare(
    folder: &LeafFolder,
    workflow: &Workflow,
    start: &LeafStart,
    gear: &Gear,
) -> Result<(), String> {
    let is_set = gear.pod.as_ref().is_some_and(|pod| pod.is_set);
    if start.command.is_empty() && !is_set {
        return Err(format!(
            "no command for image `{}`: commands run on this machine and images are not read; \
             name a program in `command`",
            start.image
        ));
    }
    let unwritable =
        |error: io::Error| format!("cannot write to the folder `{}`: {error}", folder.path().display());
    let mut order = order(folder, workflow, start, &gear.wanted).map_err(unwritable)?;
    if let Some(pod) = &gear.pod {
        let programs = pod.order(start, &order, gear.grace)?;
        folder.put_pod(&programs).map_err(unwritable)?;
        let text = |part: &OsStr| part.to_string_lossy().into_owned();
        order.argv = vec![text(gear.shim.program.as_os_str())];
        order.argv.extend(gear.shim.args.iter().map(|part| text(part)));
        order.argv.extend([shim::POD.to_owned(), text(folder.path().as_os_str())]);
        order.working_dir = folder.work();
        order.result = false;
    }
    folder.put_order(&order).map_err(unwritable)
}

fn order(folder: &LeafFolder, workflow: &Workflow, start: &LeafStart, wanted: &Wanted) -> io::Result<Order> {
    let mut argv = start.command.clone();
    argv.extend(start.args.iter().cloned());
    fs::create_dir_all(folder.work())?;
    if let Some(source) = &start.source {
        fs::write(folder.script(), source)?;
        argv.push(folder.script().to_string_lossy().into_owned());
    }
    let working_dir = match &start.working_dir {
        Some(dir) => folder.work().join(dir),
        None => folder.work(),
    };
    let own_tmp = wanted.needs_tmp();
    let mut env = environment(workflow, start);
    if own_tmp && start.env.iter().all(|(name, _)| name != "TMPDIR") {
        env.retain(|(name, _)| name != "TMPDIR");
    }
    let image = start.image.clone();
    Ok(Order { argv, env, working_dir, image, result: wanted.result, own_tmp })
}

/// What a template takes from config maps into the environment of its main program.
/// Source: Kubernetes `core/v1`, `EnvVarSource`.
pub fn env_from_maps(template: &Template, library: &Library) -> Vec<(String, String)> {
    let main = template.container.iter().chain(&template.script);
    let entries = main.flat_map(|container| &container.env);
    entries
        .filter_map(|entry| {
            let from = entry.pointer("/valueFrom/configMapKeyRef")?;
            let text = |of: &Value, field: &str| of.get(field).and_then(Value::as_str).map(str::to_owned);
            let value = library.config_map(&text(from, "name")?)?.get(&text(from, "key")?)?;
            Some((text(entry, "name")?, value.clone()))
        })
        .collect()
}

/// A clean environment; what the template sets comes last and wins.
/// Source of the `ARGO_` names: Argo `workflow/common/common.go`.
fn environment(workflow: &Workflow, start: &LeafStart) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> =
        PASSED_ON.iter().filter_map(|name| Some(((*name).to_owned(), env::var(name).ok()?))).collect();
    if found.iter().all(|(name, _)| name != "PATH") {
        found.push(("PATH".to_owned(), USUAL_PATH.to_owned()));
    }
    let meta = &workflow.metadata;
    let pod = pod_name(&meta.name, &start.name, &start.template);
    let ours = [
        ("UNWIND_WORKFLOW", meta.name.as_str()),
        ("UNWIND_NODE", start.name.as_str()),
        ("ARGO_WORKFLOW_NAME", meta.name.as_str()),
        ("ARGO_WORKFLOW_UID", meta.uid.as_str()),
        ("ARGO_NODE_ID", start.node.as_str()),
        ("ARGO_POD_NAME", pod.as_str()),
        ("ARGO_CONTAINER_NAME", "main"),
    ];
    found.extend(ours.map(|(name, value)| (name.to_owned(), value.to_owned())));
    for (name, value) in &start.env {
        found.retain(|(other, _)| other != name);
        found.push((name.clone(), value.clone()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> LeafStart {
        LeafStart {
            node: NodeId::from("orchard-1"),
            name: "orchard.press".into(),
            template: "press".to_owned(),
            image: "alpine".to_owned(),
            command: vec!["sh".to_owned()],
            args: vec!["-e".to_owned()],
            source: Some("echo pressed".to_owned()),
            env: vec![("LANG".to_owned(), "mine".to_owned())],
            working_dir: None,
            on_exit: false,
        }
    }

    fn gear() -> Gear {
        let shim = ShimProgram { program: "/bin/true".into(), args: Vec::new() };
        Gear { wanted: Wanted::default(), pod: None, shim, grace: Duration::ZERO }
    }

    #[test]
    fn a_script_is_the_last_argument() {
        let temp = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::of(temp.path(), "u1").leaf(&"orchard-1".into());
        prepare(&folder, &Workflow::default(), &start(), &gear()).expect("writable");
        let order = folder.order().expect("readable").expect("written");
        let script = folder.script().to_string_lossy().into_owned();
        assert_eq!(order.argv, ["sh".to_owned(), "-e".to_owned(), script]);
        assert_eq!(fs::read_to_string(folder.script()).expect("readable"), "echo pressed");
        assert_eq!(order.working_dir, folder.work());
        let lang: Vec<_> = order.env.iter().filter(|(name, _)| name == "LANG").collect();
        assert_eq!(lang, [&("LANG".to_owned(), "mine".to_owned())]);
    }

    #[test]
    fn without_a_command_the_image_is_named() {
        let temp = tempfile::tempdir().expect("a folder");
        let folder = LeafFolder::at(temp.path().join("leaf"));
        let no_command = LeafStart { command: Vec::new(), ..start() };
        let message =
            prepare(&folder, &Workflow::default(), &no_command, &gear()).expect_err("nothing to run");
        assert!(message.contains("image `alpine`"), "{message}");
    }

    #[test]
    fn ids_cannot_leave_the_folder() {
        let data = Path::new("/data");
        let folder = RunFolder::of(data, "..").leaf(&"../../x".into());
        assert_eq!(folder.path(), Path::new("/data/runs/_./_._.._x"));
    }
}
