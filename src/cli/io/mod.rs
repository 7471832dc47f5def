//! Everything that touches the disk or the user: files, the terminal, errors.

pub(crate) mod browser;
pub(crate) mod cache;
pub(crate) mod content;
pub(crate) mod declared_name;
pub(crate) mod engine_errors;
pub(crate) mod errors;
pub(crate) mod folder;
pub(crate) mod input_errors;
pub(crate) mod interrupted;
pub(crate) mod lock;
mod operation_errors;
pub(crate) mod progress;
pub(crate) mod read;
pub(crate) mod signature_errors;
pub(crate) mod staging;
pub(crate) mod stop;
pub(crate) mod temporary;
pub(crate) mod terminal;
pub(crate) mod write;
