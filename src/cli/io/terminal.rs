//! Standard output and standard error.
//!
//! Input: text and diagnostics. Output: what the user sees. A reader that closes the pipe early is no error
//! (`fabc graph pod.fab | head`). A closed standard output is one.

use crate::io::errors::DriverError;
use fabc_base::diag::SourceMap;
use fabc_emit::Look;
use fabc_lang::Warning;
use fabc_pipeline::show::{MessageFormat, harmless, messages, results, shown};
use miette::Diagnostic;
use serde_json::Value;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Width and color of a report on standard output. The width of a terminal is clamped to 80 to 120 columns.
pub(crate) fn report_look() -> Look {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return Look::FILE;
    }
    let width = columns(&stdout).map_or(Look::FILE.width, |columns| columns.clamp(80, 120));
    Look { width, color: supports_color::on(supports_color::Stream::Stdout).is_some() }
}

/// The columns of a page: those of the terminal on standard output, clamped to 40 to 100, or else 80.
pub(crate) fn page_width() -> usize {
    let stdout = io::stdout();
    columns(&stdout).filter(|_| stdout.is_terminal()).map_or(80, |columns| columns.clamp(40, 100))
}

/// The columns of the terminal behind a stream. `None` if it is no terminal.
#[cfg(not(target_family = "wasm"))]
fn columns(stream: &io::Stdout) -> Option<usize> {
    terminal_size::terminal_size_of(stream).map(|(width, _)| usize::from(width.0))
}

/// In a browser there is no terminal.
#[cfg(target_family = "wasm")]
fn columns(_: &io::Stdout) -> Option<usize> {
    None
}

/// Wraps the paragraphs and list items of a page. Fenced examples and tables stay as they are.
pub(crate) fn wrap_page(page: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut paragraph, mut fenced) = (String::new(), false);
    let end = |paragraph: &mut String, lines: &mut Vec<String>| {
        let indent = if paragraph.starts_with("- ") { "  " } else { "" };
        let options = textwrap::Options::new(width).subsequent_indent(indent).break_words(false);
        if !paragraph.is_empty() {
            lines.extend(textwrap::wrap(paragraph, options).into_iter().map(std::borrow::Cow::into_owned));
        }
        paragraph.clear();
    };
    for line in page.lines() {
        let fence = line.starts_with("```");
        if fence || fenced || line.is_empty() || line.starts_with('|') {
            end(&mut paragraph, &mut lines);
            lines.push(line.to_owned());
            fenced ^= fence;
            continue;
        }
        if line.starts_with("- ") {
            end(&mut paragraph, &mut lines);
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line.trim());
    }
    end(&mut paragraph, &mut lines);
    lines.join("\n")
}

/// How much is printed, and in which form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    pub(crate) format: MessageFormat,
    /// Whether only errors are printed.
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    /// Whether the result is printed as JSON. Then no text is printed.
    pub(crate) json: bool,
    /// Whether data of the command goes to standard output. Then what it says is a detail, and goes to
    /// standard error.
    pub(crate) beside_data: bool,
}

impl Terminal {
    /// The same for a command whose `--json` has this value.
    pub(crate) fn for_json(self, json: bool) -> Self {
        Self { json, ..self }
    }
    /// The same for a command whose data goes to standard output, if this is so.
    pub(crate) fn beside_data(self, beside_data: bool) -> Self {
        Self { beside_data, ..self }
    }
    /// Prints a result to standard output: a JSON document with `--json`, and otherwise text.
    ///
    /// # Errors
    /// `DriverError::Stdout` if standard output cannot be written.
    pub(crate) fn say_result(
        self,
        document: impl FnOnce() -> Value,
        text: impl FnOnce() -> String,
    ) -> Result<(), DriverError> {
        if self.json { self.say_document(&document().to_string()) } else { self.say(&text()) }
    }
    /// Prints a JSON document to standard output if `--json` asks for it.
    ///
    /// # Errors
    /// `DriverError::Stdout` if standard output cannot be written.
    pub(crate) fn say_document(self, document: &str) -> Result<(), DriverError> {
        if self.json { print_out(document) } else { Ok(()) }
    }
    /// Prints a result to standard output. Control characters, such as those in a file name, are escaped.
    ///
    /// # Errors
    /// `DriverError::Stdout` if standard output cannot be written.
    pub(crate) fn say(self, text: &str) -> Result<(), DriverError> {
        if self.beside_data {
            self.detail(text);
            return Ok(());
        }
        self.say_with_colors(&harmless(text))
    }
    /// Prints a result that contains colors to standard output.
    ///
    /// # Errors
    /// `DriverError::Stdout` if standard output cannot be written.
    pub(crate) fn say_with_colors(self, text: &str) -> Result<(), DriverError> {
        if self.quiet || self.json || self.beside_data { Ok(()) } else { print_out(text) }
    }
    /// Prints a note about the current work to standard error.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            self.remark(text, &format!("note: {}", harmless(text)));
        }
    }
    /// Prints a detail for `--verbose` to standard error.
    pub(crate) fn detail(self, text: &str) {
        if self.verbose {
            self.remark(text, &harmless(text));
        }
    }
    /// Prints a text that is no diagnostic. `plain` is its form for people.
    fn remark(self, text: &str, plain: &str) {
        match self.format {
            MessageFormat::Human | MessageFormat::Short => print_err(plain),
            MessageFormat::Json => print_err(&messages::remark(text).to_string()),
            MessageFormat::Github => print_err(&messages::notice(text)),
            MessageFormat::Sarif => sarif_entries().notifications.push(messages::notification(text)),
        }
    }
    /// Prints warnings of a spec to standard error, in the chosen form.
    pub(crate) fn warn(self, warnings: Vec<Warning>, sources: &SourceMap) {
        if !self.quiet {
            self.show(warnings.into_iter().map(|warning| Box::new(warning) as _).collect(), sources);
        }
    }
    /// Prints diagnostics to standard error, in the chosen form.
    pub(crate) fn show(self, diagnostics: Vec<Box<dyn Diagnostic + Send + Sync>>, sources: &SourceMap) {
        if self.format == MessageFormat::Sarif {
            let mut results = results(&diagnostics, sources);
            return sarif_entries().results.append(&mut results);
        }
        shown(&diagnostics, sources, self.format).iter().for_each(|text| print_err(text));
    }
    /// Prints the SARIF log to standard error. It is one document, so it waits for the end of the run.
    pub(crate) fn finish(self, exit_code: u8) {
        if self.format == MessageFormat::Sarif {
            let SarifEntries { results, notifications } = std::mem::take(&mut *sarif_entries());
            print_err(&messages::log(results, &notifications, exit_code).to_string());
        }
    }
}

/// The entries of a SARIF log, until the run is over.
#[derive(Default)]
struct SarifEntries {
    results: Vec<Value>,
    notifications: Vec<Value>,
}

static COLLECTED: Mutex<SarifEntries> =
    Mutex::new(SarifEntries { results: Vec::new(), notifications: Vec::new() });

fn sarif_entries() -> MutexGuard<'static, SarifEntries> {
    // A panic leaves complete entries behind.
    COLLECTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints a text with a final line break to standard output.
///
/// # Errors
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn print_out(text: &str) -> Result<(), DriverError> {
    check_written(write_text(&mut std::io::stdout().lock(), text))
}

/// Prints a text with a final line break to standard error.
pub(crate) fn print_err(text: &str) {
    // An error here cannot be reported anywhere.
    let _ = write_text(&mut std::io::stderr().lock(), text);
}

/// Writes bytes to standard output as they are.
///
/// # Errors
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn write_out(bytes: &[u8]) -> Result<(), DriverError> {
    let mut out = std::io::stdout().lock();
    check_written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Judges the result of a write to standard output.
///
/// # Errors
/// `DriverError::Stdout`, unless the reader closed the pipe.
pub(crate) fn check_written(written: io::Result<()>) -> Result<(), DriverError> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(DriverError::Stdout { reason: "it is closed".to_owned() });
    }
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(DriverError::Stdout { reason: crate::io::read::error_words(&error) })
        }
        _ => Ok(()),
    }
}

fn write_text(to: &mut dyn Write, text: &str) -> io::Result<()> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write!(to, "{text}{end}").and_then(|()| to.flush())
}

/// Whether standard output was closed when the process began.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Finds out whether standard output is closed. It must run before `main`: later, the runtime of Rust has
/// replaced a closed standard output by `/dev/null`.
#[cfg(unix)]
pub fn detect_closed_stdout() {
    use std::os::fd::AsRawFd;
    // A new file gets the smallest free number. Only that of standard input is smaller than 1.
    let opened = [(); 2].map(|()| std::fs::File::open("/"));
    CLOSED.store(opened.iter().flatten().any(|file| file.as_raw_fd() == 1), Ordering::Relaxed);
}

/// A number of bytes with a unit, for people.
pub(crate) fn size_text(bytes: usize) -> String {
    fabc_emit::number::size(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_broken_to_the_width_but_not_their_examples() {
        let page = "One two three four\nfive six.\n\n- an item of many words\n- another\n```text\na line that is long and stays so\n```";
        let told = "One two three four\nfive six.\n\n- an item of many\n  words\n- another\n```text\na line that is long and stays so\n```";
        assert_eq!(wrap_page(page, 19), told);
        for doc in fabc_base::diag::codes() {
            let width = |line: &str| line.chars().count();
            let mut fenced = false;
            for line in wrap_page(doc.text.trim(), 60).lines() {
                fenced ^= line.starts_with("```");
                let words = line.split_whitespace().map(width).max().unwrap_or(0);
                assert!(
                    fenced || line.starts_with('|') || width(line) <= 60.max(words + 2),
                    "{}: {line}",
                    doc.code
                );
            }
        }
    }

    #[test]
    fn sizes_have_one_digit_after_the_point() {
        let sizes = [0, 999, 1000, 4_249_999, 999_960_000, 12_000_000_000];
        assert_eq!(sizes.map(size_text), ["0 B", "999 B", "1.0 kB", "4.2 MB", "1.0 GB", "12.0 GB"]);
    }
}
