//! What is no message, and messages out of turn: each gets its error, and the server goes on.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The server as bytes see it.
struct Wire {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Wire {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fabc"));
        let mut child = command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn body(&mut self, body: &str) {
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn ask(&mut self, id: i64, method: &str) {
        self.body(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"capabilities": {}}}).to_string());
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let length: usize = line.trim_end().strip_prefix("Content-Length: ").expect(&line).parse().unwrap();
        let mut body = vec![0; length + 2];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body[2..]).unwrap()
    }

    #[track_caller]
    fn refused(&mut self, id: Value, code: i64) {
        let answer = self.answer();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }

    /// The exit code, and what is said on standard error.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.to.take());
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

#[test]
fn what_is_no_message_is_refused_and_the_server_goes_on() {
    let mut wire = Wire::start();
    wire.body("{\"jsonrpc\"");
    wire.refused(Value::Null, -32700);
    wire.ask(1, "textDocument/hover");
    wire.refused(json!(1), -32002);
    wire.ask(2, "initialize");
    assert_eq!(wire.answer()["result"]["serverInfo"]["name"], "fabc");
    for (body, id, code) in [
        ("this is no JSON", Value::Null, -32700),
        ("", Value::Null, -32700),
        ("{\"jsonrpc\":\"2.0\"} {}", Value::Null, -32700),
        ("\u{feff}{}", Value::Null, -32700),
        (&"[".repeat(100_000), Value::Null, -32700),
        ("17", Value::Null, -32600),
        ("[]", Value::Null, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":7}", json!(7), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":9}", json!(8), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":99999999999,\"method\":\"shutdown\"}", json!(99_999_999_999_i64), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"shutdown\"}", Value::Null, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"initialize\"}", json!("two"), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"no/such\"}", json!(9), -32601),
    ] {
        wire.body(body);
        wire.refused(id, code);
    }
    for header in ["Content-Length: many\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Type: x\r\n\r\n", "hello\r\n\r\n", "\r\n"] {
        wire.write(header.as_bytes());
        wire.refused(Value::Null, -32700);
    }
    wire.ask(3, "shutdown");
    assert_eq!(wire.answer()["result"], Value::Null);
    wire.body("{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}");
    assert_eq!(wire.end(), (Some(0), String::new()));
}

#[test]
fn a_length_that_nobody_has_is_refused_at_once() {
    let mut wire = Wire::start();
    wire.write(b"Content-Length: 99999999999\r\n\r\n");
    wire.refused(Value::Null, -32700);
    let (code, said) = wire.end();
    assert!(code == Some(2) && said.contains("FAB0547") && said.contains("standard input was closed"), "{code:?} {said}");
    // More digits than any number of bytes has.
    let mut wire = Wire::start();
    wire.write(b"Content-Length: 99999999999999999999999999\r\n\r\n");
    wire.refused(Value::Null, -32700);
    wire.ask(1, "initialize");
    assert_eq!(wire.answer()["id"], 1);
    wire.end();
}

#[test]
fn a_message_that_is_too_long_is_skipped_to_its_end() {
    let mut wire = Wire::start();
    let long = (64 << 20) + 1;
    wire.write(format!("Content-Length: {long}\r\n\r\n").as_bytes());
    wire.refused(Value::Null, -32700);
    wire.write(&vec![b'x'; long]);
    wire.ask(1, "initialize");
    assert_eq!(wire.answer()["id"], 1);
    wire.end();
}

#[test]
fn after_shutdown_requests_are_refused_and_the_server_waits_for_exit() {
    let mut wire = Wire::start();
    wire.ask(1, "initialize");
    wire.answer();
    wire.ask(2, "shutdown");
    assert_eq!(wire.answer()["result"], Value::Null);
    for (id, method) in [(3, "textDocument/hover"), (4, "shutdown"), (5, "initialize")] {
        wire.ask(id, method);
        wire.refused(json!(id), -32600);
    }
    wire.body("no JSON");
    wire.refused(Value::Null, -32700);
    wire.body("{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didSave\"}");
    wire.body("{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}");
    assert_eq!(wire.end(), (Some(0), String::new()));
}

#[test]
fn exit_without_shutdown_is_an_error() {
    let mut wire = Wire::start();
    wire.ask(1, "initialize");
    wire.answer();
    wire.body("{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}");
    let (code, said) = wire.end();
    assert!(code == Some(2) && said.contains("FAB0547") && said.contains("`exit` came without `shutdown`"), "{code:?} {said}");
}
