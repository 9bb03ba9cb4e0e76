"""other_sqlite.py LIBRARY GPUGRAPH_SO SEED: gpugraph in the SQLite that a Python package carries.

LIBRARY: apsw, pysqlite3, sqlite3, or "two" of them in one process. Every function against a search in
Python, and a followed graph against its table, under random writes by two connections, in transactions
and with a trigger that asks the graph.
"""
import importlib
import os
import random
import shutil
import sys
import tempfile


class Database:
    """The few calls that are needed, the same for all of them."""

    def __init__(self, library, path, so):
        self.apsw = library == "apsw"
        module = importlib.import_module(library)
        if self.apsw:
            self.db = module.Connection(path)
            self.version = module.sqlite_lib_version()
        else:
            self.db = module.connect(path, isolation_level=None)
            self.version = module.sqlite_version
        self.db.enable_load_extension(True)
        self.db.load_extension(so)

    def __call__(self, sql, *values):
        return self.db.execute(sql, values).fetchall()

    def close(self):
        self.db.close()


def levels(edges, source, direction):
    """Depths of a breadth-first search."""
    near = {}
    for a, b in edges:
        near.setdefault(a, set())
        near.setdefault(b, set())
        if direction != "in":
            near[a].add(b)
        if direction != "out":
            near[b].add(a)
    depth = {source: 0} if source in near else {}
    row = list(depth)
    while row:
        below = {w for v in row for w in near[v]} - depth.keys()
        depth.update((w, depth[row[0]] + 1) for w in below)
        row = list(below)
    return depth


def check_functions(db):
    """Every function gives for the table what it gives for a query, and for gpu_bfs what Python finds."""
    edges = db("SELECT a, b FROM roads")
    for direction in ("out", "in", "both"):
        for edge_source in ("roads(a, b, metres)", "g"):
            got = db("SELECT vertex, depth FROM gpu_bfs(?, 1) WHERE direction = ?", edge_source, direction)
            assert dict(got) == levels(edges, 1, direction), (direction, edge_source)
    query = "SELECT a, b, metres, id FROM roads"
    for call in (
        "SELECT * FROM gpu_bfs(?, 1) ORDER BY vertex",
        "SELECT * FROM gpu_sssp(?, 1) ORDER BY vertex",
        "SELECT * FROM gpu_sssp(?, 1) WHERE distance <= '9' ORDER BY vertex",
        "SELECT * FROM gpu_path(?, 1, 7)",
        "SELECT * FROM gpu_dfs(?, 1) WHERE ordered = 1 ORDER BY preorder",
        "SELECT * FROM gpu_mis(?) ORDER BY vertex",
        "SELECT gpugraph_triangles(?)",
        "SELECT 0 UNION ALL SELECT count(*) FROM gpu_bfs(?, 1)",
        "SELECT r.id, s.distance FROM roads r, gpu_sssp(?, r.a) s WHERE s.vertex = r.b ORDER BY 1, 2",
    ):
        want = db(call, query)
        for edge_source in ("roads(a, b, metres)", "g"):
            assert db(call, edge_source) == want, (call, edge_source)


def check_graph(db):
    on_graph = db("SELECT src, dst, weight * 1.0, edge FROM g ORDER BY edge")
    assert on_graph == db("SELECT a, b, metres * 1.0, id FROM roads ORDER BY id")
    assert db("SELECT gpugraph_check('g')") == [("ok",)]


def write(db, luck):
    a, b, row = luck.randrange(25), luck.randrange(25), luck.randrange(1, 120)
    statements = (
        ("INSERT OR REPLACE INTO roads VALUES (?, ?, ?, 3)", row, a, b),
        ("INSERT INTO roads VALUES (?, ?, ?, 2) ON CONFLICT(id) DO UPDATE SET a = b, metres = 0.5", row, a, b),
        ("UPDATE OR REPLACE roads SET id = ? WHERE id = ?", row, row + 3),
        ("UPDATE roads SET b = 'x' || ? WHERE id % 17 = ?", b, row % 17),
        ("DELETE FROM roads WHERE id = ? RETURNING id", row),
        ("DELETE FROM roads WHERE id % 31 = ?", row % 31),
        ("UPDATE roads SET metres = metres + 1 WHERE a = ?", a),
        ("SELECT gpugraph_delete_vertex('g', ?)", a),
    )
    db(*luck.choice(statements))


def check_library(library, so, seed):
    luck = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.db")
        dbs = [Database(library, path, so), Database(library, path, so)]
        print(library, "SQLite", dbs[0].version)
        dbs[0]("PRAGMA journal_mode = " + luck.choice(("WAL", "DELETE")))
        for db in dbs:
            db("PRAGMA busy_timeout = 1000")
        dbs[0]("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres)")
        for row in range(1, 100):
            dbs[0]("INSERT INTO roads VALUES (?, ?, ?, ?)", row, row * 31 % 23, row * 17 % 19, row % 7)
        dbs[0]("CREATE TABLE seen(n)")
        dbs[0]("CREATE TRIGGER look AFTER DELETE ON roads WHEN old.id % 5 = 0 BEGIN "
               "INSERT INTO seen SELECT count(*) - (SELECT count(*) FROM roads) FROM g; END")
        dbs[0]("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), persist = 1)")
        for turn in range(400):
            db = luck.choice(dbs)
            end = luck.choice(("COMMIT", "ROLLBACK", None))
            if end:
                db("BEGIN")
            for _ in range(luck.randrange(1, 4)):
                write(db, luck)
                if luck.random() < 0.3:
                    check_graph(db)
            if end:
                db(end)
            for each in dbs:
                check_graph(each)
            if turn % 20 == 0:
                check_functions(luck.choice(dbs))
            if turn % 50 == 0:
                db("SELECT gpugraph_save('g')")
                dbs[1].close()
                dbs[1] = Database(library, path, so)
        assert dbs[0]("SELECT count(*) FROM seen WHERE n <> 0") == [(0,)]
        assert dbs[0]("PRAGMA integrity_check") == [("ok",)]
        for db in dbs:
            db.close()


def check_two(so):
    """The second library is refused with a sentence, the first goes on; a copy serves the second."""
    able = []
    for library in ("apsw", "pysqlite3", "sqlite3"):
        try:
            module = importlib.import_module(library)
            if library == "apsw" or hasattr(module.connect(":memory:"), "enable_load_extension"):
                able.append(library)
        except ImportError:
            pass
    random.shuffle(able)
    first, second = able[:2]
    search = "SELECT max(depth) FROM gpu_bfs('SELECT 1, 2 UNION ALL SELECT 2, 3', 1)"
    one = Database(first, ":memory:", so)
    try:
        Database(second, ":memory:", so)
        raise SystemExit("the second library was not refused")
    except Exception as error:
        assert "another SQLite library of this process" in str(error), error
        print(second + ":", error)
    assert one(search) == [(2,)]
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(so, folder)
        two = Database(second, ":memory:", copy)
        assert two(search) == [(2,)] and one(search) == [(2,)]


if __name__ == "__main__":
    if sys.argv[1] == "two":
        check_two(sys.argv[2])
    else:
        check_library(sys.argv[1], sys.argv[2], int(sys.argv[3]))
