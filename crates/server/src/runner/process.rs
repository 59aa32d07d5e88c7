//! One leaf's process: started under a shim or taken up again, told to end, waited for.
//!
//! In: a prepared leaf, the request to end. Out: news for the supervisor, at most one `Started` and
//! exactly one `Ended`. Everything it knows comes from the leaf's folder, so the same code serves a
//! new leaf and one that ran before the server began.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep};
use unwind_engine::LeafEnd;
use unwind_engine::event::LeafStart;
use unwind_model::Timestamp;

use super::folder::{Begun, Claim, LeafFolder, Outcome};
use super::workspace::Gear;
use super::{shim, workspace};

/// How often the folder is looked at until the program runs.
const BEGINNING: Duration = Duration::from_millis(3);
/// The same for a program that was started by an earlier server, whose end nobody signals.
const TAKEN_UP: Duration = Duration::from_millis(40);
/// The same where the end of the shim is signalled; only against a lost signal.
const OWN: Duration = Duration::from_secs(1);

/// What became of a leaf.
#[derive(Clone, Debug, PartialEq)]
pub enum LeafNews {
    /// Its program runs.
    Started,
    /// One of its containers has ended.
    ContainerEnded {
        /// Which.
        name: String,
        /// Exit code.
        code: i32,
    },
    /// Its program is over, or will never run.
    Ended {
        /// How.
        end: LeafEnd,
        /// When, by its shim.
        at: Option<Timestamp>,
    },
}

/// What is needed to drive one leaf.
#[derive(Debug)]
pub struct LeafTask {
    /// Its folder.
    pub folder: LeafFolder,
    /// What is to be started.
    pub start: LeafStart,
    /// What else it is.
    pub gear: Gear,
    /// How many programs may run at once.
    pub places: Arc<Semaphore>,
    /// True when `Started` was told before.
    pub told_started: bool,
    /// True once it is to end. The sender is dropped when the server closes: then this ends too
    /// and leaves the process alone.
    pub end: watch::Receiver<bool>,
}

/// How far the ladder of ending has been climbed.
enum Ladder {
    NotAsked,
    /// TERM was sent; KILL comes at this time.
    Asked(Instant),
    Killed,
}

impl LeafTask {
    /// Starts the leaf if nobody has, and follows it to its end. `prepared` is what preparing its
    /// folder came to.
    pub async fn drive(mut self, workflow: &unwind_model::Workflow, tell: impl Fn(LeafNews)) {
        let _place = match self.place().await {
            Place::Taken(place) => place,
            Place::NotNeeded => return tell(withdrawn()),
            Place::Closed => return,
        };
        let mut child = match self.begin(workflow) {
            Ok(child) => child,
            Err(message) => return tell(not_started(message)),
        };
        let mut ladder = Ladder::NotAsked;
        let mut told = BTreeSet::new();
        loop {
            let seen = self.look(&mut ladder, child.is_some());
            if self.told_started {
                self.tell_containers(&mut told, &tell);
            }
            match seen {
                Ok(Seen::Goes) => {}
                Ok(Seen::Runs) => {
                    self.told_started = true;
                    tell(LeafNews::Started);
                }
                Ok(Seen::Over(news)) => {
                    let ran = !matches!(&news, LeafNews::Ended { end: LeafEnd::NotStarted { .. }, .. });
                    if ran && !self.told_started {
                        tell(LeafNews::Started);
                        self.tell_containers(&mut told, &tell);
                    }
                    return tell(news);
                }
                Err(error) => {
                    tracing::warn!(node = %self.start.name, %error, "cannot read the leaf's folder");
                    sleep(OWN).await;
                }
            }
            if !self.wait(&mut child, &ladder).await {
                return;
            }
        }
    }

    /// Waits for a free place, unless the leaf is claimed already.
    async fn place(&mut self) -> Place {
        let is_claimed = self.folder.claim().is_ok_and(|claim| claim.is_some());
        if is_claimed {
            return Place::Taken(Arc::clone(&self.places).try_acquire_owned().ok());
        }
        tokio::select! {
            biased;
            asked = self.end.wait_for(|asked| *asked) => if asked.is_err() {
                return Place::Closed;
            },
            place = Arc::clone(&self.places).acquire_owned() => return Place::Taken(place.ok()),
        }
        // An earlier server's shim may be on its way: the claim tells who was first.
        let withdrawn = std::fs::create_dir_all(self.folder.path())
            .and_then(|()| self.folder.make_claim(&Claim::Withdrawn));
        match withdrawn {
            Ok(false) => Place::Taken(None),
            Ok(true) | Err(_) => Place::NotNeeded,
        }
    }

    /// Spawns a shim unless the leaf is claimed already.
    fn begin(&self, workflow: &unwind_model::Workflow) -> Result<Option<Child>, String> {
        let claimed =
            |error: io::Error| format!("cannot read the folder `{}`: {error}", self.folder.path().display());
        if self.folder.claim().map_err(claimed)?.is_some() {
            return Ok(None);
        }
        workspace::prepare(&self.folder, workflow, &self.start, &self.gear)?;
        self.spawn()
            .map(Some)
            .map_err(|error| format!("cannot start the shim `{}`: {error}", self.gear.shim.program.display()))
    }

    fn spawn(&self) -> io::Result<Child> {
        let log = OpenOptions::new().create(true).append(true).open(self.folder.shim_log())?;
        Command::new(&self.gear.shim.program)
            .args(&self.gear.shim.args)
            .arg(shim::START)
            .arg(self.folder.path())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
    }

    /// Looks at the folder once and climbs the ladder where that is due.
    fn look(&self, ladder: &mut Ladder, shim_is_ours: bool) -> io::Result<Seen> {
        // The claim is read first: a shim that was seen dead cannot write a report later.
        let claim = self.folder.claim()?;
        let shim_lives = match &claim {
            Some(Claim::Shim { shim }) => shim.is_alive(),
            Some(Claim::Withdrawn) => false,
            None => shim_is_ours,
        };
        if let Some(report) = self.folder.report()? {
            let end = match report.outcome {
                Outcome::Exited { code } => self.exited(code)?,
                Outcome::NotStarted { message } => LeafEnd::NotStarted { message },
            };
            let at = Some(Timestamp(report.at_ms));
            return Ok(Seen::Over(LeafNews::Ended { end, at }));
        }
        let begun = self.folder.begun()?;
        if !shim_lives {
            return Ok(Seen::Over(self.without_shim(claim.as_ref(), begun.as_ref())));
        }
        if *self.end.borrow() {
            match &begun {
                Some(begun) => climb(ladder, begun, self.gear.grace),
                // Withdrawn means that the program never will run; a claim of the shim means that
                // it is about to, and then it is asked in the next look.
                None if claim.is_none() && self.folder.make_claim(&Claim::Withdrawn)? => {
                    return Ok(Seen::Over(withdrawn()));
                }
                None => {}
            }
        }
        Ok(match begun {
            Some(_) if !self.told_started => Seen::Runs,
            Some(_) | None => Seen::Goes,
        })
    }

    /// What a leaf whose program ended has come to.
    fn exited(&self, code: i32) -> io::Result<LeafEnd> {
        let containers = self.folder.containers()?.unwrap_or_default();
        if let Some(message) = containers.failure {
            return Ok(LeafEnd::Lost { message });
        }
        Ok(match self.gear.wanted.gather(&self.folder, code) {
            Ok(outputs) => LeafEnd::Exited { code, outputs },
            Err(message) => LeafEnd::Lost { message },
        })
    }

    /// Tells of containers that have ended since.
    fn tell_containers(&self, told: &mut BTreeSet<String>, tell: &impl Fn(LeafNews)) {
        if !self.gear.pod.as_ref().is_some_and(|pod| pod.is_set) {
            return;
        }
        // What cannot be read now is told with the end.
        let ended = self.folder.containers().ok().flatten().unwrap_or_default();
        for (name, code) in ended.codes {
            if told.insert(name.clone()) {
                tell(LeafNews::ContainerEnded { name, code });
            }
        }
    }

    /// What a leaf without report and without living shim came to.
    fn without_shim(&self, claim: Option<&Claim>, begun: Option<&Begun>) -> LeafNews {
        match (claim, begun) {
            (Some(Claim::Withdrawn), _) => withdrawn(),
            (_, Some(begun)) => {
                // The program died with its shim; what it had started may not have.
                if let Err(error) = begun.kill() {
                    tracing::warn!(pid = begun.process.pid, %error, "cannot end what the program left");
                }
                LeafNews::Ended {
                    end: LeafEnd::Lost {
                        message: format!(
                            "the shim of process {} ended without a report; what the program came to is not known",
                            begun.process.pid
                        ),
                    },
                    at: None,
                }
            }
            (_, None) => not_started(format!(
                "the shim ended before it started the program; see `{}`",
                self.folder.shim_log().display()
            )),
        }
    }

    /// Waits until another look is worth it. False when the server closes.
    async fn wait(&mut self, child: &mut Option<Child>, ladder: &Ladder) -> bool {
        let pause = match (child.is_some(), self.told_started) {
            (_, false) => BEGINNING,
            (true, true) => OWN,
            (false, true) => TAKEN_UP,
        };
        let until = match ladder {
            Ladder::Asked(kill_at) => (Instant::now() + pause).min(*kill_at),
            Ladder::NotAsked | Ladder::Killed => Instant::now() + pause,
        };
        let shim_ends = async {
            match child.as_mut() {
                Some(child) => child.wait().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = self.end.changed() => return changed.is_ok(),
            () = tokio::time::sleep_until(until) => return true,
            _ = shim_ends => {}
        }
        *child = None;
        true
    }
}

/// What waiting for a place came to.
enum Place {
    /// The leaf may go on; without a permit when it runs already.
    Taken(Option<OwnedSemaphorePermit>),
    /// It was told to end before it had a place.
    NotNeeded,
    /// The server closes.
    Closed,
}

/// What one look at the folder came to.
enum Seen {
    Goes,
    Runs,
    Over(LeafNews),
}

fn climb(ladder: &mut Ladder, begun: &Begun, grace: Duration) {
    let (done, next) = match ladder {
        Ladder::NotAsked => (begun.ask_to_end(), Ladder::Asked(Instant::now() + grace)),
        Ladder::Asked(kill_at) if *kill_at <= Instant::now() => (begun.kill(), Ladder::Killed),
        Ladder::Asked(_) | Ladder::Killed => return,
    };
    if let Err(error) = done {
        tracing::warn!(pid = begun.process.pid, %error, "cannot signal the program");
    }
    *ladder = next;
}

fn withdrawn() -> LeafNews {
    not_started("told to end before its program began".to_owned())
}

fn not_started(message: String) -> LeafNews {
    LeafNews::Ended { end: LeafEnd::NotStarted { message }, at: None }
}
