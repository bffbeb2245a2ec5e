"""Transformers that remove the influence of sensitive columns from all others."""

from __future__ import annotations

from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from . import _core
from ._sensitive_numbers import SEED
from ._transformer import Transformer

# What is common to both. What the engine knows by the same name, `_core.FitOptions`, gets there by itself.
_SHARED: dict[str, list[Any]] = {
    "sensitive_feature_ids": [None, str, Integral, "array-like"],
    "n_components": [None, Interval(Integral, 1, 2**31 - 1, closed="both"), Interval(Real, 0, 1, closed="right")],
    "mode": [StrOptions({"aware", "blind"})],
    "alpha": [Interval(Real, 0, 1, closed="both")],
    "expand": [None, str, dict, "array-like"],
    "noise_b": [None, dict],
    "standardize": ["boolean"],
    "missing": [StrOptions({"error", "drop", "mean"})],
    "unknown": [StrOptions({"merge", "error", "ignore"})],
    "min_level_rows": [None, Interval(Integral, 0, None, closed="left")],
    "probe": [StrOptions({"quick", "full", "none"})],
    "spread": [StrOptions({"full", "diagonal"})],
    "regions": [None, Interval(Integral, 2, 1000, closed="both")],
}


class OrthogonalToBias(Transformer):
    """Remove the influence of sensitive columns, changing the others as little as possible.

    Each feature loses what a least-squares fit on all sensitive columns explains of it; below full rank the result
    is projected on the directions that keep most of what is left. Every column of the result is uncorrelated with
    every sensitive column, and `certificate_` says by how much. That protects linear models. With `remove` more than
    means becomes equal for all values b of the sensitive columns:

    ==================  ==========================================================  ===================================
    `remove`            what becomes equal                                          for whom that is enough
    ==================  ==========================================================  ===================================
    ``"mean"``          E[A given b], linear in φ(b)                                linear models
    ``"spread"``        E[A given b] and cov(A given b)                             quadratic functions; any model, if A
                                                                                    given b is elliptical of one shape
    ``"distribution"``  the law of all features given b, feature after feature      any model
    ==================  ==========================================================  ===================================

    Parameters
    ----------
    sensitive_feature_ids : str, int, or list of them, optional
        Names or positions of the sensitive columns of X. A bare name is one column. They are taken in the order in
        which X has them, whatever their order here, as by the command line. None: they are given apart, as
        `sensitive_features` of `fit` and `transform`.
    n_components : int, float or None
        Dimensions to keep: a number, a share of the variance that is left such as 0.95, or None for all.
    basis : {"optimal", "paper"}
        Below full rank: the directions that change the features least, or those that the paper prints.
    mode : {"aware", "blind"}
        The map of ``"blind"`` uses the features alone: `transform` then needs no sensitive column.
    alpha : float
        Strength, from 0 (no change) to 1 (no linear influence left).
    expand : str, dict or list of str, optional
        Remove more than the linear influence: ``"powers=3"``, ``"splines=5"``, ``"bins=4"``, ``"interactions"``,
        several of them separated by commas or in a list, or ``{"powers": 3}``. With ``"auto"`` among them terms enter
        only where a test finds that a column acts along more than a line; ``"auto"`` alone tries splines and
        interactions. `certificate_` says what was found.
    noise_b : dict of str to float, optional
        The reliability of sensitive columns that are measured with noise, by name (``"x0"`` for the first of an array):
        the share of the variance as observed that is not noise, above 0 to 1. Of ``mode="aware"``: the result is then
        uncorrelated with the columns without their noise, and `certificate_` is about these. Not with `expand`.
    standardize : bool
        Whether features weigh alike in the choice of directions, or by their variance.
    missing : {"error", "drop", "mean"}
        What becomes of missing cells: they are refused, cost the row, or become the mean that the fit has seen. A row
        that is dropped counts for nothing in `fit` and is NaN in the result of `transform`.
    unknown : {"merge", "error", "ignore"}
        What becomes of levels that the fit has not seen. ``"merge"``: they join the levels that the fit merged, if it
        merged some of the column, and else raise an error. ``"error"``: they raise an error. ``"ignore"``: they are
        encoded as all zeros.
    min_level_rows : int, optional
        Levels of features with fewer rows are merged into one, and features that differ from their most frequent value
        in fewer rows are held at it: the map that so few rows decide does not hold on new ones. None: 100, or ten for
        each sensitive column as encoded if that is more, and at most a twentieth of the rows.
    remove : {"mean", "spread", "distribution"}
        What becomes equal for all values of the sensitive columns: means; means and covariances; or the whole law, by
        conditional quantiles of numbers and by the coupling of levels that changes fewest. ``"spread"`` and
        ``"distribution"`` need all rows at once and ``mode="aware"``; ``"distribution"`` combines no features, so it
        goes with neither `n_components`, `alpha` nor `expand`. Indicators of a category then stay 0 and 1, and a
        number stays on its grid.
    spread : {"full", "diagonal"}
        Of ``remove="spread"``: whether covariances become equal, or variances alone.
    regions : int, optional
        Unless ``remove="mean"``: at most so many regions of the sensitive numbers, for each combination of levels.
        None: by the number of rows.
    order : list of str, optional
        Of ``remove="distribution"``: features in their causal order, by name (``"x0"`` for the first of an array).
        Those that are not named come after: numbers before categories, and of each those first which the sensitive
        columns explain most.
    random_state : int
        Of ``remove="distribution"``: the seed of the draws that a value inside an atom, or a level, needs. Draws depend
        on it and on the row alone: the same row always gets the same result.
    probe : {"quick", "full", "none"}
        How hard `certificate_` looks for what models can still read back of the sensitive columns, on rows that neither
        the map nor the models have seen. ``"quick"``: a linear and a flexible model, on at most 5,000 rows; it is made
        when `certificate_`, `to_json` or a pickle is first asked for, of rows that are kept until then. ``"full"``:
        scikit-learn's `HistGradientBoosting` too, on at most 50,000 rows, within `fit`. ``"none"``: not at all. Chunks
        and moments keep no rows, and nothing is measured; `certify` measures it on any rows.

    Attributes
    ----------
    certificate_ : Certificate
        What the fit did to the rows that it saw.
    coef_, feature_coef_, intercept_ : arrays of shape (q, p), (q, q) and (q,)
        The result is ``intercept_ + A @ feature_coef_.T + φ(B) @ coef_.T``. φ(B) is B, the sensitive columns, with one
        column a level of a category, in the order in which X has them, or `sensitive_features` if they were given
        apart; with `expand` it is all terms of them, and p is their number. With ``remove="mean"`` alone: other maps
        are not affine.
    components_ : array of shape (k, q) or None
        What a unit of each score adds to the features.
    n_components_ : int
        Dimensions kept.
    n_dropped_, n_filled_ : int
        Rows that were left out of the fit, and cells that were filled in, for want of a cell.
    feature_names_in_, n_features_in_
        Columns of X, as in all of scikit-learn.

    Notes
    -----
    Text is a category, and so is a column of a categorical type. Features of which nothing can be learned raise an
    error that says what to do: text whose values are all different, 20 or more, as names and ids are; integers beyond
    2^53; dates. Other integers are numbers, be they all different. With chunks the first one is looked at.

    `sensitive_features` is requested by `fit`, `partial_fit` and `transform` wherever metadata are routed; for
    `sample_weight` call ``set_fit_request(sample_weight=True)``. Searches such as `GridSearchCV` hand to a score what
    its scorer requests, and scorers of scikit-learn request nothing for `transform`. In aware mode give
    ``scoring=plumbline.metrics.SensitiveScorer()``, as below, or name columns of X, or use blind mode. Without it the
    error that says so becomes a score of NaN and a warning, unless the search has ``error_score="raise"``. A search's
    own `predict` takes no metadata; its `best_estimator_`'s does. A level of a sensitive column that is in one fold
    alone raises an error when that fold is scored: merge it with another level, or set ``unknown="ignore"``.

    Where a later step wants `sensitive_features`, such as a `FairClassifier`, and this one names columns of X, it must
    be told not to take them: ``set_fit_request(sensitive_features=False)``, and the same of ``set_transform_request``.

    Examples
    --------
    >>> import numpy as np
    >>> from plumbline import OrthogonalToBias
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(40, 10, size=200)
    >>> X = np.column_stack([age, 2 * age + rng.normal(size=200), rng.normal(size=200)])
    >>> fair = OrthogonalToBias(sensitive_feature_ids=[0])
    >>> out = fair.fit_transform(X)
    >>> out.shape
    (200, 2)
    >>> bool(abs(np.corrcoef(age, out[:, 0])[0, 1]) < 1e-12)
    True
    >>> fair.certificate_.holds()
    True

    A search where sensitive columns are given apart, with a scorer that hands them on:

    >>> import sklearn
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from plumbline.metrics import SensitiveScorer
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     model = make_pipeline(OrthogonalToBias(), LinearRegression())
    ...     search = GridSearchCV(model, {"orthogonaltobias__alpha": [0.0, 1.0]}, scoring=SensitiveScorer())
    ...     search = search.fit(X[:, 1:], X[:, 1] + X[:, 2], sensitive_features=age)
    >>> search.best_params_
    {'orthogonaltobias__alpha': 0.0}

    A pipeline in which a later step wants the groups that this one finds in X:

    >>> from plumbline.methods import FairClassifier
    >>> group, y = np.where(age > 40, "old", "young"), (X[:, 2] > 0).astype(int)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     first = OrthogonalToBias(sensitive_feature_ids=[0]).set_fit_request(sensitive_features=False)
    ...     first = first.set_transform_request(sensitive_features=False)
    ...     both = make_pipeline(first, FairClassifier()).fit(X, y, sensitive_features=group)
    ...     both.predict(X, sensitive_features=group).shape
    (200,)

    What no model can read back:

    >>> laws = OrthogonalToBias(sensitive_feature_ids=[0], remove="distribution", order=["x1", "x2"]).fit(X)
    >>> bool((laws.transform(X[:1]) == laws.transform(X)[:1]).all())
    True
    """

    _name = "ob"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_SHARED,
        "basis": [StrOptions({"optimal", "paper"})],
        "remove": [StrOptions({"mean", "spread", "distribution"})],
        "order": [None, str, "array-like"],
        "random_state": [SEED],
    }

    def __init__(
        self,
        *,
        sensitive_feature_ids: Any = None,
        n_components: int | float | None = None,
        basis: str = "optimal",
        mode: str = "aware",
        alpha: float = 1.0,
        expand: Any = None,
        noise_b: dict[str, float] | None = None,
        standardize: bool = True,
        missing: str = "error",
        unknown: str = "merge",
        min_level_rows: int | None = None,
        remove: str = "mean",
        spread: str = "full",
        regions: int | None = None,
        order: Any = None,
        random_state: int = 0,
        probe: str = "quick",
    ):
        self.sensitive_feature_ids = sensitive_feature_ids
        self.n_components = n_components
        self.basis = basis
        self.mode = mode
        self.alpha = alpha
        self.expand = expand
        self.noise_b = noise_b
        self.standardize = standardize
        self.missing = missing
        self.unknown = unknown
        self.min_level_rows = min_level_rows
        self.remove = remove
        self.spread = spread
        self.regions = regions
        self.order = order
        self.random_state = random_state
        self.probe = probe


class SparseOrthogonalToBias(Transformer):
    """Remove the linear influence of sensitive columns, along directions that use few features each.

    The sparse variant (SOB) of `OrthogonalToBias`: what is left of the features is written with directions whose
    1-norm is bounded. The result is uncorrelated with every sensitive column all the same.

    Parameters
    ----------
    sensitive_feature_ids, mode, alpha, expand, noise_b, standardize, missing, unknown, min_level_rows, probe
        As of `OrthogonalToBias`.
    remove : {"mean", "spread"}
        As of `OrthogonalToBias`: spreads become equal on the directions. ``"distribution"`` combines no features, and
        there are none for it.
    spread, regions
        As of `OrthogonalToBias`.
    n_components : int, float or None
        Directions to find: a number, a share of the variance that is left, or None for as many as features.
    l1_bound : float or None
        Bound of the 1-norm of each direction, from 1 (one feature each) to the root of q (no bound); None is half
        of that root.
    tol : float
        A direction is found when it moves by less.
    max_iter : int
        Iterations for each direction; where they are not enough there is a `ConvergenceWarning`, and a note in
        `certificate_`.
    random_state : int, RandomState or None
        None: the start is the leading direction, and the result is deterministic. Else ten random starts are tried
        beside it, and the best is kept.

    Attributes
    ----------
    certificate_, coef_, feature_coef_, intercept_, components_, n_components_, n_dropped_, n_filled_
        As of `OrthogonalToBias`.
    n_iter_ : int
        Iterations that the slowest direction took.
    feature_names_in_, n_features_in_
        Columns of X, as in all of scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from plumbline import SparseOrthogonalToBias
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8)) @ rng.normal(size=(8, 8))
    >>> fair = SparseOrthogonalToBias(sensitive_feature_ids=0, n_components=2, l1_bound=1.0).fit(X)
    >>> (fair.components_ != 0).sum(axis=1).tolist()
    [1, 1]
    """

    _name = "sob"

    @property
    def n_iter_(self) -> int:
        """Iterations that the slowest direction took."""
        return max(self._fitted().fit.sob_iterations, default=0)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_SHARED,
        "l1_bound": [None, Interval(Real, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "random_state": ["random_state"],
        "remove": [StrOptions({"mean", "spread"})],
    }

    def __init__(
        self,
        *,
        sensitive_feature_ids: Any = None,
        n_components: int | float | None = None,
        mode: str = "aware",
        alpha: float = 1.0,
        expand: Any = None,
        noise_b: dict[str, float] | None = None,
        l1_bound: float | None = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: Any = None,
        standardize: bool = True,
        missing: str = "error",
        unknown: str = "merge",
        min_level_rows: int | None = None,
        remove: str = "mean",
        spread: str = "full",
        regions: int | None = None,
        probe: str = "quick",
    ):
        self.sensitive_feature_ids = sensitive_feature_ids
        self.n_components = n_components
        self.mode = mode
        self.alpha = alpha
        self.expand = expand
        self.noise_b = noise_b
        self.l1_bound = l1_bound
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.standardize = standardize
        self.missing = missing
        self.unknown = unknown
        self.min_level_rows = min_level_rows
        self.remove = remove
        self.spread = spread
        self.regions = regions
        self.probe = probe


def load_model(path: str | Path) -> OrthogonalToBias | SparseOrthogonalToBias:
    """The fitted transformer in a model file, which `to_json` or ``plumbline fit`` has written.

    Parameters
    ----------
    path : str or Path
        Of a plain file, or of one that is compressed as .gz or .zst.

    Returns
    -------
    OrthogonalToBias or SparseOrthogonalToBias

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import plumbline
    >>> from plumbline.datasets import make_insurance
    >>> fair = plumbline.OrthogonalToBias(sensitive_feature_ids="b").fit(make_insurance(100))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.json"
    ...     _ = path.write_text(fair.to_json(), encoding="utf-8")
    ...     again = plumbline.load_model(path)
    >>> again.to_json() == fair.to_json()
    True
    """
    Path(path).stat()  # raises as Python does where there is no such file
    text = _core.read_file(path).decode(errors="backslashreplace")  # what is no text is then no JSON
    try:
        is_sparse = _core.Fit.from_json(text).options.method == "sob"
        return (SparseOrthogonalToBias if is_sparse else OrthogonalToBias).from_json(text)
    except _core.Error as error:
        raise _core.Error(f"{path}: {error}") from None
