//! What the reports for people say of the graph of a network, before it is laid out.

use super::number::{grouped, round_up_sig};
use super::summary::percent;
use crate::compiled::Compiled;
use crate::ir::{Fraction, NetworkMetrics, bisection_unmeasured};

/// Sentences on what was measured of the graph of a network, and on what was not; empty for a pod.
pub(super) fn lines(compiled: &Compiled) -> Vec<String> {
    let Some(network) = &compiled.network else { return Vec::new() };
    bisection(compiled, network)
}

fn bisection(compiled: &Compiled, network: &NetworkMetrics) -> Vec<String> {
    let topology = &compiled.topology;
    let Some(of) = &network.bisection else {
        let why = bisection_unmeasured(topology.node_count(), topology.has_simplex());
        return why.map(|why| format!("bisection: not measured: {why}")).into_iter().collect();
    };
    let share = |links: u64| percent(network.share(links));
    let interval = if of.least == of.most {
        format!("{} links, proved ({} of all)", grouped(of.most), share(of.most))
    } else {
        let (least, most) = (grouped(of.least), grouped(of.most));
        format!(
            "{least} to {most} links ({} to {} of all): from below by the spectrum, from above by halves",
            share(of.least),
            share(of.most)
        )
    };
    let mut lines = vec![format!("bisection: {interval}")];
    if network.endpoint_links < network.links {
        let at_endpoints = percent(Fraction::new(of.at_endpoints, network.endpoint_links.max(1)));
        let (cut, all) = (grouped(of.at_endpoints), grouped(network.endpoint_links));
        lines.push(format!("between these halves run {cut} of the {all} links at routers with hosts ({at_endpoints})"));
    }
    lines.extend(of.flow().map(|flow| format!("what runs between these halves bounds concurrent_flow: <= {}", round_up_sig(flow, 6))));
    lines
}
