"""What both transformers share: parameters, how they are fitted, and what they do with rows once they are."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral, Real
from threading import Lock
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from . import _core, _model_file, _names, _output, _roles, _tables
from ._options import expansion_of, rank_of, terms_of
from ._progress import Progress
from ._roles import Roles
from ._rows import Rows, engine_table, in_words_of_sklearn, rows_of
from ._scorer import how_to_hand_on
from ._tables import Floats, Table
from .moments import Moments

Self = TypeVar("Self", bound="Transformer")
_Method = TypeVar("_Method", bound=Callable[..., Any])
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def _available_if(check: Callable[[Any], bool]) -> Callable[[_Method], _Method]:
    """scikit-learn's, which has no types."""
    decorated: Callable[[_Method], _Method] = available_if(check)
    return decorated


def _takes_chunks(self: Any) -> bool:
    if self.expand is None or (isinstance(self.expand, Collection) and not terms_of(self.expand)):
        return True
    raise AttributeError("expand needs all rows at once: a chunk does not know the others' knots and bins; use fit")


def _is_plain(x: Any) -> bool:
    return type(x) is np.ndarray and x.ndim == 2 and x.flags.forc and x.flags.aligned and x.dtype in _FLOATS


@dataclass
class Task:
    """What a fit to moments was asked for when its last rows came, kept until somebody asks what was learned."""

    options: dict[str, Any]
    all_components: bool
    least_rows: int | None
    missing: str
    _locks: dict[int, Lock] = field(default_factory=dict, repr=False, compare=False)

    def solve(self, moments: _core.TableMoments, roles: Roles) -> _core.Fit:
        options = _core.FitOptions(**self.options)
        return moments.fit(options, self.all_components, self.least_rows, self.missing, roles.columns, roles.unnamed)

    @property
    def lock(self) -> Lock:
        """Of this process: one that was held where a process forked would be held there for ever."""
        return self._locks.setdefault(os.getpid(), Lock())

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_locks": {}}


class Transformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """All of a transformer but the method: how the engine's fit is made from tables and applied to them."""

    # Sensitive columns that are given apart are wanted wherever they can be used; a bar is nobody's metadata.
    __metadata_request__fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__partial_fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__transform: ClassVar = {"sensitive_features": True, "progress": UNUSED}

    _name: ClassVar[str]  # of the method, in a model file
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sensitive_feature_ids": [None, str, Integral, "array-like"],
        "n_components": [None, Interval(Integral, 1, 2**31 - 1, closed="both"), Interval(Real, 0, 1, closed="right")],
        "mode": [StrOptions({"aware", "blind"})],
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "expand": [None, str, dict, "array-like"],
        "standardize": ["boolean"],
        "missing": [StrOptions({"error", "drop", "mean"})],
        "unknown": [StrOptions({"merge", "error", "ignore"})],
        "min_level_rows": [None, Interval(Integral, 0, None, closed="left")],
    }

    sensitive_feature_ids: Any
    n_components: int | float | None
    mode: str
    alpha: float
    expand: Any
    standardize: bool
    missing: str
    unknown: str
    min_level_rows: int | None

    feature_names_in_: NDArray[np.object_]
    n_features_in_: int
    n_dropped_: int
    n_filled_: int
    _roles_of_fit: Roles
    _apart: bool  # the sensitive columns were given apart
    _any_order: bool  # columns of frames are found by name
    _sum: _core.TableMoments | None  # none: the fit looked at more than moments
    _fit: _core.Fit | None  # none: not yet computed from the moments, as the task says
    _task: Task
    _drawn: tuple[Any, dict[str, Any]]  # a random state, and the starts that were drawn from it

    # What the engine is told

    def _method(self) -> dict[str, Any]:
        raise NotImplementedError

    def _starts(self) -> dict[str, Any]:
        """Options that draw from a random state, so they are asked for once a fit."""
        return {}

    def _draw(self, *, new: bool = True) -> dict[str, Any]:
        """Starts out of the random state; chunks of one fit share what the first of them has drawn."""
        state = getattr(self, "random_state", None)
        if new or not hasattr(self, "_drawn") or self._drawn[0] is not state:
            self._drawn = state, self._starts()
        return self._drawn[1]

    @property
    def _all_components(self) -> bool:
        return self.n_components is None

    def _options(self) -> dict[str, Any]:
        """All options but those of `_starts`. Sparse components need a number; how many are all the engine knows."""
        wanted = 1 if self.n_components is None and self._name == "sob" else self.n_components
        return {
            "mode": self.mode,
            **rank_of(wanted),
            "alpha": float(self.alpha),
            "standardize": bool(self.standardize),
            **self._method(),
        }

    def _new_task(self, *, new: bool = True) -> Task:
        least = None if self.min_level_rows is None else int(self.min_level_rows)
        return Task({**self._options(), **self._draw(new=new)}, self._all_components, least, self.missing)

    # Fitting

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

    def _learn(self, table: Table, roles: Roles, rows: Iterable[Rows], apart: bool, progress: bool) -> None:
        """Rows of a stream are looked at once, unless the fit needs them again; a list is of rows in memory."""
        self._roles_of_fit, self._apart, self._any_order = roles, apart, False
        once = table.n_rows is None and not isinstance(rows, list) and self.missing != "mean"
        with Progress(progress, "fit", table.n_rows) as bar:
            if once and not terms_of(self.expand):
                self.n_dropped_ = self.n_filled_ = 0
                self._sum, self._task = self._added(None, rows, bar), self._new_task()
                self._fit = self._solved(self._sum)
            else:
                self._fit_whole(list(rows), roles, bar)

    def _fit_whole(self, parts: list[Rows], roles: Roles, bar: Progress) -> None:
        if not parts:
            raise _core.Error("there are no rows")
        task, terms = self._new_task(), expansion_of(self.expand)
        with in_words_of_sklearn(self, parts[0]):
            done = _core.fit_table(
                engine_table(parts),
                len(roles.feature_names),
                len(roles.sensitive_names),
                _core.FitOptions(**task.options),
                task.all_components,
                terms,
                self.missing,
                task.least_rows,
                roles.columns,
                roles.unnamed,
                bar.of_rows(),
            )
        self.n_dropped_, self.n_filled_ = done.dropped, done.filled
        self._sum, self._fit, self._task = done.moments, _warned(done.fit), task

    def _added(self, sum_: _core.TableMoments | None, rows: Iterable[Rows], bar: Progress) -> _core.TableMoments:
        """Moments with those of further rows; the rows whose cells are missing are counted as dropped."""
        sum_ = _core.TableMoments() if sum_ is None else sum_.copy()
        options = _core.FitOptions(**self._options())
        for some in rows:
            rule = "error" if self.missing == "mean" else self.missing
            with in_words_of_sklearn(self, some, means=self.missing == "mean"):
                part = _core.collect(
                    engine_table([some]),
                    len(some.roles.feature_names),
                    len(some.roles.sensitive_names),
                    rule,
                    sum_.full or not sum_.rows,
                    bar.of_rows(),
                )
            self.n_dropped_ += part.dropped
            sum_.merge(part)
            sum_.settle(options)
        return sum_

    def _solved(self, moments: _core.TableMoments) -> _core.Fit:
        if not moments.rows:
            raise _core.Error("no row is left; every one lacks a cell" if self.n_dropped_ else "there are no rows")
        return _warned(self._task.solve(moments, self._roles_of_fit))

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
            self.n_dropped_, self.n_filled_ = 0 if first else self.n_dropped_, 0
            with Progress(progress, "moments", table.n_rows) as bar:
                sum_ = self._added(None if first else self._sum, rows, bar)
            self._refuse_lack_of_products(sum_)
            self._sum, self._fit, self._task = sum_, None, self._new_task(new=first)
            self._roles_of_fit, self._apart, self._any_order = roles, sensitive_features is not None, False
        return self

    def _refuse_lack_of_products(self, moments: _core.TableMoments) -> None:
        if not moments.rows or moments.full or not _core.FitOptions(**self._options()).needs_full_moments:
            return
        what = "mode='blind'" if self.mode == "blind" else f"n_components={self.n_components}"
        raise _core.Error(
            f"{what} needs products of features with each other, which chunks were counted without; set it before "
            "the first chunk"
        )

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
            self._sum, self._task = moments._of_table(), self._new_task()
            self._refuse_lack_of_products(self._sum)
            self._fit = self._solved(self._sum)
        return self

    def _fitted(self) -> _core.Fit:
        fit: _core.Fit | None = getattr(self, "_fit", None)
        if fit is None:
            check_is_fitted(self)
            with self._task.lock:  # several threads may ask first
                if self._fit is None:
                    assert self._sum is not None  # after partial_fit
                    self._fit = self._solved(self._sum)
                fit = self._fit
        return fit

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_roles_of_fit")

    # Later rows

    def transform(self, X: Any, *, sensitive_features: Any = None, progress: bool = False) -> Any:
        """Remove the sensitive columns' influence.

        Parameters
        ----------
        X : array or frame, as in `fit`
            In blind mode the sensitive columns may be absent.
        sensitive_features : array, series or frame, optional
            Sensitive columns that are not part of X; not needed in blind mode. Where `sensitive_feature_ids` chose
            them, they are in the order in which X had them in the fit.
        progress : bool
            Show a bar.

        Returns
        -------
        array or frame of shape (n, q)
            The features, of the kind that came in unless `set_output` asks for another, in float32 where all of
            them were. Where ``missing="drop"``, rows that lack a cell are NaN, so that rows keep their places.

        Notes
        -----
        Where all columns of the fit were numbers and none of the given cells is missing, rows in arrays of float64 or
        float32 take microseconds each: X whole, or the features alone in blind mode or beside `sensitive_features`, an
        array too. Frames, lists and arrays of other types take a millisecond and more a call.
        """
        fitted = self._fitted()
        if not progress:
            out = self._transform_array(X, sensitive_features, fitted)
            if out is not None:
                return out
        table, rows = self._open_later(X, sensitive_features)
        return self._transform_rows(table, rows, progress)

    def _transform_array(self, X: Floats, b: Any, fitted: _core.Fit) -> Floats | None:
        """The short way for plain arrays: no look at anything that the engine looks at. None: take the long one."""
        roles, encoding, needs = self._roles_of_fit, fitted.encoding, fitted.needs_sensitive
        assert encoding is not None
        if not _is_plain(X) or encoding.has_categories or (b is not None and not needs):
            return None
        alone = self._apart or b is not None or (not needs and X.shape[1] == len(roles.features))
        if X.shape[1] != len(roles.feature_names if alone else roles.columns):
            return None
        features, sensitive = roles.features, roles.sensitive
        if alone:
            features, sensitive = np.arange(len(features)), np.arange(len(sensitive))
            b = b[:, None] if type(b) is np.ndarray and b.ndim == 1 else b
        elif hasattr(self, "n_features_in_"):
            b = X
        else:  # a file that tells no order of columns
            return None
        if not needs:
            b, sensitive = X, sensitive[:0]
        elif not _is_plain(b) or len(b) != len(X) or (alone and b.shape[1] != len(sensitive)):
            return None
        out = np.empty((X.shape[0], len(features)), X.dtype, "C" if X.flags.c_contiguous else "F")
        try:
            if X.shape[0] == 1:
                fitted.apply_row(X, features, b, sensitive, out)
            else:
                fitted.apply(_core.Columns(X, features), _core.Columns(b, sensitive), out)
        except _core.Error:
            return None
        if roles.named:
            _names.warn(self, "X", was_named=True)
        if b is not X:
            known = roles.sensitive_names
            _names.check_sensitive(self, None, None if known[0] in roles.unnamed else known)
        return out

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        progress: bool = False,
    ) -> Any:
        """`fit`, then `transform` of the same rows; a stream is read once, and kept for it.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight, progress
            As of `fit`.

        Returns
        -------
        array or frame of shape (n, q)
            As of `transform`.
        """
        self._validate_params()
        with self._all_or_nothing():
            table, roles, rows = self._open(X, sensitive_features, sample_weight, reset=True)
            kept = list(rows)
            self._learn(table, roles, kept, sensitive_features is not None, progress)
            return self._transform_rows(table, iter(kept), progress)

    def transform_scores(self, X: Any, *, sensitive_features: Any = None, progress: bool = False) -> Any:
        """The k scores of the rows in place of their q features; needs `n_components`.

        Parameters
        ----------
        X : array or frame, as in `fit`
        sensitive_features : array, series or frame, optional
            As of `transform`.
        progress : bool
            Show a bar.

        Returns
        -------
        array or frame of shape (n, k)
            Uncorrelated with every sensitive column, on the rows of the fit; of the kind that came in unless
            `set_output` asks for another, with columns score1, score2, ...
        """
        table, rows = self._open_later(X, sensitive_features)
        return self._transform_rows(table, rows, progress, scores=True)

    def certify(
        self,
        X: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        progress: bool = False,
    ) -> _core.Certificate:
        """A certificate of other rows: what the fitted map does to them, measured on the result as `transform` returns
        it. Of float32 columns that is float32, whose rounding leaves correlations of some 1e-7.

        Cells that are missing are filled in, or cost the row, as `missing` says; so does `unknown` of categories.

        Parameters
        ----------
        X : array or frame, as in `fit`
            With its sensitive columns, in blind mode too.
        sensitive_features : array, series or frame, optional
            Sensitive columns that are not part of X, in the order that `transform` takes.
        sample_weight : array of shape (n,) or float, optional
            Weights of the rows, or of each of them.
        progress : bool
            Show a bar.

        Returns
        -------
        Certificate
        """
        fitted, roles = self._fitted(), self._roles_of_fit
        table, parts = self._open_later(X, sensitive_features, sample_weight, sensitive=True)
        check = _core.Check(fitted, self.missing, self.unknown)
        columns = len(roles.feature_names), len(roles.sensitive_names)
        with Progress(progress, "certify", table.n_rows) as bar:
            for rows in parts:
                with in_words_of_sklearn(self, rows):
                    check.add(engine_table([rows]), *columns, rows.dtype == np.float32, bar.of_rows())
        return check.certificate()

    def _open_later(
        self, X: Any, sensitive_features: Any, sample_weight: ArrayLike | None = None, *, sensitive: bool = False
    ) -> tuple[Table, Iterator[Rows]]:
        """Rows that come after the fit, in its roles."""
        fitted, roles = self._fitted(), self._roles_of_fit
        needs = fitted.needs_sensitive or sensitive
        needed = (
            "a certificate needs them" if sensitive else "the map needs them, and a fit with mode='blind' would not"
        )
        table = _tables.read(X, self, min_rows=0)
        apart = None
        if sensitive_features is not None:
            apart = _tables.read_sensitive(sensitive_features, self, taken=table.labels)
            _roles.check_apart(self, apart, roles)
            if not self._apart:
                _roles.refuse_twice(table, roles)
        elif needs and self._apart:
            hint = "" if sensitive else f"; {how_to_hand_on()}"
            raise _core.Error(f"the sensitive columns are not given as sensitive_features; {needed}{hint}")
        alone = self._apart or apart is not None or (not needs and not self._has_sensitive(table))
        roles = _roles.after_fit(self, table, roles, features_alone=alone, needed=needed)
        return table, rows_of(table, apart, roles, sample_weight)

    def _has_sensitive(self, table: Table) -> bool:
        roles = self._roles_of_fit
        if table.names is None or not roles.named:
            return table.n_columns == len(roles.columns)
        absent = [name for name in roles.sensitive_names if name not in table.names]
        if absent and len(absent) < len(roles.sensitive_names) and not self._any_order:
            raise _core.Error(
                f"X has some sensitive columns and not {', '.join(absent)}; in blind mode give all of them or none"
            )
        return not absent

    def _transform_rows(
        self, table: Table, rows: Iterator[Rows], progress: bool = False, *, scores: bool = False
    ) -> Any:
        fitted = self._fitted()

        def chunks() -> Iterator[Floats]:
            with Progress(progress, "transform", table.n_rows) as bar:
                for some in rows:
                    yield self._applied(fitted, some, scores=scores, bar=bar)

        wanted = _get_output_config("transform", self)["dense"]
        if wanted != "default" and not scores:
            return _output.joined(chunks())  # scikit-learn makes a frame of it
        names = [f"score{j + 1}" for j in range(fitted.scores)] if scores else self.get_feature_names_out().tolist()
        return _output.wrapped(table, chunks(), names, None if wanted == "default" else wanted)

    def _applied(self, fitted: _core.Fit, rows: Rows, *, scores: bool = False, bar: Progress | None = None) -> Floats:
        needs, roles = fitted.needs_sensitive, rows.roles
        n_columns = fitted.scores if scores else fitted.features
        out = _output.empty_like(rows.a.column(int(roles.features[0])), rows.n_rows, n_columns, rows.dtype)
        n_sensitive = len(roles.sensitive_names) if needs else 0
        with in_words_of_sklearn(self, rows):
            dropped = _core.transform_table(
                fitted,
                engine_table([rows], sensitive=needs, weights=False),
                len(roles.feature_names),
                n_sensitive,
                scores,
                self.missing,
                self.unknown,
                out,
                bar.of_rows() if bar else None,
            )
        if dropped:
            warnings.warn(
                f"missing='drop' leaves {dropped} of {rows.n_rows} rows NaN, which lack a cell; where a later step "
                "takes no NaN, use missing='mean', or leave such rows out before",
                stacklevel=2,
            )
        return out

    # What was learned

    @property
    def certificate_(self) -> _core.Certificate:
        """What the fit did to the rows that it saw."""
        return self._fitted().certificate

    @property
    def components_(self) -> Floats | None:
        """What a unit of each score adds to the features, (k, q); None where all q dimensions are kept."""
        fitted = self._fitted()
        return fitted.output.T.copy() if fitted.scores else None

    @property
    def coef_(self) -> Floats:
        """With which factors the sensitive columns, or their terms with `expand`, enter the result, (q, p).

        They are in the order in which X has them, whatever that of `sensitive_feature_ids`, or `sensitive_features` if
        they were given apart. 0 in blind mode.
        """
        return self._fitted().dense_b

    @property
    def feature_coef_(self) -> Floats:
        """The same of the features, (q, q): result = intercept_ + A @ feature_coef_.T + φ(B) @ coef_.T.

        φ(B) is B itself without `expand`.
        """
        return self._fitted().dense_a

    @property
    def intercept_(self) -> Floats:
        """What is added to each column of the result, (q,)."""
        return self._fitted().constant

    @property
    def n_components_(self) -> int:
        """How many dimensions are kept."""
        return int(self._fitted().rank)

    # What was learned, as names and as a file

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns that `transform` gives; a category has one column a level.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns of X, where it was an array; else they must be those of the fit.
        """
        fitted = self._fitted()
        if not hasattr(self, "n_features_in_"):  # a file that tells no order of columns
            return np.array(fitted.feature_names, dtype=object)
        names = _check_feature_names_in(self, input_features)
        assert fitted.encoding is not None
        if all(column.kind != "category" for column in fitted.encoding.features):
            return np.asarray(names, dtype=object)[self._roles_of_fit.features]
        return np.array(fitted.feature_names, dtype=object)

    def to_json(self) -> str:
        """The model file of the command line, as text; numbers read back exactly.

        The command line strips blanks around names of columns and cells of a CSV file, and nothing does so here: strip
        those of the frame before the fit, or it finds neither such columns nor such levels.
        """
        return self._fitted().to_json()

    @classmethod
    def from_json(cls: type[Self], text: str) -> Self:
        """An estimator that is fitted as a model file says, whoever wrote it.

        Frames are then matched by name, if the columns of the fit had names, whatever their order, and further columns
        are left out of the result. A file of the command line does not tell the order of columns: `feature_names_in_`
        and `n_features_in_` are then not there, and an array must hold the features alone, in their order, beside
        `sensitive_features`. No file tells `n_dropped_`, `n_filled_` and `unknown`. Where every sensitive column had
        too few values for the knots or bins that `expand` asked for, it asks for those that there were.

        Parameters
        ----------
        text : str
            What `to_json` gives, or the command line writes.
        """
        return _model_file.restored(cls, text)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _warned(fit: _core.Fit) -> _core.Fit:
    if fit.warning:
        warnings.warn(f"{fit.warning}; raise max_iter or tol", ConvergenceWarning, stacklevel=2)
    return fit
