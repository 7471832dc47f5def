#!/bin/sh
# What schedulers need: a Topology and node labels for Kueue, topology.conf for Slurm.
set -eu
fabc build pod.fab --quiet --out out --emit kueue=kueue/,slurm_topology=slurm/
fabc verify out/gpu_net
cat kueue/topology.yaml
head -n 4 kueue/labels.sh
cat slurm/topology.conf
