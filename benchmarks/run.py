"""Measures the engine beside the limits of this machine and beside what one would use instead.

Usage: run.py BUILD_DIR. Prints the table and writes docs/performance.md. All numbers are of one run; ratios are what
carries over to other machines.
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import equal_laws
import numpy as np
import perceptron
import python_package
import regressions

ROOT = Path(__file__).resolve().parent.parent
ROWS, FEATURES, SENSITIVE = 1_000_000, 50, 3


class Line(NamedTuple):
    what: str
    ours: str
    beside: str
    ratio: str
    target: str


def seconds(call: Callable[[], object], repeats: int = 3) -> float:
    """The median of some repeats."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def table(rows: int, features: int, sensitive: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    b = rng.random((rows, sensitive))
    return rng.random((rows, features)) + b[:, :1], b


def removed_by_formula(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What fairlearn's CorrelationRemover computes, with the mean of each column in place of one mean of all."""
    centred = b - b.mean(axis=0)
    beta = np.linalg.lstsq(centred, a, rcond=None)[0]
    return a - centred @ beta


def removed_by_fairlearn(x: np.ndarray, sensitive: int) -> np.ndarray:
    from fairlearn.preprocessing import CorrelationRemover

    return CorrelationRemover(sensitive_feature_ids=list(range(sensitive))).fit_transform(x)


def shrink(g: np.ndarray, bound: float) -> np.ndarray:
    """u = S(g) / |S(g)| with the smallest threshold that makes its 1-norm at most `bound`, by bisection."""
    unit = g / np.linalg.norm(g)
    if np.abs(unit).sum() <= bound:
        return unit
    low, high = 0.0, float(np.abs(g).max())
    for _ in range(60):
        middle = (low + high) / 2
        s = np.sign(g) * np.maximum(np.abs(g) - middle, 0)
        norm = np.linalg.norm(s)
        low, high = (middle, high) if norm > 0 and np.abs(s).sum() > bound * norm else (low, middle)
    s = np.sign(g) * np.maximum(np.abs(g) - low, 0)
    return s / np.linalg.norm(s)


def sparse_in_the_space_of_rows(a: np.ndarray, b: np.ndarray, rank: int, bound: float, tolerance: float) -> np.ndarray:
    """Algorithm 1 on n-vectors, each step with the full data."""
    a = (a - a.mean(axis=0)) / a.std(axis=0)
    b = (b - b.mean(axis=0)) / b.std(axis=0)
    inverse = np.linalg.pinv(b.T @ b)
    scores = np.zeros((a.shape[0], 0))
    fair = np.zeros_like(a)
    for _ in range(rank):
        left = a - b @ (inverse @ (b.T @ a))
        left -= scores @ (scores.T @ left)
        u = np.linalg.eigh(left.T @ left)[1][:, -1]
        s = np.zeros(a.shape[0])
        for _ in range(1000):
            x = a @ u
            x -= scores @ (scores.T @ x)
            x -= b @ (inverse @ (b.T @ x))
            before, s = s, x / np.linalg.norm(x)
            after = shrink(a.T @ s, bound)
            moved, u = np.linalg.norm(after - u), after
            if moved <= tolerance and np.linalg.norm(s - before) <= tolerance:
                break
        fair += np.outer(s * (s @ a @ u), u)
        scores = np.column_stack([scores, s])
    return fair


def sparse_table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    b = rng.random((5000, 3))
    z = rng.standard_normal((5000, 40))
    noise = rng.standard_normal((5000, 200))
    return z @ rng.standard_normal((40, 200)) + noise + b @ rng.standard_normal((3, 200)), b


def wide_covariance() -> np.ndarray:
    return np.cov(np.random.default_rng(3).random((3000, 2000)), rowvar=False)


def read_by_pyarrow(path: Path, threads: int) -> None:
    import pyarrow
    from pyarrow import csv

    pyarrow.set_cpu_count(threads)
    csv.read_csv(pyarrow.memory_map(str(path)), read_options=csv.ReadOptions(use_threads=threads > 1))


PANDAS = """
import sys, pandas
from fairlearn.preprocessing import CorrelationRemover
table = pandas.read_csv(sys.argv[1])
features = table.drop(columns="y")
fair = CorrelationRemover(sensitive_feature_ids=["b"]).fit_transform(features)
out = pandas.DataFrame(fair, columns=features.columns.drop("b"))
out["y"] = table["y"]
out.to_csv(sys.argv[2], index=False)
"""


class Run(NamedTuple):
    seconds: float
    megabytes: float  # peak resident memory


def run_tool(command: list[str | Path]) -> Run:
    """Peak memory is asked for while the tool runs: what wait4 says counts this process, from before the exec, too."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0.0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        peak = max([peak] + [float(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")])
        time.sleep(0.002)
    if process.wait() != 0:
        raise RuntimeError(f"{command[0]} ended with status {process.returncode}")
    return Run(time.perf_counter() - start, peak)


def files(tool: Path, folder: Path) -> list[Line]:
    """Tables on disk, from CSV to fair CSV: insurance prices, one sensitive column, four features, a target."""
    lines = []
    for rows, size in ((1_000_000, "100 MB"), (10_000_000, "1 GB")):
        table, fair, model = folder / "people.csv", folder / "fair.csv", folder / "fair.json"
        run_tool([tool, "data", "generate", "insurance", "--rows", str(rows), "--output", table, "--force"])
        fit = [tool, "fit", "--input", table, "--sensitive", "b", "--target", "y", "--model", model, "--force"]
        both = min(run_tool([*fit, "--output", fair]) for _ in range(3))
        theirs = run_tool([sys.executable, "-c", PANDAS, table, fair])
        lines.append(
            Line(
                f"CSV of {size} to fair CSV, against pandas and fairlearn",
                duration(both.seconds),
                duration(theirs.seconds),
                f"{theirs.seconds / both.seconds:.1f}x",
                "10x",
            )
        )
        transform = run_tool([tool, "transform", "--model", model, "--input", table, "--output", fair, "--force"])
        lines.append(
            Line(
                f"peak memory of that: fit, transform; {rows:,} rows",
                f"{run_tool(fit).megabytes:.0f} MB, {transform.megabytes:.0f} MB",
                f"{theirs.megabytes:.0f} MB",
                "",
                "flat",
            )
        )
    return lines


def engine(binary: Path, folder: Path, only: str = ".", rounds: int = 9) -> dict[str, dict[str, float]]:
    """The median of some rounds for each, limits included; all take turns, so that a slow minute slows none alone."""
    command = [
        binary,
        "--benchmark_format=json",
        f"--benchmark_repetitions={rounds}",
        "--benchmark_enable_random_interleaving=true",
        f"--benchmark_filter={only}",
    ]
    environment = {
        **os.environ,
        "PLUMBLINE_BENCH_CSV": str(folder / "table.csv"),
        "PLUMBLINE_BENCH_REGRESSION": str(folder / "regression"),
    }
    out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    results: dict[str, dict[str, float]] = {}
    for entry in json.loads(out)["benchmarks"]:
        if entry.get("aggregate_name") != "median":
            continue
        name = re.split("/(?:min_time|iterations)", entry["run_name"])[0].replace("Eigen::MatrixXd", "ColumnMajor")
        unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[entry["time_unit"]]
        rates = {k: entry[k] for k in ("bytes_per_second", "flops") if k in entry}
        results[name] = {"s": entry["real_time"] * unit, **rates}
    return results


def duration(s: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if s * factor >= 1:
            return f"{s * factor:.3g} {unit}"
    return f"{s * 1e9:.3g} ns"


def logistic(ours: dict[str, dict[str, float]], folder: Path, table: tuple[str, np.ndarray, np.ndarray]) -> list[Line]:
    name, x, y = table
    found = np.loadtxt(folder / "regression.coefficients")
    lines = []
    for other, call in regressions.others(x, y):
        apart = np.abs(call() - found).max()
        if apart > 1e-6:
            if "lbfgs" not in other:
                raise RuntimeError(f"the coefficients of {other} are {apart} from ours")
            other += f" (which stops at coefficients {apart:.1g} from ours and the others')"
        mine, theirs = ours["logistic/2"]["s"], seconds(call)
        lines.append(
            Line(
                f"logistic regression of {name}, {x.shape[0]:,} × {x.shape[1]}, against {other}",
                duration(mine),
                duration(theirs),
                f"{theirs / mine:.1f}x",
                "3x",
            )
        )
    return lines


def mapping(ours: dict[str, dict[str, float]]) -> Line:
    """In place of a target: time for four times the rows, which is 4 · log 100,000 / log 25,000 = 4.5 in n log n and
    16 in n²."""
    few, many = (ours[f"marginal_mapping/{n}"]["s"] for n in (25_000, 100_000))
    return Line(
        "marginal mapping to 6 groups, 5 features, 100,000 rows, beside 25,000 rows",
        duration(many),
        duration(few),
        f"{many / few:.1f}x",
        "n log n: 4.5x",
    )


def rungs(ours: dict[str, dict[str, float]], a: np.ndarray, b: np.ndarray) -> list[Line]:
    lines = []
    for rank, of_rank in ((0, "full rank"), (10, "rank 10")):
        for spread, of_spread in ((1, "covariances"), (2, "variances")):
            for certified, words in ((0, ""), (1, ", certificate measured on the rows")):
                mine, plain = (
                    ours[f"fit_transform_one_sensitive/rank:{rank}/spread:{kind}/certified:{certified}"]["s"]
                    for kind in (spread, 0)
                )
                lines.append(
                    Line(
                        f"equal {of_spread} in 6 regions, fit + transform, {of_rank}, p=1{words}, against equal means "
                        "alone",
                        duration(mine),
                        duration(plain),
                        f"{mine / plain:.1f}x as long",
                        "6x",
                    )
                )
    mine, theirs = ours["equal_laws"]["s"], seconds(lambda: equal_laws.fit_transform(a, b), 1)
    lines.append(
        Line(
            "equal laws of 131,072 rows, and all rows through them, against the same in NumPy and pandas with "
            "scikit-learn's trees",
            duration(mine),
            duration(theirs),
            f"{theirs / mine:.1f}x",
            "10x",
        )
    )
    for remove, words in enumerate(("means", "spreads", "laws")):
        for rows in (100_000, ROWS):
            probe = ours[f"quick_probe/remove:{remove}/rows:{rows}"]["s"]
            lines.append(Line(f"quick probe of equal {words}, {rows:,} rows", duration(probe), "", "", "1 s"))
    return lines


def experiments(tool: Path, folder: Path) -> list[Line]:
    """Tables of the paper, from the published data to the page."""
    if "PLUMBLINE_DATA_DIR" not in os.environ:
        return []
    lines = []
    for name, target in (("compas", "5 s"), ("adult", "30 s")):
        run = run_tool([tool, "reproduce", name, "--output", folder / name, "--quiet"])
        lines.append(Line(f"`plumbline reproduce {name}`", duration(run.seconds), "", "", target))
    return lines + crime_trainings(tool, folder / "crime")


def crime_trainings(tool: Path, folder: Path) -> list[Line]:
    """The longest training of each kind, one thread each, and Adv as printed on all cores; the paper's are of a GPU."""
    run_tool([tool, "reproduce", "crime", "--repeats", "1", "--threads", "1", "--output", folder, "--quiet"])
    trained = [
        record
        for record in json.loads((folder / "results.json").read_text(encoding="utf-8"))
        if record["protocol"] == "published" and record["metric"] == "train_s"
    ]
    lines = []
    for is_adversarial, what, target in (
        (False, "as published, one run of ML, FTU, OB or SOB", "5 s"),
        (
            True,
            "one run of Adv, its generator included, as published but for 2 draws of b' a row in place of 20",
            "60 s",
        ),
    ):
        ours, paper = max(
            (record["value"], record["paper"] or 0.0)
            for record in trained
            if record["method"].startswith("Adv") == is_adversarial
        )
        lines.append(
            Line(
                f"Crime, 2,000 epochs {what}, against the paper's",
                duration(ours),
                duration(paper) if paper else "",
                f"{paper / ours:.1f}x" if paper else "",
                target,
            )
        )
    as_printed = python_package.adversarial_seconds()
    lines.append(
        Line(
            "Python: AdversarialRegressor on Crime with its defaults, the paper's 2,000 epochs and 20 draws, on all "
            "cores, against the paper's",
            duration(as_printed),
            duration(paper),
            f"{paper / as_printed:.1f}x",
            "60 s",
        )
    )
    return lines


def training_steps(ours: dict[str, dict[str, float]]) -> list[Line]:
    theirs = perceptron.times()
    lines = []
    for gathered, words in ((0, ""), (1, ", rows taken from a table")):
        what = f"training step of 121-64-32-16-1, batch 256{words}, against PyTorch, one core each"
        mine = ours[f"perceptron_step/gathered:{gathered}"]["s"]
        if theirs is None:
            lines.append(Line(what, duration(mine), "no PyTorch here", "", "4x"))
            continue
        other = theirs.gathered if gathered else theirs.step
        lines.append(Line(f"{what} ({theirs.torch})", duration(mine), duration(other), f"{other / mine:.1f}x", "4x"))
    return lines


def python_calls(binary: Path, folder: Path, x: np.ndarray) -> list[Line]:
    """The package beside fairlearn, and beside the same two C++ calls, with which it takes turns."""
    name = "fit_transform_into_new"
    found = python_package.times(x, SENSITIVE, lambda: engine(binary, folder, name, 3)[name]["s"])
    what = "Python: OrthogonalToBias.fit_transform"
    return [
        Line(
            f"{what} against fairlearn's",
            duration(found.ours),
            duration(found.fairlearn),
            f"{found.fairlearn / found.ours:.1f}x",
            "5x",
        ),
        Line(
            f"{what} against the C++ calls into a new table",
            duration(found.ours),
            duration(found.beside),
            f"{found.ours / found.beside:.0%}",
            "115%",
        ),
        Line("Python: transform of one row of 100 features", duration(found.one_row), "", "", "20 µs"),
    ]


def measure(binary: Path, folder: Path) -> tuple[list[Line], dict[str, float]]:
    csv_file = folder / "table.csv"
    table_of_people = regressions.adult()
    regressions.write(folder / "regression", *table_of_people[1:])
    ours = engine(binary, folder)
    copy, gemm = ours["copy_bandwidth"]["bytes_per_second"], ours["peak_gemm"]["flops"]
    lines = []

    def against_limit(what: str, name: str, limit: float, key: str, unit: str, target: str) -> None:
        value = ours[name][key]
        lines.append(
            Line(what, f"{value / 1e9:.1f} {unit}", f"{limit / 1e9:.1f} {unit}", f"{value / limit:.0%}", target)
        )

    def against_time(what: str, name: str, other: float, target: str) -> None:
        mine = ours[name]["s"]
        lines.append(Line(what, duration(mine), duration(other), f"{other / mine:.1f}x", target))

    for layout, words in (("ColumnMajor", "column by column"), ("RowMajor", "row by row")):
        against_limit(
            f"fit + transform, full rank, {words}, against memory copy",
            f"fit_transform_full_rank<{layout}>",
            copy,
            "bytes_per_second",
            "GB/s",
            "60%",
        )
    for layout, words in (("ColumnMajor", "column by column"), ("RowMajor", "row by row")):
        for q in (50, 200):
            against_limit(
                f"Gram matrix, q={q}, {words}, against matrix product",
                f"gram<{layout}>/{q}",
                gemm,
                "flops",
                "GF/s",
                "60%",
            )

    a, b = table(ROWS, FEATURES, SENSITIVE)
    against_time(
        "fit + transform, full rank, into a new table, against the formula in NumPy",
        "fit_transform_into_new",
        seconds(lambda: removed_by_formula(a, b)),
        "5x",
    )
    x = np.hstack([b, a])
    against_time(
        "the same against fairlearn's CorrelationRemover",
        "fit_transform_into_new",
        seconds(lambda x=x: removed_by_fairlearn(x, SENSITIVE)),
        "5x",
    )
    lines += python_calls(binary, folder, x)
    del x
    against_time(
        "fit, rank 10, against a thin SVD in NumPy",
        "fit_rank_10",
        seconds(lambda: np.linalg.svd(a - a.mean(axis=0), full_matrices=False)),
        "20x",
    )
    lines += rungs(ours, a, b)
    del a, b

    covariance = wide_covariance()
    against_time(
        "fit from moments, rank 10, q=2000, certificate included, against one eigendecomposition in NumPy",
        "fit_wide",
        seconds(lambda: np.linalg.eigh(covariance), 1),
        "",
    )

    a, b = sparse_table()
    for bound in (4, 7):
        against_time(
            f"SOB, n=5000, q=200, k=30, h={bound}, features of 40 causes, against Algorithm 1 on rows in NumPy "
            "(one component, times 30)",
            f"sob/h:{bound}/latent:40",
            30 * seconds(lambda h=bound: sparse_in_the_space_of_rows(a, b, 1, h, 1e-6)),
            "50 ms",
        )
    for bound in (4, 7):
        lines.append(
            Line(
                f"SOB, n=5000, q=200, k=30, h={bound}, independent features, which take many more steps",
                duration(ours[f"sob/h:{bound}/latent:0"]["s"]),
                "",
                "",
                "50 ms",
            )
        )
    for threads in (1, 2):
        against_time(
            f"CSV of 100 MB to numbers, {threads} thread{'s' if threads > 1 else ''}, against pyarrow",
            f"parse_csv/{threads}",
            seconds(lambda t=threads: read_by_pyarrow(csv_file, t)),
            "1x",
        )
    lines += logistic(ours, folder, table_of_people)
    lines.append(mapping(ours))
    lines += training_steps(ours)
    for rank, words in ((0, "full rank"), (20, "rank 20")):
        lines.append(Line(f"one row, q=100, p=5, {words}", duration(ours[f"one_row/{rank}"]["s"]), "", "", "2 µs"))
    return lines, {"copy": copy, "gemm": gemm}


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def write(lines: list[Line], limits: dict[str, float]) -> str:
    machine = f"{processor()}, {os.cpu_count()} cores"
    copy, gemm = (f"{limits[name] / 1e9:.1f}" for name in ("copy", "gemm"))
    out = [
        "# Performance",
        "",
        "Written by `make bench`; not edited by hand. All lines are of one run: ours and the limits the median of nine",
        "rounds that take turns, the others the median of three right after; the seconds belong to the machine.",
        "The tables that NumPy and fairlearn get are drawn anew, of the same shape and kind.",
        "",
        f"Machine: {machine}. Its limits, measured in the same run on all cores: memory copy",
        f"{copy} GB/s (bytes read plus bytes written), matrix product {gemm} GF/s (Eigen, double,",
        f"compiled for this machine). NumPy {np.__version__}. n=1,000,000, q=50, p=3 unless a line says otherwise.",
        "",
        "Bytes of a fit and transform are counted as one read of the table to fit, and one read and one write to "
        "transform.",
        "",
        "| what | Plumbline | beside it | ratio | target |",
        "| --- | --- | --- | --- | --- |",
    ]
    out += [f"| {line.what} | {line.ours} | {line.beside} | {line.ratio} | {line.target} |" for line in lines]
    return "\n".join(out) + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        binaries = Path(sys.argv[1])
        lines, limits = measure(binaries / "benchmarks" / "plumbline_bench", Path(folder))
        lines += experiments(binaries / "plumbline", Path(folder))
        lines += files(binaries / "plumbline", Path(folder))
    text = write(lines, limits)
    print(text)
    (ROOT / "docs").mkdir(exist_ok=True)
    (ROOT / "docs" / "performance.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
