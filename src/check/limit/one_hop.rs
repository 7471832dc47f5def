//! Recomputes the packing of one-hop words. The tree is counted plainly. Every set of words is judged by the
//! cells, pairs and distances, that it covers more than once.

use fabc_base::ids::{BlockId, NodeId};
use fabc_model::{Capacities, CoupleRule, FacePort, Pod};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the positions of a cube.
const POSITIONS: usize = 128;
/// Limits on the length of a fiber and on a price.
const LONGEST: u32 = 64;
const PRICE: u32 = 1 << 20;
/// Limit on the words weighed. Beyond it the argument counts as unproven.
const STEPS: u64 = 1 << 25;

/// A face port without its cube, as (position, port).
type FaceSlot = (usize, u16);

/// The (volume, distance) that the argument proves, or the reason why it does not hold.
pub(super) fn one_hop(
    pod: &Pod,
    capacities: &Capacities,
    fiber: u32,
    prices: &[u32],
    deficits: [u64; 2],
) -> Result<(u128, u128), String> {
    let positions = pod.chips_per_cube() as usize;
    if positions > POSITIONS
        || fiber == 0
        || fiber > LONGEST
        || prices.iter().any(|&price| price > PRICE)
        || pod.cubes < 2
    {
        return Err("larger than a packing of one-hop words can be".to_owned());
    }
    let partners = partners(pod)?;
    let capacity_of_ocs = |ocs: &fabc_model::Ocs| {
        ocs.a.len().min(ocs.b.len()) as u128 * u128::from(capacities.capacity(ocs.link))
    };
    let fibers: u128 = pod.ocses.iter().map(capacity_of_ocs).sum();
    let copper = copper_distances(pod);
    let (fiber, cubes) = (fiber as usize, u64::from(pod.cubes));
    let trees: Vec<CopyTree> = (0..positions)
        .into_par_iter()
        .map(|q| count_copies(&partners, &copper, fiber, cubes, q))
        .collect::<Result<_, _>>()?;
    let tree_distance: u64 = trees.iter().map(|tree| tree.sum).sum();
    // A cell is a pair (p, q) at a distance at which the tree has at most as many copies as there are cubes.
    let covers = |length: &dyn Fn(usize, usize) -> usize| {
        let mut cells = Cells::default();
        for (q, tree) in trees.iter().enumerate() {
            for (p, &levels) in tree.levels.iter().enumerate() {
                (0..levels).for_each(|within| cells.push(length(p, q) <= within));
            }
        }
        cells
    };
    let words: Vec<Cells> = partners
        .iter()
        .map(|(&(exit, _), &(entry, _))| covers(&|p, q| copper[p][exit] + fiber + copper[entry][q]))
        .collect();
    let classes = classes(pod, &partners);
    let count = classes.iter().max().map_or(0, |last| last + 1);
    if prices.len() != count {
        return Err(format!("{} prices for {count} classes of words", prices.len()));
    }
    let price: Vec<i64> = classes.iter().map(|&class| i64::from(prices[class])).collect();
    let no_cells = Cells { bits: vec![0; words[0].bits.len()], used: 0 };
    for (start, deficit, goal) in
        [(no_cells, deficits[0], "a cube"), (covers(&|p, q| copper[p][q]), deficits[1], "the own cube")]
    {
        let mut search = WordSearch { words: &words, price: &price, minimum: 0, steps: 0 };
        for class in 0..count {
            let first = classes.iter().position(|&other| other == class).expect("every class has a word");
            let others: Vec<usize> =
                (0..words.len()).filter(|&word| word != first && classes[word] >= class).collect();
            search.search(
                &start.union(&words[first]),
                start.common_cells(&words[first]) - price[first],
                others,
            );
        }
        if search.steps > STEPS {
            return Err(format!("weighing the words takes more than {STEPS} steps"));
        }
        if -i128::from(search.minimum) != i128::from(deficit) {
            return Err(format!(
                "words to {goal} fall short of their prices by {}, not {deficit}",
                -search.minimum
            ));
        }
    }
    let paid: i128 = price.iter().map(|&price| i128::from(price)).sum();
    let gain = paid - i128::from(cubes - 1) * i128::from(deficits[0]) - i128::from(deficits[1]);
    let distance = u128::try_from(i128::from(tree_distance) + gain)
        .map_err(|_| "the prices leave no distance".to_owned())?;
    let meshes = mesh_capacity(pod, capacities);
    Ok((2 * (meshes + fibers * fiber as u128), distance * u128::from(cubes)))
}

/// `[p][q]`: the copper links between two positions of a cube.
fn copper_distances(pod: &Pod) -> Vec<Vec<usize>> {
    let positions = pod.chips_per_cube() as usize;
    let coordinates = |position: usize| pod.coordinates(NodeId(position as u32)).map(|at| at as usize);
    let distance = |p: usize, q: usize| {
        (0..3).map(|axis| coordinates(p)[axis].abs_diff(coordinates(q)[axis])).sum::<usize>()
    };
    (0..positions).map(|p| (0..positions).map(|q| distance(p, q)).collect()).collect()
}

/// The capacity of all copper links of the pod, each counted once.
fn mesh_capacity(pod: &Pod, capacities: &Capacities) -> u128 {
    let positions = pod.chips_per_cube() as usize;
    let links: usize = pod.cube.dims.iter().map(|&dim| positions / dim as usize * (dim as usize - 1)).sum();
    links as u128 * u128::from(pod.cubes) * u128::from(capacities.capacity(pod.cube.mesh))
}

/// The partner of every face port. Each face port must have exactly one.
fn partners(pod: &Pod) -> Result<BTreeMap<FaceSlot, FaceSlot>, String> {
    let slot = |face: &FacePort| ((face.node.0 % pod.chips_per_cube()) as usize, face.port.0);
    let mut partners: BTreeMap<FaceSlot, FaceSlot> = BTreeMap::new();
    for ocs in pod.ocses.iter() {
        let sides: Vec<BTreeSet<FaceSlot>> =
            [&ocs.a, &ocs.b].iter().map(|faces| faces.iter().map(slot).collect()).collect();
        if ocs.rule == CoupleRule::Sided && sides.iter().any(BTreeSet::is_empty) || ocs.a.is_empty() {
            // It connects nothing.
            continue;
        }
        let ends = sides[0].first().zip(sides[1].first()).filter(|(a, b)| a != b);
        let lone = ocs.rule == CoupleRule::Sided && sides.iter().all(|side| side.len() == 1);
        let fits = |(&a, &b): (&FaceSlot, &FaceSlot)| {
            *partners.entry(a).or_insert(b) == b && *partners.entry(b).or_insert(a) == a
        };
        if !lone || !ends.is_some_and(fits) {
            return Err(format!("{} leaves open what a face port is joined with", ocs.name));
        }
    }
    if partners.is_empty() { Err("there are no words".to_owned()) } else { Ok(partners) }
}

/// The copies of one position in the tree of cubes.
struct CopyTree {
    /// `[position]`: the number of distances with at most C copies, where C is the number of cubes.
    levels: Vec<usize>,
    /// The sum of distances from all positions to their C nearest copies.
    sum: u64,
}

fn count_copies(
    partners: &BTreeMap<FaceSlot, FaceSlot>,
    copper: &[Vec<usize>],
    fiber: usize,
    cubes: u64,
    target: usize,
) -> Result<CopyTree, String> {
    let slots: Vec<(FaceSlot, FaceSlot)> = partners.iter().map(|(&exit, &entry)| (exit, entry)).collect();
    let back: Vec<usize> = slots
        .iter()
        .map(|(_, entry)| slots.iter().position(|(exit, _)| exit == entry).expect("partners"))
        .collect();
    // `beyond[r][slot]`: copies within r of the far end of the fiber, without going back.
    let mut beyond: Vec<Vec<u64>> = Vec::new();
    let mut tree = CopyTree { levels: vec![0; copper.len()], sum: 0 };
    loop {
        let within = beyond.len();
        let copies = |p: usize| {
            let behind = slots.iter().enumerate().map(|(slot, (exit, _))| {
                let remaining = within.checked_sub(copper[p][exit.0] + fiber);
                remaining.map_or(0, |left| beyond[left][slot])
            });
            behind.chain([u64::from(copper[p][target] <= within)]).try_fold(0u64, u64::checked_add)
        };
        let copies: Option<Vec<u64>> = (0..copper.len()).map(copies).collect();
        let copies = copies.ok_or("more copies in the tree than can be counted")?;
        let few = copies.iter().enumerate().filter(|&(_, &copies)| copies <= cubes);
        let mut open = false;
        for (p, copies) in few {
            (tree.levels[p], open) = (within + 1, true);
            tree.sum += cubes - copies;
        }
        if !open {
            return Ok(tree);
        }
        let entered = |(slot, &(_, entry)): (usize, &(FaceSlot, FaceSlot))| {
            copies[entry.0] - within.checked_sub(fiber).map_or(0, |left| beyond[left][back[slot]])
        };
        beyond.push(slots.iter().enumerate().map(entered).collect());
    }
}

/// The class of each word, in slot order. Two words are in one class if a symmetry of the cube maps one to
/// the other and keeps all partners. Classes are numbered by their first words.
fn classes(pod: &Pod, partners: &BTreeMap<FaceSlot, FaceSlot>) -> Vec<usize> {
    let dims = pod.cube.dims;
    let mut images: Vec<BTreeSet<FaceSlot>> = vec![BTreeSet::new(); partners.len()];
    for (to, mirrored) in (0..27u32)
        .flat_map(|code| (0..8u32).map(move |mirrored| ([code % 3, code / 3 % 3, code / 9], mirrored)))
    {
        // Axis k of the cube becomes axis `to[k]`.
        let permutes = to.iter().collect::<BTreeSet<_>>().len() == 3
            && (0..3).all(|axis| dims[to[axis] as usize] == dims[axis]);
        if !permutes {
            continue;
        }
        let image = |&(position, port): &FaceSlot| {
            let coordinates = pod.coordinates(NodeId(position as u32));
            let mut image = [0; 3];
            for axis in 0..3 {
                let turned = mirrored >> axis & 1 == 1;
                image[to[axis] as usize] =
                    if turned { dims[axis] - 1 - coordinates[axis] } else { coordinates[axis] };
            }
            let axis = usize::from(port / 2);
            let port = 2 * to[axis] as u16 + ((port % 2) ^ ((mirrored >> axis) & 1) as u16);
            (pod.node(BlockId(0), image).0 as usize, port)
        };
        if partners.iter().all(|(slot, partner)| partners.get(&image(slot)) == Some(&image(partner))) {
            partners.keys().zip(&mut images).for_each(|(slot, images)| {
                images.insert(image(slot));
            });
        }
    }
    let firsts: Vec<FaceSlot> =
        images.iter().map(|images| *images.first().expect("the identity keeps everything")).collect();
    let numbers: BTreeSet<FaceSlot> = firsts.iter().copied().collect();
    firsts
        .iter()
        .map(|first| numbers.iter().position(|other| other == first).expect("it is among them"))
        .collect()
}

/// A set of cells, as a bit vector.
#[derive(Clone, Default)]
struct Cells {
    bits: Vec<u64>,
    used: usize,
}

impl Cells {
    fn push(&mut self, covered: bool) {
        if self.used.is_multiple_of(64) {
            self.bits.push(0);
        }
        *self.bits.last_mut().expect("just pushed") |= u64::from(covered) << (self.used % 64);
        self.used += 1;
    }
    fn union(&self, other: &Self) -> Self {
        Self {
            bits: self.bits.iter().zip(&other.bits).map(|(word, other)| word | other).collect(),
            used: self.used,
        }
    }
    fn common_cells(&self, other: &Self) -> i64 {
        self.bits.iter().zip(&other.bits).map(|(word, other)| i64::from((word & other).count_ones())).sum()
    }
}

/// Searches for the set of words with the smallest value. The value is the number of cells covered again,
/// less the prices of the words.
struct WordSearch<'a> {
    words: &'a [Cells],
    price: &'a [i64],
    minimum: i64,
    steps: u64,
}

impl WordSearch<'_> {
    /// Tries to add further words. The cells that a word covers again only grow. A word that costs something
    /// now will always cost something. All others together gain at most what they gain now.
    fn search(&mut self, covered: &Cells, value: i64, words: Vec<usize>) {
        self.minimum = self.minimum.min(value);
        self.steps += words.len() as u64;
        let weighed =
            words.into_iter().map(|word| (covered.common_cells(&self.words[word]) - self.price[word], word));
        let mut open: Vec<(i64, usize)> = weighed.filter(|&(cost, _)| cost < 0).collect();
        open.sort_unstable_by_key(|&(cost, word)| (std::cmp::Reverse(cost), word));
        while let Some((cost, word)) = open.pop() {
            let lower_bound = value + cost + open.iter().map(|&(cost, _)| cost).sum::<i64>();
            if lower_bound >= self.minimum || self.steps > STEPS {
                return;
            }
            self.search(
                &covered.union(&self.words[word]),
                value + cost,
                open.iter().map(|&(_, word)| word).collect(),
            );
        }
    }
}
