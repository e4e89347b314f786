#!/usr/bin/env python3
"""Many threads under stress: more of them than cores, interrupts at random moments, small limits.

For some minutes, the example models and the models of the benches are checked with 1 to 16 threads. A call that came
to its end must tell what the same call with one thread told, times and memory apart. A call with a limit, or one that
was interrupted, must end soon, with the exit status for that, and must not contradict the verdict of the whole.

Usage: benches/stress.py [--minutes N] [--seed N] [--evenhand PATH]
"""

import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = [
    ("models/promela/leader_election.pml", []),
    ("models/promela/philosophers_asymmetric.pml", ["--fair", "strong"]),
    ("models/promela/readers_writers.pml", ["--fair", "weak"]),
    ("models/petri/philosophers.pnml", []),
    ("benches/models/dining_asymmetric.pml", ["-DN=6"]),
    ("benches/models/dining_asymmetric.pml", ["-DN=7", "--fair", "strong"]),
    ("benches/models/leader_ring.pml", ["-p", "deadlock"]),
    ("benches/models/pipeline.pml", []),
    ("benches/models/two_phase_commit.pml", ["-p", "assertions"]),
    ("benches/models/SlowStates.tla", ["-p", "InRange"]),
    ("benches/models/SlowStates.tla", ["-p", "Stays", "--counterexample", "none"]),
    ("benches/models/SlowStates.tla", ["-p", "Returns", "--counterexample", "none"]),
]
# So long may a call take that has nothing left to do.
PATIENCE = 60


def forget(value):
    """What is told, without what depends on the clock and the machine."""
    if isinstance(value, dict):
        return {k: forget(v) for k, v in value.items() if k not in ("seconds", "peak_memory_bytes")}
    return [forget(v) for v in value] if isinstance(value, list) else value


def verdicts(told):
    # Interrupted while the model is read it has no answers, and says so.
    return {p["name"]: p["verdict"] for p in told.get("properties", [])}


class Stress:
    def __init__(self, binary, seed):
        self.binary, self.random, self.known = str(binary), random.Random(seed), {}
        self.counts = {"whole": 0, "limited": 0, "interrupted": 0}

    def call(self, arguments, after=None):
        line = [self.binary, "check", *arguments, "--format", "json"]
        running = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        if after is not None:
            time.sleep(after)
            running.send_signal(signal.SIGINT)
        try:
            out, errors = running.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            running.kill()
            sys.exit(f"did not end: {' '.join(line)}")
        if running.returncode not in (0, 1, 3, 130):
            sys.exit(f"exit {running.returncode}: {' '.join(line)}\n{errors}")
        return running.returncode, json.loads(out) if out.strip() else None

    def whole(self, case, mode):
        """What one thread tells of everything."""
        key = (case[0], *case[1], *mode)
        if key not in self.known:
            self.known[key] = forget(self.call([case[0], *case[1], *mode, "--threads", "1"])[1])
        return self.known[key]

    def once(self):
        case = self.random.choice(MODELS)
        mode = self.random.choice([[], ["--compress"], ["--reduce", "none"], ["--reduce", "always"]])
        threads = ["--threads", str(self.random.choice([2, 3, 5, 8, 16]))]
        expected = self.whole(case, mode)
        kind = self.random.choice(["whole", "limited", "interrupted"])
        self.counts[kind] += 1
        if kind == "whole":
            _, told = self.call([case[0], *case[1], *mode, *threads])
            if forget(told) != expected:
                sys.exit(f"different: {case} {mode} {threads}\n{json.dumps(expected)}\n{json.dumps(forget(told))}")
            return
        if kind == "limited":
            limit = self.random.choice([
                ["--limit-states", str(self.random.randrange(1, 50_000))],
                ["--limit-memory", f"{self.random.randrange(1, 60)}M"],
                ["--limit-time", f"{self.random.randrange(5, 400)}ms"],
            ])
            _, told = self.call([case[0], *case[1], *mode, *threads, *limit])
        else:
            _, told = self.call([case[0], *case[1], *mode, *threads], self.random.random() * 0.5)
        for name, verdict in verdicts(told).items() if told else ():
            whole = verdicts(expected).get(name)
            if verdict not in ("unknown", whole):
                sys.exit(f"{name}: {verdict}, the whole says {whole}: {case} {mode} {threads} {kind}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--evenhand", type=pathlib.Path, default=ROOT / "target" / "release" / "evenhand")
    options = parser.parse_args()
    stress = Stress(options.evenhand, options.seed)
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        stress.once()
    print(f"{stress.counts} calls, seed {options.seed}: no difference, nothing that did not end")


if __name__ == "__main__":
    main()
