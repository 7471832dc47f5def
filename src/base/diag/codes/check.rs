//! FAB04nn: requires, proofs and verification.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0401",
        title: "a `require` does not hold",
        text: "\
A `require` line is a contract between the spec and everyone who builds on it: a metric, a comparison and a value. The pod was compiled,
the metric was measured, and the comparison is false. With the prefix `fault.` the worst tolerated fault counts, and the message names it.

Change the design (more `effort`, another topology, more virtual channels, a smaller fault budget), or, if the line asked for more than
the pod can give, the line. `report.json` has the bounds: no design of this pod beats those.",
    },
    CodeDoc {
        code: "FAB0402",
        title: "the wiring does not match the spec",
        text: "\
The copper links of a pod are the meshes of its cubes: every two neighboring chips of a cube are joined once, and nothing else is
copper. Every other link is a fiber through an OCS. A topology that lacks such a link, has one more, uses more ports than the chip's
`radix`, or joins a router to itself cannot be built from the declared parts.

The links of a network are those of its family (docs/passes.md has the rule of each): who is joined to whom, how often, by which declared
link, on which ports. The ports of hosts count against the `radix` too.

In a build this is a bug of fabc. In `fabc verify` the directory was changed, or its `spec.fab` is that of another fabric.",
    },
    CodeDoc {
        code: "FAB0403",
        title: "an OCS cannot be set like this",
        text: "\
A mirror joins two ports, so the cross-connects of a switch are a matching: no port occurs twice. With `couple P with Q` each one joins
a port of side A to a port of side B; with `couple any of` it joins two different ports. Cross-connects and fiber links correspond one
to one: a setting without a link is light into a dark port, a link without a setting does not exist.",
    },
    CodeDoc {
        code: "FAB0404",
        title: "the claimed symmetry does not hold",
        text: "\
Tables, lengths, ranks and flows may be stored for canonical routers only. A symmetry carries them to all the others. That is right only
if the symmetry is a group of permutations of the cubes that carries every link onto a link of the same ports, kind and type (in a fault
scenario: lit onto lit), and if no element but the identity leaves a cube in place, so that all orbits have the same size.

If one element fails, everything that was stored canonically is about another pod.",
    },
    CodeDoc {
        code: "FAB0405",
        title: "two routers cannot reach each other",
        text: "\
The lit links do not connect all routers. In the nominal scenario the topology is disconnected. In a fault scenario the dark switches
disconnect it, so the pod does not tolerate `faults` of its `budget`.",
    },
    CodeDoc {
        code: "FAB0406",
        title: "the hop distances are wrong",
        text: "\
Diameter, average and histogram of hop distances are recomputed by a breadth-first search from every class of routers. They are exact
integers, so any difference is an error of whoever wrote them.",
    },
    CodeDoc {
        code: "FAB0407",
        title: "the channel lengths do not prove the bound",
        text: "\
By linear-programming duality any nonnegative lengths on the channels bound the maximum concurrent flow: lambda is at most the sum of all
lengths divided by the sum of the shortest lengths over all ordered pairs. The two sums are recomputed exactly from the lengths in
`certificates.json`. Dark channels carry nothing and must have length 0.",
    },
    CodeDoc {
        code: "FAB0408",
        title: "the flow does not prove the bound",
        text: "\
The lower end of the concurrent flow is a flow in integers: each canonical source sends `demand` units to every other router. At every
router what flows in must flow out, except at the source and for what is absorbed, and the busiest channel carries `busiest` units of
all sources together. Then every pair can send demand/busiest of a channel at once. Here units appear, vanish, or load a channel more.",
    },
    CodeDoc {
        code: "FAB0409",
        title: "the disjoint trees are wrong",
        text: "\
`disjoint_trees` counts sets of OCSes that share no switch, where the cross-connects of each set alone join all cubes: k such sets survive
any k - 1 dark switches. Here a switch is in two sets, or a set leaves a cube out.",
    },
    CodeDoc {
        code: "FAB0410",
        title: "a router has no entry for a packet",
        text: "\
The tables are walked as routers would: by (dst, in_port, in_vc), with -1,-1 for packets injected at the router. On the way from one
router to another the walk came to a router whose table has no such key. The packet would be dropped there.",
    },
    CodeDoc {
        code: "FAB0411",
        title: "a table entry cannot be followed",
        text: "\
An entry must be keyed once, must name routers, ports and virtual channels that exist, must leave by a port that is lit in its scenario,
and must be used by some route. Tables hold nothing superfluous: an entry that no packet ever asks for is one that nobody has proved.",
    },
    CodeDoc {
        code: "FAB0412",
        title: "a forwarding loop",
        text: "\
A packet came back to a router by the same port on the same virtual channel. Tables have no memory, so it will come back forever, and
never arrives. The message shows the hops that repeat.",
    },
    CodeDoc {
        code: "FAB0413",
        title: "channels can wait on each other in a cycle",
        text: "\
A packet holds the buffer of one (channel, virtual channel) while it waits for the next one on its route. If such dependencies close to a
cycle, packets can fill all its buffers so that none of them can ever move: deadlock (Dally and Seitz, 1987). The message shows a shortest
cycle, and for each of its channels a route that waits for the next.

Deadlock freedom needs the graph of all dependencies to be acyclic. More virtual channels (`budget { vcs = .. }`) or a routing that
forbids some turns (`allowed_turns`, `up_down`, `dimension_order` with datelines) break the cycles.",
    },
    CodeDoc {
        code: "FAB0414",
        title: "a rank does not rise",
        text: "\
The proof of deadlock freedom is a rank for every (channel, virtual channel) that rises from every hop of every route to the next. Here
it does not, although the tables have no cycle: the tables are sound, but this is no proof of it. The ranks were changed or belong to
other tables.",
    },
    CodeDoc {
        code: "FAB0415",
        title: "the tables use more than the budget",
        text: "\
Routes may use the virtual channels of the `budget`, and never more than the `chip` has. No router may have
more entries than its `table_entries`.",
    },
    CodeDoc {
        code: "FAB0416",
        title: "a list or a count is not the expected one",
        text: "\
Tables have one list per router (per canonical router where they are symmetric), lengths one integer per channel class, ranks one per
channel class and virtual channel, flows one list per canonical source with one integer per channel. Shorter or longer lists belong to
another pod or another symmetry.

In a build the checker also finds the tolerated faults, and counts what the routes carry, by means of its own: where the compiler has other
ones, the build ends here. Certificates must count in units so small that all ratios of them fit 128 bits.",
    },
    CodeDoc {
        code: "FAB0417",
        title: "packets do not arrive",
        text: "\
`fabc verify --tables FILE --topology FILE` follows the tables from every endpoint to every other one. Some packets come to a router that
has no entry for them, or that sends them to a port with nothing behind it. The message counts the pairs, packets that go round forever
included, and shows the walk of the first one.",
    },
    CodeDoc {
        code: "FAB0418",
        title: "foreign tables or topology cannot be read",
        text: "\
`fabc verify --tables FILE --topology FILE` reads two pairs of formats. Tables in `fabc.tables/1` or `fabc.tables.bin/1` go with a topology
in `fabc.topology/1` or `fabc.topology/2`, and so do next-hop groups in `fabc.tables/2`. The unicast forwarding tables of OpenSM (`opensm.fdbs`, `dump_fts`) go with what `ibnetdiscover`
prints: every switch of the one must be in the other, and every endpoint needs a LID, in the topology or as a port GUID in the tables.

`fabc verify --collective FILE --topology FILE` reads a schedule in `fabc.collective/1`, of the healthy fabric, and a topology of fabc. What is
`direct` follows tables of fabc, `--tables FILE`, and nothing else does. A schedule lists one of `steps`, `trees`, `sends`, `forest` and `paths`.

The message names the file and the line.",
    },
    CodeDoc {
        code: "FAB0419",
        title: "the bisection is not proved",
        text: "\
Between two halves of the routers run some links, and their number bounds the bisection of a network from above: the checker counts them
again. From below it is bounded by the second least eigenvalue of the Laplacian, lambda2 floor(N/2) ceil(N/2) / N, rounded up. The
checker proves that with a factorization of its own, of networks of up to 4608 routers. Halves that are none, another number of links, or a lower end that the
factorization does not bear out, are refused. The bisection between
hosts has one side listed. Its capacity and links are counted again, and the side must have half of the routers with hosts.",
    },
    CodeDoc {
        code: "FAB0420",
        title: "the files are not the ones that were written",
        text: "\
`manifest.json` lists every other file with its size and its blake3 hash, and the spec fixes which switches and scenarios must have a file.
A file is missing, changed, or does not belong here. Build the pod again, or find out who changed it.",
    },
    CodeDoc {
        code: "FAB0421",
        title: "a file cannot be read",
        text: "\
The file is no JSON, lacks a key, has one that the format does not know, or has another format tag (`\"format\":\"fabc.topology/1\"`). Other
versions of fabc may write other formats. Read the directory with the version that `manifest.json` names.",
    },
    CodeDoc {
        code: "FAB0422",
        title: "a file contradicts the spec or another file",
        text: "\
What stands in a file is well formed, but not what the spec, or another file of the directory, says: other names, other ports, another
order, a link or cross-connect that only one of two files has. Hashes that match prove only that the manifest was written afterwards.",
    },
    CodeDoc {
        code: "FAB0423",
        title: "a number of the report is not reproduced",
        text: "\
`fabc verify` recomputes every number of `report.json` from the topology, the settings, the tables and the certificates. Integers must be
equal. Ratios are rounded to 6 decimals. The lower end of the flow, and what follows from it (`injection`, `bandwidth`), may only be rounded
down and upper ends only up, to 9 digits. Ends are compared as exact fractions.",
    },
    CodeDoc {
        code: "FAB0424",
        title: "a file is not reproduced",
        text: "\
After everything was proved, `fabc verify` writes every file again from the proved values, and the directory
must have the same bytes. Here a file says something else than the other files prove, or says it in other
words, another order or another layout. The message shows the first difference.

Reports, drawings and other forms of the topology say nothing of their own, so they can always be made again.
If the manifest names another version of fabc, verify the directory with that version: another one may lay out
files differently.",
    },
    CodeDoc {
        code: "FAB0425",
        title: "a metric of the graph is wrong",
        text: "\
How many shortest paths a network has, how many links have to be lost before a router with hosts is cut off, and when networks fall
apart whose links fail at random: the checker counts all of it again from the links alone, with searches of its own, and compares before
anything is written. A difference is a bug of fabc.",
    },
    CodeDoc {
        code: "FAB0426",
        title: "the floor does not match the spec",
        text: "\
`floor.json` says which router stands in which cabinet, and where that stands; `topology.json` how long every cable is, and of which link. A
cabinet holds as many routers as the spec allows, those that its `clustering` asks for, on a place of its own. A cable is as long as the distance
between its cabinets, and of the link that its length asks for. What they come to is added up again.",
    },
    CodeDoc {
        code: "FAB0428",
        title: "a schedule does not perform its collective",
        text: "\
The schedule of a collective says which chunk crosses which channel in which round. The checker replays it: channels exist and are lit, none
carries more than its round is wide, a chunk is sent by a chip that has got it before, and in the end each chip has got each chunk exactly
once. Backwards, as a reduction, each chip sends its sum of a chunk once and adds nothing to it later, and the owner of the chunk has the
contributions of all. Trees span, go up and down by both channels of a link, and no link is in more of them than allowed. Messages from all
to all go the way of the forwarding tables, in slots that rise, no two over a channel in the same slot. Bounds are counted again from their
witnesses, and no schedule beats them.

In a build this is a bug of fabc. A schedule that was read was changed, or is of another topology.",
    },
    CodeDoc {
        code: "FAB0429",
        title: "a program for thread blocks does not perform its collective",
        text: "\
`fabc verify --collective FILE --topology FILE` runs a collective in MSCCL XML, or an execution plan of MSCCL++, of whomever. Of XML its numbers must be within what runtimes
take: 256 steps of a thread block, 216 thread blocks of a gpu without gaps, of which those below 128 can be waited for, 32 numbers (`chan`) of
connections, 32 peers each way under one, 71 chunks of a step, offsets within `i_chunks`, `o_chunks`, `s_chunks`. A connection (sender, receiver,
chan) has one thread block at each end, which move as many chunks in the same order, and a link joins the two chips, or links through switches do.
Several connections may share it. The thread blocks must come to an end on connections that hold two transfers. Two steps that use one place must
wait for each other if one of them writes. And the result must be that of the collective, in place and out of place as the file says: every
sum has every chip in it exactly once. Of `custom` only the structure is judged.

A plan of MSCCL++ has at most 64 operations of a thread block, 16 channels and 16 remote buffers of a type, and 8 channels of an operation. As many
signals are waited for as are sent, and every wait has its signal. Signals, barriers and semaphores order every write with all other uses of the same
place, whatever the timing. Within a thread block a `nop` does. Nobody uses the memory of a gpu before it has started or after it may have ended.

Gpu r is chip r of the topology. The message names gpu, thread block, and step or operation.",
    },
    CodeDoc {
        code: "FAB0430",
        title: "slices that are not isolated",
        text: "\
In a pod in slices no cross-connect joins two slices, or a slice to a cube that has none. What is set among the cubes of a slice is exactly what its
kind sets, carried to these cubes, switch by switch. No cube is in two slices, and none that is spare or down in any. So nothing that a slice sends
can reach another one, and what was proved of a kind holds of each of its slices. The message names the cross-connect and both slices. Set
the switches as `fabc plan` says, or build or place again.",
    },
    CodeDoc {
        code: "FAB0431",
        title: "a worst permutation that is not proved",
        text: "\
For `routing = spray` or `ecmp`, `certificates.json` lists the permutation of hosts that loads a channel most. The check follows its flows, which must be at most one
per host in each direction and add up to the claimed load. Then it follows the flows between all endpoints: on no channel may the largest shares of all
sources, or of all destinations, add up to more, unless listed prices prove by linear-programming duality that no permutation does.",
    },
    CodeDoc {
        code: "FAB0432",
        title: "configurations of switches that do not give the groups",
        text: "\
`fabc verify DIR --frr DIR2 --sonic DIR3 --routes DIR4` reads the files that `--emit frr`, `sonic` and `routes` write. Every switch must have exactly the addresses that
the spec gives it, a session over every link, and no statement that the check does not know. Then AS paths are propagated in every scenario of DIR, with
the sessions over dark links down: a switch refuses a path that has its own AS number, and uses all shortest ones. The ports to every leaf must be those
of the next-hop group in the tables. The message has the file, the scenario and both lists of ports.",
    },
    CodeDoc {
        code: "FAB0433",
        title: "a light budget that is not right",
        text: "\
The check adds up the light of every link once more: what the transmitter sends, less the losses of connectors, of the fiber as long as its cable, and of
the switch for just these two ports. The sum must be the one in `light.csv`, and leave the margin that the link declares.",
    },
    CodeDoc {
        code: "FAB0434",
        title: "a router with hosts forwards",
        text: "\
`fabc verify --tables FILE --topology FILE` reads next-hop groups (`fabc.tables/2`) of any program. Where every link of the network joins two
neighboring tiers, packets go up and then down, and no router with hosts forwards those of others. The message shows the path of such packets. In
networks without tiers every router may forward, and the check looks for channels that wait for each other.",
    },
];
