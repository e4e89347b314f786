#!/usr/bin/env python3
"""How the cost grows with the number of fairness conditions: TLC against `evenhand check`.

Specifications of `models/tla` with growing N, and the one with N + 1 states and N conditions that stands beside the
repository. Each is asked about its temporal property alone, by one worker of TLC and by one thread here, in turns.
Times are CPU seconds of the processes, with their start; a tool that needs more of them than the limit, or more
memory than there is, is not asked about larger sizes. Prints a table in Markdown and writes a plot on logarithmic
scales. TLC is not part of this repository: `--tlc` is a command that runs it, such as
`java -cp tla2tools.jar tlc2.TLC`.

Usage: benches/tla-fairness.py [--tlc COMMAND] [--evenhand PATH] [--only NAME,...] [--limit SECONDS] [--svg FILE]
"""

import argparse
import json
import math
import pathlib
import resource
import shlex
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = ROOT / "models" / "tla"
CORPUS = ROOT.parent / "shared" / "corpora" / "tla" / "strong-fairness"

# A title, the specification, the property, how many conditions there are for N, and the sizes.
ROWS = [
    ("Bus", OWN / "Bus.tla", "EachAfterFree", lambda n: n, (4, 8, 12, 14, 16, 18, 26, 50, 100, 200)),
    ("Philosophers", OWN / "Philosophers.tla", "NoStarvation", lambda n: 2 * n, (3, 4, 5, 6, 7, 8, 9, 10)),
    ("SFn Lead", CORPUS / "SFn.tla", "Lead", lambda n: n, (4, 8, 12, 14, 16, 18, 26, 50, 100, 200)),
    ("SFn One", CORPUS / "SFn.tla", "One", lambda n: n, (8, 12, 16, 18, 20, 26, 50, 100, 200)),
]

WIDTH, HEIGHT, LEFT, TOP, GAP = 250, 190, 56, 52, 46
COLOURS = (("TLC", "#b26a00"), ("Evenhand", "#3a6ea5"))


def cpu(command, folder, limit):
    """Standard output and CPU seconds of a command; no output if it takes more of them than the limit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    most = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, preexec_fn=most)
    text = None if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else done.stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_tlc(tlc, spec, cfg, limit):
    """The verdict and CPU seconds."""
    with tempfile.TemporaryDirectory() as states:
        command = [*tlc, "-noGenerateSpecTE", "-workers", "1", "-lncheck", "final", "-metadir", states, "-config", str(cfg), spec.stem]
        text, seconds = cpu(command, spec.parent, limit)
    if text is None:
        return None, seconds
    if "No error has been found" in text:
        return "holds", seconds
    return ("violated" if "violated" in text else None), seconds


def by_evenhand(evenhand, spec, cfg, name, limit):
    """The verdict, states and CPU seconds."""
    command = [evenhand, "check", str(spec), "--config", str(cfg), "-p", name, "--threads", "1", "--format", "json"]
    text, seconds = cpu(command, spec.parent, limit)
    found = json.loads(text or "{}").get("properties", [])
    verdict = next((one["verdict"] for one in found), None)
    return verdict, next((one.get("states") for one in found), None), seconds


def panel(at, title, measured):
    """One plot: a line for each tool, the logarithm of the seconds over that of N."""
    x0, y0 = at
    sizes = [size for size, *_ in measured]
    lines = [[(row[0], row[1 + tool]) for row in measured if row[1 + tool] is not None] for tool in (0, 1)]
    values = [value for line in lines for _, value in line]
    low = math.floor(math.log10(max(min(values), 0.01)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    first, last = math.log(sizes[0]), math.log(sizes[-1])
    x = lambda size: x0 + 14 + (math.log(size) - first) * (WIDTH - 28) / max(last - first, 0.1)
    y = lambda value: y0 + HEIGHT - (math.log10(max(value, 0.01)) - low) * HEIGHT / (high - low)
    out = [f'<text x="{x0}" y="{y0 - 10}" font-weight="bold" fill="#222222">{title}</text>']
    for power in range(low, high + 1):
        label = f"{10 ** power:,}" if power >= 0 else f"{10.0 ** power:g}"
        out.append(f'<line x1="{x0}" y1="{y(10.0 ** power):.1f}" x2="{x0 + WIDTH}" y2="{y(10.0 ** power):.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{x0 - 6}" y="{y(10.0 ** power) + 4:.1f}" text-anchor="end" fill="#555555">{label}</text>')
    told = None
    for size in sizes:
        if told is None or x(size) - told > 20:
            told = x(size)
            out.append(f'<text x="{told:.1f}" y="{y0 + HEIGHT + 16}" text-anchor="middle" fill="#555555">{size}</text>')
    for (_, colour), line in zip(COLOURS, lines):
        points = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in line)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x(s):.1f}" cy="{y(v):.1f}" r="3" fill="{colour}"/>' for s, v in line]
    return out


def plot(rows):
    """CPU seconds over N, one plot for each specification."""
    width = LEFT + len(rows) * (WIDTH + GAP + 20)
    height = TOP + HEIGHT + GAP
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="t d" font-family="sans-serif" font-size="12">',
        '<title id="t">How the cost grows with the number of conditions</title>',
        '<desc id="d">CPU seconds of TLC and of Evenhand over N, on logarithmic scales; the numbers are in the table '
        "beside.</desc>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (name, colour) in enumerate(COLOURS):
        out.append(f'<rect x="{LEFT + 110 * number}" y="10" width="12" height="12" fill="{colour}"/>')
        out.append(f'<text x="{LEFT + 110 * number + 18}" y="21" fill="#222222">{name}</text>')
    for column, (name, measured) in enumerate(rows):
        out += panel((LEFT + column * (WIDTH + GAP + 20), TOP), f"{name}: CPU seconds over N", measured)
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tlc", default="")
    parser.add_argument("--evenhand", default=str(ROOT / "target" / "release" / "evenhand"))
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("--svg", default=str(ROOT / "docs" / "pictures" / "many-conditions.svg"))
    given = parser.parse_args()
    tlc, wanted = shlex.split(given.tlc), [name for name in given.only.split(",") if name]
    print("| specification, property | N | conditions | states | TLC | Evenhand |")
    print("| --- | --- | --- | --- | --- | --- |")
    rows = []
    for title, spec, name, conditions, sizes in ROWS:
        if wanted and title not in wanted or not spec.exists():
            continue
        measured, is_slow = [], [not tlc, False]
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                cfg = pathlib.Path(folder) / "Size.cfg"
                cfg.write_text(f"SPECIFICATION Spec\nCONSTANT N = {size}\nPROPERTY {name}\n")
                peer, states = None, None
                if not is_slow[1]:
                    own, states, own_seconds = by_evenhand(given.evenhand, spec, cfg, name, given.limit)
                    is_slow[1] = own not in ("holds", "violated")
                if not is_slow[0]:
                    peer, peer_seconds = by_tlc(tlc, spec, cfg, given.limit)
                    is_slow[0] = peer is None
            if peer and own != peer:
                print(f"{title} {size}: TLC says {peer}, Evenhand {own}")
            taken = [peer_seconds if peer else None, own_seconds if not is_slow[1] else None]
            words = [f"{seconds:.2f}" if seconds is not None else "–" for seconds in taken]
            if peer is None and tlc and not any(row[1] is None for row in measured):
                is_long = peer_seconds >= given.limit - 1
                words[0] = f"not in {given.limit} s" if is_long else f"no answer, ended after {peer_seconds:.0f} s"
            if own == "unknown":
                words[1] = "unknown"
            counted = f"{states:,}" if states else ""
            print(f"| {title} | {size} | {conditions(size)} | {counted} | {words[0]} | {words[1]} |", flush=True)
            measured.append((size, *taken))
        if len(measured) > 1:
            rows.append((title, measured))
    if rows:
        pathlib.Path(given.svg).write_text(plot(rows))


if __name__ == "__main__":
    main()
