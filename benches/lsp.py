#!/usr/bin/env python3
"""The language server after a keystroke: how long until it answers, how long until it says what is wrong.

Opens a Promela model of some thousand lines (made here) and the largest models that are given, types letters into each,
and asks for the definition of a name and for the symbols after each letter. Prints the 50th and the 95th percentile in
milliseconds. With --ci it fails if the 95th percentile of the answers about the made model is above 100 ms.

    benches/lsp.py [--lines 10000] [--keys 40] [--ci] [MODEL…]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = os.environ.get("EVENHAND_BIN", str(ROOT / "target/release/evenhand"))


class Editor:
    """A client that waits for each answer."""

    def __init__(self):
        begun = time.monotonic()
        self.server = subprocess.Popen([BINARY, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.said = {}
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.started = time.monotonic() - begun
        self.tell("initialized", {})

    def send(self, message):
        text = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.server.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self):
        length = 0
        while line := self.server.stdout.readline().strip():
            name, value = line.split(b": ")
            if name == b"Content-Length":
                length = int(value)
        message = json.loads(self.server.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.said[message["params"]["uri"]] = message["params"]
        return message

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result")

    def diagnostics(self, uri, version):
        """Waits for what is said about a version of a text."""
        while (self.said.get(uri) or {}).get("version", -1) < version:
            self.receive()
        return self.said[uri]["diagnostics"]

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.server.stdin.close()
        self.server.wait()


def made(lines):
    """A model of so many lines: processes that hand a token around, with labels, locals and properties."""
    text = ["byte token;", "byte busy;"]
    number = 0
    while len(text) < lines - 20:
        text += [
            f"active proctype station_{number}()",
            "{",
            "\tbyte count;",
            "\tdo",
            f"\t:: token == {number % 250} ->",
            f"take_{number}:\t\tatomic {{ busy == 0 -> busy = 1 }};",
            "\t\tcount = count + 1;",
            f"\t\tassert(busy == 1);",
            f"\t\tbusy = 0; token = {(number + 1) % 250}",
            "\t:: count > 100 -> break",
            "\tod",
            "}",
        ]
        number += 1
    text.append("ltl turns { [] (busy <= 1) }")
    return "\n".join(text) + "\n"


def word(text):
    """A line and a column inside of a name that is used somewhere in the middle of a text, and the line's length."""
    lines = text.split("\n")
    best = next((n for n in range(len(lines) // 2, len(lines)) if "busy == 1" in lines[n]), len(lines) // 2)
    column = max(lines[best].find("busy"), 0)
    return best, column


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] * 1000


def measure(editor, name, text, language, keys):
    uri = f"file://{name}"
    begun = time.monotonic()
    document = {"uri": uri, "languageId": language, "version": 1, "text": text}
    editor.tell("textDocument/didOpen", {"textDocument": document})
    editor.diagnostics(uri, 1)
    opened = time.monotonic() - begun
    line, column = word(text)
    position = {"line": line, "character": column}
    about = {"textDocument": {"uri": uri}}
    answers, symbols, remarks = [], [], []
    # Letters are typed into a comment at the end, and one in four is a mistake at the beginning.
    end = text.count("\n")
    for key in range(keys):
        version = key + 2
        change = {"range": {"start": {"line": end, "character": 0}, "end": {"line": end, "character": 0}}, "text": " "}
        begun = time.monotonic()
        editor.tell(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]},
        )
        editor.ask("textDocument/definition", dict(about, position=position))
        answers.append(time.monotonic() - begun)
        begun_symbols = time.monotonic()
        found = editor.ask("textDocument/documentSymbol", about)
        symbols.append(time.monotonic() - begun_symbols)
        editor.diagnostics(uri, version)
        remarks.append(time.monotonic() - begun)
    assert found is not None
    told = (
        f"{pathlib.Path(name).name:28} {text.count(chr(10)):7} lines  opened {opened * 1000:7.0f} ms  "
        f"definition {statistics.median(answers) * 1000:6.1f} / {percentile(answers, 0.95):6.1f}  "
        f"symbols {statistics.median(symbols) * 1000:6.1f} / {percentile(symbols, 0.95):6.1f}  "
        f"diagnostics {statistics.median(remarks) * 1000:7.1f} / {percentile(remarks, 0.95):7.1f}"
    )
    print(told, flush=True)
    editor.tell("textDocument/didClose", about)
    return percentile(answers, 0.95)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lines", type=int, default=10000)
    options.add_argument("--keys", type=int, default=40)
    options.add_argument("--ci", action="store_true")
    options.add_argument("models", nargs="*")
    options = options.parse_args()
    starts = []
    for _ in range(5):
        editor = Editor()
        starts.append(editor.started)
        editor.end()
    print(f"start: {statistics.median(starts) * 1000:.0f} ms; percentiles 50 / 95 after a keystroke, in ms")
    editor = Editor()
    worst = measure(editor, "/made/stations.pml", made(options.lines), "promela", options.keys)
    for model in options.models:
        path = pathlib.Path(model).resolve()
        text = path.read_text(errors="replace")
        measure(editor, str(path), text, "", options.keys)
    editor.end()
    if options.ci and worst > 100:
        sys.exit(f"the 95th percentile is {worst:.0f} ms, and may be 100 ms")


if __name__ == "__main__":
    main()
