//! Mutated specs: nothing panics or hangs, every failure has a code and a place, and what is shown of it is
//! short.
//!
//! `cargo test --test mutations` takes some thousand mutants. `FABC_MUTANTS=100000 cargo test --test
//! mutations mutated -- --nocapture` takes that many, and prints how many failed, how long the slowest took,
//! and the peak memory of the process.

use fabc::diag::SourceMap;
use fabc::driver::{MessageFormat, shown};
use fabc::model::load;
use fabc::syntax::{normalize, parse, parse_file, print, print_spec};
use miette::Diagnostic;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;

/// Mutants without `FABC_MUTANTS`.
const MUTANTS: usize = 3_000;

/// The most that reading and resolving one spec may take of a processor, seconds.
const SECONDS: f64 = 1.0;

/// The most that may be shown of the errors of one spec, bytes.
const SHOWN: usize = 400_000;

const SPECS: [&str; 11] = [
    "specs/failing_require.fab",
    "specs/parts/tpu_v4.fab",
    "specs/pod_1024.fab",
    "specs/pod_128.fab",
    "specs/pod_256.fab",
    "specs/pod_5_cubes.fab",
    "specs/single_cube_64.fab",
    "specs/small_cubes.fab",
    "specs/torus_4x4x8.fab",
    "specs/twisted_4x8x8.fab",
    "specs/two_faces.fab",
];

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

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

/// Random choices.
struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        (self.0.next_u64() % count.max(1) as u64) as usize
    }
    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
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

/// Changes of single tokens.
fn mutate_tokens(text: &str, dice: &mut Dice) -> String {
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
            4..=6 if !numbers.is_empty() => tokens[numbers[dice.below(numbers.len())]] = format!(" {}", dice.one(&NUMBERS)),
            7 => tokens.insert(at, dice.one(&STRANGE).to_owned()),
            8 => tokens[at] = format!(" {}", dice.one(&WORDS)),
            9 => tokens[at] = tokens[at].to_uppercase(),
            10 => tokens[at] = tokens[other].clone(),
            _ => tokens.truncate(at.max(1)),
        }
    }
    tokens.concat()
}

/// Changes of lines, of items, and of the whole.
fn mutate_lines(text: &str, others: &[String], dice: &mut Dice) -> String {
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
        6 => return text.replace('\n', dice.one(&[" ", "\r", "\r\n", "\n\n", "\u{2028}"])),
        7 => return text[..text.floor_char_boundary(dice.below(text.len()))].to_owned(),
        _ => return text[text.floor_char_boundary(dice.below(text.len()))..].to_owned(),
    }
    lines.concat()
}

/// What is far larger than in any spec: names, numbers, lines, brackets, sums, comments.
fn mutate_sizes(text: &str, dice: &mut Dice) -> String {
    let mut tokens = tokens(text);
    let at = dice.below(tokens.len());
    let token = tokens[at].trim().to_owned();
    let size = *[3, 63, 64, 65, 200, 5_000, 70_000].get(dice.below(7)).unwrap();
    let many = |part: &str| part.repeat(size);
    tokens[at] = match dice.below(10) {
        0 => format!(" {}{token}{}", many("("), many(")")),
        1 => format!(" {}{token}{}", many("["), many("]")),
        2 => format!(" {} {{ {token} {}", many("x = a { "), many("}")),
        3 => format!(" {token}{}", many("a")),
        4 => format!(" {token}{}", many("9")),
        5 => format!(" {token}{}", many(dice.one(&[" + 1", " * 2", " - u", " % 3", " / 1"]))),
        6 => format!(" {}{token}", many("-")),
        7 => format!("{}{token}", many(" ")),
        8 => format!(" /*{}*/ {token} //{}\n", many("*"), many("é")),
        _ => {
            format!(" {token} {}", many(dice.one(&["; ", "x = 1; ", "\"\" ", "ocs X {} ", "let a = b; ", "\u{301}", "é", "[u in 0..2, "])))
        }
    };
    tokens.concat()
}

fn mutate(text: &str, others: &[String], dice: &mut Dice) -> String {
    let mut mutant = text.to_owned();
    for _ in 0..1 + dice.below(2) {
        mutant = match dice.below(64) {
            0 => mutate_sizes(&mutant, dice),
            1..=16 => mutate_lines(&mutant, others, dice),
            _ => mutate_tokens(&mutant, dice),
        };
        if mutant.trim().is_empty() {
            break;
        }
    }
    mutant
}

fn check(errors: &[Box<dyn Diagnostic + Send + Sync>], sources: &SourceMap, mutant: &str) {
    assert!(!errors.is_empty());
    // Finding a place takes time linear in the text; tens of thousands of errors say no more than fifty.
    for error in errors.iter().take(50) {
        assert!(error.code().is_some_and(|code| code.to_string().starts_with("FAB0")), "no code: {error}\n{mutant}");
        let mut labels = error.labels().unwrap_or_else(|| panic!("no place: {error}\n{mutant}"));
        let label = labels.next().unwrap_or_else(|| panic!("no place: {error}\n{mutant}"));
        assert!(sources.position(label.offset() as u32).is_some(), "{error}\n{mutant}");
        assert!(miette::SourceCode::read_span(sources, label.inner(), 1, 1).is_ok(), "{error}: {label:?}\n{mutant}");
    }
    for format in [MessageFormat::Human, MessageFormat::Short, MessageFormat::Json, MessageFormat::Github, MessageFormat::Sarif] {
        let texts = shown(errors, sources, format);
        let bytes: usize = texts.iter().map(String::len).sum();
        assert!(bytes < SHOWN, "{bytes} bytes of messages\n{mutant}");
        // Only what could not be drawn begins with its place.
        let undrawn =
            texts.iter().find(|text| format == MessageFormat::Human && text.lines().next().is_some_and(|line| line.contains(": error[")));
        assert!(undrawn.is_none(), "{undrawn:?}\n{mutant}");
    }
}

/// Nanoseconds that this thread has run, where the system tells.
fn processor_time() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// Peak memory of this process, where the system tells.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim().to_owned()
}

/// Loads one mutant and what comes of it again; returns whether it failed, and the nanoseconds of the first
/// loading.
fn run(path: &str, mutant: &str) -> (bool, u64) {
    let root = if path.contains("parts") { "specs/pod_128.fab" } else { path };
    let reader = |asked: &str| if asked == path { Ok(mutant.to_owned()) } else { read(asked) };
    let began = processor_time();
    let loaded = load(root, &reader);
    let took = processor_time().zip(began).map_or(0, |(now, began)| now - began);
    assert!(took as f64 <= SECONDS * 1e9, "{took} ns\n{mutant}");
    let failed = match loaded {
        Ok((_, normal, _)) => {
            let normal = print_spec(&normal);
            let again = |asked: &str| if asked == root { Ok(normal.clone()) } else { read(asked) };
            let reparsed = parse(root, &again).0.unwrap_or_else(|errors| panic!("{errors:?}\n{mutant}\n{normal}"));
            assert_eq!(print_spec(&normalize(&reparsed)), normal, "{mutant}");
            load(root, &again).unwrap_or_else(|_| panic!("{mutant}\n{normal}"));
            false
        }
        Err((failure, sources)) => {
            check(&failure.diagnostics(), &sources, mutant);
            true
        }
    };
    if let Ok(file) = parse_file(path, mutant).0 {
        let once = print(&file);
        let again = parse_file(path, &once).0.unwrap_or_else(|errors| panic!("{errors:?}\n{mutant}\n{once}"));
        assert_eq!(print(&again), once, "{mutant}");
        assert_eq!(again.comments.len(), file.comments.len(), "{mutant}");
    }
    (failed, took)
}

#[test]
fn mutated_specs_fail_with_a_code_and_a_place() {
    let wanted = std::env::var("FABC_MUTANTS").ok().map_or(MUTANTS, |count| count.parse().expect("FABC_MUTANTS is a number"));
    let texts: Vec<String> = SPECS.iter().map(|path| read(path).unwrap()).collect();
    let results: Vec<(bool, u64)> = (0..wanted)
        .into_par_iter()
        .map(|number| {
            // A stream for each mutant: the same ones whatever the number of threads, and however many there
            // are.
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            rng.set_stream(number as u64);
            let at = number % SPECS.len();
            let mutant = mutate(&texts[at], &texts, &mut Dice(rng));
            run(SPECS[at], &mutant)
        })
        .collect();
    let failures = results.iter().filter(|(failed, _)| *failed).count();
    let slowest = results.iter().map(|&(_, took)| took).max().unwrap_or(0);
    println!("{wanted} mutants: {failures} failed, the slowest took {:.3} s, peak memory {}", slowest as f64 / 1e9, peak_memory());
    assert!(failures * 3 > wanted, "{failures}");
}

#[test]
fn hostile_texts_end_in_an_error() {
    let many = |part: &str, count: usize| part.repeat(count);
    let texts = [
        many("(", 100_000),
        many("{", 100_000),
        many("[", 100_000),
        many("/*", 100_000),
        many("fabric a {", 50_000),
        format!("fabric a {{ cubes = {}1; }}", many("-", 100_000)),
        format!("fabric a {{ cubes = 1{}; }}", many(" + 1", 100_000)),
        format!("fabric a {{ cubes = 1{}; }}", many("0", 100_000)),
        format!("fabric a {{ {} }}", (0..20_000).map(|i| format!("let a{i} = a{} + 1;", i + 1)).collect::<String>()),
        format!("fabric a {{ {} }}", many("x = 1 ", 20_000)),
        format!("fabric a {{ {} }}", many("ocs X {}", 20_000)),
        many("\u{feff}", 10),
        "\u{feff}fabric a {}".to_owned(),
        "fabric a { cubes = 1".to_owned(),
        // Nothing but what the checks of the wiring need.
        "fabric a { clock = 1 GHz; chip { radix = 6; vcs = 1; flit = 1 B; buffer = 1 flits; latency = 0 cycles; }
          cube { mesh 1 x 1 x 1 over none; } cubes = 1; topology = synthesize; routing = up_down; }"
            .to_owned(),
        "fabric a { use \"\"; }".to_owned(),
        "fabric a { use \".\"; use \"..\"; use \"/\"; }".to_owned(),
        many("fabric a { } ", 10_000),
    ];
    for text in texts {
        let reader = |asked: &str| if asked == "a.fab" { Ok(text.clone()) } else { Err("not there".to_owned()) };
        let (failure, sources) = load("a.fab", &reader).expect_err("this is no spec");
        check(&failure.diagnostics(), &sources, &text[..text.floor_char_boundary(60)]);
    }
}
