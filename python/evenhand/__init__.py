"""Evenhand: does this temporal property hold on every fair run, and if not, what is the shortest fair run
that breaks it?

>>> import evenhand
>>> model = evenhand.parse('''
... bool free = true;
... active [2] proctype p() {
...     do
...     :: true ->
... want:   atomic { free -> free = false };
... have:   free = true
...     od
... }''')
>>> entry = "[] (p[0]@want -> <> p[0]@have)"
>>> model.check(ltl=entry, fair="weak")[0].verdict
'violated'
>>> model.check(ltl=entry, fair="strong")[0].verdict
'holds'
"""

from ._native import __version__
from .display import Page
from .errors import Diagnostic, Error, InputError, InternalError, LimitReached
from .formulas import Automaton, Edge, Formula, Formulas, formula, translate
from .model import Model, engines, load, parse
from .results import Advice, AdviceReport, Assignment, Need, Property, Report, States
from .runs import Run, Step

__all__ = [
    "Advice",
    "AdviceReport",
    "Assignment",
    "Automaton",
    "Diagnostic",
    "Edge",
    "Error",
    "Formula",
    "Formulas",
    "InputError",
    "InternalError",
    "LimitReached",
    "Model",
    "Need",
    "Page",
    "Property",
    "Report",
    "Run",
    "States",
    "Step",
    "__version__",
    "engines",
    "formula",
    "load",
    "parse",
    "translate",
]
