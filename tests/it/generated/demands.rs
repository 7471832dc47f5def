//! Demands: uniform, groups, and matrices of every shape.

use super::dice::Dice;
use super::facts::Facts;
use super::spec::{Data, Item, Spec};

/// Adds a demand, or none.
pub(crate) fn demand(dice: &mut Dice, spec: &mut Spec, facts: &Facts) {
    let count = facts.endpoints.len();
    let kind = match count {
        0 => dice.pick(&["none", "uniform"]),
        _ => dice.weighted(&[(4, "none"), (1, "uniform"), (4, "groups"), (5, "matrix")]),
    };
    match kind {
        "uniform" => spec.items.push(Item::line("demand = uniform")),
        "groups" => groups(dice, spec, &facts.group_sizes),
        "matrix" => {
            let (shape, rows) = matrix(dice, count);
            spec.note("demand", shape);
            spec.files.insert("demand.csv".to_owned(), Data::Matrix(rows));
            spec.items.push(Item::line("demand = matrix \"demand.csv\""));
            return;
        }
        _ => {}
    }
    spec.note("demand", if kind == "groups" { "groups" } else { "uniform" });
}

fn groups(dice: &mut Dice, spec: &mut Spec, sizes: &[usize]) {
    let mut lines = Vec::new();
    if dice.percent(50) {
        lines.push(Item::line(format!("all_to_all weight {}", dice.pick(&[1, 2, 1000, 1, 300_000]))));
    }
    let mut sizes: Vec<usize> = sizes.to_vec();
    // Groups of all are what `all_to_all` alone says.
    sizes.pop();
    dice.shuffle(&mut sizes);
    for size in sizes.into_iter().take(dice.within(1, 2)) {
        lines.push(Item::line(format!(
            "all_to_all over groups of {size} weight {}",
            dice.pick(&[1, 3, 4, 40])
        )));
    }
    if lines.is_empty() {
        lines.push(Item::line("all_to_all weight 1"));
    }
    spec.items.push(Item::block("demand", lines));
}

/// The shape of a matrix and its rows.
fn matrix(dice: &mut Dice, count: usize) -> (&'static str, Vec<Vec<u32>>) {
    let shape =
        dice.pick(&["dense", "sparse", "hot pair", "one receiver", "one sender", "permutation", "one pair"]);
    let mut rows = vec![vec![0; count]; count];
    let chosen = dice.below(count);
    let partner = (chosen + 1 + dice.below(count - 1)) % count;
    let shift = dice.within(1, count - 1);
    for (from, row) in rows.iter_mut().enumerate() {
        for (to, weight) in row.iter_mut().enumerate().filter(|(to, _)| *to != from) {
            let any = dice.within(1, 9) as u32;
            *weight = match shape {
                "dense" => any,
                "sparse" => any * u32::from(dice.percent(25)),
                "hot pair" => 1,
                "one receiver" => any * u32::from(to == chosen),
                "one sender" => any * u32::from(from == chosen),
                "permutation" => u32::from(to == (from + shift) % count),
                _ => 0,
            };
        }
    }
    match shape {
        "hot pair" => rows[chosen][partner] = dice.pick(&[50, 1000, 1_000_000]),
        "one pair" => rows[chosen][partner] = 1,
        _ => {}
    }
    if rows.iter().flatten().all(|weight| *weight == 0) {
        rows[chosen][partner] = 7;
    }
    (shape, rows)
}
