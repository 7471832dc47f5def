//! What a collective gives and promises, in chunks of input and output.

use super::ProgramFault;
use super::layout::Layout;
use super::values::Value;
use fabc_model::Collective;

/// Cells of all GPUs together, at most.
const CELLS: u64 = 1 << 28;

/// Numbers of chunks of a collective, and how its buffers lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// None of a custom one, of whose result nothing is known.
    pub(super) collective: Option<Collective>,
    pub(super) gpus: u32,
    /// Chunks of input and output of a GPU.
    pub(super) input: u32,
    pub(super) output: u32,
    /// Whether input and output are one buffer.
    pub(super) in_place: bool,
}

impl Shape {
    /// That of a program, called out of place.
    ///
    /// # Errors
    /// Numbers that do not fit the collective.
    pub(super) fn of(layout: &Layout<'_>) -> Result<Self, ProgramFault> {
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
        if cells > CELLS {
            return Err(ProgramFault::shape(format!(
                "{cells} chunks of all gpus are more than the {CELLS} that are judged"
            )));
        }
        Ok(Self { collective, gpus, input, output, in_place: false })
    }

    /// Where a chunk of a buffer (input, output, scratch) lies among the cells of a GPU.
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

    /// Cells of a GPU with so much scratch.
    pub(super) fn cells(&self, scratch: u32) -> usize {
        self.input as usize + self.output as usize + scratch as usize
    }

    /// What a GPU is given at a place of its input.
    pub(super) fn given(&self, gpu: u32, at: u32) -> Value {
        Value::given(self.first(gpu) + at, gpu)
    }

    /// The place of a GPU's input at which a chunk is given to it.
    pub(super) fn given_at(&self, gpu: u32, chunk: u32) -> u32 {
        chunk - self.first(gpu)
    }

    /// The number of the first chunk that a GPU is given: chunks that are added have one number everywhere.
    fn first(&self, gpu: u32) -> u32 {
        if matches!(self.collective, Some(Collective::AllGather | Collective::AllToAll)) {
            gpu * self.input
        } else {
            0
        }
    }

    /// Checks results; `output` is what a GPU has at a place of its output. Goes out: the root, if there is
    /// one.
    ///
    /// # Errors
    /// The first place that is wrong.
    pub(super) fn results<'v>(
        &self,
        output: &dyn Fn(u32, u32) -> Option<&'v Value>,
    ) -> Result<Option<u32>, ProgramFault> {
        let called = if self.in_place { "in place" } else { "out of place" };
        let wrong = |gpu: u32, at: u32, expected: String| {
            let found = output(gpu, at).map_or("nothing".to_owned(), |value| value.show(self.gpus));
            Err(ProgramFault::Result { called, location: format!("o[{at}] of gpu {gpu}"), expected, found })
        };
        let Some(collective) = self.collective else { return Ok(None) };
        let whole = |gpu: u32, at: u32, chunk: u32| {
            output(gpu, at).is_some_and(|value| value.is_whole(chunk, self.gpus))
        };
        let root = match collective {
            Collective::Broadcast => output(0, 0).and_then(Value::single),
            // Who has more sums than others is meant.
            Collective::Reduce => (0..self.gpus)
                .rev()
                .max_by_key(|&gpu| (0..self.output).filter(|&at| whole(gpu, at, at)).count()),
            _ => None,
        };
        for gpu in 0..self.gpus {
            for at in 0..self.output {
                let of =
                    |chunk: u32, from: u32| output(gpu, at).is_some_and(|value| value.is_of(chunk, from));
                let sum = |chunk: u32| format!("chunk {chunk} summed over all gpus");
                let one = |chunk: u32, from: u32| format!("chunk {chunk} of gpu {from}");
                match collective {
                    Collective::AllReduce if !whole(gpu, at, at) => return wrong(gpu, at, sum(at)),
                    Collective::Reduce if root == Some(gpu) && !whole(gpu, at, at) => {
                        return wrong(gpu, at, sum(at));
                    }
                    Collective::ReduceScatter if !whole(gpu, at, gpu * self.output + at) => {
                        return wrong(gpu, at, sum(gpu * self.output + at));
                    }
                    Collective::AllGather if !of(at, at / self.input) => {
                        return wrong(gpu, at, one(at, at / self.input));
                    }
                    Collective::Broadcast if !root.is_some_and(|root| of(at, root)) => {
                        return wrong(gpu, at, one(at, root.unwrap_or(0)));
                    }
                    Collective::AllToAll => {
                        let shard = self.output / self.gpus;
                        let (from, part) = (at / shard, at % shard);
                        let chunk = from * self.input + gpu * shard + part;
                        if !of(chunk, from) {
                            return wrong(gpu, at, one(chunk, from));
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(root)
    }
}
