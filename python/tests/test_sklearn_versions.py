"""Routing and searches with other versions of scikit-learn than the one of this environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import plumbline
import pytest

HERE = Path(__file__).parent
VERSIONS = os.environ.get("PLUMBLINE_SKLEARN", "").split()
TESTS = ["test_routing.py", "test_search.py"]


@pytest.mark.skipif(
    not VERSIONS, reason="PLUMBLINE_SKLEARN names no versions, such as '==1.6.*'; see make test-sklearn"
)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_version(version, tmp_path):
    """In an environment of its own, made with what PyPI has and with the package that is installed here."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    python = tmp_path / "bin" / "python"
    wanted = ["pandas", "pytest", f"scikit-learn{version.removeprefix('newest')}"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted], check=True)
    where = "import sysconfig; print(sysconfig.get_path('platlib'))"
    packages = Path(subprocess.run([python, "-c", where], check=True, capture_output=True, text=True).stdout.strip())
    shutil.copytree(Path(plumbline.__file__).parent, packages / "plumbline")
    shutil.copy(plumbline._core.__file__, packages / "plumbline")
    info = next(file for file in distribution("plumbline").files or [] if file.name == "METADATA")
    shutil.copytree(Path(info.locate()).parent, packages / Path(info).parent.name)
    subprocess.run([python, "-c", "import sklearn; print('scikit-learn', sklearn.__version__)"], check=True)
    subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(HERE / name for name in TESTS)], check=True
    )
