//! Writes `certificates.json` (`fabc.certificates/1`), with which the report can be checked.

use super::json::{push, push_lines, push_numbers, quote, strings};
use super::tables::keeps_topology_symmetry;
use crate::compiled::{CompiledFabric, CompiledPod, RoutedScenario};
use fabc_base::ids::{Id, PortId};
use fabc_ir::{
    Bisection, CutWeights, FlowCertificate, PathDemand, Permutation, PermutationDual, Symmetry, Topology,
};

pub(super) fn json(compiled: &CompiledFabric) -> String {
    let CompiledFabric { topology, flow, .. } = compiled;
    let mut out = String::from("{\"format\":\"fabc.certificates/1\",\n");
    if let Some(flow) = &flow.primal {
        push_flow(&mut out, topology, flow);
        out.push_str(",\n");
    }
    if let Some((pod, CompiledPod { trees, .. })) = compiled.pod() {
        out.push_str("\"trees\":");
        push_lines(&mut out, trees, |out, tree| {
            out.push_str(&strings(tree.iter().map(|&ocs| &pod.ocses[ocs].name)))
        });
        out.push_str(",\n");
    }
    if let Some(bisection) = compiled.network.as_ref().and_then(|network| network.bisection.as_ref()) {
        push(&mut out, format_args!("\"bisection\":{{\"least\":{},\"half\":", bisection.by_spectrum));
        push_numbers(&mut out, &bisection.half);
        push_lower_ends(&mut out, bisection);
        out.push_str("},\n");
    }
    if let Some(bisection) = compiled.network.as_ref().and_then(|network| network.host_bisection.as_ref()) {
        out.push_str("\"host_bisection\":");
        push_numbers(&mut out, &bisection.side);
        out.push_str(",\n");
    }
    out.push_str("\"scenarios\":");
    push_lines(&mut out, &compiled.scenarios, |out, scenario| {
        push(out, format_args!("{{\"scenario\":{},\"lengths\":", quote(&scenario.scenario.name)));
        push_numbers(out, &scenario.lengths.lengths);
        if let Some(flow) = &scenario.flow {
            out.push(',');
            push_flow(out, topology, flow);
        }
        if let Some(shortest) = &scenario.shortest {
            out.push_str(",\"shortest\":");
            push_numbers(out, &shortest.lengths);
        }
        if let Some(permutation) = scenario.sprayed.as_ref().and_then(|sprayed| sprayed.permutation.as_ref())
        {
            push_permutation(out, permutation);
        }
        match &scenario.routed {
            None => out.push_str(",\"canonical\":false,\"ranks\":[]}"),
            Some(routed) => {
                let canonical = keeps_topology_symmetry(&routed.tables.symmetry, topology.symmetry());
                push(out, format_args!(",\"canonical\":{canonical},\"ranks\":"));
                if canonical || routed.tables.symmetry.is_trivial() {
                    push_numbers(out, routed.proof.ranks());
                } else {
                    push_numbers(out, ranks_of_all_nodes(topology, routed));
                }
                out.push('}');
            }
        }
    });
    out.push_str("}\n");
    out
}

/// `,"searched":W` and `,"weights":{..}`: the lower bounds of a bisection beyond that of the spectrum.
fn push_lower_ends(out: &mut String, bisection: &Bisection) {
    if bisection.by_search > 0 {
        push(out, format_args!(",\"searched\":{}", bisection.by_search));
    }
    let Some(CutWeights { least, lift, diagonal, demands }) = &bisection.weights else { return };
    push(out, format_args!(",\"weights\":{{\"least\":{least},\"lift\":{lift},\"diagonal\":"));
    push_numbers(out, diagonal);
    out.push_str(",\"demands\":");
    let demand = |PathDemand { hops, hosts, amount }: &PathDemand| format!("[{hops},{hosts},{amount}]");
    push_numbers(out, demands.iter().map(demand));
    out.push('}');
}

/// `,"permutation":{..}`: the worst permutation of hosts in a scenario.
fn push_permutation(out: &mut String, permutation: &Permutation) {
    let Permutation { load, parts, channel: (router, port), flows, duals } = permutation;
    push(
        out,
        format_args!(
            ",\"permutation\":{{\"load\":{load},\"parts\":{parts},\"router\":{router},\"port\":{port},\"flows\":",
        ),
    );
    push_numbers(out, flows.iter().map(|(from, to, count)| format!("[{from},{to},{count}]")));
    out.push_str(",\"duals\":");
    push_lines(out, duals, |out, dual| {
        let PermutationDual { channel: (router, port), denominator, sources, destinations } = dual;
        push(
            out,
            format_args!("{{\"router\":{router},\"port\":{port},\"denominator\":{denominator},\"sources\":"),
        );
        push_numbers(out, sources);
        out.push_str(",\"destinations\":");
        push_numbers(out, destinations);
        out.push('}');
    });
    out.push('}');
}

fn push_flow(out: &mut String, topology: &Topology, flow: &FlowCertificate) {
    push(out, format_args!("\"flow\":{{\"demand\":{},\"busiest\":{},\"flows\":", flow.demand, flow.busiest));
    push_lines(
        out,
        topology.symmetry().canonical_nodes().filter(|&node| topology.is_endpoint(node)).zip(&flow.flows),
        |out, (source, units)| {
            push(out, format_args!("{{\"source\":{source},\"units\":"));
            push_numbers(out, units);
            out.push('}');
        },
    );
    out.push('}');
}

/// Ranks of all nodes, as under the trivial symmetry. They go with tables that keep a symmetry which
/// `topology.json` does not name.
fn ranks_of_all_nodes<'c>(
    topology: &'c Topology,
    routed: &'c RoutedScenario,
) -> impl Iterator<Item = u32> + 'c {
    let (symmetry, vcs): (&Symmetry, usize) = (&routed.tables.symmetry, routed.tables.vcs as usize);
    topology.nodes().flat_map(move |node| {
        (0..topology.ports() * vcs).map(move |slot| {
            let port = PortId::new(slot / vcs);
            routed.proof.ranks()[(symmetry.class(node) * topology.ports() + port.index()) * vcs + slot % vcs]
        })
    })
}
