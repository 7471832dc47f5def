//! Resolves `topology = ..` of families over words, permutations and products of cyclic groups.

use super::context::Context;
use super::families::{FamilyScope, MAX_PARAMETER, ResolvedFamily};
use super::settings::{BlockSettings, integer, one_of_or, wrong_kind};
use crate::syntax::ast::{Block, ValueKind};
use crate::syntax::words::BlockKind as Fields;
use fabc_model::{Arcs, Cayley, DeBruijn, Family, StarGraph};

impl FamilyScope<'_> {
    /// Resolves `de_bruijn { degree; length; arcs; }` to a family and its links.
    pub(super) fn de_bruijn(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::DeBruijn);
        let links = self.links(context, &settings);
        let degree = settings.need_integer(context, "degree", "4", 2..=MAX_PARAMETER);
        let length = settings.need_integer(context, "length", "3", 2..=64);
        let arcs = one_of_or(context, &settings, "arcs", Arcs::default())?;
        let (degree, length) = (degree?, length?);
        let words = (degree as u128).checked_pow(length as u32);
        self.check_size(context, words, &format!("{degree}^{length}"), self.name.span)?;
        Some((Family::DeBruijn(DeBruijn { degree: degree as u32, length: length as u32, arcs }), links?))
    }

    /// Resolves `star_graph { symbols; }` to a family and its links.
    pub(super) fn star_graph(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::StarGraph);
        let links = self.links(context, &settings);
        let symbols = settings.need_integer(context, "symbols", "5", 3..=MAX_PARAMETER)?;
        let routers = (1..=symbols as u128).try_fold(1u128, u128::checked_mul);
        self.check_size(context, routers, &format!("{symbols}!"), self.name.span)?;
        Some((Family::StarGraph(StarGraph { symbols: symbols as u32 }), links?))
    }

    /// Resolves `cayley { m; n; r; generators; }` to a family and its links.
    pub(super) fn cayley(&self, context: &mut Context, block: &Block) -> ResolvedFamily {
        let settings = self.settings(context, Some(block), Fields::Cayley);
        let links = self.links(context, &settings);
        let mut order = |name: &'static str, example: &str| {
            let value = settings.need(context, name, example)?;
            integer(context, &format!("`{name}`"), value, 1..=MAX_PARAMETER)
        };
        let (m, n, r) = (order("m", "23"), order("n", "11"), order("r", "2"));
        let (m, n, r) = (m?, n?, r?);
        self.check_size(context, Some(m as u128 * n as u128), &format!("{m} * {n}"), self.name.span)?;
        if (0..n).fold(1 % m, |power, _| power * (r % m) % m) != 1 % m {
            let problem = format!("{r}^{n} must be 1 modulo {m}, so that {n} steps lead back");
            let help = "write `r = 1;` for the direct product of the two groups".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("r"));
        }
        let generators = self.generators(context, &settings, m * n)?;
        let cayley = Cayley { m: m as u32, n: n as u32, r: r as u32, generators };
        let reached: u64 = cayley.view().iter().sum();
        if reached != (m * n) as u64 {
            let problem = format!("products of the generators are {reached} of the {} elements", m * n);
            let help = "add a generator that is not among these".to_owned();
            return self.no_such_network(context, problem, help, settings.span_or_head("generators"));
        }
        Some((Family::Cayley(cayley), links?))
    }

    /// Reads the generators as numbers of elements, in ascending order.
    fn generators(
        &self,
        context: &mut Context,
        settings: &BlockSettings<'_>,
        elements: i64,
    ) -> Option<Vec<u32>> {
        let value = settings.need(context, "generators", "[143, 148, 218, 243]")?;
        let listed = match &value.kind {
            ValueKind::List(listed) if !listed.is_empty() => listed,
            _ => {
                let wanted = "a list of numbers of elements";
                context.error(wrong_kind("`generators`", wanted, "generators = [1, 23];", value.span));
                return None;
            }
        };
        let mut generators = Vec::new();
        for name in listed {
            match name.value.parse::<u32>() {
                Ok(number) if number > 0 && i64::from(number) < elements => generators.push(number),
                _ => {
                    let problem = format!(
                        "a generator is the number e m + i of an element, from 1 to {}, not {}",
                        elements - 1,
                        name.value
                    );
                    let help = "0 is the element that changes nothing".to_owned();
                    return self.no_such_network(context, problem, help, name.span);
                }
            }
        }
        generators.sort_unstable();
        generators.dedup();
        Some(generators)
    }
}
