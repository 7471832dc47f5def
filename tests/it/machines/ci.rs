//! Files for repositories of specs and their machines: the workflow, the hook, the image. Their commands are
//! run as they stand.

use crate::machines::plain::fabc;
use crate::machines::spec_text::SpecText;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A command with this fabc in the PATH, and a git that knows who we are.
fn with_fabc(program: &str, directory: &Path) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_fabc")).parent().unwrap().to_owned();
    let paths = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect::<Vec<PathBuf>>();
    let path = std::env::join_paths([bin].into_iter().chain(paths)).unwrap();
    let mut command = Command::new(program);
    command.current_dir(directory).env("PATH", path).env("NO_COLOR", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "a tester")
            .env(format!("GIT_{who}_EMAIL"), "tester@example.org");
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    for from_outside in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
        command.env_remove(from_outside);
    }
    command
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A step of the workflow: its name, its condition, its commands.
struct Step {
    name: String,
    condition: Option<String>,
    run: String,
}

/// The steps of a workflow that have commands. This reads as much YAML as our workflows use. A value stands
/// on the line of its key or, behind `|`, on the deeper lines below it.
fn steps(workflow: &str) -> Vec<Step> {
    let mut ci_steps: Vec<Step> = Vec::new();
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let key = line.trim_start().trim_start_matches("- ");
        if let Some(name) = key.strip_prefix("name: ").filter(|_| line.trim_start().starts_with("- ")) {
            ci_steps.push(Step { name: name.to_owned(), condition: None, run: String::new() });
        } else if let Some(condition) = key.strip_prefix("if: ") {
            ci_steps.last_mut().unwrap().condition = Some(condition.to_owned());
        } else if let Some(run) = key.strip_prefix("run: ") {
            let step = ci_steps.last_mut().unwrap();
            match run {
                "|" => {
                    while let Some(below) = lines.next_if(|below| {
                        below.trim().is_empty() || below.len() - below.trim_start().len() > indent
                    }) {
                        step.run += below.get(indent + 2..).unwrap_or_default();
                        step.run.push('\n');
                    }
                }
                run => step.run = run.to_owned(),
            }
        }
    }
    ci_steps.into_iter().filter(|step| !step.run.is_empty()).collect()
}

/// Runs the steps of the workflow as a machine does. What every step came to, and the summary.
fn workflow(place: &Path) -> (Vec<(String, Option<i32>, String)>, String) {
    let (mut ran, mut failed) = (Vec::new(), false);
    let summary = place.join("summary.md");
    std::fs::write(&summary, "").unwrap();
    for step in steps(&read("examples/ci/fabric.yml")) {
        let wanted = match step.condition.as_deref() {
            None => !failed,
            Some("failure()") => failed,
            condition => panic!("{condition:?}"),
        };
        // It would come from outside.
        if !wanted || step.run.starts_with("cargo install --locked --git ") {
            continue;
        }
        let output = with_fabc("bash", place)
            .args(["-e", "-c", &step.run])
            .env("GITHUB_STEP_SUMMARY", &summary)
            .output()
            .unwrap();
        failed |= !output.status.success();
        ran.push((step.name, output.status.code(), output_text(&output)));
    }
    (ran, std::fs::read_to_string(summary).unwrap())
}

#[test]
fn the_workflow_passes_what_was_agreed_on_and_tells_what_changed() {
    let place = tempfile::tempdir().unwrap();
    let specs = place.path().join("specs");
    std::fs::create_dir(&specs).unwrap();
    let write = |seed: u32| {
        let small = SpecText::pod([2, 2, 2], 4).named("small").with("budget { vcs = 2; faults = 0; }");
        let topology = format!("topology = synthesize {{ symmetry = none; effort = 1; seed = {seed}; }}");
        std::fs::write(specs.join("small.fab"), small.with(&topology).text()).unwrap();
        std::fs::write(specs.join("net.fab"), SpecText::network("torus 3 x 3;").text()).unwrap();
        fabc(place.path(), &["fmt", "-q", "specs/small.fab", "specs/net.fab"], 0);
    };
    write(1);
    fabc(
        place.path(),
        &["build", "specs/small.fab", "specs/net.fab", "-q", "--golden", "golden", "--update"],
        0,
    );
    let (ran, summary) = workflow(place.path());
    let names: Vec<&str> = ran.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Specs are laid out",
            "Outputs are those that were agreed on, and contracts hold",
            "Everything follows from the files alone"
        ]
    );
    assert!(ran.iter().all(|(_, code, _)| *code == Some(0)), "{ran:?}");
    assert!(ran[2].2.contains("verified out/small") && ran[2].2.contains("verified out/net"), "{}", ran[2].2);
    assert_eq!(summary, "");
    // Another seed: the outputs differ, and the summary says how.
    write(2);
    std::fs::remove_dir_all(place.path().join("out")).unwrap();
    let (ran, summary) = workflow(place.path());
    assert_eq!(
        ran.iter().map(|(_, code, _)| *code).collect::<Vec<_>>(),
        [Some(0), Some(3), Some(0)],
        "{ran:?}"
    );
    assert!(
        ran[1].2.starts_with("::error title=FAB0508::the outputs differ from `golden/small`"),
        "{}",
        ran[1].2
    );
    assert!(summary.starts_with("## net\n## small\n```text\n") && summary.contains("METRICS"), "{summary}");
    assert!(place.path().join("out/small.html").is_file() && !place.path().join("out/net.html").is_file());
    // An error marks its line.
    let text = std::fs::read_to_string(specs.join("net.fab")).unwrap().replace("minimal", "astrology");
    std::fs::write(specs.join("net.fab"), text).unwrap();
    let (ran, _) = workflow(place.path());
    assert!(ran[1].2.contains("::error file=specs/net.fab,line="), "{}", ran[1].2);
    // A spec that is not formatted is found first.
    std::fs::write(specs.join("net.fab"), SpecText::network("torus 3 x 3;").text().replace('\n', " "))
        .unwrap();
    assert_eq!(workflow(place.path()).0[0].1, Some(1));
}

/// Runs git, and returns whether it succeeded, and its output.
fn git(place: &Path, args: &[&str]) -> (bool, String) {
    let output = with_fabc("git", place).args(args).output().unwrap();
    (output.status.success(), output_text(&output))
}

#[test]
fn the_hook_lets_only_good_specs_in() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    assert!(git(place, &["init", "-q"]).0);
    std::fs::copy(root().join("hooks/pre-commit"), place.join(".git/hooks/pre-commit")).unwrap();
    let commit = |message: &str| git(place, &["commit", "-q", "-m", message]);
    let stage = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        assert!(git(place, &["add", "--", name]).0);
    };
    let laid_out = |text: &str| {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("a.fab"), text).unwrap();
        fabc(scratch.path(), &["fmt", "-q", "a.fab"], 0);
        std::fs::read_to_string(scratch.path().join("a.fab")).unwrap()
    };
    let net = SpecText::network("torus 3 x 3;");
    // Not laid out, with an error, and good.
    stage("my net.fab", &net.text().replace("    ", " "));
    let (done, output) = commit("not laid out");
    assert!(!done && output.contains("my net.fab"), "{output}");
    stage("my net.fab", &laid_out(&net.text().replace("minimal", "astrology")));
    let (done, output) = commit("an error");
    assert!(!done && output.contains("my net.fab:") && output.contains("error[FAB0"), "{output}");
    stage("my net.fab", &laid_out(&net.text()));
    assert_eq!(commit("good"), (true, String::new()));
    // A part alone, and a spec that uses it.
    stage("parts/wire.fab", "link wire { bandwidth = 100 Gbps; latency = 10 ns; }\n");
    let user = net.clone().without("link").named("user").text();
    stage("user.fab", &laid_out(&format!("use \"parts/wire.fab\";\n{user}")));
    assert_eq!(commit("parts"), (true, String::new()));
    // The staged files count, not those beside them.
    stage("my net.fab", &laid_out(&net.clone().with("require diameter <= 4;").text()));
    std::fs::write(place.join("my net.fab"), "nonsense").unwrap();
    assert_eq!(commit("staged"), (true, String::new()));
    assert!(git(place, &["checkout", "-q", "--", "."]).0);
    stage("notes.txt", "no spec");
    assert_eq!(commit("other files"), (true, String::new()));
    // As the framework calls it, with files.
    std::fs::write(place.join("bad.fab"), "fabric").unwrap();
    let hook = |files: &[&str]| {
        with_fabc(root().join("hooks/pre-commit").to_str().unwrap(), place).args(files).output().unwrap()
    };
    assert!(hook(&["my net.fab", "user.fab"]).status.success());
    let refused = hook(&["bad.fab", "user.fab"]);
    assert!(
        !refused.status.success() && output_text(&refused).contains("bad.fab"),
        "{}",
        output_text(&refused)
    );
}

#[test]
fn the_hooks_of_the_framework_are_there() {
    let hooks = read(".pre-commit-hooks.yaml");
    let entries: Vec<&str> = hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    assert_eq!(entries, ["hooks/pre-commit", "fabc fmt"]);
    assert!(hooks.lines().filter(|line| line.trim() == "files: \\.fab$").count() == 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert!(
            std::fs::metadata(root().join("hooks/pre-commit")).unwrap().permissions().mode() & 0o111 != 0
        );
    }
}

/// Files that the sources include in the program, as paths from the root.
fn included(folder: &str) -> BTreeSet<PathBuf> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let path = Path::new(folder).join(entry.unwrap().file_name());
        if root().join(&path).is_dir() {
            names.extend(included(path.to_str().unwrap()));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = read(path.to_str().unwrap());
            for (from, open) in [
                (path.parent().unwrap(), "include_str!(\""),
                (path.parent().unwrap(), "include_str!(concat!(\""),
                (Path::new("src"), "#[grammar = \""),
            ] {
                names.extend(
                    text.split(open).skip(1).filter_map(|rest| Some(from.join(rest.split('"').next()?))),
                );
            }
        }
    }
    names
}

/// Resolves `..` in a path.
fn plain_path(path: &Path) -> PathBuf {
    let mut parts: Vec<&std::ffi::OsStr> = Vec::new();
    for part in path {
        if part == ".." { parts.truncate(parts.len() - 1) } else { parts.push(part) }
    }
    parts.into_iter().collect()
}

#[test]
fn the_image_is_built_from_all_that_it_needs() {
    let docker = read("Dockerfile");
    let lines: Vec<Vec<&str>> = docker.lines().map(|line| line.split_whitespace().collect()).collect();
    let manifest = read("Cargo.toml");
    let rust = manifest.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let from: Vec<&str> =
        lines.iter().filter(|line| line.first() == Some(&"FROM")).map(|line| line[1]).collect();
    // Both have one C library.
    assert_eq!(from, [format!("rust:{rust}-slim-trixie").as_str(), "debian:trixie-slim"]);
    // The files of the image stand in the repository, and `.dockerignore` lets them in.
    let ignore = read(".dockerignore");
    assert!(ignore.starts_with("*\n"));
    let let_in: Vec<&str> = ignore.lines().filter_map(|line| line.strip_prefix('!')).collect();
    let copied: Vec<&str> = lines
        .iter()
        .filter(|line| line.first() == Some(&"COPY") && !line[1].starts_with("--"))
        .flat_map(|line| &line[1..line.len() - 1])
        .copied()
        .collect();
    assert_eq!(BTreeSet::from_iter(&copied), BTreeSet::from_iter(&let_in));
    for path in included("src").iter().map(|path| plain_path(path)) {
        assert!(copied.iter().any(|copied| path.starts_with(copied)), "the image lacks {}", path.display());
    }
    // The manifest names nothing else.
    let place = tempfile::tempdir().unwrap();
    for path in &copied {
        let to = place.path().join(path);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        let done = Command::new("cp").arg("-r").arg(root().join(path)).arg(&to).status().unwrap();
        assert!(done.success(), "{path}");
    }
    let cargo = std::env::var("CARGO").unwrap_or("cargo".to_owned());
    let metadata = Command::new(cargo)
        .args(["metadata", "--no-deps", "--locked", "--offline", "--format-version", "1"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", output_text(&metadata));
    let bin = lines.iter().find(|line| line.first() == Some(&"COPY") && line[1] == "--from=build").unwrap();
    assert_eq!(bin[2..], ["/src/target/dist/fabc", "/usr/local/bin/fabc"]);
    assert!(
        docker.contains("RUN cargo build --profile dist --locked --bin fabc\n")
            && docker.ends_with("ENTRYPOINT [\"fabc\"]\n")
    );
}
