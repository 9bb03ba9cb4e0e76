"""Compares the helpers with SQL: equal rows for every function, option and kind of id, also inside transactions. Arrays are
not copied, and outlive the connection. Copies edges in and out. Arguments are names of SQLite libraries."""

import datetime
import decimal
import enum
import fractions
import gc
import gzip
import importlib
import json
import os
import random
import sqlite3
import sys
import tempfile
import threading
import uuid

import gpugraph
import numpy
from load_test import connect

FUNCTIONS = {
    "gpu_bfs": (gpugraph.bfs, True),
    "gpu_sssp": (gpugraph.sssp, True),
    "gpu_dfs": (gpugraph.dfs, True),
    "gpu_mis": (gpugraph.mis, False),
    "gpu_components": (gpugraph.components, False),
    "gpu_pagerank": (gpugraph.pagerank, False),
    "gpu_cores": (gpugraph.cores, False),
    "gpu_degrees": (gpugraph.degrees, False),
    "gpu_label_propagation": (gpugraph.label_propagation, False),
    "gpu_triangles": (gpugraph.triangles, False),
}
OPTIONS = {
    "gpu_bfs": [{}, {"max_depth": 2}, {"direction": "both"}, {"direction": "in", "max_depth": 1}, {"edge": True}],
    "gpu_sssp": [{}, {"max_distance": 9}, {"direction": "both", "edge": True}],
    "gpu_dfs": [{"ordered": 1}, {"ordered": 1, "direction": "both", "edge": True}],
    "gpu_mis": [{}, {"priority": "id"}, {"priority": "random", "seed": 3}],
    "gpu_components": [{}, {"kind": "strong"}],
    "gpu_pagerank": [{}, {"damping": 0.5, "iterations": 3}, {"direction": "both"}],
    "gpu_label_propagation": [{}, {"iterations": 2}],
}


def plain(value):
    """A cell as a Python object."""
    value = value.item() if isinstance(value, numpy.generic) else value
    return None if value is numpy.ma.masked else value


def rows_of(arrays):
    found = arrays.rows()
    return list(zip(*([plain(cell) for cell in found[name]] for name in found)))


def sql_rows(conn, function, arrays, source, options):
    names = [name for name in arrays.columns if name != "member"]
    terms = {**options, **({} if source is None else {"source": source})}
    if isinstance(source, list):
        del terms["source"]
        terms["sources"] = json.dumps(source)
    terms.pop("edge", None)
    where = "".join(f" AND {name} = ?" for name in terms)
    sql = f"SELECT {', '.join(names)} FROM {function} WHERE edges = 'e'{where} ORDER BY vertex"
    return [tuple(row) for row in conn.cursor().execute(sql, tuple(terms.values()))]


def check_same(conn, function, source, options):
    helper, from_source = FUNCTIONS[function]
    arrays = helper(conn, "e", source, **options) if from_source else helper(conn, "e", **options)
    want = sql_rows(conn, function, arrays, source if from_source else None, options)
    assert rows_of(arrays) == want, (function, source, options, rows_of(arrays)[:5], want[:5])
    return len(want)


def check_random_graphs(backend):
    rows = 0
    for seed, (weight, as_id) in enumerate(
        [
            (lambda r: r.randint(0, 9), lambda i: i + 1),
            (lambda r: r.random(), lambda i: i * 37 - 400),
            (lambda r: r.randint(0, 2**40), lambda i: f"v{i}"),
            (lambda r: r.randint(1, 9), lambda i: i if i % 3 else f"ä{i}"),
        ]
    ):
        draw = random.Random(seed)
        conn = sqlite3.connect(":memory:")
        gpugraph.load(conn)
        conn.execute("SELECT gpugraph_config('backend', ?)", (backend,)).fetchall()
        edges = [(as_id(draw.randrange(60)), as_id(draw.randrange(60)), weight(draw)) for _ in range(90)]
        gpugraph.read_edges(conn, "e", edges + [(as_id(61), None, None)])
        sources = [edges[0][0], as_id(61), as_id(99), [edges[1][0], edges[2][0]]]
        for function in FUNCTIONS:
            for source in sources if FUNCTIONS[function][1] else [None]:
                if function == "gpu_dfs" and isinstance(source, list):
                    continue
                for options in OPTIONS.get(function, [{}]):
                    rows += check_same(conn, function, source, options)
        rows += len(rows_of(gpugraph.dfs(conn, "e")))  # a forest; the tree of one run
    assert rows > 2000, rows
    print(f"{rows} rows are SQL's, by {backend}")


def check_two_ways():
    """Rows with a reverse weight, and a followed graph with a direction."""
    draw = random.Random(5)
    conn = sqlite3.connect(":memory:")
    gpugraph.load(conn)
    conn.execute("CREATE TABLE ways(a, b, cost, id INTEGER PRIMARY KEY, back)")
    rows = ((draw.randrange(40), draw.randrange(40), draw.randrange(9), draw.choice([None, -1, 1, 5])) for _ in range(90))
    conn.executemany("INSERT INTO ways(a, b, cost, back) VALUES (?, ?, ?, ?)", rows)
    conn.execute("CREATE TABLE plain(src, dst, weight)")
    conn.execute("INSERT INTO plain SELECT a, b, cost FROM ways")
    conn.commit()
    conn.execute("CREATE VIRTUAL TABLE followed USING gpugraph(plain(src, dst, weight), direction='both')")
    for edges in ("ways(a, b, cost, id, back)", "followed"):
        for options in ({}, {"direction": "in"}, {"direction": "both"}, {"direction": "out", "max_distance": 6}):
            where = "".join(f" AND {name} = ?" for name in options)
            for source in range(0, 40, 7):
                sql = f"SELECT vertex, distance, parent FROM gpu_sssp WHERE edges = ? AND source = ?{where} ORDER BY vertex"
                want = conn.execute(sql, (edges, source, *options.values())).fetchall()
                found = gpugraph.sssp(conn, edges, source, **options)
                assert rows_of(found) == want, (edges, options, source)
        before = gpugraph.sssp(conn, edges, 0)
        kept = before.rows()["parent"].tolist(), before.vertex.tolist()
        conn.execute("DELETE FROM plain WHERE src < 20")
        assert edges != "followed" or len(gpugraph.sssp(conn, edges, 0)) < len(before)
        assert (before.rows()["parent"].tolist(), before.vertex.tolist()) == kept, "an answer has followed the table"
        conn.rollback()


def check_order():
    conn = sqlite3.connect(":memory:")
    gpugraph.load(conn)
    gpugraph.read_edges(conn, "e", [(5, 3), (3, 9), (5, 9)])
    order = gpugraph.topological_order(conn, "e")
    assert rows_of(order) == [(3, 1, 1), (5, 0, 0), (9, 2, 2)], rows_of(order)
    assert [order.vertex[order.position.argsort()].tolist()] == [[5, 3, 9]]


def check_rows():
    """Functions whose rows are not vertices: compares columns with SQL's rows, with NULLs, texts and REALs."""
    conn = sqlite3.connect(":memory:")
    gpugraph.load(conn)
    whole = [(1, 2, 4), (1, 3, 1), (3, 2, 2), (2, 4, 5), (3, 4, 8), (8, 9, 1)]
    for as_id, as_weight in ((int, int), (int, lambda w: w / 2), (lambda i: f"v{i}" if i % 2 else i, int)):
        gpugraph.read_edges(conn, "e", [(as_id(a), as_id(b), as_weight(w)) for a, b, w in whole])
        one, four, lists = as_id(1), as_id(4), ([as_id(1), as_id(8)], [as_id(4), as_id(9), as_id(2)])
        dumps = [json.dumps(ids) for ids in lists]
        for found, function, given in (
            (gpugraph.spanning_forest(conn, "e"), "gpu_spanning_forest", ("e",)),
            (gpugraph.path(conn, "e", one, four), "gpu_path", ("e", one, four)),
            (gpugraph.path(conn, "e", four, one), "gpu_path", ("e", four, one)),
            (gpugraph.paths(conn, "e", one, four, 3), "gpu_paths", ("e", one, four, 3)),
            (gpugraph.paths(conn, "e", one, four, weighted=0), "gpu_paths", ("e", one, four, 1)),
            (gpugraph.matrix(conn, "e", *lists), "gpu_matrix", ("e", *dumps)),
            (gpugraph.matrix(conn, "e", lists[0], direction="both"), "gpu_matrix", ("e", dumps[0])),
        ):
            options = " WHERE weighted = 0" if found.get("cost") is not None and "path" in found and given[-1] == 1 else ""
            options = " WHERE direction = 'both'" if function == "gpu_matrix" and len(given) == 2 else options
            sql = f"SELECT {', '.join(found)} FROM {function}({', '.join('?' * len(given))}){options}"
            want = conn.execute(sql, given).fetchall()
            rows = list(zip(*([plain(cell) for cell in found[name]] for name in found)))
            assert rows == want and (want or given[1] == four), (function, rows, want)
        conn.execute("DROP TABLE e")
    gpugraph.read_edges(conn, "e", whole)
    assert gpugraph.matrix(conn, "e", numpy.array([1, 3]), numpy.array([4]))["distance"].tolist() == [8, 7]
    assert gpugraph.path(conn, "e", 1, 4)["cost"].mask.tolist() == [True, False, False, False]


def check_transactions():
    """Arrays belong to the rows that this statement sees."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "e.db")
        one, two = sqlite3.connect(path), sqlite3.connect(path)
        for conn in (one, two):
            gpugraph.load(conn)
        gpugraph.read_edges(one, "e", [(1, 2), (2, 3)])
        depths = lambda conn: gpugraph.bfs(conn, "e", 1).depth.tolist()  # noqa: E731
        assert depths(one) == depths(two) == [0, 1, 2]
        one.execute("INSERT INTO e VALUES (1, 3), (3, 4)")
        assert (depths(one), depths(two)) == ([0, 1, 1, 2], [0, 1, 2])
        one.execute("SAVEPOINT s")
        one.execute("DELETE FROM e WHERE dst = 4")
        assert depths(one) == [0, 1, 1]
        one.execute("ROLLBACK TO s")
        assert depths(one) == [0, 1, 1, 2]
        one.rollback()
        assert depths(one) == [0, 1, 2]
        two.execute("UPDATE e SET dst = 9 WHERE dst = 3")
        two.commit()
        assert gpugraph.bfs(one, "e", 1).vertex.tolist() == [1, 2, 9]
        one.close()
        two.close()


def check_ownership():
    conn = sqlite3.connect(":memory:")
    gpugraph.load(conn)
    gpugraph.read_edges(conn, "e", [(i, i + 1, 2) for i in range(1000)])
    one, two = gpugraph.bfs(conn, "e", 0), gpugraph.bfs(conn, "e", 0)
    assert one.depth.ctypes.data == two.depth.ctypes.data, "the search's own array was copied"
    assert one.depth.base is not None and not one.depth.flags.writeable and not one.depth.flags.owndata
    assert memoryview(one.depth).readonly and one.buffer("depth")[5] == 5
    try:
        one.depth[0] = 1
    except ValueError:
        pass
    else:
        raise AssertionError("somebody else's array can be written")
    freed = []
    gpugraph._arrays.weakref.finalize(one._taken, freed.append, 1)
    depth, parent = one.depth, one.parent
    del one
    gc.collect()
    conn.execute("DELETE FROM e")
    conn.close()
    assert not freed and depth.tolist() == list(range(1001)) and parent[1:].tolist() == list(range(1000))
    thread = threading.Thread(target=lambda held: held.clear(), args=([depth],))
    del depth
    thread.start()
    thread.join()
    assert not freed and parent[7] == 6
    del parent
    gc.collect()
    assert freed and two.depth[1000] == 1000
    for number in (1, 0, -1):
        try:
            gpugraph._arrays._take(number)
        except RuntimeError as error:
            assert "gpugraph.load" in str(error)
        else:
            raise AssertionError(f"{number} stands for arrays")


def check_empty():
    conn = sqlite3.connect(":memory:")
    gpugraph.load(conn)
    gpugraph.read_edges(conn, "e", [(1, 2)])
    none = gpugraph.bfs(conn, "e", 77)
    assert len(none) == len(none.vertex) == len(none.depth) == len(none.reached) == 0 and none.rows()["parent"].size == 0
    assert none.vertex.dtype == numpy.int64
    assert gpugraph.bfs(conn, "e", numpy.int64(1)).depth.tolist() == [0, 1]
    assert gpugraph.bfs(conn, "e", numpy.array([1, 2])).source.tolist() == [0, 1]
    for wrong, sentence in (({"speed": 1}, "speed"), ({"direction": "up"}, "direction"), ({"a = 1 OR b": 1}, "no option")):
        try:
            gpugraph.bfs(conn, "e", 1, **wrong)
        except (sqlite3.OperationalError, TypeError) as error:
            assert sentence in str(error), error
        else:
            raise AssertionError(wrong)
    sys.modules["numpy"] = None  # as if there were none
    try:
        found = gpugraph.bfs(conn, "e", 1)
        assert found.buffer("depth").tolist() == [0, 1] and found.buffer("vertex").tolist() == [1, 2]
        found.depth
    except ImportError as error:
        assert "pip install numpy" in str(error), error
    else:
        raise AssertionError("NumPy out of nothing")
    finally:
        sys.modules["numpy"] = numpy
    conn.execute("CREATE TABLE named(src, dst, w, id)")
    conn.execute("INSERT INTO named VALUES (1, 2, 1, 'A9')")
    try:
        gpugraph.bfs(conn, "named(src, dst, w, id)", 1, edge=True).edge
    except AttributeError as error:
        assert "read them by SQL" in str(error)
    else:
        raise AssertionError("texts as numbers")


def check_frames():
    try:
        import pandas
    except ImportError:
        return
    conn = sqlite3.connect(":memory:")
    gpugraph.load(conn)
    assert gpugraph.read_edges(conn, "e", pandas.DataFrame({"src": [1, 2, None], "dst": [2, 3, 4], "km": [1.5, 2, 0]})) == 3
    assert conn.execute("SELECT * FROM e").fetchall() == [(1.0, 2, 1.5), (2.0, 3, 2.0), (None, 4, 0.0)]
    frame = pandas.DataFrame(gpugraph.sssp(conn, "e", 1, edge=True).rows())
    assert frame.vertex.tolist() == [1, 2, 3] and frame.distance.tolist() == [0, 1.5, 3.5]
    assert frame.parent.isna().tolist() == frame.edge.isna().tolist() == [True, False, False] and frame.parent[2] == 2


def fresh():
    conn = sqlite3.connect(":memory:")
    gpugraph.load(conn)
    return conn


def check_stored(data, want, columns=None, **options):
    """The rows that read_edges stores, with the types."""
    conn = fresh()
    count = gpugraph.read_edges(conn, "e", data, **options)
    found = conn.execute("SELECT * FROM e")
    rows = found.fetchall()
    assert count == len(rows) and repr(rows) == repr(want), (data, rows)
    assert columns is None or [name for name, *_ in found.description] == columns, (data, found.description)


def check_refused(data, kind, *parts, **options):
    conn = fresh()
    try:
        gpugraph.read_edges(conn, "e", data, **options)
    except kind as error:
        assert str(error).startswith("gpugraph: ") and all(part in str(error) for part in parts), error
        assert not conn.execute("SELECT 1 FROM sqlite_master").fetchall()
    else:
        raise AssertionError(f"{data} is taken")


def here(*names):
    """The modules; None for a module that is missing."""
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError:
        return None


class Colour(enum.IntEnum):
    RED = 3


def check_values():
    day, moment = datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, 3, 4, 5)
    as_stored = [
        (numpy.int64(1), 1), (numpy.uint8(2), 2), (numpy.int64(2**62 + 1), 2**62 + 1), (numpy.float32(1.5), 1.5), (numpy.float64(2.5), 2.5),
        (numpy.bool_(True), 1), (True, 1), (numpy.str_("a"), "a"), (numpy.array(7), 7), (numpy.datetime64("2024-01-02"), "2024-01-02"),
        (numpy.datetime64("2024-01-02T03:04:05.500", "ns"), "2024-01-02T03:04:05.5"), (numpy.datetime64("NaT"), None),
        (numpy.timedelta64(1500, "ms"), 1.5), (numpy.timedelta64("NaT"), None), (float("nan"), None), (day, "2024-01-02"),
        (moment, "2024-01-02T03:04:05"), (moment.replace(tzinfo=datetime.timezone.utc), "2024-01-02T03:04:05+00:00"),
        (datetime.time(6, 7), "06:07:00"), (datetime.timedelta(minutes=2), 120), (decimal.Decimal("1.5"), 1.5),
        (decimal.Decimal("1234567890123456789"), 1234567890123456789), (decimal.Decimal("nan"), None), (fractions.Fraction(1, 4), 0.25),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"), (Colour.RED, 3), (bytearray(b"x"), b"x"),
    ]  # fmt: skip
    check_stored([("a", "b", value) for value, _ in as_stored], [("a", "b", stored) for _, stored in as_stored])
    check_stored([(value, 1) for value, _ in as_stored], [(stored, 1) for _, stored in as_stored])
    check_stored([numpy.array([1, 2]), numpy.array([2, 3])], [(1, 2), (2, 3)])
    check_stored(list(zip(numpy.array([1, 2]), numpy.array([2, 3]))), [(1, 2), (2, 3)])
    check_stored(numpy.array([(1, 2.5)], dtype=[("src", "i4"), ("x", "f8")]), [(1, 2.5)], ["src", "x"])
    check_stored([{"src": numpy.int32(1), "dst": 2}, {"dst": 3, "w": 4}], [(1, 2, None), (None, 3, 4)], ["src", "dst", "w"])
    check_stored([], [])
    check_refused([(1, 2), (3,)], ValueError, "row 2 has 1 value(s) for 2 columns: src, dst")
    check_refused([((0, 1), (1, 1))], TypeError, "(0, 1) is a tuple, which SQLite cannot store")
    check_refused([(1, 2j)], TypeError, "complex")
    check_refused([(1, 2**64)], ValueError, "64 bits")
    check_refused([(1, decimal.Decimal(10**30))], ValueError, "64 bits")
    check_refused(["ab", "cd"], TypeError, "'ab' is no row of an edge")
    check_refused(numpy.array([1, 2]), TypeError, "1 is no row of an edge")
    check_refused({"ab": 1}, TypeError, "not dict")
    check_refused(7, TypeError, "not int")


def check_arguments():
    """Values of searches are converted as well."""
    conn = fresh()
    gpugraph.read_edges(conn, "e", [(1, 2), (2, 3), ("2024-01-02", 3)])
    want = gpugraph.bfs(conn, "e", [1, 2]).depth.tolist()
    for sources in ([numpy.int64(1), 2], numpy.array([1, 2]), (1, numpy.uint8(2)), range(1, 3), dict.fromkeys((1, 2)).keys()):
        assert gpugraph.bfs(conn, "e", sources).depth.tolist() == want, sources
        assert gpugraph.bfs(conn, "e", sources=sources).depth.tolist() == want, sources
        assert gpugraph.matrix(conn, "e", sources, {numpy.int64(3)})["distance"].tolist() == [2, 1]
    assert gpugraph.bfs(conn, "e", numpy.int64(1), max_depth=numpy.int64(1)).reached.sum() == 2
    assert gpugraph.path(conn, "e", numpy.int64(1), numpy.float64(3))["vertex"].tolist() == [1, 2, 3]
    assert gpugraph.paths(conn, "e", 1, 3, numpy.int32(2))["vertex"].tolist() == [1, 2, 3]
    assert gpugraph.bfs(conn, "e", datetime.date(2024, 1, 2)).reached.sum() == 2
    for call, sentence in (
        (lambda: gpugraph.bfs(conn, "e", 1, speed=1), "gpu_bfs has no option 'speed'; it has 'backend', 'direction', 'edge', 'edge_filter', 'edge_params', 'max_depth', "),
        (lambda: gpugraph.path(conn, "e", 1, 3, max_dept=1), "gpu_path has no option 'max_dept'; it has 'backend', "),
        (lambda: gpugraph.cores(conn, "e", core=1), "gpu_cores has no option 'core'"),
        (lambda: gpugraph.mis(conn, "e", **{"seed = 1 OR seed": 1}), "has no option 'seed = 1 OR seed'"),
        (lambda: gpugraph.read_edges(conn, "f", [(1, 2)], sep=";"), "read_edges has no option 'sep'; it has 'header'"),
        (lambda: gpugraph.to_networkx(conn, "e", graph=1), "to_networkx has no option 'graph'; it has 'create_using'"),
        (lambda: gpugraph.bfs(conn, "e", 2j), "2j is a complex"),
    ):
        try:
            call()
        except TypeError as error:
            assert str(error).startswith("gpugraph: ") and sentence in str(error), error
        else:
            raise AssertionError(sentence)


def check_libraries():
    """Frames, graphs and matrices of other libraries that are installed."""
    if modules := here("pandas"):
        (pd,) = modules
        check_stored(pd.DataFrame({"src": pd.array([1, 2, None], dtype="Int64"), "dst": [2, 3, 4]}), [(1, 2), (2, 3), (None, 4)])
        check_stored(pd.DataFrame({"src": pd.array(["a", None], dtype="string"), "dst": ["b", "c"]}), [("a", "b"), (None, "c")])
        check_stored(pd.DataFrame({"src": [1], "dst": [2], "paid": pd.to_datetime(["2024-01-02"])}), [(1, 2, "2024-01-02T00:00:00")])
        check_stored(pd.DataFrame({"src": [1, 2], "dst": [2, 3], "paid": [datetime.date(2024, 1, 2), pd.NaT]}), [(1, 2, "2024-01-02"), (2, 3, None)])
        check_stored(pd.DataFrame({"src": pd.Categorical(["a"]), "dst": ["b"], "open": [True]}), [("a", "b", 1)])
        check_stored(pd.DataFrame({"src": [1], "dst": [2], "took": [pd.Timedelta("90s")]}), [(1, 2, 90)])
        check_stored(pd.DataFrame({1: [1], 2: [2]}), [(1, 2)], ["1", "2"])
    if modules := here("polars"):
        (pl,) = modules
        frame = pl.DataFrame({"src": [1, None], "dst": ["a", "b"], "at": [datetime.datetime(2024, 1, 2), None], "w": [decimal.Decimal("1.5"), None]})
        check_stored(frame, [(1, "a", "2024-01-02T00:00:00", 1.5), (None, "b", None, None)], ["src", "dst", "at", "w"])
    if modules := here("pyarrow"):
        (pa,) = modules
        check_stored(pa.table({"src": [1, None], "dst": [datetime.date(2024, 1, 2), None]}), [(1, "2024-01-02"), (None, None)], ["src", "dst"])
        check_stored([(pa.scalar(1), pa.scalar(None))], [(1, None)])
    if modules := here("scipy.sparse"):
        (sparse,) = modules
        check_stored(sparse.coo_matrix(([1.5, 2], ([0, 1], [1, 0])), shape=(3, 3)), [(0, 1, 1.5), (1, 0, 2.0), (2, None, None)], ["src", "dst", "weight"])
    if modules := here("networkx"):
        (nx,) = modules
        graph = nx.Graph()
        graph.add_edge("a", "b", weight=numpy.int64(1))
        check_stored(graph, [("a", "b", 1)])
        graph = nx.Graph()
        graph.add_edges_from(numpy.array([[1, 2], [2, 3]]))
        check_stored(graph, [(1, 2), (2, 3)])
        check_stored(nx.from_numpy_array(numpy.array([[0, 2], [2, 0]])), [(0, 1, 2)])
        check_refused(nx.grid_2d_graph(2, 2), TypeError, "(0, 0) is a tuple")
    if modules := here("networkx", "pandas"):
        nx, pd = modules
        frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "w": [4, 5]})
        check_stored(nx.from_pandas_edgelist(frame, edge_attr="w"), [(1, 2, 4), (2, 3, 5)], ["src", "dst", "w"])


def check_files():
    with tempfile.TemporaryDirectory() as folder:

        def file(text, name="e.csv"):
            path = os.path.join(folder, name)
            with (gzip.open if path.endswith(".gz") else open)(path, "wb") as out:
                out.write(text if isinstance(text, bytes) else text.encode())
            return path

        either = "may be a header or an edge: pass header=True or header=False"
        check_stored(file("1,2\n2,3\n"), [(1, 2), (2, 3)], ["src", "dst"])
        check_stored(file("a,b,1.5\nb,c,2\n"), [("a", "b", 1.5), ("b", "c", 2.0)], ["src", "dst", "weight"])
        check_stored(file("a\tb\t7\t8\n", "e.tsv.gz"), [("a", "b", 7, 8)], ["src", "dst", "weight", "column4"])
        check_stored(file("v1,2\n3,4\n"), [("v1", "2"), ("3", "4")])
        check_stored(file("1,2\n3,4,5\n"), [(1, 2, None), (3, 4, 5)])
        check_stored(file("Source,Target,w\na,b,1\n"), [("a", "b", 1)], ["Source", "Target", "w"])
        check_stored(file("from_node,to_node\n1,2\n"), [(1, 2)], ["from_node", "to_node"])
        check_stored(file("src,dst\n"), [], ["src", "dst"])
        for text in ("a,b\nb,c\n", "a,b\n", "a,b,NA\nb,c,1.5\n", "NA,NA\n3,4\n", "person,friend\nann,bob\n"):
            check_refused(file(text), ValueError, "e.csv", either)
        check_stored(file("a,b\nb,c\n"), [("a", "b"), ("b", "c")], ["src", "dst"], header=False)
        check_stored(file("a,b\nb,c\n"), [("b", "c")], ["a", "b"], header=True)
        check_refused(file("src,dst\n3,4,5\n"), ValueError, "a row has 3 columns, and there are 2")
        check_refused(file("src;dst\n1;2\n"), ValueError, "has 1 column(s)", "commas")
        check_refused(file(""), ValueError, "has 0 column(s)")
        check_refused(file(b"src,dst\n\xff,2\n"), ValueError, "e.csv cannot be read", "utf-8")
        check_refused(file("<graphml><x>", "e.graphml"), ValueError, "e.graphml cannot be read")
        for name in ("e.xlsx", "e.txt", "e.json.gz", "csv", "e"):
            check_refused(file("1,2\n", name), ValueError, f"{name} is a file of an unknown kind; known are .csv, .tsv and .graphml, also with .gz")
        check_refused([(1, 2)], ValueError, "header is an option of files", header=True)


def check_edges():
    conn = sqlite3.connect(":memory:")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "roads.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,from,to,km,name,code\n1,7,8,1.5,a,01\n2,8,x,2,,02\n\n,,9007199254740993,1e3,b,03\n")
        assert gpugraph.read_edges(conn, "roads", path) == 3
        assert conn.execute("SELECT * FROM roads").fetchall() == [
            (1, "7", "8", 1.5, "a", "01"),
            (2, "8", "x", 2.0, None, "02"),
            (None, None, "9007199254740993", 1000.0, "b", "03"),
        ]
        try:
            import networkx
        except ImportError:
            return
        graph = networkx.les_miserables_graph()
        graph.add_node("nobody")
        networkx.write_graphml(graph, os.path.join(folder, "l.graphml"))
        assert gpugraph.read_edges(conn, "l", os.path.join(folder, "l.graphml")) == gpugraph.read_edges(conn, "n", graph) == 255
    assert conn.execute("SELECT * FROM l EXCEPT SELECT * FROM n").fetchall() == []
    for source in ("l", "main.l", '"l"(src, "dst", weight)', "SELECT src, dst, weight FROM l"):
        back = gpugraph.to_networkx(conn, source, networkx.Graph)
        assert set(back) == set(graph) and networkx.utils.edges_equal(back.edges(data=True), graph.edges(data=True))
    multi = gpugraph.to_networkx(conn, "roads(from, to, km, id)")
    assert sorted(multi.edges(data=True)) == [("7", "8", {"weight": 1.5, "edge": 1}), ("8", "x", {"weight": 2.0, "edge": 2})]
    assert "9007199254740993" in multi
    conn.execute("CREATE TABLE ways(source, target, cost, reverse_cost)")
    conn.executemany("INSERT INTO ways VALUES (?, ?, ?, ?)", [(1, 2, 5, 3), (2, 3, -1, 4), (3, 4, 6, None), (5, 6, -1, -1)])
    conn.commit()
    for source in ("ways", "SELECT source, target, cost, NULL, reverse_cost FROM ways"):
        two = gpugraph.to_networkx(conn, source)
        assert sorted(two.edges(data="weight")) == [(1, 2, 5), (2, 1, 3), (3, 2, 4), (3, 4, 6)] and 6 in two
        one = gpugraph.to_networkx(conn, source, networkx.Graph)
        assert sorted((*sorted(edge), weight) for *edge, weight in one.edges(data="weight")) == [(1, 2, 3), (2, 3, 4), (3, 4, 6)]
    for source in ("roads; DROP TABLE l", "roads(nope, to)", "conn"):
        try:
            gpugraph.to_networkx(conn, source)
        except (ValueError, sqlite3.OperationalError):
            pass
        else:
            raise AssertionError(source)
    try:
        gpugraph.read_edges(conn, "half", [(1, 2), (3, 2j)])
    except TypeError:
        assert not conn.in_transaction and not conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchall()
    else:
        raise AssertionError("half a table")


def check_library(name):
    conn = connect(name)
    gpugraph.load(conn)
    if hasattr(conn, "row_factory"):
        conn.row_factory = lambda cursor, row: {"row": row}
    gpugraph.read_edges(conn, "e", [(numpy.int64(1), numpy.int32(2)), (2, 3.0), (True, None)])
    assert rows_of(gpugraph.bfs(conn, "e", 1)) == [(1, 0, None), (2, 1, 1), (3, 2, 2)], name


if __name__ == "__main__":
    for backend in os.environ.get("GPUGRAPH_TEST_BACKENDS", "cpu").split():
        check_random_graphs(backend)
    for check in (check_two_ways, check_order, check_rows, check_transactions, check_ownership, check_empty, check_frames, check_edges):
        check()
    for check in (check_values, check_arguments, check_libraries, check_files):
        check()
    for name in sys.argv[1:]:
        check_library(name)
