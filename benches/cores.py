#!/usr/bin/env python3
"""What a second core gives: one thread, two threads, and two processes at once, in one table.

For each model of a fixed list, all of 10^6 states or more and all with properties that hold, in turns:

    one      evenhand ... --threads 1
    two      evenhand ... --threads 2
    both     two of `one` at the same time: half of that is what the machine can do at best

`two/one` is wall time; `two/best` is wall time by half of `both`, measured in the same minute (goal: at most
1.15). `ahead` is the share of the states that were expanded when the decision came to them, as `-v` says
(goal: at least 90 %). `bytes` are those of the process for each state with one thread, `more` by how much they
grew with two (goal: at most 10 %). The smallest of several rounds counts, so that a disturbance of the machine
hits nobody alone; the last line says how many rows meet each goal.

Usage: benches/cores.py [--rounds N] [--only NAME,...] [--evenhand PATH]
"""

import argparse
import json
import math
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

from growth import of_size
from states import OWN, ROOT

FULL = ["--reduce", "none"]

# Fixed before measuring: a name, the model, what is defined otherwise, and what is asked.
CASES = [
    ("filter_lock", "filter_lock", None, ["states"]),
    ("sliding_window", "sliding_window", None, ["states"]),
    ("readers_writers", "readers_writers", None, ["check", "-p", "deadlock", *FULL]),
    ("spawn", "spawn", None, ["check", "-p", "assertions", *FULL]),
    ("elevator", "elevator", None, ["check", "-p", "deadlock", *FULL]),
    ("leader ring", "leader_ring", ("N", 9), ["check", "-p", "assertions", *FULL]),
    ("two phases", "two_phase_commit", ("N", 6), ["check", "-p", "assertions", *FULL]),
    ("pipeline", "pipeline", ("STAGES", 6), ["states"]),
    ("dining plain", "dining_asymmetric", ("N", 10), ["check", "-p", "deadlock", *FULL]),
    ("dining strong", "dining_asymmetric", ("N", 9), ["check", "-p", "accessible", *FULL]),
    ("dining 10 strong", "dining_asymmetric", ("N", 10), ["check", "-p", "accessible", *FULL]),
    ("TLA+ dining strong", "Philosophers.tla", ("N", 10), ["check", "-p", "NoStarvation"]),
    ("TLA+ ring", "Ring.tla", ("N", 8), ["check"]),
    ("semaphore strong", "semaphore_mutex", ("N", 16), ["check", "-p", "entry", "--fair", "strong", *FULL]),
]


def specification(name, constant, value, folder):
    """A specification of the repository, and a configuration in which a constant has another value."""
    spec = ROOT / "models" / "tla" / name
    lines = spec.with_suffix(".cfg").read_text()
    changed, number = re.subn(rf"\b{constant} = \d+", f"{constant} = {value}", lines)
    if number != 1:
        sys.exit(f"{name}: {constant} is not given once")
    config = pathlib.Path(folder) / f"{name}.cfg"
    config.write_text(changed)
    return spec, ["--config", str(config)]


def command(binary, case, threads):
    model, asked = case
    return [str(binary), asked[0], str(model), *asked[1:], "--threads", str(threads), "--format", "json"]


def run(commands):
    """Wall seconds until all commands that were started together have ended; processor seconds; outputs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    running = [subprocess.Popen(c, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for c in commands]
    outputs = [process.communicate() for process in running]
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    for process, (_, errors) in zip(running, outputs):
        if process.returncode != 0:
            sys.exit(f"{' '.join(process.args)}: exit {process.returncode}: {errors.strip()}")
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall, used, [json.loads(out) for out, _ in outputs]


def size(told):
    """States and bytes, as one call told them."""
    found = told["properties"][0] if "properties" in told else told
    return found["states"], found["peak_memory_bytes"]


def share(binary, case):
    """The share of the states that were expanded ahead, as `-v` says it."""
    line = command(binary, case, 2)[:-2] + ["-v", "--color", "never"]
    done = subprocess.run(line, capture_output=True, text=True)
    found = re.search(r"(\d+)% of them expanded ahead", done.stdout + done.stderr)
    return int(found.group(1)) / 100 if found else 0.0


def main():
    with tempfile.TemporaryDirectory() as folder:
        table(folder)


def table(folder):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--evenhand", type=pathlib.Path, default=ROOT / "target" / "release" / "evenhand")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]
    cases = [case for case in CASES if not wanted or case[0] in wanted]
    print(f"{'model':18} {'states':>9} {'one':>7} {'two':>7} {'both':>7} {'two/one':>8} {'two/best':>9}"
          f" {'cpu':>5} {'ahead':>6} {'bytes':>6} {'more':>5}")
    ratios, bests, shares, grown = [], [], [], []
    for name, model, resized, asked in cases:
        if model.endswith(".tla"):
            model, more = specification(model, *resized, folder)
            asked = [*asked, *more]
        else:
            model = of_size(model, *resized, folder) if resized else OWN / f"{model}.pml"
        case = (model, asked)
        one, two, both, cpu = [], [], [], []
        for _ in range(options.rounds):
            both.append(run([command(options.evenhand, case, 1)] * 2)[0])
            wall, used, [told] = run([command(options.evenhand, case, 1)])
            one.append((wall, used))
            wall, used, [more] = run([command(options.evenhand, case, 2)])
            two.append((wall, used))
        (states, bytes_one), (states_two, bytes_two) = size(told), size(more)
        if states != states_two:
            sys.exit(f"{name}: {states} states with one thread, {states_two} with two")
        t1, t2, ceiling = min(one)[0], min(two)[0], min(both) / 2
        cpu = min(u for _, u in two) / min(u for _, u in one)
        ratios.append(t2 / t1)
        bests.append(t2 / ceiling)
        shares.append(share(options.evenhand, case))
        grown.append(bytes_two / bytes_one - 1)
        print(f"{name:18} {states:9} {t1:7.2f} {t2:7.2f} {min(both):7.2f} {t2 / t1:8.2f} {t2 / ceiling:9.2f}"
              f" {cpu:5.2f} {shares[-1]:6.0%} {bytes_one / states:6.0f} {grown[-1]:5.0%}", flush=True)
    mean = lambda list: math.exp(sum(map(math.log, list)) / len(list))
    print(f"geometric mean: two/one {mean(ratios):.2f}, two/best {mean(bests):.2f}")
    print(f"of {len(bests)} rows: {sum(b <= 1.15 for b in bests)} at most 1.15 of the best,"
          f" {sum(s >= 0.9 for s in shares)} at least 90% ahead, {sum(g <= 0.1 for g in grown)} at most 10% more")


if __name__ == "__main__":
    main()
