//! Keeps the map true: what `src/lib.rs`, `docs/architecture.md` and `docs/errors.md` say of the code holds.

mod form;
mod imports;

use imports::Imports;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The longest file.
const LINES: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder, as paths with `/` from the root of the repository, sorted.
fn files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from(folder)];
    while let Some(below) = open.pop() {
        let Ok(entries) = std::fs::read_dir(root().join(&below)) else { continue };
        for entry in entries {
            let entry = entry.expect("the repository can be read");
            let path = below.join(entry.file_name());
            if entry.path().is_dir() {
                open.push(path)
            } else {
                found.push(path.to_string_lossy().replace('\\', "/"))
            }
        }
    }
    found.sort();
    found
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

/// `src/ir/flow.rs` belongs to the crate `ir`; what lies in `src` itself to that of the root, which has no
/// name.
fn crate_folder(path: &str) -> &str {
    let below = path.trim_start_matches("src/");
    below.split_once('/').map_or("", |(folder, _)| folder)
}

fn complain(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// No file of `src` leads back to itself.
///
/// A file leads to every file that defines an item which it names, and to all that those lead to. A name that
/// comes through another module's `use` leads to the file that defines it. To declare a child (`mod`) and to
/// hand on its names (`pub use`) leads nowhere. So siblings do not import each other in a circle, and a child
/// takes from its parent only what the parent defines without that child: what the two share has a file of
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
    complain(crates.values().flat_map(|files| Imports::new(files).circles()).collect());
}

#[test]
fn circles_of_files_are_found() {
    let circles = |files: &[(&str, &str)]| {
        let files: Vec<(String, String)> =
            files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
        Imports::new(&files).circles()
    };
    let parent = (
        "src/x/a/mod.rs",
        "mod b;\nmod c;\npub use b::B;\nuse c::{self};\nfn f() { c::go() }\npub struct A;\n",
    );
    let leaf = ("src/x/a/c.rs", "use super::B;\npub fn go() {}\n");
    // Through its parent `c` names what `b` defines; the parent's own items are another thing.
    assert!(circles(&[parent, leaf, ("src/x/a/b.rs", "pub struct B;\n")]).is_empty());
    assert_eq!(circles(&[parent, leaf, ("src/x/a/b.rs", "use crate::a::c::go;\npub struct B;\n")]).len(), 1);
    assert_eq!(circles(&[parent, leaf, ("src/x/a/b.rs", "use super::*;\npub struct B(A);\n")]).len(), 1);
    let told = circles(&[
        parent,
        ("src/x/a/c.rs", "pub fn go() -> super::A { super::A }\n"),
        ("src/x/a/b.rs", "pub struct B;\n"),
    ]);
    assert_eq!(
        told,
        ["  src/x/a/c.rs uses src/x/a/mod.rs (super::A)\n  src/x/a/mod.rs uses src/x/a/c.rs (c::go)"]
    );
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
    let mut wrong = Vec::new();
    for (path, lines) in code() {
        let Some(own) = pass(&path).filter(|own| own != "lib") else { continue };
        // How a file of this pass reaches the folder of all passes.
        let up = "super::".repeat(path.matches('/').count() - 1 - usize::from(path.ends_with("/mod.rs")));
        for (at, line) in lines {
            for other in passes.iter().filter(|other| **other != own) {
                let through =
                    [format!("crate::{other}::"), format!(" {up}{other}::"), format!("crate::{other};")];
                if through.iter().any(|path| line.contains(path.as_str())) {
                    wrong.push(format!("{path}:{at}: the pass `{own}` must not use the pass `{other}`"));
                }
            }
        }
    }
    complain(wrong);
}

/// Plain data that the checker judges: all that it, and what reads files for it, may take from `ir`.
const JUDGED: [&str; 67] = [
    "Bisection",
    "ChangeOrder",
    "ClusterPairs",
    "CollectiveBound",
    "CrossConnect",
    "CrossConnects",
    "Delta",
    "Distances",
    "DualLengths",
    "End",
    "EntryKey",
    "FailureCurve",
    "FailurePoint",
    "FailureReach",
    "FloorMetrics",
    "FlowCertificate",
    "ForwardingTables",
    "GatherRound",
    "Image",
    "LimitArgument",
    "Link",
    "LinkClass",
    "Mirrors",
    "NetworkMetrics",
    "PassRecord",
    "PathCounts",
    "PathsAt",
    "Placement",
    "PlanCut",
    "PlanStage",
    "PlanStep",
    "PortIndices",
    "Pull",
    "Repair",
    "RepairLoads",
    "RepairStep",
    "ResultRule",
    "Rounds",
    "RoutedMessage",
    "RouterDelta",
    "RouterNames",
    "RunDirection",
    "Scenario",
    "ScenarioFault",
    "Scene",
    "Schedule",
    "Sends",
    "SharedTrees",
    "SpanningTree",
    "StagedPlan",
    "StepChange",
    "SumRule",
    "SwitchPlan",
    "Symmetry",
    "TableChange",
    "TableEntry",
    "TableKey",
    "Timed",
    "TimedMessage",
    "TimedSend",
    "Topology",
    "Transfers",
    "TreeBounds",
    "UniversalLimit",
    "Walk",
    "router_names",
    "schedulable_scene",
];

/// Functions of these data, and of the model, by which the compiler arrives at what the checker recomputes:
/// formulas of metrics and bounds, the list of faults and what they darken, codes of tables, generators of
/// groups.
const OF_THE_COMPILER: [&str; 62] = [
    // ir::{DualLengths, FlowCertificate, UniversalLimit, Distances, Walk, ScenarioMetrics, Fraction}
    ".bound()",
    ".upper_end()",
    ".least_load()",
    ".lower_end()",
    "FlowCertificate::value",
    ".value()",
    ".is_met(",
    ".compare(",
    ".average()",
    ".max_channel_load()",
    ".total_hops()",
    ".total_load()",
    ".max_load(",
    "Fraction",
    "ScenarioMetrics",
    "RequireOutcome",
    "UniformTopology",
    // ir::{Bisection, NetworkMetrics, PathCounts, FailureCurve}
    ".median()",
    "median_of(",
    ".mean()",
    ".single_share()",
    ".average_hops()",
    ".with(",
    "PathsAt::NONE",
    "search_unmeasured(",
    "failure_percents(",
    ".at_any_distance()",
    ".flow()",
    ".share(",
    "bisection_unmeasured(",
    // ir::{Placement, FloorMetrics, Topology}, model::Shortcuts
    "FloorMetrics::for_placement",
    "ClusterPairs::for_floor",
    ".laid_cables(",
    ".path_length(",
    ".average_between()",
    ".cables(",
    "link_cycles(",
    "hop_cycles(",
    ".farthest()",
    // model::{Comparison, Metric, Demand, Fabric, Family, ClosedForm}
    ".holds(",
    ".larger_is_better()",
    ".sent_by(",
    ".sent_most(",
    ".required_fault_flow()",
    ".closed_form()",
    ".distance_sum()",
    ".moore_bound(",
    // ir::{Scenario, Scene}
    "Scenario::",
    ".is_nominal()",
    "surviving_scene(",
    ".keeps_symmetry()",
    ".intact_sets(",
    "file_stem(",
    // ir::{PackedTables, TableEntry, ForwardingTables}, model::TableKey
    "PackedTables",
    ".unpack()",
    ".router(",
    ".numbers(",
    ".columns()",
    // ir::{Delta, Repair}
    ".applied(",
    ".counts()",
    // ir::{Symmetry, Topology}
    ".generators()",
    ".subgroup(",
];

#[test]
fn the_checker_has_codes_of_its_own() {
    let mut wrong = Vec::new();
    let rooms = ["src/check/", "src/kernel/", "src/ir/read/"];
    // What shards keep is read for the pipeline that goes on with it; the checker proves all tables and flows
    // of it later.
    let of_the_pipeline = "src/ir/read/kept.rs";
    let kept = |line: &str| ["KeptFile", "KeptReport"].into_iter().find(|kept| line.contains(kept));
    let named =
        code().into_iter().filter(|(path, _)| path.starts_with("src/check/")).flat_map(|(path, lines)| {
            lines
                .into_iter()
                .filter_map(move |(at, line)| Some(format!("{path}:{at}: reads `{}`", kept(&line)?)))
        });
    complain(named.collect());
    let judged = |path: &str| path != of_the_pipeline && rooms.iter().any(|room| path.starts_with(room));
    for (path, lines) in code().into_iter().filter(|(path, _)| judged(path)) {
        let text: String = lines.iter().map(|(_, line)| format!("{line} ")).collect();
        // `use fabc_ir::{A, B};` over as many lines as it takes, and `fabc_ir::A` anywhere; files of
        // `fabc-ir` say `crate`.
        let ir = if path.starts_with("src/ir/") { "crate::" } else { "fabc_ir::" };
        for rest in text.split(ir).skip(1).filter(|rest| !rest.starts_with("read::")) {
            let end = if rest.starts_with('{') {
                rest.find('}')
            } else {
                rest.find(|c: char| !c.is_alphanumeric())
            };
            let names = rest[..end.unwrap_or(rest.len())]
                .trim_start_matches('{')
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty());
            wrong.extend(
                names
                    .filter(|name| !JUDGED.contains(name))
                    .map(|name| format!("{path}: the checker must not use `ir::{name}`")),
            );
        }
        for (at, line) in &lines {
            let named = OF_THE_COMPILER.iter().filter(|function| {
                // A word that begins with a letter must not be the end of another one.
                if function.starts_with('.') { line.contains(*function) } else { starts_word(line, function) }
            });
            wrong.extend(named.map(|function| {
                format!("{path}:{at}: the checker must compute `{function}` by a code of its own: {line}")
            }));
        }
    }
    complain(wrong);
    // What is listed exists: a renamed function must be renamed here.
    let compiler: String = ["src/ir/", "src/model/", "src/topology/"]
        .iter()
        .flat_map(|folder| files(folder))
        .map(|path| read(&path))
        .collect();
    let missing = OF_THE_COMPILER.iter().filter(|function| {
        let name: String = function
            .trim_start_matches('.')
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        !["fn ", "struct ", "impl "].iter().any(|item| compiler.contains(&format!("{item}{name}")))
    });
    complain(
        missing.map(|function| format!("tests/tidy/main.rs: the compiler has no `{function}`")).collect(),
    );
}

/// The most lines of the kernel: what a stranger reads in an afternoon.
const KERNEL_LINES: usize = 3000;

/// The crates that the kernel is made of, with all that they use.
#[test]
fn the_kernel_is_small_and_knows_no_fabric() {
    let lines: usize = files("src/kernel")
        .iter()
        .filter(|path| path.ends_with(".rs"))
        .map(|path| read(path).lines().count())
        .sum();
    assert!(lines <= KERNEL_LINES, "src/kernel has {lines} lines, at most {KERNEL_LINES}");
    let manifest = read("src/kernel/Cargo.toml");
    let used = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let used: Vec<&str> =
        used.lines().filter_map(|line| line.split_once('.').map(|(name, _)| name)).collect();
    assert_eq!(used, ["fabc-topology", "fixedbitset", "rayon"]);
    let cargo = std::env::var("CARGO").unwrap_or("cargo".to_owned());
    let tree = [
        "tree",
        "--package",
        "fabc-kernel",
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--offline",
        "--locked",
    ];
    let tree = std::process::Command::new(cargo).args(tree).current_dir(root()).output().unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let own: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| name.starts_with("fabc-"))
        .collect();
    assert_eq!(own, BTreeSet::from(["fabc-kernel", "fabc-topology"]), "{tree}");
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
        ("SystemTime", &[]),
        ("unsafe ", &[]),
        ("unsafe(", &["src/main.rs"]),
    ];
    let mut wrong = Vec::new();
    for (path, lines) in code() {
        for (what, allowed) in places {
            if allowed.iter().any(|place| path.starts_with(place)) {
                continue;
            }
            for (at, line) in lines.iter().filter(|(_, line)| starts_word(line, what)) {
                wrong.push(format!("{path}:{at}: `{}` does not belong here: {line}", what.trim()));
            }
        }
    }
    complain(wrong);
}

/// Whether a line has `what` at the start of a word.
fn starts_word(line: &str, what: &str) -> bool {
    line.match_indices(what)
        .any(|(at, _)| !line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}

#[test]
fn files_are_short_and_named_for_what_they_do() {
    let mut wrong = Vec::new();
    for path in files("src").into_iter().chain(files("tests")).filter(|path| path.ends_with(".rs")) {
        let lines = read(&path).lines().count();
        if path.starts_with("src/") && lines > LINES {
            wrong.push(format!("{path} has {lines} lines: look for the second thing in it"));
        }
        if ["utils.rs", "util.rs", "helpers.rs", "helper.rs", "common.rs", "misc.rs"]
            .iter()
            .any(|name| path.ends_with(&format!("/{name}")))
        {
            wrong.push(format!("{path}: name it for what it does"));
        }
    }
    complain(wrong);
}

/// The widest comment.
const COLUMNS: usize = 110;

#[test]
fn comments_are_narrow() {
    let mut wrong = Vec::new();
    for path in ["src", "tests", "benches"].into_iter().flat_map(files).filter(|path| path.ends_with(".rs")) {
        for (at, line) in read(&path).lines().enumerate() {
            let columns = line.chars().count();
            if line.trim_start().starts_with("//") && columns > COLUMNS {
                wrong.push(format!("{path}:{}: a comment of {columns} columns, at most {COLUMNS}", at + 1));
            }
        }
    }
    complain(wrong);
}

/// Prose only: tables, code and headings are as wide as they are, and code in a line is not torn.
#[test]
fn docs_are_narrow() {
    let mut wrong = Vec::new();
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
                wrong.push(format!(
                    "{page}:{}: a line of {} columns, at most {COLUMNS}",
                    at + 1,
                    line.chars().count()
                ));
            }
        }
    }
    complain(wrong);
}

#[test]
fn files_that_the_docs_name_exist() {
    let all: Vec<String> = ["src", "tests", "benches", "docs", "grammar", "specs", ".ci"]
        .iter()
        .flat_map(|folder| files(folder))
        .collect();
    let mut wrong = Vec::new();
    for page in files("docs").into_iter().filter(|path| path.ends_with(".md")).chain(["README.md".to_owned()])
    {
        for (at, line) in read(&page).lines().enumerate() {
            // In code: whole words with a folder and an ending of the project's own files.
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
                    && !all.iter().any(|path| path == word || path.strip_prefix("src/") == Some(word))
                {
                    wrong.push(format!("{page}:{}: there is no `{word}`", at + 1));
                }
            }
        }
    }
    complain(wrong);
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
    let mut wrong = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]")
            && line.contains('=')
            && !line.contains(".workspace = true")
            && !line.contains(" # ")
        {
            wrong.push(format!("Cargo.toml: no comment in `{line}`"));
        }
    }
    complain(wrong);
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
    let told = [
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
        FLOW_ENTRIES as usize,
        GRAPH_STEPS as usize,
        FAILURE_SEEDS as usize,
        SIMULATED_CYCLES as usize,
        ESTIMATED_CHIPS as usize,
        ESTIMATED_AXES,
        ESTIMATED_SIZES,
        COLLECTIVE_BYTES as usize,
        SWEEP_RUNS,
    ];
    let numbers: BTreeSet<&str> = section.split(|c: char| !c.is_ascii_digit()).collect();
    complain(
        told.iter()
            .filter(|limit| !numbers.contains(&*limit.to_string()))
            .map(|limit| format!("docs/language.md does not tell {limit}"))
            .collect(),
    );
}
