//! Which file of a crate names an item of which other file, read from the text.
//!
//! Modules are files. An item belongs to the file that defines it, whatever modules hand it on with `use`.
//! Methods and fields are not named by a path and are not seen, nor is what macros name.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One imported name, or all names of a module (`*`).
struct Use {
    /// From the root of the crate, if the first word is that of a module. Otherwise as written.
    path: Vec<String>,
    name: String,
    /// `pub use`: whether the file also uses the name itself is seen from the rest of its text.
    hands_on: bool,
}

/// A file with its imports, items and words.
struct Module {
    file: String,
    uses: Vec<Use>,
    /// Types, functions, traits and constants at its top.
    items: BTreeSet<String>,
    /// All words outside of imports, and the paths among them.
    words: BTreeSet<String>,
    paths: Vec<Vec<String>>,
}

/// The modules of a crate by their paths. The path of the root is `[]`.
pub(crate) struct Imports(BTreeMap<Vec<String>, Module>);

impl Imports {
    /// Reads the imports of files, from paths and texts without comments and unit tests.
    pub(crate) fn new(files: &[(String, String)]) -> Self {
        Self(files.iter().map(|(file, text)| (module_path(file), Module::new(file, text))).collect())
    }

    /// Cycles of files of which each names an item of the next. The shortest through the first file comes
    /// first, and no file is in two of them.
    pub(crate) fn cycles(&self) -> Vec<String> {
        let edges = self.edges();
        let mut listed: BTreeSet<&str> = BTreeSet::new();
        let mut cycles = Vec::new();
        for &start in edges.keys() {
            let mut from: BTreeMap<&str, &str> = BTreeMap::new();
            let mut open = VecDeque::from([start]);
            while let Some(file) = open.pop_front() {
                for &next in edges[file].keys().filter(|next| !listed.contains(**next)) {
                    if !from.contains_key(next) {
                        from.insert(next, file);
                        open.push_back(next);
                    }
                }
            }
            if listed.contains(start) || !from.contains_key(start) {
                continue;
            }
            let (mut lines, mut at) = (Vec::new(), start);
            while listed.insert(at) {
                lines.push(format!("  {} uses {} ({})", from[at], at, edges[from[at]][at]));
                at = from[at];
            }
            lines.reverse();
            cycles.push(lines.join("\n"));
        }
        cycles
    }

    /// For every file the other files whose items it names, with one such name each.
    fn edges(&self) -> BTreeMap<&str, BTreeMap<&str, String>> {
        let edges = self.0.iter().map(|(at, module)| {
            let mut named: BTreeMap<&str, String> = BTreeMap::new();
            for import in &module.uses {
                let target = self.absolute(at, &import.path);
                if import.name == "*" {
                    for word in &module.words {
                        if let Some(file) =
                            target.as_ref().and_then(|target| self.item(target, word, &mut BTreeSet::new()))
                        {
                            named.entry(file).or_insert_with(|| word.clone());
                        }
                    }
                } else if (!import.hands_on || !at.is_empty() && module.words.contains(&import.name))
                    && let Some(file) = target.and_then(|target| self.resolve(&target))
                {
                    named.entry(file).or_insert_with(|| import.path.join("::"));
                }
            }
            for path in &module.paths {
                if let Some(file) = self.absolute(at, path).and_then(|path| self.resolve(&path)) {
                    named.entry(file).or_insert_with(|| path.join("::"));
                }
            }
            named.remove(module.file.as_str());
            (module.file.as_str(), named)
        });
        edges.collect()
    }

    /// A path as written in the module `at`, from the root of the crate. `None` if it leads out of the crate.
    fn absolute(&self, at: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut below = at.to_vec();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => below.clear(),
            "self" => {}
            "super" => drop(below.pop()),
            first => {
                let child = [at, &[first.to_owned()]].concat();
                let import =
                    self.0[at].uses.iter().find(|import| import.name == first && import.path != path);
                if !self.0.contains_key(&child) {
                    let start = self.absolute(at, &import?.path)?;
                    return Some([&start, &path[1..]].concat());
                }
                return Some([at, path].concat());
            }
        }
        rest = &rest[1..];
        while rest.first().is_some_and(|word| word == "super") {
            below.pop();
            rest = &rest[1..];
        }
        Some([&below, rest].concat())
    }

    /// The file that has the item which a path from the root names. `None` for a module itself.
    fn resolve(&self, path: &[String]) -> Option<&str> {
        let known = (0..=path.len()).rev().find(|&length| self.0.contains_key(&path[..length]))?;
        // A module and a function of one name: the path means the function, which its parent hands on.
        let Some(name) = path.get(known) else {
            let (name, parent) = path.split_last()?;
            // The root hands on names of modules for other programs.
            if parent.is_empty() {
                return None;
            }
            return self.handed_on(parent, name, &mut BTreeSet::new());
        };
        let module = &path[..known];
        Some(self.item(module, name, &mut BTreeSet::new()).unwrap_or(&self.0[module].file))
    }

    /// The file with the item that the module has under this name.
    fn item<'a>(
        &'a self,
        module: &[String],
        name: &str,
        seen: &mut BTreeSet<Vec<String>>,
    ) -> Option<&'a str> {
        let definer = self.0.get(module)?;
        if definer.items.contains(name) {
            return Some(&definer.file);
        }
        self.handed_on(module, name, seen)
    }

    fn handed_on<'a>(
        &'a self,
        module: &[String],
        name: &str,
        seen: &mut BTreeSet<Vec<String>>,
    ) -> Option<&'a str> {
        if !seen.insert(module.to_vec()) {
            return None;
        }
        self.0.get(module)?.uses.iter().find_map(|import| {
            let target = self.absolute(module, &import.path)?;
            match import.name.as_str() {
                "*" => self.item(&target, name, seen),
                own if own == name => {
                    let (last, parent) = target.split_last()?;
                    self.item(parent, last, seen).or_else(|| {
                        self.0
                            .get(parent)
                            .filter(|_| !self.0.contains_key(&target))
                            .map(|module| &*module.file)
                    })
                }
                _ => None,
            }
        })
    }
}

impl Module {
    fn new(file: &str, text: &str) -> Self {
        let mut uses = Vec::new();
        let mut rest = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let bare = line.trim_start();
            let mut declared = bare.strip_prefix("pub").unwrap_or(bare);
            if let Some((_, after)) = declared.strip_prefix('(').and_then(|scope| scope.split_once(')')) {
                declared = after;
            }
            match declared.trim_start().strip_prefix("use ") {
                None => rest.extend([line, "\n"]),
                Some(tree) => {
                    let mut tree = tree.to_owned();
                    while !tree.contains(';') {
                        tree.push_str(lines.next().expect("an import ends"));
                    }
                    leaves(tree.trim_end().trim_end_matches(';'), &[], bare.starts_with("pub"), &mut uses);
                }
            }
        }
        let mut words = BTreeSet::new();
        let mut paths = Vec::new();
        for path in rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':') {
            let path: Vec<String> = path
                .split("::")
                .filter(|word| !word.is_empty() && !word.contains(':'))
                .map(str::to_owned)
                .collect();
            words.extend(path.first().cloned());
            if path.len() > 1 {
                paths.push(path);
            }
        }
        Self { file: file.to_owned(), uses, items: rest.lines().filter_map(item).collect(), words, paths }
    }
}

/// `src/ir/flow.rs` is `flow` in its crate, `src/ir/read/mod.rs` is `read`, `src/ir/lib.rs` is the root.
fn module_path(file: &str) -> Vec<String> {
    let words = file.trim_start_matches("src/").trim_end_matches(".rs").split('/').skip(1);
    words.filter(|word| !["mod", "lib"].contains(word)).map(str::to_owned).collect()
}

/// The name of the item that a line at the margin begins.
fn item(line: &str) -> Option<String> {
    let mut words =
        line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
    let is_item = !line.starts_with(' ')
        && words
            .by_ref()
            .take_while(|word| !["impl", "use", "mod"].contains(word))
            .any(|word| kinds.contains(&word));
    words.next().filter(|_| is_item).map(str::to_owned)
}

/// The names of a tree of imports: `a::{b, c::{self, d as e}, f::*}`.
fn leaves(tree: &str, before: &[String], hands_on: bool, into: &mut Vec<Use>) {
    let tree = tree.trim();
    let word = |text: &str| text.trim().to_owned();
    match tree.split_once('{') {
        Some((head, group)) => {
            let head = head.split("::").map(word).filter(|word| !word.is_empty());
            let path: Vec<String> = before.iter().cloned().chain(head).collect();
            let group = &group[..group.rfind('}').expect("a group ends")];
            let (mut depth, mut start) = (0, 0);
            for (at, letter) in group.char_indices().chain([(group.len(), ',')]) {
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                if letter == ',' && depth == 0 {
                    leaves(&group[start..at], &path, hands_on, into);
                    start = at + 1;
                }
            }
        }
        None if tree.is_empty() => {}
        None => {
            let (tree, alias) =
                tree.split_once(" as ").map_or((tree, None), |(tree, alias)| (tree, Some(word(alias))));
            let mut path: Vec<String> = before.iter().cloned().chain(tree.split("::").map(word)).collect();
            let last = path.last().cloned().expect("a path has a word");
            if last == "*" || last == "self" && path.len() > 1 {
                path.pop();
            }
            let name = alias.unwrap_or(if last == "self" {
                path.last().cloned().expect("a path has a word")
            } else {
                last
            });
            into.push(Use { path, name, hands_on });
        }
    }
}
