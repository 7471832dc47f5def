//! FAB064n: training jobs that do not fit. FAB065n: jobs without a plan.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0640",
        title: "ranks that do not fill the pod",
        text: "\
A `job` has the whole pod, so the product of its axes is the number of chips. The help has the product, and a size of one axis that fills the pod if
there is one.

```text
axes { tensor = 8; data = 4; pipeline = 4; }     8 x 4 x 4 = 128 ranks: right for 128 chips
axes { tensor = 8; data = 4; pipeline = 2; }     wrong: 64 ranks, and data = 8 fills them
```",
    },
    CodeDoc {
        code: "FAB0641",
        title: "an axis that does not fit",
        text: "\
`over` and `along` name axes of the job, each once. Together they have at least two ranks, since one rank exchanges nothing with itself. A `model` knows
the axes `tensor`, `context`, `expert`, `data` and `pipeline`. Phases may have axes of any names.",
    },
    CodeDoc {
        code: "FAB0642",
        title: "phases that wait for each other",
        text: "\
A phase follows the one that is written before it, or those that `after` names. The message lists a circle: each phase waits for the next one in the list,
so none of them can start. `after = none;` lets a phase start at once.",
    },
    CodeDoc {
        code: "FAB0643",
        title: "a file of ranks that is no permutation",
        text: "\
`place = file \"ranks.csv\";` names a file with a line for every rank: its number and the number of its chip, separated by a comma. Both count from 0.
Every rank and every chip has exactly one line. A header `rank,chip` and more values in a line are skipped.",
    },
    CodeDoc {
        code: "FAB0644",
        title: "a model that its ranks cannot share evenly",
        text: "\
`tensor` divides the heads, `pipeline` times `virtual` the layers, and `expert` the experts. `data` times `expert` times `micro` divides the sequences of a
step. `context` divides the length of a sequence, times `tensor` unless `sequence_parallel = no;`. The help says which numbers fit.",
    },
    CodeDoc {
        code: "FAB0645",
        title: "an operation of less than a flit",
        text: "\
Every rank of a group gets its part of the vector, and a part has at least a flit. So `size` is at least the flit times the ranks of a group. A message of
a `send` has at least a flit.",
    },
    CodeDoc {
        code: "FAB0646",
        title: "a job that says something twice",
        text: "\
The phases of a job are written, or they follow from its `model`. Its time of computing is written (`compute = 19.8 s;`), or follows from a rate
(`compute { rate = 275 TFLOP/s; share = 40 %; }`).",
    },
    CodeDoc {
        code: "FAB0647",
        title: "a job where none can run",
        text: "\
The messages of a job follow forwarding tables. So it does not run with `routing = scheduled`, which has none. A `send` follows one path per pair, so a job
with one does not run where packets choose among many paths (`ecmp`, `spray`). Beside slices no chips are left for a job: write it in the slice that it runs on.",
    },
    CodeDoc {
        code: "FAB0648",
        title: "a model that is not complete",
        text: "\
Experts need `experts`, `top` and `expert_ffn`, and an axis `expert` needs experts. A token chooses at most as many experts as there are. The size of a head
is `hidden` over `heads` unless `head` says it. Some axis has at least two ranks.",
    },
    CodeDoc {
        code: "FAB0649",
        title: "an operation that moves too much",
        text: "\
The bytes of an operation times its runs are counted in 64 bits: at most 2^60 per chip and step. The message has the product.",
    },
    CodeDoc {
        code: "FAB0650",
        title: "a job with too many or too few ranks",
        text: "\
Every chip is one rank, so the product of all axes is the number of chips. In a network these are the routers that send and receive, such as the GPUs of
boxes. The help says which size of the last axis would fit.",
    },
    CodeDoc {
        code: "FAB0651",
        title: "a placement that the fabric does not have",
        text: "\
`place = aligned` deals out the binary digits of the coordinates of chips to the axes. So the sides of a cube, the number of cubes, the number of chips of a
network and the size of every axis are powers of two. It compares at most 16384 ways.",
    },
    CodeDoc {
        code: "FAB0652",
        title: "an operation of a job that cannot be planned",
        text: "\
Gathers and sums run within their groups (`within`, where the chips of a group are joined by links of their own), by trees through other chips, or along the
tables (`ring`, `direct`). They need links that run both ways. An all-to-all and a `send` follow the forwarding tables. Beside `spray` and `ecmp` an
all-to-all takes paths of its own, and a `send` cannot run.",
    },
    CodeDoc {
        code: "FAB0653",
        title: "a format about jobs without a job",
        text: "\
`ranks`, `hostfile`, `rankfile`, `mesh`, `groups` and `msccl` are about the ranks of a training job. The spec declares none: add `job name { .. }`.",
    },
    CodeDoc {
        code: "FAB0654",
        title: "a job under faults that all take a chip",
        text: "\
`require fault.NAME.step` is about the worst tolerated fault in which all chips live, since a dead chip has no step. Where every fault takes a chip
(`faults = 1 router` in a pod, or in a network of chips), there is no such fault.",
    },
];
