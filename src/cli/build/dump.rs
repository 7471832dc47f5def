//! `--dump STAGE`: the result of a stage, as text for people and for `diff`. It has no format tag, and may
//! change.

use crate::io::errors::DriverError;
use crate::io::terminal::print_out;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_emit::compiled::{CompiledFabric, CompiledPod};
use fabc_ir::{End, Fraction, Topology};
use fabc_model::{
    CoupleRule, DemandShape, Fabric, NearSynthesis, RoutingChoice, SynthesisMethod, TopologyChoice,
};
use fabc_pipeline::compile::Stage;

/// Prints the stages that need only the spec.
///
/// # Errors
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn dump_spec(fabric: &Fabric, spec_text: &str, stages: &[Stage]) -> Result<(), DriverError> {
    if stages.contains(&Stage::Parse) {
        print_out(spec_text)?;
    }
    if stages.contains(&Stage::Resolve) {
        print_out(&resolve_text(fabric))?;
    }
    Ok(())
}

/// Prints the later stages. The text says so where a stage was not reached.
///
/// # Errors
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn dump_compiled(
    compiled: &CompiledFabric,
    spec_text: &str,
    options: &[(String, String)],
    stages: &[Stage],
) -> Result<(), DriverError> {
    let texts = [
        (Stage::Synthesize, synthesize_text as fn(&CompiledFabric) -> String),
        (Stage::Analyze, analyze_text),
        (Stage::Route, route_text),
        (Stage::Check, check_text),
    ];
    for (stage, text) in texts {
        if stages.contains(&stage) {
            print_out(&text(compiled))?;
        }
    }
    if stages.contains(&Stage::Emit) {
        print_out(&emit_text(compiled, spec_text, options))?;
    }
    Ok(())
}

fn resolve_text(fabric: &Fabric) -> String {
    let Some(pod) = fabric.pod() else { return format!("{fabric:#?}\n") };
    let [x, y, z] = pod.cube.dims;
    let mut out = format!(
        "pod {}: {} nodes, {} cubes of {x} x {y} x {z}, clock {} Hz\n",
        fabric.name,
        pod.node_count(),
        pod.cubes,
        fabric.clock_hz
    );
    for link in fabric.link_types.iter() {
        out += &format!("link {}: {} bit/s, {} cycles\n", link.name, link.bandwidth_bps, link.latency_cycles);
    }
    let chip = &fabric.router;
    out += &format!(
        "chip: radix {}, {} VCs, flit {} B, buffer {} flits, {} cycles\n",
        chip.radix, chip.vcs, chip.flit_bytes, chip.buffer_flits, chip.latency_cycles
    );
    out += &format!("budget: {} VCs, {}\n", fabric.budget.vcs, fabric.tolerated());
    if let Some(entries) = fabric.budget.table_entries {
        out += &format!("budget: {entries} table entries\n");
    }
    out += &match fabric.demand.shape() {
        DemandShape::Uniform => String::new(),
        DemandShape::Groups(components) => {
            let parts: Vec<String> =
                components.iter().map(|part| format!("groups of {} x {}", part.group, part.weight)).collect();
            format!("demand: {}\n", parts.join(", "))
        }
        DemandShape::Matrix(_) => {
            format!(
                "demand: matrix, {} in all, at most {} per pair, {} per chip\n",
                fabric.demand.total(),
                fabric.demand.largest(),
                fabric.demand.sent_most(None)
            )
        }
    };
    out += &match &pod.topology {
        TopologyChoice::Torus([a, b, c]) => format!("topology: torus {a} x {b} x {c}\n"),
        TopologyChoice::TwistedTorus([a, b, c]) => format!("topology: twisted_torus {a} x {b} x {c}\n"),
        TopologyChoice::Synthesize(settings) => {
            let method = match settings.method {
                SynthesisMethod::Search => String::new(),
                method => format!(", {method:?}"),
            };
            format!(
                "topology: synthesize, symmetry {:?}, effort {}, seed {}{method}\n",
                settings.symmetry, settings.effort, settings.seed
            )
        }
        TopologyChoice::SynthesizeNear(NearSynthesis { path, moves, search, .. }) => format!(
            "topology: synthesize near \"{path}\", at most {moves} moves, symmetry {:?}, effort {}, seed {}\n",
            search.symmetry, search.effort, search.seed
        ),
        TopologyChoice::CrossConnects { path, text, .. } => {
            format!("topology: cross_connects \"{path}\" ({} B)\n", text.len())
        }
    };
    out += &match fabric.routing {
        RoutingChoice::AllowedTurns(settings) => {
            format!("routing: allowed_turns {}", settings.written()).trim_end().to_owned() + "\n"
        }
        routing => format!("routing: {}\n", routing.name()),
    };
    for require in &fabric.requires {
        out += &format!("require {}\n", require.text());
    }
    for ocs in pod.ocses.iter() {
        let rule = match ocs.rule {
            CoupleRule::Sided => format!("{} x {}", ocs.a.len(), ocs.b.len()),
            CoupleRule::Any => format!("any of {}", ocs.a.len()),
        };
        out += &format!("ocs {}: {rule} of {} ports, {:?}\n", ocs.name, ocs.ports, ocs.duplex);
    }
    out
}

fn synthesize_text(compiled: &CompiledFabric) -> String {
    let (pod, CompiledPod { cross_connects, .. }) = compiled.expect_pod();
    let CompiledFabric { fabric, topology, .. } = compiled;
    let symmetry = topology.symmetry();
    let mut out = format!(
        "topology of {}: {} nodes, {} links, symmetry of order {}\n",
        fabric.name,
        topology.node_count(),
        topology.links().len(),
        symmetry.order()
    );
    for (id, settings) in cross_connects.settings.enumerate() {
        let ocs = &pod.ocses[id];
        out += &format!("ocs {}\n", ocs.name);
        let far_side = if ocs.rule == CoupleRule::Any { &ocs.a } else { &ocs.b };
        for setting in settings {
            let (a, b) = (ocs.a[setting.a as usize], far_side[setting.b as usize]);
            out += &format!("  {} <-> {}\n", pod.face_port_name(a), pod.face_port_name(b));
        }
    }
    out
}

fn analyze_text(compiled: &CompiledFabric) -> String {
    let mut out = String::new();
    for scenario in &compiled.scenarios {
        let metrics = &scenario.metrics;
        out += &format!(
            "scenario {}: {} channels, diameter {}, average hops {:.6}, distance bound {:.9}, concurrent flow {:.9}..{:.9}, disjoint trees {}\n",
            metrics.scenario,
            metrics.channels,
            metrics.diameter,
            metrics.average_hops().as_f64(),
            metrics.distance_bound().map_or(f64::INFINITY, Fraction::as_f64),
            metrics.flow_low.as_f64(),
            metrics.flow_high.map_or(f64::INFINITY, Fraction::as_f64),
            metrics.disjoint_trees.map_or("no".to_owned(), |trees| trees.to_string())
        );
        out += &format!("  pairs by hops {:?}\n", metrics.hop_histogram);
    }
    let flow = &compiled.flow;
    out += &format!(
        "flow: {} after {} rounds, stopped by {}\n",
        flow.primal
            .as_ref()
            .map_or("not listed".to_owned(), |primal| format!("{}/{}", primal.demand, primal.busiest)),
        flow.rounds,
        flow.stopped_by.name()
    );
    out
}

fn route_text(compiled: &CompiledFabric) -> String {
    let mut out = String::new();
    for scenario in &compiled.scenarios {
        let name = &scenario.scenario.name;
        let (Some(routed), Some(walk)) = (&scenario.routed, &scenario.metrics.routed) else {
            out += &format!("scenario {name}: not routed\n");
            continue;
        };
        let tables = &routed.tables;
        out += &format!(
            "scenario {name}: {} routers listed of {}, {} VCs, {} entries at most, max channel load {}, hops by VC {:?}\n",
            tables.symmetry.class_count(),
            tables.symmetry.node_count(),
            tables.vcs,
            walk.entries_max,
            scenario.metrics.load(walk.max_channel_load()).as_f64(),
            walk.vc_hops
        );
        let parts = if scenario.metrics.parts == 1 {
            String::new()
        } else {
            format!(" in parts of 1/{}", scenario.metrics.parts)
        };
        out += &format!("  channels by load{parts} {:?}\n", walk.load_histogram);
    }
    out
}

fn check_text(compiled: &CompiledFabric) -> String {
    let mut out = String::new();
    for scenario in &compiled.scenarios {
        let name = &scenario.scenario.name;
        let Some(routed) = &scenario.routed else {
            out += &format!("scenario {name}: not routed, nothing to prove\n");
            continue;
        };
        let ranks = routed.proof.ranks();
        out += &format!(
            "scenario {name}: deadlock-free, {} ranks up to {}; flow at most {}/{}\n",
            ranks.len(),
            ranks.iter().max().copied().unwrap_or(0),
            scenario.lengths.volume,
            scenario.lengths.distance
        );
        let topology = &compiled.topology;
        let symmetry = &routed.tables.symmetry;
        let vcs = usize::from(routed.tables.vcs);
        for class in 0..ranks.len() / vcs.max(1) {
            let end = End {
                node: symmetry.canonical_node(class / topology.ports()),
                port: PortId::new(class % topology.ports()),
            };
            if topology.outgoing(end.node, end.port).is_some() {
                out += &format!(
                    "  {} ranks {:?}\n",
                    channel_name(topology, end.node, end.port),
                    &ranks[class * vcs..][..vcs]
                );
            }
        }
    }
    out
}

fn channel_name(topology: &Topology, node: NodeId, port: PortId) -> String {
    format!("{} {}", topology.name(node), topology.names().port(port))
}

fn emit_text(compiled: &CompiledFabric, spec_text: &str, options: &[(String, String)]) -> String {
    let mut out = String::new();
    let listed: Result<(), std::convert::Infallible> =
        fabc_emit::each_artifact(compiled, spec_text, options, &mut |artifact| {
            out += &format!("{:>12}  {}\n", artifact.bytes.len(), artifact.path);
            Ok(())
        });
    listed.unwrap_or_else(|never| match never {});
    out
}
