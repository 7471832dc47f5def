//! What must hold: `require metric >= value;`.

use super::build::Builder;
use super::grammar::{Rule, children};
use crate::syntax::ast::*;
use crate::syntax::errors::ParseError;
use fabc_base::diag::Spanned;
use fabc_model::REFERENCES;
use pest::iterators::Pair;

impl Builder {
    /// Builds a requirement from the parts behind the `require`.
    pub(super) fn require(&mut self, mut parts: std::vec::IntoIter<Pair<'_, Rule>>) -> Option<RequireItem> {
        let metric = self.name(&parts.next()?);
        let comparison = self.comparison(parts.next()?, &metric)?;
        let mut value = self.quantity(parts.next()?);
        let mut next = parts.next();
        let mut share = times_reference(&mut value);
        if let Some(written) = next.take_if(|pair| pair.as_rule() == Rule::share) {
            share = children(written)
                .next()
                .map(|name| RequiredShare { reference: self.name(&name), percent: true });
            next = parts.next();
        }
        let end = share.as_ref().map_or(value.span, |share| value.span.to(share.reference.span));
        self.semi(next, end);
        Some(RequireItem { metric, comparison, value, share })
    }

    pub(super) fn comparison(&mut self, pair: Pair<'_, Rule>, metric: &Name) -> Option<Name> {
        let pair = children(pair).next()?;
        let name = self.name(&pair);
        if pair.as_rule() == Rule::wrong_comparison {
            let help = match &*name.value {
                "=" => format!(
                    "`=` sets a value, but a require compares: write `require {} >= ..`, `<= ..`, or `== ..` for exactly",
                    metric.value
                ),
                "=<" | "≤" => "write `<=`".to_owned(),
                "=>" | "≥" => "write `>=`".to_owned(),
                _ => "a require states what must hold: write `<` or `>`".to_owned(),
            };
            self.errors.push(ParseError::WrongComparison {
                text: name.value.to_string(),
                help,
                span: name.span,
            });
        }
        Some(name)
    }
}

/// Splits the reference off a share such as `1.05 * bound`.
fn times_reference(value: &mut Quantity) -> Option<RequiredShare> {
    let ExprKind::Chain(first, rest) = &mut value.number.kind else { return None };
    let reference = match rest.last() {
        Some((Operator::Multiply, Expr { kind: ExprKind::Name(name), span }))
            if REFERENCES.contains(&&**name) && value.unit.is_none() =>
        {
            Spanned { value: name.clone(), span: *span }
        }
        _ => return None,
    };
    rest.pop();
    if rest.is_empty() {
        value.number = (**first).clone();
    }
    Some(RequiredShare { reference, percent: false })
}
