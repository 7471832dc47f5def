//! Mutants of specs: bytes, tokens, lines, items of other specs, numbers, sizes.

use fabc::limits::SPEC_BYTES;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// Words, numbers, texts and single signs, with the blanks before them.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut kind = ' ';
    for c in text.chars() {
        let next = if c.is_alphanumeric() || c == '_' {
            'a'
        } else if c.is_whitespace() {
            ' '
        } else {
            '.'
        };
        match tokens.last_mut() {
            Some(last) if next != '.' && next == kind || kind == ' ' => last.push(c),
            _ => tokens.push(c.to_string()),
        }
        kind = next;
    }
    tokens
}

/// A source of random choices.
pub(crate) struct MutantDice(ChaCha8Rng);

impl MutantDice {
    /// A stream for each mutant: the same ones whatever the number of threads, and however many there are.
    pub(crate) fn for_mutant(mutant: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        rng.set_stream(mutant);
        MutantDice(rng)
    }
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.0.next_u64() % count.max(1) as u64) as usize
    }
    fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

const NUMBERS: [&str; 28] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "-0",
    "7.5",
    "0.0000000000000000001",
    "65",
    "128",
    "136",
    "32768",
    "32769",
    "65536",
    "65537",
    "131072",
    "1000000",
    "1048576",
    "1048577",
    "1_000_0__",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999",
    "340282366920938463463374607431768211456",
    "1e9",
];
const STRANGE: [&str; 36] = [
    "(",
    ")",
    "}",
    "{",
    "]",
    "[",
    "/*",
    "*/",
    "\"",
    "//",
    ";",
    "..",
    "...",
    "- - -",
    "{ { {",
    "\r\n",
    "\r",
    "\t",
    "x",
    "[0]",
    "=",
    "==",
    "<=",
    "@",
    "\0",
    "\u{1b}[31m",
    "é",
    "≥",
    "\u{feff}",
    "\u{202e}",
    "\u{200b}",
    "e\u{301}\u{301}\u{301}",
    "👩‍👩‍👧‍👦",
    "１２",
    "ﷺ",
    "\u{10ffff}",
];
const WORDS: [&str; 30] = [
    "fabric",
    "use",
    "let",
    "link",
    "chip",
    "cube",
    "cubes",
    "ocs",
    "budget",
    "demand",
    "require",
    "mesh",
    "couple",
    "all_to_all",
    "weight",
    "any",
    "of",
    "with",
    "over",
    "in",
    "for",
    "groups",
    "torus",
    "synthesize",
    "cross_connects",
    "faults",
    "fault.diameter",
    "symmetry",
    "GB/s",
    "flits",
];

const SIGNS: &[u8] = b"{}[]();=\"/*.,-+<>%x0 \n";

/// Changes of single bytes. What is no UTF-8 then is replaced, as an editor does.
fn mutate_bytes(text: &str, dice: &mut MutantDice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + dice.below(4) {
        if bytes.is_empty() {
            break;
        }
        let (at, other) = (dice.below(bytes.len()), dice.below(bytes.len()));
        match dice.below(6) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => bytes[at] = dice.below(256) as u8,
            2 => bytes.insert(at, SIGNS[dice.below(SIGNS.len())]),
            3 => _ = bytes.remove(at),
            4 => bytes.swap(at, other),
            _ => bytes.insert(at, bytes[other]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Changes single tokens of a text.
fn mutate_tokens(text: &str, dice: &mut MutantDice) -> String {
    let mut tokens = tokens(text);
    for _ in 0..1 + dice.below(3) {
        if tokens.is_empty() {
            break;
        }
        let (at, other) = (dice.below(tokens.len()), dice.below(tokens.len()));
        let is_number = |token: &String| token.trim().starts_with(|c: char| c.is_ascii_digit());
        let numbers: Vec<usize> = (0..tokens.len()).filter(|&at| is_number(&tokens[at])).collect();
        match dice.below(12) {
            0 | 1 => _ = tokens.remove(at),
            2 => tokens.swap(at, other),
            3 => tokens.insert(at, tokens[other].clone()),
            4..=6 if !numbers.is_empty() => {
                tokens[numbers[dice.below(numbers.len())]] = format!(" {}", dice.pick(&NUMBERS))
            }
            7 => tokens.insert(at, dice.pick(&STRANGE).to_owned()),
            8 => tokens[at] = format!(" {}", dice.pick(&WORDS)),
            9 => tokens[at] = tokens[at].to_uppercase(),
            10 => tokens[at] = tokens[other].clone(),
            _ => tokens.truncate(at.max(1)),
        }
    }
    tokens.concat()
}

/// Changes of lines, of items, and of the whole.
fn mutate_lines(text: &str, others: &[String], dice: &mut MutantDice) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (at, other) = (dice.below(lines.len()), dice.below(lines.len()));
    let (from, to) = (at.min(other), at.max(other) + 1);
    match dice.below(9) {
        0 => lines.swap(at, other),
        1 => _ = lines.remove(at),
        2 => _ = lines.drain(from..to),
        // An item, again and again.
        3 => {
            let times = *[1, 2, 40, 400].get(dice.below(4)).unwrap();
            let again: Vec<&str> = std::iter::repeat_n(lines[at], times).collect();
            lines.splice(other..other, again);
        }
        4 => {
            let some = lines[from..to].to_vec();
            lines.splice(at..at, some);
        }
        5 => {
            let stranger = &others[dice.below(others.len())];
            let theirs: Vec<&str> = stranger.split_inclusive('\n').collect();
            let start = dice.below(theirs.len());
            lines.splice(at.., theirs[start..].iter().copied());
        }
        6 => return text.replace('\n', dice.pick(&[" ", "\r", "\r\n", "\n\n", "\u{2028}"])),
        7 => return text[..text.floor_char_boundary(dice.below(text.len()))].to_owned(),
        _ => return text[text.floor_char_boundary(dice.below(text.len()))..].to_owned(),
    }
    lines.concat()
}

/// Parts far larger than in any spec: names, numbers, lines, brackets, sums, comments.
fn mutate_sizes(text: &str, dice: &mut MutantDice) -> String {
    let mut tokens = tokens(text);
    let index = dice.below(tokens.len());
    let token = tokens[index].trim().to_owned();
    let size = *[3, 63, 64, 65, 200, 5_000, 70_000].get(dice.below(7)).unwrap();
    let many = |part: &str| part.repeat(size);
    tokens[index] = match dice.below(10) {
        0 => format!(" {}{token}{}", many("("), many(")")),
        1 => format!(" {}{token}{}", many("["), many("]")),
        2 => format!(" {} {{ {token} {}", many("x = a { "), many("}")),
        3 => format!(" {token}{}", many("a")),
        4 => format!(" {token}{}", many("9")),
        5 => format!(" {token}{}", many(dice.pick(&[" + 1", " * 2", " - u", " % 3", " / 1"]))),
        6 => format!(" {}{token}", many("-")),
        7 => format!("{}{token}", many(" ")),
        8 => format!(" /*{}*/ {token} //{}\n", many("*"), many("é")),
        _ => {
            format!(
                " {token} {}",
                many(dice.pick(&[
                    "; ",
                    "x = 1; ",
                    "\"\" ",
                    "ocs X {} ",
                    "let a = b; ",
                    "\u{301}",
                    "é",
                    "[u in 0..2, "
                ]))
            )
        }
    };
    tokens.concat()
}

pub(crate) fn mutate(text: &str, others: &[String], dice: &mut MutantDice) -> String {
    let mut mutant = text.to_owned();
    for _ in 0..1 + dice.below(2) {
        let next = match dice.below(64) {
            0 => mutate_sizes(&mutant, dice),
            1..=8 => mutate_bytes(&mutant, dice),
            9..=24 => mutate_lines(&mutant, others, dice),
            _ => mutate_tokens(&mutant, dice),
        };
        // A file larger than specs may be is not read: its error has no place.
        if next.len() > SPEC_BYTES {
            break;
        }
        mutant = next;
        if mutant.trim().is_empty() {
            break;
        }
    }
    mutant
}
