"""What a fit has learned, and how: what parameters ask of the engine, and the engine's calls on rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, field, replace
from numbers import Integral
from threading import Lock
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from . import _core, _tables
from ._columns import Array
from ._probe import PROBE_ROWS, attackers
from ._progress import Progress, bar_of_parts
from ._rows import Input, Roles, Rows, engine_table, in_words_of_sklearn
from ._target import Target

RANDOM_STARTS = 10  # of sparse components beside the deterministic one, where a random_state is given


def terms_of(expand: Any) -> list[str]:
    """Of a text, a dictionary or a list; of None there are none, and of one that is empty neither."""
    if expand is None:
        return []
    if isinstance(expand, dict):
        wanted = {name: number for name, number in expand.items() if number is not False}
        return [name if number is True else f"{name}={number}" for name, number in wanted.items()]
    terms = [expand] if isinstance(expand, str) else [str(term) for term in expand]
    return [term for term in terms if term]


def names_in_order(order: Any) -> list[str] | None:
    """Of features; a bare name is one. An empty list is none."""
    if order is None:
        return None
    names = [order] if isinstance(order, str) else list(order)
    for name in names:
        if not isinstance(name, str):
            raise _core.Error(f"order has {name!r}; it must be the name of a feature, 'x0' for the first of an array")
    return [str(name) for name in names] or None


@dataclass(frozen=True)
class Request:
    """What the parameters of an estimator ask for, as they are now. Those that the engine knows by name go to it."""

    options: dict[str, Any]
    terms: list[str]
    missing: str
    min_level_rows: int | None
    probe: str
    drawn: tuple[Any, dict[str, int]]  # a random state, and what was drawn from it: starts, or the seed of draws

    @classmethod
    def of_estimator(cls, estimator: Any, earlier: Request | None = None) -> Request:
        """Chunks of one fit share the starts that the first of them has drawn, unless the random state is another."""
        parameters = estimator.get_params(deep=False)
        state = parameters.get("random_state")
        if estimator._name == "ob":
            drawn = (state, {"seed": int(state)})
        else:
            drawn = earlier.drawn if earlier is not None and earlier.drawn[0] is state else (state, _starts(state))
        known = {name: value for name, value in parameters.items() if hasattr(_core.FitOptions, name)}
        known |= {"order": names_in_order(known["order"])} if "order" in known else {}
        least = parameters["min_level_rows"]
        return cls(
            {**known, "method": estimator._name, **drawn[1]},
            terms_of(parameters["expand"]),
            parameters["missing"],
            None if least is None else int(least),
            parameters["probe"],
            drawn,
        )

    @property
    def engine_options(self) -> _core.FitOptions:
        return _core.FitOptions(**self.options)


def _starts(random_state: Any) -> dict[str, int]:
    if random_state is None:
        return {}
    is_seed = isinstance(random_state, Integral)
    seed = random_state if is_seed else check_random_state(random_state).randint(2**31)
    return {"random_starts": RANDOM_STARTS, "seed": int(seed)}


@dataclass(eq=False)
class Learned:
    """What an estimator holds after a fit. Nothing here changes later, but that the map is solved, and what models read
    back is measured, when first asked."""

    roles: Roles
    request: Request | None  # none: it was read from a file
    dropped: int | None = None  # rows, for want of a cell; none: a file does not tell
    filled: int = 0
    moments: _core.TableMoments | None = None  # none: it cannot take up further rows
    solved: _core.Fit | None = None  # none: not yet computed from the moments, as the request says
    sample: _core.ProbeSample | None = None  # none: there is no probe to be made, or it is made
    any_order: bool = False  # columns of frames are found by name
    _locks: dict[int, Lock] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fit(self) -> _core.Fit:
        if self.solved is None:
            with self.lock:  # several threads may ask first
                if self.solved is None:
                    self.solved = self._solve()
        return self.solved

    @property
    def lock(self) -> Lock:
        """Of this process: one that was held where a process forked would be held there for ever."""
        return self._locks.setdefault(os.getpid(), Lock())

    @property
    def probed(self) -> _core.Fit:
        """The fit, whose certificate says what models can still read back if rows were kept for that."""
        return self.probe(progress=False)

    def probe(self, *, progress: bool) -> _core.Fit:
        fit = self.fit
        if self.sample is None:
            return fit
        with self.lock:
            if self.sample is not None:
                assert self.request is not None
                further = attackers(self.request.probe)
                with bar_of_parts(progress, "probe") as report:
                    made = _core.probe_fit(fit, self.sample, further, report)
                self.solved, self.sample = fit.with_probe(made), None
        return self.fit

    def __getstate__(self) -> dict[str, Any]:
        """Without rows of the fit, which belong in no file: what they are kept for is done before."""
        fit = self.probed if self.sample is not None else self.solved
        return {**self.__dict__, "solved": fit, "sample": None, "_locks": {}}

    def __deepcopy__(self, memo: dict[int, Any]) -> Learned:
        with self.lock:  # what the engine holds is never changed, so it is shared
            return replace(self, request=deepcopy(self.request, memo), _locks={})

    def _solve(self) -> _core.Fit:
        return self._solved(None).fit

    def _solved(self, sample: _core.PartSample | None) -> _core.TableFit:
        request, roles, moments = self.request, self.roles, self.moments
        assert request is not None
        assert moments is not None
        if not moments.rows:
            raise _core.Error("no row is left; every one lacks a cell" if self.dropped else "there are no rows")
        options, least = request.engine_options, request.min_level_rows
        done = moments.fit(options, least, request.missing, roles.columns, roles.unnamed, sample)
        _warned(done.fit)
        return done

    @property
    def has_categories(self) -> bool:
        encoding = self.fit.encoding
        assert encoding is not None
        return encoding.has_categories

    @property
    def takes_cells_as_they_are(self) -> bool:
        """Whether the map may be given the numbers of a table that nothing has encoded."""
        return not self.has_categories and not self.fit.needs_held_values

    @property
    def feature_names_out(self) -> list[str]:
        """Of the columns of a result; where there are none they are made up, as by all of scikit-learn."""
        if self.roles.named or self.has_categories:
            return self.fit.feature_names
        return [f"x{j}" for j in self.roles.features.tolist()]

    def check_open(self) -> None:
        """Raises unless further rows can be added."""
        if self.request is None:
            raise _core.Error("a model file holds no moments, so it cannot take up more rows; fit anew")
        if self.moments is None:
            raise _core.Error("this was fitted to all rows at once and cannot take up more; fit anew")

    def transform(self, given: Input, progress: bool, *, scores: bool = False, kind: str | None = None) -> Any:
        """The rows as the map gives them, or their scores; as the table came, unless another kind is asked for."""
        names = [f"score{j + 1}" for j in range(self.fit.scores)] if scores else self.feature_names_out

        def chunks() -> Iterator[Array]:
            with _bar(progress, "transform", given.table.n_rows) as bar:
                for rows in given.rows:
                    yield self._applied(given, rows, bar, scores=scores)

        return _tables.wrapped(given.table, chunks(), names, kind)

    def _applied(self, given: Input, rows: Rows, bar: Progress | None, *, scores: bool) -> Array:
        fit = self.fit
        n_columns = fit.scores if scores else fit.features
        out = np.empty((rows.n_rows, n_columns), dtype=rows.dtype, order="C" if rows.lie_by_rows else "F")
        with in_words_of_sklearn(given, rows):
            table = engine_table([rows], sensitive=fit.needs_sensitive, weights=False)
            dropped = _core.transform_table(fit, table, scores, given.missing, given.unknown, out, _report(bar))
        if dropped:
            warnings.warn(
                f"missing='drop' leaves {dropped} of {rows.n_rows} rows NaN, which lack a cell; where a later step "
                "takes no NaN, use missing='mean', or leave such rows out before",
                stacklevel=2,
            )
        return out

    def certify(self, given: Input, effort: str, progress: bool) -> _core.Certificate:
        """What the map does to other rows, measured, and what models can then read back."""
        with bar_of_parts(progress and effort == "full", "probe") as report:
            rules = given.missing, given.unknown
            check = _core.Check(self.fit, *rules, PROBE_ROWS[effort], attackers(effort), report)
            with _bar(progress, "certify", given.table.n_rows) as bar:
                for rows in given.rows:
                    with in_words_of_sklearn(given, rows):
                        check.add(engine_table([rows]), rows.dtype == np.float32, _report(bar))
            return check.certificate()


# Fitting


def learn(given: Input, request: Request, progress: bool, y: Any = None) -> Learned:
    """A stream is read once and not held, unless its rows are needed twice; its target is not read."""
    is_stream = given.table.n_rows is None and not isinstance(given.rows, list)
    if is_stream and request.missing != "mean" and not request.terms and request.options["remove"] == "mean":
        kept = _core.PartSample(PROBE_ROWS[request.probe]) if PROBE_ROWS[request.probe] else None
        out = learn_more(None, given, request, progress, "fit", kept)
        solved = out._solved(kept)
        return _probed_at_once(replace(out, solved=solved.fit, sample=solved.take_sample()), progress)
    rows = list(given.rows)
    if not rows:
        raise _core.Error("there are no rows")
    target = None if y is None else Target.of(y, sum(part.n_rows for part in rows))
    with _bar(progress, "fit", given.table.n_rows) as bar, in_words_of_sklearn(given, rows[0]):
        done = _core.fit_table(
            engine_table(rows, target=target),
            request.engine_options,
            _core.expansion_of(request.terms) if request.terms else None,
            request.missing,
            request.min_level_rows,
            PROBE_ROWS[request.probe],
            given.roles.columns,
            given.roles.unnamed,
            [] if target is None else target.levels,
            _report(bar),
        )
    fit, sample = _warned(done.fit), done.take_sample()
    out = Learned(given.roles, request, done.dropped, done.filled, done.moments, fit, sample)
    return _probed_at_once(out, progress)


def _probed_at_once(learned: Learned, progress: bool) -> Learned:
    """If the probe takes so long that its caller wants to know when."""
    if learned.request is not None and learned.request.probe == "full":
        learned.probe(progress=progress)
    return learned


def learn_more(
    earlier: Learned | None,
    given: Input,
    request: Request,
    progress: bool,
    what: str = "moments",
    kept: _core.PartSample | None = None,
) -> Learned:
    """What further rows add to those of earlier chunks. The map is not solved yet. Some rows are kept for a probe, if
    there is a place for them."""
    moments, dropped = _core.TableMoments(), 0
    if earlier is not None:
        assert earlier.moments is not None
        moments, dropped = earlier.moments.copy(), earlier.dropped or 0
    options, fills = request.engine_options, request.missing == "mean"
    with _bar(progress, what, given.table.n_rows) as bar:
        for rows in given.rows:
            first, rule = not moments.rows, "error" if fills else request.missing
            with in_words_of_sklearn(given, rows, means=fills):
                part = _core.collect(engine_table([rows]), rule, moments.full or first, first, _report(bar), kept)
            dropped += part.dropped
            moments.merge(part)
            if kept is not None:
                kept.add(part, moments)
            moments.settle(options)
    _refuse_lack_of_products(moments, request)
    return Learned(given.roles, request, dropped, 0, moments)


def learn_moments(moments: _core.TableMoments, roles: Roles, request: Request) -> Learned:
    """The same of rows that were summed elsewhere."""
    _refuse_lack_of_products(moments, request)
    out = Learned(roles, request, 0, 0, moments)
    return replace(out, solved=out.fit)


def _refuse_lack_of_products(moments: _core.TableMoments, request: Request) -> None:
    if not moments.rows or moments.full or not request.engine_options.needs_full_moments:
        return
    blind = request.options["mode"] == "blind"
    what = "mode='blind'" if blind else f"n_components={request.options['n_components']}"
    raise _core.Error(
        f"{what} needs products of features with each other, which chunks were counted without; set it before "
        "the first chunk"
    )


def _warned(fit: _core.Fit) -> _core.Fit:
    if fit.warning:
        warnings.warn(f"{fit.warning}; raise max_iter or tol", ConvergenceWarning, stacklevel=2)
    return fit


def _bar(wanted: bool, what: str, n_rows: int | None) -> AbstractContextManager[Progress | None]:
    return Progress(True, what, n_rows) if wanted else nullcontext()


def _report(bar: Progress | None) -> Any:
    return None if bar is None else bar.of_rows()
