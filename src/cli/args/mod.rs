//! What the command line says: one file of options per command.

pub(crate) mod choice;
pub(crate) mod collective;
pub(crate) mod diff;
pub(crate) mod estimate;
pub(crate) mod options;
pub(crate) mod parts;
pub(crate) mod place;
pub(crate) mod running;
pub(crate) mod shard;
pub(crate) mod shells;
pub(crate) mod sim;
pub(crate) mod sim_settings;
pub(crate) mod sweep;
