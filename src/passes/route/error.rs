//! Why a pod cannot be routed as asked.

use crate::diag::Span;
use crate::ids::{Id, IdVec, LinkId, NodeId};
use crate::ir::{Scenario, Topology};
use crate::model::Pod;
use miette::Diagnostic;
use thiserror::Error;

/// Errors of the routing methods and of the fault budget.
#[derive(Debug, Error, Diagnostic)]
pub enum RouteError {
    /// FAB0320: dimension order on a ring of three or more needs a dateline.
    #[error("dimension_order needs 2 virtual channels on this torus, the budget has {vcs}")]
    #[diagnostic(
        code(FAB0320),
        help(
            "a ring of three or more routers is a cycle: packets change to a second virtual channel where they wrap around; raise `vcs` to 2"
        )
    )]
    NeedsDateline {
        /// The budget.
        vcs: u8,
        /// Where the budget stands.
        #[label("budgeted here")]
        budget: Span,
        /// Where the routing stands.
        #[label("asked for here")]
        routing: Span,
    },
    /// FAB0321: a tolerated fault cuts the pod apart.
    #[error("without {ocs} the pod falls apart: {reached} of {nodes} chips can be reached from {from}")]
    #[diagnostic(
        code(FAB0321),
        help("the cut is {cut}; every fibre across it runs through {ocs}; give those faces a second OCS or lower the fault budget")
    )]
    FaultDisconnects {
        /// The dark OCSes.
        ocs: String,
        /// Chips still reached.
        reached: usize,
        /// All chips.
        nodes: usize,
        /// Where the search started.
        from: String,
        /// The two sides.
        cut: String,
        /// The fault budget.
        #[label("this fault must be tolerated")]
        budget: Span,
        /// The OCS.
        #[label("declared here")]
        declared: Option<Span>,
    },
    /// FAB0322: dimension order has no way around a fault.
    #[error("dimension_order cannot route around a dark {ocs}: {from} reaches {to} only through it")]
    #[diagnostic(
        code(FAB0322),
        help("dimension order has one path per pair; `routing = allowed_turns` or `up_down` can tolerate faults, or write `faults = 0`")
    )]
    NoDetour {
        /// The dark OCSes.
        ocs: String,
        /// A pair that is cut off.
        from: String,
        /// Its destination.
        to: String,
        /// The routing line.
        #[label("asked for here")]
        routing: Span,
        /// The fault budget.
        #[label("this fault must be tolerated")]
        budget: Span,
    },
}

impl RouteError {
    /// The cut that a fault leaves open, named by its smaller side.
    pub fn fault_disconnects(pod: &Pod, topology: &Topology, alive: &IdVec<LinkId, bool>, scenario: &Scenario) -> Self {
        let start = NodeId(0);
        let seen = topology.reachable(start, |link| alive[link]);
        let reached = seen.count_ones(..);
        let far: Vec<NodeId> = topology.nodes().filter(|node| !seen.contains(node.index())).collect();
        let near: Vec<NodeId> = topology.nodes().filter(|node| seen.contains(node.index())).collect();
        let smaller = if far.len() <= near.len() { &far } else { &near };
        let named: Vec<String> = smaller.iter().take(4).map(|&node| pod.node_name(node)).collect();
        let more = if smaller.len() > named.len() { format!(" and {} more", smaller.len() - named.len()) } else { String::new() };
        RouteError::FaultDisconnects {
            ocs: scenario.name.clone(),
            reached,
            nodes: topology.node_count(),
            from: pod.node_name(start),
            cut: format!("{}{more} against the rest", named.join(", ")),
            budget: pod.budget.faults_span,
            declared: scenario.dark.first().map(|&ocs| pod.ocses[ocs].span),
        }
    }
}
