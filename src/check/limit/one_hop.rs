//! The packing of one-hop words recomputed: the tree counted plainly, every set of words judged by the pairs
//! and distances that it covers more than once.

use fabc_base::ids::{BlockId, NodeId};
use fabc_model::{Capacities, CoupleRule, FacePort, Pod};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Positions of a cube, at most.
const POSITIONS: usize = 128;
/// Longest fiber, and largest price.
const LONGEST: u32 = 64;
const PRICE: u32 = 1 << 20;
/// Words that are weighed, at most; beyond, the argument counts as unproven.
const STEPS: u64 = 1 << 25;

/// (Position, port): a face port without its cube.
type Slot = (usize, u16);

/// (Volume, distance) that the argument gives, or why it does not hold.
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
    let most =
        |ocs: &fabc_model::Ocs| ocs.a.len().min(ocs.b.len()) as u128 * u128::from(capacities.of(ocs.link));
    let fibers: u128 = pod.ocses.iter().map(most).sum();
    let at = |position: usize| pod.at(NodeId(position as u32)).map(|at| at as usize);
    let copper = |p: usize, q: usize| (0..3).map(|axis| at(p)[axis].abs_diff(at(q)[axis])).sum::<usize>();
    let copper: Vec<Vec<usize>> =
        (0..positions).map(|p| (0..positions).map(|q| copper(p, q)).collect()).collect();
    let fiber = fiber as usize;
    let cubes = u64::from(pod.cubes);
    let trees: Vec<Tree> = (0..positions)
        .into_par_iter()
        .map(|q| tree(&partners, &copper, fiber, cubes, q))
        .collect::<Result<_, _>>()?;
    let of_tree: u64 = trees.iter().map(|tree| tree.sum).sum();
    // A cell is a pair (p, q) at a distance at which the tree has no more copies than there are cubes.
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
    let nothing = Cells { bits: vec![0; words[0].bits.len()], used: 0 };
    for (start, deficit, what) in
        [(nothing, deficits[0], "a cube"), (covers(&|p, q| copper[p][q]), deficits[1], "the own cube")]
    {
        let mut packing = Packing { words: &words, price: &price, least: 0, steps: 0 };
        for class in 0..count {
            let first = classes.iter().position(|&other| other == class).expect("every class has a word");
            let others: Vec<usize> =
                (0..words.len()).filter(|&word| word != first && classes[word] >= class).collect();
            packing.search(&start.joined(&words[first]), start.common(&words[first]) - price[first], others);
        }
        if packing.steps > STEPS {
            return Err(format!("more than {STEPS} steps to weigh the words"));
        }
        if -i128::from(packing.least) != i128::from(deficit) {
            return Err(format!(
                "words to {what} fall short of their prices by {}, not {deficit}",
                -packing.least
            ));
        }
    }
    let paid: i128 = price.iter().map(|&price| i128::from(price)).sum();
    let gain = paid - i128::from(cubes - 1) * i128::from(deficits[0]) - i128::from(deficits[1]);
    let distance =
        u128::try_from(i128::from(of_tree) + gain).map_err(|_| "the prices leave no distance".to_owned())?;
    let meshes: usize = pod.cube.dims.iter().map(|&dim| positions / dim as usize * (dim as usize - 1)).sum();
    let meshes = meshes as u128 * u128::from(cubes) * u128::from(capacities.of(pod.cube.mesh));
    Ok((2 * (meshes + fibers * fiber as u128), distance * u128::from(cubes)))
}

/// What every face port is joined with: one other, always the same.
fn partners(pod: &Pod) -> Result<BTreeMap<Slot, Slot>, String> {
    let slot = |face: &FacePort| ((face.node.0 % pod.chips_per_cube()) as usize, face.port.0);
    let mut partners: BTreeMap<Slot, Slot> = BTreeMap::new();
    for ocs in pod.ocses.iter() {
        let sides: Vec<BTreeSet<Slot>> =
            [&ocs.a, &ocs.b].iter().map(|faces| faces.iter().map(slot).collect()).collect();
        if ocs.rule == CoupleRule::Sided && sides.iter().any(BTreeSet::is_empty) || ocs.a.is_empty() {
            // It joins nothing.
            continue;
        }
        let ends = sides[0].first().zip(sides[1].first()).filter(|(a, b)| a != b);
        let lone = ocs.rule == CoupleRule::Sided && sides.iter().all(|side| side.len() == 1);
        let fits = |(&a, &b): (&Slot, &Slot)| {
            *partners.entry(a).or_insert(b) == b && *partners.entry(b).or_insert(a) == a
        };
        if !lone || !ends.is_some_and(fits) {
            return Err(format!("{} leaves open what a face port is joined with", ocs.name));
        }
    }
    if partners.is_empty() { Err("there are no words".to_owned()) } else { Ok(partners) }
}

/// The copies of one position in the tree of cubes.
struct Tree {
    /// `[position]`: distances at which there are at most C.
    levels: Vec<usize>,
    /// Lengths from all positions to the C nearest ones.
    sum: u64,
}

fn tree(
    partners: &BTreeMap<Slot, Slot>,
    copper: &[Vec<usize>],
    fiber: usize,
    cubes: u64,
    target: usize,
) -> Result<Tree, String> {
    let slots: Vec<(Slot, Slot)> = partners.iter().map(|(&exit, &entry)| (exit, entry)).collect();
    let back: Vec<usize> = slots
        .iter()
        .map(|(_, entry)| slots.iter().position(|(exit, _)| exit == entry).expect("partners"))
        .collect();
    // `beyond[r][slot]`: copies within r of the far end of the fiber, without going back.
    let mut beyond: Vec<Vec<u64>> = Vec::new();
    let mut tree = Tree { levels: vec![0; copper.len()], sum: 0 };
    loop {
        let within = beyond.len();
        let copies = |p: usize| {
            let behind = slots.iter().enumerate().map(|(slot, (exit, _))| {
                let left = within.checked_sub(copper[p][exit.0] + fiber);
                left.map_or(0, |left| beyond[left][slot])
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
        let entered = |(slot, &(_, entry)): (usize, &(Slot, Slot))| {
            copies[entry.0] - within.checked_sub(fiber).map_or(0, |left| beyond[left][back[slot]])
        };
        beyond.push(slots.iter().enumerate().map(entered).collect());
    }
}

/// `[word]`, in the order of their slots: its class under the symmetries of the cube that keep who is joined
/// with whom; classes are numbered by their first words.
fn classes(pod: &Pod, partners: &BTreeMap<Slot, Slot>) -> Vec<usize> {
    let dims = pod.cube.dims;
    let mut images: Vec<BTreeSet<Slot>> = vec![BTreeSet::new(); partners.len()];
    for (to, mirrored) in (0..27u32)
        .flat_map(|code| (0..8u32).map(move |mirrored| ([code % 3, code / 3 % 3, code / 9], mirrored)))
    {
        // Axis k of the cube becomes axis `to[k]`.
        let permutes = to.iter().collect::<BTreeSet<_>>().len() == 3
            && (0..3).all(|axis| dims[to[axis] as usize] == dims[axis]);
        if !permutes {
            continue;
        }
        let image = |&(position, port): &Slot| {
            let at = pod.at(NodeId(position as u32));
            let mut there = [0; 3];
            for axis in 0..3 {
                let turned = mirrored >> axis & 1 == 1;
                there[to[axis] as usize] = if turned { dims[axis] - 1 - at[axis] } else { at[axis] };
            }
            let axis = usize::from(port / 2);
            let port = 2 * to[axis] as u16 + ((port % 2) ^ ((mirrored >> axis) & 1) as u16);
            (pod.node(BlockId(0), there).0 as usize, port)
        };
        if partners.iter().all(|(slot, partner)| partners.get(&image(slot)) == Some(&image(partner))) {
            partners.keys().zip(&mut images).for_each(|(slot, images)| {
                images.insert(image(slot));
            });
        }
    }
    let firsts: Vec<Slot> =
        images.iter().map(|images| *images.first().expect("the identity keeps everything")).collect();
    let numbers: BTreeSet<Slot> = firsts.iter().copied().collect();
    firsts
        .iter()
        .map(|first| numbers.iter().position(|other| other == first).expect("it is among them"))
        .collect()
}

/// A set of cells.
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
    fn joined(&self, other: &Self) -> Self {
        Self {
            bits: self.bits.iter().zip(&other.bits).map(|(one, other)| one | other).collect(),
            used: self.used,
        }
    }
    fn common(&self, other: &Self) -> i64 {
        self.bits.iter().zip(&other.bits).map(|(one, other)| i64::from((one & other).count_ones())).sum()
    }
}

/// The search for the set of words that falls shortest of its prices: how many cells it covers again, less
/// its prices.
struct Packing<'a> {
    words: &'a [Cells],
    price: &'a [i64],
    least: i64,
    steps: u64,
}

impl Packing<'_> {
    /// Takes further words, or none. What a word covers again only grows, so that words which cost something
    /// now will always do, and all others together bring at most what they bring now.
    fn search(&mut self, covered: &Cells, value: i64, words: Vec<usize>) {
        self.least = self.least.min(value);
        self.steps += words.len() as u64;
        let weighed =
            words.into_iter().map(|word| (covered.common(&self.words[word]) - self.price[word], word));
        let mut open: Vec<(i64, usize)> = weighed.filter(|&(cost, _)| cost < 0).collect();
        open.sort_unstable_by_key(|&(cost, word)| (std::cmp::Reverse(cost), word));
        while let Some((cost, word)) = open.pop() {
            let all = value + cost + open.iter().map(|&(cost, _)| cost).sum::<i64>();
            if all >= self.least || self.steps > STEPS {
                return;
            }
            self.search(
                &covered.joined(&self.words[word]),
                value + cost,
                open.iter().map(|&(_, word)| word).collect(),
            );
        }
    }
}
