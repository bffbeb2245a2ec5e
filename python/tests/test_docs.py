"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import matplotlib
import nbformat
import plumbline
import pytest
from nbclient import NotebookClient

matplotlib.use("Agg")
ROOT = Path(__file__).resolve().parents[2]
MODULES = ["moments", "metrics", "methods", "datasets", "plot"]
HIDDEN = ["_estimators", "_generator", "_adversarial"]  # whose classes are found elsewhere


@pytest.mark.parametrize("name", [*MODULES, *HIDDEN])
def test_examples_of_docstrings(name):
    module = importlib.import_module(f"plumbline.{name}")
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0
    assert found.attempted > 0


def public() -> dict[str, Any]:
    modules = [plumbline, *(importlib.import_module(f"plumbline.{name}") for name in MODULES)]
    things = {f"{module.__name__}.{name}": getattr(module, name) for module in modules for name in module.__all__}
    return {name: thing for name, thing in things.items() if callable(thing)}


@pytest.mark.parametrize("name", public())
def test_public_names_have_examples_that_run(name):
    tests = doctest.DocTestFinder().find(public()[name], name, globs={})
    assert tests[0].examples
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in tests:
        assert runner.run(test).failed == 0


@pytest.mark.parametrize("name", public())
def test_arguments_of_public_names_are_described(name):
    thing = public()[name]
    called = [thing] if not inspect.isclass(thing) else [getattr(thing, key) for key in dir(thing) if key[0] != "_"]
    for function in called:
        is_ours = inspect.isfunction(function) or inspect.ismethod(function)  # and no method of the engine
        if is_ours and function.__module__.startswith("plumbline."):
            given = set(inspect.signature(function).parameters) - {"self"}
            described = (function.__doc__ or "").partition("Parameters\n")[2].partition("Examples\n")[0]
            assert {argument for argument in given if argument not in described} == set(), function.__qualname__


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
