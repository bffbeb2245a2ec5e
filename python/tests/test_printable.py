"""Names and cells of strangers reach no terminal raw: not in a sentence, a warning, a certificate or JSON."""

import json
import pickle

import numpy as np
import pandas as pd
import plumbline
import pytest
from plumbline import OrthogonalToBias, _core

# clears a screen, rings, forges a line, turns the direction, a C1 control, and what is no UTF-8
HOSTILE = ["\x1b[2J", "\x07", "a\nCertificate: everything is fair\n", "\u202egnirts", "\u009b31m", "x\udcff", "x\ud800"]


def is_harmless(text):
    return all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.parametrize("name", HOSTILE)
def test_sentences_are_one_harmless_line(name):
    sentence = str(plumbline.Error(f"column '{name}' is odd"))
    assert is_harmless(sentence)
    assert "\n" not in sentence
    assert sentence.startswith("column '")
    again = pickle.loads(pickle.dumps(plumbline.Error(f"column '{name}' is odd")))
    assert str(again) == sentence


@pytest.mark.parametrize("name", HOSTILE[:-2])
def test_columns_are_named_harmlessly(name):
    frame = pd.DataFrame({name: ["x", None, "y"], "b": [1.0, 2.0, 3.0]})
    with pytest.raises(_core.Error) as refused:
        OrthogonalToBias(sensitive_feature_ids=["b"]).fit(frame)
    assert is_harmless(str(refused.value))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", HOSTILE[:-2])
def test_certificates_show_names_harmlessly(name):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=["a", name, "b"]).assign(**{name + "!": 1.0})
    for sensitive in ("b", name):
        fitted = OrthogonalToBias(sensitive_feature_ids=[sensitive]).fit(frame)
        text = str(fitted.certificate_)
        assert is_harmless(text)
        assert not any(line.startswith("Certificate: everything") for line in text.split("\n"))
        document = fitted.certificate_.to_json()
        assert is_harmless(document)
        names = json.loads(document)["constant_features"]
        assert names == [name + "!"]


@pytest.mark.parametrize("name", HOSTILE[:-2])
def test_other_columns_than_those_of_the_fit_are_named_harmlessly(name):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(20, 3)), columns=["a", "b", "c"])
    fitted = OrthogonalToBias(sensitive_feature_ids=["b"]).fit(frame)
    with pytest.raises(ValueError, match="feature names") as refused:
        fitted.transform(frame.rename(columns={"a": name}))
    assert is_harmless(str(refused.value))
    assert "\nCertificate" not in str(refused.value)


def test_errors_take_what_exceptions_take():
    assert plumbline.Error().args == ()
    assert plumbline.Error("a\n", 3).args == ("a\\x0A", 3)
