//! Resolves the names of hosts: `hosts = map "hosts.csv"`, with a line for every endpoint or block.

use super::context::{Context, unknown_choice};
use super::items::SpecItems;
use super::scope::{Scope, read_file};
use super::settings::{bare_name, wrong_kind};
use crate::FileError;
use crate::ResolveError;
use crate::syntax::ast::{Name, ValueKind};
use fabc_base::csv;
use fabc_base::diag::suggestion;
use fabc_base::ids::{Id, NodeId};
use fabc_base::limits::{HOSTS_BYTES, ROUTERS};
use fabc_model::{BoxPart, Family, HostMap, MappedHost, Plant, RouterNames, host_label, host_name_problem};
use std::collections::BTreeMap;

/// Resolves the setting `hosts`. The inner value is `None` where it is not written. `default_hosts` are those
/// of a router that has hosts.
pub(super) fn hosts(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    plant: &Plant,
    default_hosts: u16,
) -> Option<Option<HostMap>> {
    let Some(setting) = items.settings.get("hosts") else { return Some(None) };
    match &setting.value.kind {
        ValueKind::File(kind, path, None) if &*kind.value == "map" => {
            let (written, text) = read_file(context, path, scope, HOSTS_BYTES)?;
            match mapped_hosts(&text, plant, default_hosts) {
                Ok(hosts) => Some(Some(HostMap { text, hosts, span: setting.name.span })),
                Err(HostsProblem { problem, help }) => {
                    let span = path.span;
                    context.error(FileError::Hosts { path: written, problem, help, span }.into());
                    None
                }
            }
        }
        ValueKind::File(kind, ..) | ValueKind::Block(kind, _) | ValueKind::Dims(kind, ..) => {
            refuse_word(context, kind);
            None
        }
        _ => {
            match bare_name(&setting.value) {
                Some(name) => refuse_word(context, &name),
                None => context.error(ResolveError::Misplaced {
                    subject: "a number of `hosts`".to_owned(),
                    place: "a fabric".to_owned(),
                    help: Some(format!(
                        "it belongs in `router {{ .. }}`; `{EXAMPLE};` names the hosts by a file"
                    )),
                    span: setting.name.span,
                }),
            }
            None
        }
    }
}

/// The setting as it is written.
const EXAMPLE: &str = "hosts = map \"hosts.csv\"";

/// Reports a word that names no source of hosts.
fn refuse_word(context: &mut Context, word: &Name) {
    let error = match &*word.value {
        "map" => wrong_kind("`hosts`", "the path of a file", EXAMPLE, word.span),
        _ => unknown_choice("`hosts`", word, &["map"], None),
    };
    context.error(error);
}

/// What is wrong with a file of hosts, and how to mend it.
struct HostsProblem {
    problem: String,
    help: String,
}

impl HostsProblem {
    fn form(problem: String) -> Self {
        let help = "a line per endpoint or block: `name,host`, such as `cube0[0,0,0],node17`".to_owned();
        Self { problem, help }
    }
}

/// The endpoints of a plant by name, and those that have a host already.
struct EndpointNames {
    names: RouterNames,
    /// `[router]`: its hosts. 0 for a router that only forwards.
    declared: Vec<u16>,
    /// `[router]`: the hosts that were named.
    named: Vec<u16>,
    /// `[router]`: the cube or box that it is in. Without cubes and boxes, the router itself.
    blocks: Vec<u32>,
    /// `[box]`: its routers. Empty without boxes.
    boxes: Vec<Vec<NodeId>>,
}

impl EndpointNames {
    fn new(plant: &Plant, default_hosts: u16) -> Self {
        match plant {
            Plant::Pod(pod) => {
                let count = pod.node_count();
                let cube = |node: usize| node as u32 / pod.chips_per_cube();
                Self {
                    names: RouterNames::Cubes(pod.cube.dims),
                    declared: vec![1; count],
                    named: vec![0; count],
                    blocks: (0..count).map(cube).collect(),
                    boxes: Vec::new(),
                }
            }
            Plant::Network(network) => {
                let declared = network.hosts(default_hosts);
                let mut blocks: Vec<u32> = (0..declared.len() as u32).collect();
                let mut in_boxes = Vec::new();
                if let Family::Boxes(boxes) = &network.family {
                    in_boxes = vec![Vec::new(); boxes.box_count() as usize];
                    for router in 0..declared.len() as u32 {
                        if let BoxPart::Gpu { place, .. } = boxes.part(router).0 {
                            blocks[router as usize] = place;
                            in_boxes[place as usize].push(NodeId(router));
                        }
                    }
                }
                Self {
                    names: network.family.router_names(),
                    named: vec![0; declared.len()],
                    declared,
                    blocks,
                    boxes: in_boxes,
                }
            }
        }
    }

    /// The routers that a name stands for, ascending. Empty for an unknown name.
    fn routers(&self, name: &str) -> Vec<NodeId> {
        if let Some(node) = self.names.find(name, self.declared.len()) {
            return vec![node];
        }
        let in_box = name.strip_prefix("box").and_then(|number| number.parse::<usize>().ok());
        match in_box.and_then(|number| self.boxes.get(number)) {
            Some(routers) => routers.clone(),
            None => self.names.block(name, self.declared.len()),
        }
    }

    /// Counts a host of every endpoint that a name stands for, and returns the endpoints.
    fn name_endpoints(&mut self, name: &str) -> Result<Vec<NodeId>, HostsProblem> {
        let routers = self.routers(name);
        if routers.is_empty() {
            let count = self.declared.len();
            let near = (count <= 4096)
                .then(|| (0..count).map(|node| self.names.node(NodeId::new(node))).collect::<Vec<String>>());
            let near = near.and_then(|all| suggestion(name, all.iter().map(String::as_str)));
            let help = near.unwrap_or_else(|| format!("routers: {}", self.names.range_hint(count)));
            return Err(HostsProblem { problem: format!("`{name}` is no chip, router or block"), help });
        }
        let is_one = routers.len() == 1;
        let endpoints: Vec<NodeId> =
            routers.into_iter().filter(|node| self.declared[node.index()] > 0).collect();
        if endpoints.is_empty() {
            return Err(HostsProblem::form(format!("`{name}` has no hosts: it only forwards")));
        }
        for node in &endpoints {
            let (named, declared) = (&mut self.named[node.index()], self.declared[node.index()]);
            // A line about a block is about all hosts of its routers.
            *named = named.saturating_add(if is_one { 1 } else { declared });
            if *named > declared {
                let name = self.names.node(*node);
                let problem = match declared {
                    1 => format!("`{name}` comes twice"),
                    _ => format!("`{name}` comes more often than it has hosts, which is {declared} times"),
                };
                return Err(HostsProblem::form(problem));
            }
        }
        Ok(endpoints)
    }

    /// The first endpoint without a host.
    fn unnamed(&self) -> Option<HostsProblem> {
        let node = (0..self.declared.len()).find(|&node| self.named[node] < self.declared[node])?;
        let name = self.names.node(NodeId::new(node));
        let problem = match (self.named[node], self.declared[node]) {
            (0, _) => format!("`{name}` has no host"),
            (named, declared) => format!("`{name}` has {declared} hosts, and {named} of them come"),
        };
        Some(HostsProblem::form(problem))
    }
}

/// The hosts of a file, in the order of their first lines.
fn mapped_hosts(text: &str, plant: &Plant, default_hosts: u16) -> Result<Vec<MappedHost>, HostsProblem> {
    let routers = match plant {
        Plant::Pod(pod) => pod.node_count(),
        Plant::Network(network) => network.router_count(),
    };
    if routers as u64 > ROUTERS {
        let problem = format!("hosts of at most {ROUTERS} routers have names, and there are {routers}");
        return Err(HostsProblem::form(problem));
    }
    let mut endpoints = EndpointNames::new(plant, default_hosts);
    let mut hosts: Vec<MappedHost> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_first = true;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let at_line = |HostsProblem { problem, help }: HostsProblem| HostsProblem {
            problem: format!("line {}: {problem}", index + 1),
            help,
        };
        let cells = csv::cells(line).map_err(|problem| at_line(HostsProblem::form(problem.to_owned())))?;
        let cells: Vec<&str> = cells.iter().map(|cell| cell.trim()).collect();
        if cells == [""] || std::mem::take(&mut is_first) && cells[0] == "name" {
            continue;
        }
        let [name, host] = cells[..] else {
            let values = if cells.len() == 1 { "1 value" } else { &format!("{} values", cells.len()) };
            return Err(at_line(HostsProblem::form(format!("it has {values}, not 2"))));
        };
        if let Some(problem) = host_name_problem(host) {
            return Err(at_line(HostsProblem::form(format!("`{host}` is no name of a host: {problem}"))));
        }
        let named = endpoints.name_endpoints(name).map_err(at_line)?;
        let number = *numbers.entry(host_label(host)).or_insert(hosts.len());
        if number == hosts.len() {
            hosts.push(MappedHost { name: host.to_owned(), routers: Vec::new() });
        }
        let known = &mut hosts[number];
        if known.name != host {
            let problem = format!("launchers take `{}` and `{host}` for one host", known.name);
            return Err(at_line(HostsProblem::form(problem)));
        }
        known.routers.extend(named);
    }
    for host in &mut hosts {
        host.routers.sort_unstable();
        check_one_block(host, &endpoints)?;
    }
    endpoints.unnamed().map_or(Ok(hosts), Err)
}

/// Refuses a host with endpoints of several cubes, boxes or routers.
fn check_one_block(host: &MappedHost, endpoints: &EndpointNames) -> Result<(), HostsProblem> {
    let block = |node: NodeId| endpoints.blocks[node.index()];
    let Some(other) = host.routers.iter().find(|&&node| block(node) != block(host.routers[0])) else {
        return Ok(());
    };
    let [first, other] = [host.routers[0], *other].map(|node| endpoints.names.node(node));
    let help = "a host has chips of one cube or box, or is one host of a router".to_owned();
    Err(HostsProblem { problem: format!("host `{}` has `{first}` and `{other}`", host.name), help })
}
