//! The file of `cross_connects`, against the switches that the spec declares.

use super::context::Context;
use super::scope::{Scope, read_file};
use crate::SwitchError;
use crate::cross_connects::read_cross_connects;
use crate::syntax::ast::Name;
use fabc_base::diag::Span;
use fabc_base::ids::{IdVec, OcsId};
use fabc_base::limits::cross_connects_bytes;
use fabc_model::{Cube, Ocs, SwitchSettings};

/// A file of cross-connects that a spec names.
pub(super) struct CrossConnectsFile {
    /// Path as written in the spec.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) settings: SwitchSettings,
}

/// The part of a pod that cross-connects refer to. A broken part is absent and was reported.
#[derive(Clone, Copy)]
pub(super) struct Switched<'a> {
    pub(super) cube: Option<&'a Cube>,
    pub(super) ocses: Option<&'a IdVec<OcsId, Ocs>>,
}

/// Reads a file of cross-connects for the setting `topology`. `None` if the file cannot be read.
///
/// A file that does not fit the switches is reported. All switches then count as dark, so that the other
/// checks go on.
pub(super) fn cross_connects_file(
    context: &mut Context,
    path: &Name,
    scope: &Scope<'_>,
    switched: Switched<'_>,
    topology: Span,
) -> Option<CrossConnectsFile> {
    let face_ports =
        switched.ocses.iter().flat_map(|ocses| ocses.iter()).map(|ocs| ocs.a.len() + ocs.b.len()).sum();
    let (path, text) = read_file(context, path, scope, cross_connects_bytes(face_ports))?;
    let mut settings = SwitchSettings::default();
    if let (Some(cube), Some(ocses)) = (switched.cube, switched.ocses) {
        match read_cross_connects(cube, ocses, &text) {
            Ok(read) => settings = read,
            Err(misfit) => {
                let (path, problem) = (path.clone(), misfit.to_string());
                context.error(
                    SwitchError::CrossConnectsMisfit { path, problem, span: topology, ocs: misfit.ocs }
                        .into(),
                );
            }
        }
    }
    Some(CrossConnectsFile { path, text, settings })
}
