//! The rule of generalized Kautz graphs: an arc leads from u to v if d u + v is one of -1 .. -d modulo the
//! number of routers.

use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;
use fabc_model::Arcs;

/// The routers 0 .. n - 1 as residues.
pub(super) struct Residues {
    degree: u32,
    arcs: Arcs,
    /// `[router]`: its number of links. For simplex links, the number that leave.
    degrees: Vec<u32>,
}

impl Residues {
    pub(super) fn new(degree: u32, routers: u32, arcs: Arcs) -> Self {
        let mut residues = Self { degree, arcs, degrees: vec![0; routers as usize] };
        for from in 0..routers {
            // The targets are consecutive, down to -d u - d.
            let last = u64::from(routers) * u64::from(degree + 1) - u64::from(degree) * (u64::from(from) + 1);
            let targets =
                (0..u64::from(degree)).map(|further| ((last + further) % u64::from(routers)) as u32);
            for to in targets.filter(|&to| to != from) {
                if arcs == Arcs::Simplex {
                    residues.degrees[from as usize] += 1;
                } else if from < to || !residues.is_arc(to, from) {
                    residues.degrees[from as usize] += 1;
                    residues.degrees[to as usize] += 1;
                }
            }
        }
        residues
    }
    fn is_arc(&self, from: u32, to: u32) -> bool {
        let (d, n) = (u64::from(self.degree), self.degrees.len() as u64);
        let sum = (d * u64::from(from) + u64::from(to)) % n;
        from != to && sum >= n - d
    }
}

impl FamilyRule for Residues {
    fn routers(&self) -> usize {
        self.degrees.len()
    }

    fn links(&self) -> u64 {
        let link_ends: u64 = self.degrees.iter().map(|&degree| u64::from(degree)).sum();
        match self.arcs {
            Arcs::Duplex => link_ends / 2,
            // The number of arcs from a router to itself is the number of t = 1 .. d for which t n is no
            // multiple of d + 1.
            Arcs::Simplex => {
                let (d, n) = (u64::from(self.degree), self.degrees.len() as u64);
                d * n - (1..=d).filter(|t| !(t * n).is_multiple_of(d + 1)).count() as u64
            }
        }
    }

    fn degree(&self, router: u32) -> u32 {
        self.degrees[router as usize]
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let arc = self.is_arc(from, to) || !self.simplex() && self.is_arc(to, from);
        arc.then_some((1, LinkClass::Local))
    }

    fn simplex(&self) -> bool {
        self.arcs == Arcs::Simplex
    }
}
