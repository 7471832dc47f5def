//! Ends commands whose input was convicted.

use crate::io::stop::Stop;
use fabc_base::diag::SourceMap;
use fabc_pipeline::verify::CheckError;

/// Ends a command because a directory, or files that were compared with it, were convicted.
pub(crate) fn convicted_stop(errors: Vec<CheckError>, sources: SourceMap) -> Stop {
    let diagnostics = errors.into_iter().map(|error| Box::new(error) as _).collect();
    Stop { diagnostics, sources, exit_code: 3 }
}
