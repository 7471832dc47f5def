//! The simulations of the spec: results of every scenario, latency over load, channel utilization, and queue
//! lengths.

use crate::compiled::CompiledFabric;
use crate::number::fixed;
use crate::simulation::{self, FiniteRow};
use fabc_ir::Fraction;
use fabc_sim::{Point, SimReport, VcUse};
use minijinja::{Value, context};

const COLORS: [&str; 4] = ["--accent", "--second", "--good", "--bad"];

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
        traffic => setting.traffic.name(),
        overload => simulation::overload_multiples(setting),
        unit => simulation::rate_unit(&compiled.fabric, &reports[0]),
        rows,
        latencies => simulation::latencies(name, reports, &COLORS),
        utilization => point.map(|point| simulation::utilization(name, &reports[0], point)),
        rate => point.map(|point| point.rate.to_string()),
        vcs => point.map_or_else(Vec::new, |point| vcs(&reports[0], point)),
    }
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
