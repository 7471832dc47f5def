//! `fabc watch` and `fabc build --open`: the page of a spec in a browser.

use crate::support::plain::{command, fabc};
use crate::support::spec_text::SpecText;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    write_spec(place.path(), "require diameter <= 6;");
    place
}

fn write_spec(place: &Path, require: &str) {
    let spec = SpecText::pod([2, 2, 1], 2).named("small").with(require).text();
    std::fs::write(place.join("small.fab"), spec).unwrap();
}

/// A running `fabc watch`, which ends with the test.
struct Watching {
    child: Child,
    port: u16,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watching {
    fn start(place: &Path, options: &[&str]) -> Self {
        let args = [&["watch", "small.fab"], options].concat();
        let mut child = command(place, &args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        // Somebody has to read what the builds say.
        std::thread::spawn(move || drop(out.read_to_end(&mut Vec::new())));
        let address = first.split("http://127.0.0.1:").nth(1).unwrap_or_else(|| panic!("{first}"));
        let port = address.split('/').next().unwrap().parse().unwrap();
        Self { child, port }
    }

    /// The status and the body of an answer.
    fn get(&self, path: &str, host: &str) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }

    /// Waits until the page has this text.
    fn page_with(&self, text: &str) -> String {
        let host = format!("127.0.0.1:{}", self.port);
        for _ in 0..600 {
            let (status, page) = self.get("/", &host);
            if status == "HTTP/1.1 200 OK" && page.contains(text) {
                return page;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("the page never has `{text}`");
    }
}

#[test]
fn a_saved_spec_is_built_and_its_page_reloads() {
    let place = place();
    let watching = Watching::start(place.path(), &[]);
    let page = watching.page_with("<h1>small</h1>");
    assert!(page.contains("all 1 requires hold") && page.contains("fetch(\"/version\")"));
    assert!(place.path().join("out/small/report.json").is_file());
    write_spec(place.path(), "require diameter <= 1;");
    let page = watching.page_with("role=\"alert\"");
    assert!(page.contains("FAB0601") || page.contains("diameter"), "the page says what fails");
    std::fs::write(place.path().join("small.fab"), "fabric small {").unwrap();
    watching.page_with("FAB00");
    write_spec(place.path(), "require diameter <= 7;");
    let page = watching.page_with("diameter &lt;= 7");
    assert!(!page.contains("role=\"alert\""), "errors go away");
}

#[test]
fn a_page_is_for_this_machine_alone() {
    let place = place();
    let watching = Watching::start(place.path(), &["--until", "analyze"]);
    let page = watching.page_with("<h1>small</h1>");
    assert!(page.contains("not routed"), "the build stops before routing");
    let own = format!("localhost:{}", watching.port);
    assert_eq!(watching.get("/version", &own).0, "HTTP/1.1 200 OK");
    assert_eq!(watching.get("/", "attacker.example").0, "HTTP/1.1 403 Forbidden");
    assert_eq!(watching.get("/report.json", &own).0, "HTTP/1.1 404 Not Found");
    let port = watching.port.to_string();
    let (_, err) = fabc(place.path(), &["watch", "small.fab", "--port", &port], 2);
    assert!(
        err.starts_with(&format!("FAB0596\n\n  × cannot serve a page on port {port} of this machine: ")),
        "{err}"
    );
    let (_, err) = fabc(place.path(), &["watch", "-"], 2);
    assert!(err.starts_with("FAB0548\n\n  × standard input cannot be watched\n"), "{err}");
}

/// A program in the place of a browser, which writes down what it is to open.
#[cfg(unix)]
fn browser(place: &Path) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = place.join("browser");
    std::fs::write(&path, "#!/bin/sh\necho \"$1\" > \"$(dirname \"$0\")/opened\"\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[cfg(unix)]
#[test]
fn a_built_page_is_opened() {
    let place = place();
    let build = |browser: &str, options: &[&str]| {
        let args = [&["build", "small.fab", "-q", "--open"], options].concat();
        let output = command(place.path(), &args).env("BROWSER", browser).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(build(&browser(place.path()), &[]), (Some(0), String::new()));
    let opened = place.path().join("opened");
    for _ in 0..100 {
        if std::fs::read_to_string(&opened).is_ok_and(|text| text.ends_with('\n')) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(std::fs::read_to_string(&opened).unwrap(), "out/small/report.html\n");
    let (code, err) = build("/no/such/browser", &[]);
    let message = "\
FAB0595

  × cannot start `/no/such/browser` to open `out/small/report.html`: ";
    assert!(code == Some(2) && err.starts_with(message), "{err}");
    let (code, err) = build("x", &["--emit", "dot"]);
    let message = "\
FAB0548

  × `--open` shows the report page of a directory, but none is written
  help: give `--out DIR` as well
";
    assert!(code == Some(2) && err.starts_with(message), "{err}");
}
