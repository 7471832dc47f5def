//! Whether the tables of one scenario deliver every packet and cannot deadlock.

use super::delivery::Forwarding;
use super::graph::{expect_length, expect_lit};
use super::{CheckError, DeadlockFree, deadlock, distances, symmetry};
use fabc_ir::{ForwardingTables, Scene, Walk};
use fabc_model::Fabric;

/// Walks the tables for every ordered pair of routers that live, and proves that the ranks rise along every
/// dependency the walk saw; a dead router must have no tables.
///
/// `ranks` is `[channel class * vcs + vc]` under the symmetry of the tables.
///
/// # Errors
/// The first entry, route or dependency that is wrong.
pub fn scenario(fabric: &Fabric, scene: &Scene<'_>, tables: &ForwardingTables, ranks: &[u32]) -> Result<(Walk, DeadlockFree), CheckError> {
    expect_lit(scene)?;
    if tables.vcs == 0 || tables.vcs > fabric.budget.vcs || tables.vcs > fabric.router.vcs {
        let (used, budget, has, router) = (tables.vcs, fabric.budget.vcs, fabric.router.vcs, fabric.plant.router_word());
        return Err(CheckError::OverBudget {
            scenario: tables.scenario.clone(),
            what: format!("the tables use {used} virtual channels, but the budget has {budget} and the {router} {has}"),
            span: Some(fabric.budget.vcs_span),
        });
    }
    symmetry::automorphisms_of_lit(scene, &tables.symmetry)?;
    symmetry::keeps_demand(&tables.symmetry, &fabric.demand)?;
    if !scene.dead.is_empty() && !tables.symmetry.is_trivial() {
        return Err(CheckError::symmetry("a dead router leaves none".to_owned()));
    }
    expect_length(&format!("tables of {}", tables.scenario), "routers", tables.routers.len(), tables.symmetry.class_count())?;
    let forwarding = Forwarding::new(fabric, scene, tables)?;
    let (walk, dependencies) = forwarding.walk()?;
    if fabric.routing.is_shortest_by_destination() {
        distances::shortest(scene, &walk.route_hops)?;
    }
    let proof = deadlock::prove(fabric, scene.topology, tables, &forwarding, &dependencies, ranks)?;
    Ok((walk, proof))
}

/// Compares what the compiler counted of its routes with what a walk of the tables found.
///
/// # Errors
/// The first count that differs.
pub fn carried(scenario: &str, claimed: &Walk, measured: &Walk) -> Result<(), CheckError> {
    // One pattern for both: a count that is added must be compared.
    let Walk { loads, load_histogram, vc_hops, route_hops, cycles_total, cycles_most, entries_max, entries_total } = claimed;
    for (what, same) in [
        ("the loads of the channels", *loads == measured.loads && *load_histogram == measured.load_histogram),
        ("the hops on each virtual channel", *vc_hops == measured.vc_hops),
        ("the hops of the routes", *route_hops == measured.route_hops),
        ("the latencies of the routes", (cycles_total, cycles_most) == (&measured.cycles_total, &measured.cycles_most)),
        ("the most entries of a table", *entries_max == measured.entries_max),
        ("the entries of all tables", *entries_total == measured.entries_total),
    ] {
        if !same {
            let what = format!("{what} were counted otherwise along the routes than a walk of the tables finds them");
            return Err(CheckError::Shape { scenario: scenario.to_owned(), what });
        }
    }
    Ok(())
}
