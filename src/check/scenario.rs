//! Whether the tables of one scenario deliver every packet and cannot deadlock.

use super::delivery::Forwarding;
use super::graph::{expect_alive, expect_length};
use super::{CheckError, DeadlockFree, deadlock, symmetry};
use crate::ids::{IdVec, LinkId, NodeId};
use crate::ir::{ForwardingTables, Topology, Walk};
use crate::model::Fabric;

/// Walks the tables for every ordered pair, and proves that the ranks rise along every dependency the walk saw.
///
/// `ranks` is `[channel class * vcs + vc]` under the symmetry of the tables.
///
/// # Errors
/// The first entry, route or dependency that is wrong.
pub fn scenario(
    fabric: &Fabric,
    topology: &Topology,
    alive: &IdVec<LinkId, bool>,
    tables: &ForwardingTables,
    ranks: &[u32],
) -> Result<(Walk, DeadlockFree), CheckError> {
    scenario_without(fabric, topology, alive, None, tables, ranks)
}

/// As [`scenario`], without the pairs of a dead chip, which must have no tables.
///
/// # Errors
/// See [`scenario`].
pub fn scenario_without(
    fabric: &Fabric,
    topology: &Topology,
    alive: &IdVec<LinkId, bool>,
    dead: Option<NodeId>,
    tables: &ForwardingTables,
    ranks: &[u32],
) -> Result<(Walk, DeadlockFree), CheckError> {
    expect_alive(topology, alive)?;
    if tables.vcs == 0 || tables.vcs > fabric.budget.vcs || tables.vcs > fabric.router.vcs {
        let (used, budget, chip) = (tables.vcs, fabric.budget.vcs, fabric.router.vcs);
        return Err(CheckError::OverBudget {
            scenario: tables.scenario.clone(),
            what: format!("the tables use {used} virtual channels, but the budget has {budget} and the chip {chip}"),
            span: Some(fabric.budget.vcs_span),
        });
    }
    symmetry::automorphisms_of_lit(topology, &tables.symmetry, alive)?;
    symmetry::keeps_demand(&tables.symmetry, &fabric.demand)?;
    if dead.is_some() && !tables.symmetry.is_trivial() {
        return Err(CheckError::symmetry("a dead chip leaves none".to_owned()));
    }
    expect_length(&format!("tables of {}", tables.scenario), "routers", tables.routers.len(), tables.symmetry.class_count())?;
    let forwarding = Forwarding::new(fabric, topology, alive, dead, tables)?;
    let (walk, dependencies) = forwarding.walk(alive)?;
    let proof = deadlock::prove(fabric, topology, tables, &forwarding, &dependencies, ranks)?;
    Ok((walk, proof))
}
