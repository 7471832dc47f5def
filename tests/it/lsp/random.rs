//! Random edits: after them a server says the same as a new one with the same text.

use super::server::{Disk, answer, findings, notify, open_document};
use super::uri;
use fabc::lsp::Server;
use fabc::random::Stream;
use serde_json::{Value, json};
use std::path::Path;

/// Edits of one run with the other tests. `FABC_EDITS` says another number.
const EDITS: usize = 1500;

/// Specs of all kinds, by their names in `specs`.
const SPECS: [&str; 6] = [
    "pod_256.fab",
    "small_slices.fab",
    "simulated_128.fab",
    "graph_10.fab",
    "collectives_128.fab",
    "scheduled/node_8.fab",
];

/// Texts that a user may type.
const PIECES: [&str; 22] = [
    "{",
    "}",
    ";",
    "=",
    "\"",
    "//",
    "/*",
    "*/",
    "[",
    "]",
    "(",
    "x",
    "0",
    "over",
    "let a = 1;",
    "µ",
    "😀",
    "\r\n",
    "\n",
    " ",
    "require ",
    ".",
];

/// A range of a text in bytes, and what takes its place.
struct Edit {
    from: usize,
    to: usize,
    new: String,
}

impl Edit {
    /// Draws a place, and removes, copies or types something there.
    fn random(draw: &mut Stream, text: &str) -> Self {
        let letters: Vec<usize> = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
        let start = draw.below(letters.len());
        let end = (start + [0, 0, 1, 5, 40][draw.below(5)]).min(letters.len() - 1);
        let new = match draw.below(4) {
            0 => String::new(),
            1 => {
                let from = draw.below(letters.len());
                text[letters[from]..letters[(from + draw.below(30)).min(letters.len() - 1)]].to_owned()
            }
            _ => PIECES[draw.below(PIECES.len())].to_owned(),
        };
        Self { from: letters[start], to: letters[end], new }
    }

    /// Whether an end of the range is between `\r` and `\n`, which the protocol cannot express.
    fn splits_line_end(&self, text: &str) -> bool {
        [self.from, self.to].iter().any(|&end| text[..end].ends_with('\r') && text[end..].starts_with('\n'))
    }

    /// The edit as a change of the protocol.
    fn change(&self, text: &str) -> Value {
        json!({"range": {"start": position(text, self.from), "end": position(text, self.to)}, "text": self.new})
    }
}

/// Line and column of a place in a text, by UTF-16 units.
fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let ends_line = |at: &usize| {
        before.as_bytes()[*at] == b'\n'
            || before.as_bytes()[*at] == b'\r' && text.as_bytes().get(at + 1) != Some(&b'\n')
    };
    let lines: Vec<usize> = (0..before.len()).filter(ends_line).collect();
    let units: usize = before[lines.last().map_or(0, |end| end + 1)..].chars().map(char::len_utf16).sum();
    json!({"line": lines.len(), "character": units})
}

const TOKENS: &str = "textDocument/semanticTokens/full";

#[test]
fn after_random_edits_a_server_knows_what_a_new_one_does() {
    let edits =
        std::env::var("FABC_EDITS").map_or(EDITS, |edits| edits.parse().expect("FABC_EDITS is a number"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
    let texts: Vec<(String, String)> = SPECS
        .iter()
        .map(|name| root.join(name))
        .map(|path| (uri(&path), std::fs::read_to_string(&path).unwrap()))
        .collect();
    let mut draw = Stream::new(1, 0);
    let mut server = Server::new(&Disk);
    let (mut spec, mut text) = (0, texts[0].1.clone());
    open_document(&mut server, &texts[0].0, &text);
    for number in 0..edits {
        if number % 50 == 0 {
            // Another spec, whole again.
            notify(&mut server, "textDocument/didClose", json!({"textDocument": {"uri": texts[spec].0}}));
            spec = draw.below(texts.len());
            text = texts[spec].1.clone();
            open_document(&mut server, &texts[spec].0, &text);
        }
        let uri = &texts[spec].0;
        let edit = Edit::random(&mut draw, &text);
        if edit.splits_line_end(&text) {
            continue;
        }
        let change = edit.change(&text);
        text.replace_range(edit.from..edit.to, &edit.new);
        let params = json!({"textDocument": {"uri": uri, "version": number}, "contentChanges": [change]});
        notify(&mut server, "textDocument/didChange", params);
        let cursor = json!({"textDocument": {"uri": uri}, "position": {"line": draw.below(40), "character": draw.below(60)}});
        let document = json!({"textDocument": {"uri": uri}});
        let method = [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/definition",
            "textDocument/documentHighlight",
        ][draw.below(4)];
        let response = answer(&mut server, method, cursor.clone());
        let tokens = answer(&mut server, TOKENS, document.clone());
        // Diagnostics take milliseconds: now and then.
        if number % 10 != 9 {
            continue;
        }
        let known = findings(&mut server, uri);
        let mut fresh = Server::new(&Disk);
        open_document(&mut fresh, uri, &text);
        assert_eq!(findings(&mut fresh, uri), known, "edit {number}\n{text}");
        assert_eq!(answer(&mut fresh, TOKENS, document), tokens, "edit {number}\n{text}");
        if method != "textDocument/hover" {
            assert_eq!(answer(&mut fresh, method, cursor), response, "edit {number}\n{text}");
        }
    }
}
