"""Scores of pipelines and searches whose sensitive columns are given apart."""

from __future__ import annotations

from functools import wraps
from typing import Any

from sklearn import get_config
from sklearn.metrics import get_scorer
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

_PREDICTIONS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def how_to_hand_on() -> str:
    """The call that is missing where sensitive_features does not reach a step of a pipeline."""
    if get_config()["enable_metadata_routing"]:
        return "a search or cross-validation hands them on with scoring=plumbline.metrics.SensitiveScorer()"
    return (
        "a pipeline hands them on after sklearn.set_config(enable_metadata_routing=True), and a search or "
        "cross-validation with scoring=plumbline.metrics.SensitiveScorer() too"
    )


class _WithSensitive:
    """A fitted estimator whose predictions are handed the sensitive columns."""

    def __init__(self, estimator: Any, sensitive_features: Any):
        self._estimator, self._sensitive_features = estimator, sensitive_features

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._estimator, name)
        if name not in _PREDICTIONS:
            return found

        @wraps(found)
        def predictions(X: Any) -> Any:
            return found(X, sensitive_features=self._sensitive_features)

        return predictions

    def __sklearn_tags__(self) -> Tags:
        return get_tags(self._estimator)


class SensitiveScorer:
    """A scorer that hands `sensitive_features` on to the estimator it scores, with every version of scikit-learn.

    Scorers of scikit-learn hand nothing on to the steps of a pipeline; only a search without `scoring` does, and not
    with scikit-learn 1.6. A step that needs the sensitive columns then raises an error, which a search turns into a
    score of NaN and a warning unless it is told ``error_score="raise"``. Metadata routing must be enabled.

    Parameters
    ----------
    scoring : str, scorer of scikit-learn, or None
        What is scored, such as ``"roc_auc"`` or what ``sklearn.metrics.make_scorer`` gives. None: what the estimator's
        own `score` gives.

    Examples
    --------
    >>> import sklearn
    >>> from plumbline import OrthogonalToBias
    >>> from plumbline.datasets import make_loan
    >>> from plumbline.metrics import SensitiveScorer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> loan = make_loan(500)
    >>> X, s, y = loan[["education", "income"]], loan["race"], loan["approved"]
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     model = make_pipeline(OrthogonalToBias(), LogisticRegression())
    ...     search = GridSearchCV(model, {"orthogonaltobias__alpha": [0.0, 1.0]}, scoring=SensitiveScorer("roc_auc"))
    ...     search = search.fit(X, y, sensitive_features=s)
    ...     search.best_estimator_.predict(X, sensitive_features=s).shape
    (500,)
    """

    def __init__(self, scoring: Any = None):
        self.scoring = scoring

    def get_metadata_routing(self) -> Any:
        """What is requested: `sensitive_features`, and what the scorer within requests."""
        request = MetadataRequest(owner=self)
        if self.scoring is not None:
            for name, alias in get_routing_for_object(get_scorer(self.scoring)).score.requests.items():
                request.score.add_request(param=name, alias=alias)
        request.score.add_request(param="sensitive_features", alias=True)
        return request

    def __call__(self, estimator: Any, X: Any, y: Any = None, *, sensitive_features: Any = None, **others: Any) -> Any:
        """The score of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
        X, y : rows and their outcomes
        sensitive_features : array, series or frame
            As the estimator takes them.
        others
            What else the scorer takes, such as `sample_weight`.
        """
        if self.scoring is None:
            return estimator.score(X, y, sensitive_features=sensitive_features, **others)
        return get_scorer(self.scoring)(_WithSensitive(estimator, sensitive_features), X, y, **others)

    def __repr__(self) -> str:
        return f"SensitiveScorer({self.scoring!r})" if self.scoring is not None else "SensitiveScorer()"
