//! A network that is too large to be built: what formulas say of it, and what a sample of it shows.
//!
//! In: a fabric. Out: [`Described`], of which the checker has looked at a sample. Nothing is wired. What is
//! built is compared with the same formulas.

use super::{Stage, contract, size};
use fabc_base::diag::Failure;
use fabc_check::CheckError;
use fabc_emit::compiled::Described;
use fabc_ir::{Distances, Fraction, RequireOutcome};
use fabc_model::{ClosedForm, Comparison, Fabric, GraphMetric, Metric, Network, Plant, Require};
use fabc_passes::wire;

/// Whether `fabc check` describes a network because no build of it is allowed: it has too many routers, or an
/// analysis of it would take too long or too much memory; and there are formulas.
pub fn is_described(fabric: &Fabric) -> bool {
    fabric.is_too_large() || size::affordable(fabric, Stage::Analyze).is_err() && formulas(fabric).is_some()
}

/// Describes a network by formulas, and looks at a sample of it; `None` where there are no formulas.
///
/// # Errors
/// [`Failure::Infeasible`] where a `require` can never hold, [`Failure::Internal`] where the sample is not as
/// the formulas say. A `require` that the formulas break is not an error here.
pub fn describe(fabric: &Fabric) -> Result<Option<Described>, Failure> {
    let (Some(requires), Some((network, form, neighbors))) = (by_formula(fabric)?, formulas(fabric)) else {
        return Ok(None);
    };
    let sampled = fabc_check::sampled(network, &form, &*neighbors).map_err(Failure::internal)?;
    Ok(Some(Described { form, sampled, requires }))
}

/// What the formulas of a network say of its contract; `None` where there are no formulas.
///
/// # Errors
/// [`Failure::Infeasible`] where a `require` can never hold.
pub fn by_formula(fabric: &Fabric) -> Result<Option<Vec<RequireOutcome>>, Failure> {
    let Some((_, form, _)) = formulas(fabric) else { return Ok(None) };
    contract::refuse_impossible_requires(fabric, None, None)?;
    Ok(Some(fabric.requires.iter().map(|require| outcome(fabric, require, &form)).collect()))
}

/// The network of a fabric, its formulas, and who is joined to whom in it, where it has formulas.
fn formulas(fabric: &Fabric) -> Option<(&Network, ClosedForm, wire::Neighbors<'_>)> {
    let Plant::Network(network) = &fabric.plant else { return None };
    Some((network, network.family.closed_form()?, wire::neighbors(network)?))
}

/// Compares the distances of a network that is built with those that formulas say.
///
/// # Errors
/// [`Failure::Internal`] where they differ.
pub(super) fn agrees(fabric: &Fabric, distances: &Distances) -> Result<(), Failure> {
    match fabric.closed_form().and_then(|form| form.layers) {
        Some(layers) if layers != distances.histogram => {
            let (claimed, measured) = (format!("{layers:?}"), format!("{:?}", distances.histogram));
            Err(Failure::internal(CheckError::Distances {
                what: "the formula of pairs by distance".to_owned(),
                claimed,
                measured,
            }))
        }
        _ => Ok(()),
    }
}

/// What the formulas say about a `require`; nothing is measured where they do not decide.
fn outcome(fabric: &Fabric, require: &Require, form: &ClosedForm) -> RequireOutcome {
    let whole = |count: u64| Some(Fraction::new(count, 1u64));
    let wanted = Fraction::from(require.value);
    let measured = match require.metric {
        _ if require.fault => None,
        Metric::Graph(GraphMetric::Routers) => whole(form.routers),
        Metric::Graph(GraphMetric::Hosts) => whole(form.endpoints * u64::from(fabric.router.hosts.max(1))),
        Metric::Graph(GraphMetric::Links) => whole(form.links),
        Metric::Diameter => {
            let hops = whole(u64::from(form.diameter.hops));
            // An upper bound shows that something is small enough, and nothing else.
            let small =
                |most: &Fraction| !require.comparison.wants_more() && require.comparison.holds(*most, wanted);
            let equal = require.comparison == Comparison::Equal;
            hops.filter(|most| form.diameter.is_exact() || !equal && small(most))
        }
        Metric::AverageHops => {
            form.distance_sum().map(|sum| Fraction::new(sum, form.endpoints * (form.endpoints - 1)))
        }
        _ => None,
    };
    RequireOutcome { require: require.clone(), measured, wanted: measured.map(|_| wanted), scenario: None }
}
