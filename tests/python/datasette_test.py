"""Tests datasette-gpugraph in a Datasette on 127.0.0.1: changes that visitors cannot make, limits, and the operator's settings."""

import contextlib
import json
import pathlib
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import gpugraph

MANY = "SELECT count(*) FROM gpu_matrix('roads(src, dst)', (SELECT json_group_array(src) FROM (SELECT DISTINCT src FROM roads LIMIT 20000)))"
SETTINGS = "SELECT name, value FROM gpugraph_settings"
REFUSED = "does not allow calls that change anything"


def command(folder, settings, *options, database=None):
    """The command line of a Datasette with these settings of the plugin, of one database or of all."""
    plugins = {"plugins": {"datasette-gpugraph": settings}}
    metadata = folder / "metadata.json"
    metadata.write_text(json.dumps({"databases": {database: plugins}} if database else plugins))
    return [sys.executable, "-m", "datasette", str(folder / "roads.db"), "--memory", "-m", str(metadata), *options]


@contextlib.contextmanager
def serving(folder, settings, *options, database=None):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with open(folder / "log", "w") as log:
        server = subprocess.Popen([*command(folder, settings, *options, database=database), "-p", str(port)], stdout=log, stderr=log)
    try:
        ask = Ask(port)
        for _ in range(600):
            with contextlib.suppress(OSError):
                ask.get("/-/versions.json")
                break
            assert server.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
        yield ask
    finally:
        server.terminate()
        server.wait()


class Ask:
    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}"

    def get(self, path):
        try:
            return json.load(urllib.request.urlopen(self.address + path))
        except urllib.error.HTTPError as error:
            return json.load(error)

    def rows(self, sql, database="roads", **values):
        return self.get(f"/{database}.json?" + urllib.parse.urlencode({"sql": sql, "_shape": "arrays", **values}))

    def value(self, sql):
        answer = self.rows(sql)
        assert answer["ok"], answer
        return answer["rows"][0][0]

    def settings(self, database="roads"):
        return dict(self.rows(SETTINGS, database)["rows"])

    def fails(self, sentence, sql, database="roads", **values):
        answer = self.rows(sql, database, **values)
        assert not answer["ok"] and sentence in answer["error"], (sql, answer)


def make_roads(path):
    conn = sqlite3.connect(path)
    gpugraph.load(conn)
    conn.execute("CREATE TABLE roads(id INTEGER PRIMARY KEY, src, dst)")
    conn.execute("INSERT INTO roads WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 50000) SELECT x, x, x * 7919 % 50000 FROM c")
    conn.execute("CREATE VIRTUAL TABLE network USING gpugraph(roads(src, dst), persist = 1)")
    conn.commit()
    conn.close()


def check_visitors(folder):
    """Without settings of the operator. One thread serves all requests, so a request would see the changes of an earlier one."""
    with serving(folder, {}, "--setting", "num_sql_threads", "1", "--setting", "sql_time_limit_ms", "300") as ask:
        before = ask.settings()
        assert ask.value("SELECT count(*) FROM gpu_bfs('network', 1)") > 1
        for database in ("roads", "_memory"):
            ask.fails(REFUSED, "SELECT gpugraph_config('cache_limit', 0)", database)
            ask.fails(REFUSED, "SELECT gpugraph_config('refuse', NULL)", database)
            ask.fails(REFUSED, "SELECT gpugraph_save('network')", database)
            ask.fails(REFUSED, "SELECT gpugraph_delete_vertex('network', 1)", database)
        ask.fails(REFUSED, "SELECT * FROM gpu_bfs(:q, 1)", q="SELECT 1, gpugraph_config('threads', 1)")
        ask.fails(REFUSED, "SELECT * FROM gpu_bfs('network', 1) WHERE max_depth = gpugraph_config('threads', 1)")
        assert ask.value("SELECT gpugraph_config('threads')") == before["threads"]
        assert ask.settings() == before
        ask.fails("sql_time_limit_ms", MANY)
        assert ask.value("SELECT gpugraph_check('network')") == "ok"


def check_operator(folder):
    settings = {"time_limit_ms": 100, "memory_limit": 5000000, "threads": 2, "allow": ["gpugraph_save"]}
    with serving(folder, settings, "--setting", "sql_time_limit_ms", "30000", database="roads") as ask:
        found = ask.settings()
        assert {name: found[name] for name in ("time_limit_ms", "memory_limit", "threads")} == {"time_limit_ms": 100, "memory_limit": 5000000, "threads": 2}
        assert found["refuse"] == "gpugraph_config,gpugraph_delete_vertex", found
        ask.fails("gpu_matrix: the call has taken longer than the 100 ms", MANY)
        ask.fails("readonly", "SELECT gpugraph_save('network')")  # Datasette opens the file so
        ask.fails(REFUSED, "SELECT gpugraph_config('threads', 1)")
        assert ask.settings("_memory")["memory_limit"] == 0, "settings of one database hold for another"
        ask.fails(REFUSED, "SELECT gpugraph_save('network')", "_memory")
    with serving(folder, {"allow": ["gpugraph_config"]}, "--setting", "num_sql_threads", "1") as ask:
        assert ask.value("SELECT gpugraph_config('threads', 1)") == ask.settings()["threads"] == 1


def check_mistakes(folder):
    for settings, sentence in (
        ({"allow": "all"}, "'allow' takes a list of functions out of gpugraph_config"),
        ({"allow": ["gpu_bfs"]}, "not ['gpu_bfs']"),
        ({"speed": 1}, "there is no setting 'speed'; there are 'allow', 'backend'"),
        ({"refuse": ""}, "there is no setting 'refuse'"),
        ({"memory_limit": "2 GB"}, "memory_limit takes bytes of device memory"),
        ({"threads": [1]}, "not '[1]'"),
    ):
        for database in (None, "roads"):
            run = subprocess.run(command(folder, settings, "--get", "/", database=database), capture_output=True, text=True)
            assert run.returncode == 1 and run.stderr.startswith("Error: datasette-gpugraph: ") and sentence in run.stderr, run


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make_roads(folder / "roads.db")
        for check in (check_visitors, check_operator, check_mistakes):
            check(folder)
