//! Random steps on a pod of 64 cubes.

use super::spec;
use fabc::compile::{Stage, compile};
use fabc::ids::BlockId;
use fabc::ir::{Mirrors, PlaceStep, SlicePlacement, StepChange, mirrors_after};
use fabc::model::Fabric;
use fabc::passes::slices::{Placing, slice_plan};
use fabc::progress::Silent;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::BTreeSet;

/// A fabric, the settings of its kinds, and how they are placed at first.
fn sixty_four() -> (Fabric, Vec<Mirrors>) {
    let kinds = "
        spare = 3;
        slice large { cubes = 8; count = 3; topology = synthesize { seed = 1; } }
        slice middle { cubes = 3; count = 4; topology = synthesize { seed = 2; } }
        slice small { cubes = 1; count = 9; topology = torus 2 x 2 x 2; }";
    let text = spec(64, kinds);
    let (fabric, _, _) = fabc::lang::read("pod.fab", &|_: &str| Ok(text.clone())).unwrap();
    let settings = |fabric: &Fabric| {
        compile(fabric.clone(), Stage::Analyze, &Silent).unwrap().pod.unwrap().cross_connects.mirrors()
    };
    let settings = fabric.slices.kinds.iter().map(|kind| settings(&kind.fabric)).collect();
    (fabric, settings)
}

/// A step that may be possible.
fn step(random: &mut ChaCha8Rng, placement: &SlicePlacement) -> PlaceStep {
    let mut below = |limit: usize| (random.next_u32() as usize) % limit.max(1);
    match below(6) {
        0 | 1 => PlaceStep::Add {
            kind: ["large", "middle", "small"][below(3)].to_owned(),
            name: None,
            cubes: None,
        },
        2 if !placement.slices.is_empty() => {
            PlaceStep::Remove(placement.slices[below(placement.slices.len())].name.clone())
        }
        3 => PlaceStep::Swap(below(64) as u32, None),
        4 => PlaceStep::Down(below(64) as u32),
        _ => PlaceStep::Up(below(64) as u32),
    }
}

#[test]
fn no_port_of_an_unchanged_slice_is_touched() {
    let (fabric, kinds) = sixty_four();
    let pod = fabric.pod().unwrap();
    let placing = Placing::new(&fabric, pod);
    for seed in 0..20 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut placement = placing.initial(fabric.slices.spare).unwrap();
        let mut settings = placing.settings(&placement, &kinds);
        let mut done = 0;
        while done < 50 {
            let Ok(next) = placing.after(&placement, &[step(&mut random, &placement)]) else { continue };
            done += 1;
            let new = placing.settings(&next, &kinds);
            let plan = slice_plan(pod, &placement, &settings, &next, &new);
            let steps = plan.steps();
            assert_eq!(mirrors_after(&settings, &steps), new);
            // All that goes goes before anything comes.
            assert!(steps.is_sorted_by_key(|step| step.change), "{steps:?}");
            let same: BTreeSet<BlockId> = next
                .slices
                .iter()
                .filter(|slice| placement.slice(&slice.name) == Some(slice))
                .flat_map(|slice| slice.cubes.clone())
                .collect();
            for step in &steps {
                let faces = pod.ocses[step.ocs].faces(step.pair);
                assert!(
                    faces.iter().all(|face| !same.contains(&face.cube)),
                    "{step:?} touches a slice that stays"
                );
            }
            let moved = steps.iter().filter(|step| step.change == StepChange::Add).count();
            assert_eq!(
                plan.untouched,
                next.slices.iter().filter(|slice| placement.slice(&slice.name) == Some(slice)).count()
            );
            // A cross-connect lies in one slice, and a slice has as many as its kind.
            let owners = next.owners();
            let mut count = vec![0; next.slices.len()];
            for (ocs, set) in new.enumerate() {
                for &pair in set {
                    let [a, b] = pod.ocses[ocs].faces(pair).map(|face| owners[&face.cube].0);
                    assert_eq!(a, b);
                    count[a] += 1;
                }
            }
            for (slice, count) in next.slices.iter().zip(count) {
                let kind = fabric.slices.kinds.iter().position(|kind| kind.name == slice.kind).unwrap();
                assert_eq!(count, kinds[kind].iter().map(BTreeSet::len).sum::<usize>());
            }
            if let (true, Some(slice)) = (
                next.slices.len() > placement.slices.len(),
                next.slices.iter().find(|slice| placement.slice(&slice.name).is_none()),
            ) {
                assert_eq!(moved, slice.cubes.len() * 12, "a cube has 24 face ports");
            }
            (placement, settings) = (next, new);
        }
    }
}
