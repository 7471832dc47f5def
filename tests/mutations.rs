//! Mutated specs: nothing panics or hangs, and every failure has a code and a place.

use fabc::diag::SourceMap;
use fabc::model::load;
use fabc::syntax::{normalize, parse, parse_file, print, print_spec};
use miette::Diagnostic;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

const MUTANTS_PER_FILE: usize = 150;

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

fn mutate(text: &str, rng: &mut ChaCha8Rng) -> String {
    let mut tokens = tokens(text);
    for _ in 0..1 + rng.next_u32() % 3 {
        let mut pick = |count: usize| rng.next_u32() as usize % count.max(1);
        let (at, other) = (pick(tokens.len()), pick(tokens.len()));
        let numbers: Vec<usize> = (0..tokens.len()).filter(|&at| tokens[at].trim().starts_with(|c: char| c.is_ascii_digit())).collect();
        match pick(8) {
            0 | 1 => _ = tokens.remove(at),
            2 => tokens.swap(at, other),
            3 => tokens.insert(at, tokens[other].clone()),
            4 | 5 if !numbers.is_empty() => {
                let values = ["0", "1", "3", "-1", "7.5", "65", "1000000", "4294967296", "9223372036854775807", "99999999999999999999999"];
                tokens[numbers[pick(numbers.len())]] = format!(" {}", values[pick(values.len())]);
            }
            6 => {
                let strange = ["(", "}", "/*", "\"", "é", "≥", "\0", "..", "- - -", "{ { {", "//", "\r\n", "x", "[0]"];
                tokens.insert(at, strange[pick(strange.len())].to_owned());
            }
            _ => tokens.truncate(at.max(1)),
        }
        if tokens.is_empty() {
            break;
        }
    }
    tokens.concat()
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
}

#[test]
fn mutated_specs_fail_with_a_code_and_a_place() {
    let mut failures = 0;
    for (stream, path) in SPECS.into_iter().enumerate() {
        let text = read(path).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        rng.set_stream(stream as u64);
        let root = if path.contains("parts") { "specs/pod_128.fab" } else { path };
        for _ in 0..MUTANTS_PER_FILE {
            let mutant = mutate(&text, &mut rng);
            let reader = |asked: &str| if asked == path { Ok(mutant.clone()) } else { read(asked) };
            match load(root, &reader) {
                Ok((_, normal, _)) => {
                    let normal = print_spec(&normal);
                    let again = |asked: &str| if asked == root { Ok(normal.clone()) } else { read(asked) };
                    let reparsed = parse(root, &again).0.unwrap_or_else(|errors| panic!("{errors:?}\n{mutant}\n{normal}"));
                    assert_eq!(print_spec(&normalize(&reparsed)), normal, "{mutant}");
                    load(root, &again).unwrap_or_else(|_| panic!("{mutant}\n{normal}"));
                }
                Err((failure, sources)) => {
                    failures += 1;
                    check(&failure.diagnostics(), &sources, &mutant);
                }
            }
            if let Ok(file) = parse_file(path, &mutant).0 {
                let once = print(&file);
                let again = parse_file(path, &once).0.unwrap_or_else(|errors| panic!("{errors:?}\n{mutant}\n{once}"));
                assert_eq!(print(&again), once, "{mutant}");
                assert_eq!(again.comments.len(), file.comments.len(), "{mutant}");
            }
        }
    }
    assert!(failures > 200, "{failures}");
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
