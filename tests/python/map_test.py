"""Clicks through examples/map in Chromium: map_test.py ADDRESS DATABASE STORED. What the page says is compared with SQL on the
same database, its picture with STORED: the mean colour of each of 25 x 19 tiles."""

import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.request

import gpugraph
from playwright.sync_api import sync_playwright

ADDRESS, DATABASE, STORED = sys.argv[1:]
TOLERANCE = 4  # of a mean colour, in 255ths
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
# Pans to and fro, each frame a new picture; the median of 60 frames, in ms.
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


def status(path, body=None, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        return urllib.request.urlopen(urllib.request.Request(ADDRESS + path, body, headers)).status
    except urllib.error.HTTPError as error:
        return error.code


def wrong_requests():
    good, body = {"origin": ADDRESS, "content_type": "application/json"}, b'{"id": 1, "open": false}'
    for path, wanted, data, headers in [
        ("/-/map/path?source=1&target=none", 400, None, {}),
        ("/-/map/path?source=1", 400, None, {}),
        ("/-/map/field?source=999999999", 400, None, {}),
        ("/-/map/road", 405, None, {}),
        ("/-/map/road", 403, body, {"origin": "http://elsewhere.example"}),
        ("/-/map/road", 403, body, {}),
        ("/-/map/road", 400, b'{"id": "1; DROP TABLE roads"}', good),
        ("/-/map/road", 400, b"[", good),
        ("/-/map/road", 404, b'{"id": 2000000000, "open": true}', good),
    ]:
        got = status(path, data, **headers)
        expect(got == wanted, f"{path} {data}: {got} in place of {wanted}")


class Map:
    def __init__(self, page, db):
        self.page, self.db, self.asked = page, db, 0

    def sql(self, text, *values):
        return self.db.execute(text, values).fetchall()

    def state(self, name):
        return self.page.evaluate("name => { const s = window.map.state[name]; return s && ArrayBuffer.isView(s) ? Array.from(s) : s; }", name)

    def choose(self, tool):
        self.page.check(f"input[value={tool}]")

    def click(self, point, answers=True):
        self.page.mouse.click(*point)
        if answers:
            self.asked += 1
            self.page.wait_for_selector(f"#answer[data-answered='{self.asked}']")
            expect(not self.state("error"), self.state("error"))

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

    def check_field(self, source):
        field = [d for d in self.state("field") if d >= 0]
        count, total = self.sql("SELECT count(*), sum(distance) FROM gpu_sssp('network', ?)", source)[0]
        expect((len(field), sum(field)) == (count, total), f"the field: {len(field)}, {sum(field)}; by SQL {count}, {total}")


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
    # Crossings are clicked where they are; of those side by side any may be the nearest to a pixel.
    it.look_at(it.screen(source), 0.02)
    it.click(it.screen(source), answers=False)
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
    # One of some length, without another one beside it.
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
    longer = it.check_way(source, target)
    it.check_field(target)
    expect(longer["distance"] >= way["distance"] and road not in longer["edges"], "the way goes by the closed road")
    it.click(middle)
    expect(it.sql("SELECT count(*) FROM roads WHERE open = 0") == [(0,)], "the road stays closed")
    expect(it.check_way(source, target)["distance"] == way["distance"], "the way is not the first one again")
    return ms


def main():
    expect(b"CSRF_TOKEN" not in wait_for_server(), "the page has no token")
    wrong_requests()
    db = sqlite3.connect(DATABASE)
    gpugraph.load(db)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 760})
        said = []
        # The hint is about this test's own reading of pixels.
        page.on("console", lambda message: "willReadFrequently" in message.text or said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: request.url.startswith((ADDRESS, "data:")) or said.append(request.url))
        ms = click_through(page, db)
        expect(not said, f"the console, or another host: {said}")
        browser.close()
    print(", ".join(f"{what} {value:.0f} ms" for what, value in ms.items()))


main()
