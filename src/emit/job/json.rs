//! Writes jobs as JSON: a file per job (`fabc.job/1`), and their times in `report.json`.

use super::super::collective::nanoseconds;
use super::super::json::{push, push_lines, push_numbers, quote, strings};
use super::super::number::ratio;
use super::paths::operation_path;
use super::skew::skew_text;
use crate::compiled::CompiledFabric;
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, JobOperationOutcome, JobOutcome, JobPhaseOutcome, JobResult, JobStep,
    JobWitness, Reconfiguration,
};
use fabc_model::{Job, JobAxis, JobMetric, JobOperation, JobPhase, RankGroups};

/// The text of the file of a job.
pub fn job_json(fabric: &str, job: &Job, result: &JobResult) -> String {
    let mut out = String::new();
    push(
        &mut out,
        format_args!(
            "{{\"format\":\"fabc.job/1\",\"fabric\":{},\"job\":{},\n",
            quote(fabric),
            quote(&job.name)
        ),
    );
    push(
        &mut out,
        format_args!("\"axes\":{},\"place\":{},\n\"ranks\":", axes_json(job), quote(job.place.name())),
    );
    push_numbers(&mut out, result.ranks.iter().map(|chip| chip.0));
    if !result.topologies.is_empty() {
        out.push_str(",\n\"topologies\":");
        push_lines(&mut out, &result.topologies, |out, compared| {
            push(
                out,
                format_args!(
                    "{{\"topology\":{},\"place\":{},\"estimate_ns\":{},\"routed_ns\":{}}}",
                    quote(&compared.topology),
                    quote(&compared.place),
                    nanoseconds_of(compared.estimate),
                    or_null(compared.routed)
                ),
            );
        });
    }
    if let Some(reconfiguration) = &result.reconfiguration {
        push_reconfiguration(&mut out, reconfiguration);
    }
    out.push_str(",\n\"candidates\":");
    push_lines(&mut out, &result.candidates, |out, candidate| {
        push(
            out,
            format_args!(
                "{{\"place\":{},\"communication_ns\":{}}}",
                quote(&candidate.place),
                nanoseconds_of(candidate.communication)
            ),
        );
    });
    out.push_str(",\n\"scenarios\":");
    push_lines(&mut out, &result.scenarios, |out, outcome| push_scenario(out, job, outcome));
    out.push_str("}\n");
    out
}

/// `[{"name":..,"size":..},..]`: the axes of a job.
pub(super) fn axes_json(job: &Job) -> String {
    let axis = |axis: &JobAxis| format!("{{\"name\":{},\"size\":{}}}", quote(&axis.name), axis.size);
    let axes: Vec<String> = job.axes.iter().map(axis).collect();
    format!("[{}]", axes.join(","))
}

/// `"name":..,..,"times":..`: what an operation of a job does, without braces. An all-to-all has a skew.
pub(super) fn operation_head(job: &Job, operation: &JobOperation) -> String {
    let groups = match &operation.groups {
        RankGroups::Along(over) => {
            format!("\"over\":{}", strings(over.iter().map(|&axis| &job.axes[axis].name)))
        }
        RankGroups::Listed(lists) => {
            let mut text = String::from("\"groups\":[");
            for (index, list) in lists.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                push_numbers(&mut text, list.iter().copied());
            }
            text + "]"
        }
    };
    let skew = match operation.is_all_to_all() {
        true => format!(",\"skew\":{}", skew_text(operation.skew_millionths)),
        false => String::new(),
    };
    format!(
        "\"name\":{},\"kind\":\"{}\",{groups},\"bytes\":{},\"times\":{}{skew}",
        quote(&operation.name),
        operation.kind.name(),
        operation.bytes,
        operation.times
    )
}

/// The nanoseconds of a time in picoseconds.
fn nanoseconds_of(picoseconds: u128) -> String {
    nanoseconds(picoseconds * ATTOSECONDS_OF_A_PICOSECOND).to_string()
}

/// The nanoseconds of a time in picoseconds, and `null` where there is none.
fn or_null(picoseconds: Option<u128>) -> String {
    picoseconds.map_or("null".to_owned(), nanoseconds_of)
}

/// `"reconfigure":{..}`: what topologies of their own for some phases would save.
fn push_reconfiguration(out: &mut String, reconfiguration: &Reconfiguration) {
    out.push_str(",\n\"reconfigure\":{\"topologies\":");
    push_lines(out, &reconfiguration.topologies, |out, compared| {
        let times: Vec<String> = compared.times.iter().map(|&time| or_null(time)).collect();
        let name = quote(&compared.topology);
        push(out, format_args!("{{\"topology\":{name},\"phases_ns\":[{}]}}", times.join(",")));
    });
    out.push_str(",\"phases\":");
    push_numbers(out, &reconfiguration.taken);
    push(
        out,
        format_args!(
            ",\"switches\":{},\"gain_ns\":{},\"break_even_ns\":{}",
            reconfiguration.changes,
            nanoseconds_of(reconfiguration.saved),
            or_null(reconfiguration.break_even())
        ),
    );
    if let (Some(switch), Some(lost)) = (reconfiguration.switch, reconfiguration.change_time()) {
        let saved = reconfiguration.saved;
        let sign = if lost > saved { "-" } else { "" };
        let (switch, left) = (nanoseconds_of(switch), nanoseconds_of(saved.abs_diff(lost)));
        push(out, format_args!(",\"switch_ns\":{switch},\"saved_ns\":{sign}{left}"));
    }
    out.push('}');
}

fn push_scenario(out: &mut String, job: &Job, outcome: &JobOutcome) {
    push(out, format_args!("{{\"scenario\":{},", quote(&outcome.scenario)));
    push_step(out, &outcome.step);
    out.push_str(",\n\"phases\":");
    let phases = job.phases.iter().zip(&outcome.phases);
    push_lines(out, phases, |out, (phase, planned)| {
        push_phase(out, job, &outcome.scenario, phase, planned);
    });
    out.push('}');
}

/// `"communication_ns":..,..`: the times of a step.
fn push_step(out: &mut String, step: &JobStep) {
    let share = ratio(step.value(JobMetric::Share));
    push(
        out,
        format_args!(
            "\"communication_ns\":{},\"exposed_ns\":{},\"compute_ns\":{},\"step_ns\":{},",
            nanoseconds(step.communication),
            nanoseconds(step.exposed),
            nanoseconds(step.compute),
            nanoseconds(step.step())
        ),
    );
    push(
        out,
        format_args!(
            "\"bound_ns\":{},\"universal_ns\":{},\"share\":{share}",
            nanoseconds(step.bound),
            nanoseconds(step.universal)
        ),
    );
}

fn push_phase(out: &mut String, job: &Job, scenario: &str, phase: &JobPhase, planned: &JobPhaseOutcome) {
    let after = strings(phase.after.iter().map(|&index| &job.phases[index].name));
    push(out, format_args!(" {{\"name\":{},\"after\":{after},", quote(&phase.name)));
    push_phase_times(out, planned);
    out.push_str(",\"busiest\":");
    push_numbers(out, planned.busiest.iter().map(|channel| channel.0));
    out.push_str(",\n  \"witness\":");
    match &planned.bound.witness {
        JobWitness::Lengths(lengths) => {
            out.push_str("{\"lengths\":");
            push_numbers(out, lengths);
            out.push('}');
        }
        JobWitness::Relays => out.push_str("\"relays\""),
        JobWitness::Operation(index) => push(out, format_args!("{{\"operation\":{index}}}")),
    }
    out.push_str(",\n  \"operations\":[");
    for (index, (operation, outcome)) in phase.operations.iter().zip(&planned.operations).enumerate() {
        out.push_str(if index > 0 { ",\n   " } else { "\n   " });
        push_operation(out, job, scenario, phase, operation, outcome);
    }
    out.push_str("]}");
}

/// `"volume_ns":..,..`: the times of a phase.
fn push_phase_times(out: &mut String, planned: &JobPhaseOutcome) {
    push(
        out,
        format_args!(
            "\"volume_ns\":{},\"latency_ns\":{},\"time_ns\":{},\"bound_ns\":{},\"universal_ns\":{}",
            nanoseconds(planned.volume),
            nanoseconds(planned.latency),
            nanoseconds(planned.time()),
            nanoseconds(planned.bound.time),
            nanoseconds(planned.universal)
        ),
    );
}

fn push_operation(
    out: &mut String,
    job: &Job,
    scenario: &str,
    phase: &JobPhase,
    operation: &JobOperation,
    outcome: &JobOperationOutcome,
) {
    let head = operation_head(job, operation);
    push(out, format_args!("{{{head},\"algorithm\":\"{}\",", outcome.algorithm.name()));
    let schedule = outcome.schedule.as_ref().map_or("null".to_owned(), |_| {
        quote(&operation_path(&job.name, &phase.name, &operation.name, scenario))
    });
    push(
        out,
        format_args!(
            "\"load_bytes\":{},\"latency_ns\":{},\"schedule\":{schedule}}}",
            outcome.load,
            nanoseconds(outcome.latency)
        ),
    );
}

/// Writes `"jobs":[..],` and a line break. Writes nothing if the spec declares none.
pub(in super::super) fn push_jobs(out: &mut String, compiled: &CompiledFabric) {
    if compiled.fabric.jobs.is_empty() {
        return;
    }
    out.push_str("\"jobs\":");
    let results = compiled.fabric.jobs.iter().zip(&compiled.jobs);
    push_lines(out, results, |out, (job, result)| {
        push(out, format_args!("{{\"name\":{},\"place\":{}", quote(&job.name), quote(job.place.name())));
        if let Some(nominal) = result.nominal() {
            out.push(',');
            push_step(out, &nominal.step);
            let worst = result.worst_fault(JobMetric::Communication);
            let name = worst.map_or("null".to_owned(), |worst| quote(&worst.scenario));
            let time = worst.map_or("null".to_owned(), |worst| nanoseconds(worst.step.communication));
            push(out, format_args!(",\"worst_fault\":{name},\"worst_communication_ns\":{time}"));
            out.push_str(",\n \"phases\":");
            push_lines(out, job.phases.iter().zip(&nominal.phases), |out, (phase, planned)| {
                push(out, format_args!("  {{\"name\":{},", quote(&phase.name)));
                push_phase_times(out, planned);
                out.push('}');
            });
        }
        out.push('}');
    });
    out.push_str(",\n");
}
