//! The errors of routing and of the fault budget.

use super::lanes::LaneRule;
use super::relays::PairWithoutPath;
use fabc_base::diag::Span;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{ForwardingTables, GroupTables, Scenario, ScenarioFault, Scene, Topology};
use fabc_model::{Fabric, Family, RoutingChoice, TableKey, VcCount};
use miette::Diagnostic;
use thiserror::Error;

/// Errors of the routing methods and of the fault budget.
#[derive(Debug, Error, Diagnostic)]
pub enum RouteError {
    /// FAB0320: dimension-order routing on a ring of three or more routers needs a dateline.
    #[error("{method} needs 2 virtual channels on this torus, the budget has {vcs}")]
    #[diagnostic(
        code(FAB0320),
        help(
            "a ring of three or more routers is a cycle, so packets change to a second virtual channel where they wrap around. Raise `vcs` to 2"
        )
    )]
    NeedsDateline {
        /// The name of the routing method.
        method: &'static str,
        /// Virtual channels of the budget.
        vcs: u8,
        /// Where the spec sets the budget.
        #[label("budgeted here")]
        budget: Span,
        /// Where the spec sets the routing.
        #[label("requested here")]
        routing: Span,
    },
    /// FAB0326: minimal routes have more hops than there are virtual channels.
    #[error("{hops} hops need {hops} virtual channels, the budget has {vcs} ({scenario})")]
    #[diagnostic(
        code(FAB0326),
        help(
            "`minimal` moves a packet one virtual channel up at every hop. Raise `vcs` to {hops}, or write `routing = allowed_turns;`, which works with any number"
        )
    )]
    NeedsHops {
        /// Hops of the longest route.
        hops: u32,
        /// Virtual channels of the budget.
        vcs: u8,
        /// The name of the scenario.
        scenario: String,
        /// Where the spec sets the budget.
        #[label("budgeted here")]
        budget: Span,
        /// Where the spec sets the routing.
        #[label("requested here")]
        routing: Span,
    },
    /// FAB0328: routes cross more links between groups than there are virtual channels to count them.
    #[error("routes of this {family} need {needed} virtual channels, the budget has {vcs} ({scenario})")]
    #[diagnostic(
        code(FAB0328),
        help(
            "a packet moves one virtual channel up after every link between groups, and some cross {}. Raise `vcs` to {needed}, or write `routing = allowed_turns;`, which works with any number",
            links(*needed - 1)
        )
    )]
    NeedsGlobalHops {
        /// The family of the network.
        family: &'static str,
        /// Virtual channels of the routes.
        needed: u32,
        /// Virtual channels of the budget.
        vcs: u8,
        /// The name of the scenario.
        scenario: String,
        /// Where the spec sets the budget.
        #[label("budgeted here")]
        budget: Span,
        /// Where the spec sets the routing.
        #[label("requested here")]
        routing: Span,
    },
    /// FAB0333: a route has more hops than the spec allows.
    #[error("a route has {hops} hops, {detour} beyond the diameter of {diameter} are allowed ({scenario})")]
    #[diagnostic(
        code(FAB0333),
        help(
            "the order of the channels has no shorter path for some pair. Raise `detour` to {}, or raise `vcs`",
            hops - diameter
        )
    )]
    LongDetour {
        /// Hops of the longest route.
        hops: u32,
        /// Hops beyond the diameter that the spec allows.
        detour: u32,
        /// Diameter of what is lit.
        diameter: u32,
        /// The name of the scenario.
        scenario: String,
        /// Where the spec sets the budget.
        #[label("budgeted here")]
        budget: Span,
        /// Where the spec sets the routing.
        #[label("requested here")]
        routing: Span,
    },
    /// FAB0321: a tolerated fault disconnects the fabric.
    #[error("without {fault} the {} is disconnected: {reached} of {nodes} {} can be reached from {from}", .words[0], .words[1])]
    #[diagnostic(code(FAB0321), help("the cut is {cut}, or lower the fault budget"))]
    FaultDisconnects {
        /// The parts that have failed, in words.
        fault: Box<str>,
        /// The words for the fabric and for its routers: `pod` and `chips`, or `network` and `routers`.
        words: &'static [&'static str; 2],
        /// Surviving routers that the search reached.
        reached: usize,
        /// The number of surviving routers.
        nodes: usize,
        /// The router where the search started.
        from: String,
        /// The two sides, and what would help.
        cut: String,
        /// Where the spec sets the fault budget.
        #[label("this fault must be tolerated")]
        budget: Span,
        /// Where the spec declares the OCS.
        #[label("declared here")]
        declared: Option<Span>,
    },
    /// FAB0322: dimension-order routing has no detour around a fault.
    #[error("dimension_order cannot route around {fault}: {from} reaches {to} only through it")]
    #[diagnostic(
        code(FAB0322),
        help(
            "`{method}` has one path per pair. Write `routing = {alternative}` or `up_down`, which tolerate faults, or write `faults = 0`"
        )
    )]
    NoDetour {
        /// The name of the routing method.
        method: &'static str,
        /// A routing method that finds detours.
        alternative: &'static str,
        /// The parts that have failed, in words.
        fault: String,
        /// A pair that is cut off.
        from: String,
        /// The destination of that pair.
        to: String,
        /// Where the spec sets the routing.
        #[label("requested here")]
        routing: Span,
        /// Where the spec sets the fault budget.
        #[label("this fault must be tolerated")]
        budget: Span,
    },
    /// FAB0323: a router needs more table entries than the budget has.
    #[error("the table of {router} needs {entries} entries, the budget has {limit} ({scenario})")]
    #[diagnostic(code(FAB0323), help("{help}"))]
    TableEntries {
        /// The name of the scenario.
        scenario: String,
        /// The router with the largest table.
        router: String,
        /// Its entries, as few as were reached.
        entries: usize,
        /// Table entries per router of the budget.
        limit: u32,
        /// The remedy, as a help text.
        help: String,
        /// Where the spec sets the budget.
        #[label("budgeted here")]
        span: Span,
    },
    /// FAB0324: the integer program has no solution.
    #[error("`select = ilp` is for small fabrics: {reason}, and this one has {routers} {word}s")]
    #[diagnostic(
        code(FAB0324),
        help("remove `select = ilp`: the descent finds routes at any size and needs no solver")
    )]
    Ilp {
        /// Too many paths, or what the solver said.
        reason: String,
        /// The number of routers of the fabric.
        routers: usize,
        /// The word for a router.
        word: &'static str,
        /// Where the spec sets the routing.
        #[label("requested here")]
        span: Span,
    },
    /// FAB0325: the fault budget asks for too many scenarios.
    #[error(
        "`faults = 1 {kind}` is too much for {chips} {unit}: {scenarios} scenarios of {chips} x {chips} routes are {routes} routes, at most {limit} are compiled"
    )]
    #[diagnostic(code(FAB0325), help("{help}"))]
    TooManyFaults {
        /// The kind of part: `link`, `chip` or `router`.
        kind: &'static str,
        /// Chips of the pod, or routers of the network that have hosts.
        chips: u64,
        /// The word for one of those.
        unit: &'static str,
        /// The remedy, as a help text.
        help: String,
        /// The number of fault scenarios after symmetry.
        scenarios: u64,
        /// Routes of all of them.
        routes: u64,
        /// The most that fabc accepts.
        limit: u64,
        /// Where the spec sets the fault budget.
        #[label("requested here")]
        span: Span,
    },
    /// FAB0329: no path of a pair goes up and then down.
    #[error("`{method}` has no path from {from} to {to} ({scenario}): none goes up and then down")]
    #[diagnostic(code(FAB0329), help("{help}"))]
    NoValidPath {
        /// The name of the routing method.
        method: &'static str,
        /// The name of the scenario.
        scenario: Box<str>,
        /// The router at the start of the missing path.
        from: Box<str>,
        /// The router that it cannot reach.
        to: Box<str>,
        /// The cause, and what helps.
        help: Box<str>,
        /// Where the spec sets the routing.
        #[label("requested here")]
        routing: Span,
        /// Where the spec sets the fault budget, if a fault is the cause.
        #[label("this fault must be tolerated")]
        budget: Option<Span>,
    },
    /// FAB0319: the shares of packets on many paths are too small to be counted exactly.
    #[error("`{method}` divides packets into shares too small for 64 bits ({scenario})")]
    #[diagnostic(
        code(FAB0319),
        help(
            "loads are exact: their common denominator is the least common multiple of the products of group sizes along all paths. Write `routing = minimal;`, or give the routers of a tier equally many neighbors above"
        )
    )]
    SharesTooSmall {
        /// The name of the routing method.
        method: &'static str,
        /// The name of the scenario.
        scenario: String,
        /// Where the spec sets the routing.
        #[label("requested here")]
        routing: Span,
    },
    /// FAB0327: the search of turns would take too long.
    #[error(
        "`allowed_turns` is too much for this network of {routers} routers: {turns} {counted}, at most {limit} are searched"
    )]
    #[diagnostic(
        code(FAB0327),
        help(
            "`routing = minimal` (a virtual channel per hop) or `up_down` (a single one) take seconds here. A network with a symmetry needs fewer turns"
        )
    )]
    TooManyTurns {
        /// The number of routers of the network.
        routers: usize,
        /// The unit of `turns`, as it is printed.
        counted: &'static str,
        /// The number of (channel, VC) times the destinations that differ. Or the turns of all routers that
        /// differ, each counted as wide as the widest one.
        turns: u64,
        /// The most that fabc accepts.
        limit: u64,
        /// Where the spec sets the routing.
        #[label("requested here")]
        span: Span,
    },
}

/// The number of entries of the largest table, and the first router that has one so large.
fn largest_table<T>(nodes: impl Iterator<Item = NodeId>, routers: &[Vec<T>]) -> (usize, NodeId) {
    let sizes = nodes.zip(routers).map(|(node, entries)| (entries.len(), node));
    sizes.max_by_key(|&(entries, node)| (entries, std::cmp::Reverse(node))).unwrap_or((0, NodeId(0)))
}

/// `one of them`, or `2 of them` and so on.
fn links(count: u32) -> String {
    if count == 1 { "one of them".to_owned() } else { format!("{count} of them") }
}

impl RouteError {
    /// The error for next hops that need `needed` virtual channels, more than the budget has. `rule` is the
    /// rule that needs the fewest.
    pub fn too_few_vcs(fabric: &Fabric, scenario: &Scenario, rule: LaneRule, needed: u32) -> Self {
        let (vcs, scenario) = (fabric.budget.vcs, scenario.name.clone());
        let (budget, routing) = (fabric.budget.vcs_span, fabric.routing_span);
        match (rule, fabric.family()) {
            (LaneRule::Single | LaneRule::Datelines, _) => {
                RouteError::NeedsDateline { method: fabric.routing.name(), vcs, budget, routing }
            }
            (LaneRule::Count(VcCount::GlobalHops), Some(family)) => {
                RouteError::NeedsGlobalHops { family: family.name(), needed, vcs, scenario, budget, routing }
            }
            (LaneRule::Count(_), _) => RouteError::NeedsHops { hops: needed, vcs, scenario, budget, routing },
        }
    }

    /// The error for routes of so many hops, if the spec allows fewer.
    pub fn long_detour(fabric: &Fabric, scenario: &Scenario, diameter: u32, hops: u32) -> Option<Self> {
        let detour = fabric.routing.most_detour().filter(|&detour| hops > diameter + detour)?;
        let (budget, routing) = (fabric.budget.vcs_span, fabric.routing_span);
        Some(RouteError::LongDetour {
            hops,
            detour,
            diameter,
            scenario: scenario.name.clone(),
            budget,
            routing,
        })
    }

    /// The error for a fault that disconnects a pair of routers, because the method has no detour.
    pub fn no_detour(fabric: &Fabric, topology: &Topology, scenario: &Scenario, pair: [NodeId; 2]) -> Self {
        let [from, to] = pair.map(|node| topology.name(node));
        let (routing, budget) = (fabric.routing_span, fabric.budget.faults_span);
        let (method, fault) = (fabric.routing.name(), scenario.describe(fabric));
        let alternative =
            if fabric.routing == RoutingChoice::Algebraic { "minimal" } else { "allowed_turns" };
        RouteError::NoDetour { method, alternative, fault, from, to, routing, budget }
    }

    /// The error for a pair that no valid path joins.
    pub fn no_valid_path(
        fabric: &Fabric,
        topology: &Topology,
        scenario: &Scenario,
        pair: PairWithoutPath,
    ) -> Self {
        let [from, to] = [pair.source, pair.destination].map(|node| topology.name(node).into());
        let is_nominal = scenario.is_nominal();
        let cause = match is_nominal {
            true => "no router is above both".to_owned(),
            false => format!("with {}, no router that is left is above both", scenario.describe(fabric)),
        };
        let remedy = match (fabric.family(), fabric.relays) {
            (Some(Family::Boxes(_)), 0) => {
                "GPUs forward no packets. Write `routing = spray { relay = gpu; }`, so that a GPU keeps them and \
                 sends them on"
                    .to_owned()
            }
            (Some(Family::Boxes(_)), most) => {
                let relays = if most == 1 { "1 relay" } else { &format!("{most} relays") };
                format!("More than {relays} would be needed: write a larger `relay = gpu {{ most = .. }}`")
            }
            _ => "Packets never turn up again after a hop down, because they could deadlock. Write \
                  `routing = minimal;` or `allowed_turns`, which know other ways, or join the two by more routers \
                  above them"
                .to_owned(),
        };
        RouteError::NoValidPath {
            method: fabric.routing.name(),
            scenario: scenario.name.as_str().into(),
            from,
            to,
            help: format!("{cause}. {remedy}").into(),
            routing: fabric.routing_span,
            budget: (!is_nominal).then_some(fabric.budget.faults_span),
        }
    }

    /// The error for the largest table of a scenario, which has more entries than the budget.
    pub fn too_many_entries(
        fabric: &Fabric,
        topology: &Topology,
        tables: &ForwardingTables,
        limit: u32,
    ) -> Self {
        let (entries, node) = largest_table(tables.symmetry.canonical_nodes(), &tables.routers);
        let destinations = topology.node_count() - 1;
        let help = if (limit as usize) < destinations {
            format!("every router needs one entry per destination: at least {destinations}")
        } else if tables.key == TableKey::Dst {
            format!("raise `table_entries` to {entries}")
        } else {
            format!(
                "{entries} is the smallest size found for the largest table. Raise `table_entries`, or write `routing = allowed_turns {{ key = dst; }}`, which needs {destinations}"
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

    /// The error for the largest table of groups of a scenario, which has more entries than the budget.
    pub fn too_many_group_entries(
        fabric: &Fabric,
        topology: &Topology,
        tables: &GroupTables,
        limit: u32,
    ) -> Self {
        let (entries, node) = largest_table(topology.nodes(), &tables.routers);
        RouteError::TableEntries {
            scenario: tables.scenario.clone(),
            router: topology.name(node),
            entries,
            limit,
            help: format!(
                "raise `table_entries` to {entries}: an entry is a range of destinations with one group"
            ),
            span: fabric.budget.entries_span,
        }
    }

    /// The error for a budget of fewer table entries than there are destinations.
    pub fn fewer_entries_than_routers(
        fabric: &Fabric,
        topology: Option<&Topology>,
        destinations: usize,
        limit: u32,
    ) -> Self {
        RouteError::TableEntries {
            scenario: "nominal".to_owned(),
            router: topology.map_or_else(
                || format!("every {}", fabric.plant.router_word()),
                |topology| topology.name(NodeId(0)),
            ),
            entries: destinations,
            limit,
            help: format!("every router needs one entry per destination: at least {destinations}"),
            span: fabric.budget.entries_span,
        }
    }

    /// The error for a fault that disconnects the fabric. It names the smaller side of the cut.
    pub fn fault_disconnects(fabric: &Fabric, scene: &Scene<'_>, scenario: &Scenario) -> Self {
        let topology = scene.topology;
        let surviving = || topology.nodes().filter(|&node| scene.lives(node));
        let start = surviving().next().expect("one chip cannot fall apart");
        let seen = topology.reachable(start, |link| scene.is_lit(link));
        let (near, far): (Vec<NodeId>, Vec<NodeId>) =
            surviving().partition(|node| seen.contains(node.index()));
        let smaller = if !far.is_empty() && far.len() <= near.len() { &far } else { &near };
        let named: Vec<String> = smaller.iter().take(4).map(|&node| topology.name(node)).collect();
        let more = if smaller.len() > named.len() {
            format!(" and {} more", smaller.len() - named.len())
        } else {
            String::new()
        };
        let (words, router, more_links) = match fabric.pod() {
            Some(_) => (&["pod", "chips"], "chip", "couple more faces or positions"),
            None => (&["network", "routers"], "router", "join it by more links"),
        };
        let remedy = match scenario.fault {
            ScenarioFault::None | ScenarioFault::Switches(_) => {
                format!(
                    "Every fiber across it runs through {}, so give those faces a second OCS",
                    scenario.name
                )
            }
            ScenarioFault::Link(_) => format!("No other link crosses it, so {more_links}"),
            ScenarioFault::Router(_) => {
                format!("Every path across it runs through that {router}, so {more_links}")
            }
        };
        RouteError::FaultDisconnects {
            fault: match scenario.fault {
                ScenarioFault::Link(_) => format!("link {}", scenario.name),
                ScenarioFault::Router(_) => format!("{router} {}", scenario.name),
                ScenarioFault::None | ScenarioFault::Switches(_) => scenario.name.clone(),
            }
            .into(),
            words,
            reached: near.len(),
            nodes: near.len() + far.len(),
            from: topology.name(start),
            cut: if far.is_empty() {
                format!("around {}, which has no surviving destination. {remedy}", named.join(", "))
            } else {
                format!("{}{more} against the rest. {remedy}", named.join(", "))
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
