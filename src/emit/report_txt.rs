//! `report.txt`, and what the terminal shows: the same text, as wide as it fits.

use super::collective::{CollectiveLine, collective_title, conditions, nominal_and_worst_fault};
use super::lines::{Color, Lines, Look};
use super::measured;
use super::number::grouped;
use super::simulation;
use super::summary::{self, MetricRow, percent, quotient4, ratio4, readable};
use super::{floor_lines, floor_rows, trade_off};
use crate::compiled::Compiled;
use fabc_ir::{Fraction, worst};
use fabc_model::Metric;

/// The report as the terminal shows it.
pub fn terminal_report(compiled: &Compiled, look: Look) -> String {
    let fabric = &compiled.fabric;
    let mut page = Lines::new(look);
    page.wrapped("", &fabric.name);
    let lines =
        [summary::links_line(compiled), summary::choices_line(compiled), summary::proof_line(compiled)];
    for line in summary::plant_lines(compiled)
        .into_iter()
        .chain(lines)
        .chain(summary::demand_line(fabric))
        .chain(summary::gain_line(compiled))
    {
        page.wrapped("  ", &line);
    }
    page.metrics(compiled);
    page.network(compiled);
    page.floor(compiled);
    page.faults(compiled);
    page.simulations(compiled);
    page.collectives(compiled);
    page.requires(compiled);
    page.passes(compiled);
    page.out
}

impl Lines {
    fn metrics(&mut self, compiled: &Compiled) {
        let nominal = &compiled.scenarios[0].metrics;
        self.title("METRICS", &format!("  {:>12}  {:>14}  {:>8}", "value", "bound", "ratio"));
        for MetricRow { name, value, bound, ratio, note } in summary::metric_rows(compiled) {
            let value = if value.is_empty() { "not routed" } else { &value };
            let ratio = ratio.map_or(String::new(), ratio4);
            self.wrapped(&format!("  {name:<16}{value:>12}  {bound:>14}  {ratio:>8}  "), note);
        }
        let bound = nominal.distance_ceiling();
        let share = percent(nominal.flow_low.over(bound));
        let distance = super::number::round_up_sig(bound, 6);
        self.clipped(format!("  distance bound on concurrent_flow: <= {distance}; the certified lower end reaches {share} of it"));
        if let Some(note) = summary::trees_note(compiled) {
            self.wrapped("  ", &format!("disjoint trees: {note}"));
        }
        if let Some(line) = summary::limit_line(compiled) {
            self.wrapped("  ", &line);
        }
        if let Some(walk) = &nominal.routed {
            let mean = nominal.mean_entries().map_or(0.0, Fraction::as_f64);
            self.clipped(format!(
                "  table entries per router: {mean:.1} on average, {} at most",
                grouped(walk.entries_max)
            ));
        }
    }

    fn network(&mut self, compiled: &Compiled) {
        let lines = measured::lines(compiled);
        if !lines.is_empty() {
            self.title("NETWORK", "");
        }
        lines.iter().for_each(|line| self.wrapped("  ", line));
        let rows = compiled.network.as_ref().map_or_else(Vec::new, measured::paths_by_distance);
        let failures = compiled.network.as_ref().map_or_else(Vec::new, measured::failure_rows);
        let heads =
            ["distance", "pairs", "with one path", "paths, mean", "fewest", "most"].map(str::to_owned);
        let heads = (!rows.is_empty()).then_some(heads);
        for [distance, pairs, single, mean, fewest, most] in heads.into_iter().chain(rows) {
            self.clipped(format!(
                "    {distance:<8}  {pairs:>13}  {single:>13}  {mean:>12}  {fewest:>8}  {most:>8}"
            ));
        }
        let heads = ["failed", "links", "diameter", "average hops"].map(str::to_owned);
        let heads = (!failures.is_empty()).then_some(heads);
        for [percent, links, diameter, hops] in heads.into_iter().chain(failures) {
            self.clipped(format!("    {percent:>8}  {links:>13}  {diameter:>13}  {hops:>12}"));
        }
    }

    fn floor(&mut self, compiled: &Compiled) {
        let lines = floor_lines(compiled);
        if lines.is_empty() {
            return;
        }
        self.title("FLOOR", "");
        lines.iter().for_each(|line| self.wrapped("  ", line));
        let heads = ["link", "cables", "m in all"].map(str::to_owned);
        for [link, cables, metres] in std::iter::once(heads).chain(floor_rows(compiled)) {
            self.clipped(format!("    {link:<16}  {cables:>13}  {metres:>13}"));
        }
        let heads = ["weight of cable", "average hops", "flow of a pair", "of the most", "average cable, m"]
            .map(str::to_owned);
        let rows: Vec<[String; 5]> = trade_off(compiled).into_iter().map(|(.., row)| row).collect();
        for [weight, hops, flow, share, cable] in (!rows.is_empty()).then_some(heads).into_iter().chain(rows)
        {
            self.clipped(format!("    {weight:<15}  {hops:>12}  {flow:>14}  {share:>11}  {cable:>16}"));
        }
    }

    fn faults(&mut self, compiled: &Compiled) {
        let all = compiled.metrics();
        let faults = all.len() - 1;
        if compiled.fabric.budget.faults.is_none() {
            return;
        }
        if faults == 0 {
            return self.title("FAULTS", "  not measured: the build stopped before routing");
        }
        self.title("FAULTS", &format!("  {:>12}  {:>14}  {:>8}  scenario", "nominal", "worst", "ratio"));
        for metric in Metric::ALL {
            // Without tables a fault has no certified flow: nothing to show.
            let found =
                worst(&all, metric).filter(|(value, _)| !value.is_zero() || metric == Metric::DisjointTrees);
            let Some(((value, scenario), nominal)) = found.zip(all[0].value(metric)) else { continue };
            let (name, before, after) = (metric.name(), readable(metric, nominal), readable(metric, value));
            let line = format!(
                "  {name:<16}{before:>12}  {after:>14}  {:>8}  {scenario}",
                quotient4(value, nominal)
            );
            self.painted(line, &after, (value != nominal).then_some(Color::Yellow));
        }
        let plural = if faults == 1 { "" } else { "s" };
        self.clipped(format!(
            "  {} fault scenario{plural} measured, each with tables of its own",
            grouped(faults as u64)
        ));
        if let Some(line) = summary::stands_for(compiled) {
            self.clipped(format!("  {line}"));
        }
    }

    fn simulations(&mut self, compiled: &Compiled) {
        let run = compiled.fabric.simulations.iter().zip(&compiled.simulations);
        for (simulation, reports) in run.filter(|(_, reports)| !reports.is_empty()) {
            let setting = &reports[0].setting;
            let worst = |what: &str| match reports.len() {
                1 => String::new(),
                scenarios => format!(", the {what} of {} faults", grouped(scenarios as u64 - 1)),
            };
            if reports[0].volume.is_some() {
                self.title(
                    "SIMULATION",
                    &format!(
                        "  {:>11}  {:>11}  {:>8}  {:>10}  {:>10}",
                        "at least", "cycles", "of bound", "us", "GB/s"
                    ),
                );
                for row in simulation::nominal_and_slowest(&compiled.fabric, reports) {
                    let name = format!("{}, {}", simulation.name, row.scenario);
                    self.clipped(format!(
                        "  {name:<14}  {:>11}  {:>11}  {:>8}  {:>10}  {:>10}",
                        row.least, row.cycles, row.share, row.microseconds, row.gbs
                    ));
                }
                let [traffic, _] = simulation::setting_in_words(setting);
                let model = simulation::sentence(setting);
                self.wrapped(
                    "  ",
                    &format!("cycles to the last delivery{}; {traffic} traffic; {model}", worst("slowest")),
                );
                continue;
            }
            self.title(
                "SIMULATION",
                &format!(
                    "  {:>9}  {:>8}  {:>9}  {:>8}  {:>9}",
                    "bound", "stable", "unstable", "share", "past it"
                ),
            );
            for row in simulation::nominal_and_worst(reports) {
                let name = format!("{}, {}", simulation.name, row.scenario);
                self.clipped(format!(
                    "  {name:<14}  {:>9}  {:>8}  {:>9}  {:>8}  {:>9}",
                    row.bound, row.stable, row.unstable, row.share, row.beyond
                ));
            }
            let (unit, worst) = (simulation::unit(&compiled.fabric, &reports[0]), worst("worst"));
            self.wrapped(
                "  ",
                &format!(
                    "rates in flits per cycle and {unit}{worst}; past it: accepted at 1.1 x the static bound"
                ),
            );
            self.wrapped(
                "  ",
                &format!("{} traffic; {}", setting.traffic.name(), simulation::sentence(setting)),
            );
        }
    }

    fn collectives(&mut self, compiled: &Compiled) {
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
        self.title("COLLECTIVES", &format!("              {heads}"));
        for (declared, result, lines) in planned {
            for (at, line) in lines.iter().enumerate() {
                let CollectiveLine { scenario, algorithm, time, bound, share, bandwidth, .. } = line;
                let name = if at == 0 { declared.name.clone() } else { format!("  worst, {scenario}") };
                self.clipped(format!(
                    "  {name:<28}  {algorithm:<14}  {time:>12}  {bound:>12}  {share:>8}  {bandwidth:>10}"
                ));
            }
            let conditions = conditions(declared, result);
            let conditions = if conditions.is_empty() { conditions } else { format!(", {conditions}") };
            let faults = match result.scenarios.len() {
                0 | 1 => String::new(),
                scenarios => format!("; {} faults", grouped(scenarios as u64 - 1)),
            };
            self.wrapped("    ", &format!("{}{conditions}{faults}", collective_title(declared)));
        }
        if let Some(line) = summary::makespan_line(compiled) {
            self.wrapped("  ", &line);
        }
    }

    fn requires(&mut self, compiled: &Compiled) {
        if compiled.requires.is_empty() {
            return;
        }
        self.title("REQUIRES", "");
        let longest =
            compiled.requires.iter().map(|outcome| outcome.require.text().chars().count()).max().unwrap_or(0);
        let width = longest.min(self.look.width - 44);
        for outcome in &compiled.requires {
            let (mark, color) = match outcome.holds() {
                Some(true) => ("ok", Some(Color::Green)),
                Some(false) => ("FAILED", Some(Color::Red)),
                None => ("unknown", None),
            };
            let measured = summary::measured(outcome).unwrap_or("not measured".to_owned());
            let at = outcome.scenario.as_ref().map_or(String::new(), |scenario| format!("  {scenario}"));
            let text = outcome.require.text();
            let line = format!("  {mark:<9}{text:<width$}  {measured:>12}{at}");
            if line.chars().count() <= self.look.width {
                self.painted(line, mark, color);
            } else {
                self.painted(format!("  {mark:<9}{text}"), mark, color);
                self.clipped(format!("{:13}{measured}{at}", ""));
            }
        }
    }

    fn passes(&mut self, compiled: &Compiled) {
        if compiled.passes.is_empty() {
            return;
        }
        self.title("PASSES", "  stopped by  work");
        for pass in &compiled.passes {
            let counters: Vec<String> =
                pass.counters.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
            self.wrapped(&format!("  {:<14}  {:<10}  ", pass.name, pass.stopped_by), &counters.join(", "));
            for note in &pass.notes {
                self.wrapped(&" ".repeat(18), note);
            }
        }
    }
}
