//! The links inside a box, as a file lists them.

/// Two GPUs of a box, as a line of a file joins them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedPair {
    /// The number of one GPU.
    pub first: u32,
    /// The number of the other GPU.
    pub second: u32,
    /// Number of links between them, 1 or more.
    pub copies: u32,
    /// The number of the line, counted from 1.
    pub line: u32,
}
