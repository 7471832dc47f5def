//! FAB09nn: fabc itself.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[CodeDoc {
    code: "FAB0901",
    title: "a bug in fabc",
    text: "\
fabc stopped because it contradicted itself. This is never the fault of the spec, and no partial file remains.

Please report it, with the spec and the message; `RUST_BACKTRACE=1` adds where it happened.",
}];
