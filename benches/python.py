#!/usr/bin/env python3
"""What Python costs: many small checks by the package and by the command, in one run.

    python3 -m venv target/python && target/python/bin/pip install ./python
    EVENHAND_BIN=target/release/evenhand target/python/bin/python benches/python.py

The model has about a dozen states, so that almost nothing is left of a call but what surrounds the check: for the
command a process that starts, reads the model and prints; for the package a thread, and results that become objects.
`--check` is for tests: few calls, and the answers of both are compared.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import evenhand

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "models" / "promela" / "semaphore.pml"


def timed(count, call):
    """Milliseconds for a call, and the last answer."""
    begun = time.perf_counter()
    for _ in range(count):
        answer = call()
    return (time.perf_counter() - begun) * 1000 / count, answer


def size(path):
    return f"{path.stat().st_size / 1e6:.1f} MB" if path.exists() else "not there"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--check", action="store_true", help="only that both say the same")
    arguments = parser.parse_args()
    count = 3 if arguments.check else arguments.count
    command = os.environ.get("EVENHAND_BIN", str(ROOT / "target/release/evenhand"))
    call = [command, "check", "-p", "entry", "--no-fairness", "--fair", "strong", "--format", "json", str(MODEL)]

    def by_command():
        return json.loads(subprocess.run(call, capture_output=True, check=True).stdout)

    model = evenhand.load(MODEL)

    def check():
        return model.check("entry", no_fairness=True, fair="strong")

    def load_and_check():
        return evenhand.load(MODEL).check("entry", no_fairness=True, fair="strong")

    of_command, told = timed(count, by_command)
    loaded, _ = timed(count, load_and_check)
    checked, report = timed(count, check)
    alone = report[0].seconds * 1000
    same = told["properties"][0]
    assert (report[0].verdict, report[0].states) == (same["verdict"], same["states"]) and report.holds
    if arguments.check:
        print("the package and the command say the same")
        return
    print(f"{count} checks of {MODEL.name}, milliseconds for each:")
    print(f"  {of_command:8.3f}  the command, a process for each")
    print(f"  {loaded:8.3f}  the package, the model read each time")
    print(f"  {checked:8.3f}  the package, the model read once")
    print(f"  {alone:8.3f}  the check itself, as it says of its last turn")
    start = [sys.executable, "-c", "import evenhand"]
    nothing = [sys.executable, "-c", "pass"]
    started, _ = timed(10, lambda: subprocess.run(start, check=True))
    idle, _ = timed(10, lambda: subprocess.run(nothing, check=True))
    print(f"  {started - idle:8.1f}  import evenhand, once")
    print(f"size of the command {size(Path(command))}")
    for wheel in sorted((ROOT / "target/wheels").glob("evenhand-*.whl")):
        print(f"size of {wheel.name} {size(wheel)}")


if __name__ == "__main__":
    main()
