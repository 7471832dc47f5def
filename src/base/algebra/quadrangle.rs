//! Generalized quadrangles: points and lines such that a line and a point beside it have one projection.
//!
//! In a quadrangle of order (s, t), a line has s + 1 points and a point is on t + 1 lines. For a line and a
//! point that is not on it there is exactly one line through the point that meets the line. The numbers of
//! points and lines follow from their coordinates, below. The members of `ovoid` are points of which no two
//! are on a line, those of `spread` lines of which no two meet. Complete ones have s t + 1 members.
//!
//! Source: Payne and Thas, Finite Generalized Quadrangles, 2009. Cost: linear in the incident pairs.

use super::field::FiniteField;

/// A generalized quadrangle, as lists.
pub struct GeneralizedQuadrangle {
    /// `[line]`: the points that are on it.
    pub points_on: Vec<Vec<u32>>,
    /// `[point]`: the lines through it.
    pub lines_through: Vec<Vec<u32>>,
    /// Points of which no two are on a line, ascending.
    pub ovoid: Vec<u32>,
    /// Lines of which no two meet, ascending.
    pub spread: Vec<u32>,
}

impl GeneralizedQuadrangle {
    /// W(q), of order (q, q): the points of a space of three dimensions, and the lines that a symplectic form
    /// vanishes on.
    ///
    /// Point (x, y, z) has number (x q + y) q + z. Then come (k, b), (a) and a last one. Line [k, b, c] has
    /// the points (x, k x + b, b x + c) and (k, b), line [a, c] the points (a, y, c - a y) and (a).
    /// Line `[k]` joins all (k, b) to the last point, the last line all (a).
    pub fn symplectic(q: u32) -> Self {
        let field = FiniteField::new(q);
        let (sum, product) = (|a, b| field.sum(a, b), |a, b| field.product(a, b));
        let point = |x: u32, y: u32, z: u32| (x * q + y) * q + z;
        let (pairs, singles) = (q * q * q, q * q * q + q * q);
        let last = singles + q;
        let mut points_on = Vec::new();
        for [k, b, c] in triples(q) {
            let line = (0..q).map(|x| point(x, sum(product(k, x), b), sum(product(b, x), c)));
            points_on.push(line.chain([pairs + k * q + b]).collect());
        }
        for a in 0..q {
            for c in 0..q {
                let line = (0..q).map(|y| point(a, y, sum(c, field.negative(product(a, y)))));
                points_on.push(line.chain([singles + a]).collect());
            }
        }
        points_on.extend((0..q).map(|k| (0..q).map(|b| pairs + k * q + b).chain([last]).collect()));
        points_on.push((singles..=last).collect());
        let (alpha, beta) = rootless(&field);
        let spread = (0..q * q).map(|pair| {
            let (k, b) = (pair / q, pair % q);
            pair * q + sum(product(alpha, k), product(beta, b))
        });
        let ovoid: Vec<u32> = if q.is_multiple_of(2) {
            // z = alpha x^2 + x y + y^2, and the last point.
            let on_quadric = |pair: u32| {
                let (x, y) = (pair / q, pair % q);
                sum(product(alpha, product(x, x)), product(sum(x, y), y))
            };
            (0..q * q).map(|pair| pair * q + on_quadric(pair)).chain([last]).collect()
        } else {
            (0..q).chain((0..q).map(|k| pairs + k * q + 1)).chain([singles + 1]).collect()
        };
        Self::new(last + 1, points_on, ovoid, spread.chain([last]).collect())
    }

    /// H(3, q^2), of order (q^2, q): the points of a space of three dimensions over q^2 elements on which a
    /// Hermitian form vanishes, and the lines of such points. Its dual is the elliptic quadric Q-(5, q).
    ///
    /// The bar is the power q, and k, c, r are the elements that it keeps, by their rank. Point (x, y, r) is
    /// (x, y, r + x bar(y)). Points and lines are numbered as those of W(q), with these lines: [k, b, c] has
    /// the points (x, k x + bar(b), b x + c), and [a, c] the points (a, y, c - bar(a) y).
    pub fn hermitian(q: u32) -> Self {
        let (field, all) = (FiniteField::new(q * q), q * q);
        let (sum, product) = (|a, b| field.sum(a, b), |a, b| field.product(a, b));
        let bars: Vec<u32> = (0..all).map(|a| (1..q).fold(a, |power, _| product(power, a))).collect();
        let bar = |a: u32| bars[a as usize];
        let kept: Vec<u32> = (0..all).filter(|&a| bar(a) == a).collect();
        let rank = |a: u32| kept.partition_point(|&other| other < a) as u32;
        let point =
            |x: u32, y: u32, z: u32| (x * all + y) * q + rank(sum(z, field.negative(product(x, bar(y)))));
        let (pairs, singles) = (all * all * q, all * all * q + q * all);
        let last = singles + all;
        let mut points_on = Vec::new();
        for (k_rank, &k) in (0..).zip(&kept) {
            for b in 0..all {
                points_on.extend(kept.iter().map(|&c| {
                    let line = (0..all).map(|x| point(x, sum(product(k, x), bar(b)), sum(product(b, x), c)));
                    line.chain([pairs + k_rank * all + b]).collect()
                }));
            }
        }
        for a in 0..all {
            points_on.extend(kept.iter().map(|&c| {
                let line = (0..all).map(|y| point(a, y, sum(c, field.negative(product(bar(a), y)))));
                line.chain([singles + a]).collect()
            }));
        }
        points_on.extend((0..q).map(|k| (0..all).map(|b| pairs + k * all + b).chain([last]).collect()));
        points_on.push((singles..=last).collect());
        // A plane that is not tangent: y = m x, for an m that the bar changes.
        let slope = (0..all).find(|&m| bar(m) != m).expect("the bar keeps q elements of q^2");
        let ovoid = (0..all).flat_map(|x| (0..q).map(move |r| (x, r)));
        let ovoid = ovoid.map(|(x, r)| (x * all + product(slope, x)) * q + r).chain([last]).collect();
        let columns = all * all;
        let spread = (0..all).map(|b| b * q).chain([columns + 1, columns + all * q + 1]).collect();
        Self::new(last + 1, points_on, ovoid, spread)
    }

    /// T2*(O), of order (q - 1, q + 1) for an even q: the points of an affine space of three dimensions, and
    /// its lines of q + 2 directions, no three of which are in a plane.
    ///
    /// Point (x, y, z) has number (x q + y) q + z. Line [t, b, c] has the points (x, b + t x, c + t^2 x).
    /// Line [a, c] has the points (a, y, c), and line [a, b] the points (a, b, z), in this order.
    pub fn hyperoval(q: u32) -> Self {
        let field = FiniteField::new(q);
        let along = |base: u32, slope: u32, x: u32| field.sum(base, field.product(slope, x));
        let point = |x: u32, y: u32, z: u32| (x * q + y) * q + z;
        let mut points_on: Vec<Vec<u32>> = triples(q)
            .map(|[t, b, c]| {
                (0..q).map(|x| point(x, along(b, t, x), along(c, field.product(t, t), x))).collect()
            })
            .collect();
        points_on.extend(pairs(q).map(|[a, c]| (0..q).map(|y| point(a, y, c)).collect()));
        points_on.extend(pairs(q).map(|[a, b]| (0..q).map(|z| point(a, b, z)).collect()));
        // The plane z = alpha x + y has none of the directions.
        let (alpha, _) = rootless(&field);
        let ovoid = pairs(q).map(|[x, y]| point(x, y, along(y, alpha, x))).collect();
        let spread = (q * q * q + q * q..q * q * q + 2 * q * q).collect();
        Self::new(q * q * q, points_on, ovoid, spread)
    }

    /// AS(q) of Ahrens and Szekeres, of order (q - 1, q + 1) for an odd q: the points of an affine space of
    /// three dimensions, with lines and curves.
    ///
    /// Point (x, y, z) has number (x q + y) q + z. Line [c, b, a] has the points (c z^2 - b z + a, b - 2 c z,
    /// z), line [a, b] the points (a, y, b), and the last q^2 lines [a, b] the points (x, a, b).
    pub fn ahrens_szekeres(q: u32) -> Self {
        let field = FiniteField::new(q);
        let (sum, product) = (|a, b| field.sum(a, b), |a, b| field.product(a, b));
        let point = |x: u32, y: u32, z: u32| (x * q + y) * q + z;
        let mut points_on: Vec<Vec<u32>> = triples(q)
            .map(|[c, b, a]| {
                let on_curve = |z: u32| {
                    let (near, slope) = (product(c, z), sum(b, field.negative(product(c, z))));
                    // a - (b - c z) z, and (b - c z) - c z.
                    let x = sum(a, field.negative(product(slope, z)));
                    point(x, sum(slope, field.negative(near)), z)
                };
                (0..q).map(on_curve).collect()
            })
            .collect();
        points_on.extend(pairs(q).map(|[a, b]| (0..q).map(|y| point(a, y, b)).collect()));
        points_on.extend(pairs(q).map(|[a, b]| (0..q).map(|x| point(x, a, b)).collect()));
        let spread = (q * q * q + q * q..q * q * q + 2 * q * q).collect();
        Self::new(q * q * q, points_on, (0..q).map(|z| point(0, 1, z)).collect(), spread)
    }

    fn new(points: u32, points_on: Vec<Vec<u32>>, ovoid: Vec<u32>, spread: Vec<u32>) -> Self {
        let mut lines_through = vec![Vec::new(); points as usize];
        for (line, members) in (0..).zip(&points_on) {
            members.iter().for_each(|&point| lines_through[point as usize].push(line));
        }
        Self { points_on, lines_through, ovoid, spread }
    }
}

/// All triples of elements, the last one fastest.
fn triples(q: u32) -> impl Iterator<Item = [u32; 3]> {
    (0..q * q * q).map(move |number| [number / q / q, number / q % q, number % q])
}

/// All pairs of elements, the last one fastest.
fn pairs(q: u32) -> impl Iterator<Item = [u32; 2]> {
    (0..q * q).map(move |number| [number / q, number % q])
}

/// The least alpha, and beta, 1 for an even order and 0 for an odd one, such that no element x has
/// x^2 + beta x = alpha.
fn rootless(field: &FiniteField) -> (u32, u32) {
    let beta = u32::from(field.order().is_multiple_of(2));
    let has_root = |alpha: u32| (0..field.order()).any(|x| field.product(field.sum(x, beta), x) == alpha);
    let alpha = (0..field.order()).find(|&alpha| !has_root(alpha));
    (alpha.expect("the map is not one to one, so it misses an element"), beta)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verifies the axioms, and returns s, t and the members of the ovoid and the spread.
    fn examine(quadrangle: &GeneralizedQuadrangle) -> [usize; 4] {
        let GeneralizedQuadrangle { points_on, lines_through, ovoid, spread } = quadrangle;
        let (s, t) = (points_on[0].len() - 1, lines_through[0].len() - 1);
        assert!(points_on.iter().all(|points| points.len() == s + 1));
        assert!(lines_through.iter().all(|lines| lines.len() == t + 1));
        for (point, lines) in (0..).zip(lines_through) {
            // Every line has one point on a line through this one, or all of its points are.
            let mut seen = vec![0usize; points_on.len()];
            for other in lines.iter().flat_map(|&line| &points_on[line as usize]).filter(|&&p| p != point) {
                lines_through[*other as usize].iter().for_each(|&line| seen[line as usize] += 1);
            }
            for (line, &count) in seen.iter().enumerate() {
                let is_on = lines.contains(&(line as u32));
                assert_eq!(count, if is_on { s } else { 1 }, "point {point}, line {line}");
            }
        }
        let members = |list: &[u32], set: &[u32]| list.iter().filter(|member| set.contains(member)).count();
        assert!(points_on.iter().all(|points| members(points, ovoid) <= 1));
        assert!(lines_through.iter().all(|lines| members(lines, spread) <= 1));
        assert!(ovoid.is_sorted() && spread.is_sorted());
        [s, t, ovoid.len(), spread.len()]
    }

    #[test]
    fn the_axioms_hold() {
        for q in [2, 4, 8] {
            let size = q as usize;
            let complete = size * size + 1;
            assert_eq!(examine(&GeneralizedQuadrangle::symplectic(q)), [size, size, complete, complete]);
        }
        for q in [3, 5, 7, 9] {
            let size = q as usize;
            assert_eq!(
                examine(&GeneralizedQuadrangle::symplectic(q)),
                [size, size, 2 * size + 1, size * size + 1]
            );
            assert_eq!(
                examine(&GeneralizedQuadrangle::ahrens_szekeres(q)),
                [size - 1, size + 1, size, size * size]
            );
        }
        for q in [2, 3, 4] {
            let size = q as usize;
            assert_eq!(
                examine(&GeneralizedQuadrangle::hermitian(q)),
                [size * size, size, size.pow(3) + 1, size * size + 2]
            );
        }
        for q in [2, 4, 8] {
            let size = q as usize;
            assert_eq!(
                examine(&GeneralizedQuadrangle::hyperoval(q)),
                [size - 1, size + 1, size * size, size * size]
            );
        }
    }
}
