//! Items of a spec beside its plant: simulations, collectives and the contract.

use super::dice::Dice;
use super::facts::Facts;
use super::spec::{Data, Item, Spec};
use super::wishes::ENDPOINTS_APART;

/// The clock, now and then.
pub(crate) fn clock(dice: &mut Dice, spec: &mut Spec) {
    let clock = dice.pick(&["", "1 GHz", "1.05 GHz", "900 MHz"]);
    if !clock.is_empty() {
        spec.items.push(Item::line(format!("clock = {clock}")));
    }
}

/// Simulations, collectives and the contract.
pub(crate) fn extras(dice: &mut Dice, spec: &mut Spec, facts: &Facts) {
    let mut contract = Vec::new();
    let endpoints = if facts.endpoints.is_empty() { facts.routers } else { facts.endpoints.len() };
    let simulated =
        facts.alike && facts.timed && !facts.scheduled && facts.buffer >= 8 && (2..=24).contains(&endpoints);
    if simulated && dice.percent(30) {
        for name in ["peak", "calm"].into_iter().take(dice.weighted(&[(4, 1), (1, 2)])) {
            simulation(dice, spec, facts, name, &mut contract);
        }
    }
    if facts.scheduled {
        scheduled(dice, spec, facts, &mut contract);
    } else if (2..=36).contains(&endpoints) && dice.percent(30) {
        for name in ["first", "second"].into_iter().take(dice.weighted(&[(4, 1), (1, 2)])) {
            collective(dice, spec, facts, name, &mut contract);
        }
    }
    requires(dice, spec, facts, &mut contract);
    contract.dedup();
    spec.items.extend(contract.into_iter().map(|line| Item::line(format!("require {line}"))));
}

/// A traffic with its line, and whether it ends.
fn traffic(dice: &mut Dice, spec: &mut Spec, facts: &Facts, name: &str) -> (Option<Item>, bool) {
    let endpoints = facts.endpoints.len();
    let mut words = vec![
        "",
        "uniform",
        "permutation",
        "endpoint_permutation",
        "adjacent",
        "demand",
        "hotspot",
        "all_to_all",
        "trace",
    ];
    if ENDPOINTS_APART.contains(&spec.plant) {
        words.retain(|word| *word != "adjacent");
    }
    if endpoints >= 8 {
        words.extend(["bit_complement", "bit_reverse", "bit_shuffle", "transpose"]);
    }
    if facts.is_grid {
        words.push("neighbour");
        words.extend((facts.hops > 3).then_some("tornado"));
    }
    if facts.has_groups {
        words.extend(["group_shift", "adversarial"]);
    }
    let word = dice.pick(&words);
    spec.note("traffic", if word.is_empty() { "uniform" } else { word });
    let setting = |inner| Some(Item::plain_if_empty(format!("traffic = {word}"), inner));
    match word {
        "" => (None, false),
        "hotspot" => {
            let mut inner = vec![Item::line("at = [0, 1]")];
            if dice.percent(50) {
                inner.push(Item::line(format!("share = {}", dice.pick(&["0.2", "0.5", "1"]))));
            }
            (setting(inner), false)
        }
        "group_shift" if dice.percent(50) => (setting(vec![Item::line("by = 1")]), false),
        "all_to_all" => {
            let mut inner =
                vec![Item::line(format!("bytes = {}", dice.pick(&["64 B", "1 KiB", "100 B", "1 B"])))];
            if dice.percent(60) {
                inner.push(Item::line(format!("order = {}", dice.pick(&["shift", "barrier", "turns"]))));
            }
            (setting(inner), true)
        }
        "trace" => {
            let longest = endpoints.max(2);
            let mut cycle = 0;
            let mut lines = vec!["cycle,src,dst,flits".to_owned()];
            for _ in 0..dice.within(1, 12) {
                cycle += dice.pick(&[0, 0, 3, 40]);
                let from = dice.below(longest);
                let to = (from + dice.within(1, longest - 1)) % longest;
                lines.push(format!("{cycle},{from},{to},{}", dice.within(1, 40)));
            }
            let file = format!("{name}.csv");
            spec.files.insert(file.clone(), Data::Lines(lines));
            (Some(Item::line(format!("traffic = trace \"{file}\""))), true)
        }
        _ => (setting(Vec::new()), false),
    }
}

/// The model of routers and hosts. `chosen` says that packets choose their ways.
fn model(dice: &mut Dice, spec: &mut Spec, facts: &Facts, flit: bool, chosen: bool) -> Option<Item> {
    let mut inner = Vec::new();
    if !chosen && dice.percent(25) && facts.router_vcs > 1 {
        inner.push(Item::line("general = 0"));
    } else if !chosen && dice.percent(10) {
        inner.push(Item::line("classes = 1"));
    }
    for (setting, values) in
        [("arbitration", ["age", "rotate"]), ("credits", ["instant", "link"]), ("speedup", ["1", "2"])]
    {
        if dice.percent(25) {
            inner.push(Item::line(format!("{setting} = {}", dice.pick(&values))));
        }
    }
    if dice.percent(25) {
        inner.push(Item::line(format!(
            "hosts = {}",
            if flit || chosen { "2" } else { dice.pick(&["1", "2", "unlimited"]) }
        )));
    }
    if dice.percent(20) {
        inner.push(Item::line(format!("window = {}", dice.pick(&[1, 8, 64]))));
    }
    if !flit && dice.percent(20) {
        inner.push(Item::line("turn = 0 cycles"));
    }
    let word = if flit { "flit" } else { "packet" };
    spec.note("model", word);
    if flit || !inner.is_empty() || dice.percent(50) {
        Some(Item::plain_if_empty(format!("model = {word}"), inner))
    } else {
        None
    }
}

fn simulation(dice: &mut Dice, spec: &mut Spec, facts: &Facts, name: &str, contract: &mut Vec<String>) {
    let flit = facts.latency && dice.percent(40);
    let (pattern, ends) = traffic(dice, spec, facts, name);
    let chosen =
        !facts.is_pod && !flit && facts.router_vcs >= facts.hops && !facts.one_way && dice.percent(50);
    let mut inner: Vec<Item> = model(dice, spec, facts, flit, chosen).into_iter().chain(pattern).collect();
    if chosen {
        let mut words = vec!["min", "min_first", "valiant", "ugal", "ugal_global"];
        if facts.is_dragonfly {
            words.extend(["family"; 3]);
        }
        let word = dice.pick(&words);
        let settings = match word {
            "ugal" if dice.percent(50) => vec![Item::line("samples = 2"), Item::line("bias = 3 flits")],
            "valiant" if dice.percent(50) => vec![Item::line("shortest = random")],
            _ => Vec::new(),
        };
        inner.push(Item::plain_if_empty(format!("routing = {word}"), settings));
        spec.note("ways", word);
    }
    inner.push(Item::line(format!("packet = {} flits", dice.within(1, 8))));
    if dice.percent(30) {
        inner.push(Item::line(format!("injection = {} cycles", dice.below(6))));
    }
    if !ends {
        inner.push(Item::line(dice.pick(&["rates = 0.05", "rates = 0.05 .. 0.15 step 0.05", "rates = 0.1"])));
        inner.push(Item::line(format!("warmup = {} cycles", dice.pick(&[0, 50, 100]))));
        inner.push(Item::line(format!("measure = {} cycles", dice.pick(&[100, 200]))));
        if dice.percent(20) {
            inner.push(Item::block(
                "births = bursts",
                vec![Item::line("length = 40 cycles"), Item::line("rate = 0.8")],
            ));
            spec.note("births", "bursts");
        }
    }
    if dice.percent(30) {
        inner.push(Item::line("seeds = 2"));
    }
    if facts.faults && dice.percent(15) && facts.routers <= 9 {
        inner.push(Item::line("scenarios = all"));
        spec.note("simulated", "all scenarios");
    }
    if dice.percent(50) {
        contract.push(match ends {
            true => format!("{name}.time <= 100000 us"),
            false => {
                dice.pick(&[format!("{name}.saturation <= 512"), format!("{name}.latency(0.5) <= 100000 us")])
            }
        });
    }
    spec.items.push(Item::block(format!("simulate {name}"), inner));
}

fn collective(dice: &mut Dice, spec: &mut Spec, facts: &Facts, name: &str, contract: &mut Vec<String>) {
    let kind =
        dice.pick(&["all_gather", "reduce_scatter", "all_reduce", "broadcast", "reduce", "all_to_all"]);
    // Elsewhere chunks cannot rest at a router.
    let copies = facts.of_chips && !facts.one_way;
    let mut words = vec!["", "", "auto", "direct"];
    if copies {
        words.extend_from_slice(match kind {
            "all_gather" | "reduce_scatter" => &["steps", "slots", "multitree"][..],
            "all_reduce" => &["gather_reduce", "local", "trees"],
            "broadcast" | "reduce" => &["pull"],
            _ => &[],
        });
    }
    let algorithm = dice.pick(&words);
    spec.note("collective", kind);
    spec.note("algorithm", if algorithm.is_empty() { "auto" } else { algorithm });
    let size = dice.pick(&["1 B", "64 KiB", "1 MiB", "1 GiB", "1000 kB", "12345 B"]);
    // Where the algorithm is left open, groups of a quarter of the chips do it.
    let group = facts.endpoints.len() / 4;
    let in_groups = algorithm == "auto"
        && group > 1
        && facts.endpoints.len() == 4 * group
        && !facts.one_way
        && kind != "broadcast"
        && kind != "reduce";
    let size = if in_groups { format!("{} B", group * 65_536) } else { size.to_owned() };
    let mut inner = vec![Item::line(format!("size = {size}"))];
    if in_groups {
        spec.note("collective", "groups");
        inner.push(Item::line(format!("groups = {group}")));
    }
    if !algorithm.is_empty() {
        inner.push(Item::line(format!("algorithm = {algorithm}")));
    }
    if kind == "broadcast" || kind == "reduce" {
        let root = facts.endpoints.get(dice.below(facts.endpoints.len())).copied().unwrap_or(0);
        inner.push(Item::line(format!("root = {root}")));
    }
    if dice.percent(25) {
        inner.push(Item::line(format!("chunks = {}", dice.within(1, 5))));
    }
    if dice.percent(25) {
        inner.push(Item::line(format!("overhead = {}", dice.pick(&["0", "100 ns", "1 us"]))));
    }
    if dice.percent(25) {
        inner.push(Item::line(format!("barrier = {}", dice.pick(&["yes", "no"]))));
    }
    if dice.percent(20) {
        inner.push(Item::line(format!("seed = {}", dice.below(9))));
    }
    let of_faults = facts.faults && facts.routers <= 9 && dice.percent(40);
    if of_faults {
        spec.note("collective", "all scenarios");
        inner.push(Item::line("scenarios = all"));
    }
    if dice.percent(50) {
        let metric = dice.pick(&[
            "time <= 1000000 ms",
            "share <= 1",
            "steps <= 100000000",
            "bandwidth >= 0.000000001 GB/s",
        ]);
        let fault = if of_faults && metric.starts_with("time") && dice.percent(50) { "fault." } else { "" };
        if metric != "share <= 1" {
            contract.push(format!("{fault}{name}.{metric}"));
        }
    }
    spec.items.push(Item::block(format!("collective {name} = {kind}"), inner));
}

/// Collectives whose vectors have a cycle each.
fn scheduled(dice: &mut Dice, spec: &mut Spec, facts: &Facts, contract: &mut Vec<String>) {
    let chips = facts.endpoints.len();
    let mut names: Vec<String> = Vec::new();
    for place in 0..dice.weighted(&[(4, 1), (3, 2), (2, 3)]) {
        let kind = dice.pick(&[
            "all_to_all",
            "all_gather",
            "reduce_scatter",
            "all_reduce",
            "broadcast",
            "send",
            "pairs",
        ]);
        let name = format!("c{place}");
        spec.note("scheduled", kind);
        let size = dice.pick(&["64 B", "4 KiB", "10 kB", "320 B", "1 B"]);
        let (from, to) = (dice.below(chips), dice.within(1, chips - 1));
        let to = (from + to) % chips;
        let mut head = format!("collective {name} = {kind}");
        let mut inner = Vec::new();
        match kind {
            "send" => inner.extend(
                [format!("from = {from}"), format!("to = {to}"), format!("size = {size}")].map(Item::line),
            ),
            "pairs" => {
                let file = format!("{name}.csv");
                let line = |dice: &mut Dice| {
                    let from = dice.below(chips);
                    let to = (from + dice.within(1, chips - 1)) % chips;
                    let earliest =
                        if dice.percent(25) { format!(",{}", dice.below(500)) } else { String::new() };
                    format!("{from},{to},{}{earliest}", dice.within(1, 4000))
                };
                let mut lines: Vec<String> = (0..dice.within(1, 6)).map(|_| line(dice)).collect();
                // The same two have one message of a cycle.
                let end_names =
                    |line: &String| line.split(',').take(2).map(str::to_owned).collect::<Vec<_>>();
                lines.sort_by_key(end_names);
                lines.dedup_by_key(|line| end_names(line));
                spec.files.insert(file.clone(), Data::Lines(lines));
                head += &format!(" \"{file}\"");
            }
            "broadcast" => inner.extend([format!("size = {size}"), format!("root = {from}")].map(Item::line)),
            _ => inner.push(Item::line(format!("size = {size}"))),
        }
        if ["send", "pairs"].contains(&kind) && dice.percent(40) {
            inner.push(Item::line(format!("paths = {}", dice.pick(&["any", "minimal", "2"]))));
        }
        let sizes: Vec<usize> = (2..chips).filter(|size| chips.is_multiple_of(*size)).collect();
        if !["send", "pairs", "broadcast"].contains(&kind)
            && facts.is_grid
            && dice.percent(15)
            && !sizes.is_empty()
        {
            inner.push(Item::line(format!("groups = {}", dice.pick(&sizes))));
            spec.note("scheduled", "groups");
        }
        if kind == "all_reduce" && dice.percent(40) {
            inner.push(Item::line("algorithm = trees"));
        }
        if !names.is_empty() && dice.percent(60) {
            inner.push(Item::line(format!("after = {}", dice.pick(&names))));
            spec.note("scheduled", "after");
        }
        spec.items.push(Item::plain_if_empty(head, inner));
        if dice.percent(40) {
            contract.push(format!(
                "{name}.{}",
                dice.pick(&["time <= 1000000 us", "makespan <= 1000000 us", "steps <= 100000000"])
            ));
        }
        names.push(name);
    }
    if dice.percent(40) {
        contract.push("makespan <= 1000000 us".to_owned());
    }
}

/// Lines of the contract that hold for every fabric of such a size.
fn requires(dice: &mut Dice, spec: &mut Spec, facts: &Facts, contract: &mut Vec<String>) {
    let mut lines = vec![
        "diameter <= 60",
        "average_hops <= 60.5",
        "concurrent_flow >= 0.0000000001",
        "injection >= 0.0000000001",
    ];
    if !facts.scheduled {
        lines.extend([
            "max_channel_load <= 100000000000",
            "load_ratio <= 1000000",
            "hops_ratio <= 60",
            "latency <= 100 ms",
            "latency_max <= 100 ms",
            "concurrent_flow >= 0.0001 % of bound",
            "max_channel_load <= 100000 * bound",
        ]);
    }
    if facts.faults {
        lines.extend([
            "fault.diameter <= 60",
            "fault.average_hops <= 60",
            "fault.latency <= 100 ms",
            "fault.hops_ratio <= 60",
        ]);
        lines.extend(["fault.bandwidth >= 0.0001 % of nominal", "fault.max_channel_load <= 100000 * bound"]);
    }
    if facts.is_pod {
        lines.extend(["disjoint_trees <= 1000"]);
    } else {
        lines.extend(["routers >= 2", "hosts >= 1", "links >= 1"]);
        if !facts.one_way {
            lines.extend(["bisection <= 100000", "edge_connectivity >= 1", "shortest_paths >= 1"]);
        }
        if spec.has("failures", "yes") {
            lines.push("disconnect_share <= 1");
        }
    }
    if facts.floor {
        lines.extend([
            "cable_length <= 1000000 m",
            "average_cable <= 900 m",
            "longest_cable <= 900 m",
            "bundles <= 100000",
        ]);
        if facts.priced {
            lines.extend(["cost <= 100000000", "power <= 100000 W"]);
        }
    }
    for _ in 0..dice.weighted(&[(4, 0), (3, 1), (3, 2), (1, 4)]) {
        let line = dice.pick(&lines);
        let word = line.split(' ').next().unwrap_or(line);
        if !contract.iter().any(|known| known.starts_with(word)) {
            spec.note(
                "require",
                if let Some((_, share)) = line.rsplit_once(" of ") {
                    format!("of {share}")
                } else {
                    word.to_owned()
                },
            );
            contract.push(line.to_owned());
        }
    }
}
