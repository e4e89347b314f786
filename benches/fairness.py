#!/usr/bin/env python3
"""What fairness costs: tables of models that grow, under strong and weak fairness.

1. Asymmetric dining philosophers; of each, strong fairness at its two acquires and weak fairness of the
   process: two pairs and one mark per philosopher. The property holds, so everything is explored. `ratio` is
   the time per product transition divided by the time per transition of `evenhand states` in the same run
   (goal: at most 3). For comparison, TLC's figures for the same protocol and as many conditions: 10 CPU s for
   N = 5, 185 for N = 6, not finished for N = 7.
2. The semaphore mutex under strong fairness of all processes, and Peterson's filter lock under weak fairness,
   with the monitor method (`--engine ndfs`) beside it: the curves of Malinen and Luukkainen's figure. The
   monitor method is not tried any more after it took longer than the limit.
3. A violation that is not deep in a space of more than 10^7 states: how much of it was visited before the
   verdict (goal: under 1 %), and how long the whole call took with the search for the shortest run.

Usage: benches/fairness.py [--most N] [--limit SECONDS] [--evenhand PATH]
"""

import argparse
import json
import pathlib
import subprocess
import time

from states import OWN, release_binary


def check(binary, model, defines, *options, limit=None):
    """The first property of the answer; none if it took too long."""
    flags = [flag for name, value in defines.items() for flag in ("-D", f"{name}={value}")]
    call = [str(binary), "check", str(OWN / f"{model}.pml"), *flags, *options, "--format", "json"]
    begin = time.monotonic()
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    answer = json.loads(done.stdout)["properties"][0]
    answer["wall"] = time.monotonic() - begin
    return answer


def states(binary, model, defines):
    flags = [flag for name, value in defines.items() for flag in ("-D", f"{name}={value}")]
    call = [str(binary), "states", str(OWN / f"{model}.pml"), *flags, "--format", "json"]
    return json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)


def philosophers(binary, most):
    print("asymmetric dining philosophers: strong fairness at both acquires, weak fairness of processes\n")
    print(f"{'N':>3} {'pairs':>6} {'states':>10} {'product':>10} {'transitions':>12} {'seconds':>8} {'ns/tr.':>7}"
          f" {'states: ns/tr.':>15} {'ratio':>6} {'refinements':>12} {'revisited':>10} {'bytes/product state':>20}")
    for n in range(3, most + 1):
        defines = {"N": str(n)}
        plain = states(binary, "dining_asymmetric", defines)
        answer = check(binary, "dining_asymmetric", defines, "-p", "accessible", "--counterexample", "none")
        assert answer["verdict"] == "holds", answer
        ours = 1e9 * answer["seconds"] / answer["product_transitions"]
        theirs = 1e9 * plain["seconds"] / plain["transitions"]
        details = answer["details"]
        print(f"{n:>3} {2 * n:>6} {answer['states']:>10} {answer['product_states']:>10}"
              f" {answer['product_transitions']:>12} {answer['seconds']:>8.2f} {ours:>7.0f} {theirs:>15.0f}"
              f" {ours / theirs:>6.2f} {details.get('refinements', 0):>12}"
              f" {details.get('revisited product states', 0):>10}"
              f" {answer['peak_memory_bytes'] / answer['product_states']:>20.0f}", flush=True)


def beside_monitors(binary, title, model, fairness, numbers, limit):
    print(f"\n{title}\n")
    print(f"{'N':>3} {'states':>9} {'product':>9} {'streett, s':>11} {'monitors, s':>12} {'their product':>14}")
    patient = True
    for n in numbers:
        options = ["-p", "entry", "--no-fairness", "--fair", fairness, "--counterexample", "none"]
        answer = check(binary, model, {"N": str(n)}, *options)
        assert answer["verdict"] == "holds", answer
        other = None
        if patient:
            other = check(binary, model, {"N": str(n)}, *options, "--engine", "ndfs", limit=limit)
            patient = other is not None
        times = f"{other['seconds']:>12.2f} {other['product_states']:>14}" if other else f"{'-':>12} {'-':>14}"
        print(f"{n:>3} {answer['states']:>9} {answer['product_states']:>9} {answer['seconds']:>11.2f} {times}", flush=True)


def shallow(binary):
    print("\na violation near the start of a large space\n")
    model, defines = "dining_asymmetric", {"N": "11"}
    options = ["-p", "accessible", "--no-fairness", "--fair", "weak"]
    whole = states(binary, model, defines)
    first = check(binary, model, defines, *options, "--counterexample", "first")
    best = check(binary, model, defines, *options)
    assert first["verdict"] == best["verdict"] == "violated"
    share = 100 * first["states"] / whole["states"]
    print(f"{whole['states']} states in all; visited before the verdict: {first['states']} ({share:.3f} %)")
    for name, answer in [("first", first), ("shortest", best)]:
        run = answer["counterexample"]
        print(f"{name:>9}: verdict after {answer['seconds']:.3f} s, call {answer['wall']:.2f} s, length {run['length']},"
              f" lower bound {run['lower_bound']}, shortest: {run['shortest']}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--most", type=int, default=10, help="philosophers at most (default 10)")
    arguments.add_argument("--limit", type=float, default=60, help="seconds for the monitor method (default 60)")
    arguments.add_argument("--evenhand", type=pathlib.Path, help="a binary to measure instead of building one")
    options = arguments.parse_args()
    binary = (options.evenhand or release_binary()).resolve()
    philosophers(binary, options.most)
    beside_monitors(binary, "semaphore mutex, strong fairness of all processes", "semaphore_mutex", "strong",
                    [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16], options.limit)
    beside_monitors(binary, "Peterson's filter lock, weak fairness of all processes", "filter_lock_fair", "weak",
                    [2, 3, 4, 5], options.limit)
    shallow(binary)


if __name__ == "__main__":
    main()
