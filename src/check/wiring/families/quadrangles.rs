//! The rule of pairs of a point and a line of a generalized quadrangle.
//!
//! Points are vectors. What is on a line follows from the form, the directions or the curves that define the
//! quadrangle, not from lists of points. Routers with copies are found by the equations of their set.

use super::form_space::{FormSpace, Vector, split};
use crate::field::LogField;
use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;
use fabc_model::{PointsAndLines, Quadrangle, QuadranglePairs};

/// The least alpha without an x such that x^2 + beta x = alpha, and beta, 1 for an even order and 0 for an
/// odd one.
fn missed_value(field: &LogField) -> (u32, u32) {
    let beta = (field.order() + 1) % 2;
    let values: Vec<u32> =
        (0..field.order()).map(|x| field.sum(field.product(x, x), field.product(beta, x))).collect();
    ((0..field.order()).find(|alpha| !values.contains(alpha)).unwrap_or(0), beta)
}

/// Which points are on which lines, and the sets of points and lines whose pairs have copies.
struct IncidenceTable {
    lines: u32,
    /// `[point * lines + line]`
    incident: Vec<bool>,
    ovoid: Vec<u32>,
    spread: Vec<u32>,
}

impl IncidenceTable {
    fn new(pairs: &QuadranglePairs) -> Self {
        let q = pairs.q;
        match pairs.quadrangle {
            Quadrangle::Symplectic => symplectic(q),
            Quadrangle::Hermitian => hermitian(q),
            Quadrangle::Hyperoval => hyperoval(q),
            Quadrangle::AhrensSzekeres => ahrens_szekeres(q),
        }
    }
    fn collect(
        PointsAndLines { points, lines }: PointsAndLines,
        is_on: impl Fn(u32, u32) -> bool,
        in_ovoid: impl Fn(u32) -> bool,
        in_spread: impl Fn(u32) -> bool,
    ) -> Self {
        let pairs = (0..points * lines).map(|pair| split(pair, lines));
        Self {
            lines,
            incident: pairs.map(|(point, line)| is_on(point, line)).collect(),
            ovoid: (0..points).filter(|&point| in_ovoid(point)).collect(),
            spread: (0..lines).filter(|&line| in_spread(line)).collect(),
        }
    }
    fn points(&self) -> u32 {
        self.incident.len() as u32 / self.lines
    }
    fn is_on(&self, point: u32, line: u32) -> bool {
        self.incident[(point * self.lines + line) as usize]
    }
    /// Number of pairs of a point and a line through it.
    fn flags(&self) -> u64 {
        self.incident.iter().filter(|&&is_on| is_on).count() as u64
    }
}

/// The points of a space, and the lines on which a symplectic form vanishes: a point is on such a line if it
/// is orthogonal to two vectors that span the line.
fn symplectic(q: u32) -> IncidenceTable {
    let space = FormSpace::new(q, 1);
    let count = q * q * q + q * q + q + 1;
    let vectors: Vec<Vector> = (0..count)
        .map(|point| match point.checked_sub(q * q * q) {
            None => [1, point / q / q, point / q % q, point % q],
            Some(pair) if pair < q * q => [0, 1, pair / q, pair % q],
            Some(single) if single < q * q + q => [0, 0, 1, space.negative(single - q * q)],
            Some(_) => [0, 0, 0, 1],
        })
        .collect();
    let spans: Vec<[Vector; 2]> = (0..count)
        .map(|line| match line.checked_sub(q * q * q) {
            None => {
                let [k, b, c] = [line / q / q, line / q % q, line % q];
                [[0, 1, k, b], [1, 0, b, c]]
            }
            Some(pair) if pair < q * q => {
                let (a, c) = split(pair, q);
                [[0, 0, 1, space.negative(a)], [1, a, 0, c]]
            }
            Some(single) if single < q * q + q => [[0, 1, single - q * q, 0], [0, 0, 0, 1]],
            Some(_) => [[0, 0, 1, 0], [0, 0, 0, 1]],
        })
        .collect();
    let is_on = |point: u32, line: u32| {
        spans[line as usize].iter().all(|&span| space.are_orthogonal(vectors[point as usize], span))
    };
    let field = &space.field;
    let (alpha, beta) = missed_value(field);
    // The quadric u0 u3 = alpha u1^2 + u1 u2 + u2^2 for an even order. Otherwise two sets of points, each on
    // a line that is not of the quadrangle, and one point more.
    let in_ovoid = |point: u32| {
        let [u0, u1, u2, u3] = vectors[point as usize];
        match q % 2 {
            0 => {
                let square = field.product(alpha, field.product(u1, u1));
                field.product(u0, u3) == field.sum(square, field.product(field.sum(u1, u2), u2))
            }
            _ => match (u0, u1) {
                (1, _) => u1 == 0 && u2 == 0,
                (_, 1) => u3 == 1,
                _ => u2 == 1 && u3 == space.negative(1),
            },
        }
    };
    let in_spread = |line: u32| match line.checked_sub(q * q * q) {
        None => {
            let [[_, _, k, b], [.., c]] = spans[line as usize];
            c == field.sum(field.product(alpha, k), field.product(beta, b))
        }
        Some(other) => other == q * q + q,
    };
    IncidenceTable::collect(PointsAndLines { points: count, lines: count }, is_on, in_ovoid, in_spread)
}

/// The points of a space over q^2 elements on which a Hermitian form vanishes, and the lines of such points.
fn hermitian(q: u32) -> IncidenceTable {
    let (space, all) = (FormSpace::new(q * q, q), q * q);
    let field = &space.field;
    let kept: Vec<u32> = (0..all).filter(|&a| space.bar(a) == a).collect();
    let (points, lines) = ((all + 1) * (all * q + 1), (q + 1) * (all * q + 1));
    let vectors: Vec<Vector> = (0..points)
        .map(|point| match point.checked_sub(all * all * q) {
            None => {
                let (x, y, r) = (point / q / all, point / q % all, kept[(point % q) as usize]);
                [1, x, y, field.sum(r, field.product(x, space.bar(y)))]
            }
            Some(pair) if pair < q * all => [0, 1, kept[(pair / all) as usize], pair % all],
            // The number of a point at infinity is that of the lines [a, c] through it.
            Some(single) if single < q * all + all => [0, 0, 1, space.negative(space.bar(single - q * all))],
            Some(_) => [0, 0, 0, 1],
        })
        .collect();
    let spans: Vec<[Vector; 2]> = (0..lines)
        .map(|line| match line.checked_sub(all * all) {
            None => {
                let (k, b, c) = (line / q / all, line / q % all, line % q);
                [[0, 1, kept[k as usize], b], [1, 0, space.bar(b), kept[c as usize]]]
            }
            Some(pair) if pair < all * q => {
                let (a, c) = split(pair, q);
                [[0, 0, 1, space.negative(space.bar(a))], [1, a, 0, kept[c as usize]]]
            }
            Some(single) if single < all * q + q => {
                [[0, 1, kept[(single - all * q) as usize], 0], [0, 0, 0, 1]]
            }
            Some(_) => [[0, 0, 1, 0], [0, 0, 0, 1]],
        })
        .collect();
    let is_on = |point: u32, line: u32| {
        spans[line as usize].iter().all(|&span| space.are_orthogonal(vectors[point as usize], span))
    };
    // The points of a plane that is not tangent.
    let slope = (0..all).find(|&m| space.bar(m) != m).unwrap_or(0);
    let in_ovoid = |point: u32| {
        let [_, u1, u2, _] = vectors[point as usize];
        u2 == field.product(slope, u1)
    };
    let in_spread = |line: u32| match line.checked_sub(all * all) {
        None => line < all * q && line.is_multiple_of(q),
        Some(other) => other == 1 || other == all * q + 1,
    };
    IncidenceTable::collect(PointsAndLines { points, lines }, is_on, in_ovoid, in_spread)
}

/// The points of an affine space, and its lines in q + 2 directions.
fn hyperoval(q: u32) -> IncidenceTable {
    let field = LogField::new(q);
    let cubed = q * q * q;
    let point_of = |point: u32| [point / q / q, point / q % q, point % q];
    let is_on = |point: u32, line: u32| {
        let (base, direction) = match line.checked_sub(cubed) {
            None => {
                let [t, b, c] = point_of(line);
                ([0, b, c], [1, t, field.product(t, t)])
            }
            Some(pair) if pair < q * q => ([pair / q, 0, pair % q], [0, 1, 0]),
            Some(pair) => {
                let (a, b) = split(pair - q * q, q);
                ([a, b, 0], [0, 0, 1])
            }
        };
        let apart = [0, 1, 2].map(|axis| field.difference(point_of(point)[axis], base[axis]));
        [(0, 1), (1, 2), (2, 0)]
            .into_iter()
            .all(|(i, j)| field.product(apart[i], direction[j]) == field.product(apart[j], direction[i]))
    };
    let (alpha, _) = missed_value(&field);
    let in_ovoid = |point: u32| {
        let [x, y, z] = point_of(point);
        z == field.sum(field.product(alpha, x), y)
    };
    IncidenceTable::collect(
        PointsAndLines { points: cubed, lines: cubed + 2 * q * q },
        is_on,
        in_ovoid,
        |line| line >= cubed + q * q,
    )
}

/// The points of an affine space, its lines in two directions, and curves.
fn ahrens_szekeres(q: u32) -> IncidenceTable {
    let field = LogField::new(q);
    let cubed = q * q * q;
    let is_on = |point: u32, line: u32| {
        let [x, y, z] = [point / q / q, point / q % q, point % q];
        match line.checked_sub(cubed) {
            None => {
                let [c, b, a] = [line / q / q, line / q % q, line % q];
                let cz = field.product(c, z);
                // y = b - 2 c z, and x + b z = a + c z^2.
                field.sum(y, field.sum(cz, cz)) == b
                    && field.sum(x, field.product(b, z)) == field.sum(a, field.product(cz, z))
            }
            Some(pair) if pair < q * q => (x, z) == split(pair, q),
            Some(pair) => (y, z) == split(pair - q * q, q),
        }
    };
    let in_ovoid = |point: u32| point / q == 1;
    IncidenceTable::collect(
        PointsAndLines { points: cubed, lines: cubed + 2 * q * q },
        is_on,
        in_ovoid,
        |line| line >= cubed + q * q,
    )
}

/// Pairs of a point and a line, joined where the point of each is on the line of the other. A copy of a pair
/// is joined to the neighbors of that pair.
pub(super) struct PairsRule {
    table: IncidenceTable,
    /// Number of links of a pair that is not a flag, and has no neighbor with copies.
    degree: u32,
    copies: u32,
}

impl PairsRule {
    pub(super) fn new(pairs: &QuadranglePairs) -> Self {
        let table = IncidenceTable::new(pairs);
        let on_line = (0..table.points()).filter(|&point| table.is_on(point, 0)).count();
        let through = (0..table.lines).filter(|&line| table.is_on(0, line)).count();
        Self { degree: (on_line * through) as u32, table, copies: pairs.copies }
    }
    fn originals(&self) -> u32 {
        self.table.incident.len() as u32
    }
    fn members(&self) -> u32 {
        (self.table.ovoid.len() * self.table.spread.len()) as u32
    }
    /// The point and the line of a router, or of the router that it is a copy of.
    fn pair(&self, router: u32) -> (u32, u32) {
        match router.checked_sub(self.originals()) {
            None => split(router, self.table.lines),
            Some(copy) => {
                let (point, line) = split(copy % self.members(), self.table.spread.len() as u32);
                (self.table.ovoid[point as usize], self.table.spread[line as usize])
            }
        }
    }
}

impl FamilyRule for PairsRule {
    fn routers(&self) -> usize {
        self.originals() as usize + self.copies as usize * self.members() as usize
    }

    fn links(&self) -> u64 {
        let ends = u64::from(self.originals()) * u64::from(self.degree) - self.table.flags();
        let copied: u64 = (0..self.members())
            .map(|member| {
                let (point, line) = self.pair(self.originals() + member);
                u64::from(self.degree) - u64::from(self.table.is_on(point, line))
            })
            .sum();
        ends / 2 + if self.copies > 0 { u64::from(self.copies) * copied } else { 0 }
    }

    fn degree(&self, router: u32) -> u32 {
        let (point, line) = self.pair(router);
        let is_flag = u32::from(self.table.is_on(point, line));
        if router >= self.originals() || self.copies == 0 {
            return self.degree - is_flag;
        }
        // Members in the neighborhood, without the pair itself.
        let points = self.table.ovoid.iter().filter(|&&member| self.table.is_on(member, line)).count();
        let lines = self.table.spread.iter().filter(|&&member| self.table.is_on(point, member)).count();
        let is_member = self.table.ovoid.contains(&point) && self.table.spread.contains(&line);
        let others = (points * lines) as u32 - if is_member { is_flag } else { 0 };
        self.degree - is_flag + self.copies * others
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let ((point, line), (other_point, other_line)) = (self.pair(from), self.pair(to));
        let are_copies = from.min(to) >= self.originals();
        (!are_copies
            && (point, line) != (other_point, other_line)
            && self.table.is_on(point, other_line)
            && self.table.is_on(other_point, line))
        .then_some((1, LinkClass::Local))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every quadrangle whose pairs have at most 128 links.
    fn all_quadrangles() -> Vec<QuadranglePairs> {
        let orders = |list: &'static [u32], quadrangle| {
            list.iter().map(move |&q| QuadranglePairs { quadrangle, q, copies: 0 })
        };
        orders(&[2, 3, 4, 5, 7, 8, 9], Quadrangle::Symplectic)
            .chain(orders(&[2, 3, 4], Quadrangle::Hermitian))
            .chain(orders(&[2, 4, 8], Quadrangle::Hyperoval))
            .chain(orders(&[3, 5, 7, 9], Quadrangle::AhrensSzekeres))
            .collect()
    }

    #[test]
    fn a_line_and_a_point_beside_it_have_one_projection() {
        for pairs in all_quadrangles() {
            let table = IncidenceTable::new(&pairs);
            let through: Vec<Vec<u32>> = (0..table.points())
                .map(|point| (0..table.lines).filter(|&line| table.is_on(point, line)).collect())
                .collect();
            let points_of: Vec<Vec<u32>> = (0..table.lines)
                .map(|line| (0..table.points()).filter(|&point| table.is_on(point, line)).collect())
                .collect();
            let (s, t) = (points_of[0].len() as u32 - 1, through[0].len() as u32 - 1);
            assert_eq!(pairs.incident(), PointsAndLines { points: s + 1, lines: t + 1 });
            assert!(points_of.iter().all(|points| points.len() as u32 == s + 1), "{pairs:?}");
            for (point, lines) in (0..).zip(&through) {
                let mut meeting = vec![0u32; table.lines as usize];
                assert_eq!(lines.len() as u32, t + 1, "{pairs:?}");
                for &line in lines {
                    for &other in points_of[line as usize].iter().filter(|&&other| other != point) {
                        through[other as usize].iter().for_each(|&line| meeting[line as usize] += 1);
                    }
                }
                for (line, &count) in (0..).zip(&meeting) {
                    assert_eq!(count, if table.is_on(point, line) { s } else { 1 }, "{pairs:?}");
                }
            }
        }
    }

    #[test]
    fn a_neighborhood_has_one_member_at_most() {
        for pairs in all_quadrangles() {
            let table = IncidenceTable::new(&pairs);
            let IncidenceTable { ovoid, spread, .. } = &table;
            let members = pairs.members();
            assert_eq!([ovoid.len() as u32, spread.len() as u32], [members.points, members.lines]);
            for line in 0..table.lines {
                assert!(ovoid.iter().filter(|&&point| table.is_on(point, line)).count() <= 1, "{pairs:?}");
            }
            for point in 0..table.points() {
                assert!(spread.iter().filter(|&&line| table.is_on(point, line)).count() <= 1, "{pairs:?}");
            }
        }
    }
}
