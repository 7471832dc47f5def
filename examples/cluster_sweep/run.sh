#!/bin/sh
# A sweep shared by processes. On a cluster: --engine slurm, or hyperqueue.
set -eu
fabc sweep submit torus.fab --set rows=4,6 --set columns=8,12 --workers 2 --out sweep --quiet
fabc sweep verify sweep
cat sweep/table.txt

# The job that a cluster would get: its files, and the command that submits it.
fabc sweep submit torus.fab --set rows=4,6 --set columns=8,12 --engine slurm --dry-run --out on_slurm
