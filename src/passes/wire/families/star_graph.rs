//! Star graphs: permutations in lexicographic order, joined by an exchange of the first symbol with another.
//!
//! Source: Akers, Harel and Krishnamurthy 1987. Cost: the symbols squared, for every router.

/// Adds the neighbors of a router.
pub(super) fn neighbors(symbols: u32, router: u32, list: &mut Vec<u32>) {
    let mut permutation = permutation(symbols, router);
    for place in 1..symbols as usize {
        permutation.swap(0, place);
        list.push(rank(&permutation));
        permutation.swap(0, place);
    }
}

/// The permutation with this place in the lexicographic order.
fn permutation(symbols: u32, router: u32) -> Vec<u32> {
    // Digits to the bases 1, 2, .. from the last place on: the rank among the symbols that follow.
    let mut rest = router;
    let mut ranks: Vec<u32> = (1..=symbols).map(|base| (rest % base, rest /= base).0).collect();
    ranks.reverse();
    let mut remaining: Vec<u32> = (0..symbols).collect();
    ranks.into_iter().map(|rank| remaining.remove(rank as usize)).collect()
}

/// The place of a permutation in the lexicographic order.
fn rank(permutation: &[u32]) -> u32 {
    let mut rank = 0;
    for (place, symbol) in permutation.iter().enumerate() {
        let smaller = permutation[place..].iter().filter(|&later| later < symbol).count() as u32;
        rank = rank * (permutation.len() - place) as u32 + smaller;
    }
    rank
}
