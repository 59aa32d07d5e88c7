//! `unwind serve` and `unwind token`.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener};

use crate::process::{Place, open, request};

/// The address in the line that was printed.
fn address_of(line: &str) -> SocketAddr {
    let rest = line.strip_prefix("http://").expect("an address");
    rest.split('/').next().expect("a host").parse().expect("an address")
}

const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--data", "DATA"];

#[test]
fn serve_prints_its_address_on_a_line_and_ends_with_a_signal() {
    let place = Place::new();
    let mut server = place.start(&SERVE);
    let line = server.until("http://127.0.0.1:");
    assert_eq!(server.seen.len(), 1, "nothing else on standard output");
    let (_, code) = line.split_once("/?code=").expect("a code");
    let address = address_of(&line);
    assert_ne!(address.port(), 0);

    let answer = request(address, &format!("GET /?code={code} HTTP/1.1"));
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    let again = request(address, &format!("GET /?code={code} HTTP/1.1"));
    assert!(again.starts_with("HTTP/1.1 401"), "{again}");

    server.signal("TERM");
    let (status, _, _) = server.wait();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn the_token_that_is_printed_lets_argo_in() {
    let place = Place::new();
    let mut server = place.start(&SERVE);
    let address = address_of(&server.until("http://"));
    let said = place.run(&["token", "--data", "DATA", "--namespace", "team"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let variables: Vec<(&str, &str)> = said
        .out
        .lines()
        .map(|line| line.strip_prefix("export ").and_then(|line| line.split_once('=')).expect("a variable"))
        .collect();
    let value = |name: &str| variables.iter().find(|(found, _)| *found == name).expect("there").1;
    assert_eq!(value("ARGO_SERVER"), address.to_string());
    assert_eq!(value("ARGO_HTTP1"), "true");
    assert_eq!(value("ARGO_SECURE"), "false");
    assert_eq!(value("ARGO_NAMESPACE"), "team");
    assert_eq!(value("KUBECONFIG"), "/dev/null");
    let token = value("ARGO_TOKEN").trim_matches('\'');
    let answer = request(address, &format!("GET /api/v1/workflows/team HTTP/1.1\r\nAuthorization: {token}"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let answer = request(address, "GET /api/v1/workflows/team HTTP/1.1");
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}

#[test]
fn a_signal_ends_open_streams_too() {
    let place = Place::new();
    let mut server = place.start(&SERVE);
    let address = address_of(&server.until("http://"));
    let token = std::fs::read_to_string(place.data().join("token")).expect("a token");
    let head =
        format!("GET /unwind/v1/stream?list=default HTTP/1.1\r\nAuthorization: Bearer {}", token.trim());
    let mut stream = open(address, &head);
    let mut answer = String::new();
    while !answer.contains("\"synced\"") {
        let mut bytes = [0; 1024];
        let length = stream.read(&mut bytes).expect("an answer");
        assert_ne!(length, 0, "{answer}");
        answer.push_str(&String::from_utf8_lossy(&bytes[..length]));
    }
    assert!(answer.contains("text/event-stream"), "{answer}");
    server.signal("INT");
    let (status, _, _) = server.wait();
    assert_eq!(status.code(), Some(0));
    assert_eq!(stream.read_to_string(&mut String::new()).ok(), Some(5), "the last chunk, then the end");
}

#[test]
fn a_taken_port_is_a_sentence_and_no_other_port_is_tried() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let said = place.run(&["serve", "--listen", &address, "--data", "DATA"]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(said.err.contains(" is taken by another program; stop that one"), "{}", said.err);
    assert!(said.err.contains("--listen"), "{}", said.err);
}

#[test]
fn one_data_folder_has_one_server() {
    let place = Place::new();
    let mut server = place.start(&SERVE);
    server.until("http://");
    let said = place.run(&SERVE);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(said.err.contains("is in use by another server"), "{}", said.err);
}

#[test]
fn no_token_on_an_open_address_is_refused() {
    let place = Place::new();
    let said = place.run(&["serve", "--listen", "0.0.0.0:0", "--data", "DATA", "--auth-mode", "none"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("would let everybody"), "{}", said.err);
}

#[test]
fn a_token_that_is_not_there_yet_is_a_sentence() {
    let place = Place::new();
    let said = place.run(&["token"]);
    assert_eq!(said.code, Some(1));
    let expected = format!("{}/.local/state/unwind", place.data().parent().expect("a home").display());
    assert!(said.err.contains(&expected), "{}", said.err);
    assert!(said.err.contains("start `unwind serve` once"), "{}", said.err);
}
