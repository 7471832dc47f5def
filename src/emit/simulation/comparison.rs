//! Writes the saturation of several fabrics as one table.

use super::super::json::{push, push_lines, quote};
use super::super::number::fixed;
use super::model::{model_sentence, rate_unit, setting_in_words};
use super::ratios::{bound_text, csv_cell, share_of_bound};
use super::wrapped::wrap_text;
use fabc_ir::Fraction;
use fabc_model::Fabric;
use fabc_sim::{Rate, SimReport};

/// The saturation of one fabric in one scenario.
pub struct ComparedScenario {
    name: String,
    model: String,
    traffic: String,
    unit: &'static str,
    senders: u32,
    bound: Fraction,
    low: Rate,
    high: Rate,
    share: Fraction,
    beyond: Fraction,
}

impl ComparedScenario {
    /// The lowest interval of all seeds.
    ///
    /// # Panics
    /// If saturation was not searched.
    pub fn new(fabric: &Fabric, report: &SimReport) -> Self {
        let saturation = report
            .saturations
            .iter()
            .min_by_key(|saturation| saturation.at_least())
            .expect("saturation was searched");
        let scenario =
            if report.scenario == "nominal" { String::new() } else { format!(" {}", report.scenario) };
        Self {
            name: format!("{}{scenario}", fabric.name),
            model: model_sentence(&report.setting),
            traffic: setting_in_words(&report.setting).join(" traffic, "),
            unit: rate_unit(fabric, report),
            senders: report.load.senders,
            bound: report.load.bound,
            low: saturation.interval.low,
            high: saturation.interval.high,
            share: share_of_bound(report, saturation),
            beyond: saturation.beyond.accepted(&report.setting, report.load.senders),
        }
    }

    fn saturation(&self) -> Fraction {
        Fraction::from(self.low)
    }

    /// Ratios of saturation and static bound to those of `first`. `None` if the divisor is zero.
    fn over(&self, first: &Self) -> [Option<Fraction>; 2] {
        let ratio = |value: Fraction, divisor: Fraction| (!divisor.is_zero()).then(|| value.over(divisor));
        [ratio(self.saturation(), first.saturation()), ratio(self.bound, first.bound)]
    }
}

/// The table for people, with ratios to the first scenario.
pub fn comparison_text(scenarios: &[ComparedScenario]) -> String {
    let Some(first) = scenarios.first() else { return String::new() };
    let width =
        scenarios.iter().map(|scenario| scenario.name.chars().count()).max().unwrap_or(0).clamp(6, 40);
    let mut out = format!(
        "{:<width$}  {:>8}  {:>9}  {:>9}  {:>9}  {:>7}  {:>8}  {:>7}  {:>8}\n",
        "fabric", "senders", "bound", "at least", "at most", "share", "past it", "ratio", "of bound"
    );
    let rate = |rate: Rate| format!("{:.4}", rate.as_f64());
    for scenario in scenarios {
        let share = format!("{} %", fixed(scenario.share.times(Fraction::integer(100u8)), 1));
        let [ratio, bounds] =
            scenario.over(first).map(|ratio| ratio.map_or_else(|| "-".to_owned(), |ratio| fixed(ratio, 3)));
        let (low, high, beyond) = (rate(scenario.low), rate(scenario.high), fixed(scenario.beyond, 4));
        out += &format!(
            "{:<width$}  {:>8}  {:>9}  {low:>9}  {high:>9}  {share:>7}  {beyond:>8}  {ratio:>7}  {bounds:>8}\n",
            scenario.name,
            scenario.senders,
            bound_text(scenario.bound)
        );
    }
    out += &wrap_text(&format!(
        "{} routing, rates in flits per cycle and {}; past it: accepted at 1.1 x the static bound; ratio: saturation over that of {}, and \
         the same of the static bounds",
        first.traffic, first.unit, first.name
    ));
    out += &wrap_text(&first.model);
    for scenario in scenarios.iter().filter(|scenario| scenario.model != first.model) {
        out += &wrap_text(&format!("{}: {}", scenario.name, scenario.model));
    }
    out
}

/// The table as `fabc.comparison/1`, with ratios to the first scenario.
pub fn comparison_json(scenarios: &[ComparedScenario]) -> String {
    comparison_document(scenarios, |out, scenario| {
        let [ratio, bounds] = scenario
            .over(&scenarios[0])
            .map(|ratio| ratio.map_or_else(|| "null".to_owned(), |ratio| fixed(ratio, 6)));
        let (share, beyond) = (fixed(scenario.share, 4), fixed(scenario.beyond, 6));
        let ComparedScenario { senders, low, high, .. } = scenario;
        let (name, bound) = (quote(&scenario.name), bound_text(scenario.bound));
        push(
            out,
            format_args!(
                "{{\"fabric\":{name},\"senders\":{senders},\"bound\":{bound},\"low\":{low},\"high\":{high},\"share\":{share},\"beyond_accepted\":{beyond},\"ratio\":{ratio},\"bound_ratio\":{bounds}}}"
            ),
        );
    })
}

/// A comparison with a line per scenario, the first of which is the one that the others are compared with.
pub(super) fn comparison_document<T>(scenarios: &[T], record: impl FnMut(&mut String, &T)) -> String {
    let mut out = "{\n\"format\":\"fabc.comparison/1\",\n\"scenarios\":".to_owned();
    push_lines(&mut out, scenarios, record);
    out.push_str("\n}\n");
    out
}

/// The table as CSV, with a row per scenario of a fabric.
pub fn comparison_csv(scenarios: &[ComparedScenario]) -> String {
    let mut out = String::from("fabric,senders,bound,low,high,share,beyond_accepted,ratio,bound_ratio\n");
    for scenario in scenarios {
        let [ratio, bounds] =
            scenario.over(&scenarios[0]).map(|ratio| ratio.map_or_else(String::new, |ratio| fixed(ratio, 6)));
        let (low, high) = (scenario.low, scenario.high);
        let (name, share, beyond) =
            (csv_cell(&scenario.name), fixed(scenario.share, 4), fixed(scenario.beyond, 6));
        out += &format!(
            "{name},{},{},{low},{high},{share},{beyond},{ratio},{bounds}\n",
            scenario.senders,
            bound_text(scenario.bound)
        );
    }
    out
}
