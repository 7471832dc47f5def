//! FAB03nn: routing and budgets.

use super::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[];
