"""What can go wrong.

A missing file is a `FileNotFoundError`, a wrong word for an option such as `counterexample` a `ValueError`,
Ctrl-C a `KeyboardInterrupt`, as everywhere. A limit that is reached while a property is checked is no error: the
verdict is `unknown`.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Sequence


class Diagnostic(NamedTuple):
    """One thing that is wrong with a text, and where."""

    message: str
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    help: Optional[str]


class Error(Exception):
    """Everything that only this package raises."""


class InputError(Error):
    """The model, a formula, a name or an assumption has no meaning.

    `diagnostics` has everything that was found; `file`, `line`, `column` and `help` are those of the first.
    The text of the exception shows the lines.
    """

    def __init__(self, message: str, diagnostics: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(message, diagnostics)
        self.message = message
        self.diagnostics = [Diagnostic(**each) for each in diagnostics]

    def __str__(self) -> str:
        return self.message

    @property
    def _first(self) -> Diagnostic:
        nothing = Diagnostic(self.message, None, None, None, None)
        return self.diagnostics[0] if self.diagnostics else nothing

    @property
    def file(self) -> Optional[str]:
        return self._first.file

    @property
    def line(self) -> Optional[int]:
        return self._first.line

    @property
    def column(self) -> Optional[int]:
        return self._first.column

    @property
    def help(self) -> Optional[str]:
        return self._first.help


class LimitReached(Error):
    """A limit was reached before there was anything to answer."""


class InternalError(Error):
    """A defect of Evenhand: a run that fails its replay, a proof that fails its check."""
