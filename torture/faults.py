"""Commands of which one call to the system fails."""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from .commands import Written, all_commands, scratch
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
    "renameat2": (errno.EIO, errno.EACCES, errno.ENOSPC, errno.EINVAL, errno.ENOSYS),
    "access": (errno.EACCES, errno.EIO),
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
        folder, mark = Path(name), Path(tools) / "mark"
        commands = all_commands(program, folder, 500)

        def disturbed(command: Written, **how: str) -> subprocess.CompletedProcess[bytes]:
            command.prepare(folder)
            env = {**os.environ, "LD_PRELOAD": str(library), **how}
            return subprocess.run(command.words, cwd=folder, env=env, capture_output=True, check=False, timeout=120)

        def calls_of(command: Written) -> Counter[str]:
            counts = Path(tools) / "counts"
            counts.unlink(missing_ok=True)
            disturbed(command, FAULT_COUNTS=str(counts))
            return Counter(counts.read_text().split())

        calls = [calls_of(command) for command in commands]
        for _ in range(count):
            which = rng.randrange(len(commands))
            command = commands[which]
            call = rng.choice([name for name in CODES if calls[which][name] > 0])
            code = rng.choice(CODES[call])
            at = rng.randint(1, calls[which][call])
            mark.unlink(missing_ok=True)
            done = disturbed(command, FAULT=f"{call} {at} {code}", FAULT_MARK=str(mark))
            said = done.stderr.decode(errors="surrogateescape")
            wrong = command.faults(folder, temporary=False)
            if done.returncode not in (0, 2):
                wrong.append(f"ended with {done.returncode}: {said}")
            elif done.returncode == 0:
                found = {n: (folder / n).read_bytes() if (folder / n).exists() else b"" for n in command.files}
                missing = [n for n, whole in command.files.items() if found[n] != whole]
                wrong += [f"exit code 0, and {n} is not written" for n in missing]
            elif not said.startswith("plumbline: ") or said.count("\n") > 3:
                wrong.append(f"no sentence: {said!a}")
            if not is_harmless(said):
                wrong.append(f"raw text: {said!a}")
            words = f"{command.words[1:]} {call} {at} {errno.errorcode[code]}"
            end = "done all the same" if done.returncode == 0 else "refused"
            tally.add(end if mark.is_symlink() else "never made that call", [f"{words}: {w}" for w in wrong])
    return tally
