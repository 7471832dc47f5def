//! Other ways to write the same spec: constants, parameters, parts in a file, items in another order.

use super::dice::Dice;
use super::spec::{Data, Item, Spec};

/// Writes the spec in another way, now and then.
pub(crate) fn dress(dice: &mut Dice, spec: &mut Spec) {
    if dice.percent(20) {
        share(dice, spec);
    }
    if dice.percent(25) {
        constants(dice, spec);
    }
    if dice.percent(30) {
        dice.shuffle(&mut spec.items);
        spec.note("written", "shuffled");
    }
}

/// Moves links, and perhaps the router or chip, to a part that the spec uses.
fn share(dice: &mut Dice, spec: &mut Spec) {
    let with_router = dice.percent(50);
    let moves = |item: &Item| {
        item.head.starts_with("link ") || with_router && ["router", "chip"].contains(&&*item.head)
    };
    let (moved, kept): (Vec<Item>, Vec<Item>) = spec.items.drain(..).partition(moves);
    spec.items = kept;
    let mut changes = Vec::new();
    if let Some(item) = moved.iter().find(|item| item.head.starts_with("link ")).filter(|_| dice.percent(50))
    {
        changes.push(Item::block(item.head.clone(), vec![Item::line("latency = 3 cycles")]));
        spec.note("written", "use with changes");
    }
    spec.note("written", "use");
    spec.files.insert("parts.fab".to_owned(), Data::Part(moved));
    spec.items.insert(0, Item::plain_if_empty("use \"parts.fab\"", changes));
}

/// The number behind `name = `, and where it begins.
fn number(head: &str) -> Option<(usize, u64)> {
    let (name, value) = head.split_once(" = ")?;
    // Names of routers are names first.
    let plain = !["from", "to", "root", "overhead"].contains(&name)
        && name.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'_');
    Some((name.len() + 3, value.parse().ok().filter(|_| plain)?))
}

/// Puts constants and parameters in the place of numbers.
fn constants(dice: &mut Dice, spec: &mut Spec) {
    let mut named = Vec::new();
    let mut items = std::mem::take(&mut spec.items);
    let mut lines: Vec<&mut Item> = Vec::new();
    for item in &mut items {
        match item.block.is_some() {
            true => lines.extend(item.block.iter_mut().flatten()),
            false => lines.push(item),
        }
    }
    for line in lines {
        let Some((index, value)) = number(&line.head).filter(|_| line.block.is_none()) else { continue };
        if named.len() > 4 || dice.percent(60) {
            continue;
        }
        let name = format!("n{}", named.len());
        line.head.truncate(index);
        line.head += &name;
        named.push((name, value));
    }
    spec.items = items;
    let mut parameters = Vec::new();
    for (name, value) in named {
        match dice.below(4) {
            0 => spec.outside.push(Item::line(format!("let {name} = {value}"))),
            1 => spec.outside.push(Item::line(format!("let {name} = {} - 5 * 3", value + 15))),
            2 => {
                spec.outside.push(Item::line(format!("param {name} = {value}")));
                parameters.push((name, value));
            }
            _ => {
                spec.outside.push(Item::line(format!("param {name} = {value} in 0..=1000000")));
                parameters.push((name, value));
            }
        }
        spec.note("written", "constants");
    }
    if let Some((name, value)) = parameters.first() {
        spec.note("written", "parameters");
        if dice.percent(50) {
            spec.outside
                .push(Item::block("sweep", vec![Item::line(format!("{name} = {value}, {}", value + 1))]));
            spec.note("written", "sweep");
        }
    }
}
