"""A bar for long calls: tqdm's where it is installed, and a line on standard error where it is not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from types import TracebackType

BLOCK = 65_536  # rows between two looks at the bar: whole leaves of the moments, so the result has the same bits


class Progress:
    """Counts rows, or what else work consists of; does nothing unless it is wanted."""

    def __init__(self, wanted: bool, what: str, total: int | None, unit: str = "rows"):
        self.wanted, self.what, self.total, self.unit, self.done = wanted, what, total, unit, 0
        self._bar, self._lock = None, Lock()
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, desc=what, unit=f" {unit}", unit_scale=True)

    def of_rows(self) -> Callable[[int], None] | None:
        """For the engine: a function to call with the rows of one table that are done. None: nobody looks."""
        if not self.wanted:
            return None
        before = 0

        def report(done: int) -> None:
            nonlocal before
            self.add(max(done - before, 0))  # a table may be read more than once
            before = max(done, before)

        return report

    def reporter(self) -> Callable[..., None] | None:
        """For the engine: a function to call after each epoch of a training, or each row. None: nobody looks."""
        return (lambda *_: self.add(1)) if self.wanted else None

    def count(self, steps: Iterable[int]) -> None:
        """Goes through the steps of some work, each of so many rows."""
        for count in steps:
            self.add(count)

    def add(self, count: int) -> None:
        """Any thread may call it."""
        with self._lock:
            self._add(count)

    def _add(self, count: int) -> None:
        self.done += count
        if self._bar is not None:
            self._bar.update(count)
        elif self.wanted:
            share = "" if not self.total else f" of {self.total}"
            sys.stderr.write(f"\r{self.what}: {self.done}{share} {self.unit}")
            sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self.wanted and self.done:
            sys.stderr.write("\n")


@contextmanager
def bar_of_parts(wanted: bool, what: str) -> Iterator[Callable[[int, int], None] | None]:
    """For the engine: a function to call with the parts of some work that are done, and how many there are. The bar is
    there from the first call on."""
    bar: Progress | None = None

    def report(done: int, of: int) -> None:
        nonlocal bar
        bar = bar or Progress(True, what, of, "parts")
        bar.add(done - bar.done)

    try:
        yield report if wanted else None
    finally:
        if bar is not None:
            bar.__exit__(None, None, None)
