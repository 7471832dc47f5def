//! The contents of a graph file, in any format.

use fabc_model::ListedRouter;

/// The routers and edges of a file.
#[derive(PartialEq, Debug)]
pub(super) struct ParsedGraph {
    pub(super) routers: Vec<ListedRouter>,
    pub(super) edges: Vec<ParsedEdge>,
    /// Whether an edge runs from its first end to its second. `None` if the format does not say.
    pub(super) directed: Option<bool>,
}

/// The two routers of an edge, the source first.
type EdgeEnds = [u32; 2];
/// The ports at the two routers of an edge, where the file names them.
type EdgePorts = [Option<u16>; 2];

/// An edge of a file, as it is written.
#[derive(PartialEq, Debug)]
pub(super) struct ParsedEdge {
    /// Indices of its two routers, the source first.
    pub(super) ends: EdgeEnds,
    pub(super) link: Option<String>,
    /// Port numbers at the two routers, in the same order.
    pub(super) ports: EdgePorts,
    /// The offset of the edge in the text.
    pub(super) offset: usize,
}

/// The first problem of a file.
#[derive(PartialEq, Debug)]
pub(super) enum GraphProblem {
    /// A problem of the text, with the offset of its place if it has one.
    At { offset: Option<usize>, problem: String, help: Option<String> },
    /// The file has this many routers.
    TooLarge(usize),
    /// No path leads from one router to another. `hub` is one of the two, and `reached` routers, itself
    /// included, are joined to it.
    InPieces { from: String, to: String, hub: String, reached: usize, one_way: bool },
}

impl GraphProblem {
    pub(super) fn at_offset(offset: usize, problem: String) -> Self {
        GraphProblem::At { offset: Some(offset), problem, help: None }
    }
}
