//! Writes the files of a sweep: its plan, its failures, and the table of all runs.
//!
//! Input: a plan, and the outcomes of its runs. Output: `sweep.json`, `failed.json`, `table.json`,
//! `table.csv`, `table.txt`, `index.html`. Invariant: nothing depends on who ran what, or when.

mod page;
mod table;

pub use page::sweep_html;
pub use table::{SweepTable, sweep_csv, sweep_table_json, sweep_text};

use super::json::{push, push_lines, quote};
use super::manifest::TOOL;
use fabc_ir::SweepPlan;

/// The text of `sweep.json` (`fabc.sweep/1`), with the runs of a sweep.
pub fn sweep_json(plan: &SweepPlan) -> String {
    let mut out = format!("{{\"format\":\"fabc.sweep/1\",\"tool\":{},", quote(TOOL));
    let until = plan.until.as_deref().map_or("null".to_owned(), quote);
    push(&mut out, format_args!("\"until\":{until},\"parameters\":{},\n", string_list(&plan.parameters)));
    if !plan.columns.is_empty() {
        push(&mut out, format_args!("\"columns\":{},\n", string_list(&plan.columns)));
    }
    out.push_str("\"runs\":");
    push_lines(&mut out, &plan.runs, |out, run| {
        let settings: Vec<String> =
            run.settings.iter().map(|(name, value)| format!("{}:{}", quote(name), quote(value))).collect();
        let (values, fabric, key) = (string_list(&run.values), quote(&run.fabric), quote(&run.key));
        push(
            out,
            format_args!(
                "{{\"values\":{values},\"fabric\":{fabric},\"key\":{key},\"settings\":{{{}}}}}",
                settings.join(",")
            ),
        );
    });
    out + "}\n"
}

/// The text of `failed.json` (`fabc.failed/1`), which says why a run of a sweep has no directory.
pub fn failed_json(code: &str, message: &str) -> String {
    format!("{{\"format\":\"fabc.failed/1\",\"code\":{},\"message\":{}}}\n", quote(code), quote(message))
}

fn string_list(items: &[String]) -> String {
    format!("[{}]", items.iter().map(|item| quote(item)).collect::<Vec<_>>().join(","))
}
