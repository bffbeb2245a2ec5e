"""What a fit was asked for, kept until somebody asks what was learned."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from . import _core


@dataclass
class Task:
    """Options of a fit to moments, as they were when its last rows came."""

    options: dict[str, Any]
    missing: str
    _locks: dict[int, Lock] = field(default_factory=dict, repr=False, compare=False)

    def core_options(self) -> _core.FitOptions:
        return _core.FitOptions(**self.options)

    @property
    def lock(self) -> Lock:
        """Of this process: one that was held where a process forked would be held there for ever."""
        return self._locks.setdefault(os.getpid(), Lock())

    def __getstate__(self) -> dict[str, Any]:
        return {"options": self.options, "missing": self.missing, "_locks": {}}
