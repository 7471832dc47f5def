//! The open files of an editor, and the files that they use.
//!
//! Input: texts that are opened, changed and closed, and a loader for other files. Output: sets of files that
//! belong together. A set is an open file with all files that it uses. A name is visible within a set.

use super::reading::{BlockScope, Leaf, NameSpace, Reading, WordRole};
use super::text::EditorText;
use fabc_lang::syntax::{Loader, join};
use lsp_types::Uri;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// A file with its text and its reading.
pub(super) struct EditorFile {
    /// The path, as the loader takes it.
    pub(super) path: String,
    pub(super) text: EditorText,
    pub(super) reading: Reading,
    /// The leaves that declare a name, in their order.
    declaring: Vec<usize>,
    /// The paths of the files that this one uses, each with the bytes that name it.
    pub(super) uses: Vec<(String, Range<usize>)>,
}

impl EditorFile {
    pub(super) fn new(path: &str, text: EditorText) -> Rc<Self> {
        let reading = Reading::parse(text.content());
        let declares = |&leaf: &usize| matches!(reading.leaves[leaf].role, WordRole::Declared(_));
        let declaring = (0..reading.leaves.len()).filter(declares).collect();
        let used = reading.statements.iter().filter_map(|statement| statement.path.clone());
        let uses = used.map(|bytes| (join(path, &text.content()[bytes.clone()]), bytes)).collect();
        Rc::new(Self { path: path.to_owned(), text, reading, declaring, uses })
    }

    pub(super) fn slice(&self, bytes: Range<usize>) -> &str {
        &self.text.content()[bytes]
    }

    /// Whether the file declares a fabric.
    pub(super) fn is_spec(&self) -> bool {
        self.reading.blocks.iter().any(|block| block.scope == BlockScope::Fabric)
    }

    /// The words that declare a name of a space.
    pub(super) fn declaring_leaves(&self, space: NameSpace) -> impl Iterator<Item = &Leaf> {
        let leaves = self.declaring.iter().map(|&leaf| &self.reading.leaves[leaf]);
        leaves.filter(move |leaf| leaf.role == WordRole::Declared(space))
    }

    /// The names of a space that the file declares.
    pub(super) fn declared_names(&self, space: NameSpace) -> impl Iterator<Item = &str> {
        self.declaring_leaves(space).map(|leaf| self.slice(leaf.bytes.clone()))
    }
}

/// A file that the editor has open.
pub(super) struct OpenFile {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) file: Rc<EditorFile>,
}

/// The open files, and the loader for all others.
pub(super) struct OpenFiles<'d> {
    /// By the path as the editor gives it.
    pub(super) open: BTreeMap<String, OpenFile>,
    disk: &'d dyn Loader,
}

/// The largest number of files in a set.
const MOST_FILES: usize = fabc_base::limits::SPEC_FILES;

impl<'d> OpenFiles<'d> {
    pub(super) fn new(disk: &'d dyn Loader) -> Self {
        Self { open: BTreeMap::new(), disk }
    }

    pub(super) fn file(&self, path: &str) -> Option<Rc<EditorFile>> {
        match self.opened(path) {
            Some(open) => Some(open.file.clone()),
            None => self
                .disk
                .load(path, fabc_base::limits::SPEC_BYTES as u64)
                .ok()
                .map(|text| EditorFile::new(path, EditorText::new(text))),
        }
    }

    /// The open file with the identity of a path, whatever path the editor uses for it.
    fn opened(&self, path: &str) -> Option<&OpenFile> {
        self.open.get(path).or_else(|| {
            let identity = self.disk.identity(path);
            self.open.iter().find(|(other, _)| self.disk.identity(other) == identity).map(|(_, open)| open)
        })
    }

    /// A file and all that it uses, the file itself first.
    pub(super) fn file_set(&self, root: &str) -> Vec<Rc<EditorFile>> {
        let (mut files, mut seen): (Vec<Rc<EditorFile>>, Vec<String>) = (Vec::new(), Vec::new());
        let mut next = vec![root.to_owned()];
        while let Some(path) = next.pop() {
            let identity = self.disk.identity(&path);
            if seen.contains(&identity) || seen.len() >= MOST_FILES {
                continue;
            }
            seen.push(identity);
            let Some(file) = self.file(&path) else { continue };
            next.extend(file.uses.iter().map(|(path, _)| path.clone()));
            files.push(file);
        }
        files
    }

    /// The sets that contain a file: its own first, then those of other open files that use it.
    pub(super) fn file_sets(&self, path: &str) -> Vec<Vec<Rc<EditorFile>>> {
        let identity = self.disk.identity(path);
        let others = self
            .open
            .keys()
            .filter(|other| self.disk.identity(other) != identity)
            .map(|other| self.file_set(other));
        let with_it = others.filter(|set| set.iter().any(|file| self.disk.identity(&file.path) == identity));
        std::iter::once(self.file_set(path)).chain(with_it).collect()
    }

    /// Open specs that a change of a file affects: itself, and those that use it.
    pub(super) fn affected(&self, path: &str) -> Vec<String> {
        self.file_sets(path)
            .into_iter()
            .filter_map(|set| set.first().map(|file| file.path.clone()))
            .filter(|path| self.open.contains_key(path))
            .collect()
    }
}

impl Loader for OpenFiles<'_> {
    fn load(&self, path: &str, limit: u64) -> Result<String, String> {
        match self.opened(path) {
            Some(open) if open.file.text.content().len() as u64 <= limit => {
                Ok(open.file.text.content().to_owned())
            }
            Some(_) => Err(fabc_lang::syntax::too_long(limit)),
            None => self.disk.load(path, limit),
        }
    }

    fn load_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, String> {
        self.disk.load_bytes(path, limit)
    }

    fn identity(&self, path: &str) -> String {
        self.disk.identity(path)
    }
}
