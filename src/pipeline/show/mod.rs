//! Shows diagnostics: for people, in one line, or for programs.
//!
//! In: diagnostics, and the sources that they point into. Out: text, which the caller prints. Invariant:
//! every diagnostic is shown, if need be in a plain form.

mod excerpt;
pub mod messages;

pub use excerpt::harmless;
use excerpt::{Excerpt, shortened};
use fabc_base::diag::SourceMap;
pub use messages::severity;
use miette::{Diagnostic, LabeledSpan};
use serde_json::Value;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The form in which diagnostics are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageFormat {
    /// With an excerpt of the source
    Human,
    /// One line each
    Short,
    /// One JSON object per line, fabc.message/1
    Json,
    /// One SARIF 2.1.0 log, when all is done
    Sarif,
    /// Commands of a GitHub workflow, which mark lines of the change
    Github,
}

/// The most diagnostics that one run shows. Nobody reads more, and each takes time linear in the spec.
const MOST_SHOWN: usize = 100;

thread_local! {
    /// Whether this thread is drawing a diagnostic. A panic there is caught, and must not be reported.
    static DRAWING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is drawing a diagnostic. A panic must then not be reported, since the diagnostic is
/// shown in another form.
pub fn is_drawing() -> bool {
    DRAWING.get()
}

/// The SARIF results of the first hundred diagnostics.
pub fn results(diagnostics: &[Box<dyn Diagnostic + Send + Sync>], sources: &SourceMap) -> Vec<Value> {
    let result_of = |diagnostic: &dyn Diagnostic| {
        drawn(
            || messages::result(diagnostic, sources),
            || messages::result(diagnostic, &SourceMap::default()),
        )
    };
    let mut results: Vec<Value> =
        diagnostics.iter().take(MOST_SHOWN).map(|diagnostic| result_of(&**diagnostic)).collect();
    if diagnostics.len() > MOST_SHOWN {
        results.push(messages::notification(&more_errors()));
    }
    results
}

fn more_errors() -> String {
    format!("there are more errors; the first {MOST_SHOWN} are shown")
}

/// The texts that a user sees, one after the other: the first hundred diagnostics, and where to learn more.
pub fn shown(
    diagnostics: &[Box<dyn Diagnostic + Send + Sync>],
    sources: &SourceMap,
    format: MessageFormat,
) -> Vec<String> {
    if format == MessageFormat::Sarif {
        return vec![messages::log(results(diagnostics, sources), &[], 1).to_string()];
    }
    let mut texts = Vec::new();
    let text_of = |diagnostic: &dyn Diagnostic| match format {
        MessageFormat::Human => {
            drawn(|| Excerpt::new(diagnostic, sources).draw(), || plain(diagnostic, sources))
        }
        MessageFormat::Short | MessageFormat::Sarif => {
            drawn(|| short(diagnostic, sources), || plain(diagnostic, sources))
        }
        MessageFormat::Json => {
            let bare = || messages::bare_message(diagnostic, &short(diagnostic, sources)).to_string();
            drawn(|| messages::message(diagnostic, sources).to_string(), bare)
        }
        MessageFormat::Github => {
            drawn(|| messages::command(diagnostic, sources), || messages::notice(&plain(diagnostic, sources)))
        }
    };
    texts.extend(diagnostics.iter().take(MOST_SHOWN).map(|diagnostic| text_of(&**diagnostic)));
    if diagnostics.len() > MOST_SHOWN {
        texts.push(match format {
            MessageFormat::Json => messages::remark(&more_errors()).to_string(),
            MessageFormat::Github => messages::notice(&more_errors()),
            _ => more_errors(),
        });
    }
    let mut codes =
        diagnostics.iter().filter_map(|diagnostic| diagnostic.code().map(|code| code.to_string()));
    // Internal errors need no further explanation.
    if let (MessageFormat::Human, Some(code)) = (format, codes.find(|code| !code.starts_with("FAB09"))) {
        texts.push(format!("{}. To learn more, run `fabc explain {code}`.", counted(diagnostics)));
    }
    texts
}

/// The number of diagnostics of each kind, such as `2 errors, 1 warning`.
fn counted(diagnostics: &[Box<dyn Diagnostic + Send + Sync>]) -> String {
    let counts = ["error", "warning"]
        .map(|kind| (diagnostics.iter().filter(|diagnostic| severity(&***diagnostic) == kind).count(), kind));
    let counted = counts.iter().filter(|(count, _)| *count > 0);
    counted
        .map(|(count, kind)| format!("{count} {kind}{}", if *count == 1 { "" } else { "s" }))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The result of `draw`, or that of `otherwise` if `draw` panics. An error is shown in any case.
fn drawn<T>(draw: impl FnOnce() -> T, otherwise: impl FnOnce() -> T) -> T {
    DRAWING.set(true);
    let drawn = catch_unwind(AssertUnwindSafe(draw));
    DRAWING.set(false);
    drawn.unwrap_or_else(|_| otherwise())
}

/// The head of a message: `file:line:column: error[FAB0101]`, or the name of the program where there is no
/// place.
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

/// A message in one line: `file:line:column: error[FAB0101]: message`.
fn short(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> String {
    format!("{}: {}", head(diagnostic, sources), shortened(&diagnostic.to_string()))
}

/// The line of [`short`] and the help. It is shown where nothing better can be drawn.
fn plain(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> String {
    let help = diagnostic
        .help()
        .map(|help| format!("\n  help: {}", shortened(&help.to_string())))
        .unwrap_or_default();
    short(diagnostic, sources) + &help
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::diag::Span;

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
        (
            Twice {
                first: Span { start: base, end: base + 7 },
                second: Span { start: base + 9, end: base + 16 },
            },
            sources,
        )
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
        assert!(
            text.contains("parts/b.fab") && text.contains("link é;") && text.contains("and again"),
            "{text}"
        );
    }

    #[test]
    fn labels_far_apart_are_two_pieces_with_their_own_lines() {
        let mut sources = SourceMap::default();
        let base = sources.add("a.fab", &format!("link one;\n{}\n    link two;\nend\n", "x;\n".repeat(5000)));
        let second = base + 10 + 3 * 5000 + 5;
        let error = Twice {
            first: Span { start: base, end: base + 4 },
            second: Span { start: second, end: second + 4 },
        };
        let text = Excerpt::new(&error, &sources).draw();
        for part in [
            "a.fab:1:1",
            "1 │ link one;",
            "first here",
            "a.fab:5003:5",
            "5003 │     link two;",
            "5004 │ end",
            "and again",
        ] {
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
        assert_eq!(
            (&object["code"], &object["help"]),
            (&Value::from("FAB9999"), &Value::from("take one away"))
        );
    }
}
