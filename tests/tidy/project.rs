//! Files of the project that say the same: the version, the address, the targets of a release.

use super::{complain, read};

/// The value of a key in `[workspace.package]`.
fn workspace_value(key: &str) -> String {
    let manifest = read("Cargo.toml");
    let start = format!("\n{key} = \"");
    let rest = &manifest[manifest.find(&start).unwrap_or_else(|| panic!("no {key}")) + start.len()..];
    rest[..rest.find('"').unwrap()].to_owned()
}

#[test]
fn one_version_and_one_address_stand_everywhere() {
    let (version, address) = (workspace_value("version"), workspace_value("repository"));
    assert_eq!(workspace_value("homepage"), address);
    let mut problems = Vec::new();
    for (path, text) in [
        ("CITATION.cff", format!("\nversion: {version}\n")),
        ("CHANGELOG.md", format!("\n## {version}\n")),
        ("editors/vscode/package.json", format!("\"version\": \"{version}\"")),
        ("docs/ci.md", format!("repo: {address} ")),
        ("docs/ci.md", format!("rev: v{version}\n")),
    ] {
        if !read(path).contains(&text) {
            problems.push(format!("{path}: `{}` is missing", text.trim()));
        }
    }
    // The placeholder is a name that nobody can have.
    assert!(
        address.starts_with("https://example.org/") == read("Cargo.toml").contains("# A placeholder until")
    );
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
