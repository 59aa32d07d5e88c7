//! Starts the real program and talks plain HTTP to it.
//!
//! Every wait has a deadline, and a started program ends with its handle.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

const DEADLINE: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_millis(10);

/// A running `unwind serve`.
pub struct Program {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Program {
    /// Starts it on a free port.
    pub fn serve(data: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unwind"))
            .args(["serve", "--listen", "127.0.0.1:0", "--auth-mode", "none", "--data"])
            .arg(data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let output = child.stdout.take().expect("its output");
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// Waits for the address that it prints on a line of its own.
    pub fn address(&self) -> Server {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).expect("the program prints its address");
            if let Some(rest) = line.trim().strip_prefix("http://") {
                let address = rest.split('/').next().unwrap_or_default();
                return Server { address: address.to_owned() };
            }
        }
    }

    /// SIGKILL, and waits until it is gone.
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end();
    }
}

/// Where a program listens.
pub struct Server {
    address: String,
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Server {
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &body.to_string())
    }

    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.ask("PUT", path, &body.to_string())
    }

    /// One request in HTTP/1.0: the answer ends with the connection and is never chunked.
    fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).expect("the program listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a timeout");
        let length = body.len();
        let host = &self.address;
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .expect("the request goes out");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("head and body");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Answer { status: status.expect("a status"), body: body.to_owned() }
    }
}

/// Waits until it holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited {DEADLINE:?} for {what}");
        std::thread::sleep(PAUSE);
    }
}

/// Random numbers that a seed repeats (xorshift).
pub struct Random(pub u64);

impl Random {
    /// A number from 0 to `limit` - 1.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.max(1);
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Another seed on every call.
pub fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos() % u128::from(u32::MAX)).unwrap_or(1)
}
