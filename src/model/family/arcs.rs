//! The meaning of an arc in a directed family.

use crate::word::words;

/// The meaning of an arc in a directed family.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Arcs {
    /// One channel, without a reverse.
    #[default]
    Simplex,
    /// A link of two channels. Opposite arcs are one link.
    Duplex,
}

words!(Arcs { Simplex = "simplex", Duplex = "duplex" });

impl Arcs {
    /// The setting as a spec writes it, for a family whose arcs are simplex by default.
    pub(super) fn written(self) -> &'static str {
        if self == Arcs::Duplex { " arcs = duplex;" } else { "" }
    }
}
