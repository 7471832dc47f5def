//! FAB059n: work that several processes share.

use super::doc::CodeDoc;

pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "FAB0591",
        title: "an engine that cannot be used",
        text: "\
`--engine slurm` speaks through `sbatch` and `squeue`, `--engine hyperqueue` through HyperQueue's Python package. One of them is not there. Debian has
Slurm's clients in `slurm-client`, and `python3 -m pip install hyperqueue` brings the package, for the `python3` that the PATH finds. Its version is
that of the server.

The files of the job are written by then: `--dry-run` says what submits them, wherever the clients are. `--engine local` needs nothing.",
    },
    CodeDoc {
        code: "FAB0592",
        title: "an engine that refuses a job",
        text: "\
The message has the engine's own last words. No server may run, or it may be another version. A partition, an account or a limit of time may be
missing, which Slurm takes from the environment (`SBATCH_PARTITION`, `SBATCH_ACCOUNT`, `SBATCH_TIMELIMIT`). An array may have more tasks than it allows
(`MaxArraySize`): `--shards` says how many.

Nothing is lost: the same command goes on from what is done.",
    },
    CodeDoc {
        code: "FAB0593",
        title: "shards that did not finish",
        text: "\
Every process of the job has ended, and some of the work is not done. The message names the shards and the last words of their logs, which stand below
`jobs/` in the directory. A process that is killed (by a machine without memory, for example) is started again three times. One that fails is not.

What is done stays done, and the same command goes on with what is open.",
    },
    CodeDoc {
        code: "FAB0594",
        title: "shards of a build that are invalid or incomplete",
        text: "\
`fabc build SPEC --shard 2/4` builds every fourth fault scenario from the second on, runs its part of the simulations, and keeps what it found in
`OUT/FABRIC.shards`; `fabc shards merge OUT/FABRIC.shards` proves the scenarios and writes `OUT/FABRIC` when every shard is done. The message names those that
are not, and what they have left open: `X[0,1]` is a scenario, `` `peak` on X[0,1] `` a simulation on its tables.

All shards are of one spec, one stage and one version of fabc: what others left there is as good as not there, and is replaced. So is a simulation of
other tables. A damaged file is named; without it its shard finds the scenario again, or runs the simulation. A simulation's file may be whole and still not
be of this build: then its rates and seeds are not those of the spec, or other figures follow from its counts and the tables.

The key in `shards.json` is of the spec in `spec/`: where that was changed, nothing that was kept is of it.",
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
