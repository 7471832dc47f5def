//! The passes. Each is a function from finished values to one new value. No pass imports another pass.
//!
//! | pass | from | to |
//! |---|---|---|
//! | [`synth`] | `Pod` | `Topology` |
//! | [`wire`](mod@wire) | `Fabric`, `Network` | `Topology`, channel lengths |
//! | [`draw`](mod@draw) | `Family` | the links of candidates |
//! | [`limit`] | `Pod` | `UniversalLimit` |
//! | [`collective`](mod@collective) | `Scene` | `Schedule`s |
//! | [`scheduled`](mod@scheduled) | `Scene`, `SlotPace` | `Schedule`s of single vectors |
//! | [`cross_connect`] | `Pod`, `Topology` | `CrossConnects` |
//! | [`flow`] | `Topology`, lit links | `Distances`, `ConcurrentFlow` |
//! | [`measure`](mod@measure) | `Topology` of a network; `GroupTables` | `NetworkMetrics`; `Permutation` |
//! | [`light`](mod@light) | `Fabric`, cross-connects | `LightBudgets` |
//! | [`place`](mod@place) | `Floor`, `Topology` | `Placement` |
//! | [`trees`] | `Pod`, `Topology`, `CrossConnects` | OCS-disjoint spanning trees |
//! | [`route`] | `Pod`, `Topology`, lit links, prices | `Routes`, `NextHops` or `GroupTables` |
//! | [`tables`] | `Topology`, `Routes` | `ForwardingTables`, and what they carry |
//! | [`plan`] | `Pod`, two settings of its OCSes | `SwitchPlan` |
//! | [`compare`](mod@compare) | two reports, wirings, tables | parts of a `Diff` |
//! | [`repair`] | `Scene`, the tables in force and their ranks | `Delta` |
//! | [`slices`] | `Fabric`, `SlicePlacement`, `PlaceStep`s | `SlicePlacement`, the setting of its OCSes |

pub mod collective;
pub mod compare;
pub mod cross_connect;
pub mod draw;
pub mod drift;
pub mod flow;
pub mod light;
pub mod limit;
pub mod measure;
pub mod place;
pub mod plan;
pub mod repair;
pub mod route;
pub mod scheduled;
pub mod slices;
pub mod solve;
pub mod synth;
pub mod tables;
pub mod trees;
pub mod wire;

/// Adds a list to another one, element by element.
fn add(sum: &mut Vec<u64>, more: &[u64]) {
    sum.resize(sum.len().max(more.len()), 0);
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}
