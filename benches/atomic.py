#!/usr/bin/env python3
"""CPU seconds of long `atomic` and `d_step` stretches: SPIN's verifier against `evenhand states`.

For each model of `benches/models/atomic` both tools explore the whole reachable space without any reduction. What
lies inside of a stretch is executed by both and stored by neither, so the table is about executing statements, not
about storing states. Counted are user and system seconds of the search alone: SPIN's code generation and compilation
are left out. The tools take turns and the least of several rounds counts.

    spin -o1 -o2 -o3 -a MODEL; gcc -O2 -DNOREDUCE -DSAFETY -DNOCLAIM pan.c; pan -A -E -n -m100000 -w20
    evenhand states MODEL --format json

The exit status is 1 if the numbers of states differ, or if some model takes more than twice pan's seconds.
Needs spin and gcc. Usage: benches/atomic.py [--rounds N] [--only NAME,...] [--evenhand PATH]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = sorted((ROOT / "benches" / "models" / "atomic").glob("*.pml"))
SPIN = ["spin", "-o1", "-o2", "-o3", "-a"]
GCC = ["gcc", "-O2", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-w", "-o", "pan", "pan.c"]
PAN = ["./pan", "-A", "-E", "-n", "-m100000", "-w20"]
GOAL = 2.0


def measured(command, folder):
    """Standard output and CPU seconds of a command."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if process.returncode != 0:
        sys.exit(f"{command[0]}: exit {process.returncode}\n{text[:1000]}")
    return text, usage.ru_utime + usage.ru_stime


def pan_states(text):
    if "max search depth too small" in text or "out of memory" in text:
        sys.exit(f"pan did not explore everything:\n{text[:1000]}")
    found = re.search(r"^ *([\d.e+]+) states, stored", text, re.MULTILINE)
    return int(float(found.group(1)))


def own_states(text):
    answer = json.loads(text)
    if not answer["complete"]:
        sys.exit("evenhand did not explore everything")
    return answer["states"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each tool (default 3)")
    parser.add_argument("--only", help="names of models, separated by commas")
    parser.add_argument("--evenhand", default=str(ROOT / "target" / "release" / "evenhand"))
    options = parser.parse_args()
    for tool in ["spin", "gcc"]:
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not installed")
    binary = str(pathlib.Path(options.evenhand).resolve())

    print(f"{'model':12} {'states':>9} {'pan, s':>8} {'evenhand, s':>12} {'ratio':>6}")
    failed = []
    for model in MODELS:
        if options.only and model.stem not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for command in [SPIN + [str(model)], GCC]:
                subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            pan, own = [], []
            for _ in range(max(1, options.rounds)):
                text, seconds = measured(PAN, folder)
                pan.append((pan_states(text), seconds))
                text, seconds = measured([binary, "states", str(model), "--format", "json"], folder)
                own.append((own_states(text), seconds))
        (states, theirs), (here, ours) = min(pan, key=lambda run: run[1]), min(own, key=lambda run: run[1])
        # Seconds are counted in hundredths: below that there is nothing to compare.
        ratio = max(ours, 0.01) / max(theirs, 0.01)
        print(f"{model.stem:12} {here:>9} {theirs:>8.2f} {ours:>12.2f} {ratio:>6.2f}", flush=True)
        if states != here:
            failed.append(f"{model.stem}: pan has {states} states, evenhand {here}")
        if ratio > GOAL:
            failed.append(f"{model.stem}: more than {GOAL:.0f} times pan's seconds")
    for line in failed:
        print(f"!! {line}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
