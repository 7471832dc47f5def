//! Renaming: whether two wirings are one under other names of their points.
//!
//! Colors are refined by who is joined to whom until they tell nothing more; then one point is given the
//! place of another, and so on (B. D. McKay, "Practical graph isomorphism", Congressus Numerantium 30, 1981,
//! without the search for automorphisms). Where the joints of a point all differ in kind, as in pods, one
//! choice decides everything it is joined with, and the answer is exact after at most n choices for every
//! part. Else the search is counted and cut off: cost is one look at every arc per round of refinement.

use super::joined::{Joint, are_unique, joints};
use super::nearest::nearest;
use fabc_ir::{Wires, WiringFound};

/// Looks at an arc that the search may take; some seconds.
const LOOKS: u64 = 1 << 27;

/// A renaming of the points of A.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renaming {
    /// `[point of A]`: the point of B that it stands for.
    pub images: Vec<u32>,
    /// What it comes to.
    pub found: WiringFound,
}

/// A renaming under which both are the same; where there is none and `near` is wanted, one under which few
/// arcs differ. Both have as many points, and the same labels.
pub fn renaming(a: &Wires, b: &Wires, near: bool) -> Renaming {
    renaming_within(a, b, near, LOOKS)
}

fn renaming_within(a: &Wires, b: &Wires, near: bool, looks: u64) -> Renaming {
    let identity: Vec<u32> = (0..).take(a.colors.len()).collect();
    if a.colors == b.colors && a.arcs == b.arcs {
        return Renaming { images: identity, found: WiringFound::Same };
    }
    let pair = Pair::new(a, b);
    let mut work = Work { left: looks };
    let found = match pair.search(&mut work) {
        Ok(Some(images)) if a.renamed(&images) == b.arcs => {
            return Renaming { images, found: WiringFound::Renamed };
        }
        Ok(_) => WiringFound::Other,
        Err(CutOff) => WiringFound::CutOff,
    };
    let images = if near { nearest(a, b, [&pair.joints[0], &pair.joints[1]]) } else { identity };
    Renaming { images, found }
}

/// The search has taken as much as it may.
#[derive(Debug)]
struct CutOff;

/// What the search has left.
struct Work {
    left: u64,
}

impl Work {
    fn take(&mut self, looks: usize) -> Result<(), CutOff> {
        self.left = self.left.checked_sub(looks as u64).ok_or(CutOff)?;
        Ok(())
    }
}

/// Two wirings side by side: points of A are 0 .. n - 1, those of B n .. 2 n - 1.
struct Pair {
    points: usize,
    joints: [Vec<Vec<Joint>>; 2],
    colors: Vec<u32>,
}

impl Pair {
    fn new(a: &Wires, b: &Wires) -> Self {
        Self {
            points: a.colors.len(),
            joints: [joints(a), joints(b)],
            colors: [&a.colors[..], &b.colors].concat(),
        }
    }

    fn joints(&self, point: usize) -> (&[Joint], usize) {
        if point < self.points {
            (&self.joints[0][point], 0)
        } else {
            (&self.joints[1][point - self.points], self.points)
        }
    }

    fn search(&self, work: &mut Work) -> Result<Option<Vec<u32>>, CutOff> {
        let Some(colors) = self.refined(self.colors.clone(), work)? else { return Ok(None) };
        if self.joints.iter().all(|joints| are_unique(joints)) {
            return Ok(self.followed(&colors));
        }
        self.individualized(colors, work)
    }

    /// Colors that tell as much as who is joined to whom says; `None` where A and B have not as many points
    /// of each.
    fn refined(&self, mut colors: Vec<u32>, work: &mut Work) -> Result<Option<Vec<u32>>, CutOff> {
        let mut count = 0;
        loop {
            let look = |point: usize| {
                let (joints, base) = self.joints(point);
                let mut around: Vec<(u32, u32)> =
                    joints.iter().map(|joint| (joint.kind, colors[base + joint.to as usize])).collect();
                around.sort_unstable();
                (colors[point], around, point)
            };
            let mut seen: Vec<_> = (0..2 * self.points).map(look).collect();
            work.take(2 * self.points + seen.iter().map(|(_, around, _)| around.len()).sum::<usize>())?;
            seen.sort_unstable();
            let mut classes = 0;
            for group in seen.chunk_by(|one, other| (one.0, &one.1) == (other.0, &other.1)) {
                if 2 * group.iter().filter(|(.., point)| *point < self.points).count() != group.len() {
                    return Ok(None);
                }
                group.iter().for_each(|&(.., point)| colors[point] = classes);
                classes += 1;
            }
            if classes == count {
                return Ok(Some(colors));
            }
            count = classes;
        }
    }

    /// Where the joints of a point differ in kind: the image of one point of every part decides the rest of
    /// it. Parts that are alike may stand for each other, so the first that fits does.
    fn followed(&self, colors: &[u32]) -> Option<Vec<u32>> {
        let (mut images, mut taken) = (vec![u32::MAX; self.points], vec![false; self.points]);
        for root in 0..self.points {
            if images[root] != u32::MAX {
                continue;
            }
            // What keeps its name is preferred.
            let part = std::iter::once(root)
                .chain((0..self.points).filter(|&point| point != root))
                .find_map(|image| {
                    let fits = !taken[image] && colors[root] == colors[self.points + image];
                    fits.then(|| self.part(root, image, &images, &taken, colors)).flatten()
                })?;
            for (point, image) in part {
                images[point] = image as u32;
                taken[image] = true;
            }
        }
        Some(images)
    }

    /// The points joined with `root`, and their images if its own is `image`; `None` if they do not fit.
    fn part(
        &self,
        root: usize,
        image: usize,
        images: &[u32],
        taken: &[bool],
        colors: &[u32],
    ) -> Option<Vec<(usize, usize)>> {
        let mut placed = std::collections::BTreeMap::from([(root, image)]);
        let mut used = std::collections::BTreeSet::from([image]);
        let mut open = vec![(root, image)];
        while let Some((point, image)) = open.pop() {
            let [own, other] = [&self.joints[0][point], &self.joints[1][image]];
            if own.len() != other.len() {
                return None;
            }
            for (own, other) in own.iter().zip(other) {
                let (to, goes) = (own.to as usize, other.to as usize);
                match placed.get(&to) {
                    Some(known) if *known == goes && own.kind == other.kind => {}
                    None if own.kind == other.kind && colors[to] == colors[self.points + goes] => {
                        if images[to] != u32::MAX || taken[goes] || !used.insert(goes) {
                            return None;
                        }
                        placed.insert(to, goes);
                        open.push((to, goes));
                    }
                    _ => return None,
                }
            }
        }
        Some(placed.into_iter().collect())
    }

    /// Gives a point of the smallest class the place of one of B, and so on until all have theirs.
    fn individualized(&self, colors: Vec<u32>, work: &mut Work) -> Result<Option<Vec<u32>>, CutOff> {
        let mut members: Vec<[Vec<usize>; 2]> = Vec::new();
        for point in 0..2 * self.points {
            let color = colors[point] as usize;
            members.resize(members.len().max(color + 1), Default::default());
            members[color][usize::from(point >= self.points)].push(point);
        }
        let class = members.iter().filter(|[of_a, _]| of_a.len() > 1).min_by_key(|[of_a, _]| of_a.len());
        let Some([of_a, of_b]) = class else {
            let mut images = vec![0; self.points];
            members
                .iter()
                .filter(|[of_a, _]| !of_a.is_empty())
                .for_each(|[a, b]| images[a[0]] = (b[0] - self.points) as u32);
            return Ok(Some(images));
        };
        let point = of_a[0];
        let own = of_b.iter().find(|&&image| image == point + self.points);
        for &image in own.into_iter().chain(of_b.iter().filter(|&image| Some(image) != own)) {
            let mut chosen = colors.clone();
            let fresh = members.len() as u32;
            (chosen[point], chosen[image]) = (fresh, fresh);
            if let Some(refined) = self.refined(chosen, work)?
                && let Some(images) = self.individualized(refined, work)?
            {
                return Ok(Some(images));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::random::Stream;
    use std::collections::BTreeSet;

    fn wires(points: usize, directed: &[bool], arcs: &[(u32, u32, u32)]) -> Wires {
        let mut wires = Wires { colors: vec![0; points], arcs: Vec::new(), directed: directed.to_vec() };
        wires.arcs = arcs.iter().map(|&(label, from, to)| wires.arc(label, from, to)).collect();
        wires.arcs.sort_unstable();
        wires
    }

    fn under(wires: &Wires, images: &[u32]) -> Wires {
        let mut colors = vec![0; images.len()];
        images.iter().zip(&wires.colors).for_each(|(image, color)| colors[*image as usize] = *color);
        Wires { arcs: wires.renamed(images), colors, directed: wires.directed.clone() }
    }

    fn shuffled(points: usize, seed: u64) -> Vec<u32> {
        let mut images: Vec<u32> = (0..points as u32).collect();
        Stream::new(seed, 0).shuffle(&mut images);
        images
    }

    /// Every point has one joint out and one in of each of three kinds, as cubes behind switches have.
    fn permutations(points: usize, seed: u64) -> Wires {
        let arcs: Vec<(u32, u32, u32)> = (0..3)
            .flat_map(|label| {
                (0..)
                    .zip(shuffled(points, seed * 3 + u64::from(label)))
                    .map(move |(from, to)| (label, from, to))
            })
            .collect();
        wires(points, &[true; 3], &arcs)
    }

    /// The graph of lattice points of a rectangle, two of which are joined in a row or a column: all points
    /// are alike, and refinement tells nothing.
    fn rook(rows: u32, columns: u32) -> Wires {
        let points = rows * columns;
        let joined = |a: u32, b: u32| a / columns == b / columns || a % columns == b % columns;
        let arcs: Vec<(u32, u32, u32)> = (0..points)
            .flat_map(|a| (a + 1..points).filter(move |&b| joined(a, b)).map(move |b| (0, a, b)))
            .collect();
        wires(points as usize, &[false], &arcs)
    }

    /// The 4 x 4 lattice on a torus with a diagonal: as regular as [`rook`] of 4 x 4, but another graph.
    fn shrikhande() -> Wires {
        let arcs = (0..16u32).flat_map(|point| {
            [(0, 1), (1, 0), (1, 1)].map(|(x, y)| (0, point, (point / 4 + x) % 4 * 4 + (point % 4 + y) % 4))
        });
        wires(16, &[false], &arcs.collect::<Vec<_>>())
    }

    #[test]
    fn renamed_points_are_found() {
        for points in [1, 2, 5, 16, 40] {
            for seed in 0..4 {
                let a = permutations(points, seed);
                let b = under(&a, &shuffled(points, 77 + seed));
                let found = renaming(&a, &b, true);
                assert!(
                    matches!(found.found, WiringFound::Renamed | WiringFound::Same),
                    "{points} {seed} {:?}",
                    found.found
                );
                assert_eq!(a.renamed(&found.images), b.arcs);
            }
        }
        let a = rook(5, 5);
        let found = renaming(&a, &under(&a, &shuffled(25, 3)), false);
        assert_eq!(found.found, WiringFound::Renamed);
        assert_eq!(renaming(&a, &a, false).found, WiringFound::Same);
    }

    #[test]
    fn two_that_swap_are_all_that_is_renamed() {
        let a = permutations(12, 5);
        let mut swap: Vec<u32> = (0..12).collect();
        swap.swap(3, 8);
        let found = renaming(&a, &under(&a, &swap), true);
        assert_eq!((found.found, found.images), (WiringFound::Renamed, swap));
    }

    #[test]
    fn colors_hold_points_back() {
        let mut a = wires(3, &[true], &[(0, 0, 1)]);
        let b = under(&a, &[2, 1, 0]);
        assert_eq!(renaming(&a, &b, true).found, WiringFound::Renamed);
        a.colors = vec![1, 0, 0];
        let b = Wires { colors: a.colors.clone(), ..b };
        assert_eq!(renaming(&a, &b, true).found, WiringFound::Other);
    }

    #[test]
    fn graphs_that_refinement_cannot_tell_apart_are_told_apart() {
        assert_eq!(renaming(&rook(4, 4), &shrikhande(), false).found, WiringFound::Other);
        let twice = under(&shrikhande(), &shuffled(16, 9));
        assert_eq!(renaming(&shrikhande(), &twice, false).found, WiringFound::Renamed);
    }

    #[test]
    fn parts_may_stand_for_each_other() {
        // Rings of 3, 5 and 3 points.
        let ring =
            |first: u32, length: u32| (0..length).map(move |at| (0, first + at, first + (at + 1) % length));
        let rings = |lengths: [u32; 3]| {
            let firsts = [0, lengths[0], lengths[0] + lengths[1]];
            let arcs: Vec<_> =
                firsts.into_iter().zip(lengths).flat_map(|(first, length)| ring(first, length)).collect();
            wires(11, &[true], &arcs)
        };
        let found = renaming(&rings([3, 5, 3]), &rings([3, 3, 5]), true);
        assert_eq!(found.found, WiringFound::Renamed);
        assert_eq!(renaming(&rings([3, 5, 3]), &rings([4, 4, 3]), true).found, WiringFound::Other);
    }

    #[test]
    fn a_search_that_is_cut_off_says_so() {
        let (a, b) = (rook(6, 6), under(&rook(6, 6), &shuffled(36, 1)));
        assert_eq!(renaming_within(&a, &b, false, 1 << 9).found, WiringFound::CutOff);
        assert_eq!(renaming(&a, &b, false).found, WiringFound::Renamed);
    }

    #[test]
    fn where_one_arc_moves_all_others_stay() {
        let a = permutations(20, 1);
        let mut b = under(&a, &shuffled(20, 4));
        // Two arcs of one kind swap their ends.
        let kind: Vec<usize> =
            b.arcs.iter().enumerate().filter(|(_, arc)| arc.label == 1).map(|(at, _)| at).collect();
        let ends = [b.arcs[kind[2]].to, b.arcs[kind[9]].to];
        (b.arcs[kind[2]].to, b.arcs[kind[9]].to) = (ends[1], ends[0]);
        b.arcs.sort_unstable();
        let found = renaming(&a, &b, true);
        assert_eq!(found.found, WiringFound::Other);
        let (renamed, kept): (Vec<_>, BTreeSet<_>) = (a.renamed(&found.images), b.arcs.iter().collect());
        assert_eq!(renamed.iter().filter(|arc| kept.contains(arc)).count(), a.arcs.len() - 2);
    }
}
