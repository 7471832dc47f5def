//! Judges a program for thread blocks (MSCCL XML) on the network of anybody: `fabc verify --collective F.xml
//! --topology FILE`.

use super::collective::topology;
use super::verdict::{NamedFile, Rejected, malformed, text};
use crate::schedule::{JudgedProgram, program};
use fabc_ir::Scene;
use fabc_ir::read::MscclProgram;

/// Whether a file is XML.
pub fn is_program(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<')
}

/// Reads a program (MSCCL XML) and a network (`fabc.topology/1`, `fabc.topology/2`), and runs the one on the
/// other, all links lit.
///
/// # Errors
/// What is wrong with a file, or with the program.
pub fn foreign_program(file: NamedFile<'_>, network: NamedFile<'_>) -> Result<JudgedProgram, Rejected> {
    let topology = topology(network).map_err(|error| Rejected::Unreadable(Box::new(error)))?;
    program_on(&Scene::whole(&topology), file)
}

/// Reads a program and runs it on a scene.
///
/// # Errors
/// What is wrong with the file, or with the program.
pub fn program_on(scene: &Scene<'_>, file: NamedFile<'_>) -> Result<JudgedProgram, Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let text = text(file).map_err(unreadable)?;
    let read =
        MscclProgram::read(text).map_err(|(line, what)| unreadable(malformed(file.name, line, what)))?;
    program(scene, &read).map_err(|fault| Rejected::Convicted(vec![fault.into()]))
}
