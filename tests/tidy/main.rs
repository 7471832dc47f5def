//! Keeps the map true: what `src/lib.rs`, `docs/architecture.md` and `docs/errors.md` say of the code holds.

mod checker;
mod form;
mod imports;
mod project;

use imports::Imports;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The most lines of a file.
const LINES: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder, as paths with `/` from the root of the repository, sorted.
fn files(folder: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut open = vec![PathBuf::from(folder)];
    while let Some(below) = open.pop() {
        let Ok(entries) = std::fs::read_dir(root().join(&below)) else { continue };
        for entry in entries {
            let entry = entry.expect("the repository can be read");
            let path = below.join(entry.file_name());
            if entry.path().is_dir() {
                open.push(path)
            } else {
                paths.push(path.to_string_lossy().replace('\\', "/"))
            }
        }
    }
    paths.sort();
    paths
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Paths and lines (with numbers) of all Rust code of `src`, without comments and without the unit tests at
/// the ends of files.
fn code() -> Vec<(String, Vec<(usize, String)>)> {
    let sources = files("src").into_iter().filter(|path| path.ends_with(".rs"));
    sources
        .map(|path| {
            let text = read(&path);
            let lines = text.lines().enumerate().take_while(|(_, line)| *line != "#[cfg(test)]");
            let bare = lines
                .map(|(at, line)| (at + 1, line.trim_start()))
                .filter(|(_, line)| !line.starts_with("//"));
            let lines =
                bare.map(|(at, line)| (at, line.split(" // ").next().unwrap_or(line).to_owned())).collect();
            (path, lines)
        })
        .collect()
}

/// The crate of a file: `src/ir/flow.rs` belongs to `ir`. Files in `src` itself belong to the crate of the
/// root, which has no name here.
fn crate_folder(path: &str) -> &str {
    let below = path.trim_start_matches("src/");
    below.split_once('/').map_or("", |(folder, _)| folder)
}

fn complain(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// No file of `src` leads back to itself.
///
/// A file leads to every file that defines an item which it names, and to all that those lead to. A name that
/// comes through another module's `use` leads to the file that defines it. To declare a child (`mod`) and to
/// hand on its names (`pub use`) leads nowhere. So siblings do not import each other in a cycle. A child
/// takes from its parent only what the parent defines without that child. What the two share has a file of
/// its own. Unit tests are left out.
#[test]
fn no_file_leads_back_to_itself() {
    let sources = files("src").into_iter().filter(|path| {
        path.ends_with(".rs") && !path.ends_with("/tests.rs") && !crate_folder(path).is_empty()
    });
    let sources: Vec<(String, String)> = sources
        .map(|path| {
            let text = read(&path);
            let lines = text
                .lines()
                .take_while(|line| *line != "#[cfg(test)]")
                .filter(|line| !line.trim_start().starts_with("//"));
            let bare: Vec<&str> = lines.map(|line| line.split(" // ").next().unwrap_or(line)).collect();
            (path, bare.join("\n"))
        })
        .collect();
    let mut crates: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (path, text) in sources {
        crates.entry(crate_folder(&path).to_owned()).or_default().push((path, text));
    }
    complain(crates.values().flat_map(|files| Imports::new(files).cycles()).collect());
}

#[test]
fn circles_of_files_are_found() {
    let cycles = |files: &[(&str, &str)]| {
        let files: Vec<(String, String)> =
            files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
        Imports::new(&files).cycles()
    };
    let parent = (
        "src/x/a/mod.rs",
        "mod b;\nmod c;\npub use b::B;\nuse c::{self};\nfn f() { c::go() }\npub struct A;\n",
    );
    let leaf = ("src/x/a/c.rs", "use super::B;\npub fn go() {}\n");
    // Through its parent `c` names what `b` defines. The parent's own items are another thing.
    assert!(cycles(&[parent, leaf, ("src/x/a/b.rs", "pub struct B;\n")]).is_empty());
    assert_eq!(cycles(&[parent, leaf, ("src/x/a/b.rs", "use crate::a::c::go;\npub struct B;\n")]).len(), 1);
    assert_eq!(cycles(&[parent, leaf, ("src/x/a/b.rs", "use super::*;\npub struct B(A);\n")]).len(), 1);
    let lines = cycles(&[
        parent,
        ("src/x/a/c.rs", "pub fn go() -> super::A { super::A }\n"),
        ("src/x/a/b.rs", "pub struct B;\n"),
    ]);
    assert_eq!(
        lines,
        ["  src/x/a/c.rs uses src/x/a/mod.rs (super::A)\n  src/x/a/mod.rs uses src/x/a/c.rs (c::go)"]
    );
}

/// The commands lie on their options (`args`), and these on files and terminals (`io`). No room names one
/// above.
#[test]
fn options_and_files_know_no_command() {
    let commands = ["build", "diff", "lsp", "operate", "run", "sweep", "verify"];
    let mut complaints = Vec::new();
    for (path, lines) in code() {
        let above: Vec<&str> = match path.strip_prefix("src/cli/").and_then(|rest| rest.split('/').next()) {
            Some("io") => commands.into_iter().chain(["args"]).collect(),
            Some("args") => commands.into(),
            _ => continue,
        };
        for (at, line) in lines {
            let named = above.iter().filter(|room| line.contains(&format!("crate::{room}::")));
            complaints.extend(named.map(|room| format!("{path}:{at}: names the room above it `{room}`")));
        }
    }
    complain(complaints);
}

/// Commands and editors run operations of the pipeline. They name no pass, no checker, no simulator and no
/// closed form.
#[test]
fn commands_and_editors_name_no_pass_and_no_checker() {
    const BELOW: [&str; 7] = [
        "fabc-kernel",
        "fabc-check",
        "fabc-passes",
        "fabc-sim",
        "fabc-estimate",
        "fabc-job",
        "fabc-job-plan",
    ];
    let mut complaints = Vec::new();
    for manifest in ["src/cli/Cargo.toml", "src/lsp/Cargo.toml"] {
        for (at, line) in read(manifest).lines().enumerate() {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if BELOW.contains(&name) {
                complaints.push(format!("{manifest}:{}: `{name}` is for the pipeline alone", at + 1));
            }
        }
    }
    complain(complaints);
}

#[test]
fn passes_use_no_other_pass() {
    let pass = |path: &str| {
        path.strip_prefix("src/passes/")
            .map(|rest| rest.split('/').next().unwrap_or(rest).trim_end_matches(".rs").to_owned())
    };
    let passes: BTreeSet<String> = files("src/passes")
        .iter()
        .filter_map(|path| pass(path))
        .filter(|name| name != "lib" && name != "solve")
        .collect();
    let mut complaints = Vec::new();
    for (path, lines) in code() {
        let Some(name) = pass(&path).filter(|name| name != "lib") else { continue };
        // How a file of this pass reaches the folder of all passes.
        let up = "super::".repeat(path.matches('/').count() - 1 - usize::from(path.ends_with("/mod.rs")));
        for (at, line) in lines {
            for other in passes.iter().filter(|other| **other != name) {
                let through =
                    [format!("crate::{other}::"), format!(" {up}{other}::"), format!("crate::{other};")];
                if through.iter().any(|path| line.contains(path.as_str())) {
                    complaints
                        .push(format!("{path}:{at}: the pass `{name}` must not use the pass `{other}`"));
                }
            }
        }
    }
    complain(complaints);
}

#[test]
fn some_things_have_one_place() {
    let places: [(&str, &[&str]); 13] = [
        ("pest", &["src/lang/syntax/parse"]),
        ("good_lp", &["src/passes/solve.rs"]),
        ("std::fs", &["src/cli/"]),
        ("std::env::", &["src/cli/"]),
        ("std::process", &["src/cli/", "src/main.rs"]),
        ("std::io", &["src/cli/"]),
        ("println!", &["src/cli/"]),
        ("print!", &["src/cli/"]),
        ("dbg!", &[]),
        ("Instant", &["src/cli/io/progress.rs"]),
        ("SystemTime", &["src/cli/io/progress.rs"]),
        ("unsafe ", &[]),
        ("unsafe(", &["src/main.rs"]),
    ];
    let mut complaints = Vec::new();
    for (path, lines) in code() {
        for (word, allowed) in places {
            if allowed.iter().any(|place| path.starts_with(place)) {
                continue;
            }
            for (at, line) in lines.iter().filter(|(_, line)| starts_word(line, word)) {
                complaints.push(format!("{path}:{at}: `{}` does not belong here: {line}", word.trim()));
            }
        }
    }
    complain(complaints);
}

/// Whether a line has a text at the start of a word.
fn starts_word(line: &str, text: &str) -> bool {
    line.match_indices(text)
        .any(|(at, _)| !line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}

#[test]
fn files_are_short_and_named_for_what_they_do() {
    let mut complaints = Vec::new();
    for path in ["src", "tests", "benches"].into_iter().flat_map(files).filter(|path| path.ends_with(".rs")) {
        let lines = read(&path).lines().count();
        if lines > LINES {
            complaints.push(format!("{path} has {lines} lines: look for the second thing in it"));
        }
        if ["utils.rs", "util.rs", "helpers.rs", "helper.rs", "common.rs", "misc.rs"]
            .iter()
            .any(|name| path.ends_with(&format!("/{name}")))
        {
            complaints.push(format!("{path}: name it for what it does"));
        }
    }
    complain(complaints);
}

/// The most columns of a comment.
const COLUMNS: usize = 110;

#[test]
fn comments_are_narrow() {
    let mut complaints = Vec::new();
    for path in ["src", "tests", "benches"].into_iter().flat_map(files).filter(|path| path.ends_with(".rs")) {
        for (at, line) in read(&path).lines().enumerate() {
            let columns = line.chars().count();
            if line.trim_start().starts_with("//") && columns > COLUMNS {
                complaints
                    .push(format!("{path}:{}: a comment of {columns} columns, at most {COLUMNS}", at + 1));
            }
        }
    }
    complain(complaints);
}

/// Prose only: tables, code and headings are as wide as they are, and code in a line is not torn.
#[test]
fn docs_are_narrow() {
    let mut complaints = Vec::new();
    let pages = files("docs").into_iter().filter(|path| path.ends_with(".md") && path != "docs/errors.md");
    for page in pages.chain(["README.md".to_owned(), "CHANGELOG.md".to_owned()]) {
        let mut code = false;
        for (at, line) in read(&page).lines().enumerate() {
            code ^= line.trim_start().starts_with("```");
            let prose = line.split('`').step_by(2).map(|text| text.chars().count()).sum::<usize>();
            if !code
                && !line.trim_start().starts_with(['|', '#', '!', '`'])
                && line.chars().count() > COLUMNS
                && prose + 40 > COLUMNS
            {
                complaints.push(format!(
                    "{page}:{}: a line of {} columns, at most {COLUMNS}",
                    at + 1,
                    line.chars().count()
                ));
            }
        }
    }
    complain(complaints);
}

#[test]
fn files_that_the_docs_name_exist() {
    let known: Vec<String> = ["src", "tests", "benches", "docs", "grammar", "specs", ".ci"]
        .iter()
        .flat_map(|folder| files(folder))
        .collect();
    let mut complaints = Vec::new();
    for page in files("docs").into_iter().filter(|path| path.ends_with(".md")).chain(["README.md".to_owned()])
    {
        for (at, line) in read(&page).lines().enumerate() {
            // Only whole words in code count, with a folder and an ending of the project's own files.
            for word in line
                .split('`')
                .skip(1)
                .step_by(2)
                .flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && !"_-./*".contains(c)))
            {
                let named = word.contains('/')
                    && [".rs", ".pest", ".jinja"].iter().any(|ending| word.ends_with(ending));
                if named
                    && !word.contains('*')
                    && !known.iter().any(|path| path == word || path.strip_prefix("src/") == Some(word))
                {
                    complaints.push(format!("{page}:{}: there is no `{word}`", at + 1));
                }
            }
        }
    }
    complain(complaints);
}

#[test]
fn every_module_says_what_it_is() {
    let sources = files("src").into_iter().filter(|path| path.ends_with(".rs"));
    complain(
        sources
            .filter(|path| !read(path).starts_with("//! "))
            .map(|path| format!("{path} does not start with a module doc"))
            .collect(),
    );
}

#[test]
fn every_dependency_says_what_it_is_for() {
    let manifest = read("Cargo.toml");
    let mut section = "";
    let mut complaints = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]")
            && line.contains('=')
            && !line.contains(".workspace = true")
            && !line.contains(" # ")
        {
            complaints.push(format!("Cargo.toml: no comment in `{line}`"));
        }
    }
    complain(complaints);
}

#[test]
fn every_code_that_is_used_is_explained_and_the_other_way_round() {
    let explained: Vec<&str> = fabc::diag::codes().map(|doc| doc.code).collect();
    assert!(explained.is_sorted_by(|a, b| a < b), "codes ascend and occur once: {explained:?}");
    let mut used = BTreeSet::new();
    for (path, lines) in code() {
        if path.starts_with("src/base/diag/codes") {
            continue;
        }
        for (_, line) in lines {
            used.extend(
                line.match_indices("FAB")
                    .filter_map(|(at, _)| line.get(at..at + 7))
                    .filter(|code| is_code(code))
                    .map(str::to_owned),
            );
        }
    }
    let explained: BTreeSet<String> = explained.into_iter().map(str::to_owned).collect();
    complain(used.difference(&explained).map(|code| format!("{code} is used but not explained")).collect());
    complain(explained.difference(&used).map(|code| format!("{code} is explained but not used")).collect());
}

fn is_code(text: &str) -> bool {
    text.len() == 7 && text.as_bytes()[3..].iter().all(u8::is_ascii_digit)
}

#[test]
fn every_code_has_its_entry_in_the_error_page() {
    let codes: Vec<String> = fabc::diag::codes().map(|doc| format!("{}: {}", doc.code, doc.title)).collect();
    complain(
        fabc::diag::codes()
            .filter(|doc| !is_code(doc.code) || doc.text.trim().is_empty())
            .map(|doc| format!("{doc:?} says nothing"))
            .collect(),
    );
    let Ok(page) = std::fs::read_to_string(root().join("docs/errors.md")) else { return };
    let entries: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .filter(|entry| entry.starts_with("FAB"))
        .collect();
    assert_eq!(entries, codes, "docs/errors.md is out of date; its first lines say how it is written");
}

#[test]
fn the_limits_are_those_of_the_reference() {
    use fabc::limits::*;
    let page = read("docs/language.md");
    let section = page
        .split("## Limits")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next())
        .expect("a section on limits");
    let limits = [
        CHIPS as usize,
        CUBES as usize,
        OCSES as usize,
        MATRIX_CHIPS,
        INDICES,
        NAME_LETTERS,
        BRACKETS,
        SPEC_BYTES,
        SPEC_TOKENS,
        SPEC_FILES,
        BUILD_BYTES as usize,
        ROUTERS as usize,
        DESCRIBED_ROUTERS as usize,
        SPECTRUM_ROUTERS,
        WALKTRAP_ROUTERS as usize,
        COLLISION_FLOWS as usize,
        FLOW_ENTRIES as usize,
        GRAPH_STEPS as usize,
        FAILURE_SEEDS as usize,
        SIMULATED_CYCLES as usize,
        ESTIMATED_CHIPS as usize,
        ESTIMATED_AXES,
        ESTIMATED_SIZES,
        COLLECTIVE_BYTES as usize,
        JOB_BYTES as usize,
        JOB_TIMES as usize,
        SWEEP_RUNS,
    ];
    let numbers: BTreeSet<&str> = section.split(|c: char| !c.is_ascii_digit()).collect();
    complain(
        limits
            .iter()
            .filter(|limit| !numbers.contains(&*limit.to_string()))
            .map(|limit| format!("docs/language.md does not tell {limit}"))
            .collect(),
    );
}
