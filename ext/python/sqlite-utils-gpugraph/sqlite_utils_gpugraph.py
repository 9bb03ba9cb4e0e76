"""Graph searches in sqlite-utils: every connection loads gpugraph."""

import sqlite3
import warnings

import gpugraph
from sqlite_utils import hookimpl

__version__ = "0.1.0"


@hookimpl
def prepare_connection(conn: sqlite3.Connection) -> None:
    try:
        gpugraph.load(conn)
    except RuntimeError as error:  # the other commands go on without
        warnings.warn(str(error), stacklevel=1)
