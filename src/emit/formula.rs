//! Writes `formula.json` (`fabc.formula/1`), from which routers compute next hops without tables.

use super::json::{push, push_lines, push_numbers, quote};
use crate::compiled::CompiledFabric;
use fabc_base::algebra::ProjectivePlane;
use fabc_base::ids::PortId;
use fabc_ir::{TableKey, Topology};
use fabc_model::{Dragonfly, Family, HyperX, Hypercube, Mesh, PolarStar, RoutingChoice, Torus};

/// Whether the file exists: the routing is a formula, and the build got as far as routing.
pub(super) fn exists(compiled: &CompiledFabric) -> bool {
    compiled.fabric.routing == RoutingChoice::Algebraic
        && compiled.scenarios.first().is_some_and(|nominal| nominal.routed.is_some())
}

pub(super) fn json(compiled: &CompiledFabric) -> String {
    let CompiledFabric { fabric, topology, .. } = compiled;
    let Some(family) = fabric.family() else { unreachable!("`resolve` refuses formulas for pods") };
    let mut out = format!("{{\"format\":\"fabc.formula/1\",\"fabric\":{},", quote(&fabric.name));
    let (name, routers, ports) = (family.name(), topology.node_count(), topology.ports());
    push(
        &mut out,
        format_args!(
            "\"family\":\"{name}\",\"routers\":{routers},\"ports\":{ports},\"vc\":\"{}\",\n",
            vc_rule_name(compiled)
        ),
    );
    match family {
        Family::Torus(Torus(sides)) | Family::Mesh(Mesh(sides)) | Family::HyperX(HyperX(sides)) => {
            out.push_str("\"sides\":");
            push_numbers(&mut out, sides);
        }
        Family::Hypercube(Hypercube { dimensions, .. }) => {
            push(&mut out, format_args!("\"dimensions\":{dimensions}"))
        }
        Family::Dragonfly(dragonfly) => push_groups(&mut out, topology, dragonfly),
        Family::PolarStar(star) => self::push_star(&mut out, star),
        family => unreachable!("`resolve` refuses formulas for a {}", family.name()),
    }
    out.push_str("}\n");
    out
}

/// The rule by which a packet gets its virtual channel.
fn vc_rule_name(compiled: &CompiledFabric) -> &'static str {
    let nominal = &compiled.scenarios[0];
    let key = nominal.routed.as_ref().map(|routed| routed.tables.key);
    let hops = nominal.metrics.routed.as_ref().map_or(&[][..], |walk| &walk.vc_hops);
    match key {
        Some(TableKey::DstCount(count)) => count.name(),
        _ if hops.iter().skip(1).any(|&hops| hops > 0) => "dateline",
        _ => "single",
    }
}

/// Links between groups: for every node, the nodes across its global ports.
fn push_groups(out: &mut String, topology: &Topology, dragonfly: &Dragonfly) {
    push(out, format_args!("\"group\":{},\"across\":", dragonfly.a));
    push_lines(out, topology.nodes(), |out, node| {
        let ports = (dragonfly.a as usize - 1..topology.ports())
            .map(|port| topology.outgoing(node, PortId(port as u16)));
        let target = |channel| topology.target(channel).node.to_string();
        push_numbers(out, ports.map(|channel| channel.map_or("null".to_owned(), target)));
    });
}

/// The field, the supernode of every point, and the vectors of all points.
fn push_star(out: &mut String, star: &PolarStar) {
    let (plane, graph) = (ProjectivePlane::new(star.q), star.graph());
    let field = plane.field();
    push(out, format_args!("\"field\":{{\"order\":{},\"modulus\":", star.q));
    push_numbers(out, field.modulus());
    push(out, format_args!(",\"generator\":{}}},\n\"supernode\":{{\"f\":", field.power(1)));
    push_numbers(out, &graph.across);
    out.push_str(",\"links\":[");
    for (index, link) in graph.links.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        push_numbers(out, link);
    }
    out.push_str("]},\n\"vectors\":");
    push_lines(out, 0..ProjectivePlane::count(star.q), |out, point| {
        push_numbers(out, plane.coordinates(point))
    });
}
