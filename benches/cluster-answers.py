#!/usr/bin/env python3
"""Verdicts and counts of many processes beside those of one, on all models of some folders.

Each model is checked by one process within `--limit` seconds and a million states. What was decided there is asked of
several processes with one and two threads each. A verdict that differs, or a number of states of something that holds,
ends the script with status 1. What several processes leave undecided is counted by its reason, and the share of what they
decided is printed. Where the reason is no limit, and none that docs/cluster.md names, the script ends with status 1 too.

Usage: benches/cluster-answers.py FOLDER [...] [--processes N,...] [--threads N,...] [--limit SECONDS] [--most MODELS]
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("EVENHAND_BIN", str(ROOT / "target/release/evenhand"))
ENDINGS = {".pml", ".pm", ".pr", ".prm", ".prom", ".promela", ".spin", ".smv", ".pnml", ".pn", ".tla"}

# What several processes leave to one, as docs/cluster.md says, in words of their reasons.
REFUSED = [
    "no formula of CTL",
    "it is of a kind that one process answers",
    "where states say which step comes next",
    "it is about steps",
    "runs that end are read as finite ones",
    "states of this language mean something in one process only",
    "its states are to be explored in one order",
    "an expression makes strings",
]


def asked(model, options, limit):
    """What was told of each property; none if the model is refused, or nothing came in time."""
    command = [PROGRAM, "check", str(model), "--format", "json", "--counterexample", "none", "--reduce", "none"]
    command += ["--certify", "off", "--limit-states", "1000000", "--limit-time", str(limit), *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=4 * limit + 60)
    except subprocess.TimeoutExpired:
        sys.exit(f"{' '.join(command)}: no end")
    if done.returncode not in (0, 1, 3):
        return None
    return {each["name"]: each for each in json.loads(done.stdout)["properties"]}


def differs(one, many):
    """Whether several processes say something else than one; a run-time error hides in one what the other may find."""
    if many["verdict"] == "unknown":
        return False
    # Temporal properties that are asked together share the states that one process explores; each has a product of its own.
    counted = {"breadth-first": "states", "streett": "product_states"}.get(one["engine"])
    is_counted = one["verdict"] == "holds" and counted is not None
    return many["verdict"] != one["verdict"] or is_counted and many[counted] != one[counted]


def is_explained(one, reason):
    """Whether something may stay undecided for a reason."""
    if "limit" in reason or any(words in reason for words in REFUSED):
        return True
    # One process may find something else before the error that ends a run.
    return one["verdict"] == "violated" and reason.startswith("a run-time error")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--processes", default="1,2,3,5")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--limit", type=float, default=5)
    parser.add_argument("--most", type=int, default=1 << 30)
    arguments = parser.parse_args()
    settings = [(n, t) for n in arguments.processes.split(",") for t in arguments.threads.split(",")]
    models = [path for folder in arguments.folders for path in sorted(folder.rglob("*")) if path.suffix in ENDINGS]
    tally, different, unexplained, decided_by_many = collections.Counter(), 0, 0, 0
    for model in models[: arguments.most]:
        engine = ["--engine", "streett"] if model.suffix == ".smv" else []
        alone = asked(model, ["--threads", "1", *engine], arguments.limit)
        decided = {name: each for name, each in (alone or {}).items() if each["verdict"] != "unknown"}
        if not decided:
            tally["not read or not decided by one process"] += 1
            continue
        tally["models"] += 1
        for processes, threads in settings:
            options = ["--processes", processes, "--threads", threads]
            found = asked(model, options, 4 * arguments.limit)
            if found is None:
                tally["models refused by several processes"] += 1
                continue
            for name, one in decided.items():
                many = found.get(name)
                tally["properties"] += 1
                if many is None or differs(one, many):
                    different += 1
                    print(f"{model} -- {name}, {processes} x {threads}: {one}\n  but {many}", flush=True)
                elif many["verdict"] == "unknown":
                    reason = str(many.get("reason"))
                    tally[f"undecided by several: {reason[:90]}"] += 1
                    if not is_explained(one, reason):
                        unexplained += 1
                        print(f"{model} -- {name} ({many['kind']}), {processes} x {threads}: {reason}", flush=True)
                else:
                    decided_by_many += 1
    for what, count in tally.most_common():
        print(f"{count:8} {what}")
    share = 100 * decided_by_many / max(tally["properties"], 1)
    print(f"{decided_by_many} equal: {share:.1f} % of what one process decides is decided by several")
    print(f"{different} different, {unexplained} undecided without a reason that is documented")
    sys.exit(different + unexplained > 0)


if __name__ == "__main__":
    main()
