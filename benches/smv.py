#!/usr/bin/env python3
"""How much `auto` costs on SMV models, beside each engine alone and NuSMV.

    benches/smv.py [--random N] [--seed S] [--limit SECONDS] [--folder PATH ...] [--show]

The models are those of the folders, and N random ones: counters that are moved by guarded constraints, arithmetic on
ranges and arrays, deep counters, small protocols, choices by an index, money moved by inputs, words related at the start. Each is checked by `auto`, by each engine alone, and by NuSMV where
there is one; user CPU seconds of all of them come from one run. Whoever comes after `auto` has as much time as it took, and
a second at least: what takes longer breaks no bound. A figure stands where there are verdicts for all properties; otherwise
there is a dash, whatever time was spent. Verdicts must agree. The script fails if

- `auto` costs more than twice the better engine alone and 0.2 s, or
- NuSMV decides a model within 1 s and `auto` needs more than 3 s, or
- `auto` gives no answer at all; only a model of a folder may be refused.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVENHAND = os.environ.get("EVENHAND", str(ROOT / "target/release/evenhand"))
ENGINES = ["auto", "streett", "symbolic"]

# The exit status of a call that answers nothing, since the model or the question is refused.
REFUSED = 2


def user_seconds(command, limit):
    """What a command printed and its exit status, and the user CPU seconds it took; none of the first two if it took longer
    than the limit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    text, code = None, None
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        text, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired:
        pass
    return text, code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def evenhand(file, engine, limit):
    command = [EVENHAND, "check", str(file), "--engine", engine, "--format", "json"]
    command += ["--limit-time", str(limit), "--counterexample", "none"]
    text, code, seconds = user_seconds(command, limit + 10)
    try:
        properties = json.loads(text)["properties"]
    except (TypeError, ValueError, KeyError):
        return (None if code == REFUSED else {}), seconds
    return {p["name"]: p["verdict"] for p in properties}, seconds


def nusmv(binary, file, limit):
    """How many specifications NuSMV found true and false, and its seconds; none if it did not come to its end."""
    text, _, seconds = user_seconds([binary, "-dynamic", "-dcx", str(file)], limit)
    if text is None:
        return None, seconds
    said = [line for line in text.splitlines() if line.startswith("-- ") and " is " in line]
    verdicts = [line.rsplit(" is ", 1)[1].strip() for line in said]
    return [verdicts.count("true"), verdicts.count("false")], seconds


def decided(verdicts):
    """Whether there is a verdict for every property."""
    return bool(verdicts) and all(verdict != "unknown" for verdict in verdicts.values())


def shown(is_decided, seconds):
    return f"{seconds:8.2f}" if is_decided else f"{'-':>8}"


def counters(r):
    """Counters that reactions move, as guarded constraints."""
    count, high = r.randint(3, 6), r.choice([9, 15, 20, 32])
    names = [f"c{n}" for n in range(count)]
    lines = ["MODULE main", "VAR"] + [f"  {n} : 0..{high};" for n in names]
    reactions = r.randint(2, 4)
    lines += ["  r : {%s};" % ", ".join(f"r{k}" for k in range(reactions))]
    lines += [f"INIT {n} = {r.randint(0, 4)};" for n in names]
    guards = []
    for k in range(reactions):
        take, give = r.sample(names, 2)
        by = r.randint(1, 2)
        guard = f"r = r{k} & {take} >= {by} & {give} <= {high - by}"
        guards.append(guard)
        after = [f"next({n}) = {n}" for n in names if n not in (take, give)]
        after += [f"next({take}) = {take} - {by}", f"next({give}) = {give} + {by}"]
        lines.append(f"TRANS ({guard}) -> ({' & '.join(after)});")
    kept = " & ".join(f"next({n}) = {n}" for n in names)
    lines.append(f"TRANS !({' | '.join(f'({g})' for g in guards)}) -> ({kept});")
    total = " + ".join(names)
    lines.append(f"INVARSPEC {total} <= {r.randint(5, 25)};")
    lines.append(f"LTLSPEC G F {r.choice(names)} = 0;")
    return lines


def deep(r):
    """A counter with many states, one after the other."""
    last = r.choice([3000, 10000, 40000, 60000])
    step = r.choice([1, 1, 3])
    if r.random() < 0.5:
        bits = last.bit_length()
        return [
            "MODULE main",
            f"VAR w : unsigned word[{bits}]; up : boolean;",
            f"ASSIGN init(w) := 0ud{bits}_0; next(w) := w + 0ud{bits}_{step};",
            "  next(up) := case w[0:0] = 0ub_1 : {TRUE, FALSE}; TRUE : up; esac;",
            f"INVARSPEC w != 0ud{bits}_{r.randint(1, last)};",
            f"LTLSPEC G F w = 0ud{bits}_0;",
        ]
    return [
        "MODULE main",
        f"VAR n : 0..{last}; b : boolean;",
        f"ASSIGN init(n) := 0; next(n) := case n + {step} <= {last} : n + {step}; TRUE : 0; esac;",
        "  next(b) := case n mod 2 = 0 : !b; TRUE : {TRUE, FALSE}; esac;",
        f"INVARSPEC n < {last - r.randint(0, 3)};",
        "LTLSPEC G (b -> F !b);",
        "CTLSPEC AG EF n = 0;",
    ]


def calculator(r):
    """Arrays that are added, element by element."""
    size, high = r.randint(2, 4), r.choice([3, 5, 7, 9])
    lines = ["MODULE main", "VAR"]
    lines += [f"  xs : array 0..{size - 1} of 0..{high};", f"  ys : array 0..{size - 1} of 0..{high};"]
    lines += [f"  result : array 0..{size - 1} of 0..{2 * high};", f"  pos : 0..{size};"]
    lines += ["ASSIGN", "  init(pos) := 0;", f"  next(pos) := case pos < {size} : pos + 1; TRUE : pos; esac;"]
    for k in range(size):
        lines += [f"  next(xs[{k}]) := xs[{k}];", f"  next(ys[{k}]) := ys[{k}];", f"  init(result[{k}]) := 0;"]
        lines += [f"  next(result[{k}]) := case pos = {k} : xs[{k}] + ys[{k}]; TRUE : result[{k}]; esac;"]
    done = " & ".join(f"result[{k}] = xs[{k}] + ys[{k}]" for k in range(size))
    lines.append(f"INVARSPEC pos = {size} -> ({done});")
    lines.append(f"LTLSPEC F ({done});")
    if r.random() < 0.5:
        lines.append(f"INVARSPEC result[0] < {2 * high};")
    return lines


def protocol(r):
    """Some processes that want the same thing."""
    count = r.randint(2, 5)
    lines = ["MODULE main", "VAR", f"  turn : 0..{count - 1};"]
    lines += [f"  p{k} : {{idle, wait, use}};" for k in range(count)]
    lines += ["ASSIGN", "  init(turn) := 0;"]
    lines += [f"  next(turn) := {{{', '.join(str(k) for k in range(count))}}};"]
    for k in range(count):
        free = " & ".join(f"p{j} != use" for j in range(count) if j != k)
        lines += [f"  init(p{k}) := idle;", f"  next(p{k}) := case", f"    turn != {k} : p{k};"]
        lines += [f"    p{k} = idle : {{idle, wait}};", f"    p{k} = wait & {free} : use;"]
        lines += [f"    p{k} = use : {{use, idle}};", f"    TRUE : p{k};", "  esac;"]
    lines += [f"JUSTICE turn = {k};" for k in range(count)]
    lines.append("INVARSPEC !(p0 = use & p1 = use);")
    lines.append("LTLSPEC G (p0 = wait -> F p0 = use);")
    lines.append("CTLSPEC AG (p1 = wait -> EF p1 = use);")
    return lines


def arithmetic(r):
    """Sums and comparisons of ranges, some of them free."""
    count, high = r.randint(3, 5), r.choice([7, 12, 20])
    names = [f"x{n}" for n in range(count)]
    lines = ["MODULE main", "VAR"] + [f"  {n} : 0..{high};" for n in names]
    for n in names[: count - 1]:
        other = r.choice([m for m in names if m != n])
        kind = r.randint(0, 3)
        if kind == 0:
            lines.append(f"TRANS {n} + {other} <= {high} -> next({n}) = {n} + {other};")
        elif kind == 1:
            lines.append(f"TRANS next({n}) + next({other}) = {r.randint(2, high)};")
        elif kind == 2:
            lines.append(f"TRANS {n} > {other} -> next({n}) = {n} - {other};")
        else:
            lines.append(f"TRANS next({n}) = {n} | next({n}) = {other};")
    lines += [f"INIT {n} = {r.randint(0, high)};" for n in names]
    lines.append(f"INVARSPEC {names[0]} + {names[1]} <= {2 * high - r.randint(0, 4)};")
    lines.append(f"LTLSPEC G F {names[0]} >= {names[1]};")
    return lines


def chosen(r):
    """Arrays from which an index chooses what is added, subtracted or compared."""
    size, high = r.choice([3, 4]), r.choice([5, 7, 9])
    lines = ["MODULE main", f"VAR xs : array 0..{size - 1} of 0..{high}; ys : array 0..{size - 1} of 0..{high};"]
    lines += [f"  k : 0..{size - 1}; op : {{add, sub, most}}; res : array 0..{size - 1} of {-high}..{2 * high};"]
    lines += [f"ASSIGN init(k) := 0; next(k) := (k + 1) mod {size}; next(op) := op;"]
    most = r.choice(["max(xs[k], ys[k])", "min(xs[k], ys[k])", "(xs[k] > ys[k] ? xs[k] : ys[k])"])
    for n in range(size):
        lines += [f"  next(xs[{n}]) := xs[{n}]; next(ys[{n}]) := ys[{n}]; init(res[{n}]) := 0;"]
        lines += [f"  next(res[{n}]) := case k = {n} & op = add : xs[k] + ys[k]; k = {n} & op = sub : xs[k] - ys[k];"]
        lines += [f"    k = {n} : {most}; TRUE : res[{n}]; esac;"]
    lines.append("LTLSPEC F G (op = add -> res[0] = xs[0] + ys[0]);")
    lines.append(f"INVARSPEC op = sub -> res[{size - 1}] <= xs[{size - 1}];")
    lines.append(f"CTLSPEC AG (op = most -> AF res[1] = {most.replace('[k]', '[1]')});")
    return lines


def bank(r):
    """Accounts between which inputs move money."""
    count, high, most = r.choice([3, 4, 5]), r.choice([10, 15, 20]), r.choice([1, 3, 5])
    names = [f"acc{n}" for n in range(count)]
    lines = ["MODULE main"] + [f"VAR {n} : 0..{high};" for n in names]
    lines.append(f"IVAR src : 0..{count - 1}; dst : 0..{count - 1}; amt : 1..{most};")
    begin = r.randint(1, max(1, high // count))
    lines += [f"INIT {n} = {begin};" for n in names]
    of = " ".join(f"src = {n} : {name};" for n, name in enumerate(names[:-1])) + f" TRUE : {names[-1]};"
    lines.append(f"DEFINE have := case {of} esac; room := case {of.replace('src', 'dst')} esac;")
    lines.append(f"  ok := src != dst & have >= amt & room + amt <= {high};")
    for n, name in enumerate(names):
        lines.append(f"TRANS next({name}) = case ok & src = {n} : {name} - amt; ok & dst = {n} : {name} + amt; TRUE : {name}; esac;")
    lines.append(f"INVARSPEC {' + '.join(names)} = {count * begin};")
    lines.append("CTLSPEC AG EF acc0 = 0;")
    lines.append(f"LTLSPEC G F {names[-1]} >= {begin};")
    return lines


def words(r):
    """Long words that only what is initial, and the properties, relate."""
    bits = r.choice([16, 32, 48, 64])
    names = r.sample(["x", "y", "z", "u"], 4)[: r.choice([3, 4])]
    a, b, c = names[:3]
    kind = r.choice(["FROZENVAR", "VAR"])
    lines = ["MODULE main", kind] + [f"  {n} : unsigned word[{bits}];" for n in names]
    lines += ["VAR k : 0..2;", "ASSIGN init(k) := 0; next(k) := (k + 1) mod 3;"]
    if kind == "VAR":
        lines += [f"  next({n}) := {n};" for n in names]
    if r.random() < 0.7:
        lines += [f"INIT {c} = {a} + {b};", f"INVARSPEC {c} - {b} = {a};"]
    lines.append(f"INVARSPEC {a} + {b} - {b} = {a};")
    lines.append(f"INVARSPEC ({a} & {b}) + ({a} | {b}) = {a} + {b};")
    lines.append(f"INVARSPEC !({a} > {b} & {b} > {c} & {c} > {a});")
    lines.append(f"LTLSPEC G (k = 2 -> {a} >= {b});")
    return lines


KINDS = [counters, deep, calculator, protocol, arithmetic, chosen, bank, words]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--folder", action="append", default=[])
    parser.add_argument("--show", action="store_true", help="print every model's row")
    options = parser.parse_args()
    binary = subprocess.run([ROOT / ".ci/nusmv"], capture_output=True, text=True).stdout.strip()
    work = Path(tempfile.mkdtemp(prefix="evenhand-smv-"))
    files = []
    for folder in options.folder:
        files += sorted(Path(folder).rglob("*.smv"))
    r = random.Random(options.seed)
    for number in range(options.random):
        kind = r.choice(KINDS)
        file = work / f"{kind.__name__}-{number}.smv"
        file.write_text("\n".join(kind(r)) + "\n")
        files.append(file)
    sums = {name: 0.0 for name in ENGINES + ["NuSMV"]}
    bad, refused, rows = [], [], 0
    for file in files:
        begun = time.monotonic()
        verdicts, auto = evenhand(file, "auto", options.limit)
        if verdicts is None and file.parent != work:
            # A public model may be one that is refused on purpose: that is told in words, and the call has ended.
            refused.append(file)
            continue
        rows += 1
        if not verdicts:
            bad.append(f"{file.name:40} no answer: {file}")
            print(bad[-1], flush=True)
            continue
        enough = max(1.0, time.monotonic() - begun)
        found = {"auto": (verdicts, auto)}
        found.update({engine: evenhand(file, engine, enough) for engine in ENGINES[1:]})
        found = {engine: (said or {}, seconds) for engine, (said, seconds) in found.items()}
        alone = [seconds for engine, (said, seconds) in found.items() if engine != "auto" and decided(said)]
        other, peer = nusmv(binary, file, 2 + enough) if binary else (None, 0.0)
        for engine in ENGINES:
            sums[engine] += found[engine][1]
        sums["NuSMV"] += peer
        own = [v for name, v in verdicts.items() if name != "total"]
        is_peer_done = other is not None and sum(other) == len(own)
        columns = [shown(decided(said), seconds) for said, seconds in (found[e] for e in ENGINES)]
        columns.append(shown(is_peer_done, peer))
        line = f"{file.name:40} " + " ".join(columns)
        why = []
        for engine in ENGINES[1:]:
            for name, verdict in found[engine][0].items():
                mine = verdicts.get(name)
                if "unknown" not in (verdict, mine) and mine is not None and mine != verdict:
                    why.append(f"{name}: auto says {mine}, {engine} {verdict}")
        mine = [own.count("holds"), own.count("violated")]
        # Where a run ends, or none is fair, NuSMV answers another question, and of compassion it says that it may be wrong.
        is_same = verdicts.get("total") != "violated" and "COMPASSION" not in file.read_text()
        if is_peer_done and is_same and sum(mine) == len(own) and other != mine:
            why.append(f"NuSMV has {other[0]} true and {other[1]} false, auto {mine[0]} and {mine[1]}")
        if alone and (auto > 2 * min(alone) + 0.2 or not decided(verdicts)):
            why.append(f"auto {auto:.2f}, better alone {min(alone):.2f}")
        is_quick = is_peer_done and len(own) > 0 and peer <= 1
        if is_quick and (auto > 3 or not decided(verdicts)):
            why.append(f"auto {auto:.2f}, NuSMV {peer:.2f}")
        if why:
            bad.append(line + "  " + "; ".join(why) + f"  {file}")
        if options.show or why:
            print(line, "; ".join(why), flush=True)
    print(f"{'':40} " + " ".join(f"{name:>8}" for name in sums))
    print(f"{rows} models; user CPU seconds: " + ", ".join(f"{k} {v:.1f}" for k, v in sums.items()))
    if refused:
        print(f"refused: {', '.join(file.name for file in refused)}")
    if bad:
        print(f"{len(bad)} models are outside of the bounds", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
