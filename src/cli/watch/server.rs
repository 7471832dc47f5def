//! Serves one page on the loopback address. It answers requests for this host alone, so that no page of
//! another site can read it.

use crate::io::errors::DriverError;
use crate::io::read::error_words;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest request that is read, and how long one may take.
const REQUEST_BYTES: u64 = 16 << 10;
const PATIENCE: Duration = Duration::from_secs(5);

/// A report, and what went wrong in its build.
pub(super) struct ServedPage {
    /// The page of the last build that wrote one.
    pub(super) report: Option<String>,
    /// Messages, in the short form.
    pub(super) problems: Vec<String>,
}

/// The page as it is sent, and how often it changed.
#[derive(Default)]
struct Current {
    version: u64,
    html: String,
}

/// A server of one page.
pub(super) struct PageServer {
    port: u16,
    current: Arc<Mutex<Current>>,
}

impl PageServer {
    /// Starts a server that shows nothing yet. Port 0 takes a free port.
    pub(super) fn start(port: u16) -> Result<Self, DriverError> {
        let no_server = |error: std::io::Error| DriverError::NoServer { port, reason: error_words(&error) };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(no_server)?;
        let port = listener.local_addr().map_err(no_server)?.port();
        let current = Arc::new(Mutex::new(Current::default()));
        let shared = Arc::clone(&current);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A browser that goes away is no error.
                std::thread::spawn(move || drop(answer(stream, port, &shared)));
            }
        });
        Ok(Self { port, current })
    }

    /// The address of the page, which a browser opens.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Shows another page. Browsers that show the one before reload.
    pub(super) fn show(&self, page: ServedPage) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.version += 1;
        current.html = html(page, current.version);
    }
}

/// Answers one request: `/` is the page, `/version` its number.
fn answer(mut stream: TcpStream, port: u16, current: &Mutex<Current>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new((&stream).take(REQUEST_BYTES)).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let mut host = String::new();
    for line in lines {
        let line = line?;
        match line.split_once(':') {
            _ if line.is_empty() => break,
            Some((name, value)) if name.eq_ignore_ascii_case("host") => value.trim().clone_into(&mut host),
            _ => {}
        }
    }
    let is_own = ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{port}"));
    let (status, kind, body) = match request.split(' ').collect::<Vec<_>>()[..] {
        _ if !is_own => ("403 Forbidden", "text/plain", "this page is for this machine alone".to_owned()),
        ["GET", "/", _] => {
            ("200 OK", "text/html", current.lock().unwrap_or_else(PoisonError::into_inner).html.clone())
        }
        ["GET", "/version", _] => {
            let version = current.lock().unwrap_or_else(PoisonError::into_inner).version;
            ("200 OK", "text/plain", version.to_string())
        }
        ["GET", ..] => ("404 Not Found", "text/plain", "there is only one page".to_owned()),
        _ => ("405 Method Not Allowed", "text/plain", "only GET is known".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// The report with its problems above, and a script that reloads it.
fn html(page: ServedPage, version: u64) -> String {
    let text = page.problems.join("\n").replace('&', "&amp;").replace('<', "&lt;");
    let problems = match text.is_empty() {
        true => String::new(),
        false => format!(
            "<pre role=\"alert\" style=\"margin:0;padding:12px 20px;background:#a52a22;color:#fff;white-space:pre-wrap\">{text}</pre>"
        ),
    };
    let script = format!(
        "<script>setInterval(async()=>{{try{{if(await(await fetch(\"/version\")).text()!==\"{version}\")location.reload()}}catch{{}}}},500)</script>"
    );
    let empty = || {
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>fabc watch</title></head><body></body></html>".to_owned()
    };
    let report = page.report.unwrap_or_else(empty);
    report.replacen("<body>", &format!("<body>{problems}"), 1).replacen(
        "</body>",
        &format!("{script}</body>"),
        1,
    )
}
