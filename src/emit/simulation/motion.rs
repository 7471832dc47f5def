//! Writes plans in motion: what a schedule or a phase takes by its plan, and what routers take for it.

use super::super::json::{push, quote};
use super::super::number::{fixed, grouped};
use super::model::model_sentence;
use super::wrapped::wrap_text;
use fabc_ir::{ATTOSECONDS, ATTOSECONDS_OF_A_NANOSECOND, Fraction};
use fabc_sim::SimReport;

/// A plan that was run in motion.
pub struct MotionRow {
    /// The name of the phase or the collective.
    name: String,
    /// One of so many equal parts of all bytes was moved.
    parts: u128,
    /// The time of that part by the plan, in attoseconds.
    planned: u128,
    /// Router cycles per second, by which cycles of the run become times.
    clock_hz: u64,
    /// The run, which ends with the last arrival.
    report: SimReport,
}

impl MotionRow {
    /// A plan of so many attoseconds with its run, which ends once.
    pub fn new(name: String, parts: u128, planned: u128, clock_hz: u64, report: SimReport) -> Self {
        Self { name, parts, planned, clock_hz, report }
    }

    /// The cycles of the run.
    fn cycles(&self) -> u64 {
        self.report.completions.iter().map(|run| u64::from(run.cycles)).max().unwrap_or(0)
    }

    /// The time of the run, in attoseconds.
    fn moved(&self) -> u128 {
        u128::from(self.cycles()) * ATTOSECONDS / u128::from(self.clock_hz.max(1))
    }

    /// The time by the plan over that of the run.
    fn kept(&self) -> Fraction {
        Fraction::new(self.planned, self.moved().max(1))
    }

    /// Time of all parts, if each takes as long as the one that was run, in attoseconds.
    fn whole(&self, of_a_part: u128) -> u128 {
        of_a_part * self.parts
    }
}

fn microseconds(attoseconds: u128) -> String {
    fixed(Fraction::new(attoseconds, 1_000 * ATTOSECONDS_OF_A_NANOSECOND), 3)
}

/// The table for people. `subject` says what was run, such as `job train`.
pub fn motion_text(fabric: &str, scenario: &str, subject: &str, rows: &[MotionRow]) -> String {
    let mut out = format!("{fabric}, {scenario}: {subject} in motion\n");
    let Some(first) = rows.first() else { return out + "  nothing moves\n" };
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).clamp(5, 40);
    out += &format!(
        "{:<width$}  {:>10}  {:>12}  {:>12}  {:>7}  {:>9}  {:>12}\n",
        "plan", "part", "planned us", "in motion us", "kept", "packets", "of flits"
    );
    for row in rows {
        let part = if row.parts == 1 { "all".to_owned() } else { format!("1 / {}", row.parts) };
        let packets = row.report.volume.as_ref().map_or(0, |volume| volume.packets);
        out += &format!(
            "{:<width$}  {part:>10}  {:>12}  {:>12}  {:>7}  {:>9}  {:>12}\n",
            row.name,
            microseconds(row.planned),
            microseconds(row.moved()),
            format!("{} %", fixed(row.kept().times(Fraction::integer(100u8)), 1)),
            grouped(packets),
            row.report.setting.packet,
        );
    }
    let [planned, moved] = sums(rows).map(microseconds);
    if rows.len() > 1 {
        out += &wrap_text(&format!(
            "all bytes of all of them, one after the other: {planned} us by the plan, {moved} us in motion"
        ));
    }
    out += &wrap_text(
        "Every message waits for those whose data it needs. kept: time by the plan over that in motion. Of a long plan every operation \
         moves the same part of its bytes, once",
    );
    out += &wrap_text(&model_sentence(&first.report.setting));
    out
}

/// The times of all parts of all plans: by the plan, and in motion.
fn sums(rows: &[MotionRow]) -> [u128; 2] {
    let sum = |of_a_part: fn(&MotionRow) -> u128| rows.iter().map(|row| row.whole(of_a_part(row))).sum();
    [sum(|row| row.planned), sum(MotionRow::moved)]
}

/// Writes the rows of [`motion_text`] as `fabc.motion/1`, with times in nanoseconds.
pub fn motion_json(fabric: &str, scenario: &str, subject: &str, rows: &[MotionRow]) -> String {
    let mut out = String::new();
    push(
        &mut out,
        format_args!(
            "{{\"format\":\"fabc.motion/1\",\"fabric\":{},\"scenario\":{},\"subject\":{},\n\"plans\":[",
            quote(fabric),
            quote(scenario),
            quote(subject)
        ),
    );
    let nanoseconds = |attoseconds: u128| fixed(Fraction::new(attoseconds, ATTOSECONDS_OF_A_NANOSECOND), 3);
    for (index, row) in rows.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let volume = row.report.volume.as_ref();
        push(
            &mut out,
            format_args!(
                "{comma}\n{{\"name\":{},\"parts\":{},\"planned_ns\":{},\"motion_ns\":{},\"cycles\":{},\"least_cycles\":{},\"kept\":{},\"messages\":{},\"packets\":{},\"packet_flits\":{}}}",
                quote(&row.name),
                row.parts,
                nanoseconds(row.planned),
                nanoseconds(row.moved()),
                row.cycles(),
                volume.map_or(0, |volume| volume.least_cycles),
                fixed(row.kept(), 4),
                volume.map_or(0, |volume| volume.messages),
                volume.map_or(0, |volume| volume.packets),
                row.report.setting.packet,
            ),
        );
    }
    let [planned, moved] = sums(rows).map(nanoseconds);
    push(&mut out, format_args!("\n],\n\"planned_ns\":{planned},\"motion_ns\":{moved}}}\n"));
    out
}
