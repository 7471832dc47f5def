//! What a fabric is: the plain values that a spec describes.
//!
//! [`Fabric`] is the root. No text is read here: the crate `fabc-lang` makes a [`Fabric`] of a spec.

mod arrangement;
mod closed_form;
mod collective;
mod contract;
mod design_space;
mod designs;
mod direction;
mod draw;
mod fabric;
mod family;
mod floor;
mod inputs;
mod names;
mod network;
mod pod;
mod routing;
mod simulation;
mod slices;
mod switches;
mod synthesis;
mod word;

pub use arrangement::Arrangement;
pub use closed_form::{ClosedForm, Farthest, Reached};
pub use collective::{
    Collective, CollectiveAlgorithm, DeclaredCollective, DeclaredMessage, DeclaredMessages, MessageWays,
};
pub use contract::*;
pub use design_space::DesignSpace;
pub use designs::Size;
pub use direction::{Direction, direction};
pub use draw::{ATTEMPTS, Draw};
pub use fabric::*;
pub use family::*;
pub use floor::*;
pub use inputs::*;
pub use names::file_stem;
pub use network::*;
pub use pod::*;
pub use routing::*;
pub use simulation::*;
pub use slices::{Class, Role, Served};
pub use switches::*;
pub use synthesis::*;
pub use word::Word;

pub use fabc_topology::{
    Capacities, Component, Demand, DemandShape, PORT_NAMES, Plane, SentPerHost, TableKey, VcCount,
};
