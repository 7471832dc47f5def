//! Pods: cubes behind optical circuit switches, whole or in slices.

mod topologies;

use super::dice::Dice;
use super::facts::Facts;
use super::links::{self, Carry};
use super::networks::{allowed_turns, divisors, note_turns};
use super::spec::{Item, Spec, Switch};
use super::{demands, extras, floors};
use topologies::{shape, synthesize};

const AXES: [&str; 3] = ["x", "y", "z"];

/// A group of switches as it is declared.
#[derive(Clone, Debug)]
struct SwitchGroup {
    name: String,
    axis: usize,
    /// Sizes of the two indices, and the axis of each in the cube.
    sizes: [usize; 2],
    /// The range of cubes that it serves.
    cubes: (usize, usize),
    sided: bool,
    flipped: bool,
    over: &'static str,
    settings: Vec<Item>,
    ports: usize,
}

impl SwitchGroup {
    fn item(&self) -> Item {
        let [us, vs] = self.sizes;
        let mut indices = Vec::new();
        let mut place = |name: &str, size: usize| {
            if size > 1 {
                indices.push(format!("{name} in 0..{size}"));
                name.to_owned()
            } else {
                "0".to_owned()
            }
        };
        let (u, v) = (place("u", us), place("v", vs));
        let far = if self.flipped && vs > 1 { format!("{} - v", vs - 1) } else { v.clone() };
        let indices = if indices.is_empty() { String::new() } else { format!("[{}]", indices.join(", ")) };
        let axis = AXES[self.axis];
        let couple = match self.sided {
            true => format!("couple +{axis}[{u}, {v}] with -{axis}[{u}, {far}] over {}", self.over),
            false => format!("couple any of +{axis}[{u}, {v}], -{axis}[{u}, {far}] over {}", self.over),
        };
        let mut inner = vec![Item::line(couple), Item::line(format!("ports = {}", self.ports))];
        inner.extend(self.settings.clone());
        Item::block(format!("ocs {}{indices}{}", self.name, self.cubes_text()), inner)
    }

    fn cubes_text(&self) -> String {
        match self.cubes {
            (0, 0) => String::new(),
            (first, end) => format!(" for cubes {first}..{end}"),
        }
    }

    fn count(&self) -> usize {
        self.sizes[0] * self.sizes[1]
    }

    /// Cross-connects that lead to the cube `shift` on, round and round, for every switch.
    fn switches(&self, cubes: usize, shift: usize) -> Vec<Switch> {
        let cubes: Vec<usize> =
            if self.cubes == (0, 0) { (0..cubes).collect() } else { (self.cubes.0..self.cubes.1).collect() };
        let count = cubes.len();
        let [us, vs] = self.sizes;
        let mut switches = Vec::new();
        for (u, v) in (0..us).flat_map(|u| (0..vs).map(move |v| (u, v))) {
            let written: Vec<String> = [(us, u), (vs, v)]
                .iter()
                .filter(|(size, _)| *size > 1)
                .map(|(_, index)| index.to_string())
                .collect();
            let name = if written.is_empty() {
                self.name.clone()
            } else {
                format!("{}[{}]", self.name, written.join(","))
            };
            let far = if self.flipped { vs - 1 - v } else { v };
            let axis = AXES[self.axis];
            let face_ends = |sign: &str, v: usize| {
                cubes.iter().map(|cube| format!("cube{cube}.{sign}{axis}[{u},{v}]")).collect::<Vec<_>>()
            };
            let (plus, minus) = (face_ends("+", v), face_ends("-", far));
            let (a, b, base) =
                if self.sided { (plus, minus, 0) } else { ([plus, minus].concat(), Vec::new(), count) };
            let joined = (0..count).map(|index| (index, base + (index + shift) % count)).collect();
            switches.push(Switch { name, a, b, joined });
        }
        switches
    }
}

/// Everything of a pod that its topology depends on.
struct PodShape {
    sides: [usize; 3],
    cubes: usize,
    groups: Vec<SwitchGroup>,
}

impl PodShape {
    fn chips(&self) -> usize {
        self.cubes * self.sides.iter().product::<usize>()
    }

    fn switches(&self) -> usize {
        self.groups.iter().map(SwitchGroup::count).sum()
    }
}

/// Generates the spec of a random pod.
pub(crate) fn pod(dice: &mut Dice, number: u64) -> Spec {
    let row = dice.weighted(&[
        (6, "pod synthesize"),
        (2, "pod one cube"),
        (4, "pod torus"),
        (2, "pod twisted_torus"),
        (3, "pod cross_connects"),
        (3, "pod near"),
        (1, "pod milp"),
        (1, "pod relax"),
        (3, "pod slices"),
    ]);
    let mut spec = Spec::new(number, row);
    let floor = row != "pod slices" && dice.percent(30);
    let two = dice.percent(70);
    let program = row == "pod milp" || row == "pod relax";
    let carry = if program { Carry::Alike } else { dice.pick(&[Carry::Alike, Carry::Alike, Carry::Unlike]) };
    let three = two && dice.percent(20);
    let names: &[&str] = if three {
        &["copper", "fiber", "other"]
    } else if two {
        &["copper", "fiber"]
    } else {
        &["copper"]
    };
    let links = links::links(dice, names, carry, floor);
    spec.note("links", if two { links.word } else { "one" });
    let fibers: Vec<&'static str> = if three {
        vec!["fiber", "other"]
    } else if two {
        vec!["fiber"]
    } else {
        vec!["copper"]
    };
    let (shape, topology, is_torus) = shape(dice, &mut spec, row, &fibers);
    let (routing, settings, vcs) = routing(dice, is_torus, shape.chips());
    let faults = if row == "pod slices" { "0" } else { faults(dice, &shape, routing) };
    spec.note("faults", faults);
    spec.note("routing", routing);
    note_turns(&mut spec, &settings);
    spec.note("vcs", vcs.to_string());
    let router_vcs = dice.pick(&[vcs, vcs, vcs + 2, 4]).max(vcs);
    let router = ChipSettings {
        vcs: router_vcs,
        buffer: dice.pick(&[8, 64, 128]),
        latency: dice.pick(&["", "1 cycles", "10 cycles", "25 ns", "0 cycles"]),
    };
    extras::clock(dice, &mut spec);
    spec.items.extend(links.items.clone());
    spec.items.push(chip(dice, &router));
    let [x, y, z] = shape.sides;
    spec.items.push(Item::block("cube", vec![Item::line(format!("mesh {x} x {y} x {z} over copper"))]));
    spec.items.push(Item::line(format!("cubes = {}", shape.cubes)));
    spec.items.extend(shape.groups.iter().map(SwitchGroup::item));
    let facts = facts(&shape, &links, floor, faults, &router, is_torus);
    spec.items.push(Item::plain_if_empty(format!("routing = {routing}"), settings));
    if row == "pod slices" {
        slices(dice, &mut spec, &shape, vcs, &facts);
        return spec;
    }
    let budget = budget(dice, &mut spec, vcs, faults);
    spec.items.push(budget);
    spec.items.push(topology);
    if floor {
        floors::of_pod(dice, &mut spec, shape.cubes, shape.switches());
    }
    demands::demand(dice, &mut spec, &facts);
    extras::extras(dice, &mut spec, &facts);
    if dice.percent(15)
        && spec.has("demand", "uniform")
        && !spec.items.iter().any(|item| item.head.contains("require concurrent_flow"))
    {
        spec.items.push(Item::line("require concurrent_flow >= 0.0001 % of universal"));
        spec.note("require", "of universal");
    }
    spec
}

fn budget(dice: &mut Dice, spec: &mut Spec, vcs: usize, faults: &str) -> Item {
    let mut budget = vec![Item::line(format!("vcs = {vcs}"))];
    if faults != "0" || dice.percent(30) {
        budget.push(Item::line(format!("faults = {faults}")));
    }
    if dice.percent(10) {
        budget.push(Item::line("table_entries = 100000"));
        spec.note("budget", "table_entries");
    }
    Item::block("budget", budget)
}

/// Settings of the router of a chip. An empty latency is the default.
struct ChipSettings {
    vcs: usize,
    buffer: usize,
    latency: &'static str,
}

fn chip(dice: &mut Dice, router: &ChipSettings) -> Item {
    let ChipSettings { vcs, buffer, latency } = *router;
    let mut inner = vec![Item::line("radix = 6"), Item::line(format!("vcs = {vcs}"))];
    if dice.percent(60) {
        inner.push(Item::line(format!("flit = {} B", dice.pick(&[32, 64, 128]))));
    }
    if buffer != 128 {
        inner.push(Item::line(format!("buffer = {buffer} flits")));
    }
    if !latency.is_empty() {
        inner.push(Item::line(format!("latency = {latency}")));
    }
    Item::block("chip", inner)
}

fn facts(
    shape: &PodShape,
    links: &links::Links,
    floor: bool,
    faults: &str,
    router: &ChipSettings,
    is_torus: bool,
) -> Facts {
    let (chips, of_cube) = (shape.chips(), shape.sides.iter().product::<usize>());
    // A part of a cube that divides it, or whole cubes.
    let fits = |size: &usize| of_cube.is_multiple_of(*size) || size.is_multiple_of(of_cube);
    Facts {
        is_pod: true,
        routers: chips,
        endpoints: (0..chips).collect(),
        of_chips: true,
        one_way: false,
        is_grid: is_torus,
        has_groups: shape.cubes > 1 && of_cube > 1,
        alike: links.alike,
        timed: links.timed,
        faults: faults != "0",
        scheduled: false,
        floor,
        priced: links.priced,
        hops: 6,
        buffer: router.buffer,
        latency: router.latency != "0 cycles",
        router_vcs: router.vcs,
        is_dragonfly: false,
        group_sizes: divisors(chips).into_iter().filter(fits).collect(),
    }
}

fn routing(dice: &mut Dice, is_torus: bool, chips: usize) -> (&'static str, Vec<Item>, usize) {
    let mut choices = vec![(7, "allowed_turns"), (2, "up_down")];
    choices.extend(is_torus.then_some((4, "dimension_order")));
    let word = dice.weighted(&choices);
    match word {
        "allowed_turns" => (word, allowed_turns(dice, chips), dice.within(1, 4)),
        "up_down" => (word, Vec::new(), dice.within(1, 3)),
        _ => (word, Vec::new(), dice.within(2, 4)),
    }
}

fn faults(dice: &mut Dice, shape: &PodShape, routing: &str) -> &'static str {
    if routing == "dimension_order" || shape.chips() < 3 {
        return "0";
    }
    let mut choices = vec![(5, "0")];
    // Where an axis has too few switches, some of them are all that joins two cubes.
    let fewest = shape.groups.iter().map(SwitchGroup::count).min().unwrap_or(0);
    if fewest > 1 || shape.switches() > 1 && dice.percent(15) {
        choices.push((4, "1 ocs"));
    }
    if fewest > 2 || shape.switches() > 3 && dice.percent(15) {
        choices.push((2, "2 ocs"));
    }
    if shape.chips() <= 16 {
        choices.extend([(3, "1 link"), (3, "1 chip")]);
    }
    dice.weighted(&choices)
}

/// Groups of switches along these axes.
fn groups(
    dice: &mut Dice,
    spec: &mut Spec,
    sides: [usize; 3],
    cubes: usize,
    axes: &[usize],
    plain: bool,
    fibers: &[&'static str],
) -> Vec<SwitchGroup> {
    let mut groups = Vec::new();
    for &axis in axes {
        let mut sizes = [[sides[1], sides[2]], [sides[0], sides[2]], [sides[0], sides[1]]][axis];
        // Not every position of a face needs a switch.
        if !plain && dice.percent(20) {
            sizes[0] = dice.within(1, sizes[0]);
            spec.note("switches", "partial");
        }
        let sided = plain || dice.percent(65);
        let flipped = !plain && sizes[1] == [sides[2], sides[2], sides[1]][axis] && dice.percent(25);
        let pair = dice.percent(20);
        let mut settings = Vec::new();
        if pair {
            settings.push(Item::line("duplex = pair"));
            spec.note("switches", "pair");
        } else if dice.percent(20) {
            settings.push(Item::line("duplex = circulator"));
        }
        let configs: &[&str] = if sided || pair { &["ocs_v", "hld", "none"] } else { &["none"] };
        if dice.percent(30) {
            settings.push(Item::line(format!("config_db = {}", dice.pick(configs))));
        }
        spec.note("switches", if sided { "sided" } else { "any" });
        if flipped {
            spec.note("switches", "flipped");
        }
        let least_ports = if sided && !pair { cubes } else { 2 * cubes };
        let ports = if dice.percent(40) { least_ports } else { least_ports + dice.within(1, 40) };
        let name = AXES[axis].to_uppercase();
        groups.push(SwitchGroup {
            name,
            axis,
            sizes,
            cubes: (0, 0),
            sided,
            flipped,
            over: dice.pick(fibers),
            settings,
            ports,
        });
    }
    groups
}

/// All axes along which a face may have switches, in a random order.
fn some_axes(dice: &mut Dice) -> Vec<usize> {
    let mut axes = vec![0, 1, 2];
    dice.shuffle(&mut axes);
    axes.truncate(dice.weighted(&[(2, 1), (3, 2), (4, 3)]));
    axes.sort_unstable();
    axes
}

/// Sides of a cube, and how many cubes.
fn sizes(dice: &mut Dice) -> ([usize; 3], usize) {
    let sides = dice.pick(&[
        [1, 1, 1],
        [2, 1, 1],
        [1, 2, 1],
        [1, 1, 3],
        [2, 2, 1],
        [1, 2, 2],
        [2, 2, 2],
        [3, 1, 2],
        [2, 2, 1],
    ]);
    let chips: usize = sides.iter().product();
    let cubes = dice.within(2, (24 / chips).min(6));
    (sides, cubes)
}

/// Slices of the cubes, one or two kinds.
fn slices(dice: &mut Dice, spec: &mut Spec, shape: &PodShape, vcs: usize, facts: &Facts) {
    let mut remaining = shape.cubes;
    let spare = usize::from(remaining > 2 && dice.percent(50));
    if spare > 0 || dice.percent(30) {
        spec.items.push(Item::line(format!("spare = {spare}")));
        spec.note("slices", "spare");
    }
    remaining -= spare;
    if dice.percent(50) {
        spec.items.push(Item::block("budget", vec![Item::line(format!("vcs = {vcs}"))]));
    }
    let of_cube: usize = shape.sides.iter().product();
    for name in ["train", "serve"] {
        // A slice of one chip has no chip to send to.
        let least_cubes = 1 + usize::from(of_cube == 1);
        if remaining < least_cubes {
            break;
        }
        let size = dice.within(least_cubes, remaining.min(3).max(least_cubes));
        let count = dice.within(1, remaining / size);
        remaining -= size * count;
        let mut inner = vec![Item::line(format!("cubes = {size}"))];
        if count > 1 || dice.percent(50) {
            inner.push(Item::line(format!("count = {count}")));
        }
        if dice.percent(50) {
            let faults =
                if size > 1 && shape.switches() > 1 { dice.pick(&["0", "1 ocs", "1 link"]) } else { "0" };
            spec.note("slices", format!("faults {faults}"));
            inner.push(Item::block(
                "budget",
                vec![
                    Item::line(format!("vcs = {}", vcs.max(2).min(facts.router_vcs))),
                    Item::line(format!("faults = {faults}")),
                ],
            ));
        }
        inner.push(synthesize(dice, spec, &[]));
        if dice.percent(30) {
            inner.push(Item::block("demand", vec![Item::line("all_to_all weight 2")]));
            spec.note("slices", "demand");
        }
        if dice.percent(30) {
            inner.push(Item::line("require diameter <= 60"));
        }
        if dice.percent(20) && facts.of_chips {
            inner.push(Item::block("collective sum = all_reduce", vec![Item::line("size = 1 MiB")]));
            spec.note("slices", "collective");
        }
        spec.note("slices", name);
        spec.items.push(Item::block(format!("slice {name}"), inner));
    }
}
