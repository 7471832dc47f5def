//! Standard output and standard error.
//!
//! Comes in: text and diagnostics. Goes out: what the user sees. A reader that closes the pipe early (`fabc
//! graph pod.fab | head`) is not an error; a standard output that takes nothing is one.

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

/// How wide and how colorful a report is on standard output: as the terminal is, from 80 to 120 columns.
pub(crate) fn look() -> Look {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return Look::FILE;
    }
    let width = terminal_size::terminal_size_of(&stdout)
        .map_or(Look::FILE.width, |(width, _)| usize::from(width.0).clamp(80, 120));
    Look { width, color: supports_color::on(supports_color::Stream::Stdout).is_some() }
}

/// The columns of the terminal that standard output is, at most a hundred; `None` if it is none.
pub(crate) fn width() -> Option<usize> {
    let stdout = io::stdout();
    let (width, _) = terminal_size::terminal_size_of(&stdout).filter(|_| stdout.is_terminal())?;
    Some(usize::from(width.0).clamp(40, 100))
}

/// A page with its paragraphs and list items broken to a width. Examples in fences and tables stay as is.
pub(crate) fn wrapped(page: &str, width: usize) -> String {
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

/// How much to say, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// The form of diagnostics.
    pub(crate) format: MessageFormat,
    /// Errors only.
    pub(crate) quiet: bool,
    /// More than usual.
    pub(crate) verbose: bool,
}

impl Terminal {
    /// Results, to standard output. What would act on the terminal, as in the name of a file, is escaped.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn say(self, text: &str) -> Result<(), DriverError> {
        self.say_with_colors(&harmless(text))
    }
    /// Results with the colors that they have already, to standard output.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn say_with_colors(self, text: &str) -> Result<(), DriverError> {
        if self.quiet { Ok(()) } else { print_out(text) }
    }
    /// What the user should know while the work goes on, to standard error.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            self.remark(text, &format!("note: {}", harmless(text)));
        }
    }
    /// Details for `--verbose`, to standard error.
    pub(crate) fn detail(self, text: &str) {
        if self.verbose {
            self.remark(text, &harmless(text));
        }
    }
    /// What is no diagnostic; `plain` for people.
    fn remark(self, text: &str, plain: &str) {
        match self.format {
            MessageFormat::Human | MessageFormat::Short => print_err(plain),
            MessageFormat::Json => print_err(&messages::remark(text).to_string()),
            MessageFormat::Github => print_err(&messages::notice(text)),
            MessageFormat::Sarif => collected().notifications.push(messages::notification(text)),
        }
    }
    /// Warnings of a spec, to standard error, in the chosen form.
    pub(crate) fn warn(self, warnings: Vec<Warning>, sources: &SourceMap) {
        if !self.quiet {
            self.show(warnings.into_iter().map(|warning| Box::new(warning) as _).collect(), sources);
        }
    }
    /// Diagnostics, to standard error, in the chosen form.
    pub(crate) fn show(self, diagnostics: Vec<Box<dyn Diagnostic + Send + Sync>>, sources: &SourceMap) {
        if self.format == MessageFormat::Sarif {
            let mut results = results(&diagnostics, sources);
            return collected().results.append(&mut results);
        }
        shown(&diagnostics, sources, self.format).iter().for_each(|text| print_err(text));
    }
    /// What waits for the end of the run, to standard error: a log is one document.
    pub(crate) fn finish(self, exit_code: u8) {
        if self.format == MessageFormat::Sarif {
            let Collected { results, notifications } = std::mem::take(&mut *collected());
            print_err(&messages::log(results, &notifications, exit_code).to_string());
        }
    }
}

/// What was shown in a form that is one document, until the run is over.
#[derive(Default)]
struct Collected {
    results: Vec<Value>,
    notifications: Vec<Value>,
}

static COLLECTED: Mutex<Collected> = Mutex::new(Collected { results: Vec::new(), notifications: Vec::new() });

fn collected() -> MutexGuard<'static, Collected> {
    // Whoever panicked with it has left whole entries.
    COLLECTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A text and the end of its line, to standard output.
///
/// # Errors
/// It cannot be written.
pub(crate) fn print_out(text: &str) -> Result<(), DriverError> {
    handed_over(write_text(&mut std::io::stdout().lock(), text))
}

/// A text and the end of its line, to standard error.
pub(crate) fn print_err(text: &str) {
    // There is no place left to complain at.
    let _ = write_text(&mut std::io::stderr().lock(), text);
}

/// Bytes as they are, to standard output.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write_out(bytes: &[u8]) -> Result<(), DriverError> {
    let mut out = std::io::stdout().lock();
    handed_over(out.write_all(bytes).and_then(|()| out.flush()))
}

/// What became of something that was written to standard output.
///
/// # Errors
/// It was lost, and not because the reader has seen enough.
pub(crate) fn handed_over(written: io::Result<()>) -> Result<(), DriverError> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(DriverError::Stdout { reason: "it is closed".to_owned() });
    }
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(DriverError::Stdout { reason: crate::io::read::plain(&error) })
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

/// Sees whether standard output is closed. To be called before `main`: by then Rust's runtime has put
/// `/dev/null` in its place, which takes everything.
#[cfg(unix)]
pub fn look_at_standard_output() {
    use std::os::fd::AsRawFd;
    // What is opened gets the smallest number that is free, and only that of standard input is smaller.
    let opened = [(); 2].map(|()| std::fs::File::open("/"));
    CLOSED.store(opened.iter().flatten().any(|file| file.as_raw_fd() == 1), Ordering::Relaxed);
}

/// Bytes for people.
pub(crate) fn size(bytes: usize) -> String {
    fabc_emit::number::size(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_broken_to_the_width_but_not_their_examples() {
        let page = "One two three four\nfive six.\n\n- an item of many words\n- another\n```text\na line that is long and stays so\n```";
        let told = "One two three four\nfive six.\n\n- an item of many\n  words\n- another\n```text\na line that is long and stays so\n```";
        assert_eq!(wrapped(page, 19), told);
        for doc in fabc_base::diag::codes() {
            let width = |line: &str| line.chars().count();
            let mut fenced = false;
            for line in wrapped(doc.text.trim(), 60).lines() {
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
        assert_eq!(sizes.map(size), ["0 B", "999 B", "1.0 kB", "4.2 MB", "1.0 GB", "12.0 GB"]);
    }
}
