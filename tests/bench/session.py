#!/usr/bin/env python3
"""Runs a session of a user: a table of edges changes, and five questions follow each
change.

    session.py GPUGRAPH.so [EDGES [STEPS [FOLDER]]]

The defaults are 8000000 edges, 60 steps and the folder of temporary files. The graph is a
square grid that keeps six roads in ten, each both ways, with weights 1 to 255. A step is
one INSERT, one DELETE and one UPDATE, then a bounded search, a whole search grouped by
depth, the 100 nearest vertices by weight, a path, and the components by size.

    plain      the functions read the table, and read it again after a change
    followed   CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))

Each form runs with the backends cpu, cuda (if there is a device) and auto. Each run has
its own process and its own copy of the database. All runs make equal changes and ask
equal questions. A line of the table is a run:

    start                   the first query, including CREATE VIRTUAL TABLE; ms
    steps, cpu              seconds of all steps, by the clock and by the processors
    change ... components   the median of each kind; change is the three statements; ms

The answers of all runs must be equal. Two ratios follow, of steps and of cpu: auto divided
by the better of cpu and cuda, at most 1.1, and followed divided by plain, at most 1. If
other programs use the processors, only cpu is meaningful. Some builds of Python load no
extensions; /usr/bin/python3 usually does."""
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

FORMS = {"plain": "roads(a, b, metres)", "followed": "g"}
BACKENDS = ["cpu", "cuda", "auto"]
# :g is the edge source; :s and :t are vertices.
QUESTIONS = {
    "bounded": "SELECT count(*), max(depth) FROM gpu_bfs(:g, :s) WHERE max_depth = 10",
    "depths": "SELECT depth, count(*) FROM gpu_bfs(:g, :s) GROUP BY depth",
    "nearest": "SELECT distance FROM gpu_sssp(:g, :s) ORDER BY distance LIMIT 100",
    "path": "SELECT vertex, distance FROM gpu_path(:g, :s, :t) ORDER BY seq",
    "components": "SELECT component, count(*) AS size FROM gpu_components(:g) "
                  "GROUP BY component ORDER BY size DESC, component LIMIT 5",
}
KINDS = ["change", *QUESTIONS]
DEFAULTS = [None, "8000000", "60", None]


def grid(side):
    """Rows of the table: two roads start at each vertex, to the right and down."""
    draw = random.Random(1)
    for v in range(side * side):
        for step in (1, side):
            inside = (v + 1) % side != 0 if step == 1 else v + side < side * side
            if inside and draw.random() < 0.6:
                metres = draw.randint(1, 255)
                yield v, v + step, metres
                yield v + step, v, metres


def make_table(path, edges):
    side = 2
    while 2.4 * side * (side - 1) < edges:
        side += 1
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE roads(id INTEGER PRIMARY KEY, a INT, b INT, metres INT)")
    db.executemany("INSERT INTO roads(a, b, metres) VALUES (?, ?, ?)", grid(side))
    rows = db.total_changes
    db.commit()
    db.close()
    return rows


def connect(library, path):
    db = sqlite3.connect(path, isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(library)
    db.execute("PRAGMA synchronous = off")
    return db


def change(db, rows):
    """Inserts an edge between known vertices, deletes an edge, and changes a weight."""
    near, deleted, other = (random.randint(1, rows - 2) for _ in range(3))
    db.execute("INSERT INTO roads(a, b, metres) SELECT p.a, q.b, ? FROM roads p, roads q "
               "WHERE p.id = ? AND q.id = ?", (random.randint(1, 255), near, near + 2))
    db.execute("DELETE FROM roads WHERE id = ?", (deleted,))
    db.execute("UPDATE roads SET metres = 256 - metres WHERE id = ?", (other,))


def draw_ends(db, rows):
    row = random.randint(1, rows // 2)
    return [db.execute("SELECT a FROM roads WHERE id >= ?", (at,)).fetchone()[0]
            for at in (row, row + rows // 8)]


def run(library, path, form, backend, rows, steps):
    """Runs a session. Answers are in the order of steps, then of QUESTIONS."""
    random.seed(50)
    db = connect(library, path)
    db.execute("SELECT gpugraph_config('backend', ?)", (backend,))
    took, answers = {kind: [] for kind in KINDS}, []
    began = time.perf_counter()
    if form == "followed":
        db.execute("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))")
    values = {"g": FORMS[form], "s": 0, "t": 0}
    db.execute(QUESTIONS["bounded"], values).fetchall()
    start = time.perf_counter() - began
    began, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        at = time.perf_counter()
        change(db, rows)
        took["change"].append(time.perf_counter() - at)
        values["s"], values["t"] = draw_ends(db, rows)
        for kind, question in QUESTIONS.items():
            at = time.perf_counter()
            answers.append(db.execute(question, values).fetchall())
            took[kind].append(time.perf_counter() - at)
    return {"start": start, "steps": time.perf_counter() - began,
            "cpu": time.process_time() - cpu, "answers": answers,
            "median": [statistics.median(took[kind]) for kind in KINDS]}


def run_apart(library, path, form, backend, rows, steps):
    copy = path + ".copy"
    shutil.copyfile(path, copy)
    command = [sys.executable, __file__, "--run", library, copy, form, backend]
    done = subprocess.run([*command, str(rows), str(steps)], stdout=subprocess.PIPE,
                          text=True, check=True)
    return json.loads(done.stdout)


def show(form, backend, found):
    medians = " | ".join(f"{1e3 * seconds:.2f}" for seconds in found["median"])
    print(f"| {form} | {backend} | {1e3 * found['start']:.0f} | {found['steps']:.2f} "
          f"| {found['cpu']:.2f} | {medians} |", flush=True)


def show_ratio(what, a, b):
    print(f"{what}: steps {a['steps'] / b['steps']:.2f}, cpu {a['cpu'] / b['cpu']:.2f}")


def show_ratios(runs, backends):
    for form in FORMS:
        alone = (runs[form, backend] for backend in backends if backend != "auto")
        better = min(alone, key=lambda found: found["steps"])
        show_ratio(f"auto over the better one, {form}", runs[form, "auto"], better)
    for backend in backends:
        plain, followed = (runs[form, backend] for form in FORMS)
        show_ratio(f"followed over plain, {backend}", followed, plain)


def difference(runs):
    """Returns the place where a run answers differently from the first run, or None."""
    (first, expected), *others = runs.items()
    for name, found in others:
        for i, answer in enumerate(found["answers"]):
            if answer != expected["answers"][i]:
                step, question = divmod(i, len(QUESTIONS))
                return f"{list(QUESTIONS)[question]}, step {step}: {first} and {name}"
    return None


def main(arguments):
    if arguments[:1] == ["--run"]:
        print(json.dumps(run(*arguments[1:5], int(arguments[5]), int(arguments[6]))))
        return 0
    if not 1 <= len(arguments) <= 4:
        sys.exit(__doc__)
    library, edges, steps, folder = arguments + DEFAULTS[len(arguments):]
    library = os.path.abspath(library)
    devices = connect(library, ":memory:").execute("SELECT backend FROM gpugraph_devices")
    has_device = ("cuda",) in devices.fetchall()
    backends = [b for b in BACKENDS if b != "cuda" or has_device]
    runs = {}
    with tempfile.TemporaryDirectory(dir=folder) as made:
        path = os.path.join(made, "session.db")
        rows = make_table(path, float(edges))
        print(f"{rows} edges, {steps} steps")
        if not has_device:
            print("cuda is skipped: gpugraph_devices lists no CUDA device")
        print(f"\n| form | backend | start | steps | cpu | {' | '.join(KINDS)} |\n"
              "| --- | --- |" + " ---: |" * (3 + len(KINDS)))
        for backend in backends:
            for form in FORMS:
                runs[form, backend] = run_apart(library, path, form, backend, rows, steps)
                show(form, backend, runs[form, backend])
    print()
    show_ratios(runs, backends)
    differ = difference(runs)
    print(f"answers differ: {differ}" if differ else "all answers are equal")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
