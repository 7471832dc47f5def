//! Constants: `let`, `param`, and the values that the command line sets.

use super::expr::{Name, Quantity};
use fabc_base::diag::Span;

/// The declaration of a constant: `let name = value;`.
#[derive(Clone, PartialEq, Debug)]
pub struct Let {
    /// The name of the constant.
    pub name: Name,
    /// The value of the constant.
    pub value: Constant,
}

/// The declaration of a parameter: `param name = value in range;`.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// The name of the parameter.
    pub name: Name,
    /// The value unless another one is set.
    pub value: Constant,
    /// The values that the parameter may have.
    pub among: Option<Among>,
}

/// The value of a constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    /// The kind of the value.
    pub kind: ConstantKind,
    /// The span of the value.
    pub span: Span,
}

/// The kinds of values that constants have.
#[derive(Clone, PartialEq, Debug)]
pub enum ConstantKind {
    /// `4`, `2 * side`, `0.5`, `128 GB/s`, or a name.
    Quantity(Quantity),
    /// A text such as `"lab.graphml"`, without its quotes.
    Text(Name),
}

/// The values that a parameter may have.
#[derive(Clone, PartialEq, Debug)]
pub enum Among {
    /// A range with both ends: `in 1..=128`.
    Range(Quantity, Quantity, Span),
    /// A list of words: `in [up_down, allowed_turns]`.
    List(Vec<Name>, Span),
}

impl Among {
    /// The span of the range or list.
    pub fn span(&self) -> Span {
        match self {
            Among::Range(.., span) | Among::List(_, span) => *span,
        }
    }
}

/// The values of a parameter in a `sweep`: `seed = 1..=8, 10;`.
#[derive(Clone, PartialEq, Debug)]
pub struct SweptParameter {
    /// The name of the parameter.
    pub name: Name,
    /// The values of the parameter.
    pub values: Vec<SweptValue>,
}

/// One value of a sweep, or several in a row.
#[derive(Clone, PartialEq, Debug)]
pub enum SweptValue {
    /// A single value such as `128 GB/s`.
    One(Constant),
    /// A range: `1..8`, or with `through` `1..=8`. The digits are kept as written.
    Range {
        /// The first integer of the range.
        first: Name,
        /// The end of the range.
        last: Name,
        /// Whether the range includes its end.
        through: bool,
    },
}

/// A parameter that `--set name=value` sets.
#[derive(Clone, PartialEq, Debug)]
pub struct GivenParameter {
    /// The name of the parameter.
    pub name: Name,
    /// The value as it was typed.
    pub text: Name,
    /// The value as a constant, if it can be read as one.
    pub value: Option<Constant>,
}
