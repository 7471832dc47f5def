//! What chunks are made of: of which chunk, and from which GPUs.

use fixedbitset::FixedBitSet;
use std::rc::Rc;

/// A chunk, or a sum of several GPUs' chunks of one number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Value {
    /// Which chunk of the collective.
    pub(super) chunk: u32,
    who: Who,
}

/// Whose data it is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Who {
    One(u32),
    Many(Rc<FixedBitSet>),
}

impl Value {
    /// What a GPU is given.
    pub(super) fn given(chunk: u32, gpu: u32) -> Self {
        Self { chunk, who: Who::One(gpu) }
    }

    /// The sum of two.
    ///
    /// # Errors
    /// They are of different chunks, or have a GPU in common.
    pub(super) fn sum(&self, other: &Self, gpus: u32) -> Result<Self, String> {
        if self.chunk != other.chunk {
            return Err(format!("adds {} to {}", other.show(gpus), self.show(gpus)));
        }
        let mut all = self.set(gpus);
        let theirs = other.set(gpus);
        if let Some(twice) = all.intersection(&theirs).next() {
            return Err(format!("adds the chunk {} of gpu {twice} a second time", self.chunk));
        }
        all.union_with(&theirs);
        Ok(Self { chunk: self.chunk, who: Who::Many(Rc::new(all)) })
    }

    /// Whether a GPU's data is in it.
    pub(super) fn has(&self, gpu: u32) -> bool {
        match &self.who {
            Who::One(one) => *one == gpu,
            Who::Many(many) => many.contains(gpu as usize),
        }
    }

    /// Whether it is this chunk of one GPU alone.
    pub(super) fn is_of(&self, chunk: u32, gpu: u32) -> bool {
        self.chunk == chunk && self.who == Who::One(gpu)
    }

    /// Whether it is the sum of this chunk over all.
    pub(super) fn is_whole(&self, chunk: u32, gpus: u32) -> bool {
        let count = match &self.who {
            Who::One(_) => 1,
            Who::Many(many) => many.count_ones(..),
        };
        self.chunk == chunk && count == gpus as usize
    }

    /// The GPU that it is of, if it is of one.
    pub(super) fn single(&self) -> Option<u32> {
        if let Who::One(gpu) = self.who { Some(gpu) } else { None }
    }

    /// For people.
    pub(super) fn show(&self, gpus: u32) -> String {
        let chunk = self.chunk;
        match &self.who {
            Who::One(gpu) => format!("chunk {chunk} of gpu {gpu}"),
            Who::Many(many) => match many.zeroes().next() {
                None => format!("chunk {chunk} summed over all gpus"),
                Some(first) => format!(
                    "chunk {chunk} summed over {} of {gpus} gpus (gpu {first} is not among them)",
                    many.count_ones(..)
                ),
            },
        }
    }

    fn set(&self, gpus: u32) -> FixedBitSet {
        match &self.who {
            Who::Many(many) => (**many).clone(),
            Who::One(gpu) => {
                let mut set = FixedBitSet::with_capacity(gpus as usize);
                set.insert(*gpu as usize);
                set
            }
        }
    }
}
