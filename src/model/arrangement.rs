//! How the global ports of a block are assigned to the other blocks.

use super::word::words;

/// Which global port of a group leads to which other group.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Arrangement {
    /// Port k of group i leads to group i - k - 1, modulo the number of groups. Every rotation of the groups
    /// keeps the ports.
    #[default]
    Palmtree,
    /// Port k of group i leads to group k, where groups from i on are counted one further.
    Consecutive,
    /// Ports 2 j and 2 j + 1 of group i lead to groups i + j + 1 and i - j - 1.
    Fold,
}

words!(Arrangement { Palmtree = "palmtree", Consecutive = "consecutive", Fold = "fold" });
