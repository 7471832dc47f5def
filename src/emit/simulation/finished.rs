//! Writes when several fabrics complete the same finite traffic, as one table.

use super::super::json::{push, quote};
use super::super::number::fixed;
use super::comparison::comparison_document;
use super::finite::FiniteResult;
use super::model::{model_sentence, setting_in_words};
use super::ratios::csv_cell;
use super::wrapped::wrap_text;
use fabc_ir::Fraction;
use fabc_model::Fabric;
use fabc_sim::SimReport;

/// The completion of one fabric in one scenario.
pub struct FinishedScenario {
    name: String,
    model: String,
    traffic: String,
    senders: u32,
    lower_bound: u64,
    cycles: u32,
    share: Fraction,
    gbs: Fraction,
}

impl FinishedScenario {
    /// The slowest completion of all seeds. `None` if no run was completed.
    pub fn new(fabric: &Fabric, report: &SimReport) -> Option<Self> {
        let (volume, run) =
            (report.volume.as_ref()?, report.completions.iter().max_by_key(|run| run.cycles)?);
        let result = FiniteResult::new(fabric, report, volume, run);
        let scenario =
            if report.scenario == "nominal" { String::new() } else { format!(" {}", report.scenario) };
        Some(Self {
            name: format!("{}{scenario}", fabric.name),
            model: model_sentence(&report.setting),
            traffic: setting_in_words(&report.setting).join(" traffic, "),
            senders: report.load.senders,
            lower_bound: volume.least_cycles,
            cycles: run.cycles,
            share: result.share,
            gbs: result.gbs,
        })
    }

    /// Cycles of `first` divided by those of this one, and the same for the lower bounds.
    fn over(&self, first: &Self) -> [Fraction; 2] {
        [
            Fraction::new(first.cycles, self.cycles.max(1)),
            Fraction::new(first.lower_bound, self.lower_bound.max(1)),
        ]
    }
}

/// The table for people, with ratios to the first scenario.
pub fn finished_text(scenarios: &[FinishedScenario]) -> String {
    let Some(first) = scenarios.first() else { return String::new() };
    let width =
        scenarios.iter().map(|scenario| scenario.name.chars().count()).max().unwrap_or(0).clamp(6, 40);
    let mut out = format!(
        "{:<width$}  {:>8}  {:>12}  {:>12}  {:>8}  {:>12}  {:>7}  {:>8}\n",
        "fabric", "senders", "at least", "cycles", "of bound", "GB/s", "ratio", "of bounds"
    );
    for scenario in scenarios {
        let share = format!("{} %", fixed(scenario.share.times(Fraction::integer(100u8)), 1));
        let [ratio, bounds] = scenario.over(first).map(|ratio| fixed(ratio, 3));
        let (name, senders, lower_bound, cycles, gbs) =
            (&scenario.name, scenario.senders, scenario.lower_bound, scenario.cycles, fixed(scenario.gbs, 2));
        out += &format!(
            "{name:<width$}  {senders:>8}  {lower_bound:>12}  {cycles:>12}  {share:>8}  {gbs:>12}  {ratio:>7}  {bounds:>9}\n"
        );
    }
    out += &wrap_text(&format!(
        "{} routing; cycles to the last delivery; GB/s: bytes of the messages over that time; ratio: cycles of {} over these, and the same of \
         the lower bounds",
        first.traffic, first.name
    ));
    out += &wrap_text(&first.model);
    for scenario in scenarios.iter().filter(|scenario| scenario.model != first.model) {
        out += &wrap_text(&format!("{}: {}", scenario.name, scenario.model));
    }
    out
}

/// The table as `fabc.comparison/1`, with ratios to the first scenario.
pub fn finished_json(scenarios: &[FinishedScenario]) -> String {
    comparison_document(scenarios, |out, scenario| {
        let [ratio, bounds] = scenario.over(&scenarios[0]).map(|ratio| fixed(ratio, 6));
        let (share, gbs) = (fixed(scenario.share, 4), fixed(scenario.gbs, 3));
        push(
            out,
            format_args!(
                "{{\"fabric\":{},\"senders\":{},\"least_cycles\":{},\"cycles\":{},\"share\":{share},\"gbs\":{gbs},\"ratio\":{ratio},\"bound_ratio\":{bounds}}}",
                quote(&scenario.name),
                scenario.senders,
                scenario.lower_bound,
                scenario.cycles
            ),
        );
    })
}

/// The table as CSV, with a row per scenario of a fabric.
pub fn finished_csv(scenarios: &[FinishedScenario]) -> String {
    let mut out = String::from("fabric,senders,least_cycles,cycles,share,gbs,ratio,bound_ratio\n");
    for scenario in scenarios {
        let [ratio, bounds] = scenario.over(&scenarios[0]).map(|ratio| fixed(ratio, 6));
        let (name, share, gbs) = (csv_cell(&scenario.name), fixed(scenario.share, 4), fixed(scenario.gbs, 3));
        out += &format!(
            "{name},{},{},{},{share},{gbs},{ratio},{bounds}\n",
            scenario.senders, scenario.lower_bound, scenario.cycles
        );
    }
    out
}
