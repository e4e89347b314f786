"""Results as HTML for notebooks. Whatever comes from a model is text, never markup."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable, Mapping, Sequence

COLOURS = {"holds": "#1a7f37", "violated": "#cf222e", "unknown": "#9a6700"}


def cell(value: object) -> str:
    """A value of a table."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, (list, tuple)):
        return escape(", ".join(str(each) for each in value))
    return escape(str(value))


def table(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> str:
    """A table of rows."""
    head = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in columns)
    body = []
    for row in rows:
        cells = []
        for name in columns:
            text = cell(row.get(name))
            if name in ("verdict", "outcome") and text in COLOURS:
                text = f"<b style='color:{COLOURS[text]}'>{text}</b>"
            elif name == "formula" and text:
                text = f"<code>{text}</code>"
            cells.append(f"<td style='text-align:left'>{text}</td>")
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def sentence(text: str) -> str:
    """A sentence; what stands between backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # One of them is not a quote.
        return escape(text)
    return "".join(f"<code>{escape(part)}</code>" if at % 2 else escape(part) for at, part in enumerate(parts))


def listed(heading: str, items: Sequence[str]) -> str:
    """Sentences under a heading; nothing if there are none."""
    if not items:
        return ""
    inner = "".join(f"<li>{sentence(item)}</li>" for item in items)
    return f"<div><b>{escape(heading)}</b><ul>{inner}</ul></div>"


def details(summary: str, inner: str, is_open: bool = False) -> str:
    """Something to unfold."""
    word = " open" if is_open else ""
    return f"<details{word}><summary>{escape(summary)}</summary>{inner}</details>"


def scrolling(inner: str) -> str:
    """A picture that may be wider than the page."""
    return f"<div style='overflow-x:auto'>{inner}</div>"


class Page:
    """A whole page, which a notebook shows in a frame of its own."""

    def __init__(self, html: str, height: int = 640) -> None:
        self.html = html
        self.height = height

    def save(self, path: Any) -> None:
        """Writes it to a file, to open in a browser."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # Its script runs in the frame alone, which belongs to no origin.
        return (
            f"<iframe sandbox='allow-scripts' style='width:100%;height:{int(self.height)}px;border:0' "
            f'srcdoc="{escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page of {len(self.html):,} characters; save(path) writes it>"
