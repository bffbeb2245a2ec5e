"""Commands that are ended by a signal at any moment."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path

from .commands import all_commands, scratch
from .tally import Tally, is_harmless

PROMISE = "each file is the old or the new one, whole; no temporary file is left, unless by SIGKILL"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def with_default_signals() -> None:
    """What runs in the background of a script is told to ignore some."""
    for name in SIGNALS[1:]:
        signal.signal(name, signal.SIG_DFL)


def run(count: int, seed: int, program: str) -> Tally:
    tally = Tally("kills", PROMISE)
    rng = random.Random(seed)
    with scratch() as name:
        folder = Path(name)
        commands = all_commands(program, folder, 20_000)
        for _ in range(count):
            command, number = rng.choice(commands), rng.choice(SIGNALS)
            command.prepare(folder)
            with subprocess.Popen(
                command.words,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                preexec_fn=with_default_signals,
            ) as process:
                time.sleep(rng.random() * command.seconds * 1.2)
                process.send_signal(number)
                said = process.stderr.read().decode() if process.stderr else ""
            code = process.returncode
            wrong = command.faults(folder, temporary=code == -signal.SIGKILL)
            if code not in (0, -number):
                wrong.append(f"ended with {code}")
            if not is_harmless(said):
                wrong.append("said something raw")
            tally.add(
                "finished before" if code == 0 else "ended", [f"{command.words[1:]} {number.name}: {w}" for w in wrong]
            )
    return tally
