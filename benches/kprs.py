#!/usr/bin/env python3
"""The comparisons of Kesten, Pnueli, Raviv and Shahar (2001), section 9, on DINE and TERM-DET.

The models come from gen.py of the corpus beside the repository (../shared/corpora/kprs). Each cell is the
CPU time in seconds of one whole run, user and system, with the largest resident set in MiB. NuSMV stands
beside where the environment says where it is (EVENHAND_NUSMV).

    cargo build --release -p evenhand-symbolic --example check_smv
    benches/kprs.py [--dine 8,9,10] [--term 3,4,5] [--seconds 120] [TABLE...]

Tables: nusmv, compassion, direction, dead-ends, restriction; all of them unless some are named.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECK = ROOT / "target/release/examples/check_smv"
GENERATOR = ROOT.parent / "shared/corpora/kprs/gen.py"

# Each column: the variant of the model, and the options of the engine; "nusmv" runs NuSMV with them.
TABLES = {
    "nusmv": [("comp", []), ("comp", ["nusmv"]), ("comp", ["nusmv", "-dynamic"])],
    "compassion": [("comp", []), ("comp", ["justice"]), ("comp", ["antecedent"])],
    "direction": [("comp", ["forward"]), ("comp", ["backward"]), ("comp", ["bidirectional"])],
    "dead-ends": [("comp", []), ("comp", ["one-step"])],
    "restriction": [("comp", []), ("comp", ["relation"])],
}


def models():
    """The functions that write the models; the part of the generator that writes files is left out."""
    text = GENERATOR.read_text()
    names = {}
    exec(text[: text.index("\nV=[")], names)  # our own corpus
    return {"dine": names["dine"], "termdet": names["term"]}


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


def main():
    parser = argparse.ArgumentParser()
    sizes = lambda text: [int(n) for n in text.split(",") if n]
    parser.add_argument("--dine", type=sizes, default=[6, 8, 10])
    parser.add_argument("--term", type=sizes, default=[3, 4])
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    options = parser.parse_args()
    if not CHECK.exists() or not GENERATOR.exists():
        sys.exit(f"needs {CHECK} and {GENERATOR}")
    nusmv = os.environ.get("EVENHAND_NUSMV")
    write = models()
    with tempfile.TemporaryDirectory() as folder:
        for table in options.tables or TABLES:
            columns = TABLES[table]
            if not nusmv:
                columns = [c for c in columns if "nusmv" not in c[1]]
            print(f"\n{table}: " + " | ".join(" ".join(o) or "default" for _, o in columns))
            rows = [("dine", n) for n in options.dine] + [("termdet", n) for n in options.term]
            for name, n in rows:
                cells = []
                verdicts = set()
                for variant, arguments in columns:
                    file = pathlib.Path(folder) / f"{name}_{variant}_{n}.smv"
                    file.write_text(write[name](n, variant))
                    if arguments[:1] == ["nusmv"]:
                        command = [nusmv, "-dcx", *arguments[1:], str(file)]
                    else:
                        command = [str(CHECK), str(file), *arguments]
                    found = measure(command, options.seconds)
                    if found is None:
                        cells.append(f"over {options.seconds} s")
                        continue
                    cells.append(f"{found[0]:.2f} s {found[1]} MiB")
                    verdicts.add(verdict(found[2]))
                agreed = verdicts.pop() if len(verdicts) == 1 else f"DIFFERENT {sorted(verdicts)}"
                print(f"  {name} {n} ({agreed}): " + " | ".join(cells), flush=True)


if __name__ == "__main__":
    main()
