//! FAB05nn: files, options; FAB09nn: fabc contradicts itself.

use super::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[];
