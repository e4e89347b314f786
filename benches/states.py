#!/usr/bin/env python3
"""States per second and bytes per state: SPIN's verifier against `evenhand states`, in one table.

For each model of a fixed list both tools explore the whole reachable space, without any reduction:

    spin -o1 -o2 -o3 -a MODEL; gcc -O2 -DNOREDUCE -DSAFETY -DNOCLAIM pan.c; pan -A -E -n -m10000000 -w24
    evenhand states MODEL --format json

The two take turns and the best of several rounds counts, so that a disturbance of the machine hits neither
alone. Rates are the tools' own (states by the seconds they say the search took); `end to end` is wall time
from the model's text to the answer, SPIN's code generation and compilation included. SPIN's bytes per state
are what pan calls the actual memory usage for states, without its hash table; Evenhand's are its own figure.

A line is flagged if the numbers of states differ or a search was cut short; the exit status is then 1.
Needs spin and gcc. Usage: benches/states.py [--rounds N] [--only NAME,...] [--pan-only] [--evenhand PATH]
"""

import argparse
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = ROOT / "benches" / "models"
CORPUS = ROOT.parent / "shared" / "corpora" / "promela"

# Fixed before measuring: what a model stands for is said at the top of its file.
MODELS = [
    OWN / "filter_lock.pml",
    OWN / "philosophers.pml",
    OWN / "leader_ring.pml",
    OWN / "sliding_window.pml",
    OWN / "readers_writers.pml",
    OWN / "cache_coherence.pml",
    OWN / "spawn.pml",
    OWN / "pipeline.pml",
    OWN / "elevator.pml",
    OWN / "two_phase_commit.pml",
    CORPUS / "nimble-code+Spin/Examples/LTL/pftp.pml",
    CORPUS / "nimble-code+Spin/Examples/hajek.pml",
    CORPUS / "utwente-fmt+ltsmin/examples/peterson3.pml",
    CORPUS / "utwente-fmt+spins/tests/beem/all/elevator2.2.pm",
    CORPUS / "utwente-fmt+spins/tests/beem/all/bridge.1.pm",
]

SPIN = ["spin", "-o1", "-o2", "-o3", "-a"]
GCC = ["gcc", "-O2", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=8192", "-w", "-o", "pan", "pan.c"]
PAN = ["./pan", "-A", "-E", "-n", "-m10000000", "-w24"]
SPIN_TIME_LIMIT = 120


class Failed(Exception):
    """A tool did not do its work; the text says how."""


def call(command, folder=None):
    """Standard output and wall seconds of a command."""
    begin = time.monotonic()
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SPIN_TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise Failed(f"{pathlib.Path(command[0]).name}: more than {SPIN_TIME_LIMIT} s") from None
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise Failed(f"{pathlib.Path(command[0]).name}: exit {done.returncode}: {lines[0]}")
    return done.stdout, seconds


def release_binary():
    """Builds the command and says where it is."""
    subprocess.run(["cargo", "build", "--release", "-p", "evenhand"], cwd=ROOT, check=True)
    folder = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    return pathlib.Path(json.loads(folder)["target_directory"]) / "release" / "evenhand"


def build_pan(model, folder):
    """Generates and compiles the verifier; the wall seconds it took."""
    _, generation = call(SPIN + [str(model)], folder)
    _, compilation = call(GCC, folder)
    return generation + compilation


def number(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return float(found.group(1)) if found else None


def run_pan(folder):
    """States, seconds of search, wall seconds, bytes per state."""
    text, wall = call(PAN, folder)
    for sign in ["max search depth too small", "Search not completed", "out of memory"]:
        if sign in text:
            raise Failed(f"pan: {sign}")
    states = number(r"^ *([\d.e+]+) states, stored", text)
    seconds = number(r"elapsed time ([\d.e+-]+) seconds", text)
    megabytes = number(r"^ *([\d.]+)\s+actual memory usage for states", text)
    if megabytes is None:  # printed only where compression gained something
        megabytes = number(r"^ *([\d.]+)\s+equivalent memory usage for states", text)
    errors = number(r"errors: (\d+)", text)
    if states is None or seconds is None or errors != 0:
        raise Failed("pan: the search ended with an error or said nothing")
    # pan counts seconds in hundredths; below that its own figure is no measurement.
    seconds = max(seconds, 0.01)
    per_state = megabytes * 2**20 / states if megabytes else math.nan
    return {"states": int(states), "seconds": seconds, "wall": wall, "bytes": per_state}


def run_evenhand(binary, model):
    """The same of Evenhand."""
    text, wall = call([str(binary), "states", str(model), "--format", "json"])
    try:
        answer = json.loads(text)
        if not answer["complete"]:
            raise Failed("evenhand: the search is not complete")
        return {
            "states": answer["states"],
            "seconds": max(answer["seconds"], 1e-6),
            "wall": wall,
            "bytes": answer["bytes_per_state"],
        }
    except (ValueError, KeyError) as problem:
        raise Failed(f"evenhand: not the JSON expected ({problem})") from None


def best(runs):
    """The least of each measurement over several runs; they agree on the states."""
    return {key: min(run[key] for run in runs) for key in runs[0]}


def measure(model, binary, rounds):
    """The best runs of both tools and what went wrong."""
    problems = []
    pan_runs, own_runs, builds = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        pan_works, own_works = True, binary is not None
        for _ in range(rounds):
            try:
                if pan_works:
                    builds.append(build_pan(model, folder))
                    pan_runs.append(run_pan(folder))
            except Failed as problem:
                problems.append(str(problem))
                pan_works = False
            try:
                if own_works:
                    own_runs.append(run_evenhand(binary, model))
            except Failed as problem:
                problems.append(str(problem))
                own_works = False
    pan = best(pan_runs) if pan_runs and pan_works else None
    own = best(own_runs) if own_runs and own_works else None
    if pan:
        pan["end"] = min(builds) + pan["wall"]
    if own:
        own["end"] = own["wall"]
    if pan and own and pan["states"] != own["states"]:
        problems.append(f"states differ: pan {pan['states']}, evenhand {own['states']}")
    return pan, own, problems


def cell(value, form="{:.2f}"):
    return "-" if value is None or math.isnan(value) else form.format(value)


def rate(run):
    return run["states"] / run["seconds"] if run else None


def summary(rows):
    """Geometric mean and minimum of the ratios, and whether the goals are reached."""
    pairs = [(name, pan, own) for name, pan, own in rows if pan and own]
    if not pairs:
        print("\nno model was explored by both tools")
        return
    ratios = [(rate(own) / rate(pan), name) for name, pan, own in pairs]
    mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
    least, at = min(ratios)
    slower = [n for n, pan, own in pairs if pan["seconds"] < 1 and own["end"] >= pan["end"]]
    larger = [n for n, pan, own in pairs if own["bytes"] > pan["bytes"]]
    print(f"\nstates per second, evenhand / pan, over {len(pairs)} models:")
    print(f"  geometric mean {mean:.2f} (goal: at least 0.50)")
    print(f"  minimum        {least:.2f}, {at} (goal: at least 0.25)")
    print(f"end to end behind pan where its search takes under 1 s: {', '.join(slower) or 'nowhere'}")
    print(f"more bytes per state than pan: {', '.join(larger) or 'nowhere'}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=3, help="runs of each tool (default 3)")
    arguments.add_argument("--only", help="names of models, separated by commas")
    arguments.add_argument("--pan-only", action="store_true", help="measure SPIN alone")
    arguments.add_argument("--evenhand", type=pathlib.Path, help="a binary to measure instead of building one")
    options = arguments.parse_args()
    for tool in ["spin", "gcc"]:
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not installed")
    binary = None
    if not options.pan_only:
        binary = (options.evenhand or release_binary()).resolve()

    print(f"{'':20} {'':>9} {'states/s':^24} {'':>6} {'end to end, s':^16} {'bytes/state':^16}")
    print(f"{'model':20} {'states':>9} {'pan':>12}{'evenhand':>12} {'ratio':>6}"
          f" {'pan':>8}{'evenhand':>9} {'pan':>7}{'evenhand':>9}")
    rows, flagged = [], False
    for model in MODELS:
        name = model.stem
        if options.only and name not in options.only.split(","):
            continue
        if not model.exists():
            print(f"{name:20} skipped: the corpus is not here")
            continue
        pan, own, problems = measure(model, binary, max(1, options.rounds))
        if not problems:
            rows.append((name, pan, own))
        get = lambda run, key: run[key] if run else None
        ratio = rate(own) / rate(pan) if pan and own else None
        states = (pan or own or {}).get("states")
        print(f"{name:20} {cell(states, '{:d}') if states else '-':>9} {cell(rate(pan), '{:.0f}'):>12}"
              f"{cell(rate(own), '{:.0f}'):>12} {cell(ratio):>6} {cell(get(pan, 'end')):>8}"
              f"{cell(get(own, 'end')):>9} {cell(get(pan, 'bytes'), '{:.1f}'):>7}"
              f"{cell(get(own, 'bytes'), '{:.1f}'):>9}", flush=True)
        for problem in problems:
            flagged = True
            print(f"  !! {problem}", flush=True)
    if binary:
        summary(rows)
    sys.exit(1 if flagged else 0)


if __name__ == "__main__":
    main()
