#!/usr/bin/env python3
"""What proofs cost: the same check without a proof, with one against the graph that was kept, and in full.

Every property holds, so there is something to prove of the whole product. CPU seconds of whole calls, the median
of several rounds in which the ways take turns; `added` is by how much the way that is the default is slower than
`--certify off` (goal: at most 15 %). `memory` is what the default takes beyond that, per node of the product. The
last columns are about a certificate that is kept: bytes of the file per state, and what `evenhand certify` takes
to check it: CPU seconds, and bytes of memory per node beyond those of a call on a model of a few states (goal: at
most 16).

Usage: benches/proofs.py [--rounds N] [--only NAME,...] [--evenhand PATH]
"""

import argparse
import json
import os
import pathlib
import statistics
import tempfile

from states import OWN, release_binary

# Model, definitions, fairness, formula that holds on all such runs: each of more than 10^6 states.
ASKED = [
    ("dining_asymmetric", {"N": "9"}, None, "[] (phil[1]@first -> <> phil[1]@eating)"),
    ("semaphore_mutex", {"N": "16"}, "strong", "[] (process[0]@waiting -> <> process[0]@critical)"),
    ("filter_lock_fair", {"N": "5"}, "weak", "[] (process[0]@waiting -> <> process[0]@critical)"),
    ("readers_writers", {}, None, "[] (version == 1 -> (version != 0 W version == 2))"),
    ("elevator", {}, "weak", "[] <> (floor == 0 || open)"),
    ("cache_coherence", {}, None, "[] (line[0] == shared -> (line[1] != modified W line[0] == invalid))"),
    ("spawn", {}, "weak", "<> [] (running == 0)"),
    ("sliding_window", {}, None, "[] (sender:base < 5 && receiver:expected < 5)"),
]


def run(arguments):
    """Exit code, standard output, CPU seconds and peak memory in bytes of a call."""
    reader, writer = os.pipe()
    process = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_CLOSE, reader), (os.POSIX_SPAWN_CLOSE, writer),
    ])
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    _, status, usage = os.wait4(process, 0)
    return os.waitstatus_to_exitcode(status), text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(binary, asked, rounds, folder):
    name, defines, fair, formula = asked
    flags = [flag for key, value in defines.items() for flag in ("-D", f"{key}={value}")]
    fairness = ["--fair", fair] if fair else []
    call = [str(binary), "check", str(OWN / f"{name}.pml"), *flags, *fairness, "--ltl", formula, "--format", "json"]
    ways = {"off": [], "auto": [], "full": []}
    memory = {}
    for number in range(rounds):
        for way, times in ways.items():
            if way == "full" and number > 0:
                continue
            code, text, seconds, peak = run([*call, "--certify", way])
            answer = json.loads(text)["properties"][0]
            expected = {"off": None, "auto": "graph", "full": "full"}[way]
            if code != 0 or answer["checked"] != expected:
                raise SystemExit(f"{name} {way}: exit {code}, checked {answer['checked']}: {answer['verdict']}")
            times.append(seconds)
            memory[way] = peak
    file = pathlib.Path(folder) / "proof"
    code, _, _, _ = run([*call, "--certificate", str(file)])
    certify = [str(binary), "certify", str(file), str(OWN / f"{name}.pml"), *flags, "--format", "json"]
    code, text, seconds, peak = run(certify)
    proof = json.loads(text)["certificates"][0]
    if code != 0 or not proof["proved"]:
        raise SystemExit(f"{name}: {proof['reason']}")
    off, auto = (statistics.median(ways[way]) for way in ("off", "auto"))
    return {
        "states": answer["states"],
        "nodes": proof["product_states"],
        "off": off,
        "auto": auto,
        "full": ways["full"][0],
        "memory": (memory["auto"] - memory["off"]) / proof["product_states"],
        "file": file.stat().st_size / answer["states"],
        "certify": seconds,
        "peak": peak,
        "automaton": proof["automaton"],
    }


def floor(binary, folder):
    """The memory that `certify` takes where there are next to no states."""
    model, file = pathlib.Path(folder) / "small.pml", pathlib.Path(folder) / "small"
    model.write_text("active proctype p() { do :: true od }\n")
    run([str(binary), "check", str(model), "--ltl", "[] true", "--certificate", str(file), "-q"])
    return run([str(binary), "certify", str(file), str(model), "-q"])[3]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--evenhand", default=None)
    arguments = parser.parse_args()
    binary = pathlib.Path(arguments.evenhand) if arguments.evenhand else release_binary()
    only = [name for name in arguments.only.split(",") if name]
    print("| model | states | nodes | off | auto | added | memory | full | file | certify | memory of certify | automaton |")
    print("| --- " * 12 + "|")
    with tempfile.TemporaryDirectory() as folder:
        least = floor(binary, folder)
        for asked in ASKED:
            if only and asked[0] not in only:
                continue
            row = measure(binary, asked, arguments.rounds, folder)
            definitions = ", ".join(f"{key} = {value}" for key, value in asked[1].items())
            name = f"{asked[0]} ({definitions})" if definitions else asked[0]
            added = 100 * (row["auto"] / row["off"] - 1)
            print(
                f"| {name} | {row['states']:,} | {row['nodes']:,} | {row['off']:.2f} | {row['auto']:.2f} | {added:.0f} % "
                f"| {row['memory']:.1f} | {row['full']:.2f} | {row['file']:.2f} | {row['certify']:.2f} "
                f"| {(row['peak'] - least) / row['nodes']:.1f} | {row['automaton']} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
