//! Runs MSCCL XML with numbers, as a machine would. Thread blocks wait at the ends of connections and for
//! steps of others. Which block goes on first is random. The interpreter shares nothing with fabc.

use fabc::random::Stream;
use std::collections::{BTreeMap, VecDeque};

/// The attributes of an XML tag.
type Attributes = BTreeMap<String, String>;

#[derive(Clone, Debug)]
pub(crate) struct BlockStep {
    pub(crate) kind: String,
    from: (char, usize),
    to: (char, usize),
    count: usize,
    pub(crate) after: Option<(usize, usize)>,
    awaited: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ThreadBlock {
    pub(crate) send: Option<usize>,
    pub(crate) receive: Option<usize>,
    pub(crate) chan: i64,
    pub(crate) steps: Vec<BlockStep>,
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) collective: String,
    chunks: usize,
    /// `[gpu]`: sizes of its buffers, and its thread blocks.
    pub(crate) gpus: Vec<([usize; 3], Vec<ThreadBlock>)>,
}

/// Tags and attributes of a line, such as `<tb id="0" send="1">`.
fn tag(line: &str) -> Option<(&str, Attributes)> {
    let inner = line.trim().strip_prefix('<')?.trim_end_matches(['>', '/']);
    let (name, rest) = inner.split_once(' ').unwrap_or((inner, ""));
    let mut attributes = Attributes::new();
    let mut parts = rest.split('"');
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        attributes.insert(key.trim().trim_end_matches('=').to_owned(), value.to_owned());
    }
    Some((name, attributes))
}

impl Program {
    /// Reads a file with a tag on every line.
    pub(crate) fn read(text: &str) -> Self {
        let mut program = Self { collective: String::new(), chunks: 0, gpus: Vec::new() };
        for (name, attributes) in text.lines().filter_map(tag) {
            let number =
                |key: &str| attributes[key].parse::<i64>().unwrap_or_else(|_| panic!("{key} of {name}"));
            let peer = |key: &str| usize::try_from(number(key)).ok();
            let place = |buffer: &str, at: &str| {
                (attributes[buffer].chars().next().unwrap(), number(at).max(0) as usize)
            };
            match name {
                "algo" => {
                    (program.collective, program.chunks) =
                        (attributes["coll"].clone(), number("nchunksperloop") as usize)
                }
                "gpu" => program
                    .gpus
                    .push((["i_chunks", "o_chunks", "s_chunks"].map(|key| number(key) as usize), Vec::new())),
                "tb" => {
                    let block = ThreadBlock {
                        send: peer("send"),
                        receive: peer("recv"),
                        chan: number("chan"),
                        steps: Vec::new(),
                    };
                    program.gpus.last_mut().unwrap().1.push(block);
                }
                "step" => {
                    let step = BlockStep {
                        kind: attributes["type"].clone(),
                        from: place("srcbuf", "srcoff"),
                        to: place("dstbuf", "dstoff"),
                        count: number("cnt") as usize,
                        after: peer("depid").map(|block| (block, number("deps") as usize)),
                        awaited: number("hasdep") == 1,
                    };
                    program.gpus.last_mut().unwrap().1.last_mut().unwrap().steps.push(step);
                }
                _ => {}
            }
        }
        program
    }

    /// The most steps of a thread block, and the most thread blocks of a GPU.
    pub(crate) fn size(&self) -> (usize, usize) {
        let steps =
            self.gpus.iter().flat_map(|(_, blocks)| blocks).map(|block| block.steps.len()).max().unwrap();
        (steps, self.gpus.iter().map(|(_, blocks)| blocks.len()).max().unwrap())
    }
}

fn sends(kind: &str) -> bool {
    ["s", "rcs", "rrs", "rrcs"].contains(&kind)
}

fn receives(kind: &str) -> bool {
    ["r", "rcs", "rrs", "rrc", "rrcs"].contains(&kind)
}

/// A number for a chunk of a GPU, unlike all others.
fn number(gpu: usize, at: usize) -> u64 {
    ((gpu as u64 + 1) << 32 | (at as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

struct Machine<'a> {
    program: &'a Program,
    in_place: bool,
    /// The most messages that a connection holds. With 0 both ends meet.
    held: usize,
    /// Indexed by `[gpu]`: the buffers input, output and scratch.
    memory: Vec<[Vec<u64>; 3]>,
    /// `[gpu][thread block]`: steps done. What a fused step has received and not yet sent.
    done: Vec<Vec<usize>>,
    carried: Vec<Vec<Option<Vec<u64>>>>,
    queues: BTreeMap<(usize, usize, i64), VecDeque<Vec<u64>>>,
    receivers: BTreeMap<(usize, usize, i64), usize>,
}

impl Machine<'_> {
    /// Where a chunk is, if input and output may be one buffer.
    fn place(&self, gpu: usize, buffer: char, at: usize) -> (usize, usize) {
        let shard = self.program.chunks / self.program.gpus.len();
        match (self.in_place, buffer, &*self.program.collective) {
            (true, 'i', "allgather") => (1, gpu * shard + at),
            (true, 'o', "reduce_scatter") => (0, gpu * shard + at),
            (true, 'i', "allreduce" | "broadcast" | "reduce" | "alltoall") => (1, at),
            (_, 'i', _) => (0, at),
            (_, 'o', _) => (1, at),
            _ => (2, at),
        }
    }
    fn read(&self, gpu: usize, place: (char, usize), count: usize) -> Vec<u64> {
        (0..count)
            .map(|at| self.place(gpu, place.0, place.1 + at))
            .map(|(buffer, at)| self.memory[gpu][buffer][at])
            .collect()
    }
    fn write(&mut self, gpu: usize, place: (char, usize), values: &[u64]) {
        for (at, &value) in values.iter().enumerate() {
            let (buffer, at) = self.place(gpu, place.0, place.1 + at);
            self.memory[gpu][buffer][at] = value;
        }
    }
    fn step(&self, gpu: usize, block: usize) -> Option<&BlockStep> {
        self.program.gpus[gpu].1[block].steps.get(self.done[gpu][block])
    }
    fn may_begin(&self, gpu: usize, step: &BlockStep) -> bool {
        step.after.is_none_or(|(block, number)| {
            assert!(
                self.program.gpus[gpu].1[block].steps[number].awaited,
                "somebody waits for a step that does not tell"
            );
            self.done[gpu][block] > number
        })
    }

    /// A thread block takes the values that came.
    fn receive(&mut self, gpu: usize, block: usize, came: Vec<u64>) {
        let step = self.step(gpu, block).unwrap().clone();
        let own_data = if step.kind.starts_with("rr") {
            self.read(gpu, step.from, step.count)
        } else {
            vec![0; came.len()]
        };
        let values: Vec<u64> = came.iter().zip(own_data).map(|(&a, b)| a.wrapping_add(b)).collect();
        if step.kind != "rrs" {
            self.write(gpu, step.to, &values);
        }
        if sends(&step.kind) { self.carried[gpu][block] = Some(values) } else { self.done[gpu][block] += 1 }
    }

    /// One thing that a thread block can do. Whether there was one.
    fn go_on(&mut self, gpu: usize, block: usize) -> bool {
        let Some(step) = self.step(gpu, block).cloned().filter(|step| self.may_begin(gpu, step)) else {
            return false;
        };
        let ThreadBlock { send, receive, chan, .. } = self.program.gpus[gpu].1[block];
        if receives(&step.kind) && self.carried[gpu][block].is_none() {
            let queue = self.queues.entry((receive.unwrap(), gpu, chan)).or_default();
            // Without a queue the sender acts for both.
            let Some(came) = queue.pop_front() else { return false };
            self.receive(gpu, block, came);
            return true;
        }
        if sends(&step.kind) {
            let to = send.unwrap();
            let values =
                self.carried[gpu][block].clone().unwrap_or_else(|| self.read(gpu, step.from, step.count));
            if self.held > 0 {
                let queue = self.queues.entry((gpu, to, chan)).or_default();
                if queue.len() == self.held {
                    return false;
                }
                queue.push_back(values);
            } else {
                let receiver = self.receivers[&(gpu, to, chan)];
                let ready = |step: &&BlockStep| receives(&step.kind) && self.may_begin(to, step);
                if self.carried[to][receiver].is_some() || self.step(to, receiver).filter(ready).is_none() {
                    return false;
                }
                self.receive(to, receiver, values);
            }
            self.carried[gpu][block] = None;
        }
        let (source, target) = (self.read_if(gpu, &step, "cpy"), self.read_if(gpu, &step, "re"));
        if let Some(values) = source {
            self.write(gpu, step.to, &values);
        }
        if let Some(values) = target {
            let sum: Vec<u64> = self
                .read(gpu, step.to, step.count)
                .iter()
                .zip(values)
                .map(|(&a, b)| a.wrapping_add(b))
                .collect();
            self.write(gpu, step.to, &sum);
        }
        self.done[gpu][block] += 1;
        true
    }
    fn read_if(&self, gpu: usize, step: &BlockStep, kind: &str) -> Option<Vec<u64>> {
        (step.kind == kind).then(|| self.read(gpu, step.from, step.count))
    }
}

/// Chunks of a shard, of an input and of an output.
struct Sizes {
    shard: usize,
    input: usize,
    output: usize,
}

impl Sizes {
    fn new(program: &Program) -> Self {
        let (shard, chunks) = (program.chunks / program.gpus.len(), program.chunks);
        let (input, output) = match &*program.collective {
            "allgather" => (shard, chunks),
            "reduce_scatter" => (chunks, shard),
            _ => (chunks, chunks),
        };
        Self { shard, input, output }
    }
}

/// A machine before the first step, with numbers in the inputs.
fn loaded_machine<'a>(program: &'a Program, in_place: bool, held: usize, sizes: &Sizes) -> Machine<'a> {
    let buffers = |scratch: usize| [vec![7; sizes.input], vec![9; sizes.output], vec![11; scratch]];
    let mut machine = Machine {
        program,
        in_place,
        held,
        memory: program.gpus.iter().map(|([_, _, scratch], _)| buffers(*scratch)).collect(),
        done: program.gpus.iter().map(|(_, blocks)| vec![0; blocks.len()]).collect(),
        carried: program.gpus.iter().map(|(_, blocks)| vec![None; blocks.len()]).collect(),
        queues: BTreeMap::new(),
        receivers: BTreeMap::new(),
    };
    for (gpu, (_, blocks)) in program.gpus.iter().enumerate() {
        (0..sizes.input).for_each(|chunk| machine.write(gpu, ('i', chunk), &[number(gpu, chunk)]));
        for (block_id, block) in blocks.iter().enumerate() {
            machine.receivers.extend(block.receive.map(|from| ((from, gpu, block.chan), block_id)));
        }
    }
    machine
}

/// Runs a program in a random order. The error says which step waits forever, or which number is wrong.
pub(crate) fn run(
    program: &Program,
    in_place: bool,
    held: usize,
    root: Option<usize>,
    stream: &mut Stream,
) -> Result<(), String> {
    let sizes = Sizes::new(program);
    let mut machine = loaded_machine(program, in_place, held, &sizes);
    let mut block_ids: Vec<(usize, usize)> = program
        .gpus
        .iter()
        .enumerate()
        .flat_map(|(gpu, (_, blocks))| (0..blocks.len()).map(move |block| (gpu, block)))
        .collect();
    loop {
        stream.shuffle(&mut block_ids);
        let mut any = false;
        for &(gpu, block) in &block_ids {
            // Some are slow, and some do all that they can.
            let burst = [1, 1, 1, 1000][stream.below(4)];
            any |= (0..burst).take_while(|_| machine.go_on(gpu, block)).count() > 0;
        }
        block_ids.retain(|&(gpu, block)| machine.step(gpu, block).is_some());
        if block_ids.is_empty() {
            break;
        }
        if !any {
            return Err(format!("{} thread blocks wait for ever", block_ids.len()));
        }
    }
    compare_result(&machine, root, &sizes)
}

/// Compares the outputs with those of the collective, and the inputs with what they were.
fn compare_result(machine: &Machine<'_>, root: Option<usize>, sizes: &Sizes) -> Result<(), String> {
    let (program, gpus) = (machine.program, machine.program.gpus.len());
    let Sizes { shard, input, output } = *sizes;
    let sum = |chunk: usize| (0..gpus).map(|gpu| number(gpu, chunk)).fold(0, u64::wrapping_add);
    for gpu in 0..gpus {
        for chunk in 0..output {
            let expected = match &*program.collective {
                "allreduce" => sum(chunk),
                "allgather" => number(chunk / shard, chunk % shard),
                "reduce_scatter" => sum(gpu * shard + chunk),
                "broadcast" => number(root.unwrap(), chunk),
                "reduce" if root == Some(gpu) => sum(chunk),
                "alltoall" => number(chunk / shard, gpu * shard + chunk % shard),
                _ => continue,
            };
            let actual = machine.read(gpu, ('o', chunk), 1)[0];
            if actual != expected {
                return Err(format!("o[{chunk}] of gpu {gpu} is {actual:x}, not {expected:x}"));
            }
        }
        // A program writes no input, unless the input is the output, too.
        let kept = machine.in_place
            || (0..input).all(|chunk| machine.read(gpu, ('i', chunk), 1)[0] == number(gpu, chunk));
        if !kept && program.collective != "custom" {
            return Err(format!("the input of gpu {gpu} was written"));
        }
    }
    Ok(())
}
