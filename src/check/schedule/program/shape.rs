//! The inputs and promised outputs of a collective, in chunks.

use super::ProgramFault;
use super::layout::ProgramLayout;
use super::values::ChunkValue;
use fabc_model::Collective;

/// Limit on the cells of all GPUs.
const MAX_CELLS: u64 = 1 << 28;

/// The numbers of chunks of a collective, and the layout of its buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct CollectiveShape {
    /// `None` for a custom collective, whose result is unknown.
    pub(super) collective: Option<Collective>,
    pub(super) gpus: u32,
    /// Chunks of input and output of a GPU.
    pub(super) input: u32,
    pub(super) output: u32,
    /// Whether input and output are one buffer.
    pub(super) in_place: bool,
}

impl CollectiveShape {
    /// The shape of a program that is called out of place.
    ///
    /// # Errors
    /// Numbers that do not fit the collective.
    pub(super) fn new(layout: &ProgramLayout<'_>) -> Result<Self, ProgramFault> {
        let (gpus, chunks) = (layout.gpus.len() as u32, layout.program.chunks);
        let collective = match &*layout.program.collective {
            "allreduce" => Some(Collective::AllReduce),
            "allgather" => Some(Collective::AllGather),
            "reduce_scatter" => Some(Collective::ReduceScatter),
            "broadcast" => Some(Collective::Broadcast),
            "reduce" => Some(Collective::Reduce),
            "alltoall" => Some(Collective::AllToAll),
            "custom" => None,
            other => return Err(ProgramFault::shape(format!("there is no collective `{other}`"))),
        };
        let shards = matches!(
            collective,
            Some(Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll)
        );
        if chunks == 0 || shards && chunks % gpus != 0 {
            return Err(ProgramFault::shape(format!(
                "`nchunksperloop` is {chunks}, which {gpus} gpus cannot share"
            )));
        }
        let input = if collective == Some(Collective::AllGather) { chunks / gpus } else { chunks };
        let output = if collective == Some(Collective::ReduceScatter) { chunks / gpus } else { chunks };
        let mut cells = 0u64;
        for gpu in &layout.gpus {
            let [i, o, s] = gpu.sizes;
            if i != 0 && i != input || o != 0 && o != output {
                let line = layout.program.line(gpu.place);
                return Err(ProgramFault::shape(format!(
                    "line {line}: gpu {} has {i} chunks of input and {o} of output, but {} of {chunks} chunks has {input} and {output}",
                    gpu.id, layout.program.collective
                )));
            }
            cells += u64::from(input) + u64::from(output) + u64::from(s);
        }
        if cells > MAX_CELLS {
            return Err(ProgramFault::shape(format!(
                "{cells} chunks of all gpus are more than the {MAX_CELLS} that are judged"
            )));
        }
        Ok(Self { collective, gpus, input, output, in_place: false })
    }

    /// The cell of a chunk of a buffer (input, output, scratch) on a GPU.
    pub(super) fn cell(&self, gpu: u32, buffer: u8, at: u32) -> usize {
        let (buffer, at) = match (self.in_place, buffer, self.collective) {
            (true, 0, Some(Collective::AllGather)) => (1, gpu * self.input + at),
            (true, 1, Some(Collective::ReduceScatter)) => (0, gpu * self.output + at),
            (true, 0, Some(Collective::ReduceScatter) | None) => (0, at),
            (true, 0, Some(_)) => (1, at),
            _ => (buffer, at),
        };
        let before = [0, self.input, self.input + self.output][usize::from(buffer)];
        before as usize + at as usize
    }

    /// Number of cells of a GPU with `scratch` cells.
    pub(super) fn cells(&self, scratch: u32) -> usize {
        self.input as usize + self.output as usize + scratch as usize
    }

    /// The value of a GPU's input at a place.
    pub(super) fn given(&self, gpu: u32, at: u32) -> ChunkValue {
        ChunkValue::given(self.first_chunk(gpu) + at, gpu)
    }

    /// The place of a GPU's input that has a chunk.
    pub(super) fn given_at(&self, gpu: u32, chunk: u32) -> u32 {
        chunk - self.first_chunk(gpu)
    }

    /// The number of the first chunk of a GPU's input. Chunks that are added have the same number
    /// everywhere.
    fn first_chunk(&self, gpu: u32) -> u32 {
        if matches!(self.collective, Some(Collective::AllGather | Collective::AllToAll)) {
            gpu * self.input
        } else {
            0
        }
    }

    /// Verifies the results. `output` is the value at a place of a GPU's output. Returns the root, if there
    /// is one.
    ///
    /// # Errors
    /// The first place with another value.
    pub(super) fn verify_results<'v>(
        &self,
        output: &dyn Fn(u32, u32) -> Option<&'v ChunkValue>,
    ) -> Result<Option<u32>, ProgramFault> {
        let called = if self.in_place { "in place" } else { "out of place" };
        let reject = |gpu: u32, at: u32, expected: String| {
            let present = output(gpu, at).map_or("nothing".to_owned(), |value| value.show(self.gpus));
            Err(ProgramFault::Result { called, location: format!("o[{at}] of gpu {gpu}"), expected, present })
        };
        let Some(collective) = self.collective else { return Ok(None) };
        let is_full_sum = |gpu: u32, at: u32, chunk: u32| {
            output(gpu, at).is_some_and(|value| value.is_whole(chunk, self.gpus))
        };
        let root = match collective {
            Collective::Broadcast => output(0, 0).and_then(ChunkValue::single),
            // The GPU with the most full sums is taken as the root.
            Collective::Reduce => (0..self.gpus)
                .rev()
                .max_by_key(|&gpu| (0..self.output).filter(|&at| is_full_sum(gpu, at, at)).count()),
            _ => None,
        };
        for gpu in 0..self.gpus {
            for at in 0..self.output {
                let is_chunk_of =
                    |chunk: u32, from: u32| output(gpu, at).is_some_and(|value| value.is_of(chunk, from));
                let sum_text = |chunk: u32| format!("chunk {chunk} summed over all gpus");
                let chunk_text = |chunk: u32, from: u32| format!("chunk {chunk} of gpu {from}");
                match collective {
                    Collective::AllReduce if !is_full_sum(gpu, at, at) => {
                        return reject(gpu, at, sum_text(at));
                    }
                    Collective::Reduce if root == Some(gpu) && !is_full_sum(gpu, at, at) => {
                        return reject(gpu, at, sum_text(at));
                    }
                    Collective::ReduceScatter if !is_full_sum(gpu, at, gpu * self.output + at) => {
                        return reject(gpu, at, sum_text(gpu * self.output + at));
                    }
                    Collective::AllGather if !is_chunk_of(at, at / self.input) => {
                        return reject(gpu, at, chunk_text(at, at / self.input));
                    }
                    Collective::Broadcast if !root.is_some_and(|root| is_chunk_of(at, root)) => {
                        return reject(gpu, at, chunk_text(at, root.unwrap_or(0)));
                    }
                    Collective::AllToAll => {
                        let shard = self.output / self.gpus;
                        let (from, part) = (at / shard, at % shard);
                        let chunk = from * self.input + gpu * shard + part;
                        if !is_chunk_of(chunk, from) {
                            return reject(gpu, at, chunk_text(chunk, from));
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(root)
    }
}
