#!/usr/bin/env python3
"""Nets of the Model Checking Contest beside their published answers, and what exploring and fairness cost.

    benches/petri.py answers    every property of every instance with at most --states markings, one call for each
                                property file under --limit seconds, or with --single one for each property: how many
                                are decided, all must be equal to what was published; the others are listed with the
                                reason. On a busy machine --patience 4 gives each call four times as long by the clock;
                                what took more processor time than the limit then counts as undecided
    benches/petri.py states     the number of markings, markings per second of processor time, bytes per marking;
                                beside TAPAAL's verifypn, if --verifypn says where it is
    benches/petri.py fairness   what strong fairness of every transition costs: processor time by that of the
                                plain search, for formulas of linear time that hold both ways

The nets stand beside the repository (../shared/corpora/petri/mcc); without them nothing is done. The exit status is 1 if
an answer or a number of markings differs. Usage: benches/petri.py WHAT [--states N] [--limit S] [--only NAME,...]
[--quick] [--single] [--patience F] [--evenhand PATH] [--verifypn PATH]
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

from states import ROOT, release_binary

CORPUS = ROOT.parent / "shared" / "corpora" / "petri" / "mcc"

GLOBAL = {
    "ReachabilityDeadlock": "deadlock",
    "OneSafe": "one-safe",
    "QuasiLiveness": "quasi-liveness",
    "Liveness": "liveness",
    "StableMarking": "stable-marking",
}

# Fixed, for every run of the tests: small nets of all kinds, and some of a hundred thousand markings.
QUICK = [
    "Philosophers-COL-000005",
    "DrinkVendingMachine-COL-02",
    "RwMutex-PT-r0010w0010",
    "SharedMemory-PT-000005",
    "Eratosthenes-PT-020",
    "Dekker-PT-010",
    "CSRepetitions-COL-02",
    "BART-COL-002",
    "LamportFastMutEx-COL-3",
    "LamportFastMutEx-PT-3",
    "Peterson-COL-2",
    "ClientsAndServers-PT-N0001P0",
    "ERK-PT-000010",
    "TokenRing-COL-010",
    "Philosophers-PT-000010",
    "CircularTrains-PT-024",
]

# The nets whose rates of verifypn 4.4.2 are known from another run: markings per second, one core.
KNOWN = ["FMS-PT-00005", "Kanban-PT-00005", "Railroad-PT-010"]


def rows(name):
    return [json.loads(line) for line in (CORPUS / name).read_text().splitlines()]


def call(command, limit=None):
    """Standard output, and the processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done, seconds


def ask(binary, instance, options, limit):
    """The properties of an answer, and the processor seconds."""
    model = CORPUS / instance / "model.pnml"
    command = [binary, "check", str(model), "--format", "json", "-q", "--limit-time", f"{limit}s", *options]
    done, seconds = call(command)
    answer = json.loads(done.stdout)
    if "properties" not in answer:
        raise SystemExit(f"{instance}: {answer.get('errors')}")
    return answer["properties"], seconds


def is_right(kind, answer, expected):
    if kind == "UpperBounds":
        return answer["value"] == expected
    holds = answer["verdict"] == "holds"
    return (not holds if kind == "ReachabilityDeadlock" else holds) == expected


def answers(arguments, instances):
    published = collections.defaultdict(dict)
    for row in rows("verdicts.jsonl"):
        published[row["instance"], row["kind"]][row["property"]] = row["verdict"]
    total, wrong, undecided, engines = collections.Counter(), [], [], collections.Counter()
    for instance in instances:
        own = collections.Counter()
        begin, cpu = time.monotonic(), 0.0
        for (name, kind), expected in published.items():
            if name != instance:
                continue
            for part in [[name] for name in expected] if arguments.single else [list(expected)]:
                options = ["--counterexample", "first", "--certify", arguments.certify]
                if kind in GLOBAL:
                    options += ["-p", GLOBAL[kind]]
                else:
                    options += ["--properties", str(CORPUS / instance / f"{kind}.xml")]
                    options += [flag for name in part for flag in ("-p", name)]
                found, seconds = ask(arguments.evenhand, instance, options, arguments.limit * arguments.patience)
                cpu += seconds
                is_late = seconds > arguments.limit * 1.05
                for answer in found:
                    engines[answer.get("engine")] += answer["verdict"] != "unknown"
                    known = expected[kind if kind in GLOBAL else answer["name"]]
                    if answer["verdict"] == "unknown" or is_late and is_right(kind, answer, known):
                        own["undecided"] += 1
                        reason = answer["reason"] or f"{seconds:.0f} s of processor time"
                        undecided.append((instance, kind, answer["name"], reason))
                    elif is_right(kind, answer, known):
                        own["equal"] += 1
                    else:
                        own["different"] += 1
                        wrong.append((instance, kind, answer["name"], answer["verdict"], answer["value"], known))
        total.update(own)
        spent = f"{time.monotonic() - begin:.1f} s, {cpu:.1f} s of processor time"
        print(f"{instance:36} {dict(own)} {spent}", flush=True)
    count = sum(total.values())
    decided = count - total["undecided"]
    print(f"{len(instances)} nets, {count} properties, {decided} decided ({100 * decided / max(count, 1):.1f} %): ", end="")
    print(f"{total['equal']} equal, {total['different']} different, {total['undecided']} undecided")
    print("decided by: " + ", ".join(f"{name} {number}" for name, number in engines.most_common()))
    grouped = collections.Counter((instance, kind, reason) for instance, kind, _, reason in undecided)
    for (instance, kind, reason), number in grouped.items():
        print(f"undecided: {instance} {kind}: {number} ({reason})")
    for line in wrong:
        print("DIFFERENT:", *line)
    return not wrong


def states(arguments, instances):
    """Counts, rates and bytes."""
    fine = True
    published = {row["instance"]: row["states"] for row in rows("instances.jsonl")}
    print("| net | markings | per CPU second | bytes per marking | verifypn, per CPU second |")
    print("| --- | --- | --- | --- | --- |")
    for instance in instances:
        model = CORPUS / instance / "model.pnml"
        best = None
        for _ in range(arguments.rounds):
            command = [arguments.evenhand, "states", str(model), "--format", "json", "--limit-time", f"{arguments.limit}s"]
            done, seconds = call(command)
            found = json.loads(done.stdout)
            if best is None or seconds < best[1]:
                best = (found, seconds)
        found, seconds = best
        peer = verifypn(arguments, model) if arguments.verifypn else None
        note = "" if found["complete"] else " (cut short)"
        if found["complete"] and found["states"] != published[instance]:
            (note, fine) = (f" DIFFERENT: {published[instance]:,}", False)
        rate = f"{found['states'] / max(seconds, 1e-9):,.0f}"
        told = f"{peer:,.0f}" if peer else ""
        print(f"| {instance} | {found['states']:,}{note} | {rate} | {found['bytes_per_state']:.1f} | {told} |", flush=True)
    return fine


def verifypn(arguments, model):
    """Markings per second of verifypn exploring everything."""
    done, seconds = call([arguments.verifypn, "-e", "-n", "-r", "0", "-q", "0", "-s", "DFS", str(model)])
    found = re.search(r"discovered states:\s*(\d+)", done.stdout, re.IGNORECASE)
    return int(found.group(1)) / seconds if found else None


def fairness(arguments, instances):
    """The cost of strong fairness."""
    sizes = {row["instance"]: row["states"] for row in rows("instances.jsonl")}
    print("| net | formulas | plain, CPU s | all transitions strong, CPU s | ratio |")
    print("| --- | --- | --- | --- | --- |")
    everything = []
    for instance in instances:
        ratios, plain, strong = [], 0.0, 0.0
        for row in rows("verdicts.jsonl"):
            if row["instance"] != instance or not row["kind"].startswith("LTL") or row["verdict"] is not True:
                continue
            options = ["--properties", str(CORPUS / instance / f"{row['kind']}.xml"), "-p", row["property"]]
            options += ["--counterexample", "none"]
            [first], one = ask(arguments.evenhand, instance, options, arguments.limit)
            # A formula that is decided at the first markings says nothing about cost.
            if first["verdict"] != "holds" or first["states"] < max(5000, sizes[instance] / 10):
                continue
            [second], other = ask(arguments.evenhand, instance, options + ["--fair", "strong"], arguments.limit)
            if second["verdict"] != "holds":
                print(f"{row['property']}: {second['verdict']} ({second['reason']})", file=sys.stderr)
                continue
            ratios.append(math.log(other / one))
            (plain, strong) = (plain + one, strong + other)
        if ratios:
            mean = math.exp(sum(ratios) / len(ratios))
            print(f"| {instance} | {len(ratios)} | {plain:.2f} | {strong:.2f} | {mean:.2f} |", flush=True)
            everything += ratios
    if everything:
        print(f"geometric mean of {len(everything)}: {math.exp(sum(everything) / len(everything)):.2f}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["answers", "states", "fairness"])
    parser.add_argument("--states", type=int, default=10_000_000)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--patience", type=int, default=1)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--certify", default="auto")
    parser.add_argument("--only")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--evenhand", default=os.environ.get("EVENHAND_BIN"))
    parser.add_argument("--verifypn")
    arguments = parser.parse_args()
    if not CORPUS.is_dir():
        print("skipped: no corpus of nets beside the repository")
        return 0
    arguments.evenhand = str(arguments.evenhand or release_binary())
    instances = sorted(rows("instances.jsonl"), key=lambda row: row["states"])
    instances = [row["instance"] for row in instances if row["states"] <= arguments.states]
    if arguments.quick:
        instances = QUICK
    if arguments.only:
        instances = [name for name in instances if name in arguments.only.split(",")]
    elif arguments.what == "states" and not arguments.quick:
        instances = [name for name in instances if name in KNOWN] if arguments.verifypn else instances
    work = {"answers": answers, "states": states, "fairness": fairness}[arguments.what]
    return 0 if work(arguments, instances) else 1


if __name__ == "__main__":
    sys.exit(main())
