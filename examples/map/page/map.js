// The map. Roads are drawn into the pixels of one image, 365,050 short lines a frame, which is faster than canvas
// calls. A second canvas above it has the route, closed roads and the clicked crossings.
//
//   network   x, y   the position of a crossing, in millionths of a degree of latitude east and south of the map's corner
//             from, to   the indexes of a road's ends in x and y; ids are those of the database
//   view      the crossing (x, y) is drawn at pixel ((x - view.x) * view.scale, (y - view.y) * view.scale)
"use strict";

const SHADES = 120;
const STOPS = [[0, 255, 255, 245], [8, 255, 231, 140], [20, 255, 166, 64], [36, 236, 84, 82],
    [56, 176, 48, 128], [80, 104, 50, 160], [112, 48, 78, 160], [SHADES, 40, 90, 155]];
const SNAP = 12, SNAP_FAR = 1400; // a click finds a road within 12 pixels, a crossing within 12 pixels or 150 m
const DARK = pixel(7, 9, 15), PLAIN = pixel(72, 84, 110);
const roads = document.getElementById("roads"), marks = document.getElementById("marks");
const tools = document.getElementById("tools"), answer = document.getElementById("answer");
const undoButton = document.getElementById("undo"), clearButton = document.getElementById("clear");
const sheet = roads.getContext("2d", { alpha: false }), ink = marks.getContext("2d");

let network = null, image = null, pixels = null, waiting = false;
const view = { x: 0, y: 0, scale: 1 };
// The question: the ends of the route, the source of the field (its index plus 1; 0 for none) and its limit (decimetres).
// The answer: the roads of the route, the distances of the field, and the indexes of closed roads.
const state = { ends: [], source: 0, far: 300000, way: null, field: null, closed: [], ms: 0, asking: 0, error: "" };
const past = [];          // for undo: questions before each action, and the roads that the action has closed or opened
const stale = new Set();  // "way", "field": answers to an earlier question, which are not shown
let last = Promise.resolve(); // the action before the next one
let shades = null, colours = null; // pixels by distance, by road

function pixel(r, g, b) {
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0; // little-endian RGBA
}

function palette() {
    const table = new Uint32Array(SHADES + 1);
    for (let i = 0, stop = 0; i <= SHADES; i++) {
        while (stop < STOPS.length - 2 && i >= STOPS[stop + 1][0]) stop++;
        const [a, b] = [STOPS[stop], STOPS[stop + 1]], t = (i - a[0]) / (b[0] - a[0]);
        table[i] = pixel(...[1, 2, 3].map(c => Math.round(a[c] + (b[c] - a[c]) * t)));
    }
    return table;
}

// ---- drawing ----

function paint() {
    const { x, y, from, to } = network, width = roads.width, height = roads.height;
    const { x: left, y: top, scale } = view;
    pixels.fill(DARK);
    for (let i = 0; i < from.length; i++) {
        const a = from[i], b = to[i];
        let px = (x[a] - left) * scale, py = (y[a] - top) * scale;
        const qx = (x[b] - left) * scale, qy = (y[b] - top) * scale;
        if ((px < 0 && qx < 0) || (py < 0 && qy < 0) || (px >= width && qx >= width) || (py >= height && qy >= height)) {
            continue;
        }
        const steps = Math.ceil(Math.max(Math.abs(qx - px), Math.abs(qy - py))) || 1;
        const dx = (qx - px) / steps, dy = (qy - py) / steps, colour = colours[i];
        for (let step = 0; step <= steps; step++, px += dx, py += dy) {
            if (px >= 0 && py >= 0 && px < width && py < height) pixels[(py | 0) * width + (px | 0)] = colour;
        }
    }
    sheet.putImageData(image, 0, 0);
    mark();
}

function at(crossing) {
    return [(network.x[crossing] - view.x) * view.scale, (network.y[crossing] - view.y) * view.scale];
}

function mark() {
    ink.clearRect(0, 0, marks.width, marks.height);
    ink.lineJoin = ink.lineCap = "round";
    if (state.way && !stale.has("way") && state.way.vertices.length) {
        ink.beginPath();
        for (const crossing of state.way.vertices) ink.lineTo(...at(crossing));
        for (const [width, colour] of [[7, "#07090f"], [4, "#39f3ff"]]) {
            ink.lineWidth = width;
            ink.strokeStyle = colour;
            ink.stroke();
        }
    }
    ink.lineWidth = 4;
    ink.strokeStyle = "#ff2020";
    for (const road of state.closed) {
        ink.beginPath();
        ink.moveTo(...at(network.from[road]));
        ink.lineTo(...at(network.to[road]));
        ink.stroke();
    }
    for (const [crossings, colour] of [[state.ends, "#39f3ff"], [state.source ? [state.source - 1] : [], "#ffe78c"]]) {
        for (const crossing of crossings) {
            ink.beginPath();
            ink.arc(...at(crossing), 6, 0, 7);
            ink.fillStyle = colour;
            ink.fill();
            ink.lineWidth = 2;
            ink.strokeStyle = "#07090f";
            ink.stroke();
        }
    }
}

// A road has the colour of its nearer end; outside the field it has the colour of plain roads.
function colour() {
    const { from, to } = network, field = state.field;
    colours.fill(PLAIN);
    if (!field) return;
    for (let i = 0; i < from.length; i++) {
        const a = field[from[i]], b = field[to[i]], d = a < 0 ? b : b < 0 ? a : Math.min(a, b);
        if (d >= 0) colours[i] = shades[Math.min(SHADES, d * SHADES / state.far | 0)];
    }
}

function draw() {
    if (waiting || !network) return;
    waiting = true;
    requestAnimationFrame(() => {
        waiting = false;
        paint();
    });
}

function resize() {
    for (const canvas of [roads, marks]) {
        canvas.width = innerWidth;
        canvas.height = innerHeight;
    }
    image = sheet.createImageData(roads.width, roads.height);
    pixels = new Uint32Array(image.data.buffer);
    draw();
}

// ---- asking ----

async function fetched(address, options) {
    const response = await fetch(address, options);
    if (!response.ok) throw new Error(await response.text());
    return new Int32Array(await response.arrayBuffer());
}

function km(distance) {
    return `${(distance / 1e4).toFixed(2)} km`;
}

// Shows the limit of the slider, beside it and below the colours.
function limit() {
    const far = tools.elements.far.value;
    document.querySelector("#far output").textContent = `${far} km`;
    document.querySelectorAll("#scale span").forEach((mark, i) => { mark.textContent = `${+(far * i / 3).toFixed(1)}${i === 3 ? " km" : ""}`; });
}

function tell() {
    const lines = [];
    if (state.way && !stale.has("way")) {
        lines.push(state.way.distance < 0 ? "there is no way"
            : `${km(state.way.distance)} by ${state.way.edges.length - 1} roads`);
    }
    if (state.field && !stale.has("field")) lines.push(`${state.reached.toLocaleString("en")} crossings within ${state.far / 1e4} km`);
    if (state.closed.length) lines.push(`${state.closed.length} closed`);
    if (state.ms) lines.push(`answered in ${state.ms.toFixed(0)} ms`);
    answer.textContent = state.error || lines.join("\n");
    undoButton.disabled = !past.length;
    clearButton.disabled = !(state.ends.length || state.source || state.closed.length);
}

// Takes the next question, closes or opens roads, requests the missing parts of the answer, and measures the time from the click
// to the picture. Actions run one after another; only the latest question is answered. `toggled` receives the roads that are
// closed or opened.
function run(next, roads, toggled) {
    const began = performance.now(), turn = ++state.asking, current = () => turn === state.asking;
    const differs = name => name in next && next[name] !== state[name];
    if (differs("ends")) stale.add("way");
    if (differs("source") || differs("far")) stale.add("field");
    Object.assign(state, next, { error: "", ms: 0 });
    tools.elements.far.value = state.far / 1e4;
    limit();
    tell();
    draw();
    last = last.then(async () => {
        try {
            for (const road of roads) {
                await toggle(road);
                toggled.push(road);
                stale.add("way").add("field");
            }
            if (current() && stale.has("way")) await way(current);
            if (current() && stale.has("field")) await field(current);
        } catch (error) {
            state.error = error.message;
        }
        requestAnimationFrame(() => {
            paint();
            state.ms = performance.now() - began;
            answer.dataset.answered = turn;
            tell();
        });
    });
}

function act(next, roads = []) {
    if (!network) return;
    const before = { ends: state.ends, source: state.source, far: state.far, roads: [] };
    past.push(before);
    run(next, roads, before.roads);
}

function undo() {
    const { roads, ...before } = past.pop();
    run(before, roads, []);
}

async function way(current) {
    const { ids, place } = network, [a, b] = state.ends;
    let found = null;
    if (state.ends.length === 2) {
        const numbers = await fetched(`/-/map/path?source=${ids[a]}&target=${ids[b]}`), steps = (numbers.length - 1) / 2;
        found = { distance: numbers[0], vertices: Array.from(numbers.subarray(1, 1 + steps), id => place.get(id)),
            edges: Array.from(numbers.subarray(1 + steps)) };
    }
    if (!current()) return;
    state.way = found;
    stale.delete("way");
}

async function field(current) {
    const source = state.source && network.ids[state.source - 1];
    const found = source ? await fetched(`/-/map/field?source=${source}&far=${state.far}`) : null;
    if (!current()) return;
    state.field = found;
    state.reached = found ? found.reduce((count, distance) => count + (distance >= 0), 0) : 0;
    stale.delete("field");
    colour();
}

async function toggle(road) {
    const open = state.closed.includes(road), token = document.querySelector("meta[name=csrf]").content;
    const headers = { "content-type": "application/json", "x-csrftoken": token };
    const body = JSON.stringify({ id: network.roads[road], open });
    shut(await fetched("/-/map/road", { method: "POST", headers, body }));
}

function shut(ids) {
    state.closed = Array.from(ids, id => network.roadPlace.get(id));
}

// ---- clicking and panning ----

// The nearest crossing, or road, to a pixel; -1 if none is near.
function nearestCrossing(px, py) {
    const { x, y } = network, cx = view.x + px / view.scale, cy = view.y + py / view.scale;
    let best = -1, least = Math.max(SNAP / view.scale, SNAP_FAR) ** 2;
    for (let i = 0; i < x.length; i++) {
        const d = (x[i] - cx) ** 2 + (y[i] - cy) ** 2;
        if (d < least) [best, least] = [i, d];
    }
    return best;
}

function nearestRoad(px, py) {
    const { x, y, from, to } = network, cx = view.x + px / view.scale, cy = view.y + py / view.scale;
    let best = -1, least = (SNAP / view.scale) ** 2;
    for (let i = 0; i < from.length; i++) {
        const ax = x[from[i]], ay = y[from[i]], dx = x[to[i]] - ax, dy = y[to[i]] - ay;
        const t = Math.max(0, Math.min(1, ((cx - ax) * dx + (cy - ay) * dy) / (dx * dx + dy * dy || 1)));
        const d = (ax + t * dx - cx) ** 2 + (ay + t * dy - cy) ** 2;
        if (d < least) [best, least] = [i, d];
    }
    return best;
}

function clicked(event) {
    const tool = tools.elements.tool.value, nearest = tool === "close" ? nearestRoad : nearestCrossing;
    const place = nearest(event.clientX, event.clientY);
    if (place < 0) {
        state.error = `there is no ${tool === "close" ? "road" : "crossing"} near that point`;
        tell();
    } else if (tool === "close") {
        act({}, [place]);
    } else if (tool === "field") {
        act({ source: place + 1 });
    } else {
        act({ ends: state.ends.length === 2 ? [place] : [...state.ends, place] });
    }
}

let held = null;
marks.addEventListener("pointerdown", event => {
    held = { x: event.clientX, y: event.clientY, left: view.x, top: view.y, moved: false };
    marks.setPointerCapture(event.pointerId);
});
marks.addEventListener("pointermove", event => {
    if (!held) return;
    const dx = event.clientX - held.x, dy = event.clientY - held.y;
    held.moved ||= Math.hypot(dx, dy) > 4;
    if (!held.moved) return;
    view.x = held.left - dx / view.scale;
    view.y = held.top - dy / view.scale;
    draw();
});
marks.addEventListener("pointerup", event => {
    if (held && !held.moved && network) clicked(event);
    held = null;
});
marks.addEventListener("wheel", event => {
    event.preventDefault();
    const factor = Math.exp(-event.deltaY / 500), scale = Math.min(2, Math.max(2e-4, view.scale * factor));
    view.x += event.clientX / view.scale - event.clientX / scale;
    view.y += event.clientY / view.scale - event.clientY / scale;
    view.scale = scale;
    draw();
}, { passive: false });
addEventListener("resize", resize);
undoButton.addEventListener("click", undo);
clearButton.addEventListener("click", () => act({ ends: [], source: 0 }, [...state.closed]));
tools.elements.far.addEventListener("input", limit);
tools.elements.far.addEventListener("change", event => act({ far: event.target.value * 1e4 }));

// ---- loading ----

async function load() {
    const numbers = await fetched("/-/map/network"), [n, m] = numbers;
    let next = 2;
    const take = count => numbers.subarray(next, next += count);
    const ids = take(n), lon = take(n), lat = take(n), narrow = Math.cos(40.73 * Math.PI / 180);
    network = { ids, roads: take(m), from: take(m), to: take(m), x: new Float32Array(n), y: new Float32Array(n) };
    for (let i = 0; i < n; i++) {
        network.x[i] = (lon[i] + 74085000) * narrow;
        network.y[i] = 40895000 - lat[i];
    }
    network.place = new Map(Array.from(ids, (id, i) => [id, i]));
    network.roadPlace = new Map(Array.from(network.roads, (id, i) => [id, i]));
    colours = new Uint32Array(m);
    shades = palette();
    colour();
    shut(await fetched("/-/map/closed"));
    view.scale = innerHeight / 330000;
    view.x = (320000 * narrow - innerWidth / view.scale) / 2;
    tools.elements.far.value = state.far / 1e4; // some browsers keep it when the page is reloaded
    limit();
    resize();
    tell();
    answer.dataset.ready = "yes";
}

// For the test, and for the browser's console.
window.map = { state, view, draw, screen: id => at(network.place.get(id)) };
resize();
load().catch(error => { answer.textContent = `the map cannot be loaded: ${error.message}`; });
