//! FAB00nn (syntax) and FAB01nn (meaning of the spec).

use super::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[];
