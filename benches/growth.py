#!/usr/bin/env python3
"""How the cost grows with the size of a model: SPIN's verifier with its defaults against `evenhand check`.

Three models at four sizes each; both tools look for assertion violations and improper ends, as in `reduce.py`.
Prints a table in Markdown and writes a plot of the stored states and of CPU seconds, on logarithmic scales.

Usage: benches/growth.py [--rounds N] [--evenhand PATH] [--svg FILE]
"""

import argparse
import math
import os
import pathlib
import re
import subprocess
import tempfile

from reduce import best, by_evenhand, by_pan
from states import OWN, ROOT, Failed

# A model, what is defined in it, and the sizes.
MODELS = [
    ("two_phase_commit", "N", (4, 5, 6, 7)),
    ("readers_writers", "READERS", (3, 4, 5, 6)),
    ("spawn", "JOBS", (3, 4, 5, 6)),
]

WIDTH, HEIGHT, LEFT, TOP, GAP = 200, 170, 62, 52, 46
COLOURS = (("SPIN", "#b26a00"), ("Evenhand", "#3a6ea5"))


def of_size(name, define, size, folder):
    """The model with another size."""
    text = (OWN / f"{name}.pml").read_text()
    text, count = re.subn(rf"#define {define} \d+", f"#define {define} {size}", text)
    if count != 1:
        raise Failed(f"{name}: no {define}")
    path = pathlib.Path(folder) / f"{name}.pml"
    path.write_text(text)
    return path


def measure(binary, rounds, name, define, size):
    """Stored states and CPU seconds of both tools; SPIN's with generation and compilation."""
    with tempfile.TemporaryDirectory() as folder:
        model = of_size(name, define, size, folder)
        states, _, whole = best(rounds, lambda: by_pan(model))
        ours, _, seconds = best(rounds, lambda: by_evenhand(binary, model, "auto"))
        return (states, whole), (ours, seconds)


def panel(at, title, sizes, lines):
    """One plot: a line for each tool, the logarithm of a value over the size."""
    x0, y0 = at
    values = [value for line in lines for value in line]
    low = math.floor(math.log10(max(min(values), 0.01)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    x = lambda index: x0 + 14 + index * (WIDTH - 28) / (len(sizes) - 1)
    y = lambda value: y0 + HEIGHT - (math.log10(max(value, 0.01)) - low) * HEIGHT / (high - low)
    out = [f'<text x="{x0}" y="{y0 - 10}" font-weight="bold" fill="#222222">{title}</text>']
    for power in range(low, high + 1):
        label = f"{10 ** power:,}" if power >= 0 else f"{10.0 ** power:g}"
        out.append(f'<line x1="{x0}" y1="{y(10.0 ** power):.1f}" x2="{x0 + WIDTH}" y2="{y(10.0 ** power):.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{x0 - 6}" y="{y(10.0 ** power) + 4:.1f}" text-anchor="end" fill="#555555">{label}</text>')
    for index, size in enumerate(sizes):
        out.append(f'<text x="{x(index):.1f}" y="{y0 + HEIGHT + 16}" text-anchor="middle" fill="#555555">{size}</text>')
    for (_, colour), line in zip(COLOURS, lines):
        points = " ".join(f"{x(index):.1f},{y(value):.1f}" for index, value in enumerate(line))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x(i):.1f}" cy="{y(v):.1f}" r="3" fill="{colour}"/>' for i, v in enumerate(line)]
    return out


def plot(rows):
    """States above, seconds below, one column for each model."""
    width = LEFT + len(rows) * (WIDTH + GAP + 20)
    height = TOP + 2 * (HEIGHT + GAP + 14)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="t d" font-family="sans-serif" font-size="12">',
        '<title id="t">How the cost grows</title>',
        '<desc id="d">Stored states and CPU seconds of SPIN and of Evenhand for three models at four sizes, on '
        "logarithmic scales; the numbers are in the table beside.</desc>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (name, colour) in enumerate(COLOURS):
        out.append(f'<rect x="{LEFT + 110 * number}" y="10" width="12" height="12" fill="{colour}"/>')
        out.append(f'<text x="{LEFT + 110 * number + 18}" y="21" fill="#222222">{name}</text>')
    for column, (name, define, sizes, measured) in enumerate(rows):
        for row, (word, place) in enumerate((("states", 0), ("CPU seconds", 1))):
            lines = [[both[tool][place] for both in measured] for tool in (0, 1)]
            at = (LEFT + column * (WIDTH + GAP + 20), TOP + row * (HEIGHT + GAP + 14))
            out += panel(at, f"{name}, {define}: {word}", sizes, lines)
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--evenhand", default=os.path.join(ROOT, "target", "release", "evenhand"))
    parser.add_argument("--svg", default=os.path.join(ROOT, "docs", "pictures", "growth.svg"))
    options = parser.parse_args()
    print("| model | size | states, SPIN | states, Evenhand | seconds, SPIN | seconds, Evenhand |")
    print("| --- | --- | --- | --- | --- | --- |")
    rows = []
    for name, define, sizes in MODELS:
        measured, known = [], []
        for size in sizes:
            try:
                pan, own = measure(options.evenhand, options.rounds, name, define, size)
            except (Failed, subprocess.TimeoutExpired) as failed:
                print(f"| {name} | {size} | {failed} | | | |")
                continue
            print(f"| {name} | {size} | {pan[0]:,} | {own[0]:,} | {pan[1]:.2f} | {own[1]:.2f} |", flush=True)
            measured.append((pan, own))
            known.append(size)
        if len(known) > 1:
            rows.append((name, define, known, measured))
    pathlib.Path(options.svg).write_text(plot(rows))


if __name__ == "__main__":
    main()
