#!/usr/bin/env python3
"""Damaged models, nets, specifications, formulas and automata under small limits: no overrun, no abort.

Texts are taken from the models, the inputs of the recorded calls and, where they stand beside the repository, the
public models; pieces of them are removed, repeated, swapped, replaced by others or by large numbers, mostly so that
the text still has a meaning; the configuration of a specification stays as it is. Each text goes
to a command that reads it, with 400 ms and 60 MB. Whatever it says, it must end within three times 20 % + 0.5 s
(CPU seconds) and 20 % + 50 MB, with an exit code of the contract other than 4. Every text that breaks this is kept.

Usage: benches/hostile.py [--cases N] [--seed N] [--kinds .pnml,.pn] [--keep DIR] [--evenhand PATH]
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import sys
import tempfile

from limits import ROOT, Call, Phase

TIME, MEMORY, MOST = 0.4, 60, 20
LIMITS = ["--limit-time", f"{int(1000 * TIME)}ms", "--limit-memory", f"{MEMORY}M"]
CODES = (0, 1, 2, 3)
KINDS = [".pml", ".pml", ".smv", ".smv", ".tla", ".tla", ".pnml", ".pn", ".hoa", ".ltl"]

# What a call is made of: the command, and options that send it through other code.
CALLS = {
    ".pml": [["check"], ["check", "--engine", "symbolic"], ["check", "--fair", "strong"], ["states"], ["advise"],
             ["check", "--counterexample", "first", "--compress"], ["simulate", "--steps", "200"]],
    ".smv": [["check"], ["check", "--engine", "symbolic"], ["check", "--engine", "streett"], ["states"],
             ["states", "--engine", "symbolic"], ["advise"], ["simulate", "--steps", "50"]],
    ".pnml": [["check"], ["check", "--engine", "symbolic"], ["check", "--fair", "strong"], ["states"],
              ["check", "-p", "liveness"], ["check", "-p", "one-safe", "--reduce", "always"], ["advise", "--ltl", "<> deadlock"],
              ["simulate", "--steps", "50"]],
    ".pn": [["check"], ["check", "-p", "deadlock", "--fair", "strong"], ["states"], ["simulate", "--steps", "50"]],
    ".tla": [["check"], ["check", "--engine", "symbolic"], ["check", "--engine", "streett"], ["check", "--fair", "strong"],
             ["states"], ["advise"], ["simulate", "--steps", "50"]],
    ".hoa": [["check"], ["empty"]],
    ".ltl": [["translate"], ["translate", "--type", "buchi", "--format", "never"], ["formula"]],
}


def texts():
    """All texts, by kind."""
    places = [ROOT / "models", ROOT / "recorded" / "input", ROOT / "benches" / "models",
              ROOT.parent / "shared" / "corpora"]
    found = {kind: [] for kind in CALLS}
    for place in places:
        for path in sorted(place.rglob("*")):
            kind = {".pm": ".pml", ".prom": ".pml", ".pr": ".pml"}.get(path.suffix, path.suffix)
            is_alone = kind == ".tla" and not path.with_suffix(".cfg").exists()
            if kind in found and path.is_file() and not is_alone and path.stat().st_size < 60_000:
                found[kind].append(path)
    return found


FORMULAS = ["G (p -> F q)", "(G F p -> G F q) & F G !r", "p U (q R (X r W s))", "!([] (p -> <> q)) || [] <> (a U b)",
            "G (p -> (q U (r & X (s U t)))) & G (r -> O p)", "F (p & Y Y q) | H (a S b)", "X X X X (p <-> q) xor G F a"]


def changed(dice, text):
    """A text with words, numbers and operators in the places of others: often it still has a meaning."""
    pieces = re.findall(r"\w+|\s+|[^\w\s]", text)
    classes = {"number": [], "word": [], "sign": []}
    for at, piece in enumerate(pieces):
        if piece.isdigit():
            classes["number"].append(at)
        elif piece[0].isalpha():
            classes["word"].append(at)
        elif piece in "<>+-*&|=!":
            classes["sign"].append(at)
    for _ in range(dice.choice([1, 1, 2, 4])):
        places = classes[dice.choice(["number", "number", "number", "word", "sign"])]
        if not places:
            continue
        at = dice.choice(places)
        pieces[at] = pieces[dice.choice(places)]
        if pieces[at].isdigit():
            pieces[at] = dice.choice([pieces[at], pieces[at] + "0", pieces[at] + "000", "200", "0"])
    return "".join(pieces)


def damaged(dice, text, others):
    """A text with some damage."""
    if dice.random() < 0.7:
        return changed(dice, text)
    pieces = re.findall(r"\w+|\s+|[^\w\s]", text)
    for _ in range(dice.choice([1, 1, 2, 3, 8])):
        if not pieces:
            break
        at = dice.randrange(len(pieces))
        end = min(len(pieces), at + dice.choice([1, 2, 5, 20, 100]))
        what = dice.randrange(8)
        if what == 0:
            del pieces[at:end]
        elif what == 1:
            pieces[at:at] = pieces[at:end] * dice.choice([1, 2, 50, 2000])
        elif what == 2:
            pieces[at] = dice.choice(["2147483647", "255", "100000", "-1", "0", "99999999999999999999", "65536"])
        elif what == 3:
            other = re.findall(r"\w+|\s+|[^\w\s]", dice.choice(others))
            start = dice.randrange(len(other) + 1)
            pieces[at:end] = other[start:start + end - at]
        elif what == 4:
            pieces[at:at] = [dice.choice("(){}[]!&|<>-:;")] * dice.choice([1, 3, 30_000])
        elif what == 5:
            numbers = [i for i, piece in enumerate(pieces) if piece.isdigit()]
            for i in dice.sample(numbers, min(3, len(numbers))):
                pieces[i] = str(int(pieces[i][:6]) * dice.choice([10, 1000]))
        elif what == 6:
            other = dice.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        else:
            pieces[at:end] = [dice.choice(["\0", "\u2028", "é", "/*", "\"", "'", "#define x x x\n", "\\\n"])]
    return "".join(pieces)[:3_000_000]


def one(binary, folder, seed, sources, kinds):
    """A damaged text: nothing, or what is wrong."""
    dice = random.Random(seed)
    kind = dice.choice(kinds)
    if kind == ".ltl":
        text, others = dice.choice(FORMULAS), FORMULAS
    else:
        paths = [dice.choice(sources[kind]) for _ in range(2)]
        text, *_ = others = [path.read_text(errors="replace") for path in paths]
    text = damaged(dice, text, others)
    command, *arguments = dice.choice(CALLS[kind])
    if kind == ".ltl":
        phase = Phase("", command, *arguments, *LIMITS, "--", text.replace("\0", " ")[:90_000])
        call = Call(binary, phase, folder, [])
    else:
        name = f"case-{seed}{kind}"
        (folder / name).write_text(text, errors="replace")
        if kind == ".tla":
            arguments += ["--config", str(paths[0].with_suffix(".cfg")), "-I", str(paths[0].parent)]
        call = Call(binary, Phase("", command, *arguments, file=name), folder, LIMITS)
    code, cpu, megabytes = call.wait(MOST)
    wrong = []
    if code not in CODES:
        wrong.append(f"exit code {code}")
    if cpu > 3 * (1.2 * TIME + 0.5):
        wrong.append(f"{cpu:.1f} CPU seconds")
    if megabytes > 1.2 * MEMORY + 50:
        wrong.append(f"{megabytes:.0f} MB")
    if kind != ".ltl":
        (folder / name).unlink()
    return (", ".join(wrong), kind, text, call.call, call.said()) if wrong else (None, kind, code)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--evenhand", default=os.environ.get("EVENHAND_BIN", ROOT / "target/release/evenhand"))
    options = parser.parse_args()
    sources, failed, codes = texts(), 0, {}
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        jobs = {seed: pool.submit(one, options.evenhand, folder, seed, sources, options.kinds.split(","))
                for seed in range(options.seed, options.seed + options.cases)}
        for seed, job in jobs.items():
            wrong, kind, *more = job.result()
            if wrong is None:
                codes[more[0]] = codes.get(more[0], 0) + 1
                continue
            failed += 1
            text, call, said = more
            print(f"seed {seed}: {wrong}\n    {' '.join(call)[:200]}\n    {said[-200:]}")
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"case-{seed}{kind}").write_text(text, errors="replace")
    print("exit codes: " + ", ".join(f"{code}: {count}" for code, count in sorted(codes.items())))
    print(f"{options.cases - failed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
