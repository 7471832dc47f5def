//! Numbers and expressions, as they are written.

use fabc_base::diag::{Span, Spanned};

/// A name and the place it was written at.
pub type Name = Spanned<Text>;

/// Owned text of a name, a path or a number.
pub type Text = std::sync::Arc<str>;

/// A number with its unit.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantity {
    /// The number, or a bare name.
    pub number: Expr,
    /// The unit.
    pub unit: Option<Name>,
    /// Both.
    pub span: Span,
}

/// An integer expression, a decimal number or a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The kinds of expressions. Chains are flat, so that depth is bounded by brackets alone.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// Digits as written, with any `_`.
    Integer(Text),
    /// Digits with one `.` as written, with any `_`.
    Decimal(Text),
    /// A constant, an index or a choice.
    Name(Text),
    /// `-e`
    Negate(Box<Expr>),
    /// `e + e - e` or `e * e / e`: one level of precedence, left to right.
    Chain(Box<Expr>, Vec<(Operator, Expr)>),
    /// `(e)`
    Paren(Box<Expr>),
}

/// An operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, rounding towards zero
    Divide,
    /// `%`, with the sign of the left side
    Remainder,
}

impl Operator {
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
        }
    }
}
