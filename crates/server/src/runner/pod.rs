//! A leaf of several programs: what comes before it, the containers of a set, what runs beside it.
//!
//! In: `pod.json` in the leaf's folder. Out: the exit code of the whole, `containers.json` with how each
//! ended. This is itself the program of the leaf, run by the shim: its programs are in its process
//! group, so what ends the leaf ends them all. Sources: Argo `cmd/argoexec/commands/emissary.go`
//! (dependencies), `workflow/controller/workflowpod.go` (init containers, sidecars).

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use unwind_engine::event::LeafStart;
use unwind_model::Template;
use unwind_model::features::{ContainerSet, field};
use unwind_model::spec::Container;

use super::folder::{LeafFolder, Order};
use super::shim::{command, find_program};
use super::tee::Tee;

/// Exit code of a container that did not begin because another failed.
/// Source: `cmd/argoexec/commands/emissary.go`.
const NOT_BEGUN: i32 = 64;
/// The container whose exit code and outputs are those of the leaf.
const MAIN: &str = "main";

/// The programs of a leaf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodPlan {
    /// One after the other, before all others.
    pub before: Vec<Container>,
    /// What the leaf is there for.
    pub main: Vec<Container>,
    /// Run while the main ones do.
    pub beside: Vec<Container>,
    /// How often a container of a set is tried again, and after how many milliseconds.
    pub retries: (u32, u64),
    /// Whether the main ones have nodes of their own.
    pub is_set: bool,
}

impl PodPlan {
    /// What a template asks for; `None`: one program alone.
    pub fn of(template: &Template) -> Option<Self> {
        let listed = |name| field::<Vec<Container>>(&template.other, name).ok().flatten().unwrap_or_default();
        let (before, beside) = (listed("initContainers"), listed("sidecars"));
        let set = template.container_set().ok().flatten();
        if before.is_empty() && beside.is_empty() && set.is_none() {
            return None;
        }
        let mut plan = Self { before, beside, is_set: set.is_some(), ..Self::default() };
        if let Some(set) = set {
            plan.main = set.containers;
            let strategy = set.retry_strategy.unwrap_or_default();
            let pause = unwind_engine::lang::go::parse_duration(&strategy.duration).unwrap_or_default();
            plan.retries = (
                strategy.retries.and_then(|text| text.parse().ok()).unwrap_or_default(),
                u64::try_from(pause / 1_000_000).unwrap_or_default(),
            );
        } else {
            plan.main.extend(template.container.clone().or(template.script.clone()));
        }
        Some(plan)
    }

    /// The same as what is to be started. `main` is the order of the leaf's only main program, if it
    /// has just one.
    pub fn order(&self, start: &LeafStart, main: &Order, grace: Duration) -> Result<PodOrder, String> {
        let of = |containers: &[Container]| -> Result<Vec<ContainerOrder>, String> {
            containers.iter().map(|container| container_order(container, start, main)).collect()
        };
        let mut order = PodOrder {
            before: of(&self.before)?,
            main: of(&self.main)?,
            beside: of(&self.beside)?,
            retries: self.retries,
            grace_ms: u64::try_from(grace.as_millis()).unwrap_or(u64::MAX),
            keeps_result: main.result,
        };
        if !self.is_set
            && let Some(only) = order.main.first_mut()
        {
            MAIN.clone_into(&mut only.name);
            only.order = Order { own_tmp: false, result: false, ..main.clone() };
        }
        for one in order.before.iter().chain(&order.main).chain(&order.beside) {
            find_program(&one.order).map_err(|error| format!("container `{}`: {error}", one.name))?;
        }
        Ok(order)
    }
}

fn container_order(container: &Container, start: &LeafStart, main: &Order) -> Result<ContainerOrder, String> {
    let name = ContainerSet::name(container).to_owned();
    let needs = ContainerSet::dependencies(container).map_err(|error| error.to_string())?;
    let own = |variable: &str| start.env.iter().any(|(known, _)| known == variable);
    let mut env: Vec<(String, String)> = main.env.iter().filter(|(name, _)| !own(name)).cloned().collect();
    let mut set = |variable: &str, value: &str| {
        env.retain(|(known, _)| known != variable);
        env.push((variable.to_owned(), value.to_owned()));
    };
    set("ARGO_CONTAINER_NAME", &name);
    for entry in &container.env {
        let text = |field: &str| entry.get(field).and_then(serde_json::Value::as_str).unwrap_or_default();
        set(text("name"), text("value"));
    }
    let mut argv = container.command.clone();
    argv.extend(container.args.iter().cloned());
    let working_dir = match &container.working_dir {
        Some(dir) => main.working_dir.join(dir),
        None => main.working_dir.clone(),
    };
    let image = container.image.clone();
    let order = Order { argv, env, working_dir, image, result: false, own_tmp: false };
    Ok(ContainerOrder { name, needs, order })
}

/// What the leaf's own program is to start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodOrder {
    before: Vec<ContainerOrder>,
    main: Vec<ContainerOrder>,
    beside: Vec<ContainerOrder>,
    retries: (u32, u64),
    grace_ms: u64,
    keeps_result: bool,
}

/// One program of a leaf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ContainerOrder {
    name: String,
    needs: Vec<String>,
    order: Order,
}

/// How the programs of a leaf ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Containers {
    /// Exit codes by name.
    pub codes: BTreeMap<String, i32>,
    /// Why the main ones did not begin.
    pub failure: Option<String>,
}

/// Runs the programs of a leaf; gives the exit code of the whole.
pub(super) fn run(folder: &LeafFolder) -> io::Result<i32> {
    let order = folder.pod()?.ok_or_else(|| io::Error::other("its folder holds no `pod.json`"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(Pod { folder, order, ended: Containers::default() }.run())
}

struct Pod<'a> {
    folder: &'a LeafFolder,
    order: PodOrder,
    ended: Containers,
}

impl Pod<'_> {
    async fn run(mut self) -> io::Result<i32> {
        let mut term = signal(SignalKind::terminate())?;
        let (asked, mut ending) = watch::channel(false);
        tokio::spawn(async move {
            while term.recv().await.is_some() {
                asked.send_replace(true);
            }
        });
        for container in std::mem::take(&mut self.order.before) {
            let code = code(self.spawn(&container, None)?.wait().await?);
            if code != 0 {
                let failure = format!("init container `{}`: Error (exit code {code})", container.name);
                self.ended.failure = Some(failure);
                self.folder.put_containers(&self.ended)?;
                return Ok(code);
            }
            if *ending.borrow() {
                return Ok(128 + Signal::TERM.as_raw());
            }
        }
        let mut beside = Vec::new();
        for container in std::mem::take(&mut self.order.beside) {
            beside.push(self.spawn(&container, None)?);
        }
        let tee = if self.order.keeps_result { Some(Tee::begin(self.folder)?) } else { None };
        let (tee, pipe) = tee.map_or((None, None), |(tee, pipe)| (Some(tee), Some(pipe)));
        self.run_main(pipe, &mut ending).await?;
        self.end_beside(beside).await;
        if let Some(tee) = tee {
            self.folder.put_result(&tee.end())?;
        }
        Ok(self.code())
    }

    /// The code of `main`, or of the first that failed.
    fn code(&self) -> i32 {
        let codes = &self.ended.codes;
        let mut failed =
            self.order.main.iter().filter_map(|one| codes.get(&one.name)).filter(|code| **code != 0);
        match codes.get(MAIN) {
            Some(code) if *code != 0 => *code,
            Some(_) | None => failed.next().copied().unwrap_or_default(),
        }
    }

    /// Each main program as soon as those it needs have ended well.
    async fn run_main(
        &mut self,
        pipe: Option<io::PipeWriter>,
        ending: &mut watch::Receiver<bool>,
    ) -> io::Result<()> {
        let mut open = self.order.main.clone();
        let mut running: JoinSet<io::Result<(ContainerOrder, u32, i32)>> = JoinSet::new();
        loop {
            let codes = &self.ended.codes;
            let (ready, rest): (Vec<_>, Vec<_>) = open
                .into_iter()
                .partition(|one| *ending.borrow() || one.needs.iter().all(|need| codes.contains_key(need)));
            open = rest;
            let is_idle = ready.is_empty();
            for one in ready {
                let may = !*ending.borrow() && one.needs.iter().all(|need| self.ended.codes[need] == 0);
                if may {
                    self.begin(one, 0, pipe.as_ref(), &mut running)?;
                } else {
                    self.note(&one.name, NOT_BEGUN)?;
                }
            }
            if !is_idle {
                continue;
            }
            // Needs that name nobody, or each other, are refused before.
            let Some(ended) = running.join_next().await else { return Ok(()) };
            let (one, tries, code) = ended.map_err(io::Error::other)??;
            if code != 0 && tries < self.order.retries.0 && !*ending.borrow() {
                tokio::time::sleep(Duration::from_millis(self.order.retries.1)).await;
                self.begin(one, tries + 1, pipe.as_ref(), &mut running)?;
            } else {
                self.note(&one.name, code)?;
            }
        }
    }

    fn begin(
        &self,
        one: ContainerOrder,
        tries: u32,
        pipe: Option<&io::PipeWriter>,
        running: &mut JoinSet<io::Result<(ContainerOrder, u32, i32)>>,
    ) -> io::Result<()> {
        let pipe = pipe.filter(|_| one.name == MAIN).map(io::PipeWriter::try_clone).transpose()?;
        let mut child = self.spawn(&one, pipe)?;
        running.spawn(async move { Ok((one, tries, code(child.wait().await?))) });
        Ok(())
    }

    fn note(&mut self, name: &str, code: i32) -> io::Result<()> {
        self.ended.codes.insert(name.to_owned(), code);
        self.folder.put_containers(&self.ended)
    }

    fn spawn(&self, one: &ContainerOrder, pipe: Option<io::PipeWriter>) -> io::Result<Child> {
        let order = &one.order;
        let log = OpenOptions::new().create(true).append(true).open(self.folder.log())?;
        let program = find_program(order).map_err(io::Error::other)?;
        let stdout = match pipe {
            Some(pipe) => Stdio::from(pipe),
            None => Stdio::from(log.try_clone()?),
        };
        Command::from(command(&program, order, stdout, log.into())).spawn()
    }

    /// Asks what runs beside to end, and waits for it for a while; the shim ends the rest.
    async fn end_beside(&self, beside: Vec<Child>) {
        let mut ends = JoinSet::new();
        for mut child in beside {
            let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
            if let Some(pid) = pid {
                // It may have ended by itself.
                let _ = kill_process(pid, Signal::TERM);
            }
            ends.spawn(async move { child.wait().await });
        }
        let all = async { while ends.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(Duration::from_millis(self.order.grace_ms), all).await;
    }
}

/// 128 + signal as in a pod.
fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(255)
}
