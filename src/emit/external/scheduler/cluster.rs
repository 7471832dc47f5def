//! A fabric as schedulers see it: hosts, and levels of domains that say which hosts are near each other.
//!
//! | fabric | levels, from the bottom up |
//! |---|---|
//! | network in tiers | the tiers of its switches |
//! | other network | router, group, network |
//! | pod | cube, pod |
//! | pod in slices | cube, slice |
//!
//! A level whose domains have one host each is left out, as long as another one is left.

use super::super::chunks::EmitError;
use super::super::launch::{HostNaming, Hosts};
use super::super::switch_names::{check_names, switch_name};
use super::levels::ClusterLevel;
use super::scheduled::Scheduled;
use super::tiered::{self, SwitchLine};
use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_ir::{SlicePlacement, router_names};
use fabc_model::{BoxPart, Fabric};
use std::collections::BTreeMap;

/// Maximum letters of the name of a domain, which may be the value of a label.
const NAME_LETTERS: usize = 63;

/// A fabric as schedulers see it.
pub(super) struct Cluster<'a> {
    pub(super) fabric: &'a Fabric,
    /// The hosts, by their first endpoints or in the order of their file.
    pub(super) hosts: Vec<ClusterHost>,
    /// The levels of domains, from the bottom up.
    pub(super) levels: Vec<ClusterLevel>,
    /// The switches of a network in tiers, from the lowest tier up. Empty for other fabrics.
    pub(super) tiers: Vec<SwitchLine>,
    /// The slices, for a pod that has some.
    pub(super) placement: Option<&'a SlicePlacement>,
}

/// A host of a cluster.
pub(super) struct ClusterHost {
    pub(super) name: String,
    /// The routers of its endpoints, ascending and each once.
    pub(super) routers: Vec<NodeId>,
    /// What the host is used for.
    pub(super) state: HostState,
    /// The slice of the host by its index in the placement.
    pub(super) slice: Option<usize>,
}

/// What a host is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HostState {
    /// It is part of a slice, or of a fabric without slices.
    Taken,
    /// Its cube may be given to a slice.
    Free,
    /// Its cube takes the place of a broken one.
    Spare,
    /// Its cube is down, so nothing runs there.
    Down,
}

impl HostState {
    pub(super) fn name(self) -> &'static str {
        match self {
            HostState::Taken => "taken",
            HostState::Free => "free",
            HostState::Spare => "spare",
            HostState::Down => "down",
        }
    }
}

/// A place for a host: a chip, a box, or one of the hosts of a router.
struct HostPlace {
    routers: Vec<NodeId>,
    name: String,
}

/// Whether schedulers see the tiers of a fabric.
fn has_tiers(fabric: &Fabric) -> bool {
    let is_single_box = fabric.boxes().is_some_and(|boxes| boxes.outside.is_none());
    fabric.family().is_some_and(|family| family.facts().has_tiers()) && !is_single_box
}

/// Refuses switches and hosts that have no names for schedulers. Returns the names of the hosts.
pub(super) fn check_fabric(
    format: &'static str,
    fabric: &Fabric,
    naming: &HostNaming,
) -> Result<Vec<String>, EmitError> {
    if let Some(family) = fabric.family().filter(|_| has_tiers(fabric)) {
        check_names(format, family)?;
    }
    let places = host_places(fabric, naming)?;
    let names = router_names(fabric);
    let is_named = |name: &str| {
        name.len() <= NAME_LETTERS
            && name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.ends_with(|last: char| last.is_ascii_alphanumeric())
    };
    let mut domains = (0..fabric.node_count()).map(|router| switch_name(&names.node(NodeId::new(router))));
    if fabric.pod().is_none() && !domains.all(|name| is_named(&name)) {
        let reason = "schedulers know a switch by at most 63 letters and digits, with `-` and `_` inside, and a router has another name";
        return Err(EmitError::NotHeld { format, reason });
    }
    Ok(places.into_iter().map(|place| place.name).collect())
}

impl<'a> Cluster<'a> {
    /// # Errors
    /// Names of hosts that do not fit, and hosts outside of some tier.
    pub(super) fn new(
        format: &'static str,
        scheduled: Scheduled<'a>,
        naming: &HostNaming,
    ) -> Result<Self, EmitError> {
        let fabric = scheduled.fabric();
        let places = host_places(fabric, naming)?;
        let mut hosts: Vec<ClusterHost> = Vec::new();
        let mut number_of: BTreeMap<&str, usize> = BTreeMap::new();
        let mut host_of_place = Vec::with_capacity(places.len());
        for HostPlace { routers, name } in &places {
            let host = *number_of.entry(name).or_insert(hosts.len());
            if host == hosts.len() {
                let (name, state) = (name.clone(), HostState::Taken);
                hosts.push(ClusterHost { name, routers: Vec::new(), state, slice: None });
            }
            hosts[host].routers.extend(routers);
            host_of_place.push(host);
        }
        for host in &mut hosts {
            host.routers.sort_unstable();
            host.routers.dedup();
        }
        let mut cluster = Self { fabric, hosts, levels: Vec::new(), tiers: Vec::new(), placement: None };
        match scheduled {
            Scheduled::Placed(placed) => cluster.add_slices(placed.placement),
            Scheduled::Whole(compiled) if has_tiers(fabric) => {
                let names: Vec<&str> = places.iter().map(|place| place.name.as_str()).collect();
                (cluster.levels, cluster.tiers) =
                    tiered::tier_levels(format, compiled, &names, &host_of_place)?;
            }
            Scheduled::Whole(_) if fabric.pod().is_some() => cluster.add_cubes(),
            Scheduled::Whole(_) => cluster.add_groups(),
        }
        if cluster.tiers.is_empty() {
            while cluster.levels.len() > 1 && cluster.levels[0].has_single_hosts() {
                cluster.levels.remove(0);
            }
        }
        Ok(cluster)
    }

    /// Adds a level with the domain of every host by its first router.
    fn add_level(
        &mut self,
        word: &str,
        is_direct: bool,
        domain: &dyn Fn(usize, &ClusterHost) -> Option<String>,
    ) {
        let domain_of = self.hosts.iter().enumerate().map(|(host, line)| domain(host, line)).collect();
        self.levels.push(ClusterLevel { word: word.to_owned(), is_direct, domain_of });
    }

    /// The cube of a host. `None` for a network.
    pub(super) fn cube(&self, host: usize) -> Option<BlockId> {
        Some(self.fabric.pod()?.cube_of(self.hosts[host].routers[0]))
    }

    /// Adds the levels of a pod without slices.
    fn add_cubes(&mut self) {
        let pod_name = whole_name("pod", &self.fabric.name);
        self.add_cube_level();
        self.add_level("pod", true, &|_, _| Some(pod_name.clone()));
    }

    fn add_cube_level(&mut self) {
        let cubes: Vec<Option<String>> =
            (0..self.hosts.len()).map(|host| self.cube(host).map(|cube| format!("cube{cube}"))).collect();
        self.add_level("cube", true, &|host, _| cubes[host].clone());
    }

    /// Adds the levels of a pod in slices. No domain joins two slices, because no cross-connect does.
    fn add_slices(&mut self, placement: &'a SlicePlacement) {
        let owners = placement.owners();
        for host in 0..self.hosts.len() {
            let Some(cube) = self.cube(host) else { continue };
            let line = &mut self.hosts[host];
            line.slice = owners.get(&cube).map(|(slice, _)| *slice);
            line.state = match line.slice {
                Some(_) => HostState::Taken,
                None if placement.down.contains(&cube) => HostState::Down,
                None if placement.spare.contains(&cube) => HostState::Spare,
                None => HostState::Free,
            };
        }
        self.placement = Some(placement);
        self.add_cube_level();
        self.add_level("slice", true, &|_, host| {
            host.slice.map(|slice| format!("slice-{}", placement.slices[slice].name))
        });
    }

    /// Adds the levels of a network without tiers: its routers, groups of routers, and itself.
    fn add_groups(&mut self) {
        let (names, network_name) = (router_names(self.fabric), whole_name("network", &self.fabric.name));
        let router_name = |host: &ClusterHost| names.node(host.routers[0]);
        if self.fabric.boxes().is_none() {
            self.add_level("router", false, &|_, host| Some(switch_name(&router_name(host))));
        }
        if names.has_blocks() {
            let block = |host: &ClusterHost| {
                let name = router_name(host);
                name.split('[').next().unwrap_or_default().to_owned()
            };
            // `group1.2` is inside `group1`.
            let depth = self.hosts.first().map_or(0, |host| block(host).split('.').count());
            for parts in (1..=depth).rev() {
                self.add_level("group", false, &|_, host| {
                    let path: Vec<String> = block(host).split('.').take(parts).map(str::to_owned).collect();
                    Some(switch_name(&path.join(".")))
                });
            }
        }
        self.add_level("network", false, &|_, _| Some(network_name.clone()));
    }
}

/// The name of the domain of all hosts: the word for the plant, and the name of the fabric. It ends with a
/// letter or digit, as the value of a label must.
pub(super) fn whole_name(word: &str, fabric: &str) -> String {
    format!("{word}-{}", fabric.trim_end_matches('_'))
}

/// The places of hosts in the order of their routers, with the names of their hosts.
fn host_places(fabric: &Fabric, naming: &HostNaming) -> Result<Vec<HostPlace>, EmitError> {
    let declared = fabric.declared_hosts();
    let mut places: Vec<HostPlace> = Vec::new();
    if let Some(boxes) = fabric.boxes() {
        for place in 0..boxes.box_count() {
            places.push(HostPlace { routers: Vec::new(), name: format!("box{place}") });
        }
        for router in 0..fabric.node_count() as u32 {
            if let BoxPart::Gpu { place, .. } = boxes.part(router).0 {
                places[place as usize].routers.push(NodeId(router));
            }
        }
    } else {
        for (router, &hosts) in declared.iter().enumerate() {
            for _ in 0..hosts {
                let name = format!("host{}", places.len());
                places.push(HostPlace { routers: vec![NodeId::new(router)], name });
            }
        }
    }
    let map = fabric.hosts.as_ref().filter(|_| *naming == HostNaming::default());
    if let Some(map) = map {
        let named = map.hosts.iter().map(|host| (host.name.as_str(), &host.routers[..]));
        name_by_map(&mut places, named)?;
    } else if fabric.pod().is_some() || *naming != HostNaming::default() {
        if declared.iter().any(|&hosts| hosts > 1) && fabric.boxes().is_none() {
            let problem = "a router has several hosts, and these options name one of each: name them with `hosts = map \"hosts.csv\";`";
            return Err(EmitError::HostName { problem: problem.to_owned() });
        }
        let hosts = Hosts::new(fabric, naming)?;
        hosts.check_names(fabric)?;
        let named: Vec<(&str, Vec<NodeId>)> = hosts.named_routers().collect();
        name_by_map(&mut places, named.iter().map(|(name, routers)| (*name, &routers[..])))?;
    }
    Ok(places)
}

/// Gives every place the name of the host that has its routers. Hosts of one router take its places in order.
///
/// # Errors
/// [`EmitError::HostName`] for a box with several hosts: schedulers place jobs on whole boxes.
fn name_by_map<'h>(
    places: &mut [HostPlace],
    hosts: impl Iterator<Item = (&'h str, &'h [NodeId])>,
) -> Result<(), EmitError> {
    let mut names: BTreeMap<NodeId, Vec<&str>> = BTreeMap::new();
    for (name, routers) in hosts {
        routers.iter().for_each(|&router| names.entry(router).or_default().push(name));
    }
    let mut used: BTreeMap<NodeId, usize> = BTreeMap::new();
    for HostPlace { routers, name } in places {
        let Some(&router) = routers.first() else { continue };
        let next = used.entry(router).or_default();
        let Some(found) = names.get(&router).and_then(|names| names.get(*next).or(names.last())) else {
            continue;
        };
        *next += 1;
        let is_other = |router: &NodeId| routers.len() > 1 && names.get(router) != names.get(&routers[0]);
        if routers.iter().any(is_other) {
            let problem = format!("`{name}` has several hosts, and schedulers place jobs on whole boxes");
            return Err(EmitError::HostName { problem });
        }
        (*found).clone_into(name);
    }
    Ok(())
}
