//! What makes a run happen: supervisors, processes under their shims, timers, logs.

use std::ffi::OsString;
use std::process::ExitCode;

/// The shim's main function: what the program given as `ShimProgram` does with the arguments that
/// follow its own. Starts no threads and no async runtime.
pub fn shim_main(_args: impl Iterator<Item = OsString>) -> ExitCode {
    unimplemented!()
}
