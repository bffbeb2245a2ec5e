"""What both transformers share, as scikit-learn calls it: fitting, transforming, and what was learned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if

from . import _core, _model_file
from ._fitted import Fitted
from ._later import input_after_fit, input_of_chunk, takes_chunks
from ._learned import Learned, Request, learn, learn_moments, learn_more
from ._probe import checked_effort
from ._rows import input_of_fit, roles_in_fit
from ._short_way import transformed_array
from ._tables import Table
from ._target import with_predictions
from .moments import Moments

Self = TypeVar("Self", bound="Transformer")
_Method = TypeVar("_Method", bound=Callable[..., Any])


def _if_it_takes_chunks(method: _Method) -> _Method:
    decorated: _Method = available_if(takes_chunks)(method)
    return decorated


class Transformer(Fitted, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """All of a transformer but its parameters and their documentation."""

    # Sensitive columns that are given apart are wanted wherever they can be used; a bar is nobody's metadata.
    __metadata_request__fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__partial_fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__transform: ClassVar = {"sensitive_features": True, "progress": UNUSED}

    _name: ClassVar[str]  # of the method, in a model file

    # Fitting

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

        A stream is read chunk by chunk, and no more is kept than the rows that `probe` wants, unless all are needed
        twice: by `expand`, which looks for knots and bins first, by ``missing="mean"``, by `remove` of more than means,
        and by sparse directions of more features than rows.

        Parameters
        ----------
        X : array, or frame of pandas, polars or Arrow, of shape (n, q + p) or (n, q)
            All columns, or the features alone where the sensitive ones are given apart.
        y : array or series of shape (n,), optional
            The target, which the map knows nothing of: `certificate_.price` says what fairness costs a prediction of
            it. Of a stream, of several targets and of more than two labels there is no price.
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
        given = input_of_fit(self, X, sensitive_features, sample_weight)
        self._keep(learn(given, Request.of_estimator(self), progress, y), given.table)
        return self

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
        given = input_of_fit(self, X, sensitive_features, sample_weight).kept()
        learned = learn(given, Request.of_estimator(self), progress, y)
        out = learned.transform(given, progress, kind=self._kind_out() and "array")
        self._keep(learned, given.table)
        return out

    @_if_it_takes_chunks
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
        starts that the first of them draws, unless there is another `random_state`. `expand`, ``missing="mean"`` and
        `remove` of more than means need all rows at once, so they need `fit`. No row is kept from one chunk to the
        next, so there is no probe.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight, progress
            As of `fit`.

        Returns
        -------
        self
        """
        self._validate_params()
        earlier: Learned | None = getattr(self, "_learned", None)
        if earlier is None:
            given = input_of_fit(self, X, sensitive_features, sample_weight, min_rows=1)
        else:
            earlier.check_open()
            given = input_of_chunk(self, earlier, X, sensitive_features, sample_weight)
        request = Request.of_estimator(self, None if earlier is None else earlier.request)
        self._keep(learn_more(earlier, given, request, progress), given.table)
        return self

    @_if_it_takes_chunks
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
        table, apart = moments._columns()
        learned = learn_moments(moments._of_table(), roles_in_fit(self, table, apart), Request.of_estimator(self))
        self._keep(learned, table)
        return self

    def _keep(self, learned: Learned, table: Table | None) -> None:
        """What a fit sets, at its end: one that fails leaves the estimator as it was."""
        self._learned, names = learned, None if table is None else table.names
        if learned.dropped is not None:  # as a file does not tell
            self.n_dropped_, self.n_filled_ = learned.dropped, learned.filled
        if table is not None:
            self.n_features_in_ = table.n_columns
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

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
        array too; with ``remove="spread"`` tens of them. Frames, lists and arrays of other types take a millisecond and
        more a call. With `remove` of more than means a row has the same bits alone and among others.
        """
        learned = self._fitted()
        if not progress:
            out = transformed_array(self, learned, X, sensitive_features)
            if out is not None:
                return out
        given = input_after_fit(self, learned, X, sensitive_features)
        return learned.transform(given, progress, kind=self._kind_out() and "array")  # scikit-learn makes a frame of it

    def _kind_out(self) -> str | None:
        """That `set_output` has asked for."""
        kind: str = _get_output_config("transform", self)["dense"]
        return None if kind == "default" else kind

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
        learned = self._fitted()
        given = input_after_fit(self, learned, X, sensitive_features)
        return learned.transform(given, progress, scores=True, kind=self._kind_out())

    def certify(
        self,
        X: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        probe: str | None = None,
        y: Any = None,
        predictions: ArrayLike | None = None,
        progress: bool = False,
    ) -> _core.Certificate:
        """A certificate of other rows: what the fitted map does to them, measured on the result as `transform` returns
        it. Of float32 columns that is float32, whose rounding leaves correlations of some 1e-7. And what models can
        read back of the sensitive columns of these rows.

        Cells that are missing are filled in, or cost the row, as `missing` says; so does `unknown` of categories.

        Parameters
        ----------
        X : array or frame, as in `fit`
            With its sensitive columns, in blind mode too.
        sensitive_features : array, series or frame, optional
            Sensitive columns that are not part of X, in the order that `transform` takes.
        sample_weight : array of shape (n,) or float, optional
            Weights of the rows, or of each of them.
        probe : {"quick", "full", "none"}, optional
            How well models that learn from some of these rows read the sensitive columns of the others back from the
            features, before and after. None: as the estimator's parameter says.
        y : array of shape (n,), optional
            The target of the rows, for `predictions`.
        predictions : array of shape (n,), optional
            Predictions of y, of two labels the probability of the second: `price.predictions` then says how much of
            the sensitive columns' effect they must have kept. The fit must have been given its own y.
        progress : bool
            Show a bar.

        Returns
        -------
        Certificate
        """
        learned, effort = self._fitted(), checked_effort(self.probe if probe is None else probe)
        given = input_after_fit(self, learned, X, sensitive_features, sample_weight, sensitive=True)
        certificate = learned.certify(given, effort, progress)
        if predictions is None:
            return certificate
        return with_predictions(certificate, learned.fit.certificate.price, y, predictions, sample_weight)

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
