//! Resolves `topology = graph "file"`: a network as a file lists it.
//!
//! In: GraphML or an edge list, as text. Out: routers and links in the order of the file, or the first
//! problem and its line. Invariants: names are unique, ends differ, no port of a router is used twice, every
//! router reaches every other, at least two routers have an endpoint.

mod edge_list;
mod graphml;
mod parsed;

use super::context::Context;
use super::families::check_router_count;
use super::scope::{DeclaredLinks, Scope, link_named, read_file};
use super::settings::{BlockSettings, block_settings, one_of};
use crate::FileError;
use crate::syntax::ast::{Block, Name};
use crate::syntax::words;
use fabc_base::diag::{Span, suggestion};
use fabc_base::ids::{Id, LinkTypeId};
use fabc_base::limits::{GRAPH_BYTES, ROUTERS};
use fabc_model::is_graphml;
use fabc_model::{Arcs, Listed, ListedLink, ListedRouter};
use parsed::{GraphProblem, ParsedEdge, ParsedGraph};
use std::collections::BTreeMap;

/// The most links of a router: no router has more ports.
const MAX_LINKS: u32 = 1024;

/// Resolves the graph of a file, and the link of edges that name none.
pub(super) fn graph(
    context: &mut Context,
    scope: &Scope<'_>,
    path: &Name,
    block: Option<&Block>,
    head: Span,
) -> Option<(Listed, Option<LinkTypeId>)> {
    let place = "`graph`".to_owned();
    let settings = match block {
        Some(block) => block_settings(context, block, place, head, words::BlockKind::Graph),
        None => BlockSettings::none(place, head),
    };
    let default = match settings.get("default") {
        Some(value) => Some(link_named(context, scope.links, value)?),
        None if scope.links.names.len() == 1 => Some(LinkTypeId(0)),
        None => None,
    };
    let wanted = match settings.get("arcs") {
        Some(value) => Some(one_of(context, "`arcs`", value)?),
        None => None,
    };
    let (written, text) = read_file(context, path, scope, GRAPH_BYTES)?;
    if scope.links.names.is_empty() {
        return None;
    }
    let problem = match parse_graph(&written, &text, default, wanted, scope.links) {
        Ok((routers, links, arcs)) => {
            return Some((Listed { path: written, text, routers, links, arcs }, default));
        }
        Err(problem) => problem,
    };
    match problem {
        GraphProblem::At { offset, problem, help } => {
            let line =
                |offset: usize| text.get(..offset).map_or(1, |before| before.matches('\n').count() + 1);
            let place = offset.map_or(String::new(), |offset| format!(", line {}", line(offset)));
            context
                .error(FileError::GraphFile { path: written, place, problem, help, span: path.span }.into());
        }
        GraphProblem::TooLarge(count) => {
            _ = check_router_count(
                context,
                ROUTERS,
                Some(count as u128),
                &format!("the file lists {count}"),
                path.span,
            )
        }
        GraphProblem::InPieces { from, to, hub, reached, one_way } => {
            let joined = if one_way && hub == to { "can reach" } else { "can be reached from" };
            let routers = match reached - 1 {
                0 => "no other router".to_owned(),
                1 => "1 other router".to_owned(),
                others => format!("{others} other routers"),
            };
            let counted = format!("{routers} {joined} `{hub}`");
            let help = match one_way {
                true => {
                    format!("{counted}. Links run one way here: `arcs = duplex;` makes them run both ways")
                }
                false => {
                    format!("{counted}. Add the missing links, or remove the routers that are not connected")
                }
            };
            context.error(FileError::GraphInPieces { path: written, from, to, help, span: path.span }.into());
        }
    }
    None
}

type GraphParts = (Vec<ListedRouter>, Vec<ListedLink>, Arcs);

/// Parses the routers, the links, and whether an edge is a link or an arc.
fn parse_graph(
    path: &str,
    text: &str,
    default: Option<LinkTypeId>,
    wanted: Option<Arcs>,
    links: &DeclaredLinks,
) -> Result<GraphParts, GraphProblem> {
    let ParsedGraph { routers, edges, directed } =
        if is_graphml(path) { graphml::read(text)? } else { edge_list::read(text)? };
    check_listed_count(&routers)?;
    let arcs = match (wanted, directed) {
        (Some(Arcs::Simplex), Some(false)) => {
            let help =
                Some("remove `arcs = simplex;`, or write `edgedefault=\"directed\"` in the file".to_owned());
            return Err(GraphProblem::At {
                offset: None,
                problem: "its edges have no direction".to_owned(),
                help,
            });
        }
        (Some(arcs), _) => arcs,
        (None, Some(true)) => Arcs::Simplex,
        (None, _) => Arcs::Duplex,
    };
    let name = |router: u32| &*routers[router as usize].name;
    let mut count = [vec![0u32; routers.len()], vec![0u32; routers.len()]];
    for edge in &edges {
        if edge.ends[0] == edge.ends[1] {
            return Err(GraphProblem::at_offset(
                edge.offset,
                format!("this edge joins `{}` to itself", name(edge.ends[0])),
            ));
        }
        for (side, &end) in edge.ends.iter().enumerate() {
            // Opposite arcs may be one link, so outputs and inputs are counted separately.
            let side = if directed == Some(true) { side } else { 0 };
            count[side][end as usize] += 1;
            if count[side][end as usize] > MAX_LINKS {
                return Err(GraphProblem::at_offset(
                    edge.offset,
                    format!("`{}` has more than {MAX_LINKS} links: no router has so many ports", name(end)),
                ));
            }
        }
    }
    let mut listed_links = Vec::with_capacity(edges.len());
    for edge in &edges {
        let link = edge_link(edge, default, links, &name)?;
        listed_links.push((ListedLink { ends: edge.ends, link, ports: edge.ports }, edge.offset));
    }
    let listed_links =
        if arcs == Arcs::Duplex && directed == Some(true) { merge_arcs(listed_links) } else { listed_links };
    check_ports(&listed_links, arcs, &name)?;
    let links: Vec<ListedLink> = listed_links.into_iter().map(|(link, _)| link).collect();
    check_connected(&routers, &links, arcs)?;
    check_endpoints(&routers)?;
    Ok((routers, links, arcs))
}

/// Checks that there are at least two routers, and not too many.
fn check_listed_count(routers: &[ListedRouter]) -> Result<(), GraphProblem> {
    if routers.len() as u64 > ROUTERS {
        return Err(GraphProblem::TooLarge(routers.len()));
    }
    let problem = match routers {
        [] => "it lists no router".to_owned(),
        [alone] => format!("`{}` is its only router", alone.name),
        _ => return Ok(()),
    };
    Err(GraphProblem::At {
        offset: None,
        problem,
        help: Some("a network has at least two routers".to_owned()),
    })
}

/// The declared link of an edge.
fn edge_link<'n>(
    edge: &ParsedEdge,
    default: Option<LinkTypeId>,
    links: &DeclaredLinks,
    name: &impl Fn(u32) -> &'n str,
) -> Result<LinkTypeId, GraphProblem> {
    let names = || links.names.iter().map(|name| &**name);
    let ends = || format!("the edge of `{}` and `{}`", name(edge.ends[0]), name(edge.ends[1]));
    match &edge.link {
        None => default.ok_or_else(|| {
            let help = Some(format!(
                "say which those are: `{{ default = {}; }}` after the path",
                names().next().unwrap_or("wire")
            ));
            GraphProblem::At {
                offset: Some(edge.offset),
                problem: format!("{} names no link, and the spec declares several", ends()),
                help,
            }
        }),
        Some(link) => names().position(|known| known == link).map(LinkTypeId::new).ok_or_else(|| {
            let help = suggestion(link, names());
            GraphProblem::At {
                offset: Some(edge.offset),
                problem: format!("the link `{link}` of {} is not declared", ends()),
                help,
            }
        }),
    }
}

/// Joins arcs to duplex links. Two opposite arcs of one link type are one link if their ports do not
/// contradict each other. An arc without such a partner is a link alone.
fn merge_arcs(arcs: Vec<(ListedLink, usize)>) -> Vec<(ListedLink, usize)> {
    let agree = |a: Option<u16>, b: Option<u16>| a.is_none() || b.is_none() || a == b;
    let mut links: Vec<(ListedLink, usize)> = Vec::with_capacity(arcs.len());
    // Links of one arc so far, by their ends and type.
    let mut single: BTreeMap<([u32; 2], LinkTypeId), Vec<usize>> = BTreeMap::new();
    for (arc, offset) in arcs {
        let ([from, to], [out, into]) = (arc.ends, arc.ports);
        let waiting = single.get_mut(&([to, from], arc.link));
        let partner = waiting.and_then(|waiting| {
            let fitting =
                |&place: &usize| agree(links[place].0.ports[0], into) && agree(links[place].0.ports[1], out);
            waiting.iter().position(fitting).map(|place| waiting.remove(place))
        });
        match partner {
            Some(partner) => {
                let ports = &mut links[partner].0.ports;
                *ports = [ports[0].or(into), ports[1].or(out)];
            }
            None => {
                single.entry(([from, to], arc.link)).or_default().push(links.len());
                links.push((arc, offset));
            }
        }
    }
    links
}

/// Checks that no port of a router carries two links. Of simplex links, outputs and inputs have ports of
/// their own.
fn check_ports<'n>(
    links: &[(ListedLink, usize)],
    arcs: Arcs,
    name: &impl Fn(u32) -> &'n str,
) -> Result<(), GraphProblem> {
    let mut taken: BTreeMap<(u32, usize, u16), usize> = BTreeMap::new();
    for (link, offset) in links {
        for (side, (&end, port)) in link.ends.iter().zip(link.ports).enumerate() {
            let direction = if arcs == Arcs::Simplex { side } else { 0 };
            let Some(port) = port else { continue };
            if taken.insert((end, direction, port), *offset).is_some() {
                let kind = [["port", "port"], ["output port", "input port"]]
                    [usize::from(arcs == Arcs::Simplex)][side];
                return Err(GraphProblem::at_offset(
                    *offset,
                    format!("{kind} {port} of `{}` carries another link already", name(end)),
                ));
            }
        }
    }
    Ok(())
}

/// Checks that every router reaches every other one.
fn check_connected(routers: &[ListedRouter], links: &[ListedLink], arcs: Arcs) -> Result<(), GraphProblem> {
    let one_way = arcs == Arcs::Simplex;
    for backward in [false, true] {
        // The second search follows simplex links backwards, to the routers that reach the first one.
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
        if let Some(unreached) = reached.iter().position(|reached| !reached) {
            let (hub, unreached) = (routers[0].name.clone(), routers[unreached].name.clone());
            let (from, to) = if backward { (unreached, hub.clone()) } else { (hub.clone(), unreached) };
            return Err(GraphProblem::InPieces {
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

/// Checks that at least two routers send and receive.
fn check_endpoints(routers: &[ListedRouter]) -> Result<(), GraphProblem> {
    let mut with_hosts = routers.iter().filter(|router| router.hosts != Some(0));
    let problem = match (with_hosts.next(), with_hosts.next()) {
        (Some(_), Some(_)) => return Ok(()),
        (Some(alone), None) => format!("`{}` alone has hosts", alone.name),
        _ => "no router has hosts".to_owned(),
    };
    let help =
        Some("traffic runs between routers with hosts; a router without the attribute `hosts` has those of `router { hosts }`".to_owned());
    Err(GraphProblem::At { offset: None, problem, help })
}

#[cfg(test)]
mod tests;
