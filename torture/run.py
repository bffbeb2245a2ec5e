"""Runs all of it, prints the table, and fails if a promise was broken: python -m torture.run [--problems N] …"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from . import faults, inputs, kills, mutations, problems
from .tally import HEADER, SHOWN, Tally

ROOT = Path(__file__).resolve().parents[1]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--faults", type=int, default=1_500)
    parser.add_argument("--mutations", type=int, default=100_000)
    parser.add_argument("--inputs", type=int, default=1, help="0: no kinds of Python input")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=Path, default=ROOT / "build/plumbline")
    parser.add_argument("--output", type=Path, help="where the table goes too")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    program = str(given.program.resolve())
    start = time.monotonic()
    tallies: list[Tally] = []

    def done(*some: Tally) -> None:
        tallies.extend(some)
        for one in some:
            print(one.line(), flush=True)
            for failure in one.failures[:SHOWN]:
                print(f"    {failure}", file=sys.stderr)

    print(HEADER)
    done(problems.run(given.problems, given.seed))
    done(kills.run(given.kills, given.seed, program))
    done(faults.run(given.faults, given.seed, program))
    done(*mutations.run(given.mutations, given.seed, program))
    if given.inputs:
        done(inputs.run())
    broken = sum(len(one.failures) for one in tallies)
    tried, seconds = sum(one.tried for one in tallies), time.monotonic() - start
    print(f"\n{tried:,} tried in {seconds:.0f} s, seed {given.seed}; broken promises: {broken}")
    if given.output:
        given.output.write_text("\n".join([HEADER, *(one.line() for one in tallies)]) + "\n")
    return min(broken, 1)


if __name__ == "__main__":
    sys.exit(main())
