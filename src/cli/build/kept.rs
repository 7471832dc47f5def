//! The kept files of a build in parts: finished scenarios, and finished simulations on them.
//!
//! Input: what one process computed ([`Keeper`]). Output: a file for each in `kept/`, and the results of all
//! processes for a merge ([`Kept`]). Invariant: a file counts only if its key is that of the build, and a
//! simulation also needs the hash of its tables.

use crate::args::shard::Shard;
use crate::build::parts::{BuildParts, PartsError};
use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use crate::io::write;
use fabc_base::diag::Failure;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_ir::read::{KeptFile, KeptReport};
use fabc_ir::{KeptHealthy, KeptScenario, Piece, Topology};
use fabc_model::{Fabric, Simulation};
use fabc_pipeline::compile::{Keeper, Kept, Prepared, SimReport};
use fabc_pipeline::verify::kept_report;
use miette::Diagnostic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A part that is being built.
pub(crate) struct ShardBuild<'a> {
    parts: &'a BuildParts,
    shard: Shard,
    written: AtomicUsize,
}

impl<'a> ShardBuild<'a> {
    pub(crate) fn new(parts: &'a BuildParts, shard: Shard) -> Self {
        Self { parts, shard, written: AtomicUsize::new(0) }
    }

    /// The number of files that this process has written.
    pub(crate) fn written_files(&self) -> usize {
        self.written.load(Ordering::Relaxed)
    }

    fn is_mine(&self, number: usize) -> bool {
        number % self.shard.count == self.shard.index - 1
    }

    /// Whether this part has no unfinished piece.
    pub(crate) fn is_done(&self) -> bool {
        self.parts.open_pieces().iter().all(|piece| !self.is_mine(piece.number))
    }

    fn write_kept(&self, place: &Path, bytes: &[u8]) -> Result<(), PartsError> {
        write::write_file(place, bytes).map_err(PartsError::Driver)?;
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

impl Keeper for ShardBuild<'_> {
    type Error = PartsError;

    fn kept(&self) -> &impl Kept<Error = PartsError> {
        self.parts
    }

    fn wants_healthy(&self) -> bool {
        !self.parts.has_scenario("nominal")
    }

    fn wants(&self, number: usize, piece: Piece<'_>) -> bool {
        let has = || match piece {
            Piece::Fault(name) => self.parts.has_scenario(name),
            Piece::Simulation { name, scenario } => self.parts.has_report(name, scenario),
        };
        self.is_mine(number) && !has()
    }

    fn healthy(&self, healthy: KeptHealthy) -> Result<(), PartsError> {
        // Every part computes the same healthy fabric.
        if !self.wants_healthy() {
            return Ok(());
        }
        self.write_kept(
            &self.parts.kept_path(None, "nominal"),
            &fabc_emit::kept_healthy(&self.parts.plan.key, &healthy),
        )
    }

    fn fault(&self, kept: KeptScenario) -> Result<(), PartsError> {
        self.write_kept(
            &self.parts.kept_path(None, &kept.scenario),
            &fabc_emit::kept_fault(&self.parts.plan.key, &kept),
        )
    }

    fn simulation(
        &self,
        fabric: &Fabric,
        topology: &Topology,
        name: &str,
        report: &SimReport,
    ) -> Result<(), PartsError> {
        let tables = self.parts.read_scenario(&report.scenario).map_err(PartsError::Driver)?;
        let bytes =
            fabc_emit::kept_simulation(&self.parts.plan.key, tables.hash(), fabric, topology, name, report);
        self.write_kept(&self.parts.kept_path(Some(name), &report.scenario), &bytes)
    }
}

impl Kept for BuildParts {
    type Error = PartsError;

    fn healthy(&self, topology: &Topology) -> Result<KeptHealthy, PartsError> {
        let file = self.read_scenario("nominal").map_err(PartsError::Driver)?;
        file.healthy(topology).map_err(|problem| self.foreign_error(None, "nominal", &problem))
    }

    fn scenario(&self, name: &str, topology: &Topology) -> Result<KeptScenario, PartsError> {
        let file = self.read_scenario(name).map_err(PartsError::Driver)?;
        file.scenario(topology).map_err(|problem| self.foreign_error(None, name, &problem))
    }

    fn simulation(
        &self,
        fabric: &Fabric,
        simulation: &Simulation,
        prepared: &Prepared<'_>,
    ) -> Result<SimReport, PartsError> {
        let (name, scenario) = (&simulation.name[..], prepared.scenario());
        let tables = self.read_scenario(scenario).map_err(PartsError::Driver)?;
        let kept = self.read_report(name, scenario, tables.hash()).map_err(PartsError::Driver)?;
        let foreign = |problem: &str| self.foreign_error(Some(name), scenario, problem);
        kept_report(fabric, simulation, prepared, kept.report()).map_err(|problem| foreign(&problem))
    }

    fn convicted(&self, name: &str, problem: Failure) -> PartsError {
        match problem {
            Failure::Internal(error) => self.foreign_error(None, name, &error_text(&*error)),
            other => PartsError::Failure(other),
        }
    }
}

impl BuildParts {
    /// The file that keeps a scenario, or a simulation on it.
    fn kept_path(&self, simulation: Option<&str>, scenario: &str) -> PathBuf {
        let path = fabc_emit::tables_path(scenario);
        let run = simulation.map_or(String::new(), |name| format!("{name}."));
        self.directory.join("kept").join(format!("{run}{}.bin", path.rsplit('/').next().unwrap_or(&path)))
    }

    /// Reads a kept scenario, and checks that it belongs to this build.
    pub(crate) fn read_scenario(&self, scenario: &str) -> Result<KeptFile, DriverError> {
        let place = self.kept_path(None, scenario);
        let damaged = |problem: String| damaged_error(&place, &problem);
        let file = KeptFile::read(&read::read_bytes(&place, ARTIFACT_BYTES)?).map_err(damaged)?;
        if file.key() != self.plan.key || file.name() != scenario {
            return Err(damaged("it belongs to another build".to_owned()));
        }
        Ok(file)
    }

    /// Reads a kept simulation, and checks that it belongs to this build and to the tables whose file has
    /// this hash.
    pub(crate) fn read_report(
        &self,
        simulation: &str,
        scenario: &str,
        tables: &str,
    ) -> Result<KeptReport, DriverError> {
        let place = self.kept_path(Some(simulation), scenario);
        let damaged = |problem: String| damaged_error(&place, &problem);
        let file = KeptReport::read(&read::read_bytes(&place, ARTIFACT_BYTES)?).map_err(damaged)?;
        if !file.is_of(&self.plan.key, simulation, scenario, tables) {
            return Err(damaged("it belongs to another build, or to other tables".to_owned()));
        }
        Ok(file)
    }

    /// Whether a scenario is kept and intact.
    fn has_scenario(&self, scenario: &str) -> bool {
        self.kept_path(None, scenario).is_file() && self.read_scenario(scenario).is_ok()
    }

    /// Whether a simulation is kept and intact.
    fn has_report(&self, simulation: &str, scenario: &str) -> bool {
        let tables =
            self.kept_path(Some(simulation), scenario).is_file().then(|| self.read_scenario(scenario));
        tables
            .and_then(Result::ok)
            .is_some_and(|tables| self.read_report(simulation, scenario, tables.hash()).is_ok())
    }

    fn foreign_error(&self, simulation: Option<&str>, scenario: &str, problem: &str) -> PartsError {
        PartsError::Driver(unusable_error(format!(
            "`{}` cannot be of this build: {problem}",
            display(&self.kept_path(simulation, scenario))
        )))
    }
}

fn damaged_error(place: &Path, problem: &str) -> DriverError {
    unusable_error(format!("`{}` is damaged: {problem}", display(place)))
}

/// The error for a kept file that cannot be used.
fn unusable_error(problem: String) -> DriverError {
    DriverError::Shards { problem, hint: "remove it, and run its shard again".to_owned() }
}

fn error_text(error: &(dyn Diagnostic + Send + Sync)) -> String {
    error.to_string()
}
