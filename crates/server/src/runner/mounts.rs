//! A `/tmp` of its own for one program: a mount namespace, where needed inside a user namespace.
//!
//! In: the leaf's folder. Out: the asking thread sees the leaf's `tmp` as `/tmp`, the rest of the
//! machine as it is. Called just before the program takes this process's place.
//! See `mount_namespaces(7)`, `user_namespaces(7)`.

use std::fs;
use std::io;

use rustix::mount::{MountPropagationFlags, mount_bind, mount_bind_recursive, mount_change};
use rustix::process::{getgid, getuid};
use rustix::thread::UnshareFlags;

use super::folder::LeafFolder;

/// Gives the asking thread its own `/tmp`. The error is a sentence for the node.
pub fn own_tmp(folder: &LeafFolder) -> Result<(), String> {
    enter().and_then(|()| mount(folder)).map_err(|error| {
        format!(
            "this machine lets no program have a `/tmp` of its own ({error}), so a file below `/tmp` cannot be \
             told from that of another node: name an output file relative to the working folder, or allow \
             user namespaces"
        )
    })
}

fn enter() -> io::Result<()> {
    match unshare(UnshareFlags::NEWNS) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        other => return other,
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

#[expect(deprecated, reason = "unsafe only with flags that part file descriptors, which these do not")]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

fn mount(folder: &LeafFolder) -> io::Result<()> {
    let tmp = folder.tmp();
    fs::create_dir_all(&tmp)?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    // A data folder below `/tmp` would vanish with it.
    if let Ok(rest) = folder.path().strip_prefix("/tmp") {
        let kept = tmp.join(rest);
        fs::create_dir_all(&kept)?;
        mount_bind(folder.path(), &kept)?;
    }
    Ok(mount_bind_recursive(&tmp, "/tmp")?)
}
