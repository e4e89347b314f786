"""The package itself: its stubs tell of everything native, and the pages about it are true."""

import ast
import doctest
import importlib
import re
from importlib.metadata import distribution
from pathlib import Path

import pytest

import evenhand
from evenhand import _native

from conftest import ROOT, missing

PACKAGE = Path(evenhand.__file__).parent


def test_the_stubs_tell_of_everything():
    tree = ast.parse((PACKAGE / "_native.pyi").read_text())
    told = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            told[node.name] = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            told[node.name] = set()
    public = {name for name in dir(_native) if not name.startswith("_")}
    assert public == set(told)
    for name, members in told.items():
        if members:
            there = {each for each in vars(getattr(_native, name)) if not each.startswith("_")}
            assert there == members, name
    assert (PACKAGE / "py.typed").exists()


def test_licences_are_in_the_wheel():
    """Its own, and in CI those of the crates that are linked into it."""
    files = [str(path) for path in distribution("evenhand").files or []]
    texts = {Path(name).name: name for name in files if ".dist-info/" in name and "LICEN" in name}
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= set(texts), files
    if "LICENCES-OF-DEPENDENCIES.txt" not in texts:
        missing("the licences of the crates inside are not there; .ci/python writes them")
    told = distribution("evenhand").read_text(texts["LICENCES-OF-DEPENDENCIES.txt"].split("/", 1)[1])
    assert told is not None
    assert re.search(r"^pyo3 \d", told, re.MULTILINE) and "Permission is hereby granted" in told
    assert not re.search(r"^clap \d", told, re.MULTILINE), "what the command alone needs is not inside"


def test_everything_is_exported():
    for name in evenhand.__all__:
        assert getattr(evenhand, name) is not None
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", evenhand.__version__)


@pytest.mark.parametrize("name", ["evenhand", "evenhand.model", "evenhand.formulas"])
def test_examples_in_the_text_are_true(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted and not found.failed


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "python/README.md"])
def test_the_pages_are_true(page, monkeypatch, tmp_path):
    """Every block of Python on a page is run, in one namespace and in the repository's folder; a comment
    `# …` behind an expression is not compared, but lines with `>>>` are."""
    text = (ROOT / page).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    (tmp_path / "models").symlink_to(ROOT / "models")
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    for block in blocks:
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, space, page, page, 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            assert not runner.failures
            space.update(test.globs)
        else:
            exec(compile(block, page, "exec"), space)


def test_the_notebook_runs():
    try:
        import ipykernel  # noqa: F401
        import nbclient as client
        import nbformat
    except ImportError as error:
        missing(f"{error}; `pip install evenhand[test]` brings it")
    path = ROOT / "python" / "notebooks" / "fairness.ipynb"
    notebook = nbformat.read(path, as_version=4)
    client.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = "".join(output.get("data", {}).get("text/html", "") for output in outputs)
    assert shown.count("<svg") >= 3 and "violated" in shown and "holds" in shown
    assert not any(output.output_type == "error" for output in outputs)
    kept = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in kept.cells), "outputs are made, not kept"
