//! Verifies `light.csv`: the budget of every link with light.

use super::comparison::{ExpectedValue, Fields};
use super::read::{bytes, contradiction};
use super::{Files, LIGHT};
use crate::CheckError;
use crate::exact::Exact;
use crate::light::light_end_name;
use fabc_base::csv;
use fabc_base::units::thousandths_text;
use fabc_ir::{End, LightBudget, LightBudgets, Topology};
use fabc_model::Fabric;
use serde_json::Value;
use std::collections::BTreeMap;

/// The columns of the file.
const COLUMNS: [&str; 10] = [
    "link",
    "switch",
    "a",
    "b",
    "length_m",
    "connectors_db",
    "fiber_db",
    "switch_db",
    "received_dbm",
    "margin_db",
];

/// Compares every line of the file with the recomputed budgets. `name` is the name of a port.
///
/// # Errors
/// The first line and column that differ.
pub fn verify_light_file(
    files: &Files,
    fabric: &Fabric,
    budgets: &LightBudgets,
    name: &dyn Fn(End) -> String,
) -> Result<(), CheckError> {
    let reject = |place: String, violation: String| Err(contradiction(LIGHT, place, violation));
    let Ok(text) = std::str::from_utf8(bytes(files, LIGHT)?) else {
        return reject(String::new(), "is not UTF-8 text".to_owned());
    };
    let mut lines = text.lines();
    if lines.next().map(|head| head.split(',').collect::<Vec<_>>()) != Some(COLUMNS.to_vec()) {
        return reject("line 1".to_owned(), format!("is not `{}`", COLUMNS.join(",")));
    }
    let lines: Vec<&str> = lines.collect();
    if lines.len() != budgets.links.len() {
        let violation = format!("lists {} links, but {} have light", lines.len(), budgets.links.len());
        return reject(String::new(), violation);
    }
    for (number, (line, budget)) in (2..).zip(lines.iter().zip(&budgets.links)) {
        let place = format!("line {number}");
        let cells = match csv::cells(line) {
            Ok(cells) => cells,
            Err(problem) => return reject(place, problem.to_owned()),
        };
        let expected = expected_cells(fabric, budget, name);
        if cells.len() != expected.len() {
            return reject(place, format!("has {} values, not {}", cells.len(), expected.len()));
        }
        let differing =
            COLUMNS.iter().zip(cells.iter().zip(&expected)).find(|(_, (cell, expected))| cell != expected);
        if let Some((column, (cell, expected))) = differing {
            return reject(format!("{place}, `{column}`"), format!("says `{cell}`, but it is `{expected}`"));
        }
    }
    Ok(())
}

/// The values of a line.
fn expected_cells(fabric: &Fabric, budget: &LightBudget, name: &dyn Fn(End) -> String) -> [String; 10] {
    let [a, b] = budget.ends.map(name);
    let switch = budget.through.and_then(|(id, _)| Some(fabric.pod()?.ocses[id].name.clone()));
    let length = budget.length.map_or(String::new(), |tenths| thousandths_text(100 * i64::from(tenths)));
    let losses = budget.losses;
    [
        fabric.link_types[budget.link_type].name.clone(),
        switch.unwrap_or_default(),
        a,
        b,
        length,
        thousandths_text(losses.connectors),
        thousandths_text(losses.fiber),
        thousandths_text(losses.switch),
        thousandths_text(budget.received),
        thousandths_text(budget.margin),
    ]
}

/// The section about light: the margins, the tightest link, and the number of links in each half of a dB.
pub(super) fn expected_light(fabric: &Fabric, topology: &Topology, budgets: &LightBudgets) -> Fields {
    let decibels = |thousandths: i64| {
        let number = thousandths_text(thousandths).parse::<f64>().unwrap_or(f64::NAN);
        if thousandths % 1000 == 0 { Value::from(thousandths / 1000) } else { Value::from(number) }
    };
    let mut fields = vec![("links", Some(ExpectedValue::Integer(budgets.links.len() as u64)))];
    let margins: Vec<i64> = budgets.links.iter().map(|link| link.margin).collect();
    let needed = |link: &LightBudget| {
        fabric.link_types[link.link_type].optics.map_or(0, |optics| i64::from(optics.margin))
    };
    let tightest = budgets.links.iter().min_by_key(|link| link.margin - needed(link));
    let (Some(&least), Some(&most), Some(tightest)) = (margins.iter().min(), margins.iter().max(), tightest)
    else {
        return fields;
    };
    let sum: i64 = margins.iter().sum();
    let mean = Exact::new(sum.unsigned_abs().into(), 1000 * margins.len() as u128);
    let [a, b] = tightest.ends.map(|end| light_end_name(fabric, topology, end));
    let (margin, needs) = (decibels(tightest.margin), decibels(needed(tightest)));
    let tightest = serde_json::json!({"a": a, "b": b, "margin": margin, "needs": needs});
    let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
    (least.div_euclid(500)..=most.div_euclid(500)).for_each(|class| _ = counts.insert(class, 0));
    margins.iter().for_each(|margin| *counts.entry(margin.div_euclid(500)).or_default() += 1);
    let classes =
        counts.into_iter().map(|(class, links)| Value::from(vec![decibels(500 * class), links.into()]));
    fields.extend([
        ("margin_least", Some(ExpectedValue::Exactly(decibels(least)))),
        ("margin_mean", mean.map(ExpectedValue::Ratio)),
        ("margin_most", Some(ExpectedValue::Exactly(decibels(most)))),
        ("tightest", Some(ExpectedValue::Exactly(tightest))),
        ("histogram", Some(ExpectedValue::Exactly(classes.collect()))),
    ]);
    fields
}
