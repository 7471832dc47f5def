//! Writes the light budgets: `light.csv`, and their part of the reports.

use super::json::{push, push_numbers, quote};
use super::number::{grouped, ratio};
use crate::compiled::CompiledFabric;
use fabc_base::csv;
use fabc_base::units::thousandths_text;
use fabc_ir::{End, Fraction, LightBudget, LightBudgets, light_end_name};
use fabc_model::Fabric;

/// The names of ports by the ends of links.
pub(super) type EndName<'a> = &'a dyn Fn(End) -> String;

/// The name of a port of a compiled fabric.
fn end_name(compiled: &CompiledFabric, end: End) -> String {
    light_end_name(&compiled.fabric, &compiled.topology, end)
}

/// The text of `light.csv` of a compiled fabric. Empty without light.
pub(super) fn compiled_csv(compiled: &CompiledFabric) -> String {
    let budgets = compiled.light.as_ref();
    budgets.map_or_else(String::new, |budgets| csv(&compiled.fabric, budgets, &|end| end_name(compiled, end)))
}

/// The text of `light.csv`: a line per link with light.
pub(super) fn csv(fabric: &Fabric, budgets: &LightBudgets, name: EndName<'_>) -> String {
    let mut out =
        String::from("link,switch,a,b,length_m,connectors_db,fiber_db,switch_db,received_dbm,margin_db\n");
    for budget in &budgets.links {
        let [a, b] = budget.ends.map(name);
        let length = budget.length.map_or(String::new(), |tenths| thousandths_text(100 * i64::from(tenths)));
        let losses = budget.losses;
        let numbers = [losses.connectors, losses.fiber, losses.switch, budget.received, budget.margin];
        let link_type = fabric.link_types[budget.link_type].name.clone();
        let words = [link_type, switch_name(fabric, budget), a, b, length];
        out += &csv::row(words.into_iter().chain(numbers.map(thousandths_text)));
    }
    out
}

/// The switch that a link passes, or nothing.
fn switch_name(fabric: &Fabric, budget: &LightBudget) -> String {
    let ocs = budget.through.and_then(|(id, _)| Some(&fabric.pod()?.ocses[id]));
    ocs.map_or(String::new(), |ocs| ocs.name.clone())
}

/// Writes `"light":{..}` of a report: the margins of all links in dB.
pub(super) fn push_report(out: &mut String, fabric: &Fabric, budgets: &LightBudgets, name: EndName<'_>) {
    let Some(((least, most), tightest)) = budgets.range().zip(budgets.tightest(fabric)) else {
        out.push_str("\"light\":{\"links\":0}");
        return;
    };
    let [a, b] = tightest.ends.map(name);
    let needs = tightest.margin - tightest.spare(fabric);
    push(out, format_args!("\"light\":{{\"links\":{},", budgets.links.len()));
    push(
        out,
        format_args!(
            "\"margin_least\":{},\"margin_mean\":{},\"margin_most\":{},",
            thousandths_text(least),
            ratio(mean(budgets)),
            thousandths_text(most)
        ),
    );
    push(
        out,
        format_args!(
            "\"tightest\":{{\"a\":{},\"b\":{},\"margin\":{},\"needs\":{}}},\"histogram\":",
            quote(&a),
            quote(&b),
            thousandths_text(tightest.margin),
            thousandths_text(needs)
        ),
    );
    let classes = budgets.histogram().into_iter();
    push_numbers(out, classes.map(|(lower, links)| format!("[{},{links}]", thousandths_text(lower))));
    out.push('}');
}

/// Writes the light of a compiled fabric, if it has any.
pub(super) fn push_compiled(out: &mut String, compiled: &CompiledFabric) {
    if let Some(budgets) = &compiled.light {
        push_report(out, &compiled.fabric, budgets, &|end| end_name(compiled, end));
        out.push_str(",\n");
    }
}

/// The mean margin, in dB. Margins of a fabric that closes are not negative.
fn mean(budgets: &LightBudgets) -> Fraction {
    let (sum, count) = budgets.sum();
    Fraction::new(sum.unsigned_abs(), 1000 * count.max(1))
}

/// Sentences about the light of a compiled fabric. None without light.
pub(super) fn compiled_lines(compiled: &CompiledFabric) -> Vec<String> {
    let budgets = compiled.light.as_ref();
    budgets.map_or_else(Vec::new, |budgets| {
        light_lines(&compiled.fabric, budgets, &|end| end_name(compiled, end))
    })
}

/// Sentences about light: the margins, the tightest link, and how many links have which margin.
pub(super) fn light_lines(fabric: &Fabric, budgets: &LightBudgets, name: EndName<'_>) -> Vec<String> {
    let Some(((least, most), tightest)) = budgets.range().zip(budgets.tightest(fabric)) else {
        return vec!["light: no link is lit".to_owned()];
    };
    let [a, b] = tightest.ends.map(name);
    let links = match budgets.links.len() {
        1 => "1 link".to_owned(),
        links => format!("{} links", grouped(links as u64)),
    };
    let needs = tightest.margin - tightest.spare(fabric);
    let through = match switch_name(fabric, tightest) {
        switch if switch.is_empty() => String::new(),
        switch => format!(" through {switch}"),
    };
    let classes: Vec<String> = budgets
        .histogram()
        .into_iter()
        .filter(|(_, links)| *links > 0)
        .map(|(lower, links)| format!("{} from {} dB", grouped(links), thousandths_text(lower)))
        .collect();
    vec![
        format!(
            "light: {links}, margin {} to {} dB, {} dB on average; the tightest is {a} to {b}{through}, {} dB where {} dB are needed",
            thousandths_text(least),
            thousandths_text(most),
            super::number::fixed(mean(budgets), 3),
            thousandths_text(tightest.margin),
            thousandths_text(needs)
        ),
        format!("margins in steps of 0.5 dB: {}", classes.join(", ")),
    ]
}

/// The margins as bars: the lower end of every class in dB, and the number of links in it.
pub(super) fn bars(budgets: &LightBudgets) -> Vec<(String, u64)> {
    let classes = budgets.histogram().into_iter();
    classes.map(|(lower, links)| (thousandths_text(lower), links)).collect()
}
