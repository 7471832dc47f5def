//! Allowed-turns routing on pods whose best loads are known.

mod pods;
mod verify;

use fabc::ids::IdVec;
use fabc::ir::Topology;
use fabc::passes::route::allowed_turns::{Settings, order, select};
use fabc::progress::Silent;
use verify::{Walked, verify};

fn routed(topology: &Topology, vcs: u8) -> Walked {
    let prices = pods::prices(topology, 1000);
    let settings = Settings::for_size(topology.node_count(), vcs);
    let order = order(topology, &prices, &settings, &Silent);
    let alive = IdVec::filled(true, topology.links().len());
    let routes = select(topology, &alive, &prices, &order, None, &settings, &Silent).expect("routes");
    verify(topology, &routes, |_| false)
}

#[test]
fn small_pods_come_near_their_bound() {
    let walked = routed(&pods::shifted([4, 4, 4], 4, &pods::climbed(4, 1000, 7)), 2);
    assert!(walked.max_load <= 162, "{walked:?}");
}
