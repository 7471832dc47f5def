//! Every block of `fab` is taken by `fabc check`.

use super::blocks::Block;
use super::{fabc, read, root};
use fabc::syntax::words::{item, item_rank};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Words of items that have a name, so that a spec may have several.
const NAMED: [&str; 8] = ["collective", "job", "let", "link", "ocs", "param", "simulate", "slice"];

/// An item, and where it stands in its text.
#[derive(Debug, PartialEq)]
struct SpecItem<'a> {
    /// Its word, with its name if such items have one.
    key: String,
    text: &'a str,
    start: usize,
}

/// The items of a text from a place on, up to the bracket that closes what they stand in.
fn items(text: &str, from: usize) -> (Vec<SpecItem<'_>>, usize) {
    let (mut items_found, mut depth, mut start) = (Vec::new(), 0usize, None);
    let mut offset = from;
    while offset < text.len() {
        let rest = &text[offset..];
        let first = rest.chars().next().unwrap();
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            other => other.len_utf8(),
        };
        let comment = rest.starts_with("//") || rest.starts_with("/*");
        if depth == 0 && first == '}' {
            return (items_found, offset);
        }
        if start.is_none() && !comment && !first.is_whitespace() {
            start = Some(offset);
        }
        depth = depth + usize::from("{[(".contains(first)) - usize::from("}])".contains(first));
        offset += length;
        if let Some(begin) = start.filter(|_| depth == 0 && (first == ';' || first == '}')) {
            let command = &text[begin..offset];
            let mut words =
                command.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            let word = words.next().unwrap_or_default();
            let name = words
                .next()
                .filter(|_| NAMED.contains(&word))
                .map_or(String::new(), |name| format!(" {name}"));
            items_found.push(SpecItem { key: format!("{word}{name}"), text: command, start: begin });
            start = None;
        }
    }
    (items_found, offset)
}

/// The group of an item in the canonical layout, and its place there.
fn place(spec_item: &SpecItem<'_>) -> (u8, usize) {
    let word = spec_item.key.split(' ').next().unwrap();
    (item(word).unwrap_or_else(|| panic!("what is `{word}`?")).group, item_rank(word))
}

/// The spec with the items of the block in the places of its own ones of the same key. New ones stand where
/// the canonical order has them, after a blank line where a group begins.
pub(super) fn merged(spec: &str, block: &str) -> String {
    let inside = spec
        .find("fabric ")
        .and_then(|index| spec[index..].find('{').map(|open| index + open + 1))
        .expect("a spec has a fabric");
    let (spec_items, end) = items(spec, inside);
    let (new, read) = items(block, 0);
    assert_eq!(read, block.len(), "brackets of {block}");
    let mut added: Vec<&SpecItem<'_>> =
        new.iter().filter(|item| spec_items.iter().all(|other| other.key != item.key)).collect();
    added.sort_by_key(|item| place(item).1);
    let mut added = added.into_iter().peekable();
    let mut text = spec[..inside].to_owned();
    let mut offset = inside;
    let mut last = None;
    for item in &spec_items {
        text += &spec[offset..item.start];
        offset = item.start + item.text.len();
        while let Some(new) = added.next_if(|new| place(new).1 < place(item).1) {
            let next = added.peek().map_or(place(item), |next| place(next).min(place(item)));
            text += &format!("{}{}", new.text, if next.0 == place(new).0 { "\n    " } else { "\n\n    " });
        }
        last = Some(place(item).0);
        if !new.iter().any(|other| other.key == item.key) {
            text += item.text;
        } else if spec_items.iter().find(|other| other.key == item.key) == Some(item) {
            let mine: Vec<&str> =
                new.iter().filter(|other| other.key == item.key).map(|other| other.text).collect();
            text += &mine.join("\n    ");
        } else {
            // Another one of those that are replaced: its line goes.
            text.truncate(text.trim_end().len());
        }
    }
    text += spec[offset..end].trim_end();
    for new in added {
        text += &format!("{}{}", if last == Some(place(new).0) { "\n    " } else { "\n\n    " }, new.text);
        last = Some(place(new).0);
    }
    text + "\n" + &spec[end..]
}

/// Puts files beside the specs of a page. They are those of `tests/book/beside`, if a block says `into=` one
/// of them, and those of `specs`.
pub(super) fn beside(page: &[Block], folder: &Path) {
    let from = root().join("tests/book/beside");
    if page.iter().filter_map(|block| block.option("into")).any(|into| from.join(into).exists()) {
        let copied = Command::new("cp").arg("-r").arg(from.join(".")).arg(folder).status();
        assert!(copied.is_ok_and(|status| status.success()), "tests/book/beside can be copied");
    }
    for name in ["parts", "networks"] {
        std::os::unix::fs::symlink(root().join("specs").join(name), folder.join(name)).unwrap();
    }
}

/// The specs that a block makes of the files that stand before it: one, or one per item, and where each
/// stands.
pub(super) fn whole_specs(block: &Block, files: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let Some(into) = block.option("into") else {
        return vec![(block.option("file").unwrap_or("block.fab").to_owned(), block.text.clone())];
    };
    let beside = format!("tests/book/beside/{into}");
    let shipped =
        || if root().join(&beside).exists() { read(&beside) } else { read(&format!("specs/{into}")) };
    let spec = files.get(into).cloned().unwrap_or_else(shipped);
    let name = block.option("file").unwrap_or("block.fab").to_owned();
    if block.option("each").is_none() {
        return vec![(name, merged(&spec, &block.text))];
    }
    items(&block.text, 0).0.into_iter().map(|item| (name.clone(), merged(&spec, item.text))).collect()
}

/// Writes the spec or specs of a block, and asks `fabc check`. What does not come out as the block says. How
/// many were looked at.
pub(super) fn look(
    block: &Block,
    files: &mut BTreeMap<String, String>,
    folder: &Path,
) -> (Vec<String>, usize) {
    let mut problems = Vec::new();
    let made = whole_specs(block, files);
    let count = made.len();
    for (name, spec) in made {
        std::fs::write(folder.join(&name), &spec).unwrap();
        let output = Command::new(fabc())
            .args(["check", "-q", &name])
            .current_dir(folder)
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        match (output.status.success(), block.option("error")) {
            (true, None) => (),
            (false, Some(code)) if message.starts_with(code) => (),
            (true, Some(code)) => problems.push(format!("{}: taken, not refused by {code}", block.place)),
            (false, _) => problems.push(format!("{}:\n{message}\n{spec}", block.place)),
        }
        if block.option("file").is_some() {
            files.insert(name, spec);
        }
    }
    (problems, count)
}

#[test]
fn items_take_the_places_of_their_like() {
    let spec = "fabric a {\n    link copper { bandwidth = 1 GB/s; }\n    cubes = 4; // four\n\n    require diameter <= 6;\n    require latency <= 1 ns;\n}\n";
    assert_eq!(
        merged(
            spec,
            "cubes = 2;\nrequire diameter <= 5;\nbudget { vcs = 1; }\nlink fiber { latency = 2 ns; }\nslice a { cubes = 1; }\n"
        ),
        "fabric a {\n    link copper { bandwidth = 1 GB/s; }\n    link fiber { latency = 2 ns; }\n\n    cubes = 2; // four\n\n    \
         budget { vcs = 1; }\n\n    require diameter <= 5;\n\n    slice a { cubes = 1; }\n}\n"
    );
    let keys = |text: &str| items(text, 0).0.iter().map(|item| item.key.clone()).collect::<Vec<_>>();
    assert_eq!(
        keys("link copper { a = 1; }\ntopology = torus { } // }\nx = \"};\";"),
        ["link copper", "topology", "x"]
    );
}
