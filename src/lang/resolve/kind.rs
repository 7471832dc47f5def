//! Decides whether a fabric is a pod of cubes or a network of routers.

use super::context::Context;
use super::items::{SpecItems, keyword_span};
use super::settings::word;
use crate::ResolveError;
use crate::forms::written_form;
use crate::syntax::ast::{Expr, ExprKind, Name, Quantity, SettingValue, ValueKind};
use fabc_base::diag::Span;
use fabc_model::{
    Addresses, Budget, Capacities, DeclaredCollective, Demand, Family, Floor, Job, Plant, Require, Router,
    RoutingChoice, Simulation,
};

/// Returns the first word of a topology.
pub(super) fn topology_name(value: &SettingValue) -> Option<Name> {
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
        | ValueKind::Product(_)
        | ValueKind::Prefix(_)
        | ValueKind::List(_)
        | ValueKind::Router(_) => word(value),
    }
}

/// Whether a fabric is a network or a pod, and the item that says so.
#[derive(Clone, Copy)]
pub(super) struct PlantKind {
    pub(super) is_network: bool,
    pub(super) span: Span,
}

impl PlantKind {
    /// Infers the kind of a fabric from its items. Returns `None` if they contradict each other, which is
    /// reported.
    pub(super) fn infer(context: &mut Context, items: &SpecItems<'_>, fabric: Span) -> Option<Self> {
        let ocses = items.ocs.iter().map(|&(_, item)| (keyword_span(item, "ocs"), "`ocs`"));
        let chip = items.chip.map(|(_, span)| (span, "`chip`"));
        let cube = items.cube.map(|(_, span)| (span, "`cube`"));
        let cubes = items.settings.get("cubes").map(|setting| (setting.name.span, "`cubes`"));
        let topology = items.settings.get("topology").and_then(|setting| topology_name(&setting.value));
        let network_family = topology.filter(|name| written_form(&Family::FORMS, &name.value).is_some());
        // Pods and networks both have a torus.
        let family = network_family.clone().filter(|name| &*name.value != "torus");
        let has_cubes = items.settings.contains_key("cubes") || !items.ocs.is_empty();
        let pod_item = ocses.chain(chip).chain(cube).chain(cubes).min();
        let boxes = items.placed.first().map(|&(_, item)| keyword_span(item, "boxes"));
        let kind = items.router_kinds.first().map(|&(_, _, item)| keyword_span(item, "router"));
        let named = boxes.or(items.boxes.first().map(|&(_, _, item)| keyword_span(item, "box"))).or(kind);
        if let (Some(span), Some((pod_span, subject)), None) = (named, pod_item, items.router) {
            let help = "a fabric has either boxes and routers, or `chip`, `cube`, `cubes` and `ocs`: remove one of the two";
            context.error(PlantKind { is_network: true, span }.misfit(
                subject.to_owned(),
                help.to_owned(),
                pod_span,
            ));
            return None;
        }
        match (pod_item, items.router) {
            (Some((span, subject)), Some((_, router))) => {
                let help = "a fabric has either `router`, or `chip`, `cube`, `cubes` and `ocs`: remove one of the two".to_owned();
                let error = match router < span {
                    true => {
                        PlantKind { is_network: true, span: router }.misfit(subject.to_owned(), help, span)
                    }
                    false => {
                        PlantKind { is_network: false, span }.misfit("`router`".to_owned(), help, router)
                    }
                };
                context.error(error);
                None
            }
            (Some((span, "`chip`")), None)
                if items.cube.is_none() && !has_cubes && network_family.is_some() =>
            {
                let help = "write `router` instead of `chip`. It has `hosts` as well, such as `hosts = 1;`"
                    .to_owned();
                let span_of_family = network_family.map_or(fabric, |name| name.span);
                context.error(PlantKind { is_network: true, span: span_of_family }.misfit(
                    "`chip`".to_owned(),
                    help,
                    span,
                ));
                None
            }
            (Some((span, _)), None) => Some(PlantKind { is_network: false, span }),
            (None, Some((_, span))) => Some(PlantKind { is_network: true, span }),
            (None, None) if named.is_some() => {
                Some(PlantKind { is_network: true, span: named.unwrap_or(fabric) })
            }
            // Only the topology can tell which kind is meant.
            (None, None) => Some(PlantKind {
                is_network: family.is_some(),
                span: family.map_or(fabric, |name| name.span),
            }),
        }
    }

    /// The word for a router of this kind.
    pub(super) fn router_word(self) -> &'static str {
        if self.is_network { "router" } else { "chip" }
    }

    /// An example of a fault that a budget of this kind may name.
    pub(super) fn example_fault(self) -> &'static str {
        if self.is_network { "1 link" } else { "1 ocs" }
    }

    /// The error of an item that belongs to the other kind.
    pub(super) fn misfit(self, subject: String, help: String, span: Span) -> ResolveError {
        let kinds = ["a pod of cubes", "a network of routers"];
        let (wanted, plant) = (kinds[usize::from(!self.is_network)], kinds[usize::from(self.is_network)]);
        ResolveError::WrongPlant { subject, wanted, plant, help, span, other: self.span }
    }
}

/// The parts that pods and networks resolve in different ways.
pub(super) struct PlantParts {
    pub(super) router: Router,
    pub(super) plant: Plant,
    pub(super) floor: Option<Floor>,
    pub(super) budget: Budget,
    pub(super) demand: Demand,
    pub(super) capacities: Capacities,
    pub(super) routing: (RoutingChoice, Span),
    pub(super) relays: u32,
    pub(super) simulations: Vec<Simulation>,
    pub(super) collectives: Vec<DeclaredCollective>,
    pub(super) jobs: Vec<Job>,
    pub(super) searched_for: Vec<usize>,
    pub(super) requires: Vec<Require>,
    pub(super) addresses: Option<Addresses>,
}
