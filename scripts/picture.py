"""Draws docs/picture.png for the README: correlations of communities' features with four sensitive columns, before and
after. Needs the published data of Communities and Crime; run by `make picture`."""

import sys

import matplotlib as mpl

mpl.use("Agg")

from plumbline import OrthogonalToBias
from plumbline.datasets import load_crime
from plumbline.plot import correlation_map

SENSITIVE = ["racepctblack", "racePctWhite", "racePctAsian", "racePctHisp"]
SHOWN = 18

table = load_crime()
numbers = table.drop(columns=["state", "county", "community", "communityname", "fold", "ViolentCrimesPerPop"])
numbers = numbers.apply(lambda column: column.fillna(0))
fair = OrthogonalToBias(sensitive_feature_ids=SENSITIVE).fit_transform(numbers)
features = numbers[fair.columns]
strength = features.apply(lambda column: numbers[SENSITIVE].corrwith(column).abs().max())
shown = list(strength.sort_values(ascending=False).index[:SHOWN])
figure = correlation_map(features[shown], fair[shown], numbers[SENSITIVE])
figure.savefig(sys.argv[1], dpi=120, metadata={"Software": None})
