//! Which process is meant: its id, when it began, and since which start of the machine.
//!
//! In: `/proc`. Out: identities that can be written down and asked again after a restart. A process
//! id alone is given again to others; with its start time it is not.

use std::fs;
use std::io;

use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

/// One process, told apart from every other that has or will have its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Process id.
    pub pid: i32,
    /// When it began, in clock ticks since the machine started.
    pub started: u64,
    /// Id of this start of the machine.
    pub boot: String,
}

impl Identity {
    /// The process that asks.
    pub fn own() -> io::Result<Self> {
        let pid = i32::try_from(std::process::id()).map_err(io::Error::other)?;
        let stat = Stat::of(pid)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(Self { pid, started: stat.started, boot: boot()? })
    }

    /// True while the process is there and has not ended.
    pub fn is_alive(&self) -> bool {
        let same_boot = boot().is_ok_and(|boot| boot == self.boot);
        let stat = Stat::of(self.pid).ok().flatten();
        same_boot && stat.is_some_and(|stat| stat.started == self.started && !stat.has_ended)
    }

    /// Sends a signal to the group that the process leads, if the process is still there.
    pub fn signal_group(&self, signal: Signal) -> io::Result<()> {
        match Pid::from_raw(self.pid) {
            Some(pid) if self.is_alive() => Ok(kill_process_group(pid, signal)?),
            Some(_) | None => Ok(()),
        }
    }
}

fn boot() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

/// What is read from `/proc/PID/stat`, see proc(5).
struct Stat {
    parent: i32,
    started: u64,
    has_ended: bool,
}

impl Stat {
    /// `None`: no such process.
    fn of(pid: i32) -> io::Result<Option<Self>> {
        match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(text) => Self::parse(&text)
                .map(Some)
                .ok_or_else(|| io::Error::other(format!("cannot read `/proc/{pid}/stat`"))),
            // ESRCH: it ended between open and read.
            Err(error) if matches!(error.raw_os_error(), Some(2 | 3)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The name in parentheses may hold anything, so the fields are counted from its end.
    fn parse(text: &str) -> Option<Self> {
        let (_, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let started = fields.nth(17)?.parse().ok()?;
        Some(Self { parent, started, has_ended: matches!(state, "Z" | "X" | "x") })
    }
}

/// The processes whose parent is `parent`.
pub fn children_of(parent: i32) -> io::Result<Vec<Pid>> {
    let mut children = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        if Stat::of(pid).ok().flatten().is_some_and(|stat| stat.parent == parent) {
            children.extend(Pid::from_raw(pid));
        }
    }
    Ok(children)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_asking_process_is_alive_and_another_start_of_its_id_is_not() {
        let own = Identity::own().expect("own identity");
        assert!(own.is_alive());
        let other_start = Identity { started: own.started + 1, ..own.clone() };
        assert!(!other_start.is_alive());
        let other_boot = Identity { boot: "another".to_owned(), ..own };
        assert!(!other_boot.is_alive());
    }

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        let text = "42 (a) b (c) S 7 42 42 0 -1 4194304 98 0 0 0 0 0 0 0 20 0 1 0 105975 3133440 379";
        let stat = Stat::parse(text).expect("a stat line");
        assert_eq!((stat.parent, stat.started, stat.has_ended), (7, 105_975, false));
    }
}
