//! `topology = graph "file"`: a network as a file lists it.
//!
//! Comes in: GraphML or an edge list, as text. Goes out: routers and links in the order of the file, or the
//! first thing that is wrong and its line. Invariants: names are unique, ends differ, no port of a router is
//! used twice, every router reaches every other, at least two routers have an endpoint.

mod edge_list;
mod graphml;
mod parsed;

use super::context::Context;
use super::families::affordable;
use super::settings::{Settings, one_of, settings};
use super::site::{Links, Site, file, link_named};
use crate::ResolveError;
use crate::syntax::ast::{Block, Name};
use crate::syntax::words;
use fabc_base::diag::{Span, suggestion};
use fabc_base::ids::{Id, LinkTypeId};
use fabc_base::limits::{GRAPH_BYTES, ROUTERS};
use fabc_model::is_graphml;
use fabc_model::{Arcs, Listed, ListedLink, ListedRouter};
use parsed::{Edge, Graph, Slip};
use std::collections::BTreeMap;

/// The most links of a router: no router has more ports.
const MAX_LINKS: u32 = 1024;

/// The graph of a file, and the link of edges that name none.
pub(super) fn graph(
    context: &mut Context,
    site: &Site<'_>,
    path: &Name,
    block: Option<&Block>,
    head: Span,
) -> Option<(Listed, Option<LinkTypeId>)> {
    let place = "`graph`".to_owned();
    let settings = match block {
        Some(block) => settings(context, block, place, head, words::Place::Graph),
        None => Settings::none(place, head),
    };
    let default = match settings.get("default") {
        Some(value) => Some(link_named(context, site.links, value)?),
        None if site.links.names.len() == 1 => Some(LinkTypeId(0)),
        None => None,
    };
    let wanted = match settings.get("arcs") {
        Some(value) => Some(one_of(context, "`arcs`", value)?),
        None => None,
    };
    let (written, text) = file(context, path, site, GRAPH_BYTES)?;
    if site.links.names.is_empty() {
        return None;
    }
    let slip = match listed(&written, &text, default, wanted, site.links) {
        Ok((routers, links, arcs)) => {
            return Some((Listed { path: written, text, routers, links, arcs }, default));
        }
        Err(slip) => slip,
    };
    match slip {
        Slip::At { at, problem, help } => {
            let line = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
            let place = at.map_or(String::new(), |at| format!(", line {}", line(at)));
            context.error(ResolveError::GraphFile { path: written, place, problem, help, span: path.span });
        }
        Slip::TooLarge(count) => {
            _ = affordable(
                context,
                ROUTERS,
                Some(count as u128),
                &format!("the file lists {count}"),
                path.span,
            )
        }
        Slip::InPieces { from, to, hub, reached, one_way } => {
            let joined = if one_way && hub == to { "can reach" } else { "can be reached from" };
            let routers = match reached - 1 {
                0 => "no other router".to_owned(),
                1 => "1 other router".to_owned(),
                others => format!("{others} other routers"),
            };
            let counted = format!("{routers} {joined} `{hub}`");
            let help = match one_way {
                true => {
                    format!("{counted}; links run one way here: `arcs = duplex;` makes them run both ways")
                }
                false => format!("{counted}; add the links that are missing, or remove what stands apart"),
            };
            context.error(ResolveError::GraphInPieces { path: written, from, to, help, span: path.span });
        }
    }
    None
}

type Parts = (Vec<ListedRouter>, Vec<ListedLink>, Arcs);

/// Routers, links, and what an edge is.
fn listed(
    path: &str,
    text: &str,
    default: Option<LinkTypeId>,
    wanted: Option<Arcs>,
    links: &Links,
) -> Result<Parts, Slip> {
    let Graph { routers, edges, directed } =
        if is_graphml(path) { graphml::read(text)? } else { edge_list::read(text)? };
    named(&routers)?;
    let arcs = match (wanted, directed) {
        (Some(Arcs::Simplex), Some(false)) => {
            let help =
                Some("remove `arcs = simplex;`, or write `edgedefault=\"directed\"` in the file".to_owned());
            return Err(Slip::At { at: None, problem: "its edges have no direction".to_owned(), help });
        }
        (Some(arcs), _) => arcs,
        (None, Some(true)) => Arcs::Simplex,
        (None, _) => Arcs::Duplex,
    };
    let name = |router: u32| &*routers[router as usize].name;
    let mut count = [vec![0u32; routers.len()], vec![0u32; routers.len()]];
    for edge in &edges {
        if edge.ends[0] == edge.ends[1] {
            return Err(Slip::at(edge.at, format!("this edge joins `{}` to itself", name(edge.ends[0]))));
        }
        for (side, &end) in edge.ends.iter().enumerate() {
            // Opposite arcs may be one link: outputs and inputs count apart.
            let side = if directed == Some(true) { side } else { 0 };
            count[side][end as usize] += 1;
            if count[side][end as usize] > MAX_LINKS {
                return Err(Slip::at(
                    edge.at,
                    format!("`{}` has more than {MAX_LINKS} links: no router has so many ports", name(end)),
                ));
            }
        }
    }
    let mut found = Vec::with_capacity(edges.len());
    for edge in &edges {
        let link = link_of(edge, default, links, &name)?;
        found.push((ListedLink { ends: edge.ends, link, ports: edge.ports }, edge.at));
    }
    let found = if arcs == Arcs::Duplex && directed == Some(true) { merged(found) } else { found };
    ports(&found, arcs, &name)?;
    let links: Vec<ListedLink> = found.into_iter().map(|(link, _)| link).collect();
    connected(&routers, &links, arcs)?;
    endpoints(&routers)?;
    Ok((routers, links, arcs))
}

/// Every router has a name that nothing else has, and that can be printed.
fn named(routers: &[ListedRouter]) -> Result<(), Slip> {
    if routers.len() as u64 > ROUTERS {
        return Err(Slip::TooLarge(routers.len()));
    }
    let problem = match routers {
        [] => "it lists no router".to_owned(),
        [alone] => format!("`{}` is its only router", alone.name),
        _ => return Ok(()),
    };
    Err(Slip::At { at: None, problem, help: Some("a network has at least two routers".to_owned()) })
}

/// The declared link of an edge.
fn link_of<'n>(
    edge: &Edge,
    default: Option<LinkTypeId>,
    links: &Links,
    name: &impl Fn(u32) -> &'n str,
) -> Result<LinkTypeId, Slip> {
    let names = || links.names.iter().map(|name| &**name);
    let ends = || format!("the edge of `{}` and `{}`", name(edge.ends[0]), name(edge.ends[1]));
    match &edge.link {
        None => default.ok_or_else(|| {
            let help = Some(format!(
                "say which those are: `{{ default = {}; }}` after the path",
                names().next().unwrap_or("wire")
            ));
            Slip::At {
                at: Some(edge.at),
                problem: format!("{} names no link, and the spec declares several", ends()),
                help,
            }
        }),
        Some(link) => names().position(|known| known == link).map(LinkTypeId::new).ok_or_else(|| {
            let help = suggestion(link, names());
            Slip::At {
                at: Some(edge.at),
                problem: format!("the link `{link}` of {} is not declared", ends()),
                help,
            }
        }),
    }
}

/// Two-way links from arcs: two opposite arcs of one link type whose ports do not contradict each other are
/// one link; an arc without such a partner is a link alone.
fn merged(arcs: Vec<(ListedLink, usize)>) -> Vec<(ListedLink, usize)> {
    let agree = |a: Option<u16>, b: Option<u16>| a.is_none() || b.is_none() || a == b;
    let mut links: Vec<(ListedLink, usize)> = Vec::with_capacity(arcs.len());
    // Links of one arc so far, by its ends and type.
    let mut single: BTreeMap<([u32; 2], LinkTypeId), Vec<usize>> = BTreeMap::new();
    for (arc, at) in arcs {
        let ([from, to], [out, into]) = (arc.ends, arc.ports);
        let waiting = single.get_mut(&([to, from], arc.link));
        let partner = waiting.and_then(|waiting| {
            let fitting =
                |&place: &usize| agree(links[place].0.ports[0], into) && agree(links[place].0.ports[1], out);
            waiting.iter().position(fitting).map(|found| waiting.remove(found))
        });
        match partner {
            Some(partner) => {
                let ports = &mut links[partner].0.ports;
                *ports = [ports[0].or(into), ports[1].or(out)];
            }
            None => {
                single.entry(([from, to], arc.link)).or_default().push(links.len());
                links.push((arc, at));
            }
        }
    }
    links
}

/// No port of a router carries two links; of simplex links, no output port and no input port.
fn ports<'n>(links: &[(ListedLink, usize)], arcs: Arcs, name: &impl Fn(u32) -> &'n str) -> Result<(), Slip> {
    let mut taken: BTreeMap<(u32, usize, u16), usize> = BTreeMap::new();
    for (link, at) in links {
        for (side, (&end, port)) in link.ends.iter().zip(link.ports).enumerate() {
            let way = if arcs == Arcs::Simplex { side } else { 0 };
            let Some(port) = port else { continue };
            if taken.insert((end, way, port), *at).is_some() {
                let kind = [["port", "port"], ["output port", "input port"]]
                    [usize::from(arcs == Arcs::Simplex)][side];
                return Err(Slip::at(
                    *at,
                    format!("{kind} {port} of `{}` carries another link already", name(end)),
                ));
            }
        }
    }
    Ok(())
}

/// Every router reaches every other.
fn connected(routers: &[ListedRouter], links: &[ListedLink], arcs: Arcs) -> Result<(), Slip> {
    let one_way = arcs == Arcs::Simplex;
    for backward in [false, true] {
        // What reaches the first router is found along the links backwards; where they run both ways, that is
        // what it reaches.
        let mut neighbors: Vec<Vec<u32>> = vec![Vec::new(); routers.len()];
        for &ListedLink { ends: [from, to], .. } in links {
            if !(one_way && backward) {
                neighbors[from as usize].push(to);
            }
            if !one_way || backward {
                neighbors[to as usize].push(from);
            }
        }
        let mut reached = vec![false; routers.len()];
        reached[0] = true;
        let mut open = vec![0u32];
        while let Some(router) = open.pop() {
            for &next in &neighbors[router as usize] {
                if !std::mem::replace(&mut reached[next as usize], true) {
                    open.push(next);
                }
            }
        }
        if let Some(apart) = reached.iter().position(|reached| !reached) {
            let (hub, apart) = (routers[0].name.clone(), routers[apart].name.clone());
            let (from, to) = if backward { (apart, hub.clone()) } else { (hub.clone(), apart) };
            return Err(Slip::InPieces {
                from,
                to,
                hub,
                reached: reached.iter().filter(|reached| **reached).count(),
                one_way,
            });
        }
    }
    Ok(())
}

/// At least two routers send and receive.
fn endpoints(routers: &[ListedRouter]) -> Result<(), Slip> {
    let mut with_hosts = routers.iter().filter(|router| router.hosts != Some(0));
    let problem = match (with_hosts.next(), with_hosts.next()) {
        (Some(_), Some(_)) => return Ok(()),
        (Some(alone), None) => format!("`{}` alone has hosts", alone.name),
        _ => "no router has hosts".to_owned(),
    };
    let help =
        Some("traffic runs between routers with hosts; a router without the attribute `hosts` has those of `router { hosts }`".to_owned());
    Err(Slip::At { at: None, problem, help })
}

#[cfg(test)]
mod tests;
