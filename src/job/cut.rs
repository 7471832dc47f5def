//! How a model and its batch are cut into parts for ranks.

/// The axes that a model knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// Ranks that share each matrix.
    Tensor,
    /// Ranks that share each sequence.
    Context,
    /// Ranks that share the experts.
    Expert,
    /// Ranks with copies of the weights.
    Data,
    /// Ranks that share the layers.
    Pipeline,
}

/// All axes, in the order in which messages list them.
pub const AXES: [Axis; 5] = [Axis::Tensor, Axis::Context, Axis::Expert, Axis::Data, Axis::Pipeline];

impl Axis {
    /// The name of the axis in specs.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Tensor => "tensor",
            Axis::Context => "context",
            Axis::Expert => "expert",
            Axis::Data => "data",
            Axis::Pipeline => "pipeline",
        }
    }
}

/// Ranks along each axis. 1 for an axis that a job does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParallelSizes {
    /// Ranks that share each matrix.
    pub tensor: u32,
    /// Ranks that share each sequence.
    pub context: u32,
    /// Ranks that share the experts.
    pub expert: u32,
    /// Ranks with copies of the weights.
    pub data: u32,
    /// Ranks that share the layers.
    pub pipeline: u32,
}

impl ParallelSizes {
    /// Ranks along one of the axes.
    pub fn along(&self, axis: Axis) -> u32 {
        match axis {
            Axis::Tensor => self.tensor,
            Axis::Context => self.context,
            Axis::Expert => self.expert,
            Axis::Data => self.data,
            Axis::Pipeline => self.pipeline,
        }
    }

    /// The product of all sizes.
    pub(crate) fn ranks(&self) -> u128 {
        AXES.iter().map(|axis| u128::from(self.along(*axis))).product()
    }
}

/// The sequences of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// Sequences of a step, positive.
    pub sequences: u64,
    /// Tokens of a sequence, positive.
    pub length: u64,
    /// Sequences of a micro-batch of a rank, positive.
    pub micro: u64,
}

/// Bits of a single number, by kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementBits {
    /// Bits of a single weight.
    pub weight: u32,
    /// Bits of a single gradient.
    pub gradient: u32,
    /// Bits of a single activation.
    pub activation: u32,
}
