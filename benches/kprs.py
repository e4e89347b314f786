#!/usr/bin/env python3
"""The ten tables of Kesten, Pnueli, Raviv and Shahar (2001), section 9, on DINE, TERM-DET and CYCLE.

DINE and TERM-DET come from gen.py of the corpus beside the repository (../shared/corpora/kprs), CYCLE is written
here after the paper's text. Each cell is the CPU time in seconds of one whole run, user and system; NuSMV, the
better of its default and `-dynamic`, stands beside each row where the environment says where it is
(EVENHAND_NUSMV). Under each table stands the order of the columns in the paper and the one found here, by the
largest row that all columns finished. Tables 7 and 8 compare restricting the relation with intersecting the sets,
since the variant that the paper prints is unsound.

    cargo build --release -p evenhand-symbolic --example check_smv
    benches/kprs.py [--seconds 120] [--nusmv-seconds 120] [TABLE...]

Tables are numbers from 1 to 10, `nusmv` for the comparison on larger models alone, or `far` for how far it goes
within --seconds and 4 GiB, and what improving the order of the variables adds; all but `far` unless some are named.
"""

import argparse
import math
import os
import pathlib
import resource
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECK = ROOT / "target/release/examples/check_smv"
GENERATOR = ROOT.parent / "shared/corpora/kprs/gen.py"

DIRECTIONS = [("forward", "comp", ["forward"]), ("backward", "comp", ["backward"]), ("both", "comp", ["bidirectional"])]
# The paper compares these in its backward algorithm.
DEAD_ENDS = [("exhaustive", "comp", ["backward"]), ("one step", "comp", ["backward", "one-step"])]
RESTRICTION = [("sets", "comp", ["backward"]), ("relation", "comp", ["backward", "relation"])]
JUSTICE = [("each location", "many", []), ("one", "one", [])]
# Number: title, model, sizes, columns (name, variant of the model, options), order in the paper, fastest first.
TABLES = {
    "1": ("compassion as antecedent", "dine", [3, 4, 5], [("native", "comp", []), ("one", "ante1", []), ("two", "ante2", [])], "native < one < two"),
    "2": ("compassion as justice", "dine", [3, 4, 5, 6], [("native", "comp", []), ("one", "just1", []), ("two", "just2", [])], "native < one < two"),
    "3": ("directions, TERM-DET", "termdet", [2, 3, 4, 5], DIRECTIONS, "both < forward < backward"),
    "4": ("directions, DINE", "dine", [4, 5, 6, 8], DIRECTIONS, "forward < both < backward"),
    "5": ("dead ends, TERM-DET", "termdet", [3, 4], DEAD_ENDS, "exhaustive < one step"),
    "6": ("dead ends, DINE", "dine", [4, 5, 6], DEAD_ENDS, "exhaustive < one step"),
    "7": ("restriction, TERM-DET", "termdet", [2, 3, 4], RESTRICTION, "relation < less restriction"),
    "8": ("restriction, DINE", "dine", [4, 5, 6, 7], RESTRICTION, "less restriction < relation"),
    "9": ("justice, six locations", "cycle6", [10, 14, 18, 22, 26, 30], JUSTICE, "one < each location"),
    "10": ("justice, ten locations", "cycle10", [6, 8, 10, 12, 14, 16], JUSTICE, "one < each location"),
    "nusmv": ("larger models", None, [], [("here", "comp", [])], ""),
}
# Why the order may differ from the paper's.
REASONS = {
    "3": "a forward search ends with one backward pass inside of what it left, which here is little; searching both ways does "
    "that work earlier, on larger sets",
    "7": "the paper's other column lets the search leave what is left, which is unsound; here both columns stay inside, and "
    "restricted steps are larger diagrams",
}
FAR = {"dine": range(12, 61, 4), "termdet": range(6, 11)}
LARGE = [("dine", n) for n in (8, 9, 10, 11, 12)] + [("termdet", n) for n in (4, 5, 6)]


def cycle(places):
    """CYCLE with so many program locations, as a function of the number of processes and the variant."""

    def write(processes, variant):
        lines = ["MODULE main", "VAR", f"  sel : 0..{processes};"]
        lines += [f"  at{i} : 1..{places};" for i in range(processes)]
        lines.append("ASSIGN")
        for i in range(processes):
            lines.append(f"  init(at{i}) := 1;")
            lines.append(f"  next(at{i}) := case sel = {i} & at{i} < {places} : at{i} + 1; sel = {i} : 1; TRUE : at{i}; esac;")
        for i in range(processes):
            if variant == "many":
                lines += [f"JUSTICE at{i} != {place};" for place in range(2, places + 1)]
            else:
                lines.append(f"JUSTICE at{i} = 1;")
        lines.append(f"LTLSPEC G (at0 = 2 -> F at0 = {places});")
        return "\n".join(lines) + "\n"

    return write


def models():
    """The functions that write the models; the part of the generator that writes files is left out."""
    text = GENERATOR.read_text()
    names = {}
    exec(text[: text.index("\nV=[")], names)  # our own corpus
    return {"dine": names["dine"], "termdet": names["term"], "cycle6": cycle(6), "cycle10": cycle(10)}


def measure(command, seconds):
    """CPU seconds, resident MiB and output of a run; None if it takes too long."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.dup2(write, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.execv(command[0], command)
    os.close(write)
    output = os.fdopen(read).read()
    _, status, used = os.wait4(child, 0)
    if status != 0:
        return None
    return used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, output


def verdict(output):
    if "ltl_0 true" in output or "is true" in output:
        return "holds"
    return "violated" if "ltl_0 false" in output or "is false" in output else "?"


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.write = models()
        self.nusmv = os.environ.get("EVENHAND_NUSMV")
        self.peers = {}
        self.ratios = []

    def file(self, name, n, variant):
        path = self.folder / f"{name}_{variant}_{n}.smv"
        path.write_text(self.write[name](n, variant))
        return str(path)

    def peer(self, name, n, variant):
        """The better of NuSMV's default and -dynamic: seconds and verdict; None if neither ends."""
        key = (name, n, variant)
        if key not in self.peers:
            path = self.file(name, n, variant)
            best = None
            for more in ([], ["-dynamic"]):
                limit = self.options.nusmv_seconds if best is None else max(1, min(self.options.nusmv_seconds, math.ceil(best[0])))
                found = measure([self.nusmv, "-dcx", *more, path], limit)
                if found and (best is None or found[0] < best[0]):
                    best = (found[0], verdict(found[2]))
            self.peers[key] = best
        return self.peers[key]

    def row(self, name, n, columns):
        """The cells of a row; seconds of each column."""
        cells, times, verdicts = [], [], set()
        for _, variant, arguments in columns:
            found = measure([str(CHECK), self.file(name, n, variant), *arguments], self.options.seconds)
            times.append(found and found[0])
            cells.append(f"{found[0]:8.2f} s {found[1]:5} MiB" if found else f"over {self.options.seconds} s".rjust(20))
            if found:
                verdicts.add(verdict(found[2]))
        if self.nusmv:
            theirs = self.peer(name, n, columns[0][1])
            cells.append(f"{theirs[0]:8.2f} s" if theirs else f"over {self.options.nusmv_seconds} s".rjust(10))
            if theirs:
                verdicts.add(theirs[1])
                if theirs[0] >= 0.5 and times[0] and columns[0][1] == "comp" and not columns[0][2]:
                    self.ratios.append((name, n, times[0] / theirs[0]))
        agreed = verdicts.pop() if len(verdicts) == 1 else f"DIFFERENT {sorted(verdicts)}" if verdicts else "-"
        print(f"  {name:<8}{n:>3}  {agreed:<9}" + " |".join(cells), flush=True)
        return times

    def table(self, number):
        title, name, sizes, columns, paper = TABLES[number]
        heads = [c[0].rjust(20) for c in columns] + (["NuSMV".rjust(10)] if self.nusmv else [])
        print(f"\ntable {number}: {title}\n" + " " * 22 + " |".join(heads), flush=True)
        rows = [(name, n) for n in sizes] if name else LARGE
        last = None
        for name, n in rows:
            times = self.row(name, n, columns)
            if all(times):
                last = times
        if paper and last:
            order = sorted(zip(last, [c[0] for c in columns]))
            print(f"  the paper: {paper};  here: " + " < ".join(f"{c} ({t:.2f})" for t, c in order), flush=True)
            if number in REASONS and paper.split()[0] != order[0][1]:
                print(f"  {REASONS[number]}", flush=True)


    def far(self):
        """Larger and larger models, until one takes too long; NuSMV stops at its first."""
        print(f"\nhow far: at most {self.options.seconds} s and 4 GiB")
        print(" " * 22 + "with sifting".rjust(20) + " |" + "without".rjust(20) + (" |" + "NuSMV".rjust(10) if self.nusmv else ""))
        peer = self.nusmv
        for name, sizes in FAR.items():
            self.nusmv = peer
            for n in sizes:
                columns = [("", "comp", ["memory=4294967296"]), ("", "comp", ["memory=4294967296", "no-sift"])]
                times = self.row(name, n, columns)
                if self.nusmv and not self.peer(name, n, "comp"):
                    self.nusmv = None
                if not any(times):
                    break
        self.nusmv = peer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--nusmv-seconds", type=int, default=120)
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    options = parser.parse_args()
    if not CHECK.exists() or not GENERATOR.exists():
        sys.exit(f"needs {CHECK} and {GENERATOR}")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for number in options.tables or TABLES:
            bench.far() if number == "far" else bench.table(number)
        rows = {(name, n): ratio for name, n, ratio in bench.ratios}
        if rows:
            mean = math.exp(sum(map(math.log, rows.values())) / len(rows))
            worst = max(rows, key=rows.get)
            print(
                f"\nrows where NuSMV needs at least 0.5 s: {len(rows)}; here by NuSMV: geometric mean {mean:.2f}, "
                f"at most {rows[worst]:.2f} ({worst[0]} {worst[1]})"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
