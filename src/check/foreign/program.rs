//! Judges a program for thread blocks (MSCCL XML) on a third-party network: `fabc verify --collective F.xml
//! --topology FILE`.

use super::collective::read_topology;
use super::verdict::{NamedFile, Rejected, malformed, text};
use crate::schedule::{JudgedProgram, judge_program};
use fabc_ir::Scene;
use fabc_ir::read::MscclProgram;

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
