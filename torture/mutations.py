"""Files that were changed by chance, and sealed anew where there is a checksum: in processes of their own, for a signal
must not end the count."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .tally import Tally, is_harmless

PROMISE = "a sentence, or a result that can be used: never a signal, never another kind of exception"
SLICE = 2000  # mutations of a process
KINDS = {"models": 0.4, "moments files": 0.3, "Arrow streams": 0.25, "CSV files": 0.05}


def checksum(text: bytes) -> int:
    """FNV-1a of 64 bits."""
    value = 14695981039346656037
    for byte in text:
        value = (value ^ byte) * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    return value


def mutated(rng: random.Random, text: bytes) -> bytes:
    out = bytearray(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(8)
        if kind == 0:
            out[at:at] = bytes(rng.choices(range(256), k=rng.randint(1, 8)))
        elif kind == 1:
            del out[at : at + rng.randint(1, 30)]
        elif kind == 2:
            out[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 3:
            out = out[:at]
        elif kind == 4:
            out[at:at] = out[: rng.randrange(len(out) + 1)][-40:]
        elif kind == 5:
            out[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff", b"\0\0\0\x80"))
        elif kind == 6:
            out[at:at] = rng.choice((b"-", b"1e999", b"null", b'"', b"\x1b[2J", b"\n", b",", b"[", b"\xe2\x80\xae"))
        else:
            out[at : at + 8] = rng.choice((np.nan, -1.0, 1e308, np.inf)).hex().encode()[:8]
        if not out:
            break
    return bytes(out)


def change_a_value(rng: random.Random, document: object) -> None:
    """Of a JSON document, somewhere in it."""
    at, parent, key = document, None, None
    while isinstance(at, (dict, list)) and at and rng.random() < 0.9:
        key = rng.choice(list(at)) if isinstance(at, dict) else rng.randrange(len(at))
        parent, at = at, at[key]
    if parent is None:
        return
    values = (
        None,
        -1,
        0,
        1,
        0.5,
        2**31,
        2**62,
        -(2**63),
        1e300,
        "",
        "\x1b[2J",
        "aware",
        "blind",
        [],
        {},
        True,
        [[]],
        [1],
    )
    if rng.random() < 0.15:
        del parent[key]
    else:
        parent[key] = rng.choice(values)


def sealed(document: dict[str, object]) -> bytes:
    document.pop("checksum", None)
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    document["checksum"] = f"{checksum(text):016x}"
    return json.dumps(document).encode()


def try_model(rng: random.Random, whole: bytes) -> str:
    import plumbline

    if rng.random() < 0.5:
        document = json.loads(whole)
        for _ in range(rng.choice((1, 1, 2, 4))):
            change_a_value(rng, document)
        text = sealed(document)
    else:
        text = mutated(rng, whole)
    with tempfile.NamedTemporaryFile(suffix=".json", dir=os.environ["TORTURE_FOLDER"]) as file:
        file.write(text)
        file.flush()
        model = plumbline.load_model(file.name)
    str(model.certificate_)
    if hasattr(model, "n_features_in_"):  # a model of matrices knows no table
        model.transform(np.ones((3, model.n_features_in_)))
    return "read"


def try_moments(rng: random.Random, whole: bytes) -> str:
    from plumbline import OrthogonalToBias
    from plumbline.moments import Moments

    text = mutated(rng, whole)
    if rng.random() < 0.6 and len(text) > 8:
        text = text[:-8] + checksum(text[:-8]).to_bytes(8, "little")
    path = Path(os.environ["TORTURE_FOLDER"]) / "mutated.plm"
    path.write_bytes(text)
    moments = Moments.load(path)
    str(OrthogonalToBias().fit_moments(moments).certificate_)
    return "read"


def try_arrow(rng: random.Random, whole: bytes) -> str:
    import pyarrow as pa
    from plumbline import OrthogonalToBias

    try:
        reader = pa.ipc.open_stream(mutated(rng, whole))
        table = reader.read_all()
    except (pa.ArrowException, OSError, ValueError, KeyError, NotImplementedError, MemoryError):
        return "refused by pyarrow"
    given = table.to_reader() if rng.random() < 0.5 else table
    OrthogonalToBias(sensitive_feature_ids=["b", "k"], missing="mean", unknown="ignore").fit(given)
    return "read"


def try_csv(rng: random.Random, whole: bytes) -> str:
    folder = Path(os.environ["TORTURE_FOLDER"])
    (folder / "t.csv").write_bytes(mutated(rng, whole))
    words = [os.environ["TORTURE_PROGRAM"], "fit", "-i", "t.csv", "-s", "b,k", "--json", "--missing", "mean"]
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=60)
    said = done.stderr.decode(errors="surrogateescape") + done.stdout.decode(errors="surrogateescape")
    if not is_harmless(said):
        raise AssertionError(f"raw text: {said!a}")
    if done.returncode not in (0, 1, 2):
        raise AssertionError(f"ended with {done.returncode}")
    if done.returncode == 2:
        raise ValueError(said)
    json.loads(done.stdout)
    return "read"


def wholes() -> dict[str, tuple[bytes, Callable[[random.Random, bytes], str]]]:
    import pyarrow as pa
    from plumbline import OrthogonalToBias
    from plumbline.moments import Moments

    rng = np.random.default_rng(5)
    b = rng.normal(size=40)
    a = rng.normal(size=(40, 3)) + b[:, None]
    k = np.array(["x", "y", "z", "y"] * 10)
    table = pa.table(
        {"b": b, "a0": a[:, 0], "a1": a[:, 1].astype(np.float32), "k": pa.array(k).dictionary_encode(), "t": k}
    )
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table, max_chunksize=16)
    folder = Path(os.environ["TORTURE_FOLDER"])
    model = folder / "whole.json"
    fitted = OrthogonalToBias(sensitive_feature_ids=[0], n_components=2).fit(np.column_stack([b, a]))
    model.write_text(fitted.to_json())
    rows = "\n".join(f"{b[i]:.4g},{a[i, 0]:.4g},{a[i, 1]:.4g},{k[i]}" for i in range(40))
    moments = Moments(3, 1)
    moments.update(a, b[:, None])
    moments.save(folder / "whole.plm")
    return {
        "models": (model.read_bytes(), try_model),
        "moments files": ((folder / "whole.plm").read_bytes(), try_moments),
        "Arrow streams": (stream.getvalue().to_pybytes(), try_arrow),
        "CSV files": (f"b,a0,a1,k\n{rows}\n".encode(), try_csv),
    }


def work(kind: str, seed: int, first: int, count: int) -> Tally:
    tally = Tally(kind, PROMISE)
    whole, attempt = wholes()[kind]
    from plumbline import Error

    for one in range(first, first + count):
        print(one, file=sys.stderr, flush=True)
        rng = random.Random(f"{seed} {kind} {one}")
        try:
            tally.add(attempt(rng, whole))
        except (Error, ValueError, TypeError) as refused:
            wrong = []
            if isinstance(refused, UnicodeError) or (kind != "Arrow streams" and isinstance(refused, TypeError)):
                wrong.append(f"{type(refused).__name__}: {refused}")
            if not is_harmless(str(refused)):
                wrong.append(f"raw text: {str(refused)!a}")
            tally.add("refused", [f"{kind} {one}: {w}" for w in wrong])
        except Exception as other:
            tally.add("failed", [f"{kind} {one}: {type(other).__name__}: {other}"])
    return tally


def run(count: int, seed: int, program: str) -> list[Tally]:
    out = []
    for kind, share in KINDS.items():
        tally = Tally(f"mutated {kind}", PROMISE)
        total = int(count * share)
        for first in range(0, total, SLICE):
            with tempfile.TemporaryDirectory(prefix="plumbline-torture-") as folder:
                done = subprocess.run(
                    [
                        sys.executable,
                        "-m",
                        "torture.mutations",
                        kind,
                        str(seed),
                        str(first),
                        str(min(SLICE, total - first)),
                    ],
                    capture_output=True,
                    text=True,
                    check=False,
                    env={**os.environ, "TORTURE_FOLDER": folder, "TORTURE_PROGRAM": program},
                )
            if done.returncode != 0:
                last = done.stderr.strip().splitlines()[-3:]
                tally.add("a signal", [f"{kind}: ended with {done.returncode} at or after {last}"])
                continue
            found = json.loads(done.stdout)
            tally.tried += found["tried"]
            tally.ends.update(found["ends"])
            tally.failures += found["failures"]
        out.append(tally)
    return out


if __name__ == "__main__":
    worked = work(sys.argv[1], *map(int, sys.argv[2:]))
    json.dump({"tried": worked.tried, "ends": worked.ends, "failures": worked.failures}, sys.stdout)
