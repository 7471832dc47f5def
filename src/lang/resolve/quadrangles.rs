//! Resolves `topology = ..` of families over generalized quadrangles.

use super::algebraic::{copies, nearest_on_both_sides};
use super::context::Context;
use super::families::{FamilyScope, MAX_PARAMETER, ResolvedFamily};
use super::settings::one_of;
use crate::syntax::ast::Block;
use crate::syntax::words::BlockKind as Fields;
use fabc_base::algebra::TitsPolarity;
use fabc_model::{Delorme, DesignSpace, Family, Quadrangle, QuadranglePairs};

impl FamilyScope<'_> {
    /// Resolves `delorme { q; copies; }` to a family and its links.
    pub(super) fn delorme(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Delorme);
        let links = self.links(context, &settings);
        let explicit = ["q", "copies"];
        if let Some(design) = self.goal_design(context, &settings, links, DesignSpace::Delorme, &explicit) {
            return design;
        }
        let (q, copies) = (self.order(context, &settings, "8"), copies(context, &settings, MAX_PARAMETER));
        let (q, copies) = (q?, copies?);
        if !TitsPolarity::exists(q) {
            let problem = format!("W(q) has a polarity where `q` is an odd power of 2, but {q} is not");
            let help = nearest_on_both_sides(q, TitsPolarity::exists);
            return self.no_such_network(context, problem, help, settings.span_or_head("q"));
        }
        let (wide, more) = (u128::from(q), u128::from(copies));
        let absolute = wide * wide + 1;
        let routers = (wide + 1) * absolute + more * absolute;
        let arithmetic = format!("({q} + 1 + {copies}) * ({q}^2 + 1)");
        self.check_size(context, Some(routers), &arithmetic, self.name.span)?;
        Some((Family::Delorme(Delorme { q, copies }), links?))
    }

    /// Resolves `quadrangle_pairs { quadrangle; q; copies; }` to a family and its links.
    pub(super) fn quadrangle_pairs(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::QuadranglePairs);
        let links = self.links(context, &settings);
        let explicit = ["quadrangle", "q", "copies"];
        let space = DesignSpace::QuadranglePairs;
        if let Some(design) = self.goal_design(context, &settings, links, space, &explicit) {
            return design;
        }
        let quadrangle: Option<Quadrangle> = settings
            .need(context, "quadrangle", "symplectic")
            .and_then(|value| one_of(context, "`quadrangle`", value));
        let (q, copies) = (self.order(context, &settings, "3"), copies(context, &settings, MAX_PARAMETER));
        let (quadrangle, q, copies) = (quadrangle?, q?, copies?);
        if !quadrangle.exists(q) {
            let parity = if quadrangle == Quadrangle::Hyperoval { "even" } else { "odd" };
            let problem =
                format!("a quadrangle `{}` needs an {parity} `q`, but {q} is not", quadrangle.name());
            let help = nearest_on_both_sides(q, |q| quadrangle.exists(q));
            return self.no_such_network(context, problem, help, settings.span_or_head("q"));
        }
        let sixth = u128::from(q).pow(6);
        self.check_size(context, Some(sixth), &format!("{q}^6 or more"), self.name.span)?;
        let pairs = QuadranglePairs { quadrangle, q, copies };
        let arithmetic = format!("`{}`:", Family::QuadranglePairs(pairs).written());
        self.check_size(context, Some(u128::from(pairs.count())), &arithmetic, self.name.span)?;
        Some((Family::QuadranglePairs(pairs), links?))
    }
}
