//! A control group for one leaf, where the machine lets us make one: the sure way to end everything
//! that a program started, whatever it did to get away.
//!
//! In: `/proc` and the cgroup file system, version 2. Out: a group that can be killed as a whole.
//! Without one, the process group and the shim's sweep do the work.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A control group of our own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    /// Makes one inside the group of the asking process and moves that process into it. `None` where
    /// there is no cgroup 2 with `cgroup.kill` (Linux 5.14) or no right to make one.
    pub fn enter(name: &str) -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let path = folder_of(&own, &mounts)?.join(name);
        fs::create_dir(&path).ok()?;
        let group = Self { path };
        let can_kill = group.path.join("cgroup.kill").exists();
        if can_kill && fs::write(group.path.join("cgroup.procs"), "0").is_ok() {
            return Some(group);
        }
        group.remove();
        None
    }

    /// Sends KILL to every process in it.
    pub fn kill(&self) -> io::Result<()> {
        match fs::write(self.path.join("cgroup.kill"), "1") {
            // It was removed: so nothing is in it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Removes it. Does nothing while a process is in it.
    pub fn remove(&self) {
        // One that stays is an empty folder in memory, gone with the machine's next start.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Where the asking process's group is in the file system, by cgroups(7) and proc(5).
fn folder_of(own: &str, mounts: &str) -> Option<PathBuf> {
    let own = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        if kind.split(' ').next() != Some("cgroup2") {
            return None;
        }
        let mut fields = place.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let inside = Path::new(own).strip_prefix(root).ok()?;
        Some(Path::new(point).join(inside))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_found_below_the_mount() {
        let mounts = "30 1 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      31 1 0:27 /pods /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
        let found = folder_of("4:cpu:/\n0::/pods/one\n", mounts);
        assert_eq!(found, Some(PathBuf::from("/sys/fs/cgroup/one")));
        assert_eq!(folder_of("0::/elsewhere\n", mounts), None);
        assert_eq!(folder_of("4:cpu:/\n", mounts), None);
    }
}
