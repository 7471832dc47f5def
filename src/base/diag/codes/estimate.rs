//! FAB055n: what cannot be estimated. FAB056n: what cannot be scheduled. FAB057n: a fabric in service.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0551",
        title: "a value of an estimate is missing",
        text: "\
`fabc estimate KIND --size SIZE --on SHAPE`: the collective, the size of the vector of a chip (or `--sizes`) and the fabric have no defaults.
Latency, overhead and bandwidth of a channel have. What they are is printed with every estimate. `fabc collective` takes fabric, latency and
bandwidth from a built directory, and lacks only the size.",
    },
    CodeDoc {
        code: "FAB0552",
        title: "an unknown word in an estimate",
        text: "\
Collectives are `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all`, `broadcast` and `reduce`. Shapes are `torus`, `mesh`, `star`,
`full_mesh`, `leaf_spine`, `fat_tree` and `dragonfly`, with numbers behind a colon. Profiles of contention are `crossbar`, `in_network`, `torus` and
`clos`. Which algorithms there are depends on collective and shape: without `--algorithm` all of them are printed.",
    },
    CodeDoc {
        code: "FAB0553",
        title: "an invalid shape of a fabric",
        text: "\
A shape is a name and whole numbers: `torus:8x8x8` and `mesh:16x4` have chips along every axis, `star:64`, `full_mesh:8`, `leaf_spine:512` and
`fat_tree:4096` have chips, `dragonfly:8x4` has chips of a group and links of each chip to other groups (and 33 groups: one link between any two).
There are at least two chips, and at most 1073741824, along at most 32 axes.",
    },
    CodeDoc {
        code: "FAB0554",
        title: "an invalid size, time or bandwidth",
        text: "\
A quantity is a number and a unit without a blank: sizes in B, kB, MB, GB, TB or KiB, MiB, GiB, TiB, times in ps, ns, us, ms, s, bandwidths in MB/s,
GB/s, TB/s, MiB/s, GiB/s, TiB/s (bytes) or Mb/s, Gb/s, Tb/s, Mbps, Gbps, Tbps (bits, an eighth). Sizes are whole bytes, times whole
picoseconds. Only latencies and overheads may be zero.",
    },
    CodeDoc {
        code: "FAB0555",
        title: "a number of an estimate out of its range",
        text: "\
`--skew` and `--oversubscription` are at least 1. `--eta` is the name of a profile, or two numbers with a comma between them: how many times as long
latencies are (at least 1), and which part of the bandwidth is left (above 0, at most 1).",
    },
    CodeDoc {
        code: "FAB0556",
        title: "invalid sizes of a curve",
        text: "\
`--sizes 1KiB..4GiB` doubles the size in every step and has both ends; `--sizes 1MB,16MB,1GB` has these. There may be 1000 in all.",
    },
    CodeDoc {
        code: "FAB0557",
        title: "an option has no effect here",
        text: "\
A switch can add only where chips hang on a switch (`--in-switch` of `star`, `leaf_spine`, `fat_tree`). Only an all-to-all can be skewed, only switches
above switches can have less capacity than those below, and only rings of two chips can have one link or two. An option that would change
nothing is refused, so that nobody reads an effect into the result.",
    },
    CodeDoc {
        code: "FAB0561",
        title: "an unknown word of `fabc collective`",
        text: "\
Collectives are `all_gather`, `reduce_scatter`, `all_reduce`, `all_to_all`, `broadcast` and `reduce`. Algorithms of the first two are
`steps`, `slots` and `multitree`, of an all-reduce `gather_reduce`, `trees` and `local`, of a broadcast or reduce `pull`, and of all but
these two `direct`; `auto`, the default, times those that are good for the fabric. In `--groups` a gather or reduce-scatter has `within`, `trees`, `ring`
and `direct`, an all-reduce `within` and `trees`, an all-to-all `direct` and `paths`. Scenarios are those that the budget of the spec tolerates, such as `X[0,0]`; `fabc tables DIR` lists them.",
    },
    CodeDoc {
        code: "FAB0562",
        title: "a root that does not fit",
        text: "\
A broadcast starts at a root, a reduction ends there: `--root` names it, by the name of the chip (`cube0[0,0,0]`) or its number. The other
collectives have no root, and a root that would change nothing is refused.",
    },
    CodeDoc {
        code: "FAB0563",
        title: "no collective can be planned here",
        text: "\
Schedules need a fabric in which every two surviving chips reach each other, and at least two chips. `direct` needs forwarding tables that deliver
every message. `paths` has up to 256 chips. All other algorithms but `forest` store, copy and add chunks at the routers of a path. So every
router must be a chip, links must run both ways, and no link may carry more than 64 times the greatest common divisor of all bandwidths. Otherwise
leave `algorithm` out, and `direct` is planned. With `routing = spray` or `ecmp` there are no tables for `direct`. In `groups`, `within` needs
groups of at most 64 chips that are each connected without others, and no chip may be dead. Without symmetry, very large fabrics have more chunks than can be planned: fewer `--chunks` help.",
    },
    CodeDoc {
        code: "FAB0564",
        title: "more than one schedule to write",
        text: "\
`fabc collective DIR --collective all_reduce --size 1GiB --emit collective=FILE` writes the fastest schedule of one collective, of one size,
in one scenario. Other schedules need files of their own.",
    },
    CodeDoc {
        code: "FAB0565",
        title: "a schedule that a format cannot hold",
        text: "\
`--emit msccl=FILE` and `--emit mscclpp=FILE` write rounds, shared trees, forests and paths of pairs of all chips for the programs of others, and
`--emit chakra=DIR` writes rounds. Schedules of groups and messages along forwarding tables are not written so. A runtime of MSCCL takes at most 256 steps of a thread block (RCCL 64, unless it was built for more, which is a note)
and 216 thread blocks of a chip, of which others may wait for 128. Between two chips there are 32 connections, and a chip has up to 32 peers each
way under one number. A file of more than 200 MB is not written. Chakra traces are written of up to 256 chips.

A thread block of MSCCL++ has at most 64 operations, and 16 channels and 16 remote buffers of one type. fabc writes up to 104 thread blocks of a chip,
and one has at least one chunk. So a chip that hands one chunk to more than 15 others is beyond it. Vectors that every chip adds up alone
(`local`) are not written as a plan.

`--emit trace=FILE` is of any schedule with up to 4,194,304 messages, of a piece on a channel each where there are trees, in less than
1,000,000,000 cycles. With `--barrier` trees have a timetable of rounds alone, and no trace. `closed_trace=FILE` holds as many messages, of all schedules
but those of vectors. The message says which number is
exceeded, and how it comes about: mostly fewer `--chunks` help.",
    },
    CodeDoc {
        code: "FAB0566",
        title: "a collective that cannot be scheduled",
        text: "\
With `routing = scheduled` vectors rest in chips: every router is a chip, or a spare one that nothing touches. Links run both ways and all
carry the same, and at least two chips take part. `hops` and `portions` sum by groups whose chips are all joined, with a cable between any two
groups, as in a dragonfly; `trees` works everywhere. In `groups` of chips that do a collective by themselves, all chips of one must reach each other
over channels between them, and all chips must be so many groups. Between two rests of the channels (`deskew`) there must be room for a rest of
252 cycles and a slot. A plan lists every send of every canonical chip, 33,554,432 at most: a smaller `size` takes
fewer.",
    },
    CodeDoc {
        code: "FAB0567",
        title: "the collectives are scheduled already",
        text: "\
`fabc collective DIR` plans collectives in messages, over shared links or along forwarding tables. With `routing = scheduled` the build has given
every vector its cycle on every channel. `report.txt`, `report.html` and `report.json` have the time of each collective of the spec and its lower
bound. `schedule.json` lists all sends, and `fabc tables DIR --router R` prints those of one chip. For another size or collective, write it into the
spec and build again.",
    },
    CodeDoc {
        code: "FAB0568",
        title: "groups that do not fit",
        text: "\
A collective with `groups = 8;` is done by every group of eight consecutive chips, all groups at the same time. So the groups must part all chips:
their size divides the number of chips, and is at least 2. The vector of a chip divides into a shard for every chip of a group, a whole number of
bytes, and each at least a flit. The message says the nearest sizes that fit.

```text
collective tensor = all_gather { size = 64 MiB; groups = 8; }      256 chips are 32 groups
collective tensor = all_gather { size = 64 MiB; groups = 24; }     wrong: 10 groups leave 16 chips over
```",
    },
    CodeDoc {
        code: "FAB0571",
        title: "an availability that cannot be computed",
        text: "\
`fabc availability DIR --host-chips 4 --fail host=0.0008/day,cable=0.00005/day,ocs=0.0004/day` needs a pod, whose cubes can
be swapped. All three rates are needed, as numbers per day, month or year. A cube holds whole hosts. A job needs at least one cube, and at most all.",
    },
    CodeDoc {
        code: "FAB0572",
        title: "an unknown part is down",
        text: "\
`fabc repair DIR --down NAME` needs names of this fabric: an optical circuit switch (`X[0,0]`), a router or chip (`cube3[1,2,3]`,
`group0[2]`), a link by one of its two ends (`cube0[1,2,3].+x`, `group0[2].port5`), or all routers of a cube, group or supernode (`cube5`).
`fabc tables DIR` prints the first and last router. The hint shows one name of each kind.",
    },
    CodeDoc {
        code: "FAB0573",
        title: "fewer than two endpoints survive",
        text: "\
A repair needs at least two surviving chips, or routers with hosts, that are connected. `--down` names all parts that are down at the same
time. Leave repaired parts out of the next list.",
    },
    CodeDoc {
        code: "FAB0574",
        title: "the surviving network is disconnected",
        text: "\
Tables cannot connect parts without a cable between them. `fabc repair --partial` serves the part with most chips, and of equal ones that with
the first chip. It reports how many ordered pairs are disconnected, and does not change the tables of other routers. The exit code without it is 3.",
    },
    CodeDoc {
        code: "FAB0575",
        title: "tables that are not repaired",
        text: "\
A repair adds new routes beside the old ones, and the input of a packet decides which it takes. So the tables must use the input as well, such as
those of `routing = allowed_turns;`. If the destination alone is the key, a new route for one source changes it for all sources.",
    },
    CodeDoc {
        code: "FAB0576",
        title: "a command that follows one path per pair",
        text: "\
Under `routing = spray` or `ecmp` the tables list groups of next hops, and a packet may take any member. Collectives by `direct`, and simulations of
faults, follow tables with one path per pair. Build with `routing = minimal` for them. `fabc sim DIR` runs the healthy network, by the routing of the
spec or by another one that needs no tables: `fabc sim DIR --with 'routing = ugal;'` (or `spray`, `ecmp`, `min`, `valiant`).",
    },
    CodeDoc {
        code: "FAB0577",
        title: "no route between two routers",
        text: "\
`fabc route DIR A B` follows the tables of a built directory. Routes lead between two different routers that send and receive, so a switch without
hosts has none, and neither has a router that is dead in the scenario.",
    },
    CodeDoc {
        code: "FAB0578",
        title: "years of a pod that cannot be played",
        text: "\
`fabc operate DIR --years 10 --host-chips 4 --fail host=0.0008/day,cable=0.00005/day,ocs=0.0004/day` plays the failures of a pod, whole or in slices. It
plays whole months, up to 100 years, with up to 256 seeds. Every rate is up to 1000 a day, and the expected failures of all seeds together are at most
20,000,000. A cube holds whole hosts. `--stock` has one number per kind of part (`host`, `cable`, `ocs`) and needs `--restock`. The two ends of
`--night` are times of day that differ, such as `22:00..06:00`.",
    },
    CodeDoc {
        code: "FAB0579",
        title: "a policy that does not fit the pod",
        text: "\
A policy is a list of settings, and a list of values stands for one policy per value:

```text
--policy 'spare = [0, 2]; faults = 1; cables = around; swap = at_night'
```

`spare` counts cubes that no slice has, at most as many as there are. A whole pod has none, so its policy is `swap = never`. `faults` is the number of dark
switches up to which a slice runs on. `cables` is `swap` (a broken cable takes its cube out of service) or `around` (routes avoid it). `swap` is `at_once`,
`at_night` or `never`. A run compares at most 64 policies.",
    },
    CodeDoc {
        code: "FAB0580",
        title: "the switches differ from the build",
        text: "\
`fabc drift DIR --live LIVE` and `fabc repair DIR --live LIVE` compare the live switches with the build. Packets can be routed around dark links while the
surviving network is connected. Ports that are joined by mistake cannot be repaired: tables name ports, so packets would arrive elsewhere. The exit
code is 3 if the surviving network is disconnected, or if a repair finds such ports.",
    },
    CodeDoc {
        code: "FAB0581",
        title: "no tables for the change from one topology to another",
        text: "\
`fabc plan NEW_DIR --live LIVE --out DIR` finds tables for every moment of the change, and all of them rise by the live ranks: then routers
may change in any order under live traffic. LIVE must be the directory that runs, of the same chips and switches as NEW_DIR, and its
tables must use the input as well. A batch of steps that would load a channel more than `--load` allows is made shorter. If a single step does, the message
says which `--load` would suffice.

If some pairs have no path that rises by the live ranks, write `start` with fewer `moves` into the new spec, so that more of the live cross-connects
stay. `--order new` needs such paths for the batches only, and takes twice the virtual channels. Or drain the pod, and change it with the plan alone.",
    },
    CodeDoc {
        code: "FAB0582",
        title: "a placement that is not possible",
        text: "\
`fabc place` knows the kinds that the spec declares, the slices of the placement by their names, and the cubes of the pod. The cubes of a slice are
free, work, are not spare, and are on the same groups of switches. Replace a cube that is down with `--swap`, or remove its slice. The steps run in
the given order, all or none.",
    },
    CodeDoc {
        code: "FAB0583",
        title: "no room for a slice",
        text: "\
A slice takes any free cubes on the same groups of switches. Spare cubes can only replace others. The message counts the remaining ones. Remove a
slice, mark a cube as working with `--up`, or declare fewer cubes as `spare`. The exit code is 3.",
    },
    CodeDoc {
        code: "FAB0584",
        title: "measured light that does not fit",
        text: "\
`fabc drift DIR --live LIVE --power POWER` compares measured light with the budgets of DIR, whose links need `transmit` and `sensitivity`. POWER is a file with
a line `port,dbm` per face port, such as `cube0.+x[0,0],-4.2`: what the receiver at that port gets. Or it is a folder with what Polatis switches answer
for `optical-switch:opm-power`, `X_0_0.json` for every switch, and `--ports MAP` says which port is which. Monitors behind circulators see both directions at
once, so switches with `duplex = circulator` are refused there.",
    },
    CodeDoc {
        code: "FAB0586",
        title: "a directory that is not signed as it should be",
        text: "\
`fabc verify DIR --signed-by FILE` asks whether somebody of FILE has signed `DIR/manifest.json`, which has the hashes of all other files. So it is asked of
every directory that the command names: the repair or plan, and what it starts from. `ssh-keygen -Y sign -n fabc -f KEY DIR/manifest.json` writes the
signature, `DIR/manifest.json.sig`. Keys are ED25519, ECDSA on P-256, or those of security tokens.

The signature may be missing, of another manifest, or by a key that FILE does not allow. The manifest of a repair, a plan or a placement has the hash of the
manifest that it starts from. Where that is another one, the chain is broken.",
    },
    CodeDoc {
        code: "FAB0587",
        title: "a file of allowed signers that cannot be followed",
        text: "\
The file has the form of ssh-keygen's `allowed_signers`, a line per key: `alice@example.org namespaces=\"fabc\" ssh-ed25519 AAAA..`. Without `namespaces` a
key may sign everything. `valid-after` and `valid-before` need a clock, and `cert-authority` needs certificates: `ssh-keygen -Y verify` follows those.",
    },
];
