//! `fabc explain`: an error code, a word of the language, a metric or a field of `report.json`.

use crate::args::options::ExplainArgs;
use crate::io::errors::DriverError;
use crate::io::stop::Stop;
use crate::io::terminal::{page_width, print_out, wrap_page};
use fabc_base::diag;
use fabc_emit::{ReportField, find_report_fields};
use fabc_lsp::{WordMeaning, explain_word, explained_words};
use serde_json::{Value, json};

/// The tag of an explanation.
const FORMAT: &str = "fabc.explanation/1";

/// The kind of a field of `report.json`.
const FIELD: &str = "field of report.json";

/// Prints an explanation, or lists all codes.
///
/// # Errors
/// `DriverError::UnknownCode` if it is neither a code nor a word.
pub(crate) fn explain(args: &ExplainArgs) -> Result<(), Stop> {
    let Some(word) = &args.word else {
        for doc in diag::codes() {
            print_out(&format!("{}  {}", doc.code, doc.title))?;
        }
        return Ok(());
    };
    let word = word.as_str();
    let explained =
        [word_meanings(word), field_meanings(word, true), metric_of_run(word), field_meanings(word, false)];
    if let Some(Explained { name, meanings }) = explained.into_iter().flatten().next() {
        let text = if args.json { document(&name, &meanings) } else { text(&name, &meanings) };
        return Ok(print_out(&text)?);
    }
    // The other forms that messages and users write are accepted too: `fabc explain 101` and `FAB[0101]`.
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    let Some(doc) = diag::explain(word).or_else(|| diag::explain(&format!("FAB{digits:0>4}"))) else {
        return Err(unknown(word).into());
    };
    if args.json {
        let document =
            json!({ "format": FORMAT, "word": doc.code, "title": doc.title, "text": doc.text.trim() });
        return Ok(print_out(&document.to_string())?);
    }
    let page = format!("{}: {}\n\n{}", doc.code, doc.title, doc.text.trim());
    Ok(print_out(&wrap_page(&page, page_width()))?)
}

/// What is printed about a word.
struct Explained {
    name: String,
    meanings: Vec<WordMeaning>,
}

impl Explained {
    /// The explanation of a word that has any meaning.
    fn new(name: &str, meanings: Vec<WordMeaning>) -> Option<Self> {
        (!meanings.is_empty()).then(|| Self { name: name.to_owned(), meanings })
    }
}

/// The meanings of a word of the language, a metric or a unit.
fn word_meanings(word: &str) -> Option<Explained> {
    Explained::new(word, explain_word(word))
}

/// The metric behind the name of a fault or of a run: `fault.latency` and `peak.latency`.
fn metric_of_run(word: &str) -> Option<Explained> {
    let (_, name) = word.rsplit_once('.')?;
    Explained::new(name, explain_word(name).into_iter().filter(|meaning| meaning.kind == "metric").collect())
}

/// The fields of `report.json` with a path, or also those whose path ends with it. A field that is a metric
/// has the meaning of the metric and its unit.
fn field_meanings(word: &str, whole: bool) -> Option<Explained> {
    let mut fields = find_report_fields(word);
    fields.retain(|field| !whole || field.plain_path() == word);
    let mut meanings: Vec<WordMeaning> = Vec::new();
    for field in fields {
        meanings.extend(metric_of_field(field));
        let known = meanings.iter_mut().find(|known| known.kind == FIELD && known.meaning == field.meaning);
        match known {
            Some(known) => known.places.push(&field.path),
            None => meanings.push(WordMeaning {
                kind: FIELD,
                places: vec![&field.path],
                meaning: &field.meaning,
                values: Vec::new(),
                example: None,
            }),
        }
    }
    Explained::new(word, meanings)
}

fn metric_of_field(field: &ReportField) -> Vec<WordMeaning> {
    let meanings = if field.is_metric() { explain_word(&field.name()) } else { Vec::new() };
    meanings.into_iter().filter(|meaning| meaning.kind == "metric").collect()
}

fn unknown(word: &str) -> DriverError {
    let words = explained_words();
    let near = diag::closest(word, words.iter().copied().chain(diag::codes().map(|doc| doc.code)));
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    let hint = format!(
        "{near}`fabc explain` lists all codes, and docs/language.md all words, and docs/report_fields.md all fields of `report.json`"
    );
    DriverError::UnknownCode { code: word.to_owned(), hint }
}

fn text(word: &str, meanings: &[WordMeaning]) -> String {
    let pages = meanings.iter().map(|WordMeaning { kind, places, meaning, values, example }| {
        let places = match (&places[..], *kind) {
            ([], _) => String::new(),
            (places, FIELD) => format!(" {}", places.join(", ")),
            (places, "setting") => format!(" in {}", places.join(", ")),
            (places, _) => format!(" of {}", places.join(", ")),
        };
        let mut page = wrap_page(&format!("{word} ({kind}{places}): {meaning}"), page_width());
        if !values.is_empty() {
            let options = textwrap::Options::new(page_width()).initial_indent("  ").subsequent_indent("  ");
            page += &format!("\n{}", textwrap::fill(&format!("one of {}", values.join(", ")), options));
        }
        for line in example.iter().flat_map(|example| example.lines()) {
            page += &format!("\n    {line}");
        }
        page
    });
    pages.collect::<Vec<_>>().join("\n\n")
}

fn document(word: &str, meanings: &[WordMeaning]) -> String {
    let meanings: Vec<Value> = meanings
        .iter()
        .map(|WordMeaning { kind, places, meaning, values, example }| {
            json!({ "kind": kind, "places": places, "meaning": meaning, "values": values, "example": example })
        })
        .collect();
    json!({ "format": FORMAT, "word": word, "meanings": meanings }).to_string()
}
