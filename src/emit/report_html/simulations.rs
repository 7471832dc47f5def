//! What the simulations of the spec found: numbers of every scenario, latency over load, what channels
//! carried, how full queues were.

use crate::compiled::Compiled;
use crate::number::fixed;
use crate::simulation::{self, FiniteRow};
use fabc_ir::Fraction;
use fabc_sim::{Point, SimReport, VcUse};
use minijinja::{Value, context};

/// Colors of scenarios.
const COLORS: [&str; 4] = ["--accent", "--second", "--good", "--bad"];

/// One entry per simulation; empty without any.
pub(super) fn simulations(compiled: &Compiled) -> Vec<Value> {
    let run = compiled.fabric.simulations.iter().zip(&compiled.simulations);
    run.filter(|(_, reports)| !reports.is_empty())
        .map(|(of, reports)| simulated(compiled, &of.name, reports))
        .collect()
}

fn simulated(compiled: &Compiled, name: &str, reports: &[SimReport]) -> Value {
    let setting = &reports[0].setting;
    if reports[0].volume.is_some() {
        let rows = simulation::finite_rows(&compiled.fabric, reports);
        let cells = |row: FiniteRow| {
            context! { scenario => row.scenario, cells => [row.least, row.cycles, row.share, row.microseconds, row.gbs] }
        };
        let rows: Vec<Value> = rows.into_iter().map(cells).collect();
        let [traffic, _] = simulation::setting_in_words(setting);
        return context! { name, finite => true, model => simulation::sentence(setting), traffic, rows };
    }
    let rows: Vec<Value> = simulation::rows(reports)
        .into_iter()
        .map(
            |row| context! { scenario => row.scenario, cells => [row.bound, row.stable, row.unstable, row.share, row.beyond, row.latency] },
        )
        .collect();
    let at = simulation::highest_stable(&reports[0]);
    context! {
        name,
        model => simulation::sentence(setting),
        traffic => setting.traffic.name(),
        unit => simulation::unit(&compiled.fabric, &reports[0]),
        rows,
        latencies => simulation::latencies(name, reports, &COLORS),
        utilization => at.map(|point| simulation::utilization(name, &reports[0], point)),
        rate => at.map(|point| point.rate.to_string()),
        vcs => at.map_or_else(Vec::new, |point| vcs(&reports[0], point)),
    }
}

/// How full the queues of every virtual channel were.
fn vcs(report: &SimReport, point: &Point) -> Vec<Value> {
    let (general, buffer) = (usize::from(report.setting.general), report.setting.buffer);
    let row = |(vc, of): (usize, &VcUse)| {
        let mean = Fraction::new(of.flit_cycles, of.queue_cycles.max(1));
        let percent = |value: Fraction| fixed(value.times(Fraction::whole(100u8)), 1);
        let kind = if vc < general { "general" } else { "of the tables" };
        context! {
            vc, kind,
            mean => fixed(mean, 2),
            width => percent(mean.over(Fraction::whole(buffer.max(1)))),
            p99 => of.p99,
            full => percent(Fraction::new(of.full_cycles, of.queue_cycles.max(1))),
            hops => percent(Fraction::new(of.hops, point.hops.max(1))),
        }
    };
    point.vcs.iter().enumerate().map(row).collect()
}
