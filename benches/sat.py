#!/usr/bin/env python3
"""Models on which engines differ: verdict, length of the run and CPU seconds of `streett`, `symbolic` and `sat`.

Usage: benches/sat.py [--limit SECONDS]. EVENHAND_BIN names the program (default: target/release/evenhand).
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("EVENHAND_BIN", ROOT / "target/release/evenhand")
ENGINES = ["streett", "symbolic", "sat"]


def factors(bits, number):
    """A product of two numbers is this one."""
    return f"""MODULE main
FROZENVAR a : unsigned word[{bits}]; b : unsigned word[{bits}];
VAR n : 0..7;
ASSIGN init(n) := 0; next(n) := n = 7 ? 0 : n + 1;
LTLSPEC G !(n = 5 & extend(a, {bits}) * extend(b, {bits}) = 0ud{2 * bits}_{number} & a > 0ud{bits}_1 & b > 0ud{bits}_1)
"""


def lights(size):
    """Press fields until all lights are off: each changes its neighbours."""
    def near(r, c):
        places = [(r, c), (r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
        return [(a, b) for a, b in places if 0 <= a < size and 0 <= b < size]

    fields = [(r, c) for r in range(size) for c in range(size)]
    text = ["MODULE main", f"IVAR p : 0..{size * size - 1};", "VAR"]
    text += [f"  l{r}_{c} : boolean;" for r, c in fields]
    text.append("ASSIGN")
    for r, c in fields:
        pressed = " | ".join(f"p = {a * size + b}" for a, b in near(r, c))
        text.append(f"  init(l{r}_{c}) := {'TRUE' if r == c or r == 0 else 'FALSE'};")
        text.append(f"  next(l{r}_{c}) := (l{r}_{c} xor ({pressed}));")
    off = " & ".join(f"!l{r}_{c}" for r, c in fields)
    text.append(f"LTLSPEC G !({off})")
    return "\n".join(text) + "\n"


def mixer(bits):
    """A number is squared and mixed with inputs; which inputs lead to a chosen one?"""
    return f"""MODULE main
IVAR i : unsigned word[8];
VAR x : unsigned word[{bits}];
ASSIGN init(x) := 0ud{bits}_1; next(x) := x * x + extend(i, {bits - 8}) + 0ud{bits}_3;
LTLSPEC G x != 0ud{bits}_54321
"""


def lockstep(bits):
    """Two multipliers that do the same: the invariant is inductive."""
    return f"""MODULE main
IVAR i : unsigned word[{bits}];
VAR x : unsigned word[{bits}]; y : unsigned word[{bits}];
ASSIGN init(x) := 0ud{bits}_1; init(y) := 0ud{bits}_1;
  next(x) := x * i + 0ud{bits}_7; next(y) := y * i + 0ud{bits}_7;
INVARSPEC x = y
"""


def pipe(length, bits):
    """What goes into a pipe comes out of it, under strong fairness of its valve; here the valve may turn it round."""
    cells = range(length)
    text = ["MODULE main", f"IVAR i : unsigned word[{bits}]; open : boolean;", "VAR valve : boolean;"]
    text += [f"  c{n} : unsigned word[{bits}];" for n in cells]
    text.append("ASSIGN next(valve) := open;")
    for n in cells:
        before = "i" if n == 0 else f"c{n - 1}"
        text.append(f"  init(c{n}) := 0ud{bits}_0; next(c{n}) := valve ? {before} * 0ud{bits}_3 : c{n};")
    text.append(f"COMPASSION (c0 != 0ud{bits}_0, valve)")
    last = length - 1
    text.append(f"LTLSPEC G F c{last} = 0ud{bits}_0 | F (c{last} != 0ud{bits}_0 & O c0 = c{last} * 0ud{bits}_5)")
    return "\n".join(text) + "\n"


MODELS = [
    ("a product of two words of 16 bits", factors(16, 65521 * 65519)),
    ("a product of two words of 20 bits", factors(20, 1048573 * 1048571)),
    ("lights, 5 x 5", lights(5)),
    ("lights, 8 x 8", lights(8)),
    ("squares of 24 bits with inputs", mixer(24)),
    ("squares of 32 bits with inputs", mixer(32)),
    ("two multipliers of 32 bits in step", lockstep(32)),
    ("a pipe of 6 words of 16 bits, compassion", pipe(6, 16)),
]


def ask(path, engine, limit):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call = [PROGRAM, "check", path, "--engine", engine, "--format", "json", "--limit-time", f"{limit}s", "--budget", "1s"]
    call += ["-p", "ltl_0" if "LTLSPEC" in pathlib.Path(path).read_text() else "invar_0"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=10 * limit + 60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told = json.loads(done.stdout)
    if "properties" not in told:
        return "refused: too many values to try"
    answer = told["properties"][0]
    run = answer["counterexample"]
    steps = f", {run['length']} steps{' (shortest)' if run['shortest'] else ''}" if run else ""
    return f"{answer['verdict']}{steps}, {seconds:.1f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=20)
    limit = parser.parse_args().limit
    print("| model |", " | ".join(f"`{engine}`" for engine in ENGINES), "|")
    print("|" + " --- |" * (len(ENGINES) + 1))
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, text) in enumerate(MODELS):
            path = f"{folder}/{number}.smv"
            pathlib.Path(path).write_text(text)
            answers = [ask(path, engine, limit) for engine in ENGINES]
            print(f"| {name} |", " | ".join(answers), "|", flush=True)


if __name__ == "__main__":
    main()
