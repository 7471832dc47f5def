//! Topologies of networks: every family of `docs/language.md`, small, with the facts that the other parts of
//! a spec depend on.

mod algebraic;
mod lists;

use super::dice::Dice;
use super::spec::{Data, Item};
use algebraic::{
    bundlefly, cayley, de_bruijn, delorme, polarfly, polarstar, quadrangle_pairs, slim_fly, spectralfly,
    star_graph,
};
use lists::{goal, graph};
use std::collections::BTreeMap;

/// How a topology says which declared link a cable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinkNames {
    /// The block has one `link = name;`.
    One,
    /// `link`, or `local` and `global`.
    ByClass,
    /// Every level names its link with `over name`.
    ByLevel,
    /// `default = name;`, and words in the file.
    ByFile,
}

/// The topology of a network.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    /// The row of the table of coverage.
    pub(crate) row: &'static str,
    /// The text that stands behind `topology =`.
    pub(crate) head: String,
    pub(crate) settings: Vec<Item>,
    pub(crate) files: BTreeMap<String, Data>,
    pub(crate) routers: usize,
    /// Routers that carry hosts. Empty if their number is not known here.
    pub(crate) endpoints: Vec<usize>,
    /// The most links at a router, or more.
    pub(crate) degree: usize,
    /// The longest of the shortest paths, or more.
    pub(crate) hops: usize,
    pub(crate) names: LinkNames,
    pub(crate) one_way: bool,
    pub(crate) is_grid: bool,
    /// Whether simulations know of groups.
    pub(crate) has_groups: bool,
    /// Routers of a group, where cabinets know of groups.
    pub(crate) group: Option<usize>,
    /// Whether the groups are the points of a projective plane.
    pub(crate) is_plane: bool,
    /// Virtual channels of `routing = minimal` where a family has a proof, and of `algebraic` where it has a
    /// formula.
    pub(crate) minimal_vcs: Option<usize>,
    pub(crate) formula_vcs: Option<usize>,
    pub(crate) permutable: bool,
    /// Whether the topology needs a floor whose cabinets are full.
    pub(crate) needs_floor: bool,
    /// Whether the routers of the file have numbers of hosts of their own.
    pub(crate) unlike_hosts: bool,
}

impl Topology {
    fn new(row: &'static str, head: impl Into<String>, routers: usize, degree: usize, hops: usize) -> Self {
        Topology {
            row,
            head: head.into(),
            settings: Vec::new(),
            files: BTreeMap::new(),
            routers,
            endpoints: (0..routers).collect(),
            degree,
            hops,
            names: LinkNames::One,
            one_way: false,
            is_grid: false,
            has_groups: false,
            group: None,
            is_plane: false,
            minimal_vcs: None,
            formula_vcs: None,
            permutable: false,
            needs_floor: false,
            unlike_hosts: false,
        }
    }

    fn set(mut self, name: &str, value: impl ToString) -> Self {
        self.settings.push(Item::line(format!("{name} = {}", value.to_string())));
        self
    }

    fn grouped(mut self, group: usize) -> Self {
        (self.names, self.has_groups, self.group) =
            (LinkNames::ByClass, group > 1, Some(group).filter(|group| *group > 1));
        self
    }

    fn permuted(mut self) -> Self {
        self.permutable = true;
        self
    }

    /// Whether every router is an endpoint.
    pub(crate) fn is_of_chips(&self) -> bool {
        self.endpoints.len() == self.routers
    }
}

/// A family and how often it is chosen.
type Maker = fn(&mut Dice) -> Topology;

const MAKERS: [(usize, Maker); 29] = [
    (6, torus),
    (4, mesh),
    (4, hyperx),
    (3, hypercube),
    (4, polarstar),
    (2, polarfly),
    (1, delorme),
    (1, quadrangle_pairs),
    (1, cayley),
    (1, star_graph),
    (2, de_bruijn),
    (1, jellyfish),
    (2, slim_fly),
    (1, bundlefly),
    (1, spectralfly),
    (6, dragonfly),
    (5, levels),
    (3, megafly),
    (3, fat_tree),
    (4, clos),
    (4, kautz),
    (4, gen_kautz),
    (2, xpander),
    (3, random_regular),
    (4, shortcuts),
    (3, permute),
    (2, synthesize),
    (8, graph),
    (2, goal),
];

/// Any topology of a network.
pub(crate) fn topology(dice: &mut Dice) -> Topology {
    dice.weighted(&MAKERS)(dice)
}

/// Sides of a grid of at most so many routers.
fn sides(dice: &mut Dice, longest: usize, most: usize) -> Vec<usize> {
    let dimensions = dice.weighted(&[(2, 1), (5, 2), (3, 3), (1, 4)]);
    let mut sides: Vec<usize> =
        (0..dimensions).map(|_| dice.within(if dimensions > 1 { 1 } else { 2 }, longest)).collect();
    while sides.iter().product::<usize>() > most {
        let largest = sides.iter().copied().max().unwrap_or(1);
        sides.iter_mut().filter(|side| **side == largest).for_each(|side| *side -= 1);
    }
    if sides.iter().product::<usize>() < 2 {
        sides[0] = 3;
    }
    sides
}

fn grid(word: &'static str, sides: &[usize], degree: usize, hops: usize) -> Topology {
    let written: Vec<String> = sides.iter().map(usize::to_string).collect();
    let mut topology =
        Topology::new(word, format!("{word} {}", written.join(" x ")), sides.iter().product(), degree, hops);
    topology.is_grid = true;
    topology.permuted()
}

fn torus(dice: &mut Dice) -> Topology {
    let sides = sides(dice, 6, 20);
    let degree = sides.iter().map(|side| (side - 1).min(2)).sum();
    let mut topology = grid("torus", &sides, degree, sides.iter().map(|side| side / 2).sum());
    topology.formula_vcs = Some(2);
    topology
}

fn mesh(dice: &mut Dice) -> Topology {
    let sides = sides(dice, 5, 20);
    let degree = sides.iter().map(|side| (side - 1).min(2)).sum();
    let mut topology = grid("mesh", &sides, degree, sides.iter().map(|side| side - 1).sum());
    topology.formula_vcs = Some(1);
    topology
}

fn hyperx(dice: &mut Dice) -> Topology {
    let sides = sides(dice, 5, 20);
    let degree = sides.iter().map(|side| side - 1).sum();
    let mut topology = grid("hyperx", &sides, degree, sides.iter().filter(|side| **side > 1).count());
    topology.formula_vcs = Some(1);
    topology
}

fn hypercube(dice: &mut Dice) -> Topology {
    let folded = dice.percent(40);
    let dimensions = dice.within(if folded { 2 } else { 1 }, 4);
    let word = if folded { "folded_hypercube" } else { "hypercube" };
    let degree = dimensions + usize::from(folded);
    let mut topology = Topology::new(word, word, 1 << dimensions, degree, dimensions)
        .set("dimensions", dimensions)
        .permuted();
    (topology.is_grid, topology.formula_vcs) = (false, Some(1));
    topology
}

fn dragonfly(dice: &mut Dice) -> Topology {
    let arrangement = dice.pick(&["", "palmtree", "consecutive", "fold"]);
    let fold = arrangement == "fold";
    let (a, h) = (dice.within(1, 4), if fold { 2 } else { dice.within(1, 2) });
    let most_groups = a * h + 1;
    let mut groups: Vec<usize> = (2..=most_groups).filter(|g| (!fold || g % 2 == 1) && g * a <= 28).collect();
    if groups.is_empty() {
        groups.push(most_groups);
    }
    let g = if dice.percent(40) { groups[groups.len() - 1] } else { dice.pick(&groups) };
    let spare = g > 2 && dice.percent(30);
    let row = match arrangement {
        "consecutive" => "dragonfly consecutive",
        "fold" => "dragonfly fold",
        _ => "dragonfly palmtree",
    };
    let mut topology =
        Topology::new(row, "dragonfly", a * g, a - 1 + h, 3).set("a", a).set("h", h).grouped(a).permuted();
    if g < most_groups || dice.percent(50) {
        topology = topology.set("g", g);
    }
    if !arrangement.is_empty() {
        topology = topology.set("arrangement", arrangement);
    }
    if spare {
        topology = topology.set("spare", 1);
        topology.endpoints.truncate(a * (g - 1));
        topology.permutable = false;
    }
    (topology.minimal_vcs, topology.formula_vcs) = (Some(2), Some(2));
    topology
}

fn levels(dice: &mut Dice) -> Topology {
    let blocks = dice.pick(&[
        vec![4],
        vec![3, 3],
        vec![4, 3],
        vec![2, 5],
        vec![3, 4],
        vec![5, 3],
        vec![2, 2, 3],
        vec![2, 3, 3],
        vec![3, 2, 3],
        vec![2, 3, 2, 2],
    ]);
    let (mut size, mut lines, mut degree) = (1, Vec::new(), 0);
    let routers: usize = blocks.iter().product();
    let mut endpoints: Vec<usize> = (0..routers).collect();
    for (depth, &count) in blocks.iter().enumerate() {
        let joined = if depth == 0 { 1 } else { dice.weighted(&[(5, 1), (3, 2), (1, 3)]) };
        let joined = if depth == 0 { dice.weighted(&[(8, 1), (1, 2)]) } else { joined };
        let mut inner = Vec::new();
        let mut ports = (joined * (count - 1)).div_ceil(size);
        let arrangement =
            if depth == 0 { "" } else { dice.pick(&["", "", "palmtree", "consecutive", "fold"]) };
        let arrangement = if arrangement == "fold" && count % 2 == 0 { "" } else { arrangement };
        if arrangement == "fold" {
            ports += ports % 2;
        }
        if depth > 0 && dice.percent(40) {
            ports += if arrangement == "fold" || dice.percent(70) { 0 } else { 1 };
            inner.push(Item::line(format!("ports = {ports}")));
        }
        if !arrangement.is_empty() {
            inner.push(Item::line(format!("arrangement = {arrangement}")));
        }
        if count > 2 && dice.percent(15) {
            inner.push(Item::line("spare = 1"));
            endpoints.retain(|router| router / size % count != count - 1);
        }
        // Where links differ, `over` is added behind it.
        let joined = if joined > 1 { format!(" joined {joined}") } else { String::new() };
        lines.push(Item::plain_if_empty(format!("level {count}{joined}"), inner));
        degree += ports.max(count - 1);
        size *= count;
    }
    let mut topology = Topology::new("levels", "levels", routers, degree, (1 << blocks.len()) - 1);
    topology.permutable = endpoints.len() == routers;
    (topology.settings, topology.endpoints, topology.names) = (lines, endpoints, LinkNames::ByLevel);
    topology.has_groups = blocks.len() > 1;
    topology.group = (blocks.len() > 1).then(|| blocks[..blocks.len() - 1].iter().product());
    topology
}

fn megafly(dice: &mut Dice) -> Topology {
    let (a, rho) = dice.pick(&[(2, 2), (4, 1), (4, 2), (2, 3), (4, 1)]);
    let groups = a / 2 * rho + 1;
    let mut topology = Topology::new("megafly", "megafly", groups * a, a / 2 + rho, 3)
        .set("a", a)
        .set("rho", rho)
        .grouped(a)
        .permuted();
    topology.endpoints.retain(|router| router % a < a / 2);
    let arrangements: &[&str] = if rho % 2 == 0 {
        &["", "palmtree", "consecutive", "fold"]
    } else {
        &["", "palmtree", "consecutive"]
    };
    let arrangement = dice.pick(arrangements);
    if !arrangement.is_empty() {
        topology = topology.set("arrangement", arrangement);
    }
    topology.minimal_vcs = Some(1);
    topology
}

fn fat_tree(dice: &mut Dice) -> Topology {
    let (levels, arity) = dice.pick(&[(2, 2), (2, 3), (3, 2), (2, 4)]);
    let width = [1, arity, arity * arity][levels - 1];
    let mut topology = Topology::new("fat_tree", "fat_tree", levels * width, 2 * arity, 2 * (levels - 1));
    topology = topology.set("levels", levels).set("arity", arity);
    topology.endpoints.truncate(width);
    topology.minimal_vcs = Some(1);
    topology
}

/// Leaves and spines, or three tiers, some with parallel cables.
fn clos(dice: &mut Dice) -> Topology {
    let parallel = dice.pick(&[1, 1, 2]);
    let (mut topology, leaves) = if dice.below(2) == 0 {
        let (leaves, spines) = dice.pick(&[(2, 1), (4, 2), (5, 3), (3, 4)]);
        let degree = parallel * leaves.max(spines);
        let topology = Topology::new("clos", "leaf_spine", leaves + spines, degree, 2);
        (topology.set("leaves", leaves).set("spines", spines).set("parallel", parallel), leaves)
    } else {
        // 6 + 6 + 4 switches, or 6 + 3 + 2.
        let (up, sizes, degree) = dice.pick(&[("2 x 2", [6, 6, 4], 4), ("1 x 2", [6, 3, 2], 4)]);
        let topology = Topology::new("clos", "clos", sizes.iter().sum(), parallel * degree, 4);
        let cables = if parallel == 1 { "1 x 1" } else { "2 x 1" };
        (topology.set("down", "2 x 3").set("up", up).set("parallel", cables), sizes[0])
    };
    topology.endpoints.truncate(leaves);
    topology.minimal_vcs = Some(1);
    topology
}

/// The word for both ways, one way, or nothing, and whether links run one way.
fn arcs(dice: &mut Dice, one_way: bool) -> (&'static str, bool) {
    match (dice.below(3), one_way) {
        (0, _) => ("duplex", false),
        (1, _) => ("simplex", true),
        _ => ("", one_way),
    }
}

fn kautz(dice: &mut Dice) -> Topology {
    let (degree, length) = dice.pick(&[(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (2, 4)]);
    let (word, one_way) = arcs(dice, true);
    let row = if one_way { "kautz simplex" } else { "kautz duplex" };
    let routers = [1, degree, degree * degree, degree * degree * degree][length - 1] * (degree + 1);
    let mut topology =
        Topology::new(row, "kautz", routers, 2 * degree, length).set("degree", degree).set("length", length);
    if !word.is_empty() {
        topology = topology.set("arcs", word);
    }
    topology.one_way = one_way;
    topology
}

fn gen_kautz(dice: &mut Dice) -> Topology {
    let degree = dice.within(2, 3);
    let routers = dice.within(degree + 2, 14);
    let (word, one_way) = arcs(dice, true);
    let row = if one_way { "gen_kautz simplex" } else { "gen_kautz duplex" };
    let mut topology =
        Topology::new(row, "gen_kautz", routers, 2 * degree, 5).set("degree", degree).set("routers", routers);
    if !word.is_empty() {
        topology = topology.set("arcs", word);
    }
    topology.one_way = one_way;
    topology
}

/// `seed`, `attempts` and `draws`, each now and then.
fn drawn(dice: &mut Dice, mut topology: Topology, attempts: bool) -> Topology {
    if dice.percent(60) {
        topology = topology.set("seed", dice.below(1000));
    }
    if attempts {
        topology = topology.set("attempts", 1000);
    }
    if dice.percent(25) {
        topology = topology.set("draws", dice.within(1, 3));
    }
    topology
}

fn xpander(dice: &mut Dice) -> Topology {
    let (degree, lift) = dice.pick(&[(3, 2), (3, 3), (4, 2), (4, 3), (3, 4), (5, 2)]);
    let mut topology = Topology::new("xpander", "xpander", (degree + 1) * lift, degree, 5)
        .set("degree", degree)
        .set("lift", lift);
    (topology.group, topology.has_groups) = (Some(lift), false);
    drawn(dice, topology, true)
}

fn random_regular(dice: &mut Dice) -> Topology {
    regular(dice, "random_regular")
}

fn jellyfish(dice: &mut Dice) -> Topology {
    regular(dice, "jellyfish")
}

fn regular(dice: &mut Dice, word: &'static str) -> Topology {
    let (routers, degree) = (dice.within(6, 14), dice.within(3, 4));
    let routers = routers + routers * degree % 2;
    let topology = Topology::new(word, word, routers, degree, 5);
    drawn(dice, topology.set("routers", routers).set("degree", degree), true)
}

fn shortcuts(dice: &mut Dice) -> Topology {
    let (routers, degree) = (dice.within(8, 16), dice.within(2, 4));
    let word = dice.pick(&["ring_n", "nbr", "gau"]);
    let mut topology =
        Topology::new(word, word, routers, degree, routers / 2).set("routers", routers).set("degree", degree);
    match word {
        "nbr" => topology = topology.set("p", dice.pick(&["0.5", "0.75", "1", "0.6"])),
        "gau" => topology = topology.set("alpha", dice.pick(&["0.2", "0.5", "1", "2"])),
        _ => {}
    }
    drawn(dice, topology, false)
}

fn permute(dice: &mut Dice) -> Topology {
    let mut base = topology(dice);
    while !base.permutable || base.routers > 40 || base.row == "permute" {
        base = topology(dice);
    }
    let head = format!("of = {}", base.head);
    let mut topology =
        Topology { row: "permute", head: "permute".to_owned(), settings: Vec::new(), ..base.clone() };
    topology.settings.push(Item::plain_if_empty(head, base.settings));
    for (name, values) in [("method", ["partial", "full"]), ("duplicates", ["keep", "drop"])] {
        if dice.percent(60) {
            topology = topology.set(name, dice.pick(&values));
        }
    }
    (topology.needs_floor, topology.permutable) = (true, false);
    (topology.hops, topology.formula_vcs, topology.minimal_vcs) = (8, None, None);
    (topology.is_grid, topology.is_plane, topology.has_groups) = (false, false, false);
    drawn(dice, topology, true)
}

fn synthesize(dice: &mut Dice) -> Topology {
    let (word, one_way) = arcs(dice, false);
    let (routers, degree) = (dice.within(5, 12), dice.within(2, 4));
    let routers = if one_way { routers } else { routers + routers * degree % 2 };
    let row = if one_way { "synthesize simplex" } else { "synthesize duplex" };
    let mut topology =
        Topology::new(row, "synthesize", routers, degree, 6).set("routers", routers).set("degree", degree);
    if !word.is_empty() {
        topology = topology.set("arcs", word);
    }
    if dice.percent(50) {
        topology = topology.set("seed", dice.below(100));
    }
    if dice.percent(15) {
        topology = topology.set("cable", dice.pick(&["0.2", "0", "1", "0.125"]));
        topology.needs_floor = true;
    }
    topology.one_way = one_way;
    topology
}
