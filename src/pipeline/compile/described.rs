//! A network that is too large to be built: formulas describe it, and the checker looks at a sample of it.
//!
//! In: a fabric. Out: a [`DescribedNetwork`]. Nothing is wired. Networks that are built are compared with the
//! same formulas.

use super::{Stage, contract, size};
use fabc_base::diag::Failure;
use fabc_check::CheckError;
use fabc_emit::compiled::DescribedNetwork;
use fabc_ir::{Distances, Fraction, RequireOutcome};
use fabc_model::{
    ClosedForm, Comparison, Fabric, GraphMetric, HardwareMetric, Metric, Network, Plant, Require,
};
use fabc_passes::wire;

/// Whether `fabc check` describes a network because it may not be built. That holds if it has too many
/// routers, or if its analysis would take too much time or memory and there are formulas for it.
pub fn is_described(fabric: &Fabric) -> bool {
    fabric.is_too_large()
        || size::refuse_unaffordable(fabric, Stage::Analyze).is_err() && formulas(fabric).is_some()
}

/// Describes a network by formulas, and checks a sample of it. `None` where there are no formulas.
///
/// # Errors
/// [`Failure::Infeasible`] where a `require` can never hold. [`Failure::Internal`] where the sample
/// contradicts the formulas. A `require` that the formulas break is not an error here.
pub fn describe(fabric: &Fabric) -> Result<Option<DescribedNetwork>, Failure> {
    let (Some(requires), Some((network, form, neighbors))) = (by_formula(fabric)?, formulas(fabric)) else {
        return Ok(None);
    };
    let sampled = fabc_check::verify_sample(network, &form, &*neighbors).map_err(Failure::internal)?;
    Ok(Some(DescribedNetwork { form, sampled, requires }))
}

/// Evaluates the contract of a network by formulas. `None` where there are no formulas.
///
/// # Errors
/// [`Failure::Infeasible`] where a `require` can never hold.
pub fn by_formula(fabric: &Fabric) -> Result<Option<Vec<RequireOutcome>>, Failure> {
    let Some((_, form, _)) = formulas(fabric) else { return Ok(None) };
    contract::refuse_impossible_requires(fabric, None, None)?;
    Ok(Some(fabric.requires.iter().map(|require| formula_outcome(fabric, require, &form)).collect()))
}

/// The network of a fabric, its formulas, and the function that lists the neighbors of a router. `None` where
/// there are no formulas.
fn formulas(fabric: &Fabric) -> Option<(&Network, ClosedForm, wire::NeighborLister<'_>)> {
    let Plant::Network(network) = &fabric.plant else { return None };
    Some((network, network.family.closed_form()?, wire::neighbors(network)?))
}

/// Compares the distances of a built network with those of the formulas.
///
/// # Errors
/// [`Failure::Internal`] where they differ.
pub(super) fn check_formula_distances(fabric: &Fabric, distances: &Distances) -> Result<(), Failure> {
    match fabric.closed_form().and_then(|form| form.layers) {
        Some(layers) if layers != distances.histogram => {
            let (claimed, measured) = (format!("{layers:?}"), format!("{:?}", distances.histogram));
            Err(Failure::internal(CheckError::Distances {
                quantity: "the formula of pairs by distance".to_owned(),
                claimed,
                measured,
            }))
        }
        _ => Ok(()),
    }
}

/// The outcome of a `require` by formulas. Its `measured` is `None` where the formulas do not decide it.
fn formula_outcome(fabric: &Fabric, require: &Require, form: &ClosedForm) -> RequireOutcome {
    let exact = |count: u64| Some(Fraction::new(count, 1u64));
    let wanted = Fraction::from(require.value);
    let measured = match require.metric {
        _ if require.fault => None,
        Metric::Graph(GraphMetric::Routers) => exact(form.routers),
        Metric::Graph(GraphMetric::Hosts) => exact(form.endpoints * u64::from(fabric.router.hosts.max(1))),
        Metric::Graph(GraphMetric::Links) => exact(form.links),
        Metric::Hardware(HardwareMetric::Switches) => {
            let inside = if fabric.router.hosts == 0 { form.endpoints } else { 0 };
            exact(form.routers - inside)
        }
        Metric::Hardware(HardwareMetric::Cables) => {
            exact(form.links + form.endpoints * u64::from(fabric.router.hosts))
        }
        Metric::Diameter => {
            let hops = exact(u64::from(form.diameter.hops));
            // An upper bound proves that something is small enough, and nothing else.
            let small = |bound: &Fraction| {
                !require.comparison.wants_more() && require.comparison.holds(*bound, wanted)
            };
            let equal = require.comparison == Comparison::Equal;
            hops.filter(|bound| form.diameter.is_exact() || !equal && small(bound))
        }
        Metric::AverageHops => {
            form.distance_sum().map(|sum| Fraction::new(sum, form.endpoints * (form.endpoints - 1)))
        }
        _ => None,
    };
    RequireOutcome { require: require.clone(), measured, wanted: measured.map(|_| wanted), scenario: None }
}
