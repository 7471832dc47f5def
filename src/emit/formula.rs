//! `formula.json` (`fabc.formula/1`): what routers need to work out next hops instead of looking them up.

use super::json::{push, push_lines, push_numbers, quote};
use crate::compiled::Compiled;
use fabc_base::algebra::Plane;
use fabc_base::ids::PortId;
use fabc_ir::{TableKey, Topology};
use fabc_model::{Dragonfly, Family, HyperX, Hypercube, Mesh, PolarStar, RoutingChoice, Torus};

/// Whether there is one: the routing is a formula, and has been found.
pub(super) fn exists(compiled: &Compiled) -> bool {
    compiled.fabric.routing == RoutingChoice::Algebraic
        && compiled.scenarios.first().is_some_and(|nominal| nominal.routed.is_some())
}

/// The file's text.
pub(super) fn json(compiled: &Compiled) -> String {
    let Compiled { fabric, topology, .. } = compiled;
    let Some(family) = fabric.family() else { unreachable!("`resolve` refuses formulas for pods") };
    let mut out = format!("{{\"format\":\"fabc.formula/1\",\"fabric\":{},", quote(&fabric.name));
    let (name, routers, ports) = (family.name(), topology.node_count(), topology.ports());
    push(
        &mut out,
        format_args!(
            "\"family\":\"{name}\",\"routers\":{routers},\"ports\":{ports},\"vc\":\"{}\",\n",
            vc(compiled)
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
        Family::Dragonfly(dragonfly) => groups(&mut out, topology, dragonfly),
        Family::PolarStar(star) => self::star(&mut out, star),
        family => unreachable!("`resolve` refuses formulas for a {}", family.name()),
    }
    out.push_str("}\n");
    out
}

/// How a packet finds its virtual channel.
fn vc(compiled: &Compiled) -> &'static str {
    let nominal = &compiled.scenarios[0];
    let key = nominal.routed.as_ref().map(|routed| routed.tables.key);
    let hops = nominal.metrics.routed.as_ref().map_or(&[][..], |walk| &walk.vc_hops);
    match key {
        Some(TableKey::DstCount(count)) => count.name(),
        _ if hops.iter().skip(1).any(|&hops| hops > 0) => "dateline",
        _ => "single",
    }
}

/// Who is joined to whom between groups.
fn groups(out: &mut String, topology: &Topology, dragonfly: &Dragonfly) {
    push(out, format_args!("\"group\":{},\"across\":", dragonfly.a));
    push_lines(out, topology.nodes(), |out, node| {
        let ports = (dragonfly.a as usize - 1..topology.ports())
            .map(|port| topology.outgoing(node, PortId(port as u16)));
        let far = |channel| topology.target(channel).node.to_string();
        push_numbers(out, ports.map(|channel| channel.map_or("null".to_owned(), far)));
    });
}

/// The field, what stands in every point, and the vectors of all points.
fn star(out: &mut String, star: &PolarStar) {
    let (plane, graph) = (Plane::new(star.q), star.graph());
    let field = plane.field();
    push(out, format_args!("\"field\":{{\"order\":{},\"modulus\":", star.q));
    push_numbers(out, field.modulus());
    push(out, format_args!(",\"generator\":{}}},\n\"supernode\":{{\"f\":", field.power(1)));
    push_numbers(out, &graph.across);
    out.push_str(",\"links\":[");
    for (at, ends) in graph.links.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        push_numbers(out, ends);
    }
    out.push_str("]},\n\"vectors\":");
    push_lines(out, 0..Plane::count(star.q), |out, point| push_numbers(out, plane.coordinates(point)));
}
