"""Makes data fair before a model sees it.

`OrthogonalToBias` and `SparseOrthogonalToBias` are transformers of scikit-learn that give back the features without the
linear influence of sensitive columns, changed as little as provably possible, with a certificate that says so.
"""

from __future__ import annotations

from importlib.metadata import version

from ._core import Certificate, Error, Probe
from ._estimators import OrthogonalToBias, SparseOrthogonalToBias, load_model

__version__ = version("plumbline")
__all__ = ["Certificate", "Error", "OrthogonalToBias", "Probe", "SparseOrthogonalToBias", "__version__", "load_model"]
