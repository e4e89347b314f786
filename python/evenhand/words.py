"""Words for numbers."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "state"), counted(2, "state")
    ('1 state', '2 states')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"
