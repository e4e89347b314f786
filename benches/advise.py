#!/usr/bin/env python3
"""What advice costs: the time to the first minimal assignment, and to all of them, beside that of one check.

The check is `evenhand check` under the first minimal assignment (the property holds, everything is explored,
no counterexample is looked for). `ratio` is the time of the advice up to the first minimal assignment divided
by the time of that check: the goal is at most 10 on models of 10^5 or more states with at least 10 items.

Usage: benches/advise.py [--evenhand PATH]
"""

import argparse
import json
import pathlib
import subprocess

from states import OWN, release_binary

# Model, macros, property, granularity.
CASES = [
    ("semaphore_mutex", {"N": "13"}, "entry", "instance"),
    ("dining_asymmetric", {"N": "8"}, "accessible", "instance"),
    ("dining_asymmetric", {"N": "8"}, "accessible", "label"),
]


def call(binary, *arguments):
    done = subprocess.run([str(binary), *arguments, "--format", "json"], capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evenhand", type=pathlib.Path)
    arguments = parser.parse_args()
    binary = arguments.evenhand or release_binary()
    print(f"{'model':<28} {'by':<9} {'items':>5} {'states':>8} {'check s':>8} {'first s':>8} {'ratio':>6}"
          f" {'checks':>6} {'s/check':>8} {'ways':>5} {'complete':>8} {'all s':>7}")
    worst = 0.0
    for model, defines, name, by in CASES:
        flags = [flag for key, value in defines.items() for flag in ("-D", f"{key}={value}")]
        path = str(OWN / f"{model}.pml")
        answer = call(binary, "advise", path, *flags, "-p", name, "--by", by)
        items, advice = len(answer["items"]), answer["advice"][0]
        assert advice["outcome"] == "needs", advice["outcome"]
        fair = [flag for spec in advice["assignments"][0]["fairness"] for flag in ("--fair", spec)]
        check = call(binary, "check", path, *flags, "-p", name, "--no-fairness", *fair, "--counterexample", "none")
        check = check["properties"][0]
        assert check["verdict"] == "holds", check
        ratio = advice["first_seconds"] / check["seconds"]
        if items >= 10 and advice["states"] >= 100_000:
            worst = max(worst, ratio)
        shown = f"{model} N={defines['N']}"
        print(f"{shown:<28} {by:<9} {items:>5} {advice['states']:>8} {check['seconds']:>8.2f}"
              f" {advice['first_seconds']:>8.2f} {ratio:>6.1f} {advice['checks']:>6}"
              f" {advice['seconds_per_check']:>8.3f} {len(advice['assignments']):>5} {str(advice['complete']):>8}"
              f" {advice['seconds']:>7.2f}")
    print(f"\nlargest ratio with 10 or more items and 10^5 or more states: {worst:.1f} (goal: at most 10)")


if __name__ == "__main__":
    main()
