//! A regular graph that is searched, and what its arcs are.

use super::word::words;

/// A regular graph to be searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FreeGraph {
    /// Number of routers, more than `degree`.
    pub routers: u32,
    /// Links of a router; arcs out of it and into it where they are simplex.
    pub degree: u32,
    /// Whether an arc is a channel or a link.
    pub arcs: Arcs,
    /// How much work the search does, 1 or more.
    pub effort: u32,
    /// The random stream.
    pub seed: u64,
    /// What a part of the cables weighs against the same part of the distances, in thousandths of both;
    /// `None` where cables do not count.
    pub cable: Option<u32>,
}

impl FreeGraph {
    /// A weight of thousandths as a spec writes it.
    pub fn weight(thousandths: u32) -> String {
        let digits = format!("{:03}", thousandths % 1000);
        let digits = digits.trim_end_matches('0');
        if digits.is_empty() { (thousandths / 1000).to_string() } else { format!("{}.{digits}", thousandths / 1000) }
    }
}

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
