//! Decides whether two wirings are equal under a renaming of their points.
//!
//! Colors are refined by the neighbors of points until they do not change. Then one point gets the place of
//! another, and so on (B. D. McKay, "Practical graph isomorphism", Congressus Numerantium 30, 1981, without
//! the search for automorphisms). If all arc ends at a point differ in kind, as in pods, one choice decides
//! its whole connected part. The answer is then exact after at most n choices per part. Otherwise the search
//! has a limit on its work. Cost: one look at every arc per round of refinement.

use super::joined::{ArcEnd, arc_ends, are_unique};
use super::nearest::nearest;
use fabc_ir::{Wires, WiringFound};

/// Limit on looks at an arc in the search, which take some seconds.
const LOOKS_LIMIT: u64 = 1 << 27;

/// A renaming of the points of A.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renaming {
    /// `[point of A]`: its image in B.
    pub images: Vec<u32>,
    /// Whether the wirings are equal under the renaming, or whether the search was cut off.
    pub found: WiringFound,
}

/// A renaming under which both wirings are equal. If there is none and `near` is set, a renaming under which
/// few arcs differ. Both must have the same number of points and the same labels.
pub fn renaming(a: &Wires, b: &Wires, near: bool) -> Renaming {
    renaming_within(a, b, near, LOOKS_LIMIT)
}

fn renaming_within(a: &Wires, b: &Wires, near: bool, looks: u64) -> Renaming {
    let identity: Vec<u32> = (0..).take(a.colors.len()).collect();
    if a.colors == b.colors && a.arcs == b.arcs {
        return Renaming { images: identity, found: WiringFound::Same };
    }
    let pair = WiringPair::new(a, b);
    let mut work = LookBudget { looks_left: looks };
    let found = match pair.search(&mut work) {
        Ok(Some(images)) if a.renamed(&images) == b.arcs => {
            return Renaming { images, found: WiringFound::Renamed };
        }
        Ok(_) => WiringFound::Other,
        Err(CutOff) => WiringFound::CutOff,
    };
    let images = if near { nearest(a, b, [&pair.arc_ends[0], &pair.arc_ends[1]]) } else { identity };
    Renaming { images, found }
}

/// The search has used up its looks.
#[derive(Debug)]
struct CutOff;

/// The looks that remain for the search.
struct LookBudget {
    looks_left: u64,
}

impl LookBudget {
    fn take(&mut self, looks: usize) -> Result<(), CutOff> {
        self.looks_left = self.looks_left.checked_sub(looks as u64).ok_or(CutOff)?;
        Ok(())
    }
}

/// Two wirings side by side. Points of A are 0 .. n - 1, those of B n .. 2 n - 1.
struct WiringPair {
    points: usize,
    arc_ends: [Vec<Vec<ArcEnd>>; 2],
    colors: Vec<u32>,
}

impl WiringPair {
    fn new(a: &Wires, b: &Wires) -> Self {
        Self {
            points: a.colors.len(),
            arc_ends: [arc_ends(a), arc_ends(b)],
            colors: [&a.colors[..], &b.colors].concat(),
        }
    }

    fn arc_ends(&self, point: usize) -> (&[ArcEnd], usize) {
        if point < self.points {
            (&self.arc_ends[0][point], 0)
        } else {
            (&self.arc_ends[1][point - self.points], self.points)
        }
    }

    fn search(&self, work: &mut LookBudget) -> Result<Option<Vec<u32>>, CutOff> {
        let Some(colors) = self.refine_colors(self.colors.clone(), work)? else { return Ok(None) };
        if self.arc_ends.iter().all(|arc_ends| are_unique(arc_ends)) {
            return Ok(self.follow_arcs(&colors));
        }
        self.individualize(colors, work)
    }

    /// Refines colors until neighbors distinguish no further points. `None` if A and B have different numbers
    /// of points of some color.
    fn refine_colors(&self, mut colors: Vec<u32>, work: &mut LookBudget) -> Result<Option<Vec<u32>>, CutOff> {
        let mut count = 0;
        loop {
            let signature = |point: usize| {
                let (arc_ends, base) = self.arc_ends(point);
                let mut neighbor_colors: Vec<(u32, u32)> = arc_ends
                    .iter()
                    .map(|arc_end| (arc_end.kind, colors[base + arc_end.to as usize]))
                    .collect();
                neighbor_colors.sort_unstable();
                (colors[point], neighbor_colors, point)
            };
            let mut signatures: Vec<_> = (0..2 * self.points).map(signature).collect();
            work.take(
                2 * self.points
                    + signatures.iter().map(|(_, neighbor_colors, _)| neighbor_colors.len()).sum::<usize>(),
            )?;
            signatures.sort_unstable();
            let mut classes = 0;
            for group in signatures.chunk_by(|first, second| (first.0, &first.1) == (second.0, &second.1)) {
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

    /// Handles wirings in which all arc ends at a point differ in kind. The image of one point of every
    /// connected part then decides the rest of the part. Equal parts are interchangeable, so the first one
    /// that fits is taken.
    fn follow_arcs(&self, colors: &[u32]) -> Option<Vec<u32>> {
        let (mut images, mut taken_images) = (vec![u32::MAX; self.points], vec![false; self.points]);
        for root in 0..self.points {
            if images[root] != u32::MAX {
                continue;
            }
            // A point that keeps its name is preferred.
            let images_of_part = std::iter::once(root)
                .chain((0..self.points).filter(|&point| point != root))
                .find_map(|image| {
                    let fits = !taken_images[image] && colors[root] == colors[self.points + image];
                    fits.then(|| self.images_of_part(root, image, &images, &taken_images, colors)).flatten()
                })?;
            for (point, image) in images_of_part {
                images[point] = image as u32;
                taken_images[image] = true;
            }
        }
        Some(images)
    }

    /// The points connected with `root`, and their images if the image of `root` is `image`. `None` if they
    /// do not fit.
    fn images_of_part(
        &self,
        root: usize,
        image: usize,
        images: &[u32],
        taken_images: &[bool],
        colors: &[u32],
    ) -> Option<Vec<(usize, usize)>> {
        let mut image_of = std::collections::BTreeMap::from([(root, image)]);
        let mut used_images = std::collections::BTreeSet::from([image]);
        let mut open = vec![(root, image)];
        while let Some((point, image)) = open.pop() {
            let [own_ends, image_ends] = [&self.arc_ends[0][point], &self.arc_ends[1][image]];
            if own_ends.len() != image_ends.len() {
                return None;
            }
            for (own_end, image_end) in own_ends.iter().zip(image_ends) {
                let (target, image_of_target) = (own_end.to as usize, image_end.to as usize);
                match image_of.get(&target) {
                    Some(known_image)
                        if *known_image == image_of_target && own_end.kind == image_end.kind => {}
                    None if own_end.kind == image_end.kind
                        && colors[target] == colors[self.points + image_of_target] =>
                    {
                        if images[target] != u32::MAX
                            || taken_images[image_of_target]
                            || !used_images.insert(image_of_target)
                        {
                            return None;
                        }
                        image_of.insert(target, image_of_target);
                        open.push((target, image_of_target));
                    }
                    _ => return None,
                }
            }
        }
        Some(image_of.into_iter().collect())
    }

    /// Gives a point of the smallest class the place of a point of B, and so on until all points have images.
    fn individualize(&self, colors: Vec<u32>, work: &mut LookBudget) -> Result<Option<Vec<u32>>, CutOff> {
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
        let same_name = of_b.iter().find(|&&image| image == point + self.points);
        for &image in same_name.into_iter().chain(of_b.iter().filter(|&image| Some(image) != same_name)) {
            let mut chosen = colors.clone();
            let fresh = members.len() as u32;
            (chosen[point], chosen[image]) = (fresh, fresh);
            if let Some(refine_colors) = self.refine_colors(chosen, work)?
                && let Some(images) = self.individualize(refine_colors, work)?
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
