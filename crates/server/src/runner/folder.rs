//! The folder of one leaf: what server and shim tell each other, in files that outlive both.
//!
//! In and out: `order.json` (what to start), `claim.json` (who starts it, made exactly once),
//! `process.json` (the process, written before the program begins), `report.json` (how it ended),
//! `result` (the end of its standard output), `main.log`; of a leaf of several programs `pod.json` and
//! `containers.json`. A file is there whole or not at all. Nothing is decided here.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cgroup::Cgroup;
use super::identity::Identity;
use super::pod::{Containers, PodOrder};

/// What the shim is to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// Program and arguments; never empty.
    pub argv: Vec<String>,
    /// The whole environment of the program.
    pub env: Vec<(String, String)>,
    /// Folder it starts in.
    pub working_dir: PathBuf,
    /// Image that the template names; it is not run, but told about when the program is missing.
    pub image: String,
    /// Whether its standard output is kept apart, too.
    #[serde(default)]
    pub result: bool,
    /// Whether it gets a `/tmp` of its own.
    #[serde(default)]
    pub own_tmp: bool,
}

/// Who has the right to start the leaf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "camelCase")]
pub enum Claim {
    /// This shim starts it.
    Shim {
        /// Its process.
        shim: Identity,
    },
    /// Nobody: it was told to end before any shim came to start it.
    Withdrawn,
}

/// The program as it began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// Its process, which leads its group.
    pub process: Identity,
    /// Its control group, where one could be made.
    pub cgroup: Option<Cgroup>,
}

impl Begun {
    /// Asks the program and its group to end.
    pub fn ask_to_end(&self) -> io::Result<()> {
        self.process.signal_group(Signal::TERM)
    }

    /// Ends the program, its group and its control group.
    pub fn kill(&self) -> io::Result<()> {
        let group = self.process.signal_group(Signal::KILL);
        self.cgroup.as_ref().map_or(Ok(()), Cgroup::kill).and(group)
    }
}

/// How a leaf ended, as its shim saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Milliseconds since the epoch.
    pub at_ms: i64,
    /// How.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum Outcome {
    /// It ran; 128 + signal when a signal ended it.
    Exited {
        /// Exit code.
        code: i32,
    },
    /// It could not be started.
    NotStarted {
        /// Why, with the next step.
        message: String,
    },
}

/// The folder of one leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafFolder {
    path: PathBuf,
}

impl LeafFolder {
    /// The folder at `path`; it need not be there yet.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it. Nothing there is no error.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The captured output of the program.
    pub fn log(&self) -> PathBuf {
        self.path.join("main.log")
    }

    /// What the shim itself has to say when it fails.
    pub fn shim_log(&self) -> PathBuf {
        self.path.join("shim.log")
    }

    /// The text of a script.
    pub fn script(&self) -> PathBuf {
        self.path.join("script")
    }

    /// The program's own folder.
    pub fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// What the program sees as `/tmp`, if it has one of its own.
    pub fn tmp(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// Writes the end of the program's standard output.
    pub fn put_result(&self, bytes: &[u8]) -> io::Result<()> {
        let draft = self.path.join("result.draft");
        write_through(&draft, bytes)?;
        fs::rename(&draft, self.path.join("result"))?;
        self.sync()
    }

    /// The end of the program's standard output; empty when none was kept.
    pub fn result(&self) -> io::Result<Vec<u8>> {
        match fs::read(self.path.join("result")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            other => other,
        }
    }

    /// Writes the order.
    pub fn put_order(&self, order: &Order) -> io::Result<()> {
        self.put("order.json", order)
    }

    /// The order; `None` before it was written.
    pub fn order(&self) -> io::Result<Option<Order>> {
        self.take("order.json")
    }

    /// Writes what the leaf's programs are.
    pub fn put_pod(&self, pod: &PodOrder) -> io::Result<()> {
        self.put("pod.json", pod)
    }

    /// What the leaf's programs are; `None`: one alone.
    pub fn pod(&self) -> io::Result<Option<PodOrder>> {
        self.take("pod.json")
    }

    /// Writes how its programs ended so far.
    pub fn put_containers(&self, containers: &Containers) -> io::Result<()> {
        self.put("containers.json", containers)
    }

    /// How its programs ended so far.
    pub fn containers(&self) -> io::Result<Option<Containers>> {
        self.take("containers.json")
    }

    /// Makes the claim. False when there is one already: exactly one call ever gets true.
    pub fn make_claim(&self, claim: &Claim) -> io::Result<bool> {
        // A link, not an exclusive create: so that the claim is never seen half written.
        let name = format!("claim.{}", std::process::id());
        let draft = self.path.join(name);
        write_through(&draft, &to_json(claim)?)?;
        let linked = fs::hard_link(&draft, self.path.join("claim.json"));
        fs::remove_file(&draft)?;
        match linked {
            Ok(()) => {
                self.sync()?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The claim; `None` before one was made.
    pub fn claim(&self) -> io::Result<Option<Claim>> {
        self.take("claim.json")
    }

    /// Writes which process the program will be.
    pub fn put_begun(&self, begun: &Begun) -> io::Result<()> {
        self.put("process.json", begun)
    }

    /// The program's process; `None` before it began.
    pub fn begun(&self) -> io::Result<Option<Begun>> {
        self.take("process.json")
    }

    /// Writes why the program could not take the place of the shim's child.
    pub fn put_refusal(&self, message: &str) -> io::Result<()> {
        self.put("refusal.json", &message)
    }

    /// Why the program could not be run; `None` when it could.
    pub fn refusal(&self) -> io::Result<Option<String>> {
        self.take("refusal.json")
    }

    /// Writes how it ended.
    pub fn put_report(&self, report: &Report) -> io::Result<()> {
        self.put("report.json", report)
    }

    /// How it ended; `None` before it has.
    pub fn report(&self) -> io::Result<Option<Report>> {
        self.take("report.json")
    }

    fn put(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        let draft = self.path.join(format!("{name}.draft"));
        write_through(&draft, &to_json(value)?)?;
        fs::rename(&draft, self.path.join(name))?;
        self.sync()
    }

    fn take<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        match fs::read(self.path.join(name)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

fn to_json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_claim_holds() {
        let temp = tempfile::tempdir().expect("a folder");
        let folder = LeafFolder::at(temp.path().to_owned());
        assert_eq!(folder.claim().expect("readable"), None);
        assert!(folder.make_claim(&Claim::Withdrawn).expect("writable"));
        let shim = Claim::Shim { shim: Identity::own().expect("own identity") };
        assert!(!folder.make_claim(&shim).expect("writable"));
        assert_eq!(folder.claim().expect("readable"), Some(Claim::Withdrawn));
    }

    #[test]
    fn reports_are_read_back() {
        let temp = tempfile::tempdir().expect("a folder");
        let folder = LeafFolder::at(temp.path().to_owned());
        for outcome in [Outcome::Exited { code: 143 }, Outcome::NotStarted { message: "no".to_owned() }] {
            let report = Report { at_ms: 5, outcome };
            folder.put_report(&report).expect("writable");
            assert_eq!(folder.report().expect("readable"), Some(report));
        }
    }
}
