//! Collectives that the spec declares, as options of `fabc collective`. Options of the command line win.

use crate::args::collective::CollectiveArgs;
use crate::io::errors::DriverError;
use fabc_model::{Collective, DeclaredCollective, Fabric};

/// Completes the options of the command line from the collectives that the spec declares. A name selects one
/// of them. Without a name and a size, there is one result per declared collective.
///
/// # Errors
/// `DriverError::OneSchedule` for several collectives in a form that holds one.
pub(crate) fn expand_declared(
    args: &CollectiveArgs,
    fabric: &Fabric,
) -> Result<Vec<CollectiveArgs>, DriverError> {
    let sized = args.size.is_some() || args.sizes.is_some();
    match &args.collective {
        Some(name) => {
            let declared = fabric.collectives.iter().find(|declared| declared.name == *name);
            let of_a_kind = Collective::OF_ALL.iter().any(|kind| kind.name() == name) && sized;
            Ok(vec![
                declared
                    .filter(|_| !of_a_kind)
                    .map_or_else(|| args.clone(), |declared| completed_args(args, declared)),
            ])
        }
        None if sized || args.root.is_some() || fabric.collectives.is_empty() => Ok(vec![args.clone()]),
        None => {
            let several = fabric.collectives.len() > 1 && (args.json || args.csv || args.emit.is_some());
            if several {
                return Err(DriverError::OneSchedule {
                    lacks: "one of the collectives of the spec: name it by `--collective`",
                });
            }
            Ok(fabric.collectives.iter().map(|declared| completed_args(args, declared)).collect())
        }
    }
}

/// The options, completed by a declared collective.
fn completed_args(args: &CollectiveArgs, declared: &DeclaredCollective) -> CollectiveArgs {
    let DeclaredCollective {
        collective,
        size,
        algorithm,
        chunks,
        root,
        groups,
        overhead_ps,
        barrier,
        seed,
        ..
    } = declared;
    let args = args.clone();
    let sized = args.sizes.is_some();
    CollectiveArgs {
        collective: Some(collective.name().to_owned()),
        size: args.size.or_else(|| (!sized).then(|| format!("{size}B"))),
        algorithm: args.algorithm.or_else(|| algorithm.map(|algorithm| algorithm.name().to_owned())),
        chunks: args.chunks.or(*chunks),
        root: args.root.or_else(|| root.clone()),
        groups: args.groups.or(*groups),
        overhead: args.overhead.or_else(|| (*overhead_ps > 0).then(|| format!("{overhead_ps}ps"))),
        barrier: args.barrier || *barrier,
        seed: args.seed.or(Some(*seed)),
        ..args
    }
}
