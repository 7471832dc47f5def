//! Networks: a topology, with links, a router, a budget, a routing and a floor that go with it.

use super::demands;
use super::dice::Dice;
use super::extras;
use super::facts::Facts;
use super::families::{self, LinkNames, Topology};
use super::floors;
use super::links::{self, Carry};
use super::spec::{Data, Item, Spec};

/// A routing, and its requirements.
struct Routing {
    word: &'static str,
    settings: Vec<Item>,
    /// Virtual channels that suffice, as far as that is known.
    vcs: usize,
    /// Whether tables may be made for faults.
    faults: bool,
}

/// Generates the spec of a random network.
pub(crate) fn network(dice: &mut Dice, number: u64) -> Spec {
    let topology = families::topology(dice);
    let mut spec = Spec::new(number, topology.row);
    let floor = topology.needs_floor || dice.percent(25);
    // Links that their length selects are named nowhere else.
    let by_length =
        floor && matches!(topology.names, LinkNames::One | LinkNames::ByClass) && dice.percent(30);
    let routing = routing(dice, &topology);
    let scheduled = routing.word == "scheduled";
    let carry = if scheduled || by_length {
        Carry::Alike
    } else {
        dice.pick(&[Carry::Alike, Carry::Alike, Carry::Unlike])
    };
    let count = if by_length { 2 } else { dice.weighted(&[(5, 1), (4, 2), (1, 3)]) };
    let names: Vec<&str> = ["wire", "fiber", "board"][..count].to_vec();
    let links = links::links(dice, &names, carry, floor);
    spec.note("links", if count == 1 { "one" } else { links.word });
    let faults = faults(dice, &topology, &routing);
    let hosts = if topology.unlike_hosts {
        dice.pick(&[0, 1, 2])
    } else {
        dice.weighted(&[(4, 1), (3, 0), (2, 2), (1, 4)])
    };
    let vcs = routing.vcs.min(8);
    let (router, buffer, router_vcs, latency) = router(dice, &topology, hosts, vcs);
    spec.note("hosts", if topology.unlike_hosts { "by file".to_owned() } else { hosts.to_string() });
    spec.note("vcs", vcs.to_string());
    spec.note("faults", faults);
    spec.note("routing", routing.word);
    note_turns(&mut spec, &routing.settings);
    let facts = Facts {
        is_pod: false,
        routers: topology.routers,
        endpoints: topology.endpoints.clone(),
        of_chips: topology.is_of_chips() && !topology.endpoints.is_empty(),
        one_way: topology.one_way,
        is_grid: topology.is_grid || topology.row.contains("hypercube"),
        has_groups: topology.has_groups,
        alike: links.alike,
        timed: links.timed,
        faults: faults != "0",
        scheduled,
        floor,
        priced: links.priced,
        hops: topology.hops,
        buffer,
        latency,
        router_vcs,
        is_dragonfly: topology.row.starts_with("dragonfly"),
        group_sizes: divisors(topology.endpoints.len()),
    };
    extras::clock(dice, &mut spec);
    spec.items.extend(links.items.clone());
    spec.items.push(router);
    spec.items.extend(budget(dice, &mut spec.traits, faults, vcs, routing.word));
    let topology_item = named(dice, &topology, &names, by_length, &mut spec);
    spec.items.push(topology_item);
    if !(routing.word == "minimal" && dice.percent(50)) {
        spec.items.push(Item::plain_if_empty(format!("routing = {}", routing.word), routing.settings));
    }
    if floor {
        floors::of_network(dice, &mut spec, &topology, by_length.then_some(&names));
    }
    if !topology.one_way && dice.percent(12) {
        spec.items.push(Item::block(
            "failures",
            vec![Item::line(format!("links <= {} %", dice.within(5, 60))), Item::line("seeds = 5")],
        ));
        spec.note("failures", "yes");
    }
    demands::demand(dice, &mut spec, &facts);
    extras::extras(dice, &mut spec, &facts);
    spec
}

/// All divisors of a number but 1.
pub(crate) fn divisors(number: usize) -> Vec<usize> {
    (2..=number).filter(|size| number.is_multiple_of(*size)).collect()
}

fn routing(dice: &mut Dice, topology: &Topology) -> Routing {
    let mut choices = vec![(6, "minimal")];
    if !topology.one_way {
        choices.extend([(12, "allowed_turns"), (4, "up_down")]);
        if topology.is_of_chips() && !topology.endpoints.is_empty() && !topology.unlike_hosts {
            choices.push((3, "scheduled"));
        }
    }
    if topology.is_grid {
        choices.push((4, "dimension_order"));
    }
    if topology.formula_vcs.is_some() {
        choices.push((3, "algebraic"));
    }
    let word = dice.weighted(&choices);
    let (settings, vcs, faults) = match word {
        "minimal" => {
            let least_vcs = topology.minimal_vcs.unwrap_or(topology.hops);
            (Vec::new(), dice.within(least_vcs, least_vcs + 3), true)
        }
        "allowed_turns" => (allowed_turns(dice, topology.routers), dice.within(1, 4), true),
        "up_down" => (Vec::new(), dice.within(1, 3), true),
        "dimension_order" => (Vec::new(), dice.within(if topology.row == "torus" { 2 } else { 1 }, 4), false),
        "scheduled" => (scheduled(dice), 1, false),
        _ => (Vec::new(), dice.within(topology.formula_vcs.unwrap_or(2), 4), false),
    };
    Routing { word, settings, vcs, faults }
}

/// Settings of `allowed_turns` for so many routers.
pub(crate) fn allowed_turns(dice: &mut Dice, routers: usize) -> Vec<Item> {
    let mut settings = Vec::new();
    if dice.percent(25) {
        settings
            .push(Item::line(format!("priority = {}", dice.pick(&["chosen_paths", "all_paths", "random"]))));
    }
    match dice.below(10) {
        0 if routers <= 8 => settings.push(Item::line("select = ilp")),
        1 => settings.push(Item::line("select = descent")),
        2 | 3 => settings.push(Item::line("key = dst")),
        4 => settings.push(Item::line("key = dst_input")),
        _ => {}
    }
    settings
}

/// Notes which settings of `allowed_turns` are used.
pub(crate) fn note_turns(spec: &mut Spec, settings: &[Item]) {
    for line in settings {
        match line.head.split_once(" = ") {
            Some(("priority", _)) => spec.note("turns", "priority"),
            Some(("key" | "select", _)) => spec.note("turns", line.head.clone()),
            _ => {}
        }
    }
}

fn scheduled(dice: &mut Dice) -> Vec<Item> {
    let mut settings = Vec::new();
    if dice.percent(60) {
        settings.push(Item::line(format!("vector = {} B", dice.pick(&[320, 64, 128, 1]))));
    }
    if dice.percent(40) {
        settings.push(Item::line(format!("slot = {} cycles", dice.pick(&[1, 7, 24, 100]))));
    }
    if dice.percent(40) {
        settings.push(Item::line(format!("hop = {} cycles", dice.pick(&[1, 30, 100, 650]))));
    }
    if dice.percent(20) {
        settings.push(Item::line(format!("reduce = {} cycles", dice.below(20))));
    }
    if dice.percent(15) {
        settings.push(Item::line(dice.pick(&["deskew = 1 ms", "deskew = 5000 cycles", "deskew = 2 us"])));
    }
    settings
}

fn faults(dice: &mut Dice, topology: &Topology, routing: &Routing) -> &'static str {
    if !routing.faults || topology.routers > 60 {
        return "0";
    }
    // A path of routers survives no fault.
    let is_path = topology.row == "mesh" && !topology.head.contains('x');
    let is_small = topology.row != "goal" && topology.endpoints.len() < 3;
    let few = is_small || topology.degree < 2 || is_path;
    if few { "0" } else { dice.weighted(&[(4, "0"), (4, "1 link"), (3, "1 router"), (1, "1 chip")]) }
}

/// The router, its buffer, its virtual channels and whether it takes any time.
fn router(dice: &mut Dice, topology: &Topology, hosts: usize, vcs: usize) -> (Item, usize, usize, bool) {
    let is_known =
        !matches!(topology.names, LinkNames::ByFile | LinkNames::ByLevel) && topology.row != "goal";
    let radix = if is_known && dice.percent(30) { (topology.degree + hosts).max(1) } else { 64 };
    let router_vcs = dice.pick(&[vcs, vcs, vcs + 1, 8.max(vcs), 12]);
    let buffer = dice.weighted(&[(2, None), (1, Some(0)), (2, Some(8)), (3, Some(64))]);
    let latency = dice.pick(&["", "1 cycles", "10 cycles", "25 ns", "0 cycles"]);
    let mut inner = vec![Item::line(format!("radix = {radix}"))];
    if hosts != 1 || dice.percent(50) {
        inner.push(Item::line(format!("hosts = {hosts}")));
    }
    inner.push(Item::line(format!("vcs = {router_vcs}")));
    if dice.percent(70) {
        inner.push(Item::line(format!("flit = {} B", dice.pick(&[32, 64, 128, 328]))));
    }
    if let Some(flits) = buffer {
        inner.push(Item::line(format!("buffer = {flits} flits")));
    }
    if !latency.is_empty() {
        inner.push(Item::line(format!("latency = {latency}")));
    }
    (Item::block("router", inner), buffer.unwrap_or(128), router_vcs, latency != "0 cycles")
}

/// The budget, now and then with a limit of tables.
fn budget(
    dice: &mut Dice,
    traits: &mut std::collections::BTreeSet<super::spec::Trait>,
    faults: &str,
    vcs: usize,
    routing: &str,
) -> Option<Item> {
    let mut inner = vec![Item::line(format!("vcs = {vcs}"))];
    if faults != "0" || dice.percent(30) {
        inner.push(Item::line(format!("faults = {faults}")));
    }
    if routing != "scheduled" && dice.percent(10) {
        inner.push(Item::line("table_entries = 100000"));
        traits.insert(("budget", "table_entries".to_owned()));
    }
    Some(Item::block("budget", inner))
}

/// The topology with the links that it names.
fn named(dice: &mut Dice, topology: &Topology, names: &[&str], by_length: bool, spec: &mut Spec) -> Item {
    let mut settings = topology.settings.clone();
    spec.files.extend(topology.files.clone());
    let is_one = names.len() == 1;
    let of_base = topology.row == "permute";
    let mut added = Vec::new();
    match topology.names {
        _ if by_length => {}
        LinkNames::One | LinkNames::ByClass if is_one && dice.percent(70) => {}
        LinkNames::One => added.push(Item::line(format!("link = {}", names[dice.below(names.len())]))),
        LinkNames::ByClass if is_one || dice.percent(25) => {
            added.push(Item::line(format!("link = {}", names[0])))
        }
        LinkNames::ByClass => {
            let (local, global) = if dice.percent(50) { (0, 1) } else { (1, 0) };
            added.extend([
                Item::line(format!("local = {}", names[local])),
                Item::line(format!("global = {}", names[global])),
            ]);
        }
        LinkNames::ByLevel => over(dice, &mut settings, names, of_base),
        LinkNames::ByFile => {
            if !is_one {
                added.push(Item::line(format!("default = {}", names[0])));
                name_in_file(dice, spec, names);
            }
        }
    }
    if of_base {
        let base = &mut settings[0];
        let mut inner = base.block.take().unwrap_or_default();
        inner.extend(added);
        *base = Item::plain_if_empty(base.head.clone(), inner);
    } else {
        settings.extend(added);
    }
    Item::plain_if_empty(format!("topology = {}", topology.head), settings)
}

/// Adds `over name` to every level.
fn over(dice: &mut Dice, settings: &mut [Item], names: &[&str], of_base: bool) {
    if names.len() == 1 && dice.percent(50) {
        return;
    }
    let levels = if of_base { settings[0].block.as_deref_mut().unwrap_or_default() } else { settings };
    for level in levels {
        level.head += &format!(" over {}", names[dice.below(names.len())]);
    }
}

/// Names of links behind some edges of a file.
fn name_in_file(dice: &mut Dice, spec: &mut Spec, names: &[&str]) {
    for (file, data) in &mut spec.files {
        let Data::Lines(lines) = data else { continue };
        for line in lines.iter_mut().filter(|line| !line.starts_with('#')) {
            if dice.percent(60) {
                continue;
            }
            let name = names[dice.below(names.len())];
            if file.ends_with(".txt") {
                *line += &format!(" {name}");
            } else if line.starts_with("<edge") {
                *line = line.replace("/>", &format!("><data key=\"l\">{name}</data></edge>"));
            }
        }
    }
}
