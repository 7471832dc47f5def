//! Builds numbers and expressions.

use super::build::Builder;
use super::grammar::{Rule, children};
use crate::syntax::ast::*;
use fabc_base::diag::Span;
use pest::iterators::Pair;

impl Builder {
    /// Builds a number, and its unit if it has one.
    pub(super) fn quantity(&mut self, pair: Pair<'_, Rule>) -> Quantity {
        let span = self.span(&pair);
        let mut parts = children(pair);
        let number = match parts.next() {
            Some(number) => self.expr(number),
            None => Expr { kind: ExprKind::Integer("0".into()), span },
        };
        Quantity { number, unit: parts.next().map(|unit| self.name(&unit)), span }
    }

    /// Builds an expression from any of its rules.
    pub(super) fn expr(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let digits = || pair.as_str().into();
        match pair.as_rule() {
            Rule::integer => return Expr { kind: ExprKind::Integer(digits()), span },
            Rule::decimal => return Expr { kind: ExprKind::Decimal(digits()), span },
            Rule::name | Rule::dims_name => return Expr { kind: ExprKind::Name(pair.as_str().into()), span },
            _ => {}
        }
        let is_paren = pair.as_rule() == Rule::paren;
        let mut parts = children(pair).peekable();
        let mut negations = Vec::new();
        while let Some(sign) = parts.next_if(|part| part.as_rule() == Rule::negate) {
            negations.push(self.span(&sign).start);
        }
        let Some(first) = parts.next() else { return Expr { kind: ExprKind::Integer("0".into()), span } };
        let mut first = self.expr(first);
        // An even number of minus signs is kept as two, so that the tree stays flat.
        let skip = negations.len().saturating_sub(2 - negations.len() % 2);
        for &start in negations[skip..].iter().rev() {
            let span = Span { start, end: first.span.end };
            first = Expr { kind: ExprKind::Negate(Box::new(first)), span };
        }
        if is_paren {
            return Expr { kind: ExprKind::Paren(Box::new(first)), span };
        }
        let mut rest = Vec::new();
        while let (Some(operator), Some(operand)) = (parts.next(), parts.next()) {
            let operator = match operator.as_str().trim_end() {
                "+" => Operator::Add,
                "-" => Operator::Subtract,
                "*" => Operator::Multiply,
                "/" => Operator::Divide,
                _ => Operator::Remainder,
            };
            rest.push((operator, self.expr(operand)));
        }
        if rest.is_empty() { first } else { Expr { kind: ExprKind::Chain(Box::new(first), rest), span } }
    }
}
