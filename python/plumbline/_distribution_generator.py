"""What rows would look like with other sensitive columns, by the laws of their features."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from . import _core, _tables
from ._arrays import Floats
from ._columns import Array, Chunk, concatenated
from ._later import input_after_fit
from ._learned import Learned, Request, learn, names_in_order
from ._rows import Rows, engine_table, in_words_of_sklearn, input_of_fit
from ._sensitive_numbers import SEED


class DistributionGenerator(BaseEstimator):  # type: ignore[misc]
    """A generator of counterfactuals that keeps the place of each row in the laws of its features; no network.

    Features come in turn. With F the law of the j-th given the sensitive columns b and the features before it, without
    what these owe to b, and Q the same law's quantiles::

        u = F(a_j given b, those before)        a_j of b' = Q(u given b', those before)

    A level of a category is kept as often as the laws at b and b' allow, and else drawn from what is missing. At its
    own b a row is itself. Where the world is triangular in that order and rises in its noises, numbers tend to what
    they would truly be as rows become many.

    Parameters
    ----------
    order : list of str, optional
        Features in their causal order, by name (``"x0"`` for the first of an array). Those that are not named come
        after, as of `plumbline.OrthogonalToBias`.
    regions : int, optional
        At most so many regions of the sensitive numbers, for each combination of levels. None: by the number of rows.
    random_state : int
        The seed of the draws inside atoms and of levels, which depend on it and on the row alone.

    Attributes
    ----------
    feature_names_in_, n_features_in_
        Columns of X, as in all of scikit-learn.

    Notes
    -----
    `plumbline.metrics.continuous_counterfactual_gap` takes it where all columns are numbers. `AdversarialRegressor`
    does not: it is trained through the network of an `AdversarialGenerator`.

    Examples
    --------
    >>> from plumbline.datasets import make_insurance
    >>> from plumbline.methods import DistributionGenerator
    >>> prices = make_insurance(1000)
    >>> X, b = prices[["A1", "A2", "A3", "A4"]], prices["b"]
    >>> generator = DistributionGenerator().fit(X, sensitive_features=b)
    >>> generator.counterfactuals(X, sensitive_features=b, to=b.max()).shape
    (1000, 4)
    >>> bool((generator.counterfactuals(X, sensitive_features=b, to=b) == X).all(axis=None))
    True
    """

    __metadata_request__fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "order": [None, str, "array-like"],
        "regions": [None, Interval(Integral, 2, 1000, closed="both")],
        "random_state": [SEED],
    }

    _needs_outcome: ClassVar[bool] = False

    # Rules of tables: every cell counts.
    sensitive_feature_ids: ClassVar[None] = None
    missing: ClassVar[str] = "error"
    unknown: ClassVar[str] = "error"

    def __init__(self, *, order: Any = None, regions: int | None = None, random_state: int = 0):
        self.order = order
        self.regions = regions
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, progress: bool = False
    ) -> DistributionGenerator:
        """Learn from rows and their sensitive columns.

        Parameters
        ----------
        X : array or frame of shape (n, q)
            Features without the sensitive columns; categories too.
        y : ignored
            Other generators want the outcomes.
        sensitive_features : array, series or frame of shape (n,) or (n, p)
            Numbers and categories.
        progress : bool
            Show a bar.
        """
        self._validate_params()
        if sensitive_features is None:
            raise _core.Error("sensitive_features is not given; a generator needs the sensitive columns of each row")
        given = input_of_fit(self, X, sensitive_features, None)
        options = {
            "remove": "distribution",
            "order": names_in_order(self.order),
            "regions": self.regions,
            "seed": int(self.random_state),
        }
        learned = learn(given, Request(options, [], "error", 0, "none", (None, {})), progress)
        self._learned, names = learned, given.table.names
        self.n_features_in_ = given.table.n_columns
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        known = learned.roles.sensitive_names
        self._sensitive_names = None if known[0] in learned.roles.unnamed else known
        return self

    def counterfactuals(self, X: Any, y: Any = None, *, sensitive_features: Any = None, to: Any) -> Any:
        """The features of rows, had their sensitive columns been others.

        Parameters
        ----------
        X, sensitive_features
            The rows as they are.
        y : ignored
        to : number or level, array of shape (p,), (n,) or (n, p), series or frame
            The other cells of the sensitive columns: the same for all rows, or some for each. Of shape (n,) where p
            is 1.

        Returns
        -------
        array or frame of shape (n, q)
            Of the kind of X, with one column a level of a category. Rows with their own cells come back exactly.
        """
        check_is_fitted(self)
        learned = self._learned
        given = input_after_fit(self, learned, X, sensitive_features, sensitive=True).kept()
        there = self._other_cells(to, sum(rows.n_rows for rows in given.rows))

        def chunks() -> Iterator[Array]:
            for rows in given.rows:
                out = np.empty((rows.n_rows, learned.fit.features), dtype=rows.dtype)
                if rows.n_rows:
                    other = Rows(rows.a, there[rows.first : rows.first + rows.n_rows], rows.roles, None, rows.first)
                    with in_words_of_sklearn(given, rows):
                        _core.counterfactual_table(learned.fit, engine_table([rows]), engine_table([other]), out)
                yield out

        return _tables.wrapped(given.table, chunks(), learned.feature_names_out)

    def _other_cells(self, to: Any, n_rows: int) -> Chunk:
        """A row of sensitive cells for each of the rows."""
        count = len(self._learned.roles.sensitive_names)
        if not (_tables.is_frame(to) or hasattr(to, "to_frame") or hasattr(to, "categories")):
            cells = to if isinstance(to, np.ndarray) else np.asarray(to, dtype=object)
            cells = cells.reshape(-1, 1) if cells.shape == (n_rows,) and count == 1 else cells
            if cells.shape not in ((), (count,), (n_rows, count)) or (cells.ndim == 0 and count != 1):
                raise _core.Error(
                    f"to has shape {cells.shape}; it must be one cell a sensitive column, or have the shape of the "
                    f"sensitive columns, {(n_rows, count)}"
                )
            table = _tables.read_sensitive(np.array(np.broadcast_to(cells, (n_rows, count))), None)
        else:
            table = _tables.read_sensitive(to, None)
            if None not in (table.names, self._sensitive_names) and table.names != self._sensitive_names:
                raise _core.Error(f"to has the columns {table.names}; the fit had {self._sensitive_names}")
        out = concatenated(list(table.chunks))
        if (out.n_rows, table.n_columns) != (n_rows, count):
            raise _core.Error(
                f"to has shape {(out.n_rows, table.n_columns)}; it must have that of the sensitive columns, "
                f"{(n_rows, count)}"
            )
        return out

    def _gap(
        self, predict: Callable[..., Floats], a: Floats, b: Floats, y: Floats, others: Floats, draws: int, seed: int
    ) -> tuple[float, float]:
        """Of `plumbline.metrics.continuous_counterfactual_gap`."""
        if self._learned.has_categories:
            raise _core.Error(
                "the generator was fitted to categories, which are no numbers; predict what `counterfactuals` gives"
            )
        return _core.continuous_gap_by_laws(predict, self._learned.fit, a, b, others, draws, seed)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learned")

    _learned: Learned
    _sensitive_names: list[str] | None
    n_features_in_: int
