//! Syntax to meaning.
//!
//! Comes in: a parsed spec. Goes out: a [`Fabric`], or every error that can be told apart, in source order. Invariants: no check stops
//! the others; a check whose inputs are broken stays silent, so that one slip is one error; the order of items never matters.

mod choices;
mod demand;
mod families;
mod graph;
mod hardware;
mod network;
mod ocs;
mod requires;
mod settings;
mod synthesis;
mod wiring;

use super::errors::{ResolveError, list, suggestion};
use super::*;
use crate::diag::Span;
use crate::ids::{Id, LinkTypeId};
use crate::limits::NAME_LETTERS;
use crate::syntax::ast::{self, ItemKind, Name};
use crate::syntax::{Constants, EvalError, Loader};
use std::collections::BTreeMap;

/// Resolves names, units and defaults, and checks that the wiring can exist.
///
/// # Errors
/// Every error of the spec, in source order.
pub fn resolve(spec: &ast::Spec, loader: &dyn Loader) -> Result<Fabric, Vec<ResolveError>> {
    let constants = Constants::of(spec);
    let mut context = Context { errors: Vec::new(), constants };
    let fabric = fabric(&mut context, spec, loader);
    context.report_constants();
    context.errors.sort_by_cached_key(ResolveError::span);
    match fabric {
        Some(fabric) if context.errors.is_empty() => Ok(fabric),
        _ => Err(context.errors),
    }
}

/// After so many errors names are not explained any more.
const ENOUGH: usize = 200;

/// What every part of the resolution needs.
struct Context {
    errors: Vec<ResolveError>,
    constants: Constants,
}

impl Context {
    /// Whether so many errors were found that more would say nothing; some of them take long to explain.
    fn enough(&self) -> bool {
        self.errors.len() >= ENOUGH
    }

    fn error(&mut self, error: ResolveError) {
        self.errors.push(error);
    }

    /// The value of an integer expression; `None` if it was reported, here or at a `let`.
    fn eval(&mut self, expr: &ast::Expr, indices: &[(ast::Text, i64)]) -> Option<i64> {
        let error = match self.constants.eval(expr, indices) {
            Ok(value) => return Some(value),
            Err(_) if self.enough() => return None,
            Err(error) => error,
        };
        let indices = indices.iter().map(|(name, _)| &**name);
        let error = eval_error(&error, self.constants.names().chain(indices));
        self.errors.extend(error);
        None
    }

    fn report_constants(&mut self) {
        let errors = self.constants.errors().take(ENOUGH);
        let errors: Vec<_> = errors.filter_map(|error| eval_error(error, self.constants.names())).collect();
        self.errors.extend(errors);
    }

    fn duplicate(&mut self, what: String, help: &'static str, span: Span, first: Span) {
        let (first, span) = (first.min(span), first.max(span));
        self.error(ResolveError::Duplicate { what, help, span, first });
    }
}

fn eval_error<'a>(error: &EvalError, known: impl Iterator<Item = &'a str>) -> Option<ResolveError> {
    Some(match error {
        EvalError::Broken => return None,
        EvalError::UnknownName(name, span) => ResolveError::UnknownName {
            what: "constant",
            name: name.to_string(),
            help: suggestion(name, known).or(Some(format!("add `let {name} = ..;`, or write the number"))),
            span: *span,
        },
        EvalError::TooLarge(span) => ResolveError::OutOfRange {
            what: "an integer".to_owned(),
            wanted: "less than 2^63".to_owned(),
            help: None,
            span: *span,
            found: "too large".to_owned(),
        },
        EvalError::DivisionByZero(span) => ResolveError::OutOfRange {
            what: "a divisor".to_owned(),
            wanted: "other than zero".to_owned(),
            help: None,
            span: *span,
            found: "this is 0".to_owned(),
        },
        EvalError::NotAnInteger(span) => ResolveError::WrongKind {
            what: "an expression".to_owned(),
            wanted: "integers".to_owned(),
            help: "a decimal number must stand alone, before its unit".to_owned(),
            span: *span,
        },
        EvalError::Circular(name, span) => ResolveError::CircularConstant { name: name.to_string(), span: *span },
    })
}

/// The items of a spec by kind; of what may stand only once, the first.
#[derive(Default)]
struct Items<'a> {
    settings: BTreeMap<&'static str, &'a ast::Setting>,
    links: Vec<(&'a Name, &'a ast::Block, Span)>,
    router: Option<(&'a ast::Block, Span)>,
    chip: Option<(&'a ast::Block, Span)>,
    cube: Option<(&'a ast::Block, Span)>,
    ocs: Vec<(&'a ast::OcsItem, Span)>,
    budget: Option<(&'a ast::Block, Span)>,
    demand: Option<(&'a ast::Block, Span)>,
    requires: Vec<(&'a ast::RequireItem, Span)>,
}

const SETTINGS: [&str; 5] = ["clock", "cubes", "demand", "routing", "topology"];
const ITEMS: [&str; 10] = ["budget", "chip", "cube", "demand", "link", "ocs", "require", "router", "use", "let"];

fn sort_items<'a>(context: &mut Context, spec: &'a ast::Spec) -> Items<'a> {
    let mut items = Items::default();
    let mut lets: BTreeMap<&str, Span> = BTreeMap::new();
    for item in spec.items() {
        match &item.kind {
            ItemKind::Use(_) => {}
            ItemKind::Let(constant) => {
                let name = &constant.name;
                if let Some(first) = lets.insert(&name.value, name.span) {
                    context.duplicate(format!("the constant `{}`", name.value), "a constant has one value", name.span, first);
                }
            }
            ItemKind::Setting(setting) => match SETTINGS.iter().find(|known| **known == &*setting.name.value) {
                Some(&known) => {
                    if let Some(first) = items.settings.get(known) {
                        let first = first.name.span;
                        context.duplicate(format!("`{known}`"), "a fabric has exactly one; remove the other", setting.name.span, first);
                    } else {
                        items.settings.insert(known, setting);
                    }
                }
                None if context.enough() => {}
                None => context.error(ResolveError::Misplaced {
                    what: format!("`{}`", setting.name.value),
                    place: "a fabric".to_owned(),
                    help: suggestion(&setting.name.value, SETTINGS),
                    span: setting.name.span,
                }),
            },
            ItemKind::Link(name, block) => items.links.push((name, block, item.span)),
            ItemKind::Router(block) => once(context, &mut items.router, "router", block, item.span),
            ItemKind::Chip(block) => once(context, &mut items.chip, "chip", block, item.span),
            ItemKind::Cube(block) => once(context, &mut items.cube, "cube", block, item.span),
            ItemKind::Budget(block) => once(context, &mut items.budget, "budget", block, item.span),
            ItemKind::Demand(block) => once(context, &mut items.demand, "demand", block, item.span),
            ItemKind::Ocs(ocs) => items.ocs.push((ocs, item.span)),
            ItemKind::Require(require) => items.requires.push((require, item.span)),
            ItemKind::Unknown(..) if context.enough() => {}
            ItemKind::Unknown(keyword, ..) => context.error(unknown_item(keyword)),
        }
    }
    items.links.sort_by_key(|(name, _, span)| (name.value.clone(), *span));
    items.ocs.sort_by_key(|(ocs, span)| (ocs.name.value.clone(), *span));
    items
}

fn once<'a>(context: &mut Context, place: &mut Option<(&'a ast::Block, Span)>, keyword: &'static str, block: &'a ast::Block, item: Span) {
    let span = head(item, keyword);
    match place {
        Some((_, first)) => {
            let first = *first;
            context.duplicate(format!("`{keyword}`"), "a fabric has exactly one; remove the other", span, first);
        }
        None => *place = Some((block, span)),
    }
}

/// The first word of an item.
fn head(item: Span, keyword: &str) -> Span {
    Span { start: item.start, end: item.start + keyword.len() as u32 }
}

fn unknown_item(keyword: &Name) -> ResolveError {
    let what = format!("`{} {{ .. }}`", keyword.value);
    let help = match &*keyword.value {
        "link" | "ocs" => {
            let (place, example) = (format!("this `{}`", keyword.value), format!("{} name {{ .. }}", keyword.value));
            return missing(&place, "its name", &example, keyword.span);
        }
        "router" | "chip" | "cube" | "budget" | "demand" => Some(format!("`{}` has no name: a fabric has only one", keyword.value)),
        name => suggestion(name, ITEMS),
    };
    ResolveError::Misplaced { what, place: "a fabric".to_owned(), help, span: keyword.span }
}

/// What a fabric is made of, and the item that says so.
#[derive(Clone, Copy)]
struct Kind {
    network: bool,
    span: Span,
}

impl Kind {
    /// The kind of a fabric by its items; `None` if they contradict each other, which is reported.
    fn of(context: &mut Context, items: &Items<'_>, fabric: Span) -> Option<Self> {
        let ocses = items.ocs.iter().map(|&(_, item)| (head(item, "ocs"), "`ocs`"));
        let chip = items.chip.map(|(_, span)| (span, "`chip`"));
        let cube = items.cube.map(|(_, span)| (span, "`cube`"));
        let cubes = items.settings.get("cubes").map(|setting| (setting.name.span, "`cubes`"));
        let of_pod = ocses.chain(chip).chain(cube).chain(cubes).min();
        match (of_pod, items.router) {
            (Some((span, what)), Some((_, router))) => {
                let help = "a fabric has either `router`, or `chip`, `cube`, `cubes` and `ocs`: remove one of the two".to_owned();
                let error = match router < span {
                    true => Kind { network: true, span: router }.misfit(what.to_owned(), help, span),
                    false => Kind { network: false, span }.misfit("`router`".to_owned(), help, router),
                };
                context.error(error);
                None
            }
            (Some((span, _)), None) => Some(Kind { network: false, span }),
            (None, Some((_, span))) => Some(Kind { network: true, span }),
            // Only the topology can tell what is meant.
            (None, None) => {
                let family = items.settings.get("topology").and_then(|setting| families::named(&setting.value));
                let network = family.filter(|name| families::FAMILIES.contains(&&*name.value) && &*name.value != "torus");
                Some(Kind { network: network.is_some(), span: network.map_or(fabric, |name| name.span) })
            }
        }
    }

    /// What a router of it is called.
    fn router(self) -> &'static str {
        if self.network { "router" } else { "chip" }
    }

    /// A fault that its budget may name.
    fn fault(self) -> &'static str {
        if self.network { "1 link" } else { "1 ocs" }
    }

    /// The error of something that belongs to the other kind.
    fn misfit(self, what: String, help: String, span: Span) -> ResolveError {
        let kinds = ["a pod of cubes", "a network of routers"];
        let (wanted, found) = (kinds[usize::from(!self.network)], kinds[usize::from(self.network)]);
        ResolveError::WrongPlant { what, wanted, found, help, span, other: self.span }
    }
}

/// What all items of a fabric are resolved against.
struct Site<'a> {
    /// `fabric name`.
    head: Span,
    clock: Option<u64>,
    links: &'a Links,
    spec_path: &'a str,
    loader: &'a dyn Loader,
}

/// What the two kinds of fabrics resolve each in its own way.
struct Parts {
    router: Router,
    plant: Plant,
    budget: Budget,
    demand: Demand,
    capacities: Capacities,
    routing: (RoutingChoice, Span),
    requires: Vec<Require>,
}

/// Resolves one part after the other; `None` only if errors were reported.
fn fabric(context: &mut Context, spec: &ast::Spec, loader: &dyn Loader) -> Option<Fabric> {
    let fabric = spec.fabric();
    short_name(context, "the name of a fabric", &fabric.name);
    let items = sort_items(context, spec);

    let clock = hardware::clock(context, &items, fabric.head);
    let links = hardware::links(context, &items, clock);
    if items.links.is_empty() {
        let example = "link copper { bandwidth = 128 GB/s; latency = 50 cycles; }";
        context.error(missing("the fabric", "a `link`", example, fabric.head));
    }
    let site = Site { head: fabric.head, clock, links: &links, spec_path: &spec.files[0].path, loader };
    let kind = Kind::of(context, &items, fabric.head)?;
    let parts = if kind.network { network::network(context, &items, &site, kind) } else { pod(context, &items, &site, kind) };
    let Parts { router, plant, budget, demand, capacities, routing: (routing, routing_span), requires } = parts?;
    Some(Fabric {
        name: fabric.name.value.to_string(),
        clock_hz: clock?,
        link_types: links.types.into_iter().collect::<Option<Vec<_>>>()?.into(),
        capacities,
        router,
        plant,
        budget,
        demand,
        routing,
        routing_span,
        requires,
        span: fabric.head,
    })
}

/// A pod: chip, cubes and switches.
fn pod(context: &mut Context, items: &Items<'_>, site: &Site<'_>, kind: Kind) -> Option<Parts> {
    let chip = hardware::router(context, items, site, kind);
    let cube = hardware::cube(context, items, site.head, site.links);
    let cubes = hardware::cubes(context, items, site.head, cube.as_ref());
    let switches = ocs::switches(context, items, site.links, cube.as_ref(), cubes);
    let budget = choices::budget(context, items, site, kind, chip.as_ref());
    let chips = |cube: &Cube| cube.dims.iter().map(|&side| u64::from(side)).product();
    let senders = cube.as_ref().zip(cubes).map(|(cube, (cubes, _))| demand::Senders::of_pod(chips(cube), u64::from(cubes)));
    let demand = demand::demand(context, items, senders.as_ref(), site);
    let face_ports = switches.iter().flat_map(|(_, ocses)| ocses.iter()).map(|ocs| ocs.a.len() + ocs.b.len()).sum();
    let topology = choices::topology(context, items, site, kind, face_ports);
    let routing = choices::routing(context, items, site, kind);
    let requires = requires::requires(context, items, budget.as_ref(), kind);
    wiring::check(
        context,
        &wiring::Parts {
            chip: chip.as_ref(),
            cube: cube.as_ref(),
            cubes,
            any_ocs: !items.ocs.is_empty(),
            ocses: switches.as_ref().map(|(_, ocses)| ocses),
            topology: topology.as_ref(),
            routing,
        },
    );
    let used = cube.as_ref().zip(switches.as_ref()).map(|(cube, (_, ocses))| {
        let mesh = cube.dims.iter().any(|&side| side > 1).then_some(cube.mesh);
        let used: Vec<LinkTypeId> = mesh.into_iter().chain(ocses.iter().map(|ocs| ocs.link)).collect();
        // A single chip has no links.
        if used.is_empty() { vec![cube.mesh] } else { used }
    });
    let capacities = used.map(|used| {
        if let Some((TopologyChoice::Synthesize(search), span)) = &topology {
            wiring::like_links(context, site.links, &used, search.method, *span);
        }
        wiring::capacities(context, site.links, &used)
    });
    let (cubes, cubes_span) = cubes?;
    let (topology, topology_span) = topology?;
    let (ocs_groups, ocses) = switches?;
    let plant = Plant::Pod(Pod { cube: cube?, cubes, cubes_span, ocs_groups, ocses, topology, topology_span });
    Some(Parts { router: chip?, plant, budget: budget?, demand: demand?, capacities: capacities??, routing: routing?, requires })
}

/// The links as declared: sorted by name, `None` where the declaration is broken.
struct Links {
    names: Vec<ast::Text>,
    types: Vec<Option<LinkType>>,
}

impl Links {
    /// The link that an `over` names.
    fn find(&self, context: &mut Context, place: &str, over: Option<&Name>, statement: Span) -> Option<LinkTypeId> {
        let names = || self.names.iter().map(|name| &**name);
        let Some(over) = over else {
            let example = format!("over {}", names().next().unwrap_or("fiber"));
            context.error(missing(place, "its link", &example, statement));
            return None;
        };
        if let Ok(index) = self.names.binary_search(&over.value) {
            return Some(LinkTypeId::new(index));
        }
        if context.enough() {
            return None;
        }
        let help = suggestion(&over.value, names());
        context.error(ResolveError::UnknownName { what: "link", name: over.value.to_string(), help, span: over.span });
        None
    }
}

fn missing(place: &str, what: &str, example: &str, span: Span) -> ResolveError {
    ResolveError::Missing { place: place.to_owned(), what: what.to_owned(), example: example.to_owned(), span }
}

/// Complains about a name that is too long to name a file after it.
fn short_name(context: &mut Context, what: &str, name: &Name) {
    let letters = name.value.chars().count();
    if letters > NAME_LETTERS {
        context.error(ResolveError::OutOfRange {
            what: what.to_owned(),
            wanted: format!("at most {NAME_LETTERS} letters long"),
            help: Some("files are named after it".to_owned()),
            span: name.span,
            found: format!("this has {letters}"),
        });
    }
}

/// An error for a name that is not among the choices.
fn unknown_choice(what: &str, found: &Name, choices: &[&str]) -> ResolveError {
    let help = match super::errors::closest(&found.value, choices) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("one of {}", list(choices)),
    };
    ResolveError::UnknownChoice { what: what.to_owned(), found: found.value.to_string(), help, span: found.span }
}
