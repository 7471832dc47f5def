//! Writes the table of a sweep: one row per run.

use crate::json::{push, push_lines, quote};
use fabc_base::csv::row;
use fabc_ir::{SweepOutcome, SweepPlan, SweepRun};

/// A sweep plan with the outcomes of its runs.
pub struct SweepTable {
    /// The plan with all runs.
    pub plan: SweepPlan,
    /// Outcomes in the order of the runs.
    pub outcomes: Vec<SweepOutcome>,
}

impl SweepTable {
    /// The metrics that some run has, in the order of the reports.
    pub(super) fn metrics(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for outcome in &self.outcomes {
            let SweepOutcome::Built { metrics, .. } = outcome else { continue };
            for (name, _) in metrics {
                // A parameter may have the name of a metric, such as the number of cubes.
                if !names.contains(&name.as_str()) && !self.plan.parameters.contains(name) {
                    names.push(name);
                }
            }
        }
        names
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = (&SweepRun, &SweepOutcome)> {
        self.plan.runs.iter().zip(&self.outcomes)
    }
}

/// The path of the built directory of a run, relative to the directory of the sweep.
pub(super) fn built_path(run: &SweepRun) -> String {
    format!("runs/{}/{}", run.key, run.fabric)
}

/// The text of `table.json` (`fabc.sweep_table/1`).
pub fn sweep_table_json(table: &SweepTable) -> String {
    let mut out = "{\"format\":\"fabc.sweep_table/1\",".to_owned();
    let until = table.plan.until.as_deref().map_or("null".to_owned(), quote);
    push(&mut out, format_args!("\"until\":{until},\n\"runs\":"));
    push_lines(&mut out, &table.rows().collect::<Vec<_>>(), |out, (run, outcome)| {
        let values = table.plan.parameters.iter().zip(&run.values);
        let values: Vec<String> =
            values.map(|(name, value)| format!("{}:{}", quote(name), quote(value))).collect();
        push(
            out,
            format_args!("{{\"parameters\":{{{}}},\"status\":{},", values.join(","), quote(outcome.status())),
        );
        match outcome {
            SweepOutcome::Built { metrics, .. } => {
                let metrics: Vec<String> =
                    metrics.iter().map(|(name, value)| format!("{}:{value}", quote(name))).collect();
                push(
                    out,
                    format_args!(
                        "\"directory\":{},\"metrics\":{{{}}}}}",
                        quote(&built_path(run)),
                        metrics.join(",")
                    ),
                );
            }
            SweepOutcome::Failed { code, message } => {
                push(out, format_args!("\"code\":{},\"message\":{}}}", quote(code), quote(message)));
            }
        }
    });
    out + "}\n"
}

/// The text of `table.csv`: parameters, status, metrics, and the directory of a built run or the error of a
/// failed one.
pub fn sweep_csv(table: &SweepTable) -> String {
    let metrics = table.metrics();
    let heads =
        table.plan.parameters.iter().map(String::as_str).chain(["status"]).chain(metrics.iter().copied());
    let mut out = row(heads.chain(["directory", "error"]));
    for (run, outcome) in table.rows() {
        let values = metrics.iter().map(|name| outcome.metric(name).unwrap_or_default().to_owned());
        let (directory, error) = match outcome.error() {
            None => (built_path(run), String::new()),
            Some(error) => (String::new(), error),
        };
        out += &row(run
            .values
            .iter()
            .cloned()
            .chain([outcome.status().to_owned()])
            .chain(values)
            .chain([directory, error]));
    }
    out
}

/// The text of `table.txt`, for people. It has the metrics that the plan names, or as many as fit `width`
/// columns. Errors follow below.
pub fn sweep_text(table: &SweepTable, width: usize) -> String {
    let named: Vec<&str> = table.plan.columns.iter().map(String::as_str).collect();
    let metrics = if named.is_empty() { table.metrics() } else { named.clone() };
    let heads = table.plan.parameters.iter().map(String::as_str).chain(["status"]).chain(metrics);
    let columns: Vec<Vec<String>> = heads
        .enumerate()
        .map(|(index, head)| {
            let cells = table.rows().map(|(run, outcome)| match run.values.get(index) {
                Some(value) => value.clone(),
                None if index == run.values.len() => outcome.status().to_owned(),
                None => outcome.metric(head).unwrap_or("-").to_owned(),
            });
            std::iter::once(head.to_owned()).chain(cells).collect()
        })
        .collect();
    let (mut used, mut shown) = (0, Vec::new());
    let mut left_out = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let cell_width = column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        // Parameters and the status are always shown, and so is what the plan names.
        let is_always_shown = index <= table.plan.parameters.len() || !named.is_empty();
        if is_always_shown || used + cell_width + 2 <= width {
            used += cell_width + 2;
            shown.push((column, cell_width));
        } else {
            left_out.push(column[0].as_str());
        }
    }
    let mut out = String::new();
    for row in 0..=table.plan.runs.len() {
        let cells: Vec<String> =
            shown.iter().map(|(column, cell_width)| format!("{:>cell_width$}", column[row])).collect();
        out += &format!("{}\n", cells.join("  "));
    }
    if !left_out.is_empty() {
        out += &format!("not shown, but in table.csv: {}\n", left_out.join(", "));
    }
    for (run, outcome) in table.rows() {
        if let Some(error) = outcome.error() {
            let values: Vec<String> = table
                .plan
                .parameters
                .iter()
                .zip(&run.values)
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            out += &format!("{}: {error}\n", values.join(" "));
        }
    }
    out
}
