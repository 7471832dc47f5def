//! A chart with the table of its numbers.

use crate::json::push;
use crate::number::grouped;
use crate::svg::{self, Chart, escape};

/// The drawing, and a row per category in which some series has a value. `names` are the full names of the
/// categories, `heading` is the heading of their column, and `label` says what the table holds.
pub(super) fn figure(chart: &Chart, heading: &str, names: &[String], label: &str) -> String {
    let mut out = svg::bars(chart);
    let label = escape(label);
    out.push_str("\n<details><summary>Numbers of this picture</summary>\n");
    push(
        &mut out,
        format_args!(
            "<div class=\"scroll tall\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><table>\n"
        ),
    );
    push(&mut out, format_args!("<thead><tr><th scope=\"col\">{}</th>", escape(heading)));
    for series in &chart.series {
        push(&mut out, format_args!("<th scope=\"col\" class=\"number\">{}</th>", escape(series.name)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (category, name) in names
        .iter()
        .enumerate()
        .filter(|(category, _)| chart.series.iter().any(|series| series.values[*category] > 0))
    {
        push(&mut out, format_args!("<tr><th scope=\"row\">{}</th>", escape(name)));
        for series in &chart.series {
            push(&mut out, format_args!("<td class=\"number\">{}</td>", grouped(series.values[category])));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div></details>");
    out
}
