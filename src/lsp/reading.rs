//! What every word of a text is, as far as can be told while it is being written.
//!
//! Comes in: the text of a file, finished or not. Goes out: its statements and blocks, and the role of every
//! word. The grammar is not asked: it needs a whole text, and here one is read at every keystroke. Where a
//! text is right, both say the same (`tests/it/lsp.rs` compares). How it is read: `reader`.

use super::tokens::Token;
use fabc_lang::syntax::words::Place;
use std::ops::Range;

/// Names of one space are told apart by their spelling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Space {
    Fabric,
    /// `let` and `param`
    Constant,
    /// Of an `ocs` group; known in its item alone.
    Index,
    Link,
    Ocs,
    /// Simulations and collectives, which metrics name alike.
    Run,
    Slice,
}

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Keyword,
    Setting,
    /// A word of the language as a value.
    Choice,
    /// A constant, or a word of the language, whichever there is.
    Value,
    Unit,
    Metric,
    /// `x` of `+x[u, v]`
    Face,
    Declared(Space),
    Named(Space),
}

/// A word with a role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Leaf {
    pub(super) bytes: Range<usize>,
    pub(super) role: Role,
    pub(super) statement: usize,
}

/// What a block is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    File,
    Fabric,
    Slice,
    /// `chip { .. }`, `link copper { .. }`
    Item(&'static str),
    /// `topology = torus 4 x 4 { .. }`, `level 9 { .. }`
    Choice(Option<Place>),
    Sweep,
    Use,
    Unknown,
}

impl Scope {
    /// Whether items stand in it.
    pub(super) fn has_items(self) -> bool {
        matches!(self, Scope::File | Scope::Fabric | Scope::Slice)
    }
    /// Whose settings stand in it.
    pub(super) fn place(self) -> Option<Place> {
        const ITEMS: [Place; 10] = [
            Place::Link,
            Place::Router,
            Place::Chip,
            Place::Cube,
            Place::Ocs,
            Place::Budget,
            Place::Failures,
            Place::Floor,
            Place::Demand,
            Place::Simulate,
        ];
        match self {
            Scope::Item(word) => ITEMS.into_iter().find(|place| place.name() == word),
            Scope::Choice(place) => place,
            _ => None,
        }
    }
}

/// `{ .. }`, or all of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Block {
    /// With its braces; to the end of the text, if it is not closed.
    pub(super) bytes: Range<usize>,
    pub(super) scope: Scope,
    /// The statement that it belongs to, and the block around it; of a file itself.
    pub(super) statement: usize,
    pub(super) around: usize,
}

/// An item or a line of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Statement {
    /// With its `;` or block.
    pub(super) bytes: Range<usize>,
    /// Its first word.
    pub(super) head: Range<usize>,
    /// What it declares.
    pub(super) declares: Option<(Space, Range<usize>)>,
    /// Where it stands.
    pub(super) block: usize,
    /// The path of a `use`, without quotes.
    pub(super) path: Option<Range<usize>>,
}

/// A text that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reading {
    pub(super) tokens: Vec<Token>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) blocks: Vec<Block>,
    pub(super) statements: Vec<Statement>,
    /// Whether it declares routers, not cubes.
    pub(super) network: bool,
}

/// Words within statements.
pub(super) const INNER: [&str; 10] =
    ["x", "over", "with", "of", "in", "for", "step", "joined", "weight", "groups"];

/// Settings whose value is a link.
pub(super) const OF_LINKS: [&str; 5] = ["link", "local", "global", "default", "beyond"];

impl Reading {
    /// The word at a byte, or that ends there.
    pub(super) fn leaf_at(&self, offset: usize) -> Option<&Leaf> {
        let after = self.leaves.partition_point(|leaf| leaf.bytes.end < offset);
        self.leaves[after..]
            .iter()
            .take(2)
            .rfind(|leaf| leaf.bytes.contains(&offset) || leaf.bytes.end == offset)
    }

    /// The innermost block around a byte.
    pub(super) fn block_at(&self, offset: usize) -> usize {
        let inside = |block: &&(usize, &Block)| {
            block.1.bytes.start < offset
                && (offset < block.1.bytes.end
                    || block.1.bytes.end == self.blocks[0].bytes.end && offset == block.1.bytes.end)
        };
        let all: Vec<(usize, &Block)> = self.blocks.iter().enumerate().collect();
        all.iter().skip(1).filter(inside).map(|(at, _)| *at).next_back().unwrap_or(0)
    }

    /// The blocks around one, itself first, the file last.
    pub(super) fn around(&self, block: usize) -> impl Iterator<Item = &Block> {
        let next = |at: &usize| (*at != 0).then(|| self.blocks[*at].around);
        std::iter::successors(Some(block), next).map(|at| &self.blocks[at])
    }
}
