//! Mathematics that families of networks are made of: finite fields, the points of a projective plane, the
//! graphs that stand in supernodes.
//!
//! What wires a network and what routes it by formula know them from here. The checker has arithmetic of its
//! own (`check/wiring`).

mod field;
mod kautz;
mod paley;
mod plane;
mod prime;
mod supernode;

pub use field::Field;
pub use kautz::kautz_targets;
pub use plane::Plane;
pub use prime::{is_paley_order, is_prime, prime_power};
pub use supernode::Supernode;
