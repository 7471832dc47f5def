//! FAB00nn (syntax) and FAB01nn (meaning of the spec).

use super::doc::CodeDoc;

const fn doc(code: &'static str, title: &'static str, text: &'static str) -> CodeDoc {
    CodeDoc { code, title, text }
}

pub(super) const CODES: &[CodeDoc] = &[
    doc(
        "FAB0001",
        "unexpected text",
        "The text cannot be read from here on. The label says what could have stood there.\n\
         \n\
         Often the slip is just before the place: a missing value, a missing bracket, a name with a sign in it. After \
         the error the statement is skipped, so that one run reports more than one slip.",
    ),
    doc(
        "FAB0002",
        "missing `;`",
        "Every setting, `use`, `let`, `require`, `mesh`, `couple` and `all_to_all` ends with `;`. Blocks (`link copper { .. }`) end \
         with their `}`.\n\
         \n\
         ```text\n\
         clock = 1.05 GHz      wrong\n\
         clock = 1.05 GHz;     right\n\
         ```",
    ),
    doc(
        "FAB0003",
        "brackets that do not match",
        "A `{`, `(` or `[` is never closed, or is closed by another kind of bracket, or a closing one has no partner. \
         Where a bracket is missing, the indentation decides which one is shown: `fabc fmt` keeps it honest.",
    ),
    doc(
        "FAB0004",
        "no `=` between name and value",
        "A setting is written `name = value;`, with a single `=`. A require compares instead: `require diameter <= 6;`. A block \
         has no `=`: `chip { .. }`; one that is the value of a setting stands after its word: `topology = synthesize { .. }`.",
    ),
    doc(
        "FAB0005",
        "not a comparison",
        "A require compares with `<=`, `>=`, `<`, `>` or `==`. A single `=` would set a value, and `!=` promises \
         nothing.",
    ),
    doc(
        "FAB0006",
        "not a range",
        "A range is written `lo..hi` and leaves out `hi`: `0..4` has the values 0, 1, 2, 3. What a parameter \
         may be has both ends instead, with `..=`: `param cubes = 4 in 1..=128;`.",
    ),
    doc(
        "FAB0007",
        "a spec that is too large or nests too deeply",
        "Brackets nest too deeply, or the spec is too long: with all files that it uses it may have 4194304 bytes, 262144 words, \
         numbers and signs, and 256 files. No spec needs more; most likely a bracket is missing, or the wrong file was given.",
    ),
    doc(
        "FAB0008",
        "unfinished comment or string",
        "A comment that begins with `/*` ends with `*/`; comments do not nest. A path in quotes ends on the line where \
         it begins.",
    ),
    doc(
        "FAB0009",
        "a stray `;`",
        "One `;` ends a statement, a second one means nothing. Remove it. (A `;` after the `}` of a block is let through, and \
         `fabc fmt` takes it away.)",
    ),
    doc(
        "FAB0010",
        "a file cannot be read",
        "The spec, or a file that it brings in with `use` or names in `links`, does not exist or cannot be read. Such a path is \
         relative to the file that names it.",
    ),
    doc(
        "FAB0011",
        "files that use each other",
        "A file brings in itself, directly or through others. Move what both need into a third file. Using one file \
         from several places is fine: it counts once.",
    ),
    doc(
        "FAB0012",
        "no fabric",
        "A spec is one `fabric name { .. }`. Files without it hold shared parts and are brought in with `use`. The name \
         is also that of the output directory. No other block holds blocks, and capitals count: `Fabric` is no `fabric`.",
    ),
    doc(
        "FAB0013",
        "a second fabric",
        "A spec declares exactly one fabric. What several fabrics share goes into a file without `fabric`, which each \
         of them brings in with `use`.",
    ),
    doc(
        "FAB0014",
        "dimensions that are not joined by `x`",
        "Dimensions are written `4 x 4 x 8`, also `4x4x8`: no `*`, no `\u{d7}`, no commas, no brackets around them.",
    ),
    doc(
        "FAB0016",
        "an `all_to_all` without its weight",
        "An all-to-all and its weight are one statement, with one `;`. What adds up to the demand is one statement each.\n\
         \n\
         ```text\n\
         all_to_all over groups of 16; weight 4;      wrong\n\
         all_to_all over groups of 16 weight 4;       right\n\
         ```",
    ),
    doc(
        "FAB0017",
        "a path with a control character",
        "The name of a file holds a character that no font shows, such as an escape or a tab. It would act on the terminal that \
         shows it. Name the file otherwise; often the character came along when the path was copied.",
    ),
    doc(
        "FAB0018",
        "`--set` without a value",
        "A parameter is set by `--set name=value`, each with a `--set` of its own. What has blanks or quotes in it stands in single \
         quotes, for the sake of the shell: `--set 'rate=100 GB/s'`; `--set rate=100GB/s` says the same.",
    ),
    doc(
        "FAB0019",
        "links of a box that cannot be read",
        "`links \"dgx1.csv\" over nvlink;` in a `box` joins the GPUs that a file lists. A line is `u,v,copies`: two different \
         GPUs and how many links join them, 1 if left out. A first line `u,v,copies` is a heading, `#` begins a comment. No \
         pair comes twice. The path is relative to the file that the line stands in.",
    ),
    doc(
        "FAB0101",
        "unknown name",
        "A link, a constant or an index is used but not declared. Links are declared with `link name { .. }`, constants \
         with `let name = ..;`, indices in the head of an `ocs` group: `ocs X[u in 0..4]`.",
    ),
    doc(
        "FAB0102",
        "declared twice",
        "Two declarations have the same name, or something that a fabric has once is written twice. Both places are \
         shown. The order of items never matters, so a later one does not override an earlier one: remove one of them. Nor does a \
         spec override what a file of `use` brings in: use a file without it, or copy the file and change the copy.",
    ),
    doc(
        "FAB0103",
        "a name that does not belong here",
        "A setting, a block or a line stands where it has no meaning. `docs/language.md` lists what belongs where.",
    ),
    doc(
        "FAB0104",
        "something is missing",
        "A fabric needs `clock`, at least one `link` and `topology`; a pod also a `chip`, a `cube`, `cubes` and `routing`, a \
         network a `router`. Blocks need their settings; where several links are declared, the topology of a network says \
         which it takes. The help shows a line to add. `budget`, `demand`, `ocs` and `require` may be left out.",
    ),
    doc(
        "FAB0105",
        "wrong or missing unit",
        "A quantity has a unit, and the unit measures the right thing: `GB/s` (bytes) and `Gbps` (bits) for bandwidths, `cycles`, `ns` \
         and `m` (5 ns each) for latencies, `GHz` for the clock, `B` and `flits` for sizes. Counts (`cubes`, `radix`, \
         `vcs`, `ports`) have none.",
    ),
    doc(
        "FAB0106",
        "another kind of value expected",
        "A name stands where a number belongs, a decimal number where an integer belongs, two dimensions where three \
         belong, and so on. A flat cube or torus has length 1 in its third dimension: `4 x 4 x 1`.",
    ),
    doc(
        "FAB0107",
        "number out of range",
        "A number is too small, too large, no whole number of its base unit, or cannot be computed (a division by zero, \
         an overflow of 64 bits).",
    ),
    doc(
        "FAB0108",
        "an empty range",
        "`lo..hi` runs from `lo` to `hi - 1`, so `lo` must be smaller than `hi`.",
    ),
    doc(
        "FAB0109",
        "position outside the face",
        "A port expression leaves the face of the cube for some value of the indices. `+x[u, v]` is at (y, z) = (u, v), \
         `+y[u, v]` at (x, z), `+z[u, v]` at (x, y); each runs from 0 to the side of the cube minus 1.",
    ),
    doc(
        "FAB0110",
        "a face port served twice",
        "A face port has one fiber, so one OCS can serve it. Two groups overlap, or a group does not use all of its \
         indices, so that two of its switches see the same port.\n\
         \n\
         To put several switches at one position, give each its own cubes: `ocs XA[..] for cubes 0..64 { .. }`. Where very \
         many groups overlap, the first hundred are told one by one and the others counted.",
    ),
    doc(
        "FAB0111",
        "too few ports on an OCS",
        "`ports` is N of an N x N switch. With `duplex = circulator` (the default) every face port takes one switch \
         port on its side; with `duplex = pair` it takes one on both sides; a switch without sides (`couple any of`) \
         needs a port for each face port.\n\
         \n\
         Use larger switches, or split the cubes among several groups with `for cubes lo..hi`.",
    ),
    doc(
        "FAB0112",
        "radix too small",
        "The busiest chip has more mesh links and coupled face ports than its router has ports. A face port that no \
         `ocs` couples is dark and needs none.\n\
         \n\
         In a network the links of the fullest router and its hosts together take at most `radix` ports; with `hosts = 0` \
         the endpoint is inside the router and takes none. Links that run one way take an output port at one end and an \
         input port at the other; a router has `radix` of each. A graph file that numbers ports counts them from 0.",
    ),
    doc(
        "FAB0113",
        "too large",
        "A pod has at most 1048576 chips, 32768 cubes and 65536 OCSes, a network at most 65536 routers, or 1048576 where \
         formulas describe its family: beyond 65536, `fabc check` describes it, and nothing builds it (FAB0208). With a demand matrix at most \
         4096 chips or routers with hosts, and as many where a graph file gives routers unequal numbers of hosts; an OCS group has at \
         most 16 indices. Larger numbers are refused before any memory is taken. What a build within these limits may take of memory is \
         limited too: see FAB0206.",
    ),
    doc(
        "FAB0114",
        "a budget above the virtual channels of the router",
        "`budget { vcs }` says how many virtual channels the routing may use; the chip or router must have them.",
    ),
    doc(
        "FAB0115",
        "faults that are not supported",
        "A fault budget is `0`, `1 ocs`, `2 ocs`, `1 link` or `1 chip`: the pod keeps its guarantees with that many OCSes dark, \
         with any one link dark, or for all others when any one chip is dead. In a network it is `0`, `1 link` or `1 router`; \
         `1 chip` and `1 router` are one thing, and leave two of at least three endpoints.",
    ),
    doc(
        "FAB0116",
        "a torus that does not fit the cubes",
        "Along each axis a torus consists of whole cubes, and all of them together are the `cubes` of the pod.",
    ),
    doc(
        "FAB0117",
        "a ring of one chip",
        "Along an axis of total length 1 the wrap-around link would join a chip to itself, which is no link. Leave \
         those faces dark, or give the pod two chips along that axis. (A ring of two has two parallel links; that is \
         allowed.)",
    ),
    doc(
        "FAB0118",
        "a shape without a defined twist",
        "The twisted torus is defined for a x a x 2a and a x 2a x 2a, in this order, made of cubes with equal sides; a \
         is a multiple of that side.",
    ),
    doc(
        "FAB0119",
        "routing that does not go with the topology",
        "`dimension_order` needs dimensions: it works on `topology = torus ..` only, in a network also on `mesh` and \
         `hyperx`. `up_down` and `allowed_turns` need links that run both ways. `minimal` works on every network.",
    ),
    doc(
        "FAB0120",
        "bandwidths that cannot be combined",
        "Links may differ in bandwidth. Capacities are counted in units of the greatest common divisor of the bandwidths in use, loads \
         in whole parts of such a unit: as many as the least common multiple of the capacities, which may be at most 65536. So 100, 200 \
         and 400 Gbps go together (8 parts at most), 400 and 399.999 Gbps do not. `method = milp` and `method = relax` count all \
         links alike and need one bandwidth. Links that are declared but not used do not matter.",
    ),
    doc(
        "FAB0121",
        "unknown metric",
        "The metrics are `diameter`, `average_hops`, `concurrent_flow`, `injection`, `bandwidth`, `max_channel_load`, \
         `load_ratio`, `hops_ratio`, `vc_balance` and `disjoint_trees`; each also with `fault.` before it, for the \
         worst tolerated fault.",
    ),
    doc(
        "FAB0122",
        "a require that always or never holds",
        "The comparison is true or false for every pod, whatever is measured. Most likely the value or the direction is \
         a slip.",
    ),
    doc(
        "FAB0123",
        "`fault.` without faults",
        "A metric with `fault.` before it is about the worst fault that the budget tolerates, but the budget tolerates \
         none.",
    ),
    doc(
        "FAB0124",
        "cubes without a switch",
        "Cubes are joined by OCSes only. A pod of several cubes needs at least one `ocs` group.",
    ),
    doc(
        "FAB0125",
        "the file of a setting cannot be read",
        "The file of `topology = cross_connects \"..\"`, `topology = graph \"..\"` or `demand = matrix \"..\"` does not exist or \
         cannot be read. The path is relative to the spec.",
    ),
    doc(
        "FAB0126",
        "unknown choice",
        "The name is none of those that can stand here. A face needs its side: `+x` or `-x`.",
    ),
    doc(
        "FAB0127",
        "a constant defined by itself",
        "A `let` may use other constants, in any order, but not itself, directly or through others.",
    ),
    doc(
        "FAB0128",
        "not a demand matrix",
        "The file of `demand = matrix \"..\"` has a line per source chip and in it an integer per destination chip, \
         separated by commas, chips by node id; in a network routers with hosts take the place of chips. Integers run from 0 to 1000000; the diagonal is 0, for no chip sends to \
         itself. The message names the first place in the file that is wrong, by line and number in the line.",
    ),
    doc(
        "FAB0129",
        "groups that do not fit",
        "A group of `all_to_all over groups of n` is n consecutive chips by node id, at least 2: a part of a cube (n \
         divides the chips of a cube) or several whole cubes (n is a multiple of the chips of a cube and divides the \
         chips of the pod). No chip may be left over. In a network a group is n consecutive routers with hosts, and n divides \
         their number.",
    ),
    doc(
        "FAB0130",
        "a demand without traffic",
        "Every weight of the demand is 0, so there is no traffic to carry and no rate to maximise.",
    ),
    doc(
        "FAB0131",
        "a mix of pod and network",
        "A fabric is either a pod (`chip`, `cube`, `cubes`, `ocs`, topologies that OCSes make, faults of OCSes) or a network \
         (`router`, topologies between routers, `routing = minimal`). The first item that belongs to one of them decides; \
         what belongs to the other is refused. `torus` is in both: of chips in a pod, of routers in a network.",
    ),
    doc(
        "FAB0132",
        "no network has these parameters",
        "The parameters contradict each other, or make nothing that can carry traffic.\n\
         \n\
         - `dragonfly`: a group has a h global ports and reaches at most as many other groups: g <= a h + 1. `arrangement = \
         fold` hangs both cables of an offset on one router: h is even, g is odd.\n\
         - `levels`: of every block of a level with n blocks joined (n - 1) links leave, and its routers have \
         `ports` ports each for them. `fold` needs an odd n and an even `ports`; a spare leaves at least two \
         blocks.\n\
         - `fat_tree` with `arity`: at least two levels, and arity 2 or more. With `k`: an even number of ports, 4 or more, and at most k / 2 hosts.\n\
         - `leaf_spine`: at least one spine. `clos`: as many numbers in `up` and `parallel` as in `down`, and a word for every tier.\n\
         - `kautz`: degree 2 or more; over two letters there are two words of any length.\n\
         - `torus`, `mesh`, `hyperx`: at least two routers in all.",
    ),
    doc(
        "FAB0133",
        "not a graph file",
        "The file of `topology = graph \"..\"` cannot be read as a network. If its name ends in `.graphml` it is GraphML as \
         NetworkX writes it, otherwise an edge list: a line `u v` or `u v link` for every link, `#` before comments.\n\
         \n\
         Names are unique and can be printed; an edge joins two different routers; its `link` is declared in the spec, or \
         `default` says which it is; `hosts`, `source_port` and `target_port` are integers from 0, `length` is a number of \
         metres; no port of a router carries two links; at least two routers have hosts; either all edges have a direction or \
         none. The message names the line of the first thing that is wrong.",
    ),
    doc(
        "FAB0134",
        "a disconnected graph",
        "Every router must reach every other. The message names two between which no path leads. Where links run one way \
         (`edgedefault=\"directed\"`, or `arcs = simplex;`) there must be a path in both directions; `arcs = duplex;` makes every \
         link run both ways.",
    ),
    doc(
        "FAB0135",
        "a fabric that does not fit on its floor",
        "A `floor` has a place for every cabinet, and a cabinet room for what stands together: `grid = fixed a x b` has at \
         least as many places as there are cabinets, and with `clustering = by_group` a group fits a cabinet. Only families \
         with groups have them: `polarstar`, `bundlefly`, `dragonfly`, `megafly`, `xpander`, `levels`. `by_cluster` is of \
         `polarstar` and `polarfly`, and a cabinet holds one supernode at least.\n\
         \n\
         In a pod every cube is a cabinet, and so is every rack of switches: `ocs = at 0 x 0;` (row and column of the first \
         rack) or `ocs = row 1;` says where they stand, `ocs_rack = 16;` how many switches a rack holds.\n\
         \n\
         Boxes stand in racks of `box_rack = 4;` boxes, switches in racks of `cabinet = 8;` switches. With \
         `clustering = by_group` leaves stand in the racks of their boxes, at most `cabinet` in each. `by_cluster`, `walktrap` \
         and `bundles = by_group` are not for boxes.\n\
         \n\
         Links that are told apart by their length (`copper <= 10 m; beyond = optical;`) carry alike, have different limits, \
         and are not named elsewhere. With boxes they also carry as much as the link of the NICs.",
    ),
    doc(
        "FAB0136",
        "not a file of messages",
        "The file of `collective name = pairs \"..\"` has a line for every message: the chip that sends, the one that receives (names or \
         numbers), bytes, and perhaps the cycle before which it is not there, separated by commas. A first line that begins with `from` is a \
         heading, `#` begins a comment. No chip sends to itself, and between the same two there is one message for every such cycle.",
    ),
    doc(
        "FAB0137",
        "not a trace",
        "The file of `traffic = trace \"..\"` has a line for every message: the cycle in which it is at its source, who sends it and who gets \
         it (names of routers with one endpoint, or numbers of endpoints), and its flits, separated by commas; cycles ascend. A first line \
         `cycle,src,dst,flits` is a heading, `#` begins a comment.",
    ),
    doc(
        "FAB0138",
        "addresses that do not serve the network",
        "`addresses { .. }` gives prefixes of IPv4 addresses: one address of `loopbacks` for every switch, two of `links` for every link, and \
         for every leaf a part of `hosts`. That part is a power of two, and holds the hosts of the fullest leaf, the gateway, the network itself \
         and broadcast. A prefix is an address and a length up to 32, such as `10.0.0.0/8`, and no bit of the address after that length is set. \
         No interface can have an address of 0.0.0.0/8, 127.0.0.0/8 or 224.0.0.0/3.\n\
         \n\
         Every prefix is used from its first address on. So one prefix may lie inside another, as long as no address is used twice: the message \
         has the arithmetic.",
    ),
    doc(
        "FAB0141",
        "names that cannot name files",
        "Files are named after switches, with `_` for the brackets and commas: `X[1,0]` is `ocs/X_1_0.config_db.json`, and a dark \
         `X[1,0]` has its tables in `tables/fault-X_1_0.json`. `X[1,0]` and the switch 0 of a group `X_1` would share them, and \
         so would switches of groups whose names differ in capitals only, on disks that do not tell capitals from small letters.\n\
         \n\
         Rename one of the two groups.\n\
         \n\
         Where links or routers of a network may fail, tables are named after routers too (`tables/fault-leaf1.json`). Routers of a \
         graph file then need names that file names can have: no `/`, `\\`, `<`, `>`, `:`, `\"`, `|`, `?`, `*` or control characters, at most \
         200 bytes, and none that differ in capitals or brackets only.",
    ),
    doc(
        "FAB0142",
        "no such parameter",
        "`--set` gives another value to what the spec, or a file that it uses, declares with `param`. A `let` is not meant to be \
         changed from outside, and a setting has a name of its own: where `cubes = 4;` stands, write `param cubes = 4;` and \
         `cubes = cubes;`.",
    ),
    doc(
        "FAB0143",
        "another kind of value than the parameter takes",
        "What a parameter is set to, on the command line or by a `use`, is of the kind that its declaration shows: an integer, a \
         decimal number, a quantity of the same dimension (any of its units; a latency also in cycles or metres), a name or a text.",
    ),
    doc(
        "FAB0144",
        "a value that the parameter does not allow",
        "The declaration says what the parameter may be: a range with both ends (`in 1..=128`, `in 50 GB/s..=200 GB/s`) for numbers \
         and quantities, a list (`in [up_down, allowed_turns]`) for names and texts. Its own value must be one of these, too.",
    ),
    doc(
        "FAB0145",
        "a switch that SONiC cannot describe",
        "The SONiC model of an optical circuit switch (CONFIG_DB, `OCS_CROSS_CONNECT`) joins a port of side A to one of side B, \
         and no port is in two cross-connects. `couple any of` joins any two ports; with `duplex = circulator` (the default) each \
         port carries both directions, so it would have to be on both sides at once. With `duplex = pair` it is: a face port sends \
         into `kA` and receives from `kB`, and a link is the two cross-connects `iA-jB` and `jA-iB`.\n\
         \n\
         Without `config_db` no configuration is written for such switches, and the build says so; `config_db = none;` says that \
         this is meant. `ocs.json` has their settings all the same.",
    ),
    doc(
        "FAB0146",
        "a calculation without an exact result",
        "Constants are calculated exactly: integers as everywhere, decimal numbers and quantities with at most 18 digits. Quantities \
         are added to their like, and multiplied and divided by plain numbers; a third of 1 GB/s has no end, and a cycle has no \
         length in ns that could be added here.",
    ),
    doc(
        "FAB0147",
        "a constant of the wrong kind",
        "A constant stands for an integer, a decimal number, a quantity with its unit, a name or a text. Counts, sides, ranges and \
         positions are integers; a quantity takes no second unit; a text is the path of a file, or the name of a router.",
    ),
    doc(
        "FAB0148",
        "a `use` that changes an unknown name",
        "The block of a `use` sets parameters of the file, gives other values to settings that stand there, and other settings to its \
         links, chip, cube, switches and the like. It adds nothing new: what the file does not declare is written beside the `use`.",
    ),
    doc(
        "FAB0149",
        "more slices than cubes",
        "A slice is whole cubes, and all slices that a fabric declares must fit into its pod at once: `cubes` x `count` of every \
         `slice`, and the cubes to `spare`, are at most the `cubes` of the fabric.",
    ),
    doc(
        "FAB0150",
        "a slice across groups of switches",
        "The cubes of a slice are interchangeable: for every face port, the same switch serves it on the same side. Where groups of \
         switches are declared `for cubes lo..hi`, the pod falls into classes of such cubes, and a slice is no larger than the largest of \
         them. Let each group serve more cubes, or divide the slice.",
    ),
    doc(
        "FAB0151",
        "declared and not used",
        "A warning: a constant, a parameter or a link of the spec's own file that nothing names, or a word of the fabric, such as its \
         `topology`, that every `slice` says for itself. Often a name was mistyped where it was meant, or \
         something was left over from the example that the spec was copied from. Files of `use` may declare what a spec does \
         not need. Warnings change no exit code; `--quiet` leaves them out.",
    ),
    doc(
        "FAB0152",
        "far too many ports",
        "A warning: an `ocs` is declared with more than 1024 ports per side, and with more than eight times those that its cubes \
         need. The build is the same whatever is left over, but no such switch is sold: most likely a digit is too many.",
    ),
];
