//! Prints the routes of a pair of routers, for people and as `fabc.route/1`.

use crate::json::{push, push_lines, quote};
use crate::number::fixed;
use fabc_base::ids::NodeId;
use fabc_ir::{CrossConnects, Fraction, PairRoute, RouteHop, Topology, nanoseconds};
use fabc_model::Fabric;

/// The routes of a pair, with what names their parts.
#[derive(Clone, Copy, Debug)]
pub struct PrintedRoutes<'a> {
    /// The fabric that the spec declares.
    pub fabric: &'a Fabric,
    /// The wiring of the healthy fabric.
    pub topology: &'a Topology,
    /// The cross-connects of a pod.
    pub cross_connects: Option<&'a CrossConnects>,
    /// The router where the routes start.
    pub source: NodeId,
    /// The router where the routes end.
    pub destination: NodeId,
    /// The routes, each of one scenario.
    pub routes: &'a [PairRoute],
    /// The scenarios in which one of the two is dead.
    pub dead: &'a [String],
}

impl PrintedRoutes<'_> {
    /// The single route hop by hop, or a line for each of several scenarios.
    pub fn text(&self) -> String {
        let [from, to] = [self.source, self.destination].map(|node| self.topology.name(node));
        match self.routes {
            [route] if self.dead.is_empty() => self.hops_text(&from, &to, route),
            routes => self.scenarios_text(&from, &to, routes),
        }
    }

    fn hops_text(&self, from: &str, to: &str, route: &PairRoute) -> String {
        let mut out = format!(
            "{from} -> {to}, {}: {} hops at distance {}, {}\n",
            route.scenario,
            route.length(),
            route.distance,
            self.time_text(route)
        );
        let has_shares = route.hops.iter().any(|hop| hop.share < 1.0);
        let mut lines =
            vec![["hop", "channel", "VC", "link", "cycles", "ns", "through"].map(str::to_owned).to_vec()];
        lines.extend(route.hops.iter().map(|hop| {
            let link = self.topology.link_of(hop.channel);
            vec![
                hop.hop.to_string(),
                self.topology.channel_name(hop.channel),
                hop.vc.to_string(),
                self.fabric.link_types[self.topology.links()[link].link_type].name.clone(),
                hop.cycles.to_string(),
                self.nanoseconds_text(hop.cycles),
                self.switch(hop).unwrap_or_else(|| "-".to_owned()),
            ]
        }));
        if has_shares {
            lines[0].push("share".to_owned());
            for (line, hop) in lines[1..].iter_mut().zip(&route.hops) {
                line.push(share_text(hop.share));
            }
        }
        if self.cross_connects.is_none() {
            lines.iter_mut().for_each(|line| drop(line.remove(6)));
        }
        push_columns(&mut out, &lines);
        out
    }

    fn scenarios_text(&self, from: &str, to: &str, routes: &[PairRoute]) -> String {
        let mut out = format!("{from} -> {to}, {} scenarios, the slowest first\n", routes.len());
        let mut lines = vec![["scenario", "hops", "distance", "cycles", "ns"].map(str::to_owned).to_vec()];
        lines.extend(routes.iter().map(|route| {
            vec![
                route.scenario.clone(),
                route.length().to_string(),
                route.distance.to_string(),
                route.cycles_most.to_string(),
                self.nanoseconds_text(route.cycles_most),
            ]
        }));
        push_columns(&mut out, &lines);
        if !self.dead.is_empty() {
            push(&mut out, format_args!("  one of the two is dead in {}\n", self.dead.join(", ")));
        }
        out
    }

    /// The routes for programs, as `fabc.route/1`.
    pub fn json(&self) -> String {
        let [from, to] = [self.source, self.destination].map(|node| quote(&self.topology.name(node)));
        let mut out = format!(
            "{{\"format\":\"fabc.route/1\",\"fabric\":{},\"source\":{from},\"destination\":{to},\n\"scenarios\":",
            quote(&self.fabric.name)
        );
        push_lines(&mut out, self.routes, |out, route| {
            push(
                out,
                format_args!(
                    "{{\"scenario\":{},\"distance\":{},\"hops\":{},\"cycles\":[{},{}],\"latency_ns\":{},\"route\":",
                    quote(&route.scenario),
                    route.distance,
                    route.length(),
                    route.cycles_least,
                    route.cycles_most,
                    self.nanoseconds_text(route.cycles_most)
                ),
            );
            push_lines(out, &route.hops, |out, hop| self.push_hop(out, hop));
            out.push('}');
        });
        let dead: Vec<String> = self.dead.iter().map(|name| quote(name)).collect();
        push(&mut out, format_args!(",\n\"dead\":[{}]}}\n", dead.join(",")));
        out
    }

    fn push_hop(&self, out: &mut String, hop: &RouteHop) {
        let topology = self.topology;
        let [from, to] = [topology.source(hop.channel), topology.target(hop.channel)];
        let port = |port| quote(&topology.names().port(port));
        let link_type = topology.link(hop.channel).link_type;
        push(
            out,
            format_args!(
                "{{\"hop\":{},\"from\":{},\"out_port\":{},\"to\":{},\"in_port\":{},\"vc\":{},\"share\":{},\"link\":{},\"cycles\":{},\"switch\":{}}}",
                hop.hop,
                quote(&topology.name(from.node)),
                port(from.port),
                quote(&topology.name(to.node)),
                port(to.port),
                hop.vc,
                share_text(hop.share),
                quote(&self.fabric.link_types[link_type].name),
                hop.cycles,
                self.switch(hop).map_or_else(|| "null".to_owned(), |name| quote(&name))
            ),
        );
    }

    /// The optical circuit switch that a hop goes through.
    fn switch(&self, hop: &RouteHop) -> Option<String> {
        let ocs = self.cross_connects?.ocs_of[self.topology.link_of(hop.channel)]?;
        Some(self.fabric.pod()?.ocses[ocs].name.clone())
    }

    fn nanoseconds_text(&self, cycles: u64) -> String {
        fixed(nanoseconds(Fraction::integer(cycles), self.fabric.clock_hz), 1)
    }

    fn time_text(&self, route: &PairRoute) -> String {
        let [least, most] = [route.cycles_least, route.cycles_most];
        if least == most {
            return format!("{most} cycles ({} ns)", self.nanoseconds_text(most));
        }
        let [fast, slow] = [least, most].map(|cycles| self.nanoseconds_text(cycles));
        format!("{least} to {most} cycles ({fast} to {slow} ns)")
    }
}

/// A share with at most six decimals.
fn share_text(share: f64) -> String {
    let text = format!("{share:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Writes lines of cells as columns: words to the left, numbers to the right.
fn push_columns(out: &mut String, lines: &[Vec<String>]) {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let is_number = |column: usize| {
        lines[1..].iter().all(|line| line[column].starts_with(|first: char| first.is_ascii_digit()))
    };
    let columns: Vec<(usize, bool)> =
        (0..lines[0].len()).map(|column| (width(column), is_number(column))).collect();
    for line in lines {
        let mut text = String::from(" ");
        for (cell, &(width, is_number)) in line.iter().zip(&columns) {
            match is_number {
                true => push(&mut text, format_args!(" {cell:>width$} ")),
                false => push(&mut text, format_args!(" {cell:<width$} ")),
            }
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
}
