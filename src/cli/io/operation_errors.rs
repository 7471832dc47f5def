//! How a command ends because of an error of an operation of the pipeline.

use crate::io::errors::DriverError;
use crate::io::stop::Stop;
use fabc_base::diag::SourceMap;
use fabc_pipeline::collective::Unplanned;
use fabc_pipeline::estimate::{UnfitJob, UnreadWords};
use fabc_pipeline::refusal::{Convicted, Refusal};
use fabc_pipeline::simulate::UnfitForeign;
use fabc_pipeline::verify::Rejected;

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        DriverError::from(refusal).into()
    }
}

impl From<Convicted> for Stop {
    fn from(convicted: Convicted) -> Self {
        let Convicted { errors, sources } = convicted;
        let diagnostics = errors.into_iter().map(|error| Box::new(error) as _).collect();
        Stop { diagnostics, sources, exit_code: 3 }
    }
}

impl From<UnreadWords> for Stop {
    fn from(unread: UnreadWords) -> Self {
        let mut sources = SourceMap::default();
        sources.add("command line", &unread.line);
        let diagnostics = unread.errors.into_iter().map(|error| Box::new(error) as _).collect();
        Stop { diagnostics, sources, exit_code: 2 }
    }
}

impl From<Unplanned> for Stop {
    fn from(unplanned: Unplanned) -> Self {
        let Unplanned { error, sources, exit_code } = unplanned;
        Stop { diagnostics: vec![error], sources, exit_code }
    }
}

impl From<Rejected> for Stop {
    fn from(rejected: Rejected) -> Self {
        let (errors, exit_code) = match rejected {
            Rejected::Unreadable(error) => (vec![*error], 1),
            Rejected::Convicted(errors) => (errors, 3),
        };
        Stop { exit_code, ..Convicted { errors, sources: SourceMap::default() }.into() }
    }
}

impl From<UnfitForeign> for Stop {
    fn from(unfit: UnfitForeign) -> Self {
        match unfit {
            UnfitForeign::Rejected(rejected) => rejected.into(),
            UnfitForeign::Options(failure, sources) => (failure, sources).into(),
        }
    }
}

impl From<UnfitJob> for Stop {
    fn from(unfit: UnfitJob) -> Self {
        match unfit {
            UnfitJob::Refused(refusal) => refusal.into(),
            UnfitJob::Shape(unread) => unread.into(),
            UnfitJob::Spec(failure, sources) => (failure, sources).into(),
            UnfitJob::Ranks(error, sources) => {
                Stop { exit_code: error.exit_code(), diagnostics: vec![error], sources }
            }
        }
    }
}
