//! The name of the fabric of a spec, without resolving the spec.

use fabc_lang::syntax::ast::FileEntry;
use fabc_lang::syntax::parse_file;

/// Returns the name of the fabric that a text declares. `None` without a fabric, and with syntax errors.
pub(crate) fn declared_name(path: &str, text: &str) -> Option<String> {
    let file = parse_file(path, text).0.ok()?;
    file.entries.iter().find_map(|entry| match entry {
        FileEntry::Fabric(fabric) => Some(fabric.name.value.to_string()),
        FileEntry::Item(_) => None,
    })
}
