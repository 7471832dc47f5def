//! SpectralFlies: the graphs of Lubotzky, Phillips and Sarnak (Young and others, 2022).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};

pub(super) const FORM: FamilyForm = ("spectralfly", "spectralfly { rho = 23; q = 13; }");

/// The graph of Lubotzky, Phillips and Sarnak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpectralFly {
    /// An odd prime. Every router has rho + 1 links.
    pub rho: u32,
    /// Another odd prime, larger than 2 sqrt(rho).
    pub q: u32,
}

/// Whether the graph is bipartite, and so twice as large. That is the case where rho is no square modulo q.
pub fn is_bipartite_lps(rho: u32, q: u32) -> bool {
    !(1..q).any(|root| root * root % q == rho % q)
}

impl FamilyFacts for SpectralFly {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("spectralfly {{ rho = {}; q = {}; }}", self.rho, self.q)
    }

    fn router_count(&self) -> usize {
        let q = self.q as usize;
        let half = q * (q * q - 1) / 2;
        if is_bipartite_lps(self.rho, self.q) { 2 * half } else { half }
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.rho + 1)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, u64::from(self.rho + 1))
    }

    fn may_be_permuted(&self) -> bool {
        true
    }
}
