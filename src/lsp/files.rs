//! The files that an editor has open, and those that they use.
//!
//! Comes in: texts that are opened, changed and closed; a loader for the others. Goes out: sets of files that
//! belong together. A set is an open file with all that it uses: names are known in sets.

use super::reading::{Reading, Role, Scope, Space};
use super::text::Text;
use fabc_lang::syntax::{Loader, join};
use lsp_types::Uri;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// A file that was read.
pub(super) struct File {
    /// Where it is, as the loader knows it.
    pub(super) path: String,
    pub(super) text: Text,
    pub(super) reading: Reading,
}

impl File {
    pub(super) fn new(path: &str, text: Text) -> Rc<Self> {
        let reading = Reading::of(text.content());
        Rc::new(Self { path: path.to_owned(), text, reading })
    }

    pub(super) fn slice(&self, bytes: Range<usize>) -> &str {
        &self.text.content()[bytes]
    }

    /// Whether it declares a fabric.
    pub(super) fn is_spec(&self) -> bool {
        self.reading.blocks.iter().any(|block| block.scope == Scope::Fabric)
    }

    /// The paths of the files that it uses, and where they are named.
    pub(super) fn uses(&self) -> impl Iterator<Item = (String, Range<usize>)> {
        let paths = self.reading.statements.iter().filter_map(|statement| statement.path.clone());
        paths.map(|bytes| (join(&self.path, self.slice(bytes.clone())), bytes))
    }

    /// Names of a space that it declares, and where.
    pub(super) fn declared(&self, space: Space) -> impl Iterator<Item = (&str, Range<usize>)> {
        let leaves = self.reading.leaves.iter().filter(move |leaf| leaf.role == Role::Declared(space));
        leaves.map(|leaf| (self.slice(leaf.bytes.clone()), leaf.bytes.clone()))
    }
}

/// An open file.
pub(super) struct Open {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) file: Rc<File>,
}

/// All files.
pub(super) struct Files<'d> {
    /// By path.
    pub(super) open: BTreeMap<String, Open>,
    disk: &'d dyn Loader,
}

/// The most files of a set.
const MOST_FILES: usize = fabc_base::limits::SPEC_FILES;

impl<'d> Files<'d> {
    pub(super) fn new(disk: &'d dyn Loader) -> Self {
        Self { open: BTreeMap::new(), disk }
    }

    pub(super) fn file(&self, path: &str) -> Option<Rc<File>> {
        match self.opened(path) {
            Some(open) => Some(open.file.clone()),
            None => self
                .disk
                .load(path, fabc_base::limits::SPEC_BYTES as u64)
                .ok()
                .map(|text| File::new(path, Text::new(text))),
        }
    }

    /// The open file behind a path, however it is called there.
    fn opened(&self, path: &str) -> Option<&Open> {
        self.open.get(path).or_else(|| {
            let identity = self.disk.identity(path);
            self.open.iter().find(|(other, _)| self.disk.identity(other) == identity).map(|(_, open)| open)
        })
    }

    /// A file and all that it uses, itself first.
    pub(super) fn set(&self, root: &str) -> Vec<Rc<File>> {
        let (mut found, mut seen): (Vec<Rc<File>>, Vec<String>) = (Vec::new(), Vec::new());
        let mut next = vec![root.to_owned()];
        while let Some(path) = next.pop() {
            let identity = self.disk.identity(&path);
            if seen.contains(&identity) || seen.len() >= MOST_FILES {
                continue;
            }
            seen.push(identity);
            let Some(file) = self.file(&path) else { continue };
            next.extend(file.uses().map(|(path, _)| path));
            found.push(file);
        }
        found
    }

    /// The sets that a file is in: its own, and those of open files that use it.
    pub(super) fn sets(&self, path: &str) -> Vec<Vec<Rc<File>>> {
        let identity = self.disk.identity(path);
        let others = self
            .open
            .keys()
            .filter(|other| self.disk.identity(other) != identity)
            .map(|other| self.set(other));
        let with_it = others.filter(|set| set.iter().any(|file| self.disk.identity(&file.path) == identity));
        std::iter::once(self.set(path)).chain(with_it).collect()
    }

    /// Open specs that a change of a file says something new of: itself, and those that use it.
    pub(super) fn affected(&self, path: &str) -> Vec<String> {
        self.sets(path)
            .into_iter()
            .filter_map(|set| set.first().map(|file| file.path.clone()))
            .filter(|path| self.open.contains_key(path))
            .collect()
    }
}

impl Loader for Files<'_> {
    fn load(&self, path: &str, most: u64) -> Result<String, String> {
        match self.opened(path) {
            Some(open) if open.file.text.content().len() as u64 <= most => {
                Ok(open.file.text.content().to_owned())
            }
            Some(_) => Err(fabc_lang::syntax::too_long(most)),
            None => self.disk.load(path, most),
        }
    }

    fn identity(&self, path: &str) -> String {
        self.disk.identity(path)
    }
}
