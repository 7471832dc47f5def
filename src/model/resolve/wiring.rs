//! Checks of the whole wiring: what no single item can know.

use super::Context;
use crate::diag::Span;
use crate::ids::{Id, NodeId};
use crate::model::errors::ResolveError;
use crate::model::pod::{Pod, RoutingChoice, TopologyChoice};
use crate::units::Decimal;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Radix, bandwidths, connection of the cubes, and whether topology and routing fit them.
pub(super) fn check(context: &mut Context, pod: &Pod) {
    radix(context, pod);
    bandwidths(context, pod);
    if pod.cubes > 1 && pod.ocs_groups.is_empty() {
        let [_, ay, az] = pod.cube.dims;
        context.error(ResolveError::NoOcs { cubes: pod.cubes, ay, az, ports: pod.cubes, span: pod.cubes_span });
    }
    match pod.topology {
        TopologyChoice::Torus(dims) => torus(context, pod, dims),
        TopologyChoice::TwistedTorus(dims) => twisted_torus(context, pod, dims),
        TopologyChoice::Synthesize(_) | TopologyChoice::CrossConnects { .. } => {}
    }
    let topology = match pod.topology {
        TopologyChoice::Torus(_) => return,
        TopologyChoice::TwistedTorus(_) => "a twisted torus",
        TopologyChoice::Synthesize(_) => "synthesized",
        TopologyChoice::CrossConnects { .. } => "read from a file",
    };
    if pod.routing == RoutingChoice::DimensionOrder {
        context.error(ResolveError::RoutingMismatch { span: pod.routing_span, topology_span: pod.topology_span, topology });
    }
}

/// The busiest chip needs at most `radix` ports.
fn radix(context: &mut Context, pod: &Pod) {
    let mut coupled = vec![0u32; pod.node_count()];
    for ocs in pod.ocses.iter() {
        for face in ocs.a.iter().chain(&ocs.b) {
            coupled[face.node.index()] += 1;
        }
    }
    let per_cube = pod.chips_per_cube() as usize;
    let mesh = |local: usize| {
        let at = pod.at(NodeId::new(local));
        (0..3).map(|axis| u32::from(at[axis] > 0) + u32::from(at[axis] + 1 < pod.cube.dims[axis])).sum::<u32>()
    };
    let meshes: Vec<u32> = (0..per_cube).map(mesh).collect();
    let busiest = (0..coupled.len()).map(|node| (coupled[node] + meshes[node % per_cube], std::cmp::Reverse(node))).max();
    let Some((needed, std::cmp::Reverse(node))) = busiest else { return };
    if needed > pod.chip.radix {
        context.error(ResolveError::RadixTooSmall {
            node: pod.node_name(NodeId::new(node)),
            needed,
            radix: pod.chip.radix,
            arithmetic: format!(
                "{} mesh links + {} coupled face ports = {needed}; raise `radix`, or leave faces uncoupled (dark)",
                meshes[node % per_cube],
                coupled[node]
            ),
            span: pod.chip.span,
            cube: pod.cube.span,
        });
    }
}

/// All links in use have the same bandwidth.
fn bandwidths(context: &mut Context, pod: &Pod) {
    let first = &pod.link_types[pod.cube.mesh];
    let mut seen = vec![pod.cube.mesh];
    for ocs in pod.ocses.iter() {
        let link = &pod.link_types[ocs.link];
        if seen.contains(&ocs.link) {
            continue;
        }
        seen.push(ocs.link);
        if link.bandwidth_bps != first.bandwidth_bps {
            let gigabytes = |bps| Decimal::ratio(bps, 8_000_000_000).map_or(String::new(), |number| number.to_string());
            context.error(ResolveError::UnequalBandwidths {
                name: link.name.clone(),
                bandwidth: gigabytes(link.bandwidth_bps),
                first_name: first.name.clone(),
                first_bandwidth: gigabytes(first.bandwidth_bps),
                span: link.span,
                first: first.span,
            });
        }
    }
}

fn written(dims: [u32; 3]) -> String {
    format!("{} x {} x {}", dims[0], dims[1], dims[2])
}

/// The torus is made of whole cubes, and of all of them; `false` if that was reported.
fn fits(context: &mut Context, pod: &Pod, kind: &'static str, dims: [u32; 3]) -> bool {
    let sides = pod.cube.dims;
    let mismatch = |help: String, problem: String, other: Span, declared: String| ResolveError::TorusMismatch {
        kind,
        dims: written(dims),
        help,
        span: pod.topology_span,
        problem,
        other,
        declared,
    };
    if let Some(axis) = (0..3).find(|&axis| !dims[axis].is_multiple_of(sides[axis])) {
        let (name, dim, side) = (AXES[axis], dims[axis], sides[axis]);
        let rounded = u64::from(dim).div_ceil(u64::from(side)) * u64::from(side);
        context.error(mismatch(
            format!("along {name} the torus is made of whole cubes of {side} chips: write {rounded}, for example"),
            format!("{dim} along {name} is no multiple of {side}"),
            pod.cube.span,
            format!("{side} chips along {name}"),
        ));
        return false;
    }
    let cubes = [0, 1, 2].map(|axis| u64::from(dims[axis] / sides[axis]));
    let product = cubes.iter().fold(1u64, |product, count| product.saturating_mul(*count));
    if product != u64::from(pod.cubes) {
        context.error(mismatch(
            format!("{} x {} x {} cubes = {product}, but the pod has {}", cubes[0], cubes[1], cubes[2], pod.cubes),
            format!("made of {product} cubes"),
            pod.cubes_span,
            format!("{} declared", pod.cubes),
        ));
        return false;
    }
    true
}

fn torus(context: &mut Context, pod: &Pod, dims: [u32; 3]) {
    if !fits(context, pod, "torus", dims) {
        return;
    }
    for axis in (0..3).filter(|&axis| dims[axis] == 1) {
        let on_axis = |ocs: &&crate::model::pod::Ocs| ocs.a.iter().chain(&ocs.b).any(|face| face.port.index() / 2 == axis);
        if let Some(ocs) = pod.ocses.iter().find(on_axis) {
            context.error(ResolveError::SelfLoop { axis: AXES[axis], span: pod.topology_span, coupled: ocs.span });
        }
    }
}

fn twisted_torus(context: &mut Context, pod: &Pod, dims: [u32; 3]) {
    let [a, b, c] = dims.map(u64::from);
    let [side, ..] = pod.cube.dims;
    let cubic = pod.cube.dims == [side; 3];
    let shape = (b == a || b == 2 * a) && c == 2 * a;
    if !cubic || !shape || !a.is_multiple_of(u64::from(side)) {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        let suggestion = match sorted {
            _ if !cubic => "; the cube must have equal sides".to_owned(),
            [a, b, c] if (b == a || b == 2 * a) && c == 2 * a && a.is_multiple_of(u64::from(side)) => format!(": write {a} x {b} x {c}"),
            _ => String::new(),
        };
        context.error(ResolveError::TwistShape { dims: written(dims), suggestion, span: pod.topology_span, cube: pod.cube.span });
        return;
    }
    fits(context, pod, "twisted torus", dims);
}
