"""Graph searches in Datasette. Every connection loads gpugraph with the operator's settings, which visitors cannot change."""

from __future__ import annotations

import warnings
from typing import Any

import click
import gpugraph
from datasette import hookimpl
from datasette.utils.sqlite import sqlite3  # pysqlite3, where that is installed

__version__ = "0.1.0"
NAME = "datasette-gpugraph"
CHANGING = ("gpugraph_config", "gpugraph_delete_vertex", "gpugraph_save")


def _configure(conn: sqlite3.Connection, config: dict[str, Any]) -> None:
    """Applies the operator's settings. Refuses functions that change anything, except those in `allow`."""
    known = {row[0] for row in conn.execute("SELECT name FROM gpugraph_settings")} - {"refuse"} | {"allow"}
    unknown = sorted(set(config) - known)
    if unknown:
        raise ValueError(f"{NAME}: there is no setting {unknown[0]!r}; there are {', '.join(map(repr, sorted(known)))}")
    allowed = config.get("allow", [])
    if not isinstance(allowed, list) or not all(name in CHANGING for name in allowed):
        raise ValueError(f"{NAME}: 'allow' takes a list of functions out of {', '.join(CHANGING)}, not {allowed!r}")
    settings = {name: value for name, value in config.items() if name != "allow"}
    settings["refuse"] = ",".join(name for name in CHANGING if name not in allowed)
    for name, value in settings.items():
        try:
            conn.execute("SELECT gpugraph_config(?, ?)", (name, str(value))).fetchall()
        except sqlite3.Error as error:
            raise ValueError(f"{NAME}: {error}") from error


@hookimpl
def prepare_connection(conn: sqlite3.Connection, database: str | None, datasette: Any) -> None:
    try:
        gpugraph.load(conn)
    except RuntimeError as error:  # Datasette goes on without
        warnings.warn(str(error), stacklevel=1)
        return
    _configure(conn, datasette.plugin_config(NAME, database=database) or {})


@hookimpl
def startup(datasette: Any) -> None:
    """Stops Datasette with one sentence if a setting is wrong."""
    for database in (None, *datasette.databases):
        conn = sqlite3.connect(":memory:")
        try:
            prepare_connection(conn, database, datasette)
        except ValueError as error:
            raise click.ClickException(str(error)) from error
        finally:
            conn.close()
