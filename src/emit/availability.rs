//! How much of the time a job has its pod, for people and for programs (`fabc.availability/1`).

use super::json::{push, push_lines, quote};
use fabc_estimate::availability::{Cubes, Failures, Plant, availability};
use std::fmt::Write;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct AvailabilityAsked {
    /// The fabric's name.
    pub fabric: String,
    /// The pod in numbers.
    pub plant: Plant,
    /// How often parts fail.
    pub failures: Failures,
    /// Chips of a host.
    pub host_chips: u32,
    /// `[j]`: what is left of the throughput with j switches dark.
    pub flow: Vec<f64>,
    /// How many of these were measured; the others are as the last of them.
    pub measured: usize,
}

/// Rows of the table, from the least to the most that is done.
const ROWS: [(Cubes, &str, &str); 3] = [
    (Cubes::Waiting, "waiting", "the job waits for its own cubes"),
    (Cubes::Swapped, "swapped", "cubes are swapped for spare ones"),
    (Cubes::RoutedAround, "routed_around", "and broken cables are routed around"),
];

/// `[row][switches tolerated]`: the share of the time.
fn table(asked: &AvailabilityAsked) -> Vec<Vec<f64>> {
    let of = |(cubes, ..): &(Cubes, &str, &str)| {
        (0..asked.flow.len())
            .map(|dark| availability(&asked.plant, &asked.failures, *cubes, &asked.flow[..=dark]))
            .collect()
    };
    ROWS.iter().map(of).collect()
}

/// A kind of slice, and what is asked of one job of it.
#[derive(Clone, Debug)]
pub struct KindAvailability {
    /// The name of the kind.
    pub kind: String,
    /// How many slices of it there are.
    pub slices: usize,
    /// A job of it, beside all others.
    pub asked: AvailabilityAsked,
}

/// For people.
pub fn availability_text(asked: &AvailabilityAsked) -> String {
    let Plant { cubes, job, .. } = asked.plant;
    let title =
        format!("availability of {}: a job of {job} of {cubes} cubes, {} spare\n", asked.fabric, cubes - job);
    title + &body(asked)
}

/// The same of every kind of a pod in slices.
pub fn slices_availability_text(fabric: &str, kinds: &[KindAvailability]) -> String {
    let mut out = format!("availability of {fabric}, by kind of slice\n");
    for KindAvailability { kind, slices, asked } in kinds {
        let Plant { cubes, job, others, .. } = asked.plant;
        let all = if *slices == 1 { "1 slice" } else { "each slice" };
        let _ = writeln!(
            out,
            "\n{kind} ({slices}): {all} of {}; {} can stand in for any of the {} in slices",
            count(job),
            count(cubes - job - others),
            job + others
        );
        out += &body(asked);
    }
    out
}

fn count(cubes: u32) -> String {
    if cubes == 1 { "1 cube".to_owned() } else { format!("{cubes} cubes") }
}

fn body(asked: &AvailabilityAsked) -> String {
    let AvailabilityAsked { plant, failures, host_chips, flow, measured, .. } = asked;
    let table = table(asked);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "  a cube has {} hosts of {host_chips} chips and {} cables, the pod {} switches",
        plant.hosts, plant.cables, plant.ocses
    );
    let Failures { host, cable, ocs, repair, restart } = failures;
    let _ = writeln!(out, "  failures a day: {host} of a host, {cable} of a cable, {ocs} of a switch");
    let _ = writeln!(out, "  a repair takes {:.2} h, a restart {:.2} min\n", repair * 24.0, restart * 1440.0);
    let _ = write!(out, "{:37}", "DARK SWITCHES TOLERATED");
    (0..flow.len()).for_each(|dark| {
        let _ = write!(out, "{dark:>9}");
    });
    out.push('\n');
    for ((.., what), row) in ROWS.iter().zip(&table) {
        let _ = write!(out, "  {what:35}");
        row.iter().for_each(|share| {
            let _ = write!(out, "{share:>9.4}");
        });
        out.push('\n');
    }
    let _ = write!(out, "  {:35}", "throughput with so many dark");
    flow.iter().for_each(|share| {
        let _ = write!(out, "{share:>9.4}");
    });
    out.push('\n');
    if *measured < flow.len() {
        let _ = writeln!(
            out,
            "  (with {measured} dark nothing was measured: what {} leave is taken)",
            measured - 1
        );
    }
    let last = flow.len().min(2) - 1;
    let [waiting, swapped, around] = [0, 1, 2].map(|row: usize| table[row][last]);
    let _ = writeln!(
        out,
        "\nto swap cubes is worth {:.4}, to route around cables {:.4},",
        swapped - waiting,
        around - swapped
    );
    let worth: Vec<String> = table[1].windows(2).map(|pair| format!("{:.4}", pair[1] - pair[0])).collect();
    let _ = writeln!(out, "to tolerate one dark switch after the other {}", worth.join(", "));
    out
}

/// `fabc.availability/1`.
pub fn availability_json(asked: &AvailabilityAsked) -> String {
    let Plant { cubes, job, .. } = asked.plant;
    let mut out = format!(
        "{{\"format\":\"fabc.availability/1\",\"fabric\":{},\"cubes\":{cubes},\"job\":{job},",
        quote(&asked.fabric)
    );
    push_figures(&mut out, asked);
    out.push_str("}\n");
    out
}

/// `fabc.slices_availability/1`.
pub fn slices_availability_json(fabric: &str, kinds: &[KindAvailability]) -> String {
    let mut out =
        format!("{{\"format\":\"fabc.slices_availability/1\",\"fabric\":{},\"kinds\":", quote(fabric));
    push_lines(&mut out, kinds, |out, KindAvailability { kind, slices, asked }| {
        let Plant { cubes, job, others, .. } = asked.plant;
        push(
            out,
            format_args!("{{\"kind\":{},\"slices\":{slices},\"job\":{job},\"others\":{others},", quote(kind)),
        );
        push(out, format_args!("\"spare\":{},", cubes - job - others));
        push_figures(out, asked);
        out.push('}');
    });
    out.push_str("}\n");
    out
}

/// What is asked, and what comes of it.
fn push_figures(out: &mut String, asked: &AvailabilityAsked) {
    let AvailabilityAsked {
        plant: Plant { hosts, cables, ocses, .. },
        failures,
        host_chips,
        flow,
        measured,
        ..
    } = asked;
    let Failures { host, cable, ocs, repair, restart } = failures;
    push(
        out,
        format_args!(
            "\"hosts\":{hosts},\"host_chips\":{host_chips},\"cables\":{cables},\"ocses\":{ocses},\n"
        ),
    );
    push(out, format_args!("\"failures_per_day\":{{\"host\":{host},\"cable\":{cable},\"ocs\":{ocs}}},"));
    push(out, format_args!("\"repair_h\":{},\"restart_min\":{},\n", repair * 24.0, restart * 1440.0));
    let numbers = |row: &[f64]| row.iter().map(|share| format!("{share:.6}")).collect::<Vec<_>>().join(",");
    push(
        out,
        format_args!("\"throughput\":[{}],\"measured\":{measured},\n\"availability\":{{", numbers(flow)),
    );
    for (at, ((_, name, _), row)) in ROWS.iter().zip(&table(asked)).enumerate() {
        let comma = if at > 0 { "," } else { "" };
        push(out, format_args!("{comma}\"{name}\":[{}]", numbers(row)));
    }
    out.push('}');
}
