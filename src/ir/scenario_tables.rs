//! The tables of one scenario, of either kind.

use super::{ForwardingTables, GroupTables};

/// The tables of one scenario.
#[derive(Clone, Debug)]
pub enum ScenarioTables {
    /// One path for every pair.
    OnePath(ForwardingTables),
    /// Next-hop groups: many paths for every pair.
    Groups(GroupTables),
}
