//! The book, page by page: every block of `fab` compiles, every command runs and prints what the page shows,
//! every link leads somewhere.
//!
//! The words behind the language of a block, parted by commas, say what the test does with it:
//!
//! - `fab`: a whole spec. `fabc check` takes it.
//! - `fab,into=FILE`: items of a fabric. They take the places of those of the same word and name in FILE,
//!   which stands on the page, in `tests/book/beside` or in `specs`. `fabc check` takes the result.
//! - `fab,each,into=FILE`: the same, item by item, since the block lists alternatives.
//! - `..,file=FILE`: the result is written for the blocks that follow. Other languages are written as they
//!   stand.
//! - `fab,error=FAB0104`: `fabc check` refuses it with this code.
//! - `sh`: every line is run, in the order of the page. `# exit code 2` is the expected code, else 0.
//! - `sh,needs=slurm`: not run here. [`NOT_RUN`] counts them. `rust` and `python` are such blocks, too.
//! - `text`: the output of the commands before it, as a whole or in parts. A line `..` stands for any lines.
//! - `text,figure`: no output.
//!
//! `FABC=PATH` names another fabc than the one of this build, `BOOK_PAGE=NAME` looks at one page.

mod blocks;
mod commands;
mod links;
mod playground;
mod specs;

use std::path::{Path, PathBuf};

/// Commands that the pages show and that cannot run where tests do: what they need, and how many there are.
const NOT_RUN: [(&str, usize); 8] = [
    ("browser", 3),
    ("cargo", 17),
    ("docker", 2),
    ("minutes", 4),
    ("npm", 3),
    ("python", 5),
    ("slurm", 2),
    ("ssh", 3),
];

/// Languages of blocks that only stand there.
const SHOWN: [&str; 6] = ["json", "lua", "toml", "vim", "xml", "yaml"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pages: the README, and what `docs/SUMMARY.md` lists, in its order.
fn pages() -> Vec<String> {
    let summary = read("docs/SUMMARY.md");
    let listed = summary.split("](").skip(1).map(|rest| format!("docs/{}", &rest[..rest.find(')').unwrap()]));
    ["README.md".to_owned()].into_iter().chain(listed).collect()
}

/// The fabc that is asked.
fn fabc() -> PathBuf {
    std::env::var_os("FABC")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_fabc")), PathBuf::from)
        .canonicalize()
        .expect("FABC is a file")
}

/// A folder for what this test writes, empty.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book").join(name);
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{}: {error}", folder.display()),
        _ => std::fs::create_dir_all(&folder).unwrap(),
    }
    folder
}

fn complain(errors: Vec<String>) {
    assert!(errors.is_empty(), "\n{}\n", errors.join("\n"));
}

#[test]
fn the_summary_lists_every_page_once() {
    let mut listed = pages();
    listed.remove(0);
    let mut pages_found: Vec<String> = Vec::new();
    let mut open = vec![PathBuf::from("docs")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if root().join(&path).is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") && !path.ends_with("SUMMARY.md") {
                pages_found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    pages_found.sort();
    listed.sort();
    assert_eq!(listed, pages_found);
}

/// Plain Markdown does not show what stands behind the language of a block.
#[test]
fn the_line_before_a_block_names_its_file() {
    let mut problems = Vec::new();
    for page in pages() {
        for block in blocks::code_blocks(&page, &read(&page)) {
            if let Some(file) =
                block.option("file").filter(|file| !block.before.contains(&format!("`{file}`")))
            {
                problems.push(format!(
                    "{}: the line before it does not name `{file}`: {}",
                    block.place, block.before
                ));
            }
        }
    }
    complain(problems);
}

/// The README begins with the spec whose report it shows further below.
#[test]
fn the_readme_shows_the_spec_of_its_report() {
    let readme = read("README.md");
    let shown = blocks::code_blocks("README.md", &readme)
        .into_iter()
        .find(|block| block.language == "fab")
        .expect("a spec");
    let spec = read("specs/pod_128.fab");
    let from = spec.find("fabric ").expect("a fabric");
    assert_eq!(shown.text.trim(), spec[from..].trim());
}

/// A reader sees the whole README on one screen.
#[test]
fn the_readme_is_one_screen() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 60, "{lines} lines: what leaves the README goes to docs/tour.md");
}

#[test]
fn every_block_is_one_of_those_that_are_looked_at() {
    let mut problems = Vec::new();
    for page in pages() {
        for block in blocks::code_blocks(&page, &read(&page)) {
            let known = match block.language.as_str() {
                "fab" => block.options_are(&["into", "each", "file", "error"]),
                "sh" => block.options_are(&["needs"]),
                "python" | "rust" => block.options_are(&["needs"]) && block.option("needs").is_some(),
                "text" => block.options_are(&["figure"]),
                "csv" => block.options_are(&["file"]),
                other => SHOWN.contains(&other) && block.options_are(&[]),
            };
            if !known {
                problems.push(format!("{}: what is `{}`?", block.place, block.info));
            }
        }
    }
    complain(problems);
}
