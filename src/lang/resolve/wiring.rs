//! Checks the whole wiring: the conditions that no single item can know.

use super::context::Context;
use super::scope::DeclaredLinks;
use crate::ResolveError;
use fabc_base::diag::Span;
use fabc_base::ids::{Id, IdVec, LinkTypeId, OcsId};
use fabc_base::limits::CAPACITY_PARTS;
use fabc_base::units::{BITS_OF_A_GIGABYTE, Decimal};
use fabc_model::{Capacities, Cube, LinkType, Ocs, Router, RoutingChoice, SynthesisMethod, TopologyChoice};
use std::cmp::Reverse;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The parts of a pod. A broken part is absent and was reported.
pub(super) struct PodFacts<'a> {
    pub(super) chip: Option<&'a Router>,
    pub(super) cube: Option<&'a Cube>,
    pub(super) cubes: Option<(u32, Span)>,
    /// Whether any group is declared, valid or not.
    pub(super) any_ocs: bool,
    pub(super) ocses: Option<&'a IdVec<OcsId, Ocs>>,
    pub(super) topology: Option<&'a (TopologyChoice, Span)>,
    pub(super) routing: Option<(RoutingChoice, Span)>,
}

/// Checks the radix, the connection of the cubes, and whether topology and routing fit them.
pub(super) fn check_wiring(context: &mut Context, parts: &PodFacts<'_>) {
    if let (Some(chip), Some(cube), Some(ocses)) = (parts.chip, parts.cube, parts.ocses) {
        check_radix(context, chip, cube, ocses);
    }
    if let (Some(cube), Some((cubes, span))) =
        (parts.cube, parts.cubes.filter(|(cubes, _)| *cubes > 1 && !parts.any_ocs))
    {
        let [_, ay, az] = cube.dims;
        context.error(ResolveError::NoOcs { cubes, ay, az, ports: cubes, span });
    }
    let Some((topology, topology_span)) = parts.topology else { return };
    if let (Some(cube), Some(cubes)) = (parts.cube, parts.cubes) {
        let pod = TorusPod { cube, cubes, topology_span: *topology_span };
        match topology {
            TopologyChoice::Torus(dims) => check_torus(context, &pod, *dims, parts.ocses),
            TopologyChoice::TwistedTorus(dims) => check_twisted_torus(context, &pod, *dims),
            TopologyChoice::Synthesize(_)
            | TopologyChoice::SynthesizeNear(_)
            | TopologyChoice::CrossConnects { .. } => {}
        }
    }
    let topology = match topology {
        TopologyChoice::Torus(_) => return,
        TopologyChoice::TwistedTorus(_) => "a twisted torus",
        TopologyChoice::Synthesize(_) | TopologyChoice::SynthesizeNear(_) => "synthesized",
        TopologyChoice::CrossConnects { .. } => "read from a file",
    };
    if let Some((RoutingChoice::DimensionOrder, span)) = parts.routing {
        context.error(ResolveError::RoutingMismatch {
            routing: "dimension_order",
            wanted: "a `torus`",
            help: "use `routing = allowed_turns` here, or `topology = torus ..`",
            span,
            topology_span: *topology_span,
            topology: topology.to_owned(),
        });
    }
}

/// Checks that the busiest chip needs at most `radix` ports.
fn check_radix(context: &mut Context, chip: &Router, cube: &Cube, ocses: &IdVec<OcsId, Ocs>) {
    let [ax, ay, az] = cube.dims;
    let per_cube = (ax * ay * az) as usize;
    let position = |local: usize| [local as u32 % ax, local as u32 / ax % ay, local as u32 / (ax * ay)];
    let mesh = |local: usize| {
        let position = position(local);
        (0..3)
            .map(|axis| u32::from(position[axis] > 0) + u32::from(position[axis] + 1 < cube.dims[axis]))
            .sum::<u32>()
    };
    let meshes: Vec<u32> = (0..per_cube).map(mesh).collect();
    let mut coupled = vec![0u32; per_cube];
    for ocs in ocses.iter() {
        for face in ocs.a.iter().chain(&ocs.b) {
            let node = face.node.index();
            if node >= coupled.len() {
                coupled.resize((node / per_cube + 1) * per_cube, 0);
            }
            coupled[node] += 1;
        }
    }
    let busiest =
        (0..coupled.len()).map(|node| (coupled[node] + meshes[node % per_cube], Reverse(node))).max();
    let Some((needed, Reverse(node))) = busiest.filter(|(needed, _)| *needed > chip.radix) else { return };
    let (in_cube, [x, y, z]) = (node / per_cube, position(node % per_cube));
    context.error(ResolveError::RadixTooSmall {
        node: format!("cube{in_cube}[{x},{y},{z}]"),
        needed,
        radix: chip.radix,
        arithmetic: format!(
            "{} mesh links + {} coupled face ports = {needed}; raise `radix`, or leave faces uncoupled (dark)",
            meshes[node % per_cube],
            coupled[node]
        ),
        span: chip.span,
        cube: cube.span,
    });
}

/// Counts how much the links in use carry. Returns `None` if a link is broken, or if they have no small
/// common multiple, which is reported.
pub(super) fn capacities(
    context: &mut Context,
    links: &DeclaredLinks,
    used: &[LinkTypeId],
) -> Option<Capacities> {
    let declared: Vec<&LinkType> =
        used.iter().map(|id| links.types.get(id.index())?.as_ref()).collect::<Option<_>>()?;
    let mut bandwidths = vec![None; links.types.len()];
    used.iter().zip(&declared).for_each(|(id, link)| bandwidths[id.index()] = Some(link.bandwidth_bps));
    let capacities = Capacities::new(&bandwidths, CAPACITY_PARTS);
    if capacities.is_none() {
        // The two that differ are the first link and the first one unlike it.
        let first = declared[0];
        let unlike = declared.iter().find(|link| link.bandwidth_bps != first.bandwidth_bps).unwrap_or(&first);
        context.error(ResolveError::UnlikeBandwidths {
            name: unlike.name.clone(),
            bandwidth: gigabytes(unlike.bandwidth_bps),
            first_name: first.name.clone(),
            first_bandwidth: gigabytes(first.bandwidth_bps),
            span: unlike.span,
            first: first.span,
        });
    }
    capacities
}

/// A bandwidth in GB/s, as a decimal number.
fn gigabytes(bps: u64) -> String {
    Decimal::ratio(bps, BITS_OF_A_GIGABYTE).map_or(String::new(), |number| number.to_string())
}

/// Checks that a host has the bandwidth that loads count for it, the unit of all links in use.
pub(super) fn check_host_link(
    context: &mut Context,
    links: &DeclaredLinks,
    capacities: &Capacities,
    router: &Router,
) {
    let host_link = router.host_link.and_then(|link| links.types.get(link.index())?.as_ref());
    let Some(link) = host_link.filter(|link| link.bandwidth_bps != capacities.unit_bps()) else { return };
    let (own, unit) = (gigabytes(link.bandwidth_bps), gigabytes(capacities.unit_bps()));
    context.error(ResolveError::OutOfRange {
        subject: format!("the bandwidth of `{}`, the link of hosts,", link.name),
        wanted: format!("{unit} GB/s, the unit of the links in use, which a host sends at full rate"),
        help: Some(format!(
            "every other link carries a multiple of `{}`, or hosts take more ports",
            link.name
        )),
        span: router.span,
        note: format!("its hosts are joined by `{}` of {own} GB/s", link.name),
    });
}

/// Checks that all links in use have one bandwidth, because an integer program counts all links alike.
pub(super) fn check_like_links(
    context: &mut Context,
    links: &DeclaredLinks,
    used: &[LinkTypeId],
    method: SynthesisMethod,
    span: Span,
) {
    if method == SynthesisMethod::Search {
        return;
    }
    let method = method.name();
    let mut declared = used.iter().filter_map(|id| links.types.get(id.index())?.as_ref());
    let Some(first) = declared.next() else { return };
    if let Some(unlike) = declared.find(|link| link.bandwidth_bps != first.bandwidth_bps) {
        let (name, first_name) = (unlike.name.clone(), first.name.clone());
        context.error(ResolveError::MethodOfLikeLinks { method, name, first_name, span, link: unlike.span });
    }
}

/// The pod that a torus must fit.
struct TorusPod<'a> {
    cube: &'a Cube,
    cubes: (u32, Span),
    topology_span: Span,
}

fn dims_text(dims: [u32; 3]) -> String {
    format!("{} x {} x {}", dims[0], dims[1], dims[2])
}

/// Checks that the torus consists of whole cubes, and of all of them. Returns `false` if an error was
/// reported.
fn check_torus_sides(context: &mut Context, pod: &TorusPod<'_>, kind: &'static str, dims: [u32; 3]) -> bool {
    let sides = pod.cube.dims;
    let mismatch =
        |help: String, problem: String, other: Span, declared: String| ResolveError::TorusMismatch {
            kind,
            dims: dims_text(dims),
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
            format!(
                "along {name} the torus is made of whole cubes of {side} chips: write {rounded}, for example"
            ),
            format!("{dim} along {name} is no multiple of {side}"),
            pod.cube.span,
            format!("{side} chips along {name}"),
        ));
        return false;
    }
    let cubes = [0, 1, 2].map(|axis| u64::from(dims[axis] / sides[axis]));
    let product = cubes.iter().fold(1u64, |product, count| product.saturating_mul(*count));
    if product != u64::from(pod.cubes.0) {
        context.error(mismatch(
            format!(
                "{} x {} x {} cubes = {product}, but the pod has {}",
                cubes[0], cubes[1], cubes[2], pod.cubes.0
            ),
            format!("made of {product} cubes"),
            pod.cubes.1,
            format!("{} declared", pod.cubes.0),
        ));
        return false;
    }
    true
}

fn check_torus(context: &mut Context, pod: &TorusPod<'_>, dims: [u32; 3], ocses: Option<&IdVec<OcsId, Ocs>>) {
    if !check_torus_sides(context, pod, "torus", dims) {
        return;
    }
    for axis in (0..3).filter(|&axis| dims[axis] == 1) {
        let on_axis = |ocs: &&Ocs| ocs.a.iter().chain(&ocs.b).any(|face| face.port.index() / 2 == axis);
        if let Some(ocs) = ocses.and_then(|ocses| ocses.iter().find(on_axis)) {
            context.error(ResolveError::SelfLoop {
                axis: AXES[axis],
                span: pod.topology_span,
                coupled: ocs.span,
            });
        }
    }
}

fn check_twisted_torus(context: &mut Context, pod: &TorusPod<'_>, dims: [u32; 3]) {
    let [a, b, c] = dims.map(u64::from);
    let [side, ..] = pod.cube.dims;
    let is_cubic = pod.cube.dims == [side; 3];
    let is_twisted_shape = (b == a || b == 2 * a) && c == 2 * a;
    if !is_cubic || !is_twisted_shape || !a.is_multiple_of(u64::from(side)) {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        let suggestion = match sorted {
            _ if !is_cubic => "; the cube must have equal sides".to_owned(),
            [a, b, c] if (b == a || b == 2 * a) && c == 2 * a && a.is_multiple_of(u64::from(side)) => {
                format!(": write {a} x {b} x {c}")
            }
            _ => String::new(),
        };
        context.error(ResolveError::TwistShape {
            dims: dims_text(dims),
            suggestion,
            span: pod.topology_span,
            cube: pod.cube.span,
        });
        return;
    }
    check_torus_sides(context, pod, "twisted torus", dims);
}
