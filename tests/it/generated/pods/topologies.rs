//! Topologies of pods: searches, tori, twisted tori and linear programs.

use super::{PodShape, SwitchGroup, groups, sizes, some_axes};
use crate::generated::dice::Dice;
use crate::generated::spec::{Data, Item, Spec};

/// The cubes, switches and the topology of a row, and whether it is a torus.
pub(super) fn shape(
    dice: &mut Dice,
    spec: &mut Spec,
    row: &str,
    fibers: &[&'static str],
) -> (PodShape, Item, bool) {
    match row {
        "pod torus" => torus(dice, spec, fibers),
        "pod twisted_torus" => twisted(dice, spec, fibers),
        "pod milp" | "pod relax" => program(dice, spec, row, fibers),
        "pod one cube" => {
            let sides = dice.pick(&[[2, 2, 1], [2, 2, 2], [3, 2, 1], [4, 1, 1], [1, 2, 3]]);
            let axes = if dice.percent(50) { Vec::new() } else { some_axes(dice) };
            // Along a side of one chip a fiber would join it to itself.
            let axes: Vec<usize> = axes.into_iter().filter(|axis| sides[*axis] > 1).collect();
            let groups = groups(dice, spec, sides, 1, &axes, false, fibers);
            let shape = PodShape { sides, cubes: 1, groups };
            (shape, synthesize(dice, spec, &[]), false)
        }
        _ => {
            let (sides, cubes) = sizes(dice);
            let axes = some_axes(dice);
            let mut groups = groups(dice, spec, sides, cubes, &axes, row == "pod slices", fibers);
            if row == "pod synthesize" && groups.len() > 1 && cubes > 3 && dice.percent(20) {
                split(&mut groups, cubes);
                spec.note("switches", "for cubes");
            }
            let shape = PodShape { sides, cubes, groups };
            let topology = match row {
                "pod cross_connects" | "pod near" => {
                    let switches = shape.groups.iter().flat_map(|group| group.switches(cubes, 1)).collect();
                    spec.files.insert("live.json".to_owned(), Data::Switches(switches));
                    let near = [
                        Item::line("start = cross_connects \"live.json\""),
                        Item::line(format!("moves <= {}", dice.below(9))),
                    ];
                    if row == "pod near" {
                        synthesize(dice, spec, &near)
                    } else {
                        Item::line("topology = cross_connects \"live.json\"")
                    }
                }
                _ => synthesize(dice, spec, &[]),
            };
            (shape, topology, false)
        }
    }
}

/// Has two groups of switches share the positions of the last axis: each serves half of the cubes.
fn split(groups: &mut Vec<SwitchGroup>, cubes: usize) {
    let Some(last) = groups.pop() else { return };
    let middle = cubes / 2;
    for (name, served) in [("A", (0, middle)), ("B", (middle, cubes))] {
        groups.push(SwitchGroup { name: format!("{}{name}", last.name), cubes: served, ..last.clone() });
    }
}

pub(super) fn synthesize(dice: &mut Dice, spec: &mut Spec, first: &[Item]) -> Item {
    let mut inner = first.to_vec();
    let near = !first.is_empty();
    // Where switches serve some cubes only, no translation keeps them.
    let keeps = !near && !spec.has("switches", "for cubes");
    let symmetry = dice.weighted(&[(4, ""), (2, "auto"), (usize::from(keeps), "translation"), (2, "none")]);
    if !symmetry.is_empty() {
        inner.push(Item::line(format!("symmetry = {symmetry}")));
        spec.note("symmetry", symmetry);
    }
    if dice.percent(30) {
        inner.push(Item::line("effort = 1"));
    }
    if dice.percent(40) {
        inner.push(Item::line(format!("seed = {}", dice.below(50))));
    }
    if dice.percent(30) {
        let objective = dice.pick(&["flow", "hops"]);
        inner.push(Item::line(format!("objective = {objective}")));
        spec.note("objective", objective);
    }
    Item::plain_if_empty("topology = synthesize", inner)
}

fn torus(dice: &mut Dice, spec: &mut Spec, fibers: &[&'static str]) -> (PodShape, Item, bool) {
    let (sides, of_cubes) = dice.pick(&[
        ([2, 2, 2], [1, 1, 2]),
        ([2, 2, 2], [1, 1, 1]),
        ([2, 2, 1], [2, 1, 1]),
        ([2, 2, 1], [2, 2, 1]),
        ([1, 1, 1], [3, 2, 1]),
        ([1, 1, 1], [2, 2, 2]),
        ([1, 2, 2], [3, 1, 1]),
        ([2, 1, 1], [1, 3, 1]),
        ([3, 1, 1], [2, 2, 1]),
        ([2, 2, 2], [3, 1, 1]),
        ([1, 1, 4], [1, 1, 2]),
    ]);
    let dims: Vec<usize> = (0..3).map(|axis| sides[axis] * of_cubes[axis]).collect();
    let cubes = of_cubes.iter().product();
    // The faces along an axis of one chip are dark.
    let axes: Vec<usize> = (0..3).filter(|axis| dims[*axis] > 1).collect();
    let groups = groups(dice, spec, sides, cubes, &axes, true, fibers);
    let shape = PodShape { sides, cubes, groups };
    (shape, Item::line(format!("topology = torus {} x {} x {}", dims[0], dims[1], dims[2])), true)
}

fn twisted(dice: &mut Dice, spec: &mut Spec, fibers: &[&'static str]) -> (PodShape, Item, bool) {
    let (side, dims) = dice.pick(&[(2, [2, 2, 4]), (2, [2, 4, 4]), (1, [2, 2, 4]), (1, [2, 4, 4])]);
    let cubes = dims.iter().map(|dim| dim / side).product();
    let groups = groups(dice, spec, [side; 3], cubes, &[0, 1, 2], true, fibers);
    let shape = PodShape { sides: [side; 3], cubes, groups };
    (shape, Item::line(format!("topology = twisted_torus {} x {} x {}", dims[0], dims[1], dims[2])), false)
}

/// A graph of chips that a program wires: cubes of one chip.
fn program(dice: &mut Dice, spec: &mut Spec, row: &str, fibers: &[&'static str]) -> (PodShape, Item, bool) {
    let cubes = dice.within(3, 6);
    let axes = [0, 1];
    let mut groups = groups(dice, spec, [1; 3], cubes, &axes, false, fibers);
    if dice.percent(50) {
        groups.truncate(1);
    }
    let (method, setting) = if row == "pod milp" { ("milp", "nodes = 50") } else { ("relax", "fix = 2") };
    let mut inner = vec![Item::line(format!("method = {method}"))];
    if dice.percent(70) {
        inner.push(Item::line(setting));
    }
    if dice.percent(50) {
        inner.push(Item::line(format!("symmetry = {}", dice.pick(&["none", "auto", "none"]))));
    }
    let shape = PodShape { sides: [1; 3], cubes, groups };
    (shape, Item::block("topology = synthesize", inner), false)
}
