//! Every link of a page leads somewhere: to a file of the repository, and to a heading in it.

use super::{complain, pages, read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// A line without what stands in code, of a page without its blocks.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut code = false;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let fence = line.starts_with("```");
        code ^= fence;
        if !code && !fence {
            lines.push((number + 1, line.to_owned()));
        }
    }
    lines
}

/// The headings of a page as fragments of links, as both mdBook and the usual hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchor_counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut all_anchors = BTreeSet::new();
    for (_, line) in prose(text).into_iter().filter(|(_, line)| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim();
        let letters = title.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        let anchor: String = letters.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
        let count = anchor_counts.entry(anchor.clone()).and_modify(|count| *count += 1).or_insert(0);
        all_anchors.insert(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
    }
    all_anchors
}

/// The targets of the links and pictures of a line.
fn targets(line: &str) -> Vec<&str> {
    let link_targets = line.match_indices("](").map(|(number, _)| &line[number + 2..]);
    link_targets.filter_map(|rest| rest.find(')').map(|end| &rest[..end])).collect()
}

/// Resolves `..` in a path: `docs/../README.md` is `README.md`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        if part == Component::ParentDir {
            path.pop();
        } else {
            path.push(part);
        }
        path
    })
}

#[test]
fn every_link_leads_somewhere() {
    let (mut errors, mut links) = (Vec::new(), 0);
    for page in pages().into_iter().chain(["docs/SUMMARY.md".to_owned(), "CHANGELOG.md".to_owned()]) {
        for (number, line) in prose(&read(&page)) {
            for target in targets(&line) {
                let (path, anchor) =
                    target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
                if path.contains("://") {
                    continue;
                }
                links += 1;
                let folder = Path::new(&page).parent().unwrap();
                let file = if path.is_empty() { PathBuf::from(&page) } else { plain(&folder.join(path)) };
                let file = file.to_string_lossy();
                if !root().join(&*file).exists() {
                    errors.push(format!("{page}:{number}: there is no {file}"));
                } else if let Some(anchor) = anchor.filter(|anchor| !anchors(&read(&file)).contains(*anchor))
                {
                    errors.push(format!("{page}:{number}: {file} has no heading #{anchor}"));
                } else if page.starts_with("docs/") && !file.starts_with("docs/") {
                    errors.push(format!("{page}:{number}: {file} is not in the book; name it in code"));
                }
            }
        }
    }
    complain(errors);
    assert!(links > 80, "{links}");
}

#[test]
fn headings_are_found_as_links_name_them() {
    let page = "# A page\n## ocs/*.config_db.json\n```sh\n# no heading\n```\n## synthesize (`src/passes/synth/`)\n## A page\n";
    let wanted = ["a-page", "a-page-1", "ocsconfig_dbjson", "synthesize-srcpassessynth"];
    assert_eq!(anchors(page).into_iter().collect::<Vec<_>>(), wanted);
    assert_eq!(targets("[a](b.md#c), ![d](e.png) and `f`"), ["b.md#c", "e.png"]);
}
