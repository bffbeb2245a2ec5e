"""The one statistic that every fit is a function of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core, _tables
from ._arrays import Floats
from ._columns import Categories, Chunk, concatenated
from ._progress import BLOCK, Progress
from ._rows import RowWeights

__all__ = ["Moments"]


class Moments:
    """Weighted first and second moments of rows: features A and sensitive columns B.

    Rows are added by `update`, in any number of parts; parts that were collected elsewhere are added by `merge` or
    ``+``. An empty statistic changes nothing that it is added to. `fit_moments` of an estimator is fitted to it.

    Parameters
    ----------
    features, sensitive : str, list of str, or int, optional
        Names of the columns, or how many there are. Both are taken from the first rows if they are not given. Columns
        of frames are found by name, unless the names here are made up, as of arrays.
    full : bool
        False: leave out the products of features with each other, which only fits of full rank can do without.

    Examples
    --------
    >>> import numpy as np
    >>> from plumbline.moments import Moments
    >>> rng = np.random.default_rng(0)
    >>> A, B = rng.normal(size=(100, 3)), rng.normal(size=(100, 1))
    >>> both = Moments().update(A[:40], B[:40]) + Moments().update(A[40:], B[40:])
    >>> both.rows
    100
    >>> bool(np.allclose(both.mean_a, A.mean(axis=0)))
    True
    >>> from plumbline import OrthogonalToBias
    >>> OrthogonalToBias().fit_moments(both).certificate_.holds()
    True
    """

    def __init__(
        self,
        features: Sequence[str] | int | None = None,
        sensitive: Sequence[str] | int | None = None,
        *,
        full: bool = True,
    ):
        self._full = full
        self._core = _core.Moments()
        self._table: _core.TableMoments | None = None  # of a table with categories, from a file
        if (features is None) != (sensitive is None):
            raise _core.Error("features and sensitive name the columns of one table; give both or none")
        if features is not None and sensitive is not None:
            self._core = _core.Moments(_names(features, "a"), _names(sensitive, "b"), full)

    def update(self, a: Any, b: Any, sample_weight: ArrayLike | None = None, *, progress: bool = False) -> Moments:
        """Add rows.

        A stream is read chunk by chunk, and nothing is added if a chunk is refused.

        Parameters
        ----------
        a : array, frame or stream of shape (n, q)
        b : array, series or frame of shape (n,) or (n, p)
        sample_weight : array of shape (n,) or float, optional
            Weights of the rows, or of each of them; a weight of 2 is the row twice.
        progress : bool
            Show a bar.

        Returns
        -------
        self
        """
        if self._table is not None:
            raise _core.Error(
                "these moments are of a table with its encoding; collect further rows as moments of their own, to merge"
            )
        features = _tables.read(a, self, min_rows=0)
        sensitive = _tables.read_sensitive(b, self, taken=features.names or ())
        in_parts = progress or features.kind not in ("array", "pandas")  # else the engine adds all rows or none
        into = self._core.copy() if in_parts else self._core
        if not into.feature_names:
            names = features.names or _names(features.n_columns, "a")
            into = _core.Moments(names, sensitive.labels, self._full)
        at_a = _places("a", features, into.feature_names, "a")
        at_b = _places("b", sensitive, into.sensitive_names, "b")
        beside, weights = concatenated(list(sensitive.chunks)), RowWeights(sample_weight)
        if not in_parts:
            weights.check(features.n_rows or 0)
        n_rows = 0
        with Progress(progress, "moments", features.n_rows) as bar:
            for chunk in features.chunks:
                here = slice(n_rows, n_rows + chunk.n_rows)
                n_rows += chunk.n_rows
                some = beside[here] if in_parts else beside
                parts = _numbers(chunk, features, at_a), _numbers(some, sensitive, at_b)
                for count in _summed(into, *parts, weights.of(here), BLOCK if progress else None):
                    bar.add(count)
        if n_rows != beside.n_rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[n_rows, beside.n_rows]}")
        weights.check(n_rows)
        self._core = into
        return self

    def merge(self, other: Moments) -> Moments:
        """Add the rows of another statistic of the same columns.

        Parameters
        ----------
        other : Moments

        Returns
        -------
        self
        """
        if not isinstance(other, Moments):
            raise _core.Error(f"other is {other!r}; it must be Moments")
        if self._table is None and other._table is None:
            self._core.merge(other._core)
        else:
            table = self._of_table()
            table.merge(other._of_table())
            self._core, self._table = table.moments, table
        return self

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        return self.copy().merge(other)

    def __radd__(self, other: object) -> Moments:
        """What `sum` starts from is 0, which is as good as an empty statistic."""
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def copy(self) -> Moments:
        return _wrapped(self._core.copy(), self._full, None if self._table is None else self._table.copy())

    __copy__ = copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moments) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Moments of {self.rows} rows, {len(self.feature_names)} features, {len(self.sensitive_names)} sensitive>"
        )

    def _columns(self) -> tuple[_tables.Table, _tables.Table]:
        """What the columns are, without rows; names that are made up are none."""

        def table(known: list[str], prefix: str) -> _tables.Table:
            names = None if known == _names(len(known), prefix) else known
            return _tables.Table("moments", len(known), names, iter(()), prefix=prefix)

        if self._table is not None:
            encoding = self._table.encoding
            features, sensitive = [[one.name for one in part] for part in (encoding.features, encoding.sensitive)]
            return table(features, "a"), table(sensitive, "b")
        return table(self.feature_names, "a"), table(self.sensitive_names, "b")

    def _of_table(self) -> _core.TableMoments:
        """With what is known of the table's columns: numbers, where it is nothing."""
        return _core.TableMoments(self._core) if self._table is None else self._table.copy()

    # Files

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file form that ``plumbline fit --moments`` reads.

        Parameters
        ----------
        path : str or path
            What ends with .gz or .zst is compressed.
        """
        (self._table or self._core).save(path)

    @staticmethod
    def load(path: str | PathLike[str]) -> Moments:
        """Read a file that `save`, or ``plumbline moments``, has written.

        Parameters
        ----------
        path : str or path
        """
        Path(path).stat()  # raises as Python does where there is no such file
        table = _core.TableMoments.load(path)
        return _wrapped(table.moments, table.full, table if table.encoding.features else None)

    # Numbers

    @property
    def feature_names(self) -> list[str]:
        return self._core.feature_names

    @property
    def sensitive_names(self) -> list[str]:
        return self._core.sensitive_names

    @property
    def full(self) -> bool:
        """Whether products of features with each other are there."""
        return self._core.full if self._core.feature_names else self._full

    @property
    def rows(self) -> int:
        return self._core.rows

    @property
    def weight(self) -> float:
        return self._core.weight

    @property
    def mean_a(self) -> Floats:
        return self._core.mean_a

    @property
    def mean_b(self) -> Floats:
        return self._core.mean_b

    @property
    def scatter_aa(self) -> Floats:
        """Sum of w (a - mean)(a - mean)^T, (q, q)."""
        return self._core.scatter_aa

    @property
    def scatter_ba(self) -> Floats:
        return self._core.scatter_ba

    @property
    def scatter_bb(self) -> Floats:
        return self._core.scatter_bb


def _wrapped(core: _core.Moments, full: bool, table: _core.TableMoments | None = None) -> Moments:
    out = Moments(full=full)
    out._core, out._table = core, table
    return out


def _summed(into: _core.Moments, a: _core.Columns, b: _core.Columns, weights: Any, block: int | None) -> Iterator[int]:
    """Adds rows, in blocks if asked, and yields how many each time. Where they do not match, the engine says so."""
    n_rows = a.n_rows
    if block is None or b.n_rows != n_rows or (weights is not None and len(weights) != n_rows):
        into.update(a, b, weights)
        yield n_rows
        return
    for first in range(0, n_rows, block):
        count = min(block, n_rows - first)
        some = None if weights is None else weights[first : first + count]
        into.update(a.rows(first, count), b.rows(first, count), some)
        yield count


def _names(columns: Sequence[str] | int, prefix: str) -> list[str]:
    if isinstance(columns, str):
        return [columns]
    return [f"{prefix}{j}" for j in range(columns)] if isinstance(columns, (int, np.integer)) else list(columns)


def _places(argument: str, table: _tables.Table, known: list[str], prefix: str) -> list[int]:
    """Where the known columns are in a table: by name, or as they come where one of the two has no names."""
    every = list(range(table.n_columns))
    given = table.names
    if given is None or given == known or known == _names(len(known), prefix):
        return every  # how many there are is looked at by the engine
    if sorted(given) != sorted(known):
        raise _core.Error(f"{argument} has the columns {given}; the statistic is of {known}")
    return [given.index(name) for name in known]


def _numbers(chunk: Chunk, table: _tables.Table, at: list[int]) -> _core.Columns:
    if chunk.array is not None:
        return _core.Columns(chunk.array, np.array(at, dtype=np.int64))
    values = []
    for j in at:
        column = chunk.column(j)
        if isinstance(column, Categories):
            raise _core.Error(f"column '{table.labels[j]}' is a category; moments are of numbers, so encode it first")
        values.append(column.values)
    if len({(array.dtype, array.strides) for array in values}) > 1:
        return _core.Columns(np.column_stack(values).astype(np.float64, copy=False))
    return _core.Columns(values)
