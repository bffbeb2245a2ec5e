"""plumbline data: what there is, simulated rows, and downloads from a server of our own."""

from __future__ import annotations

import http.server
import io
import shutil
import socket
import stat
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli import tool

FILES = {
    "adult": ["adult.data", "adult.test"],
    "compas": ["compas-scores-two-years.csv"],
    "crime": ["communities.data"],
}
NO_PROXY = {"no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}


def generate(*args):
    return tool.succeed("data", "generate", *args).out


@pytest.mark.parametrize(
    ("name", "header"), [("insurance", b"b,A1,A2,A3,A4,y"), ("loan", b"race,education,income,approved")]
)
def test_generated_rows_are_a_function_of_the_seed(tmp_path, name, header):
    text = generate(name, "--rows", 500, "--seed", 3)
    lines = text.splitlines()
    assert lines[0] == header
    assert len(lines) == 501
    assert generate(name, "--rows", 500, "--seed", 3) == text
    assert generate(name, "--rows", 500, "--seed", 4) != text
    assert generate(name, "--rows", 200, "--seed", 3).splitlines() == lines[:201], "more rows have the same start"
    tool.succeed("data", "generate", name, "--rows", 500, "--seed", 3, "--output", tmp_path / "o.csv")
    assert (tmp_path / "o.csv").read_bytes() == text
    tool.succeed("data", "generate", name, "--rows", 500, "--seed", 3, "--output", tmp_path / "o.csv.gz")
    assert pd.read_csv(tmp_path / "o.csv.gz").equals(pd.read_csv(io.BytesIO(text)))


def test_blocks_of_generated_rows_join():
    rows = tool.BLOCK + 10
    assert generate("loan", "--rows", rows + 5).startswith(generate("loan", "--rows", rows))


def test_insurance_follows_its_model():
    """Six standard errors, for a fixed seed."""
    n = 40_000
    table = pd.read_csv(io.BytesIO(generate("insurance", "--rows", n, "--seed", 1)))
    b, a, y = table["b"], table[["A1", "A2", "A3", "A4"]].to_numpy(), table["y"]
    assert abs(b.mean() - 45) < 6 * 5 / np.sqrt(n)
    assert abs(b.std() - 5) < 6 * 5 / np.sqrt(2 * n)
    slopes, *_ = np.linalg.lstsq(np.column_stack([np.ones(n), b]), a, rcond=None)
    variance = np.array([1 + 4 + 2 + 1, 4 + 100, 25 * 2 + 400, 3 + 2 + 1e6])
    assert np.all(np.abs(slopes[1] - [0.1, 1, 5, 5]) < 6 * np.sqrt(variance / n) / 5)
    assert np.std(y - 2 * (7 * b + 20 * a.sum(axis=1))) == pytest.approx(0.1, rel=0.05)


def test_loan_follows_its_shares():
    n = 40_000
    table = pd.read_csv(io.BytesIO(generate("loan", "--rows", n, "--seed", 1)))
    shares = table["race"].value_counts(normalize=True)
    for group, share in {"r0": 0.76, "r1": 0.16, "r2": 0.08}.items():
        assert abs(shares[group] - share) < 6 * np.sqrt(share * (1 - share) / n)
    assert set(table["approved"]) == {0, 1}
    approved = table.groupby("race")["approved"].mean()
    assert approved["r0"] > approved["r1"] > approved["r2"]


def test_list_knows_all_and_where(tmp_path):
    (tmp_path / "adult.data").write_text("anything")
    text = tool.succeed("data", "list", "--data-dir", tmp_path).out.decode()
    for name in ("adult", "compas", "crime", "insurance", "loan", str(tmp_path / "adult.data"), "plumbline data fetch"):
        assert name in text
    listed = {entry["name"]: entry for entry in tool.succeed("data", "list", "--json", "--data-dir", tmp_path).json}
    assert set(listed) == {*FILES, "insurance", "loan"}
    for name, files in FILES.items():
        assert [file["name"] for file in listed[name]["files"]] == files
        assert all(file["url"].startswith("https://") for file in listed[name]["files"])
    assert listed["adult"]["files"][0]["path"] == str(tmp_path / "adult.data")
    by_variable = tool.succeed("data", "list", "--json", env={"PLUMBLINE_DATA_DIR": str(tmp_path)}).json
    assert by_variable[0]["files"][0]["path"] == str(tmp_path / "adult.data")
    assert by_variable[0]["files"][1]["path"] is None


# Downloads.


@pytest.fixture(scope="module")
def published():
    if tool.data_dir() is None:
        pytest.skip("PLUMBLINE_DATA_DIR is not set; set it to the folder that holds the published files")
    return Path(tool.data_dir())


@pytest.fixture
def server(published):
    """Serves the published files under /right, others under /wrong, half of them under /cut, and none under /gone."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            _, kind, name = self.path.split("/")
            if kind == "gone":
                self.send_error(404)
                return
            body = (published / name).read_bytes()
            if kind == "wrong":
                body = body.replace(b"1", b"2", 1)
            if kind == "lf":
                body = body.replace(b"\r\n", b"\n")
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if kind == "cut" else body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http_server:
        thread = threading.Thread(target=http_server.serve_forever, daemon=True)
        thread.start()
        http_server.asked = asked
        http_server.url = f"http://127.0.0.1:{http_server.server_port}"
        yield http_server
        http_server.shutdown()
        thread.join()


@pytest.fixture
def fetch(tmp_path):
    def call(*args, **more):
        return tool.run("data", "fetch", *args, env={"XDG_CACHE_HOME": str(tmp_path / "cache"), **NO_PROXY}, **more)

    return call


@pytest.mark.parametrize("name", FILES)
def test_fetch_to_the_cache_and_only_once(tmp_path, published, server, fetch, name):
    done = fetch(name, "--url", server.url + "/right")
    assert done.code == 0, done.err
    cache = tmp_path / "cache" / "plumbline"
    assert done.out.decode().splitlines() == [str(cache / file) for file in FILES[name]]
    assert tool.files_in(cache) == {file: (published / file).read_bytes() for file in FILES[name]}
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    asked = list(server.asked)
    assert fetch(name, "--url", server.url + "/right").code == 0
    assert server.asked == asked, "what is there is not asked for again"
    listed = tool.succeed("data", "list", "--json", env={"XDG_CACHE_HOME": str(tmp_path / "cache")}).json
    assert {file["path"] for entry in listed if entry["name"] == name for file in entry["files"]} == {
        str(cache / file) for file in FILES[name]
    }


def test_fetch_to_a_folder(tmp_path, published, server, fetch):
    assert fetch("compas", "--url", server.url + "/right/", "--data-dir", tmp_path / "here").code == 0
    (file,) = FILES["compas"]
    assert tool.files_in(tmp_path) == {"here": None, f"here/{file}": (published / file).read_bytes()}


def test_fetched_data_can_be_fitted_by_name(tmp_path, server, fetch):
    assert fetch("crime", "--url", server.url + "/right").code == 0
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = tool.run("fit", "-i", "crime", "-s", "racepctblack", "--missing", "mean", "--json", env=cache)
    assert done.code == 0, done.err
    assert done.json["rows"] == 1994


def test_crime_may_have_either_line_end(tmp_path, published, server, fetch):
    assert fetch("crime", "--url", server.url + "/lf").code == 0
    text = (tmp_path / "cache/plumbline/communities.data").read_bytes()
    assert text == (published / "communities.data").read_bytes().replace(b"\r\n", b"\n")


@pytest.mark.parametrize(
    ("kind", "words"), [("wrong", ["SHA-256", "c451db85908b2f7f"]), ("cut", ["cut"]), ("gone", ["404"])]
)
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_download_that_fails_leaves_the_old_file_or_none(tmp_path, server, fetch, kind, words, old):
    folder = tmp_path / "here"
    folder.mkdir()
    (file,) = FILES["compas"]
    if old:
        (folder / file).write_bytes(old)
    done = fetch("compas", "--url", f"{server.url}/{kind}", "--data-dir", folder)
    assert (done.code, done.out) == (2, b"")
    assert done.err.count("\n") == 1
    for word in [server.url, *words]:
        assert word in done.err
    assert tool.files_in(folder) == ({file: old} if old else {})


def test_a_spoiled_file_in_the_cache_is_fetched_again(tmp_path, published, server, fetch):
    folder, (file,) = tmp_path / "here", FILES["compas"]
    folder.mkdir()
    shutil.copy(published / file, folder / file)
    (folder / file).chmod(0o600)
    with (folder / file).open("ab") as spoiled:
        spoiled.write(b"x")
    assert fetch("compas", "--url", server.url + "/right", "--data-dir", folder).code == 0
    assert (folder / file).read_bytes() == (published / file).read_bytes()


def test_no_server(tmp_path, fetch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can answer there
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        done = fetch("adult", "--url", url)
    assert (done.code, done.out) == (2, b"")
    assert url in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.rglob("adult*"))


def test_no_such_scheme(tmp_path, refused):
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    refused("data", "fetch", "adult", "--url", "ftp://127.0.0.1/x", says=["--url", "ftp://", "http"], env=env)


def test_a_published_set_that_is_nowhere(refused, tmp_path):
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    args = ("fit", "-i", "adult", "-s", "race", "-m", tmp_path / "m.json")
    refused(*args, says=["adult.data", "plumbline data fetch adult"], outputs=("m.json",), env=env)
