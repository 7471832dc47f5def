//! The table is what it says. (`tests/it/known_wirings.rs` makes it grow.)

use super::*;
use crate::synth::parity::tests::{plain, pod, shape};

#[test]
fn every_line_has_the_distance_that_it_states() {
    let mut before = 0;
    for (cubes, distance, shifts) in lines() {
        assert!(cubes > before && shifts.len() == 48 && shifts.iter().all(|&shift| shift < cubes));
        before = cubes;
        let fabric = pod([4, 4, 4], cubes as u32, false);
        let shape = shape(&fabric);
        let wiring = wiring(fabric.pod().expect("a pod"), &shape).expect("a line is for such pods");
        assert_eq!(plain(&fabric, &shape, &wiring, 3), Some(distance), "{cubes} cubes");
    }
}

#[test]
fn other_pods_have_none() {
    for (dims, cubes, any) in
        [([4, 4, 4], 47, false), ([4, 4, 4], 64, true), ([4, 4, 2], 64, false), ([2, 2, 2], 64, false)]
    {
        let fabric = pod(dims, cubes, any);
        assert!(wiring(fabric.pod().expect("a pod"), &shape(&fabric)).is_none(), "{dims:?}, {cubes} cubes");
    }
}
