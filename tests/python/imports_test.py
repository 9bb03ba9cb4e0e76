"""Uses NumPy, scikit-learn and PyTorch in one process with gpugraph, imported before or after it. The order of threads must not
change answers. Arguments are names of modules. A missing module is a failure."""

import hashlib
import subprocess
import sys


def search():
    """An answer for 200,000 edges, which threads compute."""
    import sqlite3

    import gpugraph

    conn = sqlite3.connect(":memory:")
    gpugraph.load(conn)
    conn.execute("CREATE TABLE e(src INTEGER, dst INTEGER, weight REAL)")
    conn.executemany("INSERT INTO e VALUES (?, ?, ?)", ((i * 7919 % 50000, i * 104729 % 50000, i % 97 / 8) for i in range(200000)))
    conn.commit()
    sums = [conn.execute(f"SELECT sum({c}), count(*) FROM {f}").fetchone() for f, c in
            (("gpu_sssp('e', 1)", "distance"), ("gpu_pagerank('e')", "rank"), ("gpu_components('e')", "component"))]
    return repr(sums)


def learn():
    """Clusters by threads of OpenMP."""
    import numpy
    from sklearn.cluster import KMeans

    points = numpy.random.default_rng(1).random((20000, 8))
    labels = KMeans(8, n_init=1, random_state=1).fit(points).labels_
    return hashlib.md5(labels.astype("int32").tobytes()).hexdigest()


def product():
    """A product of matrices by BLAS's threads."""
    import numpy

    a = numpy.arange(250000, dtype=float).reshape(500, 500) % 7
    return repr((a @ a).sum())


def tensor():
    import torch

    a = torch.arange(250000, dtype=torch.float64).reshape(500, 500) % 7
    return repr(float((a @ a).sum()))


WORK = {"gpugraph": search, "numpy": product, "sklearn": learn, "torch": tensor}


def main(modules):
    answers = {}
    for order in (["gpugraph", *modules], [*modules, "gpugraph"]):
        run = subprocess.run([sys.executable, __file__, "--in", *order], capture_output=True, text=True)
        assert run.returncode == 0, f"{order}: status {run.returncode}: {run.stderr}"
        for line in run.stdout.splitlines():
            name, answer = line.split(" ", 1)
            assert answers.setdefault(name, answer) == answer, f"{order}: {name} says {answer}, and said {answers[name]} before"
    print(f"the same in every order of import: {', '.join(answers)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in"]:
        for name in sys.argv[2:]:
            print(name, WORK[name](), flush=True)
    else:
        main(sys.argv[1:])
