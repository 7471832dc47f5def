//! Resolves a parsed spec to a [`Fabric`]: names, units, defaults, and the wiring that they declare.
//!
//! In: a parsed spec. Out: a [`Fabric`], or every independent error, in source order. Invariants: an error of
//! one check does not stop the other checks. A check reports nothing if its inputs have errors, so one
//! mistake gives one error. The order of the items has no effect.

mod addresses;
mod algebraic;
mod boxes;
mod choices;
mod clos;
mod collectives;
mod context;
mod cross_connects;
mod demand;
mod drawn;
mod faces;
mod failures;
mod families;
mod floor;
mod foreign;
mod goals;
mod graph;
mod hardware;
mod hosts;
mod items;
mod jobs;
mod kind;
mod levels;
mod light;
mod many_paths;
mod messages;
mod needed;
mod network;
mod ocs;
mod outside;
mod ports;
mod quadrangles;
mod requires;
mod router_kinds;
mod scheduled;
mod scope;
mod settings;
mod simulated_values;
mod simulations;
mod slices;
mod source_control;
mod subjects;
mod synthesis;
mod traffic;
mod unknown_settings;
mod wiring;
mod words_and_groups;

pub use jobs::chips_of_ranks;
pub use simulations::simulation_of_settings;

use crate::ResolveError;
use crate::syntax::{Bound, Loader, ast, bind};
use context::{Context, check_name_length, missing};
use cross_connects::Switched;
use fabc_base::ids::LinkTypeId;
use fabc_model::{Cube, Fabric, Ocs, Plant, Pod, Slices, TopologyChoice};
use items::{SpecItems, sort_items};
use jobs::JobGround;
use kind::{PlantKind, PlantParts};
use scope::Scope;

/// Resolves names, units and defaults, and checks that the wiring can exist.
///
/// # Errors
/// Every error of the spec, in source order.
pub fn resolve(spec: &ast::Spec, loader: &dyn Loader) -> Result<Fabric, Vec<ResolveError>> {
    let Bound { spec, errors, .. } = bind(spec);
    if !errors.is_empty() {
        return Err(errors.into_iter().map(ResolveError::from).collect());
    }
    let resolve_spec = |spec: &ast::Spec| resolve_undivided(spec, loader);
    if spec.slices().next().is_some() {
        slices::resolve_divided(&spec, &resolve_spec)
    } else {
        resolve_spec(&spec)
    }
}

/// Resolves a bound spec without slices.
fn resolve_undivided(spec: &ast::Spec, loader: &dyn Loader) -> Result<Fabric, Vec<ResolveError>> {
    let mut context = Context::of_spec(spec);
    let fabric = resolve_fabric(&mut context, spec, loader);
    context.report_constants();
    let errors = context.into_errors();
    match fabric {
        Some(fabric) if errors.is_empty() => Ok(fabric),
        _ => Err(errors),
    }
}

/// Resolves one part after the other. Returns `None` only if errors were reported.
fn resolve_fabric(context: &mut Context, spec: &ast::Spec, loader: &dyn Loader) -> Option<Fabric> {
    let fabric = spec.fabric();
    check_name_length(context, "the name of a fabric", &fabric.name);
    let items = sort_items(context, spec);

    let clock = hardware::clock(context, &items);
    let links = hardware::links(context, &items, clock);
    if items.links.is_empty() {
        let example = "link copper { bandwidth = 128 GB/s; latency = 50 cycles; }";
        context.error(missing("the fabric", "a `link`", example, fabric.head));
    }
    let scope = Scope { head: fabric.head, clock, links: &links, spec_path: &spec.files[0].path, loader };
    let kind = PlantKind::infer(context, &items, fabric.head)?;
    let parts = if kind.is_network {
        network::resolve_network(context, &items, &scope, kind)
    } else {
        resolve_pod(context, &items, &scope, kind)
    };
    let PlantParts {
        router,
        plant,
        budget,
        demand,
        capacities,
        routing: (routing, routing_span),
        relays,
        simulations,
        collectives,
        jobs,
        searched_for,
        requires,
        floor,
        addresses,
    } = parts?;
    let hosts = hosts::hosts(context, &items, &scope, &plant, router.hosts)?;
    let mut plant = plant;
    let losses = light::light(context, &items, &scope, &mut plant)?;
    Some(Fabric {
        name: fabric.name.value.to_string(),
        clock_hz: clock?,
        link_types: links.types.into_iter().collect::<Option<Vec<_>>>()?.into(),
        capacities,
        router,
        plant,
        floor,
        budget,
        demand,
        routing,
        relays,
        routing_span,
        addresses,
        hosts,
        losses,
        simulations,
        collectives,
        jobs,
        searched_for,
        requires,
        slices: Slices::default(),
        span: fabric.head,
    })
}

/// Resolves a pod: chip, cubes and switches.
fn resolve_pod(
    context: &mut Context,
    items: &SpecItems<'_>,
    scope: &Scope<'_>,
    kind: PlantKind,
) -> Option<PlantParts> {
    failures::refuse_in_pod(context, items, kind);
    addresses::refuse_in_pod(context, items, kind);
    let floor = floor::written_floor(context, items, scope, kind);
    let chip = hardware::router(context, items, scope, kind);
    let cube = hardware::cube(context, items, scope.head, scope.links);
    let cubes = hardware::cubes(context, items, scope.head, cube.as_ref());
    let switches = ocs::switches(context, items, scope.links, cube.as_ref(), cubes);
    let budget = choices::budget(context, items, scope, kind, chip.as_ref());
    let chips = |cube: &Cube| cube.dims.iter().map(|&side| u64::from(side)).product();
    let senders = cube
        .as_ref()
        .zip(cubes)
        .map(|(cube, (cubes, _))| demand::Senders::of_pod(chips(cube), u64::from(cubes)));
    choices::check_pair_remains(context, budget.as_ref(), senders.as_ref(), kind);
    let demand = demand::demand(context, items, senders.as_ref(), scope);
    let switched = Switched { cube: cube.as_ref(), ocses: switches.as_ref().map(|(_, ocses)| ocses) };
    let topology = choices::topology(context, items, scope, kind, switched);
    let routing = choices::routing(context, items, scope, kind);
    let simulations = simulations::simulations(context, items, chip.as_ref(), scope);
    let requires = requires::requires(context, items, budget.as_ref(), kind, false);
    let collectives = collectives::collectives(context, items, &requires, scope);
    let ground = JobGround::of_pod(items, chip.as_ref(), senders.as_ref(), &requires, scope);
    let jobs = jobs::jobs(context, items, &ground);
    let searched_for = jobs::searched_for(context, items, jobs.as_deref());
    needed::need_prices(context, items, &requires, chip.as_ref(), kind);
    needed::need_floor(context, &requires, kind, floor == Some(None));
    wiring::check_wiring(
        context,
        &wiring::PodFacts {
            chip: chip.as_ref(),
            cube: cube.as_ref(),
            cubes,
            any_ocs: !items.ocs.is_empty(),
            ocses: switches.as_ref().map(|(_, ocses)| ocses),
            topology: topology.as_ref(),
            routing,
        },
    );
    let used =
        cube.as_ref().zip(switches.as_ref()).map(|(cube, (_, ocses))| links_in_use(cube, ocses.as_slice()));
    let capacities = used.map(|used| {
        if let Some((TopologyChoice::Synthesize(search), span)) = &topology {
            wiring::check_like_links(context, scope.links, &used, search.method, *span);
        }
        wiring::capacities(context, scope.links, &used)
    });
    let (cubes, cubes_span) = cubes?;
    let (topology, topology_span) = topology?;
    let (ocs_groups, ocses) = switches?;
    let (cubes, chips_per_cube) = cube.as_ref().map_or((0, 0), |cube| (cubes, chips(cube) as u32));
    let floor = match floor? {
        Some(floor) => Some(floor::fit_pod(context, floor, cubes, chips_per_cube, ocses.as_slice())?),
        None => None,
    };
    let plant =
        Plant::Pod(Pod { cube: cube?, cubes, cubes_span, ocs_groups, ocses, topology, topology_span });
    let (capacities, simulations, collectives, jobs) = (capacities??, simulations?, collectives?, jobs?);
    Some(PlantParts {
        router: chip?,
        plant,
        floor,
        budget: budget?,
        demand: demand?,
        capacities,
        routing: routing?,
        relays: 0,
        simulations,
        collectives,
        jobs,
        searched_for: searched_for?,
        requires,
        addresses: None,
    })
}

/// The links of a pod: those of its cubes and of its switches. A single chip has none, so that it counts the
/// first.
fn links_in_use(cube: &Cube, ocses: &[Ocs]) -> Vec<LinkTypeId> {
    let mesh = cube.dims.iter().any(|&side| side > 1).then_some(cube.mesh);
    let used: Vec<LinkTypeId> = mesh.into_iter().chain(ocses.iter().map(|ocs| ocs.link)).collect();
    if used.is_empty() { vec![cube.mesh] } else { used }
}
