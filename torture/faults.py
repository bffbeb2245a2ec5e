"""Commands of which one call to the system fails."""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
from pathlib import Path

from .commands import all_commands, scratch
from .tally import Tally, is_harmless

PROMISE = (
    "a sentence and exit code 2, with each file as it was; or, where the call can be done without, the whole result"
)
CODES = {
    "open": (errno.EMFILE, errno.EACCES, errno.ENOSPC, errno.EINTR),
    "write": (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EINTR),
    "read": (errno.EIO, errno.EINTR),
    "fsync": (errno.EIO, errno.ENOSPC),
    "rename": (errno.EIO, errno.EACCES, errno.ENOSPC),
    "close": (errno.EIO, errno.EINTR),
    "mmap": (errno.ENOMEM, errno.ENODEV),
    "stat": (errno.EACCES, errno.EIO),
    "fstat": (errno.EIO,),
    "malloc": (errno.ENOMEM,),
}


def run(count: int, seed: int, program: str) -> Tally:
    tally = Tally("failing calls", PROMISE)
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise SystemExit("torture: no C compiler to make calls fail with")
    rng = random.Random(seed)
    with scratch() as name, scratch() as tools:
        library = Path(tools) / "faults.so"
        source = Path(__file__).with_name("faults.c")
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
        folder = Path(name)
        commands = all_commands(program, folder, 500)
        for _ in range(count):
            command = rng.choice(commands)
            call = rng.choice(list(CODES))
            code = rng.choice(CODES[call])
            at = int(1.35 ** rng.uniform(0, 12)) if call != "malloc" else rng.randint(1, 60)
            command.prepare(folder)
            mark = Path(tools) / "mark"
            mark.unlink(missing_ok=True)
            done = subprocess.run(
                command.words,
                cwd=folder,
                capture_output=True,
                check=False,
                timeout=120,
                env={
                    **os.environ,
                    "LD_PRELOAD": str(library),
                    "FAULT": f"{call} {at} {code}",
                    "FAULT_MARK": str(mark),
                },
            )
            said = done.stderr.decode(errors="surrogateescape")
            wrong = command.faults(folder, temporary=False)
            if done.returncode not in (0, 2):
                wrong.append(f"ended with {done.returncode}: {said}")
            elif done.returncode == 0:
                missing = [n for n, whole in command.files.items() if (folder / n).read_bytes() != whole]
                wrong += [f"exit code 0, and {n} is not written" for n in missing]
            elif not said.startswith("plumbline: ") or said.count("\n") > 3:
                wrong.append(f"no sentence: {said!a}")
            if not is_harmless(said):
                wrong.append(f"raw text: {said!a}")
            words = f"{command.words[1:]} {call} {at} {errno.errorcode[code]}"
            end = "done all the same" if done.returncode == 0 else "refused"
            tally.add(end if mark.is_symlink() else "never made that call", [f"{words}: {w}" for w in wrong])
    return tally
