//! Logs of leaves: read from their files, and followed until their end.
//!
//! In: the files of a run, the hub that tells which leaves there are and which are over. Out: lines.
//! Nothing is kept in memory but what was just read.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use unwind_api::pod::pod_name;
use unwind_model::{NodeId, NodeStatus, NodeType, Workflow};

use super::workspace::RunFolder;
use crate::backend::{LogLine, LogOptions, LogStream};
use crate::hub::Hub;

/// How often a followed log is looked at.
const PAUSE: Duration = Duration::from_millis(100);
/// Most bytes read from one file in one look; longer lines are split here.
/// Source of the length: Argo `util/logs/workflow-logger.go`.
const CHUNK: u64 = 1 << 20;

/// The log of one node, or of all, of the workflow as it is in the hub.
pub fn stream(
    hub: Arc<Hub>,
    data: &Path,
    workflow: &Workflow,
    node: Option<NodeId>,
    options: LogOptions,
) -> LogStream {
    let meta = &workflow.metadata;
    let reader = Reader {
        hub,
        folder: RunFolder::of(data, &meta.uid),
        namespace: meta.namespace.clone(),
        workflow: meta.name.clone(),
        uid: meta.uid.clone(),
        node,
        options,
        tails: BTreeMap::new(),
        ready: VecDeque::new(),
        ended: false,
    };
    stream::unfold(reader, |mut reader| async {
        loop {
            if let Some(line) = reader.ready.pop_front() {
                return Some((line, reader));
            }
            if reader.ended {
                return None;
            }
            let (back, more) = tokio::task::spawn_blocking(move || {
                let more = reader.look();
                (reader, more)
            })
            .await
            .ok()?;
            reader = back;
            if reader.ready.is_empty() && !more && !reader.ended {
                tokio::time::sleep(PAUSE).await;
            }
        }
    })
    .fuse()
    .boxed()
}

struct Reader {
    hub: Arc<Hub>,
    folder: RunFolder,
    namespace: String,
    workflow: String,
    uid: String,
    node: Option<NodeId>,
    options: LogOptions,
    tails: BTreeMap<NodeId, Tail>,
    ready: VecDeque<LogLine>,
    ended: bool,
}

impl Reader {
    /// Reads what came since the last look. True when there is more to read at once.
    fn look(&mut self) -> bool {
        let workflow = self
            .hub
            .get(&self.namespace, &self.workflow)
            .filter(|workflow| workflow.metadata.uid == self.uid);
        let Some(workflow) = workflow else {
            self.ended = true;
            return false;
        };
        let mut leaves: Vec<&NodeStatus> = workflow
            .status
            .nodes
            .values()
            .filter(|node| node.node_type == NodeType::Pod)
            .filter(|node| self.node.as_ref().is_none_or(|wanted| *wanted == node.id))
            .collect();
        leaves.sort_by_key(|node| (node.started_at, &node.name));
        // What is final now has written everything: its report comes after its last byte.
        let all_over = match self.node {
            Some(_) => leaves.iter().all(|node| node.phase.is_final()),
            None => workflow.status.phase.is_final(),
        };
        let mut more = false;
        for leaf in leaves {
            match self.read(leaf) {
                Ok(unread) => more |= unread,
                Err(error) => {
                    tracing::warn!(node = %leaf.name, %error, "cannot read the log");
                }
            }
        }
        self.ended = !more && (all_over || !self.options.follow);
        more
    }

    /// Reads on in one file. True when the end of it was not reached.
    fn read(&mut self, leaf: &NodeStatus) -> io::Result<bool> {
        let path = self.folder.leaf(&leaf.id).log();
        let options = self.options;
        let tail = self.tails.entry(leaf.id.clone()).or_insert_with(|| Tail::new(path, options));
        let close = leaf.phase.is_final() || !options.follow;
        let (lines, more) = tail.read(close)?;
        let pod = pod_name(&self.workflow, &leaf.name, &leaf.template_name);
        self.ready.extend(lines.into_iter().map(|content| LogLine {
            node_id: leaf.id.clone(),
            pod_name: pod.clone(),
            content,
        }));
        Ok(more)
    }
}

/// One file that is read as it grows.
struct Tail {
    path: PathBuf,
    /// `None` before the first look.
    offset: Option<u64>,
    skip_to_last: Option<usize>,
    bytes_left: u64,
    /// The begin of a line whose end has not come.
    partial: Vec<u8>,
}

impl Tail {
    fn new(path: PathBuf, options: LogOptions) -> Self {
        Self {
            path,
            offset: None,
            skip_to_last: options.tail_lines,
            bytes_left: options.limit_bytes.unwrap_or(u64::MAX),
            partial: Vec::new(),
        }
    }

    /// New lines, and whether there is more at once. `close`: the last line needs no end.
    fn read(&mut self, close: bool) -> io::Result<(Vec<String>, bool)> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), false)),
            Err(error) => return Err(error),
        };
        let offset = match (self.offset, self.skip_to_last) {
            (Some(offset), _) => offset,
            (None, Some(lines)) => start_of_last(&mut file, lines)?,
            (None, None) => 0,
        };
        file.seek(SeekFrom::Start(offset))?;
        let wanted = CHUNK.min(self.bytes_left);
        let mut bytes = Vec::new();
        let found = file.take(wanted).read_to_end(&mut bytes)? as u64;
        self.offset = Some(offset + found);
        self.bytes_left -= found;
        let more = found == CHUNK;
        self.partial.append(&mut bytes);
        let mut lines = self.whole_lines();
        let cut = self.partial.len() as u64 >= CHUNK || (close && !more) || self.bytes_left == 0;
        if cut && !self.partial.is_empty() {
            lines.push(text(&std::mem::take(&mut self.partial)));
        }
        Ok((lines, more && self.bytes_left > 0))
    }

    fn whole_lines(&mut self) -> Vec<String> {
        let Some(last) = self.partial.iter().rposition(|byte| *byte == b'\n') else {
            return Vec::new();
        };
        let rest = self.partial.split_off(last + 1);
        let whole = std::mem::replace(&mut self.partial, rest);
        whole[..last].split(|byte| *byte == b'\n').map(text).collect()
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned()
}

/// Where the last `lines` lines begin; a last line without an end counts.
fn start_of_last(file: &mut File, lines: usize) -> io::Result<u64> {
    const BLOCK: u64 = 64 * 1024;
    let length = file.metadata()?.len();
    if lines == 0 {
        return Ok(length);
    }
    let mut begin = length;
    let mut ends_seen = 0;
    while begin > 0 {
        let size = BLOCK.min(begin);
        begin -= size;
        file.seek(SeekFrom::Start(begin))?;
        let mut block = vec![0; usize::try_from(size).unwrap_or_default()];
        file.read_exact(&mut block)?;
        for (at, byte) in block.iter().enumerate().rev() {
            let place = begin + at as u64;
            // The end of the very last line does not separate two lines.
            if *byte != b'\n' || place + 1 == length {
                continue;
            }
            ends_seen += 1;
            if ends_seen == lines {
                return Ok(place + 1);
            }
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn tail(text: &str, options: LogOptions) -> (tempfile::TempDir, Tail) {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("main.log");
        fs::write(&path, text).expect("writable");
        (temp, Tail::new(path, options))
    }

    fn last(lines: usize, text: &str) -> Vec<String> {
        let options = LogOptions { tail_lines: Some(lines), ..LogOptions::default() };
        let (_temp, mut tail) = tail(text, options);
        tail.read(true).expect("readable").0
    }

    #[test]
    fn the_last_lines_are_found_from_the_end() {
        assert_eq!(last(2, "a\nb\nc\n"), ["b", "c"]);
        assert_eq!(last(2, "a\nb\nc"), ["b", "c"]);
        assert_eq!(last(9, "a\nb\n"), ["a", "b"]);
        assert_eq!(last(0, "a\nb\n"), [""; 0]);
        assert_eq!(last(1, ""), [""; 0]);
        let long = "x".repeat(100_000);
        assert_eq!(last(1, &format!("a\n{long}\nb\n")), ["b"]);
        assert_eq!(last(2, &format!("a\n{long}\nb\n")), [long.as_str(), "b"]);
    }

    #[test]
    fn a_growing_file_gives_whole_lines_only() {
        let (_temp, mut tail) = tail("one\r\ntw", LogOptions::default());
        let mut more = fs::OpenOptions::new().append(true).open(&tail.path).expect("there");
        assert_eq!(tail.read(false).expect("readable").0, ["one"]);
        more.write_all(b"o\n\nthree").expect("writable");
        assert_eq!(tail.read(false).expect("readable").0, ["two", ""]);
        assert_eq!(tail.read(true).expect("readable").0, ["three"]);
        assert_eq!(tail.read(true).expect("readable").0, [""; 0]);
    }

    #[test]
    fn a_limit_cuts_the_text() {
        let options = LogOptions { limit_bytes: Some(5), ..LogOptions::default() };
        let (_temp, mut tail) = tail("one\ntwo\n", options);
        assert_eq!(tail.read(true).expect("readable").0, ["one", "t"]);
        assert_eq!(tail.read(true).expect("readable").0, [""; 0]);
    }
}
