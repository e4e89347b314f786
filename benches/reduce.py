#!/usr/bin/env python3
"""States and CPU time with reductions: SPIN's verifier with its defaults against `evenhand check`, in one table.

What a SPIN user runs is SPIN with its defaults: partial-order reduction, statement merging, dead variables
reset. For each of the models of `states.py` both tools look for assertion violations and improper ends:

    spin -a MODEL; gcc -O2 -DSAFETY -DNOCLAIM pan.c; pan -m10000000 -w24 [-n]
    evenhand check -p assertions -p deadlock --counterexample none MODEL

`pan` goes on after an error (-c0), so that both explore everything; Evenhand answers both questions with one
search. States are those that are stored; `full` are all reachable ones (`evenhand states`). Times are CPU
seconds of the processes: of pan's search alone, of everything SPIN needs (generation and compilation
included), and of Evenhand end to end. The tools take turns, and the best of several rounds counts.

A second table has the formulas of `ltl.py`, which hold, without fairness and under SPIN's weak fairness. States are
those of the product with the automaton of the formula, as both tools build it.

    spin -a MODEL; gcc -O2 -DNFAIR=5 pan.c; pan -a [-f] -m10000000 -w24 -n -N bench
    evenhand check --no-fairness [--fair spin-weak] --ltl FORMULA --counterexample none MODEL

`pan` works in one thread. Evenhand takes as many as there are cores, which costs CPU time to save time; with
`--threads 1` both work in one.

Usage: benches/reduce.py [--rounds N] [--only NAME,...] [--evenhand PATH] [--full] [--ltl] [--how auto|always] [--threads N]
"""

import argparse
import json
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile

from ltl import PLAIN, WEAK
from states import MODELS, OWN, ROOT, Failed

SPIN = ["spin", "-a"]
GCC = ["gcc", "-O2", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=8192", "-w", "-o", "pan", "pan.c"]
PAN = ["./pan", "-n", "-c0", "-m10000000", "-w24"]


def cpu(command, folder=None, accept=(0,)):
    """Standard output and CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in accept:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise Failed(f"{pathlib.Path(command[0]).name}: exit {done.returncode}: {lines[0]}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, seconds


def by_pan(model):
    """Stored states, CPU seconds of the search, and of everything."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(model, folder)
        for other in model.parent.glob("*.h"):
            shutil.copy(other, folder)
        _, generated = cpu([*SPIN, model.name], folder)
        _, compiled = cpu(GCC, folder)
        out, searched = cpu(PAN, folder)
        found = re.search(r"(\d+) states, stored", out)
        if not found or "Search not completed" in out:
            raise Failed("pan: the search was not completed")
        return int(found[1]), searched, generated + compiled + searched


def by_evenhand(binary, model, how, threads=()):
    """Stored states, whether they are those of a reduced system, and CPU seconds."""
    command = [binary, "check", *threads, "-p", "assertions", "-p", "deadlock", "--counterexample", "none"]
    out, seconds = cpu([*command, "--reduce", how, "--format", "json", str(model)], accept=(0, 1))
    properties = json.loads(out)["properties"]
    states = max(p["states"] for p in properties)
    return states, all(p.get("reduced", False) for p in properties), seconds


def ltl_by_pan(entry, fair):
    """Stored states of the product, CPU seconds of the search, and of everything."""
    name, defines, formula = entry
    with tempfile.TemporaryDirectory() as folder:
        text = (OWN / f"{name}.pml").read_text() + f"\nltl bench {{ {formula} }}\n"
        text = text.replace("_nr_pr", "(_nr_pr - 1)")  # pan counts the claim as a process
        (pathlib.Path(folder) / "model.pml").write_text(text)
        flags = [f"-D{key}={value}" for key, value in defines.items()]
        _, generated = cpu(["spin", *flags, "-a", "model.pml"], folder)
        _, compiled = cpu(["gcc", "-O2", "-DNFAIR=5", "-DVECTORSZ=8192", "-w", "-o", "pan", "pan.c"], folder)
        out, searched = cpu(["./pan", "-a", *(["-f"] if fair else []), "-n", "-m10000000", "-w24", "-N", "bench"], folder, (0, 1))
        found = re.search(r"([\d.e+]+) states, stored", out)
        if not found or "Search not completed" in out:
            raise Failed("pan: " + (out.strip().splitlines() or ["nothing"])[0])
        return int(float(found[1])), searched, generated + compiled + searched


def ltl_by_evenhand(binary, entry, fair, how, threads):
    """States of the product, whether of a reduced system, and CPU seconds."""
    name, defines, formula = entry
    flags = [flag for key, value in defines.items() for flag in ("-D", f"{key}={value}")]
    fairness = ["--fair", "spin-weak"] if fair else []
    command = [binary, "check", *threads, str(OWN / f"{name}.pml"), *flags, "--no-fairness", *fairness, "--ltl", formula]
    out, seconds = cpu([*command, "--reduce", how, "--counterexample", "none", "--format", "json"])
    answer = json.loads(out)["properties"][0]
    return answer["product_states"], answer.get("reduced", False), seconds


def best(rounds, work):
    """The fastest of several rounds; the last entry of a result is its time."""
    return min((work() for _ in range(rounds)), key=lambda result: result[-1])


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


HEAD = f"{'model':22} {'full':>9} {'pan':>9} {'evenhand':>9} {'ratio':>6}   {'pan s':>6} {'all s':>6} {'ours s':>6} {'search':>6} {'all':>6}"


def table(rounds, rows):
    """Rows of a name, what pan does, what Evenhand does, and the number of all states."""
    print(HEAD)
    states, searches, wholes = [], [], []
    for name, pan_work, own_work, full_work in rows:
        try:
            pan, searched, whole = best(rounds, pan_work)
            ours, reduced, seconds = best(rounds, own_work)
            full = full_work()
        except (Failed, subprocess.TimeoutExpired) as failed:
            print(f"{name:22} {failed}")
            continue
        mark = " " if reduced else "*"
        states.append(ours / pan)
        searches.append(seconds / max(searched, 0.01))
        wholes.append(seconds / whole)
        print(
            f"{name:22} {full:9} {pan:9} {ours:9}{mark}{ours / pan:6.2f}   "
            f"{searched:6.2f} {whole:6.2f} {seconds:6.2f} {searches[-1]:6.2f} {wholes[-1]:6.2f}"
        )
    means = (geometric(states), geometric(searches), geometric(wholes))
    print("geometric mean: states %.2f, time by pan's search %.2f, by everything %.2f" % means)
    print("* not reduced, or not only: something is violated\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--evenhand", default=None)
    parser.add_argument("--full", action="store_true", help="explore everything by Evenhand, too")
    parser.add_argument("--ltl", action="store_true", help="formulas, too")
    parser.add_argument("--how", default="auto", choices=("auto", "always"), help="Evenhand's --reduce")
    parser.add_argument("--threads", type=int, help="Evenhand's --threads")
    options = parser.parse_args()
    threads = ("--threads", str(options.threads)) if options.threads else ()
    binary = options.evenhand or os.path.join(ROOT, "target", "release", "evenhand")
    only = [name for name in options.only.split(",") if name]
    is_meant = lambda name: not only or name in only
    full = lambda model: by_evenhand(binary, model, "none")[0] if options.full else 0
    rows = [
        (
            m.stem,
            lambda m=m: by_pan(m),
            lambda m=m: by_evenhand(binary, m, options.how, threads),
            lambda m=m: full(m),
        )
        for m in MODELS
        if is_meant(m.stem)
    ]
    table(options.rounds, rows)
    for fair, entries in ((False, PLAIN), (True, WEAK)) if options.ltl else ():
        rows = [
            (
                e[0],
                lambda e=e: ltl_by_pan(e, fair),
                lambda e=e: ltl_by_evenhand(binary, e, fair, options.how, threads),
                lambda: 0,
            )
            for e in entries
            if is_meant(e[0])
        ]
        table(options.rounds, rows)


if __name__ == "__main__":
    main()
