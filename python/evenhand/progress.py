"""How far a check is, while it goes on: a line in a notebook or a terminal, or a call of one's own."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Callable, Iterator, Optional, Union

Progress = Union[None, bool, Callable[[dict[str, Any]], object]]
"""`None` shows progress in notebooks, `True` always, `False` never; anything else is called with a dict:
`seconds`, `stage`, `states`, `depth`, `bytes`, `rounds`, `nodes`, and the `verdicts` that are known."""

PATIENCE = 0.5
"""Work that takes less than this many seconds shows nothing."""


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook."""
    if "IPython" not in sys.modules:
        return False
    shell: Any = import_module("IPython").get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def line(told: dict[str, Any]) -> str:
    """What is told of the work, in a line."""
    parts = [f"{told['seconds']:.1f} s"]
    if told["stage"]:
        parts.insert(0, told["stage"])
    if told["states"]:
        rate = told["states"] / max(told["seconds"], 0.001)
        parts.append(f"{told['states']:,} states ({rate:,.0f}/s), depth {told['depth']}")
    if told["rounds"]:
        parts.append(f"round {told['rounds']}, {told['nodes']:,} nodes")
    parts.append(f"{told['bytes'] >> 20} MB")
    known = [f"{name} {verdict}" for name, verdict in told["verdicts"]]
    if known:
        parts.append("known: " + ", ".join(known[-3:]))
    return " · ".join(parts)


class _Text:
    """A line that a notebook shows as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class _Notebook:
    def __init__(self) -> None:
        self.handle: Any = None

    def __call__(self, told: dict[str, Any]) -> None:
        if told["seconds"] < PATIENCE:
            return
        if self.handle is None:
            display: Any = import_module("IPython.display").display
            self.handle = display(_Text(line(told)), display_id=True)
        else:
            self.handle.update(_Text(line(told)))

    def close(self) -> None:
        if self.handle is not None:
            self.handle.update(_Text(""))


class _Terminal:
    def __init__(self) -> None:
        self.width = 0

    def __call__(self, told: dict[str, Any]) -> None:
        if told["seconds"] < PATIENCE:
            return
        text = line(told)
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


@contextmanager
def shown(wanted: Progress) -> Iterator[Optional[Callable[[dict[str, Any]], object]]]:
    """What is called while work goes on."""
    if callable(wanted):
        yield wanted
        return
    notebook = in_notebook()
    if not (notebook if wanted is None else wanted):
        yield None
        return
    teller = _Notebook() if notebook else _Terminal()
    try:
        yield teller
    finally:
        teller.close()
