//! The light of the page: the margins of all links as a histogram.

use super::figure::figure;
use crate::compiled::CompiledFabric;
use crate::light::{bars, compiled_lines};
use crate::number::grouped;
use crate::svg::{Chart, Series};
use fabc_ir::LightBudgets;
use minijinja::{Value, context};

/// Sentences and a histogram about the light of a compiled fabric; `None` without light.
pub(super) fn compiled_light(compiled: &CompiledFabric) -> Option<Value> {
    let budgets = compiled.light.as_ref()?;
    Some(light(budgets, compiled_lines(compiled)))
}

/// Sentences and a histogram about light.
pub(crate) fn light(budgets: &LightBudgets, lines: Vec<String>) -> Value {
    let classes = bars(budgets);
    let title = |(lower, links): &(String, u64)| format!("margin from {lower} dB: {} links", grouped(*links));
    let chart = Chart {
        label: "Links by margin, from the least to the largest; the table below has the numbers".to_owned(),
        height: 220.0,
        categories: classes.iter().map(|(lower, _)| lower.clone()).collect(),
        x_title: "margin, dB",
        y_title: "links",
        series: vec![Series {
            class: "bar two",
            name: "links",
            values: classes.iter().map(|(_, links)| *links).collect(),
            titles: classes.iter().map(title).collect(),
        }],
        mark: None,
    };
    let names: Vec<String> = classes.iter().map(|(lower, _)| format!("from {lower} dB")).collect();
    context! { lines, histogram => figure(&chart, "margin", &names, "Links by margin") }
}
