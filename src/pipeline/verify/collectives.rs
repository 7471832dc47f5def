//! The collectives of a directory: what their schedules prove, with what only the report says of the others.

use super::collective_lines::{Stated, stated};
use fabc_check::{CheckError, Files, ProvedSchedule, REPORT, Spent};
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, CollectiveCandidate, CollectiveOutcome, CollectiveResult, CollectiveRow,
    CollectiveTime, picoseconds,
};
use fabc_model::{CollectiveAlgorithm, DeclaredCollective, Fabric};

/// All collectives, in the order of the spec.
pub(super) fn results(
    files: &Files,
    fabric: &Fabric,
    proved: Vec<Vec<ProvedSchedule>>,
) -> Result<Vec<CollectiveResult>, CheckError> {
    let stated = stated(files)?;
    if stated.len() != fabric.collectives.len() {
        return Err(wrong("collectives", "these are not the collectives of the spec"));
    }
    let all = fabric.collectives.iter().zip(proved).zip(stated);
    all.map(|((declared, proved), stated)| result(declared, proved, stated)).collect()
}

fn result(
    declared: &DeclaredCollective,
    proved: Vec<ProvedSchedule>,
    stated: Stated,
) -> Result<CollectiveResult, CheckError> {
    let Stated { others, crossovers, curve } = stated;
    if others.len() != proved.len() {
        return Err(wrong(
            &format!("collectives[{}].scenarios", declared.name),
            "these are not those that the spec asks for",
        ));
    }
    let said = |what: &str| wrong(&format!("collectives[{}].curve", declared.name), what);
    let expected = proved.first().map_or(&[][..], |nominal| &nominal.bounds_by_size);
    let bounds = expected.iter().map(|&(size, bound)| (size, picoseconds(bound)));
    if !bounds.eq(curve.iter().map(|point| (point.size, point.bound))) {
        return Err(said(
            "these are not the sizes of a curve with the bounds that follow from those of the schedule",
        ));
    }
    if curve.iter().any(|point| point.times.iter().any(|(_, time)| *time < point.bound)) {
        return Err(said("a time is below the bound"));
    }
    // At the size of the spec the curve and the scenario say the same.
    if let (Some(point), Some(nominal), Some((others, _))) =
        (curve.iter().find(|point| point.size == declared.size), proved.first(), others.first())
    {
        let best = (nominal.schedule.algorithm, picoseconds(nominal.time.total()));
        let all = std::iter::once(best)
            .chain(others.iter().map(|other| (other.algorithm, picoseconds(other.time.total()))));
        if !all.eq(point.times.iter().copied()) {
            return Err(said("at the size of the spec these are not the times of the scenario"));
        }
    }
    let outcome = |(of, (others, left_out)): (ProvedSchedule, (Vec<CollectiveCandidate>, Vec<_>))| {
        let ProvedSchedule { scenario, schedule, root, chips, steps, volume, time, bound, witness, .. } = of;
        let Spent { volume: moved, latency, overhead } = time;
        let time = CollectiveTime { volume: moved, latency, overhead };
        if others
            .iter()
            .any(|other| other.time.total() < picoseconds(time.total()) * ATTOSECONDS_OF_A_PICOSECOND)
        {
            let what = "an algorithm was faster than the one that was taken";
            return Err(wrong(&format!("collectives[{}].scenarios[{scenario}].others", declared.name), what));
        }
        // Fewer chunks than are asked for, so that none is less than a flit; whole shards cannot be cut.
        let reduced_from = declared
            .chunks
            .filter(|&asked| asked > schedule.chunks && schedule.algorithm != CollectiveAlgorithm::MultiTree);
        let best = CollectiveCandidate {
            algorithm: schedule.algorithm,
            chunks: schedule.chunks,
            reduced_from,
            steps,
            volume,
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
        };
        Ok(CollectiveOutcome { row, schedule })
    };
    let scenarios = proved.into_iter().zip(others).map(outcome).collect::<Result<_, _>>()?;
    Ok(CollectiveResult { scenarios, crossovers, curve })
}

fn wrong(place: &str, what: &str) -> CheckError {
    CheckError::Contradiction {
        file: REPORT.to_owned(),
        place: place.to_owned(),
        what: what.to_owned(),
        span: None,
    }
}
