//! The language: text to spanned syntax and back.
//!
//! In: the text of a spec and of the files it uses. Out: [`ast::Spec`], formatted text ([`print()`]) and the
//! normal form ([`normalize()`]). [`crate::resolve()`] finds what the syntax means, as a value of
//! [`fabc_model`].

pub mod ast;
mod bind;
mod block_kind;
mod errors;
mod eval;
mod inputs;
mod listed_links;
mod load;
mod normalize;
mod parse;
mod print;
mod scan;
pub mod slices;
mod used;
pub mod words;

pub use bind::{BindError, Bound, bind};
pub use errors::ParseError;
pub use eval::{Constants, EvalError};
pub use inputs::{input_copy, with_inputs, without_origin};
pub use load::{COMMAND_LINE, Loader, join, parse, parse_file, parse_settings, parse_with, too_long};
pub use normalize::{normalize, require_order, with_design};
pub use print::{
    expr as written, port as written_port, print, print_items, print_spec, swept as written_values,
};
pub use scan::count_tokens;
pub use used::used_names;
