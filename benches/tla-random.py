#!/usr/bin/env python3
"""Random specifications by TLC, beside the answers of the plain interpreter of the tests.

The test `random::` writes specifications with their answers where EVENHAND_SPECS says; this script writes them so, or
takes a folder that is there, runs TLC with one worker on each, and compares: the kind of answer, the number of levels,
and for those that succeed the numbers of distinct and of generated states. Where only the number of generated states
differs, that is told and counted apart. TLC is not part of this repository:
`--tlc` is a command that runs it, such as `java -cp tla2tools.jar tlc2.TLC`.

Usage: benches/tla-random.py --tlc COMMAND [--cases N] [--seed N] [--folder PATH] [--jobs N]
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write(folder, cases, seed):
    env = dict(os.environ, EVENHAND_SPECS=str(folder), EVENHAND_CASES=str(cases), EVENHAND_SEED=str(seed))
    command = ["cargo", "test", "--release", "-q", "-p", "evenhand-tla", "--test", "all", "random::"]
    # What differs from the front-end is written all the same.
    subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def by_tlc(tlc, place):
    with tempfile.TemporaryDirectory() as states:
        command = [*tlc, "-workers", "1", "-metadir", states, "-config", "Spec.cfg", "-noTE", "Spec.tla"]
        ran = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=300, check=False)
    out = ran.stdout
    kinds = {0: "success", 10: "assumption", 11: "deadlock", 12: "violation", 13: "violation", 14: "error"}
    kind = kinds.get(ran.returncode, "error" if ran.returncode in (75, 76, 77, 255) else f"exit {ran.returncode}")
    if "Attempted to evaluate an assumption" in out or "is false" in out and "Assumption" in out:
        kind = "assumption"
    counts = re.findall(r"^([\d,]+) states generated, ([\d,]+) distinct", out, re.M)
    depth = re.findall(r"depth of the complete state graph search is (\d+)", out)
    # Behind a trace the last state is the one that breaks something, or the one that cannot be left.
    trace = re.findall(r"^State (\d+):", out, re.M)
    number = lambda text: int(text.replace(",", ""))
    generated, distinct = map(number, counts[-1]) if counts else (0, 0)
    return kind, distinct, generated, int(depth[-1]) if depth else None, int(trace[-1]) if trace else None, out


def compare(tlc, place):
    kind, distinct, generated, depth = (place / "answer").read_text().split()
    told = by_tlc(tlc, place)
    # TLC refuses an invariant or a constraint that is FALSE before it looks at anything else.
    if re.search(r"(invariant|constraint) of \w+ is equal to FALSE", told[5]):
        return place, True, "", "refused", told[5]
    same = kind == told[0]
    if same and kind == "success":
        levels = told[3] if told[3] is not None else 0
        same = int(distinct) == told[1] and (int(depth) == levels or distinct == "0")
        if same and int(generated) != told[2]:
            # A formula that is an argument branches here each time; TLC may have its value from an earlier use.
            same = None
    if same and kind == "violation" and told[4] is not None:
        same = told[4] == int(depth) + 1
    if same and kind == "deadlock" and told[4] is not None:
        same = told[4] == int(depth)
    return place, same, f"plain {kind} {distinct} {generated} {depth}, TLC {told[:5]}", told[0], told[5]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tlc", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    tlc = shlex.split(given.tlc)
    with tempfile.TemporaryDirectory() as own:
        folder = given.folder or pathlib.Path(own)
        if given.folder is None:
            write(folder, given.cases, given.seed)
        places = sorted(folder.glob("s*"), key=lambda place: int(place.name[1:]))[: given.cases]
        places = [place for place in places if not (place / "answer").read_text().startswith("limit")]
        shares = collections.Counter()
        wrong = counted = 0
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for place, same, line, kind, out in pool.map(lambda place: compare(tlc, place), places):
                shares[kind] += 1
                if not same:
                    wrong += same is False
                    counted += same is None
                    print(f"{place.name}: {line}", flush=True)
                    (place / "tlc").write_text(out)
        print(f"{len(places)} specifications, {wrong} differ, {counted} in the number of generated states alone: {dict(shares)}")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
