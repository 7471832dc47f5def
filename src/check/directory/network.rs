//! The section `network` of a report: what was counted of the graph.

use super::comparison::{Comparison, Expected, Fields, Measured};
use crate::check::measures::Exact;
use crate::ir::{Bisection, NetworkMetrics};
use serde_json::Value;

impl Comparison {
    /// Compares the section; a pod has none.
    pub(super) fn network(&mut self, claimed: Option<&Value>, measured: &Measured<'_>) {
        let Some(network) = measured.network else { return };
        let Some(object) = claimed.and_then(Value::as_object) else { return self.differ("network", claimed, "an object") };
        self.known_keys("network", object, &["routers", "hosts", "links", "bisection"]);
        for (key, count) in [("routers", network.routers), ("hosts", network.hosts), ("links", network.links)] {
            self.expect(&format!("network.{key}"), object.get(key), Expected::Integer(count));
        }
        match &network.bisection {
            Some(bisection) => self.bisection(object.get("bisection"), network, bisection),
            None => self.expect_or_nothing("network.bisection", object.get("bisection"), None),
        }
    }

    fn bisection(&mut self, claimed: Option<&Value>, network: &NetworkMetrics, of: &Bisection) {
        let place = "network.bisection";
        let share = |links: u64, all: u64| Exact::new(links.into(), all.into()).map(Expected::Ratio);
        let flow = Exact::new(of.capacity.into(), of.demand.into()).map(Expected::Upper);
        let fields: Fields = vec![
            ("at_least", Some(Expected::Integer(of.least))),
            ("at_most", Some(Expected::Integer(of.most))),
            ("at_least_share", share(of.least, network.links)),
            ("at_most_share", share(of.most, network.links)),
            ("at_endpoints", Some(Expected::Integer(of.at_endpoints))),
            ("at_endpoints_share", share(of.at_endpoints, network.endpoint_links)),
            ("flow", flow),
        ];
        self.object(place, claimed, &fields);
    }
}
