//! Numbers and expressions, as they are written.

use fabc_base::diag::{Span, Spanned};

/// A name and its place in the source.
pub type Name = Spanned<Text>;

/// Owned text of a name, a path or a number.
pub type Text = std::sync::Arc<str>;

/// A number with its unit.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantity {
    /// The number, or a bare name.
    pub number: Expr,
    /// The unit of the number.
    pub unit: Option<Name>,
    /// The span of number and unit.
    pub span: Span,
}

/// An integer expression, a decimal number or a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// The kind of the expression.
    pub kind: ExprKind,
    /// The span of the expression.
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
    /// An expression of the form `-e`.
    Negate(Box<Expr>),
    /// `e + e - e` or `e * e / e`: one level of precedence, left to right.
    Chain(Box<Expr>, Vec<(Operator, Expr)>),
    /// An expression of the form `(e)`.
    Paren(Box<Expr>),
}

/// An arithmetic operator of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// The operator that is written `+`.
    Add,
    /// The operator that is written `-`.
    Subtract,
    /// The operator that is written `*`.
    Multiply,
    /// The operator that is written `/`, rounding towards zero.
    Divide,
    /// The operator that is written `%`, with the sign of the left side.
    Remainder,
}

impl Operator {
    /// The operator as it is written.
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
