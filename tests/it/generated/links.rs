//! Declared links.

use super::dice::Dice;
use super::spec::Item;

/// Whether all links have the same bandwidth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Carry {
    Alike,
    Unlike,
}

/// Declared links with what follows from them.
pub(crate) struct Links {
    pub(crate) items: Vec<Item>,
    pub(crate) alike: bool,
    /// Whether every link takes a cycle at least.
    pub(crate) timed: bool,
    /// Whether any has a price.
    pub(crate) priced: bool,
    /// The value in the table of coverage.
    pub(crate) word: &'static str,
}

/// Generates links with these names.
pub(crate) fn links(dice: &mut Dice, names: &[&str], carry: Carry, floor: bool) -> Links {
    let alike = carry == Carry::Alike || names.len() == 1;
    let common = dice.pick(&["100 Gbps", "50 GB/s", "400 Gbps", "1 TB/s", "12.5 GB/s"]);
    let unlike = [
        ["100 Gbps", "400 Gbps", "200 Gbps"],
        ["50 GB/s", "100 GB/s", "25 GB/s"],
        ["300 Gbps", "100 Gbps", "200 Gbps"],
    ];
    let unlike = dice.pick(&unlike);
    let (mut timed, mut priced, mut items) = (true, false, Vec::new());
    for (place, name) in names.iter().enumerate() {
        let bandwidth = if alike { common } else { unlike[place] };
        let mut inner = vec![Item::line(format!("bandwidth = {bandwidth}"))];
        let latency =
            dice.pick(&["", "10 ns", "7 m", "25 cycles", "1 cycles", "0.5 us", "0 cycles", "10.5 ns"]);
        timed &= latency != "0 cycles";
        if !latency.is_empty() {
            inner.push(Item::line(format!("latency = {latency}")));
        }
        if floor {
            for (setting, values) in [
                ("per_metre", ["5 ns", "4.9 ns", "33 ps"]),
                ("cost", ["100", "40", "0.5"]),
                ("cost_per_metre", ["2", "2.50", "1"]),
                ("power", ["0.2 W", "100 mW", "2 W"]),
            ] {
                if dice.percent(50) {
                    inner.push(Item::line(format!("{setting} = {}", dice.pick(&values))));
                    priced |= setting != "per_metre";
                }
            }
        }
        items.push(Item::block(format!("link {name}"), inner));
    }
    Links { items, alike, timed, priced, word: if alike { "alike" } else { "unlike" } }
}
