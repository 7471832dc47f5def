//! The simulations of the spec: results of every scenario, latency over load, channel utilization, and queue
//! lengths.

use crate::compiled::CompiledFabric;
use crate::json::push;
use crate::number::{fixed, round_down_sig};
use crate::simulation::{self, FiniteRow, MeasuredCell, SimulationChart};
use crate::svg::escape;
use fabc_ir::Fraction;
use fabc_sim::{Point, SimReport, VcUse};
use minijinja::{Value, context};

/// One entry per simulation. Empty without simulations.
pub(super) fn simulations(compiled: &CompiledFabric) -> Vec<Value> {
    let run = compiled.fabric.simulations.iter().zip(&compiled.simulations);
    run.filter(|(_, reports)| !reports.is_empty())
        .map(|(simulation, reports)| simulation_entry(compiled, &simulation.name, reports))
        .collect()
}

fn simulation_entry(compiled: &CompiledFabric, name: &str, reports: &[SimReport]) -> Value {
    let setting = &reports[0].setting;
    if reports[0].volume.is_some() {
        let rows = simulation::finite_rows(&compiled.fabric, reports);
        let cells = |row: FiniteRow| {
            context! { scenario => row.scenario, cells => [row.lower_bound, row.cycles, row.share, row.microseconds, row.gbs] }
        };
        let rows: Vec<Value> = rows.into_iter().map(cells).collect();
        let [traffic, _] = simulation::setting_in_words(setting);
        let traffic = traffic.trim_end_matches(',');
        return context! { name, finite => true, model => simulation::model_sentence(setting), traffic, rows };
    }
    let rows: Vec<Value> = simulation::simulation_rows(reports)
        .into_iter()
        .map(|row| {
            let mut cells = vec![row.bound, row.low, row.high, row.share, row.beyond, row.latency];
            cells.extend(row.overload.into_iter().flat_map(|worst| [worst.sustained, worst.fairness]));
            context! { scenario => row.scenario, cells }
        })
        .collect();
    let point = simulation::highest_stable(&reports[0]);
    context! {
        name,
        model => simulation::model_sentence(setting),
        confidence => round_down_sig(Fraction::from(setting.confidence).times(Fraction::integer(100u8)), 4),
        traffic => setting.traffic.name(),
        overload => simulation::overload_multiples(setting),
        unit => simulation::rate_unit(&compiled.fabric, &reports[0]),
        rows,
        latencies => chart(simulation::latencies(name, reports)),
        accepted => simulation::accepted(name, reports).map(chart),
        runs => measured_rows(simulation::latency_rows(reports)),
        faults => reports.len() > 1,
        overloads => measured_rows(simulation::overload_rows(reports)),
        utilization => point.map(|point| simulation::utilization(name, &reports[0], point)),
        rate => point.map(|point| point.rate.to_string()),
        vcs => point.map_or_else(Vec::new, |point| vcs(&reports[0], point)),
    }
}

/// A drawing with its legend, both as HTML.
fn chart(SimulationChart { drawing, key }: SimulationChart) -> Value {
    let mut legend = String::from("<p class=\"key\">");
    for line in key {
        let (class, opacity) = if line.is_band { ("", ";opacity:.4") } else { (" class=\"line\"", "") };
        let mark = format_args!("<span><i{class} style=\"background:var({}){opacity}\"></i>", line.color);
        push(&mut legend, mark);
        push(&mut legend, format_args!("{}</span>", escape(&line.name)));
    }
    legend.push_str("</p>");
    context! { drawing, key => legend }
}

/// Rows of a table. The exact value of a cell shows under the pointer.
fn measured_rows(rows: Vec<Vec<MeasuredCell>>) -> String {
    let mut out = String::new();
    for row in rows {
        out.push_str("<tr>");
        for (column, MeasuredCell { text, exact }) in row.iter().enumerate() {
            let (text, exact) = (escape(text), escape(exact));
            let title = if exact == text { String::new() } else { format!(" title=\"{exact}\"") };
            match column {
                0 => push(&mut out, format_args!("<th scope=\"row\">{text}</th>")),
                _ => push(&mut out, format_args!("<td class=\"number\"{title}>{text}</td>")),
            }
        }
        out.push_str("</tr>\n");
    }
    out
}

/// Queue lengths of every virtual channel.
fn vcs(report: &SimReport, point: &Point) -> Vec<Value> {
    let (general, buffer) = (usize::from(report.setting.general), report.setting.buffer);
    let row = |(vc, vc_use): (usize, &VcUse)| {
        let mean = Fraction::new(vc_use.flit_cycles, vc_use.queue_cycles.max(1));
        let percent = |value: Fraction| fixed(value.times(Fraction::integer(100u8)), 1);
        let kind = if vc < general { "general" } else { "of the tables" };
        context! {
            vc, kind,
            mean => fixed(mean, 2),
            width => percent(mean.over(Fraction::integer(buffer.max(1)))),
            p99 => vc_use.p99,
            full => percent(Fraction::new(vc_use.full_cycles, vc_use.queue_cycles.max(1))),
            hops => percent(Fraction::new(vc_use.hops, point.hops.max(1))),
        }
    };
    point.vcs.iter().enumerate().map(row).collect()
}
