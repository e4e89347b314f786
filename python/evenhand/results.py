"""What a check, an advice and an exploration found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Iterator, Optional, Union, overload

from . import _native
from .display import Page, details, listed, table
from .runs import Run


class Property:
    """The answer to one property."""

    def __init__(self, native: _native.Report, number: int, told: dict[str, Any], language: str) -> None:
        self._native = native
        self._number = number
        self._language = language
        self._runs: dict[int, Run] = {}
        self.json = told
        """What the command's JSON says of it."""
        self.name: str = told["name"]
        self.kind: str = told["kind"]
        self.formula: Optional[str] = told["formula"]
        self.fairness: list[str] = told["fairness"]
        """The assumptions under which it was checked."""
        self.verdict: str = told["verdict"]
        """`holds`, `violated` or `unknown`."""
        self.reason: Optional[str] = told["reason"]
        """Why it is unknown."""
        self.checked: Optional[str] = told["checked"]
        """How a `holds` was proved to a checker that knows no engine."""
        self.value: Any = told["value"]
        self.engine: str = told["engine"]
        self.states: Union[int, float] = told["states"]
        self.transitions: int = told["transitions"]
        self.seconds: float = told["seconds"]
        self.warnings: list[str] = told["warnings"]

    @property
    def holds(self) -> bool:
        return self.verdict == "holds"

    @property
    def violated(self) -> bool:
        return self.verdict == "violated"

    @property
    def unknown(self) -> bool:
        return self.verdict == "unknown"

    @property
    def run(self) -> Optional[Run]:
        """The run that breaks it, if there is one and it was asked for."""
        return self._run(0) if self.json["counterexample"] else None

    @property
    def runs(self) -> list[Run]:
        """That run and the others (`counterexample="all"`)."""
        if not self.json["counterexample"]:
            return []
        return [self._run(n) for n in range(1 + len(self.json["other_counterexamples"]))]

    def _run(self, number: int) -> Run:
        if number not in self._runs:
            self._runs[number] = Run(self._native.run(self._number, number), self._language)
        return self._runs[number]

    def row(self) -> dict[str, Any]:
        """The answer as a row of a table."""
        return {
            "name": self.name,
            "kind": self.kind,
            "formula": self.formula,
            "fairness": ", ".join(self.fairness),
            "verdict": self.verdict,
            "reason": self.reason,
            "value": self.value,
            "engine": self.engine,
            "states": self.states,
            "transitions": self.transitions,
            "length": self.json["counterexample"] and self.json["counterexample"]["length"],
            "seconds": self.seconds,
        }

    def __bool__(self) -> bool:
        raise TypeError("a property has three verdicts: ask for .holds, .violated or .unknown")

    def __repr__(self) -> str:
        return f"<Property {self.name}: {self.verdict}>"


class Report(Sequence[Property]):
    """The answers of a check, by number or by name."""

    def __init__(self, native: _native.Report, language: str) -> None:
        self._native = native
        self.json = native.json()
        """The command's JSON."""
        self.warnings: list[str] = self.json["warnings"]
        answers = enumerate(self.json["properties"])
        self.properties = [Property(native, number, told, language) for number, told in answers]

    @property
    def holds(self) -> bool:
        """Whether everything that was checked holds."""
        return all(each.holds for each in self.properties)

    @property
    def violated(self) -> list[Property]:
        return [each for each in self.properties if each.violated]

    @property
    def unknown(self) -> list[Property]:
        return [each for each in self.properties if each.unknown]

    def __len__(self) -> int:
        return len(self.properties)

    def __bool__(self) -> bool:
        raise TypeError("a report is neither true nor false: ask for .holds, .violated or .unknown")

    @overload
    def __getitem__(self, which: Union[int, str]) -> Property: ...
    @overload
    def __getitem__(self, which: slice) -> list[Property]: ...
    def __getitem__(self, which: Union[int, str, slice]) -> Union[Property, list[Property]]:
        if not isinstance(which, str):
            return self.properties[which]
        for each in self.properties:
            if each.name == which:
                return each
        known = ", ".join(each.name for each in self.properties)
        raise KeyError(f"{which!r} was not checked; these were: {known}")

    def rows(self) -> list[dict[str, Any]]:
        """A row for each property, for `pandas.DataFrame`."""
        return [each.row() for each in self.properties]

    def text(self, quiet: bool = False, verbose: bool = False) -> str:
        """What the command prints."""
        return self._native.text(quiet, verbose)

    def page(self, height: int = 640) -> Page:
        """Everything on a page, with runs to step through."""
        return Page(self._native.page(), height)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Report: {', '.join(f'{p.name} {p.verdict}' for p in self.properties)}>"

    def _repr_html_(self) -> str:
        columns = ["name", "verdict", "formula", "fairness", "states", "seconds"]
        told = table(self.rows(), columns)
        first = True
        for each in self.violated:
            if each.run is not None:
                told += details(f"{each.name}: a run that breaks it", each.run._repr_html_(), first)
                first = False
        notes = [f"{each.name}: {each.reason}" for each in self.unknown]
        notes += [f"{each.name}: {text}" for each in self.properties for text in each.warnings]
        return told + listed("Notes", notes + self.warnings)


@dataclass(frozen=True)
class Need:
    """Why an item of an assignment is needed."""

    item: str
    level: str
    fails_with: str
    run: Optional[Run]
    """A run that appears with less fairness of the item."""


@dataclass(frozen=True)
class Assignment:
    """Fairness that is enough, and of which no item can have less."""

    fairness: list[str]
    """The assumptions, to give to `check(fair=…)`."""
    annotation: list[str]
    needs: list[Need]


class Advice:
    """Which fairness a property needs, or several properties together."""

    def __init__(self, native: _native.AdviceReport, number: int, told: dict[str, Any], language: str) -> None:
        self._native = native
        self._number = number
        self._language = language
        self.json = told
        self.properties: list[str] = [each["name"] for each in told["properties"]]
        self.outcome: str = told["outcome"]
        """`nothing` is needed, it `needs` some, it is `impossible`, `vacuous` or `unknown`."""
        self.reason: Optional[str] = told["reason"]
        self.complete: bool = told["complete"]
        """Whether these are all minimal assignments."""
        self.rejected: list[list[str]] = told["rejected"]
        self.seconds: float = told["seconds"]

    @property
    def assignments(self) -> list[Assignment]:
        """The minimal assignments."""
        made = []
        for place, each in enumerate(self.json["assignments"]):
            needs = [self._need(place, at, need) for at, need in enumerate(each["needs"])]
            made.append(Assignment(each["fairness"], each["annotation"], needs))
        return made

    def _need(self, assignment: int, item: int, told: dict[str, Any]) -> Need:
        run = self._native.run(self._number, (assignment, item))
        made = Run(run, self._language) if run else None
        return Need(told["item"], told["level"], told["fails_with"], made)

    @property
    def run(self) -> Optional[Run]:
        """If no fairness is enough: a run that breaks the property with everything strong."""
        run = self._native.run(self._number, None)
        return Run(run, self._language) if run else None

    @property
    def annotation(self) -> str:
        """What to paste into the model."""
        return self._native.annotation(self._number)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each item of each assignment."""
        names = ", ".join(self.properties)
        base = {"properties": names, "outcome": self.outcome}
        nothing = {"assignment": None, "fairness": None, "item": None, "level": None, "fails_with": None}
        rows = [
            {
                **base,
                "assignment": place,
                "fairness": ", ".join(each["fairness"]),
                "item": need["item"],
                "level": need["level"],
                "fails_with": need["fails_with"],
            }
            for place, each in enumerate(self.json["assignments"])
            for need in each["needs"]
        ]
        return rows or [{**base, **nothing}]

    def text(self, quiet: bool = False, verbose: bool = False) -> str:
        """What the command prints."""
        return self._native.text(self._number, quiet, verbose)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        ways = " or ".join(" + ".join(each["fairness"]) for each in self.json["assignments"])
        return f"<Advice on {', '.join(self.properties)}: {ways or self.outcome}>"

    def _repr_html_(self) -> str:
        told = listed(", ".join(self.properties), _sentences(self.text(quiet=True)))
        for each in self.assignments[:1]:
            for need in each.needs:
                if need.run is not None:
                    less = "without" if need.fails_with == "absent" else f"with {need.fails_with}"
                    what = f"{less} fairness of {need.item} it fails"
                    told += details(what, need.run._repr_html_())
        return told


def _sentences(text: str) -> list[str]:
    """The lines of a text; those that are indented go on with the one before.

    >>> _sentences("it holds under\\n  weak fairness of p\\n  and nothing less will do.\\nThat is all.")
    ['it holds under weak fairness of p and nothing less will do.', 'That is all.']
    """
    made: list[str] = []
    for line in text.splitlines():
        if line.startswith(" ") and made:
            made[-1] += f" {line.strip()}"
        elif line:
            made.append(line)
    return made


class AdviceReport(Sequence[Advice]):
    """Advice on each property that was asked about."""

    def __init__(self, native: _native.AdviceReport, language: str) -> None:
        self._native = native
        self.json = native.json()
        """The command's JSON."""
        self.items: list[str] = self.json["items"]
        """What fairness was asked about."""
        answers = enumerate(self.json["advice"])
        self.advice = [Advice(native, number, told, language) for number, told in answers]

    def __len__(self) -> int:
        return len(self.advice)

    @overload
    def __getitem__(self, which: Union[int, str]) -> Advice: ...
    @overload
    def __getitem__(self, which: slice) -> list[Advice]: ...
    def __getitem__(self, which: Union[int, str, slice]) -> Union[Advice, list[Advice]]:
        if not isinstance(which, str):
            return self.advice[which]
        for each in self.advice:
            if which in each.properties:
                return each
        raise KeyError(f"there is no advice on {which!r}")

    def __iter__(self) -> Iterator[Advice]:
        return iter(self.advice)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each item of each assignment, for `pandas.DataFrame`."""
        return [row for each in self.advice for row in each.rows()]

    def page(self, height: int = 640) -> Page:
        """Everything on a page, with runs to step through."""
        return Page(self._native.page(), height)

    def __str__(self) -> str:
        return "\n".join(str(each) for each in self.advice)

    def __repr__(self) -> str:
        return f"<AdviceReport: {'; '.join(repr(each)[1:-1] for each in self.advice)}>"

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self.advice)


@dataclass(frozen=True)
class States:
    """How large a model is."""

    states: Union[int, float, None]
    transitions: Union[int, float, None]
    deadlocks: Union[int, float, None]
    depth: Optional[int]
    seconds: float
    bytes_per_state: Optional[float]
    complete: bool
    reason: Optional[str]
    """Why it is not complete."""

    def row(self) -> dict[str, Any]:
        """The numbers as a row of a table."""
        return asdict(self)

    def rows(self) -> list[dict[str, Any]]:
        return [self.row()]
