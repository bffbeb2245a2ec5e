"""How fair predictions are: counterfactually, between groups, and by their dependence on the sensitive columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from . import _core, _names
from ._arrays import Floats
from ._groups import codes_of, labels_of
from ._progress import Progress
from ._scorer import SensitiveScorer
from ._sensitive_numbers import whole_number

__all__ = [
    "ContinuousGap",
    "Dependence",
    "SensitiveScorer",
    "continuous_counterfactual_gap",
    "counterfactual_gap",
    "counterfactual_predictions",
    "demographic_parity_difference",
    "dependence",
    "distance_correlation",
    "equal_opportunity_difference",
    "equalized_odds_difference",
    "group_means",
    "soft_accuracy",
]

_ROUNDING = 1e-6  # of averages in float32


def soft_accuracy(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean probability of the outcome that came: the paper's ACC.

    Parameters
    ----------
    y_true : array of shape (n,)
        Outcomes, 0 or 1.
    y_prob : array of shape (n,)
        Probabilities of 1.
    sample_weight : array of shape (n,), optional

    Examples
    --------
    >>> from plumbline.metrics import soft_accuracy
    >>> soft_accuracy([1, 0], [0.75, 0.5])
    0.625
    """
    return _core.soft_accuracy(_probabilities(y_prob, "y_prob"), _vector(y_true, "y_true"), _weights(sample_weight))


# Between groups


def group_means(
    y_pred: ArrayLike, *, sensitive_features: Any, sample_weight: ArrayLike | None = None
) -> dict[str, float]:
    """Mean prediction of each group.

    Parameters
    ----------
    y_pred : array of shape (n,)
        Numbers.
    sensitive_features : array, series or frame of shape (n,) or (n, p)
        Groups; several columns make a group of each combination.
    sample_weight : array of shape (n,), optional

    Examples
    --------
    >>> from plumbline.metrics import group_means
    >>> group_means([1, 0, 1, 1], sensitive_features=["a", "a", "b", "b"])
    {'a': 0.5, 'b': 1.0}
    """
    levels, s = _groups(sensitive_features)
    means = _core.group_means(_vector(y_pred, "y_pred"), s, len(levels), _weights(sample_weight))
    return dict(zip(levels, means.tolist(), strict=True))


def demographic_parity_difference(
    y_pred: ArrayLike, *, sensitive_features: Any, sample_weight: ArrayLike | None = None
) -> float:
    """Largest difference of mean predictions between two groups; 0 is parity.

    Parameters
    ----------
    y_pred : array of shape (n,)
        Classes 0 and 1, or probabilities.
    sensitive_features : array, series or frame of shape (n,) or (n, p)
        Groups; several columns make a group of each combination.
    sample_weight : array of shape (n,), optional

    Examples
    --------
    >>> from plumbline.metrics import demographic_parity_difference
    >>> demographic_parity_difference([1, 0, 1, 1], sensitive_features=["a", "a", "b", "b"])
    0.5
    """
    levels, s = _groups(sensitive_features)
    return _core.demographic_parity(_probabilities(y_pred, "y_pred"), s, len(levels), _weights(sample_weight))


def equal_opportunity_difference(
    y_true: ArrayLike, y_pred: ArrayLike, *, sensitive_features: Any, sample_weight: ArrayLike | None = None
) -> float:
    """Largest difference of mean predictions between two groups, among rows whose outcome is 1.

    A group without such a row cannot be judged: it is left out, and a warning names it. Where a single group is left,
    the difference is 0, which then says nothing; where none is, it is NaN.

    Parameters
    ----------
    y_true : array of shape (n,)
        Outcomes, 0 or 1.
    y_pred : array of shape (n,)
        Classes 0 and 1, or probabilities.
    sensitive_features : array, series or frame of shape (n,) or (n, p)
        Groups; several columns make a group of each combination.
    sample_weight : array of shape (n,), optional

    Examples
    --------
    >>> from plumbline.metrics import equal_opportunity_difference
    >>> equal_opportunity_difference([1, 1, 1, 0], [1, 0, 1, 1], sensitive_features=["a", "a", "b", "b"])
    0.5
    """
    levels, s = _groups(sensitive_features)
    y, weights = _vector(y_true, "y_true"), _weights(sample_weight)
    out = _core.equal_opportunity(_probabilities(y_pred, "y_pred"), y, s, len(levels), weights)
    _warn_of_unjudged(levels, s, y, weights, outcomes=(1,))
    return out


def equalized_odds_difference(
    y_true: ArrayLike, y_pred: ArrayLike, *, sensitive_features: Any, sample_weight: ArrayLike | None = None
) -> float:
    """The larger of the differences among rows whose outcome is 1, and among those whose outcome is 0.

    A group without a row of one outcome cannot be judged by it: it is left out there, and a warning names it. Where a
    single group is left, that difference is 0, which then says nothing.

    Parameters
    ----------
    y_true : array of shape (n,)
        Outcomes, 0 or 1.
    y_pred : array of shape (n,)
        Classes 0 and 1, or probabilities.
    sensitive_features : array, series or frame of shape (n,) or (n, p)
        Groups; several columns make a group of each combination.
    sample_weight : array of shape (n,), optional

    Examples
    --------
    >>> from plumbline.metrics import equalized_odds_difference
    >>> equalized_odds_difference([1, 0, 1, 0], [1, 0, 1, 1], sensitive_features=["a", "a", "b", "b"])
    1.0
    """
    levels, s = _groups(sensitive_features)
    y, weights = _vector(y_true, "y_true"), _weights(sample_weight)
    out = _core.equalized_odds(_probabilities(y_pred, "y_pred"), y, s, len(levels), weights)
    _warn_of_unjudged(levels, s, y, weights, outcomes=(1, 0))
    return out


def _warn_of_unjudged(
    levels: list[str], s: NDArray[np.int32], y: Floats, weights: Floats, outcomes: tuple[int, ...]
) -> None:
    counts = weights > 0 if len(weights) else np.ones(len(y), dtype=bool)
    for outcome in outcomes:
        there = set(s[counts & (y == outcome)].tolist())
        absent = [level for group, level in enumerate(levels) if group not in there]
        if absent:
            warnings.warn(
                f"no row with outcome {outcome} is of group {', '.join(absent)}; what cannot be judged is left out",
                stacklevel=3,
            )


# Dependence


class Dependence(NamedTuple):
    """What `dependence` gives.

    Attributes
    ----------
    correlation : float
        The largest absolute correlation of a column of x and a sensitive one.
    explained : float
        The largest share of a column of x that all sensitive columns explain.
    canonical : array
        Canonical correlations.

    Examples
    --------
    >>> from plumbline.metrics import dependence
    >>> dependence([1.0, 2.0, 4.0], [2.0, 1.0, 2.0]).canonical.shape
    (1,)
    """

    correlation: float
    explained: float
    canonical: Floats


def dependence(x: ArrayLike, sensitive_features: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Dependence:
    """Linear dependence of features or predictions on numbers that are sensitive.

    Parameters
    ----------
    x : array of shape (n,) or (n, q)
    sensitive_features : array of shape (n,) or (n, p)
    sample_weight : array of shape (n,), optional

    Returns
    -------
    Dependence

    Examples
    --------
    >>> import numpy as np
    >>> from plumbline.metrics import dependence
    >>> b = np.arange(5.0)
    >>> dependence(2 * b, b).correlation
    1.0
    """
    from .moments import Moments

    moments = Moments().update(_columns(x, "x"), _columns(sensitive_features, "sensitive_features"), sample_weight)
    before = _core.fit(moments._core, _core.FitOptions(alpha=0)).certificate.before
    canonical = before.canonical
    assert canonical is not None
    return Dependence(before.correlation.value, before.explained.value, canonical)


def distance_correlation(x: ArrayLike, sensitive_features: ArrayLike, *, progress: bool = False) -> float:
    """Dependence of any kind, linear or not: 0 in the limit of many rows only where there is none.

    Takes time in the square of the rows. Independent columns of n rows give some n**-0.25, not 0.

    Parameters
    ----------
    x : array of shape (n,) or (n, q)
    sensitive_features : array of shape (n,) or (n, p)
    progress : bool
        Show a bar.

    Examples
    --------
    >>> import numpy as np
    >>> from plumbline.metrics import dependence, distance_correlation
    >>> b = np.linspace(-1, 1, 101)
    >>> dependence(b**2, b).correlation < 1e-12 < 0.3 < distance_correlation(b**2, b)
    True
    """
    cells, b = _columns(x, "x"), _columns(sensitive_features, "sensitive_features")
    with Progress(progress, "distance correlation", 2 * len(cells)) as bar:  # each row is looked at twice
        return _core.distance_correlation(cells, b, bar.reporter())


# Counterfactuals


def counterfactual_predictions(
    predict: Callable[[Floats, NDArray[np.object_]], ArrayLike],
    X: ArrayLike,
    *,
    sensitive_features: Any,
    training: tuple[ArrayLike, Any],
    mapping: str = "marginal",
) -> dict[str, Floats]:
    """What a model says of each row, had it been of each group.

    Parameters
    ----------
    predict : function of (features, groups)
        Predictions of rows, given the group of each as text.
    X : array of shape (n, q)
        Features of the rows in question.
    sensitive_features : their groups
    training : (features, groups)
        The rows that teach how features differ between groups. Columns that have names must have the same in both.
    mapping : {"marginal", "orthogonal", "none"}
        How features move with the group: feature by feature to the same quantile, by the difference of the groups'
        means, or not at all.

    Returns
    -------
    dict
        Of each group an array of n predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from plumbline.metrics import counterfactual_gap, counterfactual_predictions
    >>> income, group = np.array([[1.0], [2.0], [3.0], [4.0]]), ["a", "a", "b", "b"]
    >>> said = counterfactual_predictions(
    ...     lambda a, groups: a[:, 0], income, sensitive_features=group, training=(income, group), mapping="orthogonal"
    ... )
    >>> said["b"].tolist()
    [3.0, 4.0, 3.0, 4.0]
    >>> counterfactual_gap(said)
    2.0
    """
    a, (of, named) = _columns(training[0], "training[0]"), labels_of(training[1])
    levels = sorted(set(of))
    names = np.array(levels, dtype=object)

    def call(rows: Floats, s: NDArray[np.int32]) -> Floats:
        return _vector(predict(rows, names[s]), "what predict gives")

    labels, given = labels_of(sensitive_features)
    here, cells = codes_of(labels, levels), _columns(X, "X")
    _check_names("X", _names.of_columns(X), "training[0]", _names.of_columns(training[0]))
    _check_names("sensitive_features", given, "training[1]", named)
    out = _core.counterfactual_predictions(call, a, codes_of(of, levels), len(levels), mapping, cells, here)
    return {level: out[:, g] for g, level in enumerate(levels)}


def counterfactual_gap(predictions: Mapping[str, ArrayLike], *, sample_weight: ArrayLike | None = None) -> float:
    """Largest difference of mean predictions, had all rows been of one group or of another.

    Of `counterfactual_predictions` with the marginal mapping it is the paper's CF, with the orthogonal one its AA, with
    none its EO.

    Parameters
    ----------
    predictions : mapping of str to arrays of shape (n,)
        Of each group what a model says of the rows, had they been of it.
    sample_weight : array of shape (n,), optional

    Examples
    --------
    >>> from plumbline.metrics import counterfactual_gap
    >>> counterfactual_gap({"a": [0.25, 0.75], "b": [0.75, 0.75]})
    0.25
    """
    columns = {group: _vector(column, f"predictions of '{group}'") for group, column in predictions.items()}
    if not columns:
        raise _core.Error("predictions is empty; it must have those of at least one group")
    counts = {len(column): group for group, column in columns.items()}
    if len(counts) > 1:
        (some, one), (others, other) = list(counts.items())[:2]
        raise _core.Error(
            f"predictions of '{one}' has {some} rows and predictions of '{other}' has {others}; they must have the same"
        )
    return _core.counterfactual_gap(np.column_stack(list(columns.values())), _weights(sample_weight))


class ContinuousGap(NamedTuple):
    """What `continuous_counterfactual_gap` gives.

    Attributes
    ----------
    absolute, square : float
        Mean absolute and mean square change of the predictions.

    Examples
    --------
    >>> from plumbline.metrics import ContinuousGap
    >>> ContinuousGap(absolute=0.5, square=0.25).absolute
    0.5
    """

    absolute: float
    square: float


def continuous_counterfactual_gap(
    predict: Callable[[Floats, Floats], ArrayLike],
    X: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    training: tuple[ArrayLike, ArrayLike],
    generator: Any = None,
    y: ArrayLike | None = None,
    draws: int = 1000,
    random_state: int = 0,
    progress: bool = False,
) -> ContinuousGap:
    """How far predictions move, had the sensitive numbers been others; features follow along lines, or a generator.

    Parameters
    ----------
    predict : function of (features, sensitive numbers)
    X, sensitive_features : arrays of shape (n, q) and (n, p)
    training : (features, sensitive numbers)
        Rows that give the least-squares lines, and the range from which other numbers are drawn. Columns that have
        names must have the same in both, and as those of a generator's fit.
    generator : fitted AdversarialGenerator or DistributionGenerator, optional
        In place of the lines: of `plumbline.methods`.
    y : array of shape (n,)
        Outcomes of the rows; an `AdversarialGenerator` infers from them too.
    draws : int
        For each row.
    random_state : int
    progress : bool
        Show a bar.

    Returns
    -------
    ContinuousGap
        Mean absolute and mean square change.

    Examples
    --------
    >>> from plumbline.datasets import make_insurance
    >>> from plumbline.metrics import continuous_counterfactual_gap
    >>> prices = make_insurance(200)
    >>> X, b = prices[["A1", "A2", "A3", "A4"]], prices["b"]
    >>> continuous_counterfactual_gap(lambda a, b: 0 * a[:, 0], X, sensitive_features=b, training=(X, b), draws=10)
    ContinuousGap(absolute=0.0, square=0.0)
    """
    a, b, others = (
        _columns(X, "X"),
        _columns(sensitive_features, "sensitive_features"),
        _columns(training[1], "training[1]"),
    )
    names, of_b = _names.of_columns(X), _names.of_columns(sensitive_features)
    _check_names("sensitive_features", of_b, "training[1]", _names.of_columns(training[1]))
    draws, seed = whole_number("draws", draws, 1, 1_000_000), whole_number("random_state", random_state)

    outcome: Floats = np.empty(0)
    if generator is not None:
        if generator._needs_outcome and y is None:
            raise _core.Error("y is not given; a generator needs the outcome of each row")
        check_is_fitted(generator)
        outcome = outcome if y is None else _vector(y, "y")
        known = getattr(generator, "feature_names_in_", None)
        _check_names("X", names, "the generator's fit", None if known is None else list(known))
        _check_names("sensitive_features", of_b, "the generator's fit", generator._sensitive_names)
    with Progress(progress, "counterfactuals", draws + 1, "draws") as bar:  # the rows as they are come first

        def call(rows: Floats, numbers: Floats) -> Floats:
            out = _vector(predict(rows, numbers), "what predict gives")
            bar.add(1)
            return out

        if generator is None:
            learned = _columns(training[0], "training[0]")
            _check_names("X", names, "training[0]", _names.of_columns(training[0]))
            return ContinuousGap(*_core.continuous_gap(call, learned, others, a, b, draws, seed))
        return ContinuousGap(*generator._gap(call, a, b, outcome, others, draws, seed))


def _check_names(what: str, given: list[str] | None, other: str, known: list[str] | None) -> None:
    """Refuses columns that are taken by position and whose names say that they are others."""
    if given is not None and known is not None and given != known:
        raise _core.Error(f"{what} has the columns {given}; {other} has {known}")


def _groups(sensitive_features: Any) -> tuple[list[str], NDArray[np.int32]]:
    labels, _ = labels_of(sensitive_features)
    if not len(labels):
        raise _core.Error("sensitive_features has no rows; a metric needs at least one")
    levels = sorted(set(labels))
    return levels, codes_of(labels, levels)


def _vector(values: ArrayLike, name: str) -> Floats:
    """Numbers in one dimension; a table of one column will do."""
    out = np.ascontiguousarray(_numbers(values, name))
    if out.ndim != 1 and out.shape[1:] != (1,):
        raise _core.Error(f"{name} has shape {out.shape}; it must have one dimension")
    return out.reshape(-1)


def _probabilities(values: ArrayLike, name: str) -> Floats:
    """Numbers from 0 to 1, but for the rounding of those that were averaged."""
    out = _vector(values, name)
    outside = (out < -_ROUNDING) | (out > 1 + _ROUNDING)
    if outside.any():
        row = int(np.argmax(outside))
        raise _core.Error(f"{name} is {float(out[row])!r} in row {row}; it must be a probability, from 0 to 1")
    return out


def _numbers(values: ArrayLike, name: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        kind = getattr(values, "dtype", type(values).__name__)
        raise _core.Error(f"{name} of type {kind} is not an array of numbers; encode categories first") from None


def _columns(values: ArrayLike, name: str) -> Floats:
    out = _numbers(values, name)
    if out.ndim not in (1, 2):
        raise _core.Error(f"{name} has shape {out.shape}; it must have one dimension or two")
    return out.reshape(-1, 1) if out.ndim == 1 else out


def _weights(sample_weight: ArrayLike | None) -> Floats:
    return np.empty(0) if sample_weight is None else _vector(sample_weight, "sample_weight")
