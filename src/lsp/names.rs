//! Which names mean the same.
//!
//! Comes in: a word in a file. Goes out: where it is declared and used, in all files where it means this. A
//! name that is declared in a part is known in every open spec that uses the part, and one of a spec in its
//! own files alone. Names of a part that a spec declares are found the other way round.

use super::files::{File, Files};
use super::reading::{Leaf, Role, Space};
use fabc_lang::syntax::Loader;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// A name that stands for something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Symbol {
    pub(super) space: Space,
    pub(super) name: String,
    /// Of an index: the statement that declares it.
    statement: Option<usize>,
}

/// Where a name stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Occurrence {
    pub(super) path: String,
    pub(super) bytes: (usize, usize),
    pub(super) declares: bool,
}

impl Occurrence {
    pub(super) fn range(&self) -> Range<usize> {
        self.bytes.0..self.bytes.1
    }
}

/// What a word names, if it names anything that some file declares.
pub(super) fn symbol(files: &Files<'_>, file: &File, leaf: &Leaf) -> Option<Symbol> {
    let name = file.slice(leaf.bytes.clone());
    if let Some(statement) = index(file, leaf, name) {
        return Some(Symbol { space: Space::Index, name: name.to_owned(), statement: Some(statement) });
    }
    let spaces = spaces(leaf.role);
    let sets = files.sets(&file.path);
    let known = |space: &Space| {
        sets.iter().flatten().any(|file| file.declared(*space).any(|(other, _)| other == name))
    };
    let space = spaces.iter().copied().find(known)?;
    Some(Symbol { space, name: name.to_owned(), statement: None })
}

/// The spaces that a word may be of, the first one first.
pub(super) fn spaces(role: Role) -> &'static [Space] {
    match role {
        Role::Declared(Space::Fabric) => &[Space::Fabric],
        Role::Declared(Space::Constant) | Role::Named(Space::Constant) | Role::Value => &[Space::Constant],
        // A parameter may stand for the name of a link.
        Role::Named(Space::Link) => &[Space::Link, Space::Constant],
        Role::Declared(Space::Link) => &[Space::Link],
        Role::Declared(Space::Ocs) | Role::Named(Space::Ocs) => &[Space::Ocs],
        Role::Declared(Space::Run) | Role::Named(Space::Run) => &[Space::Run],
        Role::Declared(Space::Slice) | Role::Named(Space::Slice) => &[Space::Slice],
        _ => &[],
    }
}

/// The statement that declares an index of that name around a word. Indices are known in the ports of a
/// `couple`; everywhere else the name is that of a constant.
fn index(file: &File, leaf: &Leaf, name: &str) -> Option<usize> {
    let reading = &file.reading;
    let head = || file.slice(reading.statements[leaf.statement].head.clone());
    match leaf.role {
        Role::Declared(Space::Index) => {}
        Role::Named(Space::Constant) if head() == "couple" => {}
        _ => return None,
    }
    let declares = |statement: usize| {
        reading.leaves.iter().any(|leaf| {
            leaf.statement == statement
                && leaf.role == Role::Declared(Space::Index)
                && file.slice(leaf.bytes.clone()) == name
        })
    };
    let around = reading.around(reading.statements[leaf.statement].block).map(|block| block.statement);
    std::iter::once(leaf.statement)
        .chain(around)
        .filter(|&statement| statement < reading.statements.len())
        .find(|&statement| declares(statement))
}

/// Everywhere that a symbol of a file stands, each place once, in order.
pub(super) fn occurrences(files: &Files<'_>, file: &Rc<File>, symbol: &Symbol) -> Vec<Occurrence> {
    let mut found = Vec::new();
    if let Some(statement) = symbol.statement {
        for leaf in &file.reading.leaves {
            let name = file.slice(leaf.bytes.clone());
            if name == symbol.name && index(file, leaf, name) == Some(statement) {
                found.push(occurrence(file, leaf));
            }
        }
        return found;
    }
    let declares = |file: &File| file.declared(symbol.space).any(|(name, _)| name == symbol.name);
    let mut all: BTreeMap<String, Rc<File>> = BTreeMap::new();
    let declaring: Vec<String> = files
        .sets(&file.path)
        .iter()
        .flatten()
        .filter(|file| declares(file))
        .map(|file| file.path.clone())
        .collect();
    for path in &declaring {
        for set in files.sets(path) {
            all.extend(set.into_iter().map(|file| (file.path.clone(), file)));
        }
    }
    for file in all.values() {
        for leaf in &file.reading.leaves {
            let name = file.slice(leaf.bytes.clone());
            if name == symbol.name
                && spaces(leaf.role).contains(&symbol.space)
                && index(file, leaf, name).is_none()
            {
                found.push(occurrence(file, leaf));
            }
        }
    }
    found
}

/// Why another name at all these places would break a spec that is right: files that are no specs may have
/// names of theirs in them, such as a graph whose edges name links.
pub(super) fn breaks(files: &Files<'_>, all: &[Occurrence], name: &str) -> Option<String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for at in all.iter().rev() {
        let text = texts.entry(files.identity(&at.path)).or_insert_with(|| {
            files.file(&at.path).map_or_else(String::new, |file| file.text.content().to_owned())
        });
        text.replace_range(at.range(), name);
    }
    let changed = Changed { files, texts };
    let mut specs: Vec<String> = all
        .iter()
        .flat_map(|at| files.sets(&at.path))
        .filter_map(|set| set.first().filter(|file| file.is_spec()).map(|file| file.path.clone()))
        .collect();
    specs.sort();
    specs.dedup();
    specs.iter().filter(|path| fabc_lang::read(path, files).is_ok()).find_map(|path| {
        let (failure, _) = fabc_lang::read(path, &changed).err()?;
        let error = failure.diagnostics().first().map_or_else(String::new, ToString::to_string);
        Some(format!("`{path}` would be broken by it: {error}"))
    })
}

/// Files some of which have other texts.
struct Changed<'a> {
    files: &'a Files<'a>,
    /// By identity.
    texts: BTreeMap<String, String>,
}

impl Loader for Changed<'_> {
    fn load(&self, path: &str, most: u64) -> Result<String, String> {
        self.texts
            .get(&self.identity(path))
            .map_or_else(|| self.files.load(path, most), |text| Ok(text.clone()))
    }

    fn identity(&self, path: &str) -> String {
        self.files.identity(path)
    }
}

fn occurrence(file: &File, leaf: &Leaf) -> Occurrence {
    let declares = matches!(leaf.role, Role::Declared(_));
    Occurrence { path: file.path.clone(), bytes: (leaf.bytes.start, leaf.bytes.end), declares }
}
