//! The early end of a command: what is shown, and the exit code.

use crate::io::engine_errors::EngineError;
use crate::io::errors::DriverError;
use crate::io::input_errors::InputError;
use crate::io::signature_errors::SignatureError;
use fabc_base::diag::{Failure, SourceMap};
use fabc_pipeline::library::Diagnostics;
use miette::Diagnostic;

/// The early end of a command: diagnostics with their sources, and the exit code.
#[derive(Debug)]
pub(crate) struct Stop {
    /// The diagnostics to show, in order.
    pub(crate) diagnostics: Vec<Box<dyn Diagnostic + Send + Sync>>,
    /// The files that the diagnostics point into.
    pub(crate) sources: SourceMap,
    /// The exit code of the process.
    pub(crate) exit_code: u8,
}

impl Stop {
    /// The same for programs that use the library.
    pub(crate) fn into_diagnostics(self) -> Diagnostics {
        Diagnostics::new(self.diagnostics, self.sources, self.exit_code)
    }
}

impl From<DriverError> for Stop {
    fn from(error: DriverError) -> Self {
        Stop {
            exit_code: error.exit_code(),
            diagnostics: vec![Box::new(error)],
            sources: SourceMap::default(),
        }
    }
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Self {
        DriverError::from(error).into()
    }
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        DriverError::from(error).into()
    }
}

impl From<SignatureError> for Stop {
    fn from(error: SignatureError) -> Self {
        DriverError::from(error).into()
    }
}

impl From<(Failure, SourceMap)> for Stop {
    fn from(failed: (Failure, SourceMap)) -> Self {
        let (failure, sources) = failed;
        Stop { exit_code: failure.exit_code(), diagnostics: failure.diagnostics(), sources }
    }
}

/// Turns exit codes 2 and 3 into 1, for commands that use those two codes for results.
pub(crate) fn with_error_code(stop: Stop) -> Stop {
    Stop { exit_code: if matches!(stop.exit_code, 2 | 3) { 1 } else { stop.exit_code }, ..stop }
}
