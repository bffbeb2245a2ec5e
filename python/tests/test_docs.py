"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import nbformat
import plumbline
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["moments", "metrics", "methods", "datasets", "plot"]
HIDDEN = ["_estimators", "_generator", "_adversarial"]  # whose classes are found elsewhere


@pytest.mark.parametrize("name", [*MODULES, *HIDDEN])
def test_examples_of_docstrings(name):
    module = importlib.import_module(f"plumbline.{name}")
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0
    assert found.attempted > 0 or name == "plot"


def test_public_names_are_described():
    for module in (plumbline, *(importlib.import_module(f"plumbline.{name}") for name in MODULES)):
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing) and not isinstance(thing, tuple):
                assert thing.__doc__, name


def test_the_tutorial_runs():
    notebook = nbformat.read(ROOT / "docs" / "tutorial.ipynb", as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()


@pytest.mark.parametrize("page", ["README.md", "docs/from-fairlearn.md", "docs/promises.md"])
def test_python_in_pages_runs(page, tmp_path, monkeypatch):
    """All blocks of a page, in order, as one program."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": "page"})
