//! Code that several tests share.

pub(crate) mod command;
pub(crate) mod files;
pub(crate) mod fixture;
pub(crate) mod mixes;
pub(crate) mod mutants;
pub(crate) mod plain;
pub(crate) mod pods;
pub(crate) mod shards;
pub(crate) mod spec_text;
pub(crate) mod tampering;
