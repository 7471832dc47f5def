//! What the file of a graph says, whatever its format.

use fabc_model::ListedRouter;

/// What a file says, by its words.
#[derive(PartialEq, Debug)]
pub(super) struct Graph {
    pub(super) routers: Vec<ListedRouter>,
    pub(super) edges: Vec<Edge>,
    /// Whether an edge runs from its first end to its second; `None` where the format does not say.
    pub(super) directed: Option<bool>,
}

/// An edge of a file.
#[derive(PartialEq, Debug)]
pub(super) struct Edge {
    /// By the order of routers.
    pub(super) ends: [u32; 2],
    pub(super) link: Option<String>,
    pub(super) ports: [Option<u16>; 2],
    /// Where it stands: an offset into the text.
    pub(super) at: usize,
}

/// What is wrong with a file.
#[derive(PartialEq, Debug)]
pub(super) enum Slip {
    /// At one place of it, an offset into the text.
    At { at: Option<usize>, problem: String, help: Option<String> },
    /// It has so many routers.
    TooLarge(usize),
    /// No path leads from one router to another; `reached` routers, `hub` among them, are joined to `hub`,
    /// which is one of the two.
    InPieces { from: String, to: String, hub: String, reached: usize, one_way: bool },
}

impl Slip {
    pub(super) fn at(at: usize, problem: String) -> Self {
        Slip::At { at: Some(at), problem, help: None }
    }
}
