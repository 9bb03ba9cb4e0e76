-- Draws an SVG map of New York in SQL: every road coloured by its distance from Times Square, one route, and
-- the landmarks. Reads roads, crossings, landmarks and the answers of two searches,
--   field(vertex, distance)   the distance of every crossing
--   route(seq, vertex)        the route to draw
-- and prints the file.

.mode list
.headers off

-- The window, in degrees; 1000 units wide. A degree of longitude is cos(latitude) times as long as one of latitude.
CREATE TEMP TABLE page AS
SELECT *, round((north - south) / (east - west) * 1000 / cos(radians((north + south) / 2))) AS height
FROM (SELECT -74.085 AS west, -73.765 AS east, 40.565 AS south, 40.895 AS north);

CREATE TEMP TABLE dot(id INTEGER PRIMARY KEY, x, y, metres);
INSERT INTO dot
SELECT c.id, round((lon - west) / (east - west) * 1000, 1), round((north - lat) / (north - south) * height, 1),
       distance / 10
FROM page, crossings c JOIN field ON vertex = c.id
WHERE lat BETWEEN south AND north AND lon BETWEEN west AND east;

-- A colour for every 250 m: from white to deep blue, interpolated between these stops.
CREATE TEMP TABLE band AS
WITH stop(metres, r, g, b) AS (
    VALUES (0, 255, 255, 245), (2000, 255, 231, 140), (5000, 255, 166, 64), (9000, 236, 84, 82),
           (14000, 176, 48, 128), (20000, 104, 50, 160), (28000, 48, 78, 160), (44000, 30, 120, 150)),
span AS (
    SELECT *, lead(metres) OVER w AS metres2, lead(r) OVER w AS r2, lead(g) OVER w AS g2, lead(b) OVER w AS b2
    FROM stop WINDOW w AS (ORDER BY metres)),
mixed AS (
    SELECT m.value AS metres, r, g, b, r2, g2, b2, (m.value - metres) * 1.0 / (metres2 - metres) AS t
    FROM generate_series(0, 43750, 250) m JOIN span ON m.value >= metres AND m.value < metres2)
SELECT metres, printf('#%02x%02x%02x', CAST(r + (r2 - r) * t AS INTEGER), CAST(g + (g2 - g) * t AS INTEGER),
                      CAST(b + (b2 - b) * t AS INTEGER)) AS colour
FROM mixed;

SELECT printf('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 %d" font-family="Georgia, serif">', height) FROM page;
SELECT '<defs><filter id="glow" x="-20%" y="-20%" width="140%" height="140%"><feGaussianBlur stdDeviation="5"/></filter>'
    || '<linearGradient id="scale">';
SELECT printf('<stop offset="%.3f" stop-color="%s"/>', metres / 30000.0, colour)
FROM band WHERE metres <= 30000 AND metres % 1000 = 0;
SELECT '</linearGradient><radialGradient id="shade" cx="0" cy="0" r="1"><stop offset=".5" stop-color="#07090f" '
    || 'stop-opacity=".85"/><stop offset="1" stop-color="#07090f" stop-opacity="0"/></radialGradient></defs>'
    || '<rect width="1000" height="' || (height + 1) || '" fill="#07090f"/>'
FROM page;

-- The roads, one <path> for each colour, the farthest first; each road is a step 'M x y l dx dy'.
SELECT '<g fill="none" stroke-width=".75" stroke-linecap="round">';
SELECT printf('<path stroke="%s" d="%s"/>', colour,
              group_concat(printf('M%g %gl%g %g', p.x, p.y, round(q.x - p.x, 1), round(q.y - p.y, 1)), ''))
FROM roads JOIN dot p ON p.id = src JOIN dot q ON q.id = dst
JOIN band ON band.metres = min(p.metres, q.metres) / 250 * 250
GROUP BY band.metres ORDER BY band.metres DESC;
SELECT '</g>';

-- The route: a wide blurred line under a thin bright one.
CREATE TEMP TABLE track AS
SELECT group_concat(x || ' ' || y, ' ') AS points
FROM (SELECT x, y FROM route JOIN dot ON id = vertex ORDER BY seq);
SELECT printf('<g fill="none" stroke-linejoin="round" stroke-linecap="round">'
           || '<polyline stroke="#39f3ff" stroke-width="9" opacity=".75" filter="url(#glow)" points="%s"/>'
           || '<polyline stroke="#07090f" stroke-width="5" points="%s"/>'
           || '<polyline stroke="#a8fbff" stroke-width="2.6" points="%s"/></g>', points, points, points)
FROM track;

-- A shade under the title.
SELECT '<rect width="460" height="230" fill="url(#shade)"/>';

-- The landmarks: a dot, the name, the distance by road. The text stands on the right, unless another landmark or the
-- edge of the map blocks it.
SELECT '<g font-size="13" fill="#fff" stroke="#07090f" stroke-width="3" paint-order="stroke" stroke-linejoin="round">';
SELECT printf('<circle cx="%g" cy="%g" r="3.5" stroke-width="1.5"/>'
           || '<text x="%g" y="%g" text-anchor="%s">%s <tspan font-size="10.5" fill="#c9d3e6">%.1f km</tspan></text>',
              x, y, iif(crowded, x - 8, x + 8), y + 4, iif(crowded, 'end', 'start'), name, metres / 1000.0)
FROM (SELECT replace(replace(l.name, '&', '&amp;'), '<', '&lt;') AS name, d.*,
             d.x > 820 OR EXISTS (SELECT 1 FROM landmarks JOIN dot o ON o.id = node
                                  WHERE o.x > d.x AND o.x < d.x + 150 AND abs(o.y - d.y) < 16) AS crowded
      FROM landmarks l JOIN dot d ON d.id = l.node)
ORDER BY metres DESC;
SELECT '</g>';

-- Title and scale.
SELECT printf('<g fill="#fff"><text x="36" y="62" font-size="38">New York by road</text>'
           || '<text x="37" y="88" font-size="15" fill="#aab4c8">%,d roads by their distance from Times Square</text>'
           || '<rect x="37" y="106" width="240" height="7" rx="3.5" fill="url(#scale)"/>'
           || '<g font-size="11" fill="#aab4c8"><text x="37" y="130">0</text><text x="111" y="130">10</text>'
           || '<text x="191" y="130">20</text><text x="262" y="130">30 km</text></g></g></svg>', count(*))
FROM roads JOIN dot p ON p.id = src JOIN dot q ON q.id = dst;
