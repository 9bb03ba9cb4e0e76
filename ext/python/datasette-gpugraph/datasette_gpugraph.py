"""Graph searches in Datasette: every connection loads gpugraph."""

import sqlite3
import warnings

import gpugraph
from datasette import hookimpl

__version__ = "0.1.0"


@hookimpl
def prepare_connection(conn: sqlite3.Connection) -> None:
    try:
        gpugraph.load(conn)
    except RuntimeError as error:  # Datasette goes on without
        warnings.warn(str(error), stacklevel=1)
