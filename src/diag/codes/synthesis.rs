//! FAB02nn: topologies, cross-connects, analysis.

use super::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[];
