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

from . import _core, _encoding, _model_file, _output, _roles, _tables
from ._fitter import Fitter
from ._progress import Progress
from ._rows import Rows, joined, refuse_missing, rows_of
from ._tables import Floats, Table

Self = TypeVar("Self", bound="Remover")
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


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
            Sensitive columns that are not part of X; not needed in blind mode.
        progress : bool
            Show a bar.

        Returns
        -------
        array or frame of shape (n, q)
            The features, of the kind that came in unless `set_output` asks for another. Where
            ``missing="drop"``, rows that lack a cell are NaN, so that rows keep their places.
        """
        fitted = getattr(self, "_fit", None) or self._fitted()
        if type(X) is np.ndarray and sensitive_features is None and not progress:
            out = self._transform_array(X, fitted)
            if out is not None:
                return out
        table, rows = self._open_later(X, sensitive_features)
        return self._transform_rows(table, rows, progress)

    def _transform_array(self, X: Floats, fitted: _core.Fit) -> Floats | None:
        """The short way for plain arrays: no look at anything that the engine looks at. None: take the long one."""
        roles = self._roles_of_fit
        if (
            self._apart
            or self.missing != "error"
            or X.ndim != 2
            or X.shape[1] != self.n_features_in_
            or not X.flags.forc
            or not X.flags.aligned
            or X.dtype not in _FLOATS
            or hasattr(self, "feature_names_in_")
        ):
            return None
        out = np.empty((X.shape[0], len(roles.features)), X.dtype, "C" if X.flags.c_contiguous else "F")
        try:
            if X.shape[0] == 1 and X.dtype == np.float64:
                fitted.apply_row(X, roles.features, roles.sensitive, out)
            else:
                fitted.apply(_core.Columns(X, roles.features), _core.Columns(X, roles.sensitive), out)
        except _core.Error:
            return None
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

    def transform_scores(self, X: Any, *, sensitive_features: Any = None, progress: bool = False) -> Floats:
        """The k scores of the rows in place of their q features; needs `n_components`.

        Parameters
        ----------
        X : array or frame, as in `fit`
        sensitive_features : array, series or frame, optional
            Sensitive columns that are not part of X; not needed in blind mode.
        progress : bool
            Show a bar.

        Returns
        -------
        array of shape (n, k)
            Uncorrelated with every sensitive column, on the rows of the fit.
        """
        fitted = self._fitted()
        table, rows = self._open_later(X, sensitive_features)
        with Progress(progress, "scores", table.n_rows) as bar:
            return _output.joined(self._applied(fitted, some, scores=True, bar=bar) for some in rows)

    def certify(
        self,
        X: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        progress: bool = False,
    ) -> _core.Certificate:
        """A certificate of other rows: what the fitted map does to them, measured on the result.

        Cells that are missing are filled in, or cost the row, as `missing` says.

        Parameters
        ----------
        X : array or frame, as in `fit`
            With its sensitive columns, in blind mode too.
        sensitive_features : array, series or frame, optional
            Sensitive columns that are not part of X.
        sample_weight : array of shape (n,), optional
            Weights of the rows.
        progress : bool
            Show a bar.

        Returns
        -------
        Certificate
        """
        fitted = self._fitted()
        _, parts = self._open_later(X, sensitive_features, sample_weight, sensitive=True)
        rows, fill = joined(list(parts), self._roles_of_fit), self.missing == "mean"
        if not fill:
            rows, _ = self._ready(rows)
        assert fitted.encoding is not None
        a, b = _encoding.matrices(rows, fitted.encoding, fill=fill)
        if not progress:
            return fitted.certify(a, b, rows.weights)
        measurement = _core.Measurement(fitted)
        with Progress(progress, "certify", rows.n_rows) as bar:
            bar.count(_encoding.summed(measurement, a, b, rows.weights, bar.block))
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
        table = _tables.read(X, self)
        apart = None
        if sensitive_features is not None:
            apart = _tables.read_sensitive(sensitive_features, self, taken=table.labels)
            _roles.check_apart(apart, roles)
        elif needs and self._apart:
            raise _core.Error(f"the sensitive columns are not given as sensitive_features; {needed}")
        alone = self._apart or apart is not None or (not needs and not self._has_sensitive(table))
        roles = _roles.after_fit(self, table, roles, features_alone=alone, needed=needed)
        return table, rows_of(table, apart, roles, sample_weight)

    def _has_sensitive(self, table: Table) -> bool:
        if table.names is None or not _roles.is_by_name(self, table, self._roles_of_fit):
            return table.n_columns == self.n_features_in_
        absent = [name for name in self._roles_of_fit.sensitive_names if name not in table.names]
        if absent and len(absent) < len(self._roles_of_fit.sensitive_names) and not self._any_order:
            raise _core.Error(
                f"X has some sensitive columns and not {', '.join(absent)}; in blind mode give all of them or none"
            )
        return not absent

    def _transform_rows(self, table: Table, rows: Iterator[Rows], progress: bool) -> Any:
        fitted = self._fitted()

        def chunks() -> Iterator[Floats]:
            with Progress(progress, "transform", table.n_rows) as bar:
                for some in rows:
                    yield self._applied(fitted, some, bar=bar)

        if _get_output_config("transform", self)["dense"] != "default":
            return _output.joined(chunks())
        return _output.wrapped(table, chunks(), self.get_feature_names_out().tolist())

    def _applied(self, fitted: _core.Fit, rows: Rows, *, scores: bool = False, bar: Progress | None = None) -> Floats:
        encoding = fitted.encoding
        assert encoding is not None
        sensitive = fitted.needs_sensitive
        fill = self.missing != "error"
        gone = rows.missing(sensitive=sensitive) if fill else None
        fill = gone is not None and bool(gone.any())
        a, b = _encoding.matrices(rows, encoding, fill=fill, sensitive=sensitive)
        like = rows.a.array
        dtype = np.float64 if like is None or fill else like.dtype
        out = _output.empty_like(rows.features()[0], rows.n_rows, fitted.scores if scores else fitted.features, dtype)
        apply = fitted.apply_scores if scores else fitted.apply
        step = (bar.block if bar else None) or max(rows.n_rows, 1)
        try:
            for first in range(0, rows.n_rows, step):
                count = min(step, rows.n_rows - first)
                some = b.rows(first, count) if sensitive else b
                apply(a.rows(first, count), some, out[first : first + count])
                if bar:
                    bar.add(count)
        except _core.Error:
            if not fill:
                refuse_missing(rows, self, sensitive=sensitive)
            raise
        if gone is not None and self.missing == "drop":
            out[gone] = np.nan
        return out if like is None else _narrowed(out, like.dtype)

    # What was learned, as names and as a file

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns that `transform` gives; a category has one column a level.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns of X, where it was an array; else they must be those of the fit.
        """
        fitted = self._fitted()
        if self._any_order and input_features is None:
            return np.array(fitted.feature_names, dtype=object)
        names = _check_feature_names_in(self, input_features)
        assert fitted.encoding is not None
        if all(column.kind != "category" for column in fitted.encoding.features):
            return np.asarray(names, dtype=object)[self._roles_of_fit.features]
        return np.array(fitted.feature_names, dtype=object)

    def to_json(self) -> str:
        """The model file of the command line, as text; numbers read back exactly."""
        return self._fitted().to_json()

    @classmethod
    def from_json(cls: type[Self], text: str) -> Self:
        """An estimator that is fitted as a model file says, whoever wrote it.

        Frames are then matched by name, whatever the order of their columns, and further columns are left out of the
        result. A file does not tell the order of columns that had names, so an array must then hold the features
        alone, in their order, beside `sensitive_features`; nor does it tell whether sensitive columns were given
        apart: parameters name them as columns of X. Where every sensitive column had too few values for the knots or
        bins that `expand` asked for, it asks for those that there were.

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
