//! The role of every word of a text, as far as it is known while the text is being written.
//!
//! Input: the text of a file, finished or not. Output: its statements and blocks, and the role of every word.
//! The grammar is not used: it needs a complete text, and this reading happens at every keystroke. On valid
//! texts both agree (`tests/it/lsp.rs` compares them). The module `reader` does the work.

use super::tokens::Token;
use fabc_lang::syntax::words::BlockKind;
use std::ops::Range;

/// A name space. Names within one space differ in their spelling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum NameSpace {
    Fabric,
    /// Names of `let` and `param`.
    Constant,
    /// An index of an `ocs` group, visible in its item alone.
    Index,
    Link,
    Ocs,
    /// Kinds of boxes: `box name { .. }`.
    Box,
    /// Kinds of routers: `router name { .. }`.
    Router,
    /// Simulations and collectives: metrics name both in the same form.
    Run,
    Slice,
}

/// The role of a word in the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WordRole {
    Keyword,
    Setting,
    /// A value that is a word of the language.
    Choice,
    /// A value that is a constant or a word of the language. The file set decides.
    Value,
    Unit,
    Metric,
    /// The name of a face, such as `x` in `+x[u, v]`.
    Face,
    Declared(NameSpace),
    Named(NameSpace),
}

/// A word with its role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Leaf {
    pub(super) bytes: Range<usize>,
    pub(super) role: WordRole,
    pub(super) statement: usize,
}

/// What may stand in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockScope {
    File,
    Fabric,
    Slice,
    /// The block of an item with this word: `chip { .. }`, `link copper { .. }`.
    Item(&'static str),
    /// The block of a value or line: `topology = torus 4 x 4 { .. }`, `level 9 { .. }`.
    Choice(Option<BlockKind>),
    Sweep,
    Use,
    Unknown,
}

impl BlockScope {
    /// Whether the block holds items.
    pub(super) fn has_items(self) -> bool {
        matches!(self, BlockScope::File | BlockScope::Fabric | BlockScope::Slice)
    }
    /// The place in the language whose settings the block holds.
    pub(super) fn place(self) -> Option<BlockKind> {
        const ITEMS: [BlockKind; 12] = [
            BlockKind::Link,
            BlockKind::Router,
            BlockKind::Box,
            BlockKind::Chip,
            BlockKind::Cube,
            BlockKind::Ocs,
            BlockKind::Budget,
            BlockKind::Failures,
            BlockKind::Floor,
            BlockKind::Addresses,
            BlockKind::Demand,
            BlockKind::Simulate,
        ];
        match self {
            BlockScope::Item(word) => ITEMS.into_iter().find(|place| place.name() == word),
            BlockScope::Choice(place) => place,
            _ => None,
        }
    }
}

/// A block `{ .. }`, or the whole file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RawBlock {
    /// The bytes with both braces, or to the end of the text if the block is not closed.
    pub(super) bytes: Range<usize>,
    pub(super) scope: BlockScope,
    /// The statement that the block belongs to, and the block around it. A file has 0 for both.
    pub(super) statement: usize,
    pub(super) parent: usize,
}

/// An item or a line of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RawStatement {
    /// The bytes with the final `;` or block.
    pub(super) bytes: Range<usize>,
    /// The bytes of its first word.
    pub(super) head: Range<usize>,
    /// The space and bytes of the name that it declares.
    pub(super) declares: Option<(NameSpace, Range<usize>)>,
    /// The block that it stands in.
    pub(super) block: usize,
    /// The path of a `use`, without quotes.
    pub(super) path: Option<Range<usize>>,
}

/// The result of reading a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reading {
    pub(super) tokens: Vec<Token>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) blocks: Vec<RawBlock>,
    pub(super) statements: Vec<RawStatement>,
    /// Whether the text declares routers, not cubes.
    pub(super) network: bool,
}

/// Words that connect the parts of a statement.
pub(super) const INNER_WORDS: [&str; 10] =
    ["x", "over", "with", "of", "in", "for", "step", "joined", "weight", "groups"];

/// Settings whose value is a link, or a list of links.
pub(super) const LINK_SETTINGS: [&str; 7] =
    ["link", "host_link", "over", "local", "global", "default", "beyond"];

/// Settings whose value is a kind of router, or a list of them.
pub(super) const ROUTER_SETTINGS: [&str; 3] = ["leaf", "spine", "tiers"];

impl Reading {
    /// The word that contains a byte or ends there.
    pub(super) fn leaf_at(&self, offset: usize) -> Option<&Leaf> {
        let after = self.leaves.partition_point(|leaf| leaf.bytes.end < offset);
        self.leaves[after..]
            .iter()
            .take(2)
            .rfind(|leaf| leaf.bytes.contains(&offset) || leaf.bytes.end == offset)
    }

    /// The innermost block around a byte.
    pub(super) fn block_at(&self, offset: usize) -> usize {
        let inside = |block: &&(usize, &RawBlock)| {
            block.1.bytes.start < offset
                && (offset < block.1.bytes.end
                    || block.1.bytes.end == self.blocks[0].bytes.end && offset == block.1.bytes.end)
        };
        let blocks: Vec<(usize, &RawBlock)> = self.blocks.iter().enumerate().collect();
        blocks.iter().skip(1).filter(inside).map(|(index, _)| *index).next_back().unwrap_or(0)
    }

    /// A block and all blocks around it, from the inside out. The file comes last.
    pub(super) fn enclosing_blocks(&self, block: usize) -> impl Iterator<Item = &RawBlock> {
        let next = |index: &usize| (*index != 0).then(|| self.blocks[*index].parent);
        std::iter::successors(Some(block), next).map(|index| &self.blocks[index])
    }
}
