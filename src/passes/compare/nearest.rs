//! Nearest: a renaming under which few arcs differ, where none makes two wirings one.
//!
//! From pairs of a point and its image the renaming grows: next comes always the pair for which most arcs
//! speak. A short growth tells which pairs are worth a whole one; the best that grew is improved by swaps of
//! two images. What comes out is no proof that fewer arcs could not differ. Cost is counted in looks at arcs.

use super::joined::Joint;
use fabc_ir::{Wire, Wires};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Looks at an arc that short growths may take, and as many for whole ones, and for swaps.
const LOOKS: usize = 1 << 26;
/// Points from which renamings grow.
const ROOTS: usize = 4;
/// Points of a short growth.
const SHORT: usize = 24;
/// Pairs from which renamings grow to the end.
const WHOLE: usize = 16;

/// The images of the points of A; `joints` are those of A and of B.
pub(super) fn nearest(a: &Wires, b: &Wires, joints: [&[Vec<Joint>]; 2]) -> Vec<u32> {
    let search = Search { a, b, joints };
    let points = a.colors.len();
    let pairs = search.pairs();
    let whole = 2 * (a.arcs.len() + b.arcs.len()) + points;
    let grown = pairs
        .into_iter()
        .take(WHOLE.min(LOOKS / whole.max(1)))
        .map(|pair| search.grown(Some(pair), points).0);
    // Any that keeps colors is better than one that does not.
    let identity: Vec<u32> = (0..).take(points).collect();
    let first = if a.colors == b.colors { identity } else { search.grown(None, points).0 };
    let renamed = |images: &[u32]| (0..).zip(images).filter(|(point, image)| point != *image).count();
    let all = std::iter::once(first)
        .chain(grown)
        .map(|images| (Reverse(search.kept(&images)), renamed(&images), images));
    let best = all.min().map(|(.., images)| images).unwrap_or_default();
    search.improved(best)
}

struct Search<'a> {
    a: &'a Wires,
    b: &'a Wires,
    joints: [&'a [Vec<Joint>]; 2],
}

impl Search<'_> {
    /// Arcs that both have.
    fn kept(&self, images: &[u32]) -> usize {
        common(&self.a.renamed(images), &self.b.arcs)
    }

    /// Pairs of a point and an image, the ones first whose short growth most arcs agree with.
    fn pairs(&self) -> Vec<(u32, u32)> {
        let points = self.a.colors.len();
        let arcs = (self.a.arcs.len() + self.b.arcs.len()).div_ceil(points.max(1));
        let (mut left, mut told) = (LOOKS, Vec::new());
        for root in (0..points).step_by(points.div_ceil(ROOTS).max(1)) {
            for image in (0..points).filter(|&image| self.a.colors[root] == self.b.colors[image]) {
                let Some(rest) = left.checked_sub(SHORT * arcs.max(1)) else { break };
                left = rest;
                let pair = (root as u32, image as u32);
                told.push((Reverse(self.grown(Some(pair), SHORT).1), pair));
            }
        }
        told.sort_unstable();
        told.into_iter().map(|(_, pair)| pair).collect()
    }

    /// Grows a renaming from a pair, or from nothing, to so many points; and how many arcs agreed on the way.
    fn grown(&self, root: Option<(u32, u32)>, most: usize) -> (Vec<u32>, u64) {
        let points = self.a.colors.len();
        let (mut agreed, mut placed) = (0, 0);
        let (mut images, mut taken) = (vec![u32::MAX; points], vec![false; points]);
        let mut votes: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut open: BinaryHeap<(u32, Reverse<(u32, u32)>)> =
            root.into_iter().map(|pair| (0, Reverse(pair))).collect();
        // The smallest points that may have no image, and that may be nobody's.
        let (mut first, mut free) = (0, 0);
        loop {
            if placed == most {
                return (images, agreed);
            }
            let (pair, spoke) = loop {
                match open.pop() {
                    Some((spoke, Reverse((point, image))))
                        if images[point as usize] == u32::MAX && !taken[image as usize] =>
                    {
                        break ((point, image), spoke);
                    }
                    Some(_) => {}
                    None => {
                        while first < points && images[first] != u32::MAX {
                            first += 1;
                        }
                        while free < points && taken[free] {
                            free += 1;
                        }
                        if first == points {
                            return (images, agreed);
                        }
                        let fits =
                            |image: &usize| !taken[*image] && self.a.colors[first] == self.b.colors[*image];
                        let own = Some(first).filter(fits);
                        // Colors occur as often in both; where they do not, any will do.
                        let image = own.or_else(|| (free..points).find(fits)).unwrap_or(free);
                        break ((first as u32, image as u32), 0);
                    }
                }
            };
            placed += 1;
            agreed += u64::from(spoke);
            let (point, image) = (pair.0 as usize, pair.1 as usize);
            images[point] = pair.1;
            taken[image] = true;
            for (own, other) in alike(&self.joints[0][point], &self.joints[1][image]) {
                let (to, goes) = (own.to as usize, other.to as usize);
                if images[to] == u32::MAX && !taken[goes] && self.a.colors[to] == self.b.colors[goes] {
                    let vote = votes.entry((own.to, other.to)).or_default();
                    *vote += 1;
                    open.push((*vote, Reverse((own.to, other.to))));
                }
            }
        }
    }

    /// Swaps two images as long as that keeps more arcs.
    fn improved(&self, mut images: Vec<u32>) -> Vec<u32> {
        let points = images.len();
        let mut left = LOOKS;
        // Arcs at a point that B has as well, where two points have other images.
        let kept_at = |images: &[u32], ends: [usize; 2]| {
            let own =
                ends.iter().flat_map(|&point| self.joints[0][point].iter().map(move |joint| (point, joint)));
            // An arc between the two would count twice.
            let own = own.filter(|(point, joint)| *point == ends[0] || joint.to as usize != ends[0]);
            own.filter(|(point, joint)| {
                let there = Joint { kind: joint.kind, to: images[joint.to as usize] };
                self.joints[1][images[*point] as usize].binary_search(&there).is_ok()
            })
            .count()
        };
        loop {
            let mut any = false;
            for one in 0..points {
                for other in one + 1..points {
                    if self.a.colors[one] != self.a.colors[other] {
                        continue;
                    }
                    let looks = 2 * (self.joints[0][one].len() + self.joints[0][other].len());
                    let Some(rest) = left.checked_sub(looks) else { return images };
                    left = rest;
                    let before = kept_at(&images, [one, other]);
                    images.swap(one, other);
                    if kept_at(&images, [one, other]) > before {
                        any = true;
                    } else {
                        images.swap(one, other);
                    }
                }
            }
            if !any {
                return images;
            }
        }
    }
}

/// Joints of one kind of two points, in pairs; both ascend.
fn alike<'j>(own: &'j [Joint], other: &'j [Joint]) -> impl Iterator<Item = (&'j Joint, &'j Joint)> {
    let mut rest = other;
    own.iter().filter_map(move |joint| {
        rest = &rest[rest.iter().take_while(|other| other.kind < joint.kind).count()..];
        rest.first().filter(|other| other.kind == joint.kind).map(|other| (joint, other))
    })
}

/// How many items two ascending lists have in common.
fn common(one: &[Wire], other: &[Wire]) -> usize {
    let (mut at, mut count) = (0, 0);
    for arc in one {
        while other.get(at).is_some_and(|other| other < arc) {
            at += 1;
        }
        if other.get(at) == Some(arc) {
            count += 1;
            at += 1;
        }
    }
    count
}
