//! Why a fabric cannot be routed as asked.

use super::lanes::Rule;
use fabc_base::diag::Span;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Fault, ForwardingTables, Scenario, Scene, Topology};
use fabc_model::{Fabric, RoutingChoice, TableKey, VcCount};
use miette::Diagnostic;
use thiserror::Error;

/// Errors of the routing methods and of the fault budget.
#[derive(Debug, Error, Diagnostic)]
pub enum RouteError {
    /// FAB0320: axis after axis on a ring of three or more needs a dateline.
    #[error("{method} needs 2 virtual channels on this torus, the budget has {vcs}")]
    #[diagnostic(
        code(FAB0320),
        help(
            "a ring of three or more routers is a cycle: packets change to a second virtual channel where they wrap around; raise `vcs` to 2"
        )
    )]
    NeedsDateline {
        /// The routing.
        method: &'static str,
        /// The budget.
        vcs: u8,
        /// Where the budget stands.
        #[label("budgeted here")]
        budget: Span,
        /// Where the routing stands.
        #[label("asked for here")]
        routing: Span,
    },
    /// FAB0326: minimal routes are longer than there are virtual channels.
    #[error("{hops} hops need {hops} virtual channels, the budget has {vcs} ({scenario})")]
    #[diagnostic(
        code(FAB0326),
        help(
            "`minimal` moves a packet one virtual channel up at every hop; raise `vcs` to {hops}, or write `routing = allowed_turns;`, \
             which needs no more than there are"
        )
    )]
    NeedsHops {
        /// Hops of the longest route.
        hops: u32,
        /// The budget.
        vcs: u8,
        /// The scenario.
        scenario: String,
        /// Where the budget stands.
        #[label("budgeted here")]
        budget: Span,
        /// Where the routing stands.
        #[label("asked for here")]
        routing: Span,
    },
    /// FAB0328: routes cross more links between groups than virtual channels can count.
    #[error("routes of this {family} need {needed} virtual channels, the budget has {vcs} ({scenario})")]
    #[diagnostic(
        code(FAB0328),
        help(
            "a packet moves one virtual channel up behind every link between groups, and some go on behind {}; raise `vcs` to {needed}, or write `routing = allowed_turns;`, which needs no more than there are",
            links(*needed - 1)
        )
    )]
    NeedsGlobalHops {
        /// The family of the network.
        family: &'static str,
        /// Virtual channels of the routes.
        needed: u32,
        /// The budget.
        vcs: u8,
        /// The scenario.
        scenario: String,
        /// Where the budget stands.
        #[label("budgeted here")]
        budget: Span,
        /// Where the routing stands.
        #[label("asked for here")]
        routing: Span,
    },
    /// FAB0321: a tolerated fault cuts the fabric apart.
    #[error("without {fault} the {} falls apart: {reached} of {nodes} {} can be reached from {from}", .of[0], .of[1])]
    #[diagnostic(code(FAB0321), help("the cut is {cut} or lower the fault budget"))]
    FaultDisconnects {
        /// What has failed.
        fault: Box<str>,
        /// `pod` of `chips`, or `network` of `routers`.
        of: &'static [&'static str; 2],
        /// Chips still reached.
        reached: usize,
        /// All routers that live.
        nodes: usize,
        /// Where the search started.
        from: String,
        /// The two sides, and what would help.
        cut: String,
        /// The fault budget.
        #[label("this fault must be tolerated")]
        budget: Span,
        /// The OCS.
        #[label("declared here")]
        declared: Option<Span>,
    },
    /// FAB0322: dimension order has no way around a fault.
    #[error("dimension_order cannot route around {fault}: {from} reaches {to} only through it")]
    #[diagnostic(
        code(FAB0322),
        help(
            "`{method}` has one path per pair; `routing = {other}` or `up_down` can tolerate faults, or write `faults = 0`"
        )
    )]
    NoDetour {
        /// The routing.
        method: &'static str,
        /// One that finds detours.
        other: &'static str,
        /// What has failed.
        fault: String,
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
    #[error("`select = ilp` is for small fabrics: {reason}, and this one has {routers} {word}s")]
    #[diagnostic(
        code(FAB0324),
        help("remove `select = ilp`: the descent finds routes at any size and needs no solver")
    )]
    Ilp {
        /// Too many paths, or what the solver said.
        reason: String,
        /// Routers of the fabric.
        routers: usize,
        /// What they are called.
        word: &'static str,
        /// The routing line.
        #[label("asked for here")]
        span: Span,
    },
    /// FAB0325: more faults than anybody would wait for.
    #[error(
        "`faults = 1 {what}` is too much for {chips} {unit}: {scenarios} scenarios of {chips} x {chips} routes are {routes} routes, at most {most} are compiled"
    )]
    #[diagnostic(code(FAB0325), help("{help}"))]
    TooManyFaults {
        /// `link`, `chip` or `router`.
        what: &'static str,
        /// Chips of the pod, or routers of the network that have hosts.
        chips: u64,
        /// What those are called.
        unit: &'static str,
        /// What would help.
        help: String,
        /// Fault scenarios after symmetry.
        scenarios: u64,
        /// Routes of all of them.
        routes: u64,
        /// The limit.
        most: u64,
        /// The fault budget.
        #[label("asked for here")]
        span: Span,
    },
    /// FAB0327: a search of turns that nobody would wait for.
    #[error(
        "`allowed_turns` is too much for this network of {routers} routers: {turns} {what}, at most {most} are searched"
    )]
    #[diagnostic(
        code(FAB0327),
        help(
            "`routing = minimal` (a virtual channel per hop) or `up_down` (a single one) take seconds here; a network that looks the same from every group takes a part of it"
        )
    )]
    TooManyTurns {
        /// Routers of the network.
        routers: usize,
        /// What there is too much of.
        what: &'static str,
        /// (Channel, VC)s times destinations that differ; or turns of all routers that differ, each as wide
        /// as the widest one.
        turns: u64,
        /// The limit.
        most: u64,
        /// The routing line.
        #[label("asked for here")]
        span: Span,
    },
}

/// `one of them`, `2 of them`
fn links(count: u32) -> String {
    if count == 1 { "one of them".to_owned() } else { format!("{count} of them") }
}

impl RouteError {
    /// The error of next hops that need more virtual channels than the budget has, under the rule that needs
    /// the fewest.
    pub fn too_few_vcs(fabric: &Fabric, scenario: &Scenario, rule: Rule, needed: u32) -> Self {
        let (vcs, scenario) = (fabric.budget.vcs, scenario.name.clone());
        let (budget, routing) = (fabric.budget.vcs_span, fabric.routing_span);
        match (rule, fabric.family()) {
            (Rule::Single | Rule::Datelines, _) => {
                RouteError::NeedsDateline { method: fabric.routing.name(), vcs, budget, routing }
            }
            (Rule::Count(VcCount::GlobalHops), Some(family)) => {
                RouteError::NeedsGlobalHops { family: family.name(), needed, vcs, scenario, budget, routing }
            }
            (Rule::Count(_), _) => RouteError::NeedsHops { hops: needed, vcs, scenario, budget, routing },
        }
    }

    /// The error of a fault that a pair of routers cannot do without, because the method has no way around
    /// it.
    pub fn no_detour(fabric: &Fabric, topology: &Topology, scenario: &Scenario, pair: [NodeId; 2]) -> Self {
        let [from, to] = pair.map(|node| topology.name(node));
        let (routing, budget) = (fabric.routing_span, fabric.budget.faults_span);
        let (method, fault) = (fabric.routing.name(), scenario.what_failed(fabric));
        let other = if fabric.routing == RoutingChoice::Algebraic { "minimal" } else { "allowed_turns" };
        RouteError::NoDetour { method, other, fault, from, to, routing, budget }
    }

    /// The largest table of a scenario, which has more entries than the budget.
    pub fn too_many_entries(
        fabric: &Fabric,
        topology: &Topology,
        tables: &ForwardingTables,
        limit: u32,
    ) -> Self {
        let sizes = tables
            .symmetry
            .canonical_nodes()
            .zip(&tables.routers)
            .map(|(node, entries)| (entries.len(), node));
        let (entries, node) =
            sizes.max_by_key(|&(entries, node)| (entries, std::cmp::Reverse(node))).unwrap_or((0, NodeId(0)));
        let least = topology.node_count() - 1;
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
            router: topology.name(node),
            entries,
            limit,
            help,
            span: fabric.budget.entries_span,
        }
    }

    /// A table of fewer entries than there are destinations.
    pub fn fewer_entries_than_routers(
        fabric: &Fabric,
        topology: Option<&Topology>,
        least: usize,
        limit: u32,
    ) -> Self {
        RouteError::TableEntries {
            scenario: "nominal".to_owned(),
            router: topology.map_or_else(
                || format!("every {}", fabric.plant.router_word()),
                |topology| topology.name(NodeId(0)),
            ),
            entries: least,
            limit,
            help: format!("every router needs one entry per destination: at least {least}"),
            span: fabric.budget.entries_span,
        }
    }

    /// The cut that a fault leaves open, named by its smaller side.
    pub fn fault_disconnects(fabric: &Fabric, scene: &Scene<'_>, scenario: &Scenario) -> Self {
        let topology = scene.topology;
        let living = || topology.nodes().filter(|&node| scene.lives(node));
        let start = living().next().expect("one chip cannot fall apart");
        let seen = topology.reachable(start, |link| scene.is_lit(link));
        let (near, far): (Vec<NodeId>, Vec<NodeId>) = living().partition(|node| seen.contains(node.index()));
        let smaller = if !far.is_empty() && far.len() <= near.len() { &far } else { &near };
        let named: Vec<String> = smaller.iter().take(4).map(|&node| topology.name(node)).collect();
        let more = if smaller.len() > named.len() {
            format!(" and {} more", smaller.len() - named.len())
        } else {
            String::new()
        };
        let (of, router, more_links) = match fabric.pod() {
            Some(_) => (&["pod", "chips"], "chip", "couple more faces or positions"),
            None => (&["network", "routers"], "router", "join it by more links"),
        };
        let remedy = match scenario.fault {
            Fault::None | Fault::Switches(_) => {
                format!("every fiber across it runs through {}; give those faces a second OCS", scenario.name)
            }
            Fault::Link(_) => format!("no other link crosses it; {more_links}"),
            Fault::Router(_) => format!("every path across it runs through that {router}; {more_links}"),
        };
        RouteError::FaultDisconnects {
            fault: match scenario.fault {
                Fault::Link(_) => format!("link {}", scenario.name),
                Fault::Router(_) => format!("{router} {}", scenario.name),
                Fault::None | Fault::Switches(_) => scenario.name.clone(),
            }
            .into(),
            of,
            reached: near.len(),
            nodes: near.len() + far.len(),
            from: topology.name(start),
            cut: if far.is_empty() {
                format!("around {}, which has nobody left to send to; {remedy}", named.join(", "))
            } else {
                format!("{}{more} against the rest; {remedy}", named.join(", "))
            },
            budget: fabric.budget.faults_span,
            declared: scenario
                .fault
                .switches()
                .first()
                .zip(fabric.pod())
                .map(|(&ocs, pod)| pod.ocses[ocs].span),
        }
    }
}
