"""One law of all features for all b, of tables of continuous numbers, in NumPy and pandas.

The steps are those of plumbline/distribution.h, in the form that NumPy is quickest at: regions of b are cells between
quantiles, trees grow level by level from histograms of all nodes at once (scikit-learn's, which sort, take several
times as long), the law with b averaged out is that of a leaf, and laws are shrunk to it by a fixed number of rows. The
columns of the locations, the rows that are learned from and the sizes of trees and tables are the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

ROWS = 131_072  # that are learned from
CELLS = 3  # of each sensitive column
HINGES = 3  # of a feature
HINGES_OF_B = 7
LEVELS = 6  # of a tree: 64 leaves
BINS = 64
LEAST_ROWS = 100
PIECES = 128
PRIOR = 20.0
CHUNK = 65_536


class Column(NamedTuple):
    centre: float
    sd: float
    hinges: np.ndarray

    @staticmethod
    def of(x: np.ndarray, hinges: int) -> Column:
        shares = np.arange(1, hinges + 1) / (hinges + 1)
        return Column(x.mean(), x.std(), (np.quantile(x, shares) - x.mean()) / x.std())

    def terms(self, x: np.ndarray) -> np.ndarray:
        z = (x - self.centre) / self.sd
        return np.column_stack([z, np.maximum(z[:, None] - self.hinges, 0)])


class Tree:
    """Levels of cuts: of each node which input, and after which bin; a node that is not cut goes left."""

    def __init__(self) -> None:
        self.cuts: list[tuple[np.ndarray, np.ndarray]] = []
        self.leaf_of_node = np.zeros(1, dtype=np.intp)

    def fit(self, codes: np.ndarray, y: np.ndarray) -> np.ndarray:
        """codes: input × row. The leaves of the rows."""
        node = np.zeros(len(y), dtype=np.intp)
        for level in range(LEVELS if len(codes) > 0 else 0):
            nodes = 2**level
            rows, total, squares = (np.bincount(node, v, nodes)[:, None] for v in (None, y, y * y))
            some = np.maximum(rows, 1)
            noise = (2 * np.log(1 + BINS * len(codes)) * (squares - total**2 / some) / some)[:, 0]
            best, which, after = noise, np.zeros(nodes, dtype=np.intp), np.full(nodes, BINS)
            offset = node * BINS
            for f, code in enumerate(codes):
                at = offset + code
                count = np.bincount(at, minlength=nodes * BINS).reshape(nodes, BINS).cumsum(axis=1)
                sums = np.bincount(at, y, nodes * BINS).reshape(nodes, BINS).cumsum(axis=1)
                other = rows - count
                with np.errstate(divide="ignore", invalid="ignore"):
                    gain = sums**2 / count + (total - sums) ** 2 / other - total**2 / rows
                gain[(count < LEAST_ROWS) | (other < LEAST_ROWS)] = -np.inf
                cut = gain.argmax(axis=1)
                found = gain[np.arange(nodes), cut]
                better = found > best
                best = np.where(better, found, best)
                which[better], after[better] = f, cut[better]
            self.cuts.append((which, after))
            node = self._next(node, codes, which, after)
        used, leaf = np.unique(node, return_inverse=True)
        self.leaf_of_node = np.zeros(2 ** len(self.cuts), dtype=np.intp)
        self.leaf_of_node[used] = np.arange(len(used))
        return leaf

    @staticmethod
    def _next(node: np.ndarray, codes: np.ndarray, which: np.ndarray, after: np.ndarray) -> np.ndarray:
        return 2 * node + (codes[which[node], np.arange(len(node))] > after[node])

    def leaves(self, codes: np.ndarray) -> np.ndarray:
        node = np.zeros(codes.shape[1], dtype=np.intp)
        for which, after in self.cuts:
            node = self._next(node, codes, which, after)
        return self.leaf_of_node[node]


class Step(NamedTuple):
    column: Column
    location: np.ndarray
    scale: np.ndarray
    tree: Tree
    edges: np.ndarray  # between the bins of the result
    knots: np.ndarray  # leaf × (PIECES + 1)
    law: np.ndarray  # (leaf · cell) × (PIECES + 1), from 0 to 1
    average_location: float
    average_scale: float

    def codes(self, fair: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.edges, fair, side="right").astype(np.uint8)


class Sensitive:
    """Cells of b, and its columns in locations: numbers, hinges, pairs and indicators of cells."""

    def __init__(self, b: np.ndarray) -> None:
        frame = pd.DataFrame(b)
        self.edges = [pd.qcut(frame[name], CELLS, retbins=True)[1] for name in frame]
        for edges in self.edges:
            edges[0], edges[-1] = -np.inf, np.inf
        self.columns = [Column.of(x, HINGES_OF_B) for x in b.T]
        self.cells = CELLS ** b.shape[1]

    def cell(self, b: np.ndarray) -> np.ndarray:
        out = np.zeros(len(b), dtype=np.intp)
        for x, edges in zip(b.T, self.edges, strict=True):
            out = out * CELLS + pd.cut(x, edges, labels=False)
        return out

    def terms(self, b: np.ndarray, cell: np.ndarray) -> np.ndarray:
        terms = [column.terms(x) for column, x in zip(self.columns, b.T, strict=True)]
        z = [t[:, 0] for t in terms]
        pairs = [one * other for i, one in enumerate(z) for other in z[:i]]
        indicators = np.zeros((len(b), self.cells))
        indicators[np.arange(len(b)), cell] = 1
        return np.column_stack([indicators, *terms, *pairs])


def within_leaves(knots: np.ndarray, leaf: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The piece of each r between the knots of its leaf, and how far into it: one search for all leaves, far apart."""
    apart = 4 * (np.abs(knots).max() + 1)
    r = np.clip(r, knots[leaf, 0], knots[leaf, -1])
    inner = (knots[:, 1:-1] + apart * np.arange(len(knots))[:, None]).ravel()
    piece = np.searchsorted(inner, r + apart * leaf, side="right") - leaf * (PIECES - 1)
    piece = np.clip(piece, 0, PIECES - 1)
    low = knots[leaf, piece]
    width = knots[leaf, piece + 1] - low
    return piece, np.clip(np.divide(r - low, width, out=np.full_like(r, 0.5), where=width > 0), 0, 1)


class EqualLaws:
    def fit(self, a: np.ndarray, b: np.ndarray) -> EqualLaws:
        n, q = a.shape
        self.sensitive = Sensitive(b)
        cell = self.sensitive.cell(b)
        of_b = self.sensitive.terms(b, cell)
        width = of_b.shape[1]
        design = np.empty((n, width + q * (1 + HINGES)))
        design[:, :width] = of_b
        gram = np.zeros((design.shape[1], design.shape[1]))
        gram[:width, :width] = of_b.T @ of_b
        codes = np.empty((q, n), dtype=np.uint8)
        self.steps: list[Step] = []
        count = width
        for j in range(q):
            column = Column.of(a[:, j], HINGES)
            z = (a[:, j] - column.centre) / column.sd
            x = design[:, :count]
            location = np.linalg.solve(gram[:count, :count] + np.eye(count), x.T @ z)
            r = z - x @ location
            scale = np.linalg.solve(gram[:width, :width] + np.eye(width), of_b.T @ np.abs(r))
            s = np.maximum(of_b @ scale, 0.1 * np.abs(r).mean())
            r /= s
            tree = Tree()
            leaf = tree.fit(codes[:j], r)
            leaves = leaf.max() + 1
            shares = np.linspace(0, 1, PIECES + 1)
            groups = pd.Series(r).groupby(leaf)
            knots = np.stack([np.quantile(values, shares) for _, values in groups])
            piece, _ = within_leaves(knots, leaf, r)
            at = (leaf * self.sensitive.cells + cell) * PIECES + piece
            counts = np.bincount(at, minlength=leaves * self.sensitive.cells * PIECES).reshape(-1, PIECES)
            law = (counts + PRIOR / PIECES) / (counts.sum(axis=1, keepdims=True) + PRIOR)
            law = np.hstack([np.zeros((len(law), 1)), np.cumsum(law, axis=1)])
            average = float((of_b @ location[:width]).mean())
            step = Step(column, location, scale, tree, np.empty(0), knots, law, average, float(s.mean()))
            fair = self._mapped(step, z, x, of_b, cell, leaf)
            step = step._replace(edges=np.quantile(fair, np.arange(1, BINS) / BINS))
            self.steps.append(step)
            codes[j] = step.codes(fair)
            more = column.terms(fair)
            design[:, count : count + more.shape[1]] = more
            products = design[:, : count + more.shape[1]].T @ more
            gram[: len(products), count : len(products)] = products
            gram[count : len(products), : len(products)] = products.T
            count = len(products)
        return self

    def _mapped(
        self, step: Step, z: np.ndarray, x: np.ndarray, of_b: np.ndarray, cell: np.ndarray, leaf: np.ndarray
    ) -> np.ndarray:
        width = of_b.shape[1]
        base = x[:, width:] @ step.location[width:]
        scale = np.maximum(of_b @ step.scale, 0.1 * step.average_scale)
        r = (z - base - of_b @ step.location[:width]) / scale
        piece, share = within_leaves(step.knots, leaf, r)
        row = leaf * self.sensitive.cells + cell
        low = step.law[row, piece]
        u = low + share * (step.law[row, piece + 1] - low)
        place = np.clip(u, 0, 1) * PIECES
        piece = np.minimum(place.astype(np.intp), PIECES - 1)
        low = step.knots[leaf, piece]
        fair = low + (place - piece) * (step.knots[leaf, piece + 1] - low)
        return step.column.centre + step.column.sd * (base + step.average_location + step.average_scale * fair)

    def transform(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        out = np.empty_like(a)
        for first in range(0, len(a), CHUNK):
            rows = slice(first, first + CHUNK)
            out[rows] = self._chunk(a[rows], b[rows])
        return out

    def _chunk(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        cell = self.sensitive.cell(b)
        of_b = self.sensitive.terms(b, cell)
        count = of_b.shape[1]
        design = np.empty((len(a), count + a.shape[1] * (1 + HINGES)), order="F")
        design[:, :count] = of_b
        codes = np.empty(a.shape[::-1], dtype=np.uint8)
        out = np.empty_like(a)
        for j, step in enumerate(self.steps):
            z = (a[:, j] - step.column.centre) / step.column.sd
            leaf = step.tree.leaves(codes[:j])
            out[:, j] = self._mapped(step, z, design[:, :count], of_b, cell, leaf)
            codes[j] = step.codes(out[:, j])
            more = step.column.terms(out[:, j])
            design[:, count : count + more.shape[1]] = more
            count += more.shape[1]
        return out


def fit_transform(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    rows = np.sort(np.random.default_rng(0).permutation(len(a))[:ROWS])
    return EqualLaws().fit(a[rows], b[rows]).transform(a, b)
