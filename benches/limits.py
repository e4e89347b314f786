#!/usr/bin/env python3
"""Limits in every phase of the work: a table of phase x limit.

For each phase there is a call that is stuck in it: without a limit it would run for a long time, or use a lot
of memory. Each call is made four times: with a limit on time, with a limit on memory (and 8 s for those that need
little), with Ctrl-C (SIGINT) and with SIGTERM after a while. It must end in time and say why: exit code 3 after a
limit (or 1, where a violation was known before), 130 after a signal; never by an abort, and never with another
verdict.

The table shows by how much each call went beyond its limit: seconds of wall clock for time and signals,
megabytes (most resident memory) for memory. Goals: 20 % + 0.5 s and 20 % + 50 MB. `--ci` counts CPU seconds
instead, which other programs on the machine do not change, with a slack of three, and ends with an exit code.

Usage: benches/limits.py [--ci] [--only SUBSTRING] [--scale FACTOR] [--evenhand PATH]
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Seconds, megabytes, and the seconds before a signal.
TIME, MEMORY, PATIENCE = 0.6, 80, 0.5
# A call that runs longer than this is ended, and has failed.
MOST = 30

VAST = "byte a, b, c, d; active proctype p() { do :: a++ :: b++ :: c++ :: d++ od }\n"

PRODUCTS = """byte a = 1, b = 2, c = 3, d = 5;
active proctype p() { do :: a = a * b + c :: b = b * c + d :: c = c * d + a :: d = d * a + b od }
"""


def lines(count):
    """Many statements."""
    return "int x;\nactive proctype p() {\n" + "x = (x * 3 + 1) % 7; if :: x > 2 -> x-- :: else fi;\n" * count + "}\n"


def macros(count):
    """Many macros, and nothing else."""
    return "".join(f"#define name{i} value{i + 1}\n#ifdef name{i // 2}\n#endif\n" for i in range(count))


def escapes(count, depth=50):
    """Statements inside of many `unless`: each has all the ways out."""
    return "int x;\nactive proctype p() {\n" + "{ " * depth + "x++; " * count + "".join(
        f"}} unless {{ x == {i} }}\n" for i in range(depth)) + "}\n"


def modules(depth):
    """Modules that double themselves."""
    text = "MODULE m0\nVAR b : boolean;\n"
    for i in range(1, depth + 1):
        text += f"MODULE m{i}\nVAR l : m{i - 1}; r : m{i - 1};\n"
    return text + f"MODULE main\nVAR t : m{depth};\nINVARSPEC t{'.l' * depth}.b\n"


def booleans(count, more="LTLSPEC G F x0\n"):
    """Free variables."""
    return "MODULE main\nVAR\n" + "".join(f"  x{i} : boolean;\n" for i in range(count)) + more


def untils(count):
    """A formula whose automata are exponential: a run that breaks it has to satisfy all parts."""
    parts = " & ".join(f"G (a{i} -> (b{i} U (c{i} & X (d{i} U e{i}))))" for i in range(count))
    return f"! ({parts})"


def product(bits):
    """A relation whose diagram is exponential, in one multiplication."""
    return f"""MODULE main
VAR x : unsigned word[{bits}]; y : unsigned word[{bits}]; z : unsigned word[{bits}];
ASSIGN next(z) := x * y;
INVARSPEC z != 0ud{bits}_12345 | x != y
"""


def mixing(count):
    """Sets that are hard for diagrams: a permutation that is far from the order of the variables."""
    text = "MODULE main\nVAR\n" + "".join(f"  x{i} : boolean; y{i} : boolean;\n" for i in range(count))
    text += "INIT " + " & ".join(f"(x{i} <-> y{(i * 7 + 3) % count})" for i in range(count)) + ";\nASSIGN\n"
    text += "".join(f"  next(x{i}) := x{(i * 5 + 1) % count} xor (y{(i * 3 + 2) % count} & x{(i + 1) % count});\n"
                    for i in range(count))
    return text + "CTLSPEC AG EF (x0 & !y0)\n"


def pigeons(holes):
    """An automaton of one state; that no cycle is accepting is as hard as pigeons in too few holes."""
    def mark(pigeon, hole):
        return pigeon * holes + hole

    each = [" | ".join(f"Inf({mark(p, h)})" for h in range(holes)) for p in range(holes + 1)]
    alone = [f"Fin({mark(p, h)}) | Fin({mark(q, h)})" for h in range(holes) for p in range(holes + 1) for q in range(p)]
    count = holes * (holes + 1)
    accepts = " & ".join(f"({part})" for part in each + alone)
    text = f'HOA: v1\nStates: 1\nStart: 0\nAP: 1 "p"\nAcceptance: {count} {accepts}\n--BODY--\nState: 0\n'
    return text + "".join(f"[t] 0 {{{m}}}\n" for m in range(count)) + "--END--\n"


def large(states):
    """An automaton that takes memory to read."""
    text = f'HOA: v1\nStates: {states}\nStart: 0\nAP: 1 "p"\nAcceptance: 1 Inf(0)\n--BODY--\n'
    edges = "".join(f"State: {s}\n[0] {(s + 1) % states}\n[!0] {(s * 7) % states}\n" for s in range(states))
    return text + edges + "--END--\n"


def nondeterministic(states):
    """An automaton whose complement is exponential."""
    text = f'HOA: v1\nStates: {states}\nStart: 0\nAP: 2 "x0" "x1"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n'
    dice = random.Random(5)
    for state in range(states):
        text += f"State: {state}" + (" {0}" if state % 3 == 0 else "") + "\n"
        for label in ["0&1", "!0&1", "0&!1"]:
            for target in sorted(dice.sample(range(states), 2)):
                text += f"[{label}] {target}\n"
    return text + "--END--\n"


DEEP = """byte a, b, c, d; int n;
active proctype p() { do :: a++ :: b++ :: c++ :: d++ od }
ltl low { [] (a + b + c + d < 90) }
ltl back { [] <> (a == 3 && b == 200 && c == 100) }
"""

LONG = """int n;
active proctype p() { do :: n < 3000000 -> n++ :: else -> n = 0 od }
ltl low { <> [] (n != 2999999) }
"""

ATOMIC = "int x, y;\ninit { atomic { do :: x++ :: y++ :: x == 7 && y == 7 -> break od } }\n"


class Phase:
    """A phase of the work, and a call that is stuck in it."""

    def __init__(self, name, command, *arguments, file=None, text="", codes=(3,), standard_input=None, memory=None):
        self.name, self.command, self.arguments = name, command, arguments
        self.file, self.text, self.codes, self.standard_input = file, text, codes, standard_input
        # Where what takes time takes no memory, another text does.
        self.memory = memory

    def write(self, folder):
        if self.file:
            (folder / self.file).write_text(self.text)
        if self.memory:
            (folder / f"memory-{self.file}").write_text(self.memory)


def phases(scale):
    """All phases; inputs are made larger by a factor, exponential ones by a little."""
    def times(count):
        return max(1, int(count * scale))

    def plus(count):
        return max(2, count + round(2 * math.log2(scale)))

    return [
        Phase("reading: a pipe", "check", "-", "--limit-file", "100G", standard_input="spaces"),
        Phase("preprocessing", "check", file="macros.pml", text=macros(times(700_000) if scale < 1 else 700_000)),
        Phase("parsing: Promela", "check", file="lines.pml", text=lines(min(times(400_000), 900_000))),
        Phase("lowering: Promela", "check", file="escapes.pml", text=escapes(min(times(10_000), 60_000))),
        Phase("lowering: SMV", "check", file="modules.smv", text=modules(plus(20))),
        Phase("formulas: unrolling", "check", file="unroll.smv",
              text=booleans(3, "LTLSPEC F [0,10000] (x0 & G [0,10000] (x1 | X x2))\n")),
        Phase("formulas: translation", "check", "--engine", "streett", "--ltl", untils(plus(9)), file="translation.smv",
              text="MODULE main\nVAR " + " ".join(f"{c}{i} : boolean;" for i in range(plus(9)) for c in "abcde")),
        Phase("formulas: testers", "check", "--engine", "symbolic", "--ltl", untils(times(40)), file="testers.smv",
              text="MODULE main\nVAR " + " ".join(f"{c}{i} : boolean;" for i in range(times(40)) for c in "abcde")),
        Phase("automata: complement", "check", "--automaton", "NONDETERMINISTIC", "--good", file="two.smv",
              codes=(1, 3), text=booleans(2, "")),
        Phase("choice of an engine", "check", file="free.smv", text=booleans(times(10000))),
        Phase("listing successors", "check", "--engine", "streett", file="free2.smv", text=booleans(times(400))),
        Phase("plain search", "check", file="vast.pml", text=VAST),
        Phase("plain search, one step", "check", file="atomic.pml", text=ATOMIC),
        Phase("emptiness", "check", "--ltl", "[] (a == 300 -> <> (b == 3))", file="vast2.pml", text=VAST),
        Phase("bounded search", "check", "--max-depth", "1000000", "--ltl", "[] (a == 300 -> <> (b == 3))",
              file="vast3.pml", text=VAST),
        Phase("labelling", "check", "--ctl", "AG (a != 200 || EF (b == 3))", file="vast4.pml", text=VAST),
        Phase("encoding", "check", "--engine", "symbolic", file="product.smv", text=product(plus(30))),
        Phase("diagrams", "check", "--engine", "symbolic", file="mixing.smv", text=mixing(plus(40))),
        Phase("diagrams, learned", "check", "--engine", "symbolic", "--ltl", "[] (a * b + c * d != 64999)",
              file="vast5.pml", text=VAST, memory=PRODUCTS),
        Phase("shortening", "check", "-p", "back", "--fair", "weak", "--budget", "1h", file="deep.pml", text=DEEP,
              codes=(1,)),
        Phase("judging", "check", "-p", "low", "--counterexample", "first", file="long.pml", text=LONG,
              codes=(1, 3)),
        Phase("writing a report", "check", "-p", "low", "--counterexample", "first", "--report", "REPORT", "--threads", "1",
              # The verdict is there within the limit on a slow machine too; the page takes seconds.
              file="long2.pml", text=LONG.replace("3000000", "150000").replace("2999999", "149999"), codes=(1,)),
        Phase("advise", "advise", "--ltl", "[] (a == 300 -> <> (b == 3))", file="vast6.pml", text=VAST),
        Phase("states", "states", file="vast7.pml", text=VAST),
        Phase("states, by sets", "states", "--engine", "symbolic", file="product2.smv", text=product(30)),
        Phase("simulate", "simulate", "--steps", "1000000000", file="vast8.pml", text=VAST),
        Phase("simulate, one step", "simulate", file="atomic2.pml", text=ATOMIC),
        Phase("translate", "translate", untils(plus(8))),
        Phase("formula", "formula", untils(plus(7)), f"X ({untils(plus(7))})"),
        Phase("empty", "empty", file="pigeons.hoa", text=pigeons(plus(9)), memory=large(1_200_000)),
    ]


class Call:
    """A call of the command under way."""

    def __init__(self, binary, phase, folder, more):
        arguments = [str(folder / "report.html") if a == "REPORT" else
                     str(folder / "nondeterministic.hoa") if a == "NONDETERMINISTIC" else a for a in phase.arguments]
        name = f"memory-{phase.file}" if phase.memory and "--limit-memory" in more else phase.file
        file = [str(folder / name)] if phase.file else []
        self.call = [str(binary), phase.command, *file, *arguments, *more]
        feed = subprocess.PIPE if phase.standard_input else subprocess.DEVNULL
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.call, stdin=feed, stdout=self.output, stderr=self.output)
        if phase.standard_input:
            threading.Thread(target=self.feed, daemon=True).start()

    def feed(self):
        try:
            while True:
                self.process.stdin.write(b" " * (1 << 18))
                time.sleep(0.002)
        except (BrokenPipeError, ValueError):
            pass

    def is_running(self):
        """Whether it is still there; it is not waited for."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, options) is None

    def cpu(self):
        """CPU seconds so far."""
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self):
        """The most memory it has had so far. What the system tells at the end is about this script too."""
        try:
            text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return 0
        return max((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("VmHWM:")), default=0)

    def wait(self, most):
        """Exit code, CPU seconds and most resident megabytes."""
        begun, megabytes = time.monotonic(), 0
        while self.is_running():
            megabytes = max(megabytes, self.megabytes())
            if time.monotonic() - begun > most:
                self.process.kill()
            time.sleep(0.003)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return self.process.returncode, usage.ru_utime + usage.ru_stime, megabytes

    def said(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")[-300:]


def limited(binary, phase, folder, kind):
    """One cell: how much there was beyond the limit, what was allowed, and what is wrong."""
    if kind.startswith("SIG"):
        return signalled(binary, phase, folder, kind)
    if kind == "time":
        return timed(binary, phase, folder)
    begun = time.monotonic()
    call = Call(binary, phase, folder, ["--limit-memory", f"{MEMORY}M", "--limit-time", "8s"])
    return ended(call, phase.codes, begun, 0)


def timed(binary, phase, folder):
    """A cell of the limit on time, which is wall clock: a call that did not get that much of a busy machine, and so did not
    come to the phase that is tried, has twice as long."""
    for limit in (TIME, 2 * TIME, 4 * TIME):
        begun = time.monotonic()
        call = Call(binary, phase, folder, ["--limit-time", f"{int(1000 * limit)}ms"])
        cell = ended(call, phase.codes, begun, 0) | {"limit": limit}
        if cell["wrong"] is None or cell["cpu"] > 0.9 * limit:
            break
    return cell


def signalled(binary, phase, folder, kind):
    """A cell of a signal. On a fast machine a call may be done before it comes: then it comes earlier."""
    for patience in (PATIENCE, PATIENCE / 2, PATIENCE / 4):
        begun = time.monotonic()
        call = Call(binary, phase, folder, [])
        while call.is_running() and time.monotonic() - begun < 10 and (call.cpu() or 0) < patience:
            if phase.standard_input and time.monotonic() - begun > patience:
                break
            time.sleep(0.01)
        cpu_before, begun = call.cpu() or 0, time.monotonic()
        if call.is_running():
            call.process.send_signal(getattr(signal, kind))
            return ended(call, (130,), begun, cpu_before)
        call.wait(MOST)
    return {"code": call.process.returncode, "wall": 0, "cpu": 0, "megabytes": 0, "call": call.call,
            "wrong": "done before the signal came: the input is too easy"}


def ended(call, codes, begun, cpu_before):
    """What a call came to."""
    code, cpu, megabytes = call.wait(MOST)
    wall = time.monotonic() - begun
    wrong = None
    if code not in codes:
        wrong = f"exit code {code}: {call.said()}"
    return {"code": code, "wall": wall, "cpu": cpu - cpu_before, "megabytes": megabytes, "wrong": wrong,
            "call": call.call}


def verdict(kind, cell, ci):
    """How much beyond the limit, and whether that is too much."""
    if kind == "memory":
        return cell["megabytes"] - MEMORY, cell["megabytes"] > 1.2 * MEMORY + 50
    limit = cell.get("limit", 0)
    if ci:
        return cell["cpu"] - limit, cell["cpu"] > 3 * (1.2 * limit + 0.5)
    return cell["wall"] - limit, cell["wall"] > 1.2 * limit + 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ci", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--scale", type=float, default=1, help="smaller or larger inputs")
    parser.add_argument("--evenhand", default=os.environ.get("EVENHAND_BIN", ROOT / "target/release/evenhand"))
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    kinds = ["time", "memory", "SIGINT", "SIGTERM"]
    chosen = [phase for phase in phases(options.scale) if options.only in phase.name]
    failed, passed = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "nondeterministic.hoa").write_text(nondeterministic(60))
        for phase in chosen:
            phase.write(folder)
        print(f"{'phase':<26}{'time +s':>9}{'memory +MB':>12}{'SIGINT s':>10}{'SIGTERM s':>11}")
        with concurrent.futures.ThreadPoolExecutor(2 if options.ci else 1) as pool:
            jobs = [[pool.submit(limited, options.evenhand, phase, folder, kind) for kind in kinds] for phase in chosen]
            for phase, row in zip(chosen, jobs):
                texts = []
                for kind, job in zip(kinds, row):
                    cell = job.result()
                    beyond, too_much = verdict(kind, cell, options.ci)
                    bad = cell["wrong"] or (f"{beyond:.2f} beyond the limit" if too_much else None)
                    texts.append(f"{beyond:.0f}" if kind == "memory" else f"{beyond:.2f}")
                    if bad:
                        texts[-1] += "!"
                        failed.append(f"{phase.name}, {kind}: {bad}\n    {' '.join(cell['call'])[:300]}")
                    else:
                        passed += 1
                print(f"{phase.name:<26}{texts[0]:>9}{texts[1]:>12}{texts[2]:>10}{texts[3]:>11}", flush=True)
    for line in failed:
        print(f"\n{line}")
    print(f"\n{passed} passed, {len(failed)} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
