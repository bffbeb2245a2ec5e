"""What was tried and what went wrong, of each kind."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

SHOWN = 5  # failures of a kind that are told in full


@dataclass
class Tally:
    name: str
    promise: str
    tried: int = 0
    ends: Counter[str] = field(default_factory=Counter)  # how they ended, in a word or two
    failures: list[str] = field(default_factory=list)

    def add(self, end: str, problems: Iterable[str] = ()) -> None:
        self.tried += 1
        self.ends[end] += 1
        self.failures.extend(problems)

    def add_all(self, other: Tally) -> None:
        self.tried += other.tried
        self.ends += other.ends
        self.failures += other.failures

    def line(self) -> str:
        ends = ", ".join(f"{count:,} {end}" for end, count in self.ends.most_common())
        return f"| {self.name} | {self.tried:,} | {ends} | {len(self.failures)} | {self.promise} |"


HEADER = "| what | tried | how they ended | broken promises | promise |\n| --- | --- | --- | --- | --- |"


def is_harmless(text: str) -> bool:
    """Whether a terminal only shows it, in the order in which it stands."""
    return not any(acts(c) for c in text)


def acts(c: str) -> bool:
    if c == "\n":
        return False
    turns = c in "\u200e\u200f\u061c" or unicodedata.bidirectional(c) in _TURNS
    return turns or unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs")


_TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
