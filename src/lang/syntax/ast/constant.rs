//! Constants: `let`, `param`, and what the command line sets.

use super::expr::{Name, Quantity};
use fabc_base::diag::Span;

/// `let name = value;`
#[derive(Clone, PartialEq, Debug)]
pub struct Let {
    /// The constant.
    pub name: Name,
    /// Its value.
    pub value: Constant,
}

/// `param name = value in range;`
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// The parameter.
    pub name: Name,
    /// Its value unless it is set.
    pub value: Constant,
    /// What it may be.
    pub among: Option<Among>,
}

/// The value of a constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    /// What it is.
    pub kind: ConstantKind,
    /// Where.
    pub span: Span,
}

/// The kinds of values of constants.
#[derive(Clone, PartialEq, Debug)]
pub enum ConstantKind {
    /// `4`, `2 * side`, `0.5`, `128 GB/s`, or a name.
    Quantity(Quantity),
    /// `"lab.graphml"`, without its quotes.
    Text(Name),
}

/// What a parameter may be.
#[derive(Clone, PartialEq, Debug)]
pub enum Among {
    /// `in 1..=128`, with both ends.
    Range(Quantity, Quantity, Span),
    /// `in [up_down, allowed_turns]`
    List(Vec<Name>, Span),
}

impl Among {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Among::Range(.., span) | Among::List(_, span) => *span,
        }
    }
}

/// `seed = 1..=8, 10;` in a `sweep`.
#[derive(Clone, PartialEq, Debug)]
pub struct Swept {
    /// The parameter.
    pub name: Name,
    /// Its values.
    pub values: Vec<SweptValue>,
}

/// One value of a sweep, or several in a row.
#[derive(Clone, PartialEq, Debug)]
pub enum SweptValue {
    /// `128 GB/s`
    One(Constant),
    /// `1..8`, or with `through` `1..=8`: digits as written.
    Range {
        /// The first integer.
        first: Name,
        /// Where it ends.
        last: Name,
        /// Whether that is one of them.
        through: bool,
    },
}

/// `name=value` of `--set`.
#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    /// The parameter.
    pub name: Name,
    /// The value as it was typed.
    pub text: Name,
    /// The same as a constant, if it can be read as one.
    pub value: Option<Constant>,
}
