#!/bin/sh
# What a repository of specs does: agree on outputs, refuse others, say what a change comes to.
set -eu
fabc fmt --check specs/*.fab
fabc build specs/*.fab --quiet --golden golden --update --out out
fabc verify out/ring
fabc build specs/*.fab --quiet --golden golden

# A change of the spec: the outputs differ, which is exit code 3.
sed 's/latency = 20 ns/latency = 25 ns/' specs/ring.fab > changed.fab
code=0
fabc build changed.fab --quiet --golden golden 2> refused.txt || code=$?
test "$code" -eq 3
code=0
fabc diff golden/ring changed.fab > diff.txt || code=$?
test "$code" -eq 2
grep latency diff.txt
