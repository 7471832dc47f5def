//! What an arc of a directed family is.

use crate::word::words;

/// What an arc of a directed family is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Arcs {
    /// One channel; nothing runs back.
    #[default]
    Simplex,
    /// A link of two channels; opposite arcs are one link.
    Duplex,
}

words!(Arcs { Simplex = "simplex", Duplex = "duplex" });

impl Arcs {
    /// The setting of a family whose arcs are simplex unless it says otherwise.
    pub(super) fn written(self) -> &'static str {
        if self == Arcs::Duplex { " arcs = duplex;" } else { "" }
    }
}
