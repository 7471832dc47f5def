//! Closes generators, as files list them, under composition.

use crate::Symmetry;
use fabc_base::ids::BlockId;
use std::collections::BTreeSet;

/// Why generators do not make the required group. Generators are counted as listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoGroup {
    /// A generator that does not have one image for every router, but `images`.
    Length {
        generator: usize,
        images: usize,
    },
    /// A generator that takes a router to a place where the rest of its block does not go.
    Torn {
        generator: usize,
        router: u32,
        image: u32,
    },
    NoPermutation {
        generator: usize,
    },
    /// An element other than the identity that leaves this block in place.
    Fixes {
        block: usize,
    },
    /// More elements than there are points.
    TooMany,
}

/// All products of permutations of `points` points, the identity first, the others ascending. With `freely`,
/// only the identity may leave a point in place. A group that acts freely has at most as many elements as
/// points, so the closure stops beyond that.
///
/// # Errors
/// The first generator that is no permutation, or the requirement that the group violates.
pub fn closure(points: usize, generators: &[Vec<u32>], freely: bool) -> Result<Vec<Vec<u32>>, NoGroup> {
    for (generator, images) in generators.iter().enumerate() {
        let distinct: BTreeSet<u32> = images.iter().copied().collect();
        if images.len() != points
            || distinct.len() != points
            || distinct.last().is_some_and(|last| *last as usize >= points)
        {
            return Err(NoGroup::NoPermutation { generator });
        }
    }
    let identity: Vec<u32> = (0..points as u32).collect();
    let mut elements = BTreeSet::from([identity.clone()]);
    let mut open = vec![identity];
    while let Some(element) = open.pop() {
        for generator in generators {
            let product: Vec<u32> = element.iter().map(|point| generator[*point as usize]).collect();
            if elements.contains(&product) {
                continue;
            }
            if let Some(block) = (0..points).find(|&point| freely && product[point] as usize == point) {
                return Err(NoGroup::Fixes { block });
            }
            elements.insert(product.clone());
            open.push(product);
            if elements.len() > points {
                return Err(NoGroup::TooMany);
            }
        }
    }
    Ok(elements.into_iter().collect())
}

/// The group of generators that list the image of every router, and move whole blocks of `size` routers:
/// cubes in a pod, groups in a dragonfly. Only the identity may leave a block in place.
///
/// # Errors
/// The first generator that does not permute blocks, or the requirement that the group violates.
pub fn of_blocks(size: u32, blocks: u32, generators: &[Vec<u32>]) -> Result<Symmetry, NoGroup> {
    let mut moves = Vec::new();
    for (generator, images) in generators.iter().enumerate() {
        if images.len() as u64 != u64::from(size) * u64::from(blocks) {
            return Err(NoGroup::Length { generator, images: images.len() });
        }
        let to: Vec<u32> = images.iter().step_by(size as usize).map(|image| image / size).collect();
        for (router, &image) in (0..).zip(images) {
            if u64::from(to[(router / size) as usize]) * u64::from(size) + u64::from(router % size)
                != u64::from(image)
            {
                return Err(NoGroup::Torn { generator, router, image });
            }
        }
        let distinct: BTreeSet<u32> = to.iter().copied().collect();
        if distinct.len() != to.len() || distinct.last().is_some_and(|last| *last >= blocks) {
            return Err(NoGroup::NoPermutation { generator });
        }
        moves.push(to);
    }
    let elements = closure(blocks as usize, &moves, true)?;
    Ok(Symmetry::new(
        size,
        elements.into_iter().map(|element| element.into_iter().map(BlockId).collect()).collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The routers of a pod with two in a cube, when cube k moves to `images[k]`.
    fn routers(images: [u32; 4]) -> Vec<u32> {
        images.iter().flat_map(|cube| [cube * 2, cube * 2 + 1]).collect()
    }

    #[test]
    fn generators_are_closed_to_a_group() {
        assert!(of_blocks(2, 4, &[]).unwrap().is_trivial());
        assert_eq!(of_blocks(2, 4, &[routers([1, 2, 3, 0])]).unwrap().order(), 4);
        assert_eq!(of_blocks(2, 4, &[routers([1, 0, 3, 2])]).unwrap().order(), 2);
        assert_eq!(of_blocks(2, 4, &[routers([1, 0, 3, 2]), routers([2, 3, 0, 1])]).unwrap().order(), 4);
    }

    #[test]
    fn what_is_no_translation_is_refused() {
        let generator = 0;
        for (wrong, why) in [
            (routers([1, 0, 2, 3]), NoGroup::Fixes { block: 2 }),
            (routers([1, 2, 0, 3]), NoGroup::Fixes { block: 3 }),
            (routers([9, 2, 3, 0]), NoGroup::NoPermutation { generator }),
            (routers([1, 1, 1, 1]), NoGroup::NoPermutation { generator }),
            (vec![0, 1], NoGroup::Length { generator, images: 2 }),
            (vec![2, 3, 0, 1, 7, 6, 5, 4], NoGroup::Torn { generator, router: 4, image: 7 }),
        ] {
            assert_eq!(of_blocks(2, 4, std::slice::from_ref(&wrong)).unwrap_err(), why, "{wrong:?}");
        }
        // Two swaps whose product leaves a cube in place.
        assert!(matches!(
            of_blocks(2, 4, &[routers([1, 0, 3, 2]), routers([1, 2, 3, 0])]),
            Err(NoGroup::Fixes { .. })
        ));
    }

    #[test]
    fn a_group_may_leave_points_in_place_where_nobody_asks() {
        assert_eq!(closure(3, &[vec![1, 0, 2]], false).unwrap(), [[0, 1, 2], [1, 0, 2]]);
        assert_eq!(closure(3, &[vec![1, 0, 2]], true), Err(NoGroup::Fixes { block: 2 }));
        // All six permutations of three points.
        assert_eq!(closure(3, &[vec![1, 0, 2], vec![1, 2, 0]], false), Err(NoGroup::TooMany));
        assert_eq!(closure(2, &[vec![0, 0]], false), Err(NoGroup::NoPermutation { generator: 0 }));
    }
}
