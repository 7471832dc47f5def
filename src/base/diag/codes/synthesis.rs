//! FAB02nn: topologies, cross-connects, analysis.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0201",
        title: "no OCS can connect a pair of ports that the topology needs",
        text: "\
Every fiber of a topology runs through one optical circuit switch, and a switch can only join ports that are wired to it: with
`couple P with Q` a P port to a Q port, with `couple any of P, Q` any two. A torus asks for the fiber from the `+d` face of every cube
to the `-d` face of the next one, at the same position. If no declared `ocs` sees both ends, the torus cannot be built.

The message names the first such pair and says what is missing: a face that no group couples (it is dark), two ends on different switches
(often `for cubes ..` groups that cut the pod apart), or two ends on the same side of one switch.",
    },
    CodeDoc {
        code: "FAB0202",
        title: "the topology does not connect the pod",
        text: "\
Some chips cannot be reached from others. Cubes that share no switch can never be joined, and a `cross_connects` file may leave a pod in
pieces. Couple more faces, let one group serve all cubes, or change the file.

`method = milp` and `method = relax` add cuts until the pod is connected, also under the faults of the budget. They may find no such wiring:
links that were rounded up early can use the ports that the last part needs. Another `fix`, more `nodes`, or `method = search` helps. The exit
code is 3, since no line of the spec is wrong by itself.",
    },
    CodeDoc {
        code: "FAB0203",
        title: "a cross-connects file does not fit the pod",
        text: "\
`topology = cross_connects \"file\"` reads a `fabc.ocs/1` document, such as the `ocs.json` of an earlier build or of the live control plane.
Its switches must be declared in the spec, its port names must be those of the switch, no port may be in two cross-connects, and none may
join a chip to itself. The order of switches and ports does not matter. The same holds for the file of `start` in `synthesize { start = ..; moves <= n; }`. A switch that the
file leaves out is dark.",
    },
    CodeDoc {
        code: "FAB0204",
        title: "this pod has no translation symmetry",
        text: "\
With `symmetry = translation` every OCS shifts all cubes by the same group element, so every switch must serve the same two ports of
every cube. A group that serves some cubes only, or whose sides have different lengths, breaks that. `symmetry = auto` searches without symmetry
where there is none. Routing and certificates then take more work, since every chip is different.

With a `start`, only whole switches can be shifted under `symmetry = translation`, and only if the live wiring treats all cubes alike.",
    },
    CodeDoc {
        code: "FAB0205",
        title: "the program of this pod cannot be solved",
        text: "\
`method = milp` and `method = relax` of `synthesize` turn the pod into one linear program: half a row for every pair of chips, and for every
chip a column for every channel that could be wired, both divided by the number of cubes where one shift per OCS is chosen. The message says
how large it is and what the solver of this build is given: the built-in one suits toys, CBC (`cargo build --features cbc`) graphs
of some tens of chips, and two cubes of 64 chips under symmetry. `method = search` has no such limit.

The same error says that the solver gave up on a program within the limit, and why.",
    },
    CodeDoc {
        code: "FAB0206",
        title: "a build that would take too much memory",
        text: "\
What a build takes is estimated before the work begins, and one that would take more than 17.2 GB (16 GiB) is refused at the line that makes it so
large. The estimate knows nothing of the machine, so that the answer is the same everywhere. What grows faster than the pod: the flow with 48
bytes, and routes and tables with some 700 bytes (2 virtual channels), for every pair of a chip and a chip that differs from all others under the symmetry, the symmetry with 8
bytes for every pair of cubes, every scenario with about 5 bytes per such pair of chips. A pod whose cubes are all alike has only the chips of one cube that differ, so it may be a
hundred times as large as one without symmetry: see `symmetry` in `synthesize`. `dimension_order` and `up_down` keep no symmetry in their routes.

`--until analyze` builds a topology whose routes do not fit. Where faults are too many, tolerate fewer, or take a smaller pod.",
    },
    CodeDoc {
        code: "FAB0207",
        title: "no random draw has the required properties",
        text: "\
`random_regular` and `xpander` are drawn until one is connected and, of an xpander, until its second eigenvalue is below that of a Ramanujan
graph of its degree, at most `attempts` times (100 if the spec does not say). Routers of two links mostly form several rings. A
meta-node of few routers has few matchings. Raise `attempts`, or change `degree`, `lift` or `seed`.",
    },
    CodeDoc {
        code: "FAB0208",
        title: "a network that is described, not built",
        text: "\
A network of more than 65536 routers is not built: its tables alone would be a number for every two of them. Where formulas describe its family,
up to 1048576 routers can be declared, and `fabc check` without `--until` tells their sizes and distances by formulas, and looks at a sample
of the network: the links of some routers, and searches from some of them. `build`, `graph` and `check --until` refuse it.",
    },
    CodeDoc {
        code: "FAB0209",
        title: "a network that would take too long to measure",
        text: "\
Distances, paths and bounds are exact: every router that differs from all others under the symmetry is searched from, and every search looks at all
channels. Where that is more than 17179869184 looks (2^34), some minutes for every measurement, the network is refused at its line before
the work begins, on every machine alike. A network of 16,384 routers may have up to 64 links at each. One that a rotation carries onto itself
may be larger. Take a smaller network, or one with fewer links. Where formulas describe the family, `fabc check` without `--until` describes
such a network as it describes one of more than 65536 routers; `build`, `graph` and `check --until` refuse it.",
    },
    CodeDoc {
        code: "FAB0210",
        title: "a cable longer than any link",
        text: "\
A `floor` says up to which length a cable is which link: `copper <= 10 m; optical <= 100 m;`. Some cable is longer than all of those. Name a link for
all that are longer (`beyond = optical;`), or bring cabinets nearer: another `clustering`, an annealed `placement`, a larger `cabinet`.",
    },
    CodeDoc {
        code: "FAB0211",
        title: "a fabric in slices",
        text: "\
A fabric with `slice` items has no topology of its own: every kind of slice is a pod for itself. `fabc build` and `fabc check` take it whole. What asks for
one topology (`graph`, `sweep`, `diff`, `--golden`, `--emit`, `--dump`) takes the spec of a kind, which a build writes to `DIR/slices/KIND/spec.fab`.",
    },
];
