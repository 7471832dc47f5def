//! Pairs of a point and a line of a generalized quadrangle (Delorme, 1985).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter, copies_setting, tier_of_names};
use crate::closed_form::{ClosedForm, Farthest, ball_of_two};
use crate::design_space::DesignSpace;
use crate::word::words;
use fabc_base::algebra::{GeneralizedQuadrangle, prime_power};
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm =
    ("quadrangle_pairs", "quadrangle_pairs { quadrangle = symplectic; q = 3; copies = 0; }");

/// All pairs of a point and a line. Two pairs are joined where the point of each is on the line of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuadranglePairs {
    /// The kind of quadrangle that points and lines are of.
    pub quadrangle: Quadrangle,
    /// Order of its field, or the square root of that for a Hermitian one.
    pub q: u32,
    /// How many more routers there are with the links of each [member](Self::members).
    pub copies: u32,
}

/// The kinds of generalized quadrangles.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Quadrangle {
    /// W(q), of order (q, q).
    Symplectic,
    /// H(3, q^2), of order (q^2, q). Its dual is the elliptic quadric Q-(5, q).
    Hermitian,
    /// T2*(O), of order (q - 1, q + 1) for an even q.
    Hyperoval,
    /// AS(q), of order (q - 1, q + 1) for an odd q.
    AhrensSzekeres,
}

words!(Quadrangle {
    Symplectic = "symplectic",
    Hermitian = "hermitian",
    Hyperoval = "hyperoval",
    AhrensSzekeres = "ahrens_szekeres",
});

/// Numbers of points and of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointsAndLines {
    /// How many points there are, on a line or in all.
    pub points: u32,
    /// How many lines there are, through a point or in all.
    pub lines: u32,
}

impl PointsAndLines {
    /// The number of pairs of such a point and such a line.
    pub fn pairs(self) -> u32 {
        self.points * self.lines
    }
}

impl Quadrangle {
    /// Whether there is one for a prime power `q`.
    pub fn exists(self, q: u32) -> bool {
        prime_power(q).is_some()
            && match self {
                Self::Symplectic | Self::Hermitian => true,
                Self::Hyperoval => q.is_multiple_of(2),
                Self::AhrensSzekeres => !q.is_multiple_of(2),
            }
    }
}

impl QuadranglePairs {
    /// The quadrangle, with its points and lines.
    pub fn geometry(&self) -> GeneralizedQuadrangle {
        match self.quadrangle {
            Quadrangle::Symplectic => GeneralizedQuadrangle::symplectic(self.q),
            Quadrangle::Hermitian => GeneralizedQuadrangle::hermitian(self.q),
            Quadrangle::Hyperoval => GeneralizedQuadrangle::hyperoval(self.q),
            Quadrangle::AhrensSzekeres => GeneralizedQuadrangle::ahrens_szekeres(self.q),
        }
    }

    /// Points of a line, and lines through a point: s + 1 and t + 1 of order (s, t).
    pub fn incident(&self) -> PointsAndLines {
        let q = self.q;
        match self.quadrangle {
            Quadrangle::Symplectic => PointsAndLines { points: q + 1, lines: q + 1 },
            Quadrangle::Hermitian => PointsAndLines { points: q * q + 1, lines: q + 1 },
            Quadrangle::Hyperoval | Quadrangle::AhrensSzekeres => PointsAndLines { points: q, lines: q + 2 },
        }
    }

    /// Number of all points and lines.
    pub fn size(&self) -> PointsAndLines {
        let PointsAndLines { points, lines } = self.incident();
        let members = (points - 1) * (lines - 1) + 1;
        PointsAndLines { points: points * members, lines: lines * members }
    }

    /// The points and lines whose pairs have copies: points of which no two are on a line, and lines of which
    /// no two meet. So every router is joined to one of these pairs at most, and takes one more port for a
    /// copy of it. Complete sets have s t + 1 members, the others are what simple formulas give.
    pub fn members(&self) -> PointsAndLines {
        let q = self.q;
        match self.quadrangle {
            Quadrangle::Symplectic if q.is_multiple_of(2) => {
                PointsAndLines { points: q * q + 1, lines: q * q + 1 }
            }
            Quadrangle::Symplectic => PointsAndLines { points: 2 * q + 1, lines: q * q + 1 },
            Quadrangle::Hermitian => PointsAndLines { points: q * q * q + 1, lines: q * q + 2 },
            Quadrangle::Hyperoval => PointsAndLines { points: q * q, lines: q * q },
            Quadrangle::AhrensSzekeres => PointsAndLines { points: q, lines: q * q },
        }
    }

    /// Number of links of a pair whose point is not on its line, without copies.
    pub fn degree(&self) -> u32 {
        self.incident().pairs()
    }

    /// The number of routers, which may be more than can be built.
    pub fn count(&self) -> u64 {
        let pairs = |PointsAndLines { points, lines }| u64::from(points) * u64::from(lines);
        pairs(self.size()) + u64::from(self.copies) * pairs(self.members())
    }

    /// The designs with `radix` network ports.
    pub(crate) fn of_radix(radix: u32) -> impl Iterator<Item = QuadranglePairs> {
        let all = Quadrangle::ALL.into_iter().flat_map(move |quadrangle| {
            let orders = (2..radix).filter(move |&q| quadrangle.exists(q));
            orders.map(move |q| QuadranglePairs { quadrangle, q, copies: 0 })
        });
        let fitting = all.filter(move |pairs| pairs.degree() <= radix);
        fitting.map(move |pairs| QuadranglePairs { copies: radix - pairs.degree(), ..pairs })
    }
}

impl FamilyFacts for QuadranglePairs {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        let (quadrangle, q) = (self.quadrangle.name(), self.q);
        format!("quadrangle_pairs {{ quadrangle = {quadrangle}; q = {q};{} }}", copies_setting(self.copies))
    }

    fn router_count(&self) -> usize {
        self.count() as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.degree() - 1)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, u64::from(self.degree() + self.copies))
    }

    fn router_names(&self) -> RouterNames {
        let (size, members) = (self.size(), self.members());
        let mut tiers = vec![tier_of_names("router", 0, &[size.points, size.lines])];
        if self.copies > 0 {
            let sides = [self.copies, members.points, members.lines];
            tiers.push(tier_of_names("copy", size.pairs(), &sides));
        }
        RouterNames::Tiers(tiers.into())
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    /// Pairs with a common neighbor have points on one line, and lines through one point. Where they are
    /// joined too, the point of one of them is on its line.
    fn closed_form(&self) -> Option<ClosedForm> {
        let (size, incident, members) = (self.size(), self.incident(), self.members());
        let [s, t] = [incident.points, incident.lines].map(|count| u64::from(count) - 1);
        let (pairs, degree) = (u64::from(size.pairs()), u64::from(self.degree()));
        let on_line = u64::from(size.points) * (t + 1);
        let near = pairs * degree - on_line;
        let joined_too = 2 * on_line * (degree - 1) - on_line * (s + t);
        let middle = pairs * ((1 + s * (t + 1)) * (1 + t * (s + 1)) - 1) - joined_too;
        let layers = vec![0, near, middle, pairs * (pairs - 1) - near - middle];
        // One of the two sets of members is complete. A member of the other is incident with one of it.
        let members_on_line = u64::from(members.points.min(members.lines));
        let copied_links = u64::from(members.pairs()) * degree - members_on_line;
        let radix = self.degree() + self.copies;
        let diameter = Farthest::at_most(3, ball_of_two(radix), self.count());
        Some(ClosedForm {
            links: near / 2 + u64::from(self.copies) * copied_links,
            degrees: [self.degree() - 1, radix],
            layers: (self.copies == 0).then_some(layers),
            ..ClosedForm::regular(self.count(), radix, diameter)
        })
    }

    fn design_space(&self) -> Option<DesignSpace> {
        Some(DesignSpace::QuadranglePairs)
    }

    fn design_radix(&self) -> Option<u32> {
        Some(self.degree() + self.copies)
    }
}
