//! Writes the difference between the state of the switches and the build, for people and as `fabc.drift/1`.

use super::json::{push, push_lines, push_numbers, quote, strings};
use super::number::grouped;
use fabc_base::ids::OcsId;
use fabc_base::units::thousandths_text as decibels;
use fabc_ir::{Drift, LightDrift, Meaning, SliceDrift, SlicesDrift, SwitchDrift, WeakLight, WeakReceiver};
use fabc_model::Pod;

/// Maximum number of failed parts that a line names.
const SHOWN: usize = 12;

/// Writes the drift for people. `from` holds the built directory, and the path of the tables in it that were
/// prepared for this fault.
pub fn drift_text(name: &str, pod: &Pod, drift: &Drift, from: (&str, Option<&str>)) -> String {
    let mut out = String::new();
    if push_switches(&mut out, name, pod, &drift.switches) {
        out.push('\n');
        push_meaning(&mut out, drift, from.0, from.1);
        if !drift.lost.is_empty() {
            let names =
                drift.lost.iter().take(SHOWN).map(|&ocs| format!("--replace '{}'", pod.ocses[ocs].name));
            let (directory, names) = (from.0, names.collect::<Vec<_>>().join(" "));
            push(
                &mut out,
                format_args!(
                    "a spare switch in the place of a dead one: fabc plan {directory} --live {directory} {names} --out way\n"
                ),
            );
        }
    }
    out
}

/// Writes the differences of every switch. Returns whether there are any.
fn push_switches(out: &mut String, name: &str, pod: &Pod, switches: &[SwitchDrift]) -> bool {
    if switches.is_empty() {
        push(out, format_args!("{name}: the switches match the build\n"));
        return false;
    }
    let sum = |count: fn(&SwitchDrift) -> usize| switches.iter().map(count).sum::<usize>() as u64;
    let counts: Vec<String> = [
        (sum(|switch| switch.missing.len()), "missing"),
        (sum(|switch| switch.extra.len()), "too many"),
        (sum(|switch| switch.pending.len()), "pending"),
        (sum(|switch| switch.failed.len()), "failed"),
        (sum(|switch| switch.blocked.len()), "blocked ports"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, state)| format!("{} {state}", grouped(count)))
    .collect();
    let count =
        if switches.len() == 1 { "1 switch".to_owned() } else { format!("{} switches", switches.len()) };
    push(out, format_args!("{name}: {count} not as built: {}\n", counts.join(", ")));
    for switch in switches {
        push_switch(out, pod, switch);
    }
    true
}

fn push_switch(out: &mut String, pod: &Pod, switch: &SwitchDrift) {
    let SwitchDrift { ocs, missing, extra, moved, blocked, pending, failed, idle } = switch;
    let state = if *idle { "  configured, but not yet set" } else { "" };
    push(out, format_args!("\n{}{state}\n", pod.ocses[*ocs].name));
    let mut line = |sign: char, pair: [u32; 2], state: &str| {
        let [a, b] = face_names(pod, *ocs, pair);
        push(out, format_args!("  {sign}  {a:<18}  {b:<18}  {state}\n"));
    };
    for &pair in missing {
        let state = if pending.contains(&pair) {
            "missing, pending"
        } else if failed.contains(&pair) {
            "missing, failed"
        } else {
            "missing"
        };
        line('-', pair, state);
    }
    for &pair in extra {
        line('+', pair, if moved.contains(&pair) { "moved here" } else { "not built" });
    }
    for (pairs, state) in [(pending, "pending"), (failed, "failed")] {
        pairs.iter().filter(|pair| !missing.contains(pair)).for_each(|&pair| line('?', pair, state));
    }
    for port in blocked {
        push(out, format_args!("  x  {port:<18}  {:<18}  blocked\n", ""));
    }
}

fn push_meaning(out: &mut String, drift: &Drift, directory: &str, tables: Option<&str>) {
    match &drift.meaning {
        Meaning::Same => out.push_str("nothing that was built is missing, and nothing else is joined\n"),
        Meaning::Scenario(name) => {
            let tables = tables.unwrap_or_default();
            push(
                out,
                format_args!("this is the fault {name} of the budget: its tables are {directory}/{tables}\n"),
            );
        }
        Meaning::Repair(names) => {
            push(out, format_args!("no fault of the budget: {}\n", repair_command(directory, names)))
        }
        Meaning::Foreign(names) => {
            out.push_str("ports are joined that were not: packets on them go astray, since tables name ports; set the switches again");
            match names.is_empty() {
                true => out.push('\n'),
                false => push(
                    out,
                    format_args!(
                        ",\nor unset what is too many and then {}\n",
                        repair_command(directory, names)
                    ),
                ),
            }
        }
    }
}

/// The `fabc repair` command that computes tables for the surviving network.
fn repair_command(directory: &str, names: &[String]) -> String {
    let down: Vec<String> = names.iter().take(SHOWN).map(|name| format!("--down '{name}'")).collect();
    let more = names.len().saturating_sub(SHOWN);
    let more =
        if more > 0 { format!(" .. ({more} more; `fabc repair --live` takes all)") } else { String::new() };
    format!("fabc repair {directory} {}{more} --out repaired", down.join(" "))
}

/// Writes what measured light says, for people.
pub fn light_drift_text(pod: &Pod, light: &LightDrift) -> String {
    let LightDrift { weak, measured, unmeasured } = light;
    let unmeasured = match unmeasured {
        0 => String::new(),
        count => format!("; {} were not measured", grouped(*count as u64)),
    };
    let mut out = format!(
        "\nlight: {} of {} receivers get less than their budget{unmeasured}\n",
        grouped(weak.len() as u64),
        grouped(*measured as u64)
    );
    for WeakReceiver { ocs, port, power, budget, sensitivity, state, .. } in weak {
        let says = match state {
            WeakLight::Unreadable => format!("below the sensitivity of {} dBm", decibels(*sensitivity)),
            WeakLight::Low => format!("only {} dB over the sensitivity", decibels(power - sensitivity)),
            WeakLight::Lossy => format!("{} dB over the sensitivity", decibels(power - sensitivity)),
        };
        push(
            &mut out,
            format_args!(
                "  {port:<18}  {:<10}  {} dBm for {} dBm: {says}\n",
                pod.ocses[*ocs].name,
                decibels(*power),
                decibels(*budget)
            ),
        );
    }
    out
}

/// A drift as JSON with what measured light says: `light` is added at its end.
pub fn with_light_drift(drift: &str, pod: &Pod, light: &LightDrift) -> String {
    let LightDrift { weak, measured, unmeasured } = light;
    let mut out = drift.trim_end().trim_end_matches('}').to_owned();
    push(
        &mut out,
        format_args!(",\n\"light\":{{\"measured\":{measured},\"unmeasured\":{unmeasured},\"weak\":"),
    );
    push_lines(
        &mut out,
        weak,
        |out, WeakReceiver { ocs, pair: [a, b], port, power, budget, sensitivity, state }| {
            push(
                out,
                format_args!(
                    "{{\"ocs\":{},\"pair\":[{a},{b}],\"port\":{},\"power\":{},\"budget\":{},\"sensitivity\":{},\"state\":\"{}\"}}",
                    quote(&pod.ocses[*ocs].name),
                    quote(port),
                    decibels(*power),
                    decibels(*budget),
                    decibels(*sensitivity),
                    state.name()
                ),
            );
        },
    );
    out.push_str("}}\n");
    out
}

/// The names of the two face ports of a cross-connect.
fn face_names(pod: &Pod, ocs: OcsId, pair: [u32; 2]) -> [String; 2] {
    pod.ocses[ocs].faces(pair).map(|face| pod.face_port_name(face))
}

/// The drift as JSON (`fabc.drift/1`).
pub fn drift_json(name: &str, pod: &Pod, drift: &Drift) -> String {
    let mut out = format!(
        "{{\"format\":\"fabc.drift/1\",\"fabric\":{},\"means\":\"{}\",\n\"switches\":",
        quote(name),
        drift.meaning.name()
    );
    push_switch_lines(&mut out, pod, &drift.switches);
    let (scenario, repair) = match &drift.meaning {
        Meaning::Same => (None, &[][..]),
        Meaning::Scenario(scenario) => (Some(scenario), &[][..]),
        Meaning::Repair(names) | Meaning::Foreign(names) => (None, &names[..]),
    };
    let scenario = scenario.map_or("null".to_owned(), |name| quote(name));
    push(
        &mut out,
        format_args!(
            ",\n\"scenario\":{scenario},\"repair\":{},\"parts\":{},\"replace\":{}}}\n",
            strings(repair),
            drift.parts,
            strings(drift.lost.iter().map(|&ocs| &pod.ocses[ocs].name))
        ),
    );
    out
}

fn push_switch_lines(out: &mut String, pod: &Pod, switches: &[SwitchDrift]) {
    push_lines(out, switches, |out, switch| {
        let SwitchDrift { ocs, missing, extra, moved, blocked, pending, failed, idle } = switch;
        push(out, format_args!("{{\"ocs\":{}", quote(&pod.ocses[*ocs].name)));
        for (key, pairs) in [
            ("missing", missing),
            ("extra", extra),
            ("moved", moved),
            ("pending", pending),
            ("failed", failed),
        ] {
            push(out, format_args!(",\"{key}\":"));
            push_numbers(out, pairs.iter().map(|[a, b]| format!("[{a},{b}]")));
        }
        push(out, format_args!(",\"blocked\":{},\"idle\":{idle}}}", strings(blocked)));
    });
}

/// Writes the drift of a pod in slices, for people. `directory` is the directory of its placement.
pub fn slices_drift_text(name: &str, pod: &Pod, drift: &SlicesDrift, directory: &str) -> String {
    let mut out = String::new();
    if !push_switches(&mut out, name, pod, &drift.switches) {
        return out;
    }
    out.push('\n');
    for (ocs, pair, slices) in &drift.across {
        let [a, b] = face_names(pod, *ocs, *pair);
        let [of_a, of_b] = slices
            .each_ref()
            .map(|end| end.as_ref().map_or("no slice".to_owned(), |slice| format!("slice {slice}")));
        push(
            &mut out,
            format_args!("{} joins {a} of {of_a} to {b} of {of_b}: unset it\n", pod.ocses[*ocs].name),
        );
    }
    for SliceDrift { slice, meaning, parts } in &drift.slices {
        let parts = if *parts > 1 { format!(", and is in {parts} parts") } else { String::new() };
        match meaning {
            Meaning::Same => push(&mut out, format_args!("slice {slice} has all that it should{parts}\n")),
            Meaning::Scenario(scenario) => push(
                &mut out,
                format_args!(
                    "slice {slice} lacks {scenario}, a fault of its budget: fabc tables {directory} --slice {slice} --scenario '{scenario}'\n"
                ),
            ),
            Meaning::Repair(names) | Meaning::Foreign(names) if names.is_empty() => {
                push(
                    &mut out,
                    format_args!("slice {slice} has ports joined that were not: set its switches again\n"),
                );
            }
            Meaning::Repair(names) | Meaning::Foreign(names) => {
                let down: Vec<String> =
                    names.iter().take(SHOWN).map(|name| format!("--down '{name}'")).collect();
                let more = names.len().saturating_sub(SHOWN);
                let more = if more > 0 { format!(" .. ({more} more)") } else { String::new() };
                push(
                    &mut out,
                    format_args!(
                        "slice {slice} lacks {} of its links{parts}: fabc repair {directory} --slice {slice} {}{more} --out repaired\n",
                        names.len(),
                        down.join(" ")
                    ),
                );
            }
        }
    }
    out
}

/// The drift of a pod in slices as JSON (`fabc.drift/1` with `slices` and `across`).
pub fn slices_drift_json(name: &str, pod: &Pod, drift: &SlicesDrift) -> String {
    let mut out = format!(
        "{{\"format\":\"fabc.drift/1\",\"fabric\":{},\"means\":\"{}\",\n\"switches\":",
        quote(name),
        drift.meaning_name()
    );
    push_switch_lines(&mut out, pod, &drift.switches);
    out.push_str(",\n\"slices\":");
    push_lines(&mut out, &drift.slices, |out, SliceDrift { slice, meaning, parts }| {
        let (scenario, repair) = match meaning {
            Meaning::Same => ("null".to_owned(), &[][..]),
            Meaning::Scenario(scenario) => (quote(scenario), &[][..]),
            Meaning::Repair(names) | Meaning::Foreign(names) => ("null".to_owned(), &names[..]),
        };
        push(
            out,
            format_args!(
                "{{\"slice\":{},\"means\":\"{}\",\"scenario\":{scenario},",
                quote(slice),
                meaning.name()
            ),
        );
        push(out, format_args!("\"repair\":{},\"parts\":{parts}}}", strings(repair)));
    });
    out.push_str(",\n\"across\":");
    push_lines(&mut out, &drift.across, |out, (ocs, [a, b], slices)| {
        let slices = slices.each_ref().map(|end| end.as_deref().map_or("null".to_owned(), quote));
        push(
            out,
            format_args!(
                "{{\"ocs\":{},\"pair\":[{a},{b}],\"slices\":[{},{}]}}",
                quote(&pod.ocses[*ocs].name),
                slices[0],
                slices[1]
            ),
        );
    });
    out.push_str("}\n");
    out
}
