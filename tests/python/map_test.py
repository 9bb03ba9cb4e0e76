"""Clicks through examples/map in Chromium: map_test.py ADDRESS DATABASE STORED. Compares the text of the page with SQL on the
database, and its picture with STORED: the mean colour of each of 25 x 19 tiles."""

import http.cookiejar
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request

import gpugraph
from playwright.sync_api import sync_playwright

ADDRESS, DATABASE, STORED = sys.argv[1:]
ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 4  # largest difference of a mean colour, in 255ths
ROUTE, CLOSED = (0x39, 0xF3, 0xFF), (0xFF, 0x20, 0x20)

TILES = """() => {
    const canvas = document.getElementById("roads"), tiles = [];
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let top = 0; top < 760; top += 40) for (let left = 0; left < 1000; left += 40) {
        const sum = [0, 0, 0];
        for (let y = top; y < top + 40; y++) for (let x = left; x < left + 40; x++)
            for (let c = 0; c < 3; c++) sum[c] += data[4 * (y * canvas.width + x) + c];
        tiles.push(sum.map(s => Math.round(s / 1600)));
    }
    return tiles;
}"""
PIXELS = """([r, g, b]) => {
    const canvas = document.getElementById("marks");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) count += data[i] === r && data[i + 1] === g && data[i + 2] === b;
    return count;
}"""
# Pans to and fro, with a new picture for each frame. Returns the median of 60 frames, in ms.
PAN = """async () => {
    const frames = [], { view } = window.map, left = view.x;
    for (let i = 0; i <= 60; i++) {
        frames.push(await new Promise(next => { view.x += i < 30 ? 400 : -400; window.map.draw(); requestAnimationFrame(next); }));
    }
    view.x = left;
    window.map.draw();
    return frames.slice(1).map((t, i) => t - frames[i]).sort((a, b) => a - b)[30];
}"""


def expect(truth, sentence):
    if not truth:
        sys.exit(sentence)


def wait_for_server():
    for _ in range(600):
        try:
            return urllib.request.urlopen(f"{ADDRESS}/-/map").read()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    sys.exit("the server does not answer")


def status(path, body=None, opener=urllib.request.build_opener(), **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items() if value}
    try:
        return opener.open(urllib.request.Request(ADDRESS + path, body, headers)).status
    except urllib.error.HTTPError as error:
        return error.code


def wrong_requests():
    for path in ("path?source=1&target=none", "path?source=1", "field?source=999999999&far=1", "field?source=1", "field?source=1&far=-1"):
        got = status(f"/-/map/{path}")
        expect(got == 400, f"{path}: {got}")
    expect(status("/-/map/road") == 405, "a road is closed by GET")
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    token = re.search(r'name="csrf" content="([^"]+)"', browser.open(f"{ADDRESS}/-/map").read().decode()).group(1)
    good, body = {"origin": ADDRESS, "content_type": "application/json", "x_csrftoken": token}, b'{"id": 1, "open": false}'
    for wanted, data, other in [
        (403, body, {"origin": "http://elsewhere.example"}),
        (403, body, {"origin": None}),
        (403, body, {"host": "elsewhere.example", "origin": "http://elsewhere.example"}),
        (403, body, {"x_csrftoken": None}),
        (403, body, {"x_csrftoken": token[::-1]}),
        (403, body, {"x_csrftoken": None, "authorization": "Bearer x"}),
        (400, body, {"content_type": "text/plain"}),
        (400, body, {"content_type": "application/x-www-form-urlencoded"}),
        (400, b'{"id": "1; DROP TABLE roads"}', {}),
        (400, b'{"id": true, "open": true}', {}),
        (400, b'{"id": 1, "open": 1}', {}),
        (400, b'{"id": -1, "open": true}', {}),
        (400, b'{"id": 1e999, "open": true}', {}),
        (400, b'[1, true]', {}),
        (400, b"[", {}),
        (400, b"", {}),
        (400, b'{"id": 1, "open": true, "\xff": 1}', {}),
        (400, '{"id": 1, "open": true}'.encode("utf-16"), {}),
        (400, b"[" * 200000 + b"]" * 200000, {}),
        (400, b'{"id": ' * 200000 + b"1" + b"}" * 200000, {}),
        (400, body + b" " * 1000000, {}),
        (404, b'{"id": 2000000000, "open": true}', {}),
    ]:
        got = status("/-/map/road", data, browser, **{**good, **other})
        expect(got == wanted, f"{data[:50]} {other}: {got} in place of {wanted}")
    expect(status("/-/map/road", body, **good) == 403, "a token is good without the cookie")
    expect(status("/-/map/road", body, browser, **good) == 200, "the page itself closes no road")
    expect(status("/-/map/road", b'{"id": 1, "open": true}', browser, **good) == 200, "the page itself opens no road")


def settings_stay():
    """Pages of other sites can send a GET to this server."""
    ask = f"{ADDRESS}/new-york-map.json?_shape=array&sql="
    before = urllib.request.urlopen(ask + "select+*+from+gpugraph_settings").read()
    expect(status("/new-york-map.json?sql=select+gpugraph_config('threads',1)") == 400, "a query changes a setting")
    expect(urllib.request.urlopen(ask + "select+*+from+gpugraph_settings").read() == before, "a query has changed a setting")


def busy_port():
    """A second server with an occupied port ends with one sentence, which names a free port."""
    def start(port):
        return subprocess.run([ROOT / "examples/map/run.sh"], env={**os.environ, "PORT": port}, capture_output=True, text=True, timeout=100)

    taken = ADDRESS.rpartition(":")[2]
    for port, why in ((taken, "Address already in use"), ("80000", "port must be 0-65535"), ("http", "invalid literal")):
        run = start(port)
        expect(run.returncode == 1 and "The map:" not in run.stdout, f"port {port}: {run}")
        expect(re.search(rf"^port {port} cannot be used: .*{why}.*; name another one: PORT=\d+ .*run\.sh'?$", run.stderr), run.stderr)


class Map:
    def __init__(self, page, db):
        self.page, self.db, self.asked = page, db, 0

    def sql(self, text, *values):
        return self.db.execute(text, values).fetchall()

    def state(self, name):
        return self.page.evaluate("name => { const s = window.map.state[name]; return s && ArrayBuffer.isView(s) ? Array.from(s) : s; }", name)

    def choose(self, tool):
        self.page.check(f"input[value={tool}]")

    def answered(self, actions=1):
        """Returns the text of the page after this number of actions."""
        self.asked += actions
        self.page.wait_for_selector(f"#answer[data-answered='{self.asked}']")
        expect(not self.state("error"), self.state("error"))
        return self.said()

    def said(self):
        return self.page.inner_text("#answer")

    def click(self, point):
        self.page.mouse.click(*point)
        return self.answered()

    def press(self, button):
        self.page.click(f"#{button}")
        return self.answered()

    def far(self, km):
        """Moves the slider."""
        self.page.evaluate("""km => {
            const slider = document.querySelector("input[name=far]");
            slider.value = km;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            slider.dispatchEvent(new Event("change", { bubbles: true }));
        }""", km)

    def closed(self):
        return self.sql("SELECT count(*) FROM roads WHERE open = 0")[0][0]

    def look_at(self, point_of, scale):
        """Moves the view so that a point of the network is in the middle."""
        self.page.evaluate("""([point, scale]) => {
            const { view } = window.map;
            const x = view.x + point[0] / view.scale, y = view.y + point[1] / view.scale;
            Object.assign(view, { scale, x: x - 500 / scale, y: y - 380 / scale });
            window.map.draw();
        }""", [point_of, scale])
        self.page.wait_for_timeout(100)

    def screen(self, crossing):
        return self.page.evaluate("id => window.map.screen(id)", crossing)

    def check_way(self, source, target):
        way, rows = self.state("way"), self.sql("SELECT edge, distance FROM gpu_path('network', ?, ?) ORDER BY seq", source, target)
        expect(way["distance"] == rows[-1][1], f"the way is {way['distance']} long, by SQL {rows[-1][1]}")
        expect(way["edges"][1:] == [row[0] for row in rows[1:]], "the way has other roads than SQL's")
        return way

    def check_field(self, source, km=30):
        field = [d for d in self.state("field") if d >= 0]
        count, total = self.sql("SELECT count(*), sum(distance) FROM gpu_sssp('network', ?) WHERE max_distance = ?", source, km * 10000)[0]
        expect((len(field), sum(field)) == (count, total), f"the field: {len(field)}, {sum(field)}; by SQL {count}, {total}")
        expect(f"{count:,} crossings within {km} km" in self.said(), self.said())


def compare_picture(page):
    tiles = page.evaluate(TILES)
    if os.environ.get("RENEW"):
        with open(STORED, "w") as file:
            json.dump(tiles, file)
            file.write("\n")
    with open(STORED) as file:
        stored = json.load(file)
    worst = max(abs(a - b) for one, other in zip(tiles, stored) for a, b in zip(one, other))
    expect(len(tiles) == len(stored) and worst <= TOLERANCE, f"a tile differs from the stored picture by {worst} of 255")


def click_through(page, db):
    it = Map(page, db)
    page.goto(f"{ADDRESS}/-/map")
    page.wait_for_selector("#answer[data-ready=yes]")
    (source,), (target,) = it.sql("SELECT node FROM landmarks WHERE name IN ('Times Square', 'Coney Island') ORDER BY name DESC")
    # Clicks crossings at their positions. If crossings lie side by side, any of them may be the nearest to a pixel.
    it.look_at(it.screen(source), 0.02)
    it.click(it.screen(source))
    it.look_at(it.screen(target), 0.02)
    it.click(it.screen(target))
    way = it.check_way(source, target)
    ms = {"way": it.state("ms")}
    expect(page.evaluate(PIXELS, ROUTE) > 500, "no route is drawn")

    it.choose("field")
    it.click(it.screen(target))
    it.check_field(target)
    ms["field"] = it.state("ms")
    page.evaluate("() => { const { view } = window.map; view.scale = innerHeight / 330000; view.y = 0; "
                  "view.x = (320000 * Math.cos(40.73 * Math.PI / 180) - innerWidth / view.scale) / 2; window.map.draw(); }")
    page.wait_for_timeout(200)
    compare_picture(page)
    if os.environ.get("PICTURE"):
        page.screenshot(path=os.environ["PICTURE"], type="jpeg", quality=80)
    ms["frame"] = page.evaluate(PAN)

    it.choose("close")
    # A road of some length without another road beside it.
    road, *ends = it.sql(
        "SELECT id, src, dst FROM roads r WHERE id IN (SELECT value FROM json_each(?)) AND length BETWEEN 500 AND 2000 AND NOT EXISTS "
        "(SELECT 1 FROM roads o WHERE o.id <> r.id AND (o.src, o.dst) IN (VALUES (r.src, r.dst), (r.dst, r.src))) "
        "ORDER BY length DESC LIMIT 1", json.dumps(way["edges"]))[0]
    it.look_at(it.screen(ends[0]), 0.1)
    middle = [(a + b) / 2 for a, b in zip(*map(it.screen, ends))]
    it.click(middle)
    ms["road"] = it.state("ms")
    shut = it.sql("SELECT id FROM roads WHERE open = 0")
    expect(shut == [(road,)], f"the road {road} is clicked, and closed are {shut}")
    expect(page.evaluate(PIXELS, CLOSED) > 20, "the closed road is not drawn")
    expect("1 closed" in it.said(), it.said())
    longer = it.check_way(source, target)
    it.check_field(target)
    expect(longer["distance"] >= way["distance"] and road not in longer["edges"], "the way goes by the closed road")
    it.click(middle)
    expect(it.sql("SELECT count(*) FROM roads WHERE open = 0") == [(0,)], "the road stays closed")
    expect(it.check_way(source, target)["distance"] == way["distance"], "the way is not the first one again")
    undo_and_clear(it, way, source, target, middle)
    new_way(it, source)
    water(it)
    limits(it, target)
    return it, ms


def undo_and_clear(it, way, source, target, middle):
    """The road at `middle` was closed and opened."""
    it.press("undo")
    expect(it.closed() == 1 and it.check_way(source, target)["distance"] >= way["distance"], "undo closes no road")
    it.press("undo")
    expect(it.closed() == 0 and it.check_way(source, target)["distance"] == way["distance"], "undo opens no road")
    it.click(middle)
    said = it.press("clear")
    expect(it.closed() == 0 and "km" not in said and "closed" not in said, f"after clear: {said}")
    expect(not it.state("way") and not it.state("field") and not it.state("ends"), "clear leaves answers")
    expect(it.page.evaluate(PIXELS, ROUTE) == 0 and it.page.is_disabled("#clear"), "clear leaves a route on the map")
    it.press("undo")
    expect(it.closed() == 1, "undo after clear closes no road")
    it.check_way(source, target)
    it.check_field(target)
    it.press("undo")
    for left in ("field", "way"):
        expect(it.state(left), f"there is no {left} to undo")
        it.press("undo")
        expect(not it.state(left), f"undo leaves the {left}")
    it.press("undo")
    expect(it.page.is_disabled("#undo") and not it.state("ends"), "undo does not end where it began")


def new_way(it, source):
    """A new path removes the earlier one."""
    it.choose("way")
    near = it.sql("SELECT iif(src = ?1, dst, src) FROM roads WHERE ?1 IN (src, dst) AND src <> dst ORDER BY id LIMIT 1", source)[0][0]
    it.look_at(it.screen(source), 0.1)
    it.click(it.screen(source))
    expect(" roads" in it.click(it.screen(near)), it.said())
    it.choose("field")
    it.click(it.screen(source))
    waiting = []  # the server takes its time over a field
    it.page.route("**/-/map/field*", lambda route: waiting.append(route))
    it.far(20)
    it.choose("way")
    it.page.mouse.click(*it.screen(source))
    for old in (" roads", " crossings"):
        expect(old not in it.said(), f"a new way and another limit are asked for, and this is on the screen: {it.said()}")
    for _ in range(100):
        if waiting:
            break
        it.page.wait_for_timeout(100)
    waiting[0].continue_()
    it.page.unroute("**/-/map/field*")
    expect(" roads" not in it.answered(2) and not it.state("way"), it.said())
    it.press("clear")
    it.far(30)
    it.answered()


def water(it):
    """The ocean south of Coney Island."""
    it.look_at([500, 380], 0.003)
    corner = it.page.evaluate("() => window.map.state.ends.length")
    it.page.evaluate("() => { const { view } = window.map; Object.assign(view, { scale: 0.02, x: 80000, y: 340000 }); window.map.draw(); }")
    for tool, what in (("close", "road"), ("field", "crossing"), ("way", "crossing")):
        it.choose(tool)
        it.page.mouse.click(900, 600)
        expect(it.said() == f"there is no {what} near that point", f"{tool}, in the water: {it.said()}")
    expect(it.closed() == 0 and it.state("source") == 0 and it.page.evaluate("() => window.map.state.ends.length") == corner, "a click in the water acts")


def limits(it, target):
    it.choose("field")
    it.look_at(it.screen(target), 0.02)
    it.click(it.screen(target))
    it.check_field(target)
    it.far(3)
    it.answered()
    it.check_field(target, 3)
    expect(it.page.inner_text("#far output") == "3 km", it.page.inner_text("#far"))
    expect(it.page.locator("#scale span").all_inner_texts() == ["0", "1", "2", "3 km"], it.page.inner_text("#scale"))
    it.press("undo")
    it.check_field(target)
    expect(it.page.input_value("input[name=far]") == "30", "undo leaves the slider")


def errors_are_text(it):
    """The page shows the server's messages as text."""
    markup = "<img src=x onerror=\"document.title = 'run'\"><script>document.title = 'run'</script>"
    it.page.route("**/-/map/field*", lambda route: route.fulfill(status=400, body=markup))
    it.far(5)
    it.page.wait_for_function("() => window.map.state.error")
    expect(it.said() == markup and it.page.locator("#answer *").count() == 0, it.page.inner_html("#answer"))
    expect(it.page.title() == "New York by road", "an error has run as a script")


def names_are_text(browser, db):
    """Names with markup, in Datasette's page of the table and in the picture that map.sql draws."""
    name = "Marine Park <script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">&amp;'"
    db.execute("UPDATE landmarks SET name = ? WHERE name = 'Coney Island'", (name,))
    db.commit()
    page = browser.new_page()
    page.goto(f"{ADDRESS}/new-york-map/landmarks")
    expect(name in page.inner_text("body") and page.title() != "run", "a name has run as a script in Datasette's page")
    script = "CREATE TABLE field AS SELECT node AS vertex, 1000 AS distance FROM landmarks; CREATE TABLE route(seq, vertex);"
    svg = subprocess.run(["sqlite3", ":memory:"], input=f"""
        ATTACH '{DATABASE}' AS source; CREATE TABLE landmarks AS SELECT * FROM source.landmarks; CREATE TABLE crossings AS SELECT * FROM
        source.crossings WHERE id IN (SELECT node FROM landmarks); CREATE TABLE roads(src, dst); {script}
        {(ROOT / "examples/map.sql").read_text()}""", capture_output=True, text=True, check=True).stdout
    page.set_content(f"<body>{svg}</body>")
    expect(page.locator("svg script, svg img").count() == 0 and page.title() != "run", "a name is markup in the picture")
    expect(name in page.locator("svg").text_content(), "the picture lacks the name")
    page.close()


def main():
    expect(b"CSRF_TOKEN" not in wait_for_server(), "the page has no token")
    wrong_requests()
    settings_stay()
    busy_port()
    db = sqlite3.connect(DATABASE)
    gpugraph.load(db)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 760})
        said = []
        # The hint is caused by this test, which reads pixels.
        page.on("console", lambda message: "willReadFrequently" in message.text or said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: request.url.startswith((ADDRESS, "data:")) or said.append(request.url))
        it, ms = click_through(page, db)
        expect(page.locator("meta[name=viewport]").get_attribute("content").startswith("width=device-width"), "no viewport")
        expect(not said, f"the console, or another host: {said}")
        errors_are_text(it)
        names_are_text(browser, db)
        browser.close()
    print(", ".join(f"{what} {value:.0f} ms" for what, value in ms.items()))


main()
