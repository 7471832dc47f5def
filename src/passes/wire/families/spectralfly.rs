//! Spectralflies: the Ramanujan graphs of Lubotzky, Phillips and Sarnak.
//!
//! Routers are the 2 x 2 integer matrices modulo q, up to scalars, that rho + 1 generators produce. They are
//! numbered breadth first from the identity, with generators in the order of their tuples. A tuple (a0, a1,
//! a2, a3) of norm rho stands for the matrix [[a0 + a1 x + a3 y, -a1 y + a2 + a3 x], [-a1 y - a2 + a3 x, a0 -
//! a1 x - a3 y]], where x^2 + y^2 + 1 = 0 modulo q. Sources: Lubotzky, Phillips and Sarnak 1988; Young and
//! others 2022 (SpectralFly). Cost: routers x rho.

use crate::wire::edge::UnnumberedLink;
use fabc_model::Network;
use std::collections::BTreeMap;

type Matrix = [u32; 4];

/// The links of a spectralfly.
pub(super) fn edges(network: &Network, rho: u32, q: u32) -> Vec<UnnumberedLink> {
    let generators = generators(rho, q);
    let mut numbers: BTreeMap<Matrix, u32> = BTreeMap::from([([1, 0, 0, 1], 0)]);
    let mut routers = vec![[1, 0, 0, 1]];
    let mut edges = Vec::new();
    let mut next = 0;
    while let Some(&router) = routers.get(next) {
        for generator in &generators {
            let product = normalize(matrix_product(router, *generator, q), q);
            let other = *numbers.entry(product).or_insert_with(|| {
                routers.push(product);
                routers.len() as u32 - 1
            });
            // Generators come with their inverses, so every link is met from both ends.
            if other > next as u32 {
                edges.push(UnnumberedLink::local(network, [next as u32, other]));
            }
        }
        next += 1;
    }
    edges
}

/// One matrix for every tuple of norm rho, up to sign. If rho is 1 modulo 4, a0 is odd and positive.
/// Otherwise a0 is even, and the first number of the tuple that is not 0 is positive.
fn generators(rho: u32, q: u32) -> Vec<Matrix> {
    let (rho, q) = (i64::from(rho), i64::from(q));
    let largest = (1..).find(|root| root * root > rho).unwrap_or(1) - 1;
    let is_generator = |tuple: &[i64; 4]| {
        let [first, ..] = *tuple;
        let positive = match rho % 4 {
            1 => first % 2 != 0 && first > 0,
            _ => {
                first % 2 == 0 && tuple.iter().find(|&&number| number != 0).is_some_and(|&number| number > 0)
            }
        };
        positive && tuple.iter().map(|number| number * number).sum::<i64>() == rho
    };
    let numbers = || -largest..=largest;
    let tuples = numbers().flat_map(|a| {
        numbers().flat_map(move |b| numbers().flat_map(move |c| numbers().map(move |d| [a, b, c, d])))
    });
    let roots = (0..q).flat_map(|x| (0..q).map(move |y| (x, y)));
    let (x, y) =
        roots.into_iter().find(|(x, y)| (x * x + y * y + 1) % q == 0).expect("-1 is a sum of two squares");
    let matrix = |[a, b, c, d]: [i64; 4]| {
        [a + b * x + d * y, -b * y + c + d * x, -b * y - c + d * x, a - b * x - d * y]
    };
    let reduced = |tuple| normalize(matrix(tuple).map(|number| number.rem_euclid(q) as u32), q as u32);
    tuples.filter(is_generator).map(reduced).collect()
}

fn matrix_product(a: Matrix, b: Matrix, q: u32) -> Matrix {
    let entry = |row: usize, column: usize| (a[2 * row] * b[column] + a[2 * row + 1] * b[2 + column]) % q;
    [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)]
}

/// The scalar multiple of a matrix whose first entry that is not 0 is 1.
fn normalize(matrix: Matrix, q: u32) -> Matrix {
    let first = matrix.into_iter().find(|&entry| entry != 0).expect("generators are invertible");
    let inverse = (1..q).find(|inverse| first * inverse % q == 1).expect("q is prime");
    matrix.map(|entry| entry * inverse % q)
}
