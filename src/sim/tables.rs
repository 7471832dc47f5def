//! The tables that the packets of a simulation follow.

use fabc_ir::{ForwardingTables, GroupTables, ScenarioTables, Symmetry, TableKey};
use std::borrow::Cow;

/// The tables of a scenario, as a simulation borrows them.
#[derive(Clone, Copy, Debug)]
pub enum SimulatedTables<'a> {
    /// One path for every pair. Where packets choose their paths, no entry is needed.
    OnePath(&'a ForwardingTables),
    /// Next-hop groups, and relays where GPUs hand packets on.
    Groups(&'a GroupTables),
}

impl<'a> SimulatedTables<'a> {
    /// The name of the scenario whose tables these are.
    pub fn scenario(&self) -> &'a str {
        match *self {
            SimulatedTables::OnePath(tables) => &tables.scenario,
            SimulatedTables::Groups(tables) => &tables.scenario,
        }
    }
}

impl<'a> From<&'a ForwardingTables> for SimulatedTables<'a> {
    fn from(tables: &'a ForwardingTables) -> Self {
        SimulatedTables::OnePath(tables)
    }
}

impl<'a> From<&'a GroupTables> for SimulatedTables<'a> {
    fn from(tables: &'a GroupTables) -> Self {
        SimulatedTables::Groups(tables)
    }
}

impl<'a> From<&'a ScenarioTables> for SimulatedTables<'a> {
    fn from(tables: &'a ScenarioTables) -> Self {
        match tables {
            ScenarioTables::OnePath(tables) => SimulatedTables::OnePath(tables),
            ScenarioTables::Groups(tables) => SimulatedTables::Groups(tables),
        }
    }
}

impl<'a> SimulatedTables<'a> {
    /// The groups, if routers have them.
    pub(super) fn groups(self) -> Option<&'a GroupTables> {
        if let SimulatedTables::Groups(tables) = self { Some(tables) } else { None }
    }

    /// The tables with one path per pair. Where routers have groups, no table has an entry.
    pub(super) fn one_path(self) -> Cow<'a, ForwardingTables> {
        match self {
            SimulatedTables::OnePath(tables) => Cow::Borrowed(tables),
            SimulatedTables::Groups(tables) => {
                let routers = tables.routers.len();
                Cow::Owned(ForwardingTables {
                    scenario: tables.scenario.clone(),
                    vcs: 1,
                    key: TableKey::Dst,
                    symmetry: Symmetry::trivial(1, routers as u32),
                    routers: vec![Vec::new(); routers],
                })
            }
        }
    }
}
