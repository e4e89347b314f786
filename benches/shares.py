#!/usr/bin/env python3
"""What the parts of a check cost, in instructions: executing, interning, marks, and the decision.

For each model one temporal question under fairness and one plain search of the same states, both with one thread and
counted by callgrind:

    total       all instructions of the check under fairness
    executing   the model is executed: Explorer::expand below Space::expand
    interning   successors are hashed and looked up: Space::announce and Space::intern
    marks       letters, what is enabled, what is taken: Space::mark
    expansion   Space::expand, which is these three and little else
    decision    the emptiness check without Space::expand: what it costs over a space that is ready
    by plain    total by the instructions of the plain search (deadlocks of the same model)

The goals: the decision needs at most an eighth of expansion on the philosophers, and strong fairness costs at most 1.3
times the plain search. With --before, another binary answers the same questions: what one thread costs now must be at most 1.02 of
what it cost there, fair and plain. Needs valgrind and a release build with line tables (the default).

Usage: benches/shares.py [--only NAME,...] [--certify] [--evenhand PATH] [--before PATH] [--check]
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = ROOT / "benches" / "models"

# A name, the model, how it is made, what is asked, and the fairness.
CASES = [
    ("philosophers, strong", "dining_asymmetric.pml", ["-DN=7"], "accessible", []),
    ("semaphore, strong", "semaphore_mutex.pml", ["-DN=12"], "entry", ["--fair", "strong"]),
    ("filter lock, weak", "filter_lock_fair.pml", ["-DN=4"], "entry", ["--fair", "weak"]),
]

ANNOTATE = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no"]


def profile(binary, model, arguments):
    """Instructions by function, with all that it calls; the whole under the empty name."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(binary), "check",
                   str(OWN / model), *arguments, "-q", "--threads", "1", "--reduce", "none"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
        told = subprocess.run([*ANNOTATE, str(out)], capture_output=True, text=True, check=True).stdout
    costs = {}
    for count, name in re.findall(r"^ *([\d,]+) \([ \d.]+%\)  (.*)$", told, re.M):
        count = int(count.replace(",", ""))
        # A function that was inlined in places has several lines; the whole of it is the largest.
        name = name.partition(" [")[0] if name != "PROGRAM TOTALS" else ""
        costs[name] = max(count, costs.get(name, 0))
    return costs


def find(costs, pattern):
    """The most that a function of such a name costs; lines named by a file tell what was inlined, and do not count."""
    found = [count for name, count in costs.items() if re.search(pattern, name)]
    return max(found, default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--certify", action="store_true", help="with proofs, which are made unless they are refused")
    parser.add_argument("--evenhand", type=pathlib.Path, default=ROOT / "target" / "release" / "evenhand")
    parser.add_argument("--before", type=pathlib.Path, help="a binary to compare with: instructions by its")
    parser.add_argument("--check", action="store_true",
                        help="exit 1 if a goal is missed on the philosophers, or anything costs more than 1.02 of before")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]
    cases = [case for case in CASES if not wanted or any(case[0].startswith(name) for name in wanted)]
    print(f"{'millions of instructions':24} {'plain':>7} {'total':>7} {'executing':>9} {'interning':>9} {'marks':>6}"
          f" {'expansion':>9} {'decision':>8} {'by expansion':>12} {'by plain':>8}")
    missed, most = False, 0
    for name, model, made, property, fair in cases:
        certify = [] if options.certify else ["--certify", "off"]
        questions = [[*made, "-p", property, *fair, *certify], [*made, "-p", "deadlock"]]
        costs = profile(options.evenhand, model, questions[0])
        plain = profile(options.evenhand, model, questions[1])[""]
        total = costs[""]
        if options.before:
            before = [profile(options.before, model, asked)[""] for asked in questions]
            now = [total / before[0], plain / before[1]]
            most = max(most, *now)
            print(f"{name}: {now[0]:.3f} of before under fairness, {now[1]:.3f} plain", flush=True)
        searched = find(costs, r"emptiness::streett::(OnTheFly as .*Engine.*::search|search\b)")
        expansion = find(costs, r"explicit/src/space\.rs:.*Space<S>::expand$")
        executing = find(costs, r"as evenhand_system::explicit::Explorer>::expand$")
        interning = find(costs, r"Space<S>::announce$") + find(costs, r"Space<S>::intern$")
        marks = find(costs, r"Space<S>::mark$")
        if not (searched and expansion and executing and interning and marks):
            sys.exit("the binary has no names of functions, or they have changed")
        decision = searched - expansion
        columns = [plain, total, executing, interning, marks, expansion, decision]
        one, two, *rest = [f"{count / 1e6:.1f}" for count in columns]
        print(f"{name:24} {one:>7} {two:>7} {rest[0]:>9} {rest[1]:>9} {rest[2]:>6} {rest[3]:>9} {rest[4]:>8}"
              f" {decision / expansion:12.3f} {total / plain:8.2f}", flush=True)
        if name == "philosophers, strong":
            missed = decision > expansion / 8 or total > 1.3 * plain
    sys.exit(int(options.check and (missed or most > 1.02)))


if __name__ == "__main__":
    main()
