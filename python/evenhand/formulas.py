"""Formulas of linear time and omega-automata, without a model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any, NamedTuple, Optional

from . import _native
from .display import listed, scrolling, table
from .words import counted


@dataclass(frozen=True)
class Formula:
    """What a formula says. A word is a dict of `prefix` and `cycle`, lists of letters: which atoms hold."""

    formula: str
    simplified: str
    class_: str
    """Its place in the hierarchy of Manna and Pnueli, such as `safety` or `recurrence`."""
    class_is_exact: bool
    """Whether that is the lowest class for what it says, and not one that its syntax shows."""
    stutter_invariant: Optional[bool]
    satisfiable: bool
    model: Optional[dict[str, Any]]
    """A word on which it holds."""
    valid: bool
    counterexample: Optional[dict[str, Any]]
    """A word on which it does not."""
    equivalent_to_first: Optional[bool]
    first_is: Optional[str]
    """What the first formula is to this one: `equivalent`, `stronger`, `weaker` or `different`."""
    first_only: Optional[dict[str, Any]]
    """A word on which the first formula holds and this one does not."""
    other_only: Optional[dict[str, Any]]

    def row(self) -> dict[str, Any]:
        """What it says as a row of a table."""
        words = ("model", "counterexample", "first_only", "other_only")
        return {name: value for name, value in asdict(self).items() if name not in words}


class Formulas(list["Formula"]):
    """What several formulas say."""

    def rows(self) -> list[dict[str, Any]]:
        """A row for each formula, for `pandas.DataFrame`."""
        return [each.row() for each in self]

    def _repr_html_(self) -> str:
        rows = self.rows()
        return table(rows, list(rows[0]) if rows else [])


def formula(*texts: str) -> Formulas:
    """What formulas of linear time say: satisfiable, valid, their class; and what the first is to the others.

    >>> formula("F G p", "G F p")[1].first_is
    'stronger'
    """
    told = _native.formula(list(texts))
    return Formulas(Formula(class_=each.pop("class"), **each) for each in told)


class Edge(NamedTuple):
    """An edge of an automaton."""

    source: int
    target: int
    label: str
    marks: list[int]


class Automaton:
    """An omega-automaton with marks on its edges."""

    def __init__(self, native: _native.Automaton) -> None:
        self._native = native
        self.name = native.name
        """The formula."""
        self.states = native.states
        """How many states it has."""
        self.propositions = native.propositions
        self.acceptance = native.acceptance
        """When a run of it is accepting, in words."""

    @property
    def edges(self) -> list[Edge]:
        return [Edge(*each) for each in self._native.edges()]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each edge, for `pandas.DataFrame`."""
        return [each._asdict() for each in self.edges]

    @property
    def hoa(self) -> str:
        """The Hanoi format, which other tools read."""
        return self._native.hoa()

    @property
    def dot(self) -> str:
        """The format of Graphviz."""
        return self._native.dot()

    @property
    def never(self) -> str:
        """A never claim of Promela."""
        return self._native.never()

    def _repr_svg_(self) -> Optional[str]:
        return self._native.svg()

    def _repr_html_(self) -> str:
        picture = self._native.svg()
        if picture is None:
            many = table(self.rows()[:100], ["source", "target", "label", "marks"])
            return f"<p>{self.states} states, too many for a picture; the first edges:</p>{many}"
        states = counted(self.states, "state")
        heading = f"{self.name}: {states}" if self.name else states
        caption = f"<div><code>{escape(heading)}</code></div>"
        return caption + scrolling(picture) + listed("A run of it is", [self.acceptance])

    def __str__(self) -> str:
        return self.hoa

    def __repr__(self) -> str:
        states, edges = counted(self.states, "state"), counted(len(self.edges), "edge")
        return f"<Automaton of {self.name}: {states}, {edges}>"


def translate(text: str, kind: str = "tgba", *, limit_edges: int = 1_000_000) -> Automaton:
    """An automaton for the words of a formula: `tgba`, `buchi` or `streett`.

    >>> translate("G F p", "buchi").states
    1
    """
    return Automaton(_native.translate(text, kind, limit_edges))
