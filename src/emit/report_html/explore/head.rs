//! The head of the block: names, links, places and scenarios.

use super::super::layout::Layout;
use super::jobs::JobEvents;
use super::paged::PagedScenarios;
use super::simulated::SimulatedRun;
use super::stream::{listed_symmetry, load_symmetry, most_vcs};
use crate::compiled::{CompiledFabric, CompiledScenario};
use crate::summary;
use crate::tables::keeps_topology_symmetry;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Fraction, LinkClass, RouterNames, ScenarioFault, Topology, link_cycles};
use fabc_model::{Metric, PORT_NAMES};
use serde_json::{Value, json};

/// What the head is made of, beside the fabric.
pub(super) struct HeadParts<'a> {
    pub(super) layout: &'a Layout,
    pub(super) paged: &'a PagedScenarios,
    /// The next-hop groups of every scenario with tables, or `null` for each.
    pub(super) groups: Vec<Value>,
    pub(super) jobs: &'a [JobEvents],
    /// The runs of simulations whose utilization of channels is in the block.
    pub(super) runs: &'a [SimulatedRun],
}

/// The head of the block, as `explore.js` reads it.
pub(super) fn head(compiled: &CompiledFabric, parts: HeadParts<'_>) -> Value {
    let HeadParts { layout, paged, groups, jobs, runs } = parts;
    let (fabric, topology) = (&compiled.fabric, &compiled.topology);
    let nominal = &compiled.scenarios[0];
    let names: Vec<String> = topology.nodes().map(|node| topology.name(node)).collect();
    let routers: Vec<u64> =
        topology.nodes().map(|node| u64::from(fabric.router_kind(node).latency_cycles)).collect();
    let hosts: Vec<u16> = topology.nodes().map(|node| topology.hosts(node)).collect();
    let key = nominal.routed.as_ref().map(|routed| routed.tables.key);
    json!({
        "name": fabric.name,
        "word": fabric.plant.router_word(),
        "names": names.join("\n"),
        "ports": port_names(topology),
        "radix": topology.ports(),
        "vcs": most_vcs(compiled),
        "clock": fabric.clock_hz,
        "hosts": shortened(&hosts),
        "cycles": shortened(&routers),
        "types": fabric.link_types.iter().map(|link| link.name.clone()).collect::<Vec<_>>(),
        "switches": fabric.pod().map_or_else(Vec::new, |pod| pod.ocses.iter().map(|ocs| ocs.name.clone()).collect()),
        "links": links(compiled),
        "symmetry": symmetry(topology),
        "routed": nominal.has_tables(),
        "byDestination": key.is_some_and(|key| key.is_by_destination()),
        "count": key.and_then(|key| key.vc_rule()),
        "metric": if nominal.metrics.routed.is_some() { "max_channel_load" } else { "average_hops" },
        "entries": entries(compiled, paged),
        "points": points(layout),
        "near": layout.straight.map(|straight| [straight.x, straight.y]),
        "block": layout.block,
        "blockWord": layout.block_word,
        "scenarios": paged.listed.iter().map(|&scenario| scenario_value(compiled, paged, scenario)).collect::<Vec<_>>(),
        "jobs": jobs.iter().map(JobEvents::value).collect::<Vec<_>>(),
        "runs": runs.iter().map(SimulatedRun::value).collect::<Vec<_>>(),
        "groups": if groups.iter().all(Value::is_null) { Value::Null } else { json!(groups) },
    })
}

/// The names of ports, unless they are numbered.
fn port_names(topology: &Topology) -> Value {
    match topology.names() {
        RouterNames::Cubes(_) => json!(PORT_NAMES),
        _ => Value::Null,
    }
}

/// A list, or its first value where all are equal.
fn shortened<T: PartialEq + serde::Serialize>(values: &[T]) -> Value {
    match values {
        [first, rest @ ..] if rest.iter().all(|value| value == first) => json!(first),
        values => json!(values),
    }
}

/// The links by columns. Ends `a` ascend, so they are listed by their differences.
fn links(compiled: &CompiledFabric) -> Value {
    let topology = &compiled.topology;
    let links = || topology.links().iter();
    let mut before = 0;
    let a: Vec<u32> =
        links().map(|link| link.a.node.0 - std::mem::replace(&mut before, link.a.node.0)).collect();
    let b: Vec<i64> = links().map(|link| i64::from(link.b.node.0) - i64::from(link.a.node.0)).collect();
    let switch = |ocs: &Option<fabc_base::ids::OcsId>| ocs.map_or(0, |ocs| ocs.0 + 1);
    let through: Vec<u32> = compiled
        .pod
        .as_ref()
        .map_or_else(Vec::new, |pod| pod.cross_connects.ocs_of.iter().map(switch).collect());
    let lengths: Vec<u32> = topology.links().ids().map(|link| topology.length(link)).collect();
    let cycles: Vec<u32> =
        topology.links().ids().map(|link| link_cycles(&compiled.fabric, topology, link)).collect();
    json!({
        "a": a,
        "p": links().map(|link| link.a.port.0).collect::<Vec<_>>(),
        "b": b,
        "q": links().map(|link| link.b.port.0).collect::<Vec<_>>(),
        "simplex": links().any(|link| link.simplex).then(|| links().map(|link| u8::from(link.simplex)).collect::<Vec<_>>()),
        "type": shortened(&links().map(|link| link.link_type.0).collect::<Vec<_>>()),
        "global": shortened(&links().map(|link| u8::from(link.class == LinkClass::Global)).collect::<Vec<_>>()),
        "switch": shortened(&through),
        "length": if topology.has_cables() { json!(lengths) } else { Value::Null },
        "cycles": shortened(&cycles),
    })
}

/// The elements of the symmetry, each as the image of every block. `null` without one.
fn symmetry(topology: &Topology) -> Value {
    let symmetry = topology.symmetry();
    if symmetry.is_trivial() {
        return Value::Null;
    }
    let size = symmetry.block_size();
    let image = |g: usize, block: usize| symmetry.image(g, NodeId::new(block * size)).index() / size;
    let element = |g: usize| (0..symmetry.blocks()).map(|block| image(g, block)).collect::<Vec<_>>();
    json!({ "size": size, "elements": (0..symmetry.order()).map(element).collect::<Vec<_>>() })
}

/// The numbers of table entries of the listed routers of the healthy fabric. `null` without its tables.
fn entries(compiled: &CompiledFabric, paged: &PagedScenarios) -> Value {
    if !paged.tabled.contains(&0) {
        return Value::Null;
    }
    let CompiledScenario { routed, sprayed, .. } = &compiled.scenarios[0];
    let counts: Vec<usize> = match (routed, sprayed) {
        (Some(routed), _) => {
            let tables = routed.tables.unpacked();
            let listed = listed_symmetry(&tables.symmetry, &compiled.topology);
            listed.canonical_nodes().map(|node| tables.router(node).len()).collect()
        }
        (None, Some(sprayed)) => sprayed.tables.routers.iter().map(Vec::len).collect(),
        (None, None) => return Value::Null,
    };
    shortened(&counts)
}

/// The places of all routers as whole numbers from 0 on: x and y in turn.
fn points(layout: &Layout) -> Vec<i64> {
    let least = |part: fn(&super::super::layout::Point) -> f64| {
        layout.points.iter().map(part).fold(f64::MAX, f64::min)
    };
    let (left, top) = (least(|point| point.x), least(|point| point.y));
    let whole = |value: f64| libm::round(value) as i64;
    layout.points.iter().flat_map(|point| [whole(point.x - left), whole(point.y - top)]).collect()
}

fn scenario_value(compiled: &CompiledFabric, paged: &PagedScenarios, number: usize) -> Value {
    let CompiledScenario { scenario, metrics, routed, .. } = &compiled.scenarios[number];
    let topology = &compiled.topology;
    let keeps = |has: bool, keeps: bool| if has { json!(u8::from(keeps)) } else { Value::Null };
    let listed = listed_symmetry(&load_symmetry(compiled, number), topology);
    let tables = routed
        .as_ref()
        .is_some_and(|routed| keeps_topology_symmetry(&routed.tables.symmetry, topology.symmetry()));
    let dark = match &scenario.fault {
        ScenarioFault::None => Value::Null,
        ScenarioFault::Switches(switches) => {
            json!({ "switches": switches.iter().map(|ocs| ocs.0).collect::<Vec<_>>() })
        }
        ScenarioFault::Link(link) => json!({ "link": link.0 }),
        ScenarioFault::Router(router) => json!({ "router": router.0 }),
    };
    json!({
        "name": scenario.name,
        "dark": dark,
        "images": scenario.images.len(),
        "parts": metrics.parts,
        "most": metrics.value(Metric::MaxChannelLoad).map(summary::load_text),
        "hops": metrics.value(Metric::AverageHops).map(Fraction::as_f64),
        // 1 if canonical routers stand for all, 0 if all are listed, `null` if nothing is.
        "loads": keeps(paged.loaded.contains(&number), !listed.is_trivial()),
        "tables": keeps(paged.tabled.contains(&number), tables),
    })
}
