"""What both transformers share: what they do with rows once they are fitted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _check_feature_names_in

from . import _core, _encoding, _model_file, _names, _output, _roles, _tables
from ._fitter import Fitter
from ._progress import Progress
from ._rows import Rows, refuse_missing, rows_of
from ._tables import Floats, Mask, Table

Self = TypeVar("Self", bound="Remover")
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def _is_plain(x: Any) -> bool:
    return type(x) is np.ndarray and x.ndim == 2 and x.flags.forc and x.flags.aligned and x.dtype in _FLOATS


def _narrowed(out: Floats, dtype: Any) -> Floats:
    """The result in the type of the rows, if it is in its range, as the engine asks of results that it writes."""
    if out.dtype == dtype:
        return out
    with np.errstate(over="ignore"):
        narrow = out.astype(dtype)
    gone = np.isinf(narrow).any(axis=1)
    if gone.any():
        raise _core.Error(f"row {np.argmax(gone)} holds values so large that the result leaves the range of {dtype}")
    return narrow


class Remover(TransformerMixin, Fitter):  # type: ignore[misc]
    """A fit, applied to tables and rows, named and kept as a file: all of a transformer but its parameters."""

    __metadata_request__transform: ClassVar = {"sensitive_features": True, "progress": UNUSED}

    _name: ClassVar[str]  # of the method, in a model file

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
            self._learn(table, roles, iter(kept), sensitive_features is not None, progress)
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
        fitted = self._fitted()
        table, parts = self._open_later(X, sensitive_features, sample_weight, sensitive=True)
        assert fitted.encoding is not None
        measurement, fill = _core.Measurement(fitted), self.missing == "mean"
        with Progress(progress, "certify", table.n_rows) as bar:
            for rows in parts:
                some = rows if fill else self._ready(rows)[0]
                a, b = _encoding.matrices(some, fitted.encoding, fill=fill, ignore=self.unknown == "ignore")
                measurement.set_narrow(some.dtype == np.float32)
                try:
                    bar.count(_encoding.summed(measurement, a, b, some.weights, bar.block))
                except _core.Error:
                    if not fill:
                        refuse_missing(some, self)
                    raise
        return measurement.certificate()

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
            raise _core.Error(f"the sensitive columns are not given as sensitive_features; {needed}")
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
        encoding = fitted.encoding
        assert encoding is not None
        sensitive = fitted.needs_sensitive
        gone = rows.missing(sensitive=sensitive) if self.missing != "error" else None
        fill = gone is not None and bool(gone.any())
        if fill and self.missing == "drop":
            assert gone is not None
            return self._applied_but(gone, fitted, rows, scores=scores, bar=bar)
        ignore = self.unknown == "ignore"
        a, b = _encoding.matrices(rows, encoding, fill=fill, sensitive=sensitive, ignore=ignore)
        n_columns, dtype = fitted.scores if scores else fitted.features, rows.dtype
        first_column = rows.a.column(int(rows.roles.features[0]))
        out = _output.empty_like(first_column, rows.n_rows, n_columns, np.float64 if fill else dtype)
        apply = fitted.apply_scores if scores else fitted.apply
        step = _encoding.step_of(rows.n_rows, bar.block if bar else None, a, b)
        try:
            for first in range(0, rows.n_rows, step):
                count = min(step, rows.n_rows - first)
                to = out[first : first + count]
                apply(a.rows(first, count), b.rows(first, count) if sensitive else _core.Columns([]), to)
                if bar:
                    bar.add(count)
        except _core.Error:
            if not fill:
                refuse_missing(rows, self, sensitive=sensitive)
            raise
        return _narrowed(out, dtype)

    def _applied_but(self, gone: Mask, fitted: _core.Fit, rows: Rows, *, scores: bool, bar: Progress | None) -> Floats:
        """NaN for rows that are gone; as in the fit, their other cells are not looked at, and levels may be new."""
        some = self._applied(fitted, rows[~gone], scores=scores, bar=bar)
        out = _output.empty_like(rows.a.column(int(rows.roles.features[0])), rows.n_rows, some.shape[1], some.dtype)
        out[gone], out[~gone] = np.nan, some
        if bar:
            bar.add(int(gone.sum()))
        return out

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
