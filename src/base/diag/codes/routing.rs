//! FAB03nn: routing and budgets.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0319",
        title: "shares of packets on many paths are too small",
        text: "\
Under `routing = spray` or `ecmp` a router divides the packets for a destination equally among the ports of a group, and fabc counts these shares exactly. They
are counted in parts so small that every division comes out even. Groups of many different sizes need parts so small that 64 bits do not hold their
number. Give the routers of a tier equally many neighbors above, or write `routing = minimal`, which sends all packets of a pair one way.",
    },
    CodeDoc {
        code: "FAB0320",
        title: "axis-by-axis routes on a torus need a second virtual channel",
        text: "\
In a ring of three or more routers every channel may wait for the next one all the way round: a deadlock. Dimension-order routing breaks the
cycle at a dateline, where packets that wrap around move to a second virtual channel. With `vcs = 1` there is none. Rings of two are safe.
Under `routing = algebraic` also those of three and four, where no two routes meet all the way round.",
    },
    CodeDoc {
        code: "FAB0321",
        title: "a tolerated fault disconnects the pod",
        text: "\
`faults = 1 ocs` promises service with any one OCS dark. If all fibers between two parts of the pod run through one switch, no routing can keep
that promise. The message names the switch and the cut: the chips on its smaller side. Couple more faces or positions, or lower the budget.
The same holds for `1 link`, and for `1 chip` among the chips that are left.",
    },
    CodeDoc {
        code: "FAB0322",
        title: "dimension order cannot route around a fault",
        text: "\
Dimension order has exactly one path per pair. If a link on it is dark, the pair is cut off. Use `allowed_turns` or `up_down` for pods that must
tolerate faults, or write `faults = 0`.",
    },
    CodeDoc {
        code: "FAB0323",
        title: "a forwarding table exceeds its budget",
        text: "\
`table_entries = 1200` in the budget limits the entries of every router. Each router needs one entry per destination for the packets injected there, and one
for every further (destination, input port, input VC) that routes come in by. Allowed-turns routing merges routes until the budget holds, as far
as that goes. The message names the router with the largest table and the smallest size that was reached for it. Tables keyed by
destination alone (`key = dst`) need one entry per destination.",
    },
    CodeDoc {
        code: "FAB0324",
        title: "the integer program is too large",
        text: "\
`select = ilp` solves a linear program with one variable per allowed path of fewest hops. It is a yardstick for small pods: 256 chips, 2,000 paths with the
built-in solver, 200,000 with the cargo feature `cbc`. Without `select` the routes are found by descent at any size.",
    },
    CodeDoc {
        code: "FAB0325",
        title: "too many faults of links or chips",
        text: "\
A fault of one link or chip breaks the symmetry of the pod: its tables are found and listed for every router, not for one cube. Faults that are
images of each other under the symmetry are compiled once, but the remaining ones can still be more than anybody would wait for or store. The
message has the arithmetic. `faults = 1 ocs` keeps the symmetry and is cheap at any size. Networks have no switches that fail as a whole.",
    },
    CodeDoc {
        code: "FAB0326",
        title: "minimal routes need more virtual channels",
        text: "\
Where nothing else is proved, `routing = minimal` moves a packet one virtual channel up at every hop, so that channels wait on higher ones only:
the longest route needs as many virtual channels as it has hops, under every tolerated fault as well. The message says how many. Raise `vcs`
(and that of the router), or write `routing = allowed_turns`, which makes do with those there are. Dragonflies, megaflies and fat trees, and
grids and hypercubes under `routing = algebraic`, need fewer.",
    },
    CodeDoc {
        code: "FAB0327",
        title: "too many turns to search",
        text: "\
`routing = allowed_turns` searches which turns routes may take, for every (channel, virtual channel) and every destination that differs under the
symmetry. Networks without symmetry have as many of those as routers: 256 routers of 12 ports take minutes, 1,000 of 20 take hours. What would take
days is refused before it begins: channels x virtual channels x differing destinations may be 67108864, and differing routers x (ports x \
virtual channels)^2 half as many, where every router counts with the ports of the widest one. `minimal` and `up_down` route
networks of any size that fits into memory. Dragonflies in the arrangements `palmtree` and `fold` are the same from every group, so that
only the routers of one group differ.",
    },
    CodeDoc {
        code: "FAB0328",
        title: "routes between groups need more virtual channels",
        text: "\
In a dragonfly a packet moves one virtual channel up behind every link between groups. Local hops never follow each other, so that two virtual
channels do: one up to the only link between groups that a packet goes on behind, one after it. Around a tolerated fault a route may cross more of
them, and needs one more for each. Raise `vcs` (and that of the router), or write `routing = allowed_turns`, which makes do with those there are.",
    },
    CodeDoc {
        code: "FAB0329",
        title: "no path goes up and then down",
        text: "\
Under `routing = spray` or `ecmp` every path goes up through the tiers and then down, and never up again: this is what excludes deadlock without further virtual
channels. Two routers that have no router above both of them, or none that a tolerated fault leaves, have no such path, even where a longer way around
exists. Join them by more routers above, or write `routing = minimal` or `allowed_turns`, which take other ways.",
    },
    CodeDoc {
        code: "FAB0330",
        title: "a require that no result can meet",
        text: "\
Some bounds are known before anything is searched: what no wiring of the switches can exceed (the universal bound), how near so many routers with so
many ports can be to each other at best (Moore's bound), how many disjoint trees the switches have fibers for, what leaves a router at all, and, where
the topology is fixed, its distances. Of a collective they are what its size makes one chip move through its channels, and the latency of the hops to the
farthest chip; of a simulation, what the ports of a sender and its channels let through. A `require` beyond such a bound can never hold, so fabc says so at once and does not search. The message has the
bound in the unit of the line, and the argument. Of cubes with a thousand chips or more the universal bound takes seconds: there the build finds it.

Shares keep a line on the right side of its bound: `require concurrent_flow >= 98 % of universal;`, `require max_channel_load <= 1.05 * bound;`.",
    },
    CodeDoc {
        code: "FAB0331",
        title: "two requires that contradict each other",
        text: "\
No value satisfies both lines. They may be about the same metric, about one flow in different units (`concurrent_flow`, `injection` and `bandwidth` are
proportional), about a mean and a largest value (`average_hops` is never above `diameter`), or about the healthy fabric and its faults (a dark switch or
link makes no way shorter).",
    },
    CodeDoc {
        code: "FAB0332",
        title: "a `require` of what is not measured",
        text: "\
Some metrics are not measured of every network: halves are of two-way links, so a network whose links run one way has no `bisection` or `host_bisection`, and
there is a limit to searches from every router for `edge_connectivity`. The `collision` of flows is counted of at most 512 flows of a next-hop group. The line can be neither kept nor broken. It is refused before the work begins.",
    },
    CodeDoc {
        code: "FAB0333",
        title: "a route with too many hops",
        text: "\
`allowed_turns { detour = 2; }` allows a route so many hops more than the diameter of what is lit. The order of the channels that was found has no path
of so few hops for some pair. Another virtual channel, or a larger `detour`, gives the order more room. Without `detour` fabc aims at 2 in networks, and
says so where routes are longer.",
    },
];
