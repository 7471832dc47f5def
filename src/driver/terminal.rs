//! Standard output and standard error.
//!
//! Comes in: text and diagnostics. Goes out: what the user sees. A reader that closes the pipe early (`fabc
//! graph pod.fab | head`) is not an error; a standard output that takes nothing is one.

use super::errors::DriverError;
use super::excerpt::{Excerpt, shortened};
use super::messages::{self, severity};
use super::options::MessageFormat;
use crate::diag::SourceMap;
use crate::emit::{self, Look};
use crate::model::Warning;
use miette::{Diagnostic, LabeledSpan};
use serde_json::Value;
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most diagnostics that one run shows: nobody reads more, and each takes time linear in the spec.
const MOST_SHOWN: usize = 100;

thread_local! {
    /// Whether this thread draws a diagnostic: a panic there is caught, and is no news for the user.
    static DRAWING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread draws a diagnostic, so that a panic is not to be reported: the diagnostic is shown in
/// another form.
pub(super) fn is_drawing() -> bool {
    DRAWING.get()
}

/// How wide and how colorful a report is on standard output: as the terminal is, from 80 to 120 columns.
pub(super) fn look() -> Look {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return Look::FILE;
    }
    let width = terminal_size::terminal_size_of(&stdout).map_or(Look::FILE.width, |(width, _)| usize::from(width.0).clamp(80, 120));
    Look { width, color: supports_color::on(supports_color::Stream::Stdout).is_some() }
}

/// How much to say, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminal {
    /// The form of diagnostics.
    pub(super) format: MessageFormat,
    /// Errors only.
    pub(super) quiet: bool,
    /// More than usual.
    pub(super) verbose: bool,
}

impl Terminal {
    /// Results, to standard output.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn say(self, text: &str) -> Result<(), DriverError> {
        if self.quiet { Ok(()) } else { print_out(text) }
    }
    /// What the user should know while the work goes on, to standard error.
    pub(super) fn note(self, text: &str) {
        if !self.quiet {
            self.remark(text, &format!("note: {text}"));
        }
    }
    /// Details for `--verbose`, to standard error.
    pub(super) fn detail(self, text: &str) {
        if self.verbose {
            self.remark(text, text);
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
    pub(super) fn warn(self, warnings: Vec<Warning>, sources: &SourceMap) {
        if !self.quiet {
            self.show(warnings.into_iter().map(|warning| Box::new(warning) as _).collect(), sources);
        }
    }
    /// Diagnostics, to standard error, in the chosen form.
    pub(super) fn show(self, diagnostics: Vec<Box<dyn Diagnostic + Send + Sync>>, sources: &SourceMap) {
        if self.format == MessageFormat::Sarif {
            let mut results = results(&diagnostics, sources);
            return collected().results.append(&mut results);
        }
        shown(&diagnostics, sources, self.format).iter().for_each(|text| print_err(text));
    }
    /// What waits for the end of the run, to standard error: a log is one document.
    pub(super) fn finish(self, exit_code: u8) {
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

/// The results of the first hundred diagnostics.
fn results(diagnostics: &[Box<dyn Diagnostic + Send + Sync>], sources: &SourceMap) -> Vec<Value> {
    let one = |diagnostic: &dyn Diagnostic| {
        drawn(|| messages::result(diagnostic, sources), || messages::result(diagnostic, &SourceMap::default()))
    };
    let mut all: Vec<Value> = diagnostics.iter().take(MOST_SHOWN).map(|diagnostic| one(&**diagnostic)).collect();
    if diagnostics.len() > MOST_SHOWN {
        all.push(messages::notification(&more_errors()));
    }
    all
}

fn more_errors() -> String {
    format!("there are more errors; the first {MOST_SHOWN} are shown")
}

/// What a user sees of these diagnostics, one text after the other: the first hundred, and where to learn
/// more.
pub fn shown(diagnostics: &[Box<dyn Diagnostic + Send + Sync>], sources: &SourceMap, format: MessageFormat) -> Vec<String> {
    if format == MessageFormat::Sarif {
        return vec![messages::log(results(diagnostics, sources), &[], 1).to_string()];
    }
    let mut texts = Vec::new();
    let one = |diagnostic: &dyn Diagnostic| match format {
        MessageFormat::Human => drawn(|| Excerpt::new(diagnostic, sources).draw(), || plain(diagnostic, sources)),
        MessageFormat::Short | MessageFormat::Sarif => drawn(|| short(diagnostic, sources), || plain(diagnostic, sources)),
        MessageFormat::Json => {
            let bare = || messages::bare_message(diagnostic, &short(diagnostic, sources)).to_string();
            drawn(|| messages::message(diagnostic, sources).to_string(), bare)
        }
        MessageFormat::Github => drawn(|| messages::command(diagnostic, sources), || messages::notice(&plain(diagnostic, sources))),
    };
    texts.extend(diagnostics.iter().take(MOST_SHOWN).map(|diagnostic| one(&**diagnostic)));
    if diagnostics.len() > MOST_SHOWN {
        texts.push(match format {
            MessageFormat::Json => messages::remark(&more_errors()).to_string(),
            MessageFormat::Github => messages::notice(&more_errors()),
            _ => more_errors(),
        });
    }
    let mut codes = diagnostics.iter().filter_map(|one| one.code().map(|code| code.to_string()));
    // Internal errors speak for themselves.
    if let (MessageFormat::Human, Some(code)) = (format, codes.find(|code| !code.starts_with("FAB09"))) {
        texts.push(format!("{}. To learn more, run `fabc explain {code}`.", counted(diagnostics)));
    }
    texts
}

/// `2 errors, 1 warning`: how many of each kind there are.
fn counted(diagnostics: &[Box<dyn Diagnostic + Send + Sync>]) -> String {
    let counts = ["error", "warning"].map(|kind| (diagnostics.iter().filter(|one| severity(&***one) == kind).count(), kind));
    let told = counts.iter().filter(|(count, _)| *count > 0);
    told.map(|(count, kind)| format!("{count} {kind}{}", if *count == 1 { "" } else { "s" })).collect::<Vec<_>>().join(", ")
}

/// A text and the end of its line, to standard output.
///
/// # Errors
/// It cannot be written.
pub(super) fn print_out(text: &str) -> Result<(), DriverError> {
    handed_over(write_text(&mut std::io::stdout().lock(), text))
}

/// A text and the end of its line, to standard error.
pub(super) fn print_err(text: &str) {
    // There is no place left to complain at.
    let _ = write_text(&mut std::io::stderr().lock(), text);
}

/// Bytes as they are, to standard output.
///
/// # Errors
/// It cannot be written.
pub(super) fn write_out(bytes: &[u8]) -> Result<(), DriverError> {
    let mut out = std::io::stdout().lock();
    handed_over(out.write_all(bytes).and_then(|()| out.flush()))
}

/// What became of something that was written to standard output.
///
/// # Errors
/// It was lost, and not because the reader has seen enough.
pub(super) fn handed_over(written: io::Result<()>) -> Result<(), DriverError> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(DriverError::Stdout { reason: "it is closed".to_owned() });
    }
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(DriverError::Stdout { reason: super::read::plain(&error) }),
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

/// What `draw` makes, or else what `otherwise` makes: an error is shown even where drawing it panics.
fn drawn<T>(draw: impl FnOnce() -> T, otherwise: impl FnOnce() -> T) -> T {
    DRAWING.set(true);
    let drawn = catch_unwind(AssertUnwindSafe(draw));
    DRAWING.set(false);
    drawn.unwrap_or_else(|_| otherwise())
}

/// `file:line:column: error[FAB0101]`, or the name of the program where there is no place.
fn head(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> String {
    let labels: Vec<LabeledSpan> = diagnostic.labels().into_iter().flatten().collect();
    let place = labels
        .iter()
        .find(|label| label.primary())
        .or(labels.first())
        .and_then(|label| sources.position(label.offset() as u32))
        .map_or("fabc".to_owned(), |(file, line, column)| format!("{}:{line}:{column}", shortened(file)));
    let code = diagnostic.code().map(|code| format!("[{code}]")).unwrap_or_default();
    format!("{place}: {}{code}", severity(diagnostic))
}

/// `file:line:column: error[FAB0101]: message`.
fn short(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> String {
    format!("{}: {}", head(diagnostic, sources), shortened(&diagnostic.to_string()))
}

/// The line of [`short`] and the help: what is shown where nothing better can be drawn.
fn plain(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> String {
    let help = diagnostic.help().map(|help| format!("\n  help: {}", shortened(&help.to_string()))).unwrap_or_default();
    short(diagnostic, sources) + &help
}

/// Bytes for people.
pub(super) fn size(bytes: usize) -> String {
    emit::number::size(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Span;

    #[derive(Debug, thiserror::Error, Diagnostic)]
    #[error("two of them")]
    #[diagnostic(code(FAB9999), help("take one away"))]
    struct Twice {
        #[label("first here")]
        first: Span,
        #[label(primary, "and again")]
        second: Span,
    }

    fn twice() -> (Twice, SourceMap) {
        let mut sources = SourceMap::default();
        sources.add("a.fab", "use b;\n");
        let base = sources.add("parts/b.fab", "link é;\nlink é;\n");
        (Twice { first: Span { start: base, end: base + 7 }, second: Span { start: base + 9, end: base + 16 } }, sources)
    }

    #[test]
    fn short_messages_point_at_the_primary_label() {
        let (error, sources) = twice();
        assert_eq!(short(&error, &sources), "parts/b.fab:2:1: error[FAB9999]: two of them");
    }

    #[test]
    fn json_messages_carry_every_label_with_columns_in_characters() {
        let (error, sources) = twice();
        assert_eq!(
            messages::message(&error, &sources).to_string(),
            concat!(
                r#"{"format":"fabc.message/1","code":"FAB9999","severity":"error","message":"two of them","help":"take one away","labels":["#,
                r#"{"file":"parts/b.fab","line":1,"column":1,"end_line":1,"end_column":7,"text":"first here"},"#,
                r#"{"file":"parts/b.fab","line":2,"column":1,"end_line":2,"end_column":7,"text":"and again"}]}"#
            )
        );
    }

    #[test]
    fn messages_for_people_show_the_line_in_its_file() {
        let (error, sources) = twice();
        let text = Excerpt::new(&error, &sources).draw();
        assert!(text.contains("parts/b.fab") && text.contains("link é;") && text.contains("and again"), "{text}");
    }

    #[test]
    fn labels_far_apart_are_two_pieces_with_their_own_lines() {
        let mut sources = SourceMap::default();
        let base = sources.add("a.fab", &format!("link one;\n{}\n    link two;\nend\n", "x;\n".repeat(5000)));
        let second = base + 10 + 3 * 5000 + 5;
        let error = Twice { first: Span { start: base, end: base + 4 }, second: Span { start: second, end: second + 4 } };
        let text = Excerpt::new(&error, &sources).draw();
        for part in ["a.fab:1:1", "1 │ link one;", "first here", "a.fab:5003:5", "5003 │     link two;", "5004 │ end", "and again"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(text.len() < 2000, "{text}");
    }

    #[test]
    fn an_error_that_cannot_be_drawn_is_shown_plainly() {
        let (error, sources) = twice();
        let text = drawn(|| panic!("no ink"), || plain(&error, &sources));
        assert_eq!(text, "parts/b.fab:2:1: error[FAB9999]: two of them\n  help: take one away");
        assert!(!is_drawing());
        let object = messages::bare_message(&error, &short(&error, &sources));
        assert_eq!(object["message"], "parts/b.fab:2:1: error[FAB9999]: two of them");
        assert_eq!((&object["code"], &object["help"]), (&Value::from("FAB9999"), &Value::from("take one away")));
    }

    #[test]
    fn sizes_have_one_digit_after_the_point() {
        let sizes = [0, 999, 1000, 4_249_999, 999_960_000, 12_000_000_000];
        assert_eq!(sizes.map(size), ["0 B", "999 B", "1.0 kB", "4.2 MB", "1.0 GB", "12.0 GB"]);
    }
}
