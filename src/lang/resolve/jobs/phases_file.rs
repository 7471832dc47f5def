//! The file of the phases of a job: `fabc.phases/1`.

use super::operations::group_collectives;
use fabc_base::diag::Span;
use fabc_base::limits::{CHIPS, COLLECTIVE_BYTES, JOB_BYTES, JOB_COMPUTE_PS, JOB_TIMES, NAME_LETTERS};
use fabc_model::{
    CollectiveAlgorithm, EVEN_SKEW, JobOperation, JobOperationKind, JobPhase, PHASES_FORMAT, RankGroups,
    check_groups_of_ranks,
};
use serde::Deserialize;

/// The ranks and phases of a file.
pub(super) struct FileStep {
    pub(super) ranks: u32,
    pub(super) compute_ps: u64,
    pub(super) phases: Vec<JobPhase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PhasesFile {
    format: String,
    ranks: u32,
    compute_ps: u64,
    phases: Vec<PhaseEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PhaseEntry {
    name: String,
    after: Vec<String>,
    compute_ps: u64,
    operations: Vec<OperationEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationEntry {
    name: String,
    kind: String,
    both: Option<bool>,
    wrap: Option<bool>,
    algorithm: Option<String>,
    bytes: u64,
    times: u64,
    groups: Vec<Vec<u32>>,
}

/// Reads a file of phases. Their places are `span`.
///
/// # Errors
/// What is wrong first, as a sentence without its subject.
pub(super) fn read_phases(text: &str, span: Span) -> Result<FileStep, String> {
    let file: PhasesFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.format != PHASES_FORMAT {
        return Err(format!("its format is `{}`, and not `{PHASES_FORMAT}`", shown(&file.format)));
    }
    if file.ranks < 2 || u64::from(file.ranks) > CHIPS {
        return Err(format!("{} ranks are not from 2 to {CHIPS}", file.ranks));
    }
    check_compute("the step", file.compute_ps)?;
    let names: Vec<&str> = file.phases.iter().map(|phase| phase.name.as_str()).collect();
    check_names("the phase", &names)?;
    let mut phases = Vec::with_capacity(file.phases.len());
    for phase in &file.phases {
        phases.push(read_phase(phase, &names, file.ranks, span)?);
    }
    match phases.is_empty() {
        true => Err("its list of phases is empty".to_owned()),
        false => Ok(FileStep { ranks: file.ranks, compute_ps: file.compute_ps, phases }),
    }
}

fn read_phase(entry: &PhaseEntry, names: &[&str], ranks: u32, span: Span) -> Result<JobPhase, String> {
    let name = &entry.name;
    check_compute(&format!("the phase `{name}`"), entry.compute_ps)?;
    let mut after = Vec::with_capacity(entry.after.len());
    for before in &entry.after {
        let index = names.iter().position(|known| known == before);
        after.push(index.ok_or_else(|| format!("`{name}` follows `{}`, which is no phase", shown(before)))?);
    }
    after.sort_unstable();
    after.dedup();
    let operation_names: Vec<&str> =
        entry.operations.iter().map(|operation| operation.name.as_str()).collect();
    check_names("the operation", &operation_names).map_err(|problem| format!("phase `{name}`: {problem}"))?;
    let mut operations = Vec::with_capacity(entry.operations.len());
    for operation in &entry.operations {
        let error = |problem: String| format!("`{name}.{}`: {problem}", operation.name);
        operations.push(read_operation(operation, ranks, span).map_err(error)?);
    }
    if operations.is_empty() {
        return Err(format!("the phase `{name}` has no operations"));
    }
    let (name, compute_ps) = (name.clone(), entry.compute_ps);
    Ok(JobPhase { name, after, compute_ps, overlap_millionths: 0, operations, span })
}

fn read_operation(entry: &OperationEntry, ranks: u32, span: Span) -> Result<JobOperation, String> {
    let OperationEntry { bytes, times, .. } = *entry;
    let kind = read_kind(entry)?;
    let algorithm = entry.algorithm.as_deref().map(|word| read_algorithm(kind, word)).transpose()?;
    if bytes == 0 || bytes > COLLECTIVE_BYTES {
        return Err(format!("{bytes} bytes are not from 1 to {COLLECTIVE_BYTES}"));
    }
    if times == 0 || times > JOB_TIMES {
        return Err(format!("{times} times are not from 1 to {JOB_TIMES}"));
    }
    let total = u128::from(bytes) * u128::from(times);
    if total > u128::from(JOB_BYTES) {
        return Err(format!("it moves {bytes} B x {times} = {total} B per chip, more than {JOB_BYTES} B"));
    }
    let groups = RankGroups::Listed(entry.groups.clone());
    check_groups_of_ranks(&groups, ranks.into())?;
    let (name, skew_millionths) = (entry.name.clone(), EVEN_SKEW);
    Ok(JobOperation { name, kind, groups, bytes, times, skew_millionths, algorithm, span })
}

fn read_kind(entry: &OperationEntry) -> Result<JobOperationKind, String> {
    let (word, flags) = (entry.kind.as_str(), (entry.both, entry.wrap));
    match (word, flags) {
        ("send", (Some(both), Some(wrap))) => Ok(JobOperationKind::Send { both, wrap }),
        ("send", _) => Err("a `send` says `both` and `wrap`".to_owned()),
        (_, (None, None)) => group_collectives()
            .find(|known| known.name() == word)
            .map(JobOperationKind::Collective)
            .ok_or_else(|| format!("`{}` is no kind of an operation", shown(word))),
        _ => Err("only a `send` says `both` and `wrap`".to_owned()),
    }
}

fn read_algorithm(kind: JobOperationKind, word: &str) -> Result<CollectiveAlgorithm, String> {
    let known = match kind {
        JobOperationKind::Collective(collective) => CollectiveAlgorithm::for_groups(collective),
        JobOperationKind::Send { .. } => &[],
    };
    let found = known.iter().find(|algorithm| algorithm.name() == word);
    found.copied().ok_or_else(|| format!("`{}` is no algorithm of a {}", shown(word), kind.name()))
}

fn check_compute(subject: &str, compute_ps: u64) -> Result<(), String> {
    match compute_ps > JOB_COMPUTE_PS {
        true => Err(format!("{subject} computes {compute_ps} ps, more than {JOB_COMPUTE_PS}")),
        false => Ok(()),
    }
}

/// Checks that names are those of a spec, and that none comes twice. Files are named after them.
fn check_names(subject: &str, names: &[&str]) -> Result<(), String> {
    for (index, name) in names.iter().enumerate() {
        let is_word = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && name.len() <= NAME_LETTERS
            && *name != "none";
        if !is_word {
            return Err(format!("{subject} number {index} has the name `{}`, which is none", shown(name)));
        }
        if names[..index].contains(name) {
            return Err(format!("{subject} `{name}` comes twice"));
        }
    }
    Ok(())
}

/// The beginning of a text, for messages.
fn shown(text: &str) -> String {
    text.chars().take(40).filter(|letter| !letter.is_control()).collect()
}
