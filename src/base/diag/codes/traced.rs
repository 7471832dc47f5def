//! FAB0655 to FAB0661: jobs from execution traces, and from files of phases.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0655",
        title: "a trace of a rank that cannot be read",
        text: "\
`job name = chakra \"traces/step\" { .. }` reads `traces/step.0.et`, `traces/step.1.et` and so on. The message names the rank whose file is missing. In a
pod there is a file for every chip. Else the largest rank of the groups says how many there are. The trace of rank 0 alone stands for all ranks if groups
say who they are.",
    },
    CodeDoc {
        code: "FAB0656",
        title: "a trace that cannot be decoded",
        text: "\
A trace is a row of protobuf messages, each after its length as a varint: `GlobalMetadata`, then a `Node` after the other. The message has the offset of the
length before the first message that is cut off or is none. A file that was copied while it was written ends like this.",
    },
    CodeDoc {
        code: "FAB0657",
        title: "a node of a trace that makes no sense",
        text: "\
What fabc reads of a node:

- `id`, unique in its trace, and `data_deps` and `ctrl_deps`, which name other nodes of the trace and form no circle.
- `type`: compute, message, collective or metadata.
- Of a collective: `comm_type` (all-reduce, all-gather, all-to-all, reduce-scatter, barrier), `comm_size` in bytes and `pg_name`. `comm_size` of an all-gather
  is the part of one rank. Collectives with a root (reduce, gather, scatter, broadcast) are no operations of a job.
- Of a message: `comm_size`, with `comm_dst` of a send or `comm_src` of a receive, which is another rank.",
    },
    CodeDoc {
        code: "FAB0658",
        title: "communicator groups that do not fit a trace",
        text: "\
A collective runs in the group that its `pg_name` names. The groups are in the file of the job (`groups = \"comm.json\";`), a JSON object of lists of ranks:

```text
{\"1\":[0,1],\"2\":[2,3]}
```

Without a file they come from the metadata of the trace. An empty list means all ranks, and so do the names `0` and `` without a list. Every rank of a group
has one place in it, and a rank runs collectives of its own groups only. The trace of rank 0 alone needs groups: those whose ranks lie as far apart as those
of a group of rank 0 do the same, and share no rank.",
    },
    CodeDoc {
        code: "FAB0659",
        title: "ranks of a trace that do not count alike",
        text: "\
All ranks of a group run its collectives of one kind and size equally often, and a message has one receive for every send. The message names two ranks that
do not agree, with both counts. Traces of different steps, or of programs that stopped, are like this.",
    },
    CodeDoc {
        code: "FAB0660",
        title: "a trace that is too large",
        text: "\
Traces have at most 4096 ranks and 2^28 nodes together. The collectives and messages of a step are of at most 4096 kinds. Bytes and times have the limits of
any job. The message has the arithmetic.",
    },
    CodeDoc {
        code: "FAB0661",
        title: "a file of phases that is none",
        text: "\
`job name = phases \"step.json\" { .. }` reads `fabc.phases/1`, the form in which a build keeps the phases of a trace. Every operation has a kind, bytes,
times, and groups of ranks. The groups of an operation have as many ranks, at least two, and no rank is in two of them. Ranks in no group are idle.",
    },
];
