"""The tests notice when nothing is answered: with a native half that says nothing, each of them fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import evenhand

HERE = Path(__file__).parent

# These ask the package nothing.
ABOUT_FILES = {"test_licences_are_in_the_wheel", "test_everything_is_exported"}


def test_empty_answers_fail_every_test(tmp_path):
    package = tmp_path / "evenhand"
    package.mkdir()
    for file in Path(evenhand.__file__).parent.glob("*.py*"):
        shutil.copy(file, package)
    shutil.copy(HERE / "hollow_native.py", package / "_native.py")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--tb=no", f"--ignore={__file__}", HERE],
        # Found before what is installed, in kernels of notebooks too; and nothing skips.
        env={**os.environ, "PYTHONPATH": str(tmp_path), "CI": "1"},
        cwd=tmp_path,  # Where a test is, sources may be.
        capture_output=True,
        text=True,
    )
    told = [line.split() for line in ended.stdout.splitlines() if "::" in line]
    passed = {line[1].split("::")[1] for line in told if line[0] == "PASSED"}
    assert passed <= ABOUT_FILES, passed - ABOUT_FILES
    assert sum(line[0] == "FAILED" for line in told) >= 40, ended.stdout
