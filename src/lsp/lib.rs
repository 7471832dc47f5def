//! What editors ask about specs: the Language Server Protocol.
//!
//! Comes in: texts as they are typed. Goes out: the findings of `fabc check`, and answers: what a word means,
//! what could stand somewhere, where a name is declared and used, a layout, what mends an error. A text is
//! read in two ways: by the compiler, which says what is wrong; and word by word (`reading`), which needs no
//! whole text and answers while it is written. `answers`, `names`, `fixes` and `shown` know no protocol but
//! for what they show.

mod analysis;
mod answers;
mod files;
mod fixes;
mod names;
mod place;
mod reader;
mod reading;
mod server;
mod shown;
mod text;
mod tokens;
mod vocabulary;

pub use server::{Server, capabilities};
pub use vocabulary::words_by_kind;
