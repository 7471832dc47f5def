//! Packets of hotspot traffic that go elsewhere: to all endpoints but the hot ones.
//!
//! The hot endpoints take in less than they are sent. What the others still get says how far queues for the
//! hot ones reach back into the network.

use super::endpoints::EndpointMap;
use super::errors::SimError;
use super::setting::Setting;
use super::traffic::hot_endpoints;
use fabc_ir::{Fraction, Scene};
use fabc_model::Traffic;

/// The packets for all endpoints but the hot ones, in the measured cycles.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Elsewhere {
    /// Those that came to their sources in these cycles.
    pub born: u64,
    /// Packets delivered, whenever they were born.
    pub delivered: u64,
}

impl Elsewhere {
    /// What is delivered over what is born.
    pub fn share(&self) -> Fraction {
        Fraction::new(self.delivered, self.born.max(1))
    }
}

/// The hot endpoints of a traffic, to tell packets by their destination.
#[derive(Clone)]
pub(super) struct HotEndpoints {
    /// `[endpoint]`: whether the traffic names it.
    is_hot: Vec<bool>,
}

impl HotEndpoints {
    /// The hot endpoints of a simulation. `None` unless its traffic has some.
    ///
    /// # Errors
    /// [`SimError::NoTraffic`] where a name stands for no endpoint.
    pub(super) fn of_setting(
        setting: &Setting,
        scene: &Scene<'_>,
        endpoints: &EndpointMap,
    ) -> Result<Option<Self>, SimError> {
        if setting.traffic != Traffic::Hotspot {
            return Ok(None);
        }
        let mut is_hot = vec![false; endpoints.count() as usize];
        for endpoint in hot_endpoints(&setting.details, scene, endpoints)? {
            is_hot[endpoint as usize] = true;
        }
        Ok(Some(Self { is_hot }))
    }

    /// Whether a packet for this endpoint goes elsewhere.
    pub(super) fn is_elsewhere(&self, to: u32) -> bool {
        !self.is_hot[to as usize]
    }
}

/// Counts the packets for all endpoints but the hot ones.
pub(super) struct ElsewhereTally {
    hot: HotEndpoints,
    counts: Elsewhere,
}

impl ElsewhereTally {
    pub(super) fn new(hot: HotEndpoints) -> Self {
        Self { hot, counts: Elsewhere::default() }
    }

    /// Adds packets that are born for an endpoint.
    pub(super) fn born(&mut self, to: u32, packets: u64) {
        self.counts.born += if self.hot.is_elsewhere(to) { packets } else { 0 };
    }

    /// Adds a packet that is delivered to an endpoint.
    pub(super) fn delivered(&mut self, to: u32) {
        self.counts.delivered += u64::from(self.hot.is_elsewhere(to));
    }

    /// What was counted so far.
    pub(super) fn counts(&self) -> Elsewhere {
        self.counts
    }
}
