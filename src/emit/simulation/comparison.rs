//! Where several fabrics saturate, in one table.

use super::super::number::fixed;
use super::model::{sentence, setting_in_words, unit};
use super::ratios::{bound, cell_of, share_of_bound};
use super::wrapped::wrapped;
use fabc_ir::Fraction;
use fabc_model::Fabric;
use fabc_sim::{Rate, SimReport};

/// One scenario of one fabric.
pub struct Compared {
    name: String,
    model: String,
    traffic: String,
    unit: &'static str,
    senders: u32,
    bound: Fraction,
    stable: Option<Rate>,
    unstable: Option<Rate>,
    share: Fraction,
    beyond: Fraction,
}

impl Compared {
    /// Of several seeds the lowest bracket.
    ///
    /// # Panics
    /// Saturation was not searched.
    pub fn of(fabric: &Fabric, report: &SimReport) -> Self {
        let found =
            report.saturations.iter().min_by_key(|found| found.at_least()).expect("saturation was searched");
        let scenario =
            if report.scenario == "nominal" { String::new() } else { format!(" {}", report.scenario) };
        Self {
            name: format!("{}{scenario}", fabric.name),
            model: sentence(&report.setting),
            traffic: setting_in_words(&report.setting).join(" traffic, "),
            unit: unit(fabric, report),
            senders: report.load.senders,
            bound: report.load.bound,
            stable: found.stable,
            unstable: found.unstable,
            share: share_of_bound(report, found),
            beyond: found.beyond.accepted(&report.setting, report.load.senders),
        }
    }

    fn saturation(&self) -> Fraction {
        self.stable.map_or(Fraction::ZERO, Fraction::from)
    }

    /// Saturation and static bound over those of another one; `None` where that has none.
    fn over(&self, first: &Self) -> [Option<Fraction>; 2] {
        let ratio = |own: Fraction, other: Fraction| (!other.is_zero()).then(|| own.over(other));
        [ratio(self.saturation(), first.saturation()), ratio(self.bound, first.bound)]
    }
}

/// The table for people; ratios are to the first line.
pub fn comparison_text(all: &[Compared]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let width = all.iter().map(|of| of.name.chars().count()).max().unwrap_or(0).clamp(6, 40);
    let mut out = format!(
        "{:<width$}  {:>8}  {:>9}  {:>9}  {:>9}  {:>7}  {:>8}  {:>7}  {:>8}\n",
        "fabric", "senders", "bound", "stable", "unstable", "share", "past it", "ratio", "of bound"
    );
    let rate =
        |rate: Option<Rate>| rate.map_or_else(|| "-".to_owned(), |rate| format!("{:.4}", rate.as_f64()));
    for of in all {
        let share = format!("{} %", fixed(of.share.times(Fraction::whole(100u8)), 1));
        let [ratio, bounds] =
            of.over(first).map(|ratio| ratio.map_or_else(|| "-".to_owned(), |ratio| fixed(ratio, 3)));
        let (stable, unstable, beyond) = (rate(of.stable), rate(of.unstable), fixed(of.beyond, 4));
        out += &format!(
            "{:<width$}  {:>8}  {:>9}  {stable:>9}  {unstable:>9}  {share:>7}  {beyond:>8}  {ratio:>7}  {bounds:>8}\n",
            of.name,
            of.senders,
            bound(of.bound)
        );
    }
    out += &wrapped(&format!(
        "{} routing, rates in flits per cycle and {}; past it: accepted at 1.1 x the static bound; ratio: saturation over that of {}, and \
         the same of the static bounds",
        first.traffic, first.unit, first.name
    ));
    out += &wrapped(&first.model);
    for of in all.iter().filter(|of| of.model != first.model) {
        out += &wrapped(&format!("{}: {}", of.name, of.model));
    }
    out
}

/// The same, a row per scenario of a fabric.
pub fn comparison_csv(all: &[Compared]) -> String {
    let mut out =
        String::from("fabric,senders,bound,stable,unstable,share,beyond_accepted,ratio,bound_ratio\n");
    let rate = |rate: Option<Rate>| rate.map_or_else(String::new, |rate| rate.to_string());
    for of in all {
        let [ratio, bounds] =
            of.over(&all[0]).map(|ratio| ratio.map_or_else(String::new, |ratio| fixed(ratio, 6)));
        let (stable, unstable) = (rate(of.stable), rate(of.unstable));
        let (name, share, beyond) = (cell_of(&of.name), fixed(of.share, 4), fixed(of.beyond, 6));
        out += &format!(
            "{name},{},{},{stable},{unstable},{share},{beyond},{ratio},{bounds}\n",
            of.senders,
            bound(of.bound)
        );
    }
    out
}
