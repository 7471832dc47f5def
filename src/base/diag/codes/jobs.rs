//! FAB059n: work that several processes share.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0591",
        title: "an engine that cannot be used",
        text: "\
`--engine slurm` speaks through `sbatch` and `squeue`, `--engine hyperqueue` through HyperQueue's Python package, `--engine kubernetes` through
`kubectl`. One of them is not there. Debian has Slurm's clients in `slurm-client`, and `python3 -m pip install hyperqueue` brings the package, for the
`python3` that the PATH finds. Its version is that of the server.

The files of the job are written by then: `--dry-run` says what submits them, wherever the clients are. `--engine local` needs nothing.",
    },
    CodeDoc {
        code: "FAB0592",
        title: "an engine that refuses a job",
        text: "\
The message has the engine's own last words. No server may run, or it may be another version. A partition, an account or a limit of time may be
missing, which Slurm takes from the environment (`SBATCH_PARTITION`, `SBATCH_ACCOUNT`, `SBATCH_TIMELIMIT`). An array may have more tasks than it allows
(`MaxArraySize`): `--shards` says how many. `kubectl` takes the cluster and the namespace from its context. The volume of `--claim` must be one that all
pods can write at the same time (`ReadWriteMany`).

Nothing is lost: the same command goes on from what is done.",
    },
    CodeDoc {
        code: "FAB0593",
        title: "shards that did not finish",
        text: "\
Every process of the job has ended, and some of the work is not done. The message names the shards and the last words of their logs, which stand below
`jobs/` in the directory, or in the logs of the pods. A process that is killed (by a machine without memory, for example) is started again three times. One that fails is not.

What is done stays done, and the same command goes on with what is open.",
    },
    CodeDoc {
        code: "FAB0594",
        title: "shards of a build that are invalid or incomplete",
        text: "\
The processes of `fabc build SPEC --shard i/n` share the pieces of a build in `OUT/FABRIC.shards`. `fabc shards merge OUT/FABRIC.shards` writes
`OUT/FABRIC` when every piece is finished. The message names pieces that are not: `X[0,1]` is a fault, `` `peak` on X[0,1] `` a simulation on its tables.
Any shard does them.

The merge has the checker prove every result. One that is damaged or convicted is made again, and a note says so. It also makes some pieces again to
compare them (`--remake N`). A result that is valid but is not what the search finds is refused: the shard was another program, so its other results may
differ as well.

The key in `shards.json` is of the spec in `spec/`: where that was changed, no result is of it.",
    },
    CodeDoc {
        code: "FAB0595",
        title: "no browser can be started",
        text: "\
`fabc build --open` and `fabc watch --open` start the program that the variable `BROWSER` names, or `xdg-open` (`open` on macOS). It could not be
started. What was built is there: open the named page yourself.",
    },
    CodeDoc {
        code: "FAB0596",
        title: "the page of `fabc watch` cannot be served",
        text: "\
`fabc watch` serves its page on the loopback address of this machine, where nobody else can read it. The port is in use, or may not be used. Without
`--port` a free one is taken.",
    },
];
