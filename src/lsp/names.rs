//! Finds all words that mean the same name.
//!
//! Input: a word in a file. Output: where its name is declared and used, in all files that share this
//! meaning. A name that a part declares is visible in every open spec that uses the part. A name that a spec
//! declares is visible in the spec's own files only. A part may also use a name that only a spec declares.

use super::files::{EditorFile, OpenFiles};
use super::reading::{Leaf, NameSpace, WordRole};
use fabc_lang::syntax::Loader;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// A name that some file declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Symbol {
    pub(super) space: NameSpace,
    pub(super) name: String,
    /// For an index, the statement that declares it.
    statement: Option<usize>,
}

/// One place of a symbol.
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

/// The symbol that a word stands for, if some file declares it.
pub(super) fn find_symbol(files: &OpenFiles<'_>, file: &EditorFile, leaf: &Leaf) -> Option<Symbol> {
    let name = file.slice(leaf.bytes.clone());
    if let Some(statement) = index_statement(file, leaf, name) {
        return Some(Symbol { space: NameSpace::Index, name: name.to_owned(), statement: Some(statement) });
    }
    let spaces = candidate_spaces(leaf.role);
    let sets = files.file_sets(&file.path);
    let is_declared = |space: &NameSpace| {
        sets.iter().flatten().any(|file| file.declared_names(*space).any(|other| other == name))
    };
    let space = spaces.iter().copied().find(is_declared)?;
    Some(Symbol { space, name: name.to_owned(), statement: None })
}

/// The name spaces that a word may belong to, in the order in which they are tried.
pub(super) fn candidate_spaces(role: WordRole) -> &'static [NameSpace] {
    match role {
        WordRole::Declared(NameSpace::Fabric) => &[NameSpace::Fabric],
        WordRole::Declared(NameSpace::Constant) | WordRole::Named(NameSpace::Constant) | WordRole::Value => {
            &[NameSpace::Constant]
        }
        // A parameter may stand for the name of a link.
        WordRole::Named(NameSpace::Link) => &[NameSpace::Link, NameSpace::Constant],
        WordRole::Declared(NameSpace::Link) => &[NameSpace::Link],
        WordRole::Declared(NameSpace::Ocs) | WordRole::Named(NameSpace::Ocs) => &[NameSpace::Ocs],
        WordRole::Declared(NameSpace::Run) | WordRole::Named(NameSpace::Run) => &[NameSpace::Run],
        WordRole::Declared(NameSpace::Slice) | WordRole::Named(NameSpace::Slice) => &[NameSpace::Slice],
        _ => &[],
    }
}

/// The statement around a word that declares it as an index. Indices are visible in the ports of a `couple`.
/// Everywhere else the same name is a constant.
fn index_statement(file: &EditorFile, leaf: &Leaf, name: &str) -> Option<usize> {
    let reading = &file.reading;
    let head = || file.slice(reading.statements[leaf.statement].head.clone());
    match leaf.role {
        WordRole::Declared(NameSpace::Index) => {}
        WordRole::Named(NameSpace::Constant) if head() == "couple" => {}
        _ => return None,
    }
    let declares = |statement: usize| {
        file.declaring_leaves(NameSpace::Index)
            .any(|leaf| leaf.statement == statement && file.slice(leaf.bytes.clone()) == name)
    };
    let around =
        reading.enclosing_blocks(reading.statements[leaf.statement].block).map(|block| block.statement);
    std::iter::once(leaf.statement)
        .chain(around)
        .filter(|&statement| statement < reading.statements.len())
        .find(|&statement| declares(statement))
}

/// All places of a symbol, each once, in order.
pub(super) fn occurrences(files: &OpenFiles<'_>, file: &Rc<EditorFile>, symbol: &Symbol) -> Vec<Occurrence> {
    let mut occurrences = Vec::new();
    if let Some(statement) = symbol.statement {
        for leaf in &file.reading.leaves {
            let name = file.slice(leaf.bytes.clone());
            if name == symbol.name && index_statement(file, leaf, name) == Some(statement) {
                occurrences.push(occurrence(file, leaf));
            }
        }
        return occurrences;
    }
    let declares = |file: &EditorFile| file.declared_names(symbol.space).any(|name| name == symbol.name);
    let mut searched: BTreeMap<String, Rc<EditorFile>> = BTreeMap::new();
    let declaring: Vec<String> = files
        .file_sets(&file.path)
        .iter()
        .flatten()
        .filter(|file| declares(file))
        .map(|file| file.path.clone())
        .collect();
    for path in &declaring {
        for set in files.file_sets(path) {
            searched.extend(set.into_iter().map(|file| (file.path.clone(), file)));
        }
    }
    for file in searched.values() {
        for leaf in &file.reading.leaves {
            let name = file.slice(leaf.bytes.clone());
            if name == symbol.name
                && candidate_spaces(leaf.role).contains(&symbol.space)
                && index_statement(file, leaf, name).is_none()
            {
                occurrences.push(occurrence(file, leaf));
            }
        }
    }
    occurrences
}

/// The error that renaming these places would cause in a valid spec. Files that are no specs may use the name
/// as well, such as a graph whose edges name links.
pub(super) fn rename_error(files: &OpenFiles<'_>, occurrences: &[Occurrence], name: &str) -> Option<String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for occurrence in occurrences.iter().rev() {
        let text = texts.entry(files.identity(&occurrence.path)).or_insert_with(|| {
            files.file(&occurrence.path).map_or_else(String::new, |file| file.text.content().to_owned())
        });
        text.replace_range(occurrence.range(), name);
    }
    let changed = RenamedFiles { files, texts };
    let mut specs: Vec<String> = occurrences
        .iter()
        .flat_map(|occurrence| files.file_sets(&occurrence.path))
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

/// The open files with some texts replaced.
struct RenamedFiles<'a> {
    files: &'a OpenFiles<'a>,
    /// By the identity of the file.
    texts: BTreeMap<String, String>,
}

impl Loader for RenamedFiles<'_> {
    fn load(&self, path: &str, limit: u64) -> Result<String, String> {
        self.texts
            .get(&self.identity(path))
            .map_or_else(|| self.files.load(path, limit), |text| Ok(text.clone()))
    }

    fn load_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, String> {
        self.files.load_bytes(path, limit)
    }

    fn identity(&self, path: &str) -> String {
        self.files.identity(path)
    }
}

fn occurrence(file: &EditorFile, leaf: &Leaf) -> Occurrence {
    let declares = matches!(leaf.role, WordRole::Declared(_));
    Occurrence { path: file.path.clone(), bytes: (leaf.bytes.start, leaf.bytes.end), declares }
}
