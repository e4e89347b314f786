#!/bin/sh
# Prints what a Streett emptiness check costs in plain component searches, on a peeling automaton (the
# worst case of the check). The aim is a ratio of at most 12.
#   benches/emptiness-ratio.sh [STATES PAIRS | FILE.hoa]     default: 1000000 10
set -eu
cd "$(dirname "$0")/.."
exec cargo run --quiet --release -p evenhand-automata --example emptiness_ratio -- "$@"
