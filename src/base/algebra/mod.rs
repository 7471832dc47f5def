//! The mathematics of the families of networks: finite fields, the points of a projective plane, the graphs
//! of supernodes.
//!
//! The code that wires a network, and the code that routes it by formula, use these. The checker has
//! arithmetic of its own (`check/wiring`).

mod field;
mod kautz;
mod paley;
mod plane;
mod polarity;
mod prime;
mod quadrangle;
mod supernode;

pub use field::FiniteField;
pub use kautz::kautz_targets;
pub use plane::ProjectivePlane;
pub use polarity::TitsPolarity;
pub use prime::{is_paley_order, is_prime, prime_power};
pub use quadrangle::GeneralizedQuadrangle;
pub use supernode::SupernodeGraph;
