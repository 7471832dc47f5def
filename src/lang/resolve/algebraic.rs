//! Resolves `topology = ..` of families over finite fields.

use super::context::Context;
use super::families::{FamilyScope, MAX_PARAMETER, ResolvedFamily};
use super::settings::{BlockSettings, integer, one_of};
use crate::syntax::ast::Block;
use crate::syntax::words::BlockKind as Fields;
use fabc_base::algebra::{ProjectivePlane, is_paley_order, is_prime, prime_power};
use fabc_model::{
    Bundlefly, DesignSpace, Family, PolarFly, PolarStar, SlimFly, SpectralFly, Supernode, slim_fly_degree,
};

/// The largest order of a field that is considered. It exceeds that of any network of the largest size, and
/// its square fits in 32 bits.
const MAX_ORDER: i64 = MAX_PARAMETER - 1;

impl FamilyScope<'_> {
    /// Resolves `polarstar { q; supernode; degree; }` to a family and its links.
    pub(super) fn polarstar(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Polarstar);
        let links = self.links(context, &settings);
        if let Some(design) =
            self.goal_design(context, &settings, links, DesignSpace::PolarStar, &["q", "supernode", "degree"])
        {
            return design;
        }
        let q = self.order(context, &settings, "11");
        let supernode =
            settings.need(context, "supernode", "iq").and_then(|value| one_of(context, "`supernode`", value));
        let degree = settings.need_integer(context, "degree", "3", 0..=MAX_ORDER);
        let star = PolarStar { q: q?, supernode: supernode?, degree: degree? as u32 };
        let (points, size) = (ProjectivePlane::count(star.q), star.supernode_size());
        self.check_size(
            context,
            Some(u128::from(points) * u128::from(size)),
            &format!("{points} supernodes of {size}"),
            self.name.span,
        )?;
        if !star.has_supernode() {
            let (degree, near) =
                (star.degree, nearest(star.degree, |degree| PolarStar { degree, ..star }.has_supernode()));
            let problem = match star.supernode {
                Supernode::Paley => {
                    format!(
                        "a Paley graph has a prime power of routers that is 1 modulo 4, but 2 * {degree} + 1 = {size} is not one"
                    )
                }
                _ => format!("an inductive quad has a degree that is 0 or 3 modulo 4, not {degree}"),
            };
            return self.no_such_network(
                context,
                problem,
                format!("write `degree = {near};`"),
                settings.span_or_head("degree"),
            );
        }
        Some((Family::PolarStar(star), links?))
    }

    /// Resolves `polarfly { q; }` to a family and its links.
    pub(super) fn polarfly(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Polarfly);
        let links = self.links(context, &settings);
        if let Some(design) =
            self.goal_design(context, &settings, links, DesignSpace::PolarFly, &["q", "copies"])
        {
            return design;
        }
        let (q, copies) = (self.order(context, &settings, "13"), copies(context, &settings, 1));
        let (q, copies) = (q?, copies?);
        if copies > 0 && !q.is_multiple_of(2) {
            let problem = format!("quadrics have a common neighbor where `q` is even, but {q} is odd");
            let help = "remove `copies`, or write a power of 2".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("copies"));
        }
        self.check_size(
            context,
            Some(u128::from(ProjectivePlane::count(q)) + u128::from(copies)),
            &format!("{q}^2 + {q} + 1"),
            self.name.span,
        )?;
        Some((Family::PolarFly(PolarFly { q, copies }), links?))
    }

    /// Resolves `slim_fly { q; }` to a family and its links.
    pub(super) fn slim_fly(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::SlimFly);
        let links = self.links(context, &settings);
        if let Some(design) = self.goal_design(context, &settings, links, DesignSpace::SlimFly, &["q"]) {
            return design;
        }
        let q = self.slim_order(context, &settings)?;
        self.check_size(
            context,
            Some(2 * u128::from(q) * u128::from(q)),
            &format!("2 * {q}^2"),
            self.name.span,
        )?;
        Some((Family::SlimFly(SlimFly { q }), links?))
    }

    /// Resolves `bundlefly { q; p; }` to a family and its links.
    pub(super) fn bundlefly(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Bundlefly);
        let links = self.links(context, &settings);
        if let Some(design) = self.goal_design(context, &settings, links, DesignSpace::Bundlefly, &["q", "p"])
        {
            return design;
        }
        let q = self.slim_order(context, &settings);
        let p = settings.need_integer(context, "p", "9", 2..=MAX_ORDER);
        let (q, p) = (q?, p? as u32);
        self.check_size(
            context,
            Some(2 * u128::from(q) * u128::from(q) * u128::from(p)),
            &format!("2 * {q}^2 * {p}"),
            self.name.span,
        )?;
        if !is_paley_order(p) {
            let problem =
                format!("a Paley graph has a prime power of routers that is 1 modulo 4, but {p} is not one");
            let help = format!("write `p = {};`", nearest(p, is_paley_order));
            return self.no_such_network(context, problem, help, settings.span_or_head("p"));
        }
        Some((Family::Bundlefly(Bundlefly { q, p }), links?))
    }

    /// Resolves `spectralfly { rho; q; }` to a family and its links.
    pub(super) fn spectralfly(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Spectralfly);
        let links = self.links(context, &settings);
        let mut prime = |name: &'static str, example: &str| {
            let value = settings.need(context, name, example)?;
            let number = integer(context, &format!("`{name}`"), value, 2..=MAX_ORDER)? as u32;
            let odd = |number| number > 2 && is_prime(number);
            if !odd(number) {
                let problem = format!("`{name}` must be an odd prime, but {number} is not one");
                let help = format!("write `{name} = {};`", nearest(number, odd));
                return self.no_such_network(context, problem, help, settings.span_or_head(name));
            }
            Some(number)
        };
        let (rho, q) = (prime("rho", "23"), prime("q", "13"));
        let (rho, q) = (rho?, q?);
        let (wide, cubed) = (u128::from(rho), u128::from(q).pow(3) - u128::from(q));
        let fits = |q: u32| u128::from(q) * u128::from(q) > 4 * wide && q != rho && is_prime(q);
        let smallest_q = || (3..).find(|&q| fits(q)).unwrap_or(q);
        if rho == q {
            return self.no_such_network(
                context,
                format!("`rho` and `q` are the same prime, {q}"),
                format!(
                    "`q` is another odd prime, larger than 2 sqrt(rho): the least one is `q = {};`",
                    smallest_q()
                ),
                settings.span_or_head("q"),
            );
        }
        if !fits(q) {
            let problem = format!(
                "`q` must be larger than 2 sqrt(rho), and {q}^2 = {} is at most 4 * {rho} = {}",
                q * q,
                4 * rho
            );
            return self.no_such_network(
                context,
                problem,
                format!("write at least `q = {};`", smallest_q()),
                settings.span_or_head("q"),
            );
        }
        self.check_size(context, Some(cubed / 2), &format!("({q}^3 - {q}) / 2 or more"), self.name.span)?;
        let family = Family::SpectralFly(SpectralFly { rho, q });
        self.check_size(
            context,
            Some(family.router_count() as u128),
            &format!("{q}^3 - {q}"),
            self.name.span,
        )?;
        Some((family, links?))
    }

    /// Reads `q` of a family that needs a field.
    pub(super) fn order(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        example: &str,
    ) -> Option<u32> {
        let value = settings.need(context, "q", example)?;
        let q = integer(context, "`q`", value, 0..=MAX_ORDER)? as u32;
        if prime_power(q).is_none() {
            let problem = format!("`q` must be a prime power, the order of a field, but {q} is not one");
            let help = nearest_on_both_sides(q, |q| prime_power(q).is_some());
            return self.no_such_network(context, problem, help, settings.span_or_head("q"));
        }
        Some(q)
    }

    /// Reads `q` of a slim fly.
    fn slim_order(&self, context: &mut Context, settings: &BlockSettings<'_>) -> Option<u32> {
        let q = self.order(context, settings, "7")?;
        if slim_fly_degree(q).is_none() {
            let problem = format!("a slim fly needs a `q` that is not 2 modulo 4, but {q} is");
            let help = nearest_on_both_sides(q, |q| slim_fly_degree(q).is_some());
            return self.no_such_network(context, problem, help, settings.span_or_head("q"));
        }
        Some(q)
    }
}

/// The nearest number that fits. Of two equally near ones, the lower one.
fn nearest(number: u32, fits: impl Fn(u32) -> bool) -> u32 {
    let candidates = |by: u32| [number.checked_sub(by), number.checked_add(by)].into_iter().flatten();
    (0..).flat_map(candidates).find(|&near| fits(near)).unwrap_or(number)
}

/// The fitting numbers below and above, such as `the next ones are 9 and 11`.
pub(super) fn nearest_on_both_sides(number: u32, fits: impl Fn(u32) -> bool) -> String {
    let below = (2..number).rev().find(|&near| fits(near));
    let above = (number.max(1) + 1..).find(|&near| fits(near));
    match (below, above) {
        (Some(below), Some(above)) => format!("the next ones are {below} and {above}"),
        (_, above) => format!("the next one is {}", above.unwrap_or(number)),
    }
}

/// Reads `copies`, 0 by default.
pub(super) fn copies(context: &mut Context, settings: &BlockSettings<'_>, most: i64) -> Option<u32> {
    match settings.get("copies") {
        Some(value) => integer(context, "`copies`", value, 0..=most).map(|copies| copies as u32),
        None => Some(0),
    }
}
