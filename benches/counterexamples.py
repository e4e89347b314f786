#!/usr/bin/env python3
"""Lengths of counterexamples: SPIN's trails (default, -i, -I) against `evenhand check`, in one table.

For each violated temporal property of the corpus (rows `ltl-noreduce` with verdict `error`, as long as the
product has fewer than 10^6 states) SPIN is run live:

    spin -o1 -o2 -o3 -a MODEL; gcc -O2 -DNOREDUCE pan.c;         pan -a -N NAME
                               gcc -O2 -DNOREDUCE -DREACH pan.c; pan -a -i -N NAME;  pan -a -I -N NAME

and its trails are counted in the unit of Evenhand's lengths, transitions of the system. A trail has a line
`depth:process:statement` for each statement; with a claim, which is process 0, the claim and the system take
turns: one statement of the claim, then one transition of the system. All statements of an `atomic` or `d_step`
stretch and both halves of a handshake stand between two lines of the claim, so the lines of the claim count the
transitions. Where no system line follows, the run has ended and stays, which Evenhand counts as one transition
too; at the end of a trail without a cycle it is the claim alone that moves, to its end or its assertion, and that
is no transition.

A trail with a cycle is counted as prefix plus one turn. A trail that breaks the claim's safety part ends there;
so does Evenhand's run. Rows where SPIN stops at a run-time error or assertion of the model, not at the property,
are left out. SPIN's -i and -I are meant for safety
properties only, as pan itself says: for cycles they may write a trail without a cycle, which shows nothing; such a
trail is called `open` and not compared, as is one whose replay does not end where its cycle began.

A line is flagged where Evenhand's run is longer than one of SPIN's; the exit status is then 1. The last line has
the median, over all rows, of SPIN's default by Evenhand's length.
Needs spin and gcc. Usage: benches/counterexamples.py [--evenhand PATH] [--only TEXT]
"""

import argparse
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpora" / "promela"
STATES = 10**6
SECONDS = 60


def run(command, directory):
    """Output of a command; what it printed until then, if it takes too long."""
    process = subprocess.Popen(
        command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    try:
        return process.communicate(timeout=SECONDS)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0]


def count(trail, finite):
    """Transitions of the system in a trail with a claim; `open` if a cycle is claimed and none is written, unless
    the property is broken by a finite run."""
    length, cycle, idle = 0, False, 0
    for line in trail.splitlines():
        depth, process, _ = (int(part) for part in line.split(":"))
        if depth == -1:
            cycle, idle = True, 0
        elif depth < 0:
            continue
        elif process == 0:
            length += 1
            idle += 1
        else:
            idle = 0
    if not cycle and not finite:
        return "open"
    return length if cycle else length - idle


def copy_model(model, directory):
    """The model and what it may include; its name there."""
    for file in model.parent.iterdir():
        if file.is_file() and file.stat().st_size < 1 << 20:
            shutil.copy(file, directory / file.name)
    return model.name


def spin_lengths(model, property_name):
    """Lengths of SPIN's trails: default, -i, -I; None where there is no trail about the property."""
    lengths = []
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        file = copy_model(model, directory)
        run(["spin", "-o1", "-o2", "-o3", "-a", file], directory)
        claim = [] if property_name == "never_0" else ["-N", property_name]
        for flags, option in [([], []), (["-DREACH"], ["-i"]), (["-DREACH"], ["-I"])]:
            if option != ["-I"]:
                run(["gcc", "-O2", "-w", "-DNOREDUCE", "-DVECTORSZ=8192", *flags, "-o", "pan", "pan.c"], directory)
            if not (directory / "pan").exists():
                return [None, None, None]
            for old in directory.glob("*.trail"):
                old.unlink()
            output = run(["./pan", "-a", "-m1000000", "-w22", *option, *claim], directory)
            kinds = re.findall(r"pan:\d+: (.*?) \(at depth", output)
            about_claim = kinds and all(is_about_claim(kind) for kind in kinds)
            trails = list(directory.glob("*.trail"))
            finite = any(not kind.startswith("acceptance cycle") for kind in kinds)
            length = count(trails[0].read_text(), finite) if trails and about_claim else None
            if isinstance(length, int) and not closes(file, trails[0], directory):
                length = "open"
            lengths.append(length)
    return lengths


def closes(file, trail, directory):
    """Whether the replay of a trail ends in the state where its cycle began, as far as SPIN shows it."""
    text = trail.read_text()
    prefix, mark, _ = text.partition("-1:-1:-1\n")
    if not mark:
        return True
    ends = []
    for part in (prefix, text):
        (directory / "part.tr").write_text(part)
        shown = run(["spin", "-k", "part.tr", "-t", file], directory).partition("#processes")[2]
        lines = [re.sub(r"^ *-?\d+:", "", line) for line in shown.splitlines()]
        ends.append([line for line in lines if "proc  -" not in line])
    return ends[0] == ends[1]


def is_about_claim(kind):
    """Whether what pan found is the property's, not an error of the model: `assertion violated  !(…)` with two
    blanks is how the claims that SPIN makes say that their safety part is broken."""
    return kind.startswith(("acceptance cycle", "end state in claim reached", "assertion violated  !("))


def our_run(evenhand, model, property_name):
    """Evenhand's answer to the property."""
    name = "never" if property_name == "never_0" else property_name
    command = [evenhand, "check", model.name, "-p", name, "--no-fairness", "--format", "json"]
    done = subprocess.run(command, cwd=model.parent, capture_output=True, text=True, timeout=120)
    answer = json.loads(done.stdout)
    if "properties" not in answer:
        return None, "; ".join(e["message"] for e in answer["errors"])
    result = answer["properties"][0]
    if result["counterexample"] is None:
        return None, result["verdict"]
    return result, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evenhand", default=str(ROOT / "target" / "release" / "evenhand"))
    parser.add_argument("--only", default="", help="rows whose file or property contains this")
    arguments = parser.parse_args()
    evenhand = str(pathlib.Path(arguments.evenhand).resolve())
    missing = [tool for tool in ("spin", "gcc") if not shutil.which(tool)]
    if missing or not (CORPUS / "expected.jsonl").exists():
        print(f"skipped: {', '.join(missing) or 'the corpus'} not found")
        return 0
    rows = [json.loads(line) for line in open(CORPUS / "expected.jsonl")]
    rows = [r for r in rows if r["mode"] == "ltl-noreduce" and r["verdict"] == "error"]
    rows = [r for r in rows if arguments.only in r["file"] + " " + r["property"]]
    heads = ("states", "default", "-i", "-I", "evenhand", "ratio")
    print(f"{'model, property':<64}" + "".join(f"{h:>10}" for h in heads), flush=True)
    ratios, longer, exact = [], 0, 0
    for row in rows:
        label = f"{row['file'].split('/')[0][:14]}…/{pathlib.Path(row['file']).name} {row['property']}"
        model = CORPUS / row["file"]
        result, problem = our_run(evenhand, model, row["property"])
        if problem:
            print(f"{label:<64}  left out: evenhand: {problem}", flush=True)
            continue
        states = result["product_states"]
        if states >= STATES:
            print(f"{label:<64}{states:>10}  left out: too large", flush=True)
            continue
        lengths = spin_lengths(model, row["property"])
        ours = result["counterexample"]["length"]
        known = [length for length in lengths if isinstance(length, int)]
        if not known:
            print(f"{label:<64}{states:>10}  left out: SPIN has no trail about the property", flush=True)
            continue
        mark = "" if result["counterexample"]["shortest"] else " (not proved)"
        exact += mark == ""
        if isinstance(lengths[0], int):
            ratios.append(lengths[0] / max(ours, 1))
        ratio = f"{ratios[-1]:.1f}" if isinstance(lengths[0], int) else "-"
        if ours > min(known):
            longer += 1
            mark += "  LONGER"
        shown = [states, *("-" if n is None else n for n in lengths), ours, ratio]
        print(f"{label:<64}" + "".join(f"{n:>10}" for n in shown) + mark, flush=True)
    if ratios:
        median, most = statistics.median(ratios), max(ratios)
        print(f"{len(ratios)} rows; SPIN's default by Evenhand's length: median {median:.2f}, at most {most:.1f};")
        print(f"proved shortest: {exact}; longer than one of SPIN's: {longer}")
    return 1 if longer else 0


if __name__ == "__main__":
    sys.exit(main())
