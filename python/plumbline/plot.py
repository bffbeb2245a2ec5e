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

__all__ = ["certificate", "correlation_map", "probe", "trade_off"]


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
    """A certificate's numbers before and after, as bars on a logarithmic scale, beside its `probe`.

    Parameters
    ----------
    given : Certificate
        Of a fit, or of `certify`.
    ax : Axes, optional
        Where to draw the bars alone; a new figure if it is not given, with the probe if there is one.

    Returns
    -------
    Axes
        Of the bars.

    Examples
    --------
    >>> from plumbline import OrthogonalToBias, plot
    >>> from plumbline.datasets import make_insurance
    >>> fair = OrthogonalToBias(sensitive_feature_ids="b").fit(make_insurance(100))
    >>> plot.certificate(fair.certificate_).get_yscale()
    'log'
    """
    plt = _pyplot()
    axis: Axes
    if ax is None and given.probe is not None and given.probe.columns:
        height = max(4.8, _height_of(given.probe))
        _, (axis, beside) = plt.subplots(1, 2, figsize=(13, height), layout="constrained")
        probe(given, ax=beside)
    else:
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
    axis.set_ylim(floor, 1e3)
    axis.set_xticks(places, list(pairs))
    axis.set_title(f"change of the features: {given.change:.3g}, dimensions kept: {given.rank} of {given.features}")
    axis.legend(loc="upper center", ncols=2)
    return axis


def probe(given: _core.Certificate, *, ax: Axes | None = None) -> Axes:
    """What models read back of each sensitive column, before and after, with 95 % intervals; the most exposed on top.

    Parameters
    ----------
    given : Certificate
        Of a fit, or of `certify`, with a probe.
    ax : Axes, optional
        Where to draw; a new figure if it is not given.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from plumbline import OrthogonalToBias, plot
    >>> from plumbline.datasets import make_insurance
    >>> fair = OrthogonalToBias(sensitive_feature_ids="b").fit(make_insurance(1000))
    >>> axis = plot.probe(fair.certificate_)
    >>> sorted(label.get_text() for label in axis.get_yticklabels())
    ['b', 'b, distance from median']
    """
    plt = _pyplot()
    made = given.probe
    if made is None or not made.columns:
        reason = "" if made is None or not made.not_estimable else f": {made.not_estimable[0]}"
        raise _core.Error(f"the certificate does not say what models can read back{reason}")
    columns = sorted(made.columns, key=lambda column: max(_share(one.low, column) for one in column.after))
    columns = columns[-_MOST_PROBED:]
    axis = ax if ax is not None else plt.subplots(figsize=(7, _height_of(made)), layout="constrained")[1]
    places = np.arange(len(columns))
    step = 0.8 / len(made.attackers)
    for k, attacker in enumerate(made.attackers):
        at = places + 0.4 - step * (k + 0.5)
        for side, fill in (("before", "white"), ("after", f"C{k}")):
            readings = [getattr(column, side)[k] for column in columns]
            shares = np.array(
                [
                    [_share(part, column) for part in (one.low, one.value, one.high)]
                    for one, column in zip(readings, columns, strict=True)
                ]
            )
            axis.errorbar(
                shares[:, 1],
                at,
                xerr=np.maximum([shares[:, 1] - shares[:, 0], shares[:, 2] - shares[:, 1]], 0),
                fmt="o",
                color=f"C{k}",
                markerfacecolor=fill,
                markersize=5,
                elinewidth=1,
                label=f"{attacker}, {side}",
            )
    axis.set_yticks(places, [_called(column) for column in columns])
    axis.set_ylim(-0.5, len(columns) - 0.5)
    for place in places[1:]:
        axis.axhline(place - 0.5, color="0.9", linewidth=0.8, zorder=0)
    axis.set_xlim(-0.05, 1.05)
    axis.axvline(0, color="0.6", linewidth=0.8, zorder=0)
    axis.set_xlabel("read back: R² of numbers, 2 AUC − 1 of levels; 0 is guessing")
    left_out = len(made.columns) - len(columns)
    title = f"{made.rows} rows" + (f"; {left_out} columns less exposed are left out" if left_out else "")
    axis.legend(title=title, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(made.attackers), frameon=False)
    return axis


_MOST_PROBED = 30  # columns that a picture has room for


def _height_of(made: _core.Probe) -> float:
    return 1.8 + min(len(made.columns), _MOST_PROBED) * max(0.35, 0.18 * len(made.attackers))


def _share(value: float, column: _core.ProbedColumn) -> float:
    """On one scale from 0, which is guessing, to 1; what is worse than guessing is 0."""
    return max(2 * value - 1 if column.read_as == "level" else value, 0.0)


def _called(column: _core.ProbedColumn) -> str:
    return f"{column.name}, distance from median" if column.read_as == "distance" else column.name


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
