#!/bin/sh
# Routes of a network of your own, proved free of deadlock, also without any one cable.
set -eu
fabc build lab.fab
fabc verify out/lab
fabc tables out/lab --router r3
fabc build lab.fab --quiet --emit graphml=lab.graphml,dot=lab.dot
fabc sim out/lab --with 'rates = 0.2; warmup = 200 cycles; measure = 500 cycles;'
