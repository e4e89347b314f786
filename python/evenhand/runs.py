"""Runs: steps with the states behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Optional

from . import _native
from .display import Page, listed, scrolling
from .words import counted

MOST_DRAWN = 200
"""A notebook shows a run of more steps up to here."""


@dataclass(frozen=True)
class Step:
    """A step, and the variables behind it."""

    number: int
    kind: str
    """`init`, `step`, or `stutter` where a run stays: because nothing can move, or, with an `action`, although something could."""
    process: Optional[str]
    processes: list[str]
    action: str
    file: Optional[str]
    line: Optional[int]
    substeps: list[dict[str, Any]]
    printed: str
    inputs: dict[str, Any]
    state: dict[str, Any]
    changes: dict[str, Any]
    """The variables whose values differ from those before the step."""
    repeats: bool
    """Whether it is one of those that repeat for ever."""

    def row(self) -> dict[str, Any]:
        """The step as a row of a table: one column for each variable."""
        told: dict[str, Any] = {
            "step": self.number,
            "repeats": self.repeats,
            "process": self.process,
            "action": self.action,
            "line": self.line,
        }
        for name, value in {**self.inputs, **self.state}.items():
            told[name if name not in told else f"{name} (variable)"] = value
        return told


class Run:
    """A run of a model: the initial state, steps, and for a lasso the steps that repeat for ever."""

    def __init__(self, native: _native.Run, language: str) -> None:
        self._native = native
        told = native.json()
        self.length: int = told["length"]
        """The number of steps."""
        self.shortest: Optional[bool] = told.get("shortest")
        """Whether no shorter run shows the same."""
        self.lower_bound: Optional[int] = told.get("lower_bound")
        self.why: list[str] = told.get("why", [])
        """Why it breaks the property, in sentences."""
        self.evidence: list[dict[str, Any]] = told.get("fairness_evidence", [])
        """Why it is fair: an entry for each assumption."""
        self.error: Optional[dict[str, Any]] = told.get("error")
        """The run-time error at its end."""
        self.outcome: Optional[str] = told.get("outcome")
        """How it ended, if it was drawn at random."""
        self.prefix: list[Step] = []
        self.cycle: list[Step] = []
        before: dict[str, Any] = {}
        for repeats, part in ((False, told["prefix"]), (True, told["cycle"])):
            for step in part:
                made = _step(len(self.steps), step, before, repeats, language)
                (self.cycle if repeats else self.prefix).append(made)
                before = made.state

    @property
    def steps(self) -> list[Step]:
        """All steps, the initial state first."""
        return self.prefix + self.cycle

    def __len__(self) -> int:
        return self.length

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each step, for `pandas.DataFrame`."""
        return [step.row() for step in self.steps]

    def svg(self, most: int = MOST_DRAWN) -> str:
        """A chart: a column for each process, a row for each step, up to so many."""
        return self._native.svg(most)

    def page(self, height: int = 640) -> Page:
        """A page to step through the run; of a random run there is none."""
        html = self._native.page()
        if html is None:
            raise ValueError("a page is about a property that a run breaks; this run was drawn at random")
        return Page(html, height)

    def _reason(self, evidence: dict[str, Any]) -> str:
        """Why an assumption is kept, in words."""
        step = len(self.prefix) + (evidence["cycle_step"] or 0)
        words = {
            "taken": f"moves in step {step}",
            "disabled-before": f"cannot move after step {step - 1}",
            "never-enabled": "cannot move any more",
            "holds-before": f"holds after step {step - 1}",
            "never-asked": "is never asked for in what repeats",
        }
        return f"{evidence['assumption']} {words.get(evidence['reason'], evidence['reason'])}"

    def __str__(self) -> str:
        return self._native.text()

    def __repr__(self) -> str:
        turn = len(self.cycle)
        before = self.length - turn
        if not turn:
            return f"<Run: {counted(before, 'step')}>"
        repeats = "repeats" if turn == 1 else "repeat"
        told = f"{counted(before, 'step')}, then {turn}" if before else counted(turn, "step")
        return f"<Run: {told} that {repeats}>"

    def _repr_html_(self) -> str:
        reasons = [self._reason(each) for each in self.evidence]
        told = scrolling(self.svg())
        told += listed("Why it breaks the property", self.why)
        told += listed("Why it is fair", reasons)
        told += listed("How it ends", [self.outcome] if self.outcome else [])
        return told


_TRUTHS = {"TRUE": True, "FALSE": False}


def _values(told: dict[str, Any], language: str) -> dict[str, Any]:
    """Variables with their values. The command writes truth values of TLA+ as TLA+ does; strings have quotes there."""
    if language != "tla":
        return told
    return {name: _TRUTHS.get(value, value) if isinstance(value, str) else value for name, value in told.items()}


def _step(number: int, told: dict[str, Any], before: dict[str, Any], repeats: bool, language: str) -> Step:
    state = _values(told["state"], language)
    missing = object()
    changes = {name: value for name, value in state.items() if before.get(name, missing) != value}
    return Step(
        number=number,
        kind=told["kind"],
        process=told["process"],
        processes=told["processes"],
        action=told["action"],
        file=told["file"],
        line=told["line"],
        substeps=told["substeps"],
        printed=told["printed"],
        inputs=told["inputs"],
        state=state,
        changes=changes,
        repeats=repeats,
    )
