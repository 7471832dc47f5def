//! Floors: where routers, cubes and switches stand.

use super::dice::Dice;
use super::families::Topology;
use super::spec::{Item, Spec};

/// Settings that floors of networks and of pods share.
fn common(dice: &mut Dice, spec: &mut Spec, inner: &mut Vec<Item>) {
    for (setting, values) in [
        ("pitch_x", ["0.6 m", "1 m", "0.7 m"]),
        ("pitch_y", ["2.1 m", "2 m", "1.5 m"]),
        ("inside", ["2 m", "0.5 m", "0 m"]),
        ("overhead", ["2 m", "1.5 m", "0 m"]),
        ("install", ["30", "1.5", "0"]),
    ] {
        if dice.percent(30) {
            inner.push(Item::line(format!("{setting} = {}", dice.pick(&values))));
        }
    }
    if dice.percent(30) {
        let order = dice.pick(&["serpentine", "row_major"]);
        inner.push(Item::line(format!("order = {order}")));
        spec.note("floor", order);
    }
    if dice.percent(40) {
        let settings = vec![Item::line("effort = 1"), Item::line(format!("seed = {}", dice.below(9)))];
        let settings = if dice.percent(50) { settings } else { Vec::new() };
        inner.push(Item::plain_if_empty("placement = annealed", settings));
        spec.note("floor", "annealed");
    }
    if spec
        .items
        .iter()
        .any(|item| item.block.iter().flatten().any(|line| line.head.starts_with("per_metre")))
    {
        spec.note("floor", "per_metre");
    }
}

/// The floor of a network. Where names are given, the length of a link selects it.
pub(crate) fn of_network(
    dice: &mut Dice,
    spec: &mut Spec,
    topology: &Topology,
    by_length: Option<&Vec<&str>>,
) {
    let routers = topology.routers;
    let full: Vec<usize> = (1..=routers).filter(|size| routers.is_multiple_of(*size)).collect();
    let mut cabinet = if topology.needs_floor { dice.pick(&full) } else { dice.within(1, routers) };
    let mut inner = Vec::new();
    spec.note("floor", "yes");
    if !topology.needs_floor {
        match (dice.below(4), topology.group) {
            (0, _) if routers <= 64 => {
                let steps = if dice.percent(50) {
                    vec![Item::line(format!("steps = {}", dice.within(1, 5)))]
                } else {
                    Vec::new()
                };
                inner.push(Item::plain_if_empty("clustering = walktrap", steps));
                spec.note("floor", "walktrap");
            }
            (1 | 2, Some(group)) if topology.is_plane && dice.percent(50) => {
                cabinet = cabinet.max(group);
                inner.push(Item::line("clustering = by_cluster"));
                spec.note("floor", "by_cluster");
            }
            (1 | 2, Some(group)) => {
                cabinet = cabinet.max(group);
                inner.push(Item::line("clustering = by_group"));
                spec.note("floor", "by_group");
            }
            (3, _) => inner.push(Item::line("clustering = sequential")),
            _ => {}
        }
    }
    if topology.group.is_some() && topology.row != "permute" && dice.percent(25) {
        inner.push(Item::line("bundles = by_group"));
        spec.note("floor", "bundles by_group");
    } else if dice.percent(15) {
        inner.push(Item::line("bundles = by_cabinet"));
    }
    inner.insert(0, Item::line(format!("cabinet = {cabinet}")));
    if dice.percent(30) {
        inner.push(Item::line(format!("grid = fixed {} x {}", dice.within(8, 10), dice.within(16, 20))));
        spec.note("floor", "grid");
    }
    common(dice, spec, &mut inner);
    if let Some(names) = by_length {
        inner.push(Item::line(format!("{} <= {} m", names[0], dice.within(2, 6))));
        inner.push(Item::line(format!("beyond = {}", names[1])));
        spec.note("floor", "by length");
    }
    spec.items.push(Item::block("floor", inner));
}

/// The floor of a pod of so many cubes and switches.
pub(crate) fn of_pod(dice: &mut Dice, spec: &mut Spec, cubes: usize, switches: usize) {
    let mut inner = Vec::new();
    spec.note("floor", "yes");
    if switches > 0 {
        let rack = dice.within(1, switches);
        let racks = switches.div_ceil(rack);
        let rows = dice.within(2, 4);
        let columns = racks.max(cubes);
        let by_row = dice.percent(50);
        inner.push(Item::line(if by_row { "ocs = row 1".to_owned() } else { "ocs = at 0 x 0".to_owned() }));
        if racks > 1 || dice.percent(50) {
            inner.push(Item::line(format!("ocs_rack = {rack}")));
        }
        if by_row || dice.percent(40) {
            inner.push(Item::line(format!("grid = fixed {rows} x {columns}")));
            spec.note("floor", "grid");
        }
    }
    common(dice, spec, &mut inner);
    spec.items.push(Item::block("floor", inner));
}
