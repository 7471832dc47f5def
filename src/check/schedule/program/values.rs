//! Values of chunks: their chunk number and the GPUs whose data they contain.

use fixedbitset::FixedBitSet;
use std::rc::Rc;

/// A chunk, or a sum of chunks of one number from several GPUs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ChunkValue {
    /// The number of the chunk in the collective.
    pub(super) chunk: u32,
    contributors: Contributors,
}

/// The GPUs whose data a value contains.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Contributors {
    One(u32),
    Many(Rc<FixedBitSet>),
}

impl ChunkValue {
    /// The input of a GPU.
    pub(super) fn given(chunk: u32, gpu: u32) -> Self {
        Self { chunk, contributors: Contributors::One(gpu) }
    }

    /// The sum of two values.
    ///
    /// # Errors
    /// Values of different chunks, or with a GPU in common.
    pub(super) fn sum(&self, other: &Self, gpus: u32) -> Result<Self, String> {
        if self.chunk != other.chunk {
            return Err(format!("adds {} to {}", other.show(gpus), self.show(gpus)));
        }
        let mut union = self.set(gpus);
        let added = other.set(gpus);
        if let Some(duplicate) = union.intersection(&added).next() {
            return Err(format!("adds the chunk {} of gpu {duplicate} a second time", self.chunk));
        }
        union.union_with(&added);
        Ok(Self { chunk: self.chunk, contributors: Contributors::Many(Rc::new(union)) })
    }

    /// Whether the value contains data of a GPU.
    pub(super) fn has(&self, gpu: u32) -> bool {
        match &self.contributors {
            Contributors::One(contributor) => *contributor == gpu,
            Contributors::Many(set) => set.contains(gpu as usize),
        }
    }

    /// Whether the value is this chunk of one GPU alone.
    pub(super) fn is_of(&self, chunk: u32, gpu: u32) -> bool {
        self.chunk == chunk && self.contributors == Contributors::One(gpu)
    }

    /// Whether the value is the sum of this chunk over all GPUs.
    pub(super) fn is_whole(&self, chunk: u32, gpus: u32) -> bool {
        let count = match &self.contributors {
            Contributors::One(_) => 1,
            Contributors::Many(set) => set.count_ones(..),
        };
        self.chunk == chunk && count == gpus as usize
    }

    /// The GPU that the value is from, if it is only one.
    pub(super) fn single(&self) -> Option<u32> {
        if let Contributors::One(gpu) = self.contributors { Some(gpu) } else { None }
    }

    /// The value in the words of messages.
    pub(super) fn show(&self, gpus: u32) -> String {
        let chunk = self.chunk;
        match &self.contributors {
            Contributors::One(gpu) => format!("chunk {chunk} of gpu {gpu}"),
            Contributors::Many(set) => match set.zeroes().next() {
                None => format!("chunk {chunk} summed over all gpus"),
                Some(missing) => format!(
                    "chunk {chunk} summed over {} of {gpus} gpus (gpu {missing} is not among them)",
                    set.count_ones(..)
                ),
            },
        }
    }

    fn set(&self, gpus: u32) -> FixedBitSet {
        match &self.contributors {
            Contributors::Many(shared) => (**shared).clone(),
            Contributors::One(gpu) => {
                let mut set = FixedBitSet::with_capacity(gpus as usize);
                set.insert(*gpu as usize);
                set
            }
        }
    }
}
