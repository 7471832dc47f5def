//! The phases of a step: one for each kind of communication, one after the other.

use super::cut::Axis;
use super::misfit::Misfit;
use super::training_job::{ContextExchange, Recompute, TrainingJob};
use fabc_base::diag::Span;
use fabc_base::limits::JOB_BYTES;
use fabc_model::{Collective, EVEN_SKEW, JobAxis, JobOperation, JobOperationKind, JobPhase, RankGroups};

/// The share of the communication of every axis that compute may hide, in millionths.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Overlap {
    /// The share of the axis `tensor`.
    pub tensor: u32,
    /// The share of the axis `context`.
    pub context: u32,
    /// The share of the exchange between experts.
    pub expert: u32,
    /// The share of all gradients and weights.
    pub data: u32,
    /// The share of the axis `pipeline`.
    pub pipeline: u32,
}

impl Overlap {
    /// Sets the share of an axis.
    pub fn set(&mut self, axis: Axis, millionths: u32) {
        match axis {
            Axis::Tensor => self.tensor = millionths,
            Axis::Context => self.context = millionths,
            Axis::Expert => self.expert = millionths,
            Axis::Data => self.data = millionths,
            Axis::Pipeline => self.pipeline = millionths,
        }
    }
}

/// An operation before it is known whether its groups have two ranks.
struct Volume {
    name: &'static str,
    kind: JobOperationKind,
    over: Vec<Axis>,
    /// Elements times their bits. Bytes are this over eight, rounded up.
    bits: u128,
    times: u128,
}

impl Volume {
    fn of(name: &'static str, collective: Collective, over: &[Axis], bits: u128, times: u64) -> Self {
        let kind = JobOperationKind::Collective(collective);
        Self { name, kind, over: over.to_vec(), bits, times: times.into() }
    }
}

/// The weights of a rank that ranks along some axes have as well.
struct Copies {
    weights: u128,
    over: Vec<Axis>,
}

/// The operation of a volume. `None` if it moves nothing.
fn operation(
    phase: &'static str,
    volume: Volume,
    axes: &[JobAxis],
    span: Span,
) -> Result<Option<JobOperation>, Misfit> {
    let position = |axis: &Axis| axes.iter().position(|known| known.name == axis.name() && known.size > 1);
    let mut over: Vec<usize> = volume.over.iter().filter_map(position).collect();
    over.sort_unstable();
    let bytes = volume.bits.div_ceil(8);
    if over.is_empty() || bytes == 0 || volume.times == 0 {
        return Ok(None);
    }
    let (total, fits) = match bytes.checked_mul(volume.times) {
        Some(total) => (format!(" = {total} B"), total <= u128::from(JOB_BYTES)),
        None => (String::new(), false),
    };
    match (fits, u64::try_from(bytes), u64::try_from(volume.times)) {
        (true, Ok(bytes), Ok(times)) => {
            let (name, kind) = (volume.name.to_owned(), volume.kind);
            let groups = RankGroups::Along(over);
            let skew_millionths = EVEN_SKEW;
            let algorithm = None;
            Ok(Some(JobOperation { name, kind, groups, bytes, times, skew_millionths, algorithm, span }))
        }
        _ => Err(Misfit {
            setting: phase,
            problem: format!("the phase `{phase}` of this model moves too much"),
            arithmetic: format!("{bytes} B x {}{total}", volume.times),
            help: format!("an operation moves at most {JOB_BYTES} B per chip in a step"),
        }),
    }
}

impl TrainingJob {
    /// The phases of a step, one after the other. Phases without bytes are left out. `axes` are those of the
    /// job, which may have other sizes for axes that are not written. All parts get the place `span`.
    ///
    /// # Errors
    /// The first part of the model that the ranks cannot share evenly, or an operation that is too large.
    pub fn phases(&self, axes: &[JobAxis], overlap: &Overlap, span: Span) -> Result<Vec<JobPhase>, Misfit> {
        self.check()?;
        let parts = [
            ("tensor", self.tensor_volumes(), overlap.tensor),
            ("context", self.context_volumes(), overlap.context),
            ("experts", self.expert_volumes(), overlap.expert),
            ("pipeline", self.pipeline_volumes(), overlap.pipeline),
            ("expert_gradients", self.weight_volumes(&self.expert_copies()), overlap.data),
            ("gradients", self.weight_volumes(&self.copies()), overlap.data),
        ];
        let mut phases: Vec<JobPhase> = Vec::new();
        for (name, volumes, overlap_millionths) in parts {
            let mut operations = Vec::new();
            for volume in volumes {
                operations.extend(operation(name, volume, axes, span)?);
            }
            if !operations.is_empty() {
                phases.push(JobPhase {
                    name: name.to_owned(),
                    after: phases.len().checked_sub(1).into_iter().collect(),
                    compute_ps: 0,
                    overlap_millionths,
                    operations,
                    span,
                });
            }
        }
        Ok(phases)
    }

    /// Layers of a rank times its micro-batches.
    fn layer_runs(&self) -> u64 {
        self.model.layers / u64::from(self.sizes.pipeline).max(1) * self.micro_batches()
    }

    /// Whether the backward pass runs every layer forward once more.
    fn runs_twice(&self) -> bool {
        self.settings.recompute == Recompute::Full
    }

    /// Bits of the activations of a micro-batch, of all ranks that share its tokens along `tensor`.
    fn activation_bits(&self) -> u128 {
        let tokens = u128::from(self.batch.micro) * u128::from(self.batch.length)
            / u128::from(self.sizes.context.max(1));
        tokens * u128::from(self.model.hidden) * u128::from(self.bits.activation)
    }

    /// At attention and at feed-forward, forward and backward.
    fn tensor_volumes(&self) -> Vec<Volume> {
        let bits = self.activation_bits();
        let runs = if self.runs_twice() { 6 } else { 4 } * self.layer_runs();
        if !self.settings.sequence_parallel {
            return vec![Volume::of("sums", Collective::AllReduce, &[Axis::Tensor], bits, runs)];
        }
        let again = if self.settings.gather_again { 2 * self.layer_runs() } else { 0 };
        vec![
            Volume::of("gathers", Collective::AllGather, &[Axis::Tensor], bits, runs + again),
            Volume::of("scatters", Collective::ReduceScatter, &[Axis::Tensor], bits, runs),
        ]
    }

    /// Keys and values, and their gradients.
    fn context_volumes(&self) -> Vec<Volume> {
        let model = &self.model;
        let shared = u64::from(self.sizes.tensor).min(model.kv_heads).max(1);
        let ranks = u64::from(self.sizes.context.max(1));
        let tokens = u128::from(self.batch.micro) * u128::from(self.batch.length);
        let numbers = 2 * tokens * u128::from(model.kv_heads) * u128::from(model.head);
        let bits = (numbers * u128::from(self.bits.activation)).div_ceil(u128::from(shared));
        match self.settings.context {
            ContextExchange::Ring => {
                // Forward once or twice, and backward with the gradients.
                let passes = if self.runs_twice() { 4 } else { 3 };
                let kind = JobOperationKind::Send { both: false, wrap: true };
                let times = u128::from((ranks - 1) * passes) * u128::from(self.layer_runs());
                let bits = bits.div_ceil(u128::from(ranks));
                vec![Volume { name: "ring", kind, over: vec![Axis::Context], bits, times }]
            }
            ContextExchange::Gather => {
                let over = [Axis::Context];
                let runs = self.layer_runs();
                vec![
                    Volume::of("gathers", Collective::AllGather, &over, bits, 2 * runs),
                    Volume::of("scatters", Collective::ReduceScatter, &over, bits, runs),
                ]
            }
        }
    }

    /// Tokens to their experts and back, forward and backward.
    fn expert_volumes(&self) -> Vec<Volume> {
        let Some(experts) = &self.model.experts else { return Vec::new() };
        let ranks = u128::from(self.sizes.tensor.max(1));
        let bits = (self.activation_bits() * u128::from(experts.top)).div_ceil(ranks);
        let bits =
            if self.settings.dedup { once_per_rank(bits, self.sizes.expert, experts.top) } else { bits };
        let runs = if self.runs_twice() { 6 } else { 4 } * self.layer_runs();
        vec![Volume::of("exchange", Collective::AllToAll, &[Axis::Expert], bits, runs)]
    }

    /// Activations to the next stage, and their gradients back.
    fn pipeline_volumes(&self) -> Vec<Volume> {
        let bits = self.activation_bits().div_ceil(u128::from(self.sizes.tensor.max(1)));
        let micro_batches = u128::from(self.micro_batches());
        let around = u128::from(self.settings.virtual_stages).saturating_sub(1);
        let send = |name, wrap, times| Volume {
            name,
            kind: JobOperationKind::Send { both: true, wrap },
            over: vec![Axis::Pipeline],
            bits,
            times,
        };
        // The last of several virtual stages of a rank sends nothing on.
        vec![send("stages", false, micro_batches), send("rounds", true, micro_batches * around)]
    }

    /// The weights of the experts of a rank. Ranks along `tensor` have copies and other tokens.
    fn expert_copies(&self) -> Copies {
        let parts = u128::from(self.sizes.expert.max(1)) * u128::from(self.sizes.pipeline.max(1));
        Copies {
            weights: self.model.expert_weights().div_ceil(parts),
            over: vec![Axis::Data, Axis::Context, Axis::Tensor],
        }
    }

    /// All other weights of a rank. Those outside of layers are spread evenly over the stages.
    fn copies(&self) -> Copies {
        let parts = u128::from(self.sizes.tensor.max(1)) * u128::from(self.sizes.pipeline.max(1));
        Copies {
            weights: self.model.copied_weights().div_ceil(parts),
            over: vec![Axis::Data, Axis::Expert, Axis::Context],
        }
    }

    /// Gradients between copies of weights, and the weights that ZeRO splits.
    fn weight_volumes(&self, copies: &Copies) -> Vec<Volume> {
        let gradients = copies.weights * u128::from(self.bits.gradient);
        let weights = copies.weights * u128::from(self.bits.weight);
        let (over, runs) = (&copies.over[..], self.micro_batches());
        let scatters = |times| Volume::of("scatter", Collective::ReduceScatter, over, gradients, times);
        let gathers = |times| Volume::of("gather", Collective::AllGather, over, weights, times);
        match (self.settings.zero, self.settings.keep_weights) {
            (0, _) => vec![Volume::of("sum", Collective::AllReduce, over, gradients, 1)],
            (3, false) => vec![scatters(runs), gathers(2 * runs)],
            _ => vec![scatters(1), gathers(1)],
        }
    }
}

/// Scales the bits of an exchange by the expected share of messages to different ranks, rounded up: tokens
/// that choose `top` experts of `ranks` ranks evenly.
fn once_per_rank(bits: u128, ranks: u32, top: u64) -> u128 {
    // The share of tokens that miss a rank, in parts of 2^64, rounded down.
    let one = 1u128 << 64;
    let ranks = u128::from(ranks.max(1));
    let missing = (0..top).fold(one, |missing, _| missing * (ranks - 1) / ranks);
    let ranks_met = ranks * (one - missing);
    let most = u128::from(top.max(1)) * one;
    wide_product_over(bits, ranks_met, most)
}

/// `left * right / divisor`, rounded up, where the product may exceed 128 bits and the result does not.
fn wide_product_over(left: u128, right: u128, divisor: u128) -> u128 {
    // One bit of `right` at a time, most significant first.
    let (mut quotient, mut rest) = (0u128, 0u128);
    for place in (0..u128::BITS - right.leading_zeros()).rev() {
        let added = if right >> place & 1 == 1 { left % divisor } else { 0 };
        let whole = if right >> place & 1 == 1 { left / divisor } else { 0 };
        let sum = 2 * rest + added;
        quotient = 2 * quotient + whole + sum / divisor;
        rest = sum % divisor;
    }
    quotient + u128::from(rest > 0)
}
