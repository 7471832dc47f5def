//! Writes the report as text, for `report.txt` and for a terminal of any width.

use super::collective::{CollectiveTextRow, collective_title, conditions, nominal_and_worst_fault};
use super::floor::{floor_lines, floor_rows, trade_off};
use super::job::{JobTextRow, job_rows, sentences};
use super::light;
use super::lines::{Color, Lines, Look};
use super::measured;
use super::number::grouped;
use super::simulation;
use super::summary::{self, MetricRow, percent, quotient4, ratio4, readable};
use crate::compiled::CompiledFabric;
use fabc_ir::{Fraction, worst};
use fabc_model::Metric;

/// The report for people, with the width and colors of `look`.
pub fn terminal_report(compiled: &CompiledFabric, look: Look) -> String {
    let fabric = &compiled.fabric;
    let mut page = Lines::new(look);
    page.push_wrapped("", &fabric.name);
    let lines =
        [summary::links_line(compiled), summary::choices_line(compiled), summary::proof_line(compiled)];
    for line in summary::plant_lines(compiled)
        .into_iter()
        .chain(lines)
        .chain(summary::demand_line(fabric))
        .chain(summary::gain_line(compiled))
    {
        page.push_wrapped("  ", &line);
    }
    page.push_metrics(compiled);
    page.push_network(compiled);
    page.push_floor(compiled);
    page.push_light(compiled);
    page.push_faults(compiled);
    page.push_simulations(compiled);
    page.push_collectives(compiled);
    page.push_jobs(compiled);
    page.push_requires(compiled);
    page.push_passes(compiled);
    page.out
}

impl Lines {
    fn push_metrics(&mut self, compiled: &CompiledFabric) {
        let nominal = &compiled.scenarios[0].metrics;
        self.push_title("METRICS", &format!("  {:>12}  {:>14}  {:>8}", "value", "bound", "ratio"));
        for MetricRow { name, value, bound, ratio, note } in summary::metric_rows(compiled) {
            let missing = if nominal.routed.is_some() { "not measured" } else { "not routed" };
            let value = if value.is_empty() { missing } else { &value };
            let ratio = ratio.map_or(String::new(), ratio4);
            self.push_wrapped(&format!("  {name:<16}{value:>12}  {bound:>14}  {ratio:>8}  "), note);
        }
        let bound = nominal.distance_ceiling();
        let share = percent(nominal.flow_low.over(bound));
        let distance = super::number::round_up_sig(bound, 6);
        self.push_clipped(format!("  distance bound on concurrent_flow: <= {distance}; the certified lower end reaches {share} of it"));
        if let Some(note) = summary::trees_note(compiled) {
            self.push_wrapped("  ", &format!("disjoint trees: {note}"));
        }
        if let Some(line) = summary::limit_line(compiled) {
            self.push_wrapped("  ", &line);
        }
        if let Some(walk) = &nominal.routed {
            let mean = nominal.mean_entries().map_or(0.0, Fraction::as_f64);
            self.push_clipped(format!(
                "  table entries per router: {mean:.1} on average, {} at most",
                grouped(walk.entries_max)
            ));
        }
    }

    fn push_network(&mut self, compiled: &CompiledFabric) {
        let lines = measured::lines(compiled);
        if !lines.is_empty() {
            self.push_title(if compiled.network.is_some() { "NETWORK" } else { "HARDWARE" }, "");
        }
        lines.iter().for_each(|line| self.push_wrapped("  ", line));
        let rows = compiled.network.as_ref().map_or_else(Vec::new, measured::paths_by_distance);
        let failures = compiled.network.as_ref().map_or_else(Vec::new, measured::failure_rows);
        let heads =
            ["distance", "pairs", "with one path", "paths, mean", "fewest", "most"].map(str::to_owned);
        let heads = (!rows.is_empty()).then_some(heads);
        for [distance, pairs, single, mean, fewest, most] in heads.into_iter().chain(rows) {
            self.push_clipped(format!(
                "    {distance:<8}  {pairs:>13}  {single:>13}  {mean:>12}  {fewest:>8}  {most:>8}"
            ));
        }
        let heads = ["failed", "links", "diameter", "average hops"].map(str::to_owned);
        let heads = (!failures.is_empty()).then_some(heads);
        for [percent, links, diameter, hops] in heads.into_iter().chain(failures) {
            self.push_clipped(format!("    {percent:>8}  {links:>13}  {diameter:>13}  {hops:>12}"));
        }
    }

    fn push_floor(&mut self, compiled: &CompiledFabric) {
        let lines = floor_lines(compiled);
        if lines.is_empty() {
            return;
        }
        self.push_title("FLOOR", "");
        lines.iter().for_each(|line| self.push_wrapped("  ", line));
        let heads = ["link", "cables", "m in all"].map(str::to_owned);
        for [link, cables, metres] in std::iter::once(heads).chain(floor_rows(compiled)) {
            self.push_clipped(format!("    {link:<16}  {cables:>13}  {metres:>13}"));
        }
        let heads = ["weight of cable", "average hops", "flow of a pair", "of the most", "average cable, m"]
            .map(str::to_owned);
        let rows: Vec<[String; 5]> = trade_off(compiled).into_iter().map(|(.., row)| row).collect();
        for [weight, hops, flow, share, cable] in (!rows.is_empty()).then_some(heads).into_iter().chain(rows)
        {
            self.push_clipped(format!("    {weight:<15}  {hops:>12}  {flow:>14}  {share:>11}  {cable:>16}"));
        }
    }

    fn push_light(&mut self, compiled: &CompiledFabric) {
        let lines = light::compiled_lines(compiled);
        if !lines.is_empty() {
            self.push_title("LIGHT", "");
            lines.iter().for_each(|line| self.push_wrapped("  ", line));
        }
    }

    fn push_faults(&mut self, compiled: &CompiledFabric) {
        let metrics = compiled.metrics();
        let faults = metrics.len() - 1;
        if compiled.fabric.budget.faults.is_none() {
            return;
        }
        if faults == 0 {
            return self.push_title("FAULTS", "  not measured: the build stopped before routing");
        }
        self.push_title("FAULTS", &format!("  {:>12}  {:>14}  {:>8}  scenario", "nominal", "worst", "ratio"));
        for metric in Metric::of_scenarios() {
            // Without tables a fault has no certified flow: nothing to show.
            let worst_value = worst(&metrics, metric)
                .filter(|(value, _)| !value.is_zero() || metric == Metric::DisjointTrees);
            let Some(((value, scenario), nominal)) = worst_value.zip(metrics[0].value(metric)) else {
                continue;
            };
            let (name, before, after) = (metric.name(), readable(metric, nominal), readable(metric, value));
            let line = format!(
                "  {name:<16}{before:>12}  {after:>14}  {:>8}  {scenario}",
                quotient4(value, nominal)
            );
            self.push_painted(line, &after, (value != nominal).then_some(Color::Yellow));
        }
        let plural = if faults == 1 { "" } else { "s" };
        self.push_clipped(format!(
            "  {} fault scenario{plural} measured, each with tables of its own",
            grouped(faults as u64)
        ));
        if let Some(line) = summary::represented_faults(compiled) {
            self.push_clipped(format!("  {line}"));
        }
    }

    fn push_simulations(&mut self, compiled: &CompiledFabric) {
        let run = compiled.fabric.simulations.iter().zip(&compiled.simulations);
        for (simulation, reports) in run.filter(|(_, reports)| !reports.is_empty()) {
            let setting = &reports[0].setting;
            let worst = |adjective: &str| match reports.len() {
                1 => String::new(),
                scenarios => format!(", the {adjective} of {} faults", grouped(scenarios as u64 - 1)),
            };
            if reports[0].volume.is_some() {
                self.push_title(
                    "SIMULATION",
                    &format!(
                        "  {:>11}  {:>11}  {:>8}  {:>10}  {:>10}",
                        "at least", "cycles", "of bound", "us", "GB/s"
                    ),
                );
                for row in simulation::nominal_and_slowest(&compiled.fabric, reports) {
                    let name = format!("{}, {}", simulation.name, row.scenario);
                    self.push_clipped(format!(
                        "  {name:<14}  {:>11}  {:>11}  {:>8}  {:>10}  {:>10}",
                        row.lower_bound, row.cycles, row.share, row.microseconds, row.gbs
                    ));
                }
                let [traffic, _] = simulation::setting_in_words(setting);
                let model = simulation::model_sentence(setting);
                self.push_wrapped(
                    "  ",
                    &format!("cycles to the last delivery{}; {traffic} traffic; {model}", worst("slowest")),
                );
                continue;
            }
            self.push_title(
                "SIMULATION",
                &format!(
                    "  {:>9}  {:>8}  {:>9}  {:>8}  {:>9}",
                    "bound", "at least", "at most", "share", "past it"
                ),
            );
            for row in simulation::nominal_and_worst(reports) {
                let name = format!("{}, {}", simulation.name, row.scenario);
                self.push_clipped(format!(
                    "  {name:<14}  {:>9}  {:>8}  {:>9}  {:>8}  {:>9}",
                    row.bound, row.low, row.high, row.share, row.beyond
                ));
            }
            for row in simulation::nominal_and_worst(reports) {
                if let Some(worst) = row.overload {
                    let multiples = simulation::overload_multiples(setting);
                    self.push_wrapped(
                        "  ",
                        &format!(
                            "{}, {}: in overload of {multiples} x it sustains {} of the saturation, fairness {}",
                            simulation.name, row.scenario, worst.sustained, worst.fairness
                        ),
                    );
                }
            }
            let (unit, worst) = (simulation::rate_unit(&compiled.fabric, &reports[0]), worst("worst"));
            self.push_wrapped(
                "  ",
                &format!(
                    "rates in flits per cycle and {unit}{worst}; at least, at most: saturation with a confidence of {}; past it: accepted at 1.1 x \
                     the static bound",
                    setting.confidence
                ),
            );
            self.push_wrapped(
                "  ",
                &format!("{} traffic; {}", setting.traffic.name(), simulation::model_sentence(setting)),
            );
        }
    }

    fn push_collectives(&mut self, compiled: &CompiledFabric) {
        let planned = compiled.fabric.collectives.iter().zip(&compiled.collectives);
        let planned: Vec<_> =
            planned.map(|(declared, result)| (declared, result, nominal_and_worst_fault(result))).collect();
        if planned.iter().all(|(.., lines)| lines.is_empty()) {
            return;
        }
        let heads = format!(
            "  {:<14}  {:>12}  {:>12}  {:>8}  {:>10}",
            "algorithm", "time us", "bound us", "share", "busbw GB/s"
        );
        self.push_title("COLLECTIVES", &format!("              {heads}"));
        for (declared, result, lines) in planned {
            for (index, line) in lines.iter().enumerate() {
                let CollectiveTextRow { scenario, algorithm, time, bound, share, bandwidth, .. } = line;
                let name = if index == 0 { declared.name.clone() } else { format!("  worst, {scenario}") };
                self.push_clipped(format!(
                    "  {name:<28}  {algorithm:<14}  {time:>12}  {bound:>12}  {share:>8}  {bandwidth:>10}"
                ));
            }
            let conditions = conditions(declared, result);
            let conditions = if conditions.is_empty() { conditions } else { format!(", {conditions}") };
            let faults = match result.scenarios.len() {
                0 | 1 => String::new(),
                scenarios => format!("; {} faults", grouped(scenarios as u64 - 1)),
            };
            self.push_wrapped("    ", &format!("{}{conditions}{faults}", collective_title(declared)));
        }
        if let Some(line) = summary::makespan_line(compiled) {
            self.push_wrapped("  ", &line);
        }
    }

    fn push_jobs(&mut self, compiled: &CompiledFabric) {
        let planned = compiled.fabric.jobs.iter().zip(&compiled.jobs);
        for (job, result) in planned {
            let (Some(rows), Some(nominal)) = (job_rows(job, result), result.nominal()) else { continue };
            // As wide as the first column of the rows, which are indented.
            let title = format!("{:<26}", format!("JOB {}", job.name));
            self.push_title(&JobTextRow::heads(&title).line(), "");
            rows.iter().for_each(|row| self.push_clipped(format!("  {}", row.line())));
            for line in sentences(&compiled.topology, job, result, nominal) {
                self.push_wrapped("    ", &line);
            }
        }
    }

    fn push_requires(&mut self, compiled: &CompiledFabric) {
        if compiled.requires.is_empty() {
            return;
        }
        self.push_title("REQUIRES", "");
        let longest =
            compiled.requires.iter().map(|outcome| outcome.require.text().chars().count()).max().unwrap_or(0);
        let width = longest.min(self.look.width - 44);
        for outcome in summary::requires_as_written(compiled) {
            let (mark, color) = match outcome.holds() {
                Some(true) => ("ok", Some(Color::Green)),
                Some(false) => ("FAILED", Some(Color::Red)),
                None => ("unknown", None),
            };
            let measured = summary::measured(outcome).unwrap_or("not measured".to_owned());
            let scenario =
                outcome.scenario.as_ref().map_or(String::new(), |scenario| format!("  {scenario}"));
            let text = outcome.require.text();
            let line = format!("  {mark:<9}{text:<width$}  {measured:>12}{scenario}");
            if line.chars().count() <= self.look.width {
                self.push_painted(line, mark, color);
            } else {
                self.push_painted(format!("  {mark:<9}{text}"), mark, color);
                self.push_clipped(format!("{:13}{measured}{scenario}", ""));
            }
        }
    }

    fn push_passes(&mut self, compiled: &CompiledFabric) {
        if compiled.passes.is_empty() {
            return;
        }
        self.push_title("PASSES", "  stopped by  work");
        for pass in &compiled.passes {
            let counters: Vec<String> =
                pass.counters.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
            self.push_wrapped(
                &format!("  {:<14}  {:<10}  ", pass.name, pass.stopped_by),
                &counters.join(", "),
            );
            for note in &pass.notes {
                self.push_wrapped(&" ".repeat(18), note);
            }
        }
    }
}
