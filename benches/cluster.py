#!/usr/bin/env python3
"""What many processes cost: one process, and two and three of them on this machine, in one table.

For each model of a fixed list, the plain searches of four million states or more:

    one      evenhand ... --threads 1
    N        evenhand ... --processes N --threads 1

`cpu/one` is the processor time of all processes together by that of one. `share` is the part of the states that the
process with the most of them holds, times the number of processes: 1.00 is even, and more than 1.30 ends the script.
`bytes` are those of letters between workers, by states. `rounds` are those of the fixpoint. The second list is under
strong fairness. All have the same answers as one process, or the script ends.

Usage: benches/cluster.py [--small] [--only NAME,...] [--processes N,...] [--evenhand PATH]
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from growth import of_size
from states import OWN, ROOT

FULL = ["--reduce", "none", "--certify", "off"]

# Fixed before measuring: a name, the model, what is asked, what is defined otherwise, and the same for a short run.
CASES = [
    ("sliding window", "sliding_window", ["check", "-p", "deadlock"], ("M", 7), ("M", 2)),
    ("spawn", "spawn", ["check", "-p", "deadlock"], ("JOBS", 5), ("JOBS", 3)),
    ("dining 10", "dining_asymmetric", ["check", "-p", "deadlock"], ("N", 10), ("N", 6)),
    ("two phases", "two_phase_commit", ["check", "-p", "deadlock"], ("N", 6), ("N", 4)),
    ("dining 6 strong", "dining_asymmetric", ["check", "-p", "accessible"], ("N", 6), ("N", 4)),
    ("dining 8 strong", "dining_asymmetric", ["check", "-p", "accessible"], ("N", 8), None),
    ("dining 9 strong", "dining_asymmetric", ["check", "-p", "accessible"], ("N", 9), None),
    ("dining 10 strong", "dining_asymmetric", ["check", "-p", "accessible"], ("N", 10), None),
]


def measured(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}\n{done.stderr}{done.stdout}")
    return wall, cpu, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--processes", default="2")
    parser.add_argument("--evenhand", default=str(ROOT / "target/release/evenhand"))
    arguments = parser.parse_args()
    wanted = [name for name in arguments.only.split(",") if name]
    print(f"{'model':<20} {'N':>2} {'states':>10} {'wall':>7} {'cpu':>7} {'cpu/one':>8} {'share':>6} {'bytes':>7} {'rounds':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for name, model, asked, large, small in CASES:
            size = small if arguments.small else large
            if size is not None and (not wanted or name in wanted):
                compare(arguments, name, of_size(model, *size, folder), asked)


def compare(arguments, name, model, asked):
    """The lines of a model."""
    call = [arguments.evenhand, asked[0], str(model), *asked[1:], *FULL]
    call += ["--threads", "1", "--counterexample", "none"]
    wall, one, text = measured([*call, "--format", "json"])
    alone = json.loads(text)["properties"][0]
    print(f"{name:<20} {1:>2} {alone['states']:>10} {wall:>7.1f} {one:>7.1f}")
    for count in map(int, arguments.processes.split(",")):
        wall, cpu, text = measured([*call, "--processes", str(count), "--format", "json"])
        found = json.loads(text)["properties"][0]
        told = found["details"]
        # Where something is violated, one ends in the middle of a level and several at its end.
        counts = ("states", "transitions", "product_states") if alone["verdict"] == "holds" else ()
        if any(found[key] != alone[key] for key in ("verdict", *counts)):
            sys.exit(f"{name}: {found} differs from {alone}")
        share = told["most states of a worker"] * count / found["states"]
        if share > 1.3:
            sys.exit(f"{name}: one of {count} processes holds {share:.2f} of its share")
        sent = told["bytes in letters"] / found["states"]
        rounds = told.get("rounds of the fixpoint", "")
        ratio = cpu / max(one, 0.001)
        print(f"{'':<20} {count:>2} {found['states']:>10} {wall:>7.1f} {cpu:>7.1f} {ratio:>8.2f} {share:>6.2f} {sent:>7.1f} {rounds:>6}")


main()
