//! FAB05nn: files, options.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0501",
        title: "a file cannot be read",
        text: "\
The system refused to hand over a file, for the reason in the message: most often it does not exist, because paths on the command line
are relative to the directory you are in (paths in `use` are relative to the file that says `use`).

`-` in the place of a spec reads standard input. A directory is no spec: that of a build has its spec in `spec.fab`.",
    },
    CodeDoc {
        code: "FAB0502",
        title: "a file is not UTF-8 text",
        text: "\
A `.fab` file is plain UTF-8 text. The message names the first byte that is no part of a character. The file was perhaps saved with
another encoding, or is no text at all. Save it again as UTF-8.",
    },
    CodeDoc {
        code: "FAB0503",
        title: "a file or directory cannot be written",
        text: "\
The system refused to write, for the reason in the message: a read-only place, a full disk, a file where a directory should be. A build
looks for this before it compiles, writes beside the old directory and renames at the end. So does whatever writes a single file, such as
`fabc fmt` and `--emit`. So the old outputs are still whole, and no partial file remains.",
    },
    CodeDoc {
        code: "FAB0504",
        title: "the output directory holds files that fabc did not write",
        text: "\
A build replaces the directory of the fabric as a whole. It does so only if everything in there was written by fabc: every file must be
in the list of the directory's own `manifest.json`. Something else was found, such as notes or a file made by hand, and it would be lost.

Move it away, or write somewhere else with `--out`.",
    },
    CodeDoc {
        code: "FAB0505",
        title: "unknown format",
        text: "\
`--emit` names formats: `--emit dot` prints one to standard output, `--emit dot=pod.dot` writes it to a file, several are parted by
commas. `fabc build --emit list` lists all of them.",
    },
    CodeDoc {
        code: "FAB0506",
        title: "a format of several files needs a folder",
        text: "\
Some formats are one file per switch or per scenario. They cannot go to standard output or into one file: name a folder, with a `/` at
its end, such as `--emit config_db=switches/`.",
    },
    CodeDoc {
        code: "FAB0507",
        title: "nothing to emit",
        text: "\
The format is made from something that was not compiled: forwarding tables, for example, when the build stopped before routing. Give a
later stage to `--until`, or leave the option out.",
    },
    CodeDoc {
        code: "FAB0508",
        title: "the outputs differ from the golden ones",
        text: "\
`--golden DIR` compares what was built with the outputs of an earlier build, byte by byte, and prints the difference as `fabc diff` does: metrics
that are better or worse, the contract, wiring up to a renaming of interchangeable cubes, cross-connects that moved, tables, files. Only the
version of fabc in `manifest.json` may differ. With `--tolerance 0.1%` figures and contract count instead of bytes.

If the change is meant, run again with `--update` and commit the result. If not, something in the spec or in fabc moved it: the spec is
part of the outputs (`spec.fab`), so its difference is shown too.",
    },
    CodeDoc {
        code: "FAB0509",
        title: "there are no golden outputs",
        text: "\
`--golden DIR` looks for an earlier build of this fabric in `DIR/<fabric>/` (or in `DIR` itself, if a `manifest.json` is there). There is
none. Run once with `--update` to write it, and commit it.",
    },
    CodeDoc {
        code: "FAB0510",
        title: "not a directory of fabc",
        text: "\
`fabc verify` and `fabc tables` read a directory that `fabc build` wrote, by name: `out/pod_256`, not `out`. What they need was not found
in it, or could not be read. If it is such a directory, it was damaged: build it again. A spec is no such directory: `fabc build` makes one of it.",
    },
    CodeDoc {
        code: "FAB0511",
        title: "unknown router",
        text: "\
A router is named by its cube and its position in there, `cube3[1,2,3]`, or by its node id, `237`. In a shell, put the former in quotes:
brackets mean something to most shells.",
    },
    CodeDoc {
        code: "FAB0512",
        title: "no tables for this scenario",
        text: "\
There are tables for the healthy pod, `nominal`, and for every fault that the budget of the spec tolerates, named by the dark switches:
`X[0,0]`, or `X[0,0]+Y[1,2]` for two. `fabc tables DIR` lists them. A build that stops before routing has none, and what
`fabc collective` plans by `direct` follows tables. With `routing = scheduled` there are none at all: `fabc tables DIR --router R` prints what a chip sends and
receives in which cycle.",
    },
    CodeDoc {
        code: "FAB0513",
        title: "a spec is not formatted",
        text: "\
`fabc fmt --check` found a spec that `fabc fmt` would change. It changes white space and the order of nothing. Comments stay.",
    },
    CodeDoc {
        code: "FAB0514",
        title: "the file exists",
        text: "\
`fabc init NAME` writes `NAME.fab` and never overwrites one. Choose another name, or remove the file first.",
    },
    CodeDoc {
        code: "FAB0515",
        title: "not a name for a fabric",
        text: "\
The name of a fabric is a letter or `_`, followed by letters, digits and `_`. It is also the name of the output directory.",
    },
    CodeDoc {
        code: "FAB0516",
        title: "nothing to explain by this name",
        text: "\
`fabc explain` knows every code that fabc prints, such as `FAB0101`, every word of the language, such as `budget` or `torus`, every
metric, such as `load_ratio`, and every field of `report.json`, such as `tables.entries_mean`. Without an argument it lists all codes.",
    },
    CodeDoc {
        code: "FAB0517",
        title: "tables with more than the destination as key",
        text: "\
Some formats (`--emit opensm_lft`) have one output port per router and destination. The routes of this pod are not of that kind: somewhere
the port also depends on how a packet came in, which is what lets `allowed_turns` stay close to the bound with few virtual channels. The
message names the first such router and destination.

Tables with `key = dst` look at the destination alone, and so does `dimension_order` where no side of a torus is twice an odd number beyond two. The virtual channel does not stand in `opensm_lft` at all: where
routes use several, `opensm_sl2vl` and `opensm_path_sl` say which lane a packet takes, and `fabc verify --tables FILE --topology FILE --sl2vl FILE
--path-sl FILE` judges what the files say together.",
    },
    CodeDoc {
        code: "FAB0518",
        title: "the pod is too large for a format",
        text: "\
A format of another program has its own limits: InfiniBand has 49,151 unicast LIDs, of which every chip takes two, and the TONS files
list every hop of every route, which takes gigabytes beyond 2,048 chips. The formats of fabc itself have no such limit.",
    },
    CodeDoc {
        code: "FAB0519",
        title: "an input is too long",
        text: "\
Every input is read with a limit, so that a wrong file, a device or an endless pipe is refused before it fills the memory: 4194304 bytes
for a spec together with all files that it uses, 512 bytes per face port (and 16 MiB) for cross-connects, 12 bytes per pair of chips for a
demand matrix, 4 GiB for tables and for each file of a built directory. The message says which limit was passed.

Only regular files are read. `-` in the place of a spec, `/dev/stdin` and what `<(command)` of a shell stands for may be pipes.",
    },
    CodeDoc {
        code: "FAB0520",
        title: "no such simulation",
        text: "\
`fabc sim DIR --block NAME` runs the `simulate NAME { .. }` of the spec that the directory was built from, and that spec has none of this
name.",
    },
    CodeDoc {
        code: "FAB0521",
        title: "unknown format of a result",
        text: "\
`fabc sim` compares several directories in one table, as text, CSV or JSON. Pictures are of one directory: ask for them one after the other. A picture is of latency over load: traffic that ends has none.",
    },
    CodeDoc {
        code: "FAB0522",
        title: "no such window of a run",
        text: "\
`fabc verify DIR --window CYCLE --block NAME` makes one window of a kept run again. `--scenario`, `--rate` and `--seed` choose the run among
those of `simulations/NAME.json`, and the cycle must be one of that run.",
    },
    CodeDoc {
        code: "FAB0531",
        title: "live cross-connects do not fit the pod",
        text: "\
`fabc plan NEW_DIR --live LIVE` and `fabc drift DIR --live LIVE` compare two settings of the same switches. LIVE is a `fabc.ocs/1` file (the `ocs.json` of
an earlier build, or one that a control plane wrote), a directory that `fabc build` wrote, or a folder with what every switch says of itself:
`X_0_0.config_db.json`, `X_0_0.state_db.json` or both (SONiC), or `X_0_0.json` (Polatis, with `--ports`). It must set every OCS that the spec
declares and no other, name its ports as that spec does, use no port twice and join no chip to itself. In SONiC's files the labels of the
ports decide; with `duplex = pair` both directions must be there.

The message says where: `ocs[3].cross_connects[7]` is the eighth pair of the fourth switch of a file, `OCS_CROSS_CONNECT.1A-2B` an entry of a
CONFIG_DB. A switch that is wholly dark has an empty list. One that is left out is an error, since its real setting is not known.",
    },
    CodeDoc {
        code: "FAB0532",
        title: "no order of the changes keeps the pod connected",
        text: "\
A port is in at most one cross-connect, so a new one must wait until its ports are free. Where two parts of the pod are joined only by
cross-connects that change, there may be no order in which the pod is connected after every step. The plan is still printed, in an order with the
fewest such steps. The message names the disconnected cubes, the steps and the switches. The help says whether all orders were tried.

Drain the pod (or the part) before these steps. Or keep more of the live cross-connects: `topology = synthesize { start = cross_connects
\"live/ocs.json\"; moves <= 40; }` searches near them.",
    },
    CodeDoc {
        code: "FAB0533",
        title: "a plan for a fabric without switches",
        text: "\
A plan orders the cross-connects that optical circuit switches remove and add. Only a pod of cubes has such switches. The links of a network of
routers are cables. To see which of them differ between two builds, use `diff` on their `topology.csv`.",
    },
    CodeDoc {
        code: "FAB0534",
        title: "a network that a format cannot hold",
        text: "\
Formats of other programs have no words for everything that a network can be. An InfiniBand subnet has cables that run both ways, switches
of at most 254 ports, 49,151 unicast LIDs for switches and hosts, and forwarding tables that know the destination only: routes that change
between virtual channels, such as those of `minimal`, do not fit into `opensm_lft`. Those of `allowed_turns { key = dst; }` within one
virtual channel do. The files of TONS number chips by their place in a pod of cubes. Kueue knows at most eight levels of domains, and
`nccl_topo` boxes of GPUs whose links are whole NVLinks. `topology.graphml`, `topology.csv` and `--emit tables_csv` hold every network.",
    },
    CodeDoc {
        code: "FAB0535",
        title: "no SONiC configuration of a switch",
        text: "\
`--emit config_db` and `fabc plan --patch` are about the CONFIG_DB of switches. A switch without sides whose ports carry both directions
(`couple any of` without `duplex = pair`) has none, since SONiC joins a port of side A to one of side B (`fabc explain FAB0145`). Nor has one of
which the spec says `config_db = none`. The message names the first such switch. `ocs.json` and `fabc plan --json` are about all switches.",
    },
    CodeDoc {
        code: "FAB0536",
        title: "more service levels than InfiniBand has",
        text: "\
On InfiniBand a switch chooses the virtual lane of a packet by its input port, its output port and its service level, which the source
chooses and which stays what it is (`--emit opensm_sl2vl`, `opensm_path_sl`). Routes that want different lanes between the same two ports of a
switch need different levels, of which there are 16. The message names the first route for which none is left.

Fewer virtual channels, or a routing with fewer changes between them, need fewer levels.",
    },
    CodeDoc {
        code: "FAB0537",
        title: "routes without a formula",
        text: "\
`--emit formula` writes what routers need to work out next hops by themselves: the numbers of a family that has a formula. Under another routing than
`algebraic` the routes are searched, so that only forwarding tables say them. The formula also stands in every directory that is built with
`routing = algebraic`.",
    },
    CodeDoc {
        code: "FAB0538",
        title: "no configuration of the switches",
        text: "\
`--emit frr` and `--emit sonic` write configurations for switches that run BGP, and `--emit routes` the same next hops as static routes. They are for
next-hop groups, so for `routing = spray` and `ecmp`. BGP finds the groups if the switches of one tier and block share an AS number: then no path goes down and up again. A block
is what the switches up to a tier join, without those above. In a network from a file, two switches of one block may have a valid path through
each other, which BGP refuses once a link fails. The message names the first scenario, switch and leaf where that is so. FRR uses at most 256 paths for a
route, and the addresses must suffice (FAB0138).",
    },
    CodeDoc {
        code: "FAB0539",
        title: "names of hosts that launchers cannot use",
        text: "\
`--emit hostfile` and `rankfile` name hosts. By default a chip is a host that is called after its router, and a box of GPUs is `box0`, `box1` and so on.
`--host 'node-{cube}-{host}'` names them by a template. Its fields are `{host}` (the number in the cube, or in a fabric without cubes), `{index}` (in the
fabric), `{chip}` (of the first chip), `{name}`, in pods `{cube}`, `{x}`, `{y}` and `{z}`, and with boxes `{box}`. `{host:03}` has three digits.
`--chips-per-host 4` makes hosts of consecutive chips, `--chips-per-host 2x2x1` of blocks of a cube. No host has chips of two cubes or boxes.

A name has letters, digits, `-`, `_` and `.`, begins with a letter or digit, and is no number. Two hosts never have one name. Open MPI leaves out what follows
the first dot, and capital letters are as good as small ones, so names also differ without that.",
    },
    CodeDoc {
        code: "FAB0541",
        title: "standard output cannot be written",
        text: "\
The result of a command could not be printed, for the reason in the message: a full disk behind `> file`, or a closed standard output (`>&-`). The
exit code is 2 (1 for `fabc plan`, where 2 means that there are changes), and the printed output is incomplete. A build ends there and writes no
directory.

A reader that has seen enough (`fabc explain | head -1`) is no error.",
    },
    CodeDoc {
        code: "FAB0542",
        title: "two formats in one file",
        text: "\
Two `--emit` name one file, and the second would replace the first. Give each a path of its own, or a folder, with a `/` at its end:
`--emit dot=drawings/,graphml=drawings/`.",
    },
    CodeDoc {
        code: "FAB0543",
        title: "specs that cannot be built together",
        text: "\
`fabc build` of several specs writes every fabric to its own directory below that of `--out`: two fabrics of one name (capitals do not count)
would be one directory. Single formats (`--emit`) are of one spec, and standard input (`-`) can be read once. Nothing was compiled.

`--golden`, `--set` and all other options hold for every spec. Every spec is built, also after one that could not be, and the exit code is the
greatest of theirs.",
    },
    CodeDoc {
        code: "FAB0544",
        title: "a sweep that is invalid or incomplete",
        text: "\
`fabc sweep SPEC --set cubes=2,4,8 --set seed=1..=8` runs all combinations of values: lists with commas, and ranges of integers without their end
(`1..9`) or with it (`1..=8`). A range is not empty, and a sweep has at most 100000 runs. It stops after `synthesize` or later, since before that
there is nothing to compare.

`fabc sweep run`, `merge` and `verify` read the plan (`sweep.json`) that `fabc sweep prepare` wrote with the same version of fabc. A table is written when
every run is there: `fabc sweep run DIR` runs what is missing, whatever was interrupted.

The message also names what was changed afterwards: the spec of a run, which must be the one that its key is of, or a file whose hash is not that of
the manifest. `fabc sweep verify DIR` proves every run as `fabc verify` does, makes failed runs again, and compares table and page with the runs.",
    },
    CodeDoc {
        code: "FAB0545",
        title: "a comparison that cannot be made",
        text: "\
`fabc diff A B` compares two directories that `fabc build` wrote, or such a directory and a spec, which is compiled as far as the directory was.
Two specs are compared by building one of them.

A tolerance is a percentage, of all figures (`--tolerance 0.1%`) or of one metric (`--tolerance max_channel_load=0.5%`, and with `fault.` before
the name only of faults).",
    },
    CodeDoc {
        code: "FAB0546",
        title: "unknown schema",
        text: "\
`fabc schema NAME` prints the JSON Schema of an artifact, `fabc schema` lists all names. A name is that of the format tag: `report` is
`fabc.report/1`, which may be given as well.",
    },
    CodeDoc {
        code: "FAB0547",
        title: "the connection to the editor is lost",
        text: "\
`fabc lsp` answers an editor on standard input and output, by the Language Server Protocol: headers with lengths, and JSON. It ends when the editor
says `exit` after `shutdown`.

Text typed in a terminal is not a message of the protocol. An editor that closes the connection without `exit` has probably crashed.
`docs/editors.md` says how to set up an editor.",
    },
    CodeDoc {
        code: "FAB0548",
        title: "an invalid command line",
        text: "\
An option or a command does not exist, lacks its value, or does not go with another one. `fabc --help` lists the commands, and
`fabc COMMAND --help` the options of one. With `--message-format` for people the message is that of the command line's own help.",
    },
];
