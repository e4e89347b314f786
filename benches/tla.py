#!/usr/bin/env python3
"""Distinct states per CPU second: TLC against `evenhand check`, in one table.

Public specifications of 50,000 states and more that stand beside the repository, each checked as its configuration
says, by one worker of TLC and by one thread here; the tools take turns. Times are CPU seconds of the processes, with
their start. `core` leaves out what each tool needs for a specification of two states. TLC is not part of this
repository: `--tlc` is a command that runs it, such as `java -cp tla2tools.jar tlc2.TLC`; without it Evenhand alone is measured. The last column is the most memory that
Evenhand's process had, without what it needs for the small one, by its states: values and everything else included.

`--live` takes the specifications with temporal properties for which TLC needed five seconds instead, and those of
100,000 states and more, or of a number that nobody knows; a column says how much more the whole check costs than that of its
states alone.

Usage: benches/tla.py [--tlc COMMAND] [--live] [--evenhand PATH] [--only NAME,...] [--most STATES] [--limit SECONDS]
"""

import argparse
import json
import math
import pathlib
import re
import resource
import shlex
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpora" / "tla"
SMALL = "---- MODULE Small ----\nVARIABLE x\nInit == x = 0\nNext == x' = 1\n====\n"


def cpu(command, folder, limit):
    """Standard output and CPU seconds of a command; none if it takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_tlc(tlc, spec, cfg, extra, limit):
    """Distinct states and CPU seconds; none where TLC is not measured."""
    if not tlc:
        return None, None
    with tempfile.TemporaryDirectory() as states:
        command = [*tlc, "-noGenerateSpecTE", "-workers", "1", "-metadir", states, "-config", str(cfg), *extra, spec.stem]
        text, seconds = cpu(command, spec.parent, limit)
    found = re.findall(r"([\d,]+) distinct states found", text or "")
    return (int(found[-1].replace(",", "")) if found else None), seconds


def by_evenhand(evenhand, spec, cfg, limit, properties=()):
    """The answers and CPU seconds."""
    command = [evenhand, "check", str(spec), "--config", str(cfg), "--threads", "1", "--format", "json"]
    for name in properties:
        command += ["-p", name]
    text, seconds = cpu([*command, "--counterexample", "none"], spec.parent, limit)
    return json.loads(text or "{}").get("properties", []), seconds


def states_of(found):
    """Explored states."""
    return max((one.get("states") or 0 for one in found), default=None)


def memory_of(found):
    """The most bytes that the process had."""
    return max((one.get("peak_memory_bytes") or 0 for one in found), default=0)


def is_chosen(row, most, live):
    """Whether a row of the corpus is measured."""
    states = row.get("distinct") or 0
    if not live:
        return 50_000 <= states <= most and row["result"] == "success"
    is_long = (row.get("tlc_seconds") or 0) >= 5 or not states or 100_000 <= states
    is_temporal = row.get("live_branches") or "liveness" in row.get("features", ())
    return bool(is_temporal) and is_long and states <= most and row["result"] in ("success", "liveness")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tlc", default="")
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--evenhand", default=str(ROOT / "target" / "release" / "evenhand"))
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--limit", type=float, default=300)
    given = parser.parse_args()
    tlc = shlex.split(given.tlc)
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "Small.tla"
        small.write_text(SMALL)
        cfg = small.with_suffix(".cfg")
        cfg.write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
        little, own_start = by_evenhand(given.evenhand, small, cfg, 60)
        starts = [by_tlc(tlc, small, cfg, [], 60)[1] or 0, own_start]
    print(f"start: TLC {starts[0]:.2f} s, Evenhand {starts[1]:.3f} s")
    rows = [json.loads(line) for line in (CORPUS / "expected.jsonl").read_text().splitlines()]
    wanted = [name for name in given.only.split(",") if name]
    rows = [row for row in rows if is_chosen(row, given.most, given.live)]
    rows = [row for row in rows if not wanted or any(name in row["cfg"] for name in wanted)]
    print(f"{'specification':28} {'distinct':>9} {'TLC s':>8} {'own s':>8} {'ratio':>7} {'core':>7} {'own states/s':>13}"
          + (f" {'safety s':>9} {'cost':>6}" if given.live else "") + f" {'bytes/state':>12}")
    ratios, cores, costs = [], [], []
    for row in sorted(rows, key=lambda row: row.get("distinct") or 0):
        spec, cfg = CORPUS / row["file"], CORPUS / row["cfg"]
        name = f"{cfg.stem}"
        found, own = by_evenhand(given.evenhand, spec, cfg, given.limit)
        own_states = states_of(found)
        distinct, peer = by_tlc(tlc, spec, cfg, row.get("tlc_args", []), given.limit)
        if not own or not own_states or tlc and not (peer and distinct):
            print(f"{name:28} {row.get('distinct') or 0:>9} TLC {peer}, Evenhand {own}: not finished", flush=True)
            continue
        distinct = distinct or row.get("distinct") or own_states
        told = f"{'–':>8} {own:>8.2f} {'–':>7} {'–':>7}"
        if tlc:
            ratios.append(peer / own)
            cores.append((peer - starts[0]) / max(own - starts[1], 0.001))
            told = f"{peer:>8.2f} {own:>8.2f} {ratios[-1]:>7.1f} {cores[-1]:>7.1f}"
        note = "" if own_states == distinct else f"  ({own_states} states here)"
        if not all(one["verdict"] in ("holds", "violated") for one in found):
            note += "  (not decided)"
        size = (memory_of(found) - memory_of(little)) / max(own_states, 1)
        rate = f"{own_states / own:,.0f}"
        if given.live:
            plain = [one["name"] for one in found if one.get("engine") == "breadth-first"]
            safety = by_evenhand(given.evenhand, spec, cfg, given.limit, plain)[1]
            is_decided = all(one["verdict"] in ("holds", "violated") for one in found)
            costs += [own / safety] if own_states >= 100_000 and is_decided and plain else []
            rate += f" {safety:>9.2f} {own / safety:>6.2f}"
        print(f"{name:28} {distinct:>9} {told} {rate:>13} {size:>12,.0f}{note}", flush=True)
    mean = lambda list: math.exp(sum(map(math.log, list)) / len(list))
    if ratios:
        print(f"geometric mean of {len(ratios)}: {mean(ratios):.1f}, without the start {mean(cores):.1f}")
    if costs:
        print(f"cost of temporal properties, specifications of 100,000 states and more: {mean(costs):.2f}")


if __name__ == "__main__":
    main()
