//! What editors ask about specs: the Language Server Protocol.
//!
//! Comes in: texts as they are typed. Goes out: the findings of `fabc check`, and answers: what a word means,
//! what could stand somewhere, where a name is declared and used, a layout, what mends an error. A text is
//! read in two ways: by the compiler, which says what is wrong; and word by word (`reading`), which needs no
//! whole text and answers while it is written. `answers`, `names`, `fixes` and `drawing` use the protocol
//! only for the values that they return.

mod analysis;
mod answers;
mod drawing;
mod files;
mod fixes;
mod names;
mod reader;
mod reading;
mod server;
mod text;
mod tokens;
mod uris;
mod vocabulary;

pub use server::{Server, capabilities};
pub use vocabulary::words_by_kind;
