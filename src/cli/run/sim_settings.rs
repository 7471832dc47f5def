//! The settings of `fabc sim --with`, and how an error of the simulator ends the process.

use crate::args::sim::SimArgs;
use crate::io::read::Disk;
use crate::io::stop::Stop;
use fabc_base::diag::{Failure, SourceMap, Span};
use fabc_lang::simulation_of_settings;
use fabc_lang::syntax::ast::{Block, Statement, StatementKind};
use fabc_lang::syntax::parse_settings;
use fabc_model::{Fabric, Scenarios, Simulation, SimulationParameters};
use fabc_pipeline::simulate::SimError;

/// The source name of the settings on the command line, where an error points at them.
const SETTINGS: &str = "--with";

/// The settings of `--with`, if there are any.
fn parsed_settings(args: &SimArgs) -> Result<Option<(Block, SourceMap)>, Stop> {
    let Some(settings) = &args.with else { return Ok(None) };
    // The last `;` may be left out, as in a shell.
    let ended = settings.trim_end().ends_with([';', '}']) || settings.trim().is_empty();
    let settings = if ended { settings.clone() } else { format!("{settings};") };
    let (parsed, sources) = parse_settings(SETTINGS, &settings);
    match parsed {
        Ok(block) => Ok(Some((block, sources))),
        Err(errors) => Err((Failure::spec_errors(errors), sources).into()),
    }
}

/// Whether `--with` has a setting of this name.
pub(super) fn has_setting(args: &SimArgs, name: &str) -> Result<bool, Stop> {
    let is_it = |statement: &Statement| match &statement.kind {
        StatementKind::Setting(setting) => *setting.name.value == *name,
        _ => false,
    };
    Ok(parsed_settings(args)?.is_some_and(|(block, _)| block.statements.iter().any(is_it)))
}

/// The simulation that `--with` describes, or one with default settings.
pub(super) fn described_simulation(args: &SimArgs, fabric: &Fabric) -> Result<Simulation, Stop> {
    let Some((block, sources)) = parsed_settings(args)? else {
        let parameters = SimulationParameters::default();
        let scenarios = Scenarios::Nominal;
        return Ok(Simulation {
            name: String::new(),
            parameters,
            rates: None,
            seeds: 1,
            scenarios,
            span: Span::default(),
        });
    };
    let simulation = simulation_of_settings(&block, &fabric.router, &Disk);
    let simulation = simulation.map_err(|errors| (Failure::spec_errors(errors), sources))?;
    // The settings are on the command line, not in a file of the spec.
    Ok(Simulation { span: Span::default(), ..simulation })
}

/// Ends the command with an error of the simulator and the sources of its directory.
pub(super) fn sim_stop(error: SimError, sources: &SourceMap) -> Stop {
    Stop { exit_code: error.exit_code(), diagnostics: vec![Box::new(error)], sources: sources.clone() }
}
