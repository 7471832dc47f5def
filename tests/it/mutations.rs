//! Mutated specs: nothing panics or hangs. Every failure has a code and a place, and its message is short.
//!
//! Every mutant goes through parse, resolve, the normal form and back. Then it goes through the checks that
//! `fabc check` makes before any search, every form of messages, and some requests to the language server.
//!
//! `cargo test --test it mutations` takes some thousand mutants. `FABC_MUTANTS=1000000 cargo test --test it
//! mutations::mutated -- --nocapture` takes that many. It prints how many failed and where, how long the
//! slowest took, and the peak memory of the process. `FABC_MUTANTS=500000..1000000` takes the second half.

use crate::support::mutants;
use fabc::diag::{Failure, SourceMap};
use fabc::lang::read_normal;
use fabc::library::{decide, slice_failures};
use fabc::lsp::Server;
use fabc::model::Fabric;
use fabc::show::{MessageFormat, shown};
use fabc::syntax::{normalize, parse, parse_file, print, print_spec};
use lsp_server::{Message, Notification, Request, RequestId};
use miette::Diagnostic;
use mutants::{MutantDice, mutate};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::any::Any;
use std::cell::RefCell;
use std::ops::Range;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The number of mutants unless `FABC_MUTANTS` says another one.
const MUTANTS: usize = 3_000;

/// The most that reading and resolving one spec may take of a processor, seconds.
const SECONDS: f64 = 1.0;

/// Seconds after which a mutant hangs.
const HANGS: u64 = 600;

/// The most that may be shown of the errors of one spec, bytes.
const SHOWN: usize = 400_000;

/// Longer specs are nothing but long.
const SPEC: usize = 8_000;

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

/// Every spec that is shipped or tested, as paths from the root of the package, with its text.
fn specs() -> Vec<(String, String)> {
    let (mut paths, mut open) = (Vec::new(), vec![PathBuf::from("specs"), PathBuf::from("tests")]);
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fab") {
                // Some tests are of specs that are no text.
                let text = read(&path.to_string_lossy())
                    .ok()
                    .filter(|text| !text.trim().is_empty() && text.len() <= SPEC);
                paths.extend(text.map(|text| (path.to_string_lossy().into_owned(), text)));
            }
        }
    }
    paths.sort();
    assert!(paths.len() > 450, "{}", paths.len());
    paths
}

/// How far a mutant came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum MutantOutcome {
    /// It does not parse, or means nothing.
    Refused,
    /// It means something that can never be built.
    Undecidable,
    /// Only a search could tell more.
    Through,
}

fn check(errors: &[Box<dyn Diagnostic + Send + Sync>], sources: &SourceMap, mutant: &str) {
    assert!(!errors.is_empty());
    // Finding a place takes time linear in the text. Tens of thousands of errors say no more than fifty.
    for error in errors.iter().take(50) {
        assert!(
            error.code().is_some_and(|code| code.to_string().starts_with("FAB0")),
            "no code: {error}\n{mutant}"
        );
        let mut labels = error.labels().unwrap_or_else(|| panic!("no place: {error}\n{mutant}"));
        let label = labels.next().unwrap_or_else(|| panic!("no place: {error}\n{mutant}"));
        assert!(sources.position(label.offset() as u32).is_some(), "{error}\n{mutant}");
        assert!(
            miette::SourceCode::read_span(sources, label.inner(), 1, 1).is_ok(),
            "{error}: {label:?}\n{mutant}"
        );
    }
    for format in [
        MessageFormat::Human,
        MessageFormat::Short,
        MessageFormat::Json,
        MessageFormat::Github,
        MessageFormat::Sarif,
    ] {
        let texts = shown(errors, sources, format);
        let bytes: usize = texts.iter().map(String::len).sum();
        assert!(bytes < SHOWN, "{bytes} bytes of messages\n{mutant}");
        // Only what could not be drawn begins with its place.
        let undrawn = texts.iter().find(|text| {
            format == MessageFormat::Human
                && text.lines().next().is_some_and(|line| line.contains(": error["))
        });
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

/// The errors of `fabc check` before any search.
fn quick(fabric: &Fabric) -> Result<(), Vec<Box<dyn Diagnostic + Send + Sync>>> {
    match slice_failures(fabric) {
        Some(mut failures) => failures.next().map_or(Ok(()), |failure| Err(failure.diagnostics())),
        None => decide(fabric).map(drop).map_err(Failure::diagnostics),
    }
}

/// Loads one mutant and what comes of it again. Returns how far it came, and the nanoseconds of the first
/// loading.
fn run(path: &str, mutant: &str, dice: &mut MutantDice) -> (MutantOutcome, u64) {
    let root = if path.contains("/parts/") { "specs/pod_128.fab" } else { path };
    let reader = |path_asked: &str| if path_asked == path { Ok(mutant.to_owned()) } else { read(path_asked) };
    let began = processor_time();
    let loaded = read_normal(root, &reader);
    let took = processor_time().zip(began).map_or(0, |(now, began)| now - began);
    assert!(took as f64 <= SECONDS * 1e9, "{took} ns\n{mutant}");
    let verdict = match loaded {
        Ok((fabric, normal, sources)) => {
            let normal = print_spec(&normal);
            let again =
                |path_asked: &str| if path_asked == root { Ok(normal.clone()) } else { read(path_asked) };
            let reparsed =
                parse(root, &again).0.unwrap_or_else(|errors| panic!("{errors:?}\n{mutant}\n{normal}"));
            assert_eq!(print_spec(&normalize(&reparsed)), normal, "{mutant}");
            let given = |path_asked: &str| {
                if path_asked == root { Ok(normal.clone()) } else { input(path_asked, &fabric) }
            };
            read_normal(root, &given)
                .unwrap_or_else(|(failure, _)| panic!("{:?}\n{mutant}\n{normal}", failure.diagnostics()));
            match quick(&fabric) {
                Ok(()) => MutantOutcome::Through,
                Err(errors) => {
                    check(&errors, &sources, mutant);
                    MutantOutcome::Undecidable
                }
            }
        }
        Err((failure, sources)) => {
            check(&failure.diagnostics(), &sources, mutant);
            MutantOutcome::Refused
        }
    };
    if let Ok(file) = parse_file(path, mutant).0 {
        let once = print(&file);
        let again = parse_file(path, &once).0.unwrap_or_else(|errors| panic!("{errors:?}\n{mutant}\n{once}"));
        assert_eq!(print(&again), once, "{mutant}");
        assert_eq!(again.comments.len(), file.comments.len(), "{mutant}");
    }
    edit(path, root, mutant, verdict, dice);
    (verdict, took)
}

/// A file that a spec in its normal form names: a copy of what the first one read.
fn input(wanted_path: &str, fabric: &Fabric) -> Result<String, String> {
    let copies = fabc::emit::input_copies(fabric);
    let copy =
        copies.into_iter().find(|(path, _)| wanted_path.ends_with(path.as_str())).map(|(_, text)| text);
    copy.map_or_else(|| read(wanted_path), Ok)
}

fn notification(method: &str, params: Value) -> Message {
    Message::Notification(Notification::new(method.to_owned(), params))
}

/// The mutant in an editor: what is found, and some questions about some place.
fn edit(path: &str, root: &str, mutant: &str, verdict: MutantOutcome, dice: &mut MutantDice) {
    let disk = |path_asked: &str| read(path_asked);
    let absolute = |path: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(path).display().to_string();
    let uri = |path: &str| json!({"uri": format!("file://{}", absolute(path))});
    let open = |path: &str, text: &str| json!({"textDocument": {"uri": uri(path)["uri"], "languageId": "fab", "version": 1, "text": text}});
    let mut server = Server::new(&disk);
    if root != path {
        server.handle_message(notification("textDocument/didOpen", open(root, &read(root).unwrap())));
    }
    server.handle_message(notification("textDocument/didOpen", open(path, mutant)));
    let mut errors = 0;
    for message in server.publish_changes() {
        let Message::Notification(Notification { params, .. }) = message else { panic!("{message:?}") };
        for finding in params["diagnostics"].as_array().unwrap() {
            errors += usize::from(finding["severity"] == 1);
            let code = finding["code"].as_str().unwrap_or_default();
            assert!(code.starts_with("FAB0") && code.len() == 7, "{finding}\n{mutant}");
        }
    }
    // A file without a fabric is taken for shared parts, of which only the text is read.
    assert!(
        (errors > 0) == (verdict != MutantOutcome::Through)
            || errors == 0 && verdict == MutantOutcome::Refused,
        "{verdict:?}: {errors}\n{mutant}"
    );
    let lines: Vec<&str> = mutant.split('\n').collect();
    let line = dice.below(lines.len());
    let place = json!({"line": line, "character": dice.below(lines[line].len() + 2)});
    let full_range =
        json!({"start": {"line": 0, "character": 0}, "end": {"line": lines.len(), "character": 0}});
    let parameters = json!({"textDocument": uri(path), "position": place, "range": full_range, "newName": "another", "context":
        {"includeDeclaration": true, "diagnostics": [], "triggerKind": 1}, "options": {"tabSize": 4, "insertSpaces": true}});
    let about = [
        "hover",
        "completion",
        "definition",
        "references",
        "documentHighlight",
        "rename",
        "inlayHint",
        "codeAction",
    ];
    for method in
        ["semanticTokens/full", "documentSymbol", "formatting", about[dice.below(8)], about[dice.below(8)]]
    {
        let request = Request::new(RequestId::from(1), format!("textDocument/{method}"), parameters.clone());
        let answers = server.handle_message(Message::Request(request));
        let [Message::Response(response)] = &answers[..] else { panic!("{answers:?}") };
        let refused = response_error(response);
        // A rename can be refused. Nothing else can.
        assert!(refused.is_none() || method == "rename", "{method}: {refused:?}\n{mutant}");
    }
}

fn response_error(response: &lsp_server::Response) -> Option<Value> {
    serde_json::to_value(response).unwrap().get("error").cloned()
}

thread_local! {
    /// Panics of this thread, caught by whomever.
    static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it panicked")
}

/// The numbers of the mutants, from `FABC_MUTANTS`: a count or a range.
fn wanted() -> Range<usize> {
    let Ok(wanted) = std::env::var("FABC_MUTANTS") else { return 0..MUTANTS };
    let number = |text: &str| text.parse().expect("FABC_MUTANTS is a number or a range");
    wanted.split_once("..").map_or_else(|| 0..number(&wanted), |(from, to)| number(from)..number(to))
}

/// The mutant of each thread and its start, so that a hang has a name.
struct Watch {
    ticks: AtomicU64,
    done: AtomicUsize,
    /// For each thread the number of its mutant plus 1, and the tick of its start. It is 0 for idle threads.
    at: Vec<[AtomicU64; 2]>,
}

impl Watch {
    fn tick(&self, of: usize) {
        let now = self.ticks.fetch_add(1, Ordering::Relaxed) + 1;
        for [mutant, since] in &self.at {
            let (mutant, since) = (mutant.load(Ordering::Relaxed), since.load(Ordering::Relaxed));
            if mutant > 0 && now - since > HANGS {
                eprintln!("mutant {} hangs", mutant - 1);
                std::process::abort();
            }
        }
        if now.is_multiple_of(60) {
            eprintln!("{} of {of} mutants", self.done.load(Ordering::Relaxed));
        }
    }
}

#[test]
fn mutated_specs_fail_with_a_code_and_a_place() {
    let (wanted, specs) = (wanted(), specs());
    let texts: Vec<String> = specs.iter().map(|(_, text)| text.clone()).collect();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name().is_some() {
            return before(panic);
        }
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        PANICS.with_borrow_mut(|all| all.push(format!("{place}: {}", panic_text(panic.payload()))));
    }));
    let threads = || [AtomicU64::new(0), AtomicU64::new(0)];
    let watch = Watch {
        ticks: AtomicU64::new(0),
        done: AtomicUsize::new(0),
        at: std::iter::repeat_with(threads).take(rayon::current_num_threads()).collect(),
    };
    let over = AtomicUsize::new(0);
    let worker_time = |number: usize| {
        let [now, since] = &watch.at[rayon::current_thread_index().unwrap_or(0)];
        since.store(watch.ticks.load(Ordering::Relaxed), Ordering::Relaxed);
        now.store(number as u64 + 1, Ordering::Relaxed);
        let (path, text) = &specs[number % specs.len()];
        PANICS.with_borrow_mut(Vec::clear);
        let outcome = catch_unwind(|| {
            let mut dice = MutantDice::for_mutant(number as u64);
            let mutant = mutate(text, &texts, &mut dice);
            run(path, &mutant, &mut dice)
        });
        now.store(0, Ordering::Relaxed);
        watch.done.fetch_add(1, Ordering::Relaxed);
        // A panic that other code caught counts as well.
        match PANICS.with_borrow_mut(|all| all.pop()) {
            Some(panic) => {
                let panic: String = panic.chars().take(300).collect();
                eprintln!("mutant {number} of {path}: {panic:?}");
                Err(number)
            }
            None => outcome.map_err(|_| number),
        }
    };
    let results: Vec<Result<(MutantOutcome, u64), usize>> = std::thread::scope(|scope| {
        scope.spawn(|| {
            while over.load(Ordering::Relaxed) == 0 {
                std::thread::sleep(Duration::from_secs(1));
                watch.tick(wanted.len());
            }
        });
        let results = wanted.clone().into_par_iter().map(worker_time).collect();
        over.store(1, Ordering::Relaxed);
        results
    });
    let failures: Vec<usize> = results.iter().filter_map(|result| result.err()).collect();
    let count_of =
        |wanted: MutantOutcome| results.iter().flatten().filter(|(verdict, _)| *verdict == wanted).count();
    let slowest = results.iter().flatten().map(|&(_, took)| took).max().unwrap_or(0);
    println!(
        "{} mutants of {} specs: {} refused, {} that can never be built, {} for a search, {} wrong; the slowest took {:.3} s, peak memory {}",
        results.len(),
        specs.len(),
        count_of(MutantOutcome::Refused),
        count_of(MutantOutcome::Undecidable),
        count_of(MutantOutcome::Through),
        failures.len(),
        slowest as f64 / 1e9,
        peak_memory()
    );
    assert!(
        failures.is_empty(),
        "{} mutants, first {:?}",
        failures.len(),
        &failures[..failures.len().min(20)]
    );
    assert!(count_of(MutantOutcome::Refused) * 3 > results.len());
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
        edit("a.fab", "a.fab", &text, MutantOutcome::Refused, &mut MutantDice::for_mutant(0));
        let reader = |path_asked: &str| {
            if path_asked == "a.fab" { Ok(text.clone()) } else { Err("not there".to_owned()) }
        };
        let (failure, sources) = read_normal("a.fab", &reader).expect_err("this is no spec");
        check(&failure.diagnostics(), &sources, &text[..text.floor_char_boundary(60)]);
    }
}
