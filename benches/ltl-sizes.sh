#!/bin/sh
# The sizes of translated automata beside those recorded for Spot: totals per formula set, ratios, time,
# and each formula that became more than twice as large (-v: each formula of another size).
# Usage: benches/ltl-sizes.sh [SIZES.csv] [-v] [--set NAME]
set -eu
cd "$(dirname "$0")/.."
case "${1:-}" in
    *.csv) sizes=$1; shift ;;
    *) sizes=../shared/corpora/ltl/sizes.csv ;;
esac
if [ ! -r "$sizes" ]; then
    echo "$sizes is not there: give the recorded sizes as the first argument" >&2
    exit 2
fi
exec cargo run --quiet --release -p evenhand-automata --example ltl_sizes -- "$sizes" "$@"
