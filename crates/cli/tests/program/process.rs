//! Processes of the program with a folder of their own. Every wait has a deadline.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

pub const DEADLINE: Duration = Duration::from_secs(30);

/// A folder that goes with the test.
pub struct Place {
    temp: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { temp: tempfile::tempdir().expect("a folder") }
    }

    pub fn folder(&self) -> &Path {
        self.temp.path()
    }

    pub fn data(&self) -> PathBuf {
        self.temp.path().join("data")
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.temp.path().join(name);
        fs::write(&path, text).expect("a file");
        path
    }

    /// The program with arguments; `DATA` stands for this place's data folder.
    pub fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unwind"));
        let data = self.data();
        for argument in arguments {
            match *argument {
                "DATA" => command.arg(&data),
                other => command.arg(other),
            };
        }
        command.env_clear().env("HOME", self.temp.path()).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub fn run(&self, arguments: &[&str]) -> Said {
        let child = self.program(arguments).spawn().expect("the program");
        let output = in_time(move || child.wait_with_output().expect("an end"));
        Said::from(output)
    }

    /// The same with this text on its standard input.
    pub fn run_with(&self, arguments: &[&str], input: &str) -> Said {
        let mut program = self.program(arguments);
        let mut child = program.stdin(Stdio::piped()).spawn().expect("the program");
        child.stdin.take().expect("standard input").write_all(input.as_bytes()).expect("written");
        let output = in_time(move || child.wait_with_output().expect("an end"));
        Said::from(output)
    }

    /// Starts it; lines of standard output come one by one.
    pub fn start(&self, arguments: &[&str]) -> Running {
        let mut child = self.program(arguments).spawn().expect("the program");
        let stdout = child.stdout.take().expect("standard output");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Running { child, lines, seen: Vec::new() }
    }
}

/// What came of a process.
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// A process that goes on.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
    pub seen: Vec<String>,
}

impl Running {
    /// Waits for a line that holds this text.
    pub fn until(&mut self, text: &str) -> String {
        let end = Instant::now() + DEADLINE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line = line.unwrap_or_else(|_| panic!("no line with `{text}` in {:#?}", self.seen));
            self.seen.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status().expect("kill");
        assert!(status.success());
    }

    /// Waits for the end; gives what was left on standard error.
    pub fn wait(mut self) -> (ExitStatus, String, Vec<String>) {
        let end = Instant::now() + DEADLINE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a state") {
                break status;
            }
            assert!(Instant::now() < end, "no end; seen {:#?}", self.seen);
            thread::sleep(Duration::from_millis(10));
        };
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(1)) {
            self.seen.push(line);
        }
        let mut err = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            stderr.read_to_string(&mut err).expect("text");
        }
        (status, err, std::mem::take(&mut self.seen))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request over a connection of its own; gives the whole answer.
pub fn request(address: SocketAddr, head: &str) -> String {
    let mut answer = String::new();
    open(address, head).read_to_string(&mut answer).expect("an answer");
    answer
}

/// Sends a request over a connection of its own.
pub fn open(address: SocketAddr, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    let text = format!("{head}\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(text.as_bytes()).expect("sent");
    stream
}

fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(DEADLINE).expect("in time")
}

/// Three nested DAGs with an exit hook on every level; the leaf runs `leaf`.
pub fn seed(leaf: &str) -> String {
    include_str!("seed.yaml").replace("LEAF", leaf)
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}
