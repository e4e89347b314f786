#!/usr/bin/env python3
"""LTL without fairness and under weak fairness: SPIN's verifier against `evenhand check`, in two tables.

Every property of the fixed list holds, so both tools must go through the whole product of the model with the
property:

    spin -o1 -o2 -o3 -a; gcc -O2 -DNOREDUCE -DNFAIR=5; pan -a [-f] -n -m10000000 -w24
    evenhand check --no-fairness [--fair spin-weak] --ltl FORMULA --reduce none --counterexample none --format json

Both explore everything; `reduce.py` compares the two with their reductions.

pan's rate counts what it calls visited states (its nested search visits a state twice, with fairness also in
copies); Evenhand's counts product states, each visited once. The second table therefore compares raw times.
`bytes` is all memory in use at the peak divided by product states (pan: stored states), without pan's hash table
of 2^24 slots. The tools take turns; the best of several rounds counts.

Needs spin and gcc. Usage: benches/ltl.py [--rounds N] [--only NAME,...] [--evenhand PATH]
"""

import argparse
import json
import math
import pathlib
import shutil
import sys
import tempfile

from states import OWN, Failed, best, call, cell, number, release_binary

# Fixed before measuring: model, definitions, formula that holds on all runs.
PLAIN = [
    ("dining_asymmetric", {"N": "8"}, "[] (phil[1]@second -> (!phil[1]@first W phil[1]@eating))"),
    ("filter_lock", {}, "[] (level[0] == 2 -> (level[0] >= 2 W level[0] == 0))"),
    ("leader_ring", {}, "<> [] (leader == 8)"),
    ("readers_writers", {}, "[] (version == 1 -> (version != 0 W version == 2))"),
    ("cache_coherence", {}, "[] (line[0] == shared -> (line[1] != modified W line[0] == invalid))"),
    ("elevator", {}, "[] (floor == 2 -> (floor != 4 W floor == 3))"),
    ("two_phase_commit", {}, "[] (coordinator:refused -> (coordinator:refused W coordinator:answers == 0))"),
    ("semaphore_mutex", {"N": "14"}, "[] (process[0]@critical -> (!process[1]@critical W free))"),
]

# Model, definitions, formula that holds on all weakly fair runs.
WEAK = [
    ("leader_ring", {}, "<> (leader == 8)"),
    ("spawn", {}, "<> [] (running == 0)"),
    ("elevator", {}, "[] <> (floor == 0 || open)"),
    ("two_phase_commit", {}, "[] <> (coordinator:answers == 0)"),
    ("semaphore_mutex", {"N": "10"}, "[] <> (free == 1)"),
    ("semaphore_mutex", {"N": "12"}, "[] <> (free == 1)"),
]

GCC = ["gcc", "-O2", "-DNOREDUCE", "-DNFAIR=5", "-DVECTORSZ=8192", "-w", "-o", "pan", "pan.c"]


def build_pan(model, defines, formula, folder):
    text = model.read_text() + f"\nltl bench {{ {formula} }}\n"
    (pathlib.Path(folder) / "model.pml").write_text(text)
    flags = [f"-D{name}={value}" for name, value in defines.items()]
    call(["spin", *flags, "-o1", "-o2", "-o3", "-a", "model.pml"], folder)
    call(GCC, folder)


def run_pan(folder, fair):
    claim = ["-N", "bench"]
    flags = ["-a", *(["-f"] if fair else []), "-n", "-m10000000", "-w24", *claim]
    text, wall = call(["./pan", *flags], folder)
    if "max search depth too small" in text or "Search not completed" in text:
        raise Failed("pan: the search is not complete")
    stored = number(r"^ *([\d.e+]+) states, stored", text)
    visited = number(r"states, stored \(([\d.e+]+) visited\)", text) or stored
    seconds = number(r"elapsed time ([\d.e+-]+) seconds", text)
    megabytes = number(r"^ *([\d.]+)\s+actual memory usage for states", text)
    megabytes = megabytes or number(r"^ *([\d.]+)\s+equivalent memory usage for states", text)
    if number(r"errors: (\d+)", text) != 0 or stored is None or seconds is None:
        raise Failed("pan: the property does not hold, or nothing was said")
    return {
        "states": stored,
        "visited": visited,
        "seconds": max(seconds, 0.01),
        "wall": wall,
        "bytes": megabytes * 2**20 / stored if megabytes else math.nan,
    }


def run_evenhand(binary, model, defines, formula, fair):
    flags = [flag for name, value in defines.items() for flag in ("-D", f"{name}={value}")]
    fairness = ["--fair", "spin-weak"] if fair else []
    text, wall = call(
        [str(binary), "check", str(model), *flags, "--no-fairness", *fairness, "--ltl", formula,
         "--reduce", "none", "--counterexample", "none", "--format", "json"]
    )
    answer = json.loads(text)["properties"][0]
    if answer["verdict"] != "holds":
        raise Failed(f"evenhand: {answer['verdict']}")
    product = answer["product_states"]
    return {
        "states": product,
        "visited": product,
        "seconds": max(answer["seconds"], 1e-6),
        "wall": wall,
        "bytes": answer["peak_memory_bytes"] / product,
    }


def measure(entry, binary, fair, rounds):
    name, defines, formula = entry
    model = OWN / f"{name}.pml"
    pan_runs, own_runs = [], []
    with tempfile.TemporaryDirectory() as folder:
        build_pan(model, defines, formula, folder)
        for _ in range(rounds):
            pan_runs.append(run_pan(folder, fair))
            own_runs.append(run_evenhand(binary, model, defines, formula, fair))
    return best(pan_runs), best(own_runs)


def title(entry):
    name, defines, _ = entry
    return name + "".join(f" {n}={v}" for n, v in defines.items())


def rate(run):
    return run["visited"] / run["seconds"]


def table(entries, binary, fair, rounds, only):
    rows = []
    print(f"{'model':24} {'product states':^22} {'visited/s':^22} {'ratio':>6} {'seconds':^16} {'times':>6}"
          f" {'bytes/state':^14}")
    print(f"{'':24} {'pan':>11}{'evenhand':>11} {'pan':>11}{'evenhand':>11} {'':>6} {'pan':>8}{'evenhand':>8}"
          f" {'':>6} {'pan':>7}{'evenh.':>7}")
    for entry in entries:
        if only and entry[0] not in only.split(","):
            continue
        try:
            pan, own = measure(entry, binary, fair, rounds)
        except Failed as problem:
            print(f"{title(entry):24} {problem}", flush=True)
            continue
        rows.append((entry, pan, own))
        print(f"{title(entry):24} {pan['states']:>11.0f}{own['states']:>11.0f} {rate(pan):>11.0f}{rate(own):>11.0f}"
              f" {rate(own) / rate(pan):>6.2f} {pan['seconds']:>8.2f}{own['seconds']:>8.2f}"
              f" {pan['seconds'] / own['seconds']:>6.2f} {cell(pan['bytes'], '{:.0f}'):>7}{own['bytes']:>7.0f}",
              flush=True)
    return rows


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--only", help="names of models, separated by commas")
    arguments.add_argument("--evenhand", type=pathlib.Path, help="a binary to measure instead of building one")
    options = arguments.parse_args()
    for tool in ["spin", "gcc"]:
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not installed")
    binary = (options.evenhand or release_binary()).resolve()
    print("without fairness\n")
    rows = table(PLAIN, binary, False, options.rounds, options.only)
    if rows:
        ratios = [rate(own) / rate(pan) for _, pan, own in rows]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nvisited states per second, evenhand / pan: geometric mean {mean:.2f} (goal: at least 0.50),"
              f" least {min(ratios):.2f} (goal: at least 0.25)\n")
    print("under weak fairness of processes, as SPIN defines it (-f, spin-weak)\n")
    rows = table(WEAK, binary, True, options.rounds, options.only)
    larger = sorted(rows, key=lambda row: -row[2]["states"])[: (len(rows) + 1) // 2]
    behind = [title(entry) for entry, pan, own in larger if own["seconds"] >= pan["seconds"]]
    print(f"\nlarger half behind pan -f in time: {', '.join(behind) or 'nowhere'}")


if __name__ == "__main__":
    main()
