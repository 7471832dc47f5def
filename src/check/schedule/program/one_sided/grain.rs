//! How finely chunks are cut, so that shares of operations and iterations of pipelines are whole cells.
//!
//! The size of a message is not part of a plan. It is chosen so that every pipeline repeats: a chunk holds
//! three units of it, or two more than the scratch holds where the scratch has a fixed size.

use super::super::ProgramFault;
use fabc_ir::read::{MscclppOperation, MscclppPlan};

/// Bytes of the scratch of a plan that reuses it (PREDFINED_SCRATCH_SIZE of the runtime).
const SCRATCH_BYTES: u64 = 1 << 26;
/// Units of a chunk where nothing else says how many.
const UNITS: u64 = 3;
/// Limit on the cells of a chunk.
const MAX_CELLS: u64 = 4096;

/// The cells of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grain {
    /// Number of cells of a chunk.
    pub(super) cells: u32,
    /// Bytes of a cell, 0 without pipelines.
    cell_bytes: u64,
    /// Cells of a chunk in a scratch that is too small for the message.
    pub(super) scratch_cells: Option<u32>,
}

impl Grain {
    /// The grain of a plan.
    ///
    /// # Errors
    /// Sizes that have no common measure.
    pub(super) fn new(plan: &MscclppPlan) -> Result<Self, ProgramFault> {
        let blocks = || plan.gpus.iter().flat_map(|gpu| &gpu.blocks);
        let operations = || {
            let all = blocks().flat_map(|block| &block.operations);
            all.flat_map(|operation| std::iter::once(operation).chain(&operation.repeated))
        };
        let mut shares =
            operations().filter_map(|operation| Some(u64::from(operation.share.as_ref()?.tbg_size)));
        let Some(mut cells) = shares.try_fold(1, least_common_multiple) else { return Err(too_fine()) };
        let units: Vec<u64> = operations().filter_map(unit_size).collect();
        let Some(largest) = units.iter().copied().max() else {
            return Ok(Self { cells: cells as u32, cell_bytes: 0, scratch_cells: None });
        };
        if units.contains(&0) {
            return Err(ProgramFault::shape("a pipeline has a `unit_size` of 0"));
        }
        let scratch_chunks = plan.gpus.iter().map(|gpu| u64::from(gpu.scratch_chunks)).max().unwrap_or(0);
        let scratch_units = match scratch_chunks {
            chunks if plan.reuse_resources && chunks > 0 => Some((SCRATCH_BYTES / chunks / largest).max(1)),
            _ => None,
        };
        let chunk_units = scratch_units.map_or(UNITS, |units| units + 2);
        for unit in units {
            if largest % unit != 0 {
                return Err(ProgramFault::shape(format!(
                    "pipelines of {largest} and {unit} B have no common measure: the plan is not judged"
                )));
            }
            let Some(finer) = least_common_multiple(cells, chunk_units * (largest / unit)) else {
                return Err(too_fine());
            };
            cells = finer;
        }
        // Whole units of the scratch are whole cells, too.
        let scratch_cells = scratch_units.map(|units| (units * (cells / chunk_units)) as u32);
        let cell_bytes = (chunk_units * largest).div_ceil(cells);
        Ok(Self { cells: cells as u32, cell_bytes, scratch_cells })
    }

    /// Cells of a unit of a pipeline.
    pub(super) fn unit_cells(&self, unit_size: u64) -> u32 {
        (unit_size / self.cell_bytes.max(1)) as u32
    }
}

fn unit_size(operation: &MscclppOperation) -> Option<u64> {
    operation.iterations.as_ref().map(|iterations| iterations.unit_size)
}

fn too_fine() -> ProgramFault {
    ProgramFault::shape(format!(
        "its shares and pipelines cut a chunk into more than {MAX_CELLS} cells: the plan is not judged"
    ))
}

/// The least common multiple of two numbers. `None` for 0 and beyond the limit on cells.
fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let multiple = (a / divisor.max(1)).checked_mul(b)?;
    (1..=MAX_CELLS).contains(&multiple).then_some(multiple)
}
