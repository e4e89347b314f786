#!/usr/bin/env python3
"""Nets of the Model Checking Contest beside their published answers, and what exploring and fairness cost.

    benches/petri.py answers    every property of every instance with at most --states markings, one call for each
                                property file under --limit seconds, or with --single one for each property: how many
                                are decided, all must be equal to what was published; the others are listed with the
                                reason. On a busy machine --patience 4 gives each call four times as long by the clock;
                                what took more processor time than the limit then counts as undecided
    benches/petri.py states     the number of markings, markings per second of processor time, bytes per marking that
                                are kept, and bytes of the whole process (its peak) per marking; beside TAPAAL's
                                verifypn, one after the other with one thread each, if --verifypn says where it is
    benches/petri.py fairness   what strong fairness of every transition costs: processor time by that of the
                                plain search, for formulas of linear time that hold both ways
    benches/petri.py maria      the sliding window protocol with its fairness and its own liveness property, one thread;
                                beside Maria, if --maria says where it is

The nets stand beside the repository (../shared/corpora/petri/mcc); without them nothing is done. The exit status is 1 if
an answer or a number of markings differs. Usage: benches/petri.py WHAT [--states N] [--limit S] [--only NAME,...]
[--quick] [--single] [--patience F] [--evenhand PATH] [--verifypn PATH] [--maria PATH]
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from states import ROOT, release_binary

CORPUS = ROOT.parent / "shared" / "corpora" / "petri" / "mcc"
MARIA = CORPUS.parent / "maria"

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

# The nets that are explored beside verifypn.
KNOWN = ["FMS-PT-00005", "Kanban-PT-00005", "Railroad-PT-010"]


def rows(name):
    return [json.loads(line) for line in (CORPUS / name).read_text().splitlines()]


def call(command, folder=None):
    """What a command has done, and the processor seconds."""
    done, seconds, _ = measured(command, folder)
    return done, seconds


def measured(command, folder=None):
    """What a command has done, the processor seconds, and the bytes that it had at most."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(command, stdout=out, stderr=errors, text=True, cwd=folder)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        done = subprocess.CompletedProcess(command, child.returncode, out.read(), errors.read())
    return done, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


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
    head = "| net | markings | per CPU second | bytes kept per marking | of the process |"
    line = "| --- | --- | --- | --- | --- |"
    if arguments.verifypn:
        (head, line) = (head + " verifypn, per CPU second | of its process |", line + " --- | --- |")
    print(f"{head}\n{line}")
    for instance in instances:
        model = CORPUS / instance / "model.pnml"
        command = [arguments.evenhand, "states", str(model), "--format", "json", "--limit-time", f"{arguments.limit}s"]
        if arguments.verifypn:
            command += ["--threads", "1"]
        best, peer = None, None
        for _ in range(arguments.rounds):
            done, seconds, peak = measured(command)
            if best is None or seconds < best[1]:
                best = (json.loads(done.stdout), seconds, peak)
            if arguments.verifypn:
                own = verifypn(arguments, model)
                peer = own if peer is None or own[1] < peer[1] else peer
        found, seconds, peak = best
        count = found["states"]
        note = "" if found["complete"] else " (cut short)"
        if found["complete"] and count != published[instance]:
            (note, fine) = (f" DIFFERENT: {published[instance]:,}", False)
        kept = found["bytes_per_state"]
        told = f"| {instance} | {count:,}{note} | {count / max(seconds, 1e-9):,.0f} | {kept:.1f} | {peak / count:.0f} |"
        if peer:
            other, seconds, peak = peer
            note = "" if other == count else f" ({other:,} markings)"
            told += f" {other / seconds:,.0f}{note} | {peak / other:.0f} |"
        print(told, flush=True)
    return fine


def verifypn(arguments, model):
    """The markings that verifypn finds where it explores everything, its seconds, and the bytes it had at most."""
    command = [arguments.verifypn, "-e", "-n", "-r", "0", "-q", "0", "-s", "DFS", str(model)]
    done, seconds, peak = measured(command)
    found = re.search(r"STATE_SPACE STATES (\d+)", done.stdout)
    if not found:
        raise SystemExit(f"verifypn says nothing about {model}: {done.stdout}{done.stderr}")
    return int(found.group(1)), seconds, peak


def maria(arguments, _):
    """One check, here and by Maria."""
    formula = "[]<>true equals place white_req || <>true equals place blue_req"
    net = MARIA / "swn.pn"
    command = [arguments.evenhand, "check", str(net), "-D", "FAIR", "--ltl", formula, "--threads", "1", "--format", "json"]
    best, peer = None, None
    for _ in range(arguments.rounds):
        done, seconds = call(command)
        [found] = [own for own in json.loads(done.stdout)["properties"] if own["name"] == "formula_0"]
        best = min(best or seconds, seconds)
        if arguments.maria:
            # Maria writes its graph beside the net.
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(net, folder)
                other, seconds = call([arguments.maria, "-p", "lbt", "-D", "FAIR", "-m", net.name, "-e", formula], folder)
            peer = min(peer or seconds, seconds)
            told = other.stdout + other.stderr
    print(f"{net.name}: {found['verdict']}, {found['states']:,} states, {best:.2f} CPU seconds")
    if arguments.maria:
        states = re.search(r"(\d+) states", told)
        verdict = "holds" if "property holds" in told else "no answer that is known here"
        print(f"Maria: {verdict}, {int(states.group(1)) if states else 0:,} states, {peer:.2f} CPU seconds: {peer / best:.1f} times")
        return verdict == found["verdict"] == "holds"
    return found["verdict"] == "holds"


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
    parser.add_argument("what", choices=["answers", "states", "fairness", "maria"])
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
    parser.add_argument("--maria")
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
    work = {"answers": answers, "states": states, "fairness": fairness, "maria": maria}[arguments.what]
    return 0 if work(arguments, instances) else 1


if __name__ == "__main__":
    sys.exit(main())
