"""The paper's data as frames of pandas: its simulations, and the published tables.

Published files are looked for in the folder given, then in ``$PLUMBLINE_DATA_DIR``, then in the cache, where
``plumbline data fetch`` and ``fetch=True`` leave them; they are never part of this package.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._sensitive_numbers import whole_number

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "insurance_counterfactual",
    "load_adult",
    "load_compas",
    "load_crime",
    "loan_counterfactual",
    "make_insurance",
    "make_loan",
]

_ADULT_PARTS = {"train": ["adult.data"], "test": ["adult.test"], "all": ["adult.data", "adult.test"]}


def _need_pandas() -> None:
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise ImportError("the data are frames of pandas; install it with: pip install pandas") from error


# Simulations


def make_insurance(rows: int = 10_000, *, random_state: int = 0) -> pd.DataFrame:
    """Insurance prices y that depend on a sensitive number b and on features A1 to A4.

    The same rows as ``plumbline data generate insurance`` gives for that seed, on any machine.

    Parameters
    ----------
    rows : int
    random_state : int
        The seed.

    Examples
    --------
    >>> from plumbline.datasets import make_insurance
    >>> list(make_insurance(5).columns)
    ['b', 'A1', 'A2', 'A3', 'A4', 'y']
    """
    return _insurance_frame(_core.insurance(*_size(rows, random_state)))


def insurance_counterfactual(b: ArrayLike, *, random_state: int = 0) -> pd.DataFrame:
    """The rows of `make_insurance`, had their b been these: noises stay, what follows from b moves.

    Parameters
    ----------
    b : array of shape (n,)
    random_state : int
        The seed of the rows.

    Examples
    --------
    >>> from plumbline.datasets import insurance_counterfactual, make_insurance
    >>> prices = make_insurance(5)
    >>> insurance_counterfactual(prices["b"]).equals(prices)
    True
    """
    other = np.ascontiguousarray(b, dtype=np.float64)
    if other.ndim != 1:
        raise _core.Error(f"b has shape {other.shape}; it must have one dimension")
    return _insurance_frame(_core.insurance_counterfactual(_core.insurance(*_size(len(other), random_state)), other))


def make_loan(rows: int = 10_000, *, random_state: int = 0) -> pd.DataFrame:
    """Loan decisions `approved` that depend on three groups `race`, on `education` and on `income`.

    The same rows as ``plumbline data generate loan`` gives for that seed, on any machine.

    Parameters
    ----------
    rows : int
    random_state : int
        The seed.

    Examples
    --------
    >>> from plumbline.datasets import make_loan
    >>> sorted(make_loan(100)["race"].unique())
    ['r0', 'r1', 'r2']
    """
    return _loan_frame(_core.loan(*_size(rows, random_state)))


def loan_counterfactual(race: ArrayLike, *, random_state: int = 0) -> pd.DataFrame:
    """The rows of `make_loan`, had their race been these: noises stay, what follows from the group moves.

    Parameters
    ----------
    race : array of shape (n,)
        Of r0, r1 and r2.
    random_state : int
        The seed of the rows.

    Examples
    --------
    >>> from plumbline.datasets import loan_counterfactual, make_loan
    >>> loans = make_loan(5)
    >>> loan_counterfactual(loans["race"]).equals(loans)
    True
    """
    names = [_core.loan_group_name(group) for group in range(3)]
    labels = np.asarray(race)
    unknown = sorted(set(labels.tolist()) - set(names))
    if unknown:
        raise _core.Error(f"race has '{unknown[0]}'; it must be one of {', '.join(names)}")
    groups = np.array([names.index(label) for label in labels.tolist()], dtype=np.int32)
    return _loan_frame(_core.loan_counterfactual(_core.loan(*_size(len(groups), random_state)), groups))


def _size(rows: int, random_state: int) -> tuple[int, int]:
    return whole_number("rows", rows, most=2**31 - 1), whole_number("random_state", random_state)


def _insurance_frame(rows: _core.InsuranceRows) -> pd.DataFrame:
    _need_pandas()
    import pandas as pd

    features = {f"A{j + 1}": rows.a[:, j] for j in range(rows.a.shape[1])}
    return pd.DataFrame({"b": rows.b, **features, "y": rows.y})


def _loan_frame(rows: _core.LoanRows) -> pd.DataFrame:
    _need_pandas()
    import pandas as pd

    names = np.array([_core.loan_group_name(group) for group in range(3)], dtype=object)
    return pd.DataFrame(
        {
            "race": names[rows.group],
            "education": rows.education,
            "income": rows.income,
            "approved": rows.approved.astype(np.int64),
        }
    )


# Published tables


def load_adult(part: str = "all", *, data_dir: str | Path | None = None, fetch: bool = False) -> pd.DataFrame:
    """Census Income: whether a person earns over $50K a year; sensitive are race and sex.

    Parameters
    ----------
    part : {"all", "train", "test"}
        As published; labels of the test part lose the full stop that its file has after them.
    data_dir : path, optional
        Where the files are looked for first, and where `fetch` puts them.
    fetch : bool
        Download what is not there, from the published source; its checksum is looked at either way.

    Examples
    --------
    >>> from plumbline.datasets import load_adult
    >>> load_adult("train", fetch=True).shape  # doctest: +SKIP
    (32561, 15)
    """
    if part not in _ADULT_PARTS:
        raise _core.Error(f"part is '{part}'; it must be one of {', '.join(_ADULT_PARTS)}")
    frame = _load("adult", data_dir, fetch, _ADULT_PARTS[part])
    frame["income"] = frame["income"].str.rstrip(".")
    return frame


def load_compas(*, data_dir: str | Path | None = None, fetch: bool = False) -> pd.DataFrame:
    """COMPAS: whether a defendant is charged again within two years; sensitive are race and sex.

    Parameters
    ----------
    data_dir : path, optional
        Where the files are looked for first, and where `fetch` puts them.
    fetch : bool
        Download what is not there, from the published source; its checksum is looked at either way.

    Examples
    --------
    >>> from plumbline.datasets import load_compas
    >>> len(load_compas(fetch=True))  # doctest: +SKIP
    7214
    """
    return _load("compas", data_dir, fetch)


def load_crime(*, data_dir: str | Path | None = None, fetch: bool = False) -> pd.DataFrame:
    """Communities and Crime: violent crimes per head; sensitive is racepctblack.

    Parameters
    ----------
    data_dir : path, optional
        Where the files are looked for first, and where `fetch` puts them.
    fetch : bool
        Download what is not there, from the published source; its checksum is looked at either way.

    Examples
    --------
    >>> from plumbline.datasets import load_crime
    >>> len(load_crime(fetch=True))  # doctest: +SKIP
    1994
    """
    return _load("crime", data_dir, fetch)


def _load(name: str, data_dir: str | Path | None, fetch: bool, wanted: list[str] | None = None) -> pd.DataFrame:
    _need_pandas()
    import pandas as pd

    dataset = _core.find_dataset(name)
    folder = Path(data_dir) if data_dir is not None else Path()
    parts = []
    for file in dataset.files:
        if wanted is not None and file.name not in wanted:
            continue
        try:
            path = _core.find_dataset_file(file.name, folder)
        except _core.Error:
            if not fetch:
                raise
            path = _fetch(file, Path(data_dir) if data_dir is not None else _core.cache_directory())
        _check(file, path.read_bytes(), path)
        parts.append(
            pd.read_csv(
                path,
                names=dataset.columns,
                skiprows=file.lines_before_data,
                na_values="?",
                skipinitialspace=True,
            )
        )
    return pd.concat(parts, ignore_index=True)


def _check(file: _core.DatasetFile, content: bytes, where: object) -> None:
    plain = content.replace(b"\r\n", b"\n") if file.crlf_as_lf else content
    found = hashlib.sha256(plain).hexdigest()
    if found != file.sha256:
        raise _core.Error(
            f"'{where}' is not the published {file.name}: its SHA-256 is {found} and should be {file.sha256}"
        )


def _fetch(file: _core.DatasetFile, folder: Path) -> Path:
    """Downloads to a temporary name and renames, so that a file is there as a whole or not at all."""
    mirror = os.environ.get("PLUMBLINE_DATA_URL")
    url = f"{mirror.rstrip('/')}/{file.name}" if mirror else file.url
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            content = answer.read()
    except OSError as error:
        raise _core.Error(f"'{url}' could not be read: {error}") from error
    _check(file, content, url)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / file.name
    descriptor, aside = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(content)
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise
    return path
