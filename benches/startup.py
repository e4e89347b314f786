#!/usr/bin/env python3
"""What the command costs beside the check: start-up on a tiny model, and the progress line on a long run.

Start-up is the wall time of the whole call less the seconds that its report gives for the properties; the least of
many calls, since everything else on the machine only adds. The progress line is measured by the instructions of an
exploration with `--progress always` and `--progress never`, counted by callgrind: its share of the time is far below
what times on a shared machine can show. Without valgrind that part is left out.

Usage: benches/startup.py [--evenhand PATH] [--rounds N]
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "models" / "promela" / "peterson.pml"
LONG = "byte a, b, c;\nactive proctype p() { do :: a = (a + 1) % 60 :: b = (b + 1) % 60 :: c = (c + 1) % 60 od }\n"


def instructions(command, text):
    """Instructions of a call."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*valgrind, *command], input=text, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


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
    if not shutil.which("valgrind"):
        print("progress: valgrind not found")
        return 0
    shown, hidden = (instructions([*command, when], LONG) for when in ("always", "never"))
    print(f"progress: {shown} instructions with it, {hidden} without: {100 * (shown / hidden - 1):+.2f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
