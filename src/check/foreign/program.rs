//! Judges a program for thread blocks on a third-party network: `fabc verify --collective FILE --topology
//! FILE`. The program is MSCCL XML, or an execution plan of MSCCL++ in JSON.

use super::collective::read_topology;
use super::verdict::{NamedFile, Rejected, malformed, text};
use crate::schedule::{JudgedExecutionPlan, JudgedProgram, judge_execution_plan, judge_program};
use fabc_ir::Scene;
use fabc_ir::read::{MscclProgram, MscclppPlan, json};

/// Whether a file looks like XML.
pub fn is_program(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<')
}

/// Reads a program (MSCCL XML) and a network (`fabc.topology/1`, `fabc.topology/2`). Runs the program with
/// all links lit.
///
/// # Errors
/// [`Rejected::Unreadable`] for a file that violates its format, [`Rejected::Convicted`] for a faulty
/// program.
pub fn foreign_program(file: NamedFile<'_>, network: NamedFile<'_>) -> Result<JudgedProgram, Rejected> {
    let topology = read_topology(network).map_err(|error| Rejected::Unreadable(Box::new(error)))?;
    program_on(&Scene::healthy(&topology), file)
}

/// Reads a program and runs it on a scene.
///
/// # Errors
/// As [`foreign_program`].
pub fn program_on(scene: &Scene<'_>, file: NamedFile<'_>) -> Result<JudgedProgram, Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let text = text(file).map_err(unreadable)?;
    let msccl = MscclProgram::read(text)
        .map_err(|(line, message)| unreadable(malformed(file.name, line, message)))?;
    judge_program(scene, &msccl).map_err(|fault| Rejected::Convicted(vec![fault.into()]))
}

/// Whether a file is an execution plan of MSCCL++, and not a schedule of fabc.
pub fn is_execution_plan(bytes: &[u8]) -> bool {
    MscclppPlan::is_plan(bytes)
}

/// Reads an execution plan (MSCCL++) and a network (`fabc.topology/1`, `fabc.topology/2`). Runs the plan with
/// all links lit.
///
/// # Errors
/// As [`foreign_program`].
pub fn foreign_execution_plan(
    file: NamedFile<'_>,
    network: NamedFile<'_>,
) -> Result<JudgedExecutionPlan, Rejected> {
    let topology = read_topology(network).map_err(|error| Rejected::Unreadable(Box::new(error)))?;
    execution_plan_on(&Scene::healthy(&topology), file)
}

/// Reads an execution plan and runs it on a scene.
///
/// # Errors
/// As [`foreign_program`].
pub fn execution_plan_on(scene: &Scene<'_>, file: NamedFile<'_>) -> Result<JudgedExecutionPlan, Rejected> {
    let plan: MscclppPlan = json(file.bytes)
        .map_err(|message| Rejected::Unreadable(Box::new(malformed(file.name, 1, message))))?;
    judge_execution_plan(scene, &plan).map_err(|fault| Rejected::Convicted(vec![fault.into()]))
}
