//! The collectives of a directory: what their schedules prove, combined with what only the report states.

use super::collective_lines::{StatedCollective, read_stated};
use fabc_check::{CheckError, Files, ProvedSchedule, REPORT, Spent};
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, CollectiveCandidate, CollectiveOutcome, CollectivePoint, CollectiveResult,
    CollectiveRow, CollectiveTime, Fraction, picoseconds, vectors_carried,
};
use fabc_model::{CollectiveAlgorithm, DeclaredCollective, Fabric};

/// The results of all collectives, in the order of the spec.
pub(crate) fn results(
    files: &Files,
    fabric: &Fabric,
    proved: Vec<Vec<ProvedSchedule>>,
) -> Result<Vec<CollectiveResult>, CheckError> {
    let stated = read_stated(files)?;
    if stated.len() != fabric.collectives.len() {
        return Err(contradiction("collectives", "they are not the collectives of the spec"));
    }
    let collectives = fabric.collectives.iter().zip(proved).zip(stated);
    collectives
        .map(|((declared, proved), stated)| collective_result(fabric, declared, proved, stated))
        .collect()
}

fn collective_result(
    fabric: &Fabric,
    declared: &DeclaredCollective,
    proved: Vec<ProvedSchedule>,
    stated: StatedCollective,
) -> Result<CollectiveResult, CheckError> {
    let StatedCollective { others, crossovers, curve } = stated;
    if others.len() != proved.len() {
        return Err(contradiction(
            &format!("collectives[{}].scenarios", declared.name),
            "these are not those that the spec asks for",
        ));
    }
    check_curve(declared, &proved, &others, &curve)?;
    let outcome = |(proved, (others, left_out)): (ProvedSchedule, (Vec<CollectiveCandidate>, Vec<_>))| {
        let ProvedSchedule { scenario, schedule, root, chips, steps, volume, time, bound, witness, .. } =
            proved;
        let Spent { volume: volume_time, latency, overhead } = time;
        let time = CollectiveTime { volume: volume_time, latency, overhead };
        let vectors = match schedule.timed() {
            Some(_) => Fraction::integer(volume),
            None => vectors_carried(time.volume, fabric.capacities.unit_bps(), declared.size),
        };
        if others
            .iter()
            .any(|other| other.time.total() < picoseconds(time.total()) * ATTOSECONDS_OF_A_PICOSECOND)
        {
            let violation = "an algorithm was faster than the one that was taken";
            return Err(contradiction(
                &format!("collectives[{}].scenarios[{scenario}].others", declared.name),
                violation,
            ));
        }
        // There may be fewer chunks than requested, so that none is less than a flit. Whole shards cannot be
        // cut.
        let reduced_from = declared.chunks.filter(|&requested| {
            requested > schedule.chunks && schedule.algorithm != CollectiveAlgorithm::MultiTree
        });
        let best = CollectiveCandidate {
            algorithm: schedule.algorithm,
            chunks: schedule.chunks,
            reduced_from,
            steps,
            volume: vectors,
            time,
        };
        let candidates = std::iter::once(best).chain(others).collect();
        let (collective, size) = (declared.collective, declared.size);
        let row = CollectiveRow {
            scenario,
            collective,
            root,
            size,
            chips,
            candidates,
            left_out,
            bound,
            witness,
            along: None,
            with_switches: None,
        };
        Ok(CollectiveOutcome { row, schedule })
    };
    let scenarios = proved.into_iter().zip(others).map(outcome).collect::<Result<_, _>>()?;
    Ok(CollectiveResult { scenarios, crossovers, curve })
}

/// Checks the curve of a collective against the bounds of its schedule, and against its times at the size of
/// the spec.
fn check_curve(
    declared: &DeclaredCollective,
    proved: &[ProvedSchedule],
    others: &[(Vec<CollectiveCandidate>, Vec<CollectiveAlgorithm>)],
    curve: &[CollectivePoint],
) -> Result<(), CheckError> {
    let curve_error = |what: &str| contradiction(&format!("collectives[{}].curve", declared.name), what);
    let expected = proved.first().map_or(&[][..], |nominal| &nominal.bounds_by_size);
    let bounds = expected.iter().map(|&(size, bound)| (size, picoseconds(bound)));
    if !bounds.eq(curve.iter().map(|point| (point.size, point.bound))) {
        return Err(curve_error(
            "these are not the sizes of a curve with the bounds that follow from those of the schedule",
        ));
    }
    if curve.iter().any(|point| point.times.iter().any(|(_, time)| *time < point.bound)) {
        return Err(curve_error("a time is below the bound"));
    }
    // At the size of the spec, the curve and the scenario must agree.
    if let (Some(point), Some(nominal), Some((others, _))) =
        (curve.iter().find(|point| point.size == declared.size), proved.first(), others.first())
    {
        let best = (nominal.schedule.algorithm, picoseconds(nominal.time.total()));
        let times = std::iter::once(best)
            .chain(others.iter().map(|other| (other.algorithm, picoseconds(other.time.total()))));
        if !times.eq(point.times.iter().copied()) {
            return Err(curve_error("at the size of the spec these are not the times of the scenario"));
        }
    }
    Ok(())
}

fn contradiction(place: &str, what: &str) -> CheckError {
    CheckError::Contradiction {
        file: REPORT.to_owned(),
        place: place.to_owned(),
        violation: what.to_owned(),
        span: None,
    }
}
