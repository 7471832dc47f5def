//! Every change of one thing in a file: what an adversary would try first, who writes the manifest again
//! afterwards.
//!
//! Comes in: the path and bytes of a file. Goes out: [`Change`]s, each one replacement of some bytes, so that
//! all the rest stays as it was.

use std::ops::Range;

/// One change of a file.
pub(crate) struct Change {
    /// JSON place without indices (`scenarios.ranks`), or `body`, or the first word of a line.
    pub(crate) place: String,
    /// The same with indices or line numbers.
    pub(crate) at: String,
    /// The kind of change, such as `altered`.
    pub(crate) what: &'static str,
    range: Range<usize>,
    with: Vec<u8>,
}

impl Change {
    /// The file after the change.
    pub(crate) fn applied_to(&self, bytes: &[u8]) -> Vec<u8> {
        [&bytes[..self.range.start], &self.with, &bytes[self.range.end..]].concat()
    }
}

/// All changes of a file, by the ending of its path.
pub(crate) fn changes(path: &str, bytes: &[u8]) -> Vec<Change> {
    let mut change_list = ChangeList { bytes, list: Vec::new() };
    match path.rsplit('.').next() {
        Some("json") => change_list.json(bytes.len()),
        Some("bin") => {
            let head = bytes.iter().position(|&byte| byte == b'\n').expect("a binary table has a first line");
            change_list.json(head);
            change_list.body(head + 1);
        }
        _ => change_list.lines(path.ends_with(".fab")),
    }
    change_list.list
}

/// A JSON value and where it stands.
struct JsonNode {
    span: Range<usize>,
    kind: JsonKind,
}

enum JsonKind {
    Leaf,
    Array(Vec<JsonNode>),
    /// Key (with its quotes) and value.
    Object(Vec<(Range<usize>, JsonNode)>),
}

struct ChangeList<'a> {
    bytes: &'a [u8],
    list: Vec<Change>,
}

impl ChangeList<'_> {
    fn push(
        &mut self,
        place: &str,
        at: &str,
        what: &'static str,
        range: Range<usize>,
        with: impl Into<Vec<u8>>,
    ) {
        self.list.push(Change { place: place.to_owned(), at: at.to_owned(), what, range, with: with.into() });
    }

    fn text(&self, range: Range<usize>) -> &str {
        std::str::from_utf8(&self.bytes[range]).expect("JSON is text")
    }

    fn json(&mut self, end: usize) {
        let root = Parser { bytes: &self.bytes[..end], at: 0 }.value();
        self.value("", "", &root);
    }

    fn value(&mut self, place: &str, at: &str, node: &JsonNode) {
        match &node.kind {
            JsonKind::Leaf => {
                let changed_text = altered(self.text(node.span.clone()));
                self.push(place, at, "altered", node.span.clone(), changed_text);
            }
            JsonKind::Array(elements) => {
                let spans: Vec<Range<usize>> = elements.iter().map(|element| element.span.clone()).collect();
                for (k, element) in elements.iter().enumerate() {
                    let item_place = format!("{at}[{k}]");
                    self.in_list(place, &item_place, &spans, k);
                    self.value(place, &item_place, element);
                }
            }
            JsonKind::Object(members) => {
                let spans: Vec<Range<usize>> =
                    members.iter().map(|(key, value)| key.start..value.span.end).collect();
                self.push(
                    place,
                    at,
                    "one key more",
                    node.span.start + 1..node.span.start + 1,
                    match members.is_empty() {
                        true => "\"more\":0",
                        false => "\"more\":0,",
                    },
                );
                for (k, (key, value)) in members.iter().enumerate() {
                    let name = self.text(key.start + 1..key.end - 1).to_owned();
                    let [place, at] = [place, at]
                        .map(|place| if place.is_empty() { name.clone() } else { format!("{place}.{name}") });
                    self.in_list(&place, &at, &spans, k);
                    self.push(&place, &at, "renamed", key.end - 1..key.end - 1, "x");
                    // Many readers keep the last of repeated keys, so that no reader sees the first one.
                    let changed_text = if matches!(value.kind, JsonKind::Leaf) {
                        altered(self.text(value.span.clone()))
                    } else {
                        "null".to_owned()
                    };
                    let repeated = format!("\"{name}\":{changed_text},");
                    self.push(&place, &at, "repeated", key.start..key.start, repeated);
                    self.value(&place, &at, value);
                }
            }
        }
    }

    /// Deletes and duplicates one of a list.
    fn in_list(&mut self, place: &str, at: &str, spans: &[Range<usize>], k: usize) {
        let item_span = spans[k].clone();
        let with_comma = match (spans.get(k + 1), k.checked_sub(1)) {
            (Some(next), _) => item_span.start..next.start,
            (None, Some(before)) => spans[before].end..item_span.end,
            (None, None) => item_span.clone(),
        };
        self.push(place, at, "deleted", with_comma, "");
        let copy = format!("{},", self.text(item_span.clone()));
        self.push(place, at, "duplicated", item_span.start..item_span.start, copy);
    }

    fn lines(&mut self, comments: bool) {
        let mut start = 0;
        for (k, line) in self.bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let (here, at) = (start..start + line.len(), (k + 1).to_string());
            start = here.end;
            let text = String::from_utf8_lossy(line).into_owned();
            let place = text.split_whitespace().next().unwrap_or_default().to_owned();
            self.push(&place, &at, "deleted", here.clone(), "");
            self.push(&place, &at, "duplicated", here.start..here.start, line);
            self.push(&place, &at, "blank line", here.start..here.start, "\n");
            self.push(&place, &at, "space at the end", here.end - 1..here.end - 1, " ");
            let digits: Vec<usize> = (0..line.len()).filter(|&at| line[at].is_ascii_digit()).collect();
            let letters: Vec<usize> = (0..line.len()).filter(|&at| line[at].is_ascii_alphabetic()).collect();
            for (what, positions) in [("digit altered", digits), ("letter altered", letters)] {
                let mut samples =
                    vec![positions.first(), positions.get(positions.len() / 2), positions.last()];
                samples.dedup();
                for at in samples.into_iter().flatten() {
                    let byte = line[*at];
                    let other_byte =
                        if byte.is_ascii_digit() { b'0' + (byte - b'0' + 1) % 10 } else { byte ^ 0x20 };
                    self.push(
                        &place,
                        &(k + 1).to_string(),
                        what,
                        here.start + at..here.start + at + 1,
                        [other_byte],
                    );
                }
            }
            if comments {
                self.push(&place, &at, "comment", here.end - 1..here.end - 1, " // x");
                self.push(&place, &at, "indented", here.start..here.start, " ");
                // A number in full, so that the spec still means something.
                for (at_byte, number) in numbers(&text) {
                    let more = (number.parse::<u64>().unwrap_or(0) + 1).to_string();
                    self.push(
                        &place,
                        &at,
                        "number altered",
                        here.start + at_byte..here.start + at_byte + number.len(),
                        more,
                    );
                }
            }
        }
    }

    fn body(&mut self, start: usize) {
        for at in start..self.bytes.len() {
            let (byte, name, here) = (self.bytes[at], at.to_string(), at..at + 1);
            self.push("body", &name, "one more", here.clone(), [byte.wrapping_add(1)]);
            self.push("body", &name, "zero", here.clone(), [if byte == 0 { 1 } else { 0 }]);
            self.push("body", &name, "top bit", here.clone(), [byte ^ 0x80]);
            self.push("body", &name, "deleted", here.clone(), []);
            self.push("body", &name, "duplicated", at..at, [byte]);
            if byte < 0x80 {
                self.push("body", &name, "in two bytes", here, [byte | 0x80, 0]);
            }
        }
    }
}

/// Another value of the same type.
fn altered(leaf: &str) -> String {
    match leaf {
        "true" => "false".to_owned(),
        "false" => "true".to_owned(),
        "null" => "0".to_owned(),
        text if text.starts_with('"') => format!("{}x\"", &text[..text.len() - 1]),
        number => match number.parse::<i128>() {
            Ok(integer) => (integer + 1).to_string(),
            // The last digit: the smallest change that a reader can see.
            Err(_) => {
                let last = number.as_bytes()[number.len() - 1] - b'0';
                format!("{}{}", &number[..number.len() - 1], if last == 9 { 8 } else { last + 1 })
            }
        },
    }
}

/// The runs of digits of a line, and where they start.
fn numbers(line: &str) -> Vec<(usize, String)> {
    let mut numbers_found: Vec<(usize, String)> = Vec::new();
    for (index, letter) in line.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
        match numbers_found.last_mut() {
            Some((start, digits)) if *start + digits.len() == index => digits.push(letter),
            _ => numbers_found.push((index, letter.to_string())),
        }
    }
    numbers_found
}

/// A reader of JSON that keeps where everything stands.
struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn value(&mut self) -> JsonNode {
        self.space();
        let start = self.at;
        let kind = match self.bytes[self.at] {
            b'{' => JsonKind::Object(self.list(b'}', |parser| {
                let start = parser.at;
                parser.string();
                let key = start..parser.at;
                parser.space();
                assert_eq!(parser.bytes[parser.at], b':');
                parser.at += 1;
                (key, parser.value())
            })),
            b'[' => JsonKind::Array(self.list(b']', Self::value)),
            b'"' => {
                self.string();
                JsonKind::Leaf
            }
            _ => {
                while self.bytes.get(self.at).is_some_and(|byte| !b",]} \n".contains(byte)) {
                    self.at += 1;
                }
                JsonKind::Leaf
            }
        };
        JsonNode { span: start..self.at, kind }
    }

    fn list<T>(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.space();
            match self.bytes[self.at] {
                byte if byte == end => break,
                b',' => self.at += 1,
                _ => items.push(item(self)),
            }
        }
        self.at += 1;
        items
    }

    fn string(&mut self) {
        self.at += 1;
        while self.bytes[self.at] != b'"' {
            self.at += if self.bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }

    fn space(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| b" \n\t".contains(byte)) {
            self.at += 1;
        }
    }
}
