//! What a fabric is: the plain values that a spec describes.
//!
//! [`Fabric`] is the root. Nothing here reads text: the crate `fabc-lang` makes a [`Fabric`] from a spec.

mod addresses;
mod arithmetic;
mod arrangement;
mod closed_form;
mod collective;
mod contract;
mod design_space;
mod designs;
mod direction;
mod draw;
mod fabric;
mod face_plugs;
mod family;
mod floor;
mod hosts;
mod inputs;
mod job;
mod job_phases;
mod job_stages;
mod light;
mod metric;
mod names;
mod network;
mod pod;
mod reference;
mod routing;
mod simulation;
mod slices;
mod switches;
mod synthesis;
mod tiers;
mod word;

pub use addresses::*;
pub use arithmetic::SwitchArithmetic;
pub use arrangement::Arrangement;
pub use closed_form::{ClosedForm, DegreeRange, Farthest, ReachedFrom};
pub use collective::{
    Collective, CollectiveAlgorithm, DeclaredCollective, DeclaredMessage, DeclaredMessages, MessageWays,
};
pub use contract::*;
pub use design_space::DesignSpace;
pub use designs::{DesignGoal, LargestKnown, choose_network};
pub use direction::{Direction, figure_direction};
pub use draw::{ATTEMPTS, Draw};
pub use fabric::*;
pub use face_plugs::*;
pub use family::*;
pub use floor::*;
pub use hosts::{HostMap, MappedHost, host_label, host_name_problem};
pub use inputs::*;
pub use job::*;
pub use job_phases::{PHASES_FORMAT, check_groups_of_ranks};
pub use job_stages::job_stages;
pub use light::{InsertionLoss, LossTable, Optics};
pub use metric::*;
pub use names::file_stem;
pub use network::*;
pub use pod::*;
pub use reference::*;
pub use routing::*;
pub use simulation::*;
pub use slices::{CubeClass, CubeRole, ServedPorts};
pub use switches::*;
pub use synthesis::*;
pub use tiers::{router_tiers, tiers_with_direct_links};
pub use word::Word;

pub use fabc_topology::{
    Capacities, Demand, DemandComponent, DemandPlane, DemandShape, MOST_RELAYS, PORT_NAMES, RouterNames,
    SentPerHost, TableKey, VcCount,
};
