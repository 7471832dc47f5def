//! Collectives that the spec of a directory declares, as `fabc collective` has them: options of the command
//! go before what the spec says.

use crate::args::collective::{CollectiveArgs, CollectiveFormat};
use crate::io::errors::DriverError;
use fabc_model::{Collective, DeclaredCollective, Fabric};

/// What a line of options comes to: itself, with what the spec adds where it names one of its collectives;
/// and one for each of those where it names nothing.
///
/// # Errors
/// Several, in a form for one.
pub(crate) fn asked(args: &CollectiveArgs, fabric: &Fabric) -> Result<Vec<CollectiveArgs>, DriverError> {
    let sized = args.size.is_some() || args.sizes.is_some();
    match &args.collective {
        Some(name) => {
            let declared = fabric.collectives.iter().find(|declared| declared.name == *name);
            let of_a_kind = Collective::OF_ALL.iter().any(|kind| kind.name() == name) && sized;
            Ok(vec![
                declared.filter(|_| !of_a_kind).map_or_else(|| args.clone(), |declared| with(args, declared)),
            ])
        }
        None if sized || args.root.is_some() || fabric.collectives.is_empty() => Ok(vec![args.clone()]),
        None => {
            let several = fabric.collectives.len() > 1
                && (args.format != CollectiveFormat::Text || args.emit.is_some());
            if several {
                return Err(DriverError::OneSchedule {
                    lacks: "one of the collectives of the spec: name it by `--collective`",
                });
            }
            Ok(fabric.collectives.iter().map(|declared| with(args, declared)).collect())
        }
    }
}

/// The options, and behind them what a declaration says.
fn with(args: &CollectiveArgs, declared: &DeclaredCollective) -> CollectiveArgs {
    let DeclaredCollective { collective, size, algorithm, chunks, root, overhead_ps, barrier, seed, .. } =
        declared;
    let args = args.clone();
    let sized = args.sizes.is_some();
    CollectiveArgs {
        collective: Some(collective.name().to_owned()),
        size: args.size.or_else(|| (!sized).then(|| format!("{size}B"))),
        algorithm: args.algorithm.or_else(|| algorithm.map(|algorithm| algorithm.name().to_owned())),
        chunks: args.chunks.or(*chunks),
        root: args.root.or_else(|| root.clone()),
        overhead: args.overhead.or_else(|| (*overhead_ps > 0).then(|| format!("{overhead_ps}ps"))),
        barrier: args.barrier || *barrier,
        seed: args.seed.or(Some(*seed)),
        ..args
    }
}
