//! FAB06nn: simulations that cannot run, or whose runs go wrong.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0601",
        title: "a packet longer than a buffer",
        text: "\
In the packet model of `fabc sim` (not in the flit model) a whole packet waits in one queue, so that a virtual channel must have room for all of its flits. `buffer` of
the chip or router says how many flits a virtual channel holds, `packet` how long packets are.",
    },
    CodeDoc {
        code: "FAB0602",
        title: "more virtual channels than the routers have",
        text: "\
The tables use virtual channels of their own (`vcs` of the budget). `general = N` adds N that packets may take freely until they have taken one
of the tables; `classes = K` makes K of each one of the tables. All of them together must not be more than `vcs` of the chip or router, the
virtual channels that the hardware has. Without either option the channels that the tables leave over are general ones.",
    },
    CodeDoc {
        code: "FAB0603",
        title: "links of different bandwidths that a simulation does not have",
        text: "\
In the packet model the fastest link in use moves one flit per cycle, and a packet takes longer over a slower one. It must take a whole number of
cycles over every link, so the length of packets (`packet`) must fit the ratios of the bandwidths: over links of 64 and 50 GB/s it is a multiple of
25 flits. Links of one bandwidth are needed by the flit model and by packets that choose among shortest ways (`routing = min`, `ugal`
and the like).",
    },
    CodeDoc {
        code: "FAB0604",
        title: "a link latency that cannot be simulated",
        text: "\
A flit takes at least one cycle over a link: with none, it would be at the next router in the cycle in which it left. The longest latency of
router and link together is 2^20 cycles, because the simulator keeps a list of events for every cycle that lies ahead. Give the link another
`latency`.",
    },
    CodeDoc {
        code: "FAB0605",
        title: "a rate that no host can offer",
        text: "\
A host starts at most one packet per cycle and port, decided at random in every cycle. So it offers at most as many flits per cycle and port as a
packet has. Use longer packets (`packet`) or more ports (`hosts`) for a higher rate.",
    },
    CodeDoc {
        code: "FAB0606",
        title: "a traffic that is not possible on the fabric",
        text: "\
Every traffic needs at least two endpoints: chips of a pod, or hosts of a network. In patterns by bits only the first 2^b endpoints send, and an
endpoint that would send to itself sends nothing. The message says why no endpoint can send. `tornado` and `neighbour` need coordinates: a torus,
mesh, hyperx or hypercube, or a pod whose topology is a torus. `group_shift` and `adversarial` need groups of two routers or more: cubes, the groups
of dragonflies, megaflies and levels, or the supernodes of star products. `adjacent` needs two routers with hosts that a link joins.

`fabc check` refuses a traffic that the family never has. What only a drawn wiring or a fault rules out is found by the build, with exit code 3.",
    },
    CodeDoc {
        code: "FAB0607",
        title: "tables that do not deliver",
        text: "\
Before anything moves, `fabc sim` follows every route of the traffic through the tables, as the packets will. A router on the route has no entry
for the packet or sends it to a port without a lit link, or the packet loops forever. The message names the pair. No build writes such tables: they
were changed, or belong to another topology. `fabc verify` explains what is wrong with them.",
    },
    CodeDoc {
        code: "FAB0608",
        title: "packets wait for each other forever",
        text: "\
The run ends because packets are in flight, but nothing has moved for at least 1000 cycles, and for four times the zero-load time of the slowest
route. The message lists the queues of the cycle, each by its channel and virtual channel. The first packet of each queue waits for room in the next
one, or in the flit model for the virtual channel itself. Its source and destination are named. Virtual channels are numbered as in the simulator,
the general ones first.

Tables that `fabc verify` accepts have no such cycle (`fabc explain FAB0413`): these were changed since the build. The exit code is 3.",
    },
    CodeDoc {
        code: "FAB0609",
        title: "more cycles than are simulated",
        text: "\
A run takes `warmup` and `measure` cycles, and up to `measure` more until the last packets have arrived. Cycles are counted in 32 bits, so the two
may be 1,000,000,000 together. Their defaults follow from the latency of the routes (`docs/simulation.md`).",
    },
    CodeDoc {
        code: "FAB0610",
        title: "hosts without a port limit in the flit model",
        text: "\
In the flit model (`model = flit`) a host hands its router one flit per cycle and port, and takes as many from it: its ports are buffers and
inputs of the router like those of channels, so there must be a number of them. Without `hosts` a chip has two, the host of a network one.
`hosts = unlimited` belongs to the packet model, where every packet that waits competes.",
    },
    CodeDoc {
        code: "FAB0611",
        title: "a router that takes no time in the flit model",
        text: "\
In the flit model a flit that has passed the switch of a router waits at its output for as many cycles as the router takes, and leaves in a later
cycle than it came. So `latency` of the chip or router must be one cycle at least. The packet model (`model = packet`) takes 0 as well.",
    },
    CodeDoc {
        code: "FAB0612",
        title: "a setting of the other model",
        text: "\
`turn` says how long the next whole packet of a queue waits in the packet model. In the flit model the allocation of virtual channels and of the
switch takes its own cycle. In the packet model packets may also choose their paths (`routing`). In the flit model they follow tables or next-hop groups. Leave the
setting out, or choose the model that has it (`model`).",
    },
    CodeDoc {
        code: "FAB0620",
        title: "a routing that is not possible on the fabric",
        text: "\
The setting `routing` of a simulation chooses paths while packets move. It works in a network of routers, and not in a pod, whose packets follow its
tables. `family` uses the rule of the family. In a dragonfly that is at most a local hop, the link between the two groups, and a local hop. In other
families it is the rule that `routing = algebraic` put into the tables. Under any other routing of the spec there is no such rule.",
    },
    CodeDoc {
        code: "FAB0621",
        title: "routes of more hops than virtual channels",
        text: "\
Where packets choose their paths (`routing = min`, `valiant`, `ugal` and so on), hop number k is on virtual channel k, so that no packet waits for
one on a lower channel and none waits forever. The router must have as many virtual channels (`vcs`) as the longest of the shortest paths has
hops. Paths over another router are used if they have no more hops than that.",
    },
    CodeDoc {
        code: "FAB0622",
        title: "a rate that bursts cannot offer",
        text: "\
With `births = bursts { length = LENGTH; rate = R; }` a burst lasts LENGTH cycles on average, at R flits per cycle. Between two bursts a host
offers nothing for at least one cycle. So it offers at most R LENGTH / (LENGTH + 1) on average.",
    },
    CodeDoc {
        code: "FAB0623",
        title: "a setting of another traffic or routing",
        text: "\
A setting of a simulation belongs to another traffic or routing than the requested one. `by` belongs to `group_shift`, `at` and `share` to
`hotspot`, and `bytes` and `order` to `all_to_all`. `samples`, `bias` and `rule` belong to `ugal`, and `shortest` to `valiant` and `ugal`.
`general` and `classes` set the virtual channels of tables, so they have no effect on packets that choose their paths. Finite traffic (`all_to_all`,
a trace) has no rates, no bursts, no saturation, and no cycles to warm up or to measure.",
    },
    CodeDoc {
        code: "FAB0624",
        title: "an invalid line of a trace",
        text: "\
A trace has a line per message: `cycle,src,dst,flits`, in ascending order of cycles. The first line may be these words, and lines that begin with
`#` are comments. `src` and `dst` are names of routers with one endpoint, such as `cube0[0,0,0]`, or numbers of endpoints, counted router by router;
`flits` is 1 at least. With a fifth column `after`, messages wait for earlier ones, which it names by their numbers, from 1 on; 0 flits from an
endpoint to itself are a wait. A sixth column `port` is the port of the sender, whose link must lead to the destination. The message names the first
line that is malformed, or that names an endpoint or a port which the fabric does not have.",
    },
    CodeDoc {
        code: "FAB0625",
        title: "a trace without messages",
        text: "The file of a trace has no line `cycle,src,dst,flits`, except perhaps the heading, so there is nothing to send.",
    },
    CodeDoc {
        code: "FAB0626",
        title: "more messages than a run holds",
        text: "\
Finite traffic is kept as a list of messages, at most 16,777,216 of them: all pairs of 4096 endpoints. Run a smaller fabric, or split the trace.",
    },
    CodeDoc {
        code: "FAB0627",
        title: "traffic that takes too many cycles",
        text: "\
A run is counted in at most 1,000,000,000 cycles, and the busiest channel, or the port of a host, needs more than that for what is to be sent. Send
less (`bytes`): long messages reach the throughput of even longer ones.",
    },
    CodeDoc {
        code: "FAB0628",
        title: "messages of hosts without a port limit and adaptive routing",
        text: "\
With `hosts = unlimited`, the messages of `all_to_all` or of a trace wait in line for the output that the tables name. Packets that choose their
paths have no such output before they are born. Give hosts ports (`hosts = 1`): then all messages of a host wait in one line.",
    },
    CodeDoc {
        code: "FAB0629",
        title: "a model with one kind of router",
        text: "\
The flit model gives every router the same latency and lets every router forward, and so do packets that choose among shortest ways (`routing = min`,
`ugal` and the like). In a fabric of boxes, GPUs forward nothing and hand packets on only as relays, and kinds of routers (`router name { .. }`) may
differ in latency. The packet model knows both, where packets follow the tables: remove `model` and `routing` from the simulation.",
    },
    CodeDoc {
        code: "FAB0630",
        title: "a stable rate above the static bound",
        text: "\
The static bound is the rate at which the busiest channel moves a flit in every cycle, so no higher rate can be sustained. The search for saturation
tries none. If it still reports one, fabc contradicts itself: please report it, with the spec and the message.",
    },
    CodeDoc {
        code: "FAB0631",
        title: "a window that fills the queues",
        text: "\
`control = window { packets = N; }` keeps queues short, so that the fabric sustains its saturation in overload. A part of the window is on its way
at the static bound: bound x (latency there and back) / flits of a packet. The rest stands in queues. From half of the room of all queues per source
on, queues fill up, and the fabric accepts less than without control. Leave `packets` out: the rule takes three eighths of the room.",
    },
    CodeDoc {
        code: "FAB0632",
        title: "a control where packets choose their paths",
        text: "\
A window acknowledges every packet over the route that the tables have from its destination to its source. Packets that choose their paths
(`routing = min`, `valiant`, `ugal`, `spray` and so on) have no such route.",
    },
    CodeDoc {
        code: "FAB0633",
        title: "marks that no packet gets",
        text: "\
`control = dctcp { mark = 100 flits; }` marks packets that join a queue with at least so many flits. In a queue that holds no more than that, no
packet is ever marked, and no source slows down. Leave `mark` out: a third of the queue is taken.",
    },
];
