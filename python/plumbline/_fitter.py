"""What both transformers share: how they are fitted."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core, _encoding, _names, _roles, _tables
from ._encoding import Accumulator
from ._expansion import expansion_of, terms_of
from ._learned import Learned
from ._parameters import Parameters
from ._progress import Progress
from ._roles import Roles
from ._rows import Rows, joined, refuse_missing, rows_of
from ._tables import Table
from ._task import Task
from .moments import Moments

Self = TypeVar("Self", bound="Fitter")
_Method = TypeVar("_Method", bound=Callable[..., Any])


def _available_if(check: Callable[[Any], bool]) -> Callable[[_Method], _Method]:
    """scikit-learn's, which has no types."""
    decorated: Callable[[_Method], _Method] = available_if(check)
    return decorated


def _takes_chunks(self: Any) -> bool:
    if self.expand is None or (isinstance(self.expand, Collection) and not terms_of(self.expand)):
        return True
    raise AttributeError("expand needs all rows at once: a chunk does not know the others' knots and bins; use fit")


def _finished(fit: _core.Fit, encoding: _core.Encoding) -> _core.Fit:
    fit.encoding = encoding
    if fit.warning:
        warnings.warn(f"{fit.warning}; raise max_iter or tol", ConvergenceWarning, stacklevel=2)
    return fit


class Fitter(Learned, Parameters):
    """From rows to a fit of the engine: by their moments where these are enough, else from all rows at once."""

    # Sensitive columns that are given apart are wanted wherever they can be used; a bar is nobody's metadata.
    __metadata_request__fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__partial_fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}

    feature_names_in_: NDArray[np.object_]
    n_features_in_: int
    _roles_of_fit: Roles
    _apart: bool  # the sensitive columns were given apart
    _any_order: bool  # columns of frames are found by name
    _sum: Accumulator | None  # none: the fit looked at more than moments
    _fit: _core.Fit | None  # none: not yet computed from the moments, as the task says
    _task: Task
    _drawn: tuple[Any, dict[str, Any]]  # a random state, and the starts that were drawn from it
    n_dropped_: int
    n_filled_: int

    def _open(
        self, X: Any, sensitive_features: Any, sample_weight: ArrayLike | None, *, reset: bool, min_rows: int = 2
    ) -> tuple[Table, Roles, Iterator[Rows]]:
        table = _tables.read(X, self, min_rows=min_rows)
        apart = (
            None if sensitive_features is None else _tables.read_sensitive(sensitive_features, self, taken=table.labels)
        )
        if reset:
            _names.keep(self, table)
        else:
            _names.check(self, table)
        roles = _roles.in_fit(self.sensitive_feature_ids, table, apart)
        if not reset:
            roles = _roles.as_in_earlier_chunks(self, roles, apart)
        return table, roles, rows_of(table, apart, roles, sample_weight)

    # Fitting

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A fit that fails leaves the estimator as it was."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def fit(
        self: Self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        progress: bool = False,
    ) -> Self:
        """Learn how to remove the sensitive columns.

        A stream is read chunk by chunk, and no chunk is kept, unless the rows are needed twice: by `expand`, which
        looks for knots and bins first, by ``missing="mean"``, and by sparse directions of more features than rows.

        Parameters
        ----------
        X : array, or frame of pandas, polars or Arrow, of shape (n, q + p) or (n, q)
            All columns, or the features alone where the sensitive ones are given apart.
        y : ignored
        sensitive_features : array, series or frame of shape (n,) or (n, p), optional
            Sensitive columns that are not part of X.
        sample_weight : array of shape (n,) or float, optional
            Weights of the rows, or of each of them; a weight of 2 is the row twice.
        progress : bool
            Show a bar.

        Returns
        -------
        self
        """
        self._validate_params()
        with self._all_or_nothing():
            table, roles, rows = self._open(X, sensitive_features, sample_weight, reset=True)
            self._learn(table, roles, rows, sensitive_features is not None, progress)
        return self

    @_available_if(_takes_chunks)
    def partial_fit(
        self: Self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        progress: bool = False,
    ) -> Self:
        """Add rows to those that were seen. Chunks give what all of their rows would give at once.

        What is learned is computed when it is next asked for, with the parameters as they are now; chunks share the
        starts that the first of them draws, unless there is another `random_state`. `expand` and ``missing="mean"``
        need all rows at once, so they need `fit`.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight, progress
            As of `fit`.

        Returns
        -------
        self
        """
        first = not hasattr(self, "_sum")
        self._validate_params()
        if not first and self._sum is None:
            if not hasattr(self, "n_dropped_"):
                raise _core.Error("a model file holds no moments, so it cannot take up more rows; fit anew")
            raise _core.Error("this was fitted to all rows at once and cannot take up more; fit anew")
        with self._all_or_nothing():
            table, roles, rows = self._open(X, sensitive_features, sample_weight, reset=first, min_rows=1)
            accumulator = Accumulator(roles, self._options(1).needs_full_moments) if first else copy.copy(self._sum)
            assert accumulator is not None
            self.n_dropped_, self.n_filled_ = 0 if first else self.n_dropped_, 0
            with Progress(progress, "moments", table.n_rows) as bar:
                for some in rows:
                    ready, gone = self._ready(some)
                    self.n_dropped_ += gone
                    if ready.n_rows:
                        self._counted(bar, accumulator, ready)
            self._sum, self._fit = accumulator, None
            self._task = self._task_for(accumulator, new=first)
            self._roles_of_fit, self._apart, self._any_order = roles, sensitive_features is not None, False
        return self

    @_available_if(_takes_chunks)
    def fit_moments(self: Self, moments: Moments) -> Self:
        """Learn from the moments of rows, which may have been collected in parts elsewhere.

        The result is that of `partial_fit` on the rows themselves, and further rows can be added by it.

        Parameters
        ----------
        moments : plumbline.moments.Moments
            They tell which columns are sensitive, so `sensitive_feature_ids` must be None, and `transform` takes these
            columns as `sensitive_features`.

        Returns
        -------
        self
        """
        self._validate_params()
        if not isinstance(moments, Moments) or not moments.rows:
            raise _core.Error(f"moments is {moments!r}; it must be Moments of some rows")
        if self.sensitive_feature_ids is not None:
            raise _core.Error("moments tell which columns are sensitive; sensitive_feature_ids must then be None")
        with self._all_or_nothing():
            table, apart = moments._columns()
            _names.keep(self, table)
            self._roles_of_fit, self._apart, self._any_order = _roles.in_fit(None, table, apart), True, False
            self.n_dropped_ = self.n_filled_ = 0
            self._sum = Accumulator.of(moments._core.copy(), self._roles_of_fit)
            self._fit = self._solve(self._sum, self._task_for(self._sum))
        return self

    def _learn(self, table: Table, roles: Roles, rows: Iterator[Rows], apart: bool, progress: bool) -> None:
        self.n_dropped_ = self.n_filled_ = 0
        options = self._options(1)
        is_full = options.needs_full_moments
        if table.n_rows is not None:
            is_full = options.takes_full_moments(table.n_rows, len(roles.features))
        accumulator = Accumulator(roles, is_full)
        whole = bool(terms_of(self.expand))
        if self.missing == "mean" and not whole:
            kept = list(rows)
            rows, whole = iter(kept), any(some.missing().any() for some in kept)
        with Progress(progress, "fit", table.n_rows) as bar:
            if not whole:
                for some in rows:
                    some, gone = self._ready(some)
                    self.n_dropped_ += gone
                    if accumulator.moments is None and self._wants_rows(some):
                        rows, whole = chain([some], rows), True
                        break
                    if some.n_rows:
                        self._counted(bar, accumulator, some)
            if whole:
                self._sum, self._fit = None, self._fit_whole(list(rows), roles, bar)
            else:
                self._fit = self._solve(accumulator, self._task_for(accumulator))
                self._sum = accumulator
        self._roles_of_fit, self._apart, self._any_order = roles, apart, False

    def _counted(self, bar: Progress, accumulator: Accumulator, rows: Rows) -> None:
        try:
            bar.count(accumulator.add(rows, bar.block))
        except _core.Error:
            refuse_missing(rows, self)
            raise

    def _wants_rows(self, rows: Rows) -> bool:
        """Whether the fit looks at rows again after their moments are known."""
        return False

    def _ready(self, rows: Rows) -> tuple[Rows, int]:
        """Rows without missing cells, and how many had some; for a fit that does not fill them in."""
        if self.missing == "error":
            if rows.lacks_a_category():
                refuse_missing(rows, self)
            return rows, 0  # the engine meets what is missing among numbers
        gone = rows.missing()
        if not gone.any():
            return rows, 0
        if self.missing == "mean":
            raise _core.Error(
                "missing cells cannot become a mean that later chunks still change; use fit, or missing='drop'"
            )
        return rows[~gone], int(gone.sum())

    def _fit_whole(self, parts: list[Rows], roles: Roles, bar: Progress) -> _core.Fit:
        rows = joined(parts, roles)
        if rows.weights is not None:
            _core.check_weights(rows.weights, some=True)
        fill_a = fill_b = None
        if self.missing == "mean":
            fill_a = _encoding.means_of(rows.features(), rows.weights, roles.feature_names)
            fill_b = _encoding.means_of(rows.sensitive(), rows.weights, roles.sensitive_names)
            self.n_filled_ = rows.missing_cells()
        else:
            rows, gone = self._ready(rows)
            self.n_dropped_ += gone
        encoding = _core.Encoding(
            list(map(_encoding.spec_of, roles.feature_names, rows.features())),
            list(map(_encoding.spec_of, roles.sensitive_names, rows.sensitive())),
            self.missing,
            fill_a,
            fill_b,
            roles.columns,
            roles.unnamed,
        )
        a, b = _encoding.matrices(rows, encoding, fill=self.missing == "mean")
        names = encoding.feature_names(), encoding.sensitive_names()
        options, terms, weights = (
            self._options(len(names[0]), **self._draw()),
            expansion_of(self.expand),
            rows.weights,
        )
        try:
            if self._wants_rows(rows):
                out = _core.fit(_encoding.whole(a), _encoding.whole(b), options, *names, terms, weights)
                bar.add(rows.n_rows)
            else:
                expansion = None if terms is None else _core.Expansion(_encoding.whole(b), names[1], terms, weights)
                of_b = names[1] if expansion is None else expansion.names
                moments = _core.Moments(names[0], of_b, options.takes_full_moments(rows.n_rows, len(names[0])))
                bar.count(_encoding.summed(moments, a, b, weights, bar.block, expansion))
                out = _core.fit(moments, options, expansion)
        except _core.Error:
            if self.missing == "error":
                refuse_missing(rows, self)
            raise
        return _finished(out, encoding)

    def _draw(self, *, new: bool = True) -> dict[str, Any]:
        """Starts out of the random state; chunks of one fit share what the first of them has drawn."""
        state = getattr(self, "random_state", None)
        if new or not hasattr(self, "_drawn") or self._drawn[0] is not state:
            self._drawn = state, self._starts()
        return self._drawn[1]

    def _task_for(self, accumulator: Accumulator, *, new: bool = True) -> Task:
        n_features = 1 if accumulator.moments is None else len(accumulator.moments.feature_names)
        if self._options(n_features).needs_full_moments and not accumulator.full:
            what = "mode='blind'" if self.mode == "blind" else f"n_components={self.n_components}"
            raise _core.Error(
                f"{what} needs products of features with each other, which chunks were counted without; set it before "
                "the first chunk"
            )
        return Task({**self._told(n_features), **self._draw(new=new)}, self.missing)

    def _solve(self, accumulator: Accumulator, task: Task) -> _core.Fit:
        if accumulator.moments is None or accumulator.moments.rows == 0:
            raise _core.Error("no row is left; every one lacks a cell" if self.n_dropped_ else "there are no rows")
        return _finished(_core.fit(accumulator.moments, task.core_options()), accumulator.encoding(task.missing))

    def _fitted(self) -> _core.Fit:
        fit: _core.Fit | None = getattr(self, "_fit", None)
        if fit is None:
            check_is_fitted(self)
            with self._task.lock:  # several threads may ask first
                if self._fit is None:
                    assert self._sum is not None  # after partial_fit
                    self._fit = self._solve(self._sum, self._task)
                fit = self._fit
        return fit

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_roles_of_fit")
