//! The references of shares in a `require`.

/// The names of [`Reference`] in specs, in its order.
pub const REFERENCES: [&str; 3] = ["universal", "bound", "nominal"];

/// The reference of a share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    /// The bound on every topology that these switches can be set to.
    Universal,
    /// The bound on this topology in the measured scenario.
    Bound,
    /// The value of the healthy fabric.
    Nominal,
}

impl Reference {
    /// All references, in the order of their declaration.
    pub const ALL: [Reference; 3] = [Reference::Universal, Reference::Bound, Reference::Nominal];

    /// The name of the reference in specs.
    pub fn name(self) -> &'static str {
        REFERENCES[self as usize]
    }
}
