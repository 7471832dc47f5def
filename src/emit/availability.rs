//! Writes the availability of a job, for people and for programs (`fabc.availability/1`).

use super::json::{push, push_lines, quote};
use fabc_estimate::availability::{FailureRates, FailureResponse, PodCounts, availability};
use std::fmt::Write;

/// The input of an availability estimate.
#[derive(Clone, Debug)]
pub struct AvailabilityInput {
    /// Name of the fabric, for the title.
    pub fabric: String,
    /// Numbers of cubes, hosts, cables and switches.
    pub plant: PodCounts,
    /// Failure rates and repair times.
    pub failures: FailureRates,
    /// Number of chips of a host.
    pub host_chips: u32,
    /// `[j]`: fraction of the throughput that remains with j switches dark.
    pub flow: Vec<f64>,
    /// How many of these fractions were measured. The later ones repeat the last measured one.
    pub measured: usize,
}

/// Rows of the table: response to failures, its JSON key, its description. Each response does more than the
/// one before.
const ROWS: [(FailureResponse, &str, &str); 3] = [
    (FailureResponse::Waiting, "waiting", "the job waits for its own cubes"),
    (FailureResponse::Swapped, "swapped", "cubes are swapped for spare ones"),
    (FailureResponse::RoutedAround, "routed_around", "and broken cables are routed around"),
];

/// `[row][switches tolerated]`: the availability, a fraction of the time.
fn table(input: &AvailabilityInput) -> Vec<Vec<f64>> {
    let row = |(response, ..): &(FailureResponse, &str, &str)| {
        (0..input.flow.len())
            .map(|dark| availability(&input.plant, &input.failures, *response, &input.flow[..=dark]))
            .collect()
    };
    ROWS.iter().map(row).collect()
}

/// A kind of slice with the input for one of its jobs.
#[derive(Clone, Debug)]
pub struct KindAvailability {
    /// Name of the kind of slice.
    pub kind: String,
    /// Number of slices of this kind.
    pub slices: usize,
    /// Input for one job of this kind, with the other slices as other jobs.
    pub input: AvailabilityInput,
}

/// Writes the availability of a job for people.
pub fn availability_text(input: &AvailabilityInput) -> String {
    let PodCounts { cubes, job, .. } = input.plant;
    let title =
        format!("availability of {}: a job of {job} of {cubes} cubes, {} spare\n", input.fabric, cubes - job);
    title + &body(input)
}

/// Writes the availability of every kind of slice for people.
pub fn slices_availability_text(fabric: &str, kinds: &[KindAvailability]) -> String {
    let mut out = format!("availability of {fabric}, by kind of slice\n");
    for KindAvailability { kind, slices, input } in kinds {
        let PodCounts { cubes, job, others, .. } = input.plant;
        let subject = if *slices == 1 { "1 slice" } else { "each slice" };
        let _ = writeln!(
            out,
            "\n{kind} ({slices}): {subject} of {}; {} can stand in for any of the {} in slices",
            count(job),
            count(cubes - job - others),
            job + others
        );
        out += &body(input);
    }
    out
}

fn count(cubes: u32) -> String {
    if cubes == 1 { "1 cube".to_owned() } else { format!("{cubes} cubes") }
}

fn body(input: &AvailabilityInput) -> String {
    let AvailabilityInput { plant, failures, host_chips, flow, measured, .. } = input;
    let table = table(input);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "  a cube has {} hosts of {host_chips} chips and {} cables, the pod {} switches",
        plant.hosts, plant.cables, plant.ocses
    );
    let FailureRates { host, cable, ocs, repair, restart } = failures;
    let _ = writeln!(out, "  failures a day: {host} of a host, {cable} of a cable, {ocs} of a switch");
    let _ = writeln!(out, "  a repair takes {:.2} h, a restart {:.2} min\n", repair * 24.0, restart * 1440.0);
    let _ = write!(out, "{:37}", "DARK SWITCHES TOLERATED");
    (0..flow.len()).for_each(|dark| {
        let _ = write!(out, "{dark:>9}");
    });
    out.push('\n');
    for ((.., description), row) in ROWS.iter().zip(&table) {
        let _ = write!(out, "  {description:35}");
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

/// The availability of a job as JSON (`fabc.availability/1`).
pub fn availability_json(input: &AvailabilityInput) -> String {
    let PodCounts { cubes, job, .. } = input.plant;
    let mut out = format!(
        "{{\"format\":\"fabc.availability/1\",\"fabric\":{},\"cubes\":{cubes},\"job\":{job},",
        quote(&input.fabric)
    );
    push_figures(&mut out, input);
    out.push_str("}\n");
    out
}

/// The availability of every kind of slice as JSON (`fabc.slices_availability/1`).
pub fn slices_availability_json(fabric: &str, kinds: &[KindAvailability]) -> String {
    let mut out =
        format!("{{\"format\":\"fabc.slices_availability/1\",\"fabric\":{},\"kinds\":", quote(fabric));
    push_lines(&mut out, kinds, |out, KindAvailability { kind, slices, input }| {
        let PodCounts { cubes, job, others, .. } = input.plant;
        push(
            out,
            format_args!("{{\"kind\":{},\"slices\":{slices},\"job\":{job},\"others\":{others},", quote(kind)),
        );
        push(out, format_args!("\"spare\":{},", cubes - job - others));
        push_figures(out, input);
        out.push('}');
    });
    out.push_str("}\n");
    out
}

/// Writes the input and the resulting table as JSON members.
fn push_figures(out: &mut String, input: &AvailabilityInput) {
    let AvailabilityInput {
        plant: PodCounts { hosts, cables, ocses, .. },
        failures,
        host_chips,
        flow,
        measured,
        ..
    } = input;
    let FailureRates { host, cable, ocs, repair, restart } = failures;
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
    for (index, ((_, name, _), row)) in ROWS.iter().zip(&table(input)).enumerate() {
        let comma = if index > 0 { "," } else { "" };
        push(out, format_args!("{comma}\"{name}\":[{}]", numbers(row)));
    }
    out.push('}');
}
