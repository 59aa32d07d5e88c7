//! The shim: the small program that stands between the server and one leaf's program.
//!
//! In: `start FOLDER` (a leaf's folder with its order). Out: claim, process and report in that
//! folder. It must survive the server, start the program at most once, and leave nothing running
//! behind it. It is made of two processes. The first claims the start, waits, sweeps up and reports.
//! The second (`exec FOLDER`) writes down which process it is and then becomes the program: so a
//! folder without `process.json` says that the program never began.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getppid, kill_process, kill_process_group,
    set_child_subreaper, set_parent_process_death_signal, setsid, wait, waitid,
};

use super::cgroup::Cgroup;
use super::folder::{Begun, Claim, LeafFolder, Order, Outcome, Report};
use super::identity::{Identity, children_of};
use super::tee::Tee;
use super::{mounts, pod};
use crate::clock;

/// First word of the shim's arguments: claim and start the leaf in the folder that follows.
pub const START: &str = "start";
/// First word of the shim's second process.
const EXEC: &str = "exec";
/// First word of the program of a leaf that has several.
pub const POD: &str = "pod";

/// How long processes that survived KILL are waited for before the report is written without them.
const SWEEP: Duration = Duration::from_secs(10);
const SWEEP_STEP: Duration = Duration::from_millis(5);

/// The shim's main function: what the program given as `ShimProgram` does with the arguments that
/// follow its own. Call it before any thread is started; `args` must be the end of the program's
/// own arguments, because the second process is started with what stands before them.
pub fn shim_main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    let [word, path] = args.as_slice() else {
        eprintln!("expected `start FOLDER`; the server starts this by itself");
        return ExitCode::from(2);
    };
    let folder = LeafFolder::at(PathBuf::from(path));
    let done = match word.to_str() {
        Some(START) => start(&folder),
        Some(EXEC) => exec(&folder),
        Some(POD) => match pod::run(&folder) {
            Ok(code) => std::process::exit(code),
            Err(error) => Err(error),
        },
        Some(_) | None => Err(io::Error::other("expected `start`, `exec` or `pod`")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("shim of `{}`: {error}", folder.path().display());
            ExitCode::FAILURE
        }
    }
}

/// The first process.
fn start(folder: &LeafFolder) -> io::Result<()> {
    // A session of its own: signals to the server's group and terminal do not come here. It fails
    // only for the leader of a group, which nobody else signals either.
    let _ = setsid();
    let shim = Identity::own()?;
    if !folder.make_claim(&Claim::Shim { shim })? {
        return Ok(());
    }
    let outcome = run(folder).unwrap_or_else(|error| Outcome::NotStarted {
        message: format!("cannot start the program: {error}"),
    });
    folder.put_report(&Report { at_ms: clock::now().millis(), outcome })
}

fn run(folder: &LeafFolder) -> io::Result<Outcome> {
    let order = folder.order()?.ok_or_else(|| io::Error::other("its folder holds no order"))?;
    if let Err(message) = find_program(&order) {
        return Ok(Outcome::NotStarted { message });
    }
    // What the program leaves behind comes back to this process when its parent ends.
    set_child_subreaper(Some(Pid::INIT))?;
    let status = second_process(folder, order.result)?;
    Ok(match folder.refusal()? {
        Some(message) => Outcome::NotStarted { message },
        None => Outcome::Exited { code: code(status) },
    })
}

/// Starts the second process, waits for it, and ends everything that it left behind.
fn second_process(folder: &LeafFolder, keeps_result: bool) -> io::Result<ExitStatus> {
    let own: Vec<OsString> = env::args_os().skip(1).collect();
    let leading = own.len().saturating_sub(2);
    // The pipe goes in as standard input: the other two are the shim's own until the program begins.
    let (tee, stdin) = if keeps_result {
        let (tee, writer) = Tee::begin(folder)?;
        (Some(tee), Stdio::from(writer))
    } else {
        (None, Stdio::null())
    };
    let mut child = Command::new(env::current_exe()?)
        .args(&own[..leading])
        .arg(EXEC)
        .arg(folder.path())
        .stdin(stdin)
        .process_group(0)
        .spawn()?;
    let group = i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::Error::other("the child has no process id"))?;
    // Left unreaped until its group is gone, so that the id cannot mean another group.
    let seen = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(error) = waitid(WaitId::Pid(group), seen) {
        if error != rustix::io::Errno::INTR {
            return Err(error.into());
        }
    }
    let _ = kill_process_group(group, Signal::KILL);
    let cgroup = folder.begun()?.and_then(|begun| begun.cgroup);
    if let Some(cgroup) = &cgroup {
        // The sweep does the same, only slower.
        let _ = cgroup.kill();
    }
    let status = child.wait()?;
    sweep()?;
    if let Some(tee) = tee {
        folder.put_result(&tee.end())?;
    }
    if let Some(cgroup) = cgroup {
        cgroup.remove();
    }
    Ok(status)
}

/// Ends every process that came back to this one, and theirs.
fn sweep() -> io::Result<()> {
    let own = i32::try_from(std::process::id()).map_err(io::Error::other)?;
    let deadline = Instant::now() + SWEEP;
    while Instant::now() < deadline {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => {
                for child in children_of(own)? {
                    let _ = kill_process(child, Signal::KILL);
                }
                std::thread::sleep(SWEEP_STEP);
            }
            Err(rustix::io::Errno::CHILD) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// 128 + signal as in a pod.
fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(255)
}

/// The second process. Returns only when the program could not take its place.
fn exec(folder: &LeafFolder) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let own_shim = getppid().map(|pid| pid.as_raw_nonzero().get());
    match folder.claim()? {
        Some(Claim::Shim { shim }) if Some(shim.pid) == own_shim => {}
        Some(_) | None => return Err(io::Error::other("the shim that started this is gone")),
    }
    let order = folder.order()?.ok_or_else(|| io::Error::other("its folder holds no order"))?;
    let program = match find_program(&order) {
        Ok(program) => program,
        Err(message) => return folder.put_refusal(&message),
    };
    let log = OpenOptions::new().create(true).append(true).open(folder.log())?;
    let process = Identity::own()?;
    let cgroup = Cgroup::enter(&format!("unwind-{}-{}", process.pid, process.started));
    folder.put_begun(&Begun { process, cgroup })?;
    let stdout =
        if order.result { File::from(io::stdin().as_fd().try_clone_to_owned()?) } else { log.try_clone()? };
    if order.own_tmp
        && let Err(message) = mounts::own_tmp(folder)
    {
        return folder.put_refusal(&message);
    }
    // A change of namespaces may have taken it back.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let error = command(&program, &order, stdout.into(), log.into()).exec();
    folder.put_refusal(&format!("cannot run `{}`: {error}", program.display()))
}

/// The command of an order: its arguments, environment and folder, and nothing to read.
pub(super) fn command(program: &Path, order: &Order, stdout: Stdio, stderr: Stdio) -> Command {
    let mut command = Command::new(program);
    command
        .arg0(&order.argv[0])
        .args(&order.argv[1..])
        .env_clear()
        .envs(order.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&order.working_dir)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr);
    command
}

/// The file that the order's first word names, as `execvp` finds it; the error is a sentence.
pub(super) fn find_program(order: &Order) -> Result<PathBuf, String> {
    let dir = &order.working_dir;
    if !dir.is_dir() {
        return Err(format!(
            "the working directory `{}` is not there: the local runner runs commands on this machine; \
             make the folder or leave `workingDir` out",
            dir.display()
        ));
    }
    let name = order.argv.first().map_or("", String::as_str);
    if name.is_empty() {
        return Err("the command is empty; give a program in `command`".to_owned());
    }
    if name.contains('/') {
        let path = dir.join(name);
        return if is_executable(&path) { Ok(path) } else { Err(missing(order, "no such program")) };
    }
    let path = order.env.iter().find(|(variable, _)| variable == "PATH").map_or("", |(_, value)| value);
    env::split_paths(OsStr::from_bytes(path.as_bytes()))
        .map(|folder| dir.join(folder).join(name))
        .find(|path| is_executable(path))
        .ok_or_else(|| missing(order, "no such program on PATH"))
}

fn missing(order: &Order, what: &str) -> String {
    let image = match order.image.as_str() {
        "" => String::new(),
        image => format!(" (the image `{image}` is not used: commands run on this machine)"),
    };
    format!(
        "cannot start `{}`: {what}{image}; install it or name a program that is here in `command`",
        order.argv[0]
    )
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(argv0: &str, image: &str) -> Order {
        Order {
            argv: vec![argv0.to_owned()],
            env: vec![("PATH".to_owned(), "/nowhere:/bin:/usr/bin".to_owned())],
            working_dir: PathBuf::from("/"),
            image: image.to_owned(),
            result: false,
            own_tmp: false,
        }
    }

    #[test]
    fn programs_are_found_on_the_orders_own_path() {
        let found = find_program(&order("sh", "")).expect("sh is everywhere");
        assert!(found.ends_with("sh"), "{}", found.display());
        assert_eq!(find_program(&order("/bin/sh", "")), Ok(PathBuf::from("/bin/sh")));
    }

    #[test]
    fn a_missing_program_is_a_sentence_with_the_next_step() {
        assert_eq!(
            find_program(&order("frobnicate", "alpine")).expect_err("not there"),
            "cannot start `frobnicate`: no such program on PATH (the image `alpine` is not used: commands \
             run on this machine); install it or name a program that is here in `command`"
        );
        assert_eq!(
            find_program(&order("/no/such", "")).expect_err("not there"),
            "cannot start `/no/such`: no such program; install it or name a program that is here in `command`"
        );
    }
}
