"""What the tests share: models, and one that takes longer than anybody waits."""

import os
from pathlib import Path

import pytest

import evenhand

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def models() -> Path:
    return ROOT / "models"


@pytest.fixture(scope="session")
def semaphore(models: Path) -> evenhand.Model:
    return evenhand.load(models / "promela" / "semaphore.pml")


@pytest.fixture(scope="session")
def endless() -> evenhand.Model:
    """More states than can be explored in an hour."""
    text = "byte x[8]; active [8] proctype p() { do :: x[_pid]++ od }"
    return evenhand.parse(text, "promela", name="endless.pml")


def missing(what: str) -> None:
    """Something is not there that a test needs: users skip it, `.ci/run` does not."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def command() -> str:
    """The command, to compare with; `.ci/run` names it."""
    program = os.environ.get("EVENHAND_BIN")
    if program is None:
        missing("EVENHAND_BIN does not name the command")
    return program
