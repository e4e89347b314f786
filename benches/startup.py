#!/usr/bin/env python3
"""What the command costs beside the check: start-up on a tiny model, and the progress line on a long run.

Start-up is the wall time of the whole call less the seconds that its report gives for the properties; the least of
many calls, since everything else on the machine only adds. The progress line is measured by the processor time
(user and system) of a long exploration with `--progress always` and `--progress never`, in turns; the least of each.

Usage: benches/startup.py [--evenhand PATH] [--rounds N]
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "models" / "promela" / "peterson.pml"
LONG = "byte a, b, c;\nactive proctype p() { do :: a = (a + 1) % 160 :: b = (b + 1) % 160 :: c = (c + 1) % 160 od }\n"


def cpu(command, text):
    """Processor seconds of a call."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evenhand", default=str(ROOT / "target" / "release" / "evenhand"))
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    evenhand = arguments.evenhand
    rest = []
    for _ in range(10 * arguments.rounds):
        begun = time.perf_counter()
        done = subprocess.run([evenhand, "check", "--format", "json", MODEL], capture_output=True, text=True)
        wall = time.perf_counter() - begun
        rest.append(wall - sum(p["seconds"] for p in json.loads(done.stdout)["properties"]))
    print(f"start-up: {1000 * min(rest):.1f} ms at least, {1000 * sorted(rest)[len(rest) // 2]:.1f} ms in the middle")
    command = [evenhand, "states", "--lang", "promela", "-", "--format", "json", "--progress"]
    times = {"always": [], "never": []}
    for _ in range(arguments.rounds):
        for when, list_ in times.items():
            list_.append(cpu([*command, when], LONG))
    shown, hidden = min(times["always"]), min(times["never"])
    print(f"progress: {shown:.3f} s of processor time with it, {hidden:.3f} s without: {100 * (shown / hidden - 1):+.1f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
