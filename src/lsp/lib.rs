//! The Language Server Protocol: answers to what editors ask about specs.
//!
//! Input: texts as they are typed. Output: the findings of `fabc check`, and answers to requests: the meaning
//! of a word, completions, declarations and uses of a name, the formatted text, fixes of an error. A text is
//! read in two ways. The compiler reads the whole text and reports its errors. The module `reading` goes word
//! by word, needs no complete text, and answers while the text is being written. The modules `answers`,
//! `names`, `fixes` and `drawing` use the protocol only for the values that they return.

mod analysis;
mod answers;
mod drawing;
mod explained;
mod files;
mod fixes;
mod names;
mod places;
mod reader;
mod reading;
mod requests;
mod server;
mod text;
mod tokens;
mod uris;
mod vocabulary;

pub use explained::{WordMeaning, explain_word, explained_words};
pub use server::{EarlierBuilds, Server, capabilities};
pub use vocabulary::words_by_kind;
