"""The script that builds wheels."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_machine_without_python_has_no_wheels(tmp_path):
    """Nothing built is no success, and what was built before stays."""
    for tool in ("bash", "dirname"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    done = subprocess.run(
        [tmp_path / "bash", ROOT / "scripts" / "wheels.sh"], env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr == "wheels: none of them is there, so nothing was built; install one\n"
    assert done.stdout.count("it is left out") == 4
