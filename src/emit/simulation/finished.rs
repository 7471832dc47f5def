//! When several fabrics are done with the same traffic, in one table.

use super::super::number::fixed;
use super::finite::Reached;
use super::model::{sentence, setting_in_words};
use super::ratios::cell_of;
use super::wrapped::wrapped;
use fabc_ir::Fraction;
use fabc_model::Fabric;
use fabc_sim::SimReport;

/// One scenario of one fabric.
pub struct Finished {
    name: String,
    model: String,
    traffic: String,
    senders: u32,
    least: u64,
    cycles: u32,
    share: Fraction,
    gbs: Fraction,
}

impl Finished {
    /// Of several seeds the slowest; `None` where nothing was run to its end.
    pub fn of(fabric: &Fabric, report: &SimReport) -> Option<Self> {
        let (volume, run) =
            (report.volume.as_ref()?, report.completions.iter().max_by_key(|run| run.cycles)?);
        let reached = Reached::of(fabric, report, volume, run);
        let scenario =
            if report.scenario == "nominal" { String::new() } else { format!(" {}", report.scenario) };
        Some(Self {
            name: format!("{}{scenario}", fabric.name),
            model: sentence(&report.setting),
            traffic: setting_in_words(&report.setting).join(" traffic, "),
            senders: report.load.senders,
            least: volume.least_cycles,
            cycles: run.cycles,
            share: reached.share,
            gbs: reached.gbs,
        })
    }

    /// How many times as fast as another one; and how many times as fast the static bounds are.
    fn over(&self, first: &Self) -> [Fraction; 2] {
        [Fraction::new(first.cycles, self.cycles.max(1)), Fraction::new(first.least, self.least.max(1))]
    }
}

/// The table for people; ratios are to the first line.
pub fn finished_text(all: &[Finished]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let width = all.iter().map(|of| of.name.chars().count()).max().unwrap_or(0).clamp(6, 40);
    let mut out = format!(
        "{:<width$}  {:>8}  {:>12}  {:>12}  {:>8}  {:>12}  {:>7}  {:>8}\n",
        "fabric", "senders", "at least", "cycles", "of bound", "GB/s", "ratio", "of bounds"
    );
    for of in all {
        let share = format!("{} %", fixed(of.share.times(Fraction::whole(100u8)), 1));
        let [ratio, bounds] = of.over(first).map(|ratio| fixed(ratio, 3));
        let (name, senders, least, cycles, gbs) =
            (&of.name, of.senders, of.least, of.cycles, fixed(of.gbs, 2));
        out += &format!(
            "{name:<width$}  {senders:>8}  {least:>12}  {cycles:>12}  {share:>8}  {gbs:>12}  {ratio:>7}  {bounds:>9}\n"
        );
    }
    out += &wrapped(&format!(
        "{} routing; cycles to the last delivery; GB/s: bytes of the messages over that time; ratio: cycles of {} over these, and the same of \
         the lower bounds",
        first.traffic, first.name
    ));
    out += &wrapped(&first.model);
    for of in all.iter().filter(|of| of.model != first.model) {
        out += &wrapped(&format!("{}: {}", of.name, of.model));
    }
    out
}

/// The same, a row per scenario of a fabric.
pub fn finished_csv(all: &[Finished]) -> String {
    let mut out = String::from("fabric,senders,least_cycles,cycles,share,gbs,ratio,bound_ratio\n");
    for of in all {
        let [ratio, bounds] = of.over(&all[0]).map(|ratio| fixed(ratio, 6));
        let (name, share, gbs) = (cell_of(&of.name), fixed(of.share, 4), fixed(of.gbs, 3));
        out += &format!("{name},{},{},{},{share},{gbs},{ratio},{bounds}\n", of.senders, of.least, of.cycles);
    }
    out
}
