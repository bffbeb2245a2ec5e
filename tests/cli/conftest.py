"""What the tests of the command line share; a program that is not built is a failure, never a skip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from . import tool


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tool.write(tool.numbers(60, seed=51).assign(race=["A", "B", "C"] * 20), tmp_path / "t.csv")


@pytest.fixture
def model(table: Path) -> Path:
    return tool.fit(table, "s0,race")


@pytest.fixture
def refused(tmp_path: Path) -> Callable[..., str]:
    """Runs a call that must end with one sentence and exit code 2, and must leave every file below tmp_path as it was:
    first with no file at the outputs, then with old ones and --force."""

    def check(*args: object, says: tool.Words = (), outputs: tuple[str, ...] = (), **more: object) -> str:
        sentence = refusal(*args, **more)
        for words in says:
            assert words in sentence
        if outputs:
            for name in outputs:
                assert not (tmp_path / name).exists()
                (tmp_path / name).write_text("old")
            assert refusal(*args, "--force", **more) == sentence
            for name in outputs:
                (tmp_path / name).unlink()
        return sentence

    def refusal(*args: object, **more: object) -> str:
        before = tool.files_in(tmp_path)
        done = tool.run(*args, **more)
        assert (done.code, done.out) == (2, b""), done
        assert done.err.startswith("plumbline: ")
        assert done.err.endswith("\n")
        assert done.err.count("\n") == 1, "one sentence, on one line"
        assert tool.files_in(tmp_path) == before
        return done.err

    return check
