"""Models, and what can be asked of them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import timedelta
from operator import index
from typing import Any, Iterable, Iterator, Mapping, Optional, Union

from . import _native
from .display import listed, table
from .errors import Diagnostic, InputError
from .formulas import Automaton
from .progress import Progress, shown
from .results import AdviceReport, Report, States
from .runs import Run

Path = Union[str, "os.PathLike[str]"]
Texts = Union[str, Iterable[str]]
"""One text, or several."""
Automata = Union[Automaton, Path, Iterable[Union[Automaton, Path]]]
"""Automata, or files in HOA format."""


def load(
    path: Path,
    *,
    language: Optional[str] = None,
    define: Optional[Mapping[str, object]] = None,
    include: Iterable[Path] = (),
    confined: bool = False,
    properties: Iterable[Path] = (),
    config: Optional[Path] = None,
    constants: Optional[Mapping[str, object]] = None,
) -> Model:
    """Reads a model from a file, whose name tells the language unless `language` does.

    `define` gives macros to a preprocessor, `include` has folders for included files, and with `confined`
    nothing else is included; `properties` are files of the Model Checking Contest, `config` is a
    configuration of TLC (without it `NAME.cfg` beside the module is one), and `constants` gives constants of
    TLA+ their values.
    """
    reading = _reading(language, define, include, confined, properties, config, constants)
    with _naming_config():
        return Model(_native.load(os.fspath(path), reading))


def parse(
    text: str,
    language: Optional[str] = None,
    *,
    name: str = "model",
    define: Optional[Mapping[str, object]] = None,
    include: Iterable[Path] = (),
    confined: bool = False,
    properties: Iterable[Path] = (),
    config: Optional[Path] = None,
    constants: Optional[Mapping[str, object]] = None,
) -> Model:
    """Reads a model from a text, which tells the language unless `language` does; the rest is as for `load`.

    A module of TLA+ needs `config`, unless `NAME.cfg` is beside the file that `name` names.

    >>> parse("active proctype p() { skip }").language
    'promela'
    """
    reading = _reading(language, define, include, confined, properties, config, constants)
    with _naming_config():
        return Model(_native.parse(text, name, reading))


@contextmanager
def _naming_config() -> Iterator[None]:
    """Whoever has no configuration for TLA+ is told how it is given here."""
    try:
        yield
    except InputError as error:
        if error.diagnostics and error.diagnostics[0].message.startswith("there is no configuration"):
            more = "; give its file as `config=`"
            first = error.diagnostics[0]
            first = first._replace(help=(first.help or "a configuration is needed") + more)
            told = [first, *error.diagnostics[1:]]
            raise InputError(error.message + more, [each._asdict() for each in told]) from None
        raise


def _reading(
    language: Optional[str],
    define: Optional[Mapping[str, object]],
    include: Iterable[Path],
    confined: bool,
    properties: Iterable[Path],
    config: Optional[Path],
    constants: Optional[Mapping[str, object]],
) -> dict[str, Any]:
    macros = (define or {}).items()
    values = (constants or {}).items()
    return {
        "language": language,
        "define": [(name, None if value is None else str(value)) for name, value in macros],
        "include": [os.fspath(path) for path in include],
        "confined": confined,
        "properties": [_named_text(path) for path in properties],
        "configuration": None if config is None else _named_text(config),
        "constants": [f"{name} = {value}" for name, value in values],
    }


def _named_text(path: Path) -> tuple[str, str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        return os.fspath(path), file.read()


def _texts(given: Texts) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _automata(given: Automata, good: bool) -> list[tuple[str, str, bool]]:
    if isinstance(given, (Automaton, str, os.PathLike)):
        given = [given]
    made = []
    for each in given:
        if isinstance(each, Automaton):
            made.append((each.name or "automaton", each.hoa, good))
        else:
            made.append((*_named_text(each), good))
    return made


def _limits(
    limit_states: Optional[int] = None,
    limit_memory: Optional[int] = None,
    limit_time: Union[float, timedelta, None] = None,
    threads: Optional[int] = None,
    compress: bool = False,
) -> dict[str, Any]:
    return {
        "limit_states": _number("limit_states", limit_states),
        "limit_memory": _number("limit_memory", limit_memory),
        "limit_time": _seconds(limit_time),
        "threads": _number("threads", threads),
        "compress": compress,
    }


def _number(name: str, given: Optional[int]) -> Optional[int]:
    if given is not None and not 0 <= index(given) < 1 << 64:
        raise ValueError(f"{name} is a number from 0 to 2^64 - 1, not {given}")
    return given


def _seconds(time: Union[float, timedelta, None]) -> Optional[float]:
    return time.total_seconds() if isinstance(time, timedelta) else time


class Model:
    """A model that was read. Asking does not change it, and threads can share it."""

    def __init__(self, native: _native.Model) -> None:
        self._native = native
        about = native.about
        self.name: str = about["name"]
        self.language: str = about["language"]
        self.processes: list[str] = about["processes"]
        """The process types."""
        self.fairness: list[str] = about["fairness"]
        """The fairness assumptions that it declares."""
        self.files: dict[str, str] = {each["name"]: each["text"] for each in about["files"]}
        """The texts it was read from, by name."""
        self.warnings = [Diagnostic(**each) for each in about["warnings"]]

    @property
    def text(self) -> str:
        """The text of its main file."""
        return next(iter(self.files.values()), "")

    def properties(self) -> list[dict[str, Any]]:
        """What is checked if nothing in particular is asked: name, kind and formula."""
        return self._native.properties()

    def check(
        self,
        *properties: str,
        ltl: Texts = (),
        ctl: Texts = (),
        invariant: Texts = (),
        automaton: Automata = (),
        good_automaton: Automata = (),
        fair: Texts = (),
        no_fairness: bool = False,
        deadlock: Optional[str] = None,
        engine: Optional[str] = None,
        counterexample: str = "shortest",
        reduce: str = "auto",
        max_depth: Optional[int] = None,
        budget: Union[float, timedelta, None] = None,
        limit_states: Optional[int] = None,
        limit_memory: Optional[int] = None,
        limit_time: Union[float, timedelta, None] = None,
        threads: Optional[int] = None,
        compress: bool = False,
        progress: Progress = None,
    ) -> Report:
        """Checks properties of the model by name, formulas and automata; without any, what the model states.

        `fair` assumes fairness besides what the model declares, which `no_fairness` leaves out; an
        `automaton` describes the bad runs, a `good_automaton` the good ones. `counterexample` is `shortest`,
        `all`, `first` or `none`; `deadlock` is `error`, `ignore`, `stutter` or `maximal`. Limits end in the
        verdict `unknown`: `limit_time` and `budget` (for shorter runs) in seconds, `limit_memory` in bytes.
        """
        asked = {
            "properties": list(properties),
            "invariant": _texts(invariant),
            "ltl": _texts(ltl),
            "ctl": _texts(ctl),
            "automata": _automata(automaton, False) + _automata(good_automaton, True),
            "fair": _texts(fair),
            "no_fairness": no_fairness,
            "deadlock": deadlock,
            "engine": engine,
            "counterexample": counterexample,
            "reduce": reduce,
            "max_depth": _number("max_depth", max_depth),
            "budget": _seconds(budget),
            "limits": _limits(limit_states, limit_memory, limit_time, threads, compress),
        }
        with shown(progress) as told:
            return Report(self._native.check(asked, told), self.language)

    def advise(
        self,
        *properties: str,
        ltl: Texts = (),
        fair: Texts = (),
        by: str = "type",
        together: bool = False,
        budget: Union[float, timedelta, None] = None,
        limit_states: Optional[int] = None,
        limit_memory: Optional[int] = None,
        limit_time: Union[float, timedelta, None] = None,
        threads: Optional[int] = None,
        compress: bool = False,
        progress: Progress = None,
    ) -> AdviceReport:
        """Finds the least fairness under which properties hold.

        Items are process types, each `instance`, or the statements at each `label`. What the model declares
        does not count; what `fair` says is assumed in any case. With `together`, one assignment is looked
        for under which all properties hold.
        """
        asked = {
            "properties": list(properties),
            "ltl": _texts(ltl),
            "fair": _texts(fair),
            "by": by,
            "together": together,
            "budget": _seconds(budget),
            "limits": _limits(limit_states, limit_memory, limit_time, threads, compress),
        }
        with shown(progress) as told:
            return AdviceReport(self._native.advise(asked, told), self.language)

    def simulate(
        self,
        steps: int = 100,
        *,
        seed: int = 1,
        limit_memory: Optional[int] = None,
        limit_time: Union[float, timedelta, None] = None,
    ) -> Run:
        """One run at random, which follows from the seed."""
        _number("steps", steps), _number("seed", seed)
        limits = _limits(None, limit_memory, limit_time)
        return Run(self._native.simulate(seed, steps, limits), self.language)

    def states(
        self,
        *,
        engine: Optional[str] = None,
        limit_states: Optional[int] = None,
        limit_memory: Optional[int] = None,
        limit_time: Union[float, timedelta, None] = None,
        threads: Optional[int] = None,
        compress: bool = False,
        progress: Progress = None,
    ) -> States:
        """Explores all reachable states; `engine="symbolic"` counts sets of them."""
        limits = _limits(limit_states, limit_memory, limit_time, threads, compress)
        with shown(progress) as told:
            found = self._native.states(engine, limits, told)
        names = States.__dataclass_fields__
        return States(**{name: found[name] for name in names})

    def __repr__(self) -> str:
        return f"<Model {self.name} ({self.language})>"

    def _repr_html_(self) -> str:
        told = table([{"model": self.name, "language": self.language}], ["model", "language"])
        told += table(self.properties(), ["name", "kind", "formula"])
        return told + listed("Fairness that it declares", self.fairness)


def engines() -> dict[str, str]:
    """What can decide temporal properties: names for `engine=`, and a line about each."""
    return dict(_native.engines())
