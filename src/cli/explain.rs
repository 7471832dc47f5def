//! `fabc explain`: an error code, a word of the language or a metric.

use crate::args::options::ExplainArgs;
use crate::io::errors::DriverError;
use crate::io::stop::Stop;
use crate::io::terminal::{page_width, print_out, wrap_page};
use fabc_base::diag;
use fabc_lsp::{WordMeaning, explain_word, explained_words};
use serde_json::{Value, json};

/// The tag of an explanation.
const FORMAT: &str = "fabc.explanation/1";

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
    for name in [word, word.rsplit_once('.').map_or(word, |(_, last)| last)] {
        let mut meanings = explain_word(name);
        // `fault.latency` and `peak.latency` are metrics of a fault and of a simulation.
        meanings.retain(|meaning| name == word || meaning.kind == "metric");
        if !meanings.is_empty() {
            let text = if args.json { document(name, &meanings) } else { text(name, &meanings) };
            return Ok(print_out(&text)?);
        }
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

fn unknown(word: &str) -> DriverError {
    let words = explained_words();
    let near = diag::closest(word, words.iter().copied().chain(diag::codes().map(|doc| doc.code)));
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    let hint = format!("{near}`fabc explain` lists all codes, and docs/language.md all words");
    DriverError::UnknownCode { code: word.to_owned(), hint }
}

fn text(word: &str, meanings: &[WordMeaning]) -> String {
    let pages = meanings.iter().map(|WordMeaning { kind, places, meaning, values, example }| {
        let places = match (&places[..], *kind) {
            ([], _) => String::new(),
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
