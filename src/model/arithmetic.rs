//! What switches do with the data of collectives.

/// What a router that carries no hosts does with the data of collectives besides forwarding it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SwitchArithmetic {
    /// Whether it copies what comes in to several outputs.
    pub multicast: bool,
    /// Whether it adds up what comes in by several inputs.
    pub reduce: bool,
}
