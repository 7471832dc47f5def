//! Checks that routers have enough ports for their links and hosts.

use super::context::Context;
use crate::ResolveError;
use fabc_base::diag::Span;
use fabc_model::{Arcs, Family, FullestRouter, Listed, Network, Router, RouterKind};

/// The ports that the fullest router needs.
#[derive(Default)]
struct FullestPorts {
    router: String,
    needed: u64,
    /// The sum as text, such as `7 local + 4 global + 4 hosts = 15`.
    arithmetic: String,
}

impl FullestPorts {
    /// Counts the ports of a router, with its hosts if it has any.
    fn new(kind: FullestRouter, hosts: u16) -> Self {
        let FullestRouter { router, links, has_hosts } = kind;
        let hosts = if has_hosts { hosts } else { 0 };
        let needed = links.iter().map(|links| links.count).sum::<u64>() + u64::from(hosts);
        let hosts = (hosts > 0).then(|| format!("{hosts} {}", if hosts == 1 { "host" } else { "hosts" }));
        let terms: Vec<String> =
            links.iter().map(|links| format!("{} {}", links.count, links.kind)).chain(hosts).collect();
        Self { router, needed, arithmetic: format!("{} = {needed}", terms.join(" + ")) }
    }
}

/// Checks that the fullest router needs at most `radix` ports, and that no router has more hosts than its
/// family allows.
pub(super) fn check_radix(context: &mut Context, network: &Network, router: &Router) {
    if let Some(most) = network.family.facts().most_hosts().filter(|&most| u32::from(router.hosts) > most) {
        let problem = format!("a switch at the bottom has {most} ports for hosts, not {}", router.hosts);
        let help = format!("write `hosts = {most};`, or a `clos {{ .. }}` with fewer links up than hosts");
        let (family, span) = (network.family.name(), router.span);
        return context.error(ResolveError::NoSuchNetwork { family, problem, help, span });
    }
    let has_kinds = !network.tier_kinds.is_empty();
    let tiers = network.family.facts().fullest_routers().into_iter().enumerate().filter(|_| has_kinds);
    for (tier, kind) in tiers {
        let RouterKind { radix, span, .. } = network.tier_kinds[tier];
        if report_radix(context, FullestPorts::new(kind, router.hosts), radix, span, network.span) {
            return;
        }
    }
    if !has_kinds {
        let fullest = fullest_router(&network.family, router);
        report_radix(context, fullest, router.radix, router.span, network.span);
    }
}

/// Reports a router that needs more ports than it has.
fn report_radix(context: &mut Context, ports: FullestPorts, radix: u32, span: Span, topology: Span) -> bool {
    let FullestPorts { router, needed, arithmetic } = ports;
    let is_too_small = needed > u64::from(radix);
    if is_too_small {
        let arithmetic = format!("{arithmetic}; raise `radix`, or choose a smaller network or fewer hosts");
        context.error(ResolveError::NetworkRadix { router, needed, radix, arithmetic, span, topology });
    }
    is_too_small
}

fn fullest_router(family: &Family, router: &Router) -> FullestPorts {
    if let Family::Listed(listed) = family {
        return fullest_listed_router(listed, router);
    }
    let kinds =
        family.facts().fullest_routers().into_iter().map(|kind| FullestPorts::new(kind, router.hosts));
    // Of routers with equal needs, the first one counts.
    kinds
        .reduce(|fullest, candidate| if candidate.needed > fullest.needed { candidate } else { fullest })
        .unwrap_or_default()
}

/// The router of a file that needs most ports. A router needs as many ports as it has links and hosts, and as
/// many as its highest port number asks for.
fn fullest_listed_router(listed: &Listed, router: &Router) -> FullestPorts {
    let simplex = listed.arcs == Arcs::Simplex;
    let mut links = [vec![0u64; listed.routers.len()], vec![0u64; listed.routers.len()]];
    let mut highest: Option<(u16, u32)> = None;
    for link in &listed.links {
        for (side, (&end, port)) in link.ends.iter().zip(link.ports).enumerate() {
            links[if simplex { side } else { 0 }][end as usize] += 1;
            highest = highest.max(port.map(|port| (port, end)));
        }
    }
    let ports_of = |place: usize| {
        let (out, into) = (links[0][place], links[1][place]);
        let kind = match simplex {
            true if into > out => "inputs",
            true => "outputs",
            false => "links",
        };
        // An endpoint inside its router takes no port.
        let hosts = if router.hosts == 0 { 0 } else { listed.routers[place].hosts.unwrap_or(router.hosts) };
        let name = format!("`{}`", listed.routers[place].name);
        FullestPorts::new(FullestRouter::new(name, &[(out.max(into), kind)]), hosts)
    };
    let fullest = (0..listed.routers.len())
        .map(ports_of)
        .reduce(|fullest, candidate| if candidate.needed > fullest.needed { candidate } else { fullest });
    let by_number = highest.map(|(port, end)| {
        let arithmetic = format!("the file has a link at its port {port}, and ports count from 0");
        FullestPorts {
            router: format!("`{}`", listed.routers[end as usize].name),
            needed: u64::from(port) + 1,
            arithmetic,
        }
    });
    let numbered =
        by_number.filter(|numbered| fullest.as_ref().is_none_or(|fullest| numbered.needed > fullest.needed));
    numbered.or(fullest).unwrap_or_default()
}
