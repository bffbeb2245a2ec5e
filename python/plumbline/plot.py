"""Pictures of what a fit did. Matplotlib is imported when one is asked for, and not before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from . import _core
from ._arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["certificate", "correlation_map", "trade_off"]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib; install it with: pip install matplotlib") from error
    return plt


def correlation_map(
    before: ArrayLike,
    after: ArrayLike,
    sensitive_features: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    sensitive_names: Sequence[str] | None = None,
) -> Figure:
    """Correlations of features with sensitive columns, before and after, side by side on one scale.

    A row counts for a pair of columns where it has both cells, so that rows that `transform` left out as NaN are left
    out here; a pair without two such rows stays blank.

    Parameters
    ----------
    before, after : arrays of shape (n, q)
        Features that went into a fit, and those that came out.
    sensitive_features : array of shape (n,) or (n, p)
    feature_names, sensitive_names : lists of str, optional
        Taken from the columns of frames where they are not given.

    Returns
    -------
    Figure

    Examples
    --------
    >>> from plumbline import OrthogonalToBias, plot
    >>> from plumbline.datasets import make_insurance
    >>> prices = make_insurance(100)
    >>> X, b = prices[["A1", "A2", "A3", "A4"]], prices["b"]
    >>> fair = OrthogonalToBias().fit_transform(X, sensitive_features=b)
    >>> figure = plot.correlation_map(X, fair, b)
    >>> [axis.get_title() for axis in figure.axes[:2]]
    ['before', 'after']
    """
    plt = _pyplot()
    cells = {"before": _table(before), "after": _table(after)}
    b = _table(sensitive_features)
    if cells["before"].shape[1] != cells["after"].shape[1]:
        raise _core.Error(
            f"before has {cells['before'].shape[1]} columns and after has {cells['after'].shape[1]}; they must be the "
            "same columns"
        )
    check_consistent_length(*cells.values(), b)
    features = list(_names(before, "x") if feature_names is None else feature_names)
    sensitive = list(_names(sensitive_features, "b") if sensitive_names is None else sensitive_names)
    height = 1.5 + 0.3 * len(features)
    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(3 + 0.8 * len(sensitive), height), layout="constrained")
    image = None
    for axis, (title, a) in zip(axes, cells.items(), strict=True):
        image = axis.imshow(_correlations(a, b), vmin=-1, vmax=1, cmap="RdBu_r", aspect="auto")
        axis.set_title(title)
        axis.set_xticks(range(len(sensitive)), sensitive, rotation=90)
    axes[0].set_yticks(range(len(features)), features)
    figure.colorbar(image, ax=axes, label="correlation")
    made: Figure = figure
    return made


def certificate(given: _core.Certificate, *, ax: Axes | None = None) -> Axes:
    """A certificate's numbers before and after, as bars on a logarithmic scale.

    Parameters
    ----------
    given : Certificate
        Of a fit, or of `certify`.
    ax : Axes, optional
        Where to draw; a new figure if it is not given.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from plumbline import OrthogonalToBias, plot
    >>> from plumbline.datasets import make_insurance
    >>> fair = OrthogonalToBias(sensitive_feature_ids="b").fit(make_insurance(100))
    >>> plot.certificate(fair.certificate_).get_yscale()
    'log'
    """
    plt = _pyplot()
    axis = ax if ax is not None else plt.subplots(layout="constrained")[1]
    pairs = {
        "largest |correlation|": (given.before.correlation.value, given.after.correlation.value),
        "most explained": (given.before.explained.value, given.after.explained.value),
    }
    if given.before.canonical is not None and given.after.canonical is not None and len(given.before.canonical):
        pairs["largest canonical\ncorrelation"] = (float(given.before.canonical[0]), float(given.after.canonical[0]))
    places = np.arange(len(pairs))
    floor = 1e-17  # zero has no place on a logarithmic scale
    for shift, label in ((-0.2, "before"), (0.2, "after")):
        values = [max(pair[label == "after"], floor) for pair in pairs.values()]
        axis.bar(places + shift, values, width=0.4, label=label)
    axis.set_yscale("log")
    axis.set_ylim(floor, 3)
    axis.set_xticks(places, list(pairs))
    axis.set_title(f"change of the features: {given.change:.3g}, dimensions kept: {given.rank} of {given.features}")
    axis.legend()
    return axis


def trade_off(
    accuracy: ArrayLike,
    unfairness: ArrayLike,
    labels: Sequence[str],
    *,
    accuracy_label: str = "accuracy",
    unfairness_label: str = "counterfactual gap",
    ax: Axes | None = None,
) -> Axes:
    """Methods or strengths as points: how good they are against how unfair.

    Parameters
    ----------
    accuracy, unfairness : arrays of shape (n,)
        One number a point each.
    labels : list of str
        What each point is called.
    accuracy_label, unfairness_label : str
        What the axes are called.
    ax : Axes, optional
        Where to draw; a new figure if it is not given.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from plumbline import plot
    >>> plot.trade_off([0.9, 0.8], [0.3, 0.0], ["ML", "OB"]).get_xlabel()
    'counterfactual gap'
    """
    plt = _pyplot()
    axis = ax if ax is not None else plt.subplots(layout="constrained")[1]
    x, y = np.asarray(unfairness, dtype=np.float64), np.asarray(accuracy, dtype=np.float64)
    if not len(x) == len(y) == len(labels):
        raise _core.Error(
            f"there are {len(y)} accuracies, {len(x)} gaps and {len(labels)} labels; each point has one each"
        )
    axis.scatter(x, y)
    for at_x, at_y, label in zip(x, y, labels, strict=True):
        axis.annotate(label, (at_x, at_y), textcoords="offset points", xytext=(4, 4))
    axis.set_xlabel(unfairness_label)
    axis.set_ylabel(accuracy_label)
    return axis


def _names(table: Any, prefix: str) -> list[str]:
    if hasattr(table, "columns"):
        return [str(name) for name in table.columns]
    if getattr(table, "name", None) is not None:
        return [str(table.name)]
    shape = np.shape(table)
    return [f"{prefix}{j}" for j in range(shape[1] if len(shape) > 1 else 1)]


def _table(cells: ArrayLike) -> Floats:
    out = np.asarray(cells, dtype=np.float64)
    return out.reshape(len(out), -1)


def _correlations(a: Floats, b: Floats) -> Floats:
    """Columns without variance count as uncorrelated; where fewer than two rows have both cells, there is no number."""
    out: Floats = np.full((a.shape[1], b.shape[1]), np.nan)
    for i, j in np.ndindex(out.shape):
        both = np.isfinite(a[:, i]) & np.isfinite(b[:, j])
        if both.sum() < 2:
            continue
        x, y = a[both, i] - a[both, i].mean(), b[both, j] - b[both, j].mean()
        scale = np.linalg.norm(x) * np.linalg.norm(y)
        out[i, j] = x @ y / scale if scale > 0 else 0
    return out
