//! The pipeline on one screen: from a resolved fabric to a compiled fabric with its proofs.
//!
//! [`compile`] is straight-line code. Every stage takes finished values and returns one new value:
//!
//! 1. `early` refuses what no search can build.
//! 2. `plant` finds the topology, and has the checker prove that it is what the spec declares.
//! 3. `faults` lists the fault scenarios of the budget.
//! 4. `certified_flow` finds the maximum concurrent flow of the healthy fabric, with its proof.
//! 5. `routing` prepares what the routing method shares between all scenarios.
//! 6. `scenario` analyses, routes and proves one scenario: the healthy fabric first, then every fault.
//! 7. `simulations` runs the simulations of the spec on the finished tables.
//! 8. `finish` has `plans` plan the collectives and jobs, evaluates the contract, and assembles the compiled
//!    fabric.
//!
//! `tables` runs stages 4 to 6. Every search is left out where `known` has its result of an earlier build.
//! `shared` runs the same stages for a build by several processes, which share these results.

mod aim;
mod candidates;
pub mod change;
pub mod collectives;
mod context;
mod contract;
mod contract_bounds;
mod contract_error;
mod described;
mod early;
mod faults;
mod finalists;
mod finish;
pub mod jobs;
mod known;
mod performance_contract;
mod plans;
mod plant;
pub mod repair;
mod routing;
mod scenario;
mod shared;
mod simulations;
mod size;
mod stage;
mod stored;
mod tables;
mod trade_off;
mod turn_orders;

pub use candidates::candidates;
pub use contract_error::ContractError;
pub use described::{by_formula, describe, is_described};
pub use early::{Foreseen, check_early, foresee};
pub use known::{KnownResults, MeasuredLine, ResultStore, hash_of_texts, measured_lines};
pub use shared::{WorkQueue, work};
pub use size::{BuildSize, TooLarge, TooLargeToBuild, TooMuchMemory, TooMuchWork, least_build_size};
pub use stage::Stage;

use context::ScenarioContext;
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::{CompiledFabric, WiredFabric};
use fabc_model::Fabric;
use faults::FaultScenarios;
use finish::Outcome;
use known::KnownTables;
use tables::SearchedTables;

/// Compiles a resolved fabric as far as `last`, and always through [`Stage::Analyze`]. Later stages come
/// together with their proofs.
///
/// # Errors
/// [`Failure::Spec`] where the spec contradicts itself. [`Failure::Infeasible`] where its demands cannot be
/// met. [`Failure::Internal`] where the checker convicts a pass. A broken `require` is not an error here: see
/// [`CompiledFabric::requires`].
pub fn compile(fabric: Fabric, last: Stage, progress: &dyn Progress) -> Result<CompiledFabric, Failure> {
    compile_with(fabric, last, &KnownResults::none(), progress)
}

/// Compiles as [`compile`] does, and searches only for what `results` does not know. The compiled fabric is
/// the same.
///
/// # Errors
/// Those of [`compile`].
pub fn compile_with(
    fabric: Fabric,
    last: Stage,
    results: &KnownResults<'_>,
    progress: &dyn Progress,
) -> Result<CompiledFabric, Failure> {
    check_early(&fabric, last)?;
    let built = plant::build(&fabric, results, progress)?;
    let faults = FaultScenarios::new(&fabric, &built.topology, built.pod.as_ref(), last, progress)?;
    let settings = tables::flow_settings(&fabric, &built);
    let known = KnownTables::new(results, &fabric, &built, &settings, faults.len(), last);
    let SearchedTables { flow, scenarios, record: routing } =
        tables::find_tables(&fabric, &built, &faults, last, &known, progress)?;
    let context =
        ScenarioContext::new(&fabric, &built.topology, built.pod.as_ref(), &flow.dual, faults.len());
    let simulations = context.simulations(&scenarios, &known, progress)?;
    let outcome = Outcome { scenarios, simulations, routing };
    let compiled = finish::finish(fabric, last, built, flow, outcome, &known, progress)?;
    results.store_figures(&compiled);
    Ok(compiled)
}

/// Wires a resolved fabric, and measures nothing.
///
/// # Errors
/// The errors of [`compile`].
pub fn wire(fabric: Fabric, progress: &dyn Progress) -> Result<WiredFabric, Failure> {
    let undecided = check_early(&fabric, Stage::Synthesize)?;
    plant::wire_fabric(fabric, undecided, progress)
}
