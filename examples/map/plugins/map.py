"""The routes of the map in Datasette. Numbers travel as 32-bit integers in little-endian order, not as JSON.

    /-/map              the page, page/index.html, with map.js and map.css
    /-/map/network      crossings n, roads m; n ids, n longitudes, n latitudes (millionths of a degree);
                        m ids, m indexes of one end, m indexes of the other end (in the order of crossings)
    /-/map/path         ?source=&target=: distance in decimetres or -1; k crossings, k roads taken to them (0 first)
    /-/map/field        ?source=&far=: a distance for each crossing, -1 if no path is as short
    /-/map/closed       ids of the closed roads
    /-/map/road         POST {"id": 1, "open": false}: closes or opens a road
"""

import array
import json
import pathlib
import secrets

import gpugraph
from datasette import Response, hookimpl
from datasette.utils.sqlite import sqlite3
from datasette_gpugraph import prepare_connection  # noqa: F401: a hook that keeps requests from changing settings

PAGE = pathlib.Path(__file__).resolve().parent.parent / "page"
DATABASE = "new-york-map"
TYPES = {"index.html": "text/html", "map.js": "text/javascript", "map.css": "text/css"}
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
LARGEST_ID = LARGEST_DISTANCE = 2**31 - 1
LONGEST_BODY = 200  # bytes


def packed(*parts):
    return b"".join(array.array("i", part).tobytes() for part in parts)


class Network:
    """Crossings and roads, which do not change: only the state of a road, open or closed, changes."""

    def __init__(self, connection):
        cursor = connection.cursor()
        cursor.row_factory = None
        crossings = cursor.execute(
            "SELECT id, CAST(round(lon * 1e6) AS INTEGER), CAST(round(lat * 1e6) AS INTEGER) FROM crossings ORDER BY id"
        ).fetchall()
        self.ids = array.array("q", (row[0] for row in crossings)).tobytes()
        self.place = {row[0]: place for place, row in enumerate(crossings)}
        roads = cursor.execute("SELECT id, src, dst FROM roads ORDER BY id").fetchall()
        ids, sources, targets = zip(*roads)
        self.answer = packed(
            (len(crossings), len(roads)),
            *zip(*crossings),
            ids,
            map(self.place.__getitem__, sources),
            map(self.place.__getitem__, targets),
        )


async def network_of(datasette):
    if not hasattr(datasette, "_map_network"):
        datasette._map_network = await datasette.get_database(DATABASE).execute_fn(Network)
    return datasette._map_network


def binary(body):
    return Response(body, content_type="application/octet-stream", headers=HEADERS)


def sentence(text, status):
    return Response.text(text, status=status, headers=HEADERS)


async def page(request):
    name = request.url_vars.get("name") or "index.html"
    text = (PAGE / name).read_text().replace("CSRF_TOKEN", request.scope["csrftoken"]())
    return Response(text, content_type=f"{TYPES[name]}; charset=utf-8", headers=HEADERS)


async def network(datasette):
    return binary((await network_of(datasette)).answer)


def number(text):
    """A number in the request, or -1."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else -1


async def crossings_of(datasette, request, *names):
    """The crossings in the request, or None if one is not a crossing."""
    known = (await network_of(datasette)).place
    numbers = [number(request.args.get(name)) for name in names]
    return numbers if all(one in known for one in numbers) else None


async def path(datasette, request):
    ends = await crossings_of(datasette, request, "source", "target")
    if not ends:
        return sentence("source and target are ids of crossings", 400)

    def ask(connection):
        cursor = connection.cursor()
        cursor.row_factory = None
        return cursor.execute(
            "SELECT vertex, coalesce(edge, 0), distance FROM gpu_path('network', ?, ?) ORDER BY seq", ends
        ).fetchall()

    try:
        rows = await datasette.get_database(DATABASE).execute_fn(ask)
    except sqlite3.Error as error:
        return sentence(str(error), 400)
    if not rows:
        return binary(packed((-1,)))
    vertices, edges, distances = zip(*rows)
    return binary(packed((distances[-1],), vertices, edges))


async def field(datasette, request):
    source, far = await crossings_of(datasette, request, "source"), number(request.args.get("far"))
    if not source or far < 0:
        return sentence("source is the id of a crossing, and far a distance in decimetres", 400)
    known = await network_of(datasette)

    def ask(connection):
        found = gpugraph.sssp(connection, "network", source[0], max_distance=far)
        vertices, distances = found.buffer("vertex"), found.buffer("distance")
        # The array of the search: unsigned 32-bit numbers; without a path the largest number, which is -1.
        if distances.itemsize == 4 and vertices.tobytes() == known.ids:
            return distances.tobytes()
        # A crossing with all roads closed is not a vertex.
        answer = array.array("i", [-1]) * len(known.place)
        for vertex, distance in zip(vertices, distances):
            answer[known.place[vertex]] = distance if distance <= LARGEST_DISTANCE else -1
        return answer.tobytes()

    try:
        return binary(await datasette.get_database(DATABASE).execute_fn(ask))
    except sqlite3.Error as error:
        return sentence(str(error), 400)


async def closed(datasette):
    rows = await datasette.get_database(DATABASE).execute_fn(
        lambda connection: connection.execute("SELECT id FROM roads WHERE open = 0 ORDER BY id").fetchall()
    )
    return binary(packed(row[0] for row in rows))


def from_this_page(request):
    """True if this page made a request to write. Pages of other sites name another origin, a foreign name for
    127.0.0.1 is not an accepted host, and only the page has the token. (Datasette itself requires it only with cookies.)"""
    host, token = request.headers.get("host", ""), request.headers.get("x-csrftoken", "")
    return (
        host.split(":")[0] in ("127.0.0.1", "localhost")
        and request.headers.get("origin") == f"http://{host}"
        and secrets.compare_digest(token.encode(), request.scope["csrftoken"]().encode())
    )


async def body_of(request):
    """The body of a request, or None if it is longer than any valid body."""
    body, more = b"", True
    while more and len(body) <= LONGEST_BODY:
        message = await request.receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body if len(body) <= LONGEST_BODY else None


async def wish_of(request):
    """The id and the new state of the road, or None if the request has neither."""
    body = await body_of(request)
    if body is None or request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        return None
    try:
        wish = json.loads(body.decode("utf-8"))
    except ValueError:
        return None
    if not isinstance(wish, dict) or type(wish.get("id")) is not int or type(wish.get("open")) is not bool:
        return None
    return (wish["id"], wish["open"]) if 0 < wish["id"] <= LARGEST_ID else None


async def road(datasette, request):
    if request.method != "POST":
        return sentence("a road is closed and opened by POST", 405)
    if not from_this_page(request):
        return sentence("only the map's own page closes and opens roads", 403)
    wish = await wish_of(request)
    if not wish:
        return sentence('the body is JSON, {"id": a road\'s id, "open": true or false}', 400)
    road_id, is_open = wish

    def change(connection):
        with connection:  # a transaction
            return connection.execute("UPDATE roads SET open = ? WHERE id = ?", (int(is_open), road_id)).rowcount

    if not await datasette.get_database(DATABASE).execute_write_fn(change):
        return sentence(f"there is no road {road_id}", 404)
    return await closed(datasette)


@hookimpl
def register_routes():
    return [
        (r"^/-/map$", page),
        (r"^/-/map/(?P<name>map\.(js|css))$", page),
        (r"^/-/map/network$", network),
        (r"^/-/map/path$", path),
        (r"^/-/map/field$", field),
        (r"^/-/map/closed$", closed),
        (r"^/-/map/road$", road),
    ]


@hookimpl
def startup(datasette):
    async def warm():
        """Loads the graph, so that the first visitor does not wait for it."""
        crossing = next(iter((await network_of(datasette)).place))
        await datasette.get_database(DATABASE).execute("SELECT count(*) FROM gpu_path('network', :id, :id)", {"id": crossing})

    return warm
