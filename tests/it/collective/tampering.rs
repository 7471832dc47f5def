//! Every change of a valid schedule is found.

use crate::collective::graphs::{passes, random};
use fabc::ids::{ChannelId, Id};
use fabc::ir::{GatherRound, Pull, Rounds, Scene, Schedule, Transfers};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{ScheduleRequest, by_slots, by_steps, derive_schedule};
use fabc::random::Stream;

fn rounds(schedule: &mut Schedule) -> &mut Rounds {
    let Transfers::Rounds(rounds) = &mut schedule.transfers else { panic!("rounds") };
    rounds
}

/// (round, pull, chunk) of a random transfer.
fn pick(stream: &mut Stream, rounds: &[GatherRound]) -> [usize; 3] {
    let places: Vec<[usize; 3]> =
        rounds
            .iter()
            .enumerate()
            .flat_map(|(index, round)| {
                round.pulls.iter().enumerate().flat_map(move |(pull, pulls)| {
                    (0..pulls.chunks.len()).map(move |chunk| [index, pull, chunk])
                })
            })
            .collect();
    places[stream.below(places.len())]
}

/// A tampered schedule, or none where this kind of change is none here.
fn tampered(stream: &mut Stream, schedule: &Schedule, kind: usize) -> Option<Schedule> {
    let mut changed_schedule = schedule.clone();
    let all_rounds = &mut rounds(&mut changed_schedule).rounds;
    let [at, pull, chunk] = pick(stream, all_rounds);
    let moved = all_rounds[at].pulls[pull].clone();
    let number = moved.chunks[chunk];
    match kind {
        // Dropped.
        0 => drop(all_rounds[at].pulls[pull].chunks.remove(chunk)),
        // Sent twice, in a round of its own.
        1 => all_rounds.push(GatherRound {
            width: 1,
            pulls: vec![Pull { channel: moved.channel, chunks: vec![number] }],
        }),
        // Another chunk instead.
        2 => {
            let [other, pulls, place] = pick(stream, all_rounds);
            let (channel, with) =
                (all_rounds[other].pulls[pulls].channel, all_rounds[other].pulls[pulls].chunks[place]);
            if channel == moved.channel || with == number {
                return None;
            }
            // Two sends swapped. To chips that both lack both it may be another valid schedule, so only one
            // side is changed.
            all_rounds[at].pulls[pull].chunks[chunk] = with;
        }
        // By the reverse channel.
        3 => all_rounds[at].pulls[pull].channel = ChannelId::new(moved.channel.index() ^ 1),
        // Before it is there: in the first round, by a channel that leads on from where it comes to.
        4 => {
            if at == 0 {
                return None;
            }
            all_rounds[at].pulls[pull].chunks.remove(chunk);
            let first = &mut all_rounds[0];
            first.width += 1;
            match first.pulls.iter_mut().find(|pull| pull.channel == moved.channel) {
                Some(pull) => pull.chunks.push(number),
                None => first.pulls.push(Pull { channel: moved.channel, chunks: vec![number] }),
            }
        }
        // More than the round is wide.
        5 => {
            all_rounds[at].width = all_rounds[at].pulls.iter().map(|pull| pull.chunks.len() as u32).max()? - 1
        }
        // A chunk of no chip.
        6 => all_rounds[at].pulls[pull].chunks[chunk] = schedule.nodes * schedule.chunks,
        // The same channel once more.
        7 => all_rounds[at].pulls.push(moved),
        _ => return None,
    }
    Some(changed_schedule)
}

#[test]
fn every_change_is_convicted() {
    let mut stream = Stream::new(4, 1);
    let mut convicted = [0usize; 8];
    for _ in 0..60 {
        let topology = random(&mut stream, 12);
        let scene = Scene::healthy(&topology);
        let slots =
            by_slots(&scene, ScheduleRequest { chunks: Some(2), ..ScheduleRequest::default() }).unwrap();
        let steps = by_steps(&scene, ScheduleRequest::default()).unwrap().remove(0);
        let scatter =
            derive_schedule(&scene, &steps, Collective::ReduceScatter, CollectiveAlgorithm::Steps).unwrap();
        let derived =
            derive_schedule(&scene, &slots, Collective::AllReduce, CollectiveAlgorithm::GatherReduce)
                .unwrap();
        for schedule in [&slots, &steps, &scatter, &derived] {
            passes(&scene, schedule);
            for kind in (0..8).flat_map(|kind| [kind; 5]) {
                // A send from the source itself may come earlier.
                let Some(changed) = tampered(&mut stream, schedule, kind) else { continue };
                if kind == 4 && comes_from_its_source(&scene, schedule, &changed) {
                    continue;
                }
                assert!(
                    fabc::check::verify_schedule(&scene, &changed).is_err(),
                    "kind {kind}: {schedule:?} became {changed:?}"
                );
                convicted[kind] += 1;
            }
        }
    }
    println!("convicted: {convicted:?}");
    assert!(convicted.iter().all(|&count| count > 100), "{convicted:?}");
}

/// Whether what is new in the first round starts where its channel starts.
fn comes_from_its_source(scene: &Scene<'_>, schedule: &Schedule, changed: &Schedule) -> bool {
    let sent = |schedule: &Schedule| -> Vec<(ChannelId, u32)> {
        let pulls = schedule.rounds().unwrap().rounds[0].pulls.clone();
        pulls
            .into_iter()
            .flat_map(|pull| pull.chunks.into_iter().map(move |chunk| (pull.channel, chunk)))
            .collect()
    };
    let before = sent(schedule);
    sent(changed)
        .iter()
        .filter(|new| !before.contains(new))
        .all(|&(channel, chunk)| scene.topology.source(channel).node.0 == chunk / schedule.chunks)
}
