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
these two `direct`; `auto`, the default, times those that are good for the fabric. Scenarios are those that the budget of the spec tolerates, such as `X[0,0]`; `fabc tables DIR` lists them.",
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
Schedules are for fabrics in which every two living chips reach each other. At least two chips take part. What is `direct` needs forwarding
tables that deliver every message. All other algorithms let chunks rest, copy them and add them up at the routers on their way, so that every
router must be a chip, links must run both ways, and none may carry more than 64 times the greatest common divisor of all bandwidths: leave
`algorithm` out, and what is `direct` is planned. Where the symmetry of the fabric is lost, very large fabrics have more chunks than are
planned one by one: fewer `--chunks` help.",
    },
    CodeDoc {
        code: "FAB0564",
        title: "more than one schedule to write",
        text: "\
`fabc collective DIR --collective all_reduce --size 1GiB --emit collective=FILE` writes the fastest schedule of one collective, of one size,
in one scenario. Several would be several files.",
    },
    CodeDoc {
        code: "FAB0565",
        title: "a schedule that a format cannot hold",
        text: "\
`--emit msccl=FILE` and `--emit chakra=DIR` write a schedule of rounds for the programs of others. Shared trees and messages along forwarding
tables are not written so. A runtime of MSCCL takes at most 256 steps of a thread block (RCCL 64, unless it was built for more, which is a note)
and 216 thread blocks of a chip, of which others may wait for 128. Between two chips there are 32 connections, and a chip has up to 32 peers each
way under one number. A file of more than 200 MB is not written. Chakra traces are written of up to 256 chips.

`--emit trace=FILE` is of any schedule with up to 4,194,304 messages, of a piece on a channel each where there are trees, in less than
1,000,000,000 cycles. With `--barrier` trees have a timetable of rounds alone, and no trace. The message says which number is
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
`fabc collective DIR` plans collectives in messages, over links that are shared or over forwarding tables. With `routing = scheduled` the build
has given every vector its cycle on every channel: `report.txt`, `report.html` and `report.json` say what each collective of the spec takes and
what none takes less than, `schedule.json` lists who sends what when, and `fabc tables DIR --router R` prints what one chip does. For another
size or another collective, write it into the spec and build again.",
    },
    CodeDoc {
        code: "FAB0571",
        title: "an availability that cannot be computed",
        text: "\
`fabc availability DIR --host-chips 4 --fail host=0.0008/day,cable=0.00005/day,ocs=0.0004/day` is about a pod: its cubes are what is swapped.
All three rates are needed, as numbers a day, month or year. Hosts have whole shares of a cube, and a job needs at least one cube and at most all.",
    },
    CodeDoc {
        code: "FAB0572",
        title: "an unknown part is down",
        text: "\
`fabc repair DIR --down NAME` takes the names of the fabric: an optical circuit switch (`X[0,0]`), a router or chip (`cube3[1,2,3]`,
`group0[2]`), a link by one of its two ends (`cube0[1,2,3].+x`, `group0[2].port5`), or all routers of a cube, group or supernode (`cube5`).
`fabc tables DIR` prints the first and last router. The hint shows one name of each kind.",
    },
    CodeDoc {
        code: "FAB0573",
        title: "fewer than two endpoints survive",
        text: "\
A repair is about the routes between those that are left, so at least two chips, or routers with hosts, must be up and joined. `--down` names
what is down now, all of it at once. What is healed is left out of the next list.",
    },
    CodeDoc {
        code: "FAB0574",
        title: "the surviving network is disconnected",
        text: "\
No tables can join what no cable joins. `fabc repair --partial` serves the part with most chips (of as many, the one with the first), tells how
many ordered pairs are cut off from each other, and leaves the tables of all routers outside as they are. The exit code without it is 3.",
    },
    CodeDoc {
        code: "FAB0575",
        title: "tables that are not repaired",
        text: "\
A repair lays new ways beside old ones: a packet that comes by another input goes another way. That needs tables that look at the input, such as
those of `routing = allowed_turns;`. Where the destination alone is the key, a new way for one packet is a new way for all that
come by.",
    },
    CodeDoc {
        code: "FAB0580",
        title: "the switches differ from the build",
        text: "\
`fabc drift LIVE DIR` and `fabc repair DIR --live LIVE` compare what the switches do with what was built. What is dark can be routed around, as
long as the surviving network is connected. Ports that are joined and should not be cannot: tables name ports, so packets would arrive somewhere else. The
exit code is 3 where the surviving network is disconnected, or where a repair meets such ports.",
    },
    CodeDoc {
        code: "FAB0581",
        title: "no tables for the change from one topology to another",
        text: "\
`fabc plan LIVE NEW_DIR --tables DIR` finds tables for every moment of the change, and all of them rise by the live ranks: then routers
may change in any order under live traffic. LIVE must be the directory that runs, of the same chips and switches as NEW_DIR, and its tables must
look at the input as well. Where a batch of steps would load a channel more than `--load` allows, it is made shorter; where a single step
does, the message says with how much it would go. Where no way rises by the old ranks, `start` in the new spec, with fewer moves, keeps more of
what is there; `--order new` asks it of the batches alone, and needs twice the virtual channels; or the pod is drained, and changed with the plan alone.",
    },
    CodeDoc {
        code: "FAB0582",
        title: "a placement that is not possible",
        text: "\
`fabc place` knows the kinds that the spec declares, the slices of the placement by their names, and the cubes of the pod. The cubes of a slice are
free, work, are not spare, and are treated alike by all switches. A cube that does not work is replaced (`--swap`) before the slice goes on, or the
slice is removed. Steps are carried out in the order given, all or none.",
    },
    CodeDoc {
        code: "FAB0583",
        title: "no room for a slice",
        text: "\
A slice takes any free cubes that the same groups of switches serve. Spare cubes only come in the place of others. The message counts the remaining ones.
Remove a slice, bring a cube up again, or declare less to `spare`. The exit code is 3.",
    },
];
