//! Which of the two kinds a fabric is, a pod of cubes or a network of routers.

use super::context::Context;
use super::items::{Items, head};
use super::settings::word;
use crate::ResolveError;
use crate::forms::form;
use crate::syntax::ast::{Expr, ExprKind, Name, Quantity, Value, ValueKind};
use fabc_base::diag::Span;
use fabc_model::{
    Budget, Capacities, DeclaredCollective, Demand, Family, Floor, Plant, Require, Router, RoutingChoice,
    Simulation,
};

/// The first word of a topology.
pub(super) fn named(value: &Value) -> Option<Name> {
    match &value.kind {
        ValueKind::Dims(kind, ..) | ValueKind::Block(kind, _) | ValueKind::File(kind, ..) => {
            Some(kind.clone())
        }
        // `torus side`, which reads like a number with its unit.
        ValueKind::Quantity(Quantity { number: Expr { kind: ExprKind::Name(name), span }, .. }) => {
            Some(Name { value: name.clone(), span: *span })
        }
        ValueKind::Quantity(_)
        | ValueKind::Limit(..)
        | ValueKind::Steps(_)
        | ValueKind::List(_)
        | ValueKind::Router(_) => word(value),
    }
}

/// What a fabric is made of, and the item that says so.
#[derive(Clone, Copy)]
pub(super) struct PlantKind {
    pub(super) network: bool,
    pub(super) span: Span,
}

impl PlantKind {
    /// The kind of a fabric by its items; `None` if they contradict each other, which is reported.
    pub(super) fn of(context: &mut Context, items: &Items<'_>, fabric: Span) -> Option<Self> {
        let ocses = items.ocs.iter().map(|&(_, item)| (head(item, "ocs"), "`ocs`"));
        let chip = items.chip.map(|(_, span)| (span, "`chip`"));
        let cube = items.cube.map(|(_, span)| (span, "`cube`"));
        let cubes = items.settings.get("cubes").map(|setting| (setting.name.span, "`cubes`"));
        let topology = items.settings.get("topology").and_then(|setting| named(&setting.value));
        let network = topology.filter(|name| form(&Family::FORMS, &name.value).is_some());
        // A torus may be of either kind.
        let family = network.clone().filter(|name| &*name.value != "torus");
        let has_cubes = items.settings.contains_key("cubes") || !items.ocs.is_empty();
        let of_pod = ocses.chain(chip).chain(cube).chain(cubes).min();
        match (of_pod, items.router) {
            (Some((span, what)), Some((_, router))) => {
                let help = "a fabric has either `router`, or `chip`, `cube`, `cubes` and `ocs`: remove one of the two".to_owned();
                let error = match router < span {
                    true => PlantKind { network: true, span: router }.misfit(what.to_owned(), help, span),
                    false => PlantKind { network: false, span }.misfit("`router`".to_owned(), help, router),
                };
                context.error(error);
                None
            }
            (Some((span, "`chip`")), None) if items.cube.is_none() && !has_cubes && network.is_some() => {
                let help = "write `router` instead of `chip`; it has `hosts` as well, such as `hosts = 1;`"
                    .to_owned();
                let span_of_family = network.map_or(fabric, |name| name.span);
                context.error(PlantKind { network: true, span: span_of_family }.misfit(
                    "`chip`".to_owned(),
                    help,
                    span,
                ));
                None
            }
            (Some((span, _)), None) => Some(PlantKind { network: false, span }),
            (None, Some((_, span))) => Some(PlantKind { network: true, span }),
            // Only the topology can tell what is meant.
            (None, None) => {
                Some(PlantKind { network: family.is_some(), span: family.map_or(fabric, |name| name.span) })
            }
        }
    }

    /// What a router of it is called.
    pub(super) fn router(self) -> &'static str {
        if self.network { "router" } else { "chip" }
    }

    /// A fault that its budget may name.
    pub(super) fn fault(self) -> &'static str {
        if self.network { "1 link" } else { "1 ocs" }
    }

    /// The error of something that belongs to the other kind.
    pub(super) fn misfit(self, what: String, help: String, span: Span) -> ResolveError {
        let kinds = ["a pod of cubes", "a network of routers"];
        let (wanted, found) = (kinds[usize::from(!self.network)], kinds[usize::from(self.network)]);
        ResolveError::WrongPlant { what, wanted, found, help, span, other: self.span }
    }
}

/// What the two kinds of fabrics resolve each in its own way.
pub(super) struct Parts {
    pub(super) router: Router,
    pub(super) plant: Plant,
    pub(super) floor: Option<Floor>,
    pub(super) budget: Budget,
    pub(super) demand: Demand,
    pub(super) capacities: Capacities,
    pub(super) routing: (RoutingChoice, Span),
    pub(super) simulations: Vec<Simulation>,
    pub(super) collectives: Vec<DeclaredCollective>,
    pub(super) requires: Vec<Require>,
}
