#!/usr/bin/env python3
"""Temporal properties of public TLA+ specifications: the verdicts and lassos of `evenhand check` beside TLC's.

Every row of the table that stands beside the repository for which TLC has searched for fair behaviours, or found a
violated temporal property. What TLC said is written there with the number of states of its lasso; with `--tlc` a row that differs
and has SYMMETRY is asked again without it. Compared are verdicts, and the steps of a lasso, that back to its beginning or the
stuttering included: ours must not have more. Every lasso is replayed by the command before it is printed.

A row that differs, or whose lasso is longer, is printed with its reason; one without a reason ends the script with status 1. So does a tally in which more
than 2 in 100 differ that could be compared.

Usage: benches/tla-temporal.py [--most STATES] [--limit SECONDS] [--evenhand PATH] [--tlc COMMAND] [--only NAME,...]
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpora" / "tla"

# Rows that cannot be compared: what they ask is no question about behaviours.
APART = {
    "SpanTreeRandom.cfg": "RandomElement: the graph is drawn anew in each run",
    "UserModuleOverride.cfg": "a class of Java in place of a definition",
    "UserModuleOverrideAnnotation.cfg": "a class of Java in place of a definition",
    "TLCGetLevel.cfg": "its states hold the level of TLC's search",
}

# Rows that differ, and why.
SYMMETRY = "TLC looks for fair behaviours among states that stand for others (tlaplus issues 59 and 644)"
LEVEL = "a constraint asks for the level of the search: undecided here, since no function of the state"
DIFFERENT = {
    "May09dMC.cfg": SYMMETRY,
    "UnsymmetricMCB.cfg": SYMMETRY,
    "cf1s_folklore.cfg": LEVEL,
    "EnvironmentController.cfg": LEVEL,
}

# Lassos that are longer than those of TLC, and why.
LONGER = {"LongMCa.cfg": SYMMETRY}


def rows(most):
    """The temporal rows of all tables, with their folders."""
    for folder in (CORPUS, CORPUS / "strong-fairness", CORPUS / "traps"):
        table = folder / "expected.jsonl"
        for line in table.read_text().splitlines() if table.exists() else ():
            row = json.loads(line)
            is_temporal = row.get("live_branches") or row["result"] == "liveness" or folder.name == "strong-fairness"
            if is_temporal and (row.get("distinct") or 0) <= most:
                yield folder, row


def own_answer(evenhand, folder, row, limit, cfg=None):
    """The verdict in the words of the tables, the steps of the shortest lasso, and the reason where nothing is said."""
    cfg = cfg or folder / row["cfg"]
    command = [evenhand, "check", str(folder / row["file"]), "--config", str(cfg), "--format", "json"]
    command += ["--limit-time", str(limit)]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        return "error", None, done.stderr.strip().splitlines()[0][:100] if done.stderr.strip() else "no answer"
    said = json.loads(done.stdout)["properties"]
    is_open, lengths, kinds = None, [], []
    for one in said:
        run = one.get("counterexample") or {}
        if one["verdict"] == "violated":
            ends = "-deadlock" in (row.get("tlc_args") or [])
            if one["kind"] == "deadlock" and ends:
                continue
            if run and not run.get("replayed"):
                return "not replayed", None, one["name"]
            kinds.append(one["kind"])
            if one["kind"] == "temporal" and run:
                lengths.append(run["length"])
        elif one["verdict"] == "unknown" and one["kind"] != "postcondition":
            is_open = f"{one['name']}: {one['reason']}"
    words = {"assumption": "assumption", "possible": "assumption", "deadlock": "deadlock", "runtime-error": "error",
             "assertion": "error", "temporal": "liveness"}
    if kinds:
        return words.get(kinds[0], "safety"), min(lengths, default=None), None
    return ("unknown" if is_open else "success"), None, is_open


def by_tlc(tlc, folder, row, cfg):
    """What TLC says, and how many states its trace has."""
    with tempfile.TemporaryDirectory() as states:
        command = [*tlc, "-noGenerateSpecTE", "-workers", "1", "-lncheck", "final", "-metadir", states, "-config", str(cfg)]
        command += [*(row.get("tlc_args") or []), pathlib.Path(row["file"]).stem]
        text = subprocess.run(command, cwd=(folder / row["file"]).parent, capture_output=True, text=True).stdout
    if "No error has been found" in text:
        return "success"
    return "liveness" if "emporal propert" in text else "other"


def without_symmetry(folder, row, place):
    """The configuration of a row without its SYMMETRY; none where there is none."""
    text = (folder / row["cfg"]).read_text()
    less = re.sub(r"(?m)^\s*SYMMETRY\s+\S+", "", text)
    if less == text or row["cfg"].endswith(".tla"):
        return None
    cfg = pathlib.Path(place) / "Less.cfg"
    cfg.write_text(less)
    return cfg


def wanted(row):
    """TLC's verdict; of those that it did not finish it is known that they hold."""
    return "success" if row["result"] == "timeout" else row["result"]


def reason_in(table, row):
    """The reason that a table has for a row."""
    return next((why for name, why in table.items() if row["cfg"].endswith(name)), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--evenhand", default=str(ROOT / "target" / "release" / "evenhand"))
    parser.add_argument("--tlc", default="")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    if not CORPUS.is_dir():
        print("SKIPPED: no specifications beside the repository")
        return
    names = [name for name in given.only.split(",") if name]
    same, apart, different, wrong, longer, both = 0, [], [], [], [], []
    for folder, row in rows(given.most):
        if names and not any(name in row["cfg"] for name in names):
            continue
        name, tlc = row["cfg"], wanted(row)
        why = reason_in(APART, row)
        if why:
            apart.append(f"{name}: {why}")
            continue
        own, length, told = own_answer(given.evenhand, folder, row, given.limit)
        if own == tlc:
            same += 1
            if tlc == "liveness" and length is not None and row.get("trace_states"):
                both.append((length, row["trace_states"]))
                if length > row["trace_states"]:
                    why = reason_in(LONGER, row)
                    note = f"{name}: {length} steps, TLC {row['trace_states']}"
                    (longer if why else wrong).append(note + (f": {why}" if why else ""))
            continue
        note = f"{name}: TLC {tlc}, here {own}" + (f" ({told})" if told else "")
        why = reason_in(DIFFERENT, row)
        if given.tlc and "SYMMETRY" in (folder / row["cfg"]).read_text():
            with tempfile.TemporaryDirectory() as place:
                cfg = without_symmetry(folder, row, place)
                again = cfg and by_tlc(shlex.split(given.tlc), folder, row, cfg)
            note += f"; TLC without SYMMETRY {again}"
        (different if why else wrong).append(note + (f": {why}" if why else ""))
    count = same + len(different) + len(wrong)
    print(f"{count + len(apart)} temporal rows of at most {given.most:,} states: {same} as TLC says, {len(different)} different, "
          f"{len(apart)} that cannot be compared" + (f", {len(wrong)} unexplained" if wrong else ""))
    shorter = sum(own < peer for own, peer in both)
    print(f"{len(both)} lassos, all replayed: {sum(own for own, _ in both)} steps together, TLC {sum(p for _, p in both)}; "
          f"{shorter} shorter than TLC's, {len(longer)} longer")
    for title, notes in (("different", different), ("cannot be compared", apart), ("longer", longer), ("WITHOUT A REASON", wrong)):
        for note in notes:
            print(f"  {title}: {note}")
    if wrong or len(different) * 50 > count:
        sys.exit(1)


if __name__ == "__main__":
    main()
