//! Files of the project that say the same: the version, the address, the targets of a release.

use super::{complain, files, read};

/// The value of a key in `[workspace.package]`.
fn workspace_value(key: &str) -> String {
    let manifest = read("Cargo.toml");
    let start = format!("\n{key} = \"");
    let rest = &manifest[manifest.find(&start).unwrap_or_else(|| panic!("no {key}")) + start.len()..];
    rest[..rest.find('"').unwrap()].to_owned()
}

#[test]
fn one_version_stands_everywhere() {
    let version = workspace_value("version");
    let mut problems = Vec::new();
    for (path, text) in [
        ("CITATION.cff", format!("\nversion: {version}\n")),
        ("CHANGELOG.md", format!("\n## {version}\n")),
        ("editors/vscode/package.json", format!("\"version\": \"{version}\"")),
        ("docs/ci.md", format!("rev: v{version}\n")),
    ] {
        if !read(path).contains(&text) {
            problems.push(format!("{path}: `{}` is missing", text.trim()));
        }
    }
    complain(problems);
}

/// Without a public address, nobody is sent to a page that is not there: the placeholder stands in the
/// manifest, which needs an address for `cargo binstall`, and nowhere else.
#[test]
fn nobody_is_sent_to_a_placeholder() {
    let address = workspace_value("repository");
    assert_eq!(workspace_value("homepage"), address);
    let manifest = read("Cargo.toml");
    let is_placeholder = address.starts_with("https://example.org/");
    assert_eq!(manifest.contains("# A placeholder until"), is_placeholder);
    assert!(!is_placeholder || !manifest.contains("\ndocumentation = "), "no documentation is published yet");
    let mut problems = Vec::new();
    let pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "Dockerfile"];
    let folders = ["docs", "editors", "examples", "hooks", "playground", "python", "specs", "src", ".github"];
    let paths = folders.into_iter().flat_map(files).filter(|path| !path.contains("node_modules"));
    for path in paths.chain(pages.map(str::to_owned)) {
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for sent_to in ["https://example.org/", "http://example.org/", "https://docs.rs/fabc"] {
            if is_placeholder && text.contains(sent_to) {
                problems.push(format!("{path}: {sent_to} leads nowhere"));
            }
        }
    }
    complain(problems);
}

#[test]
fn a_release_has_what_cargo_binstall_looks_for() {
    let (manifest, workflow, archive) =
        (read("Cargo.toml"), read(".github/workflows/release.yml"), read(".ci/archive"));
    assert!(
        manifest.contains("/fabc-{ target }{ archive-suffix }") && archive.contains("name=\"fabc-$target\"")
    );
    for target in [
        "x86_64-unknown-linux-musl",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
    ] {
        assert!(workflow.contains(&format!("target: {target},")), "{target} is not built");
    }
    for path in [
        "CONTRIBUTING.md",
        "SECURITY.md",
        ".github/PULL_REQUEST_TEMPLATE.md",
        ".github/ISSUE_TEMPLATE/bug.yml",
    ] {
        assert!(read(path).len() > 100, "{path}");
    }
}
