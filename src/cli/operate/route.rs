//! `fabc route`: prints the route of a pair of routers from a built directory. It compiles nothing.

use crate::args::route::RouteArgs;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::terminal::print_out;
use crate::operate::placed::is_placed;
use crate::operate::tables::parse_router;
use fabc_emit::PrintedRoutes;
use fabc_ir::router_names;
use fabc_pipeline::operate::{PairOfRouters, read_routes};
use fabc_pipeline::refusal::Refusal;

/// `fabc route`: prints the route of a pair hop by hop, or a line for every scenario.
///
/// # Errors
/// `Refusal::NotBuilt` for a foreign directory, `Refusal::UnknownScenario` and `Refusal::UnknownRouter` for
/// unknown names, and `Refusal::NoRoute` for a pair without a route.
pub(crate) fn route(args: &RouteArgs) -> Result<(), Stop> {
    let directory = &args.directory;
    needs_directory(directory)?;
    let not_built = |reason: String| Refusal::NotBuilt { path: display(directory), reason };
    if is_placed(directory) {
        let reason = "it is a pod in slices, and every kind of slice is a build of its own, below `slices/`"
            .to_owned();
        return Err(not_built(reason).into());
    }
    if !directory.join("spec.fab").is_file() {
        return Err(not_built("there is no `spec.fab`".to_owned()).into());
    }
    let fabric = read::built_spec(directory)?.fabric;
    let names = router_names(&fabric);
    let router = |name: &str| parse_router(&names, fabric.node_count(), name);
    let pair = PairOfRouters { source: router(&args.source)?, destination: router(&args.destination)? };
    let routed = read_routes(&DiskFolder::new(directory), pair, &args.scenario)?;
    let printed = PrintedRoutes {
        fabric: &routed.fabric,
        topology: &routed.topology,
        cross_connects: routed.cross_connects.as_ref(),
        source: pair.source,
        destination: pair.destination,
        routes: &routed.routes,
        dead: &routed.dead,
    };
    print_out(&if args.json { printed.json() } else { printed.text() })?;
    Ok(())
}
