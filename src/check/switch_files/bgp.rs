//! Propagates the routes of BGP through configured switches, and compares the next hops with group tables.
//!
//! Every leaf announces the prefix of its hosts, and every switch hands on its best path with its own AS
//! number in front. It refuses a path that has its number already. Paths get longer by one number per hop,
//! so the shortest ones of every switch are found hop by hop. Where several are equally short, a switch
//! uses them all and hands on one of them, which nobody can foresee. So the check follows two sets: the
//! numbers that stand in all of them, and those that stand in some. A neighbor whose number stands in some
//! of them only would accept or refuse at random, and that is a conviction.

use super::expected::{
    ExpectedSwitch, convict, expect_two_ends, expected_switches, port_list, texts_by_switch,
};
use super::frr::{BgpSwitch, read_switch};
use super::outside::{RoutedPart, SwitchGroups};
use super::sonic;
use crate::CheckError;
use crate::tiers::tiers_of_routers;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{End, GroupTables, Scene, Topology};
use fabc_model::Fabric;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The name of the file of every switch, for FRR and for SONiC.
const FRR_FILE: &str = "frr.conf";
const SONIC_FILE: &str = "config_db.json";

/// The configured switches of a network, after each of their files was read and checked by itself.
#[derive(Debug)]
pub struct BgpNetwork {
    /// `[switch]`: the name of its folder.
    names: Vec<String>,
    switches: Vec<BgpSwitch>,
    /// The name of the file of every switch.
    file: &'static str,
    part: RoutedPart,
}

/// The AS numbers of the paths that a switch may hand on, without its own.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct PathNumbers {
    /// The numbers of all of them, ascending.
    in_all: Vec<u32>,
    /// The numbers of some of them, ascending. They include those of all.
    in_some: Vec<u32>,
}

impl PathNumbers {
    /// These paths with one more number.
    fn with_number(&self, number: u32) -> Self {
        let insert = |numbers: &[u32]| {
            let mut numbers = numbers.to_vec();
            if let Err(place) = numbers.binary_search(&number) {
                numbers.insert(place, number);
            }
            numbers
        };
        Self { in_all: insert(&self.in_all), in_some: insert(&self.in_some) }
    }

    /// Adds paths that a switch may hand on instead of these.
    fn add_alternative(&mut self, other: &Self) {
        if self == other {
            return;
        }
        self.in_all.retain(|number| other.in_all.binary_search(number).is_ok());
        self.in_some.extend(&other.in_some);
        self.in_some.sort_unstable();
        self.in_some.dedup();
    }
}

/// The routes of all switches to one leaf.
struct RoutesToLeaf {
    /// `[switch]`: the ports on its shortest paths, ascending.
    ports: Vec<Vec<u16>>,
}

impl BgpNetwork {
    /// Reads the `frr.conf` of every switch. `files` maps paths such as `leaf-0/frr.conf` to their bytes.
    ///
    /// # Errors
    /// The first file that is missing, has an unknown statement, or does not fit the network.
    pub fn read_frr(
        fabric: &Fabric,
        topology: &Topology,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<Self, CheckError> {
        let part = RoutedPart::new(fabric, topology)?;
        let expected = expected_switches(fabric, part.topology(topology))?;
        let switches = read_each(&expected, files, FRR_FILE, |switch, path, text, names| {
            read_switch(path, text, &expected[switch], names)
        })?;
        let names = names_of_two_ends(expected, &switches, FRR_FILE)?;
        Self { names, switches, file: FRR_FILE, part }.checked(fabric, topology)
    }

    /// Reads the `config_db.json` of every switch. `files` maps paths such as `leaf-0/config_db.json` to
    /// their bytes.
    ///
    /// # Errors
    /// The first file that is missing, has an unknown table or field, or does not fit the network.
    pub fn read_sonic(
        fabric: &Fabric,
        topology: &Topology,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<Self, CheckError> {
        let part = RoutedPart::new(fabric, topology)?;
        let routed = part.topology(topology);
        let expected = expected_switches(fabric, routed)?;
        let tiers = tiers_of_routers(routed);
        let read = read_each(&expected, files, SONIC_FILE, |switch, path, text, names| {
            sonic::read_switch(path, text, &expected[switch], names, tiers[switch])
        })?;
        for (number, switch) in expected.iter().enumerate() {
            for port in &switch.ports {
                let (expects, far) = (read[number].expected_numbers.get(&port.port), port.far.0 as usize);
                let has = read[far].bgp.as_number;
                if expects.is_some_and(|&number| number != has) {
                    let violation =
                        format!("the AS number of the neighbor {} is not {has}", expected[far].name);
                    return Err(convict(&format!("{}/{SONIC_FILE}", switch.name), violation));
                }
            }
        }
        let switches: Vec<BgpSwitch> = read.into_iter().map(|switch| switch.bgp).collect();
        let names = names_of_two_ends(expected, &switches, SONIC_FILE)?;
        Self { names, switches, file: SONIC_FILE, part }.checked(fabric, topology)
    }

    /// Checks what concerns several switches.
    fn checked(self, fabric: &Fabric, topology: &Topology) -> Result<Self, CheckError> {
        let routed = self.part.topology(topology);
        self.check_sessions(routed)?;
        self.check_images(fabric, routed)?;
        Ok(self)
    }

    /// Checks that the routes of BGP in a scene are the groups of its tables. Returns the number of routes.
    ///
    /// # Errors
    /// The first switch and leaf whose next hops differ, or depend on a choice that nobody can foresee.
    pub fn check_groups(&self, scene: &Scene<'_>, tables: &GroupTables) -> Result<u64, CheckError> {
        let routed = self.part.groups(scene, tables);
        let leaves: Vec<NodeId> = routed.scene.endpoints().collect();
        let counts: Vec<Result<u64, CheckError>> = leaves
            .par_iter()
            .map(|&leaf| {
                let routes = self.routes_to(&routed.scene, routed.name(), leaf)?;
                self.compare_groups(&routed, leaf, &routes)
            })
            .collect();
        counts.into_iter().sum()
    }

    /// Convicts neighbors with one AS number, between which there is no external session.
    fn check_sessions(&self, topology: &Topology) -> Result<(), CheckError> {
        for link in topology.links().iter() {
            let [a, b] = [link.a.node.index(), link.b.node.index()];
            if self.switches[a].as_number == self.switches[b].as_number {
                let (number, neighbor) = (self.switches[a].as_number, &self.names[b]);
                return Err(
                    self.convict(a, format!("its neighbor {neighbor} has the AS number {number} as well"))
                );
            }
        }
        Ok(())
    }

    /// Checks that the configurations follow the shifts by which one fault stands for others. Then the
    /// routes in the other scenarios are the shifted ones.
    fn check_images(&self, fabric: &Fabric, topology: &Topology) -> Result<(), CheckError> {
        let Some(shifts) = fabric.clos_shifts().filter(|_| !fabric.budget.faults.is_none()) else {
            return Ok(());
        };
        for shift in shifts.units() {
            let mut image_of_number: BTreeMap<u32, u32> = BTreeMap::new();
            let mut number_of_image: BTreeMap<u32, u32> = BTreeMap::new();
            for node in topology.nodes() {
                let image = shifts.clos.shifted_switch(&shift, node.0) as usize;
                let (own, other) = (&self.switches[node.index()], &self.switches[image]);
                let [number, shifted] = [own.as_number, other.as_number];
                let same = *image_of_number.entry(number).or_insert(shifted) == shifted
                    && *number_of_image.entry(shifted).or_insert(number) == number
                    && own.maximum_paths == other.maximum_paths;
                if !same {
                    let image = &self.names[image];
                    return Err(self.convict(
                        node.index(),
                        format!(
                            "in other faults it stands for {image}, but the two do not share AS numbers with others alike, or their maximum-paths differ"
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    /// The routes to a leaf.
    fn routes_to(&self, scene: &Scene<'_>, scenario: &str, leaf: NodeId) -> Result<RoutesToLeaf, CheckError> {
        let count = self.switches.len();
        let mut routes = RoutesToLeaf { ports: vec![Vec::new(); count] };
        let mut numbers: Vec<Option<PathNumbers>> = vec![None; count];
        numbers[leaf.index()] = Some(PathNumbers::default());
        let mut ring = vec![leaf];
        while !ring.is_empty() {
            let mut next: BTreeMap<NodeId, PathNumbers> = BTreeMap::new();
            for &sender in &ring {
                let own = self.switches[sender.index()].as_number;
                let announced = numbers[sender.index()].as_ref().map(|numbers| numbers.with_number(own));
                let Some(announced) = announced else { continue };
                for channel in scene.channels_from(sender) {
                    let End { node: receiver, port } = scene.topology.target(channel);
                    if numbers[receiver.index()].is_some()
                        || !self.accepts(scenario, &announced, leaf, sender, receiver)?
                    {
                        continue;
                    }
                    routes.ports[receiver.index()].push(port.0);
                    match next.get_mut(&receiver) {
                        Some(paths) => paths.add_alternative(&announced),
                        None => _ = next.insert(receiver, announced.clone()),
                    }
                }
            }
            ring.clear();
            for (receiver, paths) in next {
                numbers[receiver.index()] = Some(paths);
                routes.ports[receiver.index()].sort_unstable();
                ring.push(receiver);
            }
        }
        Ok(routes)
    }

    /// Whether a switch accepts the paths of a neighbor. It refuses those with its own number.
    fn accepts(
        &self,
        scenario: &str,
        announced: &PathNumbers,
        leaf: NodeId,
        sender: NodeId,
        receiver: NodeId,
    ) -> Result<bool, CheckError> {
        let own = self.switches[receiver.index()].as_number;
        let [in_all, in_some] =
            [&announced.in_all, &announced.in_some].map(|numbers| numbers.binary_search(&own).is_ok());
        if in_all != in_some {
            let [sender, leaf] = [sender, leaf].map(|node| &self.names[node.index()]);
            return Err(self.convict(
                receiver.index(),
                format!(
                    "{scenario}: it takes or refuses the path to {leaf} that {sender} announces, depending on which of its equal paths {sender} prefers"
                ),
            ));
        }
        Ok(!in_all)
    }

    /// Compares the routes to a leaf with the groups of the tables.
    fn compare_groups(
        &self,
        routed: &SwitchGroups<'_>,
        leaf: NodeId,
        routes: &RoutesToLeaf,
    ) -> Result<u64, CheckError> {
        let mut compared = 0;
        for (switch, ports) in routes.ports.iter().enumerate() {
            let (scenario, to) = (routed.name(), &self.names[leaf.index()]);
            let members = routed.members(NodeId::new(switch), leaf).ok_or_else(|| {
                self.convict(
                    switch,
                    format!("{scenario}: the GPUs at {to} have different groups in the tables"),
                )
            })?;
            let group: Vec<u16> = members.iter().map(|&(port, _)| port).collect();
            if *ports != group {
                let (routes, group) = (port_list(ports), port_list(&group));
                return Err(self.convict(
                    switch,
                    format!("{scenario}: BGP has the next hops {routes} to {to}, but the group in the tables is {group}"),
                ));
            }
            let most = self.switches[switch].maximum_paths as usize;
            if ports.len() > most {
                let needed = ports.len();
                return Err(self.convict(
                    switch,
                    format!("{scenario}: maximum-paths is {most}, but the group to {to} has {needed} ports"),
                ));
            }
            compared += u64::from(!ports.is_empty());
        }
        Ok(compared)
    }

    fn convict(&self, switch: usize, violation: String) -> CheckError {
        convict(&format!("{}/{}", self.names[switch], self.file), violation)
    }
}

/// The names of the switches, if no link has one address at both ends.
fn names_of_two_ends(
    expected: Vec<ExpectedSwitch>,
    switches: &[BgpSwitch],
    file: &str,
) -> Result<Vec<String>, CheckError> {
    expect_two_ends(&expected, file, |switch| &switches[switch].interfaces)?;
    Ok(expected.into_iter().map(|switch| switch.name).collect())
}

/// Reads the file of every switch. `read` gets the id of a switch, the path and the text of its file, and the
/// names of all switches.
fn read_each<T>(
    expected: &[ExpectedSwitch],
    files: &BTreeMap<String, Vec<u8>>,
    file: &str,
    read: impl Fn(usize, &str, &str, &[&str]) -> Result<T, CheckError>,
) -> Result<Vec<T>, CheckError> {
    let names: Vec<&str> = expected.iter().map(|switch| switch.name.as_str()).collect();
    let texts = texts_by_switch(expected, files, file)?;
    texts.iter().enumerate().map(|(switch, (path, text))| read(switch, path, text, &names)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(in_all: &[u32], in_some: &[u32]) -> PathNumbers {
        PathNumbers { in_all: in_all.to_vec(), in_some: in_some.to_vec() }
    }

    #[test]
    fn alternatives_split_what_is_certain() {
        let mut paths = numbers(&[1, 3], &[1, 3]);
        paths.add_alternative(&numbers(&[1, 3], &[1, 3]));
        assert_eq!(paths, numbers(&[1, 3], &[1, 3]));
        paths.add_alternative(&numbers(&[1, 4], &[1, 4]));
        assert_eq!(paths, numbers(&[1], &[1, 3, 4]));
        assert_eq!(paths.with_number(2), numbers(&[1, 2], &[1, 2, 3, 4]));
    }
}
