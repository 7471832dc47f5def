//! Placements: which chip is which rank.

use crate::chip_paths::MOST_PATH_CHIPS;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::Topology;
use fabc_model::{Fabric, Job, JobAxis, JobPlace, Pod};

/// The most aligned placements that are compared.
const MOST_WAYS: u64 = 1 << 14;

/// A placement of ranks on chips.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankPlacement {
    /// What it is: `order`, `file`, or for each axis the digits of coordinates that it takes.
    pub place: String,
    /// `[rank]`: the chip that is this rank.
    pub ranks: Vec<NodeId>,
}

/// Why a fabric has no aligned placements of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacementError {
    /// What the fabric or the job lacks.
    pub problem: String,
    /// What can be written instead.
    pub hint: String,
}

/// The placement of a job whose spec says which. `None` where it is chosen.
pub fn only_placement(job: &Job, topology: &Topology) -> Option<RankPlacement> {
    let chips: Vec<NodeId> = topology.endpoints().collect();
    let ranks = match &job.place {
        JobPlace::Aligned | JobPlace::Search { .. } => return None,
        JobPlace::Order => chips,
        JobPlace::File { chips: numbers, .. } => {
            numbers.iter().filter_map(|&number| chips.get(number as usize).copied()).collect()
        }
    };
    Some(RankPlacement { place: job.place.name().to_owned(), ranks })
}

/// The placements that a job compares, at least one. Where the placement is chosen, the plain order comes
/// first, and then all ways to deal out the digits. A search does without these where there are none.
///
/// # Errors
/// Fails as [`check_chosen`] does.
pub fn placements(
    job: &Job,
    fabric: &Fabric,
    topology: &Topology,
) -> Result<Vec<RankPlacement>, PlacementError> {
    if let Some(only) = only_placement(job, topology) {
        return Ok(vec![only]);
    }
    let ranks = topology.endpoints().collect();
    let order = RankPlacement { place: JobPlace::Order.name().to_owned(), ranks };
    let aligned = match aligned_placements(job, fabric, topology) {
        Err(_) if job.place != JobPlace::Aligned => Vec::new(),
        aligned => aligned?,
    };
    Ok(std::iter::once(order).chain(aligned).collect())
}

/// All ways to deal out the digits of chips to the axes.
fn aligned_placements(
    job: &Job,
    fabric: &Fabric,
    topology: &Topology,
) -> Result<Vec<RankPlacement>, PlacementError> {
    let digits = ChipDigits::new(fabric, topology.endpoints().collect())?;
    let mut left = digits_of_axes(job)?;
    let mut owners = Vec::new();
    deal_digits(&mut left, digits.names.len(), &mut Vec::new(), &mut owners);
    Ok(owners.into_iter().map(|owners| aligned_placement(job, &digits, &owners)).collect())
}

/// Checks whether a fabric of so many chips has the placements among which a job chooses.
///
/// # Errors
/// For an aligned job, refuses a side of the pod or an axis that is no power of two, and too many placements.
/// For a search, refuses too many chips.
pub fn check_chosen(job: &Job, fabric: &Fabric, chips: usize) -> Result<(), PlacementError> {
    match job.place {
        JobPlace::Aligned => {
            ChipDigits::new(fabric, (0..chips).map(NodeId::new).collect())?;
            digits_of_axes(job).map(|_| ())
        }
        JobPlace::Search { .. } if chips > MOST_PATH_CHIPS => Err(PlacementError {
            problem: format!(
                "a search keeps the paths of all pairs of at most {MOST_PATH_CHIPS} chips, and here are {chips}"
            ),
            hint: "write `place = aligned;`, which keeps none".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The binary digits of the coordinates of chips.
struct ChipDigits {
    /// The name of each digit, such as `x0`.
    names: Vec<String>,
    /// `[values of the digits]`: the chip.
    chips: Vec<NodeId>,
}

impl ChipDigits {
    fn new(fabric: &Fabric, chips: Vec<NodeId>) -> Result<Self, PlacementError> {
        match fabric.pod() {
            Some(pod) => Self::of_pod(pod, &chips),
            None => Self::of_numbers(chips),
        }
    }

    /// Digits of the coordinates in a cube, in Gray code, and of the number of the cube.
    fn of_pod(pod: &Pod, chips: &[NodeId]) -> Result<Self, PlacementError> {
        let sides = [("x", pod.cube.dims[0]), ("y", pod.cube.dims[1]), ("z", pod.cube.dims[2])];
        let sides = sides.into_iter().chain([("cube", pod.cubes)]);
        let mut names = Vec::new();
        let mut strides = Vec::new();
        let mut stride = 1;
        for (side, size) in sides {
            let digits =
                binary_digits(size).ok_or_else(|| not_binary(&format!("the pod has {size} {side}")))?;
            names.extend((0..digits).map(|digit| format!("{side}{digit}")));
            strides.push((stride, digits));
            stride *= size as usize;
        }
        let chip_of = |values: usize| {
            let (mut left, mut index) = (values, 0);
            for &(stride, digits) in &strides {
                index += gray_place(left & ((1 << digits) - 1)) * stride;
                left >>= digits;
            }
            chips[index]
        };
        Ok(Self { chips: (0..chips.len()).map(chip_of).collect(), names })
    }

    /// Digits of the numbers of chips.
    fn of_numbers(chips: Vec<NodeId>) -> Result<Self, PlacementError> {
        let digits = u32::try_from(chips.len()).ok().and_then(binary_digits);
        let digits = digits.ok_or_else(|| not_binary(&format!("the network has {} chips", chips.len())))?;
        Ok(Self { names: (0..digits).map(|digit| format!("n{digit}")).collect(), chips })
    }
}

fn not_binary(fact: &str) -> PlacementError {
    PlacementError {
        problem: format!("{fact}, which is no power of two"),
        hint: "aligned placements deal out binary digits: write `place = order;`".to_owned(),
    }
}

/// The number of binary digits of the numbers below a power of two.
fn binary_digits(size: u32) -> Option<u32> {
    size.is_power_of_two().then(|| size.trailing_zeros())
}

/// The place along a side whose Gray code is this.
fn gray_place(mut code: usize) -> usize {
    let mut place = 0;
    while code > 0 {
        place ^= code;
        code >>= 1;
    }
    place
}

/// The number of digits of each axis.
///
/// # Errors
/// Refuses an axis that is no power of two, and more ways to deal out the digits than are compared.
fn digits_of_axes(job: &Job) -> Result<Vec<u32>, PlacementError> {
    let digits_of = |axis: &JobAxis| {
        binary_digits(axis.size)
            .ok_or_else(|| not_binary(&format!("the axis `{}` has {} ranks", axis.name, axis.size)))
    };
    let sizes: Vec<u32> = job.axes.iter().map(digits_of).collect::<Result<_, _>>()?;
    match count_ways(&sizes) {
        Some(ways) if ways <= MOST_WAYS => Ok(sizes),
        _ => Err(PlacementError {
            problem: format!("the axes can take the digits in more than {MOST_WAYS} ways"),
            hint: "join axes, or write `place = order;`".to_owned(),
        }),
    }
}

/// The number of ways to deal out digits. `None` if it exceeds an integer.
fn count_ways(sizes: &[u32]) -> Option<u64> {
    let mut ways = 1u64;
    let mut placed = 0u64;
    for &size in sizes {
        for chosen in 1..=u64::from(size) {
            placed += 1;
            ways = ways.checked_mul(placed)? / chosen;
        }
    }
    Some(ways)
}

/// Lists all ways in which the axes can take `digits` digits. `left` has the digits that each axis still
/// takes.
fn deal_digits(left: &mut [u32], digits: usize, owners: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if owners.len() == digits {
        all.push(owners.clone());
        return;
    }
    for axis in 0..left.len() {
        if left[axis] > 0 {
            left[axis] -= 1;
            owners.push(axis);
            deal_digits(left, digits, owners, all);
            owners.pop();
            left[axis] += 1;
        }
    }
}

/// The placement in which each digit belongs to an axis. Along an axis the digits count in Gray code, so that
/// from each rank to the next one a single digit changes.
fn aligned_placement(job: &Job, digits: &ChipDigits, owners: &[usize]) -> RankPlacement {
    let place_of = |rank: u32| {
        let mut values = 0;
        for axis in 0..job.axes.len() {
            let coordinate = job.coordinate(rank, axis);
            let code = coordinate ^ (coordinate >> 1);
            let taken = owners.iter().enumerate().filter(|&(_, &owner)| owner == axis);
            for (bit, (digit, _)) in taken.enumerate() {
                values |= ((code >> bit & 1) as usize) << digit;
            }
        }
        digits.chips[values]
    };
    let name_of = |axis: usize| {
        let taken = owners.iter().zip(&digits.names).filter(|&(&owner, _)| owner == axis);
        let names: Vec<&str> = taken.map(|(_, name)| name.as_str()).collect();
        format!(
            "{} = {}",
            job.axes[axis].name,
            if names.is_empty() { "none".to_owned() } else { names.join(" ") }
        )
    };
    let names: Vec<String> = (0..job.axes.len()).map(name_of).collect();
    RankPlacement { place: names.join(", "), ranks: (0..digits.chips.len() as u32).map(place_of).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_multinomial() {
        // 64 experts times 2 on 128 chips, and 8 x 8 x 4 on 256.
        assert_eq!((count_ways(&[6, 1]), count_ways(&[3, 3, 2])), (Some(7), Some(560)));
        let mut all = Vec::new();
        deal_digits(&mut [3, 3, 2], 8, &mut Vec::new(), &mut all);
        assert_eq!(all.len(), 560);
    }

    #[test]
    fn gray_places_change_one_step_at_a_time() {
        // 0 = 00, 1 = 01, 2 = 11, 3 = 10.
        assert_eq!([0b00, 0b01, 0b11, 0b10].map(gray_place), [0, 1, 2, 3]);
    }
}
