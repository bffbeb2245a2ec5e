"""The methods that the paper compares, around any classifier or regressor of scikit-learn.

========================  =============================================================================
``"ML"``                  everything is used, the sensitive columns too
``"FTU"``                 the sensitive columns are left out
``"EO"``                  ML, averaged over the groups
``"AA"``                  EO, averaged over what the features would be in each group
``"FL"``                  from what is left of the features once the mean of their group is taken away
``"FL[mcmc]"``            from the latent part of a structural model
``"FLAP_1(O)"`` ...       from features averaged over their counterfactuals, with the group (1) or without (2)
``"OB_1"``, ``"OB_2"``    from features orthogonal to the group, with the group, averaged (1), or without (2)
``"SOB_1"``, ``"SOB_2"``  the same, with sparse directions
========================  =============================================================================

The estimator within may be any that has ``fit(X, y)`` and, to classify, ``predict_proba``; to regress, ``predict``. It
sees an array of numbers: `FairClassifier` encodes categories of X as `plumbline.OrthogonalToBias` does, for the others
encode them first. Outcomes to classify are of two classes. Rows have no weights here: the methods know of none.

`FairClassifier` takes groups; `FairRegressor` takes sensitive numbers, where OB and SOB have no suffix and the other
methods see bins. Adv brings its own networks: `AdversarialRegressor` is punished for telling rows from their
counterfactuals, which an `AdversarialGenerator` makes up. A `DistributionGenerator` makes them up without a network.

All of this is ``on="features"``. With ``on="scores"`` the two take any model as it is, and make fair what it says.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.utils import Tags, check_array, column_or_1d
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_consistent_length, check_is_fitted, check_X_y, validate_data

from . import _core, _names
from ._adversarial import AdversarialRegressor
from ._arrays import Floats
from ._distribution_generator import DistributionGenerator
from ._fair_predictor import FairPredictor
from ._feature_encoder import features_of, fitted_encoder, keep_columns
from ._generator import AdversarialGenerator
from ._groups import codes_of, labels_of
from ._learned import terms_of
from ._scorer import how_to_hand_on
from ._sensitive_numbers import SensitiveRegressor, numbers_after, numbers_of

__all__ = [
    "METHODS",
    "AdversarialGenerator",
    "AdversarialRegressor",
    "DistributionGenerator",
    "FairClassifier",
    "FairRegressor",
]

METHODS: tuple[str, ...] = tuple(_core.method_names())

_LOGISTIC = LogisticRegression(C=np.inf, max_iter=1000)


def _two_classes(y: NDArray[Any]) -> NDArray[Any]:
    classes: NDArray[Any] = np.unique(y)
    if len(classes) != 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is of {len(classes)} classes."
        )
    return classes


class FairClassifier(ClassifierMixin, FairPredictor):  # type: ignore[misc]
    """A classifier made fair by one of the paper's methods; the sensitive columns are groups.

    Parameters
    ----------
    estimator : classifier with fit and predict_proba, or None
        Fitted to an array of numbers and outcomes 0 and 1. None is a logistic regression without a penalty.
    on : {"features", "scores"}
        ``"features"``: fair by `method`. ``"scores"``: the estimator is fitted to X as it is, categories too if it
        takes them, and its probabilities are mapped to the barycentre of their laws given the sensitive columns: one
        law for all of them, as near to what the estimator says as such can be. The laws are learned by
        `plumbline.OrthogonalToBias` with ``remove="distribution"``, of probabilities of five-fold cross-validation.
        `method`, `n_components`, `basis` and `coding` then have no part in it, and sensitive columns may be numbers.
    method : str
        One of `METHODS`.
    n_components : int, float or None
        Of OB and SOB: dimensions to keep.
    basis : {"optimal", "paper"}
        Of OB below full rank.
    coding : {"one_hot", "code"}
        How OB and SOB see the group: an indicator of each, or its number, as in the paper.
    random_state : int
        Of FL[mcmc], and of the folds and draws of ``on="scores"``.

    Attributes
    ----------
    classes_ : array of shape (2,)
    groups_ : list of str
        Of ``on="features"``.
    estimators_ : list of fitted classifiers
    certificate_ : Certificate
        Of ``on="scores"``: what the map of the scores does to them.

    Notes
    -----
    A pickle holds the training rows: they are what the maps between groups are made of. Of ``on="scores"`` it does not.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from plumbline.datasets import make_loan
    >>> from plumbline.methods import FairClassifier
    >>> loan = make_loan(500)
    >>> X, s, y = loan[["education", "income"]], loan["race"], loan["approved"]
    >>> model = FairClassifier(DecisionTreeClassifier(max_depth=3, random_state=0), method="OB_2")
    >>> model.fit(X, y, sensitive_features=s).predict_proba(X, sensitive_features=s).shape
    (500, 2)
    >>> fair = FairClassifier(DecisionTreeClassifier(max_depth=3, random_state=0), on="scores")
    >>> fair.fit(X, y, sensitive_features=s).predict_proba(X, sensitive_features=s).shape
    (500, 2)
    """

    __metadata_request__predict_proba: ClassVar = {"sensitive_features": True}
    __metadata_request__score: ClassVar = {"sensitive_features": True}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FairPredictor._parameter_constraints,
        "estimator": [None, HasMethods(["fit", "predict_proba"])],
        "coding": [StrOptions({"one_hot", "code"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str = "OB_2",
        n_components: int | float | None = None,
        basis: str = "optimal",
        coding: str = "one_hot",
        on: str = "features",
        random_state: int = 0,
    ):
        self.estimator = estimator
        self.method = method
        self.n_components = n_components
        self.basis = basis
        self.coding = coding
        self.on = on
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, progress: bool = False) -> FairClassifier:
        """Fit to rows, their outcomes and their groups.

        Parameters
        ----------
        X : array, or frame of pandas, polars or Arrow, of shape (n, q)
            Features without the sensitive columns. Categories are encoded as by `plumbline.OrthogonalToBias`.
        y : array of shape (n,)
            Two classes, of any type.
        sensitive_features : array, series or frame of shape (n,) or (n, p)
            Groups; several columns make a group of each combination. Cut a number with many values into bins first,
            by ``pandas.cut`` or `KBinsDiscretizer`: each value would be a group. With ``on="scores"`` numbers are
            numbers.
        progress : bool
            Show a bar.

        Returns
        -------
        self
        """
        self._validate_params()
        if sensitive_features is None:
            raise _core.Error("sensitive_features is not given; a fair classifier needs the group of each row")
        if self.on == "scores":
            return self._fit_on_scores(X, y, sensitive_features, progress)
        labels, names = labels_of(sensitive_features, is_fit=True)
        encoder, encoded = fitted_encoder(X, labels)
        if encoded is None:
            X, y = validate_data(self, X, y, dtype=np.float64)
        else:
            X, y = check_X_y(encoded, y)
        check_consistent_length(X, labels)
        classes = _two_classes(y)
        groups = sorted(set(labels))
        recipe = {**self._recipe(X.shape[1]), "levels": len(groups), "coding": self.coding}
        self._fit_to(X, codes_of(labels, groups), (y == classes[1]).astype(np.float64), recipe, progress=progress)
        keep_columns(self, encoder)
        self.classes_, self.groups_, self._sensitive_names = classes, groups, names
        self._warn()
        return self

    def _fit_on_scores(self, X: Any, y: Any, sensitive_features: Any, progress: bool) -> FairClassifier:
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        classes = _two_classes(y)
        outcomes = (y == classes[1]).astype(np.int64)
        self._fit_scores(_LOGISTIC, X, outcomes, sensitive_features, classifies=True, progress=progress)
        self.classes_ = classes
        return self

    def _prepare(self, training: tuple[Any, ...], estimators: list[Any]) -> Any:
        a, s, y, recipe = training
        learn = self._learner(lambda one, x: np.ascontiguousarray(one.predict_proba(x)[:, 1]), estimators)
        options = _core.FitOptions(**recipe["options"])
        return _core.fit_method(recipe["name"], a, s, y, recipe["levels"], learn, options, recipe["coding"])

    def _fit_one(self, x: Floats, y: Floats) -> Any:
        return clone(_LOGISTIC if self.estimator is None else self.estimator).fit(x, y)

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> Floats:
        """Probabilities of both classes.

        Parameters
        ----------
        X : array or frame, as in `fit`
        sensitive_features : array, series or frame of shape (n,) or (n, p)
            Groups, all of which the fit has seen.

        Returns
        -------
        array of shape (n, 2)
        """
        check_is_fitted(self)
        if hasattr(self, "_scores"):
            p = self._fair_scores(X, sensitive_features)
            return np.column_stack([1 - p, p])
        X = features_of(self, X)
        if sensitive_features is None:
            raise _core.Error(
                f"sensitive_features is not given; the method needs the group of each row; {how_to_hand_on()}"
            )
        labels, names = labels_of(sensitive_features)
        _names.check_sensitive(self, names, self._sensitive_names)
        check_consistent_length(X, labels)
        p = self._engine.predict(X, codes_of(labels, self.groups_))
        return np.column_stack([1 - p, p])

    def predict(self, X: Any, *, sensitive_features: Any = None) -> NDArray[Any]:
        """The class that is more probable.

        Parameters
        ----------
        X, sensitive_features
            As of `predict_proba`.

        Returns
        -------
        array of shape (n,)
        """
        p = self.predict_proba(X, sensitive_features=sensitive_features)[:, 1]
        out: NDArray[Any] = self.classes_[(p > 0.5).astype(int)]
        return out

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, sensitive_features: Any = None) -> float:
        """Share of rows that are predicted right.

        Parameters
        ----------
        X, sensitive_features
            As of `predict_proba`.
        y : array of shape (n,)
            Classes.
        sample_weight : array of shape (n,), optional
        """
        right = self.predict(X, sensitive_features=sensitive_features) == np.asarray(y)
        return float(np.average(right, weights=sample_weight))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    classes_: NDArray[Any]
    groups_: list[str]


class FairRegressor(SensitiveRegressor, FairPredictor):
    """A regressor made fair by one of the paper's methods; the sensitive columns are numbers.

    Parameters
    ----------
    estimator : regressor with fit and predict, or None
        Fitted to an array of numbers. None is least squares.
    on : {"features", "scores"}
        As of `FairClassifier`: with ``"scores"`` the estimator is fitted to X as it is, and its predictions are mapped.
        `method`, `n_components`, `basis`, `expand` and `bins` then have no part in it, and sensitive columns may be
        categories.
    method : str
        ``"OB"``, ``"SOB"``, ``"ML"``, ``"FTU"``, or another of `METHODS`, for which one sensitive column is cut into
        bins.
    n_components : int, float or None
        Of OB and SOB: dimensions to keep.
    basis : {"optimal", "paper"}
        Of OB below full rank.
    expand : str, dict or list of str, optional
        Of OB and SOB: as of `plumbline.OrthogonalToBias`.
    bins : int
        Of equal frequency, for the methods that see groups.
    random_state : int
        Of FL[mcmc], and of the folds and draws of ``on="scores"``.

    Attributes
    ----------
    estimators_ : list of fitted regressors
    certificate_ : Certificate
        Of ``on="scores"``: what the map of the predictions does to them.

    Examples
    --------
    >>> from plumbline.datasets import make_insurance
    >>> from plumbline.methods import FairRegressor
    >>> prices = make_insurance(500)
    >>> X, b, y = prices[["A1", "A2", "A3", "A4"]], prices["b"], prices["y"]
    >>> FairRegressor(method="OB").fit(X, y, sensitive_features=b).predict(X, sensitive_features=b).shape
    (500,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FairPredictor._parameter_constraints,
        "estimator": [None, HasMethods(["fit", "predict"])],
        "expand": [None, str, dict, "array-like"],
        "bins": [Interval(Integral, 1, 1000, closed="both")],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str = "OB",
        n_components: int | float | None = None,
        basis: str = "optimal",
        expand: Any = None,
        bins: int = 10,
        on: str = "features",
        random_state: int = 0,
    ):
        self.estimator = estimator
        self.method = method
        self.n_components = n_components
        self.basis = basis
        self.expand = expand
        self.bins = bins
        self.on = on
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, progress: bool = False) -> FairRegressor:
        """Fit to rows, their outcomes and their sensitive numbers.

        Parameters
        ----------
        X : array or frame of numbers, of shape (n, q)
            Features without the sensitive columns; encode categories first.
        y : array of shape (n,)
            Numbers.
        sensitive_features : array, series or frame of numbers, of shape (n,) or (n, p)
        progress : bool
            Show a bar.

        Returns
        -------
        self
        """
        self._validate_params()
        if self.on == "scores":
            return self._fit_on_scores(X, y, sensitive_features, progress)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        b, names = numbers_of(sensitive_features, X)
        recipe = {**self._recipe(X.shape[1]), "terms": terms_of(self.expand), "bins": int(self.bins)}
        self._fit_to(X, b, y.astype(np.float64), recipe, progress=progress)
        self._sensitive_names = names
        self._warn()
        return self

    def _fit_on_scores(self, X: Any, y: Any, sensitive_features: Any, progress: bool) -> FairRegressor:
        if sensitive_features is None:
            raise _core.Error("sensitive_features is not given; fair scores need the sensitive columns of each row")
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(X, y)
        self._fit_scores(LinearRegression(), X, y, sensitive_features, classifies=False, progress=progress)
        return self

    def _prepare(self, training: tuple[Any, ...], estimators: list[Any]) -> Any:
        a, b, y, recipe = training
        learn = self._learner(lambda one, x: np.ascontiguousarray(one.predict(x), dtype=np.float64), estimators)
        options, expand = _core.FitOptions(**recipe["options"]), _core.expansion_of(recipe["terms"])
        return _core.fit_continuous(recipe["name"], a, b, y, learn, options, expand, recipe["bins"])

    def _fit_one(self, x: Floats, y: Floats) -> Any:
        return (LinearRegression() if self.estimator is None else clone(self.estimator)).fit(x, y)

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Floats:
        """Predictions of rows, given their sensitive numbers.

        Parameters
        ----------
        X : array or frame of numbers, of shape (n, q)
        sensitive_features : array, series or frame of numbers, of shape (n,) or (n, p)

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        if hasattr(self, "_scores"):
            return self._fair_scores(X, sensitive_features)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        out: Floats = self._engine.predict(X, numbers_after(self, sensitive_features, X))
        return out
