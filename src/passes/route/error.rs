//! Why a pod cannot be routed as asked.

use crate::diag::Span;
use crate::ids::{Id, IdVec, LinkId, NodeId};
use crate::ir::{ForwardingTables, Scenario, Topology};
use crate::model::{Pod, TableKey};
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
    /// FAB0323: a router needs more table entries than the budget has.
    #[error("the table of {router} needs {entries} entries, the budget has {limit} ({scenario})")]
    #[diagnostic(code(FAB0323), help("{help}"))]
    TableEntries {
        /// The scenario.
        scenario: String,
        /// The router with the largest table.
        router: String,
        /// Its entries, as few as were reached.
        entries: usize,
        /// The budget.
        limit: u32,
        /// What would do.
        help: String,
        /// Where the budget stands.
        #[label("budgeted here")]
        span: Span,
    },
    /// FAB0324: the integer program has no answer.
    #[error("`select = ilp` is for small pods: {reason}, and this pod has {chips} chips")]
    #[diagnostic(code(FAB0324), help("remove `select = ilp`: the descent finds routes at any size and needs no solver"))]
    Ilp {
        /// Too many paths, or what the solver said.
        reason: String,
        /// Chips of the pod.
        chips: usize,
        /// The routing line.
        #[label("asked for here")]
        span: Span,
    },
}

impl RouteError {
    /// The largest table of a scenario, which has more entries than the budget.
    pub fn too_many_entries(pod: &Pod, tables: &ForwardingTables, limit: u32) -> Self {
        let sizes = tables.symmetry.canonical_nodes().zip(&tables.routers).map(|(node, entries)| (entries.len(), node));
        let (entries, node) = sizes.max_by_key(|&(entries, node)| (entries, std::cmp::Reverse(node))).unwrap_or((0, NodeId(0)));
        let least = pod.node_count() - 1;
        let help = if (limit as usize) < least {
            format!("every router needs one entry per destination: at least {least}")
        } else if tables.key == TableKey::Dst {
            format!("raise `table_entries` to {entries}")
        } else {
            format!(
                "{entries} is the least that was reached for the largest table; raise `table_entries`, or write \
                 `routing = allowed_turns {{ key = dst; }}`, which needs {least}"
            )
        };
        RouteError::TableEntries {
            scenario: tables.scenario.clone(),
            router: pod.node_name(node),
            entries,
            limit,
            help,
            span: pod.budget.entries_span,
        }
    }

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
