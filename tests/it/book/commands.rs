//! Every page of the book, from its top to its end: specs are checked, commands are run and print what is
//! shown.
//!
//! A page has a folder of its own, laid out like a clone of the repository. A build of a shipped spec is done
//! once for all pages. Lines of a page run in its order, each in a shell of its own.

use super::blocks::{self, Block};
use super::{NOT_RUN, complain, fabc, pages, read, root, scratch, specs};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

/// How many pages run side by side.
const WORKERS: usize = 2;

/// The exit code and the output of a command.
#[derive(Clone)]
struct CommandResult {
    code: i32,
    /// Standard output and standard error, in both orders: which a person sees first is no matter here.
    texts: [String; 2],
}

/// A build that pages share: its folder, and what it came to.
struct Build {
    folder: PathBuf,
    result: OnceLock<CommandResult>,
}

/// The shared builds by command.
static BUILDS: LazyLock<Mutex<BTreeMap<String, Arc<Build>>>> = LazyLock::new(Mutex::default);

/// The errors of a page, and counts of its blocks.
#[derive(Default)]
struct PageReport {
    wrong: Vec<String>,
    specs: usize,
    commands: usize,
    compared: usize,
    not_run: Vec<String>,
}

/// A folder that looks like a clone.
fn clone_at(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for name in ["specs", "hooks", "examples", "docs", "editors"] {
        std::os::unix::fs::symlink(root().join(name), folder.join(name)).unwrap();
    }
}

fn run(line: &str, folder: &Path) -> CommandResult {
    static PATH: LazyLock<OsString> = LazyLock::new(|| {
        let programs = scratch("bin");
        std::os::unix::fs::symlink(fabc(), programs.join("fabc")).unwrap();
        std::env::join_paths(
            [programs].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        )
        .unwrap()
    });
    let mut shell = Command::new("bash");
    shell.args(["-c", line]).current_dir(folder).env("PATH", &*PATH).env("HOME", folder).env("NO_COLOR", "1");
    shell.env_remove("RUST_BACKTRACE").env_remove("COLUMNS");
    let output = shell.output().expect("there is a bash");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    CommandResult {
        code: output.status.code().expect("it ended by itself"),
        texts: [format!("{out}{err}"), format!("{err}{out}")],
    }
}

/// Whether a command builds shipped specs and does nothing else.
fn shared(line: &str) -> bool {
    let mut words = line.split(' ');
    let plain = |word: &str| {
        word.starts_with("specs/") || ["-q", "--quiet", "--set"].contains(&word) || word.contains('=')
    };
    words.next() == Some("fabc")
        && words.next() == Some("build")
        && words.all(plain)
        && !line.contains([';', '|', '&', '>', '$'])
}

/// The command, or what it left when a page ran it before.
fn run_once(line: &str, folder: &Path) -> CommandResult {
    if !shared(line) {
        return run(line, folder);
    }
    let build = {
        let mut builds = BUILDS.lock().unwrap();
        let name = format!("build_{}", builds.len());
        let new = || Arc::new(Build { folder: scratch(&name), result: OnceLock::new() });
        Arc::clone(builds.entry(line.to_owned()).or_insert_with(new))
    };
    // Other pages that want this one wait here.
    let result = build.result.get_or_init(|| {
        clone_at(&build.folder);
        run(line, &build.folder)
    });
    if build.folder.join("out").exists() {
        // Hard links: nothing that fabc does changes a file in its place.
        let copied = run(&format!("mkdir -p out && cp -rlf '{}'/out/* out/", build.folder.display()), folder);
        assert_eq!(copied.code, 0, "{}", copied.texts[0]);
    }
    result.clone()
}

/// The text without how long builds took.
fn timeless(text: &str) -> String {
    let lines = text.lines().map(|line| match line.rsplit_once(" in ") {
        Some((head, time)) if line.starts_with("wrote ") && time.ends_with(" s") => format!("{head}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// Whether the pieces of what is shown, parted by lines `..`, occur one after the other.
fn shows(printed: &str, shown: &str) -> bool {
    let (printed, shown) = (timeless(printed), timeless(shown));
    let mut rest = printed.as_str();
    let pieces = shown.split_inclusive('\n').fold(vec![String::new()], |mut pieces, line| {
        if line == "..\n" {
            pieces.push(String::new())
        } else {
            pieces.last_mut().unwrap().push_str(line)
        }
        pieces
    });
    pieces.iter().filter(|piece| !piece.is_empty()).all(|piece| {
        let match_start = rest
            .match_indices(piece.as_str())
            .find(|(index, _)| *index == 0 || rest.as_bytes()[index - 1] == b'\n');
        match_start.map(|(index, _)| rest = &rest[index + piece.len()..]).is_some()
    })
}

/// The commands of a block: what is run, and the exit code.
fn commands(block: &Block) -> Vec<(String, i32)> {
    let joined = block.text.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (line, says) = line.split_once(" # ").unwrap_or((line, ""));
            let code = says
                .split_once("exit code ")
                .map_or(0, |(_, code)| code[..1].parse().expect("a digit behind `exit code`"));
            // cargo itself is not run: what it would run is in the path.
            (line.trim().replacen("cargo run --release -- ", "fabc ", 1), code)
        })
        .collect()
}

fn page(page: &str, folder: &Path) -> PageReport {
    let mut outcome = PageReport::default();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    // The output of the last block of commands, until other commands follow.
    let mut printed: Option<[String; 2]> = None;
    let blocks = blocks::code_blocks(page, &read(page));
    specs::beside(&blocks, folder);
    for block in blocks {
        match (block.language.as_str(), block.option("needs")) {
            ("fab", _) => {
                let (wrong, count) = specs::look(&block, &mut files, folder);
                outcome.wrong.extend(wrong);
                outcome.specs += count;
            }
            ("csv", _) => {
                std::fs::write(folder.join(block.option("file").expect("a table has a name")), &block.text)
                    .unwrap()
            }
            (language, Some(needs)) => {
                let count = if language == "sh" { commands(&block).len() } else { 1 };
                outcome.not_run.extend(std::iter::repeat_n(needs.to_owned(), count));
                printed = None;
            }
            ("sh", None) => {
                let outputs = printed.insert(Default::default());
                for (line, code) in commands(&block) {
                    outcome.commands += 1;
                    let result = run_once(&line, folder);
                    if result.code != code {
                        let CommandResult { code: ended, texts: [text, _] } = result;
                        outcome.wrong.push(format!(
                            "{}: `{line}` ended with {ended}, not {code}:\n{text}",
                            block.place
                        ));
                        // The commands after it are not run.
                        return outcome;
                    }
                    outputs.iter_mut().zip(&result.texts).for_each(|(outputs, text)| outputs.push_str(text));
                }
            }
            ("text", _) if block.option("figure").is_none() => {
                outcome.compared += 1;
                match &printed {
                    // A page without commands has nothing that is printed.
                    None if outcome.commands == 0 => outcome.compared -= 1,
                    None => outcome.wrong.push(format!("{}: no command prints this", block.place)),
                    Some(printed) if !printed.iter().any(|printed| shows(printed, &block.text)) => {
                        outcome.wrong.push(format!(
                            "{}: the page shows\n{}\nbut that is\n{}",
                            block.place, block.text, printed[0]
                        ));
                    }
                    Some(_) => (),
                }
            }
            _ => (),
        }
    }
    outcome
}

#[test]
fn every_page_is_true() {
    let only = std::env::var("BOOK_PAGE").ok();
    let page_names = pages();
    let chosen: Vec<&String> = page_names
        .iter()
        .filter(|page| only.as_ref().is_none_or(|only| page.contains(only.as_str())))
        .collect();
    let folder = scratch("pages");
    let next = AtomicUsize::new(0);
    let work = || {
        let mut outcomes = Vec::new();
        while let Some(name) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let place = folder.join(name.replace('/', "_"));
            clone_at(&place.join("fabc"));
            std::fs::create_dir_all(place.join("my-fabrics/.git/hooks")).unwrap();
            outcomes.push(page(name, &place.join("fabc")));
        }
        outcomes
    };
    let outcomes: Vec<PageReport> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a page is read")).collect()
    });
    let sum = |count: fn(&PageReport) -> usize| outcomes.iter().map(count).sum::<usize>();
    let [specs, commands, compared] = [
        sum(|outcomes| outcomes.specs),
        sum(|outcomes| outcomes.commands),
        sum(|outcomes| outcomes.compared),
    ];
    let mut not_run: BTreeMap<String, usize> = BTreeMap::new();
    outcomes
        .iter()
        .flat_map(|outcomes| &outcomes.not_run)
        .for_each(|needs| *not_run.entry(needs.clone()).or_default() += 1);
    println!(
        "{} pages: {specs} specs, {commands} commands run, {compared} outputs compared, not run: {not_run:?}",
        outcomes.len()
    );
    complain(outcomes.into_iter().flat_map(|outcomes| outcomes.wrong).collect());
    if only.is_none() {
        assert_eq!(
            not_run,
            NOT_RUN.map(|(needs, count)| (needs.to_owned(), count)).into(),
            "what is not run is counted in tests/it/book/mod.rs"
        );
        assert!(
            specs > 45 && commands > 180 && compared > 45,
            "{specs} specs, {commands} commands run, {compared} outputs compared"
        );
    }
}

#[test]
fn outputs_are_compared_by_whole_lines_and_without_times() {
    let printed = "a\nwrote out/x (3 files, 1 kB) in 9.6 s\nb\nc d\n";
    for shown in ["a\n", "a\n..\nb\n", "..\nc d\n", "wrote out/x (3 files, 1 kB) in 0.1 s\nb\n"] {
        assert!(shows(printed, shown), "{shown}");
    }
    for other in ["c\n", "b\n..\na\n", "d\n", "wrote out/x (4 files, 1 kB) in 9.6 s\n", "a\nb\n"] {
        assert!(!shows(printed, other), "{other}");
    }
}

#[test]
fn only_builds_of_shipped_specs_are_shared() {
    assert!(
        ["fabc build specs/a.fab", "fabc build specs/a.fab -q", "fabc build specs/a.fab --set seed=2"]
            .into_iter()
            .all(shared)
    );
    let others = [
        "fabc build a.fab",
        "fabc build specs/a.fab --out b",
        "fabc build specs/a.fab > b",
        "fabc check specs/a.fab",
    ];
    assert!(!others.into_iter().any(shared));
}
