//! A program's standard output, written to its log and kept at the same time.
//!
//! In: what comes through a pipe. Out: the log as if there were no pipe, and the last part of it.

use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::folder::LeafFolder;
use super::outputs::RESULT_LIMIT;

/// How long is waited for the end of the pipe once every process that was found has ended.
const PATIENCE: Duration = Duration::from_secs(2);
/// One byte more than is kept, for the newline at the end.
const KEPT: usize = RESULT_LIMIT + 1;

/// The reading end.
pub(super) struct Tee {
    tail: Arc<Mutex<Vec<u8>>>,
    /// Closed once the pipe is.
    open: Receiver<()>,
}

impl Tee {
    /// Begins to read, and gives what the program is to write to.
    pub(super) fn begin(folder: &LeafFolder) -> io::Result<(Self, PipeWriter)> {
        let log = OpenOptions::new().create(true).append(true).open(folder.log())?;
        let (reader, writer) = io::pipe()?;
        let tail = Arc::new(Mutex::new(Vec::new()));
        let (closes, open) = mpsc::channel();
        let kept = Arc::clone(&tail);
        std::thread::Builder::new().spawn(move || {
            copy(reader, log, &kept);
            drop(closes);
        })?;
        Ok((Self { tail, open }, writer))
    }

    /// The last part of what came. Does not wait for who holds the pipe and cannot be ended.
    pub(super) fn end(self) -> Vec<u8> {
        let _ = self.open.recv_timeout(PATIENCE);
        std::mem::take(&mut *self.tail.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn copy(mut from: PipeReader, mut log: File, kept: &Mutex<Vec<u8>>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        // A full disk costs the log, not the program.
        let _ = log.write_all(&buffer[..count]);
        let mut tail = kept.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&buffer[..count]);
        if tail.len() > 2 * KEPT {
            let cut = tail.len() - KEPT;
            tail.drain(..cut);
        }
    }
}
