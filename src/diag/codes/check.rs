//! FAB04nn: requires, proofs and verification.

use super::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[];
