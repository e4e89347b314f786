#!/usr/bin/env python3
"""Replays recorded calls of the `evenhand` command and says what users would see differently.

A change of the inside of Evenhand must not change its answers. `calls.txt` lists calls of every command; for
each of them a file in `answers/` has what came out: the exit code, standard output, standard error, and files
that were written. This script makes the same calls again and compares byte for byte. Only what no two calls
have in common is left out first: times, rates, memory, and the version (the patterns are at TIMES below).

Very long outputs are kept as a SHA-256 with their first lines. Of calls on the public models beside the
repository nothing but exit codes, SHA-256 and verdicts is kept; without these models the calls are skipped.
To see what changed in such an output, keep the outputs of both programs and compare the folders:

    EVENHAND_BIN=old/evenhand recorded/replay.py --keep before
    recorded/replay.py --keep after; diff -r before after

An intended change goes into `differences.txt` with its reason. `--record` then writes the new answer beside
the old one, to `intended.txt`, and from there on the new one is expected; the old one stays as it is. A listed
call that does not differ is an error. `--record` also writes answers of calls that have none, and with `--all`
it writes every answer anew, which forgets what was there before.

All calls are made from the top of the repository. EVENHAND_BIN names the program (default:
target/release/evenhand). Usage: recorded/replay.py [--only SUBSTRING] [--keep DIR] [--record [--all]]
"""

import argparse
import collections
import concurrent.futures
import csv
import difflib
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
ANSWERS = HERE / "answers"
INTENDED = HERE / "intended.txt"
PUBLIC = "../shared/corpora"

# Calls at the same time.
WORKERS = 2
# A call that takes longer than this many seconds has failed.
PATIENCE = 120
# An output of more lines or characters than this is kept as a hash and its first lines.
MOST_LINES, MOST_CHARACTERS, FIRST_LINES = 900, 28_000, 40

# What differs from call to call: exactly these numbers, where exactly these words stand around them.
TIMES = [
    # A verdict: `holds  apart  (75 states, 0.00 s)`.
    (r"^((?:␛\[\d+m)*(?:holds|violated|unknown|computed|proved)(?:␛\[0m)? .*[(, ])\d+\.\d\d s\)", r"\1_ s)"),
    # `evenhand states`.
    (r"^\d+\.\d{3} s, \d+ states/s, [0-9.]+ bytes per state$", "_ s, _ states/s, _ bytes per state"),
    (r"^\d+\.\d{3} s, (\d+ nodes of decision diagrams at most)$", r"_ s, \1"),
    # `evenhand advise`.
    (
        r"( of the product, explored once in )\d+\.\d\d s; (\d+ checks?) of \d+\.\d{3} s each; \d+\.\d\d s in all$",
        r"\1_ s; \2 of _ s each; _ s in all",
    ),
    # Fields of JSON.
    (
        r'^( +"(?:seconds|explore_seconds|first_seconds|seconds_per_check|peak_memory_bytes|bytes_per_state)": )[0-9.e+-]+(,?)$',
        r'\1"_"\2',
    ),
    # The version: in JSON, of `--version`, in manual pages.
    (r'^(  "version": ")\d+\.\d+\.\d+(",?)$', r"\1_\2"),
    (r"^(evenhand )\d+\.\d+\.\d+$", r"\1_"),
    (r'^(\.TH .*"evenhand )\d+\.\d+\.\d+(")', r"\1_\2"),
    (r"^v\d+\.\d+\.\d+$", "v_"),
]
TIMES = [(re.compile(pattern, re.MULTILINE), to) for pattern, to in TIMES]

# The same in the data of a page that `--report` writes; the samples are points of a plot over time.
PAGE = [
    (r'("seconds":)[0-9.e+-]+', r"\1_"),
    (r'("memory":)[0-9]+', r"\1_"),
    (r'("samples":)\[(?:\[[0-9.e+,-]*\],?)*\]', r"\1_"),
    (r'(\{"version":")\d+\.\d+\.\d+', r"\1_"),
]
PAGE = [(re.compile(pattern), to) for pattern, to in PAGE]

Call = collections.namedtuple("Call", "name group line arguments stdin public")
Answer = collections.namedtuple("Answer", "exit stdout stderr files")


class Wrong(Exception):
    """The data of this folder does not fit together."""


def lines_of(path):
    """The lines of a list without comments and empty ones."""
    text = path.read_text(encoding="utf-8")
    lines = (line.strip() for line in text.split("\n"))
    return [line for line in lines if line and not line.startswith("#")]


def read_calls():
    """A line `[group]` begins a group; all others are a name and the call, `< FILE` is its standard input."""
    calls, group = {}, None
    for line in lines_of(HERE / "calls.txt"):
        if re.fullmatch(r"\[[a-z0-9-]+\]", line):
            group = line[1:-1]
            continue
        name, _, line = line.partition(" ")
        name, line = f"{group}/{name}", line.strip()
        arguments, stdin = shlex.split(line), None
        if len(arguments) > 1 and arguments[-2] == "<":
            arguments, stdin = arguments[:-2], arguments[-1]
        if name in calls:
            raise Wrong(f"two calls are named {name}")
        public = any(PUBLIC in a or "{ltl:" in a for a in [*arguments, stdin or ""])
        calls[name] = Call(name, group, line, arguments, stdin, public)
    return calls


def read_differences(calls):
    """A line is the name of a call and the reason, with a colon between them."""
    listed = {}
    for line in lines_of(HERE / "differences.txt"):
        name, _, reason = (part.strip() for part in line.partition(":"))
        if name not in calls:
            raise Wrong(f"differences.txt: there is no call {name}")
        if not reason:
            raise Wrong(f"differences.txt: {name} has no reason")
        listed[name] = reason
    return listed


def read_answers(path):
    """The answers of a file: each begins with `== NAME` and goes to the next."""
    if not path.exists():
        return {}
    parts = re.split(r"^== (.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def write_answers(path, answers):
    path.parent.mkdir(exist_ok=True)
    answers = {name: answer.strip("\n") for name, answer in answers.items()}
    text = "\n".join(f"== {name}\n{answer}\n" for name, answer in answers.items())
    path.write_text(text, encoding="utf-8")


@functools.cache
def formulas():
    """The formulas of the public list, by set and number."""
    with open(ROOT / PUBLIC / "ltl" / "sizes.csv", newline="", encoding="utf-8") as file:
        return {f"{row['set']}:{row['idx']}": row["formula"] for row in csv.DictReader(file)}


def missing(call):
    """The public file that a call needs and that is not there."""
    for word in [*call.arguments, call.stdin or ""]:
        if "{ltl:" in word:
            word = f"{PUBLIC}/ltl/sizes.csv"
        if word.startswith(PUBLIC) and not (ROOT / word).exists():
            return word
    return None


def decoded(data):
    """Text of bytes; what would act on a terminal is shown as a picture of it."""
    text = data.decode("utf-8", "backslashreplace")
    pictures = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}
    return text.translate(pictures)


def normal(data, patterns, folder):
    text = decoded(data).replace(folder, "{out}")
    for pattern, to in patterns:
        text = pattern.sub(to, text)
    return text


def make(call, program):
    """Makes a call; what came out, without times."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        arguments = [word.replace("{out}", out) for word in call.arguments]
        arguments = [re.sub(r"\{ltl:([^}]*)\}", lambda m: formulas()[m[1]], word) for word in arguments]
        environment = {"PATH": os.defpath, "HOME": folder, "TERM": "dumb", "LANG": "C.UTF-8", "COLUMNS": "100"}
        stdin = open(ROOT / call.stdin, "rb") if call.stdin else open(os.devnull, "rb")
        with stdin:
            try:
                done = subprocess.run(
                    ["evenhand", *arguments],
                    executable=program,
                    stdin=stdin,
                    capture_output=True,
                    cwd=ROOT,
                    env=environment,
                    timeout=PATIENCE,
                )
            except subprocess.TimeoutExpired:
                return Answer(f"none after {PATIENCE} s", "", "", {})
        files = {}
        for path in sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file()):
            patterns = PAGE if path.suffix == ".html" else TIMES
            name = str(path).replace(out, "{out}")
            files[name] = normal(path.read_bytes(), patterns, out)
        stdout, stderr = (normal(data, TIMES, out) for data in (done.stdout, done.stderr))
        return Answer(str(done.returncode), stdout, stderr, files)


def told(answer, call):
    """An answer as it stands in the recordings."""
    outputs = [("stdout", answer.stdout), ("stderr", answer.stderr)]
    outputs += [(f"file {name}", text) for name, text in answer.files.items()]
    text = f"$ evenhand {call.line}".strip() + f"\nexit: {answer.exit}\n"
    for what, output in outputs:
        if not output and not what.startswith("file"):
            continue
        lines = output.split("\n")
        end = "" if lines[-1] == "" else ", the last without its end"
        if lines[-1] == "":
            lines.pop()
        page = what.endswith(".html")
        if call.public or page or len(lines) > MOST_LINES or len(output) > MOST_CHARACTERS:
            digest = hashlib.sha256(output.encode("utf-8")).hexdigest()
            count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
            text += f"{what}: {count}{end}, SHA-256 {digest}\n"
            lines = [] if call.public or page else [*lines[:FIRST_LINES], "…"]
        else:
            text += f"{what}{end}:\n"
        text += "".join(f"| {line}\n" if line else "|\n" for line in lines)
    if call.public:
        text += "".join(f"{line}\n" for line in summary(answer.stdout))
    return text


def summary(stdout):
    """What may be told of an answer about somebody else's model: names, verdicts and numbers."""
    if stdout.startswith("{"):
        try:
            data = json.loads(stdout)
        except ValueError:
            return
        for found in data.get("properties", []):
            run = found.get("counterexample")
            length = f", length {run['length']}" if run else ""
            # The name of an automaton may be any text.
            name = found["name"] if re.fullmatch(r"\w+", found["name"]) else found["kind"]
            yield f"{found['verdict']} {name}{length}"
        for found in data.get("formulas", []):
            yield f"{found['class']}, satisfiable {found['satisfiable']}, valid {found['valid']}"
        numbers = [f"{word} {data[word]}" for word in ("states", "transitions", "deadlocks", "depth") if word in data]
        if numbers:
            yield ", ".join(numbers)
        for error in data.get("errors", []):
            yield f"error in line {error['line']}"
        return
    loop = r"\d+ steps?(?: that repeat)?(?:, then \d+ steps? that repeat)?"
    for line in stdout.split("\n"):
        verdict = re.match(r"(holds|violated|unknown|computed) +(\S+)", line)
        run = re.match(rf"(\S+): .*\brun: ({loop})$", line)
        if verdict:
            yield f"{verdict[1]} {verdict[2]}"
        elif run:
            yield f"run of {run[1]}: {run[2]}"
        elif re.fullmatch(r"(\d+ (states?|transitions?|deadlocks?), ){3}depth \d+", line):
            yield line
        elif re.fullmatch(r"empty|not empty: an accepting run|States: \d+| +(satisfiable|valid|class): +\w+", line):
            yield line.strip()


def keep(answer, call, folder):
    """Writes what came out, without times, to files."""
    base = pathlib.Path(folder) / call.name
    base.parent.mkdir(parents=True, exist_ok=True)
    outputs = {"exit": f"{answer.exit}\n", "stdout": answer.stdout, "stderr": answer.stderr}
    for name, text in answer.files.items():
        outputs[name.replace("{out}", "out").replace("/", "_")] = text
    for what, text in outputs.items():
        pathlib.Path(f"{base}.{what}").write_text(text, encoding="utf-8")


def record(calls, listed, results, again):
    """Writes answers: of calls that have none, of intended differences, or of all."""
    written = 0
    intended = {n: a for n, a in read_answers(INTENDED).items() if n in listed}
    for group in dict.fromkeys(call.group for call in calls.values()):
        path = ANSWERS / f"{group}.txt"
        old, new = read_answers(path), {}
        for call in (c for c in calls.values() if c.group == group):
            fresh = results.get(call.name)
            if call.name in listed and call.name in old:
                new[call.name] = old[call.name]
                if fresh:
                    intended[call.name] = fresh
                    written += 1
            elif fresh and (again or call.name not in old):
                new[call.name] = fresh
                written += 1
            elif call.name in old:
                new[call.name] = old[call.name]
        write_answers(path, new)
    if intended:
        write_answers(INTENDED, intended)
    elif INTENDED.exists():
        INTENDED.unlink()
    print(f"{written} recorded")


def compare(call, found, old, intended, listed):
    """The differences between what was expected and what was found, as lines; none if there are none."""
    wanted = old.get(call.name)
    if wanted is None:
        return [f"{call.name} has no answer: record it"]
    wanted, found = wanted.strip("\n"), found.strip("\n")
    if call.name in listed:
        if wanted == found:
            return [f"{call.name} is listed in differences.txt and does not differ"]
        if call.name not in intended:
            return [f"{call.name} is listed in differences.txt and has no new answer: record it"]
        wanted = intended[call.name].strip("\n")
    lines = difflib.unified_diff(
        wanted.split("\n"), found.split("\n"), f"recorded {call.name}", f"now {call.name}", lineterm=""
    )
    return list(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="SUBSTRING", default="", help="only calls with this in name or arguments")
    parser.add_argument("--keep", metavar="DIR", help="write what came out to this folder")
    parser.add_argument("--record", action="store_true", help="write missing answers and intended differences")
    parser.add_argument("--all", action="store_true", help="with --record: write every answer anew")
    options = parser.parse_args()
    program = str(ROOT / os.environ.get("EVENHAND_BIN", "target/release/evenhand"))
    if not os.access(program, os.X_OK):
        sys.exit(f"there is no program {program}: build it, or name it with EVENHAND_BIN")
    try:
        calls = read_calls()
        listed = read_differences(calls)
    except Wrong as error:
        sys.exit(str(error))
    chosen = [c for c in calls.values() if options.only in f"{c.name} {c.line}"]
    skipped = [(c, missing(c)) for c in chosen if missing(c)]
    if skipped and not (ROOT / PUBLIC).exists():
        print(f"the calls on public models are skipped: there is no {PUBLIC}")
    else:
        for path in sorted({path for _, path in skipped}):
            print(f"skipped, since there is no {path}")
    chosen = [c for c in chosen if not missing(c)]

    old = {}
    for path in sorted(ANSWERS.glob("*.txt")):
        old.update(read_answers(path))
    intended = read_answers(INTENDED)
    started = time.monotonic()
    results, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for call, answer in zip(chosen, pool.map(lambda c: make(c, program), chosen)):
            results[call.name] = told(answer, call)
            if options.keep:
                keep(answer, call, options.keep)
            if options.record:
                continue
            difference = compare(call, results[call.name], old, intended, listed)
            if difference:
                failed += 1
                print("\n".join(difference) + "\n")
    if options.record:
        record(calls, listed, results, options.all)
        return 0
    strangers = [f"{name} has an answer and is no call" for name in old if name not in calls]
    strangers += [f"{name} is in intended.txt and not in differences.txt" for name in intended if name not in listed]
    for line in strangers:
        print(line)
    failed += len(strangers)
    print(f"{time.monotonic() - started:.1f} s")
    rest = f", {len(skipped)} skipped" if skipped else ""
    print(f"{len(chosen) - failed + len(strangers)} passed, {failed} failed{rest}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
