//! A renaming under which few arcs differ, for two wirings that no renaming makes equal.
//!
//! The renaming grows from pairs of a point and its image. The next pair is always the one that most arcs
//! support. A short growth shows which pairs deserve a full one. The best result is improved by swaps of two
//! images. The result does not prove that fewer arcs could not differ. Cost is counted in looks at arcs.

use super::joined::ArcEnd;
use fabc_ir::{Wire, Wires};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Limit on looks at an arc: once for short growths, once for full ones, and once for swaps.
const LOOKS_LIMIT: usize = 1 << 26;
/// Number of points from which renamings grow.
const ROOTS: usize = 4;
/// Number of points in a short growth.
const SHORT_GROWTH: usize = 24;
/// Number of pairs from which renamings grow to the end.
const FULL_GROWTHS: usize = 16;

/// The images of the points of A. `arc_ends` are those of A and of B.
pub(super) fn nearest(a: &Wires, b: &Wires, arc_ends: [&[Vec<ArcEnd>]; 2]) -> Vec<u32> {
    let search = RenamingGrowth { a, b, arc_ends };
    let points = a.colors.len();
    let pairs = search.pairs();
    let looks_of_growth = 2 * (a.arcs.len() + b.arcs.len()) + points;
    let grown = pairs
        .into_iter()
        .take(FULL_GROWTHS.min(LOOKS_LIMIT / looks_of_growth.max(1)))
        .map(|pair| search.grow(Some(pair), points).0);
    // A renaming that keeps colors is better than one that does not.
    let identity: Vec<u32> = (0..).take(points).collect();
    let first = if a.colors == b.colors { identity } else { search.grow(None, points).0 };
    let renamed_points = |images: &[u32]| (0..).zip(images).filter(|(point, image)| point != *image).count();
    let candidates = std::iter::once(first)
        .chain(grown)
        .map(|images| (Reverse(search.common_arcs(&images)), renamed_points(&images), images));
    let best = candidates.min().map(|(.., images)| images).unwrap_or_default();
    search.improve(best)
}

struct RenamingGrowth<'a> {
    a: &'a Wires,
    b: &'a Wires,
    arc_ends: [&'a [Vec<ArcEnd>]; 2],
}

impl RenamingGrowth<'_> {
    /// Number of arcs that both wirings have under the renaming.
    fn common_arcs(&self, images: &[u32]) -> usize {
        count_common(&self.a.renamed(images), &self.b.arcs)
    }

    /// Pairs of a point and an image, sorted by the number of arcs that agree with their short growth.
    fn pairs(&self) -> Vec<(u32, u32)> {
        let points = self.a.colors.len();
        let arcs = (self.a.arcs.len() + self.b.arcs.len()).div_ceil(points.max(1));
        let (mut looks_left, mut ranked) = (LOOKS_LIMIT, Vec::new());
        for root in (0..points).step_by(points.div_ceil(ROOTS).max(1)) {
            for image in (0..points).filter(|&image| self.a.colors[root] == self.b.colors[image]) {
                let Some(remaining) = looks_left.checked_sub(SHORT_GROWTH * arcs.max(1)) else { break };
                looks_left = remaining;
                let pair = (root as u32, image as u32);
                ranked.push((Reverse(self.grow(Some(pair), SHORT_GROWTH).1), pair));
            }
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, pair)| pair).collect()
    }

    /// Grows a renaming from a pair, or from nothing, to `point_limit` points. Also returns the number of
    /// arcs that agreed.
    fn grow(&self, root: Option<(u32, u32)>, point_limit: usize) -> (Vec<u32>, u64) {
        let points = self.a.colors.len();
        let (mut agreed, mut placed_points) = (0, 0);
        let (mut images, mut taken_images) = (vec![u32::MAX; points], vec![false; points]);
        let mut votes: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut queue: BinaryHeap<(u32, Reverse<(u32, u32)>)> =
            root.into_iter().map(|pair| (0, Reverse(pair))).collect();
        // The smallest points that may still lack an image, or may still be no image.
        let (mut first_point, mut first_image) = (0, 0);
        loop {
            if placed_points == point_limit {
                return (images, agreed);
            }
            let (pair, pair_votes) = loop {
                match queue.pop() {
                    Some((pair_votes, Reverse((point, image))))
                        if images[point as usize] == u32::MAX && !taken_images[image as usize] =>
                    {
                        break ((point, image), pair_votes);
                    }
                    Some(_) => {}
                    None => {
                        while first_point < points && images[first_point] != u32::MAX {
                            first_point += 1;
                        }
                        while first_image < points && taken_images[first_image] {
                            first_image += 1;
                        }
                        if first_point == points {
                            return (images, agreed);
                        }
                        let fits = |image: &usize| {
                            !taken_images[*image] && self.a.colors[first_point] == self.b.colors[*image]
                        };
                        let own_image = Some(first_point).filter(fits);
                        // Colors occur equally often in both. If they do not, any image is accepted.
                        let image =
                            own_image.or_else(|| (first_image..points).find(fits)).unwrap_or(first_image);
                        break ((first_point as u32, image as u32), 0);
                    }
                }
            };
            placed_points += 1;
            agreed += u64::from(pair_votes);
            let (point, image) = (pair.0 as usize, pair.1 as usize);
            images[point] = pair.1;
            taken_images[image] = true;
            for (end_a, end_b) in matching_ends(&self.arc_ends[0][point], &self.arc_ends[1][image]) {
                let (target, image_of_target) = (end_a.to as usize, end_b.to as usize);
                if images[target] == u32::MAX
                    && !taken_images[image_of_target]
                    && self.a.colors[target] == self.b.colors[image_of_target]
                {
                    let vote = votes.entry((end_a.to, end_b.to)).or_default();
                    *vote += 1;
                    queue.push((*vote, Reverse((end_a.to, end_b.to))));
                }
            }
        }
    }

    /// Swaps two images as long as that keeps more arcs.
    fn improve(&self, mut images: Vec<u32>) -> Vec<u32> {
        let points = images.len();
        let mut looks_left = LOOKS_LIMIT;
        // Number of arcs at the two points that B has as well.
        let kept_arcs = |images: &[u32], swapped: [usize; 2]| {
            let arcs = swapped
                .iter()
                .flat_map(|&point| self.arc_ends[0][point].iter().map(move |arc_end| (point, arc_end)));
            // An arc between the two points would count twice.
            let arcs =
                arcs.filter(|(point, arc_end)| *point == swapped[0] || arc_end.to as usize != swapped[0]);
            arcs.filter(|(point, arc_end)| {
                let image = ArcEnd { kind: arc_end.kind, to: images[arc_end.to as usize] };
                self.arc_ends[1][images[*point] as usize].binary_search(&image).is_ok()
            })
            .count()
        };
        loop {
            let mut improved = false;
            for first in 0..points {
                for second in first + 1..points {
                    if self.a.colors[first] != self.a.colors[second] {
                        continue;
                    }
                    let looks = 2 * (self.arc_ends[0][first].len() + self.arc_ends[0][second].len());
                    let Some(remaining) = looks_left.checked_sub(looks) else { return images };
                    looks_left = remaining;
                    let before = kept_arcs(&images, [first, second]);
                    images.swap(first, second);
                    if kept_arcs(&images, [first, second]) > before {
                        improved = true;
                    } else {
                        images.swap(first, second);
                    }
                }
            }
            if !improved {
                return images;
            }
        }
    }
}

/// Pairs of arc ends of the same kind at two points. Both lists ascend.
fn matching_ends<'j>(
    ends_a: &'j [ArcEnd],
    ends_b: &'j [ArcEnd],
) -> impl Iterator<Item = (&'j ArcEnd, &'j ArcEnd)> {
    let mut remaining = ends_b;
    ends_a.iter().filter_map(move |end_a| {
        remaining = &remaining[remaining.iter().take_while(|end_b| end_b.kind < end_a.kind).count()..];
        remaining.first().filter(|end_b| end_b.kind == end_a.kind).map(|end_b| (end_a, end_b))
    })
}

/// The number of items that two ascending lists have in common.
fn count_common(first: &[Wire], second: &[Wire]) -> usize {
    let (mut index, mut count) = (0, 0);
    for arc in first {
        while second.get(index).is_some_and(|second| second < arc) {
            index += 1;
        }
        if second.get(index) == Some(arc) {
            count += 1;
            index += 1;
        }
    }
    count
}
